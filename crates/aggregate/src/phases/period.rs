//! Patterns that come again and again.

use crate::robust::{median, spread};

/// This many pairs of phases at the distance of a period must have the same pattern.
const LEAST_CORRELATION: f64 = 0.8;
/// A shorter period is taken when it is this good compared with the best.
const NEAR_BEST: f64 = 0.95;
/// A sequence comes at least so often.
const REPEATS: usize = 3;
/// An odd iteration differs by this many standard deviations,
const ODD_DEVIATIONS: f64 = 3.0;
/// and by this share of the usual length.
const ODD_SHARE: f64 = 0.05;

/// A sequence of patterns that repeats.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Period {
    /// How many phases an iteration has.
    pub phases: usize,
    /// The share of phases that have the pattern of the phase one period later.
    pub correlation: f64,
    /// The first phase of the first iteration.
    pub first: usize,
    /// How many whole iterations there are.
    pub iterations: usize,
}

/// The period of a sequence of patterns, if it has one. With `n` phases of patterns `l`:
///
/// ```text
/// R(p) = |{ t : l(t) = l(t + p) }| / (n - p)        p from 1 to n / 3
/// ```
///
/// The period is the smallest `p` with `R(p) >= 0.8` and `R(p) >= 0.95 max R`. Iterations begin with the first phase whose pattern comes
/// again one period later, and end with the last phase whose pattern was there one period before.
pub fn period(labels: &[usize]) -> Option<Period> {
    let n = labels.len();
    let correlation = |p: usize| {
        let same = labels.iter().zip(&labels[p..]).filter(|(one, other)| one == other).count();
        same as f64 / (n - p) as f64
    };
    let all: Vec<f64> = (1..=n / REPEATS).map(correlation).collect();
    let best = all.iter().copied().fold(0.0, f64::max);
    let least = LEAST_CORRELATION.max(NEAR_BEST * best);
    let at = all.iter().position(|&correlation| correlation >= least)?;
    let phases = at + 1;
    let repeats = |t: &usize| labels[*t] == labels[t + phases];
    let first = (0..n - phases).find(repeats)?;
    let last = (0..n - phases).rfind(repeats)? + phases;
    let iterations = (last + 1 - first) / phases;
    Some(Period { phases, correlation: all[at], first, iterations })
}

/// The numbers that are unlike the others: farther from the median than three standard deviations, as estimated from the median of
/// all deviations, and than a twentieth of the median.
pub fn outliers(numbers: &[f64]) -> Vec<usize> {
    let middle = median(&mut numbers.to_vec());
    let deviations = numbers.iter().map(|number| number - middle);
    let least = (ODD_DEVIATIONS * spread(deviations)).max(ODD_SHARE * middle.abs());
    let is_odd = |at: &usize| (numbers[*at] - middle).abs() > least;
    (0..numbers.len()).filter(is_odd).collect()
}
