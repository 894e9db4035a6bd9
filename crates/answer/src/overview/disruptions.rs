//! Which containers break the pattern of their peers or of their own past, and when.

use onca_aggregate::overview::{DISRUPTION_THRESHOLD, Disruption, disruptions, nodes_of_leaves};

use super::Matrix;

/// The disruptions of a matrix.
#[derive(Clone, PartialEq, Debug)]
pub struct DisruptionAnswer {
    /// What a score must reach to be more than noise.
    pub threshold: f64,
    /// How many reach it.
    pub n_found: usize,
    /// The clearest of them.
    pub disruptions: Vec<FoundDisruption>,
    /// The highest score that was met, above the threshold or below; 0 if nothing is odd at all.
    pub highest: f64,
}

/// A disruption.
#[derive(Clone, PartialEq, Debug)]
pub struct FoundDisruption {
    /// What, when and how much.
    pub disruption: Disruption,
    /// Where: the largest nodes of which all leaves with data are hit.
    pub nodes: Vec<u32>,
}

impl Matrix {
    /// The clearest disruptions, at most `most`.
    pub fn disruptions(&self, most: usize) -> DisruptionAnswer {
        let all = disruptions(&self.cells, &self.peers);
        let highest = all.first().map_or(0.0, |disruption| disruption.score);
        let found: Vec<Disruption> = all
            .into_iter()
            .take_while(|disruption| disruption.score >= DISRUPTION_THRESHOLD)
            .collect();
        let n_found = found.len();
        let with_nodes = |disruption: Disruption| FoundDisruption {
            nodes: nodes_of_leaves(&self.tree, &self.cells, &disruption.leaves),
            disruption,
        };
        let disruptions = found.into_iter().take(most).map(with_nodes).collect();
        DisruptionAnswer { threshold: DISRUPTION_THRESHOLD, n_found, disruptions, highest }
    }
}
