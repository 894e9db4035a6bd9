//! Blocks of coarse columns: what the values of a block of states have of columns whose width is a
//! power of two. A picture that is no finer needs them only, and not the states.
//!
//! ```text
//! number of the first column; values (ascending); how many shares there are
//! widths: column numbers, shares per column, ticks, states
//! columns: numbers from the first, how many shares, entering values + 1
//! shares: numbers into the values, zigzag ticks, twice the states, plus 1 if one has a length
//! ```
//! Column `k` begins at tick `k` times the width, whose logarithm is in the directory. Columns
//! without states are left out.

use std::ops::Range;

use onca_model::Ticks;

use super::{Bounds, number_width, open_block};
use crate::{
    error::{Result, damaged},
    format::codec::{
        Packed, put_ascending, put_packed, put_signed, put_varint, unzigzag, width_of, zigzag,
    },
    format::directory::BlockEntry,
};

/// A column has so many states at least, on average: with fewer, the states are as quick to read.
const LEAST_STATES: usize = 16;
/// Blocks of fewer states have no coarse columns: they are read in no time.
const LEAST_ROWS: usize = 256;

/// The states of a block as their encoder has them.
pub(crate) struct EncodedStates<'a> {
    /// The first start and the last end.
    pub extent: (Ticks, Ticks),
    /// From the first on.
    pub starts: &'a [u64],
    pub lengths: &'a [u64],
    /// Their values.
    pub values: Numbered<'a>,
    /// Enclosing values + 1, of nested states.
    pub enclosing: Option<Numbered<'a>>,
}

/// Ids by way of a dictionary.
#[derive(Clone, Copy)]
pub(crate) struct Numbered<'a> {
    pub ids: &'a [u32],
    /// By row; what else is in it is not in the mask.
    pub numbers: &'a [u32],
    pub mask: u32,
}

impl Numbered<'_> {
    #[inline]
    fn number(&self, row: usize) -> usize {
        (self.numbers[row] & self.mask) as usize
    }
}

/// Encodes coarse columns; its lists are reused.
#[derive(Default)]
pub(crate) struct CoarseEncoder {
    ids: Vec<u32>,
    /// By number into `ids`.
    slots: Vec<Slot>,
    /// Slots of the column in the making.
    used: Vec<u32>,
    /// Entering value + 1 of the column in the making.
    entering: u64,
    columns: Vec<u64>,
    n_shares: Vec<u64>,
    enterings: Vec<u64>,
    values: Vec<u64>,
    ticks: Vec<u64>,
    states: Vec<u64>,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    is_used: bool,
    ticks: u64,
    /// Twice their number, plus 1 if one has a length.
    states: u64,
}

/// What the directory wants to know of an encoded block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CoarseExtent {
    /// The logarithm of the width of a column.
    pub log: u32,
    pub n_columns: u32,
}

impl CoarseEncoder {
    /// Appends the coarse columns of states to `out`, if that is worth it.
    pub(crate) fn encode(
        &mut self,
        rows: &EncodedStates<'_>,
        out: &mut Vec<u8>,
    ) -> Option<CoarseExtent> {
        let n_rows = rows.starts.len();
        if n_rows < LEAST_ROWS {
            return None;
        }
        let log = width_for(rows.extent, n_rows / LEAST_STATES)?;
        self.begin(rows);
        self.add_rows(rows, log);
        if self.values.len() > n_rows / 2 {
            return None;
        }
        self.put(rows.extent.0 >> log, out);
        Some(CoarseExtent { log, n_columns: self.columns.len() as u32 })
    }

    /// Values and enclosing values together.
    fn begin(&mut self, rows: &EncodedStates<'_>) {
        self.ids.clear();
        self.ids.extend_from_slice(rows.values.ids);
        if let Some(enclosing) = rows.enclosing {
            self.ids.extend(enclosing.ids.iter().filter_map(|id| id.checked_sub(1)));
            self.ids.sort_unstable();
            self.ids.dedup();
        }
        self.slots.clear();
        self.slots.resize(self.ids.len(), Slot::default());
        for list in [
            &mut self.columns,
            &mut self.n_shares,
            &mut self.enterings,
            &mut self.values,
            &mut self.ticks,
            &mut self.states,
        ] {
            list.clear();
        }
    }

    fn add_rows(&mut self, rows: &EncodedStates<'_>, log: u32) {
        let place = |id: u32| self.ids.partition_point(|own| *own < id) as u32;
        let values: Vec<u32> = rows.values.ids.iter().map(|id| place(*id)).collect();
        let enclosing = rows.enclosing.map_or(&[][..], |enclosing| enclosing.ids);
        let enclosing: Vec<Option<u32>> =
            enclosing.iter().map(|id| id.checked_sub(1).map(place)).collect();
        let first = rows.extent.0;
        let first_column = first >> log;
        let mut column = first_column;
        for row in 0..rows.starts.len() {
            let mut from = first.wrapping_add(rows.starts[row] as Ticks);
            let end = from.wrapping_add(rows.lengths[row] as Ticks);
            if from >> log != column {
                self.end_column(column, first_column);
                column = from >> log;
            }
            let value = values[rows.values.number(row)];
            let around = rows.enclosing.and_then(|around| enclosing[around.number(row)]);
            loop {
                let last = column << log | ((1 << log) - 1);
                let ends = end <= last || end - 1 == last;
                let ticks = if ends { end.wrapping_sub(from) } else { last - from + 1 };
                self.add(value, ticks as u64, if ticks > 0 { 3 } else { 2 });
                if let Some(around) = around {
                    self.add(around, (ticks as u64).wrapping_neg(), 0);
                }
                if ends {
                    break;
                }
                self.end_column(column, first_column);
                self.entering = u64::from(value) + 1;
                column += 1;
                from = last + 1;
            }
        }
        self.end_column(column, first_column);
    }

    /// Counts something: ticks, and twice the states, plus 1 if they have a length.
    #[inline]
    fn add(&mut self, number: u32, ticks: u64, states: u64) {
        let slot = &mut self.slots[number as usize];
        if !slot.is_used {
            slot.is_used = true;
            self.used.push(number);
        }
        slot.ticks = slot.ticks.wrapping_add(ticks);
        slot.states = ((slot.states & !1) + (states & !1)) | ((slot.states | states) & 1);
    }

    fn end_column(&mut self, column: i64, first_column: i64) {
        if self.used.is_empty() {
            return;
        }
        self.columns.push(column.wrapping_sub(first_column) as u64);
        self.n_shares.push(self.used.len() as u64);
        self.enterings.push(std::mem::take(&mut self.entering));
        for number in self.used.drain(..) {
            let Slot { ticks, states, .. } = std::mem::take(&mut self.slots[number as usize]);
            self.values.push(u64::from(number));
            self.ticks.push(zigzag(ticks as i64));
            self.states.push(states);
        }
    }

    fn put(&self, first_column: i64, out: &mut Vec<u8>) {
        put_signed(out, first_column);
        put_ascending(out, &self.ids);
        put_varint(out, self.values.len() as u64);
        let lists = [&self.columns, &self.n_shares, &self.ticks, &self.states];
        let widths = lists.map(|list| width_of(list.iter().fold(0, |all, number| all | number)));
        out.extend(widths);
        let [columns, n_shares, ticks, states] = widths;
        put_packed(out, columns, self.columns.iter().copied());
        put_packed(out, n_shares, self.n_shares.iter().copied());
        put_packed(out, width_of(self.ids.len() as u64), self.enterings.iter().copied());
        put_packed(out, width_of(self.ids.len() as u64 - 1), self.values.iter().copied());
        put_packed(out, ticks, self.ticks.iter().copied());
        put_packed(out, states, self.states.iter().copied());
    }
}

/// The logarithm of the narrowest width with which time has no more columns.
fn width_for((first, last): (Ticks, Ticks), most: usize) -> Option<u32> {
    (0..Ticks::BITS - 1).find(|log| (last >> log).abs_diff(first >> log) < most as u64)
}

/// A parsed block.
pub(crate) struct CoarseBlock {
    n: usize,
    n_shares: usize,
    log: u32,
    first_column: i64,
    ids: Vec<u32>,
    columns: Packed,
    lengths: Packed,
    enterings: Packed,
    values: Packed,
    ticks: Packed,
    states: Packed,
}

/// The most shares that a block may say it has.
const MAX_SHARES: u64 = 1 << 20;

impl CoarseBlock {
    pub(crate) fn parse(bytes: &[u8], entry: &BlockEntry, bounds: Bounds) -> Result<Self> {
        let (mut reader, n) = open_block(bytes, entry)?;
        let log = u32::try_from(entry.first).ok().filter(|log| *log < Ticks::BITS - 1);
        let log = log.ok_or_else(|| damaged("coarse columns are too wide"))?;
        let first_column = reader.signed()?;
        let ids = reader.ascending()?;
        bounds.check_values(&ids)?;
        let n_shares = Some(reader.varint()?).filter(|n| *n <= MAX_SHARES);
        let n_shares = n_shares.ok_or_else(|| damaged("coarse columns have too many shares"))?;
        let n_shares = n_shares as usize;
        let widths = [reader.u8()?, reader.u8()?, reader.u8()?, reader.u8()?];
        let columns = reader.packed(n, widths[0])?;
        let lengths = reader.packed(n, widths[1])?;
        let enterings = reader.packed(n, width_of(ids.len() as u64))?;
        let values = reader.packed(n_shares, number_width(&ids)?)?;
        let ticks = reader.packed(n_shares, widths[2])?;
        let states = reader.packed(n_shares, widths[3])?;
        let mut sum = 0u64;
        lengths.for_each(bytes, n, |_, length| sum = sum.saturating_add(length));
        if sum != n_shares as u64 {
            return Err(damaged("coarse columns have other shares than the block"));
        }
        let n_ids = ids.len() as u64;
        if !values.all_below(bytes, n_shares, n_ids) || !enterings.all_below(bytes, n, n_ids + 1) {
            return Err(damaged("a value of a coarse column is not in its dictionary"));
        }
        Ok(Self {
            n,
            n_shares,
            log,
            first_column,
            ids,
            columns,
            lengths,
            enterings,
            values,
            ticks,
            states,
        })
    }
}

/// Coarse columns, unpacked: loops over one list at a time are the quickest.
#[derive(Default)]
pub(crate) struct UnpackedColumns {
    /// When each begins.
    begins: Vec<Ticks>,
    /// How many shares each has.
    lengths: Vec<u32>,
    /// By column: the value of the state that began before it and goes on.
    entering: Vec<Option<u32>>,
    /// The shares of all: values.
    pub values: Vec<u32>,
    /// Their ticks.
    pub ticks: Vec<Ticks>,
    /// Twice their states, plus 1 if one has a length.
    pub states: Vec<u64>,
}

impl UnpackedColumns {
    /// Replaces what is there by the columns of a block, with what `map` makes of their values.
    pub(crate) fn unpack(&mut self, block: &CoarseBlock, bytes: &[u8], map: impl Fn(u32) -> u32) {
        self.begins.clear();
        self.lengths.clear();
        self.entering.clear();
        self.values.clear();
        self.ticks.clear();
        self.states.clear();
        let mapped: Vec<u32> = block.ids.iter().map(|id| map(*id)).collect();
        let first = block.first_column;
        block.columns.extend(bytes, block.n, &mut self.begins, |column| {
            first.wrapping_add(column as i64) << block.log
        });
        block.lengths.extend(bytes, block.n, &mut self.lengths, |length| length as u32);
        block.enterings.extend(bytes, block.n, &mut self.entering, |number| {
            number.checked_sub(1).map(|number| mapped[number as usize])
        });
        let n = block.n_shares;
        block.values.extend(bytes, n, &mut self.values, |number| mapped[number as usize]);
        block.ticks.extend(bytes, n, &mut self.ticks, unzigzag);
        block.states.extend(bytes, n, &mut self.states, |states| states);
    }

    /// Visits the columns: when each begins, the value of a state that enters it, its shares.
    #[inline]
    pub(crate) fn visit(&self, mut visit: impl FnMut(Ticks, Option<u32>, Range<usize>)) {
        let mut share = 0;
        for ((&begin, &entering), &length) in
            self.begins.iter().zip(&self.entering).zip(&self.lengths)
        {
            let shares = share..share + length as usize;
            share = shares.end;
            visit(begin, entering, shares);
        }
    }
}
