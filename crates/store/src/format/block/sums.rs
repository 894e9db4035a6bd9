//! Blocks of sums: what values have of columns whose width is a power of two. A picture that is no
//! finer needs them only, and not the states.
//!
//! The blocks of a lane are a pyramid. One of level 0 sums up the states of one block, one of each
//! further level sums up [`FAN_OUT`] blocks of the level below it, in columns about as many times as
//! wide.
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

use onca_model::{Ticks, cut};

use super::{Bounds, number_width, open_block};
use crate::{
    error::{Result, damaged},
    format::codec::{
        put_ascending, put_packed, put_signed, put_varint, unzigzag, width_of, zigzag,
    },
    format::directory::BlockEntry,
};

/// Blocks that one of the next level sums up.
pub(crate) const FAN_OUT: usize = 2;

/// How many states a column of level 0 has at least, on average. With fewer, the states are as quick
/// to read. Where there are so many values that sums would be no shorter, columns are wider.
const LEAST_STATES: [usize; 3] = [16, 64, 256];
/// Blocks of fewer states have no sums: they are read in no time.
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

/// Encodes sums; its lists are reused.
#[derive(Default)]
pub(crate) struct SumEncoder {
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
    /// Blocks of the level below.
    parts: Vec<UnpackedSums>,
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
pub(crate) struct SumExtent {
    /// The logarithm of the width of a column.
    pub log: u32,
    pub n_columns: u32,
}

impl SumEncoder {
    /// Appends the sums of states to `out`, if that is worth it.
    pub(crate) fn encode(
        &mut self,
        rows: &EncodedStates<'_>,
        out: &mut Vec<u8>,
    ) -> Option<SumExtent> {
        let n_rows = rows.starts.len();
        if n_rows < LEAST_ROWS {
            return None;
        }
        for least_states in LEAST_STATES {
            let log = width_for(rows.extent, n_rows / least_states)?;
            self.begin_states(rows);
            self.add_rows(rows, log);
            if self.values.len() <= n_rows / 2 {
                self.put(rows.extent.0 >> log, out);
                return Some(SumExtent { log, n_columns: self.columns.len() as u32 });
            }
        }
        None
    }

    /// Appends the sums of neighbouring blocks of the level below to `out`, if that is worth it. Their
    /// bytes are padded.
    pub(crate) fn encode_level(
        &mut self,
        blocks: &[(SumExtent, Vec<u8>)],
        out: &mut Vec<u8>,
    ) -> Result<Option<SumExtent>> {
        let mut parts = std::mem::take(&mut self.parts);
        parts.resize_with(blocks.len(), UnpackedSums::default);
        let read = |(part, (extent, bytes)): (&mut UnpackedSums, &(SumExtent, Vec<u8>))| {
            let bounds = Bounds { n_values: u32::MAX, n_containers: 0 };
            part.read(bytes, &BlockEntry::of_sums(*extent, 0, 0), bounds, |id| id)
        };
        parts.iter_mut().zip(blocks).try_for_each(read)?;
        let extent = self.sum_up(&parts);
        self.parts = parts;
        let Some((first, extent)) = extent else { return Ok(None) };
        self.put(first >> extent.log, out);
        Ok(Some(extent))
    }

    /// Adds up blocks. Returns when the first begins, and what came of them, if that is worth it.
    fn sum_up(&mut self, parts: &[UnpackedSums]) -> Option<(Ticks, SumExtent)> {
        self.ids.clear();
        parts.iter().for_each(|part| self.ids.extend_from_slice(&part.ids));
        self.ids.sort_unstable();
        self.ids.dedup();
        self.begin();
        let first = *parts.first()?.begins.first()?;
        let last = *parts.last()?.begins.last()?;
        let n_columns: usize = parts.iter().map(|part| part.begins.len()).sum();
        let n_shares: usize = parts.iter().map(|part| part.values.len()).sum();
        let widest = parts.iter().map(|part| part.log).max()?;
        let log = width_for((first, last), n_columns / FAN_OUT)?.max(widest);
        self.add_sums(parts, log);
        let extent = SumExtent { log, n_columns: self.columns.len() as u32 };
        // With hardly fewer shares, the level below is as quick to read.
        (4 * self.values.len() <= 3 * n_shares).then_some((first, extent))
    }

    fn add_sums(&mut self, parts: &[UnpackedSums], log: u32) {
        let first_column = parts[0].begins[0] >> log;
        let mut column = first_column;
        let ids = std::mem::take(&mut self.ids);
        let number = |id: u32| ids.partition_point(|own| *own < id) as u32;
        for part in parts {
            part.visit(|begin, entering, shares| {
                if begin >> log != column {
                    self.end_column(column, first_column);
                    column = begin >> log;
                }
                for share in shares {
                    let value = number(part.values[share]);
                    self.add(value, part.ticks[share] as u64, part.states[share]);
                }
                match entering {
                    Some(id) if column << log == begin => {
                        self.entering = u64::from(number(id)) + 1;
                    }
                    // It was counted in the column before, which is now a part of this one.
                    Some(id) => self.slots[number(id) as usize].states -= 2,
                    None => {}
                }
            });
        }
        self.end_column(column, first_column);
        self.ids = ids;
    }

    /// Values and enclosing values together.
    fn begin_states(&mut self, rows: &EncodedStates<'_>) {
        self.ids.clear();
        self.ids.extend_from_slice(rows.values.ids);
        if let Some(enclosing) = rows.enclosing {
            self.ids.extend(enclosing.ids.iter().filter_map(|id| id.checked_sub(1)));
            self.ids.sort_unstable();
            self.ids.dedup();
        }
        self.begin();
    }

    /// No column yet.
    fn begin(&mut self) {
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
        // The last column ends with time itself.
        let end_of = |column: i64| Some((column << log | ((1 << log) - 1)).saturating_add(1));
        for row in 0..rows.starts.len() {
            let start = first.wrapping_add(rows.starts[row] as Ticks);
            let end = start.wrapping_add(rows.lengths[row] as Ticks);
            let value = values[rows.values.number(row)];
            let around = rows.enclosing.and_then(|around| enclosing[around.number(row)]);
            let begin = start >> log;
            cut(start, end, begin, end_of, |part, ticks| {
                if part != column {
                    self.end_column(column, first_column);
                    column = part;
                    self.entering = if part == begin { 0 } else { u64::from(value) + 1 };
                }
                self.add(value, ticks as u64, if ticks > 0 { 3 } else { 2 });
                if let Some(around) = around {
                    self.add(around, (ticks as u64).wrapping_neg(), 0);
                }
            });
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
    let most = most.max(1) as u64;
    (0..Ticks::BITS - 1).find(|log| (last >> log).abs_diff(first >> log) < most)
}

/// The most shares that a block may say it has.
const MAX_SHARES: u64 = 1 << 20;

/// Sums, unpacked: loops over one list at a time are the quickest.
#[derive(Default)]
pub(crate) struct UnpackedSums {
    /// The logarithm of the width of columns.
    pub log: u32,
    /// The values that occur.
    pub ids: Vec<u32>,
    /// What they are mapped to.
    mapped: Vec<u32>,
    /// When each column begins.
    pub begins: Vec<Ticks>,
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

impl UnpackedSums {
    /// Replaces what is there by the columns of a block, with what `map` makes of their values.
    pub(crate) fn read(
        &mut self,
        bytes: &[u8],
        entry: &BlockEntry,
        bounds: Bounds,
        map: impl Fn(u32) -> u32,
    ) -> Result<()> {
        let (mut reader, n) = open_block(bytes, entry)?;
        let log = u32::try_from(entry.first).ok().filter(|log| *log < Ticks::BITS - 1);
        self.log = log.ok_or_else(|| damaged("columns of sums are too wide"))?;
        let first = reader.signed()?;
        self.ids.clear();
        reader.extend_ascending(&mut self.ids)?;
        bounds.check_values(&self.ids)?;
        let n_shares = Some(reader.varint()?).filter(|n| *n <= MAX_SHARES);
        let n_shares = n_shares.ok_or_else(|| damaged("sums have too many shares"))? as usize;
        let widths = [reader.u8()?, reader.u8()?, reader.u8()?, reader.u8()?];
        let columns = reader.packed(n, widths[0])?;
        let lengths = reader.packed(n, widths[1])?;
        let enterings = reader.packed(n, width_of(self.ids.len() as u64))?;
        let values = reader.packed(n_shares, number_width(&self.ids)?)?;
        let ticks = reader.packed(n_shares, widths[2])?;
        let states = reader.packed(n_shares, widths[3])?;
        let n_ids = self.ids.len() as u64;
        if !values.all_below(bytes, n_shares, n_ids) || !enterings.all_below(bytes, n, n_ids + 1) {
            return Err(damaged("a value of a sum is not in its dictionary"));
        }
        self.mapped.clear();
        self.mapped.extend(self.ids.iter().map(|id| map(*id)));
        let (log, mapped) = (self.log, &self.mapped);
        let begin = |column: u64| first.wrapping_add(column as i64) << log;
        let entering = |number: u64| number.checked_sub(1).map(|number| mapped[number as usize]);
        columns.replace(bytes, n, &mut self.begins, begin);
        lengths.replace(bytes, n, &mut self.lengths, |length| length as u32);
        enterings.replace(bytes, n, &mut self.entering, entering);
        values.replace(bytes, n_shares, &mut self.values, |number| mapped[number as usize]);
        ticks.replace(bytes, n_shares, &mut self.ticks, unzigzag);
        states.replace(bytes, n_shares, &mut self.states, |states| states);
        if self.lengths.iter().map(|length| u64::from(*length)).sum::<u64>() != n_shares as u64 {
            return Err(damaged("columns of sums have other shares than the block"));
        }
        Ok(())
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
