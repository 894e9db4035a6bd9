//! Times as people read them.

use onca_layout::axis;
use onca_model::{Ticks, TimeUnit, Window, format::rounded};

/// The units of time that can stand for each other, with what a second has of them.
const SECONDS: [(&str, f64); 4] = [("s", 1.0), ("ms", 1e3), ("µs", 1e6), ("ns", 1e9)];

/// An axis counts from its beginning where its numbers would have more digits than this.
const MOST_DIGITS: f64 = 7.0;

/// A unit and an origin in which the times of a window have few digits.
#[derive(Clone, PartialEq, Debug)]
pub struct TimeScale {
    /// Ticks in one unit.
    pub ticks_per_unit: f64,
    /// The unit.
    pub unit: String,
    /// Times are counted from here.
    pub origin: Ticks,
    base: TimeUnit,
}

impl TimeScale {
    /// The scale for a window.
    pub fn new(window: Window, unit: &TimeUnit) -> Self {
        let span = (window.to as f64 - window.from as f64).max(1.0);
        let farthest = window.from.unsigned_abs().max(window.to.unsigned_abs()) as f64;
        let counts_from_begin = (farthest / span).log10() > MOST_DIGITS - 3.0;
        let origin = if counts_from_begin { window.from } else { 0 };
        let longest = if counts_from_begin { span } else { farthest };
        let (ticks_per_unit, name) = readable_unit(longest, unit);
        Self { ticks_per_unit, unit: name, origin, base: unit.clone() }
    }

    /// What the axis measures: `time (ms)`, or `time (µs after 1.2 s)`.
    pub fn title(&self) -> String {
        match self.origin {
            0 => format!("time ({})", self.unit),
            origin => {
                format!(
                    "time ({} after {} {})",
                    self.unit,
                    self.base.format(origin),
                    self.base.name
                )
            }
        }
    }

    /// A time on the axis.
    pub fn of(&self, ticks: f64) -> f64 {
        (ticks - self.origin as f64) / self.ticks_per_unit
    }

    /// The time at a place of the axis, in ticks.
    pub fn ticks(&self, units: f64) -> f64 {
        units * self.ticks_per_unit + self.origin as f64
    }

    /// At most `most` round times in a window, with their texts.
    pub fn marks(&self, window: Window, most: usize) -> Vec<(f64, String)> {
        let ticks = axis::ticks(self.of(window.from as f64), self.of(window.to as f64), most);
        let decimals = ticks.decimals;
        let mark = |at: f64| (self.ticks(at), format!("{at:.decimals$}"));
        ticks.at.into_iter().map(mark).collect()
    }
}

/// A length of time with its unit: `3.112 ms`.
pub(crate) fn duration(ticks: f64, unit: &TimeUnit) -> String {
    let (ticks_per_unit, name) = readable_unit(ticks.abs(), unit);
    format!("{} {name}", rounded(ticks / ticks_per_unit))
}

/// The unit in which a time is a number from 1 to 1000, if it is one of the units of seconds; else
/// the unit that the trace has.
pub(crate) fn readable_unit(ticks: f64, unit: &TimeUnit) -> (f64, String) {
    let own = unit.ticks_per_unit as f64;
    let ascii = if unit.name == "us" { "µs" } else { unit.name.as_str() };
    let Some((_, per_second)) = SECONDS.into_iter().find(|(name, _)| *name == ascii) else {
        return (own, unit.name.clone());
    };
    let seconds = ticks / own / per_second;
    let fits = |(_, count): &(&str, f64)| seconds * count >= 1.0;
    let none = if ticks == 0.0 { SECONDS[0] } else { SECONDS[SECONDS.len() - 1] };
    let (name, count) = SECONDS.into_iter().find(fits).unwrap_or(none);
    (own * per_second / count, name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds() -> TimeUnit {
        TimeUnit::default()
    }

    fn texts(from: Ticks, to: Ticks, unit: &TimeUnit) -> (String, Vec<String>) {
        let window = Window::new(from, to);
        let scale = TimeScale::new(window, unit);
        (scale.title(), scale.marks(window, 4).into_iter().map(|(_, text)| text).collect())
    }

    #[test]
    fn a_window_chooses_its_unit() {
        let (title, marks) = texts(0, 2_500_000_000, &seconds());
        assert_eq!((title.as_str(), marks.join(" ")), ("time (s)", "0 1 2".to_owned()));
        let (title, marks) = texts(0, 2_500_000, &seconds());
        assert_eq!((title.as_str(), marks.join(" ")), ("time (ms)", "0 1 2".to_owned()));
        let (title, marks) = texts(1_200_000_000, 1_206_000_000, &seconds());
        assert_eq!(title, "time (s)");
        assert_eq!(marks.join(" "), "1.200 1.202 1.204 1.206");
    }

    #[test]
    fn a_short_window_far_from_the_origin_counts_from_its_begin() {
        let (title, marks) = texts(1_200_000_000, 1_200_006_000, &seconds());
        assert_eq!(title, "time (µs after 1.200000000 s)");
        assert_eq!(marks.join(" "), "0 2 4 6");
    }

    #[test]
    fn units_that_are_no_seconds_stay() {
        let cycles = TimeUnit { name: "cycles".to_owned(), ..seconds() };
        let (title, _) = texts(0, 1_000, &cycles);
        assert_eq!(title, "time (cycles)");
    }

    #[test]
    fn milliseconds_of_a_trace_become_seconds_when_there_are_many() {
        let unit = TimeUnit { name: "ms".to_owned(), ..seconds() };
        assert_eq!(duration(2.5e12, &unit), "2.500 s");
        assert_eq!(duration(3.112e9, &unit), "3.112 ms");
        assert_eq!(duration(0.0, &unit), "0 s");
        assert_eq!(duration(-1.0, &seconds()), "-1.000 ns");
    }

    #[test]
    fn marks_are_where_they_say() {
        let window = Window::new(1_200_000_000, 1_206_000_000);
        let scale = TimeScale::new(window, &seconds());
        let (ticks, _) = scale.marks(window, 4)[1];
        assert!((ticks - 1.202e9).abs() < 1.0);
    }
}
