//! JSON: one object with `schema`, `columns`, `rows` and `truncated`, or an object a row.
//!
//! Numbers are numbers, with all their digits; those that JSON does not have are null. Times,
//! lists and structures are texts.

use std::io::{self, BufWriter, Write};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;

use super::RowWriter;
use super::cells::{Cells, Shape, shapes};
use crate::database::column_infos;

const SCHEMA: &str = "onca-query/1";

pub(super) struct JsonWriter<W: Write> {
    out: BufWriter<W>,
    shapes: Vec<Shape>,
    any: bool,
}

impl<W: Write> JsonWriter<W> {
    pub(super) fn new(schema: &SchemaRef, out: W) -> io::Result<Self> {
        let mut out = BufWriter::new(out);
        write!(out, "{{\"schema\": \"{SCHEMA}\",\n\"columns\": [")?;
        for (index, column) in column_infos(schema).iter().enumerate() {
            out.write_all(if index > 0 { b", {\"name\": " } else { b"{\"name\": " })?;
            put_text(&mut out, &column.name)?;
            out.write_all(b", \"type\": ")?;
            put_text(&mut out, &column.data_type)?;
            out.write_all(b"}")?;
        }
        out.write_all(b"],\n\"rows\": [")?;
        Ok(Self { out, shapes: shapes(schema), any: false })
    }
}

impl<W: Write> RowWriter for JsonWriter<W> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let mut cells = Cells::of(batch)?;
        for row in 0..batch.num_rows() {
            self.out.write_all(if self.any { b",\n[" } else { b"\n[" })?;
            self.any = true;
            for (column, &shape) in self.shapes.iter().enumerate() {
                if column > 0 {
                    self.out.write_all(b", ")?;
                }
                put_cell(&mut self.out, cells.get(column, row)?, shape)?;
            }
            self.out.write_all(b"]")?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, truncated: bool) -> io::Result<()> {
        write!(self.out, "],\n\"truncated\": {truncated}}}\n")?;
        self.out.flush()
    }
}

pub(super) struct NdjsonWriter<W: Write> {
    out: BufWriter<W>,
    /// For each column what comes before its value, and its shape.
    columns: Vec<(Vec<u8>, Shape)>,
}

impl<W: Write> NdjsonWriter<W> {
    pub(super) fn new(schema: &SchemaRef, out: W) -> Self {
        let before = schema.fields().iter().enumerate().map(|(index, field)| {
            let mut before = if index > 0 { b", ".to_vec() } else { Vec::new() };
            before.extend(serde_json::Value::from(field.name().as_str()).to_string().bytes());
            before.extend(b": ");
            before
        });
        Self { out: BufWriter::new(out), columns: before.zip(shapes(schema)).collect() }
    }
}

impl<W: Write> RowWriter for NdjsonWriter<W> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let mut cells = Cells::of(batch)?;
        for row in 0..batch.num_rows() {
            self.out.write_all(b"{")?;
            for (column, (before, shape)) in self.columns.iter().enumerate() {
                self.out.write_all(before)?;
                put_cell(&mut self.out, cells.get(column, row)?, *shape)?;
            }
            self.out.write_all(b"}\n")?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, _: bool) -> io::Result<()> {
        self.out.flush()
    }
}

fn put_cell(out: &mut impl Write, text: Option<&str>, shape: Shape) -> io::Result<()> {
    match (text, shape) {
        (None, _) => out.write_all(b"null"),
        (Some(text), Shape::Text) => put_text(out, text),
        (Some(text), Shape::Boolean) => out.write_all(text.as_bytes()),
        // "NaN" and "inf" are no numbers in JSON.
        (Some(text), Shape::Number) => match text.ends_with(|c: char| c.is_ascii_digit()) {
            true => out.write_all(text.as_bytes()),
            false => out.write_all(b"null"),
        },
    }
}

fn put_text(out: &mut impl Write, text: &str) -> io::Result<()> {
    serde_json::to_writer(out, text).map_err(io::Error::from)
}
