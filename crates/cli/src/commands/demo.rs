//! `onca demo`: a small trace with something to find in it.

use std::path::PathBuf;

use super::{generate, view};
use crate::trace::ReadArgs;
use onca_program::format::shown;
use onca_program::{Exit, Failure};

/// Write the built-in demo trace and show it: 96 processes on 3 clusters, with something to find
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca demo
  onca demo --no-open -o demo.paje
  onca info demo.paje")]
pub struct Args {
    /// Only write the trace
    #[arg(long)]
    no_open: bool,

    /// Where to write it
    #[arg(short, long, value_name = "FILE", default_value = "demo.paje")]
    output: PathBuf,

    #[command(flatten)]
    place: view::PlaceArgs,

    #[command(flatten)]
    read: ReadArgs,
}

/// Writes the trace, and shows it.
pub fn run(args: Args) -> Result<Exit, Failure> {
    generate::write_demo(&args.output)?;
    if !args.no_open {
        return view::open(&args.output, &args.read, &args.place);
    }
    let name = shown(&args.output);
    eprintln!("  onca view {name}\n  onca info {name}");
    Ok(Exit::Fine)
}
