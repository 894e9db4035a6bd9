//! From the time of one clock to that of another.

use crate::{Fraction, Ticks, time_of};

/// Drifts are kept as this many parts of a whole: finer than the error of any estimate, and coarse
/// enough that no product with a time overflows.
const DRIFT_PARTS: i128 = 1 << 60;

/// A straight line from one time to another: `to + (time - from) * rate`, rounded to the nearest
/// tick. It never turns back: what was in order stays in order, though times may become equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeMap {
    from: Ticks,
    to: Ticks,
    rate: Fraction,
}

impl TimeMap {
    /// Leaves every time as it is.
    pub const IDENTITY: Self = Self { from: 0, to: 0, rate: Fraction::ONE };

    /// The line through `from` and `to`; `None` unless the rate is positive.
    pub fn new(from: Ticks, to: Ticks, rate: Fraction) -> Option<Self> {
        rate.is_positive().then_some(Self { from, to, rate })
    }

    /// Adds `offset` to the time `origin`, and with every tick after it `drift` more. `None` for
    /// a clock that would stand still or go back, or an offset out of all range.
    pub fn drifting(origin: Ticks, offset: Ticks, drift: f64) -> Option<Self> {
        let more = (drift * DRIFT_PARTS as f64).round();
        if more.is_nan() || more.abs() >= DRIFT_PARTS as f64 {
            return None;
        }
        let rate = Fraction::new(DRIFT_PARTS + more as i128, DRIFT_PARTS)?;
        Self::new(origin, origin.checked_add(offset)?, rate)
    }

    /// The time on the other clock; `None` if no tick stands for it.
    pub fn apply(&self, time: Ticks) -> Option<Ticks> {
        let since = i128::from(time) - i128::from(self.from);
        let after = match self.rate == Fraction::ONE {
            true => since,
            false => self.rate.rounded_of(since)?,
        };
        time_of(i128::from(self.to).checked_add(after)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FARTHEST;

    #[test]
    fn times_follow_the_line_and_stay_in_order() {
        let rate = Fraction::parse("1.5").expect("a rate");
        let map = TimeMap::new(10, 100, rate).expect("a map");
        assert_eq!([8, 10, 11, 12].map(|time| map.apply(time)), [97, 100, 102, 103].map(Some));
        let slow = TimeMap::new(0, 0, Fraction::parse("0.1").expect("a rate")).expect("a map");
        let times: Vec<_> = (-50..50).map(|time| slow.apply(time).expect("near")).collect();
        assert!(times.is_sorted());
        assert_eq!((times[0], times[99]), (-5, 5));
    }

    #[test]
    fn what_no_tick_stands_for_is_refused() {
        assert_eq!(TimeMap::IDENTITY.apply(-FARTHEST), Some(-FARTHEST));
        assert_eq!(TimeMap::IDENTITY.apply(-FARTHEST - 1), None);
        let later = TimeMap::new(0, 1, Fraction::ONE).expect("a map");
        assert_eq!(later.apply(FARTHEST), None);
        let fast = TimeMap::drifting(Ticks::MIN, 0, 0.000_9).expect("a map");
        assert_eq!(fast.apply(Ticks::MAX), None);
        assert_eq!(TimeMap::new(0, 0, Fraction::parse("-1").expect("a number")), None);
        assert_eq!(TimeMap::drifting(0, 0, -1.0), None);
        assert_eq!(TimeMap::drifting(0, 0, f64::NAN), None);
    }

    #[test]
    fn a_drift_is_what_is_added() {
        let map = TimeMap::drifting(1000, 7, 2e-5).expect("a map");
        assert_eq!(map.apply(1000), Some(1007));
        assert_eq!(map.apply(1_001_000), Some(1_001_000 + 7 + 20));
    }
}
