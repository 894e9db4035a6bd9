//! How long the findings of a large trace take, and the memory for them.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use onca_answer::findings;
use onca_program::format::{byte_size, grouped};
use onca_program::{Exit, Failure, peak_memory};
use onca_query::{Lens, Scope};
use onca_store::Store;
use serde_json::json;

use super::Args;
use crate::measure::{WHOLE, generate, milliseconds, remove, report, timed};
use crate::{MEMORY, index};

/// Processes of the generated trace.
const PROCS: u32 = 700;

/// Generates and indexes a trace, and looks twice for what costs time in it: the second time that is read from a file.
pub(super) fn run(args: &Args, events: u64, folder: &Path) -> Result<Exit, Failure> {
    let trace = generate(events, PROCS, folder)?;
    let place = folder.join("store.onca");
    let records = index(&trace, &place, MEMORY)?.records;
    remove(&trace)?;
    let first = timed(|| look(&place))?.0;
    let peak = peak_memory("self");
    let again = timed(|| look(&place))?.0;
    let found = Found { records, first, again, peak };
    report(args.common.json, || found.json(), |out| found.print(out))
}

fn look(place: &Path) -> Result<(), Failure> {
    let store = Store::open(place)?;
    let window = WHOLE.window(&store.catalog().facts);
    findings(&Scope::new(&store, &Lens::clear(), window)?)?;
    Ok(())
}

/// What was measured.
struct Found {
    records: u64,
    first: Duration,
    again: Duration,
    peak: Option<u64>,
}

impl Found {
    fn json(&self) -> serde_json::Value {
        json!({
            "schema": "onca-bench-large-findings/1",
            "records": self.records,
            "first_ms": milliseconds(self.first),
            "again_ms": milliseconds(self.again),
            "peak_rss_bytes": self.peak,
        })
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{} records of {PROCS} processes", grouped(self.records))?;
        writeln!(out, "findings the first time {:>8.0} ms", milliseconds(self.first))?;
        writeln!(out, "again                   {:>8.0} ms", milliseconds(self.again))?;
        if let Some(bytes) = self.peak {
            writeln!(out, "memory                  {:>8}", byte_size(bytes))?;
        }
        Ok(())
    }
}
