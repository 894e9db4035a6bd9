//! What is measured.

use onca_aggregate::slice::{Crossing, LinkEnd};

/// What a leaf has of each value in each slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// The ticks in each value of a state.
    StateTime {
        /// Count each tick for every state that is open, not for the innermost only.
        inclusive: bool,
    },
    /// The number of states that touch the slice.
    StateCount,
    /// The number of events.
    EventCount,
    /// Something of each variable.
    Variable(VariableMeasure),
    /// Something of the links of each value.
    Link {
        /// What.
        measure: LinkMeasure,
        /// Which of its two ends a link counts for.
        end: LinkEnd,
        /// What becomes of a link that crosses a bound.
        border: Crossing,
    },
}

/// Something of a variable in a slice.
///
/// Where a leaf stands for several containers, integrals and defined times are summed up first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariableMeasure {
    /// The integral divided by the width of the slice: where it is not defined it counts as 0.
    Mean,
    /// The integral divided by the time during which the variable is defined.
    Defined,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// Value times time, in units of the trace.
    Integral,
}

/// Something of links in a slice. Only links of which both ends are known count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkMeasure {
    /// How many.
    Count,
    /// The ticks under way.
    Time,
    /// The size, such as bytes.
    Size,
    /// Size by duration of each link, in units of time; a link without duration has none.
    Rate,
    /// Size times ticks under way, divided by the width of the slice.
    Weighted,
}

/// What the numbers of an answer are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// Ticks.
    Time,
    /// Shares of the width of the slice.
    Share,
    /// A number of entities.
    Count,
    /// Sizes of links.
    Size,
    /// Sizes of links by unit of time.
    Rate,
    /// Sizes of links, weighted by time.
    Weighted,
    /// Values of variables.
    Value,
    /// Values of variables times units of time.
    Integral,
    /// The result of an expression, in which times are in units of the trace.
    Expression,
    /// One quantity divided by another, in which times are in units of the trace.
    Ratio,
}

impl Quantity {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Share => "share",
            Self::Count => "count",
            Self::Size => "size",
            Self::Rate => "rate",
            Self::Weighted => "weighted",
            Self::Value => "value",
            Self::Integral => "integral",
            Self::Expression => "expression",
            Self::Ratio => "ratio",
        }
    }
}

impl Measure {
    /// What its numbers are.
    pub fn quantity(self) -> Quantity {
        match self {
            Self::StateTime { .. } | Self::Link { measure: LinkMeasure::Time, .. } => {
                Quantity::Time
            }
            Self::StateCount
            | Self::EventCount
            | Self::Link { measure: LinkMeasure::Count, .. } => Quantity::Count,
            Self::Link { measure: LinkMeasure::Size, .. } => Quantity::Size,
            Self::Link { measure: LinkMeasure::Rate, .. } => Quantity::Rate,
            Self::Link { measure: LinkMeasure::Weighted, .. } => Quantity::Weighted,
            Self::Variable(VariableMeasure::Integral) => Quantity::Integral,
            Self::Variable(_) => Quantity::Value,
        }
    }
}
