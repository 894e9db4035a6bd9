//! What each value has of many gaps between instants, by a sweep over the rows.

use std::sync::Arc;

use onca_model::{LaneId, Ticks, Window, cut};

use crate::{
    Store, TrackId, ValueOrder,
    error::Result,
    format::block::{state::StateBlock, sums::UnpackedSums},
    question::share_table::{Share, ShareTable},
    question::state_scan::{LanePart, SumsPlace, UnpackedStates},
};

/// Adds up what the states of some tracks have of each gap between neighbouring instants: time
/// per value, each tick counting for the innermost state, and the number of states that touch.
///
/// This is the way to ask about many narrow gaps. Blocks are read once, one after the other, and
/// never kept: a sweep over a long trace neither needs memory nor drives out what other questions
/// need. Where instants do not cut the columns of sums, these are read, not the states: those of many
/// blocks at once, if gaps are wide.
pub struct ShareSweep<'s> {
    store: &'s Store,
    instants: Vec<Ticks>,
    table: ShareTable,
    rows: UnpackedStates<u32>,
    sums: UnpackedSums,
    cuts: Vec<CutColumn>,
    bytes: Vec<u8>,
}

/// Of what columns gaps can be made: all instants are multiples of this power of two.
pub(crate) fn fineness(instants: &[Ticks]) -> u32 {
    instants.iter().fold(0, |all, instant| all | instant).trailing_zeros()
}

impl SumsPlace<'_> {
    /// Are all instants between columns?
    #[inline]
    pub(crate) fn is_aligned(&self, fineness: u32) -> bool {
        self.log() <= i64::from(fineness)
    }

    /// Do all states lie in a gap? The columns at both ends may reach out of it. An instant at the end
    /// of a gap is outside it.
    #[inline]
    pub(crate) fn is_inside(&self, gap: Window) -> bool {
        gap.from <= self.first && self.last < gap.to
    }
}

/// Columns of sums for each instant that cuts one, at least: with fewer, reading the states of all
/// is as quick.
const COLUMNS_PER_CUT: usize = 4;

/// What a sweep asks of the rows of a block.
impl UnpackedStates<u32> {
    /// Replaces what is there by the rows of a block that touch a window, with the places of their
    /// values in an order.
    pub(crate) fn unpack_places(
        &mut self,
        block: &StateBlock,
        bytes: &[u8],
        window: Window,
        order: &ValueOrder,
    ) {
        self.unpack(block, bytes, block.touching(bytes, window), |value| order.place(value));
    }

    /// Leaves out what does not last long enough, of an outermost lane.
    pub(crate) fn retain_long(&mut self, min_duration: Ticks) {
        if min_duration <= 0 {
            return;
        }
        let mut n = 0;
        for row in 0..self.starts.len() {
            if self.ends[row].saturating_sub(self.starts[row]) >= min_duration {
                self.starts[n] = self.starts[row];
                self.ends[n] = self.ends[row];
                self.values[n] = self.values[row];
                n += 1;
            }
        }
        self.starts.truncate(n);
        self.ends.truncate(n);
        self.values.truncate(n);
    }
}

impl<'s> ShareSweep<'s> {
    /// A sweep over a store, without instants yet, that gives values by their ids.
    pub fn new(store: &'s Store) -> Self {
        Self::in_order(store, Arc::new(ValueOrder::by_id(store.catalog().values.len())))
    }

    /// The same with an order of all values.
    pub fn in_order(store: &'s Store, order: Arc<ValueOrder>) -> Self {
        let table = ShareTable::new(order);
        Self {
            store,
            instants: Vec::new(),
            table,
            rows: UnpackedStates::default(),
            sums: UnpackedSums::default(),
            cuts: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// How many gaps it can take at once: fewer if there are many values.
    pub fn max_gaps(&self) -> usize {
        self.table.max_gaps()
    }

    /// Begins anew with the gaps between these instants, which ascend strictly. There may be
    /// [`max_gaps`](Self::max_gaps), and none may be longer than a tick count can say.
    pub fn begin(&mut self, instants: &[Ticks]) {
        self.instants.clear();
        self.instants.extend_from_slice(instants);
        self.table.begin(self.n_gaps());
    }

    /// How many gaps there are.
    pub fn n_gaps(&self) -> usize {
        self.instants.len().saturating_sub(1)
    }

    /// Adds what was drained from another sweep.
    pub fn add_share(&mut self, gap: usize, share: Share) {
        self.table.add_share(gap, share);
    }

    /// Gives the shares of a gap, in the order of values, and forgets them. All are to be taken.
    #[inline]
    pub fn drain(&mut self, gap: usize) -> impl Iterator<Item = Share> {
        self.table.drain(gap)
    }

    /// Adds the states of a track that last at least `min_duration`. Shorter ones take their time
    /// from the state around them, but do not count.
    pub fn add_track(&mut self, track: TrackId, min_duration: Ticks) -> Result<()> {
        let (Some(&from), Some(&to)) = (self.instants.first(), self.instants.last()) else {
            return Ok(());
        };
        let window = Window::new(from, to);
        match self.store.lanes_of(track)? {
            &[lane] => self.add_lane(lane, window, min_duration),
            lanes if min_duration <= 0 => {
                lanes.iter().try_for_each(|&lane| self.add_lane(lane, window, 0))
            }
            _ => self.walk(track, window, min_duration),
        }
    }

    /// Adds one lane, block by block. Without a minimum duration, only the innermost lane of a
    /// track need be complete: the enclosing value of each row says where its time is taken off.
    fn add_lane(&mut self, lane: LaneId, window: Window, min_duration: Ticks) -> Result<()> {
        let lane = LanePart::new(self.store, lane, window)?;
        let mut place = Place { instants: &self.instants, gap: 0 };
        let fineness = fineness(&self.instants);
        let mut at = 0;
        while at < lane.blocks.len() {
            let Some(gap) = place.advance(lane.blocks[at].first) else { break };
            let fits = |sums: &SumsPlace<'_>| {
                sums.is_aligned(fineness)
                    || sums.is_inside(gap)
                    || (sums.n_blocks == 1
                        && place.n_until(sums.last) * COLUMNS_PER_CUT <= sums.n_columns())
            };
            let found = if min_duration <= 0 { lane.sums(at, fits) } else { None };
            if let Some(found) = found {
                lane.read_sums(&found, self.table.order(), &mut self.sums)?;
                self.cuts.clear();
                if found.is_inside(gap) {
                    self.table.add_columns(place.gap, &self.sums);
                } else {
                    place.add_sums(&self.sums, &mut self.table, &mut self.cuts);
                }
                if !self.cuts.is_empty() {
                    let block = lane.block(at, &mut self.bytes)?;
                    for cut in &self.cuts {
                        self.rows.unpack_places(
                            &block,
                            block.bytes(),
                            cut.column,
                            self.table.order(),
                        );
                        cut.add_rows(&self.instants, &self.rows, &mut self.table);
                    }
                }
                at += found.n_blocks;
                continue;
            }
            let block = lane.block(at, &mut self.bytes)?;
            self.rows.unpack_places(&block, block.bytes(), window, self.table.order());
            self.rows.retain_long(min_duration);
            place.add_rows(&self.rows, &mut self.table);
            at += 1;
        }
        Ok(())
    }

    /// Adds a track state by state: whether a state counts decides what its nested states are
    /// taken from.
    fn walk(&mut self, track: TrackId, window: Window, min_duration: Ticks) -> Result<()> {
        let mut place = Place { instants: &self.instants, gap: 0 };
        let order = Arc::clone(self.table.order());
        let table = &mut self.table;
        // By depth: the place of the value of the open state, if that counts.
        let mut open: Vec<Option<u32>> = Vec::new();
        self.store.visit_track_states(track, window, 0, |depth, _, state| {
            open.resize(depth, None);
            let around = open.last().copied().flatten();
            let counts = state.end.saturating_sub(state.start) >= min_duration;
            let own = order.place(state.value);
            place.visit(state.start, state.end, |gap, ticks| {
                if let Some(around) = around {
                    table.take_off(gap, around, ticks);
                }
                if counts {
                    table.add_state(gap, own, ticks);
                }
            });
            open.push(counts.then_some(own));
        })
    }
}

/// Where a sweep is. Rows come in order of their start, so that it only moves forward.
struct Place<'a> {
    instants: &'a [Ticks],
    gap: usize,
}

impl Place<'_> {
    /// Moves to the first gap that ends after a time, if there is one.
    #[inline]
    fn advance(&mut self, time: Ticks) -> Option<Window> {
        while *self.instants.get(self.gap + 1)? <= time {
            self.gap += 1;
        }
        Some(Window::new(self.instants[self.gap], self.instants[self.gap + 1]))
    }

    /// Adds some rows of a block. Nearly all that a sweep over a long trace meets lie in one gap.
    fn add_rows(&mut self, rows: &UnpackedStates<u32>, table: &mut ShareTable) {
        let times = rows.starts.iter().zip(&rows.ends);
        for (row, ((&start, &end), &value)) in times.zip(&rows.values).enumerate() {
            let Some(gap) = self.advance(start) else { return };
            let around = rows.around(row);
            if gap.from <= start && end <= gap.to {
                let ticks = end.wrapping_sub(start);
                table.add_state(self.gap, value, ticks);
                around.into_iter().for_each(|around| table.take_off(self.gap, around, ticks));
                continue;
            }
            self.visit(start, end, |gap, ticks| {
                table.add_state(gap, value, ticks);
                around.into_iter().for_each(|around| table.take_off(gap, around, ticks));
            });
        }
    }

    /// How many instants after the begin of the gap are at or before a time.
    fn n_until(&self, time: Ticks) -> usize {
        self.instants[self.gap + 1..].partition_point(|instant| *instant <= time)
    }

    /// Adds the columns of sums that lie in one gap, and tells of those that instants cut.
    fn add_sums(&mut self, sums: &UnpackedSums, table: &mut ShareTable, cuts: &mut Vec<CutColumn>) {
        sums.visit(|begin, counted, shares| {
            let last = begin | ((1 << sums.log) - 1);
            let Some(gap) = self.advance(begin) else { return };
            if gap.from <= begin && last < gap.to {
                let counted = counted.filter(|_| gap.from < begin);
                table.add_column(self.gap, sums, shares, counted);
            } else if gap.from <= last {
                let column = Window::new(begin, last.saturating_add(1));
                cuts.push(CutColumn { column, gap: self.gap });
            }
        });
    }

    /// Gives `add` the gaps that a state touches, with its ticks in each.
    #[inline]
    fn visit(&mut self, start: Ticks, end: Ticks, mut add: impl FnMut(usize, Ticks)) {
        let Some(gap) = self.advance(start) else { return };
        if gap.touches(start, end) {
            let end_of = |gap: i64| self.instants.get(gap as usize + 1).copied();
            let start = start.max(gap.from);
            cut(start, end, self.gap as i64, end_of, |gap, ticks| add(gap as usize, ticks));
        }
    }
}

/// A column of sums that instants cut. Its states are added one by one.
struct CutColumn {
    column: Window,
    /// The first gap that it meets.
    gap: usize,
}

impl CutColumn {
    /// Adds what some states have of the column. One that enters it has been counted before, but for
    /// the gaps that begin in it.
    fn add_rows(&self, instants: &[Ticks], rows: &UnpackedStates<u32>, table: &mut ShareTable) {
        let mut place = Place { instants, gap: self.gap };
        for row in 0..rows.starts.len() {
            let start = rows.starts[row].max(self.column.from);
            let end = rows.ends[row].min(self.column.to);
            let is_counted = rows.starts[row] < start;
            place.visit(start, end, |gap, ticks| {
                if is_counted && instants[gap] < start {
                    table.add_rest(gap, rows.values[row], ticks);
                } else {
                    table.add_state(gap, rows.values[row], ticks);
                }
                rows.around(row).into_iter().for_each(|around| table.take_off(gap, around, ticks));
            });
        }
    }
}
