//! Colours of values and types; only equality matters to the tests.

pub type Color = [f64; 4];

pub fn parse_color(text: &[u8]) -> Option<Color> {
    let text = std::str::from_utf8(text).ok()?.trim();
    if let Some(digits) = text.strip_prefix('#') {
        return match digits.len() {
            3 => {
                let doubled: String = digits.chars().flat_map(|digit| [digit, digit]).collect();
                hex_color(&doubled)
            }
            6 | 8 => hex_color(digits),
            _ => None,
        };
    }
    let parts: Vec<&str> = text
        .split(|c: char| c == ',' || c.is_ascii_whitespace())
        .filter(|part| !part.is_empty())
        .collect();
    if parts.len() == 1 && text.len() == 6 {
        return hex_color(text);
    }
    if parts.len() != 3 && parts.len() != 4 {
        return None;
    }
    let mut color = [0.0, 0.0, 0.0, 1.0];
    for (channel, part) in color.iter_mut().zip(&parts) {
        *channel = part.parse().ok().filter(|value: &f64| value.is_finite())?;
    }
    let integers = parts.iter().all(|part| part.parse::<i64>().is_ok());
    if parts.len() == 3 && integers && color[..3].iter().any(|&value| value > 1.0) {
        for channel in &mut color[..3] {
            *channel /= 255.0;
        }
    }
    Some(color)
}

fn hex_color(digits: &str) -> Option<Color> {
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut color = [0.0, 0.0, 0.0, 1.0];
    for (channel, position) in color.iter_mut().zip((0..digits.len()).step_by(2)) {
        let value = u8::from_str_radix(&digits[position..position + 2], 16).ok()?;
        *channel = f64::from(value) / 255.0;
    }
    Some(color)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readable_colors() {
        let red = Some([1.0, 0.0, 0.0, 1.0]);
        for text in
            ["1 0 0", "1.0, .0 0", "255 0 0", "ff0000", "#ff0000", "#F00", "#ff0000ff", "1 0 0 1"]
        {
            assert_eq!(parse_color(text.as_bytes()), red, "{text}");
        }
    }

    #[test]
    fn unreadable_colors() {
        for text in ["", "red", "1 0", "1 0 0 0 0", "#ff00", "f00", "a b c", "#é0", "é0000"] {
            assert_eq!(parse_color(text.as_bytes()), None, "{text}");
        }
        assert_eq!(parse_color(b"\xff\xfe 0 0"), None);
    }
}
