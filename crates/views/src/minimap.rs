//! The whole of a trace in a strip: the shares of all states over time, and how much they change.

use onca_aggregate::{Tree, overview::ChangeCurve, slice::Cube};
use onca_answer::{
    AnswerError,
    columns::{ColumnCache, ColumnRow, Columns, columns},
    phases::PhasesAnswer,
};
use onca_model::{Ticks, Window};
use onca_query::{Appearance, NodeId, Scope};
use onca_scene::{Bounds, Pick, Point, Scene, Strips};
use serde::Serialize;

use crate::{
    Result, Theme, color,
    timeline::{
        drawing::Drawing,
        grid::Grid,
        painted_columns::{PaintedRow, Painting, RowOfColumns},
        stage::Stage,
        state_marks::{StateMarks, StripPlace},
    },
};

/// The window in small.
#[derive(Clone, PartialEq, Debug)]
pub struct Minimap {
    /// The marks: to the right ticks after the begin of the window, down pixels.
    pub scene: Scene,
    /// The part of view space that is filled.
    pub view: Bounds,
    /// How much the mix of values changes from slice to slice.
    pub change: ChangeCurve,
    /// Where either curve stands out, in order of time.
    pub peaks: Vec<Peak>,
}

/// A time at which much changes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Peak {
    /// When.
    pub time: Ticks,
    /// What changes.
    pub of: PeakOf,
    /// By how much, from 0 to 1.
    pub change: f64,
}

/// What changes at a peak.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum PeakOf {
    /// The mix of states.
    States,
    /// Who communicates with whom.
    Communication,
}

/// The size and look of a minimap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MinimapSize {
    /// Its width, in pixels.
    pub width: f64,
    /// Its height, in pixels.
    pub height: f64,
    /// Light or dark.
    pub theme: Theme,
}

/// The change curve is one of about this many slices.
const SLICES: usize = 200;
/// The part of the height that shares have; the curve has the rest.
const SHARES_HEIGHT: f64 = 0.62;
/// Between the two, in pixels.
const GAP: f64 = 2.0;
/// A curve whose highest peak is lower does not fill its height: it is calm. Lower peaks of communication are none.
const LEAST_PEAK: f64 = 0.05;
const AREA_OPACITY: f64 = 0.3;
/// This many peaks of each curve are told, the highest.
const MOST_PEAKS: usize = 12;

/// Draws the window of a scope.
///
/// The height of the strip is the number of states at a time where they are most. The curve is
/// that of `onca overview --change` for the root, of slices that are runs of whole columns: the
/// difference between the mix of values of everything together in a slice and in the one before.
/// Its scale ends at its highest peak. Phases of communication, where they are known, are drawn over it: as high as their curve is.
pub fn scene(
    scope: &Scope<'_>,
    appearance: &Appearance,
    size: &MinimapSize,
    cache: &ColumnCache,
    phases: Option<&PhasesAnswer>,
) -> Result<Minimap> {
    let grid = Grid::steady(scope.window(), size.width)?;
    let columns = columns(scope, &[ColumnRow::Subtree(NodeId::ROOT)], grid.columns()?, cache)?;
    let stage = Stage::new(scope, appearance, size.theme.colors(), grid)?;
    let mut drawing = Drawing::new(&stage);
    let foot = (size.height * SHARES_HEIGHT).round().max(1.0);
    let place = StripPlace { depth: 0, y0: 0.0, y1: foot, pick: Pick::Node(NodeId::ROOT.0) };
    let (slices, change) = change(scope, &columns, &grid)?;
    let row = PaintedRow { n_tracks: most_at_once(&columns, &grid), height: place.height() };
    let painted = columns.formed(0, &Painting::new(&stage, vec![row]));
    let strips = Strips::in_rooms(&[painted.size_of(0..grid.n)], |rooms| {
        let mut drawn = RowOfColumns::new(&grid, &mut rooms[0], place);
        drawn.add(0, &painted, 0..grid.n);
        drawn.end();
    });
    drawing.states = StateMarks::of_strips(strips);
    draw_change(&mut drawing, &slices, &change, (foot + GAP, size.height));
    let mut found = highest(change.peaks.iter().map(|&at| Peak {
        time: slices[at + 1].from,
        of: PeakOf::States,
        change: change.changes[at],
    }));
    if let Some(phases) = phases {
        draw_heights(&mut drawing, phases, (foot + GAP, size.height));
        found.extend(communication_peaks(phases));
    }
    found.sort_by_key(|peak| peak.time);
    let view = Bounds::new(0.0, 0.0, grid.span(), size.height);
    Ok(Minimap { scene: drawing.finish(false), view, change, peaks: found })
}

/// How many states there are at a time, on average over the column that has most.
fn most_at_once(columns: &Columns, grid: &Grid) -> usize {
    let at_once = |column| {
        let own: i128 = columns.shares(0, column).map(|share| i128::from(share.ticks)).sum();
        let Window { from, to } = columns.window(column);
        let length = (i128::from(to) - i128::from(from)).max(1);
        usize::try_from((own + length - 1) / length).unwrap_or(usize::MAX)
    };
    (0..grid.n).map(at_once).max().unwrap_or(0).max(1)
}

/// The slices of a change curve, and the curve.
fn change(scope: &Scope<'_>, columns: &Columns, grid: &Grid) -> Result<(Vec<Window>, ChangeCurve)> {
    let per_slice = grid.n.div_ceil(SLICES);
    let n_slices = grid.n.div_ceil(per_slice);
    let n_values = scope.catalog().values.len();
    let mut cube = Cube::<f64>::new(1, n_values, n_slices)
        .map_err(|error| AnswerError::TooLarge(error.to_string()))?;
    for column in 0..grid.n {
        for share in columns.shares(0, column) {
            cube.row_mut(0, share.value.index())[column / per_slice] += share.ticks as f64;
        }
    }
    let slice = |slice: usize| {
        let last = ((slice + 1) * per_slice).min(grid.n) - 1;
        Window::new(grid.column(slice * per_slice).from, grid.column(last).to)
    };
    let tree = Tree::new(vec![0]).expect("a root is a tree");
    Ok(((0..n_slices).map(slice).collect(), ChangeCurve::of(&tree, &cube, 0)))
}

/// Draws a curve: each change stands where its slice begins.
fn draw_change(
    drawing: &mut Drawing<'_>,
    slices: &[Window],
    curve: &ChangeCurve,
    (top, foot): (f64, f64),
) {
    let highest = curve.changes.iter().copied().fold(LEAST_PEAK, f64::max);
    let grid = drawing.stage.grid;
    let point = |(slice, change): (&Window, &f64)| {
        Point::new(grid.x(slice.from), foot - change / highest * (foot - top).max(0.0))
    };
    let points: Vec<Point> = slices.iter().skip(1).zip(&curve.changes).map(point).collect();
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
    let below = [Point::new(last.x, foot), Point::new(first.x, foot)];
    let fill = color::faded(drawing.stage.colors.accent, AREA_OPACITY);
    drawing.areas.add(points.iter().copied().chain(below), fill);
    drawing.lines.add(points, drawing.stage.colors.accent, 1.0);
}

/// Draws the communication curve: flat where communities stay as they are.
fn draw_heights(drawing: &mut Drawing<'_>, phases: &PhasesAnswer, (top, foot): (f64, f64)) {
    let (lowest, highest) = phases.curve.range();
    // A flat curve is in the middle, so that it is not taken for the foot of the other one.
    let share = |height: f64| match highest > lowest {
        true => (height - lowest) / (highest - lowest),
        false => 0.5,
    };
    let room = (foot - top - 2.0).max(0.0);
    let grid = drawing.stage.grid;
    let points = phases.phases.iter().zip(&phases.curve.heights).flat_map(|(phase, &height)| {
        let y = foot - 1.0 - share(height) * room;
        let x_of = |ticks: Ticks| grid.x(ticks).clamp(0.0, grid.span());
        [Point::new(x_of(phase.window.from), y), Point::new(x_of(phase.window.to), y)]
    });
    let points: Vec<Point> = points.collect();
    drawing.lines.add(points, drawing.stage.colors.text, 1.0);
}

/// The borders of phases at which communities change. Within a phase they do not, so that every change stands out.
fn communication_peaks(phases: &PhasesAnswer) -> Vec<Peak> {
    let borders = phases.phases.iter().skip(1).map(|phase| phase.window.from);
    let changes = phases.curve.differences.iter().map(|one| one.share());
    let changing = borders.zip(changes).filter(|(_, change)| *change >= LEAST_PEAK);
    highest(changing.map(|(time, change)| Peak { time, of: PeakOf::Communication, change }))
}

/// The highest peaks. None is preferred to one that is as high: of too many equal ones none stands out.
fn highest(peaks: impl Iterator<Item = Peak>) -> Vec<Peak> {
    let mut peaks: Vec<Peak> = peaks.collect();
    peaks.sort_by(|one, other| other.change.total_cmp(&one.change));
    if let Some(&Peak { change: left_out, .. }) = peaks.get(MOST_PEAKS) {
        peaks.retain(|peak| peak.change > left_out);
    }
    peaks
}
