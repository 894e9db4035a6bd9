//! What is wrong with a text that the user wrote, and where.

use std::fmt;

/// A text that could not be understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// Where in the text, in bytes from its begin.
    pub at: usize,
    /// What is wrong there, and what would be right.
    pub message: String,
}

impl SyntaxError {
    pub(crate) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }

    /// Something else stands at a place of the text, or nothing at all.
    pub(crate) fn unexpected(text: &str, at: usize, wanted: &str) -> Self {
        let message = match text[at..].chars().next() {
            Some(c) => format!("\"{}\" where {wanted} should be", c.escape_debug()),
            None => format!("the text ends where {wanted} should be"),
        };
        Self { at, message }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // People count from one.
        write!(f, "column {}: {}", self.at + 1, self.message)
    }
}

impl std::error::Error for SyntaxError {}
