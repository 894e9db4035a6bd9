//! Blocks of stacks: what the values of a track have of columns whose width is a power of two, in
//! 255ths, as a picture shows it. Values are known by their rank: the place in the order of the time
//! that they have in the whole trace.
//!
//! ```text
//! looks: count, column
//! tiles: column of their lengths in bytes
//! runs: number of the look; how many columns, less one, if the look says so; shares
//! ```
//! A *look* has a bit for each rank, above three flags. A run is neighbouring columns of a tile with
//! the same look and the same shares, in the order of ranks. Where they fill a column, the last share
//! is left out: it is the rest.

use std::ops::Range;

use hashbrown::HashMap;
use onca_model::{ShareEdges, Ticks};

use super::{Bounds, open_block};
use crate::{
    ValueOrder,
    codec::{put_column, put_varint},
    directory::BlockEntry,
    error::{Result, damaged},
    flat_shares::GapVisitor,
    share_table::Share,
};

/// Columns of a tile.
pub const TILE_COLUMNS: usize = 128;
/// Values with a higher rank have no bit.
const MOST_RANKS: u32 = 61;
/// Two bytes tell looks apart; one if there are no more than it can.
const MOST_LOOKS: usize = 1 << 16;
const FEW_LOOKS: usize = 1 << 8;
/// A block with more bytes is not worth its room: there are too many values to a column.
const MOST_BYTES_PER_COLUMN: usize = 8;

/// Several states share a column.
const AGGREGATE: u64 = 1;
/// The shares fill a column.
const FULL: u64 = 2;
/// A run has several columns.
const REPEATED: u64 = 4;
const FLAGS: u32 = 3;

/// Encodes the stacks of neighbouring columns, the first of which begins a tile.
pub(crate) struct StackEncoder<'a> {
    order: &'a ValueOrder,
    /// Where columns begin and end.
    bounds: &'a [Ticks],
    /// Columns have one length, but for those at the end of time.
    edges: (Ticks, ShareEdges),
    numbers: HashMap<u64, u16, foldhash::fast::FixedState>,
    looks: Vec<u64>,
    /// Runs that are done: the look, and how many columns, less one.
    runs: Vec<(u16, u8)>,
    /// The shares of all of them.
    shares: Vec<u8>,
    /// How many runs each tile has that is done.
    tiles: Vec<usize>,
    last: Run,
    /// The column in the making.
    column: Run,
    /// Columns and runs of the tile in the making, those of the last run included.
    n_columns: usize,
    n_runs: usize,
    fits: bool,
}

/// Columns that look alike.
#[derive(Default)]
struct Run {
    n: usize,
    look: u64,
    shares: Vec<u8>,
}

impl<'a> StackEncoder<'a> {
    pub(crate) fn new(order: &'a ValueOrder, bounds: &'a [Ticks]) -> Self {
        Self {
            order,
            bounds,
            edges: (0, ShareEdges::of(0)),
            numbers: HashMap::default(),
            looks: Vec::new(),
            runs: Vec::new(),
            shares: Vec::new(),
            tiles: Vec::new(),
            last: Run::default(),
            column: Run::default(),
            n_columns: 0,
            n_runs: 0,
            fits: true,
        }
    }

    /// Appends columns that look alike and lie in one tile.
    #[inline]
    fn push(&mut self, columns: Range<usize>, shares: impl Iterator<Item = Share>) {
        let n = columns.len();
        self.look_at(columns.start, shares);
        let (last, column) = (&mut self.last, &mut self.column);
        if last.n > 0 && last.look == column.look && last.shares == column.shares {
            last.n += n;
        } else {
            column.n = n;
            self.end_run();
            std::mem::swap(&mut self.last, &mut self.column);
        }
        self.n_columns += n;
        if self.n_columns == TILE_COLUMNS {
            self.end_run();
            self.last.n = 0;
            self.tiles.push(std::mem::take(&mut self.n_runs));
            self.n_columns = 0;
        }
    }

    /// Makes the look and the shares of a column.
    #[inline]
    fn look_at(&mut self, column: usize, shares: impl Iterator<Item = Share>) {
        let ticks = self.bounds[column + 1].saturating_sub(self.bounds[column]);
        if self.edges.0 != ticks {
            self.edges = (ticks, ShareEdges::of(ticks.unsigned_abs()));
        }
        let (mut look, mut n_states, mut edges) = (0, 0, self.edges.1);
        let own = &mut self.column;
        own.shares.clear();
        // States that nested ones cover are not seen.
        for share in shares.filter(|share| share.ticks > 0 || share.is_instant()) {
            n_states += u64::from(share.n_states());
            let part = edges.next(share.ticks.max(0) as u64);
            if part > 0 {
                let rank = self.order.place(share.value);
                self.fits &= rank < MOST_RANKS;
                look |= 1 << (rank.min(MOST_RANKS - 1) + FLAGS);
                own.shares.push(part);
            }
        }
        if edges.edge() == u8::MAX {
            own.shares.pop();
            look |= FULL;
        }
        own.look = if n_states > 1 { look | AGGREGATE } else { look };
    }

    fn end_run(&mut self) {
        let Run { n, look, ref shares } = self.last;
        if n == 0 {
            return;
        }
        let look = if n > 1 { look | REPEATED } else { look };
        let number = *self.numbers.entry(look).or_insert_with(|| {
            self.looks.push(look);
            (self.looks.len() - 1) as u16
        });
        self.fits &= self.looks.len() <= MOST_LOOKS;
        self.runs.push((number, (n - 1) as u8));
        self.shares.extend_from_slice(shares);
        self.n_runs += 1;
    }

    /// Appends what was visited to `out`, if that is worth it.
    pub(crate) fn put(&self, out: &mut Vec<u8>) -> Option<()> {
        if !self.fits {
            return None;
        }
        put_varint(out, self.looks.len() as u64);
        put_column(out, self.looks.iter().copied());
        let mut tiles = Vec::with_capacity(2 * self.runs.len() + self.shares.len());
        let mut lengths = Vec::with_capacity(self.tiles.len());
        let (mut runs, mut shares) = (self.runs.as_slice(), self.shares.as_slice());
        for &n_runs in &self.tiles {
            let (own, rest) = runs.split_at(n_runs);
            runs = rest;
            let begin = tiles.len();
            own.iter().for_each(|run| shares = self.put_run(*run, shares, &mut tiles));
            lengths.push((tiles.len() - begin) as u64);
        }
        put_column(out, lengths.iter().copied());
        out.extend_from_slice(&tiles);
        let most_bytes = MOST_BYTES_PER_COLUMN * TILE_COLUMNS * self.tiles.len();
        (out.len() <= most_bytes).then_some(())
    }

    /// Appends a run, and returns the shares of those after it.
    fn put_run<'s>(
        &self,
        (number, more): (u16, u8),
        shares: &'s [u8],
        out: &mut Vec<u8>,
    ) -> &'s [u8] {
        let width = number_width(self.looks.len());
        out.extend_from_slice(&number.to_le_bytes()[..width]);
        let look = Look(self.looks[usize::from(number)]);
        if look.is_repeated() {
            out.push(more);
        }
        let (own, rest) = shares.split_at(look.n_shares());
        out.extend_from_slice(own);
        rest
    }
}

/// The bytes of the number of a look.
fn number_width(n_looks: usize) -> usize {
    if n_looks <= FEW_LOOKS { 1 } else { 2 }
}

/// What columns have in common, but for the shares.
#[derive(Clone, Copy)]
struct Look(u64);

impl Look {
    fn ranks(self) -> u64 {
        self.0 >> FLAGS
    }

    fn is_repeated(self) -> bool {
        self.0 & REPEATED != 0
    }

    /// How many shares are written.
    fn n_shares(self) -> usize {
        let n_parts = self.ranks().count_ones() as usize;
        n_parts.saturating_sub(usize::from(self.0 & FULL != 0))
    }
}

impl GapVisitor for StackEncoder<'_> {
    #[inline]
    fn visit_gap(&mut self, gap: usize, shares: impl Iterator<Item = Share>) {
        self.push(gap..gap + 1, shares);
    }

    fn visit_gaps(&mut self, mut gaps: Range<usize>, share: Option<Share>) {
        while !gaps.is_empty() {
            let n = gaps.len().min(TILE_COLUMNS - self.n_columns);
            self.push(gaps.start..gaps.start + n, share.into_iter());
            gaps.start += n;
        }
    }
}

/// A parsed block.
pub(crate) struct StackBlock {
    looks: Vec<Look>,
    number_width: usize,
    /// A bit for each rank that has a share somewhere.
    pub ranks: u64,
    /// Where the runs of each tile begin, and where those of the last end.
    bounds: Vec<usize>,
}

impl StackBlock {
    pub(crate) fn parse(bytes: &[u8], entry: &BlockEntry, bounds: Bounds) -> Result<Self> {
        let (mut reader, n_tiles) = open_block(bytes, entry)?;
        let n_looks = reader.count()?;
        let looks: Vec<Look> = reader.column(n_looks)?.map(Look).collect();
        let ranks = looks.iter().fold(0, |all, look| all | look.ranks());
        if u64::BITS - ranks.leading_zeros() > bounds.n_values {
            return Err(damaged("a stack has no known value"));
        }
        let lengths = reader.column(n_tiles)?;
        let mut ends = Vec::with_capacity(n_tiles + 1);
        let mut total = 0;
        ends.push(0);
        for length in lengths {
            total = usize::try_from(length)
                .ok()
                .and_then(|length| length.checked_add(total))
                .ok_or_else(|| damaged("a tile of stacks is too long"))?;
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
        (0..self.bounds.len() - 1).try_for_each(|tile| self.visit(bytes, tile, |_, _| ()))
    }

    /// Visits the stacks of a tile: how many columns have each.
    #[inline]
    pub(crate) fn visit(
        &self,
        bytes: &[u8],
        tile: usize,
        mut visit: impl FnMut(usize, Stack<'_>),
    ) -> Result<()> {
        let mut runs = &bytes[self.bounds[tile]..self.bounds[tile + 1]];
        let mut n_columns = 0;
        while let Some((&low, rest)) = runs.split_first() {
            let (number, rest) = match rest.split_first() {
                Some((&high, rest)) if self.number_width == 2 => {
                    (usize::from(u16::from_le_bytes([low, high])), rest)
                }
                _ => (usize::from(low), rest),
            };
            let look = *self.looks.get(number).ok_or_else(bad_run)?;
            let (n, rest) = match rest.split_first() {
                Some((&more, rest)) if look.is_repeated() => (usize::from(more) + 1, rest),
                _ => (1, rest),
            };
            let (shares, rest) = rest.split_at_checked(look.n_shares()).ok_or_else(bad_run)?;
            let is_aggregate = look.0 & AGGREGATE != 0;
            visit(n, Stack { ranks: look.ranks(), shares, is_aggregate });
            n_columns += n;
            runs = rest;
        }
        if n_columns == TILE_COLUMNS { Ok(()) } else { Err(bad_run()) }
    }
}

#[cold]
fn bad_run() -> crate::StoreError {
    damaged("a run of stacks does not fit its tile")
}

/// What values have of a column, from the bottom up.
#[derive(Clone, Copy, Debug)]
pub struct Stack<'t> {
    ranks: u64,
    /// Those of all values, or of all but the last.
    shares: &'t [u8],
    /// Do several states share the column?
    pub is_aggregate: bool,
}

impl<'t> Stack<'t> {
    /// Ranks of values with their shares of 255.
    #[inline]
    pub fn parts(self) -> impl Iterator<Item = (u32, u8)> + use<'t> {
        let (mut ranks, mut shares, mut rest) = (self.ranks, self.shares.iter(), u8::MAX);
        std::iter::from_fn(move || {
            let rank = ranks.trailing_zeros();
            if rank == u64::BITS {
                return None;
            }
            ranks &= ranks - 1;
            let share = shares.next().copied().unwrap_or(rest);
            rest = rest.wrapping_sub(share);
            Some((rank, share))
        })
    }
}
