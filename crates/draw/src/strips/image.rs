//! Strips as images: what has too many rectangles for paths.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use onca_model::Color;
use onca_scene::{Bounds, CLEAR, PIXEL_RULES, Strip};

use super::{Segment, StripLayer};
use crate::lossless;
use crate::number::push_attribute;

/// Images of more pixels than this are not made.
const MOST_PIXELS: usize = 1 << 26;

/// Strips with columns at the same places.
struct Grid<'l, 'a> {
    strips: &'l [(&'a Strip, Bounds)],
    columns: usize,
    /// The first row of pixels, counted from the upper side of the page, and how many there are.
    first_row: i64,
    rows: usize,
    resolution: f64,
}

/// All strips as images, one for each run of strips whose columns are at the same places: a column
/// is one pixel wide, and a pixel of the device high. None where an image cannot show the same as
/// paths, or would be too large.
pub(super) fn images(layer: &StripLayer<'_>) -> Option<String> {
    let blends = layer.palette().iter().any(|color| !matches!(color.alpha, 0 | 255));
    // The mean of a pixel that is empty in part is translucent.
    let has_means = || layer.placed.iter().any(|(_, own)| PIXEL_RULES.is_thin(own.height()));
    if (blends || has_means()) && layer.has_overlaps() {
        return None;
    }
    let mut out = String::new();
    for strips in layer.placed.chunk_by(has_same_columns) {
        let grid = Grid::new(strips, layer.resolution)?;
        let size = (grid.columns as u32, grid.rows as u32);
        let pixels = grid.pixels(layer);
        // Colours repeat; differences of neighbours do not.
        let filter = png::Filter::NoFilter;
        let bytes = lossless::encode(size, pixels.iter().copied(), filter, None).ok()?;
        grid.push_image(&mut out, &bytes);
    }
    Some(out)
}

fn has_same_columns(first: &(&Strip, Bounds), second: &(&Strip, Bounds)) -> bool {
    let columns = |(strip, bounds): &(&Strip, Bounds)| (strip.columns.len(), bounds.x0, bounds.x1);
    columns(first) == columns(second)
}

impl<'l, 'a> Grid<'l, 'a> {
    fn new(strips: &'l [(&'a Strip, Bounds)], resolution: f64) -> Option<Self> {
        let columns = strips[0].0.columns.len();
        let highest = strips.iter().map(|(_, bounds)| bounds.y0).fold(f64::INFINITY, f64::min);
        let lowest = strips.iter().map(|(_, bounds)| bounds.y1).fold(f64::NEG_INFINITY, f64::max);
        let first_row = (highest * resolution).floor() as i64;
        let rows = ((lowest * resolution).ceil() as i64).saturating_sub(first_row);
        let rows = usize::try_from(rows).ok().filter(|rows| *rows > 0)?;
        let is_small = rows.checked_mul(columns).is_some_and(|pixels| pixels <= MOST_PIXELS);
        is_small.then_some(Self { strips, columns, first_row, rows, resolution })
    }

    /// The colour of every pixel.
    fn pixels(&self, layer: &StripLayer<'_>) -> Vec<Color> {
        let mut pixels = vec![CLEAR; self.columns * self.rows];
        let mut segments = Vec::new();
        for (strip, bounds) in self.strips {
            let columns = &layer.strips.columns[strip.columns.clone()];
            for (x, column) in strip.columns.clone().enumerate() {
                // Columns that look alike are equal.
                if x == 0 || columns[x] != columns[x - 1] {
                    layer.segments(column, bounds, &mut segments);
                }
                for segment in &segments {
                    for row in self.rows_of(segment) {
                        pixels[row * self.columns + x] = segment.color;
                    }
                }
            }
        }
        pixels
    }

    /// The rows whose middle is in a segment: those that a renderer would paint.
    fn rows_of(&self, segment: &Segment) -> std::ops::Range<usize> {
        let row = |hundredths: i64| {
            let edge = (hundredths as f64 / 100.0 * self.resolution).round() as i64;
            (edge - self.first_row).clamp(0, self.rows as i64) as usize
        };
        row(segment.top.0)..row(segment.bottom.0)
    }

    fn push_image(&self, out: &mut String, png: &[u8]) {
        let bounds = self.strips[0].1;
        out.push_str("<image");
        push_attribute(out, "x", bounds.x0);
        let _ = write!(out, " y=\"{}\"", self.first_row as f64 / self.resolution);
        push_attribute(out, "width", bounds.width());
        let _ = write!(out, " height=\"{}\"", self.rows as f64 / self.resolution);
        out.push_str(
            " preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" \
             href=\"data:image/png;base64,",
        );
        STANDARD.encode_string(png, out);
        out.push_str("\"/>\n");
    }
}
