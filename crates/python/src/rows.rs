//! Rows as tuples of Python.

use std::sync::Mutex;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float64Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::DataType;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyTuple;

use crate::failure;

/// An iterator over rows.
#[pyclass(frozen, module = "onca._onca")]
pub struct Rows {
    reading: Mutex<Reading>,
}

struct Reading {
    reader: Box<dyn RecordBatchReader + Send>,
    batch: Option<RecordBatch>,
    /// The next row of it.
    row: usize,
}

impl Rows {
    /// The rows of a reader.
    pub fn new(reader: Box<dyn RecordBatchReader + Send>) -> Self {
        Self { reading: Mutex::new(Reading { reader, batch: None, row: 0 }) }
    }
}

#[pymethods]
impl Rows {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let mut reading = self
            .reading
            .lock_py_attached(py)
            .map_err(|_| failure("these rows have failed before"))?;
        let Reading { reader, batch, row } = &mut *reading;
        loop {
            if let Some(rows) = batch.as_ref().filter(|rows| *row < rows.num_rows()) {
                let cells = rows.columns().iter().map(|column| cell(py, column, *row));
                let cells = cells.collect::<PyResult<Vec<_>>>()?;
                *row += 1;
                return PyTuple::new(py, cells).map(Some);
            }
            py.check_signals()?;
            *row = 0;
            *batch = match py.detach(|| reader.next()) {
                Some(next) => Some(next.map_err(failure)?),
                None => return Ok(None),
            };
        }
    }
}

/// What a column has in a row.
fn cell<'py>(py: Python<'py>, column: &ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if column.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    match column.data_type() {
        DataType::Boolean => column.as_boolean().value(row).into_bound_py_any(py),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).into_bound_py_any(py),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).into_bound_py_any(py),
        DataType::UInt8 => column.as_primitive::<UInt8Type>().value(row).into_bound_py_any(py),
        DataType::UInt16 => column.as_primitive::<UInt16Type>().value(row).into_bound_py_any(py),
        DataType::UInt32 => column.as_primitive::<UInt32Type>().value(row).into_bound_py_any(py),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(row).into_bound_py_any(py),
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row).into_bound_py_any(py),
        DataType::Utf8 => column.as_string::<i32>().value(row).into_bound_py_any(py),
        DataType::Dictionary(_, _) => {
            let names = column.as_dictionary::<Int32Type>();
            let key = names.keys().value(row) as usize;
            cell(py, names.values(), key)
        }
        other => Err(failure(format!("{other} has no form in Python"))),
    }
}
