//! Numbers: exact decimal times and floating-point variable values.

/// Decimals kept in a time: one tick is 10^-9 units.
const TICK_DECIMALS: i64 = 9;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Time {
    Ticks { ticks: i64, rounded: bool },
    NonFinite,
    Bad,
}

fn without_sign(text: &[u8]) -> (bool, &[u8]) {
    match text.first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

fn is_non_finite_word(unsigned: &[u8]) -> bool {
    ["inf", "infinity", "nan"].iter().any(|word| unsigned.eq_ignore_ascii_case(word.as_bytes()))
}

fn leading_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at(count)
}

/// Reads `[sign] digits` completely; far values saturate, they are out of every range anyway.
fn exponent(text: &[u8]) -> Option<i64> {
    let (negative, unsigned) = without_sign(text);
    let (digits, rest) = leading_digits(unsigned);
    if digits.is_empty() || !rest.is_empty() {
        return None;
    }
    let mut value: i64 = 0;
    for digit in digits {
        value = (value * 10 + i64::from(digit - b'0')).min(1_000_000_000_000);
    }
    Some(if negative { -value } else { value })
}

/// Splits a decimal number into sign, all its digits, and the power of ten of the last digit.
fn decimal(text: &[u8]) -> Option<(bool, Vec<u8>, i64)> {
    let (negative, unsigned) = without_sign(text);
    let (whole, mut rest) = leading_digits(unsigned);
    let mut digits = whole.to_vec();
    let mut power = 0;
    if rest.first() == Some(&b'.') {
        let (fraction, after) = leading_digits(&rest[1..]);
        digits.extend_from_slice(fraction);
        power = -(fraction.len() as i64);
        rest = after;
    }
    if digits.is_empty() {
        return None;
    }
    match rest.first() {
        None => {}
        Some(b'e' | b'E') => power += exponent(&rest[1..])?,
        Some(_) => return None,
    }
    Some((negative, digits, power))
}

pub fn parse_time(text: &[u8]) -> Time {
    if is_non_finite_word(without_sign(text).1) {
        return Time::NonFinite;
    }
    let Some((negative, mut digits, mut power)) = decimal(text) else {
        return Time::Bad;
    };
    let leading_zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    digits.drain(..leading_zeros);
    while digits.last() == Some(&b'0') {
        digits.pop();
        power += 1;
    }
    if digits.is_empty() {
        return Time::Ticks { ticks: 0, rounded: false };
    }

    // The value is now digits * 10^shift ticks, and the last digit is not zero.
    let shift = power + TICK_DECIMALS;
    let whole_digits = digits.len() as i64 + shift;
    if whole_digits > 20 {
        return Time::Bad;
    }
    let mut magnitude: i128 = 0;
    for position in 0..whole_digits.max(0) {
        let digit = digits.get(position as usize).copied().unwrap_or(b'0');
        magnitude = magnitude * 10 + i128::from(digit - b'0');
    }
    let rounded = shift < 0;
    if rounded && whole_digits >= 0 {
        let rest = &digits[whole_digits as usize..];
        let more_than_half = rest[0] > b'5' || (rest[0] == b'5' && rest.len() > 1);
        let exactly_half = rest == b"5";
        if more_than_half || (exactly_half && magnitude % 2 == 1) {
            magnitude += 1;
        }
    }
    let signed = if negative { -magnitude } else { magnitude };
    // The difference of any two times must be a number of ticks too.
    match i64::try_from(signed) {
        Ok(ticks) if ticks.unsigned_abs() < 1 << 62 => Time::Ticks { ticks, rounded },
        _ => Time::Bad,
    }
}

pub fn parse_variable(text: &[u8]) -> Option<f64> {
    let (negative, unsigned) = without_sign(text);
    if unsigned.len() > 2 && unsigned[..2].eq_ignore_ascii_case(b"0x") {
        let magnitude = hex_float(&unsigned[2..])?;
        return Some(if negative { -magnitude } else { magnitude });
    }
    if !is_non_finite_word(unsigned) {
        decimal(text)?;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn hex_float(text: &[u8]) -> Option<f64> {
    let mut mantissa: u64 = 0;
    let mut power: i64 = 0;
    let mut seen_digit = false;
    let mut seen_point = false;
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'.' && !seen_point {
            seen_point = true;
        } else if let Some(digit) = (text[at] as char).to_digit(16) {
            seen_digit = true;
            if mantissa >> 60 == 0 {
                mantissa = mantissa * 16 + u64::from(digit);
                power -= if seen_point { 4 } else { 0 };
            } else {
                // No room left: only whether something non-zero follows matters for rounding.
                mantissa |= u64::from(digit != 0);
                power += if seen_point { 0 } else { 4 };
            }
        } else {
            break;
        }
        at += 1;
    }
    if !seen_digit {
        return None;
    }
    if at < text.len() {
        if !text[at].eq_ignore_ascii_case(&b'p') {
            return None;
        }
        power += exponent(&text[at + 1..])?;
    }
    let mut value = mantissa as f64;
    let mut power = power.clamp(-3000, 3000);
    while power != 0 && value != 0.0 {
        let step = power.clamp(-1000, 1000);
        value *= 2f64.powi(step as i32);
        power -= step;
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(text: &str) -> i64 {
        match parse_time(text.as_bytes()) {
            Time::Ticks { ticks, rounded: false } => ticks,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn rounded(text: &str) -> i64 {
        match parse_time(text.as_bytes()) {
            Time::Ticks { ticks, rounded: true } => ticks,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn exact_times() {
        assert_eq!(exact("1"), 1_000_000_000);
        assert_eq!(exact("+1."), 1_000_000_000);
        assert_eq!(exact("-.5"), -500_000_000);
        assert_eq!(exact("1.25e-03"), 1_250_000);
        assert_eq!(exact("12E2"), 1_200_000_000_000);
        assert_eq!(exact("0.000000001000"), 1);
        assert_eq!(exact("-0"), 0);
        assert_eq!(exact("0e999999999999999999999"), 0);
        assert_eq!(exact("4611686018.427387903"), (1 << 62) - 1);
        assert_eq!(exact("-4611686018.427387903"), 1 - (1 << 62));
        assert_eq!(exact("000000000000000000000000000001"), 1_000_000_000);
    }

    #[test]
    fn rounded_times() {
        assert_eq!(rounded("0.0000000005"), 0);
        assert_eq!(rounded("0.0000000015"), 2);
        assert_eq!(rounded("0.0000000025"), 2);
        assert_eq!(rounded("0.00000000250001"), 3);
        assert_eq!(rounded("-0.0000000015"), -2);
        assert_eq!(rounded("0.00000000005"), 0);
        assert_eq!(rounded("0.0000000009"), 1);
        assert_eq!(rounded("1e-999999999999999"), 0);
        assert_eq!(rounded("1.9999999999"), 2_000_000_000);
    }

    #[test]
    fn bad_times() {
        for text in [
            "",
            ".",
            "-",
            "e5",
            "1e",
            "1e+",
            "1,5",
            "abc",
            "0x10",
            "1 ",
            "1.2.3",
            "--1",
            "1e1.5",
            "4611686018.427387904",
            "1e30",
            "1e99999999999999999999",
        ] {
            assert_eq!(parse_time(text.as_bytes()), Time::Bad, "{text}");
        }
        for text in ["inf", "-INF", "Infinity", "nan", "+NaN"] {
            assert_eq!(parse_time(text.as_bytes()), Time::NonFinite, "{text}");
        }
    }

    #[test]
    fn variable_values() {
        assert_eq!(parse_variable(b"0x10"), Some(16.0));
        assert_eq!(parse_variable(b"-0x1.8p1"), Some(-3.0));
        assert_eq!(parse_variable(b"0x1p-1074"), Some(f64::from_bits(1)));
        assert_eq!(parse_variable(b"4.096000e+03"), Some(4096.0));
        assert_eq!(parse_variable(b".5"), Some(0.5));
        assert_eq!(parse_variable(b"5."), Some(5.0));
        assert_eq!(parse_variable(b"-inf"), Some(f64::NEG_INFINITY));
        assert!(parse_variable(b"nan").is_some_and(f64::is_nan));
        for text in ["", "0x", "0x.p1", "0xg", "1e", "abc", "1,5", "nan(1)"] {
            assert_eq!(parse_variable(text.as_bytes()), None, "{text}");
        }
    }
}
