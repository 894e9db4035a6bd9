//! A partition of a cube, and what its areas look like.

use super::backtrack::backtrack;
use super::criterion::Aim;
use super::forward::Forward;
use super::{OverviewError, Tables, Watch};
use crate::Tree;
use crate::slice::Cube;

/// A node of the tree in an interval of slices.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Area {
    /// The node; of a chain of single children, the topmost.
    pub node: u32,
    /// Its first slice.
    pub first: usize,
    /// Its last slice, which belongs to it.
    pub last: usize,
    /// By how much it reduces the data, in bits.
    pub gain: f64,
    /// How much of the data it hides, in bits.
    pub loss: f64,
}

/// The best partition for a trade-off.
#[derive(Clone, PartialEq, Debug)]
pub struct Partition {
    /// The trade-off: the weight of gain against loss.
    pub p: f64,
    /// The sum of the gains.
    pub gain: f64,
    /// The sum of the losses.
    pub loss: f64,
    /// The areas, by node and time. Every leaf is in exactly one area at every time.
    pub areas: Vec<Area>,
}

impl Partition {
    /// The criterion: `p * gain - (1 - p) * loss`.
    pub fn value(&self) -> f64 {
        self.p * self.gain - (1.0 - self.p) * self.loss
    }
}

impl Tables<'_> {
    /// The best partition for a trade-off between 0 (nothing may be lost) and 1 (everything may).
    ///
    /// Among partitions of the same value it is the one with the largest gain, then the smallest loss, then the fewest
    /// areas. So 0 and 1 are limits from inside: at 0 equal cells are joined, at 1 empty ones are not joined to others.
    pub fn solve(&self, p: f64, watch: Watch) -> Result<Partition, OverviewError> {
        if !(0.0..=1.0).contains(&p) {
            return Err(OverviewError::P(p));
        }
        let aim = Aim::new(self.problem.gain, p);
        let forward = Forward::new(self, aim, watch)?;
        let areas = backtrack(self, &forward, aim);
        let gain = areas.iter().map(|area| area.gain).sum();
        let loss = areas.iter().map(|area| area.loss).sum();
        Ok(Partition { p, gain, loss, areas })
    }
}

/// What is seen of an area: how its time is shared among the values.
#[derive(Clone, PartialEq, Debug)]
pub struct Look {
    /// The mean of each value over the leaves and slices of the area.
    pub means: Vec<f64>,
    /// The value with the largest mean, the first of several; `None` if nothing is there.
    pub mode: Option<usize>,
    /// The share of the mode among all values, 0 if nothing is there.
    pub share: f64,
}

impl Look {
    /// How a node looks in the slices `first` to `last`. The cube is that over the tree, whatever axis was partitioned.
    pub fn of(tree: &Tree, cube: &Cube<f64>, node: u32, first: usize, last: usize) -> Self {
        let leaves = tree.leaf_range(node);
        let n_cells = (leaves.len() * (last + 1 - first)) as f64;
        let mean = |value: usize| {
            let rows =
                leaves.clone().map(|leaf| cube.row(leaf, value)[first..=last].iter().sum::<f64>());
            rows.sum::<f64>() / n_cells
        };
        let means: Vec<f64> = (0..cube.n_values()).map(mean).collect();
        let total: f64 = means.iter().sum();
        let first_largest = |best: Option<usize>, value: usize| match best {
            Some(best) if means[best] >= means[value] => Some(best),
            _ => Some(value),
        };
        let mode = (0..means.len()).filter(|&value| means[value] > 0.0).fold(None, first_largest);
        let share = mode.map_or(0.0, |mode| means[mode] / total);
        Self { means, mode, share }
    }
}
