//! One tick for several traces.

use onca_model::{Fraction, TimeUnit, least_common_multiple};

use crate::error::{Result, bad_input};

/// A unit of time that several traces share, and how many of its ticks one of theirs is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CommonUnit {
    pub unit: TimeUnit,
    pub rates: Vec<Fraction>,
}

/// The units to try, the best first: one in which every tick of every trace is a whole number of
/// ticks, so that nothing is rounded; then, should times not fit, the finest tick of all.
pub(super) fn common_units(units: &[&TimeUnit]) -> Result<Vec<CommonUnit>> {
    let Some(&first) = units.first() else { return Err(bad_input("there is nothing to join")) };
    let too_fine = || bad_input("the ticks of the traces cannot be compared exactly");
    let per_unit: Vec<Fraction> =
        units.iter().map(|unit| ticks_in(unit, first)).collect::<Result<_>>()?;
    let exact = per_unit
        .iter()
        .try_fold(1, |all, ticks| least_common_multiple(all, ticks.numerator()))
        .and_then(|all| u64::try_from(all).ok());
    let finest = per_unit.iter().filter_map(|ticks| ticks.rounded_of(1)).max();
    let finest = finest.and_then(|ticks| u64::try_from(ticks.max(1)).ok());
    let common = |ticks_per_unit: u64| {
        let whole = Fraction::new(ticks_per_unit.into(), 1)?;
        let rates = per_unit.iter().map(|ticks| whole.times(ticks.inverse()?));
        let assumed = units.iter().any(|unit| unit.assumed);
        let unit = TimeUnit { ticks_per_unit, assumed, name: first.name.clone() };
        Some(CommonUnit { unit, rates: rates.collect::<Option<_>>()? })
    };
    let mut found: Vec<CommonUnit> =
        [exact, finest].into_iter().flatten().filter_map(common).collect();
    found.dedup();
    if found.is_empty() { Err(too_fine()) } else { Ok(found) }
}

/// How many ticks of a trace are in one unit of another.
fn ticks_in(own: &TimeUnit, other: &TimeUnit) -> Result<Fraction> {
    let ticks = i128::from(own.ticks_per_unit);
    let scale = match (own.nanoseconds(), other.nanoseconds()) {
        _ if own.name == other.name => Some(Fraction::ONE),
        (Some(own), Some(other)) => Fraction::new(other.into(), own.into()),
        _ => {
            return Err(bad_input(format!(
                "one trace counts time in {:?}, another in {:?}; name one unit for both with --unit",
                other.name, own.name
            )));
        }
    };
    Fraction::new(ticks, 1)
        .and_then(|ticks| ticks.times(scale?))
        .filter(|ticks| ticks.is_positive())
        .ok_or_else(|| bad_input("a trace has no tick"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(name: &str, ticks_per_unit: u64) -> TimeUnit {
        TimeUnit { ticks_per_unit, name: name.to_owned(), assumed: false }
    }

    fn tried(units: &[TimeUnit]) -> Vec<(u64, Vec<String>)> {
        let units: Vec<&TimeUnit> = units.iter().collect();
        let found = common_units(&units).expect("a common unit");
        found
            .into_iter()
            .map(|common| {
                let rates = common.rates.iter().map(ToString::to_string).collect();
                (common.unit.ticks_per_unit, rates)
            })
            .collect()
    }

    #[test]
    fn ticks_of_all_traces_are_whole() {
        let texts = |rates: &[&str]| rates.iter().map(|&rate| rate.to_owned()).collect::<Vec<_>>();
        let same = [unit("s", 1000), unit("s", 1000)];
        assert_eq!(tried(&same), [(1000, texts(&["1", "1"]))]);
        let clocks = [unit("s", 4), unit("s", 6)];
        assert_eq!(
            tried(&clocks),
            [(12, texts(&["3", "2"])), (6, texts(&["3/2", "1"]))],
            "the finest is not exact"
        );
        let other = [unit("s", 10), unit("ms", 1000)];
        assert_eq!(tried(&other), [(1_000_000, texts(&["100000", "1"]))]);
        let coarse = [unit("ms", 1), unit("s", 3)];
        assert_eq!(tried(&coarse), [(3, texts(&["3", "1000"])), (1, texts(&["1", "1000/3"]))]);
    }

    #[test]
    fn units_that_nobody_knows_are_not_mixed() {
        let units = [unit("s", 1), unit("cycles", 1)];
        assert!(common_units(&units.iter().collect::<Vec<_>>()).is_err());
        let units = [unit("cycles", 2), unit("cycles", 1)];
        assert_eq!(tried(&units), [(2, vec!["1".to_owned(), "2".to_owned()])]);
    }
}
