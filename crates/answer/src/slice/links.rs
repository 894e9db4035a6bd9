//! What links amount to, for the nodes at one of their ends.

use onca_aggregate::Number;
use onca_aggregate::slice::{
    Bounds, Crossing, Cube, LinkCount, LinkEnd, LinkMeasure as Measured, LinkRate, LinkSize,
    LinkSlices, LinkTally, LinkTicks, LinkWeighted,
};
use onca_model::{ContainerId, LinkRow, Nature};
use onca_query::{NodeId, Scope};
use onca_store::LinkTotals;

use super::cube::{cells, check_size};
use super::{Cells, LeafCube, LinkMeasure, Space, columns::Columns};
use crate::{AnswerError, Result};

/// The cube of a measure of links.
pub(super) fn cube(
    scope: &Scope<'_>,
    bounds: Bounds,
    measure: LinkMeasure,
    end: LinkEnd,
    border: Crossing,
) -> Result<LeafCube> {
    let question = Question { scope, bounds, end, border };
    let ticks_per_unit = scope.catalog().facts.unit.ticks_per_unit;
    match (measure, border) {
        _ if !question.has_sums() => {}
        (LinkMeasure::Count, _) => {
            let count = |totals: &LinkTotals| totals.count as i64;
            return question.take(count, Cells::Whole);
        }
        (LinkMeasure::Time, _) => {
            let time = |totals: &LinkTotals| totals.time;
            return question.take(time, Cells::Whole);
        }
        (LinkMeasure::Size, Crossing::Drop) => {
            let size = |totals: &LinkTotals| totals.size as f64;
            return question.take(size, Cells::Real);
        }
        _ => {}
    }
    match measure {
        LinkMeasure::Count => question.sum(LinkCount, Cells::Whole),
        LinkMeasure::Time => question.sum(LinkTicks, Cells::Whole),
        LinkMeasure::Size => question.sum(LinkSize, Cells::Real),
        LinkMeasure::Rate => question.sum(LinkRate { ticks_per_unit }, Cells::Real),
        LinkMeasure::Weighted => {
            question.sum(LinkWeighted, |cube| Cells::Real(divided_by_width(cube, &bounds)))
        }
    }
}

#[derive(Clone, Copy)]
struct Question<'a> {
    scope: &'a Scope<'a>,
    bounds: Bounds,
    end: LinkEnd,
    border: Crossing,
}

impl Question<'_> {
    /// Are the sums of the store enough? They are kept by pair of containers, not by value, and
    /// tell of one slice; a minimum duration is not in them.
    fn has_sums(&self) -> bool {
        let catalog = self.scope.catalog();
        let mut n_values = vec![0; catalog.types.len()];
        catalog.values.iter().for_each(|value| n_values[value.type_id.index()] += 1);
        self.bounds.n_slices() == 1
            && self.scope.min_duration() == 0
            && self.scope.link_lanes().all(|(_, type_id)| {
                n_values[type_id.index()] <= 1 && self.scope.sees_all_ends(type_id)
            })
    }

    /// Takes the amounts from the sums of the store.
    fn take<T: Number>(
        &self,
        amount: impl Fn(&LinkTotals) -> T,
        into_cells: impl FnOnce(Cube<T>) -> Cells,
    ) -> Result<LeafCube> {
        let Self { scope, bounds, end, border } = *self;
        let (columns, hierarchy) = (Columns::of_values(scope, Nature::Link), scope.hierarchy());
        let mut by_node: Cube<T> = cells(hierarchy.len(), columns.values.len(), &bounds)?;
        let mut has_links = vec![false; hierarchy.len()];
        let mut tally = LinkTally::default();
        let seen = scope.containers();
        for (lane, type_id) in scope.link_lanes() {
            let of_type = columns.values.iter().position(|value| value.type_id == Some(type_id));
            let Some(column) = of_type else { continue };
            scope.store().visit_pair_slices(lane, seen, seen, scope.instants(), |pair| {
                let Some(node) = hierarchy.node_of(end.of(pair.source, pair.destination)) else {
                    return;
                };
                has_links[node.index()] = true;
                let crossing = pair.touching.count - pair.inside.count;
                let totals = match border {
                    Crossing::Drop => pair.inside,
                    Crossing::Clip => pair.touching,
                };
                let cell = &mut by_node.row_mut(node.index(), column)[0];
                *cell = cell.plus(amount(&totals));
                tally.counted += totals.count;
                tally.backward += pair.backward;
                match border {
                    Crossing::Drop => tally.dropped += crossing,
                    Crossing::Clip => tally.clipped += crossing,
                }
            })?;
        }
        let space = Space::new(hierarchy, |node| has_links[node.index()])?;
        let cells = into_cells(by_leaf(&by_node, &space, &bounds)?);
        let (values, tally) = (columns.values, Some(tally));
        Ok(LeafCube { space, bounds, values, cells, tally, scanned: false, having: None })
    }

    fn sum<M: Measured>(
        &self,
        measure: M,
        into_cells: impl FnOnce(Cube<M::Amount>) -> Cells,
    ) -> Result<LeafCube> {
        let columns = Columns::of_values(self.scope, Nature::Link);
        let hierarchy = self.scope.hierarchy();
        let (n_nodes, n_values) = (hierarchy.len(), columns.values.len());
        // Which nodes have links is known only in the end: first there is a row for each node.
        check_size(n_nodes, n_values, &self.bounds)?;
        let mut slices = LinkSlices::new(measure, self.bounds, self.border, n_nodes, n_values)
            .map_err(|error| AnswerError::TooLarge(error.to_string()))?;
        let mut has_links = vec![false; n_nodes];
        visit_links(self.scope, |source, destination, link| {
            let node = hierarchy.node_of(self.end.of(source, destination));
            if let (Some(node), Some(column)) = (node, columns.of_value(link.value)) {
                has_links[node.index()] = true;
                let size = link.size.unwrap_or(0) as f64;
                slices.add(node.index(), column, link.start, link.end, size);
            }
        })?;
        let tally = slices.tally();
        let space = Space::new(hierarchy, |node| has_links[node.index()])?;
        let cube = by_leaf(&slices.finish(), &space, &self.bounds)?;
        let (bounds, values, cells) = (self.bounds, columns.values, into_cells(cube));
        Ok(LeafCube {
            space,
            bounds,
            values,
            cells,
            tally: Some(tally),
            scanned: true,
            having: None,
        })
    }
}

/// Visits the seen links that have both ends and belong to the window. A link that lasts no time
/// belongs to it by its start.
pub(super) fn visit_links(
    scope: &Scope<'_>,
    mut visit: impl FnMut(ContainerId, ContainerId, &LinkRow<'_>),
) -> Result<()> {
    let instants = scope.instants();
    for (lane, _) in scope.link_lanes() {
        scope.visit_links(lane, |_, link| {
            let (Some(source), Some(destination)) = (link.source, link.destination) else { return };
            if link.start < link.end || instants.touches(link.start, link.start) {
                visit(source, destination, link);
            }
        })?;
    }
    Ok(())
}

/// The rows of nodes as rows of leaves.
fn by_leaf<T: Number>(by_node: &Cube<T>, space: &Space, bounds: &Bounds) -> Result<Cube<T>> {
    let leaves = space.tree().leaves();
    let mut cube = cells(leaves.len(), by_node.n_values(), bounds)?;
    for (leaf, &place) in leaves.iter().enumerate() {
        let node: NodeId = space.node(place);
        cube.leaf_mut(leaf).copy_from_slice(by_node.leaf(node.index()));
    }
    Ok(cube)
}

fn divided_by_width(mut cube: Cube<f64>, bounds: &Bounds) -> Cube<f64> {
    let widths = bounds.widths();
    for cells in cube.leaves_mut() {
        for (cell, &width) in cells.iter_mut().zip(widths.iter().cycle()) {
            // Nothing lies in a slice that is narrower than a tick.
            *cell /= width.max(1) as f64;
        }
    }
    cube
}
