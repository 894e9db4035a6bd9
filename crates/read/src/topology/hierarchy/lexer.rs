//! Text to tokens, in either notation.

use crate::topology::SyntaxError;
use crate::topology::error::quoted;

/// How a hierarchy is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Notation {
    PropertyList,
    Json,
}

impl Notation {
    /// Tells the notation from how the text begins: in JSON the first key is in quotes and a
    /// colon follows, and lists are in square brackets.
    pub(super) fn detect(text: &[u8]) -> Self {
        let text = text.trim_ascii_start();
        let json = match text.strip_prefix(b"[") {
            Some(_) => true,
            None => text.strip_prefix(b"{").is_some_and(begins_with_json_key),
        };
        if json { Notation::Json } else { Notation::PropertyList }
    }

    pub(super) fn assign(self) -> &'static str {
        match self {
            Notation::PropertyList => "\"=\"",
            Notation::Json => "\":\"",
        }
    }

    pub(super) fn entry_separator(self) -> u8 {
        match self {
            Notation::PropertyList => b';',
            Notation::Json => b',',
        }
    }

    pub(super) fn list_end(self) -> &'static str {
        match self {
            Notation::PropertyList => "\")\"",
            Notation::Json => "\"]\"",
        }
    }
}

fn begins_with_json_key(text: &[u8]) -> bool {
    let Some(key) = text.trim_ascii_start().strip_prefix(b"\"") else { return false };
    let Some(end) = memchr::memchr(b'"', key) else { return false };
    key[end + 1..].trim_ascii_start().starts_with(b":")
}

/// A piece of the text that the grammar knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    OpenNode,
    CloseNode,
    OpenList,
    CloseList,
    Assign,
    /// A comma or a semicolon.
    Separator(u8),
    Text(Vec<u8>),
    /// The word of JSON for nothing.
    Null,
    End,
}

impl Token {
    /// How a message calls the token.
    pub(super) fn describe(&self, notation: Notation) -> String {
        match self {
            Token::OpenNode => "\"{\"".to_owned(),
            Token::CloseNode => "\"}\"".to_owned(),
            Token::OpenList => "a list".to_owned(),
            Token::CloseList => notation.list_end().to_owned(),
            Token::Assign => notation.assign().to_owned(),
            Token::Separator(mark) => format!("\"{}\"", char::from(*mark)),
            Token::Text(text) => format!("the text {}", quoted(text)),
            Token::Null => "null".to_owned(),
            Token::End => "the end of the file".to_owned(),
        }
    }
}

pub(super) struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    notation: Notation,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a [u8], notation: Notation) -> Self {
        Self { text, at: 0, notation }
    }

    /// An error at a place in the text.
    pub(super) fn error(&self, at: usize, message: impl Into<String>) -> SyntaxError {
        SyntaxError::at(self.text, at, message)
    }

    /// The next token and where it begins.
    pub(super) fn next(&mut self) -> Result<(Token, usize), SyntaxError> {
        self.skip_blanks()?;
        let start = self.at;
        let Some(&first) = self.text.get(start) else { return Ok((Token::End, start)) };
        let mark = match (first, self.notation) {
            (b'{', _) => Some(Token::OpenNode),
            (b'}', _) => Some(Token::CloseNode),
            (b'(', Notation::PropertyList) | (b'[', Notation::Json) => Some(Token::OpenList),
            (b')', Notation::PropertyList) | (b']', Notation::Json) => Some(Token::CloseList),
            (b'=', Notation::PropertyList) | (b':', Notation::Json) => Some(Token::Assign),
            (b';', Notation::PropertyList) | (b',', _) => Some(Token::Separator(first)),
            _ => None,
        };
        let token = match mark {
            Some(mark) => {
                self.at += 1;
                mark
            }
            None if first == b'"' => Token::Text(self.quoted_string()?),
            None => self.bare()?,
        };
        Ok((token, start))
    }

    /// Skips blanks, and comments where there are any.
    fn skip_blanks(&mut self) -> Result<(), SyntaxError> {
        loop {
            match &self.text[self.at..] {
                [first, ..] if first.is_ascii_whitespace() => self.at += 1,
                [b'/', b'/', rest @ ..] if self.notation == Notation::PropertyList => {
                    self.at += 2 + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                [b'/', b'*', rest @ ..] if self.notation == Notation::PropertyList => {
                    let end = memchr::memmem::find(rest, b"*/").ok_or_else(|| {
                        self.error(self.at, "the comment that begins here has no end \"*/\"")
                    })?;
                    self.at += end + 4;
                }
                _ => return Ok(()),
            }
        }
    }

    /// A text without quotes in a property list, or null.
    fn bare(&mut self) -> Result<Token, SyntaxError> {
        let rest = &self.text[self.at..];
        let length = rest.iter().take_while(|byte| is_bare(**byte)).count();
        let word = &rest[..length];
        if length == 0 {
            let message = format!("unexpected {}", quoted(&rest[..1]));
            return Err(self.error(self.at, message));
        }
        match self.notation {
            Notation::PropertyList => {
                self.at += length;
                Ok(Token::Text(word.to_vec()))
            }
            Notation::Json if word == b"null" => {
                self.at += length;
                Ok(Token::Null)
            }
            Notation::Json => {
                let message = format!("unexpected {}; texts are in quotes", quoted(word));
                Err(self.error(self.at, message))
            }
        }
    }

    fn quoted_string(&mut self) -> Result<Vec<u8>, SyntaxError> {
        let start = self.at;
        self.at += 1;
        let mut text = Vec::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(n_plain) = memchr::memchr2(b'"', b'\\', rest) else {
                return Err(self.error(start, "the text that begins here has no end"));
            };
            text.extend_from_slice(&rest[..n_plain]);
            self.at += n_plain + 1;
            if rest[n_plain] == b'"' {
                return Ok(text);
            }
            self.escape(&mut text)?;
        }
    }

    /// Reads what follows a backslash.
    fn escape(&mut self, text: &mut Vec<u8>) -> Result<(), SyntaxError> {
        let rest = &self.text[self.at..];
        let (n_read, meaning) = match (rest, self.notation) {
            ([b'"', ..], _) => (1, '"'),
            ([b'\\', ..], _) => (1, '\\'),
            ([b'/', ..], _) => (1, '/'),
            ([b'n', ..], _) => (1, '\n'),
            ([b't', ..], _) => (1, '\t'),
            ([b'r', ..], _) => (1, '\r'),
            ([b'b', ..], _) => (1, '\u{8}'),
            ([b'f', ..], _) => (1, '\u{c}'),
            ([b'u', ..], Notation::Json) | ([b'U', ..], Notation::PropertyList) => {
                let unicode = unicode_escape(&rest[1..], rest[0]);
                let (n_read, c) = unicode.ok_or_else(|| self.bad_escape())?;
                (1 + n_read, c)
            }
            ([b'0'..=b'7', ..], Notation::PropertyList) => {
                let digits = rest.iter().take(3).take_while(|byte| (b'0'..=b'7').contains(byte));
                let (n_read, value) = digits.fold((0, 0_u32), |(n, value), digit| {
                    (n + 1, value * 8 + u32::from(digit - b'0'))
                });
                (n_read, char::from_u32(value).ok_or_else(|| self.bad_escape())?)
            }
            _ => return Err(self.bad_escape()),
        };
        self.at += n_read;
        text.extend_from_slice(meaning.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    fn bad_escape(&self) -> SyntaxError {
        self.error(self.at - 1, "unknown escape; write \\\\ for a backslash")
    }
}

/// Bytes of texts that need no quotes in property lists. Those beyond ASCII are letters.
fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || b"_$+/:.-".contains(&byte)
}

/// Four hexadecimal digits, or twice four with the same escape before the second: a character
/// beyond the first 65536 is written as two halves. Returns the bytes read and the character.
fn unicode_escape(rest: &[u8], letter: u8) -> Option<(usize, char)> {
    let first = hex4(rest)?;
    if !(0xd800..0xdc00).contains(&first) {
        return Some((4, char::from_u32(first)?));
    }
    let second = rest.get(4..)?.strip_prefix(&[b'\\', letter])?;
    let second = hex4(second).filter(|half| (0xdc00..0xe000).contains(half))?;
    let both = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    Some((10, char::from_u32(both)?))
}

fn hex4(rest: &[u8]) -> Option<u32> {
    let digit = |value: u32, byte: &u8| Some(value * 16 + char::from(*byte).to_digit(16)?);
    rest.get(..4)?.iter().try_fold(0, digit)
}
