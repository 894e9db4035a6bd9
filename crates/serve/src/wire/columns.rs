//! Columns of numbers, one after the other.

use serde_json::{Map, Value, json};

use super::ALIGNMENT;

/// The bytes of all columns so far.
#[derive(Default)]
pub struct Columns {
    bytes: Vec<u8>,
}

impl Columns {
    /// Begins the columns of a layer.
    pub fn layer(&mut self) -> LayerColumns<'_> {
        LayerColumns { columns: self, places: Map::new() }
    }

    /// All bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// The columns of one layer: where each lies.
pub struct LayerColumns<'c> {
    columns: &'c mut Columns,
    places: Map<String, Value>,
}

impl LayerColumns<'_> {
    /// Adds a column of bytes.
    pub fn u8(&mut self, name: &str, numbers: impl Iterator<Item = u8>) {
        self.add(name, "u8", numbers.map(u8::to_le_bytes));
    }

    /// Adds a column of numbers of 16 bits.
    pub fn u16(&mut self, name: &str, numbers: impl Iterator<Item = u16>) {
        self.add(name, "u16", numbers.map(u16::to_le_bytes));
    }

    /// Adds a column of numbers of 32 bits.
    pub fn u32(&mut self, name: &str, numbers: impl Iterator<Item = u32>) {
        self.add(name, "u32", numbers.map(u32::to_le_bytes));
    }

    /// Adds a column of numbers with fractions.
    pub fn f32(&mut self, name: &str, numbers: impl Iterator<Item = f64>) {
        self.add(name, "f32", numbers.map(|number| (number as f32).to_le_bytes()));
    }

    /// Where the columns are, as the header tells it.
    pub fn places(self) -> Map<String, Value> {
        self.places
    }

    fn add<const N: usize>(
        &mut self,
        name: &str,
        kind: &str,
        numbers: impl Iterator<Item = [u8; N]>,
    ) {
        let bytes = &mut self.columns.bytes;
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
        let offset = bytes.len();
        bytes.reserve(numbers.size_hint().0 * N);
        numbers.for_each(|number| bytes.extend_from_slice(&number));
        let length = (bytes.len() - offset) / N;
        self.places.insert(name.to_owned(), json!([kind, offset, length]));
    }
}
