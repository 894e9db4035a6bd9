//! Questions of the page as commands that draw the same.

use onca_query::Lens;

use crate::question::Seen;

/// The file that commands name for the lens.
pub const LENS_FILE: &str = "lens.json";

/// The flags of the window; none for the whole trace.
pub fn window_flags(seen: &Seen<'_>) -> Vec<String> {
    let facts = &seen.scope.catalog().facts;
    let window = seen.scope.window();
    if (window.from, window.to) == (facts.start, facts.end) {
        return Vec::new();
    }
    let time = |ticks| facts.unit.format(ticks);
    vec![format!("--from={}", time(window.from)), format!("--to={}", time(window.to))]
}

/// The text of the lens; none if it shows everything as it is.
pub fn lens_file(lens: &Lens) -> Option<String> {
    (*lens != Lens::clear()).then(|| lens.to_json())
}

/// Words as shells read them.
pub fn line(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+%@".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A text that fits a header: everything but plain characters as `%` and two digits.
pub fn percent_encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_shells() {
        assert_eq!(quoted("--from=1.5"), "--from=1.5");
        assert_eq!(quoted("my run.paje"), "'my run.paje'");
        assert_eq!(quoted("it's; rm -rf $HOME"), r"'it'\''s; rm -rf $HOME'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn commands_fit_into_headers() {
        assert_eq!(percent_encoded("é b\n"), "%C3%A9%20b%0A");
    }
}
