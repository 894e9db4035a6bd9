//! Pending rows to blocks, blocks to chunks.

use std::fs::File;

use crate::{
    build::data_writer::DataWriter,
    build::lane_buffer::{BLOCK_ROWS, LaneBuffer, LaneMore, block_rows, row_size},
    build::pair_index::{PairRecord, PairSorter},
    build::pyramid::SumsOf,
    build::text_packer::{PackedTexts, TextPacker},
    error::Result,
    format::block::{
        Bounds, cold, event,
        link::{self, BareLink},
        state::{Extent, StateEncoder},
        sums::SumEncoder,
        totals::Dictionary,
        variable,
    },
    format::directory::{BlockEntry, Kind, PlacedBlock, SMALL_ROWS, Section},
};

/// Texts of fewer bytes share chunks.
const SMALL_COLD: usize = 16 << 10;
/// Bytes at which a shared chunk is written.
const SHARED_CHUNK: usize = 64 << 10;
/// The same for sums. Whoever reads a lane meets a block of it in each chunk, and next to it those of
/// other lanes: of a very long trace there are more than a cache holds.
const SUMS_CHUNK: usize = 8 << 10;
/// Bytes of texts at which a lane's are written.
pub(crate) const COLD_BLOCK: usize = 128 << 10;

/// Writes blocks and remembers where they are.
pub(crate) struct BlockWriter {
    pub data: DataWriter,
    pub placed: PlacedBlocks,
    pub ranges: Vec<(f64, f64)>,
    n_containers: u32,
    /// Links by pair, unless there is to be no index of them.
    pub pairs: Option<PairSorter>,
    states: StateEncoder,
    sums: SumEncoder,
    /// Have sums been written?
    has_sums: bool,
    dictionary: Dictionary,
    links: Vec<BareLink>,
    block: Vec<u8>,
    packer: TextPacker,
    shared: SharedChunks,
}

/// Which pending rows are to be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flush {
    /// Those that fill a block.
    Full,
    /// All; more may come.
    All,
    /// All, and no more will come.
    Last,
}

/// Chunks that small blocks share, by what these hold: whoever reads one wants its neighbours.
#[derive(Clone, Default)]
struct SharedChunks {
    rows: SharedChunk,
    cold: SharedChunk,
    /// By level.
    sums: Vec<SharedChunk>,
}

impl SharedChunks {
    fn of(&mut self, PlacedBlock { section, entry, .. }: &PlacedBlock) -> &mut SharedChunk {
        match section {
            Section::Cold => &mut self.cold,
            Section::Sums => {
                let level = entry.last as usize;
                self.sums.resize_with(self.sums.len().max(level + 1), SharedChunk::default);
                &mut self.sums[level]
            }
            Section::Rows | Section::Pairs | Section::Chains => &mut self.rows,
        }
    }
}

#[derive(Clone, Default)]
struct SharedChunk {
    number: Option<u32>,
    bytes: Vec<u8>,
}

/// Where the blocks were written. A long trace has hundreds of thousands; they are kept in
/// pieces, because a vector that grows by copying would take several times their memory.
#[derive(Clone, Default)]
pub(crate) struct PlacedBlocks {
    pieces: Vec<Vec<PlacedBlock>>,
}

const PIECE: usize = 4096;

impl PlacedBlocks {
    fn push(&mut self, block: PlacedBlock) {
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < PIECE => piece.push(block),
            _ => {
                let mut piece = Vec::with_capacity(PIECE);
                piece.push(block);
                self.pieces.push(piece);
            }
        }
    }

    /// All of them in one vector.
    pub(crate) fn to_vec(&self) -> Vec<PlacedBlock> {
        self.pieces.concat()
    }
}

impl BlockWriter {
    pub(crate) fn new(data: DataWriter, pairs: PairSorter) -> Self {
        Self {
            data,
            placed: PlacedBlocks::default(),
            ranges: Vec::new(),
            n_containers: 0,
            pairs: Some(pairs),
            states: StateEncoder::default(),
            sums: SumEncoder::default(),
            has_sums: false,
            dictionary: Dictionary::default(),
            links: Vec::new(),
            block: Vec::new(),
            packer: TextPacker::default(),
            shared: SharedChunks::default(),
        }
    }

    /// A writer that goes on from here in a file of its own, without an index of pairs.
    pub(crate) fn fork(&mut self, file: File) -> Result<Self> {
        Ok(Self {
            data: self.data.fork(file)?,
            placed: self.placed.clone(),
            ranges: self.ranges.clone(),
            n_containers: self.n_containers,
            pairs: None,
            states: self.states.clone(),
            sums: SumEncoder::default(),
            has_sums: self.has_sums,
            dictionary: self.dictionary.clone(),
            links: Vec::new(),
            block: Vec::new(),
            packer: self.packer.fork()?,
            shared: self.shared.clone(),
        })
    }

    /// One more than the largest ids written, to be compared with the catalog.
    pub(crate) fn seen(&self) -> Bounds {
        let n_values = self.states.n_values().max(self.dictionary.n_ids);
        Bounds { n_values, n_containers: self.n_containers }
    }

    /// Writes the pending rows of a lane as blocks.
    pub(crate) fn flush_rows(
        &mut self,
        id: u32,
        lane: &mut LaneBuffer,
        flush: Flush,
    ) -> Result<()> {
        let all = flush != Flush::Full;
        let size = row_size(lane.kind);
        let mut rows = std::mem::take(&mut lane.rows);
        let mut done = 0;
        let mut limit = limit_rows(lane);
        while rows.len() - done >= limit * size || (all && rows.len() > done) {
            let n = limit.min((rows.len() - done) / size);
            let block = &rows[done..done + n * size];
            // The only block of a lane needs no totals; a million lanes have just one.
            let only = flush == Flush::Last && n as u64 == lane.n_rows;
            let n_values = self.write_rows(id, lane, block, only)?;
            done += n * size;
            limit = block_rows(n_values);
        }
        rows.drain(..done);
        lane.rows = rows;
        if !lane.is_logged() {
            lane.full_at = (limit * size) as u32;
        }
        Ok(())
    }

    fn write_rows(
        &mut self,
        id: u32,
        lane: &mut LaneBuffer,
        rows: &[u8],
        only: bool,
    ) -> Result<usize> {
        let kind = lane.kind;
        let n_rows = rows.len() / row_size(kind);
        let mut block = std::mem::take(&mut self.block);
        block.clear();
        let mut sums = Vec::new();
        let mut fresh = LaneMore::default();
        let more = if only { &mut fresh } else { lane.more() };
        let rows_before = more.flushed;
        more.flushed += n_rows as u64;
        let (mut range, mut summed) = (0, None);
        let extent = match kind {
            Kind::Empty => unreachable!("a lane without rows has none to write"),
            Kind::State | Kind::Nested => {
                let totals = (!only).then_some(&mut more.states);
                let nested = kind == Kind::Nested;
                let extent;
                let encoder = (&mut self.sums, &mut sums);
                (extent, summed) = self.states.encode(rows, nested, totals, &mut block, encoder);
                extent
            }
            Kind::Variable => {
                let totals = (!only).then_some(&mut more.integral);
                let (extent, own) = variable::encode(rows, totals, &mut block);
                range = self.ranges.len() as u32;
                self.ranges.push(own);
                extent
            }
            Kind::Event => {
                let totals = (!only).then_some(&mut more.events);
                event::encode(rows, &mut self.dictionary, totals, &mut block)
            }
            Kind::Link => self.encode_links(id, rows, rows_before, &mut block)?,
        };
        let Extent { first, last, n_values } = extent;
        let n_rows = n_rows as u32;
        let entry = BlockEntry { first, last, rows_before, chunk: 0, offset: 0, n_rows, range };
        self.block = block;
        self.place(PlacedBlock { lane: id, section: Section::Rows, entry })?;
        if matches!(kind, Kind::State | Kind::Nested) && !only {
            let summed = summed.map(|extent| SumsOf { extent, bytes: sums });
            self.write_sums(id, lane, rows_before, summed)?;
        }
        Ok(n_values)
    }

    /// Writes the sums of a block of states, if it has any, and those of further levels that can
    /// now be made.
    fn write_sums(
        &mut self,
        id: u32,
        lane: &mut LaneBuffer,
        mut rows_before: u64,
        mut sums: Option<SumsOf>,
    ) -> Result<()> {
        for level in 0.. {
            if let Some(SumsOf { extent, bytes }) = &sums {
                self.block.clear();
                self.block.extend_from_slice(bytes);
                let entry = BlockEntry::of_sums(*extent, level, rows_before);
                self.place_shared(PlacedBlock { lane: id, section: Section::Sums, entry })?;
                self.has_sums = true;
            }
            let Some(below) = lane.more().pyramid.add(level, rows_before, sums) else { break };
            rows_before = below.rows_before;
            sums = below.sum_up(&mut self.sums)?;
        }
        Ok(())
    }

    /// The exclusive time of values in all states, if there are enough of these to have sums.
    pub(crate) fn times(&self) -> Option<&[i128]> {
        self.has_sums.then(|| self.states.times())
    }

    fn encode_links(
        &mut self,
        id: u32,
        rows: &[u8],
        rows_before: u64,
        block: &mut Vec<u8>,
    ) -> Result<Extent> {
        self.links.clear();
        self.links.extend(rows.chunks_exact(link::ROW).map(BareLink::from_buffer));
        for (index, link) in self.links.iter().enumerate() {
            self.n_containers = self.n_containers.max(link.source).max(link.destination);
            let record = PairRecord::of(id, rows_before + index as u64, link);
            if let (Some(pairs), Some(record)) = (&mut self.pairs, record) {
                pairs.push(record)?;
            }
        }
        Ok(link::encode(&self.links, &mut self.dictionary, block))
    }

    /// Writes the pending texts of a lane, or lets them be packed meanwhile if they are many.
    pub(crate) fn flush_cold(&mut self, id: u32, lane: &mut LaneBuffer) -> Result<()> {
        let Some(more) = lane.more.as_mut().filter(|more| !more.cold.is_empty()) else {
            return Ok(());
        };
        let cold = std::mem::take(&mut more.cold);
        if cold.len() >= COLD_BLOCK {
            // There will be as many again; memory that is not written to costs nothing.
            more.cold = Vec::with_capacity(COLD_BLOCK + COLD_BLOCK / 8);
            self.collect_texts()?;
            return self.packer.start(id, cold);
        }
        self.block.clear();
        let rows = cold::encode(&cold, &mut self.block);
        let block = text_block(id, rows);
        if self.block.len() < SMALL_COLD {
            return self.place_shared(block);
        }
        let chunk = self.data.reserve();
        self.data.fill_compressed(chunk, &self.block)?;
        self.remember(block, chunk, 0);
        Ok(())
    }

    /// Writes the texts that were packed meanwhile.
    fn collect_texts(&mut self) -> Result<()> {
        if let Some(PackedTexts { lane, rows, bytes, raw_len }) = self.packer.collect()? {
            let chunk = self.data.append_compressed(&bytes, raw_len)?;
            self.remember(text_block(lane, rows), chunk, 0);
        }
        Ok(())
    }

    /// Writes `bytes` as a block of another section.
    pub(crate) fn write(&mut self, block: PlacedBlock, bytes: &[u8]) -> Result<()> {
        self.block.clear();
        self.block.extend_from_slice(bytes);
        self.place(block)
    }

    fn place(&mut self, block: PlacedBlock) -> Result<()> {
        if (block.entry.n_rows as usize) < SMALL_ROWS {
            return self.place_shared(block);
        }
        let chunk = self.data.append(&self.block)?;
        self.remember(block, chunk, 0);
        Ok(())
    }

    fn place_shared(&mut self, block: PlacedBlock) -> Result<()> {
        let shared = self.shared.of(&block);
        let chunk = *shared.number.get_or_insert_with(|| self.data.reserve());
        let offset = shared.bytes.len() as u32;
        shared.bytes.extend_from_slice(&self.block);
        let full = if block.section == Section::Sums { SUMS_CHUNK } else { SHARED_CHUNK };
        if shared.bytes.len() >= full {
            shared.write(&mut self.data, block.section == Section::Cold)?;
        }
        self.remember(block, chunk, offset);
        Ok(())
    }

    fn remember(&mut self, mut block: PlacedBlock, chunk: u32, offset: u32) {
        block.entry.chunk = chunk;
        block.entry.offset = offset;
        self.placed.push(block);
    }

    /// Writes the chunks that are still open.
    pub(crate) fn close(&mut self) -> Result<()> {
        self.collect_texts()?;
        let SharedChunks { rows, cold, sums } = &mut self.shared;
        rows.write(&mut self.data, false)?;
        sums.iter_mut().try_for_each(|level| level.write(&mut self.data, false))?;
        cold.write(&mut self.data, true)
    }
}

impl SharedChunk {
    /// Writes what it holds, if anything, and begins anew.
    fn write(&mut self, data: &mut DataWriter, compressed: bool) -> Result<()> {
        let Some(chunk) = self.number.take() else { return Ok(()) };
        match compressed {
            true => data.fill_compressed(chunk, &self.bytes)?,
            false => data.fill(chunk, &self.bytes)?,
        }
        self.bytes.clear();
        Ok(())
    }
}

/// The block of the texts of a lane, from the first row that has any to the last.
fn text_block(lane: u32, (first_row, last_row): (u64, u64)) -> PlacedBlock {
    // The span of rows says where to look; a lane with a text every 2^32 rows has two blocks
    // that say the same, of which the search takes the later.
    let n_rows = u32::try_from(last_row - first_row + 1).unwrap_or(u32::MAX);
    let entry = BlockEntry {
        first: 0,
        last: 0,
        rows_before: first_row,
        chunk: 0,
        offset: 0,
        n_rows,
        range: 0,
    };
    PlacedBlock { lane, section: Section::Cold, entry }
}

/// Rows at which the next block of a lane is full.
fn limit_rows(lane: &LaneBuffer) -> usize {
    if lane.is_logged() { BLOCK_ROWS } else { lane.full_at as usize / row_size(lane.kind) }
}
