//! The communication curve alone: a thin strip along time.

use onca_answer::phases::{Communication, PhasesAnswer};
use onca_model::Window;
use onca_scene::{Bounds, Glyph, Layer, Lines, Pick, Point, Polygons, Scene, Shape, Title, Titles};

use super::paint::phase_title;
use super::plan::Plan;
use crate::{Canvas, Drawn, color};

/// Above and below the curve, as a share of the height.
const MARGIN: f64 = 0.12;
/// A dot of the curve over slots, in pixels.
const DOT: f64 = 6.0;

/// The heights of phases over a window of time, as steps: flat where communities stay as they are.
pub fn strip(
    communication: &Communication<'_>,
    answer: &PhasesAnswer,
    window: Window,
    canvas: &Canvas,
) -> Drawn {
    let mut titles = Titles::default();
    let layers = layers(communication, answer, window, &canvas.bounds(), canvas, &mut titles);
    Drawn::plain(Scene { layers, titles }, canvas.bounds())
}

/// The same in a frame.
pub(super) fn layers(
    communication: &Communication<'_>,
    answer: &PhasesAnswer,
    window: Window,
    frame: &Bounds,
    canvas: &Canvas,
    titles: &mut Titles,
) -> Vec<Layer> {
    let colors = canvas.theme.colors();
    let (lowest, highest) = answer.curve.range();
    let y_of = |height: f64| {
        let share = if highest > lowest { (height - lowest) / (highest - lowest) } else { 0.0 };
        frame.y0 + frame.height() * (1.0 - MARGIN - share * (1.0 - 2.0 * MARGIN))
    };
    let (mut areas, mut lines) = (Polygons::default(), Lines::default());
    let mut points: Vec<Point> = Vec::new();
    for (at, (phase, &height)) in answer.phases.iter().zip(&answer.curve.heights).enumerate() {
        let x_of = |ticks: i64| x_in(frame, window, ticks);
        let (x0, x1, y) = (x_of(phase.window.from), x_of(phase.window.to), y_of(height));
        points.extend([Point::new(x0, y), Point::new(x1, y)]);
        let corners = [(x0, y), (x1, y), (x1, frame.y1), (x0, frame.y1)];
        let fill = color::faded(colors.accent, 0.15);
        let area = areas.add(corners.map(|(x, y)| Point::new(x, y)), fill);
        area.pick = phase_pick(at);
        if canvas.titles {
            area.title = titles.add(phase_title(communication, answer, at));
        }
    }
    lines.add(points, colors.accent, 1.5);
    vec![Layer::Polygons(areas), Layer::Lines(lines)]
}

/// The heights at the lower and at the upper side of a strip.
pub(super) fn drawn_range(answer: &PhasesAnswer) -> (f64, f64) {
    let (lowest, highest) = answer.curve.range();
    let per_height = (highest - lowest).max(f64::MIN_POSITIVE) / (1.0 - 2.0 * MARGIN);
    match highest > lowest {
        true => (lowest - MARGIN * per_height, highest + MARGIN * per_height),
        false => (lowest - MARGIN, lowest + 1.0 - MARGIN),
    }
}

/// The curve as a line over the slots of a diagram, with a dot in each.
pub(super) fn over_slots(
    answer: &PhasesAnswer,
    plan: &Plan,
    frame: &Bounds,
    canvas: &Canvas,
) -> Vec<Layer> {
    let colors = canvas.theme.colors();
    let color = colors.accent;
    let (low, high) = drawn_range(answer);
    let y_of = |height: f64| frame.y1 - (height - low) / (high - low) * frame.height();
    let slots = plan.slots.iter().zip(&answer.curve.heights);
    let points: Vec<Point> =
        slots.map(|(slot, &height)| Point::new((slot.x0 + slot.x1) / 2.0, y_of(height))).collect();
    let dot = |&at: &Point| Glyph {
        at,
        shape: Shape::Disc,
        size: DOT,
        color,
        title: Title::NONE,
        pick: Pick::NOTHING,
    };
    let dots = points.iter().map(dot).collect();
    let mut lines = Lines::default();
    // Bands have all colours of a scale: a rim tells the curve from them.
    lines.add(points.iter().copied(), colors.background, 6.0);
    lines.add(points, color, 2.5);
    vec![Layer::Lines(lines), Layer::Glyphs(dots)]
}

/// Where a time is in a frame that a window fills.
pub(super) fn x_in(frame: &Bounds, window: Window, ticks: i64) -> f64 {
    let span = (window.to as f64 - window.from as f64).max(1.0);
    frame.x0 + (ticks as f64 - window.from as f64) / span * frame.width()
}

/// A phase as a whole: the place of no community.
pub(super) fn phase_pick(phase: usize) -> Pick {
    Pick::Community { phase: phase as u32, place: u32::MAX }
}
