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
    bytes: u64,
    /// There is no more input.
    pub ended: bool,
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
            bytes: 0,
            ended: false,
            truncated: false,
            cut_line: false,
            pending: Vec::new(),
            skipped_lines: 0,
            stream_problem: None,
        }
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
        Ok(())
    }

    /// Puts what was met while reading into a batch; false if there is nothing.
    pub fn hand_out_pending(&mut self, batch: &mut Batch) -> bool {
        if self.pending.is_empty() && self.skipped_lines == 0 {
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
