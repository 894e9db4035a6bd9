//! Input to blocks of whole lines; header lines are read here, in file order.

use std::io;
use std::sync::Arc;

use super::decode::PADDING;
use super::header::{Header, HeaderLine};
use super::layout::Layouts;
use super::token::is_blank;
use crate::batch::Batch;
use crate::lines::{Given, LineReader, last_line_start_before};
use crate::source::Input;
use crate::symbols::Symbols;

/// Lines are counted in this much of a file.
const COUNTED_BYTES: u64 = 8 << 20;

/// What to do with the batch that [`BlockReader::next`] filled.
pub(super) enum Block {
    /// Decode the first `len` bytes of its text. `cut`: they are the last line of the file,
    /// and no newline ended it.
    Lines { len: usize, layouts: Arc<Layouts>, cut: bool },
    /// It is complete: header lines and problems.
    Done,
}

pub(super) struct BlockReader {
    lines: LineReader,
    header: Header,
    layouts: Arc<Layouts>,
    /// The number of the next line, as long as lines are counted: definitions that come later
    /// are not mentioned by their line.
    line: Option<u64>,
}

impl BlockReader {
    pub fn new(input: Input, inherited: Layouts, strict: bool, block_bytes: usize) -> Self {
        let layouts = Arc::new(inherited.clone());
        Self {
            lines: LineReader::new(input, block_bytes, PADDING),
            header: Header::new(inherited, strict),
            layouts,
            line: Some(1),
        }
    }

    pub fn lines(&self) -> &LineReader {
        &self.lines
    }

    /// Whether more may come where there is nothing now.
    pub fn set_growing(&mut self, growing: bool) {
        self.lines.set_growing(growing);
    }

    pub fn layouts(&self) -> &Layouts {
        self.header.layouts()
    }

    /// Reads the first block, so that its beginning can be looked at.
    pub fn fill_first(&mut self) -> io::Result<()> {
        self.lines.fill_first()
    }

    /// Is there anything to hand out, be it the end?
    pub fn is_ready(&mut self) -> io::Result<bool> {
        let lines = &mut self.lines;
        if lines.pos >= lines.len && !lines.ended {
            lines.refill()?;
        }
        Ok(lines.pos < lines.len || lines.ended || lines.has_pending())
    }

    /// Fills a batch with the next block; `None` at the end.
    pub fn next(&mut self, batch: &mut Batch, symbols: &Symbols) -> io::Result<Option<Block>> {
        loop {
            if self.lines.hand_out_pending(batch) {
                return Ok(Some(Block::Done));
            }
            if self.lines.pos >= self.lines.len {
                if self.lines.ended {
                    return Ok(self.finish(batch));
                }
                if !self.is_ready()? {
                    return Ok(None);
                }
                continue;
            }
            let cut = self.next_header();
            if cut == self.lines.pos || self.header.is_open() {
                self.read_header(batch, symbols);
                return Ok(Some(Block::Done));
            }
            return Ok(Some(self.hand_out_lines(batch, cut)));
        }
    }

    /// The end of the file: a definition may still be open, the stream may be cut.
    fn finish(&mut self, batch: &mut Batch) -> Option<Block> {
        if self.lines.hand_out_cut(batch) {
            return Some(Block::Done);
        }
        if !self.header.is_open() {
            return None;
        }
        self.header.end();
        batch.problems = self.header.take_problems();
        Some(Block::Done)
    }

    /// Gives the batch the lines up to `end`.
    fn hand_out_lines(&mut self, batch: &mut Batch, end: usize) -> Block {
        let Given { len, cut } = self.lines.hand_out_lines(batch, end);
        self.count_lines(&batch.text[..len]);
        self.header.lines_between();
        if self.header.take_changed() {
            self.layouts = Arc::new(self.header.layouts().clone());
        }
        Block::Lines { len, layouts: Arc::clone(&self.layouts), cut }
    }

    /// Counting all lines here would cost time; headers stand at the beginning.
    fn count_lines(&mut self, text: &[u8]) {
        self.line = match self.lines.bytes() {
            0..COUNTED_BYTES => {
                self.line.map(|line| line + memchr::memchr_iter(b'\n', text).count() as u64)
            }
            _ => None,
        };
    }

    /// Where the next header line starts, or the end of the whole lines.
    fn next_header(&self) -> usize {
        let text = &self.lines.buffer[..self.lines.len];
        let mut from = self.lines.pos;
        while let Some(offset) = memchr::memchr(b'%', &text[from..]) {
            let at = from + offset;
            let start = self.lines.pos
                + last_line_start_before(&text[self.lines.pos..], at - self.lines.pos);
            let end = memchr::memchr(b'\n', &text[at..]).map_or(self.lines.len, |n| at + n + 1);
            let line = &text[start..end];
            match line.iter().find(|&&byte| !is_blank(byte)) {
                Some(b'%') => return start,
                // A comment that may have swallowed a definition.
                Some(b'#') if memchr::memmem::find(line, b"%EventDef").is_some() => return start,
                _ => from = end,
            }
        }
        self.lines.len
    }

    /// Reads header lines, blank lines and comments up to the next record line.
    fn read_header(&mut self, batch: &mut Batch, symbols: &Symbols) {
        let buffer = std::mem::take(&mut self.lines.buffer);
        while self.lines.pos < self.lines.len {
            let end = memchr::memchr(b'\n', &buffer[self.lines.pos..self.lines.len])
                .map_or(self.lines.len, |n| self.lines.pos + n);
            let text = &buffer[self.lines.pos..end];
            let line = HeaderLine {
                text,
                line_in_batch: batch.n_lines as u32,
                line: self.line.unwrap_or(0),
            };
            let first = text.iter().find(|&&byte| !is_blank(byte));
            match first {
                None => {}
                Some(&first) if memchr::memchr(0, text).is_some() => {
                    let is_record = first != b'%' && first != b'#';
                    if is_record && !self.header.is_open() {
                        break;
                    }
                    batch.n_records += u64::from(is_record);
                    batch.n_lost += u64::from(is_record);
                    self.header.nul_byte(line);
                }
                Some(b'%') => self.header.line(line, symbols),
                Some(b'#') => self.header.comment(line),
                Some(_) => {
                    self.header.record(line);
                    break;
                }
            }
            batch.n_lines += 1;
            self.line = self.line.map(|line| line + 1);
            self.lines.pos = end + 1;
        }
        self.lines.buffer = buffer;
        batch.problems.append(&mut self.header.take_problems());
    }
}
