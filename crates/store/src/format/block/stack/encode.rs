//! Columns to blocks of stacks.

use hashbrown::HashMap;

use super::{REPEATED, TILE_COLUMNS, number_width};
use crate::format::codec::{put_column, put_varint};

/// Two bytes tell looks apart.
const MOST_LOOKS: usize = 1 << 16;
/// A block with more bytes is not worth its room: there are too many values to a column.
const MOST_BYTES_PER_COLUMN: usize = 8;

/// Encodes the stacks of neighbouring columns, the first of which begins a tile.
#[derive(Default)]
pub(crate) struct StackEncoder {
    numbers: HashMap<u64, u16, foldhash::fast::FixedState>,
    /// Looks that were met lately, with their numbers: most are met again and again.
    lately: [(u64, u16); 32],
    looks: Vec<u64>,
    /// The looks of runs that are done.
    runs: Vec<u16>,
    /// How many columns the repeated ones among them have, less one.
    lengths: Vec<u8>,
    /// The shares of all of them, and of the run in the making.
    shares: Vec<u8>,
    /// Where each tile ends that is done.
    tiles: Vec<Ends>,
    /// The run in the making: its look, how many columns, where its shares begin.
    look: u64,
    n: usize,
    first_share: usize,
    /// Columns of the tile in the making, the run in the making not counted.
    n_columns: usize,
    gave_up: bool,
}

/// How many runs, lengths and shares there are up to the end of a tile.
#[derive(Clone, Copy, Default)]
struct Ends {
    runs: usize,
    lengths: usize,
    shares: usize,
}

impl StackEncoder {
    /// How many tiles are done.
    pub(crate) fn n_tiles(&self) -> usize {
        self.tiles.len()
    }

    /// Is no tile in the making?
    pub(crate) fn is_between_tiles(&self) -> bool {
        self.n_columns + self.n == 0
    }

    /// How many columns the tile in the making has room for.
    pub(crate) fn n_free(&self) -> usize {
        TILE_COLUMNS - self.n_columns - self.n
    }

    /// There will be no block: something has no place in it.
    pub(crate) fn give_up(&mut self) {
        self.gave_up = true;
    }

    /// Appends columns with a look and shares. The tile in the making must have room for them.
    #[inline]
    pub(crate) fn push(&mut self, n: usize, look: u64, shares: &[u8]) {
        // Shares are few: a loop is quicker than a call that compares or copies them.
        let is_same = self.n > 0
            && self.look == look
            && self.shares[self.first_share..].iter().eq(shares.iter());
        if !is_same {
            self.end_run();
            self.look = look;
            self.first_share = self.shares.len();
            shares.iter().for_each(|share| self.shares.push(*share));
        }
        self.n += n;
        if self.n_columns + self.n == TILE_COLUMNS {
            self.end_run();
            self.tiles.push(Ends {
                runs: self.runs.len(),
                lengths: self.lengths.len(),
                shares: self.shares.len(),
            });
            self.n_columns = 0;
        }
    }

    #[inline]
    fn end_run(&mut self) {
        let n = std::mem::take(&mut self.n);
        if n == 0 {
            return;
        }
        let mut look = self.look;
        if n > 1 {
            look |= REPEATED;
            self.lengths.push((n - 1) as u8);
        }
        let number = self.number(look);
        self.runs.push(number);
        self.n_columns += n;
    }

    /// The number of a look.
    #[inline]
    fn number(&mut self, look: u64) -> u16 {
        let place = look.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - 5);
        let (known, number) = self.lately[place as usize];
        if known == look && self.looks.get(usize::from(number)) == Some(&look) {
            return number;
        }
        let number = *self.numbers.entry(look).or_insert_with(|| {
            self.looks.push(look);
            (self.looks.len() - 1) as u16
        });
        self.gave_up |= self.looks.len() > MOST_LOOKS;
        self.lately[place as usize] = (look, number);
        number
    }

    /// The block of the tiles that are done, if it is worth it, and a new beginning.
    pub(crate) fn finish(&mut self) -> Option<Vec<u8>> {
        let block = self.block();
        self.numbers.clear();
        self.looks.clear();
        self.runs.clear();
        self.lengths.clear();
        self.shares.clear();
        self.tiles.clear();
        self.gave_up = false;
        block
    }

    fn block(&self) -> Option<Vec<u8>> {
        if self.gave_up {
            return None;
        }
        let width = number_width(self.looks.len());
        let befores = std::iter::once(Ends::default()).chain(self.tiles.iter().copied());
        let tiles = || befores.clone().zip(self.tiles.iter().copied());
        let length = |(before, end): (Ends, Ends)| {
            let (n_runs, n_lengths) = (end.runs - before.runs, end.lengths - before.lengths);
            (2 + n_runs * width + n_lengths + end.shares - before.shares) as u64
        };
        let lengths: Vec<u64> = tiles().map(length).collect();
        let n_bytes = lengths.iter().sum::<u64>() as usize;
        let mut out = Vec::with_capacity(n_bytes + 8 * self.looks.len() + 8 * self.tiles.len());
        put_varint(&mut out, self.looks.len() as u64);
        put_column(&mut out, self.looks.iter().copied());
        put_column(&mut out, lengths.iter().copied());
        for (before, end) in tiles() {
            let runs = &self.runs[before.runs..end.runs];
            let lengths = &self.lengths[before.lengths..end.lengths];
            out.extend([(runs.len() - 1) as u8, lengths.len() as u8]);
            match width {
                1 => out.extend(runs.iter().map(|number| *number as u8)),
                _ => out.extend(runs.iter().flat_map(|number| number.to_le_bytes())),
            }
            out.extend_from_slice(lengths);
            out.extend_from_slice(&self.shares[before.shares..end.shares]);
        }
        let most_bytes = MOST_BYTES_PER_COLUMN * TILE_COLUMNS * self.tiles.len();
        (out.len() <= most_bytes).then_some(out)
    }
}
