//! What each value has of many gaps between instants, where states do not nest.

use std::{ops::Range, sync::Arc};

use onca_model::{Ticks, Window};

use crate::{
    Store, TrackId, ValueOrder,
    error::Result,
    format::block::coarse::UnpackedColumns,
    question::share_table::{Share, ShareTable},
    question::state_scan::{LanePart, UnpackedStates},
    question::state_shares::fineness,
};

/// Is told of gaps between instants, one after the other.
pub trait GapVisitor {
    /// One gap, and its shares in the order of values. All are to be taken.
    fn visit_gap(&mut self, gap: usize, shares: impl Iterator<Item = Share>);

    /// Gaps of one length that a state fills, or gaps of any length where nothing is.
    fn visit_gaps(&mut self, gaps: Range<usize>, share: Option<Share>);
}

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

    /// Visits all gaps between some instants, which ascend. States that last less than
    /// `min_duration` do not count. The track must [fit](Self::fits).
    pub fn visit(
        &mut self,
        track: TrackId,
        instants: &[Ticks],
        min_duration: Ticks,
        visitor: &mut impl GapVisitor,
    ) -> Result<()> {
        let (Some(&from), Some(&to)) = (instants.first(), instants.last()) else {
            return Ok(());
        };
        let window = Window::new(from, to);
        let lane = LanePart::new(self.store, self.store.lanes_of(track)?[0], window)?;
        let slots = &mut self.slots;
        slots.begin(1);
        let mut gaps = Gaps { instants, gap: 0, told: 0, slots, visitor };
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
    visitor: &'a mut V,
}

impl<V: GapVisitor> Gaps<'_, V> {
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
        let times = rows.starts.iter().zip(&rows.ends);
        let states = times.zip(&rows.values);
        for ((&start, &end), &place) in states {
            let Some(gap) = self.advance(start) else { return };
            if start < gap.from || end > gap.to {
                self.add_long(place, start.max(gap.from), end, gap.to);
                continue;
            }
            self.slots.add_state(0, place, end.wrapping_sub(start));
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
            self.visitor.visit_gaps(gaps.clone(), Some(Share::of_state(value, ticks)));
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
        if !self.slots.is_empty(0) {
            self.tell_empty();
            self.visitor.visit_gap(self.gap, self.slots.drain(0));
            self.told = self.gap + 1;
        }
        self.gap += 1;
    }

    #[inline]
    fn tell_empty(&mut self) {
        if self.told < self.gap {
            self.visitor.visit_gaps(self.told..self.gap, None);
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
