//! Whole numbers and the colons between them.

/// A whole number. Counters use all 64 bits, and some values are negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Number {
    negative: bool,
    magnitude: u64,
}

impl Number {
    /// Reads decimal digits with an optional sign.
    #[inline]
    pub fn parse(text: &[u8]) -> Option<Self> {
        let (negative, digits) = match text {
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        if digits.is_empty() {
            return None;
        }
        let mut magnitude = 0u64;
        for &byte in digits {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            magnitude = magnitude.checked_mul(10)?.checked_add(u64::from(digit))?;
        }
        Some(Self { negative, magnitude })
    }

    pub fn value(self) -> i128 {
        let magnitude = i128::from(self.magnitude);
        if self.negative { -magnitude } else { magnitude }
    }

    /// The number if it is not negative.
    #[inline]
    pub fn unsigned(self) -> Option<u64> {
        (!self.negative || self.magnitude == 0).then_some(self.magnitude)
    }

    pub fn as_f64(self) -> f64 {
        self.value() as f64
    }
}

/// The fields of a line, one after the other.
pub(super) struct Fields<'a> {
    rest: Option<&'a [u8]>,
    /// Where in the line the next field begins.
    pub at: usize,
}

/// Why a field could not be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bad {
    /// There is none.
    Missing,
    /// It is no number, or none that fits.
    Number,
}

impl<'a> Fields<'a> {
    pub fn new(line: &'a [u8]) -> Self {
        Self { rest: Some(line), at: 0 }
    }

    /// Are there no more?
    pub fn is_at_end(&self) -> bool {
        self.rest.is_none()
    }

    #[inline]
    pub fn number(&mut self) -> Result<Number, Bad> {
        let rest = self.rest.ok_or(Bad::Missing)?;
        let end = rest.iter().position(|&byte| byte == b':');
        let field = &rest[..end.unwrap_or(rest.len())];
        let number = Number::parse(field).ok_or(match field {
            [] => Bad::Missing,
            _ => Bad::Number,
        })?;
        self.rest = end.map(|end| &rest[end + 1..]);
        self.at += field.len() + 1;
        Ok(number)
    }

    #[inline]
    pub fn unsigned(&mut self) -> Result<u64, Bad> {
        self.number()?.unsigned().ok_or(Bad::Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_whole_or_not_at_all() {
        let value = |text: &str| Number::parse(text.as_bytes()).map(Number::value);
        assert_eq!(value("0"), Some(0));
        assert_eq!(value("-12"), Some(-12));
        assert_eq!(value("18446744073709551615"), Some(u64::MAX.into()));
        for wrong in ["", "-", "18446744073709551616", "1.5", "0x1", "+1", " 1"] {
            assert_eq!(value(wrong), None, "{wrong}");
        }
        let mut fields = Fields::new(b"1:22:-3:");
        assert_eq!((fields.unsigned(), fields.unsigned(), fields.at), (Ok(1), Ok(22), 5));
        assert_eq!(fields.unsigned(), Err(Bad::Number));
        assert!(!fields.is_at_end());
    }
}
