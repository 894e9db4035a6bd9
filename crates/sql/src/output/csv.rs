//! Values separated by commas, as in RFC 4180. A null is an empty field, an empty text is `""`.

use std::io::{self, BufWriter, Write};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{FieldRef, SchemaRef};
use onca_model::csv_field;

use super::RowWriter;
use super::cells::Cells;

pub(super) struct CsvWriter<W: Write> {
    out: BufWriter<W>,
    /// Which columns may hold what a spreadsheet would take for a formula.
    unsafe_columns: Vec<bool>,
}

impl<W: Write> CsvWriter<W> {
    /// With `safe`, texts that a spreadsheet would take for a formula have an apostrophe first.
    pub(super) fn new(schema: &SchemaRef, out: W, safe: bool) -> io::Result<Self> {
        let mut out = BufWriter::new(out);
        for (index, field) in schema.fields().iter().enumerate() {
            separate(&mut out, index)?;
            put(&mut out, field.name(), safe)?;
        }
        out.write_all(b"\r\n")?;
        let is_unsafe = |field: &FieldRef| safe && !field.data_type().is_numeric();
        Ok(Self { out, unsafe_columns: schema.fields().iter().map(is_unsafe).collect() })
    }
}

impl<W: Write> RowWriter for CsvWriter<W> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let mut cells = Cells::of(batch)?;
        for row in 0..batch.num_rows() {
            for column in 0..batch.num_columns() {
                separate(&mut self.out, column)?;
                if let Some(text) = cells.get(column, row)? {
                    put(&mut self.out, text, self.unsafe_columns[column])?;
                }
            }
            self.out.write_all(b"\r\n")?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, _: bool) -> io::Result<()> {
        self.out.flush()
    }
}

fn separate(out: &mut impl Write, column: usize) -> io::Result<()> {
    if column > 0 { out.write_all(b",") } else { Ok(()) }
}

fn put(out: &mut impl Write, text: &str, safe: bool) -> io::Result<()> {
    match text.is_empty() {
        true => out.write_all(b"\"\""),
        false => out.write_all(&csv_field(text.as_bytes(), safe)),
    }
}
