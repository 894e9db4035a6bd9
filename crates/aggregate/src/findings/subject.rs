//! A run in which something may be wrong, and the places in it.

use super::cells::Cells;
use crate::Tree;
use crate::waits::{Found, Program, Wiring};

/// A run in which something may be wrong.
pub struct Subject<'a> {
    /// What processes did.
    pub program: &'a Program,
    /// What belongs to its calls.
    pub wiring: &'a Wiring,
    /// Who waited for whom.
    pub found: &'a Found,
    /// What processes did, by slot.
    pub cells: &'a Cells,
    /// The hierarchy.
    pub tree: &'a Tree,
    /// The node of each process.
    pub nodes: &'a [u32],
    /// For each process a number that those of the same kind share.
    pub kinds: &'a [u32],
}

impl Subject<'_> {
    /// The nodes from that of a process up to the root.
    fn ancestors(&self, process: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(self.nodes[process as usize]), |node| self.tree.parent(*node))
    }

    /// How deep the lowest node is that holds both.
    pub(super) fn common_depth(&self, a: u32, b: u32) -> u32 {
        let mut of_b: Vec<u32> = self.ancestors(b).collect();
        of_b.sort_unstable();
        let common = self.ancestors(a).find(|node| of_b.binary_search(node).is_ok());
        common.map_or(0, |node| self.tree.depth(node))
    }

    /// The places that a message between two processes passes: each node that holds only one of them, towards everything else;
    /// and each two of these, one on either side.
    pub(super) fn places_between(
        &self,
        a: u32,
        b: u32,
    ) -> impl Iterator<Item = (u32, Option<u32>)> + use<> {
        let depth = self.common_depth(a, b);
        let below = |process: u32| -> Vec<u32> {
            self.ancestors(process).take_while(|node| self.tree.depth(*node) > depth).collect()
        };
        let (of_a, of_b) = (below(a), below(b));
        let mut places: Vec<(u32, Option<u32>)> =
            of_a.iter().chain(&of_b).map(|node| (*node, None)).collect();
        for &x in &of_a {
            places.extend(of_b.iter().map(|&y| (x.min(y), Some(x.max(y)))));
        }
        places.into_iter()
    }

    /// The processes below a node.
    pub(super) fn below(&self, node: u32) -> Vec<u32> {
        let all = 0..self.nodes.len() as u32;
        all.filter(|process| self.ancestors(*process).any(|it| it == node)).collect()
    }

    /// The largest nodes that hold just these processes.
    pub fn groups(&self, processes: &[u32]) -> Vec<u32> {
        largest_groups(self.tree, self.nodes, processes)
    }
}

/// The largest nodes that hold just some of all members, which are in order. Each member is at a node.
pub fn largest_groups(tree: &Tree, nodes: &[u32], members: &[u32]) -> Vec<u32> {
    let mut counts = vec![(0u32, 0u32); tree.len()];
    for (member, node) in (0u32..).zip(nodes) {
        let is_in = u32::from(members.binary_search(&member).is_ok());
        for node in std::iter::successors(Some(*node), |node| tree.parent(*node)) {
            let of = &mut counts[node as usize];
            *of = (of.0 + is_in, of.1 + 1);
        }
    }
    let is_whole = |node: u32| {
        let (inside, all) = counts[node as usize];
        all > 0 && inside == all
    };
    let is_largest =
        |node: &u32| is_whole(*node) && tree.parent(*node).is_none_or(|it| !is_whole(it));
    tree.preorder().iter().copied().filter(is_largest).collect()
}
