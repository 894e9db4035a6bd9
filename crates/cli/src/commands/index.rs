//! `onca index`: builds the store now.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use onca_store::Store;
use serde::Serialize;

use crate::composed::checked_place;
use crate::follow::{FollowArgs, Followed, LiveLine, follow};
use crate::join::JoinArgs;
use crate::trace::{
    Built, ReadArgs, Rebuild, build, default_place, is_store, refuse_datasets, trace_path,
};
use onca_program::format::{byte_size, grouped, percent, shown};
use onca_program::peak_memory;
use onca_program::{Exit, Failure, Watch, print, write_json};

/// Build the store of a trace now
///
/// Every other command does this by itself when it is needed. The store is a directory beside
/// the trace, or in the user's cache directory when that place cannot be written. With --join,
/// several sources of any formats become one trace; docs/clocks.md tells how.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca index run.paje
  onca index --force --memory 512M run.paje
  zcat run.paje.gz | onca index - -o run.onca
  onca index --follow run.paje                 while it is written; Ctrl-C ends it and leaves the store
  simulator | onca index --follow - -o run.onca
  onca index app.paje gpu.json --join --offset gpu.json=-1.5s -o both.onca")]
pub struct Args {
    /// A trace in any format that Onca reads (a file or its folder; "-" for standard input); with
    /// --join, several traces or stores
    #[arg(value_name = "TRACE", value_parser = trace_path(), required_unless_present = "join_file")]
    traces: Vec<PathBuf>,

    #[command(flatten)]
    join: JoinArgs,

    #[command(flatten)]
    follow: FollowArgs,

    /// Build it again even if it fits
    #[arg(long)]
    force: bool,

    /// Where to put the store
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    read: ReadArgs,
}

/// Builds the store.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let told = Arc::new(AtomicBool::new(false));
    let _watch = match args.follow.follow {
        true => Watch::telling(Some(args.read.memory as u64), &told),
        false => args.read.watch(),
    };
    let rebuild = if args.force { Rebuild::Always } else { Rebuild::IfStale };
    let built = match args.join.joining(&args.traces, &args.read)? {
        Some(joining) => {
            let no_place = || Failure::Cannot("say with -o where the store is to be".to_owned());
            let place = args.output.as_deref().ok_or_else(no_place)?;
            joining.build(&checked_place(place)?, rebuild)?
        }
        None if args.follow.follow => args.follow_one(&told)?,
        None => args.build_one(rebuild)?,
    };
    let store_bytes = match &built.report {
        Some(report) => report.bytes,
        None => Store::open(&built.place)?.bytes(),
    };
    print(|out| match args.json {
        true => write_json(out, &IndexJson::new(&built, store_bytes)),
        false => print_text(out, &built, store_bytes),
    })?;
    Ok(Exit::from_lost(built.lost))
}

impl Args {
    fn follow_one(&self, told: &Arc<AtomicBool>) -> Result<Built, Failure> {
        let [trace] = self.traces.as_slice() else {
            return Err(Failure::Cannot("only one trace can be followed at a time".to_owned()));
        };
        let followed = Followed::named(trace)?;
        let place = match &self.output {
            Some(place) => checked_place(place)?,
            None if followed.is_sent() => {
                let what = "what is sent has no place for a store; give -o";
                return Err(Failure::Cannot(what.to_owned()));
            }
            None => default_place(trace)?,
        };
        follow(&followed, &place, &self.read, &self.follow, &mut LiveLine::new(told))
    }

    fn build_one(&self, rebuild: Rebuild) -> Result<Built, Failure> {
        let [trace] = self.traces.as_slice() else {
            let message = "these are several traces; --join makes one of them";
            return Err(Failure::Cannot(message.to_owned()));
        };
        if is_store(trace) {
            refuse_datasets(trace)?;
            return Err(Failure::Cannot(format!("{} is a directory, not a trace", shown(trace))));
        }
        let place = match &self.output {
            Some(place) => checked_place(place)?,
            None => default_place(trace)?,
        };
        build(trace, place, &self.read, rebuild)
    }
}

fn print_text(out: &mut impl Write, built: &Built, store_bytes: u64) -> io::Result<()> {
    let place = shown(&built.place);
    let Some(report) = &built.report else {
        let size = byte_size(store_bytes);
        return writeln!(out, "{place}: up to date ({size}); --force builds it again");
    };
    let seconds = built.elapsed.as_secs_f64();
    let rate = |amount: u64| amount as f64 / seconds;
    writeln!(
        out,
        "{place}: {} records, {} in {seconds:.2} s ({}/s, {} records/s)",
        grouped(built.records),
        byte_size(built.source_bytes),
        byte_size(rate(built.source_bytes) as u64),
        grouped(rate(built.records) as u64)
    )?;
    let share = store_bytes as f64 / built.source_bytes.max(1) as f64;
    writeln!(
        out,
        "store {} ({} of the text), {} entities, {:.2} s waiting for the disk{}",
        byte_size(store_bytes),
        percent(share),
        grouped(report.rows),
        report.fsync_seconds,
        if built.passes > 1 { ", read twice because it is not in time order" } else { "" }
    )
}

/// What `onca index --json` prints: `onca-index/1`.
#[derive(Serialize)]
struct IndexJson {
    schema: &'static str,
    /// Where the store is.
    store: String,
    /// False if there was one that fits.
    built: bool,
    /// Lines that are neither blank nor comment nor header.
    records: u64,
    /// Records without any effect.
    lost: u64,
    /// The length of the text that was read, decompressed; 0 if nothing was built.
    source_bytes: u64,
    /// The size of the store.
    store_bytes: u64,
    /// How long it took, from the beginning to the renamed store.
    seconds: f64,
    /// How much of that was waiting for the disk at the end.
    fsync_seconds: f64,
    /// How often the source was read: 2 if it is not in time order, 0 if nothing was built.
    passes: u32,
    /// The most memory that the process held, where the system tells.
    peak_rss_bytes: Option<u64>,
}

impl IndexJson {
    fn new(built: &Built, store_bytes: u64) -> Self {
        Self {
            schema: "onca-index/1",
            store: built.place.display().to_string(),
            built: built.report.is_some(),
            records: built.records,
            lost: built.lost,
            source_bytes: built.source_bytes,
            store_bytes,
            seconds: built.elapsed.as_secs_f64(),
            fsync_seconds: built.report.map_or(0.0, |report| report.fsync_seconds),
            passes: built.passes,
            peak_rss_bytes: peak_memory("self"),
        }
    }
}
