//! `onca-sql export`: what is seen of a trace, as Parquet files.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use onca_model::{Ticks, Window};
use onca_program::format::{byte_size, count_of, shown};
use onca_program::{Exit, Failure, new_file, print, write_json};
use onca_query::{Lens, Scope};
use onca_sql::{ExportError, ExportReport, export_parquet};
use serde::Serialize;

use crate::opened::{StoreArgs, standard_input};

/// Write what is seen of a trace as Parquet files; the lens comes from standard input
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    store: StoreArgs,

    /// The folder
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    /// The window begins at this tick
    #[arg(long, value_name = "TICKS", allow_hyphen_values = true, default_value_t = Ticks::MIN)]
    from_tick: Ticks,

    /// The window ends before this tick
    #[arg(long, value_name = "TICKS", allow_hyphen_values = true, default_value_t = Ticks::MAX)]
    to_tick: Ticks,

    /// Print what was written as JSON
    #[arg(long)]
    json: bool,
}

/// Writes the files, and prints how many.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let opened = args.store.open()?;
    let store = &opened.store;
    let lens = Lens::from_json(&standard_input()?)?;
    let window = Window { from: args.from_tick, to: args.to_tick };
    let scope = Scope::new(store, &lens, window)?;
    let report = export_parquet(Arc::clone(store), &scope, &args.output);
    let report = report.map_err(|error| match error {
        ExportError::Store(error) => error.into(),
        ExportError::Write(path, error) => new_file::failure(&path, &error),
    })?;
    print(|out| args.print(&report, out))?;
    Ok(Exit::from_lost(store.catalog().facts.lost))
}

impl Args {
    fn print(&self, report: &ExportReport, out: &mut dyn Write) -> io::Result<()> {
        let ExportReport { files, rows, bytes } = *report;
        if self.json {
            let (schema, format) = ("onca-export/1", "parquet");
            let output = self.output.display().to_string();
            return write_json(out, &ExportJson { schema, output, format, files, rows, bytes });
        }
        let (rows, files) = (count_of(rows, "row"), count_of(files, "file"));
        writeln!(out, "{}: {rows} in {files}, {}", shown(&self.output), byte_size(bytes))
    }
}

/// What `--json` prints: `onca-export/1`.
#[derive(Serialize)]
struct ExportJson {
    schema: &'static str,
    /// The folder that was written.
    output: String,
    /// `parquet`.
    format: &'static str,
    /// How many files were written.
    files: u64,
    /// How many rows they have.
    rows: u64,
    /// How many bytes they have.
    bytes: u64,
}
