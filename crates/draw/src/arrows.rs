//! Arrows and glyphs.

use onca_scene::{Arrow, Bounds, Glyph, Point, Shape};

use crate::clip;
use crate::pen::Pen;
use crate::place::Place;
use crate::runs::Runs;
use crate::style::Style;

/// How long a head is: for thin arrows, and in widths of thick ones.
const HEAD: f64 = 6.0;
const HEAD_IN_WIDTHS: f64 = 3.0;
/// Half the width of a head, in lengths of it: narrow enough to tell the direction.
const HEAD_SLENDERNESS: f64 = 0.38;
/// A head takes at most this share of an arrow.
const MOST_HEAD: f64 = 0.7;
/// The radius of the dot where an arrow begins: for thin arrows, and in widths of thick ones.
const DOT: f64 = 1.75;
const DOT_IN_WIDTHS: f64 = 1.1;

/// Appends arrows. Each is one filled outline, so that a translucent one has one tone all over.
pub(crate) fn push(out: &mut String, place: &Place<'_>, arrows: &[Arrow]) {
    let mut runs = Runs::new(out);
    for arrow in arrows {
        let (from, to) = (place.point(arrow.from), place.point(arrow.to));
        let Some(shaft) = clip::segment(from, to, &place.reach) else { continue };
        let ends = Ends { dot: arrow.dot && shaft.0 == from, head: arrow.head && shaft.1 == to };
        let path = outline(shaft, arrow.width, &ends);
        runs.add(Style::filled(arrow.color), path, place.title(arrow.title));
    }
    runs.finish();
}

/// What is drawn at the two ends of an arrow.
struct Ends {
    dot: bool,
    head: bool,
}

/// Shaft and head as one outline, and a dot. All run clockwise, so that they add up where they
/// overlap.
fn outline((from, to): (Point, Point), width: f64, ends: &Ends) -> String {
    let mut pen = Pen::default();
    if ends.dot {
        pen.disc(from, DOT.max(width * DOT_IN_WIDTHS));
    }
    let length = (to.x - from.x).hypot(to.y - from.y);
    if length == 0.0 {
        return pen.finish();
    }
    let (along_x, along_y) = ((to.x - from.x) / length, (to.y - from.y) / length);
    // So far along the arrow, and so far to its right as seen on the page.
    let at = |along: f64, aside: f64| {
        Point::new(
            from.x + along_x * along - along_y * aside,
            from.y + along_y * along + along_x * aside,
        )
    };
    let half = width / 2.0;
    let head =
        if ends.head { HEAD.max(width * HEAD_IN_WIDTHS).min(length * MOST_HEAD) } else { 0.0 };
    let base = length - head;
    pen.move_to(at(0.0, -half));
    pen.line_to(at(base, -half));
    if ends.head {
        let side = (head * HEAD_SLENDERNESS).max(half);
        pen.line_to(at(base, -side));
        pen.line_to(at(length, 0.0));
        pen.line_to(at(base, side));
    }
    pen.line_to(at(base, half));
    pen.line_to(at(0.0, half));
    pen.close();
    pen.finish()
}

/// Appends glyphs.
pub(crate) fn push_glyphs(out: &mut String, place: &Place<'_>, glyphs: &[Glyph]) {
    let mut runs = Runs::new(out);
    for glyph in glyphs {
        let at = place.point(glyph.at);
        if !clip::holds(&place.reach, at) {
            continue;
        }
        let crisp = matches!(glyph.shape, Shape::Square | Shape::Bar);
        let style = Style::filled(glyph.color).crisp(crisp);
        runs.add(style, shape(glyph, at), place.title(glyph.title));
    }
    runs.finish();
}

fn shape(glyph: &Glyph, at: Point) -> String {
    let (size, half) = (glyph.size, glyph.size / 2.0);
    let corner = |dx: f64, dy: f64| Point::new(at.x + dx, at.y + dy);
    match glyph.shape {
        Shape::Triangle => closed(&[at, corner(half, size), corner(-half, size)]),
        Shape::Diamond => {
            closed(&[corner(0.0, -half), corner(half, 0.0), corner(0.0, half), corner(-half, 0.0)])
        }
        Shape::Disc => {
            let mut pen = Pen::default();
            pen.disc(at, half);
            pen.finish()
        }
        Shape::Square => upright(at, half, half),
        Shape::Bar => upright(at, 0.5, half),
    }
}

fn upright(center: Point, half_width: f64, half_height: f64) -> String {
    let mut pen = Pen::default();
    pen.rect(&Bounds::new(
        center.x - half_width,
        center.y - half_height,
        center.x + half_width,
        center.y + half_height,
    ));
    pen.finish()
}

fn closed(corners: &[Point]) -> String {
    let mut pen = Pen::default();
    pen.move_to(corners[0]);
    corners[1..].iter().for_each(|corner| pen.line_to(*corner));
    pen.finish()
}
