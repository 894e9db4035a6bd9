//! The tables that do not depend on `p`: the loss of every node in every interval.

use std::borrow::Cow;

use rayon::prelude::*;

use super::criterion::Cell;
use super::kernel::{Columns, fill_losses};
use super::lanes::{LANES, Lanes, log2};
use super::memory::Plan;
use super::triangle::Triangle;
use super::{OverviewError, Problem, Watch};

/// The losses of a problem. Building them costs most; they serve every `p`.
pub struct Tables<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) triangle: Triangle,
    /// The logarithm of each number of slices.
    pub(super) log_lengths: Vec<f64>,
    /// The rank of each inner node among the inner nodes; of leaves, their place among the leaves.
    pub(super) ranks: Vec<u32>,
    pub(super) inner: Inner,
    pub(super) leaves: Leaves,
}

/// What the inner nodes have, in the order of their ranks.
pub(super) struct Inner {
    /// The sum of each slice.
    mass: Vec<f64>,
    /// The sum of `x log2 x` in each slice.
    information: Vec<f64>,
    /// The loss of each interval.
    losses: Vec<f64>,
    log_leaves: Vec<f64>,
}

/// What the leaves have, in batches of eight.
pub(super) struct Leaves {
    mass: Vec<Lanes>,
    information: Vec<Lanes>,
    /// The loss of each interval; missing where memory does not suffice: then they are computed when they are needed.
    losses: Option<Vec<Lanes>>,
}

/// What one batch of leaves has.
pub(super) struct Batch<'t> {
    pub mass: &'t [Lanes],
    pub information: &'t [Lanes],
    pub losses: Cow<'t, [Lanes]>,
}

/// What one node has: all that the worth of its intervals follows from.
pub(super) struct NodeRows<'t> {
    pub mass: Cow<'t, [f64]>,
    pub information: Cow<'t, [f64]>,
    pub losses: Cow<'t, [f64]>,
    pub log_leaves: f64,
}

impl<'a> Tables<'a> {
    /// Builds the tables within a cap of memory, in bytes. What would not fit is refused before anything is allocated.
    pub fn new(problem: &'a Problem<'a>, cap: u64, watch: Watch) -> Result<Self, OverviewError> {
        let plan = Plan::new(problem, cap)?;
        let n = problem.n_slices();
        let triangle = Triangle { n };
        let mut log_lengths: Vec<f64> = (0..=n).map(|length| log2(length as f64)).collect();
        log_lengths[0] = 0.0;
        let leaves = rows_of_leaves(problem);
        let sums = InnerSums::new(problem, &leaves);
        let mut tables = Self {
            problem,
            triangle,
            log_lengths,
            ranks: ranks(problem),
            inner: Inner {
                losses: vec![0.0; problem.n_inner() * triangle.len()],
                log_leaves: sums.log_leaves.clone(),
                mass: Vec::new(),
                information: Vec::new(),
            },
            leaves,
        };
        let n_leaf_steps = if plan.keeps_leaves { problem.n_leaves().div_ceil(LANES) } else { 0 };
        let steps = watch.steps(n_leaf_steps + problem.n_inner().div_ceil(LANES));

        let mut losses = std::mem::take(&mut tables.inner.losses);
        losses.par_chunks_mut(triangle.len() * LANES).enumerate().try_for_each(
            |(batch, losses)| {
                let mut lanes = vec![Lanes::default(); triangle.len()];
                fill_losses(&sums.columns(batch, n), &tables.log_lengths, &mut lanes);
                for (lane, losses) in losses.chunks_exact_mut(triangle.len()).enumerate() {
                    for (loss, lanes) in losses.iter_mut().zip(&lanes) {
                        *loss = lanes.0[lane];
                    }
                }
                steps.step()
            },
        )?;
        tables.inner = Inner {
            losses,
            mass: sums.mass,
            information: sums.information,
            log_leaves: sums.log_leaves,
        };

        if plan.keeps_leaves {
            let n_batches = problem.n_leaves().div_ceil(LANES);
            let mut losses = vec![Lanes::default(); n_batches * triangle.len()];
            losses.par_chunks_mut(triangle.len()).enumerate().try_for_each(|(batch, losses)| {
                fill_losses(&tables.leaf_columns(batch), &tables.log_lengths, losses);
                steps.step()
            })?;
            tables.leaves.losses = Some(losses);
        }
        Ok(tables)
    }

    /// The problem that these are the tables of.
    pub fn problem(&self) -> &'a Problem<'a> {
        self.problem
    }

    /// Gain and loss of everything as one area.
    pub fn whole(&self) -> (f64, f64) {
        let root = self.node_rows(0);
        let cell = self.cells(&root, 0).last().expect("there is a slice");
        (self.problem.gain.of(cell), cell.loss)
    }

    /// What the area of everything could gain and lose together: the scale of all values.
    pub fn scale(&self) -> f64 {
        let root = self.node_rows(0);
        self.cells(&root, 0).last().expect("there is a slice").weight()
    }

    pub(super) fn n_batches(&self) -> usize {
        self.problem.n_leaves().div_ceil(LANES)
    }

    /// What a batch of leaves has. The losses are computed if they were not kept.
    pub(super) fn batch(&self, batch: usize) -> Batch<'_> {
        let (n, n_cells) = (self.triangle.n, self.triangle.len());
        let losses = match &self.leaves.losses {
            Some(losses) => Cow::Borrowed(&losses[batch * n_cells..(batch + 1) * n_cells]),
            None => {
                let mut losses = vec![Lanes::default(); n_cells];
                fill_losses(&self.leaf_columns(batch), &self.log_lengths, &mut losses);
                Cow::Owned(losses)
            }
        };
        let slices = batch * n..(batch + 1) * n;
        Batch {
            mass: &self.leaves.mass[slices.clone()],
            information: &self.leaves.information[slices],
            losses,
        }
    }

    /// What one leaf of a batch has.
    pub(super) fn leaf_rows(&self, batch: &Batch, lane: usize) -> NodeRows<'static> {
        let of_lane = |lanes: &[Lanes]| lanes.iter().map(|lanes| lanes.0[lane]).collect();
        NodeRows {
            mass: Cow::Owned(of_lane(batch.mass)),
            information: Cow::Owned(of_lane(batch.information)),
            losses: Cow::Owned(of_lane(&batch.losses)),
            log_leaves: 0.0,
        }
    }

    /// What a node has.
    pub(super) fn node_rows(&self, node: u32) -> NodeRows<'_> {
        let rank = self.ranks[node as usize] as usize;
        if self.problem.tree.is_leaf(node) {
            return self.leaf_rows(&self.batch(rank / LANES), rank % LANES);
        }
        let (n, n_cells) = (self.triangle.n, self.triangle.len());
        NodeRows {
            mass: Cow::Borrowed(&self.inner.mass[rank * n..(rank + 1) * n]),
            information: Cow::Borrowed(&self.inner.information[rank * n..(rank + 1) * n]),
            losses: Cow::Borrowed(&self.inner.losses[rank * n_cells..(rank + 1) * n_cells]),
            log_leaves: self.inner.log_leaves[rank],
        }
    }

    /// The intervals of a node that begin with slice `i`, from the shortest. Sums are taken in the same order wherever
    /// an interval is looked at, so that its worth always has the same bits.
    pub(super) fn cells<'r>(
        &'r self,
        rows: &'r NodeRows,
        i: usize,
    ) -> impl Iterator<Item = Cell> + 'r {
        let losses = &rows.losses[self.triangle.row(i)..];
        let slices = rows.mass[i..].iter().zip(&rows.information[i..]).zip(losses);
        let (mut mass, mut information) = (0.0, 0.0);
        slices.zip(&self.log_lengths[1..]).map(move |(((of_slice, f), &loss), log_length)| {
            mass += of_slice;
            information += f;
            Cell { mass, information, loss, log_n: rows.log_leaves + log_length }
        })
    }

    fn leaf_columns(&self, batch: usize) -> Columns {
        let n = self.triangle.n;
        let cube = &self.problem.cube;
        let leaves = batch * LANES..self.problem.n_leaves().min((batch + 1) * LANES);
        Columns {
            values: present_values(leaves.map(|leaf| cube.leaf(leaf)), cube.n_values(), n),
            mass: self.leaves.mass[batch * n..(batch + 1) * n].to_vec(),
            information: self.leaves.information[batch * n..(batch + 1) * n].to_vec(),
            log_leaves: Lanes::default(),
        }
    }
}

fn ranks(problem: &Problem) -> Vec<u32> {
    let (mut n_leaves, mut n_inner) = (0, 0);
    let rank = |node: &u32| {
        let next = if problem.tree.is_leaf(*node) { &mut n_leaves } else { &mut n_inner };
        *next += 1;
        *next - 1
    };
    problem.tree.preorder().iter().map(rank).collect()
}

fn rows_of_leaves(problem: &Problem) -> Leaves {
    let n = problem.n_slices();
    let mut mass = vec![Lanes::default(); problem.n_leaves().div_ceil(LANES) * n];
    let mut information = mass.clone();
    for leaf in 0..problem.n_leaves() {
        let (of_leaf, f_of_leaf) = problem.mass_and_information(leaf);
        let (from, lane) = (leaf / LANES * n, leaf % LANES);
        for slice in 0..n {
            mass[from + slice].0[lane] = of_leaf[slice];
            information[from + slice].0[lane] = f_of_leaf[slice];
        }
    }
    Leaves { mass, information, losses: None }
}

/// What the inner nodes have while the tables are built.
struct InnerSums {
    n_values: usize,
    /// All slices of all values of each inner node.
    values: Vec<f64>,
    mass: Vec<f64>,
    information: Vec<f64>,
    log_leaves: Vec<f64>,
}

impl InnerSums {
    fn new(problem: &Problem, leaves: &Leaves) -> Self {
        let (n, n_inner) = (problem.n_slices(), problem.n_inner());
        let n_values = problem.cube.n_values();
        let mut sums = Self {
            n_values,
            values: vec![0.0; n_inner * n_values * n],
            mass: vec![0.0; n_inner * n],
            information: vec![0.0; n_inner * n],
            log_leaves: vec![0.0; n_inner],
        };
        let ranks = ranks(problem);
        let tree = &problem.tree;
        for &node in tree.preorder().iter().rev() {
            let rank = ranks[node as usize] as usize;
            if !tree.is_leaf(node) {
                sums.log_leaves[rank] = log2(tree.n_leaves(node) as f64);
            }
            let Some(parent) = tree.parent(node) else { continue };
            let parent = ranks[parent as usize] as usize;
            if tree.is_leaf(node) {
                add(&mut sums.values, parent, problem.cube.leaf(rank));
                let lane = |lanes: &Lanes| lanes.0[rank % LANES];
                let slices = rank / LANES * n..(rank / LANES + 1) * n;
                for (at, slice) in (parent * n..).zip(slices) {
                    sums.mass[at] += lane(&leaves.mass[slice]);
                    sums.information[at] += lane(&leaves.information[slice]);
                }
            } else {
                add_row(&mut sums.values, parent, rank, n_values * n);
                add_row(&mut sums.mass, parent, rank, n);
                add_row(&mut sums.information, parent, rank, n);
            }
        }
        sums
    }

    /// Eight inner nodes side by side.
    fn columns(&self, batch: usize, n: usize) -> Columns {
        let n_inner = self.log_leaves.len();
        let nodes = batch * LANES..n_inner.min((batch + 1) * LANES);
        let stride = self.n_values * n;
        let of_node = |node: usize| &self.values[node * stride..(node + 1) * stride];
        let side_by_side = |rows: &[f64], n: usize| {
            let mut lanes = vec![Lanes::default(); n];
            for (lane, node) in nodes.clone().enumerate() {
                for (lanes, &number) in lanes.iter_mut().zip(&rows[node * n..(node + 1) * n]) {
                    lanes.0[lane] = number;
                }
            }
            lanes
        };
        Columns {
            values: present_values(nodes.clone().map(of_node), self.n_values, n),
            mass: side_by_side(&self.mass, n),
            information: side_by_side(&self.information, n),
            log_leaves: side_by_side(&self.log_leaves, 1)[0],
        }
    }
}

/// Adds a row to that of a parent.
fn add(rows: &mut [f64], parent: usize, row: &[f64]) {
    for (sum, number) in rows[parent * row.len()..].iter_mut().zip(row) {
        *sum += number;
    }
}

/// Adds the row of an inner node to that of its parent, which comes before it.
fn add_row(rows: &mut [f64], parent: usize, node: usize, n: usize) {
    let (before, from_node) = rows.split_at_mut(node * n);
    add(before, parent, &from_node[..n]);
}

/// The rows of up to eight nodes side by side, without the values that none of them has.
fn present_values<'c>(
    nodes: impl Iterator<Item = &'c [f64]> + Clone,
    n_values: usize,
    n: usize,
) -> Vec<Lanes> {
    let mut values = Vec::new();
    for value in 0..n_values {
        let rows = nodes.clone().map(|all| &all[value * n..(value + 1) * n]);
        if rows.clone().all(|row| row.iter().all(|&number| number == 0.0)) {
            continue;
        }
        let from = values.len();
        values.resize(from + n, Lanes::default());
        for (lane, row) in rows.enumerate() {
            for (lanes, &number) in values[from..].iter_mut().zip(row) {
                lanes.0[lane] = number;
            }
        }
    }
    values
}
