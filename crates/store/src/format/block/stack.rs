//! Blocks of stacks: what the values of a track have of columns whose width is a power of two, in
//! 255ths, as a picture shows it. Values are known by their rank: the place in the order of the time
//! that they have in the whole trace.
//!
//! ```text
//! looks: count, column
//! tiles: column of their lengths in bytes
//! each tile: how many runs, less one; how many of them are repeated
//!            numbers of looks; for each repeated run how many columns, less one; shares
//! ```
//! A *look* has a bit for each rank, above three flags. A run is neighbouring columns of a tile with
//! the same look and the same shares, in the order of ranks. Where they fill a column, the last share
//! is left out: it is the rest.

mod encode;

pub(crate) use encode::StackEncoder;

use super::{Bounds, open_block};
use crate::{
    error::{Result, StoreError, damaged},
    format::directory::BlockEntry,
};

/// Columns of a tile.
pub const TILE_COLUMNS: usize = 128;
/// Tiles of a block, which begins with a multiple of that unless it is the first of a track.
pub(crate) const BLOCK_TILES: i64 = 32;
/// Values with a higher rank have no bit.
pub(crate) const MOST_RANKS: u32 = u64::BITS - FLAGS;
/// One byte tells so many looks apart.
const FEW_LOOKS: usize = 1 << 8;
/// Most columns have no more parts.
pub const FEW_PARTS: usize = 4;

/// Several states share a column.
const AGGREGATE: u64 = 1;
/// The shares fill a column.
const FULL: u64 = 2;
/// A run has several columns.
const REPEATED: u64 = 4;
const FLAGS: u32 = 3;

/// A look: a bit for each rank that has a share, and whether these fill a column, and whether several
/// states share it.
pub(crate) fn look_of(ranks: u64, is_full: bool, is_aggregate: bool) -> u64 {
    let full = if is_full { FULL } else { 0 };
    ranks << FLAGS | full | if is_aggregate { AGGREGATE } else { 0 }
}

/// The ranks that have a bit, the lowest first.
#[inline]
pub(crate) fn each_rank(mut ranks: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let rank = ranks.trailing_zeros();
        ranks &= ranks.wrapping_sub(1);
        (rank < u64::BITS).then_some(rank)
    })
}

/// The bytes of the number of a look.
fn number_width(n_looks: usize) -> usize {
    if n_looks <= FEW_LOOKS { 1 } else { 2 }
}

/// What columns have in common, but for the shares.
#[derive(Clone, Copy, Debug)]
struct Look {
    ranks: u64,
    /// How many shares are written.
    n_shares: usize,
    is_repeated: bool,
    is_full: bool,
    is_aggregate: bool,
}

impl Look {
    fn of(bits: u64) -> Self {
        let ranks = bits >> FLAGS;
        let is_full = bits & FULL != 0;
        let n_shares = (ranks.count_ones() as usize).saturating_sub(usize::from(is_full));
        let (is_repeated, is_aggregate) = (bits & REPEATED != 0, bits & AGGREGATE != 0);
        Self { ranks, n_shares, is_repeated, is_full, is_aggregate }
    }
}

/// A parsed block.
#[derive(Debug)]
pub(crate) struct StackBlock {
    looks: Vec<Look>,
    number_width: usize,
    /// A bit for each rank that has a share somewhere.
    pub ranks: u64,
    /// Where the runs of each tile begin, and where those of the last end.
    bounds: Vec<usize>,
}

/// Runs are followed by so many bytes: who reads them can take several at once.
const SLACK: usize = FEW_PARTS;

impl StackBlock {
    pub(crate) fn parse(bytes: &[u8], entry: &BlockEntry, bounds: Bounds) -> Result<Self> {
        let (mut reader, n_tiles) = open_block(bytes, entry)?;
        let n_looks = reader.count()?;
        let looks: Vec<Look> = reader.column(n_looks)?.map(Look::of).collect();
        let ranks = looks.iter().fold(0, |all, look| all | look.ranks);
        if u64::BITS - ranks.leading_zeros() > bounds.n_values {
            return Err(damaged("a stack has no known value"));
        }
        let lengths = reader.column(n_tiles)?;
        let mut ends = Vec::with_capacity(n_tiles + 1);
        let mut total = 0;
        ends.push(0);
        for length in lengths {
            let length = usize::try_from(length).ok();
            let sum = length.and_then(|length| length.checked_add(total));
            total = sum.ok_or_else(|| damaged("a tile of stacks is too long"))?;
            ends.push(total);
        }
        let begin = reader.position();
        reader.take(total)?;
        ends.iter_mut().for_each(|end| *end += begin);
        let number_width = number_width(n_looks);
        Ok(Self { looks, number_width, ranks, bounds: ends })
    }

    /// Reads all of it.
    pub(crate) fn check(&self, bytes: &[u8]) -> Result<()> {
        let tiles = 0..self.bounds.len() - 1;
        tiles.map(|tile| self.runs(bytes, tile)).try_for_each(|runs| self.visit(runs, |_, _| ()))
    }

    /// The ranks of each look.
    pub(crate) fn ranks_of_looks(&self) -> impl Iterator<Item = u64> {
        self.looks.iter().map(|look| look.ranks)
    }

    /// The runs of a tile, and [`SLACK`] bytes more: blocks are padded.
    pub(crate) fn runs<'b>(&self, bytes: &'b [u8], tile: usize) -> &'b [u8] {
        &bytes[self.bounds[tile]..self.bounds[tile + 1] + SLACK]
    }

    /// Visits the stacks of a tile with these runs: how many columns have each.
    #[inline]
    pub(crate) fn visit(&self, runs: &[u8], mut visit: impl FnMut(usize, Stack<'_>)) -> Result<()> {
        let (&[n_runs, n_repeated], rest) = runs.split_first_chunk().ok_or_else(bad_run)?;
        let n_runs = usize::from(n_runs) + 1;
        let numbers = n_runs * self.number_width;
        let (numbers, rest) = rest.split_at_checked(numbers).ok_or_else(bad_run)?;
        let (lengths, shares) =
            rest.split_at_checked(usize::from(n_repeated)).ok_or_else(bad_run)?;
        let end = shares.len().checked_sub(SLACK).ok_or_else(bad_run)?;
        let (mut lengths, mut at, mut n_columns) = (lengths.iter(), 0, 0);
        for run in 0..n_runs {
            let number = match self.number_width {
                1 => usize::from(numbers[run]),
                _ => usize::from(u16::from_le_bytes([numbers[2 * run], numbers[2 * run + 1]])),
            };
            let look = self.looks.get(number).ok_or_else(bad_run)?;
            let n = match look.is_repeated {
                true => 1 + usize::from(*lengths.next().ok_or_else(bad_run)?),
                false => 1,
            };
            let begin = at;
            at += look.n_shares;
            if at > end {
                return Err(bad_run());
            }
            visit(n, Stack { number, look, shares: &shares[begin..] });
            n_columns += n;
        }
        let fits = n_columns == TILE_COLUMNS && at == end && lengths.len() == 0;
        if fits { Ok(()) } else { Err(bad_run()) }
    }
}

#[cold]
fn bad_run() -> StoreError {
    damaged("a run of stacks does not fit its tile")
}

/// What values have of a column, from the bottom up.
#[derive(Clone, Copy, Debug)]
pub struct Stack<'t> {
    number: usize,
    look: &'t Look,
    /// Those of all values, or of all but the last; and what follows them.
    shares: &'t [u8],
}

impl<'t> Stack<'t> {
    /// The number of its look among those of its tile: stacks of a look have the same ranks.
    #[inline]
    pub fn look(&self) -> usize {
        self.number
    }

    /// Do several states share the column?
    #[inline]
    pub fn is_aggregate(&self) -> bool {
        self.look.is_aggregate
    }

    /// How many values have a share.
    #[inline]
    pub fn n_parts(&self) -> usize {
        self.look.n_shares + usize::from(self.look.is_full)
    }

    /// Ranks of values with their shares of 255.
    #[inline]
    pub fn parts(&self) -> impl Iterator<Item = (u32, u8)> + use<'t> {
        let (mut shares, mut rest) = (self.shares[..self.look.n_shares].iter(), u8::MAX);
        each_rank(self.look.ranks).map(move |rank| {
            let share = shares.next().copied().unwrap_or(rest);
            rest = rest.wrapping_sub(share);
            (rank, share)
        })
    }

    /// All shares, followed by zeros, of a stack that has no more parts than this has room for.
    /// Nothing in it depends on how many there are: a million columns with now one, now three
    /// parts would be guessed wrong very often.
    #[inline]
    pub fn few_shares(&self) -> [u8; FEW_PARTS] {
        let word = self.shares.first_chunk().map_or(0, |few| u32::from_le_bytes(*few));
        let bits = 8 * self.look.n_shares.min(FEW_PARTS);
        let written = u64::from(word) & ((1 << bits) - 1);
        let pairs = (written & 0x00ff_00ff) + (written >> 8 & 0x00ff_00ff);
        let sum = pairs + (pairs >> 16);
        let rest = (!sum & 0xff) * u64::from(self.look.is_full);
        ((written | rest << bits) as u32).to_le_bytes()
    }
}
