//! `onca completions`: what a shell needs to complete commands.

use std::io::Write;

use clap_complete::Shell;

use onca_program::{Exit, Failure, print};

/// Print the completions of a shell
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Example:
  onca completions bash > ~/.local/share/bash-completion/completions/onca")]
pub struct Args {
    /// The shell
    shell: Shell,
}

/// Prints the completions.
pub fn run(args: &Args, mut command: clap::Command) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "onca", &mut text);
    print(|out| out.write_all(&text))?;
    Ok(Exit::Fine)
}
