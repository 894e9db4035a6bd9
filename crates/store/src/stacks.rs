//! Stacks: the columns of a track as a picture shows them, made when a store is built.
//!
//! A picture of many thin rows has a million columns. To add up what each shows takes ten times as
//! long as to read it.

use onca_model::{LaneId, Nature, Ticks};
use rayon::prelude::*;

use crate::{
    Store, Track, TrackId,
    block::stack::{Stack, StackBlock, StackEncoder, TILE_COLUMNS},
    block_writer::BlockWriter,
    directory::{BlockEntry, PlacedBlock, Section},
    error::Result,
    flat_shares::FlatSweep,
    store::Held,
};

/// Tiles of a block, where it begins with a multiple of that.
const BLOCK_TILES: i64 = 32;
/// A column has so many states at least, on average: with fewer, the states are nearly as quick.
const LEAST_STATES: u64 = 2;
/// Tracks with fewer states are added up in no time.
const LEAST_ROWS: u64 = 2048;
/// A track of fewer columns is too.
const LEAST_COLUMNS: u64 = 128;
/// The logarithm of [`TILE_COLUMNS`].
const TILE_LOG: u32 = TILE_COLUMNS.trailing_zeros();
/// Blocks that are made at once before they are written.
const BATCH: usize = 256;

/// A block to be made. In their order, blocks that a picture needs lie side by side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Job {
    /// The logarithm of the width of columns.
    log: u32,
    first_tile: i64,
    track: TrackId,
    n_tiles: u32,
}

/// Is there anything that [`write_stacks`] would do for lanes with so many rows?
pub(crate) fn has_stacks(mut n_rows: impl Iterator<Item = u64>) -> bool {
    n_rows.any(|n| n >= LEAST_ROWS)
}

/// Writes the stacks of all tracks without nested states.
pub(crate) fn write_stacks(store: &Store, writer: &mut BlockWriter) -> Result<()> {
    let order = store.order_by_time()?;
    let mut jobs = jobs(store)?;
    jobs.sort_unstable();
    let mut n_written = 0;
    for batch in jobs.chunks(BATCH) {
        let sweep = || (FlatSweep::in_order(store, order.clone()), Vec::new());
        let encode = |(sweep, bounds): &mut (FlatSweep<'_>, Vec<Ticks>), job: &Job| {
            bounds.clear();
            bounds.extend(job.bounds());
            let mut encoder = StackEncoder::new(&order, bounds);
            sweep.visit(job.track, bounds, 0, &mut encoder)?;
            let mut bytes = Vec::new();
            Ok(encoder.put(&mut bytes).map(|()| bytes))
        };
        let made: Vec<Option<Vec<u8>>> =
            batch.par_iter().map_init(sweep, encode).collect::<Result<_>>()?;
        for (job, bytes) in batch.iter().zip(made) {
            if let Some(bytes) = bytes {
                writer.write(job.placed(store, n_written), &bytes)?;
                n_written += 1;
            }
        }
    }
    writer.close_shared(Section::Stacks)
}

fn jobs(store: &Store) -> Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for (track, Track { type_id, .. }) in store.tracks().iter() {
        let &[lane] = store.tracks().lanes(track) else { continue };
        if store.catalog().type_def(*type_id).nature != Nature::State {
            continue;
        }
        let n_rows = store.n_rows(lane);
        let blocks = store.rows_of(lane, Nature::State)?;
        let (Some(begin), Some(end)) = (blocks.first(), blocks.last()) else { continue };
        if n_rows < LEAST_ROWS {
            continue;
        }
        let (begin, end) = (begin.first, end.last);
        for log in 0..Ticks::BITS - TILE_LOG {
            let n_columns = (end >> log).abs_diff(begin >> log) + 1;
            if n_columns < LEAST_COLUMNS {
                break;
            }
            if n_columns <= n_rows / LEAST_STATES {
                let tiles = (begin >> (log + TILE_LOG), end >> (log + TILE_LOG));
                jobs.extend(jobs_of(track, log, tiles));
            }
        }
    }
    Ok(jobs)
}

/// The tiles from `first` to `last`, cut into blocks.
fn jobs_of(track: TrackId, log: u32, (first, last): (i64, i64)) -> impl Iterator<Item = Job> {
    let blocks = first.div_euclid(BLOCK_TILES)..=last.div_euclid(BLOCK_TILES);
    blocks.map(move |block| {
        let first_tile = first.max(block * BLOCK_TILES);
        let last_tile = last.min(block * BLOCK_TILES + BLOCK_TILES - 1);
        Job { log, first_tile, track, n_tiles: (last_tile - first_tile + 1) as u32 }
    })
}

impl Job {
    /// Where its columns begin and end. Those outside of time are empty.
    fn bounds(&self) -> impl Iterator<Item = Ticks> + use<> {
        let first = i128::from(self.first_tile) << TILE_LOG;
        let n_columns = i128::from(self.n_tiles) << TILE_LOG;
        let log = self.log;
        (first..=first + n_columns).map(move |column| {
            (column << log).clamp(i128::from(Ticks::MIN), i128::from(Ticks::MAX)) as Ticks
        })
    }

    fn placed(&self, store: &Store, n_before: u64) -> PlacedBlock {
        let entry = BlockEntry {
            first: i64::from(self.log),
            last: self.first_tile,
            rows_before: n_before,
            chunk: 0,
            offset: 0,
            n_rows: self.n_tiles,
            range: 0,
        };
        let lane = store.tracks().lanes(self.track)[0].0;
        PlacedBlock { lane, section: Section::Stacks, entry }
    }
}

/// The stacks of a track, of columns of one width.
pub struct TrackStacks<'s> {
    store: &'s Store,
    lane: LaneId,
    blocks: &'s [BlockEntry],
    /// The block that was read last, and its number.
    held: Option<(usize, Held<StackBlock>)>,
}

impl Store {
    /// The stacks of a track, of columns that are 2^`log` ticks wide, if there are any: they are
    /// made for tracks with many states that do not nest.
    pub fn stacks(&self, track: TrackId, log: u32) -> Option<TrackStacks<'_>> {
        let &[lane] = self.tracks().lanes(track) else { return None };
        let blocks = self.directory().blocks(lane.0, Section::Stacks);
        let log = i64::from(log);
        let begin = blocks.partition_point(|block| block.first < log);
        let end = blocks.partition_point(|block| block.first <= log);
        let blocks = blocks.get(begin..end).filter(|blocks| !blocks.is_empty())?;
        Some(TrackStacks { store: self, lane, blocks, held: None })
    }
}

impl TrackStacks<'_> {
    /// Some neighbouring columns, if they are there: column `k` of a tile begins with the tick
    /// (128 `tile` + `k`) 2^log.
    pub fn tile(&mut self, tile: i64) -> Result<Option<StackTile<'_>>> {
        let number = self.blocks.partition_point(|block| block.last <= tile);
        let Some(number) = number.checked_sub(1) else { return Ok(None) };
        let entry = &self.blocks[number];
        let place = tile.abs_diff(entry.last);
        if place >= u64::from(entry.n_rows) {
            return Ok(None);
        }
        let held = match self.held.take() {
            Some((held, block)) if held == number => block,
            _ => self.store.stack_block(self.lane, entry)?,
        };
        let (_, block) = self.held.insert((number, held));
        Ok(Some(StackTile { block, place: place as usize }))
    }
}

/// The stacks of [`TILE_COLUMNS`] neighbouring columns.
pub struct StackTile<'b> {
    block: &'b Held<StackBlock>,
    place: usize,
}

impl StackTile<'_> {
    /// A bit for each rank that may have a share: the place of a value in
    /// [`Store::order_by_time`].
    pub fn ranks(&self) -> u64 {
        self.block.ranks
    }

    /// Visits the stacks in order: how many columns have each.
    #[inline]
    pub fn visit(&self, visit: impl FnMut(usize, Stack<'_>)) -> Result<()> {
        self.block.visit(self.block.bytes(), self.place, visit)
    }
}
