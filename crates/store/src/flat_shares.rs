//! What each value has of many gaps between instants, where states do not nest.

use std::{ops::Range, sync::Arc};

use onca_model::{Ticks, Window};

use crate::{
    Store, TrackId, ValueOrder,
    block::coarse::UnpackedColumns,
    error::Result,
    share_table::{Share, ShareTable},
    state_scan::{LanePart, UnpackedStates},
    state_shares::fineness,
};

/// Adds up what the states of a track without nested states have of each gap between neighbouring
/// instants, as a [`ShareSweep`](crate::ShareSweep) does.
///
/// The states come in order, and none meets another: a gap is done as soon as a state lies behind
/// it. Only one gap is in the making, and gaps that a state fills cost next to nothing.
pub struct FlatSweep<'s> {
    store: &'s Store,
    /// Of one gap.
    slots: ShareTable,
    rows: UnpackedStates<u32>,
    columns: UnpackedColumns,
    bytes: Vec<u8>,
}

impl<'s> FlatSweep<'s> {
    /// A sweep over a store that gives values in an order of all of them.
    pub fn in_order(store: &'s Store, order: Arc<ValueOrder>) -> Self {
        let slots = ShareTable::new(order);
        let (rows, columns) = (UnpackedStates::default(), UnpackedColumns::default());
        Self { store, slots, rows, columns, bytes: Vec::new() }
    }

    /// Can it sweep over a track?
    pub fn fits(store: &Store, track: TrackId) -> bool {
        store.tracks().lanes(track).len() == 1
    }

    /// Visits all gaps between some instants, which ascend: gaps that have the same shares, one
    /// after the other, and these, in the order of values. States that last less than `min_duration` do not
    /// count. The track must [fit](Self::fits).
    pub fn visit(
        &mut self,
        track: TrackId,
        instants: &[Ticks],
        min_duration: Ticks,
        visit: impl FnMut(Range<usize>, &[Share]),
    ) -> Result<()> {
        let (Some(&from), Some(&to)) = (instants.first(), instants.last()) else {
            return Ok(());
        };
        let window = Window::new(from, to);
        let lane = LanePart::new(self.store, self.store.lanes_of(track)?[0], window)?;
        let slots = &mut self.slots;
        slots.begin(1);
        let mut gaps = Gaps { instants, gap: 0, told: 0, slots, shares: Vec::new(), visit };
        let fineness = fineness(instants);
        let mut at = 0;
        while at < lane.blocks.len() {
            let Some(gap) = gaps.advance(lane.blocks[at].first) else { break };
            if min_duration <= 0
                && let Some(next) = lane.jump(at, gap, (gaps.slots, 0), &mut self.bytes)?
            {
                at = next;
                continue;
            }
            if min_duration <= 0
                && let Some(block) = lane.coarse(at, fineness)?
            {
                self.columns.unpack_places(&block, block.bytes(), gaps.slots.order());
                gaps.add_columns(&self.columns);
                at += 1;
                continue;
            }
            let block = lane.block(at, &mut self.bytes)?;
            self.rows.unpack_places(&block, block.bytes(), window, gaps.slots.order());
            self.rows.retain_long(min_duration);
            gaps.add_rows(&self.rows);
            at += 1;
        }
        gaps.end();
        Ok(())
    }
}

/// Gaps that are told one after the other.
struct Gaps<'a, V> {
    instants: &'a [Ticks],
    /// The one in the making.
    gap: usize,
    /// How many are told. There is nothing in those from here to the one in the making.
    told: usize,
    slots: &'a mut ShareTable,
    shares: Vec<Share>,
    visit: V,
}

impl<V: FnMut(Range<usize>, &[Share])> Gaps<'_, V> {
    /// Goes on to the gap that ends after a time, if there is one.
    #[inline]
    fn advance(&mut self, time: Ticks) -> Option<Window> {
        while *self.instants.get(self.gap + 1)? <= time {
            self.end_gap();
        }
        Some(Window::new(self.instants[self.gap], self.instants[self.gap + 1]))
    }

    /// Adds states that come after all that were added.
    fn add_rows(&mut self, rows: &UnpackedStates<u32>) {
        let mut row = 0;
        while row < rows.starts.len() {
            let Some(gap) = self.advance(rows.starts[row]) else { return };
            let n = if gap.from <= rows.starts[row] { rows.n_inside(row, gap.to) } else { 0 };
            if n > 0 {
                rows.add_to(self.slots, 0, row..row + n);
            } else {
                let (start, end) = (rows.starts[row].max(gap.from), rows.ends[row]);
                self.add_long(rows.values[row], start, end, gap.to);
            }
            row += n.max(1);
        }
    }

    /// Adds coarse columns that come after all that was added, none of which lies in two gaps.
    fn add_columns(&mut self, columns: &UnpackedColumns) {
        columns.visit(|begin, counted, shares| {
            let Some(gap) = self.advance(begin) else { return };
            if gap.from <= begin {
                let counted = counted.filter(|_| gap.from < begin);
                self.slots.add_column(0, columns, shares, counted);
            }
        });
    }

    /// Adds a state that begins in the gap in the making, which ends at `to`, and may reach beyond.
    #[inline]
    fn add_long(&mut self, place: u32, start: Ticks, end: Ticks, to: Ticks) {
        self.slots.add_state(0, place, end.min(to).wrapping_sub(start));
        if end <= to {
            return;
        }
        self.end_gap();
        while let Some(gaps) = self.filled(end) {
            let value = self.slots.order().value(place as usize);
            let ticks = self.instants[gaps.start + 1] - self.instants[gaps.start];
            self.tell_empty();
            (self.visit)(gaps.clone(), &[Share::of_state(value, ticks)]);
            self.gap = gaps.end;
            self.told = gaps.end;
        }
        if self.gap + 1 < self.instants.len() && self.instants[self.gap] < end {
            self.slots.add_state(0, place, end - self.instants[self.gap]);
        }
    }

    /// Gaps of one length, from the current one on, that a state fills which lasts until `end`.
    #[inline]
    fn filled(&self, end: Ticks) -> Option<Range<usize>> {
        let instants = &self.instants[self.gap..];
        let length = |pair: &[Ticks]| pair[1].wrapping_sub(pair[0]);
        let first = instants.windows(2).next().filter(|pair| pair[0] < end)?;
        let alike = |pair: &&[Ticks]| pair[1] <= end && length(pair) == length(first);
        let n = instants.windows(2).take_while(alike).count();
        (n > 0).then(|| self.gap..self.gap + n)
    }

    /// Goes on to the next gap.
    #[inline]
    fn end_gap(&mut self) {
        self.slots.drain(0, &mut self.shares);
        if !self.shares.is_empty() {
            self.tell_empty();
            (self.visit)(self.gap..self.gap + 1, &self.shares);
            self.shares.clear();
            self.told = self.gap + 1;
        }
        self.gap += 1;
    }

    #[inline]
    fn tell_empty(&mut self) {
        if self.told < self.gap {
            (self.visit)(self.told..self.gap, &[]);
        }
    }

    /// Nothing more comes.
    fn end(mut self) {
        let n = self.instants.len() - 1;
        if self.gap < n {
            self.end_gap();
        }
        self.gap = n;
        self.tell_empty();
    }
}
