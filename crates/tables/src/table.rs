//! What a table is: blocks of rows by lane, and a way to collect them into batches.

use std::fmt::Debug;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, SchemaRef};
use onca_model::{LaneId, Nature};
use onca_store::{BlockExtent, StoreError};

use crate::collect::EntityCollector;
use crate::columns::{Column, columns_of};
use crate::trace::Trace;

/// The names of all tables.
pub const TABLES: [&str; 8] =
    ["containers", "types", "states", "links", "events", "variables", "type_values", "diagnostics"];

/// A table of a trace. A table that is not made of lanes is one lane.
pub trait Table: Debug + Send + Sync {
    /// Its name in SQL.
    fn name(&self) -> &'static str;

    /// Its columns.
    fn schema(&self) -> &SchemaRef;

    /// What its rows are, if they are entities.
    fn nature(&self) -> Option<Nature> {
        None
    }

    /// The lanes that have rows, in the order of the table.
    fn lanes(&self) -> Vec<u32>;

    /// The blocks of a lane, in row order.
    fn blocks(&self, lane: u32) -> Box<dyn Iterator<Item = BlockExtent> + '_>;

    /// A collector of the columns with these numbers.
    fn collect(&self, projection: &[usize]) -> Box<dyn Collect>;

    /// What a column shows, where it is one that can be filtered on by lane or by block.
    fn column(&self, index: usize) -> Option<Column>;

    /// A row for each of some lanes, with the columns that are the same in a whole lane.
    fn lane_batch(&self, lanes: &[u32]) -> Result<RecordBatch, ArrowError>;
}

/// Collects blocks of rows into columns.
pub trait Collect: Send {
    /// Appends a block.
    fn add(&mut self, lane: u32, block: u32) -> Result<(), StoreError>;

    /// How many rows have been added since the last batch.
    fn n_rows(&self) -> usize;

    /// The columns of what has been added; then it starts anew.
    fn finish(&mut self) -> Result<Vec<ArrayRef>, ArrowError>;
}

/// The entities of one kind.
#[derive(Debug)]
pub struct EntityTable {
    trace: Arc<Trace>,
    nature: Nature,
    columns: Vec<Column>,
    schema: SchemaRef,
}

impl EntityTable {
    /// The table of one kind, with the extra fields that the trace declares.
    pub fn new(trace: Arc<Trace>, nature: Nature) -> Self {
        let (columns, schema) = columns_of(nature, &trace.extras);
        Self { trace, nature, columns, schema }
    }
}

impl Table for EntityTable {
    fn name(&self) -> &'static str {
        match self.nature {
            Nature::State => "states",
            Nature::Link => "links",
            Nature::Event => "events",
            Nature::Variable => "variables",
            Nature::Container => "containers",
        }
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn nature(&self) -> Option<Nature> {
        Some(self.nature)
    }

    fn lanes(&self) -> Vec<u32> {
        let (store, catalog) = (&self.trace.store, self.trace.catalog());
        let tracks = store.tracks();
        let of_kind = tracks
            .iter()
            .filter(|(_, track)| catalog.type_def(track.type_id).nature == self.nature);
        of_kind
            .flat_map(|(id, _)| tracks.lanes(id))
            .filter(|&&lane| store.n_rows(lane) > 0)
            .map(|lane| lane.0)
            .collect()
    }

    fn blocks(&self, lane: u32) -> Box<dyn Iterator<Item = BlockExtent> + '_> {
        Box::new(self.trace.store.blocks(LaneId(lane)))
    }

    fn collect(&self, projection: &[usize]) -> Box<dyn Collect> {
        let columns = projection.iter().map(|&index| self.columns[index]).collect();
        Box::new(EntityCollector::new(Arc::clone(&self.trace), self.nature, columns))
    }

    fn column(&self, index: usize) -> Option<Column> {
        self.columns.get(index).copied()
    }

    fn lane_batch(&self, lanes: &[u32]) -> Result<RecordBatch, ArrowError> {
        let of_lane: Vec<usize> =
            (0..self.columns.len()).filter(|&index| self.columns[index].is_of_lane()).collect();
        let columns = of_lane.iter().map(|&index| self.columns[index]).collect();
        let trace = Arc::clone(&self.trace);
        let mut collector = EntityCollector::of_lanes(trace, self.nature, columns, lanes);
        batch(&Arc::new(self.schema.project(&of_lane)?), &mut collector)
    }
}

/// The batch of what a collector has.
pub fn batch(schema: &SchemaRef, collector: &mut dyn Collect) -> Result<RecordBatch, ArrowError> {
    let options = RecordBatchOptions::new().with_row_count(Some(collector.n_rows()));
    let columns = collector.finish()?;
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
}
