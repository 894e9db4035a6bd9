//! The question.

use onca_aggregate::SyntaxError;
use onca_aggregate::fold::{Expression, Summary};
use onca_aggregate::ratio::Ratio;
use onca_aggregate::slice::{Crossing, LinkEnd};

use super::{Measure, VariableMeasure};

/// What is asked about the window of a scope.
#[derive(Clone, PartialEq, Debug)]
pub struct SliceQuestion {
    /// What is summed up.
    pub what: What,
    /// What a group has, given what its leaves have.
    pub aggregate: Aggregate,
    /// Which nodes the answer tells of.
    pub nodes: Nodes,
    /// Into how many slices the window is cut.
    pub n_slices: usize,
    /// Give times as shares of the width of the slice. The sum over a group is then the mean
    /// number of its leaves that are in a state; the mean is their mean share.
    pub normalise: bool,
}

impl SliceQuestion {
    /// The sum of a measure, for all nodes, over one slice.
    pub fn new(what: What) -> Self {
        let (aggregate, nodes) = (Aggregate::Sum, Nodes::All);
        Self { what, aggregate, nodes, n_slices: 1, normalise: false }
    }
}

/// What is summed up.
#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// A measure of each value.
    Measure(Measure),
    /// With whom nodes communicate: the number of links with each other node.
    Peers(Links),
    /// One quantity divided by another, after both have been aggregated.
    Ratio(AskedRatio),
}

impl What {
    /// What a group has by default: the smallest of the smallest, else the sum.
    pub fn usual_aggregate(&self) -> Aggregate {
        match self {
            Self::Measure(Measure::Variable(VariableMeasure::Min)) => Aggregate::Min,
            Self::Measure(Measure::Variable(VariableMeasure::Max)) => Aggregate::Max,
            _ => Aggregate::Sum,
        }
    }
}

/// One quantity divided by another, and how they are measured.
#[derive(Clone, PartialEq, Debug)]
pub struct AskedRatio {
    /// The two quantities.
    pub ratio: Ratio,
    /// How links count.
    pub links: Links,
    /// Count the time of nested states for all states that are open.
    pub inclusive: bool,
}

/// How links count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Links {
    /// Which of its two ends a link counts for.
    pub end: LinkEnd,
    /// What becomes of a link that crosses a bound.
    pub border: Crossing,
}

/// Which nodes an answer tells of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Nodes {
    /// All: inner ones and leaves. For peers: those that have links themselves.
    All,
    /// Those of a level: the name or alias of a container type, or an imported kind.
    Level(String),
    /// Those at a depth, and those above it that have nothing below.
    Depth(usize),
}

/// What a group has, given what its leaves have.
#[derive(Clone, PartialEq, Debug)]
pub enum Aggregate {
    /// The sum.
    Sum,
    /// The mean over the leaves.
    Mean,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// The one in the middle; of an even number the mean of the two there.
    Median,
    /// An expression over these, such as `max / mean`.
    Expression(Expression),
}

impl Aggregate {
    /// Understands a text: the name of an operator, or an expression.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        match text.trim() {
            "sum" => Ok(Self::Sum),
            "mean" => Ok(Self::Mean),
            "min" => Ok(Self::Min),
            "max" => Ok(Self::Max),
            "median" => Ok(Self::Median),
            expression => Expression::parse(expression).map(Self::Expression),
        }
    }

    /// What a group has, if that is defined. A median is not: it needs all leaves, not their summary.
    pub fn of(&self, group: &Summary) -> Option<f64> {
        match self {
            Self::Sum => Some(group.sum),
            Self::Mean => group.mean,
            Self::Min => group.min,
            Self::Max => group.max,
            Self::Median => None,
            Self::Expression(expression) => expression.evaluate(group),
        }
    }
}

/// The number in the middle, of an even number the mean of the two there; what is not a number does
/// not count.
pub fn median(numbers: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut numbers: Vec<f64> = numbers.into_iter().filter(|number| !number.is_nan()).collect();
    numbers.sort_by(f64::total_cmp);
    let upper = *numbers.get(numbers.len() / 2)?;
    match numbers.len() % 2 {
        1 => Some(upper),
        _ => Some((numbers[numbers.len() / 2 - 1] + upper) / 2.0),
    }
}
