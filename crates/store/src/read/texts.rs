//! Link keys and extra fields.

use std::sync::Arc;

use onca_model::LaneId;

use crate::{
    Store,
    error::{Result, no_row},
    format::block::cold,
    format::directory::{BlockEntry, Section},
    read::data_file::Chunk,
};

/// Reads the texts of a lane's rows. It keeps the block of the row that was asked for last, so
/// that rows in order are cheap; for one row alone a block has to be listed.
pub struct TextReader<'a> {
    store: &'a Store,
    lane: LaneId,
    blocks: &'a [BlockEntry],
    held: Option<HeldTexts>,
}

struct HeldTexts {
    /// Which of the blocks it is.
    index: usize,
    chunk: Arc<Chunk>,
    rows: Vec<Place>,
}

/// Where the texts of a row are in the chunk.
struct Place {
    row: u64,
    start: usize,
    key_len: usize,
    extras_len: usize,
}

impl Store {
    /// A reader of the keys and extra fields of a lane's rows.
    pub fn texts(&self, lane: LaneId) -> TextReader<'_> {
        let blocks = self.directory().blocks(lane.0, Section::Cold);
        TextReader { store: self, lane, blocks, held: None }
    }

    /// The extra fields of one row.
    pub(crate) fn extras(&self, lane: LaneId, row: u64) -> Result<Vec<u8>> {
        Ok(self.texts(lane).get(row)?.1.to_vec())
    }
}

impl TextReader<'_> {
    /// Has no row of the lane a text?
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The key and the packed extra fields of a row; empty where it has none, the key always for
    /// what is not a link.
    pub fn get(&mut self, row: u64) -> Result<(&[u8], &[u8])> {
        if row >= self.store.n_rows(self.lane) {
            return Err(no_row(self.lane, row));
        }
        let index = self.blocks.partition_point(|block| block.rows_before <= row);
        let Some(index) = index.checked_sub(1) else { return Ok((b"", b"")) };
        if self.held.as_ref().is_none_or(|held| held.index != index) {
            self.held = Some(self.load(index)?);
        }
        Ok(self.held.as_ref().and_then(|held| held.find(row)).unwrap_or((b"", b"")))
    }

    fn load(&self, index: usize) -> Result<HeldTexts> {
        let chunk = self.store.chunk(&self.blocks[index])?;
        let content = chunk.content();
        let mut rows = Vec::new();
        cold::visit(content, &self.blocks[index], |texts, start| {
            let (key_len, extras_len) = (texts.key.len(), texts.extras.len());
            rows.push(Place { row: texts.row, start, key_len, extras_len });
        })?;
        Ok(HeldTexts { index, chunk, rows })
    }
}

impl HeldTexts {
    fn find(&self, row: u64) -> Option<(&[u8], &[u8])> {
        let index = self.rows.binary_search_by_key(&row, |place| place.row).ok()?;
        let Place { start, key_len, extras_len, .. } = self.rows[index];
        let texts = self.chunk.content().get(start..start + key_len + extras_len)?;
        Some(texts.split_at(key_len))
    }
}
