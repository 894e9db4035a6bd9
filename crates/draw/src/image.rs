//! A panel as an image inside a vector file.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use onca_scene::{Bounds, Figure, Panel};

use crate::number::push_attribute;
use crate::raster::png;

/// Pixels of the image for each pixel of the page, at least: paper shows more than screens.
const RESOLUTION: f64 = 3.0;
/// Images of more pixels have a lower resolution.
const MOST_PIXELS: f64 = 4e7;

/// A panel drawn by the same renderer as whole figures; none if it cannot be drawn so.
pub(crate) fn of_panel(figure: &Figure, panel: &Panel, resolution: f64) -> Option<String> {
    let Bounds { x0, y0, x1, y1 } = panel.frame;
    let (width, height) = (x1 - x0, y1 - y0);
    let most = (MOST_PIXELS / (width * height)).sqrt();
    let alone = Figure {
        width,
        height,
        background: figure.background,
        description: String::new(),
        panels: vec![Panel {
            frame: Bounds::new(0.0, 0.0, width, height),
            as_image: false,
            ..panel.clone()
        }],
    };
    let bytes = png(&alone, resolution.max(RESOLUTION).min(most)).ok()?;
    let mut out = format!("<g class=\"{}\">\n<image", panel.name);
    for (name, value) in [("x", x0), ("y", y0), ("width", width), ("height", height)] {
        push_attribute(&mut out, name, value);
    }
    let _ = writeln!(out, " href=\"data:image/png;base64,{}\"/>\n</g>", STANDARD.encode(bytes));
    Some(out)
}
