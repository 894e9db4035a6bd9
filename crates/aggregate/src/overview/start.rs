//! The trade-off to begin with, before a reader has chosen one.

use super::lanes::x_log2_x;
use super::{Curve, Gain, Problem, Segment, Tables};

/// More areas than these do not fit on a few screens.
pub const READABLE_AREAS: usize = 150;

/// A share of the loss counts as much as this many shares of the gain: what is hidden cannot be seen to be missing, what is
/// shown in vain can.
const WEIGHT_OF_LOSS: f64 = 2.0;

/// What each doubling of [`READABLE_AREAS`] costs, as a share of the loss.
const COST_OF_DOUBLING: f64 = 0.25;

/// Of more pairs of neighbours than these, leaves at equal distances are looked at. That the median is off by more than
/// a hundredth of all pairs is then less likely than one in a million.
const MOST_PAIRS: usize = 1 << 18;

/// How the trade-off to begin with is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StartRule {
    /// The trade-off at which half of all neighbouring cells are joined ([`Tables::start_p`]). Where that has more than
    /// 150 areas: from there on, the smallest `l + log2(areas / 150) / 4`, where `l` is the loss as a share of that of
    /// the whole, and the second term counts from 150 areas on only.
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
            StartRule::Nearest => self.largest(0, |segment| {
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

    /// Below the trade-off to begin with there is only noise.
    fn most_readable(&self) -> usize {
        let first = self.segments.partition_point(|segment| segment.from <= self.start_p) - 1;
        if is_readable(self.segments[first].n_areas) {
            return first;
        }
        self.largest(first, |segment| {
            let (_, loss) = self.shares(segment);
            let doublings = (segment.n_areas as f64 / READABLE_AREAS as f64).log2().max(0.0);
            -loss - COST_OF_DOUBLING * doublings
        })
    }

    /// The segment for which this is the largest, the last of several, from the one at `first` on.
    fn largest(&self, first: usize, score: impl Fn(&Segment) -> f64) -> usize {
        let scores = self.segments.iter().map(score).enumerate().skip(first);
        scores.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(first, |(place, _)| place)
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

impl Tables<'_> {
    /// The trade-off to begin with where its areas are few enough: the one at which half of all neighbouring cells are
    /// joined, so that what is still apart differs by more than neighbours mostly do. It is at most the one with the
    /// largest `g - 2 l`, gain and loss as shares of those of the whole.
    pub fn start_p(&self) -> f64 {
        let (gain, loss) = self.whole();
        let balanced = balanced_p(gain, loss);
        noise(self.problem).map_or(balanced, |noise| noise.min(balanced))
    }
}

/// The trade-off at which the best partition has the largest `g - 2 l`: there `p` to `1 - p` is as `1 / whole gain` to
/// `2 / whole loss`.
fn balanced_p(whole_gain: f64, whole_loss: f64) -> f64 {
    let weighted_gain = WEIGHT_OF_LOSS * whole_gain.max(0.0);
    match whole_loss > 0.0 {
        true => whole_loss / (whole_loss + weighted_gain),
        false => 0.0,
    }
}

/// The trade-off at which half of all pairs of neighbours are joined: of neighbours in time, or of siblings next to each
/// other, whichever is smaller. A pair counts if it has anything. `None` if there are no pairs.
fn noise(problem: &Problem<'_>) -> Option<f64> {
    if problem.gain == Gain::Mean {
        return None;
    }
    let (cube, n) = (&problem.cube, problem.n_slices());
    let every = (cube.n_leaves() * n).div_ceil(MOST_PAIRS);
    let leaves = || (0..cube.n_leaves()).step_by(every);
    let cells = |leaf: usize, slice: usize| {
        (0..cube.n_values()).map(move |value| cube.row(leaf, value)[slice])
    };
    let in_time = leaves().flat_map(|leaf| (1..n).map(move |slice| (leaf, slice)));
    let in_time = in_time.map(|(leaf, slice)| (cells(leaf, slice - 1), cells(leaf, slice)));
    let parent = |leaf: usize| problem.tree.parent(problem.tree.leaves()[leaf]);
    let siblings = leaves().filter(|&leaf| leaf > 0 && parent(leaf) == parent(leaf - 1));
    let in_space = siblings.flat_map(|leaf| (0..n).map(move |slice| (leaf, slice)));
    let in_space = in_space.map(|(leaf, slice)| (cells(leaf - 1, slice), cells(leaf, slice)));
    let in_time = median(in_time.filter_map(|(a, b)| joined_from(a.zip(b))).collect());
    let in_space = median(in_space.filter_map(|(a, b)| joined_from(a.zip(b))).collect());
    in_time.into_iter().chain(in_space).min_by(f64::total_cmp)
}

/// The trade-off from which on two cells with these values are one area: the loss for each unit of mass, as a pair of
/// mass 1 has gain and loss of 1 together. `None` if nothing is there.
fn joined_from(pairs: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (mut mass, mut loss) = (0.0, 0.0);
    for (a, b) in pairs {
        let sum = a + b;
        mass += sum;
        loss += x_log2_x(a) + x_log2_x(b) - x_log2_x(sum) + sum;
    }
    (mass > 0.0).then(|| (loss / mass).clamp(0.0, 1.0))
}

fn median(mut numbers: Vec<f64>) -> Option<f64> {
    let middle = numbers.len() / 2;
    (!numbers.is_empty()).then(|| *numbers.select_nth_unstable_by(middle, f64::total_cmp).1)
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
    fn curve(start_p: f64, segments: &[(f64, f64, usize)]) -> Curve {
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
        Curve { segments, bound: 0.0, solves: 0, whole_gain, whole_loss, start_p }
    }

    #[test]
    fn rules_differ() {
        let segments = [(0.4, 0.0, 140), (0.75, 0.05, 60), (0.9, 0.15, 8), (1.0, 1.0, 1)];
        let curve = curve(0.0, &segments);
        assert_eq!(curve.start(StartRule::Readable), 0);
        // The distances are 0.6, 0.255, 0.18, 1.
        assert_eq!(curve.start(StartRule::Nearest), 2);
        // Gain and loss change by 350 and 2.5, 150 and 5, 100 and 42.5.
        assert_eq!(curve.start(StartRule::Steepest), 1);
    }

    #[test]
    fn noise_is_not_looked_at() {
        let segments = [(0.4, 0.0, 900), (0.75, 0.05, 60), (0.9, 0.15, 8), (1.0, 1.0, 1)];
        let p = curve(0.0, &segments).segments[2].from;
        assert_eq!(curve(p, &segments).start(StartRule::Readable), 2);
        assert_eq!(curve(p / 2.0, &segments).start(StartRule::Readable), 1);
    }

    #[test]
    fn many_areas_cost() {
        // The losses are 0, 0.15, 0.3 and 1; 600 areas are two doublings, 300 are one.
        let segments = [(0.5, 0.0, 600), (0.6, 0.15, 300), (0.7, 0.3, 90), (1.0, 1.0, 1)];
        assert_eq!(curve(0.0, &segments).start(StartRule::Readable), 2);
    }

    #[test]
    fn a_little_more_than_readable_is_better_than_everything_hidden() {
        let curve = curve(0.0, &[(0.3, 0.1, 190), (0.98, 0.95, 17), (1.0, 1.0, 1)]);
        assert_eq!(curve.start(StartRule::Readable), 0);
    }

    #[test]
    fn nothing_to_hide_is_shown_as_it_is() {
        assert_eq!(balanced_p(10.0, 0.0), 0.0);
        assert_eq!(balanced_p(0.0, 3.0), 1.0);
        assert_eq!(balanced_p(2.0, 4.0), 0.5);
    }
}
