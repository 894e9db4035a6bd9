//! How many numbers are how large.

use std::ops::Range;
use std::sync::LazyLock;

use crate::slice::{Bounds, BoundsError};

/// Bins of equal width. The last one is closed, so that the upper end is not lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinearHistogram {
    bounds: Bounds,
    /// How many numbers are in each bin.
    pub counts: Vec<u64>,
    /// How many are smaller than the first bin.
    pub below: u64,
    /// How many are larger than the last bin.
    pub above: u64,
}

impl LinearHistogram {
    /// No numbers yet, in `n_bins` bins from `from` to `to`.
    pub fn new(from: i64, to: i64, n_bins: usize) -> Result<Self, BoundsError> {
        let bounds = Bounds::new(from, to, n_bins)?;
        Ok(Self { bounds, counts: vec![0; n_bins], below: 0, above: 0 })
    }

    /// Adds a number.
    pub fn add(&mut self, number: i64) {
        match self.bounds.slice_of_instant(number) {
            Some(bin) => self.counts[bin] += 1,
            None if number < self.bounds.window().from => self.below += 1,
            None => self.above += 1,
        }
    }

    /// The bounds of the bins, as those of slices: bin `k` begins at bound `k`.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }
}

/// Bins of equal ratios, as many between a power of two and the next as [`RatioHistogram::PER_DOUBLING`].
/// What is not above 0 is counted apart.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RatioHistogram {
    /// How many are 0.
    pub zeros: u64,
    /// How many are negative.
    pub negative: u64,
    /// The first bin that is kept: there may be many histograms, each of numbers that are alike.
    first: usize,
    counts: Vec<u64>,
}

/// The smallest whole number of each bin, and of one that would come after the last. Roots and products are rounded
/// in the same way on every machine.
static LOWER_BOUNDS: LazyLock<Vec<i64>> = LazyLock::new(|| {
    let step = 2f64.sqrt().sqrt().sqrt().sqrt().sqrt();
    let mut factors = [1.0; RatioHistogram::PER_DOUBLING];
    for place in 1..factors.len() {
        factors[place] = factors[place - 1] * step;
    }
    let bound = |power: u32, factor: f64| (factor * (1u64 << power) as f64).ceil() as i64;
    let bounds = (0..i64::BITS - 1).flat_map(|power| factors.map(|factor| bound(power, factor)));
    bounds.chain([i64::MAX]).collect()
});

impl RatioHistogram {
    /// How many bins lie between a number and its double.
    pub const PER_DOUBLING: usize = 32;
    /// How many bins there are.
    pub const N_BINS: usize = Self::PER_DOUBLING * (i64::BITS as usize - 1);

    /// Adds a number.
    pub fn add(&mut self, number: i64) {
        match number {
            0 => self.zeros += 1,
            ..0 => self.negative += 1,
            _ => *self.count_mut(Self::bin_of(number)) += 1,
        }
    }

    fn bin_of(number: i64) -> usize {
        let begin = (number.ilog2() as usize) * Self::PER_DOUBLING;
        let bounds = &LOWER_BOUNDS[begin..begin + Self::PER_DOUBLING];
        begin + bounds.partition_point(|bound| *bound <= number) - 1
    }

    fn count_mut(&mut self, bin: usize) -> &mut u64 {
        if self.counts.is_empty() {
            self.first = bin;
        }
        if bin < self.first {
            self.counts.splice(0..0, std::iter::repeat_n(0, self.first - bin));
            self.first = bin;
        }
        let place = bin - self.first;
        if self.counts.len() <= place {
            self.counts.resize(place + 1, 0);
        }
        &mut self.counts[place]
    }

    /// The smallest number that a bin, or one that comes after it, can have.
    pub fn lower_bound(bin: usize) -> i64 {
        LOWER_BOUNDS[bin.min(Self::N_BINS)]
    }

    /// From the first bin that is not empty to the last.
    pub fn filled(&self) -> Range<usize> {
        self.first..self.first + self.counts.len()
    }

    /// How many numbers are in some bins.
    pub fn count(&self, bins: Range<usize>) -> u64 {
        let place = |bin: usize| bin.saturating_sub(self.first).min(self.counts.len());
        self.counts[place(bins.start)..place(bins.end)].iter().sum()
    }

    /// How many numbers are not negative.
    pub fn total(&self) -> u64 {
        self.zeros + self.count(self.filled())
    }

    /// Adds all numbers of another histogram.
    pub fn merge(&mut self, other: &Self) {
        self.zeros += other.zeros;
        self.negative += other.negative;
        for (bin, count) in other.filled().zip(&other.counts) {
            *self.count_mut(bin) += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_bins_share_bounds_and_lose_nothing() {
        let mut histogram = LinearHistogram::new(0, 10, 3).expect("a histogram");
        for number in -1..=11 {
            histogram.add(number);
        }
        assert_eq!(histogram.bounds().edges(), [0, 3, 6, 10]);
        assert_eq!(histogram.counts, [3, 3, 5], "10 is in the last bin");
        assert_eq!((histogram.below, histogram.above), (1, 1));
        assert!(LinearHistogram::new(3, 3, 1).is_err());
    }

    #[test]
    fn a_power_of_two_begins_a_bin() {
        for power in 0..63 {
            let bin = power * RatioHistogram::PER_DOUBLING;
            assert_eq!(RatioHistogram::lower_bound(bin), 1 << power);
            assert_eq!(RatioHistogram::bin_of(1 << power), bin);
        }
        assert_eq!(RatioHistogram::bin_of(i64::MAX), RatioHistogram::N_BINS - 1);
        assert_eq!(RatioHistogram::lower_bound(RatioHistogram::N_BINS + 7), i64::MAX);
    }

    #[test]
    fn ratio_bins_grow_to_both_sides() {
        let mut histogram = RatioHistogram::default();
        for number in [1000, 0, -5, 1, 1001, i64::MAX, 0] {
            histogram.add(number);
        }
        assert_eq!((histogram.zeros, histogram.negative, histogram.total()), (2, 1, 6));
        assert_eq!(histogram.filled(), 0..RatioHistogram::N_BINS);
        // 1000 and 1001 are between 512 and 1024.
        assert_eq!(histogram.count(9 * 32..10 * 32), 2);
        let mut twice = RatioHistogram::default();
        twice.merge(&histogram);
        twice.merge(&histogram);
        assert_eq!((twice.count(9 * 32..10 * 32), twice.negative, twice.zeros), (4, 2, 4));
    }
}
