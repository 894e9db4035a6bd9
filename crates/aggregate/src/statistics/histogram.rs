//! How many numbers are how large.

use super::stream::add_counts;
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

/// Bins by powers of two: bin 0 has the zeros, bin `k` the numbers from `2^(k-1)` to `2^k - 1`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PowerHistogram {
    /// How many numbers are in each bin; as many bins as are needed.
    pub counts: Vec<u64>,
    /// How many are negative.
    pub negative: u64,
}

impl PowerHistogram {
    /// Adds a number.
    pub fn add(&mut self, number: i64) {
        if number < 0 {
            self.negative += 1;
            return;
        }
        let bin = (i64::BITS - number.leading_zeros()) as usize;
        if self.counts.len() <= bin {
            self.counts.resize(bin + 1, 0);
        }
        self.counts[bin] += 1;
    }

    /// The smallest number of a bin.
    pub fn lower_bound(bin: usize) -> i64 {
        match bin {
            0 => 0,
            1..=63 => 1 << (bin - 1),
            // A shift by 63 is no error and not a power of two: it is the sign.
            _ => i64::MAX,
        }
    }

    /// Adds all numbers of another histogram.
    pub fn merge(&mut self, other: &Self) {
        self.negative += other.negative;
        add_counts(&mut self.counts, &other.counts);
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
    fn power_bins_double() {
        let mut histogram = PowerHistogram::default();
        for number in [0, 1, 2, 3, 4, 7, 8, i64::MAX, -5] {
            histogram.add(number);
        }
        assert_eq!(histogram.counts[..5], [1, 1, 2, 2, 1]);
        assert_eq!((histogram.counts.len(), histogram.counts[63], histogram.negative), (64, 1, 1));
        assert_eq!([0, 1, 2, 3, 63].map(PowerHistogram::lower_bound), [0, 1, 2, 4, 1 << 62]);
        assert_eq!([64, 65, 200].map(PowerHistogram::lower_bound), [i64::MAX; 3]);
        let mut twice = PowerHistogram::default();
        twice.merge(&histogram);
        twice.merge(&histogram);
        assert_eq!((twice.counts[2], twice.negative), (4, 2));
    }
}
