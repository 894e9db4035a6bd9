//! How much memory a problem needs, known before any of it is taken.

use super::lanes::LANES;
use super::triangle::Triangle;
use super::{OverviewError, Problem};

/// Leaves whose sums are made by one thread before they are added up. The number is fixed, so that sums are the same
/// on any number of threads.
pub(super) const SEGMENT: usize = 8 * LANES;

/// What is kept and what is computed again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Plan {
    /// Do the losses of leaves fit? Otherwise they are computed again for each `p`.
    pub keeps_leaves: bool,
}

impl Plan {
    /// Plans the work within a cap, or says what would fit.
    pub fn new(problem: &Problem, cap: u64) -> Result<Self, OverviewError> {
        let size = Size::of(problem);
        let n = problem.n_slices();
        if size.with_leaves(n) <= cap {
            return Ok(Self { keeps_leaves: true });
        }
        if size.without_leaves(n) <= cap {
            return Ok(Self { keeps_leaves: false });
        }
        let slices_that_fit = (1..n).rev().find(|&n| size.without_leaves(n) <= cap).unwrap_or(0);
        Err(OverviewError::Memory { needed: size.without_leaves(n), cap, slices_that_fit })
    }
}

struct Size {
    n_leaves: u64,
    n_inner: u64,
    n_values: u64,
}

impl Size {
    fn of(problem: &Problem) -> Self {
        Self {
            n_leaves: problem.n_leaves() as u64,
            n_inner: problem.n_inner() as u64,
            n_values: problem.cube.n_values() as u64,
        }
    }

    /// Bytes with everything but the losses of the leaves.
    fn without_leaves(&self, n_slices: usize) -> u64 {
        let (cells, n) = (Triangle { n: n_slices }.len() as u64, n_slices as u64);
        let number = size_of::<f64>() as u64;
        let threads = rayon::current_num_threads() as u64;
        // The cube itself, mass and information of each node, the sums of inner nodes.
        let rows = (self.n_leaves + self.n_inner) * (self.n_values + 2) * n;
        // The loss of each inner node, and the best of its children.
        let inner = 2 * self.n_inner * cells;
        // Sums of leaves by segment and parent: no more than one a segment and one a parent.
        let segments = (self.n_leaves.div_ceil(SEGMENT as u64) + self.n_inner) * cells;
        // Losses and worths of a batch in each thread.
        let scratch = 2 * threads * LANES as u64 * cells;
        number * (rows + inner + segments + scratch)
    }

    fn with_leaves(&self, n_slices: usize) -> u64 {
        let cells = Triangle { n: n_slices }.len() as u64;
        let batches = self.n_leaves.div_ceil(LANES as u64);
        self.without_leaves(n_slices) + batches * (LANES * size_of::<f64>()) as u64 * cells
    }
}
