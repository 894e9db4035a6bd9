//! Answers as text and as files.

mod cells;
mod csv;
mod json;
mod parquet;
mod table;

use std::io::{self, Write};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use onca_model::RowFormat;

pub(crate) use parquet::{builder, parquet_error, properties};

/// Writes rows as they come.
pub trait RowWriter {
    /// Writes some rows.
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()>;

    /// Writes what comes after the last row. `truncated` tells that a limit cut rows off.
    fn finish(self: Box<Self>, truncated: bool) -> io::Result<()>;
}

/// A writer of rows with these columns. What comes before the first row may be written already.
pub fn row_writer<'a>(
    format: RowFormat,
    schema: &SchemaRef,
    out: impl Write + Send + 'a,
) -> io::Result<Box<dyn RowWriter + Send + 'a>> {
    Ok(match format {
        RowFormat::Table if table::is_plan(schema) => Box::new(table::PlanWriter::new(out)),
        RowFormat::Table => Box::new(table::TableWriter::new(schema, out)),
        RowFormat::Csv => Box::new(csv::CsvWriter::new(schema, out, false)?),
        RowFormat::SafeCsv => Box::new(csv::CsvWriter::new(schema, out, true)?),
        RowFormat::Json => Box::new(json::JsonWriter::new(schema, out)?),
        RowFormat::Ndjson => Box::new(json::NdjsonWriter::new(schema, out)),
        RowFormat::Parquet => Box::new(parquet::ParquetWriter::new(schema, out)?),
    })
}
