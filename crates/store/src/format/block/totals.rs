//! What a lane amounts to before a block: per value, ticks and rows.

use crate::{
    error::{Result, damaged},
    format::codec::{Reader, put_varint},
};

/// Everything of one value so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Total {
    pub id: u32,
    pub ticks: u64,
    pub count: u64,
}

/// The totals of a lane, by ascending id.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Totals(pub Vec<Total>);

impl Totals {
    /// Adds the totals of a block, also by ascending id.
    pub(crate) fn add(&mut self, block: impl Iterator<Item = Total>) {
        let mut at = 0;
        for total in block {
            at += self.0[at..].partition_point(|own| own.id < total.id);
            match self.0.get_mut(at) {
                Some(own) if own.id == total.id => {
                    own.ticks = own.ticks.wrapping_add(total.ticks);
                    own.count += total.count;
                }
                _ => self.0.insert(at, total),
            }
        }
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        put_varint(out, self.0.len() as u64);
        let mut next = 0;
        for total in &self.0 {
            put_varint(out, u64::from(total.id) - next);
            put_varint(out, total.ticks);
            put_varint(out, total.count);
            next = u64::from(total.id) + 1;
        }
    }

    /// Reads totals whose ids are below `n_ids`.
    pub(crate) fn read(reader: &mut Reader<'_>, n_ids: u64) -> Result<Self> {
        let n = reader.count()?;
        let mut totals = Vec::with_capacity(n);
        let mut next = 0u64;
        for _ in 0..n {
            let id = next.saturating_add(reader.varint()?);
            if id >= n_ids {
                return Err(damaged("a total is of no known value"));
            }
            let (ticks, count) = (reader.varint()?, reader.varint()?);
            totals.push(Total { id: id as u32, ticks, count });
            next = id + 1;
        }
        Ok(Self(totals))
    }
}

/// When a lane's totals are written into a block. A lane with very many values would be mostly
/// totals if every block had them; the reader then adds up the blocks since the last that has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Snapshots {
    rows: u64,
    blocks: u32,
    any: bool,
}

impl Snapshots {
    /// How many blocks back the totals stand: 0 when this block is to carry them.
    pub(crate) fn next(&mut self, n_rows: usize, n_totals: usize) -> u32 {
        let due = !self.any || self.rows >= 4 * n_totals as u64;
        if due {
            *self = Self { rows: 0, blocks: 0, any: true };
        } else {
            self.blocks += 1;
        }
        self.rows += n_rows as u64;
        self.blocks
    }
}

/// Gives ids that occur in a block consecutive numbers. The table is as long as the largest id
/// and reused, because clearing what was touched is cheaper than hashing.
#[derive(Clone, Default)]
pub(crate) struct Dictionary {
    number_of: Vec<u32>,
    /// The ids of the current block.
    pub ids: Vec<u32>,
    /// One more than the largest id of all blocks.
    pub n_ids: u32,
}

const UNSEEN: u32 = u32::MAX;

impl Dictionary {
    #[inline]
    pub(crate) fn see(&mut self, id: u32) {
        match self.number_of.get_mut(id as usize) {
            Some(number) if *number != UNSEEN => {}
            Some(number) => {
                *number = 0;
                self.ids.push(id);
            }
            None => self.grow(id),
        }
    }

    #[cold]
    fn grow(&mut self, id: u32) {
        let len = (id as usize + 1).max(self.number_of.len() * 2);
        self.number_of.resize(len, UNSEEN);
        self.number_of[id as usize] = 0;
        self.ids.push(id);
    }

    /// Sorts what was seen and numbers it.
    pub(crate) fn number(&mut self) {
        self.ids.sort_unstable();
        self.n_ids = self.n_ids.max(self.ids.last().map_or(0, |&id| id + 1));
        for (number, &id) in self.ids.iter().enumerate() {
            self.number_of[id as usize] = number as u32;
        }
    }

    #[inline]
    pub(crate) fn get(&self, id: u32) -> u32 {
        self.number_of[id as usize]
    }

    pub(crate) fn clear(&mut self) {
        for id in self.ids.drain(..) {
            self.number_of[id as usize] = UNSEEN;
        }
    }
}
