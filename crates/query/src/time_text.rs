//! Times as people write them.

use std::fmt;

use onca_model::{TIME_UNITS, Ticks, TraceFacts};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A time as it is given: in the unit of the trace, in a unit of its own, or as a share of the
/// trace.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TimeText {
    /// In the unit of the trace.
    Units(f64),
    /// In seconds.
    Seconds(f64),
    /// From 0 at the start of the trace to 100 at its end.
    Percent(f64),
    /// In ticks after the start of the trace. A page counts so; people do not write it.
    AfterStart(Ticks),
}

const NANOSECONDS: f64 = 1e9;

impl TimeText {
    /// Reads a time such as `1.5`, `20ms` or `10%`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            let number: f64 = text.trim().parse().map_err(|_| format!("{text:?} is no time"))?;
            if number.is_finite() { Ok(number) } else { Err(format!("{text:?} is no time")) }
        };
        if let Some(percent) = text.strip_suffix('%') {
            return number(percent).map(Self::Percent);
        }
        let with_unit = |&(name, length): &(&str, u64)| Some((text.strip_suffix(name)?, length));
        match TIME_UNITS.iter().find_map(with_unit) {
            Some((value, length)) => {
                Ok(Self::Seconds(number(value)? * (length as f64 / NANOSECONDS)))
            }
            None => number(text).map(Self::Units),
        }
    }

    /// The point in time, in ticks of a trace.
    pub fn ticks(self, facts: &TraceFacts) -> Result<Ticks, String> {
        let start = match self {
            Self::Percent(_) | Self::AfterStart(_) => facts.start,
            Self::Units(_) | Self::Seconds(_) => 0,
        };
        Ok(self.duration(facts)?.saturating_add(start))
    }

    /// The length of time, in ticks of a trace.
    pub fn duration(self, facts: &TraceFacts) -> Result<Ticks, String> {
        let rate = facts.unit.ticks_per_unit as f64;
        let ticks = match self {
            Self::Units(units) => units * rate,
            Self::Seconds(seconds) => {
                let length = facts.unit.nanoseconds().ok_or_else(|| {
                    format!("the trace counts time in {:?}, not in seconds", facts.unit.name)
                })?;
                seconds / (length as f64 / NANOSECONDS) * rate
            }
            Self::Percent(percent) => percent / 100.0 * (facts.end as f64 - facts.start as f64),
            Self::AfterStart(ticks) => return Ok(ticks),
        };
        Ok(ticks.round() as Ticks)
    }

    /// The same time as people write it.
    pub fn written(self, facts: &TraceFacts) -> Self {
        match self {
            Self::AfterStart(after) => {
                Self::Units(facts.unit.units(facts.start.saturating_add(after)))
            }
            written => written,
        }
    }
}

impl fmt::Display for TimeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Units(units) => write!(f, "{units}"),
            Self::Seconds(seconds) => write!(f, "{seconds}s"),
            Self::Percent(percent) => write!(f, "{percent}%"),
            Self::AfterStart(ticks) => write!(f, "{ticks} ticks after the start"),
        }
    }
}

/// A number for ticks, else a text.
impl Serialize for TimeText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::AfterStart(ticks) => serializer.serialize_i64(*ticks),
            written => serializer.collect_str(written),
        }
    }
}

impl<'de> Deserialize<'de> for TimeText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TimeVisitor)
    }
}

struct TimeVisitor;

impl Visitor<'_> for TimeVisitor {
    type Value = TimeText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time such as \"1.5s\", or ticks after the start of the trace")
    }

    fn visit_i64<E: Error>(self, ticks: i64) -> Result<TimeText, E> {
        Ok(TimeText::AfterStart(ticks))
    }

    fn visit_u64<E: Error>(self, ticks: u64) -> Result<TimeText, E> {
        let ticks = ticks.try_into().map_err(|_| E::custom("the time is too far away"))?;
        Ok(TimeText::AfterStart(ticks))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<TimeText, E> {
        TimeText::parse(text).map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_all_their_forms() {
        let start = 1_000_000_000;
        let mut facts = TraceFacts { start, end: 5 * start, ..TraceFacts::default() };
        let ticks = |text: &str, facts: &TraceFacts| {
            TimeText::parse(text).map(|time| time.ticks(facts).ok())
        };
        assert_eq!(ticks("1.5", &facts), Ok(Some(1_500_000_000)));
        assert_eq!(ticks("-2", &facts), Ok(Some(-2_000_000_000)));
        assert_eq!(ticks("20ms", &facts), Ok(Some(20_000_000)));
        assert_eq!(ticks("3 us", &facts), Ok(Some(3000)));
        assert_eq!(ticks("25%", &facts), Ok(Some(2_000_000_000)));
        assert_eq!(TimeText::Percent(25.0).duration(&facts), Ok(1_000_000_000));
        let after = TimeText::AfterStart(500_000_000);
        assert_eq!(after.ticks(&facts), Ok(1_500_000_000));
        assert_eq!(after.written(&facts), TimeText::Units(1.5));
        for (time, json) in [(after, "500000000"), (TimeText::Seconds(0.5), "\"0.5s\"")] {
            assert_eq!(serde_json::to_string(&time).expect("JSON"), json);
            assert_eq!(serde_json::from_str::<TimeText>(json).expect("a time"), time);
        }
        facts.unit.name = "ms".to_owned();
        assert_eq!(ticks("1s", &facts), Ok(Some(1000 * 1_000_000_000)));
        facts.unit.name = "cycles".to_owned();
        assert_eq!(ticks("1s", &facts), Ok(None));
        for bad in ["", "nan", "inf", "1x", "s", "%"] {
            assert!(TimeText::parse(bad).is_err(), "{bad}");
        }
    }
}
