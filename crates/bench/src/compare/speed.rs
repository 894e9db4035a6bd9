//! How long it takes to compare two large runs.

use std::io::Write;
use std::path::Path;

use onca_answer::compare::{CompareSpec, Comparison, compare};
use onca_generate::iterative::Options;
use onca_program::{Exit, Failure};
use onca_store::Store;
use serde_json::json;

use crate::measure::{median, milliseconds, report, timed};
use crate::runs::{stored_run, whole};

/// How often what is known is compared.
const TIMES: usize = 9;

/// Compares two runs that differ in their random numbers: once with all there is to work out, and then from what is kept.
pub fn run(events: u64, procs: u32, folder: &Path, as_json: bool) -> Result<Exit, Failure> {
    let place = |name: &str, seed: u64| {
        let options = Options { procs, events, seed, ..Options::default() };
        let (place, _) = stored_run(&options, &folder.join(name))?;
        std::fs::remove_file(folder.join(name).join("run.paje"))
            .map_err(|error| Failure::Cannot(error.to_string()))?;
        Ok::<_, Failure>(place)
    };
    let (before, after) = (place("before", 1)?, place("after", 2)?);
    let ask = || -> Result<Comparison, Failure> {
        let (a, b) = (Store::open(&before)?, Store::open(&after)?);
        let (a, b) = (whole(&a)?, whole(&b)?);
        Ok(compare(&a, &b, &CompareSpec::default())?)
    };
    let (first, comparison) = timed(ask)?;
    let again = (0..TIMES).map(|_| Ok(timed(ask)?.0)).collect::<Result<Vec<_>, Failure>>()?;
    let (first, again) = (milliseconds(first), milliseconds(median(again)));
    let segments = comparison.alignment.pairs.len();
    let json = || {
        json!({
            "schema": "onca-bench-compare-speed/1",
            "events": events,
            "processes": procs,
            "segments": segments,
            "first_ms": first,
            "again_ms": again,
        })
    };
    report(as_json, json, |out| {
        writeln!(out, "two runs of {events} records and {procs} processes in {segments} segments")?;
        writeln!(out, "  the first time     {first:>9.0} ms")?;
        writeln!(out, "  from what is kept  {again:>9.0} ms, the median of {TIMES}")
    })
}
