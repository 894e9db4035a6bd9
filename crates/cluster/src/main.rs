//! `onca-cluster`: data sets that are asked on many machines. The engine is Apache DataFusion Ballista:
//! a scheduler plans, executors read the files of data sets and compute.

mod ask;
mod client;
mod codec;
mod cube;
mod engine;
mod executor;
mod export;
mod files;
mod known;
mod local;
mod lost;
mod process;
mod query;
mod remote;
mod scheduler;
mod secret;

use std::process::ExitCode;

use onca_program::{Exit, Failure};

/// Data sets that are asked on many machines
///
/// A data set is what "onca export --format dataset" writes. One scheduler and any number of
/// executors answer questions about it; "onca-cluster local" starts them on this machine. All share
/// a secret, which "onca-cluster secret" makes.
#[derive(clap::Parser, Debug)]
#[command(name = "onca-cluster", version)]
struct Arguments {
    /// Say what happens
    #[arg(short, long, global = true)]
    verbose: bool,

    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    Local(local::Args),
    Query(query::Args),
    Cube(cube::Args),
    Export(export::Args),
    Secret(secret::Args),
    Scheduler(scheduler::Args),
    Executor(executor::Args),
}

fn main() -> ExitCode {
    onca_program::program(|arguments: Arguments| run(&arguments))
}

fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    if arguments.verbose {
        process::talk();
    }
    match &arguments.command {
        Command::Local(args) => local::run(args),
        Command::Query(args) => query::run(args),
        Command::Cube(args) => cube::run(args),
        Command::Export(args) => export::run(args),
        Command::Secret(args) => secret::run(args),
        Command::Scheduler(args) => scheduler::run(args),
        Command::Executor(args) => executor::run(args),
    }
}
