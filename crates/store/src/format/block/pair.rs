//! The pair index of links: rows by source, destination and time, cut into chains along which
//! both times never decrease, so that those which touch a window are next to each other.
//!
//! ```text
//! pairs:  smallest earlier time, smallest row; widths of the columns (a byte each): times,
//!         lengths, sizes, rows, and the sums of times, lengths, sizes
//!         sums before the block: times, lengths, sizes
//!         columns: times, lengths, sizes, rows, checkpoints of times, lengths, sizes
//! chains: first entry, then per chain: source since the one before, destination,
//!         twice the number of entries (+ 1 when its links end before they start)
//! ```

use onca_model::Ticks;

use super::{Bounds, SPACING, field, open_block};
use crate::{
    error::{Result, damaged},
    format::codec::{Packed, Reader, put_packed, put_signed, put_varint, width_of},
    format::directory::BlockEntry,
};

/// A link in the pair index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PairEntry {
    /// The earlier of its times.
    pub low: Ticks,
    /// The later of its times.
    pub high: Ticks,
    /// Its size, 0 if it has none.
    pub size: u64,
    /// Its row in the lane.
    pub row: u64,
}

/// Sums over entries. They wrap; differences of them are right as long as they fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct PairSums {
    pub low: u64,
    pub length: u64,
    pub size: u64,
}

impl PairSums {
    pub(crate) fn add(&mut self, entry: &PairEntry) {
        self.low = self.low.wrapping_add(entry.low as u64);
        self.length = self.length.wrapping_add(entry.high.wrapping_sub(entry.low) as u64);
        self.size = self.size.wrapping_add(entry.size);
    }

    /// The sum of the later times.
    pub(crate) fn high(&self) -> u64 {
        self.low.wrapping_add(self.length)
    }
}

/// Encodes entries that follow those of `before`, which is brought up to date.
pub(crate) fn encode_pairs(entries: &[PairEntry], before: &mut PairSums, out: &mut Vec<u8>) {
    let smallest = entries.iter().map(|entry| entry.low).min().unwrap_or_default();
    let smallest_row = entries.iter().map(|entry| entry.row).min().unwrap_or_default();
    let low = |entry: &PairEntry| entry.low.wrapping_sub(smallest) as u64;
    let length = |entry: &PairEntry| entry.high.wrapping_sub(entry.low) as u64;
    let size = |entry: &PairEntry| entry.size;
    let row = |entry: &PairEntry| entry.row - smallest_row;
    let columns: [&dyn Fn(&PairEntry) -> u64; 4] = [&low, &length, &size, &row];
    let widths =
        columns.map(|column| width_of(entries.iter().fold(0, |all, entry| all | column(entry))));
    let sums = [&low as &dyn Fn(&PairEntry) -> u64, &length, &size]
        .map(|column| checkpoints(entries, column));
    let sum_widths =
        [0, 1, 2].map(|sum| width_of(sums[sum].iter().fold(0, |all, &number| all | number)));
    put_signed(out, smallest);
    put_varint(out, smallest_row);
    out.extend(widths);
    out.extend(sum_widths);
    put_varint(out, before.low);
    put_varint(out, before.length);
    put_varint(out, before.size);
    put_packed(out, widths[0], entries.iter().map(low));
    put_packed(out, widths[1], entries.iter().map(length));
    put_packed(out, widths[2], entries.iter().map(size));
    put_packed(out, widths[3], entries.iter().map(row));
    for (sum, width) in sums.iter().zip(sum_widths) {
        put_packed(out, width, sum.iter().copied());
    }
    entries.iter().for_each(|entry| before.add(entry));
}

/// The sum of a column before each 64th entry but the first.
fn checkpoints(entries: &[PairEntry], column: &dyn Fn(&PairEntry) -> u64) -> Vec<u64> {
    let mut sum = 0u64;
    let mut sums = Vec::with_capacity(entries.len() / SPACING);
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 && index % SPACING == 0 {
            sums.push(sum);
        }
        sum = sum.wrapping_add(column(entry));
    }
    sums
}

/// A parsed block of entries.
pub(crate) struct PairBlock {
    n: usize,
    smallest: Ticks,
    smallest_row: u64,
    /// Times, lengths, sizes, rows.
    columns: [Packed; 4],
    /// Times, lengths, sizes.
    checkpoints: [Packed; 3],
    before: PairSums,
}

impl PairBlock {
    pub(crate) fn parse(bytes: &[u8], entry: &BlockEntry) -> Result<Self> {
        let (mut reader, n) = open_block(bytes, entry)?;
        let smallest = reader.signed()?;
        let smallest_row = reader.varint()?;
        let widths: [u8; 7] = field(reader.take(7)?, 0);
        let before =
            PairSums { low: reader.varint()?, length: reader.varint()?, size: reader.varint()? };
        let mut column = |n, width| reader.packed(n, width);
        let columns = [
            column(n, widths[0])?,
            column(n, widths[1])?,
            column(n, widths[2])?,
            column(n, widths[3])?,
        ];
        let n_checkpoints = (n - 1) / SPACING;
        let checkpoints = [
            column(n_checkpoints, widths[4])?,
            column(n_checkpoints, widths[5])?,
            column(n_checkpoints, widths[6])?,
        ];
        Ok(Self { n, smallest, smallest_row, columns, checkpoints, before })
    }

    pub(crate) fn entry(&self, bytes: &[u8], index: usize) -> PairEntry {
        let low = self.smallest.wrapping_add(self.columns[0].get(bytes, index) as Ticks);
        PairEntry {
            low,
            high: low.wrapping_add(self.columns[1].get(bytes, index) as Ticks),
            size: self.columns[2].get(bytes, index),
            row: self.smallest_row.wrapping_add(self.columns[3].get(bytes, index)),
        }
    }

    /// The sums of the lane's entries before entry `index` of this block.
    pub(crate) fn sums(&self, bytes: &[u8], index: usize) -> PairSums {
        let mut sums = self.before;
        let index = index.min(self.n);
        // There is none at the end of the block: the last stands before its last entry.
        let checkpoint = (index / SPACING).min((self.n - 1) / SPACING);
        let mut from = 0;
        if checkpoint > 0 {
            from = checkpoint * SPACING;
            let [low, length, size] =
                [0, 1, 2].map(|sum| self.checkpoints[sum].get(bytes, checkpoint - 1));
            // The checkpoints count times from the smallest.
            let base = (self.smallest as u64).wrapping_mul(from as u64);
            sums.low = sums.low.wrapping_add(base).wrapping_add(low);
            sums.length = sums.length.wrapping_add(length);
            sums.size = sums.size.wrapping_add(size);
        }
        (from..index).for_each(|index| sums.add(&self.entry(bytes, index)));
        sums
    }
}

/// Links of one pair of containers along which both times never decrease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Chain {
    pub source: u32,
    pub destination: u32,
    /// Its links end before they start.
    pub reversed: bool,
    /// The first of its entries among those of the lane.
    pub first: u64,
    pub n: u64,
}

pub(crate) fn encode_chains(chains: &[Chain], out: &mut Vec<u8>) {
    put_varint(out, chains.first().map_or(0, |chain| chain.first));
    let (mut source, mut destination) = (0, 0);
    for chain in chains {
        put_varint(out, u64::from(chain.source - source));
        put_signed(out, i64::from(chain.destination) - destination);
        put_varint(out, chain.n << 1 | u64::from(chain.reversed));
        (source, destination) = (chain.source, i64::from(chain.destination));
    }
}

/// A parsed block of chains.
pub(crate) struct ChainBlock {
    pub chains: Vec<Chain>,
}

impl ChainBlock {
    pub(crate) fn parse(
        bytes: &[u8],
        entry: &BlockEntry,
        bounds: Bounds,
        n_entries: u64,
    ) -> Result<Self> {
        let (mut reader, n) = open_block(bytes, entry)?;
        let mut first = reader.varint()?;
        let (mut source, mut destination) = (0u64, 0i64);
        let mut chains = Vec::with_capacity(n);
        for _ in 0..n {
            source = source.saturating_add(reader.varint()?);
            destination = destination.saturating_add(reader.signed()?);
            let chain = chain(&mut reader, source, destination, first, bounds)?;
            first = first
                .checked_add(chain.n)
                .filter(|&end| end <= n_entries)
                .ok_or_else(|| damaged("a chain of links is longer than the index"))?;
            chains.push(chain);
        }
        Ok(Self { chains })
    }
}

fn chain(
    reader: &mut Reader<'_>,
    source: u64,
    destination: i64,
    first: u64,
    bounds: Bounds,
) -> Result<Chain> {
    let fail = || damaged("a chain of links joins no known container");
    let source = u32::try_from(source).map_err(|_| fail())?;
    let destination = u32::try_from(destination).map_err(|_| fail())?;
    if source.max(destination) >= bounds.n_containers {
        return Err(fail());
    }
    let number = reader.varint()?;
    Ok(Chain { source, destination, reversed: number & 1 == 1, first, n: number >> 1 })
}
