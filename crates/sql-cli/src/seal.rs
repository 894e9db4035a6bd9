//! `onca-sql seal`: the shards of a data set become one.

use std::io::{self, Write};
use std::path::PathBuf;

use onca_program::format::{count_of, shown};
use onca_program::{Exit, Failure, Watch, new_file, print, write_json};
use onca_sql::{DatasetError, ExportReport, Manifest, seal_dataset};
use serde::Serialize;

use crate::written::in_words;

/// Check that all shards of a data set are there, and seal it
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The folder
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    /// Print what is there as JSON
    #[arg(long)]
    json: bool,
}

/// Seals, and prints what is there.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let _watch = Watch::new(None);
    let manifest = seal_dataset(&args.output).map_err(|error| match error {
        DatasetError::Io(path, error) => new_file::failure(&path, &error),
        other => Failure::Cannot(other.to_string()),
    })?;
    print(|out| args.print(&manifest, out))?;
    Ok(Exit::from_lost(manifest.source.lost))
}

impl Args {
    fn print(&self, manifest: &Manifest, out: &mut dyn Write) -> io::Result<()> {
        let report = ExportReport {
            files: manifest.files.len() as u64,
            rows: manifest.files.iter().map(|file| file.rows).sum(),
            bytes: manifest.files.iter().map(|file| file.bytes).sum(),
        };
        let parts = manifest.shards;
        if self.json {
            let (schema, format) = ("onca-export/1", "dataset");
            let output = self.output.display().to_string();
            let ExportReport { files, rows, bytes } = report;
            let sealed = SealJson { schema, output, format, parts, files, rows, bytes };
            return write_json(out, &sealed);
        }
        let parts = count_of(u64::from(parts), "part");
        writeln!(out, "{}: {parts}, {}, sealed", shown(&self.output), in_words(&report))
    }
}

/// What `--seal --json` prints: `onca-export/1`.
#[derive(Serialize)]
struct SealJson {
    schema: &'static str,
    /// The folder that was sealed.
    output: String,
    /// `dataset`.
    format: &'static str,
    /// How many shards wrote it.
    parts: u32,
    /// How many files it has.
    files: u64,
    /// How many rows they have.
    rows: u64,
    /// How many bytes they have.
    bytes: u64,
}
