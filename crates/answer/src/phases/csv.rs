//! Messages from a table instead of a trace.

use std::collections::BTreeMap;

use onca_model::{DEFAULT_TICKS_PER_UNIT, Ticks, TimeUnit};
use onca_query::compare_names;

use super::communication::{Communication, Processor};
use super::messages::{Message, MessageSize, PhaseSpec, amount};
use crate::{AnswerError, Result};

impl Communication<'static> {
    /// Reads messages, one a line: source, destination, start, end and, unless they have none, size; times in seconds. A first line
    /// without times is a heading. Processors come by name, numbers in names by value.
    pub fn from_csv(text: &str, spec: &PhaseSpec) -> Result<Self> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let mut rows = Vec::new();
        for (at, (number, line)) in lines.enumerate() {
            match Row::read(line) {
                Ok(row) => rows.push(row),
                Err(_) if at == 0 => {}
                Err(why) => {
                    return Err(AnswerError::Question(format!("line {}: {why}", number + 1)));
                }
            }
        }
        let mut names: Vec<&str> =
            rows.iter().flat_map(|row| [row.source, row.destination]).collect();
        names.sort_unstable_by(|one, other| {
            compare_names(one.as_bytes(), other.as_bytes()).then(one.cmp(other))
        });
        names.dedup();
        let places: BTreeMap<&str, u32> = names.iter().copied().zip(0..).collect();
        let message = |row: &Row<'_>| Message {
            from: places[row.source],
            to: places[row.destination],
            start: row.start,
            end: row.end,
            size: row.size.filter(|_| spec.size != MessageSize::Ignored),
            is_collective: false,
            origin: None,
        };
        let processor = |name: &&str| Processor { name: (*name).to_owned(), node: None };
        let processors = names.iter().map(processor).collect();
        let unit = TimeUnit { assumed: false, ..TimeUnit::default() };
        Ok(Self::of_list(rows.iter().map(message).collect(), processors, unit, spec))
    }
}

struct Row<'t> {
    source: &'t str,
    destination: &'t str,
    start: Ticks,
    end: Ticks,
    size: Option<u64>,
}

impl<'t> Row<'t> {
    fn read(line: &'t str) -> std::result::Result<Self, String> {
        let fields: Vec<&str> =
            line.split(',').map(|field| field.trim().trim_matches('"')).collect();
        let (source, destination, start, end, size) = match fields[..] {
            [source, destination, start, end] => (source, destination, start, end, ""),
            [source, destination, start, end, size] => (source, destination, start, end, size),
            _ => {
                return Err(
                    "a message has a source, a destination, a start, an end and a size".to_owned()
                );
            }
        };
        let time = |text: &str| seconds(text).ok_or_else(|| format!("{text:?} is no time"));
        let (start, end) = (time(start)?, time(end)?);
        let size = match size {
            "" => None,
            text => Some(amount(text.as_bytes()).ok_or_else(|| format!("{text:?} is no size"))?),
        };
        Ok(Self { source, destination, start, end, size })
    }
}

/// A time in seconds, in ticks: exact as far as it is written without an exponent.
fn seconds(text: &str) -> Option<Ticks> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(fraction) || whole.is_empty() {
        let seconds: f64 = text.parse().ok().filter(|seconds: &f64| seconds.is_finite())?;
        return Some((seconds * DEFAULT_TICKS_PER_UNIT as f64).round() as Ticks);
    }
    let nanoseconds = format!("{fraction:0<9}");
    let whole: Ticks = whole.parse().ok()?;
    let rest: Ticks = nanoseconds[..9].parse().ok()?;
    whole.checked_mul(DEFAULT_TICKS_PER_UNIT as Ticks)?.checked_add(rest).map(|ticks| sign * ticks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact() {
        assert_eq!(seconds("1700000000.123456789"), Some(1_700_000_000_123_456_789));
        assert_eq!(seconds("-0.5"), Some(-500_000_000));
        assert_eq!(seconds("2e-3"), Some(2_000_000));
        assert_eq!(seconds("7"), Some(7_000_000_000));
        for wrong in ["", "soon", "nan", "1.2.3", "99999999999999"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn tables_are_read() {
        let text = "from,to,start,end,bytes\nrank 10,rank 2,0,1,100\n\"rank 2\", rank 10,1,2,\n";
        let found = Communication::from_csv(text, &PhaseSpec::default()).expect("messages");
        let names: Vec<&str> = found.processors.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["rank 2", "rank 10"]);
        assert_eq!((found.totals.messages, found.totals.sized, found.totals.size), (2, 1, 100));
        let wrong = Communication::from_csv("a,b,0,1,2\na,b,zero,1,2", &PhaseSpec::default());
        let message = wrong.err().expect("an error").to_string();
        assert_eq!(message, "line 2: \"zero\" is no time");
    }
}
