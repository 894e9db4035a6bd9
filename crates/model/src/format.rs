//! Numbers for people: one way to write them, on the terminal, in figures and in the page.

use crate::{Ticks, TimeUnit};

/// A number with commas between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (digit_idx, digit) in digits.chars().enumerate() {
        if digit_idx > 0 && (digits.len() - digit_idx).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A size in the largest unit that leaves a number of at least 1.
pub fn byte_size(bytes: u64) -> String {
    let units = [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let fitting = units.into_iter().find(|(size, _)| bytes >= *size);
    match fitting {
        Some((size, unit)) => format!("{:.1} {unit}", bytes as f64 / size as f64),
        None => format!("{bytes} bytes"),
    }
}

/// A share as a percentage with one decimal. Halves are rounded away from 0, as in the page: the same share has the
/// same digits wherever it is written.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", (share * 1000.0).round() / 10.0)
}

/// `1 record`, `2 records`.
pub fn count_of(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

/// A time in units, rounded to what people take in at a glance: `1,234.5`, `12.346`, `0.001235`.
pub fn rounded_time(unit: &TimeUnit, ticks: f64) -> String {
    rounded(ticks / unit.ticks_per_unit as f64)
}

/// A number with about four digits that mean something.
pub fn rounded(number: f64) -> String {
    let magnitude = number.abs();
    let sign = if number < 0.0 { "-" } else { "" };
    if (1000.0..1e15).contains(&magnitude) {
        let tenths = (magnitude * 10.0).round() as u64;
        return format!("{sign}{}.{}", grouped(tenths / 10), tenths % 10);
    }
    match magnitude {
        0.0 => "0".to_owned(),
        1.0..1e15 => format!("{number:.3}"),
        1e-4..1.0 => {
            let decimals = (3 - magnitude.log10().floor() as i32).clamp(0, 9) as usize;
            format!("{number:.decimals$}")
        }
        _ => format!("{number:.3e}"),
    }
}

/// A sum of ticks in units, exactly where it fits.
pub fn exact_time(unit: &TimeUnit, ticks: i128) -> String {
    match Ticks::try_from(ticks) {
        Ok(ticks) => unit.format(ticks),
        Err(_) => (ticks as f64 / unit.ticks_per_unit as f64).to_string(),
    }
}

/// A text of at most `width` characters; what is cut off leaves a mark.
pub fn shortened(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// Reads a size such as `512M` or `2GiB`, in bytes.
pub fn parse_size(text: &str) -> Result<usize, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: f64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "kb" => 1e3,
        "m" | "mib" => 1024.0 * 1024.0,
        "mb" => 1e6,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        "gb" => 1e9,
        other => return Err(format!("{other:?} is no unit of size; use K, M or G")),
    };
    let number: f64 = number.parse().map_err(|_| format!("{text:?} is no size"))?;
    Ok((number * factor) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(byte_size(999), "999 bytes");
        assert_eq!(byte_size(135_200_000), "128.9 MiB");
        assert_eq!(byte_size(1024), "1.0 KiB");
        assert_eq!(count_of(1, "record"), "1 record");
        assert_eq!(count_of(1200, "record"), "1,200 records");
        // The page has the same table.
        let shares = [0.1234, 0.1225, 0.12250000000000003, 0.0005, 0.6875, -0.1225, 1.0, 0.0];
        let texts =
            ["12.3 %", "12.3 %", "12.3 %", "0.1 %", "68.8 %", "-12.3 %", "100.0 %", "0.0 %"];
        assert_eq!(shares.map(percent), texts);
    }

    #[test]
    fn times_are_rounded_for_people_and_exact_for_programs() {
        for (number, text) in [
            (0.0, "0"),
            (1234.56, "1,234.6"),
            (-1234.56, "-1,234.6"),
            (12.34567, "12.346"),
            (0.5, "0.5000"),
            (0.00123456, "0.001235"),
            (0.000001234, "1.234e-6"),
        ] {
            assert_eq!(rounded(number), text);
        }
        let unit = TimeUnit::default();
        assert_eq!(rounded_time(&unit, 2_500_000_000.0), "2.500");
        assert_eq!(exact_time(&unit, 2_500_000_001), "2.500000001");
        assert_eq!(exact_time(&unit, i128::from(i64::MAX) * 10), "92233720368.54776");
        assert_eq!(shortened("MPI_Allreduce", 6), "MPI_A…");
        assert_eq!(shortened("MPI", 3), "MPI");
    }

    #[test]
    fn sizes_are_read() {
        assert_eq!(parse_size("2G"), Ok(2 << 30));
        assert_eq!(parse_size("1.5MiB"), Ok(3 << 19));
        assert_eq!(parse_size("1000"), Ok(1000));
        assert!(parse_size("2 parsecs").is_err());
        assert!(parse_size("").is_err());
    }
}
