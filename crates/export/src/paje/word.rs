//! Words of a Pajé line: bare, or in quotes. The format has no escapes.

use std::io::{self, Write};

use onca_model::{Ticks, TimeUnit};

/// Writes words, and counts those that could not be said.
pub(crate) struct Words<W> {
    pub out: W,
    /// Texts that were changed because no word can hold them.
    pub changed: u64,
}

impl<W: Write> Words<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, changed: 0 }
    }

    /// Writes a blank and a text as one word.
    pub(crate) fn text(&mut self, text: &[u8]) -> io::Result<()> {
        self.out.write_all(b" ")?;
        if is_bare(text) {
            return self.out.write_all(text);
        }
        self.out.write_all(b"\"")?;
        if is_sayable(text) {
            self.out.write_all(text)?;
        } else {
            self.changed += 1;
            let sayable: Vec<u8> = text.iter().map(|&byte| nearest(byte)).collect();
            self.out.write_all(&sayable)?;
        }
        self.out.write_all(b"\"")
    }

    /// Writes a blank and a time, with all decimals of a tick.
    pub(crate) fn time(&mut self, unit: &TimeUnit, ticks: Ticks) -> io::Result<()> {
        if unit.ticks_per_unit != onca_model::DEFAULT_TICKS_PER_UNIT {
            return write!(self.out, " {}", unit.format(ticks));
        }
        let sign = if ticks < 0 { "-" } else { "" };
        let (whole, part) =
            (ticks.unsigned_abs() / 1_000_000_000, ticks.unsigned_abs() % 1_000_000_000);
        write!(self.out, " {sign}{whole}.{part:09}")
    }

    /// Writes a blank and a number that reads back as the same number.
    pub(crate) fn number(&mut self, number: f64) -> io::Result<()> {
        let size = number.abs();
        if number.is_nan() {
            self.out.write_all(b" nan")
        } else if number.is_infinite() || size == 0.0 || (1e-5..1e16).contains(&size) {
            write!(self.out, " {number}")
        } else {
            write!(self.out, " {number:e}")
        }
    }

    /// Ends the line.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")
    }
}

/// Can the text stand without quotes?
fn is_bare(text: &[u8]) -> bool {
    let plain = |byte: &u8| !matches!(byte, b' ' | b'\t'..=b'\r' | b'#' | b'\0');
    !text.is_empty() && text[0] != b'"' && text.iter().all(plain)
}

/// Can the text stand in quotes?
pub(super) fn is_sayable(text: &[u8]) -> bool {
    !text.iter().any(|byte| matches!(byte, b'"' | b'\n' | b'\0'))
}

/// A byte that looks like one that quotes cannot hold.
fn nearest(byte: u8) -> u8 {
    match byte {
        b'"' => b'\'',
        b'\n' | b'\0' => b' ',
        byte => byte,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Words<Vec<u8>>) -> io::Result<()>) -> String {
        let mut words = Words::new(Vec::new());
        write(&mut words).expect("written");
        String::from_utf8(words.out).expect("text")
    }

    #[test]
    fn words_are_quoted_where_the_format_wants_it() {
        for (text, expected) in [
            ("rank0", " rank0"),
            ("two words", " \"two words\""),
            ("", " \"\""),
            ("y#z", " \"y#z\""),
            ("q\"r", " q\"r"),
            ("\"q", " \"'q\""),
            ("a \"b\"", " \"a 'b'\""),
            ("back\\slash", " back\\slash"),
        ] {
            assert_eq!(written(|words| words.text(text.as_bytes())), expected);
        }
    }

    #[test]
    fn numbers_read_back_as_they_were() {
        for number in [0.0, -0.0, 0.1, 1e-300, -3.5e300, 123456789.125, f64::MAX, f64::MIN_POSITIVE]
        {
            let text = written(|words| words.number(number));
            assert_eq!(text.trim().parse(), Ok(number), "{text}");
            assert!(text.len() < 30, "{text}");
        }
        assert_eq!(written(|words| words.number(f64::NEG_INFINITY)), " -inf");
        assert_eq!(written(|words| words.time(&TimeUnit::default(), -1)), " -0.000000001");
    }
}
