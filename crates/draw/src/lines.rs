//! Lines and outlines.

use onca_scene::{Lines, Point, Polygons};

use crate::clip;
use crate::pen::Pen;
use crate::place::Place;
use crate::runs::Runs;
use crate::style::Style;

/// Appends lines.
pub(crate) fn push(out: &mut String, place: &Place<'_>, lines: &Lines) {
    let mut runs = Runs::new(out);
    for line in &lines.lines {
        let points = placed(place, lines.of(line));
        let style = Style {
            dashed: line.dashed,
            ..Style::stroked(line.color, line.width).crisp(is_along_axes(&points))
        };
        runs.add(style, path(&points, place), place.title(line.title));
    }
    runs.finish();
}

/// Appends outlines.
pub(crate) fn push_polygons(out: &mut String, place: &Place<'_>, polygons: &Polygons) {
    let mut runs = Runs::new(out);
    for polygon in &polygons.polygons {
        let corners = clip::polygon(&placed(place, polygons.of(polygon)), &place.reach);
        let crisp = is_along_axes(&corners);
        let filled = Style::filled(polygon.fill).crisp(crisp);
        let style = if polygon.edge.alpha > 0 {
            Style { stroke: polygon.edge, ..filled }
        } else if polygon.fill.alpha == 255 && !crisp {
            // Where two slanted outlines meet, smoothing would let the page shine through.
            Style { stroke: polygon.fill, width: 0.5, ..filled }
        } else {
            filled
        };
        runs.add(style, outline(&corners), place.title(polygon.title));
    }
    runs.finish();
}

fn placed(place: &Place<'_>, points: &[Point]) -> Vec<Point> {
    points.iter().map(|point| place.point(*point)).collect()
}

fn is_along_axes(points: &[Point]) -> bool {
    points.windows(2).all(|pair| pair[0].x == pair[1].x || pair[0].y == pair[1].y)
}

/// The parts of a line that can be seen.
fn path(points: &[Point], place: &Place<'_>) -> String {
    let mut pen = Pen::default();
    let mut at = None;
    for pair in points.windows(2) {
        let Some((from, to)) = clip::segment(pair[0], pair[1], &place.reach) else { continue };
        if at != Some(from) {
            pen.move_to(from);
        }
        pen.line_to(to);
        at = Some(to);
    }
    pen.finish()
}

fn outline(corners: &[Point]) -> String {
    let mut pen = Pen::default();
    let Some((first, rest)) = corners.split_first() else { return String::new() };
    pen.move_to(*first);
    rest.iter().for_each(|corner| pen.line_to(*corner));
    pen.close();
    pen.finish()
}
