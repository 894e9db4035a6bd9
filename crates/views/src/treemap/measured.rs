//! What every node of a tree has of every value, as plain numbers.

use std::collections::HashMap;

use onca_aggregate::fold::{Describe, fold_tree};
use onca_aggregate::slice::Cube;
use onca_aggregate::{Number, Tree};
use onca_answer::slice::{
    Aggregate, AskedRatio, Cells, LeafCube, Measure, Ratios, SliceValue, Space, What, cube, median,
    ratios,
};
use onca_query::Scope;

use super::Understood;
use crate::{Result, ViewError, bands::NO_STATE};

/// What every node has, before anything is drawn.
pub(super) struct Measured {
    pub space: Space,
    /// How long the window is, in ticks.
    pub length: f64,
    /// The values that occur, in the order of the trace.
    pub values: Vec<SliceValue>,
    /// Node by node, what it has of each value; what is below 0, or not defined, is 0.
    pub amounts: Vec<f64>,
    /// Node by node, how many of its amounts are below 0. Of sums it is told of leaves alone.
    pub n_negative: Vec<u32>,
}

impl Measured {
    /// Measures everything in the window of a scope.
    pub fn new(scope: &Scope<'_>, options: &Understood) -> Result<Self> {
        match &options.what {
            What::Measure(measure) => Self::of_measure(scope, *measure, options),
            What::Ratio(asked) => Self::of_ratio(scope, asked, &options.aggregate),
            What::Peers(_) => {
                Err(ViewError::Nothing("a treemap cannot show with whom links are".to_owned()))
            }
        }
    }

    fn of_measure(scope: &Scope<'_>, measure: Measure, options: &Understood) -> Result<Self> {
        let LeafCube { space, bounds, mut values, cells, .. } = cube(scope, 1, measure)?;
        let mut leaves = match cells {
            Cells::Whole(cells) => {
                let idle = options.options.idle && matches!(measure, Measure::StateTime { .. });
                let with_idle = idle.then(|| cells.with_idle(&bounds)).transpose();
                let with_idle = with_idle.map_err(|error| ViewError::Nothing(error.to_string()))?;
                if with_idle.is_some() {
                    values.push(no_state());
                }
                Leaves::new(with_idle.as_ref().unwrap_or(&cells))
            }
            Cells::Real(cells) => Leaves::new(&cells),
        };
        let is_wanted = |value: &SliceValue| {
            options.only.is_empty() || options.only.iter().any(|name| name.as_bytes() == value.name)
        };
        let columns = leaves.join_values(&values, is_wanted);
        let values: Vec<SliceValue> = columns.iter().map(|&at| values[at].clone()).collect();
        let per_unit = match (&options.aggregate, measure.quantity()) {
            (Aggregate::Expression(_), onca_answer::slice::Quantity::Time) => {
                scope.catalog().facts.unit.ticks_per_unit as f64
            }
            _ => 1.0,
        };
        let (amounts, n_negative) = match options.aggregate {
            Aggregate::Sum => leaves.summed_up(space.tree()),
            _ => leaves.folded_up(space.tree(), &options.aggregate, per_unit),
        };
        let window = bounds.window();
        let length = window.to as f64 - window.from as f64;
        Ok(Self { space, length, values, amounts, n_negative })
    }

    fn of_ratio(scope: &Scope<'_>, asked: &AskedRatio, aggregate: &Aggregate) -> Result<Self> {
        let Ratios { space, bounds, value, by_place } = ratios(scope, asked, aggregate)?;
        let window = bounds.window();
        let length = window.to as f64 - window.from as f64;
        let n_negative = by_place.iter().map(|ratio| u32::from(is_negative(*ratio))).collect();
        let amounts = by_place.into_iter().map(size).collect();
        Ok(Self { space, length, values: vec![value], amounts, n_negative })
    }
}

/// The time in no state, as a value.
pub(super) fn no_state() -> SliceValue {
    let name = NO_STATE.as_bytes().to_vec();
    SliceValue { type_name: Vec::new(), name, value: None, type_id: None, derived: None }
}

/// An area cannot be below 0.
fn size(amount: Option<f64>) -> f64 {
    amount.filter(|amount| amount.is_finite()).map_or(0.0, |amount| amount.max(0.0))
}

fn is_negative(amount: Option<f64>) -> bool {
    amount.is_some_and(|amount| amount < 0.0)
}

/// What every leaf has of every value; `NaN` where it is not defined.
struct Leaves {
    n_values: usize,
    amounts: Vec<f64>,
}

impl Leaves {
    fn new<T: Number>(cells: &Cube<T>) -> Self {
        let amount = |cell: &T| cell.present().map_or(f64::NAN, Number::to_f64);
        let all = (0..cells.n_leaves()).flat_map(|leaf| cells.leaf(leaf));
        Self { n_values: cells.n_values(), amounts: all.map(amount).collect() }
    }

    /// Gives values of the same name one column: what is called the same in types of different
    /// containers is the same to a reader. Values that are not wanted or do not occur have none.
    /// Tells for each column the first of its values.
    fn join_values(
        &mut self,
        values: &[SliceValue],
        is_wanted: impl Fn(&SliceValue) -> bool,
    ) -> Vec<usize> {
        let n_values = self.n_values;
        let mut occurs = vec![false; n_values];
        for leaf in self.amounts.chunks_exact(n_values.max(1)) {
            occurs.iter_mut().zip(leaf).for_each(|(occurs, amount)| *occurs |= *amount > 0.0);
        }
        let mut columns: Vec<usize> = Vec::new();
        let mut by_name: HashMap<(&[u8], Option<usize>), usize> = HashMap::new();
        let column_of: Vec<Option<usize>> = (0..n_values)
            .map(|value| {
                if !occurs[value] || !is_wanted(&values[value]) {
                    return None;
                }
                let derived = values[value].derived.map(|derived| derived.reduction);
                let named = (values[value].name.as_slice(), derived);
                let column = *by_name.entry(named).or_insert(columns.len());
                if column == columns.len() {
                    columns.push(value);
                }
                Some(column)
            })
            .collect();
        let n_leaves = self.amounts.len() / n_values.max(1);
        let mut joined = vec![f64::NAN; n_leaves * columns.len()];
        for (at, &amount) in self.amounts.iter().enumerate() {
            if let (Some(column), false) = (column_of[at % n_values], amount.is_nan()) {
                let cell = &mut joined[at / n_values * columns.len() + column];
                *cell = if cell.is_nan() { amount } else { *cell + amount };
            }
        }
        (self.amounts, self.n_values) = (joined, columns.len());
        columns
    }

    /// What the leaf at a place has of each value.
    fn row(&self, leaf: usize) -> &[f64] {
        &self.amounts[leaf * self.n_values..][..self.n_values]
    }

    /// A node has the sum of its leaves, as far as they have a size.
    fn summed_up(&self, tree: &Tree) -> (Vec<f64>, Vec<u32>) {
        let n_values = self.n_values;
        let mut sums = vec![0.0; tree.len() * n_values];
        let mut n_negative = vec![0; tree.len()];
        for (place, &leaf) in tree.leaves().iter().enumerate() {
            let own = &mut sums[leaf as usize * n_values..][..n_values];
            for (sum, &amount) in own.iter_mut().zip(self.row(place)) {
                *sum = size(Some(amount));
                n_negative[leaf as usize] += u32::from(is_negative(Some(amount)));
            }
        }
        for &node in tree.preorder().iter().rev() {
            let Some(parent) = tree.parent(node) else { continue };
            for value in 0..n_values {
                sums[parent as usize * n_values + value] += sums[node as usize * n_values + value];
            }
        }
        (sums, n_negative)
    }

    /// A node has what an operator makes of its leaves.
    fn folded_up(&self, tree: &Tree, aggregate: &Aggregate, per_unit: f64) -> (Vec<f64>, Vec<u32>) {
        let leaf_amount = |leaf: usize, value: usize| Some(self.row(leaf)[value] / per_unit);
        let folded = fold_tree(tree, self.n_values, &Describe::default(), leaf_amount);
        let mut amounts = Vec::with_capacity(tree.len() * self.n_values);
        let mut n_negative = Vec::with_capacity(tree.len());
        for node in 0..tree.len() as u32 {
            let of_group = |(value, group)| match aggregate {
                Aggregate::Median => {
                    let leaves = tree.leaf_range(node);
                    median(leaves.map(|leaf| self.row(leaf)[value] / per_unit))
                }
                _ => aggregate.of(group),
            };
            let groups = folded.node(node).iter().enumerate();
            let found: Vec<Option<f64>> = groups.map(of_group).collect();
            n_negative.push(found.iter().filter(|amount| is_negative(**amount)).count() as u32);
            amounts.extend(found.into_iter().map(size));
        }
        (amounts, n_negative)
    }
}
