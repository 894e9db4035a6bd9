//! What values have between neighbouring instants, while it is added up.

use std::{ops::Range, sync::Arc};

use onca_model::{Ticks, ValueId};

use crate::{ValueOrder, format::block::sums::UnpackedSums};

/// What one value has of a gap between two instants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// Its exclusive time: that of nested states is taken off.
    pub ticks: Ticks,
    /// The value.
    pub value: ValueId,
    /// How many states, with [`HAS_LENGTH`].
    states: u32,
}

/// Set where a state of the value has a length.
const HAS_LENGTH: u32 = 1 << 31;
const MOST_STATES: u64 = HAS_LENGTH as u64 - 1;

impl Share {
    /// How many states of the value touch the gap, of all depths; 2^31 - 1 also stands for more.
    #[inline]
    pub fn n_states(&self) -> u32 {
        self.states & !HAS_LENGTH
    }

    /// Do all these states begin and end at one instant? Otherwise a share without ticks is that
    /// of states which nested ones cover.
    #[inline]
    pub fn is_instant(&self) -> bool {
        self.states & HAS_LENGTH == 0
    }
}

/// One value in one gap. Sums wrap while they are made: only the result must fit.
#[derive(Clone, Copy, Default)]
struct Slot {
    ticks: Ticks,
    states: u64,
}

/// Set in a slot where a state has a length.
const SLOT_HAS_LENGTH: u64 = 1 << 63;

/// [`SLOT_HAS_LENGTH`] if there are ticks. They are never negative: the sign of their negative
/// tells, without a branch.
#[inline]
fn length_flag(ticks: Ticks) -> u64 {
    ticks.wrapping_neg() as u64 & SLOT_HAS_LENGTH
}

/// A slot for every value in every gap, and a bit for those in use. Within a gap they lie in an
/// order of values; whatever is added one by one comes with the place of its value in that.
pub(crate) struct ShareTable {
    order: Arc<ValueOrder>,
    n_values: usize,
    n_words: usize,
    slots: Vec<Slot>,
    used: Vec<u64>,
}

/// The slots of one gap.
struct GapSlots<'t> {
    slots: &'t mut [Slot],
    used: &'t mut [u64],
}

impl GapSlots<'_> {
    #[inline]
    fn add(&mut self, place: u32, ticks: Ticks, states: u64) {
        let place = place as usize;
        let slot = &mut self.slots[place];
        self.used[place / 64] |= 1 << (place % 64);
        slot.ticks = slot.ticks.wrapping_add(ticks);
        let n_states = slot.states.wrapping_add(states & !SLOT_HAS_LENGTH);
        slot.states = n_states | (states & SLOT_HAS_LENGTH);
    }
}

/// Slots of a table: 16 MiB.
const MAX_SLOTS: usize = 1 << 20;

impl ShareTable {
    /// A table without gaps.
    pub(crate) fn new(order: Arc<ValueOrder>) -> Self {
        let n_values = order.len();
        let n_words = n_values.div_ceil(64);
        Self { order, n_values, n_words, slots: Vec::new(), used: Vec::new() }
    }

    /// The order of values in a gap.
    pub(crate) fn order(&self) -> &Arc<ValueOrder> {
        &self.order
    }

    /// How many gaps it may have.
    pub(crate) fn max_gaps(&self) -> usize {
        (MAX_SLOTS / self.n_values.max(1)).max(1)
    }

    /// Makes room for some gaps and forgets what was not drained.
    pub(crate) fn begin(&mut self, n_gaps: usize) {
        if self.used.iter().any(|bits| *bits != 0) {
            self.used.fill(0);
            self.slots.fill(Slot::default());
        }
        // Never less: what is there is ready for use.
        self.slots.resize(self.slots.len().max(n_gaps * self.n_values), Slot::default());
        self.used.resize(self.used.len().max(n_gaps * self.n_words), 0);
    }

    /// Counts a state of a value that has this much of a gap.
    #[inline]
    pub(crate) fn add_state(&mut self, gap: usize, place: u32, ticks: Ticks) {
        self.add(gap, place, ticks, 1 | length_flag(ticks));
    }

    /// Takes the time of a nested state from the value around it.
    #[inline]
    pub(crate) fn take_off(&mut self, gap: usize, place: u32, ticks: Ticks) {
        self.add(gap, place, ticks.wrapping_neg(), 0);
    }

    /// Adds a part of a state that was counted before.
    #[inline]
    pub(crate) fn add_rest(&mut self, gap: usize, place: u32, ticks: Ticks) {
        self.add(gap, place, ticks, length_flag(ticks));
    }

    /// Adds a column of sums to the gap that it lies in. The state that enters the column has been
    /// counted before, unless the gap begins with it.
    #[inline]
    pub(crate) fn add_column(
        &mut self,
        gap: usize,
        sums: &UnpackedSums,
        shares: Range<usize>,
        counted: Option<u32>,
    ) {
        let mut slots = self.slots_of(gap);
        let states = sums.states[shares.clone()].iter();
        let times = sums.values[shares.clone()].iter().zip(&sums.ticks[shares]);
        for ((&place, &ticks), &states) in times.zip(states) {
            // The lowest bit becomes the highest: a state has a length.
            slots.add(place, ticks, states.rotate_right(1));
        }
        if let Some(place) = counted {
            let slot = &mut slots.slots[place as usize];
            slot.states = slot.states.wrapping_sub(1);
        }
    }

    /// Adds all columns to a gap that holds all their states.
    pub(crate) fn add_columns(&mut self, gap: usize, sums: &UnpackedSums) {
        sums.visit(|_, counted, shares| self.add_column(gap, sums, shares, counted));
    }

    /// Adds what was drained from another table.
    pub(crate) fn add_share(&mut self, gap: usize, share: Share) {
        let length = if share.is_instant() { 0 } else { SLOT_HAS_LENGTH };
        let place = self.order.place(share.value);
        self.add(gap, place, share.ticks, u64::from(share.n_states()) | length);
    }

    #[inline]
    fn add(&mut self, gap: usize, place: u32, ticks: Ticks, states: u64) {
        self.slots_of(gap).add(place, ticks, states);
    }

    #[inline]
    fn slots_of(&mut self, gap: usize) -> GapSlots<'_> {
        GapSlots {
            slots: &mut self.slots[gap * self.n_values..(gap + 1) * self.n_values],
            used: &mut self.used[gap * self.n_words..(gap + 1) * self.n_words],
        }
    }

    /// Gives the shares of a gap, in the order of values, and forgets them.
    #[inline]
    pub(crate) fn drain(&mut self, gap: usize) -> Drain<'_> {
        let order = &*self.order;
        let slots = &mut self.slots[gap * self.n_values..(gap + 1) * self.n_values];
        let used = self.used[gap * self.n_words..(gap + 1) * self.n_words].iter_mut();
        Drain { order, slots, used, n_before: 0, bits: 0 }
    }
}

/// The shares of a gap. To be used up.
pub(crate) struct Drain<'t> {
    order: &'t ValueOrder,
    slots: &'t mut [Slot],
    used: std::slice::IterMut<'t, u64>,
    /// How many slots belong to earlier words of bits than the next.
    n_before: usize,
    /// Those of the last word that are left.
    bits: u64,
}

impl Drain<'_> {
    /// The share of the lowest bit, if there is anything left of it.
    #[inline]
    fn take_share(&mut self) -> Option<Share> {
        let place = self.n_before - 64 + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        let Slot { ticks, states } = std::mem::take(&mut self.slots[place]);
        if ticks == 0 && states == 0 {
            return None;
        }
        let length = if states & SLOT_HAS_LENGTH == 0 { 0 } else { HAS_LENGTH };
        let n_states = (states & !SLOT_HAS_LENGTH).min(MOST_STATES) as u32;
        Some(Share { ticks, value: self.order.value(place), states: n_states | length })
    }
}

impl Iterator for Drain<'_> {
    type Item = Share;

    #[inline]
    fn next(&mut self) -> Option<Share> {
        loop {
            while self.bits == 0 {
                self.bits = std::mem::take(self.used.next()?);
                self.n_before += 64;
            }
            if let Some(share) = self.take_share() {
                return Some(share);
            }
        }
    }

    /// A picture drains a million gaps: a loop in a loop is quicker than to find the way back into
    /// it for each share.
    #[inline]
    fn fold<B, F: FnMut(B, Share) -> B>(mut self, init: B, mut f: F) -> B {
        let mut folded = init;
        loop {
            while self.bits != 0 {
                if let Some(share) = self.take_share() {
                    folded = f(folded, share);
                }
            }
            let Some(used) = self.used.next() else { return folded };
            self.bits = std::mem::take(used);
            self.n_before += 64;
        }
    }
}
