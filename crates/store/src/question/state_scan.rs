//! States of a lane, unpacked column by column.
//!
//! This is the way to look at very many states: a block costs a few tight loops, where asking for
//! one row after the other costs several times as much.

use std::ops::Range;

use onca_model::{LaneId, Nature, Ticks, ValueId, Window};

use crate::{
    Store,
    error::Result,
    format::block::{coarse::CoarseBlock, state::StateBlock},
    format::directory::{BlockEntry, Section},
    read::store::{Held, Passing, last_before},
};

/// Rows of a block of states.
pub(crate) struct UnpackedStates<V = ValueId> {
    pub starts: Vec<Ticks>,
    pub ends: Vec<Ticks>,
    pub values: Vec<V>,
    /// By row, if there is a state around it; empty in an outermost lane.
    pub enclosing: Vec<Option<V>>,
}

impl<V> Default for UnpackedStates<V> {
    fn default() -> Self {
        let (starts, ends) = (Vec::new(), Vec::new());
        Self { starts, ends, values: Vec::new(), enclosing: Vec::new() }
    }
}

impl<V: Copy> UnpackedStates<V> {
    /// Replaces what is there by some rows of a block, with what `map` makes of their values.
    pub fn unpack(
        &mut self,
        block: &StateBlock,
        bytes: &[u8],
        rows: Range<usize>,
        map: impl Fn(ValueId) -> V,
    ) {
        self.starts.clear();
        self.ends.clear();
        self.values.clear();
        self.enclosing.clear();
        block.extend_starts(bytes, rows.clone(), &mut self.starts);
        block.extend_ends(bytes, rows.clone(), &self.starts, &mut self.ends);
        block.extend_values(bytes, rows.clone(), &mut self.values, |id| map(ValueId(id)));
        if block.is_nested() {
            let around = |id: u32| id.checked_sub(1).map(|id| map(ValueId(id)));
            block.extend_enclosing(bytes, rows, &mut self.enclosing, around);
        }
    }

    /// The value of the state around a row.
    #[inline]
    pub fn around(&self, row: usize) -> Option<V> {
        *self.enclosing.get(row)?
    }
}

impl UnpackedStates {
    /// All of them.
    fn slice(&self) -> StateSlice<'_> {
        StateSlice { starts: &self.starts, ends: &self.ends, values: &self.values }
    }
}

/// The blocks of a lane that meet a window.
pub(crate) struct LanePart<'s> {
    store: &'s Store,
    lane: LaneId,
    pub blocks: &'s [BlockEntry],
    /// The coarse columns of the lane.
    coarse: &'s [BlockEntry],
}

/// A lane of which a question meets no more blocks is likely to be asked again nearby.
const KEPT_BLOCKS: usize = 4;

impl<'s> LanePart<'s> {
    pub fn new(store: &'s Store, lane: LaneId, window: Window) -> Result<Self> {
        let blocks = store.rows_of(lane, Nature::State)?;
        let first = last_before(blocks, window.from).unwrap_or(0);
        let n = blocks.partition_point(|block| block.first < window.to);
        let coarse = store.directory().blocks(lane.0, Section::Coarse);
        Ok(Self { store, lane, blocks: blocks.get(first..n).unwrap_or(&[]), coarse })
    }

    /// The coarse columns of a block, if it has any and they are narrow enough: every instant is a
    /// multiple of 2^`fineness`.
    pub fn coarse(&self, at: usize, fineness: u32) -> Result<Option<Held<CoarseBlock>>> {
        let row = self.blocks[at].rows_before;
        let found = self.coarse.binary_search_by_key(&row, |entry| entry.rows_before).ok();
        let entry = found.map(|found| &self.coarse[found]);
        let entry = entry.filter(|entry| entry.first <= i64::from(fineness));
        entry.map(|entry| self.store.coarse_block(self.lane, entry)).transpose()
    }

    /// Reads a block, into `buffer` if it is not worth keeping.
    pub fn block<'b>(&self, at: usize, buffer: &'b mut Vec<u8>) -> Result<Passing<'b, StateBlock>> {
        let keep = self.blocks.len() <= KEPT_BLOCKS;
        self.store.passing_state_block(self.lane, &self.blocks[at], keep, buffer)
    }
}

/// Some states of a lane, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct StateSlice<'a> {
    /// When each begins.
    pub starts: &'a [Ticks],
    /// When each ends.
    pub ends: &'a [Ticks],
    /// The value of each.
    pub values: &'a [ValueId],
}

/// Looks at many states, lane by lane. Blocks are read once and not kept, so that a look at a long
/// trace neither needs memory nor drives out what other questions need.
pub struct StateScan<'s> {
    store: &'s Store,
    states: UnpackedStates,
    bytes: Vec<u8>,
}

impl<'s> StateScan<'s> {
    /// A scan of a store.
    pub fn new(store: &'s Store) -> Self {
        Self { store, states: UnpackedStates::default(), bytes: Vec::new() }
    }

    /// Visits the states of a lane that touch a window, in order, many at a time. These are the
    /// states that [`Store::visit_states`] visits.
    pub fn visit(
        &mut self,
        lane: LaneId,
        window: Window,
        mut visit: impl FnMut(StateSlice<'_>),
    ) -> Result<()> {
        let part = LanePart::new(self.store, lane, window)?;
        for at in 0..part.blocks.len() {
            let block = part.block(at, &mut self.bytes)?;
            let rows = block.touching(block.bytes(), window);
            self.states.unpack(&block, block.bytes(), rows, |value| value);
            visit(self.states.slice());
        }
        Ok(())
    }
}
