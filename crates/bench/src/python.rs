//! What the Python package costs: its size, opening a trace, rows into a table of Polars.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use onca_program::format::{byte_size, grouped};
use onca_program::{Exit, Failure};
use serde_json::{Value, json};

use crate::measure::{generate, report};
use crate::{CommonArgs, MEMORY, index, onca};

const PROCS: u32 = 700;
const SCRIPT: &str = include_str!("python.py");

/// The Python package: open a trace, read its states into a table
///
/// Takes an interpreter that has the packages onca and polars. Beside it, Polars reads the same rows from the Parquet files
/// of `onca export`, if onca-sql is installed.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The interpreter
    #[arg(long, value_name = "FILE", default_value = "python3")]
    interpreter: PathBuf,

    /// The wheel, whose size is told
    #[arg(long, value_name = "FILE")]
    wheel: Option<PathBuf>,

    /// How many records the generated trace has
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    events: u64,

    #[command(flatten)]
    common: CommonArgs,
}

pub fn run(args: &Args) -> Result<Exit, Failure> {
    let folder = args.common.folder()?;
    let trace = generate(args.events, PROCS, folder.path())?;
    let store = folder.path().join("bench.paje.onca");
    let indexed = index(&trace, &store, MEMORY)?;
    let parquet = exported(&store, &folder.path().join("parquet"));
    let measured = measured(&args.interpreter, &store, parquet.as_deref())?;
    let wheel = args.wheel.as_ref().map(std::fs::metadata).transpose();
    let wheel = wheel.map_err(|error| Failure::Cannot(format!("the wheel: {error}")))?;
    let wheel = wheel.map(|wheel| wheel.len());
    let json = || {
        json!({
            "schema": "onca-bench-python/1",
            "records": indexed.records,
            "wheel_bytes": wheel,
            "measured": measured,
        })
    };
    let number = |name: &str| measured[name].as_f64();
    report(args.common.json, json, |out| {
        writeln!(out, "{} records", grouped(indexed.records))?;
        if let Some(wheel) = wheel {
            writeln!(out, "the wheel: {}", byte_size(wheel))?;
        }
        let opened = [("import onca", "import_s"), ("open", "open_s"), ("open again", "again_s")];
        for (what, name) in opened {
            writeln!(out, "{what}: {:.1} ms", number(name).unwrap_or_default() * 1e3)?;
        }
        let rows = number("rows").unwrap_or_default();
        for (what, name) in [
            ("all columns of states", "all_s"),
            ("container, value and both ends in ticks", "few_s"),
            ("these through a window of a tenth", "window_s"),
            ("these of Parquet, read by Polars", "parquet_s"),
        ] {
            if let Some(seconds) = number(name) {
                let of = number(&name.replace("_s", "_rows")).unwrap_or(rows);
                let million = of / seconds / 1e6;
                writeln!(
                    out,
                    "{what}: {:.0} rows in {seconds:.2} s, {million:.1} million a second",
                    of
                )?;
            }
        }
        Ok(())
    })
}

/// The states as Parquet files; nothing without onca-sql.
fn exported(store: &Path, folder: &Path) -> Option<PathBuf> {
    let exported = Command::new(onca().ok()?)
        .args(["export", "--format", "parquet", "-o"])
        .arg(folder)
        .arg(store)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    exported.is_ok_and(|status| status.success()).then(|| folder.join("states"))
}

fn measured(interpreter: &Path, store: &Path, parquet: Option<&Path>) -> Result<Value, Failure> {
    let cannot = |why: String| Failure::Cannot(format!("{}: {why}", interpreter.display()));
    let output = Command::new(interpreter)
        .args(["-c", SCRIPT])
        .arg(store)
        .args(parquet)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| cannot(error.to_string()))?;
    if !output.status.success() {
        return Err(cannot(output.status.to_string()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| cannot(error.to_string()))
}
