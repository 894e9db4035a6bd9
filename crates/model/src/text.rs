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

/// A text as a field of comma-separated values (RFC 4180). To be `safe` for spreadsheets, one that they
/// would take for a formula has an apostrophe first.
pub fn csv_field(text: &[u8], safe: bool) -> Cow<'_, [u8]> {
    let is_formula = safe && matches!(text, [b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r', ..]);
    let is_quoted = text.iter().any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n'));
    if !is_formula && !is_quoted {
        return Cow::Borrowed(text);
    }
    let mut field = Vec::with_capacity(text.len() + 3);
    let quote = is_quoted.then_some(b'"');
    field.extend(quote);
    field.extend(is_formula.then_some(b'\''));
    for &byte in text {
        field.extend((byte == b'"').then_some(byte));
        field.push(byte);
    }
    field.extend(quote);
    Cow::Owned(field)
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

    #[test]
    fn fields_are_quoted_and_made_harmless() {
        let field =
            |text: &str, safe| String::from_utf8(csv_field(text.as_bytes(), safe).into_owned());
        for (text, safe, expected) in [
            ("plain", true, "plain"),
            ("", true, ""),
            ("a,b", false, "\"a,b\""),
            ("say \"x\"", false, "\"say \"\"x\"\"\""),
            ("two\nlines", false, "\"two\nlines\""),
            ("=1+1", false, "=1+1"),
            ("=1+1", true, "'=1+1"),
            ("@x", true, "'@x"),
            ("-1,\"x\"", true, "\"'-1,\"\"x\"\"\""),
            ("\rx", true, "\"'\rx\""),
        ] {
            assert_eq!(field(text, safe).as_deref(), Ok(expected), "{text:?}");
        }
    }
}
