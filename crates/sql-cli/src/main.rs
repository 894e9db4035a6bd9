//! `onca-sql`: SQL and Parquet for Onca, in a program of its own because the engine is larger than
//! all the rest. `onca query` and `onca export` become it; `onca view` keeps one per trace.

mod export;
mod opened;
mod query;
mod seal;
mod serve;
mod written;

use std::process::ExitCode;
use std::sync::LazyLock;

use onca_program::{Exit, Failure};

static IDENTITY: LazyLock<String> = LazyLock::new(onca_sql_client::identity);

/// SQL and Parquet for Onca
///
/// "onca query", "onca export" of Parquet and data sets, and "onca view" start this program. It works on
/// stores that they have made.
#[derive(clap::Parser, Debug)]
#[command(name = "onca-sql", version = IDENTITY.as_str())]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    Query(query::Args),
    Export(export::Args),
    Seal(seal::Args),
    Serve(serve::Args),
}

fn main() -> ExitCode {
    onca_program::program(|arguments: Arguments| run(&arguments.command))
}

fn run(command: &Command) -> Result<Exit, Failure> {
    match command {
        Command::Query(args) => query::run(args),
        Command::Export(args) => export::run(args),
        Command::Seal(args) => seal::run(args),
        Command::Serve(args) => serve::run(args),
    }
}
