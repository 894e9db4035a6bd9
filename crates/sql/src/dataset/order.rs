//! The order of rows in a file: by container, then start, then depth.
//!
//! A lane is nearly in that order already, but the states of a container lie in a lane for each
//! depth, and links in order of completion. So blocks come in order of their first times, and what
//! may lie behind a row of a later block is held back.

use std::sync::Arc;

use datafusion::arrow::array::{AsArray, Int64Array, RecordBatch, UInt16Array, UInt32Array};
use datafusion::arrow::compute::{concat_batches, take_record_batch};
use datafusion::arrow::datatypes::{Int64Type, SchemaRef, UInt16Type, UInt32Type};
use datafusion::arrow::error::ArrowError;

/// Rows that are held back at most. A link that takes as long as the trace would hold back all.
const MOST_HELD: usize = 1 << 18;

/// Container, start, depth.
pub(super) type Key = (u32, i64, u16);

/// The keys of rows of entities.
pub(super) struct Keys<'a> {
    containers: &'a UInt32Array,
    starts: &'a Int64Array,
    /// Only states have them.
    depths: Option<&'a UInt16Array>,
}

impl<'a> Keys<'a> {
    /// Nothing if the rows are of no table of entities.
    pub fn of(rows: &'a RecordBatch) -> Option<Self> {
        let starts = rows.column_by_name("tick_start").or_else(|| rows.column_by_name("tick"))?;
        let depths = rows.column_by_name("depth");
        Some(Self {
            containers: rows.column_by_name("container_id")?.as_primitive_opt::<UInt32Type>()?,
            starts: starts.as_primitive_opt::<Int64Type>()?,
            depths: depths.and_then(|depths| depths.as_primitive_opt::<UInt16Type>()),
        })
    }

    fn len(&self) -> usize {
        self.containers.len()
    }

    fn get(&self, row: usize) -> Key {
        let depth = self.depths.map_or(0, |depths| depths.value(row));
        (self.containers.value(row), self.starts.value(row), depth)
    }

    /// The first and the last.
    pub fn ends(&self) -> Option<(Key, Key)> {
        let last = self.len().checked_sub(1)?;
        Some((self.get(0), self.get(last)))
    }

    fn is_sorted(&self) -> bool {
        (1..self.len()).all(|row| self.get(row - 1) <= self.get(row))
    }

    /// The rows in order. Those that are alike stay as they are.
    fn order(&self) -> UInt32Array {
        let mut rows: Vec<u32> = (0..self.len() as u32).collect();
        rows.sort_by_key(|&row| self.get(row as usize));
        UInt32Array::from(rows)
    }

    /// How many rows do not come after a key, if the rows are in order.
    fn n_until(&self, until: Key) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.get(middle) <= until {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}

/// Brings rows into order that come nearly so.
pub(super) struct Sorter {
    schema: SchemaRef,
    held: RecordBatch,
}

impl Sorter {
    pub fn new(schema: &SchemaRef) -> Self {
        let held = RecordBatch::new_empty(Arc::clone(schema));
        Self { schema: Arc::clone(schema), held }
    }

    /// How many rows are held back.
    pub fn n_held(&self) -> usize {
        self.held.num_rows()
    }

    /// Takes rows and gives those, in order, behind which nothing comes: what comes later has this
    /// key or a greater one. Without a key nothing comes later.
    ///
    /// What cannot be held back any longer is given too. Then later rows may belong before it.
    pub fn add(
        &mut self,
        rows: RecordBatch,
        until: Option<Key>,
    ) -> Result<RecordBatch, ArrowError> {
        let rows = match self.held.num_rows() {
            0 => rows,
            _ => concat_batches(&self.schema, [&self.held, &rows])?,
        };
        let rows = sorted(rows)?;
        let n_rows = rows.num_rows();
        let n_given = match (until, Keys::of(&rows)) {
            (Some(until), Some(keys)) => keys.n_until(until),
            _ => n_rows,
        };
        let n_given = if n_rows - n_given > MOST_HELD { n_rows } else { n_given };
        self.held = rows.slice(n_given, n_rows - n_given);
        Ok(rows.slice(0, n_given))
    }
}

fn sorted(rows: RecordBatch) -> Result<RecordBatch, ArrowError> {
    let order = Keys::of(&rows).filter(|keys| !keys.is_sorted()).map(|keys| keys.order());
    match order {
        Some(order) => take_record_batch(&rows, &order),
        None => Ok(rows),
    }
}
