//! One quantity divided by another, after both have been aggregated.

use onca_aggregate::Number;
use onca_aggregate::ratio::{Kind, Mode, Quantity as Summary, Ratio, divide};
use onca_aggregate::slice::{Bounds, Cube, LinkTally};
use onca_model::printable;
use onca_query::{NodeId, Scope};

use super::answer::{describe, wanted_nodes};
use super::cube::cells as zeros;
use super::folding::Folding;
use super::peers::numbers_of_peers;
use super::{
    Aggregate, Amount, Cells, LeafCube, LinkMeasure, Links, Measure, Quantity, Rows, SliceAnswer,
    SliceQuestion, SliceValue, Space, VariableMeasure, cube,
};
use crate::slices::slices_of;
use crate::{AnswerError, Result};

/// How many names a message lists.
const MAX_LISTED: usize = 8;

/// The ratio for each wanted node and slice, where it is defined.
pub(super) fn slice(
    scope: &Scope<'_>,
    question: &SliceQuestion,
    ratio: &Ratio,
    links: Links,
    inclusive: bool,
) -> Result<SliceAnswer> {
    if question.normalise {
        let why = "a ratio has no share of the slice; name a quantity to divide by";
        return Err(AnswerError::Question(why.to_owned()));
    }
    let bounds = slices_of(scope, question.n_slices)?;
    let nodes = wanted_nodes(scope, &question.nodes)?;
    let side =
        Side { scope, aggregate: &question.aggregate, bounds, nodes: &nodes, links, inclusive };
    let numerator = side.numbers(&ratio.numerator)?;
    let denominator = side.numbers(&ratio.denominator)?;
    let mut rows = Rows::default();
    let n_slices = bounds.n_slices();
    for (index, (&above, &below)) in numerator.numbers.iter().zip(&denominator.numbers).enumerate()
    {
        if let Some(quotient) = divide(above, below) {
            rows.push(index / n_slices, 0, index % n_slices, Amount::Real(quotient));
        }
    }
    let space = Space::new(scope.hierarchy(), |_| false)?;
    let name = ratio.to_string();
    let mut answer = SliceAnswer {
        bounds,
        unit: scope.catalog().facts.unit.clone(),
        nodes: describe(scope, &nodes, &space),
        values: vec![SliceValue::derived("ratio", &name)],
        rows,
        quantity: Quantity::Ratio,
        absent_is_zero: false,
        tally: numerator.tally.or(denominator.tally),
        scanned: numerator.scanned || denominator.scanned,
    };
    answer.drop_unused_values();
    Ok(answer)
}

/// What both sides of a ratio have in common.
struct Side<'a> {
    scope: &'a Scope<'a>,
    aggregate: &'a Aggregate,
    bounds: Bounds,
    nodes: &'a [NodeId],
    links: Links,
    inclusive: bool,
}

/// One side of a ratio: a number for each node and slice, `NaN` where there is none.
struct Numbers {
    numbers: Vec<f64>,
    tally: Option<LinkTally>,
    scanned: bool,
}

impl Side<'_> {
    fn numbers(&self, summary: &Summary) -> Result<Numbers> {
        let n_slices = self.bounds.n_slices();
        if summary.mode == Mode::Peers {
            return self.peers(summary);
        }
        let measure = self.measure(summary);
        let cube = one_column(cube(self.scope, n_slices, measure)?, summary)?;
        let folding = Folding {
            cube: &cube,
            aggregate: self.aggregate,
            quantity: measure.quantity(),
            normalise: false,
            ticks_per_unit: self.scope.catalog().facts.unit.ticks_per_unit,
        };
        let mut numbers = vec![f64::NAN; self.nodes.len() * n_slices];
        let is_expression = matches!(self.aggregate, Aggregate::Expression(_));
        folding.visit(0, self.nodes, |node, slice, amount| {
            let scale = if is_expression { 1.0 } else { folding.ticks_per_one(slice) };
            numbers[node * n_slices + slice] = amount.to_f64() / scale;
        });
        Ok(Numbers { numbers, tally: cube.tally, scanned: cube.scanned })
    }

    fn measure(&self, summary: &Summary) -> Measure {
        let Links { end, border } = self.links;
        let link = |measure| Measure::Link { measure, end, border };
        match (summary.kind, summary.mode) {
            (Kind::State, Mode::Count) => Measure::StateCount,
            (Kind::State, _) => Measure::StateTime { inclusive: self.inclusive },
            (Kind::Event, _) => Measure::EventCount,
            (Kind::Variable, _) => Measure::Variable(VariableMeasure::Mean),
            (Kind::Link, Mode::Time) => link(LinkMeasure::Time),
            (Kind::Link, Mode::Size) => link(LinkMeasure::Size),
            (Kind::Link, Mode::Rate) => link(LinkMeasure::Rate),
            (Kind::Link, Mode::Weighted) => link(LinkMeasure::Weighted),
            (Kind::Link, _) => link(LinkMeasure::Count),
        }
    }

    /// The number of different peers of a group is no fold over its leaves: two of them may have
    /// the same one.
    fn peers(&self, summary: &Summary) -> Result<Numbers> {
        let n_slices = self.bounds.n_slices();
        let found = numbers_of_peers(self.scope, n_slices, self.links, summary.name.as_deref())?;
        let mut numbers = vec![0.0; self.nodes.len() * n_slices];
        for (index, &node) in self.nodes.iter().enumerate() {
            let from = found.partition_point(|((other, _), _)| *other < node);
            for ((_, slice), number) in
                found[from..].iter().take_while(|((other, _), _)| *other == node)
            {
                numbers[index * n_slices + *slice as usize] = *number as f64;
            }
        }
        Ok(Numbers { numbers, tally: None, scanned: true })
    }
}

/// Sums up the values that a summary names: all of them if it names none.
fn one_column(cube: LeafCube, summary: &Summary) -> Result<LeafCube> {
    let is_meant = |value: &SliceValue| match &summary.name {
        Some(name) => value.is_named(name),
        None => true,
    };
    let meant: Vec<usize> =
        (0..cube.values.len()).filter(|&value| is_meant(&cube.values[value])).collect();
    if let (true, Some(name)) = (meant.is_empty(), &summary.name) {
        return Err(unknown(name, summary, &cube.values));
    }
    let bounds = cube.bounds;
    let cells = match &cube.cells {
        Cells::Whole(cells) => Cells::Whole(summed(cells, &meant, &bounds)?),
        Cells::Real(cells) => Cells::Real(summed(cells, &meant, &bounds)?),
    };
    let values = vec![SliceValue::derived("summary", &summary.to_string())];
    Ok(LeafCube { values, cells, ..cube })
}

fn summed<T: Number>(cells: &Cube<T>, values: &[usize], bounds: &Bounds) -> Result<Cube<T>> {
    let mut sum: Cube<T> = zeros(cells.n_leaves(), 1, bounds)?;
    for leaf in 0..cells.n_leaves() {
        for &value in values {
            for (sum, &cell) in sum.row_mut(leaf, 0).iter_mut().zip(cells.row(leaf, value)) {
                // What is missing adds nothing.
                if let Some(cell) = cell.present() {
                    *sum = sum.plus(cell);
                }
            }
        }
    }
    Ok(sum)
}

fn unknown(name: &[u8], summary: &Summary, values: &[SliceValue]) -> AnswerError {
    let kind = summary.kind;
    let mut known: Vec<String> =
        values.iter().map(|value| printable(&value.name).into_owned()).collect();
    known.dedup();
    let n_more = known.len().saturating_sub(MAX_LISTED);
    known.truncate(MAX_LISTED);
    let list = match (known.is_empty(), n_more) {
        (true, _) => format!("no {kind} is seen"),
        (false, 0) => format!("there are {}", known.join(", ")),
        (false, n) => format!("there are {} and {n} more", known.join(", ")),
    };
    let name = printable(name);
    AnswerError::Question(format!("no value or type \"{name}\" of kind {kind}; {list}"))
}
