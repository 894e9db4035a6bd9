//! Partitions that are simpler than the optimal one: a cut of the tree times a cut of time.
//!
//! They show what is gained by joining along both axes at once. Both are given as many areas as the optimal partition
//! has, so that their losses can be compared.

use super::lanes::x_log2_x;
use super::{
    Area, Axis, Curve, CurveLimits, Gain, OverviewError, Partition, Problem, Tables, Watch,
};
use crate::Tree;
use crate::slice::Cube;

/// Losses that differ by less than this share of the largest count as equal.
const EQUAL: f64 = 1e-12;

/// Whose areas are chosen among.
struct Choice<'c> {
    tree: &'c Tree,
    cube: &'c Cube<f64>,
    gain: Gain,
    /// The largest number of areas.
    most: usize,
}

/// The fixed grid with the smallest loss: all nodes of a depth in intervals of the same number of slices, give or take
/// one. It has at most `most` areas; of grids with the same loss it is the one with the fewest.
pub fn best_grid(tree: &Tree, cube: &Cube<f64>, gain: Gain, p: f64, most: usize) -> Partition {
    let choice = Choice { tree, cube, gain, most };
    let mut best = choice.whole(p);
    let n = cube.n_slices();
    let mut n_before = 0;
    for depth in 0..=tree.height() {
        let nodes = tree.level_cut(depth);
        // A depth that divides nothing further is the one before.
        if nodes.len() == n_before {
            continue;
        }
        n_before = nodes.len();
        let strips = choice.strips(&nodes);
        for n_intervals in 1..=(most / nodes.len()).min(n) {
            let starts: Vec<usize> = (0..n_intervals).map(|at| at * n / n_intervals).collect();
            choice.improve(&mut best, &strips, &starts);
        }
    }
    best
}

/// The product of an optimal partition in space, time summed up, and one in time, space summed up, that has the
/// smallest loss with at most `most` areas. Each of the former is combined with the finest of the latter that fits.
pub fn best_product(
    tree: &Tree,
    cube: &Cube<f64>,
    gain: Gain,
    p: f64,
    most: usize,
    cap: u64,
    watch: Watch,
) -> Result<Partition, OverviewError> {
    let choice = Choice { tree, cube, gain, most };
    let mut times: Vec<Vec<usize>> = choice
        .along(Axis::Time, cap, watch)?
        .into_iter()
        .map(|partition| partition.areas.iter().map(|area| area.first).collect())
        .collect();
    times.push(vec![0]);
    times.sort_by_key(Vec::len);
    let mut best = choice.whole(p);
    for partition in choice.along(Axis::Space, cap, watch)? {
        let nodes: Vec<u32> = partition.areas.iter().map(|area| area.node).collect();
        let fits = |starts: &&Vec<usize>| nodes.len() * starts.len() <= most;
        if let Some(starts) = times.iter().rev().find(fits) {
            choice.improve(&mut best, &choice.strips(&nodes), starts);
        }
    }
    Ok(best)
}

impl Choice<'_> {
    fn whole(&self, p: f64) -> Partition {
        let strips = self.strips(&[self.tree.root()]);
        let areas = self.areas(&strips, &[0]);
        Partition { p, gain: areas[0].gain, loss: areas[0].loss, areas }
    }

    /// The partitions of all trade-offs that a first look finds along one axis.
    fn along(&self, axis: Axis, cap: u64, watch: Watch) -> Result<Vec<Partition>, OverviewError> {
        let problem = Problem::new(self.tree, self.cube, axis, self.gain)?;
        let tables = Tables::new(&problem, cap, watch)?;
        let curve = Curve::search(&tables, CurveLimits::DRAFT, watch)?;
        let solve = |p: f64| tables.solve(p, watch.silent());
        curve.segments.iter().map(|segment| solve(segment.p)).collect()
    }

    fn strips(&self, nodes: &[u32]) -> Vec<Strip> {
        nodes.iter().map(|&node| Strip::new(self.tree, self.cube, node)).collect()
    }

    fn areas(&self, strips: &[Strip], starts: &[usize]) -> Vec<Area> {
        let ends = starts.iter().skip(1).copied().chain([self.cube.n_slices()]);
        let intervals: Vec<(usize, usize)> = starts.iter().copied().zip(ends).collect();
        let of_strip = |strip: &Strip| {
            let area = |&(from, to): &(usize, usize)| strip.area(from, to, self.gain);
            intervals.iter().map(area).collect::<Vec<Area>>()
        };
        let mut areas: Vec<Area> = strips.iter().flat_map(of_strip).collect();
        areas.sort_by_key(|area| (area.node, area.first));
        areas
    }

    /// Takes the product of nodes and intervals if it fits and has a smaller loss, or the same loss in fewer areas.
    fn improve(&self, best: &mut Partition, strips: &[Strip], starts: &[usize]) {
        let n_areas = strips.len() * starts.len();
        if n_areas > self.most {
            return;
        }
        let areas = self.areas(strips, starts);
        let loss: f64 = areas.iter().map(|area| area.loss).sum();
        let margin = EQUAL * best.loss.max(loss);
        let is_smaller = loss < best.loss - margin;
        if is_smaller || (loss <= best.loss + margin && n_areas < best.areas.len()) {
            let gain = areas.iter().map(|area| area.gain).sum();
            *best = Partition { p: best.p, gain, loss, areas };
        }
    }
}

/// What a node has up to each slice, so that any of its intervals costs the same.
struct Strip {
    /// Of a chain of single children, the topmost.
    node: u32,
    n_leaves: usize,
    n_slices: usize,
    /// For each value: the sums of the numbers before each slice, and of all.
    sums: Vec<f64>,
    /// The sums of `x log2 x` before each slice, and of all.
    information: Vec<f64>,
}

impl Strip {
    fn new(tree: &Tree, cube: &Cube<f64>, node: u32) -> Self {
        let n = cube.n_slices();
        let mut sums = vec![0.0; cube.n_values() * (n + 1)];
        let mut information = vec![0.0; n + 1];
        for leaf in tree.leaf_range(node) {
            for (value, sums) in sums.chunks_exact_mut(n + 1).enumerate() {
                for (slice, &number) in cube.row(leaf, value).iter().enumerate() {
                    sums[slice + 1] += number;
                    information[slice + 1] += x_log2_x(number);
                }
            }
        }
        for row in sums.chunks_exact_mut(n + 1).chain([information.as_mut_slice()]) {
            (1..=n).for_each(|slice| row[slice] += row[slice - 1]);
        }
        let mut topmost = node;
        while let Some(parent) = tree.parent(topmost).filter(|&up| tree.children(up).len() == 1) {
            topmost = parent;
        }
        Self { node: topmost, n_leaves: tree.n_leaves(node), n_slices: n, sums, information }
    }

    /// The slices from `from` to before `to`.
    fn area(&self, from: usize, to: usize, gain: Gain) -> Area {
        let n_cells = (self.n_leaves * (to - from)) as f64;
        let information = self.information[to] - self.information[from];
        let (mut loss, mut saved) = (information, -information);
        let mut weight = 0.0;
        for sums in self.sums.chunks_exact(self.n_slices + 1) {
            let sum = (sums[to] - sums[from]).max(0.0);
            weight += sum * n_cells.log2();
            loss -= x_log2_x(sum);
            saved += match gain {
                Gain::Sum => x_log2_x(sum),
                Gain::Mean => x_log2_x(sum / n_cells),
            };
        }
        let gain = if gain == Gain::Sum { saved.max(0.0) } else { saved };
        // Equal cells lose nothing, whatever differences of sums are rounded to.
        let loss = loss + weight;
        let loss = if loss > EQUAL * (weight + information.abs()) { loss } else { 0.0 };
        Area { node: self.node, first: from, last: to - 1, gain, loss }
    }
}
