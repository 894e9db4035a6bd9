//! `onca index`: builds the store now.

use std::io::{self, Write};
use std::path::PathBuf;

use onca_store::Store;
use serde_json::json;

use crate::commands::bench::peak_memory;
use crate::format::{byte_size, grouped, percent, shown};
use crate::outcome::{Exit, Failure, written};
use crate::trace::{Built, Rebuild, TraceArgs, build, default_place};

/// Build the store of a trace now
///
/// Every other command does this by itself when it is needed. The store is a directory beside
/// the trace, or in the user's cache directory when that place cannot be written.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca index run.paje
  onca index --force --memory 512M run.paje
  zcat run.paje.gz | onca index - -o run.onca")]
pub struct Args {
    #[command(flatten)]
    trace: TraceArgs,

    /// Build it again even if it fits
    #[arg(long)]
    force: bool,

    /// Where to put the store
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Builds the store.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let trace = &args.trace.trace;
    if trace.is_dir() {
        return Err(Failure::Cannot(format!("{} is a directory, not a trace", shown(trace))));
    }
    let place = match &args.output {
        Some(place) => checked_place(place)?,
        None => default_place(trace)?,
    };
    let rebuild = if args.force { Rebuild::Always } else { Rebuild::IfStale };
    let built = build(trace, place, &args.trace.read, rebuild)?;
    let store_bytes = match &built.report {
        Some(report) => report.bytes,
        None => Store::open(&built.place)?.bytes(),
    };
    written(if args.json {
        print_json(&mut io::stdout(), &built, store_bytes)
    } else {
        print_text(&mut io::stdout(), &built, store_bytes)
    })?;
    Ok(Exit::from_lost(built.lost))
}

/// A directory that is given must be a store, or not be there: nothing else is overwritten.
fn checked_place(place: &std::path::Path) -> Result<PathBuf, Failure> {
    let occupied = place.exists() && !place.join("manifest.json").exists();
    let empty = std::fs::read_dir(place).is_ok_and(|mut entries| entries.next().is_none());
    if occupied && !empty {
        return Err(Failure::Cannot(format!(
            "{} exists and is not a store; it is not overwritten",
            shown(place)
        )));
    }
    Ok(place.to_owned())
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

fn print_json(out: &mut impl Write, built: &Built, store_bytes: u64) -> io::Result<()> {
    let seconds = built.elapsed.as_secs_f64();
    let answer = json!({
        "schema": "onca-index/1",
        "store": built.place.display().to_string(),
        "built": built.report.is_some(),
        "records": built.records,
        "lost": built.lost,
        "source_bytes": built.source_bytes,
        "store_bytes": store_bytes,
        "seconds": seconds,
        "fsync_seconds": built.report.map_or(0.0, |report| report.fsync_seconds),
        "passes": built.passes,
        "peak_rss_bytes": peak_memory("self"),
    });
    writeln!(out, "{answer:#}")
}
