//! Which area of a partition a cell lies in.

use crate::Tree;

/// For each leaf and slice, the place of its area.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AreaMap {
    n_slices: usize,
    places: Vec<u32>,
}

impl AreaMap {
    /// Everything is one area.
    pub fn whole(n_leaves: usize, n_slices: usize) -> Self {
        Self { n_slices, places: vec![0; n_leaves * n_slices] }
    }

    /// The map of areas, each a node with its first and last slice, that are a partition of a tree and its slices.
    pub fn new(
        tree: &Tree,
        n_slices: usize,
        areas: impl Iterator<Item = (u32, usize, usize)>,
    ) -> Self {
        let mut map = Self::whole(tree.leaves().len(), n_slices);
        for (place, (node, first, last)) in areas.enumerate() {
            for leaf in tree.leaf_range(node) {
                let row = leaf * n_slices;
                map.places[row + first..=row + last].fill(place as u32);
            }
        }
        map
    }

    /// The place of the area of a cell.
    pub fn at(&self, leaf: usize, slice: usize) -> usize {
        self.places[leaf * self.n_slices + slice] as usize
    }
}
