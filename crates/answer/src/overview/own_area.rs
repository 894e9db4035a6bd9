//! The trade-off at which some containers during some time stand out as areas of their own.

use onca_aggregate::overview::{CurveLimits, StartRule, Watch};
use onca_model::Window;
use onca_query::NodeId;

use super::{AreaRow, Choice, Overview};
use crate::Result;

/// A trade-off at which something stands out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OwnArea {
    /// The trade-off.
    pub p: f64,
    /// How alike the areas are to what was looked for: what both have, of what either has. 1 is the same.
    pub likeness: f64,
}

/// Where nothing is aggregated everything is an area of its own: a simpler picture may be less alike, down to this share.
const ENOUGH: f64 = 0.7;

impl Overview<'_> {
    /// The simplest trade-off at which areas are like some nodes, with all below them, during a window. `None` if nothing of that is in the matrix.
    pub fn own_area(
        &self,
        nodes: &[NodeId],
        window: Window,
        watch: Watch<'_>,
    ) -> Result<Option<OwnArea>> {
        let Some(wanted) = Wanted::new(self, nodes, window) else { return Ok(None) };
        let curve = self.curve(CurveLimits::DRAFT, StartRule::default(), watch)?.curve;
        let mut found = Vec::new();
        for segment in &curve.segments {
            let areas = self.partition(Choice::P(segment.p), watch)?.areas;
            found.push(OwnArea { p: segment.p, likeness: wanted.likeness(&areas) });
        }
        let most = found.iter().map(|it| it.likeness).fold(0.0, f64::max);
        // Segments go from detail to simplicity.
        Ok(found.into_iter().rfind(|it| it.likeness > 0.0 && it.likeness >= ENOUGH * most))
    }
}

/// The cells that are looked for.
struct Wanted<'o> {
    overview: &'o Overview<'o>,
    /// How many leaves before each place are wanted.
    leaves_before: Vec<u64>,
    /// The first slice that is wanted, and the one after the last.
    slices: (usize, usize),
}

impl<'o> Wanted<'o> {
    fn new(overview: &'o Overview<'_>, nodes: &[NodeId], window: Window) -> Option<Wanted<'o>> {
        let matrix = overview.matrix();
        let bounds = &matrix.times.as_ref()?.bounds;
        let is_inside = |slice: usize| {
            let Window { from, to } = bounds.slice(slice);
            let middle = from + (to - from) / 2;
            window.from <= middle && middle < window.to
        };
        let first = (0..bounds.n_slices()).find(|slice| is_inside(*slice))?;
        let end = (first..bounds.n_slices()).find(|slice| !is_inside(*slice));
        let tree = &matrix.tree;
        let mut is_wanted = vec![false; tree.leaves().len()];
        for &node in nodes.iter().filter_map(|node| matrix.places.get(node.index())) {
            is_wanted[tree.leaf_range(node)].fill(true);
        }
        let mut leaves_before = vec![0];
        for wanted in &is_wanted {
            leaves_before.push(leaves_before[leaves_before.len() - 1] + u64::from(*wanted));
        }
        let slices = (first, end.unwrap_or(bounds.n_slices()));
        leaves_before.last().is_some_and(|n| *n > 0).then_some(Wanted {
            overview,
            leaves_before,
            slices,
        })
    }

    /// How alike the areas that mostly lie in what is wanted are to it, all together.
    fn likeness(&self, areas: &[AreaRow]) -> f64 {
        let (first, end) = self.slices;
        let all = self.leaves_before.last().copied().unwrap_or(0) * (end - first) as u64;
        let (mut common, mut taken) = (0, 0);
        for area in areas {
            let leaves = self.overview.matrix().tree.leaf_range(area.node);
            let wanted = self.leaves_before[leaves.end] - self.leaves_before[leaves.start];
            let slices = end.min(area.last + 1).saturating_sub(first.max(area.first)) as u64;
            let size = leaves.len() as u64 * (area.last + 1 - area.first) as u64;
            if 2 * wanted * slices > size {
                common += wanted * slices;
                taken += size;
            }
        }
        common as f64 / (all + taken - common).max(1) as f64
    }
}
