//! Scenes on the wire: a header in JSON, and columns of numbers that a page uses where they lie.
//!
//! `docs/http-api.md` describes the form.

mod columns;
#[cfg(feature = "typescript")]
mod constants;
mod header;
mod layers;
mod solid;
mod strips;

use axum::body::Bytes;
use onca_scene::{Bounds, Scene};
use serde::Serialize;

use columns::Columns;
#[cfg(feature = "typescript")]
pub use constants::constants;
pub use header::{AboutScene, LegendLine, PlotLine, ScaleLine, SceneHeader, UprightLine};
#[cfg(feature = "typescript")]
pub use solid::SolidHeader;
pub use solid::{AboutSolid, CableScaleHeader, SentSolid};

/// What scenes begin with.
const MAGIC: &[u8; 4] = b"ONCS";
/// The version of the form.
const VERSION: u32 = 1;
/// What scenes are called in answers.
pub const MEDIA_TYPE: &str = "application/x-onca-scene";
/// What comes before the header: a name, the version, the length of the header.
const PREFIX: usize = 12;
/// Columns begin at multiples of this.
const ALIGNMENT: usize = 8;

/// A scene with what is to be said about it.
#[derive(Debug)]
pub struct SentScene<'a> {
    /// The marks.
    pub scene: &'a Scene,
    /// The part of view space that the picture fills.
    pub view: Bounds,
    /// What was summed up, thinned or left out, in words.
    pub notes: &'a [String],
    /// What else is said.
    pub about: &'a AboutScene,
}

impl<'a> SentScene<'a> {
    /// The bytes that go over the wire.
    pub fn encode(&self) -> Bytes {
        self.encode_with(|header| header)
    }

    /// The same, with a header that says more.
    pub fn encode_with<H: Serialize>(&self, dress: impl FnOnce(SceneHeader<'a>) -> H) -> Bytes {
        let mut columns = Columns::default();
        let titles = self.scene.titles.texts();
        let mut texts: Vec<&str> = titles.iter().map(String::as_str).collect();
        let layers = self.scene.layers.iter();
        let layers =
            layers.map(|layer| layers::describe(layer, &mut columns, &mut texts)).collect();
        let header = SceneHeader::new(self.view, self.about, self.notes, layers, texts);
        assembled(&dress(header), columns)
    }
}

fn assembled(header: &impl Serialize, columns: Columns) -> Bytes {
    let mut header = serde_json::to_string(header).expect("names of fields are texts");
    while !(PREFIX + header.len()).is_multiple_of(ALIGNMENT) {
        header.push(' ');
    }
    let mut head = Vec::with_capacity(PREFIX + header.len());
    head.extend_from_slice(MAGIC);
    head.extend_from_slice(&VERSION.to_le_bytes());
    head.extend_from_slice(&(header.len() as u32).to_le_bytes());
    head.extend_from_slice(header.as_bytes());
    columns.after(&head)
}

#[cfg(test)]
mod tests;
