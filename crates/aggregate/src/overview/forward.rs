//! The forward pass: for one `p`, what the children of each inner node are worth together, in every interval.

use rayon::prelude::*;

use super::criterion::Aim;
use super::kernel::{ROWS, best_rows_of_lanes, best_rows_of_node, fill_worths};
use super::lanes::{LANES, Lanes, larger};
use super::memory::SEGMENT;
use super::tables::Tables;
use super::{OverviewError, Watch};

/// Inner nodes whose results are held at once.
const CHUNK: usize = 128;

/// For each inner node, by rank, and each interval: the sum of the best values of its children.
pub(super) struct Forward {
    pub cuts: Vec<f64>,
}

impl Forward {
    /// Solves everything below the root for one aim.
    pub fn new(tables: &Tables, aim: Aim, watch: Watch) -> Result<Self, OverviewError> {
        let n_segments = tables.problem.n_leaves().div_ceil(SEGMENT);
        let steps = watch.steps(n_segments + tables.problem.n_inner().div_ceil(CHUNK));
        let n_cells = tables.triangle.len();
        let mut forward = Self { cuts: vec![0.0; tables.problem.n_inner() * n_cells] };
        if tables.problem.n_inner() == 0 {
            return Ok(forward);
        }
        let segments: Vec<Vec<ParentSum>> = (0..n_segments)
            .into_par_iter()
            .map(|segment| steps.step().map(|()| segment_sums(tables, aim, segment)))
            .collect::<Result<_, _>>()?;
        for sum in segments.iter().flatten() {
            forward.add(sum.parent, &sum.values);
        }
        drop(segments);
        for level in levels_above_leaves(tables) {
            for chunk in level.chunks(CHUNK) {
                steps.step()?;
                let values: Vec<Vec<f64>> =
                    chunk.par_iter().map(|&node| forward.best_of_node(tables, aim, node)).collect();
                for (&node, values) in chunk.iter().zip(&values) {
                    if let Some(parent) = tables.problem.tree.parent(node) {
                        forward.add(tables.ranks[parent as usize] as usize, values);
                    }
                }
            }
        }
        Ok(forward)
    }

    /// The best of the children of an inner node, by its rank, in every interval.
    pub fn cuts_of(&self, rank: usize, n_cells: usize) -> &[f64] {
        &self.cuts[rank * n_cells..(rank + 1) * n_cells]
    }

    fn add(&mut self, rank: usize, values: &[f64]) {
        for (sum, value) in self.cuts[rank * values.len()..].iter_mut().zip(values) {
            *sum += value;
        }
    }

    /// The best value of an inner node in every interval.
    fn best_of_node(&self, tables: &Tables, aim: Aim, node: u32) -> Vec<f64> {
        let (n, triangle) = (tables.triangle.n, tables.triangle);
        let rows = tables.node_rows(node);
        let cuts = self.cuts_of(tables.ranks[node as usize] as usize, triangle.len());
        let mut blocks = cuts.to_vec();
        for i in 0..n {
            let row = &mut blocks[triangle.row(i)..];
            for (block, cell) in row.iter_mut().zip(tables.cells(&rows, i)) {
                *block = larger(aim.value(cell), *block);
            }
        }
        let mut best = vec![0.0; triangle.len()];
        let mut four = vec![0.0; ROWS * n];
        for first in (0..n).step_by(ROWS) {
            best_rows_of_node(&blocks, n, first, &mut four);
            for (i, row) in (first..n).zip(four.chunks_exact(n)) {
                best[triangle.row(i)..][..n - i].copy_from_slice(&row[i..]);
            }
        }
        best
    }
}

/// The sum of the best values of some children of an inner node.
struct ParentSum {
    /// The rank of the inner node.
    parent: usize,
    values: Vec<f64>,
}

/// Solves the leaves of a segment and sums them up by parent.
fn segment_sums(tables: &Tables, aim: Aim, segment: usize) -> Vec<ParentSum> {
    let (n, triangle) = (tables.triangle.n, tables.triangle);
    let tree = &tables.problem.tree;
    let mut sums: Vec<ParentSum> = Vec::new();
    let mut worths = vec![Lanes::default(); triangle.len()];
    let mut four = vec![Lanes::default(); ROWS * n];
    let batches =
        segment * SEGMENT / LANES..tables.n_batches().min((segment + 1) * SEGMENT / LANES);
    for batch in batches {
        let leaves = &tree.leaves()[batch * LANES..tree.leaves().len().min((batch + 1) * LANES)];
        let places: Vec<usize> =
            leaves.iter().map(|&leaf| sum_of_parent(&mut sums, tables, leaf)).collect();
        let rows = tables.batch(batch);
        fill_worths(
            aim,
            rows.mass,
            rows.information,
            &tables.log_lengths,
            &rows.losses,
            &mut worths,
        );
        for first in (0..n).step_by(ROWS) {
            best_rows_of_lanes(&worths, n, first, &mut four);
            for (i, row) in (first..n).zip(four.chunks_exact(n)) {
                let cells = triangle.row(i)..triangle.row(i) + n - i;
                if places.len() == LANES && places.iter().all(|&place| place == places[0]) {
                    add_all_lanes(&mut sums[places[0]].values[cells], &row[i..]);
                } else {
                    for (lane, &place) in places.iter().enumerate() {
                        add_lane(&mut sums[place].values[cells.clone()], &row[i..], lane);
                    }
                }
            }
        }
    }
    sums
}

/// Where the sum of the parent of a leaf stands among those of the segment. Leaves come in preorder, so that a parent
/// that was met before is most likely the last.
fn sum_of_parent(sums: &mut Vec<ParentSum>, tables: &Tables, leaf: u32) -> usize {
    let parent =
        tables.problem.tree.parent(leaf).expect("a tree with inner nodes has no leaf as root");
    let parent = tables.ranks[parent as usize] as usize;
    sums.iter().rposition(|sum| sum.parent == parent).unwrap_or_else(|| {
        sums.push(ParentSum { parent, values: vec![0.0; tables.triangle.len()] });
        sums.len() - 1
    })
}

fn add_lane(sums: &mut [f64], row: &[Lanes], lane: usize) {
    for (sum, lanes) in sums.iter_mut().zip(row) {
        *sum += lanes.0[lane];
    }
}

fn add_all_lanes(sums: &mut [f64], row: &[Lanes]) {
    for (sum, Lanes([a, b, c, d, e, f, g, h])) in sums.iter_mut().zip(row) {
        *sum += ((a + b) + (c + d)) + ((e + f) + (g + h));
    }
}

/// The inner nodes below the root, by their height: when a level comes, all children of its nodes have come.
fn levels_above_leaves(tables: &Tables) -> Vec<Vec<u32>> {
    let tree = &tables.problem.tree;
    let mut heights = vec![0; tree.len()];
    let mut levels: Vec<Vec<u32>> = Vec::new();
    for &node in tree.preorder().iter().rev() {
        let Some(parent) = tree.parent(node) else { continue };
        let height: usize = heights[node as usize];
        heights[parent as usize] = heights[parent as usize].max(height + 1);
        if height > 0 {
            levels.resize_with(levels.len().max(height), Vec::new);
            levels[height - 1].push(node);
        }
    }
    levels
}
