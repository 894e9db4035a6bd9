//! What the links of pairs amount to in a slice, told apart by how they lie in it.
//!
//! In a slice a link that ends before it starts is an instant at its start.

use onca_model::{ContainerId, LaneId, Ticks, Window};

use crate::{
    ContainerSet, LinkTotals, Store, error::Result, format::block::pair::Chain,
    question::link_query::Entries,
};

/// The links from one container to another, in a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PairSlice {
    /// Where they come from.
    pub source: ContainerId,
    /// Where they go to.
    pub destination: ContainerId,
    /// Those that lie in the slice from start to end.
    pub inside: LinkTotals,
    /// Those that have time or, if they last none, their start in the slice.
    pub touching: LinkTotals,
    /// How many of those end before they start.
    pub backward: u64,
}

impl Store {
    /// Visits the pairs of which links touch a slice, in order of source and destination; a pair
    /// may come several times. Summed up they equal a scan over the links with both ends; costs a
    /// logarithm per pair that communicates.
    pub fn visit_pair_slices(
        &self,
        lane: LaneId,
        from: &ContainerSet,
        to: &ContainerSet,
        slice: Window,
        mut visit: impl FnMut(&PairSlice),
    ) -> Result<()> {
        if !self.has_pair_index() {
            return self.scan_pair_slices(lane, from, to, slice, visit);
        }
        self.visit_chains(lane, from, to, |chain| {
            let pair = self.chain_slice(lane, chain, slice)?;
            if pair.touching.count > 0 {
                visit(&pair);
            }
            Ok(())
        })
    }

    fn chain_slice(&self, lane: LaneId, chain: &Chain, slice: Window) -> Result<PairSlice> {
        let mut pair = PairSlice {
            source: ContainerId(chain.source),
            destination: ContainerId(chain.destination),
            inside: LinkTotals::default(),
            touching: LinkTotals::default(),
            backward: 0,
        };
        let entries = Entries::new(self, lane);
        let (first, end) = (chain.first, chain.first + chain.n);
        if chain.reversed {
            let from = entries.search(first, end, |entry| entry.high < slice.from)?;
            let to = entries.search(from, end, |entry| entry.high < slice.to)?;
            let size = entries.sums(to)?.size.wrapping_sub(entries.sums(from)?.size);
            pair.touching = LinkTotals { count: to - from, size, time: 0 };
            (pair.inside, pair.backward) = (pair.touching, to - from);
            return Ok(pair);
        }
        pair.touching = self.chain_totals(lane, chain, slice)?;
        // Both times never decrease along a chain.
        let from = entries.search(first, end, |entry| entry.low < slice.from)?;
        let to =
            entries.search(from, end, |entry| entry.high <= slice.to && entry.low < slice.to)?;
        let (at_from, at_to) = (entries.sums(from)?, entries.sums(to)?);
        let starts = at_to.low.wrapping_sub(at_from.low);
        let ends = at_to.high().wrapping_sub(at_from.high());
        pair.inside = LinkTotals {
            count: to - from,
            size: at_to.size.wrapping_sub(at_from.size),
            time: ends.wrapping_sub(starts) as Ticks,
        };
        Ok(pair)
    }
}
