//! The command line of Onca: flags, messages, exit codes. It wires the other crates together
//! and computes nothing itself. The program `onca` is one of its hosts; a Python interpreter is another.

mod commands;
mod composed;
mod follow;
mod hierarchy_file;
mod join;
mod look;
mod place;
mod platform;
mod problems;
mod progress;
mod remembered;
mod sql;
mod trace;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{CommandFactory, Parser};

use onca_program::Exit;
pub use onca_program::{Answer, Failure};
pub use onca_serve::{Answered, Inside};
use onca_store::Store;
use onca_views::registry::VIEWS;

/// See and question the execution of parallel programs
///
/// Onca reads an execution trace in the Pajé, OTF2, Chrome JSON, Paraver or DUMPI format, indexes it
/// once, and then answers exact questions about it at any scale.
#[derive(Parser)]
#[command(
    name = "onca",
    version,
    propagate_version = true,
    after_long_help = "\
Exit status: 0 fine (warnings possible), 1 answered but records were lost or validation failed,
2 could not do it, 3 a limit stopped it.

Examples:
  onca demo --no-open -o demo.paje     write the demo trace
  onca view demo.paje                  see it in the browser
  onca run -- mpirun -n 4 ./program    record a program of your own
  onca info demo.paje                  what is in it
  onca validate demo.paje              what is wrong with it
  onca dump demo.paje | head           its entities as rows
  onca slice demo.paje --level Machine time in each state, by machine
  onca stats demo.paje                 where its time goes
  onca profile demo.paje               the same along nested states
  onca phases demo.paje                when who communicates with whom
  onca topology demo.paje --topology net.dot  what crosses the links of its network
  onca find demo.paje 'MPI_*'          when and where something happens
  onca query demo.paje \"SELECT count(*) FROM states\""
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Demo(commands::demo::Args),
    View(commands::view::Args),
    Info(commands::info::Args),
    Validate(commands::validate::Args),
    Dump(commands::dump::Args),
    Slice(commands::slice::Args),
    Stats(commands::stats::Args),
    Profile(commands::profile::Args),
    Find(commands::find::Args),
    Export(commands::export::Args),
    Overview(commands::overview::Args),
    Phases(commands::phases::Args),
    Findings(commands::findings::Args),
    Compare(commands::compare::Args),
    Waits(commands::waits::Args),
    Clocks(commands::clocks::Args),
    Topology(commands::topology::Args),
    Render(commands::render::Args),
    Query(commands::query::Args),
    Index(commands::index::Args),
    Lens(commands::lens::Args),
    Store(commands::store::Args),
    Run(commands::run::Args),
    Generate(commands::generate::Args),
    Completions(commands::completions::Args),
    Man(commands::man::Args),
}

/// The program `onca`.
pub fn main() -> ExitCode {
    onca_program::program(|arguments: Arguments| run(arguments.command))
}

/// The same with words of somebody else, the first of which names the program: the exit status.
pub fn run_as_program(words: Vec<OsString>) -> u8 {
    onca_program::program_with(words, |arguments: Arguments| run(arguments.command))
}

/// The page of one trace, whose requests this program answers itself.
pub fn page(trace: &Path) -> Result<Inside, Failure> {
    commands::view::inside(trace)
}

/// Opens the store in a folder.
pub fn open_store(folder: &Path) -> Result<Store, Failure> {
    trace::open_folder(folder)
}

/// The names of the views: of one trace, or of two runs that are compared.
pub fn views(of_two: bool) -> impl Iterator<Item = &'static str> {
    VIEWS.iter().filter(move |view| view.compares == of_two).map(|view| view.name)
}

/// Asks a command inside of another program. The words begin with the name of that program.
pub fn ask(words: Vec<OsString>, stop: &Arc<AtomicBool>) -> Answer {
    onca_program::ask(words, stop, |arguments: Arguments| run(arguments.command))
}

fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Demo(args) => commands::demo::run(args),
        Command::View(args) => commands::view::run(&args),
        Command::Info(args) => commands::info::run(&args),
        Command::Validate(args) => commands::validate::run(&args),
        Command::Dump(args) => commands::dump::run(&args),
        Command::Slice(args) => commands::slice::run(&args),
        Command::Stats(args) => commands::stats::run(&args),
        Command::Profile(args) => commands::profile::run(&args),
        Command::Find(args) => commands::find::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Overview(args) => commands::overview::run(&args),
        Command::Phases(args) => commands::phases::run(&args),
        Command::Findings(args) => commands::findings::run(&args),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Waits(args) => commands::waits::run(&args),
        Command::Clocks(args) => commands::clocks::run(&args),
        Command::Topology(args) => commands::topology::run(&args),
        Command::Render(args) => commands::render::run(&args),
        Command::Query(args) => commands::query::run(&args),
        Command::Index(args) => commands::index::run(&args),
        Command::Lens(args) => commands::lens::run(&args),
        Command::Store(args) => commands::store::run(&args),
        Command::Run(args) => commands::run::run(&args),
        Command::Generate(args) => commands::generate::run(args).map(|()| Exit::Fine),
        Command::Completions(args) => commands::completions::run(&args, Arguments::command()),
        Command::Man(args) => commands::man::run(&args, Arguments::command()),
    }
}
