//! Two runs side by side.

use std::ops::Range;

use crate::Tree;
use crate::align::Pair;

/// In a segment of which a place works less than this share, it has no work that could be compared.
const LEAST_WORK: f64 = 0.01;

/// Two runs side by side: what each place worked in each pair of segments.
pub struct Runs<'a> {
    /// The hierarchy over the places.
    pub tree: &'a Tree,
    /// The node of each place.
    pub nodes: &'a [u32],
    /// The pairs of segments.
    pub pairs: &'a [Pair],
    /// What places worked in the first run, for each of their processes, in ticks: by place and pair.
    pub before: Vec<f64>,
    /// What they worked in the second run.
    pub after: Vec<f64>,
}

impl Runs<'_> {
    /// How many pairs there are.
    pub fn n_slots(&self) -> usize {
        self.pairs.len()
    }

    /// How many places there are.
    pub fn n_places(&self) -> usize {
        self.nodes.len()
    }

    /// How long the first run is.
    pub fn length_before(&self) -> f64 {
        self.pairs.iter().map(|pair| (pair.before.to - pair.before.from) as f64).sum()
    }

    /// What a place worked in a segment, in both runs.
    pub(super) fn both(&self, place: u32, slot: usize) -> (f64, f64) {
        let at = place as usize * self.n_slots() + slot;
        (self.before[at], self.after[at])
    }

    /// The work of some places in a segment, where there is enough to compare.
    pub(super) fn compared(&self, places: &[u32], slot: usize) -> Option<(f64, f64)> {
        let pair = &self.pairs[slot];
        if !pair.is_both() {
            return None;
        }
        let (before, after) = places
            .iter()
            .map(|place| self.both(*place, slot))
            .fold((0.0, 0.0), |sum, both| (sum.0 + both.0, sum.1 + both.1));
        let least = |length: i64| LEAST_WORK * length as f64 * places.len() as f64;
        let enough = before > least(pair.before.to - pair.before.from)
            && after > least(pair.after.to - pair.after.from);
        enough.then_some((before, after))
    }

    /// How many times as long places work in the second run in some segments, as a logarithm.
    pub(super) fn level(&self, places: &[u32], slots: Range<usize>) -> Option<f64> {
        let sums = slots
            .filter_map(|slot| self.compared(places, slot))
            .fold((0.0, 0.0), |sum, both| (sum.0 + both.0, sum.1 + both.1));
        (sums.0 > 0.0 && sums.1 > 0.0).then(|| (sums.1 / sums.0).ln())
    }

    /// How many times as long places work in each segment, as logarithms.
    pub(super) fn series(&self, places: &[u32]) -> Vec<Option<f64>> {
        let level =
            |slot: usize| self.compared(places, slot).map(|(before, after)| (after / before).ln());
        (0..self.n_slots()).map(level).collect()
    }

    /// The longest work of one place in a segment, in both runs.
    pub(super) fn busiest(&self, slot: usize) -> (f64, f64) {
        (0..self.n_places() as u32)
            .map(|place| self.both(place, slot))
            .fold((0.0, 0.0), |most, both| (most.0.max(both.0), most.1.max(both.1)))
    }

    /// Lets places work `factor` times as long in the second run.
    pub(super) fn scale(&mut self, places: &[u32], slots: Range<usize>, factor: f64) {
        let n_slots = self.n_slots();
        for place in places {
            for slot in slots.clone() {
                self.after[*place as usize * n_slots + slot] *= factor;
            }
        }
    }

    /// The work of the busiest in the second run, over some segments.
    pub(super) fn busiest_after(&self, slots: Range<usize>) -> f64 {
        slots.map(|slot| self.busiest(slot).1).sum()
    }
}
