//! The time in each value of a state, between instants.

use onca_model::{LaneId, Nature, Ticks, ValueId};

use crate::{
    Store, TrackId,
    error::{Result, damaged},
    format::block::{state::StateBlock, totals::Total},
    format::directory::BlockEntry,
    read::store::{Held, last_before},
};

/// What the time of nested states counts for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Each tick counts for the innermost state only.
    Exclusive,
    /// Each tick counts for every state that is open: a value nested in itself counts twice.
    Inclusive,
}

impl Store {
    /// Gives `add` the time a track spent in each value between neighbouring instants, which come
    /// in ascending order: the number of the gap, the value, ticks.
    ///
    /// A gap and value may come several times, also with negative ticks. Summed up they equal
    /// [`state_time`](Self::state_time) of the window between the two instants. An instant costs
    /// a search and at most a short scan, and a row is looked at only once: never more than a
    /// scan over the track, and far less where the gaps are long.
    pub fn visit_state_time(
        &self,
        track: TrackId,
        instants: &[Ticks],
        measure: Measure,
        mut add: impl FnMut(usize, ValueId, i128),
    ) -> Result<()> {
        for &lane in self.lanes_of(track)? {
            self.visit_lane_time(lane, instants, measure, &mut add)?;
        }
        Ok(())
    }

    /// The same for one lane, without the lanes inside it.
    pub(crate) fn visit_lane_time(
        &self,
        lane: LaneId,
        instants: &[Ticks],
        measure: Measure,
        mut add: impl FnMut(usize, ValueId, i128),
    ) -> Result<()> {
        let blocks = self.rows_of(lane, Nature::State)?;
        let lane = LaneTime { store: self, lane, blocks, measure };
        let Some((&first, rest)) = instants.split_first() else { return Ok(()) };
        let mut from = lane.place(first, None)?;
        for (gap, &instant) in rest.iter().enumerate() {
            let to = lane.place(instant, from.as_ref())?;
            lane.add_gap(from.as_ref(), to.as_ref(), &mut |value, ticks| {
                add(gap, ValueId(value), ticks);
            })?;
            from = to;
        }
        Ok(())
    }
}

/// Where an instant lies in a lane.
struct Place {
    instant: Ticks,
    /// The last block that begins before the instant.
    block_idx: usize,
    block: Held<StateBlock>,
    /// How many of its rows begin before the instant.
    n_rows: usize,
}

/// A lane during a question about time.
struct LaneTime<'a> {
    store: &'a Store,
    lane: LaneId,
    blocks: &'a [BlockEntry],
    measure: Measure,
}

impl LaneTime<'_> {
    /// Finds an instant; `None` if nothing begins before it. Uses the block of the instant before
    /// again where it can.
    fn place(&self, instant: Ticks, before: Option<&Place>) -> Result<Option<Place>> {
        let Some(block_idx) = last_before(self.blocks, instant) else { return Ok(None) };
        let block = match before {
            Some(place) if place.block_idx == block_idx => place.block.clone(),
            _ => self.block(block_idx)?,
        };
        let n_rows = block.rows_before(block.bytes(), instant);
        Ok(Some(Place { instant, block_idx, block, n_rows }))
    }

    fn block(&self, block_idx: usize) -> Result<Held<StateBlock>> {
        self.store.state_block(self.lane, &self.blocks[block_idx])
    }

    /// Adds the time between two instants.
    fn add_gap(
        &self,
        from: Option<&Place>,
        to: Option<&Place>,
        add: &mut impl FnMut(u32, i128),
    ) -> Result<()> {
        let Some(to) = to else { return Ok(()) };
        match from {
            Some(from) if to.instant <= from.instant => return Ok(()),
            Some(from) if to.block_idx == from.block_idx => {
                self.add_rows(&from.block, from.n_rows..to.n_rows, 1, add);
            }
            Some(from) if to.block_idx == from.block_idx + 1 => {
                self.add_rows(&from.block, from.n_rows..from.block.n, 1, add);
                self.add_rows(&to.block, 0..to.n_rows, 1, add);
            }
            _ => {
                self.add_all_before(to, 1, add)?;
                if let Some(from) = from {
                    self.add_all_before(from, -1, add)?;
                }
            }
        }
        self.add_rest(to, -1, add);
        if let Some(from) = from {
            self.add_rest(from, 1, add);
        }
        Ok(())
    }

    /// Adds the whole length of every row that begins before a place.
    fn add_all_before(
        &self,
        place: &Place,
        sign: i128,
        add: &mut impl FnMut(u32, i128),
    ) -> Result<()> {
        let back = place.block.back as usize;
        let start = place
            .block_idx
            .checked_sub(back)
            .ok_or_else(|| damaged("totals stand before the first block"))?;
        for block_idx in start..place.block_idx {
            let block = self.block(block_idx)?;
            if block_idx == start {
                self.add_totals(&block, sign, add);
            }
            self.add_rows(&block, 0..block.n, sign, add);
        }
        if back == 0 {
            self.add_totals(&place.block, sign, add);
        }
        self.add_rows(&place.block, 0..place.n_rows, sign, add);
        Ok(())
    }

    /// Adds what the last row that begins before a place has after it.
    fn add_rest(&self, place: &Place, sign: i128, add: &mut impl FnMut(u32, i128)) {
        let (block, bytes) = (&place.block, place.block.bytes());
        let Some(last) = place.n_rows.checked_sub(1) else { return };
        let end = block.end(bytes, last);
        if end > place.instant {
            let rest = sign * i128::from(end.wrapping_sub(place.instant) as u64);
            add(block.dictionary[block.value(bytes, last)], rest);
            if let Some(value) = self.outer(block.enclosing(bytes, last)) {
                add(value, -rest);
            }
        }
    }

    fn add_totals(&self, block: &StateBlock, sign: i128, add: &mut impl FnMut(u32, i128)) {
        for &Total { id, ticks, .. } in &block.totals.0 {
            add(id, sign * i128::from(ticks));
        }
        for &Total { id, ticks, .. } in block.outer_totals().iter().flat_map(|totals| &totals.0) {
            if let Some(value) = self.outer(Some(id)) {
                add(value, -sign * i128::from(ticks));
            }
        }
    }

    fn add_rows(
        &self,
        block: &Held<StateBlock>,
        rows: std::ops::Range<usize>,
        sign: i128,
        add: &mut impl FnMut(u32, i128),
    ) {
        let bytes = block.bytes();
        block.time(bytes, rows.clone(), |value, ticks| add(value, sign * ticks));
        if self.measure == Measure::Exclusive {
            block.outer_time(bytes, rows, |number, ticks| {
                if let Some(value) = number.checked_sub(1) {
                    add(value, -sign * ticks);
                }
            });
        }
    }

    /// The enclosing value, if its time is to be taken off.
    fn outer(&self, number: Option<u32>) -> Option<u32> {
        match self.measure {
            Measure::Exclusive => number?.checked_sub(1),
            Measure::Inclusive => None,
        }
    }
}
