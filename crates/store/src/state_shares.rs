//! What each value has of many gaps between instants, by a sweep over the rows.

use std::ops::Range;

use onca_model::{LaneId, Ticks, ValueId, Window};

use crate::{
    Store, TrackId,
    block::totals::{Total, Totals},
    error::Result,
    share_table::{Share, ShareTable},
    state_scan::{LanePart, UnpackedStates},
};

/// Adds up what the states of some tracks have of each gap between neighbouring instants: time
/// per value, each tick counting for the innermost state, and the number of states that touch.
///
/// This is the way to ask about many narrow gaps. Blocks are read once, one after the other, and
/// never kept: a sweep over a long trace neither needs memory nor drives out what other questions
/// need. Many blocks that lie in one gap are not read at all but for the first and the last.
pub struct ShareSweep<'s> {
    store: &'s Store,
    instants: Vec<Ticks>,
    table: ShareTable,
    rows: UnpackedStates,
    bytes: Vec<u8>,
}

/// What a sweep asks of the rows of a block.
impl UnpackedStates {
    /// How many rows from `row` on end in a gap that ends at `to`. An instant at its end is outside.
    #[inline]
    pub(crate) fn n_inside(&self, row: usize, to: Ticks) -> usize {
        let mut n = self.ends[row..].iter().take_while(|end| **end <= to).count();
        while n > 0 && self.starts[row + n - 1] >= to {
            n -= 1;
        }
        n
    }

    /// Adds rows that lie in one gap as a whole: nearly all that a sweep over a long trace meets.
    #[inline]
    pub(crate) fn add_to(&self, table: &mut ShareTable, gap: usize, rows: Range<usize>) {
        let times = self.starts[rows.clone()].iter().zip(&self.ends[rows.clone()]);
        let lengths = times.map(|(start, end)| end.wrapping_sub(*start));
        let values = &self.values[rows.clone()];
        match self.enclosing.get(rows) {
            Some(enclosing) => table.add_nested_rows(gap, values, enclosing, lengths),
            None => table.add_rows(gap, values, lengths),
        }
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
    /// A sweep over a store, without instants yet.
    pub fn new(store: &'s Store) -> Self {
        let table = ShareTable::new(store.catalog().values.len());
        Self {
            store,
            instants: Vec::new(),
            table,
            rows: UnpackedStates::default(),
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

    /// Appends the shares of a gap, by value, and forgets them.
    pub fn drain(&mut self, gap: usize, out: &mut Vec<Share>) {
        self.table.drain(gap, out);
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
        let mut at = 0;
        while at < lane.blocks.len() {
            let Some(gap) = place.advance(lane.blocks[at].first) else { break };
            let slots = (&mut self.table, place.gap);
            if min_duration <= 0
                && let Some(next) = lane.jump(at, gap, slots, &mut self.bytes)?
            {
                at = next;
                continue;
            }
            let block = lane.block(at, &mut self.bytes)?;
            self.rows.unpack(&block, block.bytes(), block.touching(block.bytes(), window));
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
        let table = &mut self.table;
        // By depth: the value of the open state, if that counts.
        let mut open: Vec<Option<ValueId>> = Vec::new();
        self.store.visit_track_states(track, window, 0, |depth, _, state| {
            open.resize(depth, None);
            let around = open.last().copied().flatten();
            let counts = state.end.saturating_sub(state.start) >= min_duration;
            place.visit(state.start, state.end, |gap, ticks| {
                if let Some(value) = around {
                    table.take_off(gap, value.0, ticks);
                }
                if counts {
                    table.add_state(gap, state.value.0, ticks);
                }
            });
            open.push(counts.then_some(state.value));
        })
    }
}

/// Blocks in one gap that are worth a jump over them, which reads two.
const JUMP: usize = 4;

impl LanePart<'_> {
    /// Adds many blocks that lie in one gap, from `at` on, to its slots in a table, as a difference
    /// of totals. Returns the block after them; `None` if they are too few, or have no totals.
    pub(crate) fn jump(
        &self,
        at: usize,
        gap: Window,
        (table, slots): (&mut ShareTable, usize),
        buffer: &mut Vec<u8>,
    ) -> Result<Option<usize>> {
        // An instant at the end of the gap is outside it.
        let n = self.blocks[at..].partition_point(|block| block.last < gap.to);
        if n < JUMP || self.blocks[at].first < gap.from {
            return Ok(None);
        }
        let last = at + n - 1;
        let target = last.saturating_sub(self.block(last, buffer)?.back as usize);
        if target < at + JUMP - 1 {
            return Ok(None);
        }
        let (Some(before), Some(after)) = (self.totals(at, buffer)?, self.totals(target, buffer)?)
        else {
            return Ok(None);
        };
        for Total { id, ticks, count } in after.values.since(&before.values) {
            table.add_states(slots, id, ticks as Ticks, count);
        }
        for Total { id, ticks, .. } in after.enclosing.since(&before.enclosing) {
            if let Some(value) = id.checked_sub(1) {
                table.take_off(slots, value, ticks as Ticks);
            }
        }
        Ok(Some(target))
    }

    /// What the lane amounts to before a block, if that says so.
    fn totals(&self, at: usize, buffer: &mut Vec<u8>) -> Result<Option<LaneTotals>> {
        let block = self.block(at, buffer)?;
        Ok((block.back == 0).then(|| LaneTotals {
            values: block.totals.clone(),
            enclosing: block.outer_totals().cloned().unwrap_or_default(),
        }))
    }
}

struct LaneTotals {
    values: Totals,
    enclosing: Totals,
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

    /// Adds some rows of a block.
    fn add_rows(&mut self, rows: &UnpackedStates, table: &mut ShareTable) {
        let mut row = 0;
        while row < rows.starts.len() {
            let (start, end) = (rows.starts[row], rows.ends[row]);
            let Some(gap) = self.advance(start) else { return };
            if gap.from <= start {
                let n = rows.n_inside(row, gap.to);
                if n > 0 {
                    rows.add_to(table, self.gap, row..row + n);
                    row += n;
                    continue;
                }
            }
            self.visit(start, end, |gap, ticks| {
                table.add_state(gap, rows.values[row].0, ticks);
                rows.around(row).into_iter().for_each(|id| table.take_off(gap, id, ticks));
            });
            row += 1;
        }
    }

    /// Gives `add` the gaps that a state touches, with its ticks in each.
    #[inline]
    fn visit(&mut self, start: Ticks, end: Ticks, mut add: impl FnMut(usize, Ticks)) {
        if self.advance(start).is_none() {
            return;
        }
        let touches_until = end.max(start.saturating_add(1));
        for (index, pair) in self.instants[self.gap..].windows(2).enumerate() {
            let (from, to) = (pair[0], pair[1]);
            if touches_until <= from {
                break;
            }
            add(self.gap + index, end.min(to).wrapping_sub(start.max(from)).max(0));
        }
    }
}
