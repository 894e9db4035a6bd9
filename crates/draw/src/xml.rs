//! Text that cannot break out of its place.

/// Appends text so that it can stand between tags or in an attribute. Characters that XML cannot
/// hold at all become the mark for what cannot be shown.
pub(crate) fn push_text(out: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ if is_allowed(letter) => out.push(letter),
            _ => out.push(char::REPLACEMENT_CHARACTER),
        }
    }
}

/// The characters of XML 1.0, without those that readers change: a carriage return becomes a line
/// feed, and the second block of control characters is discouraged.
fn is_allowed(letter: char) -> bool {
    match letter {
        '\t' | '\n' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        _ => !letter.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> String {
        let mut out = String::new();
        push_text(&mut out, text);
        out
    }

    #[test]
    fn markup_is_no_markup() {
        assert_eq!(escaped(r#"</text><a b="&">"#), "&lt;/text&gt;&lt;a b=&quot;&amp;&quot;&gt;");
        assert_eq!(escaped("]]>"), "]]&gt;");
        assert_eq!(escaped("naïve µs 🦀"), "naïve µs 🦀");
    }

    #[test]
    fn what_xml_forbids_is_replaced() {
        assert_eq!(escaped("a\0b\u{1b}c\u{ffff}d\re"), "a�b�c�d�e");
        assert_eq!(escaped("a\tb\nc"), "a\tb\nc");
    }
}
