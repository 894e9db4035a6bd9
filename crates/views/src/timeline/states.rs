//! States as rectangles, and as columns of shares where they are thinner than a pixel.

use onca_answer::{TrackId, entities};
use onca_model::{LaneId, StateRow, ValueId, Window, printable};
use onca_scene::{Bounds, CLEAR, Pattern, Pick, Rect, Title};

use crate::{
    Result, color,
    timeline::{
        grid::Grid,
        stage::Stage,
        state_marks::{Filling, StateMarks, StripPlace},
    },
};

/// Nested states are drawn smaller by this much on both sides, in pixels.
const INSET: f64 = 2.0;
/// What is left of the innermost.
const LEAST_HEIGHT: f64 = 4.0;
/// Where each depth gets this much, in pixels, it has a lane of its own: a name fits into it.
const LANE_HEIGHT: f64 = 11.0;
/// A rectangle has an edge from this size on, in pixels.
const EDGE_WIDTH: f64 = 6.0;
const EDGE_HEIGHT: f64 = 5.0;
/// No name fits into less, in pixels.
const NAME_WIDTH: f64 = 8.0;

/// The room of a band between its neighbours, in pixels.
pub(crate) fn inner(y0: f64, y1: f64) -> (f64, f64) {
    let gap = match y1 - y0 {
        8.0.. => 2.0,
        4.0.. => 1.0,
        _ => 0.0,
    };
    (y0, y1 - gap)
}

/// Draws the states of a track one by one.
pub(crate) fn draw_track(
    stage: &Stage<'_>,
    marks: &mut StateMarks,
    track: TrackId,
    (y0, y1): (f64, f64),
    n_depths: usize,
    pick: Pick,
) -> Result<()> {
    let lanes = entities::lanes_of(stage.scope, track);
    let lanes = &lanes[..lanes.len().min(n_depths)];
    let mut states = Vec::with_capacity(lanes.len() + 1);
    for &lane in lanes {
        states.push(seen_states(stage, lane)?);
    }
    states.push(Vec::new());
    let nothing = Vec::new();
    let are_apart = has_lanes(y1 - y0, n_depths);
    for (depth, &lane) in lanes.iter().enumerate() {
        let sides = sides_of_depth((y0, y1), n_depths, depth);
        let place = StripPlace { depth, y0: sides.0, y1: sides.1, pick };
        // In lanes, nothing covers a name.
        let inside = if are_apart { &nothing } else { &states[depth + 1] };
        draw_lane(stage, marks, lane, place, &states[depth], inside);
    }
    Ok(())
}

/// Is a band of this height enough for a lane for each depth?
fn has_lanes(height: f64, n_depths: usize) -> bool {
    n_depths > 1 && height / n_depths as f64 >= LANE_HEIGHT
}

/// Where states of a depth are drawn: below those around them where there is room for lanes, else inside them.
fn sides_of_depth((y0, y1): (f64, f64), n_depths: usize, depth: usize) -> (f64, f64) {
    if has_lanes(y1 - y0, n_depths) {
        let side = |depth: usize| (y0 + (y1 - y0) * depth as f64 / n_depths as f64).round();
        return (side(depth), side(depth + 1) - 1.0);
    }
    let room = ((y1 - y0 - LEAST_HEIGHT) / 2.0).max(0.0);
    let by = INSET.min(room / (n_depths.max(2) - 1) as f64) * depth as f64;
    (y0 + by, y1 - by)
}

/// The seen states of a lane with their rows, in order of time.
type LaneStates = Vec<(u64, StateRow)>;

fn seen_states(stage: &Stage<'_>, lane: LaneId) -> Result<LaneStates> {
    let mut states = Vec::new();
    entities::visit_states(stage.scope, lane, stage.instants(), |row, state| {
        states.push((row, *state));
    })?;
    Ok(states)
}

fn draw_lane(
    stage: &Stage<'_>,
    marks: &mut StateMarks,
    lane: LaneId,
    place: StripPlace,
    states: &LaneStates,
    inside: &LaneStates,
) {
    let shared = SharedColumns::new(&stage.grid, states);
    for (row, state) in states {
        if let Some((x0, x1)) = shared.rectangle(&stage.grid, state) {
            let bounds = Bounds::new(x0, place.y0, x1, place.y1);
            draw_state(stage, marks, (lane, *row), place.depth, bounds, state, inside);
        }
    }
    draw_columns(stage, marks, place, &shared, states);
}

fn draw_state(
    stage: &Stage<'_>,
    marks: &mut StateMarks,
    (lane, row): (LaneId, u64),
    depth: usize,
    bounds: Bounds,
    state: &StateRow,
    inside: &LaneStates,
) {
    let style = stage.appearance.of_value(state.value);
    let fill = style.color;
    let y0 = bounds.y1 - bounds.height() * style.height;
    let bounds = Bounds { y0, ..bounds };
    let edged = stage.pixels(bounds.width()) > EDGE_WIDTH && bounds.height() >= EDGE_HEIGHT;
    let edge = if edged { color::darker(fill) } else { CLEAR };
    let pick = Pick::entity(lane.0, row);
    let rect = Rect { bounds, fill, edge, pattern: Pattern::Plain, title: Title::NONE, pick };
    marks.add_state(stage, depth, rect, state, lane);
    if stage.pixels(bounds.width()) >= NAME_WIDTH {
        let name = printable(&stage.scope.catalog().value(state.value).name);
        marks.write_into(stage, free_part(&stage.grid, bounds, inside), &name, fill, pick);
    }
}

/// The longest part of a rectangle that no state inside it covers.
fn free_part(grid: &Grid, bounds: Bounds, inside: &LaneStates) -> Bounds {
    let first = inside.partition_point(|(_, state)| grid.x(state.end) < bounds.x0);
    let (mut at, mut longest) = (bounds.x0, (bounds.x0, bounds.x0));
    let covering =
        inside[first..].iter().map(|(_, state)| (grid.x(state.start), grid.x(state.end)));
    let covering = covering.take_while(|(start, _)| *start < bounds.x1);
    for (start, end) in covering.chain([(bounds.x1, bounds.x1)]) {
        if start - at > longest.1 - longest.0 {
            longest = (at, start);
        }
        at = at.max(end);
    }
    Bounds { x0: longest.0, x1: longest.1, ..bounds }
}

/// Which columns of a lane several states share, at least one of which is thinner than a column.
struct SharedColumns {
    shared: Vec<bool>,
    /// By column: more than one state.
    many: Vec<bool>,
}

impl SharedColumns {
    fn new(grid: &Grid, states: &LaneStates) -> Self {
        let (mut one, mut many) = (vec![false; grid.n], vec![false; grid.n]);
        let mut shared = vec![false; grid.n];
        for (_, state) in states {
            let (first, last) = grid.columns_of(state.start, state.end);
            for column in first..=last {
                many[column] |= one[column];
                one[column] = true;
            }
        }
        // A thin state is not drawn half as a rectangle and half as a share.
        for (_, state) in states.iter().filter(|(_, state)| is_thin(grid, state)) {
            let (first, last) = grid.columns_of(state.start, state.end);
            if (first..=last).any(|column| many[column]) {
                shared[first..=last].fill(true);
            }
        }
        Self { shared, many }
    }

    /// From where to where a state is drawn as a rectangle: not in columns that are shared.
    fn rectangle(&self, grid: &Grid, state: &StateRow) -> Option<(f64, f64)> {
        let (first, last) = grid.columns_of(state.start, state.end);
        let (mut x0, mut x1) = (grid.x(state.start), grid.x(state.end));
        if is_thin(grid, state) {
            if self.shared[first] {
                return None;
            }
            // At least a pixel wide, and still in the columns that it has for itself.
            let end = grid.column_x(last + 1).min(grid.span());
            x0 = x0.min(end - grid.width as f64).max(grid.column_x(first)).max(0.0);
            x1 = x0 + grid.width as f64;
            return Some((x0, x1.min(grid.span())));
        }
        if self.shared[first] {
            x0 = grid.column_x(first + 1);
        }
        if self.shared[last] {
            x1 = grid.column_x(last);
        }
        (x0 < x1).then_some((x0, x1))
    }
}

fn is_thin(grid: &Grid, state: &StateRow) -> bool {
    state.end.saturating_sub(state.start) < grid.width
}

/// Draws the shares of states in shared columns.
fn draw_columns(
    stage: &Stage<'_>,
    marks: &mut StateMarks,
    place: StripPlace,
    shared: &SharedColumns,
    states: &LaneStates,
) {
    let grid = &stage.grid;
    let mut entries: Vec<(usize, ValueId, u64)> = Vec::new();
    for (_, state) in states {
        let (first, last) = grid.columns_of(state.start, state.end);
        // Only the outer columns of a state can be shared.
        let outer = [first, last];
        let n_outer = if first == last { 1 } else { 2 };
        for &column in outer[..n_outer].iter().filter(|column| shared.shared[**column]) {
            let ticks = grid.column(column).overlap(state.start, state.end);
            entries.push((column, state.value, ticks.unsigned_abs()));
        }
    }
    entries.sort_by_key(|(column, value, _)| (*column, stage.order.place(*value)));
    for run in entries.chunk_by(|a, b| b.0 <= a.0 + 1) {
        let strip = marks.begin_strip(place, run[0].0);
        for column in run.chunk_by(|a, b| a.0 == b.0) {
            let same_value = column.chunk_by(|a, b| a.1 == b.1);
            let sums = same_value
                .map(|same| stage.time_of(same[0].1, same.iter().map(|entry| entry.2).sum()));
            let number = column[0].0;
            let Window { from, to } = grid.column(number);
            let filling = Filling::new(to.abs_diff(from), place.height());
            marks.add_column(&strip, sums, &filling, shared.many[number]);
        }
        marks.end_strip(stage, strip);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_have_lanes_where_there_is_room() {
        let sides = |height, n, depth| sides_of_depth((100.0, 100.0 + height), n, depth);
        assert_eq!(sides(48.0, 4, 0), (100.0, 111.0));
        assert_eq!(sides(48.0, 4, 3), (136.0, 147.0));
        // Too low: inside each other.
        assert_eq!(sides(20.0, 2, 0), (100.0, 120.0));
        assert_eq!(sides(20.0, 2, 1), (102.0, 118.0));
        // One depth has all.
        assert_eq!(sides(48.0, 1, 0), (100.0, 148.0));
    }
}
