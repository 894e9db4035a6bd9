//! The texts of the cells of a batch.

use std::fmt::Write;
use std::io;

use datafusion::arrow::array::{Array, RecordBatch};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};

/// What the text of a cell stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Number,
    Boolean,
    Text,
}

/// The shapes of the columns of a schema.
pub(super) fn shapes(schema: &SchemaRef) -> Vec<Shape> {
    schema.fields().iter().map(|field| shape(field.data_type())).collect()
}

fn shape(data_type: &DataType) -> Shape {
    match data_type {
        DataType::Dictionary(_, values) => match &**values {
            values if values.is_numeric() => Shape::Number,
            DataType::Boolean => Shape::Boolean,
            _ => Shape::Text,
        },
        data_type if data_type.is_numeric() => Shape::Number,
        DataType::Boolean => Shape::Boolean,
        _ => Shape::Text,
    }
}

/// A batch whose cells can be asked for as text.
pub(super) struct Cells<'a> {
    columns: Vec<(Option<NullBuffer>, ArrayFormatter<'a>)>,
    text: String,
}

impl<'a> Cells<'a> {
    pub(super) fn of(batch: &'a RecordBatch) -> io::Result<Self> {
        // Built once per column: looking at the type for each cell would be slow.
        const OPTIONS: FormatOptions<'static> = FormatOptions::new().with_display_error(true);
        let column = |array: &'a dyn Array| {
            let formatter = ArrayFormatter::try_new(array, &OPTIONS).map_err(io::Error::other)?;
            // Not the plain nulls: a dictionary may have the null among its values.
            Ok((array.logical_nulls(), formatter))
        };
        let columns = batch.columns().iter().map(|array| column(array.as_ref()));
        Ok(Self { columns: columns.collect::<io::Result<_>>()?, text: String::new() })
    }

    /// The text of a cell; none if it is null.
    pub(super) fn get(&mut self, column: usize, row: usize) -> io::Result<Option<&str>> {
        let (nulls, formatter) = &self.columns[column];
        if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return Ok(None);
        }
        self.text.clear();
        write!(self.text, "{}", formatter.value(row)).map_err(io::Error::other)?;
        Ok(Some(&self.text))
    }
}
