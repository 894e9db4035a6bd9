//! Answers as text and as files.

mod cells;
mod csv;
mod json;
mod parquet;
mod table;

use std::io::{self, Write};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;

pub(crate) use parquet::{builder, parquet_error, properties};

/// A form in which rows are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Aligned columns, for people.
    Table,
    /// Values separated by commas, as in RFC 4180.
    Csv,
    /// The same, with an apostrophe before texts that a spreadsheet would take for a formula.
    SafeCsv,
    /// One JSON object.
    Json,
    /// A JSON object a row.
    Ndjson,
    /// A Parquet file.
    Parquet,
}

/// Writes rows as they come.
pub trait RowWriter {
    /// Writes some rows.
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()>;

    /// Writes what comes after the last row. `truncated` tells that a limit cut rows off.
    fn finish(self: Box<Self>, truncated: bool) -> io::Result<()>;
}

/// A writer of rows with these columns. What comes before the first row may be written already.
pub fn row_writer<'a>(
    format: Format,
    schema: &SchemaRef,
    out: impl Write + Send + 'a,
) -> io::Result<Box<dyn RowWriter + Send + 'a>> {
    Ok(match format {
        Format::Table if table::is_plan(schema) => Box::new(table::PlanWriter::new(out)),
        Format::Table => Box::new(table::TableWriter::new(schema, out)),
        Format::Csv => Box::new(csv::CsvWriter::new(schema, out, false)?),
        Format::SafeCsv => Box::new(csv::CsvWriter::new(schema, out, true)?),
        Format::Json => Box::new(json::JsonWriter::new(schema, out)?),
        Format::Ndjson => Box::new(json::NdjsonWriter::new(schema, out)),
        Format::Parquet => Box::new(parquet::ParquetWriter::new(schema, out)?),
    })
}
