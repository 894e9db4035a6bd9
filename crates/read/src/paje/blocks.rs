//! Input to blocks of whole lines; header lines are read here, in file order.

use std::io::{self, Read};
use std::sync::Arc;

use onca_model::Code;

use super::decode::PADDING;
use super::header::{Header, HeaderLine};
use super::layout::Layouts;
use super::token::is_blank;
use crate::batch::{Batch, Problem};
use crate::source::{Compression, ExpansionLimit, Input};
use crate::symbols::Symbols;

/// Longer lines are skipped.
const MAX_LINE: usize = 64 << 20;

/// Lines are counted in this much of a file.
const COUNTED_BYTES: u64 = 8 << 20;

/// How much of the beginning is kept to tell format and producer.
const HEAD: usize = 4096;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What to do with the batch that [`BlockReader::next`] filled.
pub(super) enum Block {
    /// Decode the first `len` bytes of its text. `cut`: they are the last line of the file,
    /// and no newline ended it.
    Lines { len: usize, layouts: Arc<Layouts>, cut: bool },
    /// It is complete: header lines and problems.
    Done,
}

pub(super) struct BlockReader {
    input: Box<dyn Read + Send>,
    compressed: bool,
    block_bytes: usize,
    /// Whole lines, `pos..len` not yet handed out; from `len` to `filled` the beginning of the
    /// next line; after that nothing that means anything.
    buffer: Vec<u8>,
    pos: usize,
    len: usize,
    filled: usize,
    header: Header,
    layouts: Arc<Layouts>,
    head: Vec<u8>,
    bytes: u64,
    /// The number of the next line, as long as lines are counted: definitions that come later
    /// are not mentioned by their line.
    line: Option<u64>,
    ended: bool,
    truncated: bool,
    /// The last line of the file had no newline.
    cut_line: bool,
    /// Problems that the next batch must carry.
    pending: Vec<Problem>,
    /// Lines that were skipped as too long, each a lost record.
    skipped_lines: u64,
    /// The compressed stream could not be decoded to its end.
    stream_problem: Option<Problem>,
}

impl BlockReader {
    pub fn new(input: Input, inherited: Layouts, strict: bool, block_bytes: usize) -> Self {
        let layouts = Arc::new(inherited.clone());
        Self {
            input: input.reader,
            compressed: input.compression != Compression::Plain,
            block_bytes: block_bytes.max(1),
            buffer: Vec::new(),
            pos: 0,
            len: 0,
            filled: 0,
            header: Header::new(inherited, strict),
            layouts,
            head: Vec::new(),
            bytes: 0,
            line: Some(1),
            ended: false,
            truncated: false,
            cut_line: false,
            pending: Vec::new(),
            skipped_lines: 0,
            stream_problem: None,
        }
    }

    pub fn head(&self) -> &[u8] {
        &self.head
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn truncated(&self) -> bool {
        self.truncated
    }

    pub fn layouts(&self) -> &Layouts {
        self.header.layouts()
    }

    /// Reads the first block, so that its beginning can be looked at.
    pub fn fill_first(&mut self) -> io::Result<()> {
        self.refill()?;
        let all = &self.buffer[..self.filled];
        if all.starts_with(BYTE_ORDER_MARK) {
            self.pos = BYTE_ORDER_MARK.len().min(self.len);
            self.pending.push(Problem {
                at: 0,
                line: 0,
                column: 1,
                code: Code::ByteOrderMark,
                message: "a UTF-8 byte order mark is skipped".to_owned(),
                hint: None,
            });
        }
        let start = self.pos.min(all.len());
        self.head = all[start..(start + HEAD).min(all.len())].to_vec();
        Ok(())
    }

    /// Fills a batch with the next block; `None` at the end.
    pub fn next(&mut self, batch: &mut Batch, symbols: &Symbols) -> io::Result<Option<Block>> {
        loop {
            if !self.pending.is_empty() || self.skipped_lines > 0 {
                self.hand_out_pending(batch);
                return Ok(Some(Block::Done));
            }
            if self.pos >= self.len {
                if self.ended {
                    return Ok(self.finish(batch));
                }
                self.refill()?;
                continue;
            }
            let cut = self.next_header();
            if cut == self.pos || self.header.is_open() {
                self.read_header(batch, symbols);
                return Ok(Some(Block::Done));
            }
            return Ok(Some(self.hand_out_lines(batch, cut)));
        }
    }

    fn hand_out_pending(&mut self, batch: &mut Batch) {
        batch.problems.append(&mut self.pending);
        let skipped = std::mem::take(&mut self.skipped_lines);
        batch.n_records += skipped;
        batch.n_lost += skipped;
        batch.n_lines += skipped;
    }

    /// The end of the file: a definition may still be open, the stream may be cut.
    fn finish(&mut self, batch: &mut Batch) -> Option<Block> {
        if let Some(problem) = self.stream_problem.take() {
            batch.problems.push(problem);
            batch.n_lost += 1;
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
        let len = end - self.pos;
        // The last block ends with the line that was cut, if one was: it goes alone.
        let cut = self.cut_line && end == self.len;
        let alone = cut.then(|| last_line_start(&self.buffer[self.pos..end])).filter(|&at| at > 0);
        let len = alone.unwrap_or(len);
        if self.pos == 0 && len == self.len {
            // The usual case: the batch takes the buffer, and the unfinished line moves over.
            let carried = &self.buffer[len..self.filled];
            if batch.text.len() < carried.len() {
                batch.text.resize(carried.len(), 0);
            }
            batch.text[..carried.len()].copy_from_slice(carried);
            self.filled -= len;
            self.len = 0;
            std::mem::swap(&mut batch.text, &mut self.buffer);
        } else {
            batch.text.clear();
            batch.text.extend_from_slice(&self.buffer[self.pos..self.pos + len]);
            self.pos += len;
        }
        if batch.text.len() < len + PADDING {
            batch.text.resize(len + PADDING, b'\n');
        }
        self.count_lines(&batch.text[..len]);
        self.header.lines_between();
        if self.header.take_changed() {
            self.layouts = Arc::new(self.header.layouts().clone());
        }
        Block::Lines { len, layouts: Arc::clone(&self.layouts), cut: cut && alone.is_none() }
    }

    /// Counting all lines here would cost time; headers stand at the beginning.
    fn count_lines(&mut self, text: &[u8]) {
        self.line = match self.bytes {
            0..COUNTED_BYTES => {
                self.line.map(|line| line + memchr::memchr_iter(b'\n', text).count() as u64)
            }
            _ => None,
        };
    }

    /// Where the next header line starts, or the end of the whole lines.
    fn next_header(&self) -> usize {
        let text = &self.buffer[..self.len];
        let mut from = self.pos;
        while let Some(offset) = memchr::memchr(b'%', &text[from..]) {
            let at = from + offset;
            let start = self.pos + last_line_start_before(&text[self.pos..], at - self.pos);
            let end = memchr::memchr(b'\n', &text[at..]).map_or(self.len, |n| at + n + 1);
            let line = &text[start..end];
            match line.iter().find(|&&byte| !is_blank(byte)) {
                Some(b'%') => return start,
                // A comment that may have swallowed a definition.
                Some(b'#') if memchr::memmem::find(line, b"%EventDef").is_some() => return start,
                _ => from = end,
            }
        }
        self.len
    }

    /// Reads header lines, blank lines and comments up to the next record line.
    fn read_header(&mut self, batch: &mut Batch, symbols: &Symbols) {
        let buffer = std::mem::take(&mut self.buffer);
        while self.pos < self.len {
            let end = memchr::memchr(b'\n', &buffer[self.pos..self.len])
                .map_or(self.len, |n| self.pos + n);
            let text = &buffer[self.pos..end];
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
            self.pos = end + 1;
        }
        self.buffer = buffer;
        batch.problems.append(&mut self.header.take_problems());
    }

    /// Reads until there is at least one whole line, or the end.
    fn refill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.len..self.filled, 0);
        self.filled -= self.len;
        self.pos = 0;
        self.len = 0;
        loop {
            let start = self.filled;
            if self.read_some()? == 0 {
                self.end_of_input();
                return Ok(());
            }
            if let Some(newline) = memchr::memrchr(b'\n', &self.buffer[start..self.filled]) {
                self.len = start + newline + 1;
                return Ok(());
            }
            if self.filled > MAX_LINE {
                self.skip_line()?;
                if self.len > 0 {
                    return Ok(());
                }
            }
        }
    }

    /// Reads up to a block more, as much as there is; 0 at the end.
    fn read_some(&mut self) -> io::Result<usize> {
        let start = self.filled;
        let end = start + self.block_bytes;
        if self.buffer.len() < end {
            self.buffer.resize(end + PADDING, 0);
        }
        while self.filled < end {
            match self.input.read(&mut self.buffer[self.filled..end]) {
                Ok(0) => break,
                Ok(n) => self.filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if self.is_cut(&error) => {
                    self.stream_cut(&error);
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        self.bytes += (self.filled - start) as u64;
        Ok(self.filled - start)
    }

    /// A compressed stream that cannot be decoded further: what came before is good.
    fn is_cut(&self, error: &io::Error) -> bool {
        self.compressed && !error.get_ref().is_some_and(|inner| inner.is::<ExpansionLimit>())
    }

    fn stream_cut(&mut self, error: &io::Error) {
        self.truncated = true;
        self.stream_problem.get_or_insert(Problem {
            at: 0,
            line: 0,
            column: 1,
            code: Code::Truncated,
            message: format!("the compressed stream is damaged or cut ({error})"),
            hint: Some("what comes before is read, the rest is lost".to_owned()),
        });
    }

    /// What is left is the last line, without a newline.
    fn end_of_input(&mut self) {
        self.ended = true;
        if self.filled > 0 {
            self.cut_line = true;
            self.buffer.truncate(self.filled);
            self.buffer.push(b'\n');
            self.filled += 1;
        }
        self.len = self.filled;
    }

    /// Throws away the rest of a line that is too long.
    fn skip_line(&mut self) -> io::Result<()> {
        self.skipped_lines += 1;
        self.pending.push(Problem {
            at: 0,
            line: self.skipped_lines as u32 - 1,
            column: 1,
            code: Code::LineTooLong,
            message: "a line of more than 64 MiB is skipped".to_owned(),
            hint: None,
        });
        loop {
            self.filled = 0;
            if self.read_some()? == 0 {
                return Ok(());
            }
            if let Some(newline) = memchr::memchr(b'\n', &self.buffer[..self.filled]) {
                self.buffer.copy_within(newline + 1..self.filled, 0);
                self.filled -= newline + 1;
                let rest = &self.buffer[..self.filled];
                self.len = memchr::memrchr(b'\n', rest).map_or(0, |newline| newline + 1);
                return Ok(());
            }
        }
    }
}

/// Adds to the batch of the last line that no newline ended it.
pub(super) fn note_cut_line(batch: &mut Batch, len: usize) {
    if batch.n_records == 0 {
        return;
    }
    let column = len.max(1) as u32;
    let lost = batch.n_lost > 0;
    batch.problems.insert(
        0,
        Problem {
            at: 0,
            line: 0,
            column,
            code: Code::Truncated,
            message: "the last line has no newline: the trace may be cut".to_owned(),
            hint: Some(
                if lost { "the line is lost" } else { "the line is taken as it is" }.to_owned(),
            ),
        },
    );
}

/// Where the last line of a text begins; the text ends with a newline.
fn last_line_start(text: &[u8]) -> usize {
    let before = text.len().saturating_sub(1);
    last_line_start_before(text, before)
}

/// Where the line that holds `at` begins.
fn last_line_start_before(text: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &text[..at]).map_or(0, |newline| newline + 1)
}
