//! The part of a source that is in memory, and where in the source it stands.

use std::io::{self, Read};

use crate::source::{Compression, ExpansionLimit, Input};

/// Line and column, both from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Position {
    pub line: u32,
    pub column: u32,
}

/// A stretch of a source that moves forward: what lies before `at` is forgotten when more is
/// read.
pub(super) struct Window {
    input: Box<dyn Read + Send>,
    compressed: bool,
    block_bytes: usize,
    buffer: Vec<u8>,
    filled: usize,
    /// How far the text is understood.
    pub at: usize,
    /// Where the buffer begins in the source.
    base: u64,
    ended: bool,
    /// Why a compressed stream could not be decoded to its end.
    cut: Option<io::Error>,
    /// A place in the buffer whose line is known, the number of lines before it, and where in
    /// the source its line begins.
    marked: usize,
    lines: u64,
    line_start: u64,
}

impl Window {
    pub fn new(input: Input, block_bytes: usize) -> Self {
        Self {
            compressed: input.compression != Compression::Plain,
            input: input.reader,
            block_bytes: block_bytes.max(1),
            buffer: Vec::new(),
            filled: 0,
            at: 0,
            base: 0,
            ended: false,
            cut: None,
            marked: 0,
            lines: 0,
            line_start: 0,
        }
    }

    /// What is in memory.
    #[inline(always)]
    pub fn text(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    /// How many bytes from `at` on are in memory.
    pub fn ahead(&self) -> usize {
        self.filled - self.at
    }

    /// How many bytes were read so far.
    pub fn bytes(&self) -> u64 {
        self.base + self.filled as u64
    }

    /// Where in the source a place of the buffer is.
    pub fn offset(&self, at: usize) -> u64 {
        self.base + at as u64
    }

    /// Why the source ended early, if it did; told once.
    pub fn take_cut(&mut self) -> Option<io::Error> {
        self.cut.take()
    }

    /// Reads more and forgets what lies before `at`, which becomes 0; false at the end. The
    /// more is waiting, the more is read, so that a value of any length is seldom scanned again.
    pub fn more(&mut self) -> io::Result<bool> {
        self.mark(self.at);
        self.buffer.copy_within(self.at..self.filled, 0);
        self.filled -= self.at;
        self.base += self.at as u64;
        (self.at, self.marked) = (0, 0);
        let start = self.filled;
        let end = start + self.block_bytes.max(start);
        if self.buffer.len() < end {
            self.buffer.resize(end, 0);
        }
        while !self.ended && self.filled < end {
            match self.input.read(&mut self.buffer[self.filled..end]) {
                Ok(0) => self.ended = true,
                Ok(n) => self.filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if self.is_cut(&error) => {
                    self.cut = Some(error);
                    self.ended = true;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(self.filled > start)
    }

    /// A compressed stream that cannot be decoded further: what came before is good.
    fn is_cut(&self, error: &io::Error) -> bool {
        self.compressed && !error.get_ref().is_some_and(|inner| inner.is::<ExpansionLimit>())
    }

    /// Counts lines up to a place and gives its position. Places are marked in order.
    #[inline]
    pub fn mark(&mut self, at: usize) -> Position {
        let (lines, line_start) = self.lines_to(at);
        (self.marked, self.lines, self.line_start) = (at, lines, line_start);
        self.position(at)
    }

    /// The position of a place that is not before the last mark.
    pub fn position(&self, at: usize) -> Position {
        let (lines, line_start) = self.lines_to(at);
        let number = |n: u64| u32::try_from(n + 1).unwrap_or(u32::MAX);
        Position { line: number(lines), column: number(self.offset(at).saturating_sub(line_start)) }
    }

    #[inline]
    fn lines_to(&self, at: usize) -> (u64, u64) {
        let between = self.buffer.get(self.marked..at).unwrap_or_default();
        match memchr::memrchr(b'\n', between) {
            None => (self.lines, self.line_start),
            Some(last) => {
                let n = memchr::memchr_iter(b'\n', &between[..=last]).count() as u64;
                (self.lines + n, self.offset(self.marked + last + 1))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_do_not_depend_on_the_size_of_pieces() {
        let text = b"ab\n\ncde\nf";
        for block_bytes in 1..12 {
            let reader = Box::new(io::Cursor::new(text.to_vec()));
            let input = Input { reader, compression: Compression::Plain, head: Vec::new() };
            let mut window = Window::new(input, block_bytes);
            let mut found = Vec::new();
            while window.ahead() > 0 || window.more().expect("memory can be read") {
                let position = window.mark(window.at);
                found.push((position.line, position.column, window.text()[window.at]));
                window.at += 1;
            }
            let expected = [
                (1, 1, b'a'),
                (1, 2, b'b'),
                (1, 3, b'\n'),
                (2, 1, b'\n'),
                (3, 1, b'c'),
                (3, 2, b'd'),
                (3, 3, b'e'),
                (3, 4, b'\n'),
                (4, 1, b'f'),
            ];
            assert_eq!(found, expected, "{block_bytes}");
            assert_eq!(window.bytes(), text.len() as u64);
        }
    }
}
