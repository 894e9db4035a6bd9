//! Aligned columns, for people.

use std::io::{self, BufWriter, Write};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use onca_model::printable;

use super::RowWriter;
use super::cells::{Cells, Shape, shapes};

/// The rows that the widths of columns are taken from. Later rows may be wider; they are written
/// as they come, so that no answer is too long to be shown.
const MEASURED_ROWS: usize = 1000;

const BETWEEN: &str = "  ";
const NULL: &str = "NULL";

const EXPLAINED: [&str; 2] = ["plan_type", "plan"];

/// Are these the columns of what EXPLAIN answers?
pub(super) fn is_plan(schema: &SchemaRef) -> bool {
    schema.fields().iter().map(|field| field.name().as_str()).eq(EXPLAINED)
}

/// A plan is a text of many lines, and is written as such.
pub(super) struct PlanWriter<W: Write> {
    out: BufWriter<W>,
}

impl<W: Write> PlanWriter<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out: BufWriter::new(out) }
    }
}

impl<W: Write> RowWriter for PlanWriter<W> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let mut cells = Cells::of(batch)?;
        for row in 0..batch.num_rows() {
            writeln!(self.out, "{}", shown(cells.get(0, row)?.unwrap_or(NULL)))?;
            for line in cells.get(1, row)?.unwrap_or(NULL).lines() {
                writeln!(self.out, "  {}", shown(line))?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, _: bool) -> io::Result<()> {
        self.out.flush()
    }
}

pub(super) struct TableWriter<W: Write> {
    out: BufWriter<W>,
    names: Vec<String>,
    to_the_right: Vec<bool>,
    /// Rows that wait until the widths are known.
    waiting: Vec<Vec<String>>,
    widths: Option<Vec<usize>>,
}

impl<W: Write> TableWriter<W> {
    pub(super) fn new(schema: &SchemaRef, out: W) -> Self {
        let names = schema.fields().iter().map(|field| shown(field.name())).collect();
        let to_the_right = shapes(schema).into_iter().map(|shape| shape == Shape::Number).collect();
        Self { out: BufWriter::new(out), names, to_the_right, waiting: Vec::new(), widths: None }
    }

    /// Fixes the widths and writes what has waited.
    fn settle(&mut self) -> io::Result<()> {
        let mut widths: Vec<usize> = self.names.iter().map(|name| width(name)).collect();
        for row in &self.waiting {
            widths.iter_mut().zip(row).for_each(|(most, text)| *most = width(text).max(*most));
        }
        put_row(&mut self.out, &self.names, &widths, &self.to_the_right)?;
        let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
        put_row(&mut self.out, &rule, &widths, &self.to_the_right)?;
        for row in self.waiting.drain(..) {
            put_row(&mut self.out, &row, &widths, &self.to_the_right)?;
        }
        self.widths = Some(widths);
        Ok(())
    }
}

impl<W: Write> RowWriter for TableWriter<W> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let mut cells = Cells::of(batch)?;
        for row in 0..batch.num_rows() {
            let texts = (0..batch.num_columns())
                .map(|column| Ok(cells.get(column, row)?.map_or_else(|| NULL.to_owned(), shown)));
            let texts = texts.collect::<io::Result<Vec<String>>>()?;
            match &self.widths {
                Some(widths) => put_row(&mut self.out, &texts, widths, &self.to_the_right)?,
                None => {
                    self.waiting.push(texts);
                    if self.waiting.len() == MEASURED_ROWS {
                        self.settle()?;
                    }
                }
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, _: bool) -> io::Result<()> {
        if self.widths.is_none() {
            self.settle()?;
        }
        self.out.flush()
    }
}

/// Without what could drive a terminal.
fn shown(text: &str) -> String {
    printable(text.as_bytes()).into_owned()
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn put_row(
    out: &mut impl Write,
    texts: &[String],
    widths: &[usize],
    to_the_right: &[bool],
) -> io::Result<()> {
    let mut line = String::new();
    for (column, (text, &most)) in texts.iter().zip(widths).enumerate() {
        if column > 0 {
            line.push_str(BETWEEN);
        }
        let padding = " ".repeat(most.saturating_sub(width(text)));
        match to_the_right[column] {
            true => line.extend([&padding, text.as_str()]),
            false => line.extend([text.as_str(), &padding]),
        }
    }
    writeln!(out, "{}", line.trim_end())
}
