//! The program `onca`.

use std::process::ExitCode;

fn main() -> ExitCode {
    onca_cli::main()
}
