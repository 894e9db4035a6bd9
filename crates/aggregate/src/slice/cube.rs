//! The microscopic model: what each leaf has, per value and slice.

use std::fmt;

use onca_model::Ticks;

use super::Bounds;
use crate::fold::{Fold, Folded, fold_tree};
use crate::{Number, Tree};

/// Numbers for each leaf, value and slice, contiguous in this order.
#[derive(Clone, PartialEq, Debug)]
pub struct Cube<T> {
    n_leaves: usize,
    n_values: usize,
    n_slices: usize,
    cells: Vec<T>,
}

/// A cube that does not fit into memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooLarge {
    /// How many leaves were wanted.
    pub n_leaves: usize,
    /// How many values.
    pub n_values: usize,
    /// How many slices.
    pub n_slices: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n_leaves, n_values, n_slices } = self;
        write!(
            f,
            "{n_leaves} leaves with {n_values} values in {n_slices} slices do not fit into memory; \
             take fewer slices or values"
        )
    }
}

impl std::error::Error for TooLarge {}

impl<T: Number> Cube<T> {
    /// A cube of zeros.
    pub fn new(n_leaves: usize, n_values: usize, n_slices: usize) -> Result<Self, TooLarge> {
        let too_large = TooLarge { n_leaves, n_values, n_slices };
        let n_cells = n_leaves.checked_mul(n_values).and_then(|n| n.checked_mul(n_slices));
        let n_cells = n_cells.ok_or_else(|| too_large.clone())?;
        let mut cells = Vec::new();
        cells.try_reserve_exact(n_cells).map_err(|_| too_large)?;
        cells.resize(n_cells, T::default());
        Ok(Self { n_leaves, n_values, n_slices, cells })
    }

    /// How many leaves it has.
    pub fn n_leaves(&self) -> usize {
        self.n_leaves
    }

    /// How many values it has.
    pub fn n_values(&self) -> usize {
        self.n_values
    }

    /// How many slices it has.
    pub fn n_slices(&self) -> usize {
        self.n_slices
    }

    /// All slices of all values of a leaf.
    pub fn leaf(&self, leaf: usize) -> &[T] {
        let n = self.n_values * self.n_slices;
        &self.cells[leaf * n..(leaf + 1) * n]
    }

    /// All slices of all values of a leaf, to be filled.
    pub fn leaf_mut(&mut self, leaf: usize) -> &mut [T] {
        let n = self.n_values * self.n_slices;
        &mut self.cells[leaf * n..(leaf + 1) * n]
    }

    /// The parts of all leaves, to be filled by several threads. Empty for a cube without cells.
    pub fn leaves_mut(&mut self) -> impl Iterator<Item = &mut [T]> {
        self.cells.chunks_exact_mut((self.n_values * self.n_slices).max(1))
    }

    /// All slices of one value of a leaf.
    pub fn row(&self, leaf: usize, value: usize) -> &[T] {
        &self.leaf(leaf)[value * self.n_slices..(value + 1) * self.n_slices]
    }

    /// All slices of one value of a leaf, to be filled.
    pub fn row_mut(&mut self, leaf: usize, value: usize) -> &mut [T] {
        let from = value * self.n_slices;
        let to = from + self.n_slices;
        &mut self.leaf_mut(leaf)[from..to]
    }

    /// Each cell divided by the width of its slice, which is one of `bounds`: ticks become shares of the slice, between 0
    /// and 1 where states exclude each other. 0 in slices that are narrower than a tick.
    pub fn proportions(&self, bounds: &Bounds) -> Result<Cube<f64>, TooLarge> {
        let widths = bounds.widths();
        let mut shares = Cube::new(self.n_leaves, self.n_values, self.n_slices)?;
        let rows = self.cells.chunks_exact(self.n_slices.max(1));
        for (row, shares) in rows.zip(shares.cells.chunks_exact_mut(self.n_slices.max(1))) {
            for ((cell, share), &width) in row.iter().zip(shares).zip(&widths) {
                *share = if width > 0 { cell.to_f64() / width as f64 } else { 0.0 };
            }
        }
        Ok(shares)
    }

    /// Folds every value and slice up the tree, whose leaves are those of the cube. The columns of
    /// the result are those of [`leaf`](Self::leaf).
    pub fn fold<F: Fold<Item = T>>(&self, tree: &Tree, fold: &F) -> Folded<F::Output> {
        fold_tree(tree, self.n_values * self.n_slices, fold, |leaf, column| {
            Some(self.leaf(leaf)[column])
        })
    }
}

impl Cube<Ticks> {
    /// The same cube with one more value: the time in none of the others. Where the others
    /// overlap and fill more than the slice, nothing is left.
    pub fn with_idle(&self, bounds: &Bounds) -> Result<Self, TooLarge> {
        let widths = bounds.widths();
        let mut all = Self::new(self.n_leaves, self.n_values + 1, self.n_slices)?;
        for leaf in 0..self.n_leaves {
            let (busy, idle) = all.leaf_mut(leaf).split_at_mut(self.n_values * self.n_slices);
            busy.copy_from_slice(self.leaf(leaf));
            idle.copy_from_slice(&widths);
            for row in busy.chunks_exact(self.n_slices.max(1)) {
                for (left, &ticks) in idle.iter_mut().zip(row) {
                    *left = left.saturating_sub(ticks).max(0);
                }
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::Sum;

    #[test]
    fn cells_lie_by_leaf_value_and_slice() {
        let mut cube = Cube::<Ticks>::new(2, 2, 3).expect("a cube");
        cube.row_mut(1, 0).copy_from_slice(&[1, 2, 3]);
        assert_eq!(cube.leaf(1), [1, 2, 3, 0, 0, 0]);
        assert_eq!(cube.row(1, 0), [1, 2, 3]);
        assert_eq!(cube.leaves_mut().count(), 2);
        assert_eq!((cube.n_leaves(), cube.n_values(), cube.n_slices()), (2, 2, 3));
    }

    #[test]
    fn ticks_become_shares_and_what_is_left_is_idle() {
        let bounds = Bounds::new(0, 10, 4).expect("bounds");
        let mut cube = Cube::<Ticks>::new(1, 2, 4).expect("a cube");
        cube.leaf_mut(0).copy_from_slice(&[2, 1, 0, 0, 0, 1, 2, 0]);
        let shares = cube.proportions(&bounds).expect("a cube");
        assert_eq!(shares.row(0, 0), [1.0, 1.0 / 3.0, 0.0, 0.0]);
        let all = cube.with_idle(&bounds).expect("a cube");
        assert_eq!(all.row(0, 1), [0, 1, 2, 0]);
        assert_eq!(all.row(0, 2), [0, 1, 0, 3]);
    }

    #[test]
    fn columns_are_folded_up_the_tree() {
        let tree = Tree::new(vec![0, 0, 0]).expect("a tree");
        let mut cube = Cube::<Ticks>::new(2, 1, 2).expect("a cube");
        cube.leaf_mut(0).copy_from_slice(&[i64::MAX, 1]);
        cube.leaf_mut(1).copy_from_slice(&[1, 2]);
        let sums = cube.fold(&tree, &Sum::default());
        assert_eq!(sums.node(0), [i128::from(i64::MAX) + 1, 3]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let error = Cube::<f64>::new(usize::MAX, 2, 3).expect_err("too large");
        assert!(error.to_string().contains("fewer slices"));
        assert!(Cube::<f64>::new(1 << 40, 1 << 10, 8).is_err());
    }
}
