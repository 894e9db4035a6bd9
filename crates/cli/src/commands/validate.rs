//! `onca validate`: everything that is wrong with a source.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use onca_model::{
    Catalog, EntitySink, EventRow, LaneId, LinkRow, Severity, StateRow, Strictness, VariableRow,
};
use onca_read::{Progress, Source};
use onca_simulate::{DriveError, DriveOptions, SimulateError, drive};
use onca_store::{SourceFile, StoreError};
use serde::Serialize;

use crate::problems::{self, JsonProblem};
use crate::progress::ShownProgress;
use crate::trace::{TraceArgs, is_store, open_folder};
use onca_program::format::{count_of, shown};
use onca_program::{Exit, Failure, print, write_json};

/// List everything that is wrong with a trace
///
/// The whole trace is read, whatever is wrong with it, and nothing is written. The exit status
/// is 1 if any record was lost; with --strict, if anything at all is wrong.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca validate run.paje
  onca validate --strict run.paje && echo clean
  onca validate --json run.paje.gz")]
pub struct Args {
    #[command(flatten)]
    trace: TraceArgs,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Checks the trace.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let _watch = args.trace.read.watch();
    let (catalog, files) = read(&args.trace)?;
    let wrong = |severity: Severity| severity >= Severity::Warning;
    let strictly_wrong = catalog
        .diagnostics
        .iter()
        .any(|(code, tally)| wrong(tally.severity.max(code.severity(Strictness::Strict))));
    let failed = catalog.facts.lost > 0 || args.trace.read.strict && strictly_wrong;
    print(|out| match args.json {
        true => write_json(out, &ValidateJson::new(&catalog, &files, !failed)),
        false => print_text(out, &catalog, &files, &args.trace.trace),
    })?;
    Ok(if failed { Exit::Lost } else { Exit::Fine })
}

/// Reads the source without keeping anything of it; a store has what was wrong with its source.
fn read(args: &TraceArgs) -> Result<(Catalog, Vec<PathBuf>), Failure> {
    if is_store(&args.trace) {
        let store = open_folder(&args.trace)?;
        let files = store.source().files.iter().map(SourceFile::location).collect();
        return Ok((store.catalog().clone(), files));
    }
    let progress = Arc::new(Progress::default());
    let shown = ShownProgress::new("checking", &progress);
    let options = DriveOptions {
        strictness: Strictness::Lenient,
        pedantic: args.read.strict,
        ..args.read.drive_options()
    };
    let driven = drive(&Source::new(&args.trace), &options, &progress, || Ok(Nowhere));
    drop(shown);
    match driven {
        Ok(driven) => Ok((driven.catalog, driven.files.read)),
        Err(error @ DriveError::Simulate(SimulateError::Memory { .. })) => {
            Err(Failure::Limit(error.to_string()))
        }
        Err(error) => Err(error.into()),
    }
}

/// Takes entities and forgets them.
struct Nowhere;

impl EntitySink for Nowhere {
    type Error = StoreError;

    fn state(&mut self, _: LaneId, _: &StateRow, _: &[u8]) -> Result<(), StoreError> {
        Ok(())
    }

    fn variable(&mut self, _: LaneId, _: &VariableRow, _: &[u8]) -> Result<(), StoreError> {
        Ok(())
    }

    fn event(&mut self, _: LaneId, _: &EventRow, _: &[u8]) -> Result<(), StoreError> {
        Ok(())
    }

    fn link(&mut self, _: LaneId, _: &LinkRow<'_>, _: &[u8]) -> Result<(), StoreError> {
        Ok(())
    }
}

fn print_text(
    out: &mut impl Write,
    catalog: &Catalog,
    files: &[PathBuf],
    trace: &std::path::Path,
) -> io::Result<()> {
    problems::list(out, &catalog.diagnostics, files)?;
    let name = shown(trace);
    let records = count_of(catalog.facts.records, "record");
    match problems::summary(&catalog.diagnostics, catalog.facts.lost, &name) {
        Some(summary) => writeln!(out, "{summary}; {records}"),
        None => writeln!(out, "{name}: {records}, nothing wrong"),
    }
}

/// What `onca validate --json` prints: `onca-validate/1`.
#[derive(Serialize)]
struct ValidateJson {
    schema: &'static str,
    /// Nothing was lost; with `--strict`, nothing at all is wrong.
    valid: bool,
    /// Lines that are neither blank nor comment nor header.
    records: u64,
    /// Records without any effect.
    lost: u64,
    /// The source ends in the middle of a line or of a compressed stream.
    truncated: bool,
    /// The problems by code.
    diagnostics: Vec<JsonProblem>,
}

impl ValidateJson {
    fn new(catalog: &Catalog, files: &[PathBuf], valid: bool) -> Self {
        Self {
            schema: "onca-validate/1",
            valid,
            records: catalog.facts.records,
            lost: catalog.facts.lost,
            truncated: catalog.facts.truncated,
            diagnostics: problems::json(&catalog.diagnostics, files),
        }
    }
}
