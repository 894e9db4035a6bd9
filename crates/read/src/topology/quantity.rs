//! Numbers with units, as attributes of networks have them.

use std::fmt;

use super::error::quoted;

/// A value is not the quantity that it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QuantityError {
    value: String,
    what: &'static str,
    examples: &'static str,
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value, what, examples } = self;
        write!(f, "{value} is not a {what}; write {examples}")
    }
}

impl std::error::Error for QuantityError {}

/// Reads a bandwidth, in bytes per second.
///
/// A number without a unit is in bytes per second. Units are bits (`bps`, `b/s`, `bit/s`) or bytes
/// (`Bps`, `B/s`), with a prefix `k`, `M`, `G`, `T` or `P` for powers of 1000, or `Ki`, `Mi`, `Gi`,
/// `Ti`, `Pi` for powers of 1024: `10Gbps` and `1.25GBps` are the same.
pub fn bandwidth(value: &[u8]) -> Result<f64, QuantityError> {
    let read = || {
        let (number, unit) = number_and_unit(value)?;
        finite(number * bytes_per_second(unit)?)
    };
    read().ok_or_else(|| QuantityError {
        value: quoted(value),
        what: "bandwidth",
        examples: "10Gbps (bits), 1.25GBps (bytes), or a number of bytes per second",
    })
}

fn bytes_per_second(unit: &str) -> Option<f64> {
    if unit.is_empty() {
        return Some(1.0);
    }
    let endings = [("bps", 0.125), ("b/s", 0.125), ("bit/s", 0.125), ("Bps", 1.0), ("B/s", 1.0)];
    let (prefix, bytes) =
        endings.iter().find_map(|(ending, bytes)| Some((unit.strip_suffix(ending)?, *bytes)))?;
    let (letter, base) = match prefix.strip_suffix('i') {
        Some(letter) if !letter.is_empty() => (letter, 1024.0_f64),
        _ => (prefix, 1000.0),
    };
    let power = match letter {
        "" => 0,
        "k" | "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        "P" => 5,
        _ => return None,
    };
    Some(bytes * base.powi(power))
}

/// Reads a latency, in seconds.
///
/// A number without a unit is in seconds. Units are `s`, `ms`, `us` (or `µs`), `ns` and `ps`.
pub fn latency(value: &[u8]) -> Result<f64, QuantityError> {
    let read = || {
        let (number, unit) = number_and_unit(value)?;
        // Divisors are exact where factors would not be: 50us is the number nearest to 0.00005.
        let per_second = match unit {
            "" | "s" => 1.0,
            "ms" => 1e3,
            "us" | "µs" | "μs" => 1e6,
            "ns" => 1e9,
            "ps" => 1e12,
            _ => return None,
        };
        finite(number / per_second)
    };
    read().ok_or_else(|| QuantityError {
        value: quoted(value),
        what: "latency",
        examples: "50us, 1.5ms, or a number of seconds",
    })
}

/// Reads a position: `x,y` or `x,y,z`, the latter 0 if it is not given. A final `!`, by which
/// Graphviz knows that a node must not move, is allowed.
pub fn position(value: &[u8]) -> Result<[f64; 3], QuantityError> {
    let read = || {
        let text = std::str::from_utf8(value).ok()?.trim();
        let text = text.strip_suffix('!').unwrap_or(text);
        let mut position = [0.0; 3];
        let mut n_read = 0;
        for part in text.split(',') {
            let number = part.trim().parse::<f64>().ok().and_then(finite)?;
            *position.get_mut(n_read)? = number;
            n_read += 1;
        }
        (n_read >= 2).then_some(position)
    };
    read().ok_or_else(|| QuantityError {
        value: quoted(value),
        what: "position",
        examples: "\"10,20\" or \"10,20,5\"",
    })
}

/// A number that is not negative, and what follows it.
fn number_and_unit(value: &[u8]) -> Option<(f64, &str)> {
    let text = std::str::from_utf8(value).ok()?.trim();
    let bytes = text.as_bytes();
    let digits_from =
        |at: usize| bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits_from(0);
    if bytes.get(end) == Some(&b'.') {
        end += 1 + digits_from(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let n_digits = digits_from(bytes.len().min(end + 1 + sign));
        if n_digits > 0 {
            end += 1 + sign + n_digits;
        }
    }
    let (number, unit) = text.split_at(end);
    Some((number.parse().ok()?, unit.trim_start()))
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidths_are_bytes_per_second() {
        for (text, expected) in [
            ("125000000", 125e6),
            ("0", 0.0),
            ("10Gbps", 1.25e9),
            ("1.25GBps", 1.25e9),
            ("1.25 GB/s", 1.25e9),
            ("100 Mbit/s", 12.5e6),
            ("8bps", 1.0),
            ("1kBps", 1000.0),
            ("1KBps", 1000.0),
            ("1KiBps", 1024.0),
            ("2GiB/s", 2147483648.0),
            ("1e9", 1e9),
            ("1.5e+3Bps", 1500.0),
            (".5Bps", 0.5),
            ("7.Bps", 7.0),
        ] {
            assert_eq!(bandwidth(text.as_bytes()), Ok(expected), "{text}");
        }
        for text in ["", "fast", "-1Gbps", "10 Gb", "10XBps", "1e999", "NaN", "inf", "1iBps", "1e"]
        {
            assert!(bandwidth(text.as_bytes()).is_err(), "{text}");
        }
        assert!(bandwidth(b"\xff").is_err());
        let error = bandwidth(b"10 parsecs").expect_err("not a bandwidth").to_string();
        assert_eq!(
            error,
            "\"10 parsecs\" is not a bandwidth; write 10Gbps (bits), 1.25GBps (bytes), or a number \
             of bytes per second"
        );
    }

    #[test]
    fn latencies_are_seconds() {
        for (text, expected) in [
            ("0.00005", 0.00005),
            ("50us", 0.00005),
            ("50 µs", 0.00005),
            ("50 μs", 0.00005),
            ("1.5ms", 0.0015),
            ("100ns", 1e-7),
            ("20ps", 2e-11),
            ("2s", 2.0),
            ("1e-3", 0.001),
            ("1e-3s", 0.001),
        ] {
            assert_eq!(latency(text.as_bytes()), Ok(expected), "{text}");
        }
        for text in ["", "us", "5 minutes", "-5us", "1e400"] {
            assert!(latency(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn positions_are_two_or_three_numbers() {
        assert_eq!(position(b"10,20"), Ok([10.0, 20.0, 0.0]));
        assert_eq!(position(b" -1.5 , 2e2!"), Ok([-1.5, 200.0, 0.0]));
        assert_eq!(position(b"1,2,3"), Ok([1.0, 2.0, 3.0]));
        for text in ["", "1", "1,", "1,2,3,4", "a,b", "1,inf", "1 2"] {
            assert!(position(text.as_bytes()).is_err(), "{text}");
        }
    }
}
