//! Traces with their stores, the data sets of them, and what one machine answers.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onca_generate::{demo, iterative};
use onca_model::{RowFormat, Window};
use onca_query::{Lens, Scope};
use onca_read::{Progress, Source};
use onca_simulate::{DriveOptions, drive};
use onca_sql::{
    DataSets, Database, DatasetOptions, Limits, Shard, SqlError, export_dataset, row_writer,
    seal_dataset,
};
use onca_store::{BuildOptions, Fingerprint, Store, StoreBuilder};
use serde_json::Value;

/// A trace with its store, which goes when this does.
pub struct Sample {
    pub store: Arc<Store>,
    /// The folder of the store.
    pub place: PathBuf,
    _folder: tempfile::TempDir,
}

impl Sample {
    /// Builds the store of a trace.
    pub fn of(trace: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let source = folder.path().join("t.paje");
        std::fs::write(&source, trace).expect("a written trace");
        let place = folder.path().join("t.paje.onca");
        let options = DriveOptions::default();
        let driven = drive(&Source::new(&source), &options, &Arc::new(Progress::default()), || {
            StoreBuilder::create(&place, &BuildOptions::default())
        });
        let driven = driven.unwrap_or_else(|error| panic!("{error}"));
        let (catalog, facts) = (&driven.catalog, BTreeMap::new());
        driven.sink.finish(catalog, &Fingerprint::default(), &facts).expect("a built store");
        let store = Arc::new(Store::open(&place).expect("the store opens"));
        Self { store, place, _folder: folder }
    }

    /// The trace that the examples of documents are about.
    pub fn demo() -> Self {
        let mut trace = Vec::new();
        demo::write(&demo::Options::default(), &mut trace).expect("a trace");
        Self::of(&trace)
    }

    /// A run with iterations: the processes compute and send messages.
    pub fn run(procs: u32, events: u64, seed: u64) -> Self {
        let mut trace = Vec::new();
        let options = iterative::Options { procs, events, seed, ..iterative::Options::default() };
        iterative::write(&options, &mut trace).expect("a trace");
        Self::of(&trace)
    }

    /// Writes a data set in shards, with files of about this length.
    pub fn write(&self, dir: &Path, shards: u32, file_bytes: u64) {
        let lens = Lens::clear();
        let scope = Scope::new(&self.store, &lens, Window::ALL).expect("a lens that fits");
        for number in 1..=shards {
            let options =
                DatasetOptions { lens: &lens, shard: Shard::new(number, shards), file_bytes };
            export_dataset(Arc::clone(&self.store), &scope, &options, dir).expect("exported");
        }
        seal_dataset(dir).expect("sealed");
    }
}

/// One machine that asks a data set, or a folder of them.
pub fn database(dir: &Path) -> Database {
    let sets = DataSets::open(dir).unwrap_or_else(|error| panic!("{error}"));
    Database::of_data_sets(Arc::new(sets), NonZeroUsize::MIN)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// What it answers, as `onca query --format json` writes it.
pub fn answer(database: &Database, sql: &str) -> Result<Value, SqlError> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().build().expect("a runtime");
    runtime.block_on(async {
        let mut answer = database.query(sql, &Limits::default()).await?;
        let mut text = Vec::new();
        let mut writer = row_writer(RowFormat::Json, answer.schema(), &mut text).expect("a writer");
        while let Some(batch) = answer.next().await? {
            writer.write(&batch).expect("written rows");
        }
        writer.finish(false).expect("a written end");
        Ok(serde_json::from_slice(&text).expect("JSON"))
    })
}

/// The same of a statement that has an answer.
#[track_caller]
pub fn right_answer(database: &Database, sql: &str) -> Value {
    answer(database, sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// Compares two answers: columns, and rows in any order. Where a statement orders its rows by some of its columns,
/// these must come in the same order.
#[track_caller]
pub fn expect_same(found: &Value, expected: &Value, sql: &str) {
    assert_eq!(found["columns"], expected["columns"], "{sql}");
    let (ours, theirs) = (rows(found), rows(expected));
    assert_eq!(ours.len(), theirs.len(), "rows of {sql}\n{found}\n{expected}");
    for column in ordering_columns(found, sql) {
        let mut pairs = ours.iter().zip(&theirs);
        let is_same = pairs.all(|(a, b)| is_same_cell(&a[column], &b[column]));
        assert!(is_same, "order of {sql}\n{found}\n{expected}");
    }
    for (ours, theirs) in sorted(ours).iter().zip(&sorted(theirs)) {
        let is_same = ours.iter().zip(*theirs).all(|(a, b)| is_same_cell(a, b));
        assert!(is_same, "{sql}\n{ours:?}\n{theirs:?}");
    }
}

fn rows(answer: &Value) -> Vec<&Vec<Value>> {
    let rows = answer["rows"].as_array().expect("rows");
    rows.iter().map(|row| row.as_array().expect("a row")).collect()
}

/// The columns of an answer that the end of a statement names after `ORDER BY`.
fn ordering_columns(answer: &Value, sql: &str) -> Vec<usize> {
    let Some((_, order)) = sql.rsplit_once("ORDER BY") else { return Vec::new() };
    let order = order.split("LIMIT").next().unwrap_or_default();
    let names = order.split(',').filter_map(|part| part.split_whitespace().next());
    let columns = answer["columns"].as_array().expect("columns");
    let place = |name: &str| columns.iter().position(|column| column["name"] == name);
    names.map_while(place).collect()
}

/// Integers and texts are equal or not; other numbers are sums in some order.
fn is_same_cell(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(x), Some(y)) if a.is_f64() || b.is_f64() => {
            (x - y).abs() <= 1e-9 * x.abs().max(y.abs()).max(f64::MIN_POSITIVE)
        }
        _ => a == b,
    }
}

/// Rows in an order that rounding does not change: first by what is exact.
fn sorted(mut rows: Vec<&Vec<Value>>) -> Vec<&Vec<Value>> {
    let exact = |row: &Vec<Value>| -> Vec<String> {
        row.iter().filter(|cell| !cell.is_f64()).map(Value::to_string).collect()
    };
    let rounded = |row: &Vec<Value>| -> Vec<f64> {
        row.iter().filter(|cell| cell.is_f64()).filter_map(Value::as_f64).collect()
    };
    rows.sort_by(|a, b| {
        let by_rounded = || rounded(a).partial_cmp(&rounded(b)).unwrap_or(Ordering::Equal);
        exact(a).cmp(&exact(b)).then_with(by_rounded)
    });
    rows
}

/// The SQL of the document.
pub fn examples() -> Vec<String> {
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sql.md");
    let document = std::fs::read_to_string(document).expect("the document");
    let blocks = document.split("```");
    blocks.filter_map(|block| block.strip_prefix("sql\n")).map(str::to_owned).collect()
}
