//! Time is an integer count of ticks. Sums are therefore exact: two ways of computing the same
//! total agree to the last tick.

/// A point in time or a duration, in ticks.
pub type Ticks = i64;

/// No time is farther from 0 than this, so that the difference of any two is a number of ticks.
pub const FARTHEST: Ticks = Ticks::MAX / 2;

/// A number of ticks as a point in time; `None` if it is too far from 0.
#[inline]
pub fn time_of(ticks: impl TryInto<Ticks>) -> Option<Ticks> {
    ticks.try_into().ok().filter(|ticks| (-FARTHEST..=FARTHEST).contains(ticks))
}

/// Ticks per unit of a Pajé trace, unless its times would overflow.
pub const DEFAULT_TICKS_PER_UNIT: u64 = 1_000_000_000;

/// Names of units of time, and how many nanoseconds they are. A name comes before those that it
/// ends with.
pub const TIME_UNITS: [(&str, u64); 6] = [
    ("ns", 1),
    ("us", 1000),
    ("µs", 1000),
    ("ms", 1_000_000),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
];

/// How ticks relate to the unit that the trace is written in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimeUnit {
    /// How many ticks make one unit.
    pub ticks_per_unit: u64,
    /// The unit's name, such as `s` or `ms`.
    pub name: String,
    /// The source does not tell its unit and nothing is known of its producer.
    pub assumed: bool,
}

impl Default for TimeUnit {
    fn default() -> Self {
        Self { ticks_per_unit: DEFAULT_TICKS_PER_UNIT, name: "s".to_owned(), assumed: true }
    }
}

impl TimeUnit {
    /// How many nanoseconds the unit is, if its name tells.
    pub fn nanoseconds(&self) -> Option<u64> {
        TIME_UNITS.iter().find(|(name, _)| *name == self.name).map(|(_, length)| *length)
    }

    /// A time in units, for display only: analysis stays in ticks.
    pub fn units(&self, ticks: Ticks) -> f64 {
        ticks as f64 / self.ticks_per_unit as f64
    }

    /// Writes a time, or a sum of times, in units exactly, with as many decimals as the tick rate
    /// has, when that rate is a power of ten; else with nine decimals.
    pub fn format(&self, ticks: impl Into<i128>) -> String {
        let ticks = ticks.into();
        match self.decimals() {
            Some(0) => ticks.to_string(),
            Some(decimals) => {
                let sign = if ticks < 0 { "-" } else { "" };
                let (magnitude, rate) = (ticks.unsigned_abs(), u128::from(self.ticks_per_unit));
                format!("{sign}{}.{:0decimals$}", magnitude / rate, magnitude % rate)
            }
            None => format!("{:.9}", ticks as f64 / self.ticks_per_unit as f64),
        }
    }

    /// The number of decimals of one tick, when the tick rate is a power of ten.
    fn decimals(&self) -> Option<usize> {
        let mut rate = self.ticks_per_unit;
        let mut decimals = 0;
        while rate > 1 {
            if !rate.is_multiple_of(10) {
                return None;
            }
            rate /= 10;
            decimals += 1;
        }
        Some(decimals)
    }
}

/// A half-open interval of time, `[from, to)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// First tick inside.
    pub from: Ticks,
    /// First tick after.
    pub to: Ticks,
}

impl Window {
    /// The window that holds every tick but the last one that `i64` can name.
    pub const ALL: Self = Self { from: Ticks::MIN, to: Ticks::MAX };

    /// The window `[from, to)`.
    pub fn new(from: Ticks, to: Ticks) -> Self {
        Self { from, to }
    }

    /// How many ticks of `[start, end)` lie in the window.
    pub fn overlap(&self, start: Ticks, end: Ticks) -> Ticks {
        (end.min(self.to) - start.max(self.from)).max(0)
    }

    /// Does the entity that lasts from `start` to `end` touch the window? An instant occupies
    /// its own tick, so that an entity of zero length at `from` is inside and one at `to` is not.
    pub fn touches(&self, start: Ticks, end: Ticks) -> bool {
        start < self.to && end.max(start.saturating_add(1)) > self.from
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_written_exactly() {
        let unit = TimeUnit::default();
        assert_eq!(unit.format(1_500_000_001), "1.500000001");
        assert_eq!(unit.format(-1), "-0.000000001");
        assert_eq!(unit.format(i128::from(Ticks::MAX) * 10), "92233720368.547758070");
        let coarse = TimeUnit { ticks_per_unit: 1, ..TimeUnit::default() };
        assert_eq!(coarse.format(42), "42");
        let clock = TimeUnit { ticks_per_unit: 3, ..TimeUnit::default() };
        assert_eq!(clock.format(1), "0.333333333");
    }

    #[test]
    fn an_instant_belongs_to_exactly_one_of_two_adjacent_windows() {
        let (left, right) = (Window::new(0, 5), Window::new(5, 9));
        assert!(!left.touches(5, 5) && right.touches(5, 5));
        assert!(left.touches(4, 4) && !right.touches(4, 4));
        assert!(!right.touches(3, 5), "an interval is half open");
        assert_eq!(left.overlap(3, 7) + right.overlap(3, 7), 4);
    }
}
