//! The columns of histograms: bins of equal ratios, joined until there are no more than can be seen
//! and than there are numbers for.

use std::ops::Range;

use onca_aggregate::statistics::RatioHistogram;
use onca_layout::axis;

use crate::quantity::{Quantity, Ruler};

/// There are at least this many columns, so that a ratio can be seen.
const LEAST_COLUMNS: usize = 8;
/// A column is at least this wide, in pixels.
const LEAST_WIDTH: f64 = 5.0;
/// A few numbers are no reason for many columns: there are at most this many for the cube root of
/// how many numbers there are, and at least [`ENOUGH_COLUMNS`].
const COLUMNS_BY_ROOT: f64 = 4.0;
const ENOUGH_COLUMNS: f64 = 16.0;
/// Zeros have a column of their own before all others, this far from them, in columns: there is no
/// logarithm of 0.
const BEFORE: f64 = 1.5;
/// A text below the columns has this much room, in pixels.
const TEXT_WIDTH: f64 = 70.0;

/// What goes to the right in one or several histograms.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Columns {
    /// The bins that are shown.
    bins: Range<usize>,
    /// How many of them are joined to a column.
    joined: usize,
    /// Is there a column of zeros?
    pub zeros: bool,
    /// In pixels.
    width: f64,
}

impl Columns {
    /// Columns for all of these histograms, so that they can be compared, in plots of this width.
    pub fn new<'h>(
        histograms: impl Iterator<Item = &'h RatioHistogram> + Clone,
        width: f64,
    ) -> Self {
        let filled = histograms.clone().map(RatioHistogram::filled).filter(|bins| !bins.is_empty());
        let first = filled.clone().map(|bins| bins.start).min().unwrap_or(0);
        let last = filled.map(|bins| bins.end).max().unwrap_or(1);
        let n_numbers = histograms.clone().map(RatioHistogram::total).max().unwrap_or(0);
        let zeros = histograms.clone().any(|one| one.zeros > 0);
        let by_number = (COLUMNS_BY_ROOT * (n_numbers as f64).cbrt()).max(ENOUGH_COLUMNS);
        let most = by_number.min(width / LEAST_WIDTH).max(LEAST_COLUMNS as f64);
        let cut = |joined: usize| first / joined..last.div_ceil(joined);
        let steps = (0..=RatioHistogram::PER_DOUBLING.ilog2()).map(|power| 1 << power);
        let fits = |joined: &usize| cut(*joined).len() as f64 <= most;
        let joined = steps.clone().find(fits).unwrap_or(RatioHistogram::PER_DOUBLING);
        let mut columns = cut(joined);
        let missing = LEAST_COLUMNS.saturating_sub(columns.len());
        columns.start = columns.start.saturating_sub(missing / 2);
        columns.end = columns.end.max(columns.start + LEAST_COLUMNS);
        let bins = columns.start * joined..columns.end * joined;
        Self { bins, joined, zeros, width }
    }

    /// The bins of each column, after that of the zeros.
    pub fn bins(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.bins.clone().step_by(self.joined).map(|bin| bin..bin + self.joined)
    }

    fn n(&self) -> usize {
        self.bins.len() / self.joined
    }

    /// How wide a column is, in pixels.
    pub fn pitch(&self) -> f64 {
        let before = if self.zeros { BEFORE } else { 0.0 };
        self.width / (self.n() as f64 + before)
    }

    /// Where the columns begin, after that of the zeros.
    pub fn start(&self) -> f64 {
        if self.zeros { BEFORE * self.pitch() } else { 0.0 }
    }

    /// The smallest whole number of each column, and of one that would come after the last.
    pub fn edges(&self) -> Vec<i64> {
        let begins = self.bins().map(|bins| bins.start).chain([self.bins.end]);
        begins.map(RatioHistogram::lower_bound).collect()
    }

    /// Where columns begin and end, as they are spread: not as whole numbers.
    fn ends(&self) -> (f64, f64) {
        let at = |bin: usize| (bin as f64 / RatioHistogram::PER_DOUBLING as f64).exp2();
        (at(self.bins.start), at(self.bins.end))
    }

    /// Round quantities below the columns, as distances from the left side.
    pub fn marks(&self, quantity: &Quantity) -> Vec<(f64, String)> {
        let (from, to) = self.ends();
        let zero = self.zeros.then(|| (self.pitch() / 2.0, "0".to_owned()));
        let share = |value: f64| (value / from).log2() / (to / from).log2();
        let x_of = |value: f64| self.start() + share(value) * (self.width - self.start());
        let ticks = self.ticks(quantity, from, to).into_iter();
        zero.into_iter().chain(ticks.map(|at| (x_of(at), quantity.text(at)))).collect()
    }

    /// Powers where there are some, else round numbers.
    fn ticks(&self, quantity: &Quantity, from: f64, to: f64) -> Vec<f64> {
        let most = (self.width / TEXT_WIDTH).max(1.0) as usize;
        let powers = quantity.ticks(Ruler::Log, from, to, most);
        if powers.len() > 1 || most < 2 {
            return powers;
        }
        let size = quantity.size(to);
        axis::ticks(from / size, to / size, most).at.into_iter().map(|at| at * size).collect()
    }
}

#[cfg(test)]
mod tests {
    use onca_model::TimeUnit;

    use super::*;

    fn of(numbers: &[i64]) -> RatioHistogram {
        let mut histogram = RatioHistogram::default();
        numbers.iter().for_each(|number| histogram.add(*number));
        histogram
    }

    #[test]
    fn many_numbers_have_columns_much_finer_than_a_factor_of_two() {
        let histogram = of(&(1_000..9_000).collect::<Vec<i64>>());
        let columns = Columns::new([&histogram].into_iter(), 800.0);
        let ratio = |edges: &[i64]| edges[1] as f64 / edges[0] as f64;
        assert!(columns.edges().windows(2).all(|pair| ratio(pair) < 1.1), "{columns:?}");
        assert!(columns.n() <= 80);
        // Few pixels: fewer columns.
        assert!(Columns::new([&histogram].into_iter(), 60.0).n() <= 12);
    }

    #[test]
    fn every_number_has_a_column() {
        for numbers in [&[7][..], &[1, 1 << 40], &[0], &[5, 0, 6, 7_000, i64::MAX], &[3; 400]] {
            let histogram = of(numbers);
            let columns = Columns::new([&histogram].into_iter(), 500.0);
            let counted: u64 = columns.bins().map(|bins| histogram.count(bins)).sum();
            assert_eq!(counted + histogram.zeros, numbers.len() as u64, "{numbers:?}");
            assert_eq!(columns.zeros, numbers.contains(&0));
            assert!(columns.n() >= LEAST_COLUMNS);
            assert!(columns.edges().is_sorted());
        }
    }

    #[test]
    fn numbers_that_are_alike_have_round_numbers_below_them() {
        let histogram = of(&(1_000_000..1_060_000).step_by(100).collect::<Vec<i64>>());
        let columns = Columns::new([&histogram].into_iter(), 600.0);
        let marks = columns.marks(&Quantity::Time(TimeUnit::default()));
        assert!(marks.len() > 2, "{marks:?}");
        assert!(marks.is_sorted_by(|a, b| a.0 < b.0 && a.1 != b.1), "{marks:?}");
    }
}
