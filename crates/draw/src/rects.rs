//! Rectangles.

use onca_model::Color;
use onca_scene::{Bounds, CLEAR, Pattern, Point, Rect};

use crate::clip;
use crate::pen::Pen;
use crate::place::Place;
use crate::runs::Runs;
use crate::style::Style;

/// An edge needs a rectangle of at least this size; a smaller one would be all edge.
const LEAST_FOR_EDGE: f64 = 3.0;

/// Appends rectangles.
pub(crate) fn push(out: &mut String, place: &Place<'_>, rects: &[Rect]) {
    let mut runs = Runs::new(out);
    for rect in rects {
        let placed = place.bounds(&rect.bounds);
        let Some(bounds) = clip::rect(&placed, &place.reach) else { continue };
        let title = place.title(rect.title);
        let has_edge = rect.edge.alpha > 0
            && bounds.width() >= LEAST_FOR_EDGE
            && bounds.height() >= LEAST_FOR_EDGE;
        let stroke = if has_edge { rect.edge } else { CLEAR };
        let style = Style { stroke, ..Style::filled(rect.fill).crisp(true) };
        runs.add(style, if has_edge { edged(&bounds) } else { plain(&bounds) }, title);
        if let Some((style, path)) = pattern(rect, &bounds, place.background) {
            runs.add(style, path, title);
        }
    }
    runs.finish();
}

/// What is drawn over the fill, and how.
fn pattern(rect: &Rect, bounds: &Bounds, background: Color) -> Option<(Style, String)> {
    let marking = || Style::stroked(readable_on(rect.fill, background), 1.0);
    match rect.pattern {
        Pattern::Plain => None,
        Pattern::Hatch => Some((Style::hatched(background), plain(bounds))),
        Pattern::Diagonal => Some((marking(), diagonals(bounds, false))),
        Pattern::Cross => Some((marking(), diagonals(bounds, true))),
    }
}

fn plain(bounds: &Bounds) -> String {
    let mut pen = Pen::default();
    pen.rect(bounds);
    pen.finish()
}

/// The outline runs half a pixel inside, so that the edge is in the rectangle.
fn edged(bounds: &Bounds) -> String {
    let mut pen = Pen::default();
    pen.rect(&bounds.inset(0.5));
    pen.close();
    pen.finish()
}

fn diagonals(bounds: &Bounds, both: bool) -> String {
    // The ends of the lines stay inside.
    let inside = bounds.inset(0.5);
    let mut pen = Pen::default();
    pen.move_to(Point::new(inside.x0, inside.y1));
    pen.line_to(Point::new(inside.x1, inside.y0));
    if both {
        pen.move_to(Point::new(inside.x0, inside.y0));
        pen.line_to(Point::new(inside.x1, inside.y1));
    }
    pen.finish()
}

/// A colour that can be seen on a fill over the page: dark on light, light on dark.
fn readable_on(fill: Color, background: Color) -> Color {
    let share = f64::from(fill.alpha) / 255.0;
    let light = lightness(fill) * share + lightness(background) * (1.0 - share);
    let color = if light > 110.0 { Color::rgb(0, 0, 0) } else { Color::rgb(255, 255, 255) };
    Color { alpha: 150, ..color }
}

/// How light a colour is to the eye, from 0 to 255.
fn lightness(color: Color) -> f64 {
    0.299 * f64::from(color.red) + 0.587 * f64::from(color.green) + 0.114 * f64::from(color.blue)
}
