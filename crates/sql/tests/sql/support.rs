//! What the tests share: stores of small traces, and answers as plain cells.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use onca_read::{Progress, Source};
use onca_simulate::{DriveOptions, drive};
use onca_sql::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use onca_sql::arrow::compute::cast;
use onca_sql::arrow::datatypes::{DataType, Float64Type, Int64Type, UInt64Type};
use onca_sql::{Database, Limits, SqlError};
use onca_store::{BuildOptions, Fingerprint, Store, StoreBuilder};

/// A trace with its store, which goes when this does.
pub struct Sample {
    pub store: Arc<Store>,
    pub database: Database,
    _folder: tempfile::TempDir,
}

impl Sample {
    /// Builds the store of a trace.
    pub fn of(trace: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let source = folder.path().join("t.paje");
        std::fs::write(&source, trace).expect("a written trace");
        let place = folder.path().join("t.paje.onca");
        let driven = drive(
            &Source::new(&source),
            &DriveOptions::default(),
            &Arc::new(Progress::default()),
            || StoreBuilder::create(&place, &BuildOptions::default()),
        );
        let driven = driven.unwrap_or_else(|error| panic!("{error}"));
        let finished =
            driven.sink.finish(&driven.catalog, &Fingerprint::default(), &BTreeMap::new());
        finished.expect("a built store");
        let store = Arc::new(Store::open(&place).expect("the store opens"));
        let threads = NonZeroUsize::new(3).expect("not zero");
        let database = Database::with_threads(Arc::clone(&store), threads).expect("a database");
        Self { store, database, _folder: folder }
    }

    /// Asks, and gives all batches.
    pub fn try_ask(&self, sql: &str, limits: &Limits) -> Result<Vec<RecordBatch>, SqlError> {
        try_ask(&self.database, sql, limits)
    }

    /// The rows of an answer.
    #[track_caller]
    pub fn ask(&self, sql: &str) -> Vec<Row> {
        ask(&self.database, sql)
    }

    /// The rows of an answer, in some order that is always the same.
    #[track_caller]
    pub fn ask_sorted(&self, sql: &str) -> Vec<Row> {
        ask_sorted(&self.database, sql)
    }

    /// What is said about a query that cannot be answered.
    #[track_caller]
    pub fn refusal(&self, sql: &str) -> String {
        refusal(&self.database, sql)
    }
}

/// Asks, and gives all batches.
pub fn try_ask(
    database: &Database,
    sql: &str,
    limits: &Limits,
) -> Result<Vec<RecordBatch>, SqlError> {
    runtime().block_on(async {
        let mut answer = database.query(sql, limits).await?;
        let mut batches = Vec::new();
        while let Some(batch) = answer.next().await? {
            batches.push(batch);
        }
        Ok(batches)
    })
}

/// The rows of an answer.
#[track_caller]
pub fn ask(database: &Database, sql: &str) -> Vec<Row> {
    let batches = try_ask(database, sql, &Limits::default());
    let batches = batches.unwrap_or_else(|error| panic!("{sql}: {error}"));
    batches.iter().flat_map(rows).collect()
}

/// The rows of an answer, in some order that is always the same.
#[track_caller]
pub fn ask_sorted(database: &Database, sql: &str) -> Vec<Row> {
    let mut rows = ask(database, sql);
    rows.sort();
    rows
}

/// What is said about a query that cannot be answered.
#[track_caller]
pub fn refusal(database: &Database, sql: &str) -> String {
    match try_ask(database, sql, &Limits::default()) {
        Err(SqlError::Invalid(message)) => message,
        other => panic!("{sql}: {other:?}"),
    }
}

/// A runtime to wait in.
pub fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().build().expect("a runtime")
}

/// One cell, in a form that can be compared and sorted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cell {
    Null,
    Bool(bool),
    Int(i128),
    /// The bits of a number.
    Float(u64),
    Text(String),
}

pub type Row = Vec<Cell>;

pub fn int(number: impl Into<i128>) -> Cell {
    Cell::Int(number.into())
}

pub fn float(number: f64) -> Cell {
    Cell::Float(number.to_bits())
}

pub fn text(bytes: &[u8]) -> Cell {
    Cell::Text(onca_model::display_text(bytes).into_owned())
}

pub fn optional<T>(value: Option<T>, cell: impl FnOnce(T) -> Cell) -> Cell {
    value.map_or(Cell::Null, cell)
}

/// The rows of a batch.
pub fn rows(batch: &RecordBatch) -> Vec<Row> {
    let columns: Vec<Vec<Cell>> = batch.columns().iter().map(cells).collect();
    (0..batch.num_rows())
        .map(|row| columns.iter().map(|cells| cells[row].clone()).collect())
        .collect()
}

fn cells(array: &ArrayRef) -> Vec<Cell> {
    let as_type = |data_type: &DataType| cast(array, data_type).expect("a cast");
    let some = |row: usize, cell: &dyn Fn(usize) -> Cell, array: &dyn Array| {
        if array.is_null(row) { Cell::Null } else { cell(row) }
    };
    match array.data_type() {
        DataType::Boolean => {
            let values = array.as_boolean();
            (0..array.len())
                .map(|row| some(row, &|row| Cell::Bool(values.value(row)), values))
                .collect()
        }
        DataType::UInt64 => {
            let values = array.as_primitive::<UInt64Type>();
            (0..array.len()).map(|row| some(row, &|row| int(values.value(row)), values)).collect()
        }
        data_type if data_type.is_integer() => {
            let values = as_type(&DataType::Int64);
            let values = values.as_primitive::<Int64Type>();
            (0..array.len()).map(|row| some(row, &|row| int(values.value(row)), values)).collect()
        }
        data_type if data_type.is_floating() => {
            let values = as_type(&DataType::Float64);
            let values = values.as_primitive::<Float64Type>();
            (0..array.len()).map(|row| some(row, &|row| float(values.value(row)), values)).collect()
        }
        _ => {
            let values = as_type(&DataType::Utf8);
            let values = values.as_string::<i32>();
            let cell = |row: usize| Cell::Text(values.value(row).to_owned());
            (0..array.len()).map(|row| some(row, &cell, values)).collect()
        }
    }
}
