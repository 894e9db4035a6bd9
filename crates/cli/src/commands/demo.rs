//! `onca demo`: a small trace with something to find in it.

use std::path::PathBuf;

use super::generate;
use crate::format::shown;
use crate::outcome::{Exit, Failure};

/// Write the built-in demo trace: 96 processes on 3 clusters, with something to find
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca demo --no-open -o demo.paje
  onca info demo.paje")]
pub struct Args {
    /// Only write the trace
    #[arg(long)]
    no_open: bool,

    /// Where to write it
    #[arg(short, long, value_name = "FILE", default_value = "demo.paje")]
    output: PathBuf,
}

/// Writes the trace.
pub fn run(args: Args) -> Result<Exit, Failure> {
    generate::write_demo(&args.output)?;
    let name = shown(&args.output);
    if !args.no_open {
        eprintln!("there is no view of it yet; ask it questions on the command line:");
    }
    eprintln!("  onca info {name}");
    Ok(Exit::Fine)
}
