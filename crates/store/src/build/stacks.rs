//! Stacks in the making.
//!
//! The states of a track are read once. What they have of the narrowest columns is added up, and
//! each column that is done is added to the column of twice its width.

use onca_model::{LaneId, Nature, ShareEdges, Ticks, Window};
use rayon::prelude::*;

use crate::{
    Store, Track, ValueOrder,
    build::block_writer::BlockWriter,
    error::Result,
    format::block::stack::{
        BLOCK_TILES, MOST_RANKS, StackEncoder, TILE_COLUMNS, each_rank, look_of,
    },
    format::directory::{BlockEntry, PlacedBlock, Section},
    question::state_scan::{LanePart, UnpackedStates},
};

/// A column has so many states at least, on average: with fewer, the states are nearly as quick.
const LEAST_STATES: u64 = 2;
/// Tracks with fewer states are added up in no time.
const LEAST_ROWS: u64 = 2048;
/// A track of fewer columns is too.
const LEAST_COLUMNS: u64 = 128;
/// Times further from 0 have no stacks: columns would end outside of time.
const FURTHEST: Ticks = 1 << 61;
/// The logarithm of [`TILE_COLUMNS`].
const TILE_LOG: u32 = TILE_COLUMNS.trailing_zeros();
/// Tracks that are read at the same time. What is made of them is written side by side.
const TRACKS_AT_ONCE: usize = 32;
/// Blocks of states that are read of a track before what was made is written.
const BLOCKS_AT_ONCE: usize = 64;

/// Is there anything that [`write_stacks`] would do for lanes with so many rows?
pub(crate) fn has_stacks(mut n_rows: impl Iterator<Item = u64>) -> bool {
    n_rows.any(|n| n >= LEAST_ROWS)
}

/// Writes the stacks of all tracks without nested states.
pub(crate) fn write_stacks(store: &Store, writer: &mut BlockWriter) -> Result<()> {
    let order = store.order_by_time()?;
    for lanes in lanes_with_stacks(store).chunks(TRACKS_AT_ONCE) {
        let stackers = lanes.iter().map(|lane| Stacker::new(store, *lane, &order));
        let mut stackers: Vec<Stacker<'_>> = stackers.collect::<Result<_>>()?;
        while stackers.iter().any(|stacker| !stacker.is_done()) {
            let go_on = |scratch: &mut Scratch, stacker: &mut Stacker<'_>| stacker.go_on(scratch);
            let made: Vec<Vec<Made>> =
                stackers.par_iter_mut().map_init(Scratch::default, go_on).collect::<Result<_>>()?;
            let mut made: Vec<Made> = made.into_iter().flatten().collect();
            made.sort_by_key(|made| (made.log, made.first_tile, made.lane));
            made.iter().try_for_each(|made| writer.write(made.placed(), &made.bytes))?;
        }
    }
    writer.close_shared(Section::Stacks)
}

fn lanes_with_stacks(store: &Store) -> Vec<LaneId> {
    let only_lane = |(track, Track { type_id, .. }): (_, &Track)| {
        let is_state = store.catalog().type_def(*type_id).nature == Nature::State;
        match store.tracks().lanes(track) {
            &[lane] if is_state && store.n_rows(lane) >= LEAST_ROWS => Some(lane),
            _ => None,
        }
    };
    store.tracks().iter().filter_map(only_lane).collect()
}

/// A block that was made.
struct Made {
    lane: LaneId,
    log: u32,
    first_tile: i64,
    n_tiles: u32,
    bytes: Vec<u8>,
}

impl Made {
    fn placed(&self) -> PlacedBlock {
        let entry = BlockEntry {
            first: i64::from(self.log),
            last: self.first_tile,
            rows_before: 0,
            chunk: 0,
            offset: 0,
            n_rows: self.n_tiles,
            range: 0,
        };
        PlacedBlock { lane: self.lane.0, section: Section::Stacks, entry }
    }
}

/// What a thread uses again.
#[derive(Default)]
struct Scratch {
    rows: UnpackedStates<u32>,
    bytes: Vec<u8>,
}

/// Makes the stacks of one track, of all widths.
struct Stacker<'s> {
    lane: LaneId,
    part: LanePart<'s>,
    order: &'s ValueOrder,
    /// The next block of states.
    next: usize,
    /// From the narrowest columns to the widest. None if the track has no stacks.
    levels: Vec<Level>,
}

const ALWAYS: Window = Window { from: Ticks::MIN, to: Ticks::MAX };

impl<'s> Stacker<'s> {
    fn new(store: &'s Store, lane: LaneId, order: &'s ValueOrder) -> Result<Self> {
        let part = LanePart::new(store, lane, ALWAYS)?;
        let levels = match (part.blocks.first(), part.blocks.last()) {
            (Some(&BlockEntry { first: begin, .. }), Some(&BlockEntry { last: end, .. })) => {
                let logs = logs(begin, end, store.n_rows(lane));
                logs.map(|log| Level::new(log, begin)).collect()
            }
            _ => Vec::new(),
        };
        Ok(Self { lane, part, order, next: 0, levels })
    }

    fn is_done(&self) -> bool {
        self.levels.is_empty() || self.next > self.part.blocks.len()
    }

    /// Reads on, and returns the blocks that were finished.
    fn go_on(&mut self, Scratch { rows, bytes }: &mut Scratch) -> Result<Vec<Made>> {
        if self.is_done() {
            return Ok(Vec::new());
        }
        let n = self.part.blocks.len();
        let end = n.min(self.next + BLOCKS_AT_ONCE);
        for at in self.next..end {
            let block = self.part.block(at, bytes)?;
            rows.unpack_places(&block, block.bytes(), ALWAYS, self.order);
            for ((&start, &end), &rank) in rows.starts.iter().zip(&rows.ends).zip(&rows.values) {
                self.add_state(start, end, rank);
            }
        }
        self.next = end;
        if end == n {
            self.finish();
            self.next = n + 1;
        }
        let lane = self.lane;
        let made = self.levels.iter_mut().flat_map(|level| {
            let log = level.log;
            let made = level.made.drain(..);
            made.map(move |EncodedTiles { first_tile, n_tiles, bytes }| Made {
                lane,
                log,
                first_tile,
                n_tiles,
                bytes,
            })
        });
        Ok(made.collect())
    }

    #[inline]
    fn add_state(&mut self, start: Ticks, end: Ticks, rank: u32) {
        let log = self.levels[0].log;
        let last = (end - 1).max(start) >> log;
        let mut column = start >> log;
        self.go_to(column);
        let mut from = start;
        while column < last {
            let to = (column + 1) << log;
            self.levels[0].add(rank, to.abs_diff(from));
            column += 1;
            self.go_to(column);
            self.levels[0].is_entered = true;
            from = to;
        }
        self.levels[0].add(rank, end.abs_diff(from));
    }

    /// Goes on to a column of the narrowest level.
    #[inline]
    fn go_to(&mut self, column: i64) {
        if self.levels[0].column != column {
            self.end_column(column);
        }
    }

    /// Ends the column in the making of the narrowest level, and those of others that end with it.
    fn end_column(&mut self, mut next: i64) {
        for level in 0..self.levels.len() {
            let Some((own, above)) = self.levels[level..].split_first_mut() else { return };
            own.end_column();
            let Some(above) = above.first_mut() else { return own.begin_column(next) };
            above.take(own);
            own.begin_column(next);
            next >>= 1;
            if above.column == next {
                return;
            }
        }
    }

    /// Ends all columns: no more states come.
    fn finish(&mut self) {
        for level in 0..self.levels.len() {
            let Some((own, above)) = self.levels[level..].split_first_mut() else { return };
            own.end_column();
            if let Some(above) = above.first_mut() {
                above.take(own);
            }
            own.finish();
        }
    }
}

/// The logarithms of the widths of columns.
fn logs(begin: Ticks, end: Ticks, n_rows: u64) -> impl Iterator<Item = u32> {
    let n_columns = move |log: &u32| (end >> log).abs_diff(begin >> log) + 1;
    let is_near = begin > -FURTHEST && end < FURTHEST;
    (0..Ticks::BITS - TILE_LOG)
        .take_while(move |log| is_near && n_columns(log) >= LEAST_COLUMNS)
        .skip_while(move |log| n_columns(log) > n_rows / LEAST_STATES)
}

/// The columns of one width.
struct Level {
    log: u32,
    edges: ShareEdges,
    /// The column in the making: its number, the time of each rank, a bit for each that is there,
    /// and how many states touch it.
    column: i64,
    ticks: [u64; u64::BITS as usize],
    ranks: u64,
    n_states: u64,
    /// Did the first of these states begin before the column?
    is_entered: bool,
    encoder: StackEncoder,
    /// The first tile of the block in the making.
    first_tile: i64,
    made: Vec<EncodedTiles>,
}

struct EncodedTiles {
    first_tile: i64,
    n_tiles: u32,
    bytes: Vec<u8>,
}

impl Level {
    /// Columns of a track that begins at some time.
    fn new(log: u32, begin: Ticks) -> Self {
        let column = begin >> log;
        let first_tile = column >> TILE_LOG;
        let mut level = Self {
            log,
            edges: ShareEdges::of(1 << log),
            column,
            ticks: [0; u64::BITS as usize],
            ranks: 0,
            n_states: 0,
            is_entered: false,
            encoder: StackEncoder::default(),
            first_tile,
            made: Vec::new(),
        };
        level.skip((column - (first_tile << TILE_LOG)) as u64);
        level
    }

    /// Adds a state to the column in the making.
    #[inline]
    fn add(&mut self, rank: u32, ticks: u64) {
        let slot = rank.min(u64::BITS - 1);
        self.ticks[slot as usize] += ticks;
        self.ranks |= 1 << slot;
        self.n_states += 1;
    }

    /// Adds a column of half the width that is done.
    fn take(&mut self, half: &Level) {
        for slot in each_rank(half.ranks) {
            self.ticks[slot as usize] += half.ticks[slot as usize];
        }
        self.ranks |= half.ranks;
        self.n_states += half.n_states;
        if half.is_entered {
            match half.column & 1 {
                0 => self.is_entered = true,
                // From the other half, where it was counted.
                _ => self.n_states -= 1,
            }
        }
    }

    /// Encodes the column in the making.
    fn end_column(&mut self) {
        let (mut edges, mut shares, mut n) = (self.edges, [0; u64::BITS as usize], 0);
        let mut seen = 0;
        for rank in each_rank(self.ranks) {
            let share = edges.next(self.ticks[rank as usize]);
            if share > 0 {
                seen |= 1 << rank;
                shares[n] = share;
                n += 1;
            }
        }
        if seen >> MOST_RANKS != 0 {
            self.encoder.give_up();
            seen = 0;
        }
        let is_full = edges.edge() == u8::MAX;
        let look = look_of(seen, is_full, self.n_states > 1);
        self.encoder.push(1, look, &shares[..n - usize::from(is_full)]);
        self.end_tiles();
    }

    /// Begins a column after some where nothing is.
    fn begin_column(&mut self, next: i64) {
        each_rank(std::mem::take(&mut self.ranks)).for_each(|slot| self.ticks[slot as usize] = 0);
        self.n_states = 0;
        self.is_entered = false;
        self.skip(next.abs_diff(self.column) - 1);
        self.column = next;
    }

    /// Appends columns where nothing is.
    fn skip(&mut self, mut n: u64) {
        while n > 0 {
            let now = n.min(self.encoder.n_free() as u64);
            self.encoder.push(now as usize, 0, &[]);
            self.end_tiles();
            n -= now;
        }
    }

    /// Ends the block in the making if it has all its tiles.
    #[inline]
    fn end_tiles(&mut self) {
        if self.encoder.is_between_tiles() {
            let next = self.first_tile + self.encoder.n_tiles() as i64;
            if next % BLOCK_TILES == 0 {
                self.end_block();
            }
        }
    }

    fn end_block(&mut self) {
        let (first_tile, n_tiles) = (self.first_tile, self.encoder.n_tiles() as u32);
        self.first_tile += i64::from(n_tiles);
        if let Some(bytes) = self.encoder.finish() {
            self.made.push(EncodedTiles { first_tile, n_tiles, bytes });
        }
    }

    /// Ends the last tile and the last block.
    fn finish(&mut self) {
        if !self.encoder.is_between_tiles() {
            self.skip(self.encoder.n_free() as u64);
        }
        if self.encoder.n_tiles() > 0 {
            self.end_block();
        }
    }
}
