//! A figure as PNG.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use onca_layout::text::{FAMILY, Font};
use onca_model::Color;
use onca_scene::Figure;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use crate::error::{DrawError, Result};
use crate::lossless;
use crate::svg::svg_at;

/// A picture takes four bytes a pixel while it is drawn.
const MOST_PIXELS: u32 = 1 << 26;

/// The fonts that come with the program, and no other: the same picture on every machine.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    for font in [Font::Regular, Font::Bold] {
        fonts.load_font_data(font.bytes().to_vec());
    }
    fonts.set_sans_serif_family(FAMILY);
    Arc::new(fonts)
});

/// A figure as an image in PNG, `scale` pixels for every pixel of the figure.
pub fn png(figure: &Figure, scale: f64) -> Result<Vec<u8>> {
    let (width, height) = size(figure, scale)?;
    let tree = tree(&all_drawn(figure), scale)?;
    let mut pixels = Pixmap::new(width, height).ok_or(DrawError::Empty)?;
    let transform = Transform::from_scale(
        width as f32 / tree.size().width(),
        height as f32 / tree.size().height(),
    );
    resvg::render(&tree, transform, &mut pixels.as_mut());
    encode(&pixels, scale).map_err(|error| DrawError::Renderer(error.to_string()))
}

/// The same figure without images in it: what would be an image is drawn into this one, once and at
/// its resolution.
fn all_drawn(figure: &Figure) -> Cow<'_, Figure> {
    if !figure.panels.iter().any(|panel| panel.as_image) {
        return Cow::Borrowed(figure);
    }
    let mut drawn = figure.clone();
    drawn.panels.iter_mut().for_each(|panel| panel.as_image = false);
    Cow::Owned(drawn)
}

/// A figure as renderers take it, for a device that shows a pixel of it as `resolution` pixels.
pub(crate) fn tree(figure: &Figure, resolution: f64) -> Result<Tree> {
    if !(figure.width > 0.0 && figure.height > 0.0) {
        return Err(DrawError::Empty);
    }
    parse(&svg_at(figure, resolution))
}

/// Reads a document with the bundled fonts.
pub(crate) fn parse(svg: &str) -> Result<Tree> {
    let options = Options {
        fontdb: Arc::clone(&FONTS),
        font_family: FAMILY.to_owned(),
        ..Options::default()
    };
    Tree::from_str(svg, &options).map_err(|error| DrawError::Renderer(error.to_string()))
}

/// The size in pixels of the device, at least one each way.
fn size(figure: &Figure, scale: f64) -> Result<(u32, u32)> {
    if !(scale > 0.0 && scale.is_finite()) {
        return Err(DrawError::Scale(scale));
    }
    let side = |length: f64| (length * scale).round().max(1.0);
    let (width, height) = (side(figure.width), side(figure.height));
    if width * height <= f64::from(MOST_PIXELS) {
        return Ok((width as u32, height as u32));
    }
    let fitting_scale = (f64::from(MOST_PIXELS) / (figure.width * figure.height)).sqrt();
    Err(DrawError::TooManyPixels { width, height, most: MOST_PIXELS, fitting_scale })
}

/// Figures have a background, so opacity need not be kept.
fn encode(pixels: &Pixmap, scale: f64) -> std::result::Result<Vec<u8>, png::EncodingError> {
    let colors = pixels.pixels().iter().map(|pixel| {
        let color = pixel.demultiply();
        Color::rgb(color.red(), color.green(), color.blue())
    });
    let size = (pixels.width(), pixels.height());
    lossless::encode(size, colors, png::Filter::Adaptive, Some(resolution(scale)))
}

/// A pixel of a figure is 1/96 inch.
fn resolution(scale: f64) -> png::PixelDimensions {
    let per_meter = (96.0 / 0.0254 * scale).round() as u32;
    png::PixelDimensions { xppu: per_meter, yppu: per_meter, unit: png::Unit::Meter }
}
