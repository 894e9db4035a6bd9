//! What nodes send each other, as widths and colours.

use onca_answer::LinkTotals;
use onca_model::format::grouped;
use onca_query::Scope;
use onca_scene::Pick;

use super::standing::Standing;
use crate::Ruler;
use crate::matrix::Metric;
use crate::quantity::{Quantity, Scale};

/// More edges than this are not told apart: the largest stay.
const MOST_EDGES: usize = 20_000;

/// The edges of a picture.
pub(crate) struct Edges {
    /// The edges, the largest last, so that they lie above the others.
    pub list: Vec<Edge>,
    /// How amounts are spread over widths and colours.
    pub scale: Scale,
    /// What the amounts are.
    pub quantity: Quantity,
    metric: Metric,
    n_all: usize,
}

/// What two nodes send each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    /// What the width shows.
    pub amount: u128,
    /// The places of the nodes.
    pub ends: (usize, usize),
    /// What all links between them amount to.
    pub totals: LinkTotals,
}

impl Edges {
    /// The edges between standing nodes.
    pub fn new(scope: &Scope<'_>, standing: &Standing) -> Self {
        let metric = standing.metric;
        let edge = |&(from, to, totals): &(usize, usize, LinkTotals)| Edge {
            amount: metric.of(&totals),
            ends: (from, to),
            totals,
        };
        let mut list: Vec<Edge> = standing.pairs.iter().map(edge).collect();
        list.retain(|edge| edge.amount > 0);
        list.sort_by_key(|edge| (edge.amount, edge.ends));
        let n_all = list.len();
        list.drain(..n_all.saturating_sub(MOST_EDGES));
        let amount = |edge: Option<&Edge>| edge.map_or(0.0, |edge| edge.amount as f64);
        let (smallest, largest) = (amount(list.first()), amount(list.last()));
        let ruler = Ruler::fitting(smallest, largest);
        let from = if ruler == Ruler::Log { smallest } else { 0.0 };
        let scale = Scale { ruler, from, to: largest };
        Self { list, scale, quantity: metric.quantity(scope), metric, n_all }
    }

    /// How large an edge is beside the others, from 0 to 1.
    pub fn share(&self, edge: &Edge) -> f64 {
        self.scale.share(edge.amount as f64)
    }

    /// What an edge shows under the pointer.
    pub fn title(&self, standing: &Standing, edge: &Edge) -> String {
        let amount = self.metric.words(&self.quantity, edge.amount as f64);
        let (from, to) = edge.ends;
        format!("{} and {}\n{amount}", standing.names[from], standing.names[to])
    }

    /// What an edge stands for.
    pub fn pick(&self, standing: &Standing, edge: &Edge) -> Pick {
        let node = |place: usize| standing.nodes[place].0;
        Pick::Pair { from: node(edge.ends.0), to: node(edge.ends.1) }
    }

    /// What the widest edge amounts to, if there are any.
    pub fn widest(&self) -> Option<String> {
        let edge = self.list.last()?;
        Some(self.metric.words(&self.quantity, edge.amount as f64))
    }

    /// What the picture must say, if edges are missing.
    pub fn note(&self) -> Option<String> {
        let (shown, all) = (self.list.len() as u64, self.n_all as u64);
        (shown < all).then(|| format!("the largest {} of {} edges", grouped(shown), grouped(all)))
    }
}
