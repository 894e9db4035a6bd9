//! Order statistics of streams that are too long to keep.

use super::order::rank_of;

/// Count, sum, smallest, largest and quantiles of integers, in bounded memory.
///
/// Up to a number of items that the caller chooses, all are kept and quantiles are exact, by nearest
/// rank. Beyond that only how many fell into which bucket is kept. Buckets are 1 wide below 256 and
/// grow with the size of the numbers, so that a quantile is off by at most [`RELATIVE_ERROR`] of
/// itself, whatever the numbers are; numbers below 256 stay exact. The same goes for negative
/// numbers. There are at most 15,000 buckets, 8 bytes each.
///
/// The result depends only on which numbers were added, not on their order, nor on how they were
/// spread over summaries that were merged, as long as all had the same limit.
///
/// [`RELATIVE_ERROR`]: StreamSummary::RELATIVE_ERROR
#[derive(Clone, PartialEq, Debug)]
pub struct StreamSummary {
    limit: usize,
    count: u64,
    sum: i128,
    /// The largest number there is while there is none.
    min: i64,
    /// The smallest number there is while there is none.
    max: i64,
    kept: Kept,
}

#[derive(Clone, PartialEq, Debug)]
enum Kept {
    /// Every number, in no order.
    All(Vec<i64>),
    /// How many numbers are in each bucket.
    Counts(Buckets),
}

/// Numbers of this many bits have a bucket each; longer ones share it with those that agree in
/// their first `EXACT_BITS` bits.
const EXACT_BITS: u32 = 8;

impl StreamSummary {
    /// By how much a quantile of buckets may be off, relative to its magnitude.
    ///
    /// A bucket holds the numbers with the same bit length and the same first 8 bits. It is at most
    /// 1/128 as wide as its smallest number is large, and its middle at most half of that from
    /// any number in it.
    pub const RELATIVE_ERROR: f64 = 1.0 / 256.0;

    /// Nothing yet; exact up to `limit` numbers.
    pub fn new(limit: usize) -> Self {
        let (min, max) = (i64::MAX, i64::MIN);
        Self { limit, count: 0, sum: 0, min, max, kept: Kept::All(Vec::new()) }
    }

    /// Adds a number. This is done for each of very many.
    #[inline]
    pub fn add(&mut self, number: i64) {
        self.count += 1;
        self.sum += i128::from(number);
        self.min = self.min.min(number);
        self.max = self.max.max(number);
        match &mut self.kept {
            Kept::Counts(buckets) => buckets.add(number),
            Kept::All(numbers) => {
                numbers.push(number);
                self.forget();
            }
        }
    }

    /// Adds all numbers of another summary.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        match (&mut self.kept, &other.kept) {
            (Kept::All(own), Kept::All(others)) => own.extend(others),
            (Kept::Counts(own), Kept::All(others)) => own.add_all(others),
            (Kept::Counts(own), Kept::Counts(others)) => own.merge(others),
            (Kept::All(own), Kept::Counts(others)) => {
                let mut all = others.clone();
                all.add_all(own);
                self.kept = Kept::Counts(all);
            }
        }
        self.forget();
    }

    /// Keeps only counts once there are too many numbers.
    fn forget(&mut self) {
        if let Kept::All(numbers) = &self.kept
            && numbers.len() > self.limit
        {
            let mut buckets = Buckets::default();
            buckets.add_all(numbers);
            self.kept = Kept::Counts(buckets);
        }
    }

    /// The smallest and the largest.
    fn range(&self) -> Option<(i64, i64)> {
        (self.count > 0).then_some((self.min, self.max))
    }

    /// How many numbers there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their sum, exact.
    pub fn sum(&self) -> i128 {
        self.sum
    }

    /// The smallest, exact.
    pub fn min(&self) -> Option<i64> {
        self.range().map(|(min, _)| min)
    }

    /// The largest, exact.
    pub fn max(&self) -> Option<i64> {
        self.range().map(|(_, max)| max)
    }

    /// The sum divided by the count.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// Are quantiles exact?
    pub fn is_exact(&self) -> bool {
        matches!(self.kept, Kept::All(_))
    }

    /// What can be asked for quantiles. Sorting is done here, once for all of them.
    pub fn quantiles(&self) -> Quantiles {
        let steps = match &self.kept {
            Kept::All(numbers) => {
                let mut sorted = numbers.clone();
                sorted.sort_unstable();
                sorted.into_iter().map(|number| (number, 1)).collect()
            }
            Kept::Counts(buckets) => buckets.ascending().collect(),
        };
        Quantiles { count: self.count, range: self.range(), steps }
    }
}

/// The quantiles of a [`StreamSummary`].
#[derive(Clone, PartialEq, Debug)]
pub struct Quantiles {
    count: u64,
    range: Option<(i64, i64)>,
    /// Numbers in ascending order, and how many there are of each.
    steps: Vec<(i64, u64)>,
}

impl Quantiles {
    /// The quantile `part / whole`, by nearest rank: exact, or off by at most
    /// [`StreamSummary::RELATIVE_ERROR`]. `None` if there are no numbers.
    pub fn get(&self, part: u32, whole: u32) -> Option<i64> {
        let (min, max) = self.range?;
        let rank = rank_of(self.count, part, whole);
        // The two ends are known exactly, also where buckets stand for the rest.
        if rank == 1 {
            return Some(min);
        }
        if rank == self.count {
            return Some(max);
        }
        let mut before = 0;
        let step = self.steps.iter().find(|&&(_, n)| {
            before += n;
            before >= rank
        });
        step.map(|&(number, _)| number.clamp(min, max))
    }
}

/// How many numbers are in each bucket, by bucket of their magnitude; as long as needed.
#[derive(Clone, PartialEq, Default, Debug)]
struct Buckets {
    negative: Vec<u64>,
    positive: Vec<u64>,
}

impl Buckets {
    #[inline]
    fn add(&mut self, number: i64) {
        let counts = if number < 0 { &mut self.negative } else { &mut self.positive };
        let bucket = bucket_of(number.unsigned_abs());
        match counts.get_mut(bucket) {
            Some(count) => *count += 1,
            None => grow(counts, bucket),
        }
    }

    fn add_all(&mut self, numbers: &[i64]) {
        numbers.iter().for_each(|&number| self.add(number));
    }

    fn merge(&mut self, other: &Self) {
        add_counts(&mut self.negative, &other.negative);
        add_counts(&mut self.positive, &other.positive);
    }

    /// The middle of each bucket that is not empty, and how many numbers it has.
    fn ascending(&self) -> impl Iterator<Item = (i64, u64)> {
        let below = self.negative.iter().enumerate().rev().map(|(at, &n)| (-middle(at), n));
        let above = self.positive.iter().enumerate().map(|(at, &n)| (middle(at), n));
        below.chain(above).filter(|&(_, n)| n > 0)
    }
}

/// Makes room for a bucket that gets its first number.
#[cold]
fn grow(counts: &mut Vec<u64>, bucket: usize) {
    counts.resize(bucket + 1, 0);
    counts[bucket] = 1;
}

/// Adds counts bin by bin; the shorter list counts as if it had zeros to the end.
fn add_counts(own: &mut Vec<u64>, others: &[u64]) {
    if own.len() < others.len() {
        own.resize(others.len(), 0);
    }
    for (own, other) in own.iter_mut().zip(others) {
        *own += other;
    }
}

/// The bucket of a magnitude: its first 8 bits, numbered on from one bit length to the next.
///
/// ```text
/// magnitude      shift   buckets
/// 0 .. 255       0       0 .. 255      each alone
/// 256 .. 511     1       256 .. 383    by twos
/// 512 .. 1023    2       384 .. 511    by fours
/// ```
fn bucket_of(magnitude: u64) -> usize {
    let shift = (u64::BITS - magnitude.leading_zeros()).saturating_sub(EXACT_BITS);
    let half = 1u64 << (EXACT_BITS - 1);
    (u64::from(shift) * half + (magnitude >> shift)) as usize
}

/// The middle of a bucket.
fn middle(bucket: usize) -> i64 {
    let half = 1u64 << (EXACT_BITS - 1);
    let bucket = bucket as u64;
    let shift = (bucket / half).saturating_sub(1);
    let first = (bucket - shift * half) << shift;
    let middle = first + ((1u64 << shift) - 1) / 2;
    // Only the bucket of the most negative number lies beyond.
    i64::try_from(middle).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_numbers_are_exact() {
        let mut summary = StreamSummary::new(4);
        for number in [5000, -7, 300, 1] {
            summary.add(number);
        }
        let quantiles = summary.quantiles();
        assert!(summary.is_exact());
        assert_eq!([1, 2, 3, 4].map(|part| quantiles.get(part, 4)), [-7, 1, 300, 5000].map(Some));
        assert_eq!(summary.mean(), Some(1323.5));
    }

    #[test]
    fn buckets_follow_each_other_without_gap() {
        let mut last = 0;
        for magnitude in 0..100_000u64 {
            let bucket = bucket_of(magnitude);
            assert!(bucket == last || bucket == last + 1, "{magnitude}");
            let off = middle(bucket).abs_diff(magnitude as i64) as f64;
            assert!(off <= magnitude as f64 * StreamSummary::RELATIVE_ERROR, "{magnitude}");
            last = bucket;
        }
        assert!(bucket_of(i64::MIN.unsigned_abs()) < 7_500);
    }

    #[test]
    fn extremes_do_not_overflow() {
        let mut summary = StreamSummary::new(0);
        for number in [i64::MIN, i64::MIN, i64::MAX, i64::MAX] {
            summary.add(number);
        }
        assert!(!summary.is_exact());
        let quantiles = summary.quantiles();
        assert_eq!(
            (summary.min(), summary.max(), summary.sum()),
            (Some(i64::MIN), Some(i64::MAX), -2)
        );
        assert_eq!((quantiles.get(0, 1), quantiles.get(1, 1)), (Some(i64::MIN), Some(i64::MAX)));
        let low = quantiles.get(1, 2).expect("a median") as f64;
        assert!((low / i64::MIN as f64 - 1.0).abs() <= StreamSummary::RELATIVE_ERROR);
    }

    #[test]
    fn nothing_has_no_quantiles() {
        let summary = StreamSummary::new(10);
        assert_eq!(summary.quantiles().get(1, 2), None);
        assert_eq!((summary.count(), summary.mean(), summary.min()), (0, None, None));
    }
}
