//! Colours of the Pajé format.

use onca_model::Color;

/// Reads a colour: three or four numbers separated by blanks or commas, six hexadecimal
/// digits, or `#rgb`, `#rrggbb`, `#rrggbbaa`.
pub(super) fn parse_color(text: &[u8]) -> Option<Color> {
    let text = std::str::from_utf8(text).ok()?.trim();
    if let Some(digits) = text.strip_prefix('#') {
        return match digits.len() {
            3 => hexadecimal(&digits.chars().flat_map(|c| [c, c]).collect::<String>()),
            6 | 8 => hexadecimal(digits),
            _ => None,
        };
    }
    numbers(text).or_else(|| if text.len() == 6 { hexadecimal(text) } else { None })
}

fn hexadecimal(digits: &str) -> Option<Color> {
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let channel = |i: usize| u8::from_str_radix(digits.get(2 * i..2 * i + 2)?, 16).ok();
    let alpha = if digits.len() == 8 { channel(3)? } else { 255 };
    Some(Color { red: channel(0)?, green: channel(1)?, blue: channel(2)?, alpha })
}

fn numbers(text: &str) -> Option<Color> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_ascii_whitespace() || c == ',')
        .filter(|w| !w.is_empty())
        .collect();
    if !(3..=4).contains(&words.len()) {
        return None;
    }
    let channels: Vec<f64> = words.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let bytes =
        channels.iter().any(|&c| c > 1.0) && words.iter().all(|w| !w.contains(['.', 'e', 'E']));
    let scale = if bytes { 1.0 } else { 255.0 };
    let channel = |i: usize| (channels[i] * scale).round().clamp(0.0, 255.0) as u8;
    let alpha = if channels.len() == 4 { channel(3) } else { 255 };
    Some(Color { red: channel(0), green: channel(1), blue: channel(2), alpha })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_spellings() {
        for (text, expected) in [
            ("1 0.5 0", Some(Color::rgb(255, 128, 0))),
            (".9 .1 .0", Some(Color::rgb(230, 26, 0))),
            ("1,0,0", Some(Color::rgb(255, 0, 0))),
            ("0 0 1 0.5", Some(Color { red: 0, green: 0, blue: 255, alpha: 128 })),
            ("255 128 0", Some(Color::rgb(255, 128, 0))),
            ("ff8000", Some(Color::rgb(255, 128, 0))),
            ("#ff8000", Some(Color::rgb(255, 128, 0))),
            ("#f80", Some(Color::rgb(255, 136, 0))),
            ("#ff800040", Some(Color { red: 255, green: 128, blue: 0, alpha: 64 })),
            ("red", None),
            ("", None),
            ("1 0", None),
            ("1 0 0 0 0", None),
            ("a b c", None),
            ("#ff80", None),
            ("é", None),
        ] {
            assert_eq!(parse_color(text.as_bytes()), expected, "{text}");
        }
    }
}
