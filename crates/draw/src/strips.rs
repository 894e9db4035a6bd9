//! Strips as paths: neighbouring columns that look alike become one rectangle.

mod image;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use onca_model::Color;
use onca_scene::{Bounds, CLEAR, PIXEL_RULES, Strip, Strips};

use crate::number::Hundredths;
use crate::pen::Pen;
use crate::place::Place;
use crate::runs::Runs;
use crate::style::Style;

/// Up to this many bytes of paths, nothing else is tried: paths are sharp at every size.
const SMALL: usize = 64 << 10;

/// Appends strips: as paths, or as an image where that is shorter. `resolution` is how many pixels
/// of the device a pixel of the page is worth.
pub(crate) fn push(out: &mut String, place: &Place<'_>, strips: &Strips, resolution: f64) {
    out.push_str(&StripLayer::new(place, strips, resolution).shortest());
}

/// Strips and where they are on the page.
struct StripLayer<'a> {
    strips: &'a Strips,
    /// Those that can be seen, with their places.
    placed: Vec<(&'a Strip, Bounds)>,
    resolution: f64,
}

/// A colour from one height to another, in one column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Segment {
    color: Color,
    top: Hundredths,
    bottom: Hundredths,
}

impl<'a> StripLayer<'a> {
    fn new(place: &Place<'_>, strips: &'a Strips, resolution: f64) -> Self {
        let can_be_seen = |(strip, bounds): &(&Strip, Bounds)| {
            !strip.columns.is_empty() && bounds.overlaps(&place.reach)
        };
        let placed = strips.strips.iter().map(|strip| (strip, place.bounds(&strip.bounds)));
        Self { strips, placed: placed.filter(can_be_seen).collect(), resolution }
    }

    fn shortest(&self) -> String {
        if let Some(paths) = self.paths(SMALL) {
            return paths;
        }
        let image = image::images(self);
        let limit = image.as_ref().map_or(usize::MAX, String::len);
        self.paths(limit).or(image).unwrap_or_default()
    }

    /// The colours of parts.
    fn palette(&self) -> &'a [Color] {
        &self.strips.palette
    }

    /// The segments of a column, from bottom to top. They do not overlap.
    fn segments(&self, column: usize, bounds: &Bounds, segments: &mut Vec<Segment>) {
        segments.clear();
        let rows = PixelRows::of(bounds, self.resolution);
        if PIXEL_RULES.is_thin(bounds.height()) {
            self.push_means(column, &rows, segments);
        } else {
            self.push_parts(column, &rows, segments);
        }
        segments.retain(|segment| segment.color.alpha > 0);
    }

    /// The mean of each pixel.
    fn push_means(&self, column: usize, rows: &PixelRows, segments: &mut Vec<Segment>) {
        for row in 0..rows.n {
            let share = |row: u32| f64::from(row) / f64::from(rows.n);
            let color = self.strips.mean(column, share(row), share(row + 1));
            rows.push(segments, color, share(row + 1));
        }
    }

    /// The parts. The mark of a rare value takes its room from what is below it.
    fn push_parts(&self, column: usize, rows: &PixelRows, segments: &mut Vec<Segment>) {
        let column_look = &self.strips.columns[column];
        let height = rows.height();
        let rare = column_look.rare();
        let mark = if rare.is_some() { PIXEL_RULES.rare_mark(height) / height } else { 0.0 };
        let foot = if column_look.aggregate { PIXEL_RULES.foot / height } else { 0.0 };
        let color = |color: u16| self.palette().get(usize::from(color)).copied().unwrap_or(CLEAR);
        let mut sum = 0;
        for part in self.strips.parts_of(column) {
            let color = color(part.color);
            let below = f64::from(sum) / 255.0;
            sum += u32::from(part.share);
            let above = (f64::from(sum) / 255.0).min(1.0 - mark);
            if below < foot {
                rows.push(segments, PIXEL_RULES.at_foot(color), above.min(foot));
            }
            rows.push(segments, color, above);
        }
        if let Some(rare) = rare {
            rows.push(segments, CLEAR, 1.0 - mark);
            rows.push(segments, color(rare), 1.0);
        }
    }

    /// Do later strips lie over earlier ones?
    fn has_overlaps(&self) -> bool {
        let mut disjoint = Disjoint::default();
        self.placed.iter().any(|(_, bounds)| !disjoint.add(bounds))
    }

    /// All strips as paths, unless they need more than this many bytes.
    fn paths(&self, limit: usize) -> Option<String> {
        let mut out = String::new();
        let mut disjoint = Disjoint::default();
        let mut colors = ColorPaths::new(self.palette());
        for (strip, bounds) in &self.placed {
            if !disjoint.add(bounds) {
                colors.flush(&mut out);
                disjoint = Disjoint::default();
                disjoint.add(bounds);
            }
            self.add_runs(strip, bounds, &mut colors);
            if out.len() + colors.bytes() > limit {
                return None;
            }
        }
        colors.flush(&mut out);
        (out.len() <= limit).then_some(out)
    }

    fn add_runs(&self, strip: &Strip, bounds: &Bounds, colors: &mut ColorPaths) {
        let edge = column_edges(strip, bounds);
        let mut open: Vec<(Segment, f64)> = Vec::new();
        let mut segments = Vec::new();
        for (number, column) in strip.columns.clone().enumerate() {
            self.segments(column, bounds, &mut segments);
            let x = edge(number);
            open.retain(|(segment, begin)| {
                let goes_on = segments.contains(segment);
                if !goes_on {
                    colors.add(segment, *begin, x);
                }
                goes_on
            });
            for segment in &segments {
                if !open.iter().any(|(before, _)| before == segment) {
                    open.push((*segment, x));
                }
            }
        }
        open.iter().for_each(|(segment, begin)| colors.add(segment, *begin, bounds.x1));
    }
}

/// The pixels of a strip, from its foot up.
struct PixelRows {
    top: f64,
    bottom: f64,
    n: u32,
}

impl PixelRows {
    /// A strip lies on whole pixels, on one at least.
    fn of(bounds: &Bounds, resolution: f64) -> Self {
        let top = (bounds.y0 * resolution).round();
        let bottom = (bounds.y1 * resolution).round().max(top + 1.0);
        Self { top: top / resolution, bottom: bottom / resolution, n: (bottom - top) as u32 }
    }

    fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// Appends a colour up to a share of the height, unless that is reached.
    fn push(&self, segments: &mut Vec<Segment>, color: Color, share: f64) {
        let bottom = segments.last().map_or(Hundredths::of(self.bottom), |below| below.top);
        let top = Hundredths::of(self.bottom - self.height() * share);
        match segments.last_mut() {
            _ if top >= bottom => {}
            Some(below) if below.color == color => below.top = top,
            _ => segments.push(Segment { color, top, bottom }),
        }
    }
}

/// Where the columns of a strip begin on the page; the last edge is where the strip ends.
fn column_edges(strip: &Strip, bounds: &Bounds) -> impl Fn(usize) -> f64 {
    let (x0, width, count) = (bounds.x0, bounds.width(), strip.columns.len() as f64);
    move |number| x0 + width * (number as f64 / count)
}

/// One path for every colour, those of a palette first.
struct ColorPaths {
    colors: Vec<Color>,
    pens: Vec<Pen>,
    places: HashMap<Color, usize>,
}

impl ColorPaths {
    fn new(palette: &[Color]) -> Self {
        let mut paths =
            Self { colors: Vec::new(), pens: Vec::new(), places: HashMap::with_capacity(64) };
        palette.iter().for_each(|color| {
            paths.place(*color);
        });
        paths
    }

    fn place(&mut self, color: Color) -> usize {
        *self.places.entry(color).or_insert_with(|| {
            self.colors.push(color);
            self.pens.push(Pen::default());
            self.pens.len() - 1
        })
    }

    fn add(&mut self, segment: &Segment, x0: f64, x1: f64) {
        let place = self.place(segment.color);
        let pixels = |Hundredths(number): Hundredths| number as f64 / 100.0;
        self.pens[place].rect(&Bounds::new(x0, pixels(segment.top), x1, pixels(segment.bottom)));
    }

    fn bytes(&self) -> usize {
        self.pens.iter().map(Pen::bytes).sum()
    }

    fn flush(&mut self, out: &mut String) {
        let mut runs = Runs::new(out);
        for (pen, color) in self.pens.iter_mut().zip(&self.colors) {
            runs.add(Style::filled(*color).crisp(true), std::mem::take(pen).finish(), None);
        }
        runs.finish();
    }
}

/// Places that do not overlap. Most come in order from top to bottom, which is quick to see.
#[derive(Default)]
struct Disjoint {
    places: Vec<Bounds>,
    lowest: Option<f64>,
}

impl Disjoint {
    /// Adds a place; false where it overlaps another.
    fn add(&mut self, bounds: &Bounds) -> bool {
        let is_below = self.lowest.is_none_or(|lowest| bounds.y0 >= lowest);
        let is_apart = is_below || !self.places.iter().any(|other| other.overlaps(bounds));
        self.lowest = Some(self.lowest.map_or(bounds.y1, |lowest| lowest.max(bounds.y1)));
        self.places.push(*bounds);
        is_apart
    }
}
