//! From what leaves have to what groups have.

use onca_aggregate::Number;
use onca_aggregate::fold::{Describe, Expression, Fold, Max, Mean, Min, Sum, Summary, fold_tree};
use onca_aggregate::slice::Cube;

use super::{Aggregate, Amount, Cells, LeafCube, Quantity, median};

/// A cube that is to be folded up, and how.
pub(super) struct Folding<'a> {
    pub cube: &'a LeafCube,
    pub aggregate: &'a Aggregate,
    pub quantity: Quantity,
    pub normalise: bool,
    pub ticks_per_unit: u64,
}

impl Folding<'_> {
    /// Gives `visit` what some places of the tree have of a value, by place and slice, where it is
    /// defined: index of the place, slice, amount.
    pub fn visit(&self, value: usize, places: &[u32], visit: impl FnMut(usize, usize, Amount)) {
        match &self.cube.cells {
            Cells::Whole(cells) => {
                self.fold(cells, value, places, visit, |n| Amount::Whole(n.into()))
            }
            Cells::Real(cells) => self.fold(cells, value, places, visit, Amount::Real),
        }
    }

    fn fold<T>(
        &self,
        cells: &Cube<T>,
        value: usize,
        places: &[u32],
        visit: impl FnMut(usize, usize, Amount),
        exact: impl Fn(T) -> Amount,
    ) where
        T: Number,
        T::Total: IntoAmount,
    {
        let column = Column { folding: self, cells, value, places };
        match self.aggregate {
            // A group in which a variable is never defined has no sum of it.
            Aggregate::Sum if matches!(self.quantity, Quantity::Value | Quantity::Integral) => {
                let sum = |group: &Summary| (group.count > 0).then_some(Amount::Real(group.sum));
                column.fold(&Describe::default(), |_, cell| cell, sum, visit);
            }
            Aggregate::Sum => {
                column.fold(&Sum::default(), |_, cell| cell, |sum| Some(sum.into_amount()), visit);
            }
            Aggregate::Mean => {
                let mean = Mean::default();
                column.fold(&mean, |_, cell| cell, |mean| mean.and_then(Amount::real), visit);
            }
            Aggregate::Min => {
                column.fold(&Min::default(), |_, cell| cell, |min| min.map(&exact), visit);
            }
            Aggregate::Max => {
                column.fold(&Max::default(), |_, cell| cell, |max| max.map(&exact), visit);
            }
            Aggregate::Median => column.medians(visit),
            Aggregate::Expression(expression) => column.express(expression, visit),
        }
    }
}

/// Sums become amounts as they are.
trait IntoAmount {
    fn into_amount(self) -> Amount;
}

impl IntoAmount for i128 {
    fn into_amount(self) -> Amount {
        Amount::Whole(self)
    }
}

impl IntoAmount for f64 {
    fn into_amount(self) -> Amount {
        Amount::Real(self)
    }
}

/// One value of all leaves.
struct Column<'a, T> {
    folding: &'a Folding<'a>,
    cells: &'a Cube<T>,
    value: usize,
    places: &'a [u32],
}

impl<T: Number> Column<'_, T> {
    fn fold<F: Fold>(
        &self,
        fold: &F,
        item: impl Fn(usize, T) -> F::Item,
        amount: impl Fn(&F::Output) -> Option<Amount>,
        mut visit: impl FnMut(usize, usize, Amount),
    ) {
        let LeafCube { space, bounds, .. } = self.folding.cube;
        let n_slices = bounds.n_slices();
        let has = self.has();
        let folded = fold_tree(space.tree(), n_slices, fold, |leaf, slice| {
            has[leaf].then(|| item(slice, self.cells.row(leaf, self.value)[slice]))
        });
        for (index, &place) in self.places.iter().enumerate() {
            for (slice, output) in folded.node(place).iter().enumerate() {
                let amount = amount(output).and_then(|amount| self.normalised(amount, slice));
                if let Some(amount) = amount {
                    visit(index, slice, amount);
                }
            }
        }
    }

    /// For each leaf, whether it can have something of the value.
    fn has(&self) -> Vec<bool> {
        let n_leaves = self.cells.n_leaves();
        let having = self.folding.cube.having.as_ref();
        having.map_or_else(|| vec![true; n_leaves], |having| having.flags(self.value, n_leaves))
    }

    /// A median needs all leaves of a group at once.
    fn medians(&self, mut visit: impl FnMut(usize, usize, Amount)) {
        let LeafCube { space, bounds, .. } = self.folding.cube;
        let has = self.has();
        for (index, &place) in self.places.iter().enumerate() {
            for slice in 0..bounds.n_slices() {
                let leaves = space.tree().leaf_range(place).filter(|&leaf| has[leaf]);
                let cells = leaves.map(|leaf| self.cells.row(leaf, self.value)[slice]);
                let median = median(cells.filter_map(T::present).map(T::to_f64));
                let amount = median.and_then(Amount::real);
                if let Some(amount) = amount.and_then(|amount| self.normalised(amount, slice)) {
                    visit(index, slice, amount);
                }
            }
        }
    }

    /// An expression is not linear: what it is made of must be in units, or shares, before.
    fn express(&self, expression: &Expression, visit: impl FnMut(usize, usize, Amount)) {
        let scales: Vec<f64> =
            (0..self.cells.n_slices()).map(|slice| self.folding.ticks_per_one(slice)).collect();
        self.fold(
            &Describe::default(),
            |slice, cell| cell.to_f64() / scales[slice],
            |group| expression.evaluate(group).map(Amount::Real),
            visit,
        );
    }

    fn normalised(&self, amount: Amount, slice: usize) -> Option<Amount> {
        let is_linear = !matches!(self.folding.aggregate, Aggregate::Expression(_));
        if self.folding.normalise && is_linear {
            Amount::real(amount.to_f64() / self.folding.ticks_per_one(slice))
        } else {
            Some(amount)
        }
    }
}

impl Folding<'_> {
    /// What a cell of a slice is divided by to become a plain number: a unit of time, or the
    /// width of the slice.
    pub fn ticks_per_one(&self, slice: usize) -> f64 {
        match (self.quantity, self.normalise) {
            (Quantity::Time, true) => {
                let window = self.cube.bounds.slice(slice);
                (window.to - window.from) as f64
            }
            (Quantity::Time, false) => self.ticks_per_unit as f64,
            _ => 1.0,
        }
    }
}
