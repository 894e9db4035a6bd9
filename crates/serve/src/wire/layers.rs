//! What the columns of each kind of layer are.

use onca_model::Color;
use onca_scene::{
    Align, Arrow, Bounds, Glyph, Label, Layer, Lines, PIXEL_RULES, Pattern, Pick, PixelRules,
    Point, Polygons, Rect, Rise, Shape, Strips, Title, Weight,
};

use super::columns::{Columns, LayerColumns};
use super::header::LayerHeader;
use super::strips;

/// Set in the ends of arrows with a head.
pub(super) const HEAD: u8 = 1;
/// Set in the ends of arrows that begin with a dot.
pub(super) const DOT: u8 = 2;
/// How many numbers tell how columns of strips become pixels.
pub(super) const N_RULES: usize = 7;

/// Adds the columns of a layer and returns what the header says of it. Texts of labels are added
/// to `texts`.
pub fn describe<'a>(
    layer: &'a Layer,
    columns: &mut Columns,
    texts: &mut Vec<&'a str>,
) -> LayerHeader {
    let mut to = columns.layer();
    let (kind, n) = match layer {
        Layer::Rects(marks) => ("rects", rects(marks, &mut to)),
        Layer::Strips(marks) => ("strips", put_strips(marks, &mut to)),
        Layer::Lines(lines) => ("lines", put_lines(lines, &mut to)),
        Layer::Arrows(marks) => ("arrows", arrows(marks, &mut to)),
        Layer::Polygons(polygons) => ("polygons", put_polygons(polygons, &mut to)),
        Layer::Glyphs(marks) => ("glyphs", glyphs(marks, &mut to)),
        Layer::Labels(marks) => ("labels", labels(marks, &mut to, texts)),
    };
    LayerHeader { kind, n, columns: to.places() }
}

fn rects(marks: &[Rect], to: &mut LayerColumns<'_>) -> usize {
    bounds(marks.iter().map(|mark| mark.bounds), to);
    to.u32("fill", marks.iter().map(|mark| bits(mark.fill)));
    to.u32("edge", marks.iter().map(|mark| bits(mark.edge)));
    to.u8("pattern", marks.iter().map(|mark| pattern(mark.pattern)));
    meaning(marks.iter().map(|mark| (mark.title, mark.pick)), to);
    marks.len()
}

fn put_strips(marks: &Strips, to: &mut LayerColumns<'_>) -> usize {
    let each = || marks.strips.iter();
    bounds(each().map(|strip| strip.bounds), to);
    picks(each().map(|strip| strip.pick), to);
    strips::put(marks, to);
    to.u32("palette", marks.palette.iter().map(|color| bits(*color)));
    let PixelRules { thin, mean_step, rare_share, rare_least, rare_most, foot, foot_shade } =
        PIXEL_RULES;
    let rules: [f64; N_RULES] =
        [thin, mean_step, rare_share, rare_least, rare_most, foot, foot_shade];
    to.f32("rules", rules.into_iter());
    marks.strips.len()
}

fn put_lines(lines: &Lines, to: &mut LayerColumns<'_>) -> usize {
    let each = || lines.lines.iter();
    paths(each().map(|line| lines.of(line)), to);
    to.u32("line_color", each().map(|line| bits(line.color)));
    to.f32("width", each().map(|line| line.width));
    to.u8("dashed", each().map(|line| u8::from(line.dashed)));
    meaning(each().map(|line| (line.title, line.pick)), to);
    lines.lines.len()
}

fn arrows(marks: &[Arrow], to: &mut LayerColumns<'_>) -> usize {
    let ends = |mark: &Arrow| Bounds::new(mark.from.x, mark.from.y, mark.to.x, mark.to.y);
    bounds(marks.iter().map(ends), to);
    to.u32("arrow_color", marks.iter().map(|mark| bits(mark.color)));
    to.f32("width", marks.iter().map(|mark| mark.width));
    let ends = |mark: &Arrow| if mark.head { HEAD } else { 0 } | if mark.dot { DOT } else { 0 };
    to.u8("ends", marks.iter().map(ends));
    meaning(marks.iter().map(|mark| (mark.title, mark.pick)), to);
    marks.len()
}

fn put_polygons(polygons: &Polygons, to: &mut LayerColumns<'_>) -> usize {
    let each = || polygons.polygons.iter();
    paths(each().map(|polygon| polygons.of(polygon)), to);
    to.u32("fill", each().map(|polygon| bits(polygon.fill)));
    to.u32("edge", each().map(|polygon| bits(polygon.edge)));
    meaning(each().map(|polygon| (polygon.title, polygon.pick)), to);
    polygons.polygons.len()
}

fn glyphs(marks: &[Glyph], to: &mut LayerColumns<'_>) -> usize {
    points(marks.iter().map(|mark| mark.at), to);
    to.u8("shape", marks.iter().map(|mark| shape(mark.shape)));
    to.f32("size", marks.iter().map(|mark| mark.size));
    to.u32("glyph_color", marks.iter().map(|mark| bits(mark.color)));
    meaning(marks.iter().map(|mark| (mark.title, mark.pick)), to);
    marks.len()
}

fn labels<'a>(marks: &'a [Label], to: &mut LayerColumns<'_>, texts: &mut Vec<&'a str>) -> usize {
    points(marks.iter().map(|mark| mark.at), to);
    let first = texts.len() as u32;
    texts.extend(marks.iter().map(|mark| mark.text.as_str()));
    to.u32("text", (0..marks.len() as u32).map(|place| first + place));
    to.f32("size", marks.iter().map(|mark| mark.size));
    to.u8("bold", marks.iter().map(|mark| u8::from(mark.weight == Weight::Bold)));
    to.u32("label_color", marks.iter().map(|mark| bits(mark.color)));
    to.u8("align", marks.iter().map(|mark| align(mark.align)));
    to.u8("rise", marks.iter().map(|mark| rise(mark.rise)));
    to.f32("turn", marks.iter().map(|mark| mark.turn));
    to.f32("length", marks.iter().map(|mark| mark.length));
    meaning(marks.iter().map(|mark| (mark.title, mark.pick)), to);
    marks.len()
}

pub(super) fn bounds(marks: impl Iterator<Item = Bounds> + Clone, to: &mut LayerColumns<'_>) {
    to.f32("x0", marks.clone().map(|bounds| bounds.x0));
    to.f32("y0", marks.clone().map(|bounds| bounds.y0));
    to.f32("x1", marks.clone().map(|bounds| bounds.x1));
    to.f32("y1", marks.map(|bounds| bounds.y1));
}

pub(super) fn points(points: impl Iterator<Item = Point> + Clone, to: &mut LayerColumns<'_>) {
    to.f32("x", points.clone().map(|point| point.x));
    to.f32("y", points.map(|point| point.y));
}

/// The points of all paths, and where those of each begin.
fn paths<'a>(paths: impl Iterator<Item = &'a [Point]> + Clone, to: &mut LayerColumns<'_>) {
    points(paths.clone().flatten().copied(), to);
    let ends = paths.scan(0, |end, path| {
        *end += path.len() as u32;
        Some(*end)
    });
    to.u32("first_point", [0].into_iter().chain(ends));
}

fn meaning(marks: impl Iterator<Item = (Title, Pick)> + Clone, to: &mut LayerColumns<'_>) {
    to.u32("title", marks.clone().map(|(title, _)| title.number()));
    picks(marks.map(|(_, pick)| pick), to);
}

pub(super) fn picks(picks: impl Iterator<Item = Pick> + Clone, to: &mut LayerColumns<'_>) {
    to.u32("pick_lo", picks.clone().map(|pick| pick.to_bits() as u32));
    to.u32("pick_hi", picks.map(|pick| (pick.to_bits() >> 32) as u32));
}

pub(super) fn bits(color: Color) -> u32 {
    u32::from_le_bytes([color.red, color.green, color.blue, color.alpha])
}

pub(super) fn pattern(pattern: Pattern) -> u8 {
    match pattern {
        Pattern::Plain => 0,
        Pattern::Hatch => 1,
        Pattern::Diagonal => 2,
        Pattern::Cross => 3,
    }
}

pub(super) fn shape(shape: Shape) -> u8 {
    match shape {
        Shape::Triangle => 0,
        Shape::Diamond => 1,
        Shape::Disc => 2,
        Shape::Square => 3,
        Shape::Bar => 4,
    }
}

pub(super) fn align(align: Align) -> u8 {
    match align {
        Align::Start => 0,
        Align::Middle => 1,
        Align::End => 2,
    }
}

pub(super) fn rise(rise: Rise) -> u8 {
    match rise {
        Rise::Baseline => 0,
        Rise::Middle => 1,
        Rise::Top => 2,
    }
}
