//! Blocks of entities to batches of columns. Only what the wanted columns need is decoded.

use std::mem::take;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, UInt16Array, UInt32Array, UInt64Array,
};
use arrow_schema::ArrowError;
use onca_model::{ContainerId, LaneId, Nature, Ticks, ValueId, display_text};
use onca_store::StoreError;

use crate::columns::Column;
use crate::extras::ExtraColumns;
use crate::names::Dictionary;
use crate::table::Collect;
use crate::trace::Trace;

/// Collects entities of one kind.
pub(crate) struct EntityCollector {
    trace: Arc<Trace>,
    nature: Nature,
    columns: Vec<Column>,
    n_rows: usize,
    /// Which lanes the rows are of, and how many of each.
    lanes: Vec<(LaneId, usize)>,
    starts: Vec<Ticks>,
    ends: Vec<Ticks>,
    exclusive: Vec<Ticks>,
    values: Vec<i32>,
    parent_values: Vec<Option<i32>>,
    numbers: Vec<f64>,
    open_ended: Vec<bool>,
    sources: Vec<Option<ContainerId>>,
    destinations: Vec<Option<ContainerId>>,
    sizes: Vec<Option<u64>>,
    keys: StringBuilder,
    extras: ExtraColumns,
}

impl EntityCollector {
    pub(crate) fn new(trace: Arc<Trace>, nature: Nature, columns: Vec<Column>) -> Self {
        let extras = columns.iter().filter_map(|column| match column {
            Column::Extra(index) => Some(*index),
            _ => None,
        });
        let extras = ExtraColumns::new(&trace.extras, extras);
        Self {
            trace,
            nature,
            columns,
            n_rows: 0,
            lanes: Vec::new(),
            starts: Vec::new(),
            ends: Vec::new(),
            exclusive: Vec::new(),
            values: Vec::new(),
            parent_values: Vec::new(),
            numbers: Vec::new(),
            open_ended: Vec::new(),
            sources: Vec::new(),
            destinations: Vec::new(),
            sizes: Vec::new(),
            keys: StringBuilder::new(),
            extras,
        }
    }

    /// One that has a row for each of some lanes, for columns that are the same in a lane.
    pub(crate) fn of_lanes(
        trace: Arc<Trace>,
        nature: Nature,
        columns: Vec<Column>,
        lanes: &[u32],
    ) -> Self {
        let rows = lanes.iter().map(|&lane| (LaneId(lane), 1)).collect();
        Self { lanes: rows, n_rows: lanes.len(), ..Self::new(trace, nature, columns) }
    }

    fn wants(&self, any_of: &[Column]) -> bool {
        self.columns.iter().any(|column| any_of.contains(column))
    }

    fn wants_starts(&self) -> bool {
        use Column::{Duration, DurationTicks, Start, TickStart};
        self.wants(&[Start, TickStart, Duration, DurationTicks])
    }

    fn wants_ends(&self) -> bool {
        use Column::{Duration, DurationTicks, End, TickEnd};
        self.wants(&[End, TickEnd, Duration, DurationTicks])
    }

    fn add_states(&mut self, lane: LaneId, block: usize) -> Result<usize, StoreError> {
        let trace = Arc::clone(&self.trace);
        let columns = trace.store.state_columns(lane, block)?;
        if self.wants_starts() {
            columns.starts(&mut self.starts);
        }
        if self.wants_ends() {
            columns.ends(&mut self.ends);
        }
        if self.wants(&[Column::ExclusiveTicks]) {
            let inner = inner_lane(&trace, lane);
            trace.store.exclusive_ticks(&columns, inner, &mut self.exclusive)?;
        }
        let names = trace.names.values(trace.catalog());
        if self.wants(&[Column::Value]) {
            columns.values(&mut self.values, |id| names.key(id.0));
        }
        if self.wants(&[Column::ParentValue]) {
            let key = |id: Option<ValueId>| id.map(|id| names.key(id.0));
            columns.parent_values(&mut self.parent_values, key);
        }
        if self.wants(&[Column::OpenEnded]) {
            columns.open_ended(&mut self.open_ended);
        }
        Ok(columns.n_rows())
    }

    fn add_links(&mut self, lane: LaneId, block: usize) -> Result<usize, StoreError> {
        let trace = Arc::clone(&self.trace);
        let columns = trace.store.link_columns(lane, block)?;
        if self.wants_starts() {
            columns.starts(&mut self.starts);
        }
        if self.wants_ends() {
            columns.ends(&mut self.ends);
        }
        if self.wants(&[Column::Value]) {
            let names = trace.names.values(trace.catalog());
            columns.values(&mut self.values, |id| names.key(id.0));
        }
        if self.wants(&[Column::Source, Column::SourceId]) {
            columns.sources(&mut self.sources);
        }
        if self.wants(&[Column::Destination, Column::DestinationId]) {
            columns.destinations(&mut self.destinations);
        }
        if self.wants(&[Column::Size]) {
            columns.sizes(&mut self.sizes);
        }
        Ok(columns.n_rows())
    }

    fn add_events(&mut self, lane: LaneId, block: usize) -> Result<usize, StoreError> {
        let trace = Arc::clone(&self.trace);
        let columns = trace.store.event_columns(lane, block)?;
        if self.wants_starts() {
            columns.times(&mut self.starts);
        }
        if self.wants(&[Column::Value]) {
            let names = trace.names.values(trace.catalog());
            columns.values(&mut self.values, |id| names.key(id.0));
        }
        Ok(columns.n_rows())
    }

    fn add_variables(&mut self, lane: LaneId, block: usize) -> Result<usize, StoreError> {
        let columns = self.trace.store.variable_columns(lane, block)?;
        if self.wants_starts() {
            columns.starts(&mut self.starts);
        }
        if self.wants_ends() {
            columns.ends(&mut self.ends);
        }
        if self.wants(&[Column::Number]) {
            columns.values(&mut self.numbers);
        }
        Ok(columns.n_rows())
    }

    /// Keys and extra fields lie apart from the other columns, and are read only when wanted.
    fn add_texts(&mut self, lane: LaneId, block: usize) -> Result<(), StoreError> {
        let with_keys = self.wants(&[Column::Key]);
        if !with_keys && self.extras.is_empty() {
            return Ok(());
        }
        let store = &self.trace.store;
        let mut texts = store.texts(lane);
        let Some(extent) = store.blocks(lane).nth(block) else { return Ok(()) };
        for row in extent.rows_before..extent.rows_before + u64::from(extent.n_rows) {
            let (key, extras) = texts.get(row)?;
            if with_keys {
                self.keys.append_value(display_text(key));
            }
            self.extras.append(extras);
        }
        Ok(())
    }

    fn column(&mut self, column: Column) -> Result<ArrayRef, ArrowError> {
        let trace = Arc::clone(&self.trace);
        let catalog = trace.catalog();
        let containers = || trace.names.containers(catalog);
        Ok(match column {
            Column::ContainerId => {
                let ids = self.per_lane(|lane| catalog.lane(lane).container.0);
                Arc::new(UInt32Array::from(ids))
            }
            Column::Container => {
                let names = containers();
                let keys = self.per_lane(|lane| names.key(catalog.lane(lane).container.0));
                names.column(keys, None)?
            }
            Column::Type => {
                let names = trace.names.types(catalog);
                let keys = self.per_lane(|lane| names.key(catalog.lane(lane).type_id.0));
                names.column(keys, None)?
            }
            Column::Depth => {
                Arc::new(UInt16Array::from(self.per_lane(|lane| catalog.lane(lane).depth)))
            }
            Column::Start => Arc::new(Float64Array::from(trace.units(&self.starts))),
            Column::End => Arc::new(Float64Array::from(trace.units(&self.ends))),
            Column::Duration => Arc::new(Float64Array::from(trace.units(&self.durations()))),
            Column::TickStart => Arc::new(Int64Array::from(self.starts.clone())),
            Column::TickEnd => Arc::new(Int64Array::from(self.ends.clone())),
            Column::DurationTicks => Arc::new(Int64Array::from(self.durations())),
            Column::ExclusiveTicks => Arc::new(Int64Array::from(self.exclusive.clone())),
            Column::Value => trace.names.values(catalog).column(self.values.clone(), None)?,
            Column::ParentValue => trace.names.values(catalog).optional(&self.parent_values)?,
            Column::Number => Arc::new(Float64Array::from(self.numbers.clone())),
            Column::OpenEnded => Arc::new(BooleanArray::from(self.open_ended.clone())),
            Column::SourceId => ids(&self.sources),
            Column::Source => named(containers(), &self.sources)?,
            Column::DestinationId => ids(&self.destinations),
            Column::Destination => named(containers(), &self.destinations)?,
            Column::Size => Arc::new(UInt64Array::from(self.sizes.clone())),
            Column::Key => Arc::new(self.keys.finish()),
            Column::Extra(_) => {
                return Err(ArrowError::InvalidArgumentError("extra fields come apart".into()));
            }
        })
    }

    /// A column with one value per lane.
    fn per_lane<T: Copy>(&self, value: impl Fn(LaneId) -> T) -> Vec<T> {
        let mut column = Vec::with_capacity(self.n_rows);
        for &(lane, n) in &self.lanes {
            column.resize(column.len() + n, value(lane));
        }
        column
    }

    fn durations(&self) -> Vec<Ticks> {
        self.ends.iter().zip(&self.starts).map(|(end, start)| end.saturating_sub(*start)).collect()
    }

    fn clear(&mut self) {
        self.n_rows = 0;
        self.lanes.clear();
        self.starts.clear();
        self.ends.clear();
        self.exclusive.clear();
        self.values.clear();
        self.parent_values.clear();
        self.numbers.clear();
        self.open_ended.clear();
        self.sources.clear();
        self.destinations.clear();
        self.sizes.clear();
    }
}

impl Collect for EntityCollector {
    fn add(&mut self, lane: u32, block: u32) -> Result<(), StoreError> {
        let (lane, block) = (LaneId(lane), block as usize);
        let n = match self.nature {
            Nature::State => self.add_states(lane, block)?,
            Nature::Link => self.add_links(lane, block)?,
            Nature::Event => self.add_events(lane, block)?,
            Nature::Variable => self.add_variables(lane, block)?,
            Nature::Container => 0,
        };
        self.add_texts(lane, block)?;
        self.lanes.push((lane, n));
        self.n_rows += n;
        Ok(())
    }

    fn n_rows(&self) -> usize {
        self.n_rows
    }

    fn finish(&mut self) -> Result<Vec<ArrayRef>, ArrowError> {
        let mut extras = self.extras.finish().into_iter();
        let columns = take(&mut self.columns);
        let arrays = columns.iter().map(|&column| match column {
            Column::Extra(_) => extras.next().ok_or_else(|| {
                ArrowError::InvalidArgumentError("an extra field was not collected".into())
            }),
            column => self.column(column),
        });
        let arrays = arrays.collect();
        self.columns = columns;
        self.clear();
        arrays
    }
}

/// The lane of the states directly inside those of a lane.
fn inner_lane(trace: &Trace, lane: LaneId) -> Option<LaneId> {
    let own = trace.catalog().lane(lane);
    let tracks = trace.store.tracks();
    let lanes = tracks.lanes(tracks.find(own.container, own.type_id)?);
    let place = lanes.iter().position(|&other| other == lane)?;
    lanes.get(place + 1).copied()
}

fn ids(containers: &[Option<ContainerId>]) -> ArrayRef {
    Arc::new(containers.iter().map(|id| id.map(|id| id.0)).collect::<UInt32Array>())
}

fn named(names: &Dictionary, containers: &[Option<ContainerId>]) -> Result<ArrayRef, ArrowError> {
    let keys: Vec<_> = containers.iter().map(|id| id.map(|id| names.key(id.0))).collect();
    names.optional(&keys)
}
