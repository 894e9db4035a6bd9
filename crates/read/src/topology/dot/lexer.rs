//! Text to tokens.

use std::borrow::Cow;

use crate::topology::SyntaxError;
use crate::topology::error::quoted;

/// A piece of the text that the grammar knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// One of `{ } [ ] ; , = :`.
    Mark(u8),
    /// `->` or `--`.
    Edge {
        directed: bool,
    },
    Keyword(Keyword),
    /// A name or value in any of its forms, without quotes.
    Name(Cow<'a, [u8]>),
    End,
}

/// The words that are no names unless they stand in quotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Keyword {
    Strict,
    Graph,
    Digraph,
    Subgraph,
    Node,
    Edge,
}

impl Keyword {
    const ALL: [(&'static str, Keyword); 6] = [
        ("strict", Keyword::Strict),
        ("graph", Keyword::Graph),
        ("digraph", Keyword::Digraph),
        ("subgraph", Keyword::Subgraph),
        ("node", Keyword::Node),
        ("edge", Keyword::Edge),
    ];

    fn of(word: &[u8]) -> Option<Keyword> {
        let found = Self::ALL.iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes()));
        found.map(|&(_, keyword)| keyword)
    }

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, keyword)| *keyword == self).map_or("", |(name, _)| name)
    }
}

impl Token<'_> {
    /// How a message calls the token.
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Mark(mark) => format!("\"{}\"", char::from(*mark)),
            Token::Edge { directed: true } => "\"->\"".to_owned(),
            Token::Edge { directed: false } => "\"--\"".to_owned(),
            Token::Keyword(keyword) => format!("the keyword {}", keyword.name()),
            Token::Name(name) => format!("the name {}", quoted(name)),
            Token::End => "the end of the file".to_owned(),
        }
    }
}

pub(super) struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// An error at a place in the text.
    pub(super) fn error(&self, at: usize, message: impl Into<String>) -> SyntaxError {
        SyntaxError::at(self.text, at, message)
    }

    /// The next token and where it begins.
    pub(super) fn next(&mut self) -> Result<(Token<'a>, usize), SyntaxError> {
        self.skip_blanks()?;
        let start = self.at;
        let token = match self.rest() {
            [] => Token::End,
            [b'-', b'-', ..] => self.take(2, Token::Edge { directed: false }),
            [b'-', b'>', ..] => self.take(2, Token::Edge { directed: true }),
            [mark @ (b'{' | b'}' | b'[' | b']' | b';' | b',' | b'=' | b':'), ..] => {
                self.take(1, Token::Mark(*mark))
            }
            [b'"', ..] => Token::Name(self.quoted_strings()?),
            [b'<', ..] => Token::Name(Cow::Borrowed(self.html()?)),
            [first, ..] if is_name_start(*first) || first.is_ascii_digit() => self.bare()?,
            [b'.' | b'-', b'0'..=b'9', ..] | [b'-', b'.', b'0'..=b'9', ..] => self.bare()?,
            rest => return Err(self.error(start, unexpected(rest))),
        };
        Ok((token, start))
    }

    fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    fn take(&mut self, n_bytes: usize, token: Token<'a>) -> Token<'a> {
        self.at += n_bytes;
        token
    }

    /// Skips blanks, comments, and lines that begin with `#`.
    fn skip_blanks(&mut self) -> Result<(), SyntaxError> {
        loop {
            let rest = self.rest();
            match rest {
                [b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c, ..] => self.at += 1,
                [b'/', b'/', ..] => self.skip_line(),
                [b'#', ..] if self.is_first_in_line() => self.skip_line(),
                [b'/', b'*', body @ ..] => {
                    let end = memchr::memmem::find(body, b"*/").ok_or_else(|| {
                        self.error(self.at, "the comment that begins here has no end \"*/\"")
                    })?;
                    self.at += end + 4;
                }
                _ => return Ok(()),
            }
        }
    }

    fn skip_line(&mut self) {
        self.at += memchr::memchr(b'\n', self.rest()).unwrap_or(self.rest().len());
    }

    fn is_first_in_line(&self) -> bool {
        let before = self.text[..self.at].iter().rev();
        before.take_while(|&&byte| byte != b'\n').all(u8::is_ascii_whitespace)
    }

    /// A keyword, or a name that needs no quotes.
    fn bare(&mut self) -> Result<Token<'a>, SyntaxError> {
        let rest = self.rest();
        let numeric = !is_name_start(rest[0]);
        let inside =
            |byte: &u8| is_name_start(*byte) || byte.is_ascii_digit() || numeric && *byte == b'.';
        // The first byte may be a minus.
        let length = 1 + rest[1..].iter().take_while(|byte| inside(byte)).count();
        self.at += length;
        // Graphviz would take `node-1` for two names.
        if let [b'.', ..] | [b'-', b'.' | b'0'..=b'9', ..] = self.rest() {
            return Err(self.error(self.at, unexpected(self.rest())));
        }
        let word = &rest[..length];
        Ok(Keyword::of(word).map_or(Token::Name(Cow::Borrowed(word)), Token::Keyword))
    }

    /// One string in quotes, or several with `+` between them.
    fn quoted_strings(&mut self) -> Result<Cow<'a, [u8]>, SyntaxError> {
        let mut text = self.quoted_string()?;
        loop {
            let end = self.at;
            self.skip_blanks()?;
            if !self.rest().starts_with(b"+") {
                self.at = end;
                return Ok(text);
            }
            self.at += 1;
            self.skip_blanks()?;
            if !self.rest().starts_with(b"\"") {
                return Err(self.error(self.at, "expected a string in quotes after \"+\""));
            }
            text.to_mut().extend_from_slice(&self.quoted_string()?);
        }
    }

    fn quoted_string(&mut self) -> Result<Cow<'a, [u8]>, SyntaxError> {
        let start = self.at;
        let body = &self.text[start + 1..];
        let mut text = Cow::Borrowed(&body[..0]);
        let (mut from, mut at) = (0, 0);
        loop {
            let Some(found) = memchr::memchr2(b'"', b'\\', &body[at..]) else {
                return Err(self.error(start, "the string that begins here has no end"));
            };
            at += found;
            // What an escape leaves out: the backslash, or all of a broken line.
            let (left_out, kept) = match &body[at..] {
                [b'"', ..] => break,
                [b'\\', b'"', ..] => (1, 1),
                [b'\\', b'\n', ..] => (2, 0),
                [b'\\', b'\r', b'\n', ..] => (3, 0),
                [b'\\', _, ..] => (0, 2),
                _ => (0, 1),
            };
            if left_out > 0 {
                text.to_mut().extend_from_slice(&body[from..at]);
                from = at + left_out;
            }
            at += left_out + kept;
        }
        self.at = start + 1 + at + 1;
        if from == 0 {
            return Ok(Cow::Borrowed(&body[..at]));
        }
        text.to_mut().extend_from_slice(&body[from..at]);
        Ok(text)
    }

    /// Text between angle brackets, which may hold others in pairs.
    fn html(&mut self) -> Result<&'a [u8], SyntaxError> {
        let start = self.at;
        let mut depth = 0_usize;
        for at in memchr::memchr2_iter(b'<', b'>', self.rest()) {
            if self.text[start + at] == b'<' {
                depth += 1;
            } else {
                depth -= 1;
            }
            if depth == 0 {
                self.at = start + at + 1;
                return Ok(&self.text[start + 1..start + at]);
            }
        }
        Err(self.error(start, "the text that begins here with \"<\" has no end \">\""))
    }
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn unexpected(rest: &[u8]) -> String {
    let what = quoted(&rest[..1]);
    format!("unexpected {what}; a name with other than letters, digits and _ must be in quotes")
}
