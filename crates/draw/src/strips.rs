//! Strips as paths: neighbouring columns that look alike become one rectangle.

mod image;
#[cfg(test)]
mod tests;

use onca_model::Color;
use onca_scene::{Bounds, Strip, Strips};

use crate::number::Hundredths;
use crate::pen::Pen;
use crate::place::Place;
use crate::runs::Runs;
use crate::style::Style;

/// Up to this many bytes of paths, nothing else is tried: paths are sharp at every size.
const SMALL: usize = 64 << 10;
/// A hatch on fewer pixels than this cannot be seen as one.
const LEAST_HATCHED: f64 = 3.0;
/// The mark of a rare value: this share of the height, but not less and not more than these.
const RARE_SHARE: f64 = 0.2;
const RARE_LEAST: f64 = 1.0;
const RARE_MOST: f64 = 3.0;

/// Appends strips: as paths, or as an image where that is shorter. `resolution` is how many pixels
/// of an image a pixel of the page is worth.
pub(crate) fn push(out: &mut String, place: &Place<'_>, strips: &Strips, resolution: f64) {
    let layer = StripLayer::new(place, strips);
    out.push_str(&layer.shortest(resolution));
    layer.push_hatch(out, place);
}

/// Strips and where they are on the page.
struct StripLayer<'a> {
    strips: &'a Strips,
    /// Those that can be seen, with their places.
    placed: Vec<(&'a Strip, Bounds)>,
}

/// A colour from one height to another, in one column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Segment {
    color: u16,
    top: Hundredths,
    bottom: Hundredths,
}

impl<'a> StripLayer<'a> {
    fn new(place: &Place<'_>, strips: &'a Strips) -> Self {
        let can_be_seen = |(strip, bounds): &(&Strip, Bounds)| {
            !strip.columns.is_empty() && bounds.overlaps(&place.reach)
        };
        let placed = strips.strips.iter().map(|strip| (strip, place.bounds(&strip.bounds)));
        Self { strips, placed: placed.filter(can_be_seen).collect() }
    }

    fn shortest(&self, resolution: f64) -> String {
        if let Some(paths) = self.paths(SMALL) {
            return paths;
        }
        let image = image::images(self, resolution);
        let limit = image.as_ref().map_or(usize::MAX, String::len);
        self.paths(limit).or(image).unwrap_or_default()
    }

    /// The colours that segments refer to.
    fn palette(&self) -> &'a [Color] {
        &self.strips.palette
    }

    /// The segments of a column, from bottom to top. They do not overlap: the mark of a rare value
    /// takes its room from what is below it.
    fn segments(&self, column: usize, bounds: &Bounds, segments: &mut Vec<Segment>) {
        segments.clear();
        let rare = self.strips.columns[column].rare();
        let mark = match rare {
            Some(_) => (bounds.height() * RARE_SHARE).clamp(RARE_LEAST, RARE_MOST),
            None => 0.0,
        };
        let highest = Hundredths::of(bounds.y0 + mark.min(bounds.height()));
        let mut sum = 0;
        let mut bottom = Hundredths::of(bounds.y1);
        for part in self.strips.parts_of(column) {
            sum += u32::from(part.share);
            let height = bounds.height() * (f64::from(sum) / 255.0).min(1.0);
            let top = Hundredths::of(bounds.y1 - height).max(highest);
            if top >= bottom {
                continue;
            }
            match segments.last_mut() {
                Some(below) if below.color == part.color => below.top = top,
                _ => segments.push(Segment { color: part.color, top, bottom }),
            }
            bottom = top;
        }
        if let Some(color) = rare {
            segments.push(Segment { color, top: Hundredths::of(bounds.y0), bottom: highest });
        }
        segments.retain(|segment| self.is_painted(segment.color));
    }

    fn is_painted(&self, color: u16) -> bool {
        self.palette().get(usize::from(color)).is_some_and(|color| color.alpha > 0)
    }

    /// Do later strips lie over earlier ones?
    fn has_overlaps(&self) -> bool {
        let mut disjoint = Disjoint::default();
        self.placed.iter().any(|(_, bounds)| !disjoint.add(bounds))
    }

    /// All strips as paths, unless they need more than so many bytes.
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

    fn add_runs(&self, strip: &Strip, bounds: &Bounds, colors: &mut ColorPaths<'_>) {
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

    /// The hatch over columns that several entities share.
    fn push_hatch(&self, out: &mut String, place: &Place<'_>) {
        let style = Style::hatched(place.background);
        let mut runs = Runs::new(out);
        for (strip, bounds) in &self.placed {
            let edge = column_edges(strip, bounds);
            let columns = &self.strips.columns[strip.columns.clone()];
            let mut first = 0;
            for run in columns.chunk_by(|a, b| a.aggregate == b.aggregate) {
                let (x0, x1) = (edge(first), edge(first + run.len()));
                first += run.len();
                if run[0].aggregate && x1 - x0 >= LEAST_HATCHED {
                    let mut pen = Pen::default();
                    pen.rect(&Bounds { x0, x1, ..*bounds });
                    runs.add(style, pen.finish(), None);
                }
            }
        }
        runs.finish();
    }
}

/// Where the columns of a strip begin on the page; the last edge is where the strip ends.
fn column_edges(strip: &Strip, bounds: &Bounds) -> impl Fn(usize) -> f64 {
    let (x0, width, count) = (bounds.x0, bounds.width(), strip.columns.len() as f64);
    move |number| x0 + width * (number as f64 / count)
}

/// One path for every colour of a palette.
struct ColorPaths<'a> {
    palette: &'a [Color],
    pens: Vec<Pen>,
}

impl<'a> ColorPaths<'a> {
    fn new(palette: &'a [Color]) -> Self {
        Self { palette, pens: palette.iter().map(|_| Pen::default()).collect() }
    }

    fn add(&mut self, segment: &Segment, x0: f64, x1: f64) {
        let Some(pen) = self.pens.get_mut(usize::from(segment.color)) else { return };
        let pixels = |Hundredths(number): Hundredths| number as f64 / 100.0;
        pen.rect(&Bounds::new(x0, pixels(segment.top), x1, pixels(segment.bottom)));
    }

    fn bytes(&self) -> usize {
        self.pens.iter().map(Pen::bytes).sum()
    }

    fn flush(&mut self, out: &mut String) {
        let mut runs = Runs::new(out);
        for (pen, color) in self.pens.iter_mut().zip(self.palette) {
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
