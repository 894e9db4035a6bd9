//! A height for every phase.

use std::collections::BTreeMap;

use super::{Community, Difference, difference};

/// A phase is compared with this many different groupings before it, the latest ones.
const REMEMBERED: usize = 64;

/// Differences that are so close count as equal: they are sums of fractions.
const EQUAL: f64 = 1e-9;

/// The communication curve: the step between neighbouring phases tells how much their communities differ. It is flat where they stay
/// as they are.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Curve {
    /// What changes from each phase to the next.
    pub differences: Vec<Difference>,
    /// The height of each phase. The first is at 0.
    pub heights: Vec<f64>,
}

impl Curve {
    /// The curve through phases, each with its communities.
    ///
    /// The size of a step is the total of the [`difference`]. Up or down? Whichever brings the phase nearer to the height of that
    /// earlier phase which differs least from it (the latest of those); up if both are as near. So what repeats returns to its
    /// level, or near it. Only the latest 64 different groupings are remembered.
    pub fn new(phases: &[Vec<Community>]) -> Self {
        let mut memory = Memory::default();
        let mut curve = Self::default();
        let mut before = None;
        for (phase, grouping) in phases.iter().enumerate() {
            let own = memory.number(grouping);
            let height = match before {
                None => 0.0,
                Some(before) => {
                    let change = memory.compare(before, own).clone();
                    let level = memory.height_of_nearest(own);
                    let (at, step) = (curve.heights[phase - 1], change.total);
                    curve.differences.push(change);
                    let (up, down) = ((at + step - level).abs(), (at - step - level).abs());
                    if down < up - EQUAL { at - step } else { at + step }
                }
            };
            curve.heights.push(height);
            memory.last_seen[own] = Some((phase, height));
            before = Some(own);
        }
        curve
    }

    /// The lowest height and the highest.
    pub fn range(&self) -> (f64, f64) {
        let heights = self.heights.iter().copied();
        (heights.clone().fold(0.0, f64::min), heights.fold(0.0, f64::max))
    }
}

/// Groupings that were seen, each once.
#[derive(Default)]
struct Memory<'a> {
    numbers: BTreeMap<&'a [Community], usize>,
    groupings: Vec<&'a [Community]>,
    /// The latest phase with the grouping, and its height.
    last_seen: Vec<Option<(usize, f64)>>,
    /// What was compared.
    compared: BTreeMap<(usize, usize), Difference>,
}

impl<'a> Memory<'a> {
    fn number(&mut self, grouping: &'a [Community]) -> usize {
        let next = self.groupings.len();
        let number = *self.numbers.entry(grouping).or_insert(next);
        if number == next {
            self.groupings.push(grouping);
            self.last_seen.push(None);
        }
        number
    }

    fn compare(&mut self, one: usize, other: usize) -> &Difference {
        let (before, after) = (self.groupings[one], self.groupings[other]);
        self.compared.entry((one, other)).or_insert_with(|| difference(before, after))
    }

    /// The height of the latest phase among those whose grouping differs least.
    fn height_of_nearest(&mut self, own: usize) -> f64 {
        if let Some((_, height)) = self.last_seen[own] {
            return height;
        }
        let first = self.groupings.len().saturating_sub(REMEMBERED);
        let mut nearest: Option<(f64, usize, f64)> = None;
        for other in first..self.groupings.len() {
            let Some((phase, height)) = self.last_seen[other] else { continue };
            let total = self.compare(other, own).total;
            let is_nearer = nearest.is_none_or(|(least, latest, _)| {
                total < least - EQUAL || (total < least + EQUAL && phase > latest)
            });
            if is_nearer {
                nearest = Some((total, phase, height));
            }
        }
        nearest.map_or(0.0, |(.., height)| height)
    }
}
