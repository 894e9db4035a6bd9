//! Exact order statistics.

/// The usual quantiles of a column of integers.
///
/// Quantiles are by nearest rank: the quantile `q` of `n` numbers is the one at place `ceil(q * n)`,
/// counted from 1, when they are sorted. It is always one of the numbers. The median of an even
/// number of numbers is therefore the lower of the two in the middle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OrderStatistics {
    /// How many numbers there are.
    pub count: u64,
    /// Their sum, exact.
    pub sum: i128,
    /// The smallest.
    pub min: i64,
    /// The sum divided by the count.
    pub mean: f64,
    /// The quantile 1/2.
    pub median: i64,
    /// The quantile 9/10.
    pub p90: i64,
    /// The quantile 99/100.
    pub p99: i64,
    /// The largest.
    pub max: i64,
}

impl OrderStatistics {
    /// The statistics of a column, which is put in order on the way; `None` if it is empty.
    pub fn of(column: &mut [i64]) -> Option<Self> {
        column.sort_unstable();
        let (&min, &max) = (column.first()?, column.last()?);
        let sum = column.iter().map(|&number| i128::from(number)).sum();
        Some(Self {
            count: column.len() as u64,
            sum,
            min,
            mean: sum as f64 / column.len() as f64,
            median: *nearest_rank(column, 1, 2)?,
            p90: *nearest_rank(column, 9, 10)?,
            p99: *nearest_rank(column, 99, 100)?,
            max,
        })
    }
}

/// The quantile `part / whole` of what is sorted, by nearest rank; `None` if there is nothing.
pub fn nearest_rank<T>(sorted: &[T], part: u32, whole: u32) -> Option<&T> {
    let rank = rank_of(sorted.len() as u64, part, whole);
    sorted.get(rank.checked_sub(1)? as usize)
}

/// The rank of a quantile, counted from 1; 0 if there is nothing. In integers: `0.9 * 10` may be
/// a little more than 9.
pub(super) fn rank_of(count: u64, part: u32, whole: u32) -> u64 {
    let exact = u128::from(count) * u128::from(part);
    let rank = exact.div_ceil(u128::from(whole.max(1))) as u64;
    rank.clamp(1.min(count), count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_numbers_of_the_column() {
        let mut ten = [9, 1, 8, 2, 7, 3, 6, 4, 5, 10];
        let statistics = OrderStatistics::of(&mut ten).expect("numbers");
        let OrderStatistics { count, sum, min, mean, median, p90, p99, max } = statistics;
        assert_eq!((count, sum, min, mean, max), (10, 55, 1, 5.5, 10));
        assert_eq!((median, p90, p99), (5, 9, 10), "the median is the lower of 5 and 6");
        assert_eq!(OrderStatistics::of(&mut [3, 1, 2]).expect("numbers").median, 2);
        assert_eq!(OrderStatistics::of(&mut []), None);
    }

    #[test]
    fn sums_do_not_overflow() {
        let statistics = OrderStatistics::of(&mut [i64::MAX, i64::MAX, i64::MIN]).expect("numbers");
        assert_eq!(statistics.sum, i128::from(i64::MAX) - 1);
    }

    #[test]
    fn extreme_quantiles_are_the_ends() {
        let sorted = [4, 5, 6];
        assert_eq!(nearest_rank(&sorted, 0, 1), Some(&4));
        assert_eq!(nearest_rank(&sorted, 1, 1), Some(&6));
        assert_eq!(nearest_rank(&sorted, 2, 3), Some(&5));
        assert_eq!(nearest_rank::<u8>(&[], 1, 2), None);
    }
}
