//! What breaks the pattern of a trace whose work cannot be compared piece by piece.
//!
//! Without work that processes have in common there are still shares of time in states, and who departs from those of its
//! peers and from its own. What that costs the run nobody knows: nothing is claimed.

use std::collections::HashSet;

use onca_aggregate::overview::{
    AreaMap, DISRUPTION_THRESHOLD, Disruption, Shift, disruptions, nodes_of_leaves,
};
use onca_model::format::percent;
use onca_model::{Nature, Window, printable};
use onca_query::{NodeId, Scope};

use super::{FoundFinding, text};
use crate::overview::{Matrix, Metric};
use crate::{AnswerError, Result};

/// The slices in which `onca overview --disruptions` looks at the time.
const N_SLICES: usize = 100;
/// Fewer containers with states have no pattern: what one of them does is a phase of the program.
const LEAST_CONTAINERS: usize = 8;
/// A smaller share of the time is no change, however clear it is.
const LEAST_SHIFT: f64 = 0.05;
/// At most this many are told.
const MOST: usize = 3;

/// The clearest disruptions of the states of a trace, the clearest first.
pub(super) fn findings(scope: &Scope<'_>) -> Result<Vec<FoundFinding>> {
    let facts = &scope.catalog().facts;
    let run = Window { from: facts.start, to: facts.end };
    let n_slices = N_SLICES.min(usize::try_from(run.to - run.from).unwrap_or(N_SLICES));
    let with_states: HashSet<NodeId> = scope.tracks(Nature::State).map(|(.., node)| node).collect();
    if n_slices < 2 || with_states.len() < LEAST_CONTAINERS {
        return Ok(Vec::new());
    }
    let whole = scope.during(run);
    let matrix = match Matrix::new(&whole, n_slices, &Metric::States { idle: false }) {
        // What is too large for this is looked at in parts, by people.
        Err(AnswerError::TooLarge(_)) => return Ok(Vec::new()),
        matrix => matrix?,
    };
    let n_leaves = matrix.cells.n_leaves();
    let found = disruptions(&matrix.cells, &matrix.peers, &AreaMap::whole(n_leaves, n_slices));
    let clear = found.iter().take_while(|it| it.score >= DISRUPTION_THRESHOLD);
    let clear = clear.filter(|it| is_large(it)).take(MOST);
    let telling = Telling { scope, matrix: &matrix, run };
    Ok(clear.map(|disruption| telling.tell(disruption)).collect())
}

/// Does a disruption change what is done by as much as a person would call a change?
fn is_large(disruption: &Disruption) -> bool {
    let Disruption { rises, falls, .. } = disruption;
    let shifts = || [rises, falls].into_iter().flatten();
    shifts().next().is_none() || shifts().any(|shift| shift.by.abs() >= LEAST_SHIFT)
}

struct Telling<'a> {
    scope: &'a Scope<'a>,
    matrix: &'a Matrix,
    run: Window,
}

impl Telling<'_> {
    fn tell(&self, disruption: &Disruption) -> FoundFinding {
        let Matrix { tree, cells, times, .. } = self.matrix;
        let leaves = disruption.leaves();
        let slice = |at| times.as_ref().map_or(self.run, |times| times.bounds.slice(at));
        let window = Window { from: slice(disruption.first).from, to: slice(disruption.last).to };
        let groups = self.nodes(&nodes_of_leaves(tree, cells, &leaves));
        let own: Vec<u32> = leaves.iter().map(|leaf| tree.leaves()[*leaf]).collect();
        let containers =
            self.nodes(&own).into_iter().filter_map(|node| self.scope.hierarchy().container(node));
        let text::Told { who, is_one } = text::named(self.scope, &groups, leaves.len());
        let verb = if is_one { "is" } else { "are" };
        let how = match (&disruption.rises, &disruption.falls) {
            (Some(rises), _) => self.shifted(rises, "more"),
            (None, Some(falls)) => self.shifted(falls, "less"),
            (None, None) => "in other states".to_owned(),
        };
        let when = text::during(self.scope, self.run, window);
        FoundFinding {
            kind: "disruption".into(),
            containers: containers.collect(),
            groups,
            towards: Vec::new(),
            window,
            cost: 0,
            saved: 0,
            sure: 0.5,
            text: format!(
                "{who} {verb} {how} than usual{when}; work cannot be compared here, and what this costs is not known"
            ),
            effects: Vec::new(),
        }
    }

    fn shifted(&self, shift: &Shift, more: &str) -> String {
        let value = printable(&self.matrix.values[shift.value]);
        format!("in {value} for {} {more} of the time", percent(shift.by.abs()).trim())
    }

    /// The nodes of the hierarchy that stand for nodes of the tree.
    fn nodes(&self, of_tree: &[u32]) -> Vec<NodeId> {
        let place = |node: &NodeId| self.matrix.places.get(node.index());
        let is_one = |node: &NodeId| place(node).is_some_and(|place| of_tree.contains(place));
        self.scope.hierarchy().nodes().filter(is_one).collect()
    }
}
