//! Exact fractions, for rates of clocks and for times as people write them.

use std::fmt;

/// A fraction in lowest terms. What would not fit is `None`, never rounded silently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fraction {
    numerator: i128,
    /// More than 0.
    denominator: i128,
}

impl Fraction {
    /// 1.
    pub const ONE: Self = Self { numerator: 1, denominator: 1 };

    /// `numerator / denominator`; `None` if that is no number or does not fit.
    pub fn new(numerator: i128, denominator: i128) -> Option<Self> {
        if denominator == 0 || numerator == i128::MIN || denominator == i128::MIN {
            return None;
        }
        let common = gcd(numerator.unsigned_abs(), denominator.unsigned_abs()) as i128;
        let sign = denominator.signum();
        Some(Self {
            numerator: sign * (numerator / common),
            denominator: sign * (denominator / common),
        })
    }

    /// Reads `12`, `-1.5` or `1001/1000`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once('/') {
            Some((over, under)) => decimal(over)?.times(decimal(under)?.inverse()?),
            None => decimal(text),
        }
    }

    /// What stands above the line.
    pub fn numerator(self) -> i128 {
        self.numerator
    }

    /// Is it more than 0?
    pub fn is_positive(self) -> bool {
        self.numerator > 0
    }

    /// The product of both.
    pub fn times(self, other: Self) -> Option<Self> {
        // Shortened crosswise first, so that only results that do not fit are refused.
        let left = Self::new(self.numerator, other.denominator)?;
        let right = Self::new(other.numerator, self.denominator)?;
        Some(Self {
            numerator: left.numerator.checked_mul(right.numerator)?,
            denominator: left.denominator.checked_mul(right.denominator)?,
        })
    }

    /// One divided by it.
    pub fn inverse(self) -> Option<Self> {
        Self::new(self.denominator, self.numerator)
    }

    /// The nearest whole number to this many times the fraction; a half is rounded up, so that a
    /// larger number never gives a smaller one where the fraction is positive.
    pub fn rounded_of(self, number: i128) -> Option<i128> {
        let product = self.numerator.checked_mul(number)?;
        Some(product.checked_add(self.denominator / 2)?.div_euclid(self.denominator))
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

/// Reads a decimal number exactly.
fn decimal(text: &str) -> Option<Fraction> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + decimals.len() == 0 || !plain(whole) || !plain(decimals) {
        return None;
    }
    let number: i128 = format!("{whole}{decimals}").parse().ok()?;
    let scale = 10i128.checked_pow(u32::try_from(decimals.len()).ok()?)?;
    Fraction::new(if negative { -number } else { number }, scale)
}

/// The greatest common divisor; 1 for two zeros.
fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

/// The least common multiple of two positive numbers.
pub fn least_common_multiple(a: i128, b: i128) -> Option<i128> {
    let common = gcd(a.unsigned_abs(), b.unsigned_abs()) as i128;
    (a / common).checked_mul(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_read_exactly() {
        let read = |text| Fraction::parse(text).map(|fraction| fraction.to_string());
        assert_eq!(read("1.000001").as_deref(), Some("1000001/1000000"));
        assert_eq!(read("-0.50").as_deref(), Some("-1/2"));
        assert_eq!(read("2.4/1.2").as_deref(), Some("2"));
        assert_eq!(read("+7").as_deref(), Some("7"));
        for bad in ["", ".", "-", "1e3", "1/0", "x", "1.2.3", "--1", "1/", "inf"] {
            assert_eq!(read(bad), None, "{bad}");
        }
        assert_eq!(Fraction::parse(&"9".repeat(60)), None);
    }

    #[test]
    fn products_are_rounded_to_the_nearest_and_never_turn_back() {
        let third = Fraction::new(1, 3).expect("a fraction");
        let rounded: Vec<_> = (-3..=3).map(|number| third.rounded_of(number)).collect();
        assert_eq!(rounded, [-1, -1, 0, 0, 0, 1, 1].map(Some));
        assert_eq!(Fraction::new(-4, -6), Fraction::new(2, 3));
        let huge = Fraction::new(i128::MAX, 1).expect("a fraction");
        assert_eq!((huge.rounded_of(2), huge.times(huge)), (None, None));
        assert_eq!(huge.times(Fraction::new(1, i128::MAX).expect("small")), Some(Fraction::ONE));
    }
}
