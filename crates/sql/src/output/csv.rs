//! Values separated by commas, as in RFC 4180. A null is an empty field, an empty text is `""`.

use std::io::{self, BufWriter, Write};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;

use super::RowWriter;
use super::cells::Cells;

pub(super) struct CsvWriter<W: Write> {
    out: BufWriter<W>,
}

impl<W: Write> CsvWriter<W> {
    pub(super) fn new(schema: &SchemaRef, out: W) -> io::Result<Self> {
        let mut out = BufWriter::new(out);
        for (index, field) in schema.fields().iter().enumerate() {
            separate(&mut out, index)?;
            put(&mut out, field.name())?;
        }
        out.write_all(b"\r\n")?;
        Ok(Self { out })
    }
}

impl<W: Write> RowWriter for CsvWriter<W> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let mut cells = Cells::of(batch)?;
        for row in 0..batch.num_rows() {
            for column in 0..batch.num_columns() {
                separate(&mut self.out, column)?;
                if let Some(text) = cells.get(column, row)? {
                    put(&mut self.out, text)?;
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

fn put(out: &mut impl Write, text: &str) -> io::Result<()> {
    let plain = !text.is_empty() && !text.contains([',', '"', '\r', '\n']);
    match plain {
        true => out.write_all(text.as_bytes()),
        false => write!(out, "\"{}\"", text.replace('"', "\"\"")),
    }
}
