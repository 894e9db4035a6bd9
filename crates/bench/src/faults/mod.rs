//! `onca-bench faults`: damages inputs, stores and the system below, and counts what does not hold.

mod inputs;
mod stores;
mod system;

use std::io::{self, Write};
use std::path::PathBuf;

use onca_generate::small::Format;
use onca_program::format::grouped;
use onca_program::{Exit, Failure};
use serde_json::{Value, json};

use crate::CommonArgs;
use crate::measure::report;

/// Count what does not hold when inputs, stores and the system fail
///
/// Damages small traces of all formats and reads each twice, with other numbers of threads; changes
/// every byte of a store and cuts its files at every length; ends indexing at every call of the
/// system, and lets calls fail. Ends with 1 when anything does not hold. What concerns the system
/// needs strace.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca-bench faults
  onca-bench faults --only inputs --inputs 1000000
  onca-bench faults --only kills,errors --points 5000")]
pub struct Args {
    /// Do only these
    #[arg(long, value_name = "PART", value_enum, value_delimiter = ',')]
    only: Vec<Part>,

    /// Damage only inputs of these formats, such as otf2,dumpi
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', value_parser = parse_format)]
    formats: Vec<Format>,

    /// Damaged inputs, over all formats
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    inputs: u64,

    /// Kills, and failing calls, at most
    #[arg(long, value_name = "N", default_value_t = 300)]
    points: u64,

    /// Damage is drawn from this number
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Keep inputs that make a reader fail below DIR
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,

    #[command(flatten)]
    common: CommonArgs,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// Damaged traces
    Inputs,
    /// Changed bytes of stores
    Bytes,
    /// Cut files of stores
    Cuts,
    /// Indexing that is killed
    Kills,
    /// Calls of the system that fail
    Errors,
}

const ALL: [Part; 5] = [Part::Inputs, Part::Bytes, Part::Cuts, Part::Kills, Part::Errors];

/// What was tried, and what did not hold.
#[derive(Debug, Default)]
struct Tally {
    what: String,
    tried: u64,
    /// Names of outcomes that are right, and how many there were.
    held: Vec<(&'static str, u64)>,
    /// The same of those that are not.
    broken: Vec<(&'static str, u64)>,
    seconds: f64,
}

impl Tally {
    fn n_broken(&self) -> u64 {
        self.broken.iter().map(|(_, n)| n).sum()
    }

    fn json(&self) -> Value {
        let named = |counts: &[(&'static str, u64)]| {
            counts
                .iter()
                .map(|(name, n)| ((*name).to_owned(), json!(n)))
                .collect::<serde_json::Map<_, _>>()
        };
        json!({
            "what": self.what,
            "tried": self.tried,
            "held": named(&self.held),
            "broken": named(&self.broken),
            "seconds": self.seconds,
        })
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let list = |counts: &[(&'static str, u64)]| {
            let counts = counts.iter().map(|(name, n)| format!("{name} {}", grouped(*n)));
            counts.collect::<Vec<_>>().join(", ")
        };
        writeln!(
            out,
            "{:<28} {:>10} in {:>7.1} s   {}   |   {}",
            self.what,
            grouped(self.tried),
            self.seconds,
            list(&self.held),
            list(&self.broken)
        )
    }
}

fn parse_format(text: &str) -> Result<Format, String> {
    let names = Format::ALL.map(Format::name).join(", ");
    Format::named(text).ok_or_else(|| format!("this is none of {names}"))
}

/// Tries.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let folder = args.common.folder()?;
    let parts = if args.only.is_empty() { &ALL[..] } else { &args.only };
    let mut tallies = Vec::new();
    for part in parts {
        match part {
            Part::Inputs => {
                let formats = match args.formats.as_slice() {
                    [] => &Format::ALL[..],
                    some => some,
                };
                let keep = args.keep.as_deref();
                let tried = inputs::run(folder.path(), formats, args.inputs, args.seed, keep)?;
                tallies.extend(tried);
            }
            Part::Bytes => tallies.push(stores::bytes(folder.path(), args.seed)?),
            Part::Cuts => tallies.push(stores::cuts(folder.path())?),
            Part::Kills => tallies.push(system::kills(folder.path(), args.points)?),
            Part::Errors => tallies.push(system::errors(folder.path(), args.points)?),
        }
    }
    let broken: u64 = tallies.iter().map(Tally::n_broken).sum();
    report(
        args.common.json,
        || json!({"schema": "onca-bench-faults/1", "parts": tallies.iter().map(Tally::json).collect::<Vec<_>>()}),
        |out| {
            tallies.iter().try_for_each(|tally| tally.print(out))?;
            match broken {
                0 => writeln!(out, "everything held"),
                n => writeln!(out, "{} did not hold", grouped(n)),
            }
        },
    )?;
    Ok(Exit::from_lost(broken))
}
