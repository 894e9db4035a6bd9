//! With whom a leaf communicates, per slice.

use std::collections::HashMap;
use std::fmt;

use onca_model::Ticks;

use super::links::LinkSplitter;
use super::{Bounds, Crossing, LinkTally};

/// How many links a leaf has with another one in a slice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Peer {
    /// The leaf that is looked at.
    pub leaf: u32,
    /// The slice.
    pub slice: u32,
    /// The leaf at the other end.
    pub peer: u32,
    /// The number of links.
    pub count: u64,
}

/// More pairs of leaves than there is room for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooManyPeers {
    /// The limit that was given.
    pub limit: usize,
}

impl fmt::Display for TooManyPeers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "more than {} pairs of containers communicate; take fewer slices or a coarser level",
            self.limit
        )
    }
}

impl std::error::Error for TooManyPeers {}

/// Counts links by pair of leaves and by slice.
///
/// The number of peers of a group is not the sum over its leaves: two of them may have the same
/// peer. To count the peers of groups, number the groups as leaves.
#[derive(Clone, Debug)]
pub struct Peers {
    splitter: LinkSplitter,
    limit: usize,
    counts: HashMap<(u32, u32, u32), u64>,
}

impl Peers {
    /// Nothing yet; at most `limit` different pairs in all slices together.
    pub fn new(bounds: Bounds, crossing: Crossing, limit: usize) -> Self {
        Self { splitter: LinkSplitter::new(bounds, crossing), limit, counts: HashMap::new() }
    }

    /// Counts a link between the leaf that is looked at and its peer.
    pub fn add(
        &mut self,
        leaf: u32,
        peer: u32,
        start: Ticks,
        end: Ticks,
    ) -> Result<(), TooManyPeers> {
        let (counts, limit) = (&mut self.counts, self.limit);
        self.splitter.split(start, end, 0.0, |share| {
            // One link may touch more slices than there is room for.
            if counts.len() <= limit {
                *counts.entry((leaf, share.slice as u32, peer)).or_default() += 1;
            }
        });
        if self.counts.len() > self.limit {
            return Err(TooManyPeers { limit: self.limit });
        }
        Ok(())
    }

    /// How many links were counted, dropped and clipped so far.
    pub fn tally(&self) -> LinkTally {
        self.splitter.tally
    }

    /// The counts, by leaf, slice and peer.
    pub fn finish(self) -> Vec<Peer> {
        let pairs = self.counts.into_iter();
        let mut peers: Vec<Peer> =
            pairs.map(|((leaf, slice, peer), count)| Peer { leaf, slice, peer, count }).collect();
        peers.sort_unstable();
        peers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_counted_by_pair_and_slice() {
        let bounds = Bounds::new(0, 20, 2).expect("bounds");
        let mut peers = Peers::new(bounds, Crossing::Clip, 4);
        for (leaf, peer, start, end) in [(1, 0, 2, 3), (1, 0, 4, 5), (0, 7, 8, 12), (1, 2, 19, 20)]
        {
            peers.add(leaf, peer, start, end).expect("room");
        }
        assert_eq!(peers.tally().clipped, 1);
        assert_eq!(peers.clone().add(5, 5, 0, 1), Err(TooManyPeers { limit: 4 }));
        let list = |peer: &Peer| (peer.leaf, peer.slice, peer.peer, peer.count);
        let expected = [(0, 0, 7, 1), (0, 1, 7, 1), (1, 0, 0, 2), (1, 1, 2, 1)];
        assert_eq!(peers.finish().iter().map(list).collect::<Vec<_>>(), expected);
    }
}
