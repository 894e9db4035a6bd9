//! Names in traces are bytes of unknown encoding. They are kept as they are and decoded only
//! to be shown.

use std::borrow::Cow;

/// Decodes a name for display: UTF-8 if it is valid, else Latin-1, which never fails.
pub fn display_text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| byte as char).collect()),
    }
}

/// Decodes a name for a terminal: as [`display_text`], with control characters escaped so that
/// a trace cannot drive the terminal.
pub fn printable(bytes: &[u8]) -> Cow<'_, str> {
    let text = display_text(bytes);
    if !text.chars().any(char::is_control) {
        return text;
    }
    let escaped = text.chars().fold(String::new(), |mut out, c| {
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
        out
    });
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_decoded_and_made_harmless() {
        assert_eq!(display_text("é".as_bytes()), "é");
        assert_eq!(display_text(b"caf\xe9"), "café");
        assert_eq!(printable(b"a\x1b[31mb"), "a\\u{1b}[31mb");
        assert_eq!(printable(b"plain"), "plain");
    }
}
