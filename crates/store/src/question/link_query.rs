//! Questions about links.
//!
//! A link whose end is before its start occupies the time between, but lasts no time: it is
//! counted where it touches, and adds nothing to the time.

use std::ops::Range;

use onca_model::{ContainerId, Flow, LaneId, LinkRow, Nature, Ticks, Window};

use crate::{
    ContainerSet, Store,
    error::{Result, StoreError, damaged},
    format::block::pair::{Chain, PairEntry, PairSums},
    format::codec::partition_point,
    format::directory::{BlockEntry, Section},
    read::store::holder,
};

/// Links taken together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LinkTotals {
    /// How many touch the window.
    pub count: u64,
    /// The sum of their sizes; a link without a size counts 0.
    pub size: u64,
    /// The sum of their time in the window.
    pub time: Ticks,
}

impl LinkTotals {
    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.size = self.size.saturating_add(other.size);
        self.time = self.time.saturating_add(other.time);
    }
}

/// The links from one container to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PairTotals {
    /// Where they come from.
    pub source: ContainerId,
    /// Where they go to.
    pub destination: ContainerId,
    /// What they amount to.
    pub totals: LinkTotals,
}

impl Store {
    /// Visits the links of a lane that touch a window, in order of completion, with their row
    /// numbers: those that come from or go to one of `containers`, if given, and last at least
    /// `min_duration`. Zero or less takes all, also those that end before they start. The key is
    /// left empty: see [`link_key`](Self::link_key).
    ///
    /// Reads the blocks whose time meets the window; half links are included.
    pub fn visit_links<F: Flow>(
        &self,
        lane: LaneId,
        window: Window,
        containers: Option<&ContainerSet>,
        min_duration: Ticks,
        visit: impl FnMut(u64, &LinkRow<'_>) -> F,
    ) -> Result<F::Out> {
        let blocks = 0..self.rows_of(lane, Nature::Link)?.len();
        self.visit_link_blocks(lane, blocks, window, containers, min_duration, visit)
    }

    /// The same for some of the lane's [`blocks`](Self::blocks): several threads may share a lane.
    pub fn visit_link_blocks<F: Flow>(
        &self,
        lane: LaneId,
        blocks: Range<usize>,
        window: Window,
        containers: Option<&ContainerSet>,
        min_duration: Ticks,
        mut visit: impl FnMut(u64, &LinkRow<'_>) -> F,
    ) -> Result<F::Out> {
        let mut links = Vec::new();
        for entry in self.rows_of(lane, Nature::Link)?.get(blocks).unwrap_or_default() {
            // The block may end in an instant, which the window holds where it begins there.
            if entry.first >= window.to || entry.last < window.from {
                continue;
            }
            let block = self.link_block(lane, entry)?;
            block.unpack(block.bytes(), &mut links);
            for (index, link) in links.iter().enumerate() {
                let long = min_duration <= 0 || link.end.saturating_sub(link.start) >= min_duration;
                if !long || !window.touches(link.low(), link.high()) {
                    continue;
                }
                let row = link.to_row();
                let is_in = |id: Option<ContainerId>| {
                    id.is_some_and(|id| containers.is_some_and(|set| set.contains(id)))
                };
                if (containers.is_none() || is_in(row.source) || is_in(row.destination))
                    && let Some(out) = visit(entry.rows_before + index as u64, &row).ended()
                {
                    return Ok(out);
                }
            }
        }
        Ok(F::done())
    }

    /// How many links of a lane may touch a window: no fewer than do. This is known without a look
    /// at any of them.
    pub fn most_links(&self, lane: LaneId, window: Window) -> Result<u64> {
        let blocks = self.rows_of(lane, Nature::Link)?;
        let meets = |entry: &&BlockEntry| entry.first < window.to && entry.last >= window.from;
        Ok(blocks.iter().filter(meets).map(|entry| u64::from(entry.n_rows)).sum())
    }

    /// One link, without its key.
    pub fn link(&self, lane: LaneId, row: u64) -> Result<LinkRow<'static>> {
        let blocks = self.rows_of(lane, Nature::Link)?;
        let (entry, index) = holder(blocks, row)
            .ok_or_else(|| StoreError::NoSuch { what: format!("row {row} in lane {}", lane.0) })?;
        let block = self.link_block(lane, entry)?;
        if index >= block.n {
            return Err(damaged("a block is shorter than the index says"));
        }
        Ok(block.row(block.bytes(), index).to_row())
    }

    /// The text that paired the halves of a link.
    pub fn link_key(&self, lane: LaneId, row: u64) -> Result<Vec<u8>> {
        Ok(self.texts(lane).get(row)?.0.to_vec())
    }

    /// The extra fields of a link, packed; empty if it has none.
    pub fn link_extras(&self, lane: LaneId, row: u64) -> Result<Vec<u8>> {
        self.extras(lane, row)
    }

    /// What the links from one set of containers to another amount to in a window. Equals a scan
    /// over the links with both ends; costs a logarithm per pair that communicates.
    pub fn link_totals(
        &self,
        lane: LaneId,
        from: &ContainerSet,
        to: &ContainerSet,
        window: Window,
    ) -> Result<LinkTotals> {
        let mut totals = LinkTotals::default();
        self.visit_pair_totals(lane, from, to, window, |pair| totals.add(&pair.totals))?;
        Ok(totals)
    }

    /// The same pair by pair, in order of source and destination, without pairs of which no link
    /// touches the window.
    pub fn visit_pair_totals(
        &self,
        lane: LaneId,
        from: &ContainerSet,
        to: &ContainerSet,
        window: Window,
        mut visit: impl FnMut(&PairTotals),
    ) -> Result<()> {
        if !self.has_pair_index() {
            return self.scan_pair_totals(lane, from, to, window, visit);
        }
        let mut current: Option<PairTotals> = None;
        self.visit_chains(lane, from, to, |chain| {
            let (source, destination) = (ContainerId(chain.source), ContainerId(chain.destination));
            let totals = self.chain_totals(lane, chain, window)?;
            match &mut current {
                Some(pair) if (pair.source, pair.destination) == (source, destination) => {
                    pair.totals.add(&totals);
                }
                _ => {
                    let next = PairTotals { source, destination, totals };
                    emit(current.replace(next), &mut visit);
                }
            }
            Ok(())
        })?;
        emit(current, &mut visit);
        Ok(())
    }

    /// Visits the chains of links from one set of containers to another, by source and destination.
    pub(crate) fn visit_chains(
        &self,
        lane: LaneId,
        from: &ContainerSet,
        to: &ContainerSet,
        mut visit: impl FnMut(&Chain) -> Result<()>,
    ) -> Result<()> {
        self.rows_of(lane, Nature::Link)?;
        for entry in self.directory().blocks(lane.0, Section::Chains) {
            if !meets(from, entry) {
                continue;
            }
            for chain in &self.chain_block(lane, entry)?.chains {
                let ends = (ContainerId(chain.source), ContainerId(chain.destination));
                if from.contains(ends.0) && to.contains(ends.1) {
                    visit(chain)?;
                }
            }
        }
        Ok(())
    }

    /// Along a chain both times never decrease: the links that touch the window are those from
    /// `i` to `j`, of which those before `m` start before it and those from `k` end after it.
    pub(crate) fn chain_totals(
        &self,
        lane: LaneId,
        chain: &Chain,
        window: Window,
    ) -> Result<LinkTotals> {
        let entries = Entries::new(self, lane);
        let (first, end) = (chain.first, chain.first + chain.n);
        let i = entries.search(first, end, |entry| {
            entry.high.max(entry.low.saturating_add(1)) <= window.from
        })?;
        let j = entries.search(first, end, |entry| entry.low < window.to)?;
        if i >= j {
            return Ok(LinkTotals::default());
        }
        let (at_i, at_j) = (entries.sums(i)?, entries.sums(j)?);
        let mut totals =
            LinkTotals { count: j - i, size: at_j.size.wrapping_sub(at_i.size), time: 0 };
        if !chain.reversed && window.from < window.to {
            let m = entries.search(i, j, |entry| entry.low < window.from)?;
            let k = entries.search(i, j, |entry| entry.high <= window.to)?;
            // The sums wrap; what remains is right, because it fits.
            let ends = entries.sums(k)?.high().wrapping_sub(at_i.high());
            let ends = ends.wrapping_add((window.to as u64).wrapping_mul(j - k));
            let starts = at_j.low.wrapping_sub(entries.sums(m)?.low);
            let starts = starts.wrapping_add((window.from as u64).wrapping_mul(m - i));
            totals.time = ends.wrapping_sub(starts) as Ticks;
        }
        Ok(totals)
    }
}

fn meets(set: &ContainerSet, entry: &BlockEntry) -> bool {
    match (u32::try_from(entry.first), u32::try_from(entry.last)) {
        (Ok(first), Ok(last)) => set.meets(first, last),
        _ => true,
    }
}

fn emit(pair: Option<PairTotals>, visit: &mut impl FnMut(&PairTotals)) {
    if let Some(pair) = pair.filter(|pair| pair.totals.count > 0) {
        visit(&pair);
    }
}

/// The entries of a lane's pair index.
pub(crate) struct Entries<'a> {
    store: &'a Store,
    lane: LaneId,
    blocks: &'a [BlockEntry],
}

impl<'a> Entries<'a> {
    pub(crate) fn new(store: &'a Store, lane: LaneId) -> Self {
        Self { store, lane, blocks: store.directory().blocks(lane.0, Section::Pairs) }
    }

    /// The first of the entries `from..to` for which `before` is false; it holds for a prefix of
    /// them. Finds the block by what the directory says of its first entry, then the entry.
    pub(crate) fn search(
        &self,
        from: u64,
        to: u64,
        before: impl Fn(&PairEntry) -> bool,
    ) -> Result<u64> {
        let first_block = self.blocks.partition_point(|b| b.rows_before <= from);
        let end_block = self.blocks.partition_point(|b| b.rows_before < to);
        let inner = self.blocks.get(first_block..end_block).unwrap_or_default();
        let skipped = inner.partition_point(|block| {
            before(&PairEntry { low: block.first, high: block.last, size: 0, row: 0 })
        });
        let Some(entry) = (first_block + skipped).checked_sub(1).and_then(|b| self.blocks.get(b))
        else {
            return Ok(from);
        };
        let start = from.max(entry.rows_before);
        let end = to.min(entry.rows_before + u64::from(entry.n_rows));
        let block = self.store.pair_block(self.lane, entry)?;
        let place = (start - entry.rows_before) as usize;
        let n = end.saturating_sub(start) as usize;
        let found = partition_point(n, |index| before(&block.entry(block.bytes(), place + index)));
        Ok(start + found as u64)
    }

    /// The sums over all entries before `index`.
    pub(crate) fn sums(&self, index: u64) -> Result<PairSums> {
        // One past the last entry belongs to the last block.
        let at = self.blocks.partition_point(|block| block.rows_before < index);
        let Some(entry) = at.checked_sub(1).and_then(|at| self.blocks.get(at)) else {
            return Ok(PairSums::default());
        };
        let block = self.store.pair_block(self.lane, entry)?;
        Ok(block.sums(block.bytes(), (index - entry.rows_before) as usize))
    }
}
