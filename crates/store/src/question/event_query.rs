//! Questions about events.

use onca_model::{EventRow, Flow, LaneId, Nature, Ticks, ValueId, Window};

use crate::{
    Store, ValueSums,
    error::{Result, damaged},
    format::directory::BlockEntry,
    question::state_query::into_counts,
    read::store::last_before,
};

impl Store {
    /// How many events of a lane lie in a window, by value, without zeros. Equals a count over
    /// its events; costs two searches.
    pub fn event_counts(&self, lane: LaneId, window: Window) -> Result<Vec<(ValueId, u64)>> {
        let blocks = self.rows_of(lane, Nature::Event)?;
        let mut counts = ValueSums::new(self.catalog().values.len());
        if window.from < window.to {
            self.count_before(lane, blocks, window.to, 1, &mut counts)?;
            self.count_before(lane, blocks, window.from, -1, &mut counts)?;
        }
        Ok(into_counts(counts))
    }

    /// Visits the events of a lane in a window, in order, with their row numbers.
    pub fn visit_events<F: Flow>(
        &self,
        lane: LaneId,
        window: Window,
        mut visit: impl FnMut(u64, &EventRow) -> F,
    ) -> Result<F::Out> {
        let blocks = self.rows_of(lane, Nature::Event)?;
        let first = last_before(blocks, window.from).unwrap_or(0);
        for entry in &blocks[first..] {
            if entry.first >= window.to {
                break;
            }
            let block = self.event_block(lane, entry)?;
            let bytes = block.bytes();
            let from = block.rows_before(bytes, window.from);
            for index in from..block.rows_before(bytes, window.to) {
                let answer = visit(entry.rows_before + index as u64, &block.row(bytes, index));
                if let Some(out) = answer.ended() {
                    return Ok(out);
                }
            }
        }
        Ok(F::done())
    }

    /// The extra fields of an event, packed; empty if it has none.
    pub fn event_extras(&self, lane: LaneId, row: u64) -> Result<Vec<u8>> {
        self.extras(lane, row)
    }

    /// Adds `sign` for each event before `time`.
    fn count_before(
        &self,
        lane: LaneId,
        blocks: &[BlockEntry],
        time: Ticks,
        sign: i128,
        counts: &mut ValueSums,
    ) -> Result<()> {
        let Some(index) = last_before(blocks, time) else { return Ok(()) };
        let mut add = |value: u32, n: i128| counts.add(ValueId(value), sign * n);
        let back = self.event_block(lane, &blocks[index])?.back as usize;
        let start = index
            .checked_sub(back)
            .ok_or_else(|| damaged("totals stand before the first block"))?;
        for (at, entry) in blocks.iter().enumerate().take(index + 1).skip(start) {
            let block = self.event_block(lane, entry)?;
            if at == start {
                block.totals.0.iter().for_each(|total| add(total.id, i128::from(total.count)));
            }
            let n = if at == index { block.rows_before(block.bytes(), time) } else { block.n };
            block.count(block.bytes(), n, |value| add(value, 1));
        }
        Ok(())
    }
}
