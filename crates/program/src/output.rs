//! Standard output, where answers go. A terminal is shown no more than anybody reads, and nothing that
//! drives it: names of traces may hold anything.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use onca_model::printable;
use serde::Serialize;

use crate::guest::KeptOutput;
use crate::{Failure, is_guest, written};

const CHUNK: usize = 1 << 16;
/// A terminal is shown this many bytes: hours of reading.
const MOST_SHOWN: u64 = 10 << 20;

/// Writes an answer to standard output.
pub fn print(write: impl FnOnce(&mut Output) -> io::Result<()>) -> Result<(), Failure> {
    let mut out = output();
    written(write(&mut out).and_then(|()| out.flush()))
}

/// Writes an answer as JSON for people and programs: indented, with an end of line. It is written while it
/// is made, so that a long answer takes no memory of its own.
pub fn write_json(out: &mut (impl Write + ?Sized), answer: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, answer)?;
    out.write_all(b"\n")
}

/// Standard output. What it holds back at the end is to be flushed.
pub fn output() -> Output {
    if is_guest() {
        return Output::Kept(KeptOutput);
    }
    let out = io::stdout().lock();
    match out.is_terminal() {
        true => Output::Screen(Screen::new(out, MOST_SHOWN)),
        false => Output::File(BufWriter::with_capacity(CHUNK, out)),
    }
}

/// Standard output.
#[derive(Debug)]
pub enum Output {
    /// A file or a pipe, which gets every byte as it is.
    File(BufWriter<StdoutLock<'static>>),
    /// A terminal.
    Screen(Screen<StdoutLock<'static>>),
    /// Whoever asks.
    Kept(KeptOutput),
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(out) => out.write(bytes),
            Self::Screen(out) => out.write(bytes),
            Self::Kept(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(out) => out.flush(),
            Self::Screen(out) => out.flush(),
            Self::Kept(out) => out.flush(),
        }
    }
}

/// Text for people: control characters are written in letters, and what is beyond a limit is left out
/// with a word.
#[derive(Debug)]
pub struct Screen<W: Write> {
    out: W,
    /// What may still be shown.
    left: u64,
    /// Not shown yet.
    held: Vec<u8>,
}

impl<W: Write> Screen<W> {
    fn new(out: W, most: u64) -> Self {
        Self { out, left: most, held: Vec::new() }
    }

    /// Shows the first bytes of what is held.
    fn show(&mut self, n: usize) -> io::Result<()> {
        let shown: Vec<u8> = self.held.drain(..n).collect();
        for line in shown.split_inclusive(|&byte| byte == b'\n') {
            let (text, end) = match line.strip_suffix(b"\n") {
                Some(text) => (text.strip_suffix(b"\r").unwrap_or(text), "\n"),
                None => (line, ""),
            };
            let mut cells = text.split(|&byte| byte == b'\t').map(printable);
            self.out.write_all(cells.next().unwrap_or_default().as_bytes())?;
            cells.try_for_each(|cell| write!(self.out, "\t{cell}"))?;
            self.out.write_all(end.as_bytes())?;
        }
        Ok(())
    }
}

impl<W: Write> Write for Screen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if taken == 0 && !bytes.is_empty() {
            self.flush()?;
            let limit = MOST_SHOWN >> 20;
            let word = format!(
                "\n… a terminal is shown {limit} MiB at most: write to a file (> FILE) or to a pager (| less)"
            );
            writeln!(self.out, "{word}")?;
            // Nobody reads on, as when a pager was left.
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.left -= taken as u64;
        self.held.extend_from_slice(&bytes[..taken]);
        if self.held.len() >= CHUNK {
            // Characters are not torn: those in a line that is not complete wait for their rest.
            let end = self.held.iter().rposition(|&byte| byte == b'\n').map(|at| at + 1);
            let end = end.or_else(|| self.held.utf8_chunks().next().map(|it| it.valid().len()));
            self.show(end.filter(|&end| end > 0).unwrap_or(self.held.len()))?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.show(self.held.len())?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: &[&[u8]], most: u64) -> (String, io::Result<()>) {
        let mut screen = Screen::new(Vec::new(), most);
        let result = pieces.iter().try_for_each(|piece| screen.write_all(piece));
        let result = result.and_then(|()| screen.flush());
        (String::from_utf8(screen.out).expect("text"), result)
    }

    #[test]
    fn nothing_drives_a_terminal() {
        let (text, result) =
            shown(&[b"a\x1b]0;title\x07\tb\r\nc\xc2", b"\x9b31m\rd\xe9\n"], 1 << 20);
        assert_eq!(text, "a\\u{1b}]0;title\\u{7}\tb\nc\u{c2}\\u{9b}31m\\rd\u{e9}\n");
        assert!(result.is_ok());
        let (text, _) = shown(&["é\u{9b}31m µ\n".as_bytes()], 1 << 20);
        assert_eq!(text, "é\\u{9b}31m µ\n");
    }

    #[test]
    fn characters_are_whole_wherever_pieces_end() {
        let line = "µé€🦀".repeat(20_000);
        for step in [1, 3, 7, 4_096] {
            let pieces: Vec<&[u8]> = line.as_bytes().chunks(step).collect();
            assert_eq!(shown(&pieces, 1 << 20).0, line, "{step}");
        }
    }

    #[test]
    fn what_nobody_reads_is_left_out_with_a_word() {
        let line = b"0123456789\n";
        let (text, result) = shown(&[&line[..]; 40], 220);
        assert_eq!(text.lines().filter(|line| *line == "0123456789").count(), 20);
        assert!(text.trim_end().ends_with("(| less)"), "{text}");
        assert_eq!(result.map_err(|error| error.kind()), Err(io::ErrorKind::BrokenPipe));
        assert!(shown(&[&line[..]; 20], 220).1.is_ok());
    }
}
