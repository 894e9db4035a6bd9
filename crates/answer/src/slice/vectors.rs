//! What every node has in every slice as one vector: the time in each state, and the number and size
//! of links.

use onca_aggregate::slice::{Bounds, LinkTally};
use onca_model::TimeUnit;
use onca_query::Scope;

use super::{
    Aggregate, Amount, LinkMeasure, Links, Measure, Nodes, Rows, SliceAnswer, SliceNode,
    SliceQuestion, What, slice,
};
use crate::Result;

/// What is asked about the window of a scope.
#[derive(Clone, PartialEq, Debug)]
pub struct VectorQuestion {
    /// What a group has, given what its leaves have.
    pub aggregate: Aggregate,
    /// Which nodes the answer tells of.
    pub nodes: Nodes,
    /// Into how many slices the window is cut.
    pub n_slices: usize,
    /// How links count.
    pub links: Links,
    /// Count the time of nested states for all states that are open.
    pub inclusive: bool,
}

/// What a component of a vector is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Component {
    /// The time in a state.
    StateTime,
    /// The number of links.
    LinkCount,
    /// The size of links.
    LinkSize,
}

impl Component {
    /// All of them, in their order.
    pub const ALL: [Self; 3] = [Self::StateTime, Self::LinkCount, Self::LinkSize];

    /// The word for what it counts.
    pub fn quantity(self) -> &'static str {
        match self {
            Self::StateTime => "time",
            Self::LinkCount => "count",
            Self::LinkSize => "size",
        }
    }

    /// The word for what has it.
    pub fn of(self) -> &'static str {
        match self {
            Self::StateTime => "state",
            Self::LinkCount | Self::LinkSize => "link",
        }
    }

    fn measure(self, question: &VectorQuestion) -> Measure {
        let Links { end, border } = question.links;
        let link = |measure| Measure::Link { measure, end, border };
        match self {
            Self::StateTime => Measure::StateTime { inclusive: question.inclusive },
            Self::LinkCount => link(LinkMeasure::Count),
            Self::LinkSize => link(LinkMeasure::Size),
        }
    }
}

/// A component of the vectors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VectorValue {
    /// What it is.
    pub component: Component,
    /// The name of its type.
    pub type_name: Vec<u8>,
    /// The name of the value.
    pub name: Vec<u8>,
}

/// The vectors, as columns: a row is what a node has of a component in a slice.
#[derive(Clone, PartialEq, Debug)]
pub struct VectorAnswer {
    /// The slices.
    pub bounds: Bounds,
    /// The unit of time.
    pub unit: TimeUnit,
    /// The nodes, in the order of the lens, each before those below it.
    pub nodes: Vec<SliceNode>,
    /// The components that occur: states, then numbers and sizes of links.
    pub values: Vec<VectorValue>,
    /// The amounts, by node, value and slice.
    pub rows: Rows,
    /// By row: of a time, the share of the slice; of a group that sums up, that of the time that all
    /// leaves with such states have together.
    pub shares: Vec<Option<f64>>,
    /// Is an amount that no row tells 0? Else it is not defined.
    pub absent_is_zero: bool,
    /// What became of the links.
    pub tally: Option<LinkTally>,
    /// Was it necessary to look at every entity?
    pub scanned: bool,
}

/// Answers a question about the window of a scope. Its amounts are those that [`slice()`] gives for each
/// component.
pub fn vectors(scope: &Scope<'_>, question: &VectorQuestion) -> Result<VectorAnswer> {
    let ask = |component: Component| {
        slice(
            scope,
            &SliceQuestion {
                what: What::Measure(component.measure(question)),
                aggregate: question.aggregate.clone(),
                nodes: question.nodes.clone(),
                n_slices: question.n_slices,
                normalise: false,
            },
        )
    };
    let [states, counts, sizes] = Component::ALL.map(ask);
    let parts = [states?, counts?, sizes?];
    let (mut values, mut all) = (Vec::new(), Vec::new());
    for (component, part) in Component::ALL.into_iter().zip(&parts) {
        let first = values.len();
        values.extend(part.values.iter().map(|value| VectorValue {
            component,
            type_name: value.type_name.clone(),
            name: value.name.clone(),
        }));
        for (node, value, slice, amount) in part.rows.iter() {
            let share = match component {
                Component::StateTime => share_of(part, question, (node, value, slice), amount),
                Component::LinkCount | Component::LinkSize => None,
            };
            all.push((node, first + value, slice, amount, share));
        }
    }
    all.sort_by_key(|&(node, value, slice, ..)| (node, value, slice));
    let (mut rows, mut shares) = (Rows::default(), Vec::with_capacity(all.len()));
    for (node, value, slice, amount, share) in all {
        rows.push(node, value, slice, amount);
        shares.push(share);
    }
    let [states, counts, sizes] = parts;
    Ok(VectorAnswer {
        values,
        rows,
        shares,
        tally: counts.tally,
        scanned: states.scanned || counts.scanned || sizes.scanned,
        absent_is_zero: states.absent_is_zero,
        bounds: states.bounds,
        unit: states.unit,
        nodes: states.nodes,
    })
}

/// Which share of a slice a time is.
fn share_of(
    answer: &SliceAnswer,
    question: &VectorQuestion,
    (node, value, slice): (usize, usize, usize),
    amount: Amount,
) -> Option<f64> {
    let n_leaves = match question.aggregate {
        Aggregate::Expression(_) => return None,
        Aggregate::Sum => answer.n_leaves(node, value),
        _ => 1,
    };
    let whole = answer.width(slice) as f64 * n_leaves as f64;
    (whole > 0.0).then(|| amount.to_f64() / whole)
}
