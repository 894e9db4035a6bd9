//! One quantity divided by another, after both have been aggregated.

use onca_aggregate::Number;
use onca_aggregate::ratio::{Kind, Mode, Quantity as Summary, divide};
use onca_aggregate::slice::{Bounds, Cube, LinkTally};
use onca_model::printable;
use onca_query::{NodeId, Scope};

use super::answer::{describe, wanted_nodes};
use super::cube::cells as zeros;
use super::folding::Folding;
use super::peers::numbers_of_peers;
use super::{
    Aggregate, Amount, AskedRatio, Cells, LeafCube, LinkMeasure, Links, Measure, Quantity, Rows,
    SliceAnswer, SliceQuestion, SliceValue, Space, VariableMeasure, cube,
};
use crate::slices::slices_of;
use crate::{AnswerError, Result};

/// How many names a message lists.
const MAX_LISTED: usize = 8;

/// The ratio for each wanted node and slice, where it is defined.
pub(super) fn slice(
    scope: &Scope<'_>,
    question: &SliceQuestion,
    asked: &AskedRatio,
) -> Result<SliceAnswer> {
    if question.normalise {
        let why = "a ratio has no share of the slice; name a quantity to divide by";
        return Err(AnswerError::Question(why.to_owned()));
    }
    let bounds = slices_of(scope, question.n_slices)?;
    let nodes = wanted_nodes(scope, &question.nodes)?;
    let wanted: Vec<Wanted> = nodes.iter().map(|&node| Wanted { node, own: false }).collect();
    let sides = Sides::new(scope, asked, &question.aggregate, bounds)?;
    let mut rows = Rows::default();
    let n_slices = bounds.n_slices();
    for (index, quotient) in sides.quotients(&wanted).into_iter().enumerate() {
        if let Some(quotient) = quotient {
            rows.push(index / n_slices, 0, index % n_slices, Amount::Real(quotient));
        }
    }
    let space = Space::new(scope.hierarchy(), |_| false)?;
    let mut answer = SliceAnswer {
        bounds,
        unit: scope.catalog().facts.unit.clone(),
        nodes: describe(scope, &nodes, &space),
        values: vec![named(asked)],
        rows,
        quantity: Quantity::Ratio,
        absent_is_zero: false,
        tally: sides.tally(),
        scanned: sides.scanned(),
        having: None,
    };
    answer.drop_unused_values();
    Ok(answer)
}

fn named(asked: &AskedRatio) -> SliceValue {
    SliceValue::derived("ratio", &asked.ratio.to_string())
}

/// A ratio over the whole window for every place of a tree, what inner nodes have of their own
/// included.
#[derive(Clone, PartialEq, Debug)]
pub struct Ratios {
    /// The tree.
    pub space: Space,
    /// The window, as one slice.
    pub bounds: Bounds,
    /// What the ratio is called.
    pub value: SliceValue,
    /// Place by place, where it is defined.
    pub by_place: Vec<Option<f64>>,
}

/// A ratio for every place: that of a node is what [`slice()`](super::slice()) tells of it.
pub fn ratios(scope: &Scope<'_>, asked: &AskedRatio, aggregate: &Aggregate) -> Result<Ratios> {
    let bounds = slices_of(scope, 1)?;
    let sides = Sides::new(scope, asked, aggregate, bounds)?;
    let space = Space::new(scope.hierarchy(), |node| sides.have_data(node))?;
    let wanted: Vec<Wanted> = (0..space.tree().len() as u32)
        .map(|place| Wanted { node: space.node(place), own: space.is_own(place) })
        .collect();
    let by_place = sides.quotients(&wanted);
    Ok(Ratios { space, bounds, value: named(asked), by_place })
}

/// What a ratio is wanted for: a node, or only what it has of its own.
#[derive(Clone, Copy)]
struct Wanted {
    node: NodeId,
    own: bool,
}

/// Both sides of a ratio, measured.
struct Sides<'a> {
    scope: &'a Scope<'a>,
    aggregate: &'a Aggregate,
    bounds: Bounds,
    numerator: Side,
    denominator: Side,
}

/// One side of a ratio. The number of different peers of a group is no fold over its leaves: two
/// of them may have the same one.
enum Side {
    Measured(Measure, Box<LeafCube>),
    Peers(Vec<((NodeId, u32), u64)>),
}

impl<'a> Sides<'a> {
    fn new(
        scope: &'a Scope<'a>,
        asked: &'a AskedRatio,
        aggregate: &'a Aggregate,
        bounds: Bounds,
    ) -> Result<Self> {
        let side = |summary: &Summary| {
            let n_slices = bounds.n_slices();
            if summary.mode == Mode::Peers {
                let name = summary.name.as_deref();
                return numbers_of_peers(scope, n_slices, asked.links, name).map(Side::Peers);
            }
            let measure = asked.measure(summary);
            let cube = one_column(cube(scope, n_slices, measure)?, summary)?;
            Ok(Side::Measured(measure, Box::new(cube)))
        };
        let (numerator, denominator) =
            (side(&asked.ratio.numerator)?, side(&asked.ratio.denominator)?);
        Ok(Self { scope, aggregate, bounds, numerator, denominator })
    }

    /// What was wanted, slice by slice, where it is defined.
    fn quotients(&self, wanted: &[Wanted]) -> Vec<Option<f64>> {
        let above = self.numbers(&self.numerator, wanted);
        let below = self.numbers(&self.denominator, wanted);
        above.iter().zip(&below).map(|(&above, &below)| divide(above, below)).collect()
    }

    /// A number for each that is wanted and each slice, `NaN` where there is none.
    fn numbers(&self, side: &Side, wanted: &[Wanted]) -> Vec<f64> {
        match side {
            Side::Measured(measure, cube) => self.folded(*measure, cube, wanted),
            Side::Peers(found) => self.peers(found, wanted),
        }
    }

    fn folded(&self, measure: Measure, cube: &LeafCube, wanted: &[Wanted]) -> Vec<f64> {
        let folding = Folding {
            cube,
            aggregate: self.aggregate,
            quantity: measure.quantity(),
            normalise: false,
            ticks_per_unit: self.scope.catalog().facts.unit.ticks_per_unit,
        };
        let found = wanted.iter().enumerate().filter_map(|(index, wanted)| {
            let place = match wanted.own {
                true => cube.space.own_place(wanted.node)?,
                false => cube.space.place(wanted.node),
            };
            Some((index, place))
        });
        let (indices, places): (Vec<usize>, Vec<u32>) = found.unzip();
        let n_slices = self.bounds.n_slices();
        let mut numbers = vec![f64::NAN; wanted.len() * n_slices];
        let is_expression = matches!(self.aggregate, Aggregate::Expression(_));
        folding.visit(0, &places, |found, slice, amount| {
            let scale = if is_expression { 1.0 } else { folding.ticks_per_one(slice) };
            numbers[indices[found] * n_slices + slice] = amount.to_f64() / scale;
        });
        numbers
    }

    /// Peers are counted by node: what a node has of its own is not told apart.
    fn peers(&self, found: &[((NodeId, u32), u64)], wanted: &[Wanted]) -> Vec<f64> {
        let n_slices = self.bounds.n_slices();
        let mut numbers = vec![0.0; wanted.len() * n_slices];
        for (index, &Wanted { node, own }) in wanted.iter().enumerate() {
            let from = found.partition_point(|((other, _), _)| *other < node);
            let of_node = found[from..].iter().take_while(|((other, _), _)| *other == node);
            for ((_, slice), number) in of_node.filter(|_| !own) {
                numbers[index * n_slices + *slice as usize] = *number as f64;
            }
        }
        numbers
    }

    fn have_data(&self, node: NodeId) -> bool {
        [&self.numerator, &self.denominator].into_iter().any(|side| match side {
            Side::Measured(_, cube) => cube.space.leaf(node).is_some(),
            Side::Peers(_) => false,
        })
    }

    fn tally(&self) -> Option<LinkTally> {
        self.numerator.tally().or(self.denominator.tally())
    }

    fn scanned(&self) -> bool {
        self.numerator.scanned() || self.denominator.scanned()
    }
}

impl Side {
    fn tally(&self) -> Option<LinkTally> {
        match self {
            Self::Measured(_, cube) => cube.tally,
            Self::Peers(_) => None,
        }
    }

    fn scanned(&self) -> bool {
        match self {
            Self::Measured(_, cube) => cube.scanned,
            Self::Peers(_) => true,
        }
    }
}

impl AskedRatio {
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
    Ok(LeafCube { values, cells, having: None, ..cube })
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
