//! The number of events.

use onca_aggregate::slice::{Bounds, Cube, EventCounts};
use onca_model::{LaneId, Nature};
use onca_query::Scope;

use super::cube::{Source, Sources, cells};
use super::{Cells, LeafCube, columns::Columns};
use crate::Result;

/// A lane with fewer events for each slice is counted one by one: two searches cost more.
const FEW_PER_SLICE: u64 = 64;

/// The cube of event counts.
pub(super) fn cube(scope: &Scope<'_>, bounds: Bounds) -> Result<LeafCube> {
    let sources = Sources::new(scope, Nature::Event, None)?;
    let columns = Columns::of_values(scope, Nature::Event);
    let mut cube: Cube<i64> = cells(sources.n_leaves(), columns.values.len(), &bounds)?;
    let scratch = || EventCounts::new(bounds, columns.values.len());
    sources.fill(&mut cube, scratch, |counts, cells, sources| {
        for &(_, source) in sources {
            let Source::Track(track) = source else { continue };
            for &lane in scope.store().tracks().lanes(track) {
                if scope.store().n_rows(lane) <= FEW_PER_SLICE * bounds.n_slices() as u64 {
                    scope.visit_events(lane, |_, event| {
                        if let Some(column) = columns.of_value(event.value) {
                            counts.add(column, event.time);
                        }
                    })?;
                } else {
                    add_counts(scope, &bounds, &columns, lane, cells)?;
                }
            }
        }
        counts.drain_into(cells);
        Ok(())
    })?;
    let (space, values, cells) = (sources.space, columns.values, Cells::Whole(cube));
    Ok(LeafCube { space, bounds, values, cells, tally: None, scanned: false, having: None })
}

fn add_counts(
    scope: &Scope<'_>,
    bounds: &Bounds,
    columns: &Columns,
    lane: LaneId,
    cells: &mut [i64],
) -> Result<()> {
    let n_slices = bounds.n_slices();
    for slice in 0..n_slices {
        let window = super::variables::slice_of_instants(scope, bounds, slice);
        for (value, count) in scope.store().event_counts(lane, window)? {
            if let Some(column) = columns.of_value(value) {
                cells[column * n_slices + slice] += count as i64;
            }
        }
    }
    Ok(())
}
