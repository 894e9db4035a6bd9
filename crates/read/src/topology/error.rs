//! What is wrong with a text, and where.

use std::fmt;

use onca_model::printable;

/// A text does not follow its grammar. The caller knows which file it is from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: u64,
    /// The byte in the line, from 1.
    pub column: u64,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl SyntaxError {
    /// Tells the line and column of a place in a text.
    pub(super) fn at(text: &[u8], offset: usize, message: impl Into<String>) -> Self {
        let before = &text[..offset.min(text.len())];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        Self {
            line: memchr::memchr_iter(b'\n', before).count() as u64 + 1,
            column: (before.len() - line_start) as u64 + 1,
            message: message.into(),
        }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for SyntaxError {}

/// The longest piece of a file that a message repeats.
const MAX_QUOTED: usize = 40;

/// A piece of a file in quotes, cut if it is long.
pub(super) fn quoted(text: &[u8]) -> String {
    let cut = text.len() > MAX_QUOTED;
    let shown = if cut { &text[..MAX_QUOTED] } else { text };
    format!("\"{}{}\"", printable(shown), if cut { "..." } else { "" })
}

/// The text without the mark that some editors put before UTF-8.
pub(super) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}
