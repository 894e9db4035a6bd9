//! From a trace that was never read to its first overview.

use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use onca_generate::iterative;
use serde_json::json;

use onca_program::format::{byte_size, grouped};

use crate::measure::report;
use onca_program::{Exit, Failure};

use crate::{onca, temporary_folder};

/// Generates a run of this many records on 700 processes and asks for its overview, in a process of its own: once without a
/// store, once with it.
pub fn run(events: u64, as_json: bool) -> Result<Exit, Failure> {
    let cannot = |error: &dyn std::fmt::Display| Failure::Cannot(error.to_string());
    let folder = temporary_folder(None)?;
    let trace = folder.path().join("bench.paje");
    let mut file = File::create(&trace).map_err(|error| cannot(&error))?;
    let options = iterative::Options { procs: 700, events, ..iterative::Options::default() };
    let generated = iterative::write(&options, &mut file).map_err(|error| cannot(&error))?;
    let program = onca()?;
    let overview = || {
        let started = Instant::now();
        let status =
            Command::new(&program).arg("overview").arg(&trace).stdout(Stdio::null()).status();
        match status {
            Ok(status) if status.success() => Ok(started.elapsed().as_secs_f64()),
            Ok(status) => Err(Failure::Cannot(format!("overview: {status}"))),
            Err(error) => Err(cannot(&error)),
        }
    };
    let (first, again) = (overview()?, overview()?);
    let json = || {
        json!({
            "schema": "onca-bench-overview-cold/1",
            "records": generated.records,
            "bytes": generated.bytes,
            "first_s": first,
            "again_s": again,
        })
    };
    report(as_json, json, |out| {
        writeln!(
            out,
            "{} records, {}: first overview after {first:.2} s, again after {again:.2} s",
            grouped(generated.records),
            byte_size(generated.bytes)
        )
    })
}
