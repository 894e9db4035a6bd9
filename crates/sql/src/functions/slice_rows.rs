//! The rows of `slice`, wherever they come from.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, UInt32Array,
};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::Result;
use onca_model::{Ticks, TimeUnit};

const COLUMNS: [(&str, DataType); 9] = [
    ("container_id", DataType::UInt32),
    ("container", DataType::Utf8),
    ("path", DataType::Utf8),
    ("level", DataType::Utf8),
    ("type", DataType::Utf8),
    ("value", DataType::Utf8),
    ("time", DataType::Float64),
    ("mean_share", DataType::Float64),
    ("ticks", DataType::Int64),
];

/// What a node has of a value.
#[derive(Debug)]
pub(crate) struct SliceRow {
    pub container_id: Option<u32>,
    pub container: String,
    pub path: String,
    pub level: String,
    pub type_name: String,
    pub value: String,
    pub ticks: Ticks,
    /// How many leaves below the node have states of the type.
    pub n_leaves: usize,
}

/// Rows of one run after the other.
#[derive(Debug, Default)]
pub(crate) struct SliceRows {
    /// For each row the name of its run, where rows tell it.
    runs: Option<Vec<String>>,
    rows: Vec<SliceRow>,
    times: Vec<f64>,
    shares: Vec<f64>,
}

impl SliceRows {
    /// No rows, of runs that are named or of one that is not.
    pub fn new(with_run: bool) -> Self {
        Self { runs: with_run.then(Vec::new), ..Self::default() }
    }

    /// The columns.
    pub fn schema(with_run: bool) -> SchemaRef {
        let run = with_run.then(|| Field::new("run", DataType::Utf8, false));
        let field = |(name, kind): (&str, DataType)| Field::new(name, kind, name == "container_id");
        let fields = run.into_iter().chain(COLUMNS.map(field));
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }

    /// Adds the rows of a run, of a window with this width.
    pub fn add(&mut self, run: &str, unit: &TimeUnit, width: Ticks, rows: Vec<SliceRow>) {
        if let Some(runs) = &mut self.runs {
            runs.extend(rows.iter().map(|_| run.to_owned()));
        }
        self.times.extend(rows.iter().map(|row| unit.units(row.ticks)));
        let share = |row: &SliceRow| row.ticks as f64 / width as f64 / row.n_leaves.max(1) as f64;
        self.shares.extend(rows.iter().map(share));
        self.rows.extend(rows);
    }

    /// All rows.
    pub fn batch(self) -> Result<RecordBatch> {
        let schema = Self::schema(self.runs.is_some());
        let rows = &self.rows;
        let texts = |of: fn(&SliceRow) -> &String| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(rows.iter().map(of)))
        };
        let ids = rows.iter().map(|row| row.container_id).collect::<UInt32Array>();
        let ticks = Int64Array::from_iter_values(rows.iter().map(|row| row.ticks));
        let columns: [ArrayRef; 9] = [
            Arc::new(ids),
            texts(|row| &row.container),
            texts(|row| &row.path),
            texts(|row| &row.level),
            texts(|row| &row.type_name),
            texts(|row| &row.value),
            Arc::new(Float64Array::from(self.times)),
            Arc::new(Float64Array::from(self.shares)),
            Arc::new(ticks),
        ];
        let runs = self.runs.map(|runs| Arc::new(StringArray::from(runs)) as ArrayRef);
        let columns = runs.into_iter().chain(columns).collect();
        Ok(RecordBatch::try_new(schema, columns)?)
    }
}
