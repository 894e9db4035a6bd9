//! Which containers break the pattern of their peers or of their own past, and when.

use std::collections::BTreeMap;

use onca_aggregate::Tree;
use onca_aggregate::overview::{
    AreaMap, DISRUPTION_THRESHOLD, Disruption, Hit, Shift, Watch, disruptions, nodes_of_leaves,
    score, shifts,
};

use super::{AreaRow, Choice, Matrix, Overview, OverviewAnswer};
use crate::Result;

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
    /// The trade-off of the partition whose areas are named.
    pub p: f64,
}

/// A disruption.
#[derive(Clone, PartialEq, Debug)]
pub struct FoundDisruption {
    /// What, when and how much.
    pub disruption: Disruption,
    /// Where: the largest nodes of which all leaves with data are hit.
    pub nodes: Vec<u32>,
    /// What is hit of each area of the partition, the clearest first.
    pub areas: Vec<HitArea>,
}

/// What a disruption hits of an area of the partition: the whole area, or some of its leaves for some time.
#[derive(Clone, PartialEq, Debug)]
pub struct HitArea {
    /// The largest nodes of which all leaves with data are hit; the node of the area if that is hit as a whole.
    pub nodes: Vec<u32>,
    /// The first slice that is hit, or that of the area.
    pub first: usize,
    /// The last slice that is hit, which belongs to it, or that of the area.
    pub last: usize,
    /// How many leaves are hit.
    pub n_leaves: usize,
    /// The area, if only a part of it is hit.
    pub part_of: Option<AreaPlace>,
    /// How clearly it stands out.
    pub score: f64,
    /// The value that there is more of than usual.
    pub rises: Option<Shift>,
    /// The value that there is less of.
    pub falls: Option<Shift>,
}

/// Where an area is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AreaPlace {
    /// The node of the tree.
    pub node: u32,
    /// Its first slice.
    pub first: usize,
    /// Its last slice, which belongs to it.
    pub last: usize,
}

impl Overview<'_> {
    /// The clearest disruptions, at most `most`, told by the areas of a partition.
    pub fn disruptions(
        &self,
        most: usize,
        choice: Choice,
        watch: Watch<'_>,
    ) -> Result<DisruptionAnswer> {
        let partition = self.partition(choice, watch)?;
        let Matrix { tree, cells, peers, .. } = self.matrix();
        let places = partition.areas.iter().map(|area| (area.node, area.first, area.last));
        let all = disruptions(cells, peers, &AreaMap::new(tree, cells.n_slices(), places));
        let highest = all.first().map_or(0.0, |disruption| disruption.score);
        let n_found = all.partition_point(|disruption| disruption.score >= DISRUPTION_THRESHOLD);
        let found = all.into_iter().take(n_found.min(most));
        Ok(DisruptionAnswer {
            threshold: DISRUPTION_THRESHOLD,
            n_found,
            disruptions: found.map(|found| self.matrix().told(found, &partition)).collect(),
            highest,
            p: partition.partition.p,
        })
    }
}

impl Matrix {
    /// A disruption with the names of its places.
    fn told(&self, disruption: Disruption, partition: &OverviewAnswer) -> FoundDisruption {
        let mut by_area: BTreeMap<usize, Vec<Hit>> = BTreeMap::new();
        for hit in &disruption.hits {
            by_area.entry(hit.area).or_default().push(hit.clone());
        }
        let mut areas: Vec<HitArea> = by_area
            .into_iter()
            .map(|(area, hits)| self.hit_area(&hits, &partition.areas[area]))
            .collect();
        areas.sort_by(|a, b| b.score.total_cmp(&a.score));
        let nodes = nodes_of_leaves(&self.tree, &self.cells, &disruption.leaves());
        FoundDisruption { disruption, nodes, areas }
    }

    /// What hits, which are in order of leaves, make of an area.
    fn hit_area(&self, hits: &[Hit], area: &AreaRow) -> HitArea {
        let mut leaves: Vec<usize> = hits.iter().map(|hit| hit.leaf).collect();
        leaves.dedup();
        let (rises, falls) = shifts(hits);
        let place = AreaPlace { node: area.node, first: area.first, last: area.last };
        let is_whole = self.is_mostly_hit(hits, &leaves, place);
        let nodes = match is_whole {
            true => vec![area.node],
            false => nodes_of_leaves(&self.tree, &self.cells, &leaves),
        };
        let first = hits.iter().map(|hit| hit.first).min().unwrap_or(area.first);
        let last = hits.iter().map(|hit| hit.last).max().unwrap_or(area.last);
        HitArea {
            nodes,
            first: if is_whole { area.first } else { first },
            last: if is_whole { area.last } else { last },
            n_leaves: leaves.len(),
            part_of: (!is_whole).then_some(place),
            score: score(hits),
            rises,
            falls,
        }
    }

    /// Are all leaves of an area that have data hit, for half of its time on average?
    fn is_mostly_hit(&self, hits: &[Hit], leaves: &[usize], area: AreaPlace) -> bool {
        let n_hit: usize = hits.iter().map(|hit| hit.last + 1 - hit.first).sum();
        let n_cells = leaves.len() * (area.last + 1 - area.first);
        let has_data = |leaf: &usize| self.cells.leaf(*leaf).iter().any(|&number| number > 0.0);
        let with_data = self.tree.leaf_range(area.node).filter(has_data).count();
        leaves.len() == with_data && 2 * n_hit >= n_cells
    }

    /// The lowest node that holds all of these.
    pub fn common_node(&self, nodes: &[u32]) -> u32 {
        let mut nodes = nodes.iter().copied();
        let first = nodes.next().unwrap_or(self.tree.root());
        nodes.fold(first, |common, node| lowest_common(&self.tree, common, node))
    }
}

/// The lowest node that holds both.
fn lowest_common(tree: &Tree, a: u32, b: u32) -> u32 {
    let (a_leaves, b_leaves) = (tree.leaf_range(a), tree.leaf_range(b));
    let first = a_leaves.start.min(b_leaves.start);
    let end = a_leaves.end.max(b_leaves.end);
    let mut node = a;
    loop {
        let leaves = tree.leaf_range(node);
        if leaves.start <= first && end <= leaves.end {
            return node;
        }
        match tree.parent(node) {
            Some(parent) => node = parent,
            None => return node,
        }
    }
}
