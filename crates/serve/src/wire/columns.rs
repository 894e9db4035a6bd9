//! Columns of numbers, one after the other.

use std::collections::BTreeMap;

use axum::body::Bytes;

use super::ALIGNMENT;
use super::header::{ColumnPlace, ColumnType};

/// The bytes of all columns so far, after room for what comes before them.
pub struct Columns {
    bytes: Vec<u8>,
}

/// Room for a usual header, so that the columns need not be moved.
const ROOM: usize = 64 << 10;

impl Default for Columns {
    fn default() -> Self {
        Self { bytes: vec![0; ROOM] }
    }
}

impl Columns {
    /// Begins the columns of a layer.
    pub fn layer(&mut self) -> LayerColumns<'_> {
        LayerColumns { columns: self, places: BTreeMap::new() }
    }

    /// All bytes, after some others.
    pub fn after(mut self, head: &[u8]) -> Bytes {
        match ROOM.checked_sub(head.len()) {
            Some(begin) => {
                self.bytes[begin..ROOM].copy_from_slice(head);
                Bytes::from(self.bytes).slice(begin..)
            }
            None => Bytes::from([head, &self.bytes[ROOM..]].concat()),
        }
    }
}

/// The columns of one layer: where each lies.
pub struct LayerColumns<'c> {
    columns: &'c mut Columns,
    places: BTreeMap<&'static str, ColumnPlace>,
}

impl LayerColumns<'_> {
    /// Adds a column of bytes that lie side by side already, in some pieces.
    pub fn bytes<'b>(&mut self, name: &'static str, pieces: impl Iterator<Item = &'b [u8]>) {
        let offset = self.begin();
        pieces.for_each(|piece| self.columns.bytes.extend_from_slice(piece));
        self.end(name, ColumnType::U8, offset, 1);
    }

    /// Adds a column of bytes.
    pub fn u8(&mut self, name: &'static str, numbers: impl Iterator<Item = u8>) {
        self.add(name, ColumnType::U8, numbers.map(u8::to_le_bytes));
    }

    /// Adds a column of numbers of 16 bits.
    pub fn u16(&mut self, name: &'static str, numbers: impl Iterator<Item = u16>) {
        self.add(name, ColumnType::U16, numbers.map(u16::to_le_bytes));
    }

    /// Adds a column of numbers of 32 bits.
    pub fn u32(&mut self, name: &'static str, numbers: impl Iterator<Item = u32>) {
        self.add(name, ColumnType::U32, numbers.map(u32::to_le_bytes));
    }

    /// Adds a column of numbers with fractions.
    pub fn f32(&mut self, name: &'static str, numbers: impl Iterator<Item = f64>) {
        self.add(name, ColumnType::F32, numbers.map(|number| (number as f32).to_le_bytes()));
    }

    /// Where the columns are, as the header tells it.
    pub fn places(self) -> BTreeMap<&'static str, ColumnPlace> {
        self.places
    }

    fn add<const N: usize>(
        &mut self,
        name: &'static str,
        kind: ColumnType,
        numbers: impl Iterator<Item = [u8; N]>,
    ) {
        let offset = self.begin();
        let bytes = &mut self.columns.bytes;
        // Into room that is there already: a loop without a check for every number.
        let mut numbers = numbers;
        bytes.resize(offset + numbers.size_hint().0 * N, 0);
        let (places, _) = bytes[offset..].as_chunks_mut::<N>();
        places.iter_mut().zip(&mut numbers).for_each(|(place, number)| *place = number);
        numbers.for_each(|number| bytes.extend_from_slice(&number));
        self.end(name, kind, offset, N);
    }

    /// Where a column can begin.
    fn begin(&mut self) -> usize {
        let bytes = &mut self.columns.bytes;
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
        bytes.len()
    }

    /// Says where a column lies that ends here.
    fn end(&mut self, name: &'static str, kind: ColumnType, offset: usize, size: usize) {
        let length = (self.columns.bytes.len() - offset) / size;
        self.places.insert(name, ColumnPlace(kind, offset - ROOM, length));
    }
}
