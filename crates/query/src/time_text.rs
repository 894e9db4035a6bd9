//! Times as people write them.

use onca_model::{TIME_UNITS, Ticks, TraceFacts};

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
            Self::Percent(_) => facts.start,
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
        };
        Ok(ticks.round() as Ticks)
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
        facts.unit.name = "ms".to_owned();
        assert_eq!(ticks("1s", &facts), Ok(Some(1000 * 1_000_000_000)));
        facts.unit.name = "cycles".to_owned();
        assert_eq!(ticks("1s", &facts), Ok(None));
        for bad in ["", "nan", "inf", "1x", "s", "%"] {
            assert!(TimeText::parse(bad).is_err(), "{bad}");
        }
    }
}
