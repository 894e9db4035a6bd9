//! Blocks of links, in order of completion.
//!
//! ```text
//! flags, widths of starts, durations, sources, destinations, sizes (a byte each)
//! smallest source + 1, smallest destination + 1, dictionary of values
//! columns: starts, durations (zigzag), sources + 1, destinations + 1, values, size bits, sizes
//! ```
//! Times count from the earliest of the block, which is that of the directory.

use onca_model::{ContainerId, LinkRow, Ticks, ValueId};

use super::{
    Bounds, bit, extend_ids, field, number_width, open_block, put_bits, state::Extent,
    totals::Dictionary,
};
use crate::{
    error::{Result, damaged},
    format::codec::{Packed, put_ascending, put_packed, put_varint, unzigzag, width_of, zigzag},
    format::directory::BlockEntry,
};

/// Bytes of a buffered link: start, end, source + 1, destination + 1, value, has size, size.
pub(crate) const ROW: usize = 40;

const ANY_SIZE: u8 = 1;
const ALL_SIZES: u8 = 2;

/// A link without its texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BareLink {
    pub start: Ticks,
    pub end: Ticks,
    /// + 1; 0 for none.
    pub source: u32,
    /// + 1; 0 for none.
    pub destination: u32,
    pub value: u32,
    pub size: Option<u64>,
}

impl BareLink {
    pub(crate) fn of(row: &LinkRow<'_>) -> Self {
        let number = |id: Option<ContainerId>| id.map_or(0, |id| id.0 + 1);
        Self {
            start: row.start,
            end: row.end,
            source: number(row.source),
            destination: number(row.destination),
            value: row.value.0,
            size: row.size,
        }
    }

    pub(crate) fn to_buffer(self) -> [u8; ROW] {
        let mut row = [0; ROW];
        row[..8].copy_from_slice(&self.start.to_le_bytes());
        row[8..16].copy_from_slice(&self.end.to_le_bytes());
        row[16..20].copy_from_slice(&self.source.to_le_bytes());
        row[20..24].copy_from_slice(&self.destination.to_le_bytes());
        row[24..28].copy_from_slice(&self.value.to_le_bytes());
        row[28] = u8::from(self.size.is_some());
        row[32..].copy_from_slice(&self.size.unwrap_or_default().to_le_bytes());
        row
    }

    pub(crate) fn from_buffer(row: &[u8]) -> Self {
        Self {
            start: Ticks::from_le_bytes(field(row, 0)),
            end: Ticks::from_le_bytes(field(row, 8)),
            source: u32::from_le_bytes(field(row, 16)),
            destination: u32::from_le_bytes(field(row, 20)),
            value: u32::from_le_bytes(field(row, 24)),
            size: (row[28] != 0).then(|| u64::from_le_bytes(field(row, 32))),
        }
    }

    /// The earlier of its times.
    pub(crate) fn low(&self) -> Ticks {
        self.start.min(self.end)
    }

    /// The later of its times.
    pub(crate) fn high(&self) -> Ticks {
        self.start.max(self.end)
    }

    pub(crate) fn to_row(self) -> LinkRow<'static> {
        LinkRow {
            start: self.start,
            end: self.end,
            source: self.source.checked_sub(1).map(ContainerId),
            destination: self.destination.checked_sub(1).map(ContainerId),
            value: ValueId(self.value),
            size: self.size,
            key: b"",
        }
    }
}

pub(crate) fn encode(rows: &[BareLink], dictionary: &mut Dictionary, out: &mut Vec<u8>) -> Extent {
    let first = rows.iter().map(BareLink::low).min().unwrap_or_default();
    let last = rows.iter().map(BareLink::high).max().unwrap_or_default();
    let smallest_source = rows.iter().map(|row| row.source).min().unwrap_or_default();
    let smallest_destination = rows.iter().map(|row| row.destination).min().unwrap_or_default();
    let start = |row: &BareLink| row.start.wrapping_sub(first) as u64;
    let duration = |row: &BareLink| zigzag(row.end.wrapping_sub(row.start));
    let source = |row: &BareLink| u64::from(row.source - smallest_source);
    let destination = |row: &BareLink| u64::from(row.destination - smallest_destination);
    let size = |row: &BareLink| row.size.unwrap_or_default();
    let any_size = rows.iter().any(|row| row.size.is_some());
    let all_sizes = rows.iter().all(|row| row.size.is_some());
    rows.iter().for_each(|row| dictionary.see(row.value));
    dictionary.number();
    out.push(if any_size { ANY_SIZE } else { 0 } | if all_sizes { ALL_SIZES } else { 0 });
    let columns: [&dyn Fn(&BareLink) -> u64; 5] = [&start, &duration, &source, &destination, &size];
    let widths = columns.map(|column| width_of(rows.iter().fold(0, |all, row| all | column(row))));
    out.extend(widths);
    put_varint(out, u64::from(smallest_source));
    put_varint(out, u64::from(smallest_destination));
    put_ascending(out, &dictionary.ids);
    put_packed(out, widths[0], rows.iter().map(start));
    put_packed(out, widths[1], rows.iter().map(duration));
    put_packed(out, widths[2], rows.iter().map(source));
    put_packed(out, widths[3], rows.iter().map(destination));
    let number_width = width_of(dictionary.ids.len() as u64 - 1);
    put_packed(out, number_width, rows.iter().map(|row| u64::from(dictionary.get(row.value))));
    if any_size && !all_sizes {
        put_bits(out, rows.iter().map(|row| row.size.is_some()));
    }
    put_packed(out, widths[4], rows.iter().map(size));
    let n_values = dictionary.ids.len();
    dictionary.clear();
    Extent { first, last, n_values }
}

/// A parsed block.
pub(crate) struct LinkBlock {
    pub n: usize,
    first: Ticks,
    starts: Packed,
    durations: Packed,
    smallest_source: u32,
    sources: Packed,
    smallest_destination: u32,
    destinations: Packed,
    values: Packed,
    dictionary: Vec<u32>,
    sizes: Option<Sizes>,
}

struct Sizes {
    /// Where the bits are that tell which links have one; none if all have.
    bits_at: Option<usize>,
    column: Packed,
}

impl LinkBlock {
    pub(crate) fn parse(bytes: &[u8], entry: &BlockEntry, bounds: Bounds) -> Result<Self> {
        let (mut reader, n) = open_block(bytes, entry)?;
        let flags = reader.u8()?;
        let widths: [u8; 5] = field(reader.take(5)?, 0);
        let smallest_source = reader.varint_u32()?;
        let smallest_destination = reader.varint_u32()?;
        let dictionary = reader.ascending()?;
        bounds.check_values(&dictionary)?;
        let starts = reader.packed(n, widths[0])?;
        let durations = reader.packed(n, widths[1])?;
        let sources = reader.packed(n, widths[2])?;
        let destinations = reader.packed(n, widths[3])?;
        let values = reader.packed(n, number_width(&dictionary)?)?;
        if !values.all_below(bytes, n, dictionary.len() as u64) {
            return Err(damaged("a value is not in its dictionary"));
        }
        // Numbers are ids + 1.
        for (smallest, column) in [(smallest_source, sources), (smallest_destination, destinations)]
        {
            let room = (u64::from(bounds.n_containers) + 1).saturating_sub(u64::from(smallest));
            if !column.all_below(bytes, n, room) {
                return Err(damaged("a link joins no known container"));
            }
        }
        let sizes = if flags & ANY_SIZE == 0 {
            None
        } else {
            let bits_at = (flags & ALL_SIZES == 0).then(|| reader.position());
            if bits_at.is_some() {
                reader.take(n.div_ceil(8))?;
            }
            Some(Sizes { bits_at, column: reader.packed(n, widths[4])? })
        };
        Ok(Self {
            n,
            first: entry.first,
            starts,
            durations,
            smallest_source,
            sources,
            smallest_destination,
            destinations,
            values,
            dictionary,
            sizes,
        })
    }

    pub(crate) fn row(&self, bytes: &[u8], row: usize) -> BareLink {
        let start = self.first.wrapping_add(self.starts.get(bytes, row) as Ticks);
        BareLink {
            start,
            end: start.wrapping_add(unzigzag(self.durations.get(bytes, row))),
            source: self.smallest_source + self.sources.get(bytes, row) as u32,
            destination: self.smallest_destination + self.destinations.get(bytes, row) as u32,
            value: self.dictionary[self.values.get(bytes, row) as usize],
            size: self.size(bytes, row),
        }
    }

    /// Replaces what is there by all rows of the block.
    pub(crate) fn unpack(&self, bytes: &[u8], out: &mut Vec<BareLink>) {
        out.clear();
        let first = self.first;
        self.starts.extend(bytes, self.n, out, |ticks| {
            let start = first.wrapping_add(ticks as Ticks);
            BareLink { start, end: start, source: 0, destination: 0, value: 0, size: None }
        });
        // A pass per column: each loop is tight, and the rows stay in the nearest cache.
        self.durations.for_each(bytes, self.n, |row, ticks| {
            out[row].end = out[row].end.wrapping_add(unzigzag(ticks));
        });
        self.sources.for_each(bytes, self.n, |row, id| {
            out[row].source = self.smallest_source + id as u32;
        });
        self.destinations.for_each(bytes, self.n, |row, id| {
            out[row].destination = self.smallest_destination + id as u32;
        });
        self.values.for_each(bytes, self.n, |row, number| {
            out[row].value = self.dictionary[number as usize];
        });
        if let Some(Sizes { bits_at, column }) = &self.sizes {
            column.for_each(bytes, self.n, |row, size| {
                let has = bits_at.is_none_or(|at| bit(bytes, at, row));
                out[row].size = has.then_some(size);
            });
        }
    }

    pub(crate) fn size(&self, bytes: &[u8], row: usize) -> Option<u64> {
        let sizes = self.sizes.as_ref()?;
        let has = sizes.bits_at.is_none_or(|at| bit(bytes, at, row));
        has.then(|| sizes.column.get(bytes, row))
    }

    /// Appends the start of each row.
    pub(crate) fn extend_starts(&self, bytes: &[u8], out: &mut Vec<Ticks>) {
        self.starts.extend(bytes, self.n, out, |ticks| self.first.wrapping_add(ticks as Ticks));
    }

    /// Appends the end of each row.
    pub(crate) fn extend_ends(&self, bytes: &[u8], out: &mut Vec<Ticks>) {
        let at = out.len();
        self.extend_starts(bytes, out);
        for (row, time) in out[at..].iter_mut().enumerate() {
            *time = time.wrapping_add(unzigzag(self.durations.get(bytes, row)));
        }
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

    /// Appends what `map` makes of the source + 1 of each row.
    pub(crate) fn extend_sources<T>(&self, bytes: &[u8], out: &mut Vec<T>, map: impl Fn(u32) -> T) {
        self.sources.extend(bytes, self.n, out, |id| map(self.smallest_source + id as u32));
    }

    /// Appends what `map` makes of the destination + 1 of each row.
    pub(crate) fn extend_destinations<T>(
        &self,
        bytes: &[u8],
        out: &mut Vec<T>,
        map: impl Fn(u32) -> T,
    ) {
        let smallest = self.smallest_destination;
        self.destinations.extend(bytes, self.n, out, |id| map(smallest + id as u32));
    }
}
