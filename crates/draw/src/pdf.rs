//! A figure as PDF.

use krilla::Document;
use krilla::geom::Size;
use krilla::metadata::Metadata;
use krilla::page::PageSettings;
use krilla_svg::{SurfaceExt, SvgSettings};
use onca_scene::Figure;

use crate::error::{DrawError, Result};
use crate::raster::tree;

/// Points, of which PDF has 72 in an inch, in a pixel, of which a figure has 96.
const POINTS: f64 = 72.0 / 96.0;
/// Paper is looked at more closely than a screen.
const RESOLUTION: f64 = 2.0;

/// A figure as a page in PDF: vectors, and texts that can be searched and copied. No date and no
/// random name is in it, so that the same figure gives the same bytes.
pub fn pdf(figure: &Figure) -> Result<Vec<u8>> {
    let tree = tree(figure, RESOLUTION)?;
    let (width, height) = ((figure.width * POINTS) as f32, (figure.height * POINTS) as f32);
    let size = Size::from_wh(width, height).ok_or(DrawError::Empty)?;
    let mut document = Document::new();
    let mut page = document.start_page_with(PageSettings::new(size));
    let mut surface = page.surface();
    surface
        .draw_svg(&tree, size, SvgSettings::default())
        .ok_or_else(|| DrawError::Renderer("the figure was refused".to_owned()))?;
    surface.finish();
    page.finish();
    document.set_metadata(
        Metadata::new()
            .description(figure.description.clone())
            .creator(concat!("onca ", env!("CARGO_PKG_VERSION")).to_owned()),
    );
    document.finish().map_err(|error| DrawError::Renderer(format!("{error:?}")))
}
