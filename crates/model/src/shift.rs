//! By how much the times of a source are moved, as it is written.

use crate::{Fraction, TIME_UNITS, Ticks, TimeUnit};

/// A length of time such as `-1.5`, in the unit of a trace, or `20ms`. It is kept exactly until
/// the tick of the trace is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shift {
    amount: Fraction,
    /// The length of its unit, if it has one of its own.
    nanoseconds: Option<u64>,
}

impl Shift {
    /// Reads a length of time.
    pub fn parse(text: &str) -> Result<Self, String> {
        let with_unit = |&(name, length): &(&str, u64)| Some((text.strip_suffix(name)?, length));
        let (number, nanoseconds) = match TIME_UNITS.iter().find_map(with_unit) {
            Some((number, length)) => (number, Some(length)),
            None => (text, None),
        };
        let amount = Fraction::parse(number)
            .ok_or_else(|| format!("{text:?} is no time; write 1.5, -20ms or 3s"))?;
        Ok(Self { amount, nanoseconds })
    }

    /// The length in ticks, rounded to the nearest.
    pub fn ticks(&self, unit: &TimeUnit) -> Result<Ticks, String> {
        let units = match self.nanoseconds {
            None => Some(self.amount),
            Some(own) => {
                let length = unit.nanoseconds().ok_or_else(|| {
                    format!("the trace counts time in {:?}, not in seconds", unit.name)
                })?;
                Fraction::new(own.into(), length.into()).and_then(|scale| self.amount.times(scale))
            }
        };
        units
            .and_then(|units| units.rounded_of(unit.ticks_per_unit.into()))
            .and_then(|ticks| Ticks::try_from(ticks).ok())
            .ok_or_else(|| "the offset is too large or has too many digits".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_are_exact_to_the_tick() {
        let unit = TimeUnit::default();
        let ticks = |text: &str| Shift::parse(text).and_then(|shift| shift.ticks(&unit));
        assert_eq!(ticks("1763216493.123456789"), Ok(1_763_216_493_123_456_789));
        assert_eq!(ticks("-20ms"), Ok(-20_000_000));
        assert_eq!(ticks("1/3 s"), Ok(333_333_333));
        assert_eq!(ticks("2min"), Ok(120_000_000_000));
        assert!(ticks("99999999999").is_err());
        assert!(ticks("soon").is_err());
        let cycles = TimeUnit { name: "cycles".to_owned(), ..TimeUnit::default() };
        assert!(Shift::parse("1s").and_then(|shift| shift.ticks(&cycles)).is_err());
        assert_eq!(Shift::parse("1").and_then(|shift| shift.ticks(&cycles)), Ok(1_000_000_000));
    }
}
