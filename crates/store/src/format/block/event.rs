//! Blocks of events.
//!
//! ```text
//! flags, width of times, dictionary of values
//! how many blocks back the totals stand; if 0, the totals
//! columns: times, values
//! ```
//! The first time is that of the directory.

use onca_model::{EventRow, Ticks, ValueId};

use super::{
    Bounds, extend_ids, field, number_width, open_block,
    state::Extent,
    totals::{Dictionary, Snapshots, Total, Totals},
};
use crate::{
    error::{Result, damaged},
    format::codec::{Packed, partition_point, put_ascending, put_packed, put_varint, width_of},
    format::directory::BlockEntry,
};

/// Bytes of a buffered event: time, value.
pub(crate) const ROW: usize = 12;

const TOTALS: u8 = 1;

/// What a lane of events remembers from block to block.
#[derive(Clone, Default, Debug)]
pub(crate) struct EventTotals {
    values: Totals,
    snapshots: Snapshots,
}

pub(crate) fn encode(
    rows: &[u8],
    dictionary: &mut Dictionary,
    totals: Option<&mut EventTotals>,
    out: &mut Vec<u8>,
) -> Extent {
    let time = |row: &[u8]| Ticks::from_le_bytes(field(row, 0));
    let value = |row: &[u8]| u32::from_le_bytes(field(row, 8));
    let rows = || rows.chunks_exact(ROW);
    let first = rows().next().map_or(0, time);
    let last = rows().next_back().map_or(0, time);
    rows().for_each(|row| dictionary.see(value(row)));
    dictionary.number();
    let width = width_of(last.wrapping_sub(first) as u64);
    out.push(if totals.is_some() { TOTALS } else { 0 });
    out.push(width);
    put_ascending(out, &dictionary.ids);
    if let Some(totals) = totals {
        let back = totals.snapshots.next(rows().len(), totals.values.0.len());
        put_varint(out, u64::from(back));
        if back == 0 {
            totals.values.put(out);
        }
        let mut counts = vec![0; dictionary.ids.len()];
        rows().for_each(|row| counts[dictionary.get(value(row)) as usize] += 1);
        let own = dictionary.ids.iter().zip(counts);
        totals.values.add(own.map(|(&id, count)| Total { id, ticks: 0, count }));
    }
    put_packed(out, width, rows().map(|row| time(row).wrapping_sub(first) as u64));
    let number_width = width_of(dictionary.ids.len() as u64 - 1);
    put_packed(out, number_width, rows().map(|row| u64::from(dictionary.get(value(row)))));
    let n_values = dictionary.ids.len();
    dictionary.clear();
    Extent { first, last, n_values }
}

/// A parsed block.
pub(crate) struct EventBlock {
    pub n: usize,
    first: Ticks,
    times: Packed,
    values: Packed,
    dictionary: Vec<u32>,
    /// How many blocks back the totals stand.
    pub back: u32,
    /// What comes before this block, if `back` is 0.
    pub totals: Totals,
}

impl EventBlock {
    pub(crate) fn parse(bytes: &[u8], entry: &BlockEntry, bounds: Bounds) -> Result<Self> {
        let (mut reader, n) = open_block(bytes, entry)?;
        let flags = reader.u8()?;
        let width = reader.u8()?;
        let dictionary = reader.ascending()?;
        bounds.check_values(&dictionary)?;
        let (mut back, mut totals) = (0, Totals::default());
        if flags & TOTALS != 0 {
            back = reader.varint_u32()?;
            if back == 0 {
                totals = Totals::read(&mut reader, u64::from(bounds.n_values))?;
            }
        }
        let times = reader.packed(n, width)?;
        let values = reader.packed(n, number_width(&dictionary)?)?;
        if !values.all_below(bytes, n, dictionary.len() as u64) {
            return Err(damaged("a value is not in its dictionary"));
        }
        Ok(Self { n, first: entry.first, times, values, dictionary, back, totals })
    }

    fn time(&self, bytes: &[u8], row: usize) -> Ticks {
        self.first.wrapping_add(self.times.get(bytes, row) as Ticks)
    }

    pub(crate) fn row(&self, bytes: &[u8], row: usize) -> EventRow {
        let value = self.dictionary[self.values.get(bytes, row) as usize];
        EventRow { time: self.time(bytes, row), value: ValueId(value) }
    }

    /// Appends the time of each row.
    pub(crate) fn extend_times(&self, bytes: &[u8], out: &mut Vec<Ticks>) {
        self.times.extend(bytes, self.n, out, |ticks| self.first.wrapping_add(ticks as Ticks));
    }

    /// Appends what `map` makes of the value of each row.
    pub(crate) fn extend_values<T: Copy>(
        &self,
        bytes: &[u8],
        out: &mut Vec<T>,
        map: impl Fn(u32) -> T,
    ) {
        extend_ids(&self.values, &self.dictionary, bytes, self.n, out, map);
    }

    /// How many rows are before `time`.
    pub(crate) fn rows_before(&self, bytes: &[u8], time: Ticks) -> usize {
        partition_point(self.n, |row| self.time(bytes, row) < time)
    }

    /// Gives `add` each value of the rows `from..to`.
    pub(crate) fn count(&self, bytes: &[u8], n: usize, mut add: impl FnMut(u32)) {
        for row in 0..n {
            add(self.dictionary[self.values.get(bytes, row) as usize]);
        }
    }
}
