//! Tables as streams that any library of Python takes that knows Arrow.

use std::sync::{Arc, Mutex};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator,
    RecordBatchOptions, RecordBatchReader, StringArray,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyCapsule;

use crate::failure;
use crate::rows::Rows;
use crate::scan::{Batches, Scan};

/// A table that is read when it is asked for, and as often as it is asked for.
#[pyclass(frozen, module = "onca._onca")]
pub struct Stream {
    source: Source,
}

enum Source {
    Scan(Box<Scan>),
    Batch(RecordBatch),
}

impl Stream {
    /// What is read of a store.
    pub fn of(scan: Scan) -> Self {
        Self { source: Source::Scan(Box::new(scan)) }
    }

    fn schema(&self) -> SchemaRef {
        match &self.source {
            Source::Scan(scan) => Arc::clone(scan.schema()),
            Source::Batch(batch) => batch.schema(),
        }
    }

    /// The rows from the first on.
    fn reader(&self) -> Box<dyn RecordBatchReader + Send> {
        match &self.source {
            Source::Scan(scan) => Box::new(Batches::from(Scan::clone(scan))),
            Source::Batch(batch) => {
                Box::new(RecordBatchIterator::new([Ok(batch.clone())], batch.schema()))
            }
        }
    }
}

#[pymethods]
impl Stream {
    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The stream as the Arrow PyCapsule interface has it. The columns have the types that they have,
    /// whatever is requested, as that interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let stream = FFI_ArrowArrayStream::new(self.reader());
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// The batches one by one, each read when it is asked for: streams of a batch each.
    fn batches(&self) -> Parts {
        Parts { reader: Mutex::new(self.reader()) }
    }

    /// The rows as tuples, without any other library.
    fn rows(&self) -> Rows {
        Rows::new(self.reader())
    }
}

/// An iterator over the batches of a stream.
#[pyclass(frozen, module = "onca._onca")]
pub struct Parts {
    reader: Mutex<Box<dyn RecordBatchReader + Send>>,
}

#[pymethods]
impl Parts {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Stream>> {
        py.check_signals()?;
        let mut reader = self
            .reader
            .lock_py_attached(py)
            .map_err(|_| failure("these batches have failed before"))?;
        let reader = &mut **reader;
        let next = py.detach(|| reader.next()).transpose().map_err(failure)?;
        Ok(next.map(|batch| Stream { source: Source::Batch(batch) }))
    }
}

/// A table of columns that Python has: the name, what it holds (`int`, `float`, `text`, `bool`), the values.
#[pyfunction]
pub fn stream_of(columns: Vec<(String, String, Bound<'_, PyAny>)>) -> PyResult<Stream> {
    let mut fields = Vec::with_capacity(columns.len());
    let mut arrays: Vec<ArrayRef> = Vec::with_capacity(columns.len());
    for (name, kind, values) in &columns {
        let (data_type, array): (_, ArrayRef) = match kind.as_str() {
            "int" => {
                let values: Vec<Option<i64>> = values.extract()?;
                (DataType::Int64, Arc::new(Int64Array::from(values)))
            }
            "float" => {
                let values: Vec<Option<f64>> = values.extract()?;
                (DataType::Float64, Arc::new(Float64Array::from(values)))
            }
            "bool" => {
                let values: Vec<Option<bool>> = values.extract()?;
                (DataType::Boolean, Arc::new(BooleanArray::from(values)))
            }
            "text" => {
                let values: Vec<Option<String>> = values.extract()?;
                (DataType::Utf8, Arc::new(StringArray::from(values)))
            }
            other => {
                let why =
                    format!("column {name} holds {other:?}; it may be int, float, bool or text");
                return Err(failure(why));
            }
        };
        fields.push(Field::new(name, data_type, true));
        arrays.push(array);
    }
    let options = RecordBatchOptions::new()
        .with_row_count(Some(arrays.first().map_or(0, |array| array.len())));
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new_with_options(schema, arrays, &options).map_err(failure)?;
    Ok(Stream { source: Source::Batch(batch) })
}
