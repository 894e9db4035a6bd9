//! Input to blocks of whole lines. What a line means is the format's business.

use std::io::{self, Read};

use onca_model::Code;

use crate::batch::{Batch, Problem};
use crate::source::{Compression, ExpansionLimit, Input};

/// Longer lines are skipped.
const MAX_LINE: usize = 64 << 20;

/// How much of the beginning is kept to tell format and producer.
const HEAD: usize = 4096;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Lines of a source, a block at a time.
pub(crate) struct LineReader {
    input: Box<dyn Read + Send>,
    compressed: bool,
    block_bytes: usize,
    /// This many bytes follow each block that is handed out, whatever they are.
    padding: usize,
    /// Whole lines, `pos..len` not yet handed out; from `len` to `filled` the beginning of the
    /// next line; after that nothing that means anything.
    pub buffer: Vec<u8>,
    pub pos: usize,
    pub len: usize,
    filled: usize,
    head: Vec<u8>,
    /// The first block was looked at.
    has_begun: bool,
    bytes: u64,
    /// There is no more input.
    pub ended: bool,
    /// More may come where there is nothing now.
    growing: bool,
    /// The rest of the line at hand is skipped.
    skipping: bool,
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

/// Lines that a batch was given.
#[derive(Clone, Copy)]
pub(crate) struct Given {
    /// How many bytes of its text they are, from the first on.
    pub len: usize,
    /// They are the last line of the file, and no newline ended it.
    pub cut: bool,
}

impl LineReader {
    pub fn new(input: Input, block_bytes: usize, padding: usize) -> Self {
        Self {
            input: input.reader,
            compressed: input.compression != Compression::Plain,
            block_bytes: block_bytes.max(1),
            padding,
            buffer: Vec::new(),
            pos: 0,
            len: 0,
            filled: 0,
            head: Vec::new(),
            has_begun: false,
            bytes: 0,
            ended: false,
            growing: false,
            skipping: false,
            truncated: false,
            cut_line: false,
            pending: Vec::new(),
            skipped_lines: 0,
            stream_problem: None,
        }
    }

    /// Whether more may come where there is nothing now. A line then counts when its newline is there.
    pub fn set_growing(&mut self, growing: bool) {
        self.growing = growing;
    }

    /// Bytes of a line whose newline is not there yet.
    pub fn unfinished(&self) -> usize {
        self.filled - self.len
    }

    /// The first bytes.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// How many bytes were read.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The compressed stream was cut.
    pub fn truncated(&self) -> bool {
        self.truncated
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
        self.has_begun = true;
        Ok(())
    }

    /// Was something met that the next batch must carry?
    pub fn has_pending(&self) -> bool {
        !self.pending.is_empty() || self.skipped_lines > 0
    }

    /// Puts what was met while reading into a batch; false if there is nothing.
    pub fn hand_out_pending(&mut self, batch: &mut Batch) -> bool {
        if !self.has_pending() {
            return false;
        }
        batch.problems.append(&mut self.pending);
        let skipped = std::mem::take(&mut self.skipped_lines);
        batch.n_records += skipped;
        batch.n_lost += skipped;
        batch.n_lines += skipped;
        true
    }

    /// Tells the batch if the stream was cut; false if not, or if that was told.
    pub fn hand_out_cut(&mut self, batch: &mut Batch) -> bool {
        let problem = self.stream_problem.take();
        batch.n_lost += u64::from(problem.is_some());
        let told = problem.is_some();
        batch.problems.extend(problem);
        told
    }

    /// Gives the batch the lines up to `end`.
    pub fn hand_out_lines(&mut self, batch: &mut Batch, end: usize) -> Given {
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
        if batch.text.len() < len + self.padding {
            batch.text.resize(len + self.padding, b'\n');
        }
        Given { len, cut: cut && alone.is_none() }
    }

    /// Reads until there is at least one whole line, or the end.
    pub fn refill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.len..self.filled, 0);
        self.filled -= self.len;
        self.pos = 0;
        self.len = 0;
        loop {
            let start = self.filled;
            if self.read_some()? == 0 {
                if !self.growing {
                    self.end_of_input();
                }
                return Ok(());
            }
            if self.skipping {
                self.skip_rest();
            }
            if let Some(newline) = memchr::memrchr(b'\n', &self.buffer[start..self.filled]) {
                self.len = start + newline + 1;
                return Ok(());
            }
            if self.filled > MAX_LINE {
                self.begin_skipping();
            }
        }
    }

    /// Reads up to a block more, as much as there is; 0 at the end.
    fn read_some(&mut self) -> io::Result<usize> {
        let start = self.filled;
        let end = start + self.block_bytes;
        if self.buffer.len() < end {
            self.buffer.resize(end + self.padding, 0);
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
        if self.has_begun && self.head.len() < HEAD {
            let new = &self.buffer[start..self.filled];
            self.head.extend_from_slice(&new[..new.len().min(HEAD - self.head.len())]);
        }
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

    /// A line is too long: it is thrown away.
    fn begin_skipping(&mut self) {
        self.skipped_lines += 1;
        self.pending.push(Problem {
            at: 0,
            line: self.skipped_lines as u32 - 1,
            column: 1,
            code: Code::LineTooLong,
            message: "a line of more than 64 MiB is skipped".to_owned(),
            hint: None,
        });
        self.skipping = true;
        self.filled = 0;
    }

    /// Throws away what belongs to such a line.
    fn skip_rest(&mut self) {
        let rest = match memchr::memchr(b'\n', &self.buffer[..self.filled]) {
            Some(newline) => {
                self.skipping = false;
                newline + 1
            }
            None => self.filled,
        };
        self.buffer.copy_within(rest..self.filled, 0);
        self.filled -= rest;
    }
}

/// Adds to the batch of the last line that no newline ended it. `hint` says what becomes of it, unless
/// it is lost already.
pub(crate) fn note_cut_line(batch: &mut Batch, len: usize, hint: Option<&str>) {
    if batch.n_records == 0 {
        return;
    }
    let column = len.max(1) as u32;
    let hint = if batch.n_lost > 0 { Some("the line is lost") } else { hint };
    batch.problems.insert(
        0,
        Problem {
            at: 0,
            line: 0,
            column,
            code: Code::Truncated,
            message: "the last line has no newline: the trace may be cut".to_owned(),
            hint: hint.map(str::to_owned),
        },
    );
}

/// Where the last line of a text begins; the text ends with a newline.
fn last_line_start(text: &[u8]) -> usize {
    let before = text.len().saturating_sub(1);
    last_line_start_before(text, before)
}

/// Where the line that holds `at` begins.
pub(crate) fn last_line_start_before(text: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &text[..at]).map_or(0, |newline| newline + 1)
}
