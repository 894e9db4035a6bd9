//! Which leaves have a row.

use std::ops::Range;

use onca_answer::overview::Matrix;

/// The leaves that have a row: those that have anything. Traces are full of containers, such as
/// hosts and links of a network, that never have a state; rows for them would hide the others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Rows {
    /// For each leaf how many rows come before it; one more at the end.
    before: Vec<usize>,
}

impl Rows {
    /// The rows of a matrix.
    pub fn new(matrix: &Matrix) -> Self {
        let cells = &matrix.cells;
        let has_any = |leaf: usize| cells.leaf(leaf).iter().any(|amount| *amount != 0.0);
        Self::of_leaves((0..cells.n_leaves()).map(has_any))
    }

    /// A row for each leaf that has anything.
    pub fn of_leaves(have_any: impl Iterator<Item = bool>) -> Self {
        let mut before = vec![0];
        for has_any in have_any {
            before.push(before[before.len() - 1] + usize::from(has_any));
        }
        Self { before }
    }

    /// How many rows there are.
    pub fn n(&self) -> usize {
        self.before[self.before.len() - 1]
    }

    /// How many leaves have no row.
    pub fn n_empty(&self) -> usize {
        self.before.len() - 1 - self.n()
    }

    /// The rows of some leaves.
    pub fn of(&self, leaves: &Range<usize>) -> Range<usize> {
        self.before[leaves.start]..self.before[leaves.end]
    }
}
