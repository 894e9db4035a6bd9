//! Where a series of numbers is raised.

use crate::robust::median;

/// How many times the noise a shift must be.
pub(crate) const LEAST_CLARITY: f64 = 7.0;

/// How sure something is that stands out this many times from the noise.
pub(crate) fn sureness(clarity: f64) -> f64 {
    (1.0 - 0.5 * (LEAST_CLARITY / clarity.max(LEAST_CLARITY)).powi(2)).min(0.99)
}

/// Slots in which a series is raised.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Raised {
    /// The first slot.
    pub first: usize,
    /// The last slot, which belongs to it.
    pub last: usize,
    /// The mean over its slots that have a number.
    pub mean: f64,
    /// How many times the noise of a mean over that many slots it is.
    pub clarity: f64,
}

impl Raised {
    /// How many slots.
    pub fn len(&self) -> usize {
        self.last + 1 - self.first
    }

    /// How many slots two have in common.
    pub fn in_common(&self, other: &Self) -> usize {
        (self.last.min(other.last) + 1).saturating_sub(self.first.max(other.first))
    }
}

/// A series may be raised by about as much as one of these; what is above is taken together.
const LEVELS: [f64; 7] = [0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6];

/// At most this many times is a series raised.
const MOST: usize = 3;

/// The slots in which a series is most clearly raised above 0, the clearest first. `noise` is the deviation of one
/// number.
pub(crate) fn raised(series: &[Option<f64>], noise: f64, clarity: f64, least: f64) -> Vec<Raised> {
    let mut rest = series.to_vec();
    let mut found = Vec::new();
    while found.len() < MOST {
        let candidates = LEVELS.iter().filter_map(|level| above(&rest, noise, *level));
        let best = candidates.max_by(|a, b| a.clarity.total_cmp(&b.clarity));
        let Some(best) = best.filter(|it| it.clarity >= clarity && it.mean >= least) else { break };
        rest[best.first..=best.last].fill(None);
        found.push(best);
    }
    found
}

/// The slots whose numbers are the most above a level, all together.
pub(crate) fn above(series: &[Option<f64>], noise: f64, level: f64) -> Option<Raised> {
    let mut best: Option<(f64, usize, usize)> = None;
    let (mut sum, mut first) = (0.0, 0);
    for (at, number) in series.iter().enumerate() {
        let Some(number) = number else { continue };
        if sum <= 0.0 {
            (sum, first) = (0.0, at);
        }
        sum += number - level;
        if sum > 0.0 && best.is_none_or(|(most, ..)| sum > most) {
            best = Some((sum, first, at));
        }
    }
    let (_, first, last) = best?;
    let numbers = series[first..=last].iter().flatten();
    let (n, sum) = numbers.fold((0.0, 0.0), |(n, sum), number| (n + 1.0, sum + number));
    Some(Raised { first, last, mean: sum / n, clarity: sum / (noise * f64::sqrt(n)) })
}

/// How much single numbers differ from the middle of their series, over several series.
pub(crate) fn noise_of<'a>(many: impl Iterator<Item = &'a [Option<f64>]>, least: f64) -> f64 {
    let mut deviations = Vec::new();
    for series in many {
        let mut numbers: Vec<f64> = series.iter().flatten().copied().collect();
        let middle = median(&mut numbers);
        deviations.extend(numbers.iter().map(|number| number - middle));
    }
    crate::robust::spread(deviations.into_iter()).max(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(numbers: &[f64]) -> Vec<Option<f64>> {
        numbers.iter().copied().map(Some).collect()
    }

    #[test]
    fn a_raised_part_is_found_with_its_borders() {
        let mut numbers = vec![0.0; 40];
        numbers[10..20].fill(0.7);
        let found = raised(&series(&numbers), 0.03, 7.0, 0.04);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].first, found[0].last), (10, 19));
        assert!((found[0].mean - 0.7).abs() < 1e-12);
    }

    #[test]
    fn what_is_raised_always_and_more_for_a_while_is_found_for_that_while_first() {
        let mut numbers = vec![0.05; 100];
        numbers[30..40].fill(1.0);
        let found = raised(&series(&numbers), 0.03, 7.0, 0.04);
        assert_eq!((found[0].first, found[0].last), (30, 39));
    }

    #[test]
    fn slots_without_a_number_neither_end_nor_raise_anything() {
        let mut with_gaps = series(&[0.0, 0.0, 0.5, 0.5, 0.5, 0.0, 0.0]);
        with_gaps[3] = None;
        let found = raised(&with_gaps, 0.03, 7.0, 0.04);
        assert_eq!((found[0].first, found[0].last), (2, 4));
        assert!((found[0].mean - 0.5).abs() < 1e-12);
    }

    #[test]
    fn what_is_never_raised_is_not_found() {
        assert_eq!(raised(&series(&[0.0, -0.3, 0.01]), 0.03, 7.0, 0.04), []);
        assert_eq!(raised(&[None, None], 0.03, 7.0, 0.04), []);
    }
}
