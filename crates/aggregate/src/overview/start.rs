//! The trade-off to begin with, before a reader has chosen one.

use super::{Curve, Segment};

/// More areas than these do not fit on a few screens.
pub const READABLE_AREAS: usize = 150;

/// A share of the loss counts as much as this many shares of the gain: what is hidden cannot be seen to be missing, what is
/// shown in vain can.
const WEIGHT_OF_LOSS: f64 = 2.0;

/// What each doubling of [`READABLE_AREAS`] costs, as a share of the gain.
const COST_OF_DOUBLING: f64 = 0.5;

/// How the trade-off to begin with is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StartRule {
    /// The largest `g - 2 l - log2(areas / 150) / 2`, where `g` and `l` are gain and loss as shares of those of the whole, and
    /// the last term counts from 150 areas on only.
    #[default]
    Readable,
    /// The point that is nearest to all of the gain without any loss, both as shares of those of the whole.
    Nearest,
    /// That of Ocelotl: the later one of the two neighbours between which gain and loss change most differently.
    Steepest,
}

impl Curve {
    /// The place of the segment to begin with.
    pub fn start(&self, rule: StartRule) -> usize {
        match rule {
            StartRule::Readable => self.most_readable(),
            StartRule::Nearest => self.largest(|segment| {
                let (gain, loss) = self.shares(segment);
                -(1.0 - gain).hypot(loss)
            }),
            StartRule::Steepest => {
                let measures: Vec<(f64, f64)> =
                    self.segments.iter().map(|s| (s.gain, s.loss)).collect();
                after_steepest(&measures)
            }
        }
    }

    /// Without the cost of many areas the best is known beforehand; where it is readable, nothing is better.
    fn most_readable(&self) -> usize {
        let p = balanced_p(self.whole_gain, self.whole_loss);
        let balanced = self.segments.partition_point(|segment| segment.from <= p) - 1;
        if is_readable(self.segments[balanced].n_areas) {
            return balanced;
        }
        self.largest(|segment| {
            let (gain, loss) = self.shares(segment);
            let doublings = (segment.n_areas as f64 / READABLE_AREAS as f64).log2().max(0.0);
            gain - WEIGHT_OF_LOSS * loss - COST_OF_DOUBLING * doublings
        })
    }

    /// The segment for which this is the largest, the last of several.
    fn largest(&self, score: impl Fn(&Segment) -> f64) -> usize {
        let scores = self.segments.iter().map(score).enumerate();
        scores.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(place, _)| place)
    }

    fn shares(&self, segment: &Segment) -> (f64, f64) {
        let share = |number: f64, whole: f64| if whole > 0.0 { number / whole } else { 0.0 };
        (share(segment.gain, self.whole_gain), share(segment.loss, self.whole_loss))
    }
}

/// Is this a number of areas that a reader takes in?
pub fn is_readable(n_areas: usize) -> bool {
    n_areas <= READABLE_AREAS
}

/// The trade-off at which the best partition has the largest `g - 2 l`: there `p` to `1 - p` is as `1 / whole gain` to
/// `2 / whole loss`.
pub fn balanced_p(whole_gain: f64, whole_loss: f64) -> f64 {
    let weighted_gain = WEIGHT_OF_LOSS * whole_gain.max(0.0);
    match whole_loss > 0.0 {
        true => whole_loss / (whole_loss + weighted_gain),
        false => 0.0,
    }
}

/// Of points with gain and loss, in order: the later one of the two neighbours between which gain and loss change most
/// differently, the first such; the first point if there are no neighbours.
pub(super) fn after_steepest(measures: &[(f64, f64)]) -> usize {
    let difference =
        |pair: &[(f64, f64)]| ((pair[1].0 - pair[0].0).abs() - (pair[1].1 - pair[0].1).abs()).abs();
    let mut best = (0, 0.0);
    for (at, pair) in measures.windows(2).enumerate() {
        let difference = difference(pair);
        if difference > best.1 {
            best = (at + 1, difference);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A curve whose segments have these shares of gain and loss, and this many areas.
    fn curve(segments: &[(f64, f64, usize)]) -> Curve {
        let (whole_gain, whole_loss) = (1000.0, 50.0);
        let lines: Vec<(f64, f64, usize)> =
            segments.iter().map(|&(g, l, n)| (g * whole_gain, l * whole_loss, n)).collect();
        let crossing =
            |a: &(f64, f64, usize), b: &(f64, f64, usize)| (b.1 - a.1) / (b.0 + b.1 - a.0 - a.1);
        let mut from = vec![0.0];
        from.extend(lines.windows(2).map(|pair| crossing(&pair[0], &pair[1])));
        let to = from.iter().copied().skip(1).chain([1.0]);
        let segment = |((line, &from), to): ((&(f64, f64, usize), &f64), f64)| Segment {
            from,
            to,
            p: from,
            gain: line.0,
            loss: line.1,
            n_areas: line.2,
        };
        let segments = lines.iter().zip(&from).zip(to).map(segment).collect();
        Curve { segments, bound: 0.0, solves: 0, whole_gain, whole_loss }
    }

    #[test]
    fn what_is_hidden_counts_twice() {
        // g - 2 l is 0.4, 0.65, 0.6, -1.
        let curve = curve(&[(0.4, 0.0, 140), (0.75, 0.05, 60), (0.9, 0.15, 8), (1.0, 1.0, 1)]);
        assert_eq!(curve.start(StartRule::Readable), 1);
        // The distances are 0.6, 0.255, 0.18, 1.
        assert_eq!(curve.start(StartRule::Nearest), 2);
        // Gain and loss change by 350 and 2.5, 150 and 5, 100 and 42.5.
        assert_eq!(curve.start(StartRule::Steepest), 1);
    }

    #[test]
    fn many_areas_cost() {
        // g - 2 l is 0.5, 0.3, 0.1 and -1; 600 areas are two doublings, 300 are one.
        let curve = curve(&[(0.5, 0.0, 600), (0.6, 0.15, 300), (0.7, 0.3, 90), (1.0, 1.0, 1)]);
        assert_eq!(curve.start(StartRule::Readable), 2);
    }

    #[test]
    fn a_little_more_than_readable_is_better_than_everything_hidden() {
        let curve = curve(&[(0.3, 0.1, 190), (0.98, 0.95, 17), (1.0, 1.0, 1)]);
        assert_eq!(curve.start(StartRule::Readable), 0);
    }

    #[test]
    fn nothing_to_hide_is_shown_as_it_is() {
        assert_eq!(balanced_p(10.0, 0.0), 0.0);
        assert_eq!(balanced_p(0.0, 3.0), 1.0);
        assert_eq!(balanced_p(2.0, 4.0), 0.5);
    }
}
