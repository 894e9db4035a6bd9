//! What each value has of many gaps between instants, by a sweep over the rows.

use std::{ops::Range, sync::Arc};

use onca_model::{LaneId, Ticks, ValueId, Window};

use crate::{
    Store, TrackId, ValueOrder,
    error::Result,
    format::block::{
        coarse::{CoarseBlock, UnpackedColumns},
        state::StateBlock,
        totals::{Total, Totals},
    },
    question::share_table::{Share, ShareTable},
    question::state_scan::{LanePart, UnpackedStates},
};

/// Adds up what the states of some tracks have of each gap between neighbouring instants: time
/// per value, each tick counting for the innermost state, and the number of states that touch.
///
/// This is the way to ask about many narrow gaps. Blocks are read once, one after the other, and
/// never kept: a sweep over a long trace neither needs memory nor drives out what other questions
/// need. Many blocks that lie in one gap are not read at all but for the first and the last. Where
/// all instants are multiples of a power of two that is large enough, the coarse columns of a block
/// are read, not its states.
pub struct ShareSweep<'s> {
    store: &'s Store,
    instants: Vec<Ticks>,
    table: ShareTable,
    rows: UnpackedStates<u32>,
    columns: UnpackedColumns,
    bytes: Vec<u8>,
}

/// Of what coarse columns gaps can be made: all instants are multiples of this power of two.
pub(crate) fn fineness(instants: &[Ticks]) -> u32 {
    instants.iter().fold(0, |all, instant| all | instant).trailing_zeros()
}

impl UnpackedColumns {
    /// Replaces what is there by the columns of a block, with the places of their values in an
    /// order.
    pub(crate) fn unpack_places(&mut self, block: &CoarseBlock, bytes: &[u8], order: &ValueOrder) {
        self.unpack(block, bytes, |id| order.place(ValueId(id)));
    }
}

/// What a sweep asks of the rows of a block.
impl UnpackedStates<u32> {
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
        let places = &self.values[rows.clone()];
        match self.enclosing.get(rows) {
            Some(enclosing) => table.add_nested_rows(gap, places, enclosing, lengths),
            None => table.add_rows(gap, places, lengths),
        }
    }

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
            columns: UnpackedColumns::default(),
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
            let slots = (&mut self.table, place.gap);
            if min_duration <= 0
                && let Some(next) = lane.jump(at, gap, slots, &mut self.bytes)?
            {
                at = next;
                continue;
            }
            if min_duration <= 0
                && let Some(block) = lane.coarse(at, fineness)?
            {
                self.columns.unpack_places(&block, block.bytes(), self.table.order());
                place.add_columns(&self.columns, &mut self.table);
                at += 1;
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
        let order = Arc::clone(table.order());
        for Total { id, ticks, count } in after.values.since(&before.values) {
            table.add_states(slots, order.place(ValueId(id)), ticks as Ticks, count);
        }
        for Total { id, ticks, .. } in after.enclosing.since(&before.enclosing) {
            if let Some(value) = id.checked_sub(1) {
                table.take_off(slots, order.place(ValueId(value)), ticks as Ticks);
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
    fn add_rows(&mut self, rows: &UnpackedStates<u32>, table: &mut ShareTable) {
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
                table.add_state(gap, rows.values[row], ticks);
                rows.around(row).into_iter().for_each(|place| table.take_off(gap, place, ticks));
            });
            row += 1;
        }
    }

    /// Adds coarse columns, none of which lies in two gaps.
    fn add_columns(&mut self, columns: &UnpackedColumns, table: &mut ShareTable) {
        columns.visit(|begin, counted, shares| {
            let Some(gap) = self.advance(begin) else { return };
            if gap.from <= begin {
                let counted = counted.filter(|_| gap.from < begin);
                table.add_column(self.gap, columns, shares, counted);
            }
        });
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
