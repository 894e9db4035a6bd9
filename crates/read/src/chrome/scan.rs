//! A JSON scanner over a piece of text: strings, bare words and nested values, found without
//! recursion and without copying.
//!
//! Traces are written by many hands, so the scanner is lenient where that is harmless: raw
//! control characters in strings, numbers that JSON does not have, anything inside nested values
//! whose brackets match.

use std::borrow::Cow;

/// How deep brackets may nest.
pub(super) const MAX_NESTING: usize = 1024;

/// A stretch of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub fn of(self, text: &[u8]) -> &[u8] {
        &text[self.start..self.end]
    }
}

/// A value, by where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Value {
    /// There is none.
    #[default]
    Absent,
    /// A string without its quotes.
    Text {
        /// Its bytes as written.
        span: Span,
        /// Some of them are escapes.
        escaped: bool,
    },
    /// A number or a word.
    Bare(Span),
    /// An object or array, with its brackets.
    Nested(Span),
}

impl Value {
    /// The value as text: strings unescaped, everything else as written.
    pub fn text<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        match *self {
            Self::Absent => Cow::Borrowed(b""),
            Self::Text { span, escaped: true } => Cow::Owned(unescape(span.of(text))),
            Self::Text { span, escaped: false } | Self::Bare(span) | Self::Nested(span) => {
                Cow::Borrowed(span.of(text))
            }
        }
    }

    /// Where the value begins; 0 if there is none.
    pub fn start(&self) -> usize {
        match self {
            Self::Absent => 0,
            Self::Text { span, .. } | Self::Bare(span) | Self::Nested(span) => span.start,
        }
    }

    /// Is there anything?
    pub fn is_absent(&self) -> bool {
        *self == Self::Absent
    }
}

/// Why a value cannot be scanned; the scanner stands where that showed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// The text ends before the value does.
    Cut,
    /// The text is not JSON: what should be there.
    Wrong(&'static str),
}

/// A place in a text, and what can be scanned from there.
pub(super) struct Scanner<'t> {
    text: &'t [u8],
    /// The place.
    pub at: usize,
}

impl<'t> Scanner<'t> {
    pub fn new(text: &'t [u8], at: usize) -> Self {
        Self { text, at }
    }

    /// Skips white space; the byte after it.
    #[inline(always)]
    pub fn peek(&mut self) -> Result<u8, Fault> {
        while let Some(&byte) = self.text.get(self.at) {
            if !is_blank(byte) {
                return Ok(byte);
            }
            self.at += 1;
        }
        Err(Fault::Cut)
    }

    /// Skips white space and one byte that must be there.
    #[inline(always)]
    pub fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), Fault> {
        if self.peek()? != byte {
            return Err(Fault::Wrong(what));
        }
        self.at += 1;
        Ok(())
    }

    /// The key of the next member of an object and the colon after it; `None` at the end of the
    /// object. `first` tells whether a member came before.
    #[inline(always)]
    pub fn key(&mut self, first: bool) -> Result<Option<Value>, Fault> {
        let mut next = self.peek()?;
        if next == b',' && !first {
            self.at += 1;
            next = self.peek()?;
        } else if next != b'}' && !first {
            return Err(Fault::Wrong("a comma or a closing brace"));
        }
        match next {
            // A comma before the brace is a slip that harms nobody.
            b'}' => {
                self.at += 1;
                Ok(None)
            }
            b'"' => {
                let key = self.string()?;
                self.expect(b':', "a colon")?;
                Ok(Some(key))
            }
            _ => Err(Fault::Wrong("a key in quotes")),
        }
    }

    /// Any value.
    #[inline(always)]
    pub fn value(&mut self) -> Result<Value, Fault> {
        match self.peek()? {
            b'"' => self.string(),
            b'{' | b'[' => self.nested(),
            _ => self.bare(),
        }
    }

    /// A string; the scanner stands on its first quote.
    #[inline(always)]
    pub fn string(&mut self) -> Result<Value, Fault> {
        let start = self.at + 1;
        let mut escaped = false;
        let mut at = start;
        loop {
            at = find_quote_or_escape(self.text, at);
            match self.text.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(Value::Text { span: Span { start, end: at }, escaped });
                }
                Some(_) => {
                    escaped = true;
                    at += 2;
                }
                None => return Err(Fault::Cut),
            }
        }
    }

    /// A number or a word: whatever is neither blank nor punctuation.
    #[inline(always)]
    fn bare(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        let rest = &self.text[start..];
        let len = rest.iter().position(|&byte| !is_bare(byte)).ok_or(Fault::Cut)?;
        if len == 0 {
            return Err(Fault::Wrong("a value"));
        }
        self.at += len;
        Ok(Value::Bare(Span { start, end: self.at }))
    }

    /// An object or array of which only the brackets matter.
    fn nested(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        let mut brackets = Brackets::default();
        loop {
            match self.text.get(self.at) {
                None => return Err(Fault::Cut),
                Some(b'"') => {
                    self.string()?;
                    continue;
                }
                Some(&open @ (b'{' | b'[')) => brackets.open(open == b'{')?,
                Some(&close @ (b'}' | b']')) if brackets.close(close == b'}')? => {
                    self.at += 1;
                    return Ok(Value::Nested(Span { start, end: self.at }));
                }
                Some(_) => {}
            }
            self.at += 1;
        }
    }
}

/// Which brackets are open, a bit for each.
#[derive(Default)]
struct Brackets {
    are_braces: [u64; MAX_NESTING / 64],
    depth: usize,
}

impl Brackets {
    fn open(&mut self, is_brace: bool) -> Result<(), Fault> {
        if self.depth == MAX_NESTING {
            return Err(Fault::Wrong("values that nest less than 1,024 deep"));
        }
        let bit = 1 << (self.depth % 64);
        let word = &mut self.are_braces[self.depth / 64];
        *word = if is_brace { *word | bit } else { *word & !bit };
        self.depth += 1;
        Ok(())
    }

    /// Closes the innermost; true if it was the outermost.
    fn close(&mut self, is_brace: bool) -> Result<bool, Fault> {
        self.depth -= 1;
        let was_brace = self.are_braces[self.depth / 64] >> (self.depth % 64) & 1 == 1;
        match (is_brace, was_brace) {
            (true, false) => Err(Fault::Wrong("a closing bracket")),
            (false, true) => Err(Fault::Wrong("a closing brace")),
            _ => Ok(self.depth == 0),
        }
    }
}

#[inline(always)]
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

#[inline(always)]
fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.' | b'_')
}

/// Where the next quote or backslash is, or beyond the end. Most strings are short, so eight
/// bytes are looked at together, without the preparations of a search for longer texts.
#[inline(always)]
fn find_quote_or_escape(text: &[u8], from: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let mut at = from;
    while let Some(eight) = text.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*eight);
        let quotes = word ^ (ONES * b'"' as u64);
        let escapes = word ^ (ONES * b'\\' as u64);
        // The lowest high bit that is set belongs to the first byte that is zero.
        let zeros =
            (quotes.wrapping_sub(ONES) & !quotes | escapes.wrapping_sub(ONES) & !escapes) & HIGHS;
        if zeros != 0 {
            return at + zeros.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(rest.len())
}

/// A string without its escapes. What is no escape stays as it is; a surrogate without its
/// other half becomes the replacement character.
pub(super) fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let Some((&kind, after)) = rest.split_first() else {
            out.push(b'\\');
            break;
        };
        rest = after;
        match kind {
            b'"' | b'\\' | b'/' => out.push(kind),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => push_unicode(&mut out, &mut rest),
            _ => out.extend_from_slice(&[b'\\', kind]),
        }
    }
    out.extend_from_slice(rest);
    out
}

/// Takes the four digits after `\u`, and a second escape if the first is half a character.
fn push_unicode(out: &mut Vec<u8>, rest: &mut &[u8]) {
    let Some(first) = take_four_digits(rest) else {
        return out.extend_from_slice(b"\\u");
    };
    let mut code = first;
    if (0xd800..0xdc00).contains(&first)
        && let Some(mut after) = rest.strip_prefix(b"\\u")
        && let Some(second @ 0xdc00..0xe000) = take_four_digits(&mut after)
    {
        code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        *rest = after;
    }
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

fn take_four_digits(rest: &mut &[u8]) -> Option<u32> {
    let (digits, after) = rest.split_first_chunk::<4>()?;
    let mut code = 0;
    for &digit in digits {
        code = code << 4 | (digit as char).to_digit(16)?;
    }
    *rest = after;
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<(String, usize), (Fault, usize)> {
        let mut scanner = Scanner::new(text.as_bytes(), 0);
        match scanner.value() {
            Ok(value) => {
                let shown = String::from_utf8_lossy(&value.text(text.as_bytes())).into_owned();
                Ok((shown, scanner.at))
            }
            Err(fault) => Err((fault, scanner.at)),
        }
    }

    #[test]
    fn values_are_found() {
        let found = |text: &str, len| Ok((text.to_owned(), len));
        assert_eq!(value(r#" "a long enough text", 1"#), found("a long enough text", 21));
        assert_eq!(value(r#""say \"hi\" \\","#), found(r#"say "hi" \"#, 15));
        assert_eq!(value("-1.5e3,"), found("-1.5e3", 6));
        assert_eq!(value("null}"), found("null", 4));
        assert_eq!(value(r#"{"a":["}",{}]} x"#), found(r#"{"a":["}",{}]}"#, 14));
    }

    #[test]
    fn what_is_cut_or_wrong_is_told_apart() {
        for cut in ["", "  ", "\"abc", "\"abc\\", "12", "{\"a\":[1,2]", "[\"]"] {
            assert_eq!(value(cut).map_err(|(fault, _)| fault), Err(Fault::Cut), "{cut}");
        }
        assert_eq!(value("[1}"), Err((Fault::Wrong("a closing bracket"), 2)));
        assert_eq!(value(", "), Err((Fault::Wrong("a value"), 0)));
        let deep = "[".repeat(MAX_NESTING + 1);
        assert!(matches!(value(&deep), Err((Fault::Wrong(_), MAX_NESTING))));
        let allowed = "[".repeat(MAX_NESTING) + &"]".repeat(MAX_NESTING);
        assert_eq!(value(&allowed), Ok((allowed.clone(), 2 * MAX_NESTING)));
    }

    #[test]
    fn escapes_become_characters() {
        let plain = |text: &str| String::from_utf8(unescape(text.as_bytes())).expect("UTF-8");
        assert_eq!(plain(r"a\tb\/c\u00e9\ud83d\ude00"), "a\tb/c\u{e9}\u{1f600}");
        assert_eq!(plain(r"\ud83d x \ude00"), "\u{fffd} x \u{fffd}");
        assert_eq!(plain(r"\q \u12 \"), r"\q \u12 \");
    }

    #[test]
    fn eight_bytes_at_once_are_searched_like_one() {
        let mut state = 3u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let letters = [b'a', b'"', b'\\', 0x80, b'"' ^ 0x80, 0xff, b'!', b'#'];
            let len = (state >> 59) as usize;
            let text: Vec<u8> =
                (0..len).map(|i| letters[(state >> (i % 40)) as usize % 31 % 8]).collect();
            let plain = text.iter().position(|b| matches!(b, b'"' | b'\\')).unwrap_or(len);
            assert_eq!(find_quote_or_escape(&text, 0), plain, "{text:?}");
        }
    }
}
