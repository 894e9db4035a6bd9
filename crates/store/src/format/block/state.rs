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

mod encode;

use std::ops::Range;

use onca_model::{StateRow, Ticks, ValueId, Window};

use super::{Bounds, bit, extend_ids, number_width, open_block, totals::Totals};
pub(crate) use encode::{Extent, StateEncoder, StateTotals};

use crate::{
    error::{Result, damaged},
    format::codec::{Packed, Reader, partition_point},
    format::directory::BlockEntry,
};

/// Bytes of a buffered state of depth 0: start, end, value with [`OPEN`].
pub(crate) const ROW: usize = 20;
/// Bytes of a buffered nested state: the same, enclosing value + 1, parent row.
pub(crate) const NESTED_ROW: usize = 32;
/// Marks an open-ended state in its value.
pub(crate) const OPEN: u32 = 1 << 31;

/// The value of a state, with [`OPEN`] if it has no end of its own.
#[inline]
pub(crate) fn flagged_value(state: &StateRow) -> u32 {
    state.value.0 | if state.open_ended { OPEN } else { 0 }
}

const CONTIGUOUS: u8 = 1;
const HAS_OPEN: u8 = 2;
const NESTED: u8 = 4;
const CHECKPOINTS: u8 = 8;
const TOTALS: u8 = 16;

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
