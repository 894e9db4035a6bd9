//! Strips as images: what has too many rectangles for paths.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use onca_model::Color;
use onca_scene::{Bounds, Strip};

use super::{Segment, StripLayer};
use crate::number::push_attribute;

/// Images of more pixels than this are not made.
const MOST_PIXELS: usize = 1 << 27;

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
/// is one pixel wide, and a pixel of the page is `resolution` pixels high. None where an image
/// cannot show the same as paths, or would be too large.
pub(super) fn images(layer: &StripLayer<'_>, resolution: f64) -> Option<String> {
    let palette = layer.palette();
    let blends = palette.iter().any(|color| !matches!(color.alpha, 0 | 255));
    if palette.len() > 255 || (blends && layer.has_overlaps()) {
        return None;
    }
    let mut out = String::new();
    for strips in layer.placed.chunk_by(has_same_columns) {
        let grid = Grid::new(strips, resolution)?;
        let bytes = encode(&grid, palette, &grid.pixels(layer)).ok()?;
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

    /// The index of a colour for every pixel, counted from 1; 0 where nothing is.
    fn pixels(&self, layer: &StripLayer<'_>) -> Vec<u8> {
        let mut pixels = vec![0; self.columns * self.rows];
        let mut segments = Vec::new();
        for (strip, bounds) in self.strips {
            for (x, column) in strip.columns.clone().enumerate() {
                layer.segments(column, bounds, &mut segments);
                for segment in &segments {
                    for row in self.rows_of(segment) {
                        pixels[row * self.columns + x] = segment.color as u8 + 1;
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

/// An image of few colours.
fn encode(
    grid: &Grid<'_, '_>,
    palette: &[Color],
    pixels: &[u8],
) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, grid.columns as u32, grid.rows as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    encoder.set_filter(png::Filter::NoFilter);
    let nothing = [onca_scene::CLEAR];
    let colors = || nothing.iter().chain(palette);
    encoder.set_palette(
        colors().flat_map(|color| [color.red, color.green, color.blue]).collect::<Vec<u8>>(),
    );
    encoder.set_trns(colors().map(|color| color.alpha).collect::<Vec<u8>>());
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(bytes)
}
