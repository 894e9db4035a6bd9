//! Middle and spread that a minority of odd numbers cannot move.

/// Of normal numbers, the standard deviation is this many times the median absolute deviation.
const NORMAL: f64 = 1.4826;

/// The median, the lower of two; 0 of nothing. The numbers are reordered.
pub(crate) fn median(numbers: &mut [f64]) -> f64 {
    if numbers.is_empty() {
        return 0.0;
    }
    let middle = (numbers.len() - 1) / 2;
    *numbers.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// The number that a share of them does not exceed; 0 of nothing. The numbers are reordered.
pub(crate) fn quantile(numbers: &mut [f64], share: f64) -> f64 {
    if numbers.is_empty() {
        return 0.0;
    }
    let place = ((numbers.len() - 1) as f64 * share) as usize;
    *numbers.select_nth_unstable_by(place, f64::total_cmp).1
}

/// An estimate of the standard deviation of deviations from a middle.
pub(crate) fn spread(deviations: impl Iterator<Item = f64>) -> f64 {
    NORMAL * median(&mut deviations.map(f64::abs).collect::<Vec<_>>())
}

/// The same from the deviation that seven in ten do not exceed: it notices a spread that many, but not half of them, have, and
/// up to three in ten may still be odd.
pub(crate) fn wide_spread(deviations: impl Iterator<Item = f64>) -> f64 {
    /// Of normal numbers, seven in ten deviate by less than this many standard deviations.
    const SEVEN_TENTHS: f64 = 1.0364;
    let mut sizes: Vec<f64> = deviations.map(f64::abs).collect();
    if sizes.is_empty() {
        return 0.0;
    }
    let place = (sizes.len() - 1) * 7 / 10;
    *sizes.select_nth_unstable_by(place, f64::total_cmp).1 / SEVEN_TENTHS
}
