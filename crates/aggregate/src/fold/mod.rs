//! Hierarchical operators: what a group has, given what its leaves have.
//!
//! An operator is a [`Fold`]: a state that takes in leaves and other states. A state at a node is
//! that of its children merged, so every level is exact from the level below: the mean of a group
//! is the mean of its leaves, never a mean of means.
//!
//! A missing value ([`None`], or a number that is not one) adds nothing to a sum and is skipped by
//! all other operators.

mod expression;
mod operators;
mod summary;

pub use expression::Expression;
pub use operators::{Count, Max, Mean, Min, Std, Sum, WeightedMean};
pub use summary::{Describe, Summary};

use crate::Tree;

/// An operator that can be computed from any partition of the leaves.
///
/// `merge` must be associative and commutative, up to the rounding of floating point, and `init`
/// its neutral element; adding an item must be the same as merging a state that has only that item.
pub trait Fold {
    /// What a leaf has.
    type Item;
    /// What a group has while it is computed.
    type State: Clone;
    /// What a group has in the end.
    type Output;

    /// The state of no leaves.
    fn init(&self) -> Self::State;

    /// Takes in the item of one leaf.
    fn add(&self, state: &mut Self::State, item: Self::Item);

    /// Takes in a leaf whose item is missing.
    fn add_missing(&self, _state: &mut Self::State) {}

    /// Takes in all leaves of another state.
    fn merge(&self, state: &mut Self::State, other: &Self::State);

    /// The result of a state.
    fn finish(&self, state: &Self::State) -> Self::Output;
}

/// The results of a fold: for each node of a tree one row of columns.
#[derive(Clone, PartialEq, Debug)]
pub struct Folded<T> {
    n_columns: usize,
    /// The row of each node: rows are in the order in which nodes were finished.
    rows: Vec<u32>,
    cells: Vec<T>,
}

impl<T> Folded<T> {
    /// The columns of a node.
    pub fn node(&self, node: u32) -> &[T] {
        let from = self.rows[node as usize] as usize * self.n_columns;
        &self.cells[from..from + self.n_columns]
    }
}

/// Folds every column of every leaf up to every node of the tree, in one pass from the bottom.
///
/// `item` gives what the leaf at a place of [`Tree::leaves`] has in a column. Children are merged
/// in their order, so that the result does not depend on anything but the input. States are kept
/// only until the parent has taken them in: a tree may have many nodes, and states are large.
pub fn fold_tree<F: Fold>(
    tree: &Tree,
    n_columns: usize,
    fold: &F,
    mut item: impl FnMut(usize, usize) -> Option<F::Item>,
) -> Folded<F::Output> {
    let mut rows = vec![0; tree.len()];
    let mut cells = Vec::with_capacity(tree.len() * n_columns);
    // Nodes come backwards: when a node comes, its children have come, the first of them last. So
    // their states are the topmost rows of this stack, the first child on top.
    let mut waiting: Vec<F::State> = Vec::new();
    let mut states: Vec<F::State> = Vec::with_capacity(n_columns);
    let mut leaf = tree.leaves().len();
    for (row, &node) in tree.preorder().iter().rev().enumerate() {
        states.resize(n_columns, fold.init());
        let n_children = tree.children(node).len();
        if n_children == 0 {
            leaf -= 1;
            for (column, state) in states.iter_mut().enumerate() {
                match item(leaf, column) {
                    Some(item) => fold.add(state, item),
                    None => fold.add_missing(state),
                }
            }
        }
        for child in waiting.rchunks_exact(n_columns.max(1)).take(n_children) {
            for (state, other) in states.iter_mut().zip(child) {
                fold.merge(state, other);
            }
        }
        rows[node as usize] = row as u32;
        cells.extend(states.iter().map(|state| fold.finish(state)));
        waiting.truncate(waiting.len() - n_children * n_columns);
        waiting.append(&mut states);
    }
    Folded { n_columns, rows, cells }
}
