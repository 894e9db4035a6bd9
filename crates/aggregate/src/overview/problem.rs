//! What is to be partitioned: a cube over a tree, along one axis or both.

use std::borrow::Cow;
use std::fmt;

use super::lanes::x_log2_x;
use crate::Tree;
use crate::slice::{Cube, TooLarge};

/// Along which axes cells may be joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Axis {
    /// In the tree only: the slices of each leaf are summed up first.
    Space,
    /// In time only: the leaves are summed up first.
    Time,
    /// In time only, and every leaf counts for itself: gain and loss are sums over the leaves, which are all cut at
    /// the same times.
    TimeOfEach,
    /// In the tree and in time.
    #[default]
    Both,
}

/// How much an area reduces the data.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Gain {
    /// From the sum of the area: `f(sum) - sum of f`. Never negative; joining everything has the largest.
    #[default]
    Sum,
    /// From the mean of the area, as the paper prints it: `f(mean) - sum of f`. Of pure states it is negative, and
    /// then not even `p = 1` joins everything.
    Mean,
}

/// Why there is no partition.
#[derive(Clone, PartialEq, Debug)]
pub enum OverviewError {
    /// The cube has not a row for each leaf of the tree.
    Leaves {
        /// How many leaves the tree has.
        tree: usize,
        /// How many the cube has.
        cube: usize,
    },
    /// The cube has no slices.
    NoSlices,
    /// A number that is negative, infinite or not one.
    Number {
        /// The place of the leaf.
        leaf: usize,
        /// The place of the value.
        value: usize,
        /// The slice.
        slice: usize,
        /// What is there.
        number: f64,
    },
    /// The trade-off is not between 0 and 1.
    P(f64),
    /// The tables do not fit.
    Memory {
        /// How many bytes are needed at least.
        needed: u64,
        /// How many may be used.
        cap: u64,
        /// The largest number of slices that fits; 0 if there is none.
        slices_that_fit: usize,
    },
    /// The work was stopped from outside.
    Cancelled,
}

impl fmt::Display for OverviewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leaves { tree, cube } => {
                write!(f, "the hierarchy has {tree} leaves, but there are values for {cube}")
            }
            Self::NoSlices => write!(f, "there are no slices"),
            Self::Number { leaf, value, slice, number } => write!(
                f,
                "value {value} of leaf {leaf} is {number} in slice {slice}; only finite numbers from 0 on can be \
                 aggregated"
            ),
            Self::P(p) => write!(f, "p is {p}; it must lie between 0 and 1"),
            Self::Memory { needed, cap, slices_that_fit } => {
                let mib = |bytes: u64| bytes.div_ceil(1 << 20);
                write!(
                    f,
                    "the tables need {} MiB, and {} MiB may be used; ",
                    mib(*needed),
                    mib(*cap)
                )?;
                match slices_that_fit {
                    0 => write!(f, "look at a higher level of the hierarchy"),
                    n => write!(
                        f,
                        "take at most {n} slices, or look at a higher level of the hierarchy"
                    ),
                }
            }
            Self::Cancelled => write!(f, "stopped"),
        }
    }
}

impl std::error::Error for OverviewError {}

impl From<TooLarge> for OverviewError {
    fn from(_: TooLarge) -> Self {
        Self::Memory { needed: u64::MAX, cap: 0, slices_that_fit: 0 }
    }
}

/// A cube over a tree, ready to be partitioned.
///
/// Chains of nodes with a single child cover the same leaves and are one node here, which bears the name of the
/// topmost. Nodes are numbered in preorder, so that a parent comes before its children.
#[derive(Clone, Debug)]
pub struct Problem<'a> {
    pub(super) tree: Tree,
    /// The node of the original tree that each node stands for.
    pub(super) names: Vec<u32>,
    pub(super) cube: Cow<'a, Cube<f64>>,
    pub(super) gain: Gain,
}

impl<'a> Problem<'a> {
    /// Partitioning `cube`, whose rows are the leaves of `tree` in their order.
    pub fn new(
        tree: &Tree,
        cube: &'a Cube<f64>,
        axis: Axis,
        gain: Gain,
    ) -> Result<Self, OverviewError> {
        check(tree, cube)?;
        let (tree, names, cube) = match axis {
            Axis::Both => {
                let (tree, names) = without_chains(tree);
                (tree, names, Cow::Borrowed(cube))
            }
            Axis::Space => {
                let (tree, names) = without_chains(tree);
                (tree, names, Cow::Owned(sum_of_slices(cube)?))
            }
            Axis::Time => (single_node(), vec![tree.root()], Cow::Owned(sum_of_leaves(cube)?)),
            Axis::TimeOfEach => {
                (single_node(), vec![tree.root()], Cow::Owned(leaves_as_values(cube)?))
            }
        };
        Ok(Self { tree, names, cube, gain })
    }

    /// How many slices there are.
    pub fn n_slices(&self) -> usize {
        self.cube.n_slices()
    }

    /// How many leaves there are.
    pub fn n_leaves(&self) -> usize {
        self.cube.n_leaves()
    }

    /// How many inner nodes there are, chains counted once.
    pub fn n_inner(&self) -> usize {
        self.tree.len() - self.tree.leaves().len()
    }

    /// For each slice of a leaf: the sum over all values, and the sum of `x log2 x`.
    pub(super) fn mass_and_information(&self, leaf: usize) -> (Vec<f64>, Vec<f64>) {
        let n = self.n_slices();
        let (mut mass, mut information) = (vec![0.0; n], vec![0.0; n]);
        for row in self.cube.leaf(leaf).chunks_exact(n) {
            for ((&number, mass), information) in row.iter().zip(&mut mass).zip(&mut information) {
                *mass += number;
                *information += x_log2_x(number);
            }
        }
        (mass, information)
    }
}

fn check(tree: &Tree, cube: &Cube<f64>) -> Result<(), OverviewError> {
    if tree.leaves().len() != cube.n_leaves() {
        return Err(OverviewError::Leaves { tree: tree.leaves().len(), cube: cube.n_leaves() });
    }
    if cube.n_slices() == 0 {
        return Err(OverviewError::NoSlices);
    }
    for leaf in 0..cube.n_leaves() {
        let wrong = |number: &f64| !(number.is_finite() && *number >= 0.0);
        if let Some(at) = cube.leaf(leaf).iter().position(wrong) {
            let (value, slice) = (at / cube.n_slices(), at % cube.n_slices());
            return Err(OverviewError::Number { leaf, value, slice, number: cube.leaf(leaf)[at] });
        }
    }
    Ok(())
}

/// The tree with each chain of single children as one node, and the topmost node of each chain.
fn without_chains(tree: &Tree) -> (Tree, Vec<u32>) {
    let mut names: Vec<u32> = Vec::new();
    let mut parents: Vec<u32> = Vec::new();
    let mut kept_as = vec![0; tree.len()];
    for &node in tree.preorder() {
        kept_as[node as usize] = match tree.parent(node) {
            Some(parent) if tree.children(parent).len() == 1 => kept_as[parent as usize],
            parent => {
                let number = names.len() as u32;
                names.push(node);
                parents.push(parent.map_or(number, |parent| kept_as[parent as usize]));
                number
            }
        };
    }
    (Tree::new(parents).expect("a part of a tree that keeps all ancestors is a tree"), names)
}

fn single_node() -> Tree {
    Tree::new(vec![0]).expect("a root is a tree")
}

fn sum_of_slices(cube: &Cube<f64>) -> Result<Cube<f64>, TooLarge> {
    let mut sums = Cube::new(cube.n_leaves(), cube.n_values(), 1)?;
    for leaf in 0..cube.n_leaves() {
        for value in 0..cube.n_values() {
            sums.row_mut(leaf, value)[0] = cube.row(leaf, value).iter().sum();
        }
    }
    Ok(sums)
}

fn sum_of_leaves(cube: &Cube<f64>) -> Result<Cube<f64>, TooLarge> {
    let mut sums = Cube::new(1, cube.n_values(), cube.n_slices())?;
    for leaf in 0..cube.n_leaves() {
        for (sum, number) in sums.leaf_mut(0).iter_mut().zip(cube.leaf(leaf)) {
            *sum += number;
        }
    }
    Ok(sums)
}

fn leaves_as_values(cube: &Cube<f64>) -> Result<Cube<f64>, TooLarge> {
    let n_values = cube.n_leaves() * cube.n_values();
    let mut all = Cube::new(1, n_values, cube.n_slices())?;
    let n = cube.n_values() * cube.n_slices();
    for leaf in 0..cube.n_leaves() {
        all.leaf_mut(0)[leaf * n..(leaf + 1) * n].copy_from_slice(cube.leaf(leaf));
    }
    Ok(all)
}
