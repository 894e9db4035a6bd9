//! Link keys and extra fields, apart from the rows and compressed, because few questions need
//! them. A block covers a range of rows of its lane and lists those that have any text.
//!
//! ```text
//! number of rows listed; for each: row since the one before, length of key, length of extras
//! the texts: key and extras of each row
//! ```

use crate::{
    error::Result,
    format::codec::{Reader, put_varint},
    format::directory::BlockEntry,
};

/// The texts of one row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Texts<'a> {
    pub row: u64,
    pub key: &'a [u8],
    pub extras: &'a [u8],
}

impl Texts<'_> {
    /// Appends them to a buffer of a lane.
    pub(crate) fn buffer(&self, out: &mut Vec<u8>) {
        out.extend(self.row.to_le_bytes());
        put_varint(out, self.key.len() as u64);
        put_varint(out, self.extras.len() as u64);
        out.extend_from_slice(self.key);
        out.extend_from_slice(self.extras);
    }
}

/// The texts of a lane's buffer.
fn buffered(bytes: &[u8]) -> impl Iterator<Item = Texts<'_>> {
    let mut reader = Reader::new(bytes);
    std::iter::from_fn(move || {
        let row = reader.u64().ok()?;
        let (key_len, extras_len) = (reader.count().ok()?, reader.count().ok()?);
        let key = reader.take(key_len).ok()?;
        Some(Texts { row, key, extras: reader.take(extras_len).ok()? })
    })
}

/// Encodes a lane's buffer and returns the first and the last row listed.
pub(crate) fn encode(buffer: &[u8], out: &mut Vec<u8>) -> (u64, u64) {
    let first = buffered(buffer).next().map_or(0, |texts| texts.row);
    let mut previous = first;
    let mut n = 0;
    let (mut lengths, mut all) = (Vec::new(), Vec::with_capacity(buffer.len()));
    for Texts { row, key, extras } in buffered(buffer) {
        n += 1;
        put_varint(&mut lengths, row - previous);
        put_varint(&mut lengths, key.len() as u64);
        put_varint(&mut lengths, extras.len() as u64);
        all.extend_from_slice(key);
        all.extend_from_slice(extras);
        previous = row;
    }
    put_varint(out, n);
    out.extend_from_slice(&lengths);
    out.extend_from_slice(&all);
    (first, previous)
}

/// Visits all texts of a block, with where they start in `bytes`.
pub(crate) fn visit<'a>(
    bytes: &'a [u8],
    entry: &BlockEntry,
    mut each: impl FnMut(Texts<'a>, usize),
) -> Result<()> {
    let mut lengths = Reader::from(bytes, entry.offset as usize)?;
    let n = lengths.count()?;
    let start = lengths.position();
    for _ in 0..3 * n {
        lengths.varint()?;
    }
    let mut texts = Reader::from(bytes, lengths.position())?;
    let mut lengths = Reader::from(bytes, start)?;
    let mut row = entry.rows_before;
    for _ in 0..n {
        row = row.wrapping_add(lengths.varint()?);
        let (key_len, extras_len) = (lengths.varint()?, lengths.varint()?);
        let start = texts.position();
        let key = texts.take(key_len as usize)?;
        each(Texts { row, key, extras: texts.take(extras_len as usize)? }, start);
    }
    Ok(())
}
