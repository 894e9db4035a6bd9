//! Blocks of states.
//!
//! ```text
//! flags, widths of starts (low half) and lengths (high half)
//! dictionary of values
//! nested: dictionary of enclosing values + 1, base and width of parent rows
//! checkpoints: log2 of their spacing, widths of the two sums
//! how many blocks back the totals stand; if 0, the totals (and those of enclosing values)
//! columns: starts, lengths, values, open-ended bits, enclosing values, parent rows, checkpoints
//! ```
//! The first start and the last end are those of the directory.

use std::ops::Range;

use onca_model::{StateRow, Ticks, ValueId, Window};

use super::{
    Bounds, SPACING, bit, extend_ids, field, number_width, open_block, put_bits,
    totals::{Dictionary, Snapshots, Total, Totals},
};
use crate::{
    codec::{Packed, Reader, partition_point, put_ascending, put_packed, put_varint, width_of},
    directory::BlockEntry,
    error::{Result, damaged},
};

/// Bytes of a buffered state of depth 0: start, end, value with [`OPEN`].
pub(crate) const ROW: usize = 20;
/// Bytes of a buffered nested state: the same, enclosing value + 1, parent row.
pub(crate) const NESTED_ROW: usize = 32;
/// Marks an open-ended state in its value.
pub(crate) const OPEN: u32 = 1 << 31;

const CONTIGUOUS: u8 = 1;
const HAS_OPEN: u8 = 2;
const NESTED: u8 = 4;
const CHECKPOINTS: u8 = 8;
const TOTALS: u8 = 16;

/// What a lane of states remembers from block to block.
#[derive(Default, Debug)]
pub(crate) struct StateTotals {
    values: Totals,
    enclosing: Totals,
    snapshots: Snapshots,
}

/// Encodes blocks; its columns are reused.
#[derive(Default)]
pub(crate) struct StateEncoder {
    starts: Vec<u64>,
    lengths: Vec<u64>,
    values: Vec<u32>,
    enclosing: Vec<u32>,
    parents: Vec<u64>,
    dictionary: Dictionary,
    outer_dictionary: Dictionary,
    sums: Vec<u64>,
    outer_sums: Vec<u64>,
    counts: Vec<u64>,
    checkpoints: Vec<u64>,
    outer_checkpoints: Vec<u64>,
}

/// What the directory wants to know of an encoded block.
pub(crate) struct Extent {
    pub first: Ticks,
    pub last: Ticks,
    /// Distinct values, to decide how long the next block may be.
    pub n_values: usize,
}

impl StateEncoder {
    /// Appends the block of `rows` to `out`. `totals` is left out for the only block of a lane.
    pub(crate) fn encode(
        &mut self,
        rows: &[u8],
        nested: bool,
        totals: Option<&mut StateTotals>,
        out: &mut Vec<u8>,
    ) -> Extent {
        let shape = self.split(rows, nested);
        self.dictionary.number();
        self.outer_dictionary.number();
        let n = self.starts.len();
        let spacing = spacing(self.dictionary.ids.len() + self.outer_dictionary.ids.len());
        self.sum_up(nested, spacing);
        self.put_header(&shape, nested, spacing, totals, out);
        put_packed(out, shape.start_width, self.starts.iter().copied());
        if !shape.contiguous {
            put_packed(out, shape.length_width, self.lengths.iter().copied());
        }
        let width = width_of(self.dictionary.ids.len() as u64 - 1);
        put_packed(out, width, self.values.iter().map(|&v| u64::from(v & !OPEN)));
        if shape.any_open {
            put_bits(out, self.values.iter().map(|&value| value & OPEN != 0));
        }
        if nested {
            let width = width_of(self.outer_dictionary.ids.len() as u64 - 1);
            put_packed(out, width, self.enclosing.iter().map(|&id| u64::from(id)));
            let base = self.parents[0];
            let width = width_of(self.parents[n - 1].wrapping_sub(base));
            put_packed(out, width, self.parents.iter().map(|&row| row.wrapping_sub(base)));
        }
        put_packed(out, largest_width(&self.checkpoints), self.checkpoints.iter().copied());
        if nested {
            let sums = &self.outer_checkpoints;
            put_packed(out, largest_width(sums), sums.iter().copied());
        }
        let extent =
            Extent { first: shape.first, last: shape.last, n_values: self.dictionary.ids.len() };
        self.dictionary.clear();
        self.outer_dictionary.clear();
        extent
    }

    /// One more than the largest value of all blocks.
    pub(crate) fn n_values(&self) -> u32 {
        self.dictionary.n_ids.max(self.outer_dictionary.n_ids.saturating_sub(1))
    }

    /// Rows to columns.
    fn split(&mut self, rows: &[u8], nested: bool) -> Shape {
        self.starts.clear();
        self.lengths.clear();
        self.values.clear();
        self.enclosing.clear();
        self.parents.clear();
        let first = Ticks::from_le_bytes(field(rows, 0));
        let size = if nested { NESTED_ROW } else { ROW };
        let each = || rows.chunks_exact(size);
        let start = |row: &[u8]| Ticks::from_le_bytes(field(row, 0));
        let end = |row: &[u8]| Ticks::from_le_bytes(field(row, 8));
        // A pass per column: the rows are in the nearest cache, and each loop is tight.
        self.starts.extend(each().map(|row| start(row).wrapping_sub(first) as u64));
        self.lengths.extend(each().map(|row| end(row).wrapping_sub(start(row)) as u64));
        self.values.extend(each().map(|row| u32::from_le_bytes(field(row, 16))));
        let dictionary = &mut self.dictionary;
        self.values.iter().for_each(|value| dictionary.see(value & !OPEN));
        if nested {
            self.enclosing.extend(each().map(|row| u32::from_le_bytes(field(row, 20))));
            let dictionary = &mut self.outer_dictionary;
            self.enclosing.iter().for_each(|&id| dictionary.see(id));
            self.parents.extend(each().map(|row| u64::from_le_bytes(field(row, 24))));
        }
        let last = each().next_back().map_or(first, end);
        let contiguous = self
            .starts
            .windows(2)
            .zip(&self.lengths)
            .all(|(pair, length)| pair[1].wrapping_sub(pair[0]) == *length);
        let any_length = self.lengths.iter().fold(0, |all, &length| all | length);
        let any_value = self.values.iter().fold(0, |all, &value| all | value);
        let last_start = self.starts.last().copied().unwrap_or_default();
        Shape {
            first,
            last,
            contiguous,
            any_open: any_value & OPEN != 0,
            start_width: width_of(last_start),
            length_width: width_of(any_length),
        }
    }

    /// Numbers the values and makes the checkpoints.
    fn sum_up(&mut self, nested: bool, spacing: usize) {
        let n = self.starts.len();
        let n_values = self.dictionary.ids.len();
        reset(&mut self.sums, n_values);
        reset(&mut self.counts, n_values);
        reset(&mut self.outer_sums, self.outer_dictionary.ids.len());
        self.checkpoints.clear();
        self.outer_checkpoints.clear();
        for from in (0..n).step_by(spacing) {
            let to = (from + spacing).min(n);
            let lengths = &self.lengths[from..to];
            // Borrowed once: the loop is the hottest of the builder.
            let (sums, counts) = (self.sums.as_mut_slice(), self.counts.as_mut_slice());
            let dictionary = &self.dictionary;
            for (value, &length) in self.values[from..to].iter_mut().zip(lengths) {
                let number = dictionary.get(*value & !OPEN);
                *value = number | (*value & OPEN);
                let sum = &mut sums[number as usize];
                *sum = sum.wrapping_add(length);
                counts[number as usize] += 1;
            }
            if nested {
                for (id, &length) in self.enclosing[from..to].iter_mut().zip(lengths) {
                    *id = self.outer_dictionary.get(*id);
                    let sum = &mut self.outer_sums[*id as usize];
                    *sum = sum.wrapping_add(length);
                }
            }
            if to < n {
                self.checkpoints.extend_from_slice(&self.sums);
                self.outer_checkpoints.extend_from_slice(&self.outer_sums);
            }
        }
    }

    fn put_header(
        &self,
        shape: &Shape,
        nested: bool,
        spacing: usize,
        totals: Option<&mut StateTotals>,
        out: &mut Vec<u8>,
    ) {
        let n = self.starts.len();
        let flag = |on: bool, bit: u8| if on { bit } else { 0 };
        out.push(
            flag(shape.contiguous, CONTIGUOUS)
                | flag(shape.any_open, HAS_OPEN)
                | flag(nested, NESTED)
                | flag(n > spacing, CHECKPOINTS)
                | flag(totals.is_some(), TOTALS),
        );
        out.push(shape.start_width | shape.length_width << 4);
        put_ascending(out, &self.dictionary.ids);
        if nested {
            put_ascending(out, &self.outer_dictionary.ids);
            put_varint(out, self.parents[0]);
            out.push(width_of(self.parents[n - 1].wrapping_sub(self.parents[0])));
        }
        if n > spacing {
            out.push(spacing.ilog2() as u8);
            out.push(largest_width(&self.checkpoints));
            if nested {
                out.push(largest_width(&self.outer_checkpoints));
            }
        }
        if let Some(totals) = totals {
            self.put_totals(totals, nested, out);
        }
    }

    fn put_totals(&self, totals: &mut StateTotals, nested: bool, out: &mut Vec<u8>) {
        let n_totals = totals.values.0.len() + totals.enclosing.0.len();
        let back = totals.snapshots.next(self.starts.len(), n_totals);
        put_varint(out, u64::from(back));
        if back == 0 {
            totals.values.put(out);
            if nested {
                totals.enclosing.put(out);
            }
        }
        let ids = self.dictionary.ids.iter().zip(&self.sums).zip(&self.counts);
        totals.values.add(ids.map(|((&id, &ticks), &count)| Total { id, ticks, count }));
        let ids = self.outer_dictionary.ids.iter().zip(&self.outer_sums);
        totals.enclosing.add(ids.map(|(&id, &ticks)| Total { id, ticks, count: 0 }));
    }
}

struct Shape {
    first: Ticks,
    last: Ticks,
    contiguous: bool,
    any_open: bool,
    start_width: u8,
    length_width: u8,
}

/// About four rows per value, so that checkpoints stay smaller than rows.
fn spacing(n_values: usize) -> usize {
    (4 * n_values).next_power_of_two().max(SPACING)
}

fn reset(numbers: &mut Vec<u64>, n: usize) {
    numbers.clear();
    numbers.resize(n, 0);
}

fn largest_width(numbers: &[u64]) -> u8 {
    width_of(numbers.iter().fold(0, |all, &number| all | number))
}

/// A parsed block.
pub(crate) struct StateBlock {
    pub n: usize,
    first: Ticks,
    last: Ticks,
    starts: Packed,
    lengths: Option<Packed>,
    values: Packed,
    open_at: Option<usize>,
    pub dictionary: Vec<u32>,
    nested: Option<Nested>,
    spacing: usize,
    checkpoints: Packed,
    /// How many blocks back the totals stand.
    pub back: u32,
    /// What the lane amounts to before this block, if `back` is 0.
    pub totals: Totals,
}

/// The columns of nested states.
pub(crate) struct Nested {
    /// Enclosing values + 1; 0 for a state that nothing encloses.
    pub dictionary: Vec<u32>,
    enclosing: Packed,
    parent_base: u64,
    parents: Packed,
    checkpoints: Packed,
    pub totals: Totals,
}

impl StateBlock {
    pub(crate) fn parse(bytes: &[u8], entry: &BlockEntry, bounds: Bounds) -> Result<Self> {
        let (mut reader, n) = open_block(bytes, entry)?;
        let flags = reader.u8()?;
        let widths = reader.u8()?;
        let dictionary = reader.ascending()?;
        bounds.check_values(&dictionary)?;
        let nested =
            if flags & NESTED != 0 { Some(nested_header(&mut reader, bounds)?) } else { None };
        let checkpoints = checkpoint_header(&mut reader, flags)?;
        let mut back = 0;
        let (mut totals, mut outer_totals) = (Totals::default(), Totals::default());
        if flags & TOTALS != 0 {
            back = reader.varint_u32()?;
            if back == 0 {
                totals = Totals::read(&mut reader, u64::from(bounds.n_values))?;
                if nested.is_some() {
                    outer_totals = Totals::read(&mut reader, u64::from(bounds.n_values) + 1)?;
                }
            }
        }
        let starts = reader.packed(n, widths & 15)?;
        let lengths = match flags & CONTIGUOUS {
            0 => Some(reader.packed(n, widths >> 4)?),
            _ => None,
        };
        let values = reader.packed(n, number_width(&dictionary)?)?;
        let open_at = (flags & HAS_OPEN != 0).then(|| reader.position());
        if open_at.is_some() {
            reader.take(n.div_ceil(8))?;
        }
        let columns = match &nested {
            Some(header) => Some((
                reader.packed(n, number_width(&header.dictionary)?)?,
                reader.packed(n, header.parent_width)?,
            )),
            None => None,
        };
        let n_checkpoints = (n - 1) / checkpoints.spacing;
        let sums = reader.packed(n_checkpoints * dictionary.len(), checkpoints.width)?;
        let nested = match (nested, columns) {
            (Some(header), Some((enclosing, parents))) => {
                let len = n_checkpoints * header.dictionary.len();
                let outer = reader.packed(len, checkpoints.outer_width)?;
                if !enclosing.all_below(bytes, n, header.dictionary.len() as u64) {
                    return Err(damaged("an enclosing value is not in its dictionary"));
                }
                Some(Nested {
                    dictionary: header.dictionary,
                    enclosing,
                    parent_base: header.parent_base,
                    parents,
                    checkpoints: outer,
                    totals: outer_totals,
                })
            }
            _ => None,
        };
        if !values.all_below(bytes, n, dictionary.len() as u64) {
            return Err(damaged("a value is not in its dictionary"));
        }
        Ok(Self {
            n,
            first: entry.first,
            last: entry.last,
            starts,
            lengths,
            values,
            open_at,
            dictionary,
            nested,
            spacing: checkpoints.spacing,
            checkpoints: sums,
            back,
            totals,
        })
    }

    #[inline]
    pub(crate) fn start(&self, bytes: &[u8], row: usize) -> Ticks {
        self.first.wrapping_add(self.starts.get(bytes, row) as Ticks)
    }

    #[inline]
    pub(crate) fn end(&self, bytes: &[u8], row: usize) -> Ticks {
        match &self.lengths {
            Some(lengths) => self.start(bytes, row).wrapping_add(lengths.get(bytes, row) as Ticks),
            None if row + 1 < self.n => self.start(bytes, row + 1),
            None => self.last,
        }
    }

    #[inline]
    pub(crate) fn length(&self, bytes: &[u8], row: usize) -> u64 {
        match &self.lengths {
            Some(lengths) => lengths.get(bytes, row),
            None => self.end(bytes, row).wrapping_sub(self.start(bytes, row)) as u64,
        }
    }

    /// The number of a row's value in the dictionary.
    #[inline]
    pub(crate) fn value(&self, bytes: &[u8], row: usize) -> usize {
        self.values.get(bytes, row) as usize
    }

    /// The enclosing value + 1.
    pub(crate) fn enclosing(&self, bytes: &[u8], row: usize) -> Option<u32> {
        let nested = self.nested.as_ref()?;
        Some(nested.dictionary[nested.enclosing.get(bytes, row) as usize])
    }

    /// The row number, one lane up, of the enclosing state.
    #[inline]
    pub(crate) fn parent_row(&self, bytes: &[u8], row: usize) -> Option<u64> {
        let nested = self.nested.as_ref()?;
        Some(nested.parent_base.wrapping_add(nested.parents.get(bytes, row)))
    }

    pub(crate) fn row(&self, bytes: &[u8], row: usize) -> StateRow {
        let open_ended = self.is_open(bytes, row);
        let enclosing = self.enclosing(bytes, row).and_then(|id| id.checked_sub(1));
        StateRow {
            start: self.start(bytes, row),
            end: self.end(bytes, row),
            value: ValueId(self.dictionary[self.value(bytes, row)]),
            parent: enclosing.map(ValueId),
            open_ended,
        }
    }

    /// Did nothing in the source close it?
    pub(crate) fn is_open(&self, bytes: &[u8], row: usize) -> bool {
        self.open_at.is_some_and(|at| bit(bytes, at, row))
    }

    /// All rows.
    pub(crate) fn all(&self) -> Range<usize> {
        0..self.n
    }

    /// Appends the start of each of some rows.
    pub(crate) fn extend_starts(&self, bytes: &[u8], rows: Range<usize>, out: &mut Vec<Ticks>) {
        let starts = self.starts.starting_at(rows.start);
        starts.extend(bytes, rows.len(), out, |ticks| self.first.wrapping_add(ticks as Ticks));
    }

    /// Appends the end of each of some rows, given the start of each.
    pub(crate) fn extend_ends(
        &self,
        bytes: &[u8],
        rows: Range<usize>,
        starts: &[Ticks],
        out: &mut Vec<Ticks>,
    ) {
        let at = out.len();
        match &self.lengths {
            Some(lengths) => {
                out.extend_from_slice(starts);
                lengths.starting_at(rows.start).add_to(bytes, &mut out[at..]);
            }
            None => {
                out.extend(starts.iter().skip(1));
                out.extend(rows.last().map(|last| self.end(bytes, last)));
            }
        }
    }

    /// Appends what `map` makes of the value of each of some rows.
    pub(crate) fn extend_values<T: Copy>(
        &self,
        bytes: &[u8],
        rows: Range<usize>,
        out: &mut Vec<T>,
        map: impl Fn(u32) -> T,
    ) {
        let values = self.values.starting_at(rows.start);
        extend_ids(&values, &self.dictionary, bytes, rows.len(), out, map);
    }

    /// Appends what `map` makes of the enclosing value + 1 of each of some rows.
    pub(crate) fn extend_enclosing<T: Copy>(
        &self,
        bytes: &[u8],
        rows: Range<usize>,
        out: &mut Vec<T>,
        map: impl Fn(u32) -> T,
    ) {
        match &self.nested {
            Some(nested) => {
                let enclosing = nested.enclosing.starting_at(rows.start);
                extend_ids(&enclosing, &nested.dictionary, bytes, rows.len(), out, map);
            }
            None => out.resize(out.len() + rows.len(), map(0)),
        }
    }

    /// Appends the row number, one lane up, of the state around each of some rows; nothing in an
    /// outermost lane.
    pub(crate) fn extend_parents(&self, bytes: &[u8], rows: Range<usize>, out: &mut Vec<u64>) {
        if let Some(nested) = &self.nested {
            let parents = nested.parents.starting_at(rows.start);
            parents.extend(bytes, rows.len(), out, |row| nested.parent_base.wrapping_add(row));
        }
    }

    /// The rows that touch a window.
    pub(crate) fn touching(&self, bytes: &[u8], window: Window) -> Range<usize> {
        let from = self.first_touching(bytes, window.from);
        from..self.rows_before(bytes, window.to).max(from)
    }

    /// How many rows start before `time`.
    #[inline]
    pub(crate) fn rows_before(&self, bytes: &[u8], time: Ticks) -> usize {
        partition_point(self.n, |row| self.start(bytes, row) < time)
    }

    /// The first row that touches a window which begins at `from`; see `Window::touches`.
    pub(crate) fn first_touching(&self, bytes: &[u8], from: Ticks) -> usize {
        partition_point(self.n, |row| {
            let start = self.start(bytes, row);
            self.end(bytes, row).max(start.saturating_add(1)) <= from
        })
    }

    /// Gives `add` the ticks of each value in some rows. A value may come several times, also with
    /// negative ticks; what counts is the sum.
    pub(crate) fn time(&self, bytes: &[u8], rows: Range<usize>, add: impl FnMut(u32, i128)) {
        let id = |row| self.dictionary[self.value(bytes, row)];
        self.sum(bytes, rows, &self.checkpoints, &self.dictionary, id, add);
    }

    /// The same per enclosing value + 1.
    pub(crate) fn outer_time(&self, bytes: &[u8], rows: Range<usize>, add: impl FnMut(u32, i128)) {
        let Some(nested) = &self.nested else { return };
        let id = |row| nested.dictionary[nested.enclosing.get(bytes, row) as usize];
        self.sum(bytes, rows, &nested.checkpoints, &nested.dictionary, id, add);
    }

    /// Adds the lengths of rows: one by one if they are few, else between checkpoints.
    #[inline]
    fn sum(
        &self,
        bytes: &[u8],
        rows: Range<usize>,
        checkpoints: &Packed,
        dictionary: &[u32],
        id: impl Fn(usize) -> u32,
        mut add: impl FnMut(u32, i128),
    ) {
        let mut add_rows = |rows: Range<usize>, sign: i128, checkpoint: bool| {
            let mut first = rows.start;
            if checkpoint {
                first = self.checkpoint(bytes, rows.end, checkpoints, dictionary, |id, ticks| {
                    add(id, sign * i128::from(ticks));
                });
            }
            for row in first..rows.end {
                add(id(row), sign * i128::from(self.length(bytes, row)));
            }
        };
        if rows.len() <= self.spacing {
            add_rows(rows, 1, false);
        } else {
            add_rows(0..rows.end, 1, true);
            add_rows(0..rows.start, -1, true);
        }
    }

    /// What the lane amounts to before this block, per enclosing value + 1.
    pub(crate) fn outer_totals(&self) -> Option<&Totals> {
        self.nested.as_ref().map(|nested| &nested.totals)
    }

    /// Does it belong to a lane of nested states?
    pub(crate) fn is_nested(&self) -> bool {
        self.nested.is_some()
    }

    /// Adds the last checkpoint at or before row `n` and returns the row it stands at.
    #[inline]
    fn checkpoint(
        &self,
        bytes: &[u8],
        n: usize,
        sums: &Packed,
        dictionary: &[u32],
        mut add: impl FnMut(u32, u64),
    ) -> usize {
        // There is none at the end of the block: the last stands before its last row.
        let checkpoint = (n / self.spacing).min((self.n - 1) / self.spacing);
        if checkpoint > 0 {
            let at = (checkpoint - 1) * dictionary.len();
            for (number, &id) in dictionary.iter().enumerate() {
                add(id, sums.get(bytes, at + number));
            }
        }
        checkpoint * self.spacing
    }
}

struct NestedHeader {
    dictionary: Vec<u32>,
    parent_base: u64,
    parent_width: u8,
}

fn nested_header(reader: &mut Reader<'_>, bounds: Bounds) -> Result<NestedHeader> {
    let dictionary = reader.ascending()?;
    // They are values + 1.
    if dictionary.last().is_some_and(|&largest| largest > bounds.n_values) {
        return Err(damaged("an enclosing state has no known value"));
    }
    Ok(NestedHeader { dictionary, parent_base: reader.varint()?, parent_width: reader.u8()? })
}

struct CheckpointHeader {
    spacing: usize,
    width: u8,
    outer_width: u8,
}

fn checkpoint_header(reader: &mut Reader<'_>, flags: u8) -> Result<CheckpointHeader> {
    if flags & CHECKPOINTS == 0 {
        return Ok(CheckpointHeader { spacing: usize::MAX, width: 0, outer_width: 0 });
    }
    let log = u32::from(reader.u8()?);
    let width = reader.u8()?;
    let outer_width = if flags & NESTED != 0 { reader.u8()? } else { 0 };
    let spacing = 1usize.checked_shl(log).filter(|&spacing| spacing > 0);
    let spacing = spacing.ok_or_else(|| damaged("checkpoints are too far apart"))?;
    Ok(CheckpointHeader { spacing, width, outer_width })
}
