//! Short numbers: hundredths of a pixel, without what can be left out.

use std::fmt::Write;

/// A length in hundredths of a pixel. Two shapes that share an edge write the same number for it,
/// so no gap can open between them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Hundredths(pub i64);

impl Hundredths {
    /// The nearest number of hundredths; what is no number is 0.
    pub fn of(pixels: f64) -> Self {
        Self((pixels * 100.0).round() as i64)
    }
}

/// Appends a number as short as SVG allows: `.5`, `-3`, `12.25`. A space comes before it where it
/// would else run into a number.
pub(crate) fn push(out: &mut String, Hundredths(number): Hundredths) {
    if number < 0 {
        out.push('-');
    } else if out.ends_with(|last: char| last.is_ascii_digit()) {
        out.push(' ');
    }
    let (whole, rest) = (number.unsigned_abs() / 100, number.unsigned_abs() % 100);
    if whole > 0 || rest == 0 {
        let _ = write!(out, "{whole}");
    }
    if rest > 0 {
        let digits = format!(".{rest:02}");
        out.push_str(digits.trim_end_matches('0'));
    }
}

/// Appends ` name="number"`.
pub(crate) fn push_attribute(out: &mut String, name: &str, pixels: f64) {
    let _ = write!(out, " {name}=\"");
    push(out, Hundredths::of(pixels));
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(pixels: f64) -> String {
        let mut out = String::new();
        push(&mut out, Hundredths::of(pixels));
        out
    }

    #[test]
    fn numbers_are_short() {
        let numbers = [0.0, -0.001, 0.5, 0.05, -0.25, 1.0, 1.1, 12.345, -3.0, 1e6, 99.999];
        let texts = numbers.map(text).join(" ");
        assert_eq!(texts, "0 0 .5 .05 -.25 1 1.1 12.35 -3 1000000 100");
    }

    #[test]
    fn what_is_no_number_is_still_written_as_one() {
        assert_eq!(text(f64::NAN), "0");
        assert!(text(f64::INFINITY).bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
        assert!(text(f64::NEG_INFINITY).starts_with('-'));
    }

    #[test]
    fn numbers_are_kept_apart() {
        let mut out = "M".to_owned();
        for number in [1.0, 2.5, -3.0, 0.25, 4.0] {
            push(&mut out, Hundredths::of(number));
        }
        assert_eq!(out, "M1 2.5-3 .25 4");
    }

    #[test]
    fn attributes_are_quoted() {
        let mut out = "<a".to_owned();
        push_attribute(&mut out, "x", -1.5);
        assert_eq!(out, "<a x=\"-1.5\"");
    }
}
