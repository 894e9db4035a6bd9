//! The answer.

use std::ops::Range;

use onca_aggregate::slice::{Bounds, LinkTally};
use onca_model::{Ticks, TimeUnit};
use onca_query::{NodeId, Scope};

use super::{Having, Nodes, Quantity, SliceValue, Space};
use crate::{AnswerError, Result};

/// What nodes have of values in slices, as columns.
#[derive(Clone, PartialEq, Debug)]
pub struct SliceAnswer {
    /// The slices.
    pub bounds: Bounds,
    /// The unit of time.
    pub unit: TimeUnit,
    /// The nodes, in the order of the lens, each before those below it.
    pub nodes: Vec<SliceNode>,
    /// The values that occur.
    pub values: Vec<SliceValue>,
    /// The amounts.
    pub rows: Rows,
    /// What the amounts are.
    pub quantity: Quantity,
    /// Is an amount that no row tells 0? Else it is not defined.
    pub absent_is_zero: bool,
    /// What became of the links, if the answer is about links.
    pub tally: Option<LinkTally>,
    /// Was it necessary to look at every entity?
    pub scanned: bool,
    /// Which leaves have states of which type, if the answer is about states.
    pub having: Option<Having>,
}

/// A node of the answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SliceNode {
    /// The node.
    pub id: NodeId,
    /// Its name.
    pub name: Vec<u8>,
    /// Its path from the root.
    pub path: String,
    /// Its kind: the name of a container type, or what an import says.
    pub kind: Vec<u8>,
    /// How far it is from the root.
    pub depth: usize,
    /// How many leaves its amounts come from.
    pub n_leaves: usize,
    /// These leaves.
    pub(super) leaves: Range<usize>,
}

/// Amounts, by node, value and slice, in this order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Rows {
    /// Indexes of nodes.
    pub nodes: Vec<u32>,
    /// Indexes of values.
    pub values: Vec<u32>,
    /// Numbers of slices.
    pub slices: Vec<u32>,
    /// The amounts.
    pub amounts: Vec<Amount>,
}

/// A number: exact where it can be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Amount {
    /// Ticks or a count.
    Whole(i128),
    /// Any other number; ticks where they had to be divided.
    Real(f64),
}

impl Amount {
    /// The number, rounded if it must be.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Real(number) => number,
        }
    }

    /// The number; nothing if it is not one.
    pub(super) fn real(number: f64) -> Option<Self> {
        number.is_finite().then_some(Self::Real(number))
    }
}

impl Rows {
    pub(super) fn push(&mut self, node: usize, value: usize, slice: usize, amount: Amount) {
        self.nodes.push(node as u32);
        self.values.push(value as u32);
        self.slices.push(slice as u32);
        self.amounts.push(amount);
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.amounts.len()
    }

    /// Is there no row?
    pub fn is_empty(&self) -> bool {
        self.amounts.is_empty()
    }

    /// All rows: node, value, slice, amount.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, usize, Amount)> {
        (0..self.len()).map(|row| {
            let index = |column: &[u32]| column[row] as usize;
            (index(&self.nodes), index(&self.values), index(&self.slices), self.amounts[row])
        })
    }
}

impl SliceAnswer {
    /// The amount of a node, value and slice, by their indexes; `None` where it is not defined.
    pub fn amount(&self, node: usize, value: usize, slice: usize) -> Option<Amount> {
        let key = (node, value, slice);
        let rows = &self.rows;
        let (mut low, mut high) = (0, rows.len());
        while low < high {
            let row = low + (high - low) / 2;
            let at = (rows.nodes[row], rows.values[row], rows.slices[row]);
            let at = (at.0 as usize, at.1 as usize, at.2 as usize);
            match at.cmp(&key) {
                std::cmp::Ordering::Less => low = row + 1,
                std::cmp::Ordering::Equal => return Some(rows.amounts[row]),
                std::cmp::Ordering::Greater => high = row,
            }
        }
        self.absent_is_zero.then_some(Amount::Whole(0))
    }

    /// How many leaves of a node can have something of a value: those with states of its type.
    pub fn n_leaves(&self, node: usize, value: usize) -> usize {
        let node = &self.nodes[node];
        let having = self.having.as_ref();
        having.map_or(node.n_leaves, |having| having.count(value, &node.leaves))
    }

    /// The width of a slice in ticks.
    pub fn width(&self, slice: usize) -> Ticks {
        let window = self.bounds.slice(slice);
        window.to - window.from
    }

    /// Keeps only the values that occur.
    pub(super) fn drop_unused_values(&mut self) {
        let mut number_of = vec![None; self.values.len()];
        for &value in &self.rows.values {
            number_of[value as usize] = Some(0);
        }
        for (n_used, number) in number_of.iter_mut().flatten().enumerate() {
            *number = n_used as u32;
        }
        for value in &mut self.rows.values {
            *value = number_of[*value as usize].unwrap_or_default();
        }
        if let Some(having) = &mut self.having {
            let mut used = number_of.iter().map(Option::is_some);
            having.types.retain(|_| used.next().unwrap_or(false));
        }
        let mut used = number_of.iter().map(Option::is_some);
        self.values.retain(|_| used.next().unwrap_or(false));
    }
}

/// The nodes that are wanted, in the order of the lens.
pub(super) fn wanted_nodes(scope: &Scope<'_>, nodes: &Nodes) -> Result<Vec<NodeId>> {
    let hierarchy = scope.hierarchy();
    let preorder = hierarchy.preorder();
    Ok(match nodes {
        Nodes::All => preorder,
        Nodes::Depth(depth) => hierarchy.at_depth(*depth),
        Nodes::Level(level) => {
            let mut is_wanted = vec![false; hierarchy.len()];
            let found = scope.at_level(level).map_err(AnswerError::Question)?;
            found.iter().for_each(|node| is_wanted[node.index()] = true);
            preorder.into_iter().filter(|node| is_wanted[node.index()]).collect()
        }
    })
}

/// Tells of nodes.
pub(super) fn describe(scope: &Scope<'_>, nodes: &[NodeId], space: &Space) -> Vec<SliceNode> {
    let hierarchy = scope.hierarchy();
    let describe = |&id: &NodeId| SliceNode {
        id,
        name: scope.name(id).to_vec(),
        path: scope.path(id),
        kind: hierarchy.kind(id).to_vec(),
        depth: hierarchy.depth(id),
        n_leaves: space.tree().n_leaves(space.place(id)),
        leaves: space.tree().leaf_range(space.place(id)),
    };
    nodes.iter().map(describe).collect()
}
