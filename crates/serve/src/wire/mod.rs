//! Scenes on the wire: a header in JSON, and columns of numbers that a page uses where they lie.
//!
//! `docs/http-api.md` describes the form.

mod columns;
mod layers;
mod solid;
mod strips;

use axum::body::Bytes;
use onca_scene::{Bounds, Scene};
use serde_json::{Map, Value, json};

use columns::Columns;
pub use solid::SentSolid;

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
    /// What else the header says.
    pub more: Map<String, Value>,
}

impl SentScene<'_> {
    /// The bytes that go over the wire.
    pub fn encode(&self) -> Bytes {
        let mut columns = Columns::default();
        let titles = self.scene.titles.texts();
        let mut texts: Vec<&str> = titles.iter().map(String::as_str).collect();
        let layers: Vec<Value> = self
            .scene
            .layers
            .iter()
            .map(|layer| layers::describe(layer, &mut columns, &mut texts))
            .collect();
        let Bounds { x0, y0, x1, y1 } = self.view;
        let mut header = self.more.clone();
        header.insert("schema".to_owned(), json!("onca-scene/1"));
        header.insert("view".to_owned(), json!({"x0": x0, "y0": y0, "x1": x1, "y1": y1}));
        header.insert("exact".to_owned(), json!(self.notes.is_empty()));
        header.insert("notes".to_owned(), json!(self.notes));
        header.insert("layers".to_owned(), json!(layers));
        header.insert("texts".to_owned(), json!(texts));
        assembled(Value::Object(header).to_string(), columns)
    }
}

fn assembled(mut header: String, columns: Columns) -> Bytes {
    while !(PREFIX + header.len()).is_multiple_of(ALIGNMENT) {
        header.push(' ');
    }
    let mut head = Vec::with_capacity(PREFIX + header.len());
    head.extend_from_slice(b"ONCS");
    head.extend_from_slice(&VERSION.to_le_bytes());
    head.extend_from_slice(&(header.len() as u32).to_le_bytes());
    head.extend_from_slice(header.as_bytes());
    columns.after(&head)
}

#[cfg(test)]
mod tests;
