//! Rows as columns, block by block: for readers that want every row of a lane and only some of
//! its columns.

use onca_model::{ContainerId, LaneId, Nature, Ticks, ValueId};

use crate::{
    Store,
    error::{Result, StoreError},
    format::block::{
        event::EventBlock, link::LinkBlock, state::StateBlock, variable::VariableBlock,
    },
    format::directory::{BlockEntry, Section},
    read::store::Held,
};

/// What the directory knows of a block of rows, without reading it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockExtent {
    /// The earliest time of its rows.
    pub first: Ticks,
    /// The latest time of its rows.
    pub last: Ticks,
    /// Rows of the lane before it.
    pub rows_before: u64,
    /// How many rows it has.
    pub n_rows: u32,
}

impl BlockExtent {
    fn of(entry: &BlockEntry) -> Self {
        let BlockEntry { first, last, rows_before, n_rows, .. } = *entry;
        Self { first, last, rows_before, n_rows }
    }
}

impl Store {
    /// The blocks of a lane in row order; none if there is no such lane.
    pub fn blocks(&self, lane: LaneId) -> impl ExactSizeIterator<Item = BlockExtent> + Clone + '_ {
        self.directory().blocks(lane.0, Section::Rows).iter().map(BlockExtent::of)
    }

    /// A block of states.
    pub fn state_columns(&self, lane: LaneId, block: usize) -> Result<StateColumns> {
        let entry = self.entry(lane, Nature::State, block)?;
        let held = self.state_block(lane, entry)?;
        Ok(StateColumns { held, extent: BlockExtent::of(entry) })
    }

    /// A block of links.
    pub fn link_columns(&self, lane: LaneId, block: usize) -> Result<LinkColumns> {
        Ok(LinkColumns { held: self.link_block(lane, self.entry(lane, Nature::Link, block)?)? })
    }

    /// A block of events.
    pub fn event_columns(&self, lane: LaneId, block: usize) -> Result<EventColumns> {
        Ok(EventColumns { held: self.event_block(lane, self.entry(lane, Nature::Event, block)?)? })
    }

    /// A block of steps of a variable.
    pub fn variable_columns(&self, lane: LaneId, block: usize) -> Result<VariableColumns> {
        let entry = self.entry(lane, Nature::Variable, block)?;
        Ok(VariableColumns { held: self.variable_block(lane, entry)? })
    }

    fn entry(&self, lane: LaneId, nature: Nature, block: usize) -> Result<&BlockEntry> {
        self.rows_of(lane, nature)?
            .get(block)
            .ok_or_else(|| StoreError::NoSuch { what: format!("block {block} in lane {}", lane.0) })
    }

    /// Appends, for each state of a block, its length less that of the states directly inside it.
    /// `inner` is the lane of those, one deeper in the same track, if there is one.
    ///
    /// Equals a sum over the states of `inner` whose parent is the row. Reads the blocks of `inner`
    /// that meet the time of the block.
    pub fn exclusive_ticks(
        &self,
        block: &StateColumns,
        inner: Option<LaneId>,
        out: &mut Vec<Ticks>,
    ) -> Result<()> {
        let at = out.len();
        let mut starts = Vec::with_capacity(block.n_rows());
        block.starts(&mut starts);
        let held = &block.held;
        held.extend_ends(held.bytes(), held.all(), &starts, out);
        let own = &mut out[at..];
        own.iter_mut().zip(starts).for_each(|(end, start)| *end = end.wrapping_sub(start));
        let Some(inner) = inner else { return Ok(()) };
        let entries = self.rows_of(inner, Nature::State)?;
        // A state lies within its parent: what ends before this block begins is not inside it.
        let first = entries.partition_point(|entry| entry.last < block.extent.first);
        for entry in entries[first..].iter().take_while(|entry| entry.first <= block.extent.last) {
            let nested = self.state_block(inner, entry)?;
            let bytes = nested.bytes();
            for row in 0..nested.n {
                let Some(parent) = nested.parent_row(bytes, row) else { continue };
                let place = parent.checked_sub(block.extent.rows_before);
                if let Some(ticks) = place.and_then(|place| own.get_mut(place as usize)) {
                    *ticks = ticks.wrapping_sub(nested.length(bytes, row) as Ticks);
                }
            }
        }
        Ok(())
    }
}

/// A block of states, as columns. Each method appends one value per row.
pub struct StateColumns {
    held: Held<StateBlock>,
    extent: BlockExtent,
}

impl StateColumns {
    /// How many rows it has.
    pub fn n_rows(&self) -> usize {
        self.held.n
    }

    /// When each begins.
    pub fn starts(&self, out: &mut Vec<Ticks>) {
        self.held.extend_starts(self.held.bytes(), self.held.all(), out);
    }

    /// When each ends.
    pub fn ends(&self, out: &mut Vec<Ticks>) {
        let mut starts = Vec::with_capacity(self.held.n);
        self.starts(&mut starts);
        self.held.extend_ends(self.held.bytes(), self.held.all(), &starts, out);
    }

    /// What `map` makes of each value.
    pub fn values<T: Copy>(&self, out: &mut Vec<T>, map: impl Fn(ValueId) -> T) {
        let map = |id| map(ValueId(id));
        self.held.extend_values(self.held.bytes(), self.held.all(), out, map);
    }

    /// What `map` makes of the value of each enclosing state.
    pub fn parent_values<T: Copy>(&self, out: &mut Vec<T>, map: impl Fn(Option<ValueId>) -> T) {
        let map = |number: u32| map(number.checked_sub(1).map(ValueId));
        self.held.extend_enclosing(self.held.bytes(), self.held.all(), out, map);
    }

    /// Whether nothing in the source closed it.
    pub fn open_ended(&self, out: &mut Vec<bool>) {
        let bytes = self.held.bytes();
        out.extend((0..self.held.n).map(|row| self.held.is_open(bytes, row)));
    }
}

/// A block of links, as columns. Each method appends one value per row.
pub struct LinkColumns {
    held: Held<LinkBlock>,
}

impl LinkColumns {
    /// How many rows it has.
    pub fn n_rows(&self) -> usize {
        self.held.n
    }

    /// When each left its source.
    pub fn starts(&self, out: &mut Vec<Ticks>) {
        self.held.extend_starts(self.held.bytes(), out);
    }

    /// When each reached its destination.
    pub fn ends(&self, out: &mut Vec<Ticks>) {
        self.held.extend_ends(self.held.bytes(), out);
    }

    /// What `map` makes of each value.
    pub fn values<T: Copy>(&self, out: &mut Vec<T>, map: impl Fn(ValueId) -> T) {
        self.held.extend_values(self.held.bytes(), out, |id| map(ValueId(id)));
    }

    /// Where each comes from.
    pub fn sources(&self, out: &mut Vec<Option<ContainerId>>) {
        self.held.extend_sources(self.held.bytes(), out, end_of_link);
    }

    /// Where each goes to.
    pub fn destinations(&self, out: &mut Vec<Option<ContainerId>>) {
        self.held.extend_destinations(self.held.bytes(), out, end_of_link);
    }

    /// The size of each.
    pub fn sizes(&self, out: &mut Vec<Option<u64>>) {
        let bytes = self.held.bytes();
        out.extend((0..self.held.n).map(|row| self.held.size(bytes, row)));
    }
}

/// Columns hold ids + 1, and 0 for none.
fn end_of_link(number: u32) -> Option<ContainerId> {
    number.checked_sub(1).map(ContainerId)
}

/// A block of events, as columns. Each method appends one value per row.
pub struct EventColumns {
    held: Held<EventBlock>,
}

impl EventColumns {
    /// How many rows it has.
    pub fn n_rows(&self) -> usize {
        self.held.n
    }

    /// When each happened.
    pub fn times(&self, out: &mut Vec<Ticks>) {
        self.held.extend_times(self.held.bytes(), out);
    }

    /// What `map` makes of each value.
    pub fn values<T: Copy>(&self, out: &mut Vec<T>, map: impl Fn(ValueId) -> T) {
        self.held.extend_values(self.held.bytes(), out, |id| map(ValueId(id)));
    }
}

/// A block of steps of a variable, as columns. Each method appends one value per row.
pub struct VariableColumns {
    held: Held<VariableBlock>,
}

impl VariableColumns {
    /// How many rows it has.
    pub fn n_rows(&self) -> usize {
        self.held.n
    }

    /// When each begins.
    pub fn starts(&self, out: &mut Vec<Ticks>) {
        let bytes = self.held.bytes();
        out.extend((0..self.held.n).map(|row| self.held.start(bytes, row)));
    }

    /// When each ends.
    pub fn ends(&self, out: &mut Vec<Ticks>) {
        let bytes = self.held.bytes();
        out.extend((0..self.held.n).map(|row| self.held.end(bytes, row)));
    }

    /// The value of each.
    pub fn values(&self, out: &mut Vec<f64>) {
        let bytes = self.held.bytes();
        out.extend((0..self.held.n).map(|row| self.held.value(bytes, row)));
    }
}
