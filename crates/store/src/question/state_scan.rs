//! States of a lane, unpacked column by column.
//!
//! This is the way to look at very many states: a block costs a few tight loops, where asking for
//! one row after the other costs several times as much.

use std::ops::Range;

use onca_model::{LaneId, Nature, Ticks, ValueId, Window};

use crate::{
    Store, ValueOrder,
    error::Result,
    format::block::{
        state::StateBlock,
        sums::{FAN_OUT, UnpackedSums},
    },
    format::directory::{BlockEntry, Section},
    read::store::{Passing, last_before},
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
    /// How many blocks of the lane come before these.
    n_before: usize,
    /// The sums of the lane, level by level.
    sums: &'s [BlockEntry],
}

/// Where the sums of neighbouring blocks of states are.
#[derive(Clone, Copy)]
pub(crate) struct SumsPlace<'s> {
    entry: &'s BlockEntry,
    /// How many blocks of states they sum up.
    pub n_blocks: usize,
    /// When the first of these begins.
    pub first: Ticks,
    /// When the last of them ends.
    pub last: Ticks,
}

impl SumsPlace<'_> {
    /// The logarithm of the width of columns.
    pub fn log(&self) -> i64 {
        self.entry.first
    }

    /// How many columns there are.
    pub fn n_columns(&self) -> usize {
        self.entry.n_rows as usize
    }
}

/// Blocks have numbers of 32 bits.
const MOST_LEVELS: i64 = 32;

/// A lane of which a question meets no more blocks is likely to be asked again nearby.
const KEPT_BLOCKS: usize = 4;

impl<'s> LanePart<'s> {
    pub fn new(store: &'s Store, lane: LaneId, window: Window) -> Result<Self> {
        let blocks = store.rows_of(lane, Nature::State)?;
        let first = last_before(blocks, window.from).unwrap_or(0);
        let n = blocks.partition_point(|block| block.first < window.to);
        let blocks = blocks.get(first..n).unwrap_or(&[]);
        let sums = store.directory().blocks(lane.0, Section::Sums);
        Ok(Self { store, lane, blocks, n_before: first, sums })
    }

    /// The sums of the highest level that begin with a block and are fit for use, if there are any.
    pub fn sums(&self, at: usize, fits: impl Fn(&SumsPlace<'s>) -> bool) -> Option<SumsPlace<'s>> {
        // A damaged store may tell of any level.
        let top = self.sums.last()?.last.min(MOST_LEVELS);
        let row = self.blocks[at].rows_before;
        let place = |level: i64| {
            let n_blocks = FAN_OUT.checked_pow(u32::try_from(level).ok()?)?;
            let last = self.blocks.get(at + n_blocks - 1)?.last;
            let is_begin = (self.n_before + at).is_multiple_of(n_blocks);
            let key = is_begin.then_some((level, row))?;
            let found =
                self.sums.binary_search_by_key(&key, |entry| (entry.last, entry.rows_before));
            Some(SumsPlace {
                entry: &self.sums[found.ok()?],
                n_blocks,
                first: self.blocks[at].first,
                last,
            })
        };
        (0..=top).rev().filter_map(place).find(fits)
    }

    /// Reads sums, with the places of values in an order.
    pub fn read_sums(
        &self,
        place: &SumsPlace<'_>,
        order: &ValueOrder,
        sums: &mut UnpackedSums,
    ) -> Result<()> {
        self.store.read_sums(place.entry, order, sums)
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
