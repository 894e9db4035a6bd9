//! Stacks: the columns of a track as a picture shows them, made when a store is built.
//!
//! A picture of many thin rows has a million columns. To add up what each shows takes several times as
//! long as to read it.

use std::sync::Arc;

use onca_model::LaneId;

use crate::{
    Store, TrackId,
    error::Result,
    format::block::stack::{Stack, StackBlock, each_rank},
    format::directory::{BlockEntry, Section},
    read::store::Held,
};

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

/// The stacks of [`TILE_COLUMNS`](crate::TILE_COLUMNS) neighbouring columns.
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

    /// The looks of its stacks.
    pub fn looks(&self) -> StackLooks {
        StackLooks(self.block.parsed())
    }

    /// Visits the stacks in order: how many columns have each.
    #[inline]
    pub fn visit(&self, visit: impl FnMut(usize, Stack<'_>)) -> Result<()> {
        let block = self.block;
        block.visit(block.runs(block.bytes(), self.place), visit)
    }
}

/// The looks of the stacks of some neighbouring tiles.
pub struct StackLooks(Arc<StackBlock>);

impl StackLooks {
    /// Are they those of a tile?
    pub fn are_of(&self, tile: &StackTile<'_>) -> bool {
        tile.block.is(&self.0)
    }

    /// The ranks that have a share, look by look, the lowest first.
    pub fn ranks(&self) -> impl Iterator<Item = impl Iterator<Item = u32>> {
        self.0.ranks_of_looks().map(each_rank)
    }
}
