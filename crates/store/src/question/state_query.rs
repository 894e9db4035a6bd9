//! Questions about states.

use onca_model::{Flow, LaneId, Nature, StateRow, Ticks, ValueId, Window};

use crate::{
    Measure, Store, TrackId, ValueSums,
    error::{Result, StoreError, damaged, no_row},
    format::block::state::StateBlock,
    format::directory::BlockEntry,
    question::state_scan::UnpackedStates,
    read::store::{Held, holder, last_before},
};

/// Sums of many tracks may pass what a tick count can say.
fn into_ticks(sums: ValueSums) -> Vec<(ValueId, Ticks)> {
    let clamp = |sum: i128| sum.clamp(i128::from(Ticks::MIN), i128::from(Ticks::MAX)) as Ticks;
    sums.into_sorted().into_iter().map(|(value, sum)| (value, clamp(sum))).collect()
}

/// What occurs. Sums below zero come from damaged stores only.
pub(crate) fn into_counts(sums: ValueSums) -> Vec<(ValueId, u64)> {
    let counts = sums.into_sorted().into_iter().filter(|&(_, count)| count > 0);
    counts.map(|(value, count)| (value, count as u64)).collect()
}

impl Store {
    /// The time a track spent in each value during a window, by value, without zeros.
    ///
    /// Equals the sum of `window.overlap(start, end)` over the track's states, of all depths, by
    /// value; for [`Measure::Exclusive`] less the same sum by enclosing value. Costs two searches
    /// per lane, however long the window.
    pub fn state_time(
        &self,
        track: TrackId,
        window: Window,
        measure: Measure,
    ) -> Result<Vec<(ValueId, Ticks)>> {
        self.state_time_of(&[track], window, measure)
    }

    /// The sum of [`state_time`](Self::state_time) over several tracks.
    pub fn state_time_of(
        &self,
        tracks: &[TrackId],
        window: Window,
        measure: Measure,
    ) -> Result<Vec<(ValueId, Ticks)>> {
        let mut sums = ValueSums::new(self.catalog().values.len());
        for &track in tracks {
            for &lane in self.lanes_of(track)? {
                self.add_time(lane, window, measure, &mut sums)?;
            }
        }
        Ok(into_ticks(sums))
    }

    /// The time one lane spent in each value during a window: [`state_time`](Self::state_time)
    /// without the lanes inside it.
    pub fn lane_time(&self, lane: LaneId, window: Window) -> Result<Vec<(ValueId, Ticks)>> {
        let mut sums = ValueSums::new(self.catalog().values.len());
        self.add_time(lane, window, Measure::Inclusive, &mut sums)?;
        Ok(into_ticks(sums))
    }

    fn add_time(
        &self,
        lane: LaneId,
        window: Window,
        measure: Measure,
        sums: &mut ValueSums,
    ) -> Result<()> {
        let instants = [window.from, window.to];
        self.visit_lane_time(lane, &instants, measure, |_, value, ticks| sums.add(value, ticks))
    }

    /// How many states of a track touch a window, by value, without zeros. Equals a count over
    /// the states of all depths.
    pub fn state_counts(&self, track: TrackId, window: Window) -> Result<Vec<(ValueId, u64)>> {
        self.state_counts_of(&[track], window)
    }

    /// The sum of [`state_counts`](Self::state_counts) over several tracks.
    pub fn state_counts_of(
        &self,
        tracks: &[TrackId],
        window: Window,
    ) -> Result<Vec<(ValueId, u64)>> {
        let mut sums = ValueSums::new(self.catalog().values.len());
        for &track in tracks {
            for &lane in self.lanes_of(track)? {
                let (from, to) = self.touching(lane, window)?;
                if from < to {
                    self.add_counts(lane, to, 1, &mut sums)?;
                    self.add_counts(lane, from, -1, &mut sums)?;
                }
            }
        }
        Ok(into_counts(sums))
    }

    /// How many states of some tracks touch a window. This costs no more than finding the first and
    /// the last of each lane.
    pub fn n_states(&self, tracks: &[TrackId], window: Window) -> Result<u64> {
        let mut n = 0;
        for &track in tracks {
            for &lane in self.lanes_of(track)? {
                let (from, to) = self.touching(lane, window)?;
                n += to.saturating_sub(from);
            }
        }
        Ok(n)
    }

    /// Visits the states of a lane that touch a window and last at least `min_duration`, in
    /// order: row number, state, and the row number of the enclosing state one lane up.
    pub fn visit_states<F: Flow>(
        &self,
        lane: LaneId,
        window: Window,
        min_duration: Ticks,
        mut visit: impl FnMut(u64, &StateRow, Option<u64>) -> F,
    ) -> Result<F::Out> {
        let blocks = self.rows_of(lane, Nature::State)?;
        let first = last_before(blocks, window.from).unwrap_or(0);
        for entry in &blocks[first..] {
            if entry.first >= window.to {
                break;
            }
            let block = self.state_block(lane, entry)?;
            let bytes = block.bytes();
            for index in block.touching(bytes, window) {
                let row = block.row(bytes, index);
                if row.end.saturating_sub(row.start) >= min_duration {
                    let parent = block.parent_row(bytes, index);
                    let answer = visit(entry.rows_before + index as u64, &row, parent);
                    if let Some(out) = answer.ended() {
                        return Ok(out);
                    }
                }
            }
        }
        Ok(F::done())
    }

    /// One state of a lane, and the row number of the enclosing state one lane up.
    pub fn state(&self, lane: LaneId, row: u64) -> Result<(StateRow, Option<u64>)> {
        let blocks = self.rows_of(lane, Nature::State)?;
        let (entry, index) = holder(blocks, row).ok_or_else(|| no_row(lane, row))?;
        let block = self.state_block(lane, entry)?;
        Ok((block.row(block.bytes(), index), block.parent_row(block.bytes(), index)))
    }

    /// The extra fields of a state, packed; empty if it has none.
    pub fn state_extras(&self, lane: LaneId, row: u64) -> Result<Vec<u8>> {
        self.extras(lane, row)
    }

    /// Visits the states of a track, of all depths, that touch a window and last at least
    /// `min_duration`, in order of opening: a state before those inside it, also where they begin
    /// and end at one instant. Gives the depth, the row number in that depth's lane, and the state.
    pub fn visit_track_states<F: Flow>(
        &self,
        track: TrackId,
        window: Window,
        min_duration: Ticks,
        mut visit: impl FnMut(usize, u64, &StateRow) -> F,
    ) -> Result<F::Out> {
        let lanes = self.lanes_of(track)?;
        let mut cursors = self.cursors(lanes, window)?;
        // The row that is open at each depth above the current one.
        let mut open: Vec<u64> = Vec::with_capacity(lanes.len());
        loop {
            let depth = open.len();
            let parent = open.last().copied();
            let next = match cursors.get_mut(depth) {
                Some(cursor) => cursor.next_under(self, parent)?,
                None => None,
            };
            match next {
                Some((number, row)) => {
                    let long = row.end.saturating_sub(row.start) >= min_duration;
                    if long
                        && window.touches(row.start, row.end)
                        && let Some(out) = visit(depth, number, &row).ended()
                    {
                        return Ok(out);
                    }
                    open.push(number);
                }
                None if open.pop().is_none() => return Ok(F::done()),
                None => {}
            }
        }
    }

    pub(crate) fn lanes_of(&self, track: TrackId) -> Result<&[LaneId]> {
        match self.tracks().lanes(track) {
            [] => Err(StoreError::NoSuch { what: format!("track {}", track.0) }),
            lanes => Ok(lanes),
        }
    }

    /// The rows of a lane that touch a window: first and one past the last.
    fn touching(&self, lane: LaneId, window: Window) -> Result<(u64, u64)> {
        let blocks = self.rows_of(lane, Nature::State)?;
        let from = match last_before(blocks, window.from) {
            // Rows of earlier blocks end before this one begins.
            Some(index) => {
                let block = self.state_block(lane, &blocks[index])?;
                let place = block.first_touching(block.bytes(), window.from);
                blocks[index].rows_before + place as u64
            }
            None => 0,
        };
        let to = match last_before(blocks, window.to) {
            Some(index) => {
                let block = self.state_block(lane, &blocks[index])?;
                let place = block.rows_before(block.bytes(), window.to);
                blocks[index].rows_before + place as u64
            }
            None => 0,
        };
        Ok((from, to))
    }

    /// Adds `sign` for each of the first `n` rows of a lane.
    fn add_counts(&self, lane: LaneId, n: u64, sign: i128, sums: &mut ValueSums) -> Result<()> {
        let blocks = self.rows_of(lane, Nature::State)?;
        let Some(index) = blocks.partition_point(|b| b.rows_before < n).checked_sub(1) else {
            return Ok(());
        };
        let start = self.visit_totals(lane, blocks, index, |block| {
            for total in &block.totals.0 {
                sums.add(ValueId(total.id), sign * i128::from(total.count));
            }
        })?;
        for (at, entry) in blocks.iter().enumerate().take(index + 1).skip(start) {
            let block = self.state_block(lane, entry)?;
            let rows = if at == index { (n - entry.rows_before) as usize } else { block.n };
            for row in 0..rows.min(block.n) {
                let value = block.dictionary[block.value(block.bytes(), row)];
                sums.add(ValueId(value), sign);
            }
        }
        Ok(())
    }

    /// Gives `add` the block that has the latest totals at or before block `index` and returns
    /// its place.
    fn visit_totals(
        &self,
        lane: LaneId,
        blocks: &[BlockEntry],
        index: usize,
        add: impl FnOnce(&StateBlock),
    ) -> Result<usize> {
        let block = self.state_block(lane, &blocks[index])?;
        let start = index
            .checked_sub(block.back as usize)
            .ok_or_else(|| damaged("totals stand before the first block"))?;
        if start == index {
            add(&block);
        } else {
            let earlier = self.state_block(lane, &blocks[start])?;
            add(&earlier);
        }
        Ok(start)
    }

    /// Cursors over the rows of each lane that touch the window, and over the states that
    /// enclose them: an instant at the window's edge may lie in a state that has just ended.
    fn cursors(&self, lanes: &[LaneId], window: Window) -> Result<Vec<Cursor>> {
        let mut cursors = Vec::with_capacity(lanes.len());
        let mut needed = u64::MAX;
        for &lane in lanes.iter().rev() {
            let (from, to) = self.touching(lane, window)?;
            let next = if from < to { from.min(needed) } else { needed };
            let to = if needed == u64::MAX { to } else { to.max(needed.saturating_add(1)) };
            let to = to.min(self.n_rows(lane));
            let next = next.min(to);
            needed =
                if next < to { self.state(lane, next)?.1.unwrap_or(u64::MAX) } else { u64::MAX };
            cursors.push(Cursor { lane, next, to, unpacked: None });
        }
        cursors.reverse();
        Ok(cursors)
    }
}

/// Walks the rows of one lane.
struct Cursor {
    lane: LaneId,
    next: u64,
    to: u64,
    unpacked: Option<Unpacked>,
}

/// The rows of a block that a cursor passes.
struct Unpacked {
    block: Held<StateBlock>,
    /// The place of the first of them in the block.
    offset: usize,
    /// The row number of the first of them.
    first: u64,
    states: UnpackedStates,
    /// The row numbers of the states around them, one lane up; empty in an outermost lane.
    parents: Vec<u64>,
}

impl Unpacked {
    /// The place of a row, if it is here.
    #[inline]
    fn place_of(&self, row: u64) -> Option<usize> {
        let place = usize::try_from(row.checked_sub(self.first)?).ok()?;
        (place < self.states.starts.len()).then_some(place)
    }

    #[inline]
    fn row(&self, place: usize) -> StateRow {
        StateRow {
            start: self.states.starts[place],
            end: self.states.ends[place],
            value: self.states.values[place],
            parent: self.states.around(place),
            open_ended: self.block.is_open(self.block.bytes(), self.offset + place),
        }
    }
}

impl Cursor {
    /// The next row, if the state that encloses it is `parent` or, in a damaged store, one before.
    fn next_under(
        &mut self,
        store: &Store,
        parent: Option<u64>,
    ) -> Result<Option<(u64, StateRow)>> {
        if self.next >= self.to {
            return Ok(None);
        }
        let number = self.next;
        let (unpacked, place) = self.find(store, number)?;
        if let (Some(parent), Some(own)) = (parent, unpacked.parents.get(place))
            && *own > parent
        {
            return Ok(None);
        }
        let row = unpacked.row(place);
        self.next += 1;
        Ok(Some((number, row)))
    }

    /// What holds a row, and its place there.
    fn find(&mut self, store: &Store, row: u64) -> Result<(&Unpacked, usize)> {
        if self.unpacked.as_ref().is_none_or(|unpacked| unpacked.place_of(row).is_none()) {
            self.unpacked = Some(self.unpack(store, row)?);
        }
        let found = self.unpacked.as_ref().and_then(|held| Some((held, held.place_of(row)?)));
        found.ok_or_else(|| damaged("a block is shorter than the index says"))
    }

    /// Unpacks what is wanted of a block, from a row on.
    fn unpack(&mut self, store: &Store, row: u64) -> Result<Unpacked> {
        let blocks = store.rows_of(self.lane, Nature::State)?;
        let (entry, offset) = holder(blocks, row).ok_or_else(|| no_row(self.lane, row))?;
        let block = store.state_block(self.lane, entry)?;
        let wanted = usize::try_from(self.to - row).unwrap_or(usize::MAX);
        let rows = offset..offset.saturating_add(wanted).min(block.n).max(offset);
        // The room of the block before is used again.
        let before = self.unpacked.take();
        let (mut states, mut parents) =
            before.map_or_else(Default::default, |before| (before.states, before.parents));
        states.unpack(&block, block.bytes(), rows.clone(), |value| value);
        parents.clear();
        block.extend_parents(block.bytes(), rows, &mut parents);
        Ok(Unpacked { block, offset, first: row, states, parents })
    }
}
