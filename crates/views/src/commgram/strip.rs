//! The communication curve alone: a thin strip along time.

use onca_answer::phases::{Communication, PhasesAnswer};
use onca_model::Window;
use onca_scene::{Bounds, Layer, Lines, Point, Polygons, Scene, Titles};

use crate::{Canvas, Drawn, color};

/// Above and below the curve, as a share of the height.
const MARGIN: f64 = 0.12;

/// The heights of phases over a window of time, as steps: flat where communities stay as they are.
pub fn strip(
    communication: &Communication<'_>,
    answer: &PhasesAnswer,
    window: Window,
    canvas: &Canvas,
) -> Drawn {
    let colors = canvas.theme.colors();
    let (lowest, highest) = answer.curve.range();
    let span = (window.to as f64 - window.from as f64).max(1.0);
    let x_of = |ticks: i64| (ticks as f64 - window.from as f64) / span * canvas.width;
    let y_of = |height: f64| {
        let share = if highest > lowest { (height - lowest) / (highest - lowest) } else { 0.0 };
        canvas.height * (1.0 - MARGIN - share * (1.0 - 2.0 * MARGIN))
    };
    let mut titles = Titles::default();
    let (mut areas, mut lines) = (Polygons::default(), Lines::default());
    let mut points: Vec<Point> = Vec::new();
    for (at, (phase, &height)) in answer.phases.iter().zip(&answer.curve.heights).enumerate() {
        let (x0, x1, y) = (x_of(phase.window.from), x_of(phase.window.to), y_of(height));
        points.extend([Point::new(x0, y), Point::new(x1, y)]);
        let bounds = Bounds::new(x0, y, x1, canvas.height);
        let corners = [
            (bounds.x0, bounds.y0),
            (bounds.x1, bounds.y0),
            (bounds.x1, bounds.y1),
            (bounds.x0, bounds.y1),
        ];
        let fill = color::faded(colors.accent, 0.15);
        let area = areas.add(corners.map(|(x, y)| Point::new(x, y)), fill);
        area.pick = onca_scene::Pick::Community { phase: at as u32, place: u32::MAX };
        if canvas.titles {
            let from = communication.unit.format(phase.window.from);
            let text = format!(
                "phase {}, pattern {}, from {from} {}",
                at + 1,
                phase.pattern(),
                communication.unit.name
            );
            area.title = titles.add(text);
        }
    }
    lines.add(points, colors.accent, 1.5);
    let layers = vec![Layer::Polygons(areas), Layer::Lines(lines)];
    Drawn { scene: Scene { layers, titles }, view: canvas.bounds(), notes: Vec::new() }
}
