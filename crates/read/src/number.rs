//! Numbers of text formats. Times become ticks by exact decimal arithmetic, never through
//! floating point.

use onca_model::{FARTHEST, Ticks, time_of};

/// A time that was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Time {
    pub ticks: Ticks,
    /// The text has more decimals than a tick.
    pub rounded: bool,
}

/// Why a text is not a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BadTime {
    /// It is no number.
    Syntax,
    /// It is infinite or not a number.
    NonFinite,
    /// It is a number, but too large for the tick rate; it would fit with at most this power
    /// of ten of ticks in a unit.
    TooLarge { exponent: Option<u8> },
}

const POWERS: [i64; 19] = {
    let mut powers = [1i64; 19];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// Reads a time as ticks, `10^exponent` of which make a unit.
#[inline]
pub(crate) fn parse_time(text: &[u8], exponent: u8) -> Result<Time, BadTime> {
    match parse_plain(text, exponent) {
        Some(ticks) => Ok(Time { ticks, rounded: false }),
        None => parse_any_time(text, exponent),
    }
}

/// Digits with at most one point, at most 18 of them, no more decimals than a tick has: what
/// producers write.
#[inline(always)]
pub(crate) fn parse_plain(text: &[u8], exponent: u8) -> Option<Ticks> {
    if text.is_empty() || text.len() > 19 {
        return None;
    }
    let (whole, whole_digits) = leading_digits(text);
    let (mantissa, decimals) = match text[whole_digits..].split_first() {
        None if text.len() > 18 => return None,
        None => (whole, 0),
        Some((b'.', decimals)) if text.len() > 1 => {
            let mut mantissa = whole;
            let mut rest = decimals;
            while let Some((eight, after)) = rest.split_first_chunk::<8>() {
                mantissa = mantissa.wrapping_mul(100_000_000).wrapping_add(eight_digits(*eight)?);
                rest = after;
            }
            let (last, n) = leading_digits(rest);
            if n < rest.len() {
                return None;
            }
            (mantissa.wrapping_mul(POWERS[n]).wrapping_add(last), decimals.len())
        }
        Some(_) => return None,
    };
    let scale = usize::from(exponent).checked_sub(decimals)?;
    mantissa.checked_mul(POWERS[scale]).filter(|&ticks| ticks <= FARTHEST)
}

/// The value of the digits at the beginning, and how many there are.
#[inline(always)]
fn leading_digits(text: &[u8]) -> (i64, usize) {
    let mut value: i64 = 0;
    for (n, &byte) in text.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return (value, n);
        }
        value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
    }
    (value, text.len())
}

/// The value of eight digits, all at once: neighbouring digits become numbers up to 99, those
/// numbers up to 9999, and those the value.
#[inline(always)]
fn eight_digits(text: [u8; 8]) -> Option<i64> {
    let bytes = u64::from_le_bytes(text);
    let high = 0xf0f0_f0f0_f0f0_f0f0;
    let zeros = 0x3030_3030_3030_3030;
    let are_digits =
        bytes & high == zeros && bytes.wrapping_add(0x0606_0606_0606_0606) & high == zeros;
    if !are_digits {
        return None;
    }
    let digits = bytes - zeros;
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    Some(((fours.wrapping_mul(10_000) + (fours >> 32)) & 0xffff_ffff) as i64)
}

/// The same as [`parse_plain`] for the first `len` of sixteen bytes, with vector instructions and
/// without a loop: the digits are brought together at the right, and neighbours are added up.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline]
pub(crate) fn parse_sixteen(text: &[u8; 16], len: usize, exponent: u8) -> Option<Ticks> {
    use std::arch::x86_64::*;

    // SAFETY: both are loads of sixteen bytes from arrays of sixteen, which need no alignment.
    let load = |bytes: &[u8; 16]| unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
    let bytes = load(text);
    let digits = _mm_sub_epi8(bytes, _mm_set1_epi8(b'0' as i8));
    let are_digits = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
    let others = !(_mm_movemask_epi8(are_digits) as u32) & ((1u32 << (len % 32)) - 1);
    // Without a point, it is as if there were one at the end.
    let point = (others.trailing_zeros() as usize).min(len);
    let n_digits = len.wrapping_sub(usize::from(others != 0));
    let is_plain = others == 0 || others & (others - 1) == 0 && text[point % 16] == b'.';
    if !is_plain || n_digits == 0 {
        return None;
    }
    let gathered = _mm_shuffle_epi8(digits, load(&GATHER[len % 17][point % 17]));
    let pairs = _mm_maddubs_epi16(gathered, _mm_set1_epi16(0x010a));
    let fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x0001_0064));
    let fours = _mm_packus_epi32(fours, fours);
    let eights = _mm_cvtsi128_si64(_mm_madd_epi16(fours, _mm_set1_epi32(0x0001_2710))) as u64;
    let mantissa = (eights & 0xffff_ffff) * 100_000_000 + (eights >> 32);
    let decimals = n_digits.wrapping_sub(point);
    let scale = usize::from(exponent).checked_sub(decimals)?;
    let ticks = (mantissa as i64).checked_mul(*POWERS.get(scale)?);
    ticks.filter(|&ticks| ticks <= FARTHEST)
}

/// How to bring the digits of a number together at the right of sixteen bytes, by its length and
/// by the place of its point; the length stands for no point. Zeros come before.
#[cfg(target_arch = "x86_64")]
static GATHER: [[[u8; 16]; 17]; 17] = {
    const ZERO: u8 = 0x80;
    let mut table = [[[ZERO; 16]; 17]; 17];
    let mut len = 0;
    while len < 17 {
        let mut point = 0;
        while point <= len {
            let (mut from, mut to) = (len, 16);
            while from > 0 {
                from -= 1;
                if from != point {
                    to -= 1;
                    table[len][point][to] = from as u8;
                }
            }
            point += 1;
        }
        len += 1;
    }
    table
};

/// Does the processor have the instructions for many bytes at once that the decoders use?
pub(crate) fn has_wide_instructions() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("lzcnt")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// A decimal number: `digits × 10^power`, with all zeros at both ends removed.
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    power: i64,
}

#[cold]
fn parse_any_time(text: &[u8], exponent: u8) -> Result<Time, BadTime> {
    let Some(decimal) = parse_decimal(text) else {
        let unsigned = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
        let words: [&[u8]; 3] = [b"inf", b"infinity", b"nan"];
        let non_finite = words.iter().any(|word| unsigned.eq_ignore_ascii_case(word));
        return Err(if non_finite { BadTime::NonFinite } else { BadTime::Syntax });
    };
    match decimal.scaled(exponent) {
        Some(time) => Ok(time),
        None => {
            let fits = (0..exponent).rev().find(|&lower| decimal.scaled(lower).is_some());
            Err(BadTime::TooLarge { exponent: fits })
        }
    }
}

fn parse_decimal(text: &[u8]) -> Option<Decimal> {
    let (negative, rest) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        (b'+', rest) => (false, rest),
        _ => (false, text),
    };
    let mantissa_len = rest.iter().position(|b| matches!(b, b'e' | b'E')).unwrap_or(rest.len());
    let (mantissa, exponent) = rest.split_at(mantissa_len);
    let mut power = match exponent.split_first() {
        None => 0,
        Some((_, exponent)) => parse_exponent(exponent)?,
    };
    let mut digits = Vec::with_capacity(mantissa.len());
    let mut seen_point = false;
    for &byte in mantissa {
        match byte {
            b'0'..=b'9' => {
                digits.push(byte - b'0');
                power -= i64::from(seen_point);
            }
            b'.' if !seen_point => seen_point = true,
            _ => return None,
        }
    }
    if digits.is_empty() {
        return None;
    }
    while digits.last() == Some(&0) {
        digits.pop();
        power += 1;
    }
    let zeros = digits.iter().take_while(|&&digit| digit == 0).count();
    digits.drain(..zeros);
    Some(Decimal { negative, digits, power })
}

/// An exponent, held within bounds beyond which every number is zero or too large.
fn parse_exponent(text: &[u8]) -> Option<i64> {
    const BOUND: i64 = 1 << 40;
    let (sign, digits) = match text.split_first()? {
        (b'-', digits) => (-1, digits),
        (b'+', digits) => (1, digits),
        _ => (1, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let magnitude =
        digits.iter().fold(0i64, |sum, &byte| (sum * 10 + i64::from(byte - b'0')).min(BOUND));
    Some(sign * magnitude)
}

impl Decimal {
    /// The number times `10^exponent`, rounded half to even; `None` when it does not fit.
    fn scaled(&self, exponent: u8) -> Option<Time> {
        let power = self.power + i64::from(exponent);
        if self.digits.is_empty() {
            return Some(Time { ticks: 0, rounded: false });
        }
        // Position of the decimal point relative to the first digit.
        let whole_digits = self.digits.len() as i64 + power;
        if whole_digits > 19 {
            return None;
        }
        let whole_digits_kept = whole_digits.max(0) as usize;
        let mut whole: i128 = 0;
        for i in 0..whole_digits_kept {
            whole = whole * 10 + i128::from(self.digits.get(i).copied().unwrap_or(0));
        }
        // Below a tenth of a tick, the rest is nearer to zero than to one half.
        let tiny = whole_digits < 0;
        let rest = self.digits.get(whole_digits_kept..).unwrap_or_default();
        let rounded = !rest.is_empty();
        if let Some((&first, others)) = rest.split_first()
            && !tiny
        {
            let half_or_more = first > 5 || first == 5 && (!others.is_empty() || whole % 2 == 1);
            whole += i128::from(half_or_more);
        }
        let signed = if self.negative { -whole } else { whole };
        Some(Time { ticks: time_of(signed)?, rounded })
    }
}

/// Reads the value of a variable: decimal, hexadecimal as C writes it, infinite or not a number.
#[inline]
pub(crate) fn parse_value(text: &[u8]) -> Option<f64> {
    // Rust's parser wants text; what is not UTF-8 is no number either.
    let text = std::str::from_utf8(text).ok()?;
    match text.parse() {
        Ok(value) => Some(value),
        Err(_) => parse_hexadecimal(text),
    }
}

#[cold]
fn parse_hexadecimal(text: &str) -> Option<f64> {
    let (sign, unsigned) = match text.as_bytes().first()? {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    let body = unsigned.strip_prefix("0x").or(unsigned.strip_prefix("0X"))?;
    let (mantissa, power) = match body.split_once(['p', 'P']) {
        Some((mantissa, power)) => (mantissa, parse_exponent(power.as_bytes())?),
        None => (body, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut value = 0.0f64;
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let power = (power - 4 * fraction.len() as i64).clamp(-5000, 5000) as i32;
    Some(sign * value * 2f64.powi(power))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(text: &str) -> Result<i64, BadTime> {
        parse_time(text.as_bytes(), 9).map(|time| time.ticks)
    }

    /// Texts of digits, points and neighbours of digits, of all lengths.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn sixteen_bytes_are_read_like_any() {
        if !has_wide_instructions() {
            return;
        }
        let mut state = 1u64;
        let mut next = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize
        };
        let mut n_read = 0;
        for _ in 0..200_000 {
            let letters: &[u8] = if next() % 4 > 0 { b"0123456789" } else { b"0123456789.:/ -e" };
            let mut text: [u8; 16] = std::array::from_fn(|_| letters[next() % letters.len()]);
            let (len, exponent) = (next() % 17, [0, 6, 9, 12, 18][next() % 5]);
            if next() % 2 == 0 {
                text[next() % 16] = b'.';
            }
            // SAFETY: the processor has these instructions.
            let fast = unsafe { parse_sixteen(&text, len, exponent) };
            assert_eq!(fast, parse_plain(&text[..len], exponent), "{text:?} {len} {exponent}");
            n_read += usize::from(fast.is_some());
        }
        assert!(n_read > 50_000, "{n_read}");
    }

    #[test]
    fn every_spelling_of_a_time_is_exact() {
        for (text, expected) in [
            ("0", 0),
            ("1", 1_000_000_000),
            ("1.5", 1_500_000_000),
            (".5", 500_000_000),
            ("5.", 5_000_000_000),
            ("+1", 1_000_000_000),
            ("-1.25", -1_250_000_000),
            ("-0", 0),
            ("0.000000001", 1),
            ("1.2500000000000e-03", 1_250_000),
            ("1e-05", 10_000),
            ("1E2", 100_000_000_000),
            ("4611686018.427387903", FARTHEST),
            ("-4611686018.427387903", -FARTHEST),
            ("0000000000000000000000001.0", 1_000_000_000),
            ("1.000000000000000000000000", 1_000_000_000),
            ("74.247815505", 74_247_815_505),
            ("0.12345678", 123_456_780),
            ("1.99999999", 1_999_999_990),
        ] {
            assert_eq!(ticks(text), Ok(expected), "{text}");
            let time = parse_time(text.as_bytes(), 9).expect(text);
            assert!(!time.rounded, "{text}");
        }
    }

    #[test]
    fn more_decimals_are_rounded_half_to_even() {
        for (text, expected) in [
            ("0.0000000005", 0),
            ("0.0000000015", 2),
            ("0.0000000025", 2),
            ("0.00000000250001", 3),
            ("0.00000000049", 0),
            ("-0.0000000015", -2),
            ("1e-30", 0),
            ("0.9999999999", 1_000_000_000),
        ] {
            let time = parse_time(text.as_bytes(), 9).expect(text);
            assert_eq!((time.ticks, time.rounded), (expected, true), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_told_apart() {
        for text in [
            "",
            ".",
            "abc",
            "1,5",
            "0x10",
            "1e",
            "1e+",
            "--1",
            "1.2.3",
            "1 2",
            "é",
            "1.1234567a",
            "1.1234567:",
            "1./2345678",
            "1a",
            "1.2345678x",
        ] {
            assert_eq!(ticks(text), Err(BadTime::Syntax), "{text}");
        }
        for text in ["inf", "-Infinity", "NaN", "+inf"] {
            assert_eq!(ticks(text), Err(BadTime::NonFinite), "{text}");
        }
        assert_eq!(ticks("4611686018.427387904"), Err(BadTime::TooLarge { exponent: Some(8) }));
        assert_eq!(ticks("4611686018.42738791"), Err(BadTime::TooLarge { exponent: Some(8) }));
        assert_eq!(ticks("-4611686018.427387904"), Err(BadTime::TooLarge { exponent: Some(8) }));
        assert_eq!(ticks("1700000000000000000"), Err(BadTime::TooLarge { exponent: Some(0) }));
        assert_eq!(ticks("1e400"), Err(BadTime::TooLarge { exponent: None }));
        assert_eq!(ticks("1e999999999999999999999"), Err(BadTime::TooLarge { exponent: None }));
    }

    #[test]
    fn a_lower_tick_rate_is_as_exact() {
        assert_eq!(
            parse_time(b"1700000000000000000", 0).map(|t| t.ticks),
            Ok(1_700_000_000_000_000_000)
        );
        assert_eq!(parse_time(b"1.25", 1), Ok(Time { ticks: 12, rounded: true }));
    }

    #[test]
    fn values_of_variables() {
        assert_eq!(parse_value(b"4.096000e+03"), Some(4096.0));
        assert_eq!(parse_value(b"0x10"), Some(16.0));
        assert_eq!(parse_value(b"-0x1.8p1"), Some(-3.0));
        assert_eq!(parse_value(b".5"), Some(0.5));
        assert_eq!(parse_value(b"-inf"), Some(f64::NEG_INFINITY));
        assert!(parse_value(b"nan").is_some_and(f64::is_nan));
        for text in ["", "abc", "1,5", "0x", "0xg", "1 "] {
            assert_eq!(parse_value(text.as_bytes()), None, "{text}");
        }
    }
}
