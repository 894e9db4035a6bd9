//! Blocks of steps of a variable.
//!
//! ```text
//! flags, widths of starts (low half) and lengths (high half)
//! integers: smallest value, width
//! totals: integral (two doubles), finite time, time
//! columns: starts, lengths, values
//! ```
//! The first start and the last end are those of the directory.

use onca_model::{Ticks, VariableRow};

use super::{field, open_block, state::Extent};
use crate::{
    error::{Result, damaged},
    format::codec::{Packed, partition_point, put_packed, put_signed, put_varint, width_of},
    format::directory::BlockEntry,
};

/// Bytes of a buffered row: start, end, value.
pub(crate) const ROW: usize = 24;

const CONTIGUOUS: u8 = 1;
const TOTALS: u8 = 2;
const SINGLE: u8 = 4;
const INTEGER: u8 = 8;

/// Whole numbers up to here are exact as `f64`.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A sum of value times ticks over finite values, and their time. Kept in two doubles, so that
/// the difference of two large sums is still good to a double.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Integral {
    high: f64,
    low: f64,
    pub finite_time: u64,
    /// Time of all values.
    pub time: u64,
}

impl Integral {
    pub(crate) fn add(&mut self, value: f64, ticks: u64) {
        self.time = self.time.wrapping_add(ticks);
        if value.is_finite() {
            self.add_number(value * ticks as f64);
            self.finite_time = self.finite_time.wrapping_add(ticks);
        }
    }

    /// Adds the difference of two sums.
    pub(crate) fn add_between(&mut self, earlier: &Self, later: &Self) {
        for number in [later.high, -earlier.high, later.low, -earlier.low] {
            self.add_number(number);
        }
        let time = later.finite_time.wrapping_sub(earlier.finite_time);
        self.finite_time = self.finite_time.wrapping_add(time);
        self.time = self.time.wrapping_add(later.time.wrapping_sub(earlier.time));
    }

    pub(crate) fn total(&self) -> f64 {
        self.high + self.low
    }

    /// Knuth's two-sum: the rounding error of each addition is kept.
    fn add_number(&mut self, number: f64) {
        let sum = self.high + number;
        let part = sum - self.high;
        self.low += (self.high - (sum - part)) + (number - part);
        self.high = sum;
    }
}

/// Encodes a block after what `before` sums up, if any row comes before it, and returns the
/// smallest and largest finite value, NaN when there is none.
pub(crate) fn encode(
    rows: &[u8],
    totals: Option<&mut Integral>,
    out: &mut Vec<u8>,
) -> (Extent, (f64, f64)) {
    let rows: Vec<VariableRow> = rows.chunks_exact(ROW).map(buffered).collect();
    let (first, last) = (rows[0].start, rows[rows.len() - 1].end);
    let contiguous = rows.windows(2).all(|pair| pair[0].end == pair[1].start);
    let starts = |row: &VariableRow| row.start.wrapping_sub(first) as u64;
    let lengths = |row: &VariableRow| row.end.wrapping_sub(row.start) as u64;
    let start_width = width_of(rows.last().map_or(0, starts));
    let length_width = width_of(rows.iter().fold(0, |all, row| all | lengths(row)));
    let values = Values::choose(&rows);
    let flags = if contiguous { CONTIGUOUS } else { 0 }
        | if totals.is_some() { TOTALS } else { 0 }
        | values.flag();
    out.push(flags);
    out.push(start_width | length_width << 4);
    if let Values::Integer { smallest, width } = values {
        put_signed(out, smallest);
        out.push(width);
    }
    if let Some(totals) = totals {
        out.extend(totals.high.to_bits().to_le_bytes());
        out.extend(totals.low.to_bits().to_le_bytes());
        put_varint(out, totals.finite_time);
        put_varint(out, totals.time);
        rows.iter().for_each(|row| totals.add(row.value, lengths(row)));
    }
    put_packed(out, start_width, rows.iter().map(starts));
    if !contiguous {
        put_packed(out, length_width, rows.iter().map(lengths));
    }
    values.put(&rows, out);
    (Extent { first, last, n_values: 0 }, range(rows.iter().map(|row| row.value)))
}

fn buffered(row: &[u8]) -> VariableRow {
    VariableRow {
        start: Ticks::from_le_bytes(field(row, 0)),
        end: Ticks::from_le_bytes(field(row, 8)),
        value: f64::from_bits(u64::from_le_bytes(field(row, 16))),
    }
}

/// The smallest and largest finite number, NaN when there is none.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values
        .filter(|value| value.is_finite())
        .fold((f64::NAN, f64::NAN), |(low, high), value| (low.min(value), high.max(value)))
}

/// The narrowest way to write all values of a block without changing a bit.
enum Values {
    Double,
    Single,
    Integer { smallest: i64, width: u8 },
}

impl Values {
    fn choose(rows: &[VariableRow]) -> Self {
        if rows.iter().all(|row| is_integer(row.value)) {
            let integers = || rows.iter().map(|row| row.value as i64);
            let smallest = integers().min().unwrap_or_default();
            let width = width_of(integers().fold(0, |all, i| all | (i - smallest) as u64));
            return Self::Integer { smallest, width };
        }
        let is_single =
            |row: &VariableRow| f64::from(row.value as f32).to_bits() == row.value.to_bits();
        if rows.iter().all(is_single) { Self::Single } else { Self::Double }
    }

    fn flag(&self) -> u8 {
        match self {
            Self::Double => 0,
            Self::Single => SINGLE,
            Self::Integer { .. } => INTEGER,
        }
    }

    fn put(&self, rows: &[VariableRow], out: &mut Vec<u8>) {
        let values = rows.iter().map(|row| row.value);
        match *self {
            Self::Double => put_packed(out, 8, values.map(f64::to_bits)),
            Self::Single => put_packed(out, 4, values.map(|v| u64::from((v as f32).to_bits()))),
            Self::Integer { smallest, width } => {
                put_packed(out, width, values.map(|v| (v as i64 - smallest) as u64));
            }
        }
    }
}

fn is_integer(value: f64) -> bool {
    // The comparison of bits leaves out the negative zero.
    value.abs() <= EXACT && (value as i64 as f64).to_bits() == value.to_bits()
}

/// A parsed block.
pub(crate) struct VariableBlock {
    pub n: usize,
    first: Ticks,
    last: Ticks,
    starts: Packed,
    lengths: Option<Packed>,
    encoding: u8,
    smallest: i64,
    values: Packed,
    /// What comes before this block; zero if nothing does.
    pub before: Integral,
}

impl VariableBlock {
    pub(crate) fn parse(bytes: &[u8], entry: &BlockEntry) -> Result<Self> {
        let (mut reader, n) = open_block(bytes, entry)?;
        let flags = reader.u8()?;
        let widths = reader.u8()?;
        let encoding = flags & (SINGLE | INTEGER);
        let (smallest, width) = match encoding {
            0 => (0, 8),
            SINGLE => (0, 4),
            INTEGER => (reader.signed()?, reader.u8()?),
            _ => return Err(damaged("a variable has no known encoding")),
        };
        let mut before = Integral::default();
        if flags & TOTALS != 0 {
            let (high, low) = (reader.f64()?, reader.f64()?);
            before = Integral { high, low, finite_time: reader.varint()?, time: reader.varint()? };
        }
        let starts = reader.packed(n, widths & 15)?;
        let lengths = match flags & CONTIGUOUS {
            0 => Some(reader.packed(n, widths >> 4)?),
            _ => None,
        };
        let values = reader.packed(n, width)?;
        let (first, last) = (entry.first, entry.last);
        Ok(Self { n, first, last, starts, lengths, encoding, smallest, values, before })
    }

    pub(crate) fn row(&self, bytes: &[u8], row: usize) -> VariableRow {
        VariableRow {
            start: self.start(bytes, row),
            end: self.end(bytes, row),
            value: self.value(bytes, row),
        }
    }

    pub(crate) fn start(&self, bytes: &[u8], row: usize) -> Ticks {
        self.first.wrapping_add(self.starts.get(bytes, row) as Ticks)
    }

    pub(crate) fn end(&self, bytes: &[u8], row: usize) -> Ticks {
        match &self.lengths {
            Some(lengths) => self.start(bytes, row).wrapping_add(lengths.get(bytes, row) as Ticks),
            None if row + 1 < self.n => self.start(bytes, row + 1),
            None => self.last,
        }
    }

    pub(crate) fn value(&self, bytes: &[u8], row: usize) -> f64 {
        let word = self.values.get(bytes, row);
        match self.encoding {
            SINGLE => f64::from(f32::from_bits(word as u32)),
            INTEGER => self.smallest.wrapping_add(word as i64) as f64,
            _ => f64::from_bits(word),
        }
    }

    /// How many rows start before `time`.
    pub(crate) fn rows_before(&self, bytes: &[u8], time: Ticks) -> usize {
        partition_point(self.n, |row| self.start(bytes, row) < time)
    }

    /// The first row that touches a window which begins at `from`.
    pub(crate) fn first_touching(&self, bytes: &[u8], from: Ticks) -> usize {
        partition_point(self.n, |row| {
            let start = self.start(bytes, row);
            self.end(bytes, row).max(start.saturating_add(1)) <= from
        })
    }
}
