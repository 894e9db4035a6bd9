//! A figure as SVG, PNG or PDF, and a report as HTML.
//!
//! A [`Figure`](onca_scene::Figure) comes in, bytes go out: the same bytes for the same figure,
//! on every machine. [`svg`] writes the document; [`png()`] and [`pdf`] draw that very document with
//! the fonts that come with the program. Nothing here knows of traces, files or HTTP.

mod arrows;
mod clip;
mod error;
mod image;
mod labels;
mod lines;
mod lossless;
mod number;
mod page;
mod pdf;
mod pen;
mod place;
mod raster;
mod rects;
mod runs;
mod strips;
mod style;
mod svg;
mod xml;

pub use error::{DrawError, Result};
pub use page::page;
pub use pdf::pdf;
pub use raster::png;
pub use svg::svg;
