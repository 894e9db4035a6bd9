//! Runs whose parts are told by what they are made of.

use std::ops::Range;

/// How different two mixes are, each the shares of the same things: from 0 to 1.
pub fn difference(a: &[f64], b: &[f64]) -> f64 {
    let (sum_a, sum_b): (f64, f64) = (a.iter().sum(), b.iter().sum());
    if sum_a <= 0.0 || sum_b <= 0.0 {
        return if sum_a == sum_b { 0.0 } else { 1.0 };
    }
    a.iter().zip(b).map(|(a, b)| (a / sum_a - b / sum_b).abs()).sum::<f64>() / 2.0
}

/// Neighbouring slices whose mixes are alike, as segments: the two that differ least are joined until all neighbours differ by
/// `least` or more and there are at most `most`. The mixes are amounts, so that those of a segment are their sums.
pub fn segments(mixes: &[Vec<f64>], least: f64, most: usize) -> Vec<Range<usize>> {
    let mut parts: Vec<(Range<usize>, Vec<f64>)> =
        mixes.iter().enumerate().map(|(at, mix)| (at..at + 1, mix.clone())).collect();
    let mut differences: Vec<f64> =
        parts.windows(2).map(|two| difference(&two[0].1, &two[1].1)).collect();
    while let Some((at, smallest)) =
        differences.iter().copied().enumerate().min_by(|a, b| a.1.total_cmp(&b.1))
    {
        if smallest >= least && parts.len() <= most.max(1) {
            break;
        }
        let (range, mix) = parts.remove(at + 1);
        let joined = &mut parts[at];
        joined.0.end = range.end;
        joined.1.iter_mut().zip(&mix).for_each(|(own, other)| *own += other);
        differences.remove(at);
        for at in at.saturating_sub(1)..=at {
            if at + 1 < parts.len() {
                differences[at] = difference(&parts[at].1, &parts[at + 1].1);
            }
        }
    }
    parts.into_iter().map(|(range, _)| range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_goes_by_shares() {
        assert_eq!(difference(&[1.0, 1.0], &[30.0, 30.0]), 0.0);
        assert_eq!(difference(&[1.0, 0.0], &[0.0, 5.0]), 1.0);
        assert_eq!(difference(&[1.0, 0.0], &[1.0, 1.0]), 0.5);
        assert_eq!(difference(&[0.0, 0.0], &[0.0, 0.0]), 0.0);
        assert_eq!(difference(&[0.0, 0.0], &[1.0, 0.0]), 1.0);
    }

    #[test]
    fn segments_end_where_the_mix_changes() {
        let phase = |share: f64| vec![share, 1.0 - share];
        let mut mixes = vec![phase(0.9), phase(0.88), phase(0.91)];
        mixes.extend([phase(0.2), phase(0.22)]);
        mixes.extend([phase(0.9), phase(0.9)]);
        assert_eq!(segments(&mixes, 0.1, 100), [0..3, 3..5, 5..7]);
        assert_eq!(segments(&mixes, 0.1, 1).len(), 1);
        assert_eq!(segments(&[], 0.1, 10), []);
    }
}
