//! What is told of files that were written.

use std::io::{self, Write};
use std::path::Path;

use onca_program::format::{byte_size, count_of, shown};
use onca_program::write_json;
use onca_sql::ExportReport;
use serde::Serialize;

/// Files that were written into a folder.
pub struct Written<'a> {
    /// The folder.
    pub output: &'a Path,
    /// What they are.
    pub format: &'static str,
    /// How many.
    pub report: ExportReport,
}

impl Written<'_> {
    /// Prints it for people, or as JSON.
    pub fn print(&self, json: bool, out: &mut dyn Write) -> io::Result<()> {
        let ExportReport { files, rows, bytes } = self.report;
        if json {
            let (schema, format) = ("onca-export/1", self.format);
            let output = self.output.display().to_string();
            return write_json(out, &ExportJson { schema, output, format, files, rows, bytes });
        }
        writeln!(out, "{}: {}", shown(self.output), in_words(&self.report))
    }
}

/// Rows, files and bytes.
pub fn in_words(report: &ExportReport) -> String {
    let ExportReport { files, rows, bytes } = *report;
    let (rows, files) = (count_of(rows, "row"), count_of(files, "file"));
    format!("{rows} in {files}, {}", byte_size(bytes))
}

/// What `--json` prints: `onca-export/1`.
#[derive(Serialize)]
struct ExportJson {
    schema: &'static str,
    /// The folder that was written.
    output: String,
    /// `parquet` or `dataset`.
    format: &'static str,
    /// How many files were written.
    files: u64,
    /// How many rows they have.
    rows: u64,
    /// How many bytes they have.
    bytes: u64,
}
