//! States to blocks.

use onca_model::Ticks;

use super::{CHECKPOINTS, CONTIGUOUS, HAS_OPEN, NESTED, NESTED_ROW, OPEN, ROW, TOTALS};
use crate::{
    format::block::{
        SPACING, field, put_bits,
        sums::{EncodedStates, Numbered, SumEncoder, SumExtent},
        totals::{Dictionary, Snapshots, Total, Totals},
    },
    format::codec::{put_ascending, put_packed, put_varint, width_of},
};

/// What a lane of states remembers from block to block.
#[derive(Clone, Default, Debug)]
pub(crate) struct StateTotals {
    values: Totals,
    enclosing: Totals,
    snapshots: Snapshots,
}

/// Encodes blocks; its columns are reused.
#[derive(Clone, Default)]
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
    /// By value: its exclusive time in all blocks.
    times: Vec<i128>,
}

/// What the directory wants to know of an encoded block.
pub(crate) struct Extent {
    pub first: Ticks,
    pub last: Ticks,
    /// Distinct values, to decide how long the next block may be.
    pub n_values: usize,
}

impl StateEncoder {
    /// Appends the block of `rows` to `out`, and their sums to `sums`, if that is worth it. `totals`
    /// is left out for the only block of a lane, which has no sums either.
    pub(crate) fn encode(
        &mut self,
        rows: &[u8],
        nested: bool,
        totals: Option<&mut StateTotals>,
        out: &mut Vec<u8>,
        (encoder, sums): (&mut SumEncoder, &mut Vec<u8>),
    ) -> (Extent, Option<SumExtent>) {
        let is_only = totals.is_none();
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
        let sums = if is_only { None } else { encoder.encode(&self.encoded(&shape, nested), sums) };
        self.add_times();
        let extent =
            Extent { first: shape.first, last: shape.last, n_values: self.dictionary.ids.len() };
        self.dictionary.clear();
        self.outer_dictionary.clear();
        (extent, sums)
    }

    fn encoded(&self, shape: &Shape, nested: bool) -> EncodedStates<'_> {
        let values = Numbered { ids: &self.dictionary.ids, numbers: &self.values, mask: !OPEN };
        let enclosing =
            Numbered { ids: &self.outer_dictionary.ids, numbers: &self.enclosing, mask: u32::MAX };
        EncodedStates {
            extent: (shape.first, shape.last),
            starts: &self.starts,
            lengths: &self.lengths,
            values,
            enclosing: nested.then_some(enclosing),
        }
    }

    fn add_times(&mut self) {
        self.times.resize(self.times.len().max(self.n_values() as usize), 0);
        for (&id, &ticks) in self.dictionary.ids.iter().zip(&self.sums) {
            self.times[id as usize] += i128::from(ticks);
        }
        for (&id, &ticks) in self.outer_dictionary.ids.iter().zip(&self.outer_sums) {
            if let Some(value) = id.checked_sub(1) {
                self.times[value as usize] -= i128::from(ticks);
            }
        }
    }

    /// By value, as far as there are states: the exclusive time of all blocks.
    pub(crate) fn times(&self) -> &[i128] {
        &self.times
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
