//! Phases that look alike.

use super::Traffic;

/// Phases that differ by no more than this look alike.
pub const ALIKE: f64 = 0.25;

/// A phase is compared with this many patterns, the latest ones.
const REMEMBERED: usize = 64;

/// How different two phases are: `1 - sum of min(a, b) / sum of max(a, b)` over all directed pairs of processors, where `a` and
/// `b` are the shares of the traffic of each phase that goes over the pair. From 0 for the same pattern, whatever its volume, to 1
/// for phases that share no pair. Traffic is sorted by pair.
pub fn unlikeness(one: &[Traffic], other: &[Traffic]) -> f64 {
    let whole = |traffic: &[Traffic]| {
        traffic.iter().map(|traffic| traffic.weight as f64).sum::<f64>().max(f64::MIN_POSITIVE)
    };
    let (whole_one, whole_other) = (whole(one), whole(other));
    let (mut least, mut most) = (0.0, 0.0);
    let (mut left, mut right) = (one, other);
    let pair_of = |traffic: &Traffic| (traffic.from, traffic.to);
    while let Some(pair) = left.first().into_iter().chain(right.first()).map(pair_of).min() {
        let take = |list: &mut &[Traffic]| match list.split_first() {
            Some((first, rest)) if pair_of(first) == pair => {
                *list = rest;
                first.weight as f64
            }
            _ => 0.0,
        };
        let (a, b) = (take(&mut left) / whole_one, take(&mut right) / whole_other);
        least += f64::min(a, b);
        most += f64::max(a, b);
    }
    if most > 0.0 { 1.0 - least / most } else { 0.0 }
}

/// A number for the pattern of each phase, from 0 in order of appearance. A phase has the pattern from whose first phase it
/// differs least, if that is at most [`ALIKE`]; else it begins a pattern. It is compared with the latest 64 patterns.
pub fn labels(phases: &[Vec<Traffic>]) -> Vec<usize> {
    let mut leaders: Vec<&[Traffic]> = Vec::new();
    let mut labels = Vec::with_capacity(phases.len());
    for phase in phases {
        let first = leaders.len().saturating_sub(REMEMBERED);
        let known = leaders.iter().enumerate().skip(first);
        let nearest = known
            .map(|(label, leader)| (unlikeness(leader, phase), label))
            .min_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        labels.push(match nearest {
            Some((unlike, label)) if unlike <= ALIKE => label,
            _ => {
                leaders.push(phase);
                leaders.len() - 1
            }
        });
    }
    labels
}
