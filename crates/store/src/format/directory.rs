//! The directory of a store: which chunks the data file has, which lanes there are, which blocks
//! hold their rows. Small enough to be held in memory: one entry per block of rows.

use std::ops::Range;

use hashbrown::HashMap;
use onca_model::ValueId;

use crate::{
    error::{Result, damaged},
    format::block::sums::SumExtent,
    format::codec::{Reader, put_column, put_deltas, put_signed, put_varint, unzigzag, zigzag},
    format::pages::Seal,
};

/// Blocks of fewer rows share chunks.
pub(crate) const SMALL_ROWS: usize = 64;

/// The most that a compressed chunk may unpack to: one extra field of a record can be long, but
/// a damaged length must not take the memory.
pub(crate) const MAX_RAW: u32 = 1 << 30;

/// What the rows of a lane are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A lane that got no row.
    Empty = 0,
    /// States of depth 0.
    State = 1,
    /// States inside others.
    Nested = 2,
    /// Steps of a variable.
    Variable = 3,
    /// Events.
    Event = 4,
    /// Links.
    Link = 5,
}

impl Kind {
    fn from_code(code: u8) -> Result<Self> {
        [Self::Empty, Self::State, Self::Nested, Self::Variable, Self::Event, Self::Link]
            .into_iter()
            .find(|kind| *kind as u8 == code)
            .ok_or_else(|| damaged("a lane has no known kind"))
    }
}

/// What a block holds for its lane.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub(crate) enum Section {
    /// The rows themselves.
    Rows = 0,
    /// Link keys and extra fields.
    Cold = 1,
    /// Links by pair of containers.
    Pairs = 2,
    /// Where each pair's chains lie among those.
    Chains = 3,
    /// What the values of states have of columns.
    Sums = 4,
}

impl Section {
    const SPARSE: [Self; 4] = [Self::Cold, Self::Pairs, Self::Chains, Self::Sums];
}

/// A unit of reading and checking in the data file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ChunkEntry {
    pub offset: u64,
    /// Bytes in the file.
    pub len: u32,
    /// Bytes when decompressed; 0 when it is not compressed.
    pub raw_len: u32,
    pub crc: u32,
}

/// Rows of one lane inside a chunk.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct BlockEntry {
    /// Rows: the earliest time. Pairs: the first row's earlier time. Chains: the first source.
    /// Sums: the logarithm of the width of columns.
    pub first: i64,
    /// Rows: the latest time. Pairs: the first row's later time. Chains: the last source. Sums:
    /// their level.
    pub last: i64,
    /// Rows of the lane before this block; sums: before the first that they sum up.
    pub rows_before: u64,
    pub chunk: u32,
    /// Where it starts in the chunk.
    pub offset: u32,
    /// Sums: columns.
    pub n_rows: u32,
    /// Variables: which of [`Directory::ranges`] is its own.
    pub range: u32,
}

impl BlockEntry {
    /// The entry of a block of sums that is not placed yet.
    pub(crate) fn of_sums(
        SumExtent { log, n_columns }: SumExtent,
        level: usize,
        rows_before: u64,
    ) -> Self {
        Self {
            first: i64::from(log),
            last: level as i64,
            rows_before,
            chunk: 0,
            offset: 0,
            n_rows: n_columns,
            range: 0,
        }
    }
}

/// What the directory knows of a lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneEntry {
    pub kind: Kind,
    first_block: u32,
    n_blocks: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Directory {
    pub chunks: Vec<ChunkEntry>,
    pub lanes: Vec<LaneEntry>,
    blocks: Vec<BlockEntry>,
    /// Smallest and largest finite value of each block of a variable; NaN when it has none.
    pub ranges: Vec<(f64, f64)>,
    sparse: HashMap<(u32, Section), Range<u32>, foldhash::fast::FixedState>,
    /// The values in the order of their time in the whole trace, if that was found out.
    pub order: Vec<ValueId>,
}

/// A block and whose it is, as the builder collects them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedBlock {
    pub lane: u32,
    pub section: Section,
    pub entry: BlockEntry,
}

impl Directory {
    /// The blocks of one section of a lane, in row order; sums level by level.
    pub(crate) fn blocks(&self, lane: u32, section: Section) -> &[BlockEntry] {
        let range = match section {
            Section::Rows => self
                .lanes
                .get(lane as usize)
                .map(|lane| lane.first_block as usize..(lane.first_block + lane.n_blocks) as usize),
            _ => self
                .sparse
                .get(&(lane, section))
                .map(|range| range.start as usize..range.end as usize),
        };
        range.and_then(|range| self.blocks.get(range)).unwrap_or_default()
    }

    /// How many rows a lane has; 0 if there is no such lane.
    pub(crate) fn n_rows(&self, lane: u32) -> u64 {
        let last = self.blocks(lane, Section::Rows).last();
        last.map_or(0, |block| block.rows_before + u64::from(block.n_rows))
    }

    pub(crate) fn n_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// All blocks with their lane and section.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u32, Section, &[BlockEntry])> {
        let rows = (0..self.lanes.len() as u32)
            .map(|lane| (lane, Section::Rows, self.blocks(lane, Section::Rows)));
        let sparse =
            self.sparse.keys().map(|&(lane, section)| (lane, section, self.blocks(lane, section)));
        rows.chain(sparse)
    }
}

/// The seal of the data file: a checksum over the lengths and checksums of its chunks.
pub(crate) fn data_seal(chunks: &[ChunkEntry]) -> Seal {
    let mut hasher = crc32fast::Hasher::new();
    let mut bytes = 0;
    for chunk in chunks {
        hasher.update(&chunk.len.to_le_bytes());
        hasher.update(&chunk.crc.to_le_bytes());
        bytes += u64::from(chunk.len);
    }
    Seal { bytes, crc: hasher.finalize() }
}

/// Writes the directory; `blocks` are sorted by section, lane and row.
pub(crate) fn encode_directory(
    chunks: &[ChunkEntry],
    kinds: &[Kind],
    blocks: &[PlacedBlock],
    ranges: &[(f64, f64)],
    order: &[ValueId],
) -> Vec<u8> {
    let mut out = Vec::new();
    put_chunks(&mut out, chunks);
    put_varint(&mut out, kinds.len() as u64);
    out.extend(kinds.iter().map(|&kind| kind as u8));
    let n_rows_blocks = blocks.partition_point(|block| block.section == Section::Rows);
    let (rows, sparse) = blocks.split_at(n_rows_blocks);
    let mut n_blocks = vec![0u64; kinds.len()];
    rows.iter().for_each(|block| n_blocks[block.lane as usize] += 1);
    put_column(&mut out, n_blocks.iter().copied());
    put_blocks(&mut out, rows);
    for block in rows.iter().filter(|block| kinds[block.lane as usize] == Kind::Variable) {
        let (low, high) = ranges[block.entry.range as usize];
        out.extend(low.to_bits().to_le_bytes());
        out.extend(high.to_bits().to_le_bytes());
    }
    for section in Section::SPARSE {
        let own: Vec<_> = sparse.iter().filter(|block| block.section == section).copied().collect();
        let groups: Vec<_> = own.chunk_by(|a, b| a.lane == b.lane).collect();
        put_varint(&mut out, groups.len() as u64);
        put_deltas(&mut out, groups.iter().map(|group| i64::from(group[0].lane)));
        put_column(&mut out, groups.iter().map(|group| group.len() as u64));
        put_blocks(&mut out, &own);
        put_deltas(&mut out, own.iter().map(|block| block.entry.rows_before as i64));
    }
    put_varint(&mut out, order.len() as u64);
    put_column(&mut out, order.iter().map(|value| u64::from(value.0)));
    out
}

pub(crate) fn decode_directory(bytes: &[u8]) -> Result<Directory> {
    let mut reader = Reader::new(bytes);
    let mut directory = Directory { chunks: chunks(&mut reader)?, ..Directory::default() };
    lanes(&mut reader, &mut directory)?;
    for section in Section::SPARSE {
        let n = reader.varint_u32()? as usize;
        let lanes: Vec<i64> = reader.deltas(n)?.collect();
        let lengths: Vec<u64> = reader.column(n)?.collect();
        let mut at = directory.blocks.len() as u64;
        let n_blocks = total(&lengths)?;
        let blocks = blocks(&mut reader, directory.chunks.len(), n_blocks)?;
        let rows_before = reader.deltas(n_blocks)?;
        directory.blocks.reserve(n_blocks);
        for (block, row) in blocks.zip(rows_before) {
            let block = BlockEntry { rows_before: row as u64, ..block? };
            if block.rows_before.checked_add(u64::from(block.n_rows)).is_none() {
                return Err(damaged("a lane has too many rows"));
            }
            directory.blocks.push(block);
        }
        for (lane, length) in lanes.into_iter().zip(lengths) {
            let lane = u32::try_from(lane).map_err(|_| damaged("a block is of no lane"))?;
            directory.sparse.insert((lane, section), at as u32..(at + length) as u32);
            at += length;
        }
    }
    directory.order = order(&mut reader)?;
    if reader.remaining() > 0 {
        return Err(damaged("the directory is followed by something"));
    }
    Ok(directory)
}

/// Reads an order, in which each value comes once.
fn order(reader: &mut Reader<'_>) -> Result<Vec<ValueId>> {
    let n = reader.count()?;
    let mut is_known = vec![false; n];
    let values = reader.column(n)?.map(|value| {
        let known = usize::try_from(value).ok().and_then(|value| is_known.get_mut(value));
        match known.map(|known| std::mem::replace(known, true)) {
            Some(false) => Ok(ValueId(value as u32)),
            _ => Err(damaged("a value has no place, or two, in the order of all")),
        }
    });
    values.collect()
}

/// Reads lanes and the blocks of their rows, which follow each other without a gap.
fn lanes(reader: &mut Reader<'_>, directory: &mut Directory) -> Result<()> {
    let n = reader.count()?;
    let kinds = reader.take(n)?;
    let lengths: Vec<u64> = reader.column(n)?.collect();
    let n_blocks = total(&lengths)?;
    let mut blocks = blocks(reader, directory.chunks.len(), n_blocks)?;
    directory.lanes.reserve(n);
    directory.blocks.reserve(n_blocks);
    for (&kind, &length) in kinds.iter().zip(&lengths) {
        let kind = Kind::from_code(kind)?;
        let first_block = directory.blocks.len() as u32;
        let mut rows_before = 0u64;
        for block in blocks.by_ref().take(length as usize) {
            let mut block = BlockEntry { rows_before, ..block? };
            rows_before += u64::from(block.n_rows);
            if kind == Kind::Variable {
                block.range = directory.ranges.len() as u32;
                directory.ranges.push((0.0, 0.0));
            }
            directory.blocks.push(block);
        }
        directory.lanes.push(LaneEntry { kind, first_block, n_blocks: length as u32 });
    }
    for range in &mut directory.ranges {
        *range = (reader.f64()?, reader.f64()?);
    }
    Ok(())
}

/// The sum of lengths; block numbers have 32 bits.
fn total(lengths: &[u64]) -> Result<usize> {
    let sum = lengths.iter().try_fold(0u64, |sum, &length| sum.checked_add(length));
    let sum = sum.filter(|&sum| sum < u64::from(u32::MAX) / 2);
    Ok(sum.ok_or_else(|| damaged("there are too many blocks"))? as usize)
}

fn put_chunks(out: &mut Vec<u8>, chunks: &[ChunkEntry]) {
    put_varint(out, chunks.len() as u64);
    let mut next = 0u64;
    for chunk in chunks {
        put_signed(out, chunk.offset.wrapping_sub(next) as i64);
        put_varint(out, u64::from(chunk.len));
        put_varint(out, u64::from(chunk.raw_len));
        out.extend(chunk.crc.to_le_bytes());
        next = chunk.offset + u64::from(chunk.len);
    }
}

fn chunks(reader: &mut Reader<'_>) -> Result<Vec<ChunkEntry>> {
    let n = reader.count()?;
    let mut chunks = Vec::with_capacity(n);
    let mut next = 0u64;
    for _ in 0..n {
        let offset = next.wrapping_add(reader.signed()? as u64);
        let (len, raw_len) = (reader.varint_u32()?, reader.varint_u32()?);
        chunks.push(ChunkEntry { offset, len, raw_len, crc: reader.u32()? });
        next = offset.checked_add(u64::from(len)).ok_or_else(|| damaged("a chunk is too far"))?;
    }
    Ok(chunks)
}

/// Blocks, column by column: a million of them must be read in a few milliseconds.
fn put_blocks(out: &mut Vec<u8>, blocks: &[PlacedBlock]) {
    let entries = || blocks.iter().map(|block| &block.entry);
    put_deltas(out, entries().map(|entry| i64::from(entry.chunk)));
    put_column(out, entries().map(|entry| u64::from(entry.offset)));
    put_column(out, entries().map(|entry| u64::from(entry.n_rows)));
    put_deltas(out, entries().map(|entry| entry.first));
    put_column(out, entries().map(|entry| zigzag(entry.last.wrapping_sub(entry.first))));
}

/// `n` blocks; where their rows begin is left to the caller.
fn blocks<'a>(
    reader: &mut Reader<'a>,
    n_chunks: usize,
    n: usize,
) -> Result<impl Iterator<Item = Result<BlockEntry>> + use<'a>> {
    let places = reader.deltas(n)?.zip(reader.column(n)?);
    let rows = reader.column(n)?;
    let times = reader.deltas(n)?.zip(reader.column(n)?);
    let entries = places.zip(rows).zip(times);
    Ok(entries.map(move |(((chunk, offset), n_rows), (first, span))| {
        if !(0..n_chunks as i64).contains(&chunk) || offset > u64::from(u32::MAX) {
            return Err(damaged("a block lies in no chunk"));
        }
        if n_rows == 0 || n_rows > u64::from(u32::MAX) {
            return Err(damaged("a block has no row, or too many"));
        }
        Ok(BlockEntry {
            first,
            last: first.wrapping_add(unzigzag(span)),
            rows_before: 0,
            chunk: chunk as u32,
            offset: offset as u32,
            n_rows: n_rows as u32,
            range: 0,
        })
    }))
}
