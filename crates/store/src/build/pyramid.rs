//! The sums of a lane in the making: blocks that wait until they can be summed up together.

use crate::{
    error::Result,
    format::block::sums::{FAN_OUT, SumEncoder, SumExtent},
    format::codec::PAD,
};

/// What waits, by level.
#[derive(Clone, Default, Debug)]
pub(crate) struct Pyramid {
    levels: Vec<Waiting>,
    n_bytes: usize,
}

/// Neighbouring blocks of a level.
#[derive(Clone, Default, Debug)]
struct Waiting {
    /// Rows of the lane before the first of them.
    rows_before: u64,
    /// How many there are, those without sums too.
    n: usize,
    /// Those with sums.
    blocks: Vec<SumsOf>,
}

/// The encoded sums of some rows of a lane.
#[derive(Clone, Debug)]
pub(crate) struct SumsOf {
    pub extent: SumExtent,
    pub bytes: Vec<u8>,
}

/// Blocks that are complete, and wait to be summed up.
pub(crate) struct Complete {
    pub rows_before: u64,
    blocks: Vec<SumsOf>,
}

impl Pyramid {
    /// Adds a block of a level, or that there are no sums of these rows. Returns the blocks that one
    /// of the next level sums up, if this was the last of them.
    pub(crate) fn add(
        &mut self,
        level: usize,
        rows_before: u64,
        sums: Option<SumsOf>,
    ) -> Option<Complete> {
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, Waiting::default);
        }
        let waiting = &mut self.levels[level];
        if waiting.n == 0 {
            waiting.rows_before = rows_before;
        }
        waiting.n += 1;
        self.n_bytes += sums.as_ref().map_or(0, |sums| sums.bytes.len());
        waiting.blocks.extend(sums);
        if waiting.n < FAN_OUT {
            return None;
        }
        let Waiting { rows_before, blocks, .. } = std::mem::take(waiting);
        self.n_bytes -= blocks.iter().map(|sums| sums.bytes.len()).sum::<usize>();
        Some(Complete { rows_before, blocks })
    }

    /// The bytes that wait.
    pub(crate) fn n_bytes(&self) -> usize {
        self.n_bytes
    }

    /// Forgets what waits: it will not be summed up.
    pub(crate) fn forget(&mut self) {
        self.levels.iter_mut().for_each(|waiting| waiting.blocks = Vec::new());
        self.n_bytes = 0;
    }
}

impl Complete {
    /// Sums them up, if all have sums and it is worth it.
    pub(crate) fn sum_up(self, encoder: &mut SumEncoder) -> Result<Option<SumsOf>> {
        if self.blocks.len() < FAN_OUT {
            return Ok(None);
        }
        let padded = self.blocks.into_iter().map(|SumsOf { extent, mut bytes }| {
            bytes.resize(bytes.len() + PAD, 0);
            (extent, bytes)
        });
        let padded: Vec<(SumExtent, Vec<u8>)> = padded.collect();
        let mut bytes = Vec::new();
        let extent = encoder.encode_level(&padded, &mut bytes)?;
        Ok(extent.map(|extent| SumsOf { extent, bytes }))
    }
}
