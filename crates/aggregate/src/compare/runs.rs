//! Two runs side by side.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Worked;
use crate::Tree;
use crate::align::Pair;

/// In a segment of which a place works less than this share, it has no work that could be compared.
const LEAST_WORK: f64 = 0.01;

/// Two runs side by side: what each place worked in each pair of segments.
pub struct Runs<'a> {
    /// The hierarchy over the places.
    pub tree: &'a Tree,
    /// The places.
    pub places: Vec<Site>,
    /// The pairs of segments.
    pub pairs: &'a [Pair],
    /// The pair in which the trace of a run is cut: what it has of that cannot be compared.
    pub cut: Option<usize>,
    /// What processes worked in the first run.
    pub before: Worked,
    /// What they worked in the second run.
    pub after: Worked,
}

/// A place: processes of both runs that are compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// Its node in the hierarchy.
    pub node: u32,
    /// Its processes in the first run.
    pub before: Vec<usize>,
    /// Its processes in the second run.
    pub after: Vec<usize>,
}

/// Work of some kinds that some places do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Subject {
    /// The places, in order.
    pub places: Vec<u32>,
    /// The values of the work, in order; all where there are none.
    pub values: Vec<u32>,
}

impl Subject {
    /// All work of some places.
    pub fn all(places: Vec<u32>) -> Self {
        Self { places, values: Vec::new() }
    }

    /// The same work of one of the places.
    pub fn of(&self, place: u32) -> Self {
        Self { places: vec![place], values: self.values.clone() }
    }

    /// Is work of a value meant?
    pub fn has(&self, value: u32) -> bool {
        self.values.is_empty() || self.values.binary_search(&value).is_ok()
    }
}

/// The time of some work in both runs.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(super) struct Both {
    pub before: f64,
    pub after: f64,
}

impl Both {
    pub fn plus(self, other: Self) -> Self {
        Self { before: self.before + other.before, after: self.after + other.after }
    }

    /// How many times as long it takes in the second run, as a logarithm.
    pub fn level(self) -> Option<f64> {
        (self.before > 0.0 && self.after > 0.0).then(|| (self.after / self.before).ln())
    }
}

impl Runs<'_> {
    /// How many pairs there are.
    pub fn n_slots(&self) -> usize {
        self.pairs.len()
    }

    /// How many places there are.
    pub fn n_places(&self) -> usize {
        self.places.len()
    }

    /// Does anybody work at all?
    pub fn have_work(&self) -> bool {
        !self.before.is_empty() || !self.after.is_empty()
    }

    /// How long the first run is.
    pub fn length_before(&self) -> f64 {
        self.pairs.iter().map(|pair| (pair.before.to - pair.before.from) as f64).sum()
    }

    /// The work in a segment in both runs, for each process of a place, over all places.
    fn sums(&self, of: &Subject, slot: usize) -> Both {
        let mean = |worked: &Worked, processes: &[usize]| -> f64 {
            let sum: f64 = processes.iter().map(|process| worked.of(*process, slot, of)).sum();
            sum / processes.len().max(1) as f64
        };
        let both = of.places.iter().map(|place| {
            let site = &self.places[*place as usize];
            Both { before: mean(&self.before, &site.before), after: mean(&self.after, &site.after) }
        });
        both.fold(Both::default(), Both::plus)
    }

    /// The same for each value that occurs, by segment.
    pub(super) fn sums_by_value(&self, places: &[u32]) -> BTreeMap<u32, Vec<Both>> {
        let mut sums: BTreeMap<u32, Vec<Both>> = BTreeMap::new();
        let mut add = |slot: usize, value: u32, both: Both| {
            let of_value =
                sums.entry(value).or_insert_with(|| vec![Both::default(); self.n_slots()]);
            of_value[slot] = of_value[slot].plus(both);
        };
        for place in places {
            let Site { before, after, .. } = &self.places[*place as usize];
            for slot in 0..self.n_slots() {
                for piece in before.iter().flat_map(|process| self.before.pieces(*process, slot)) {
                    let ticks = piece.ticks / before.len() as f64;
                    add(slot, piece.value, Both { before: ticks, after: 0.0 });
                }
                for piece in after.iter().flat_map(|process| self.after.pieces(*process, slot)) {
                    let ticks = piece.ticks / after.len() as f64;
                    add(slot, piece.value, Both { before: 0.0, after: ticks });
                }
            }
        }
        sums
    }

    /// Do both runs have all of a segment?
    pub(super) fn is_comparable(&self, slot: usize) -> bool {
        self.pairs[slot].is_both() && self.cut != Some(slot)
    }

    /// Is there enough of some work in a segment to compare it?
    pub(super) fn are_enough(&self, sums: Both, n_places: usize, slot: usize) -> bool {
        let pair = &self.pairs[slot];
        let least = |length: i64| LEAST_WORK * length as f64 * n_places as f64;
        self.is_comparable(slot)
            && sums.before > least(pair.before.to - pair.before.from)
            && sums.after > least(pair.after.to - pair.after.from)
    }

    /// The work in a segment in both runs, where there is enough to compare.
    fn compared(&self, of: &Subject, slot: usize) -> Option<Both> {
        let sums = self.sums(of, slot);
        self.are_enough(sums, of.places.len(), slot).then_some(sums)
    }

    /// How many times as long work takes in the second run in some segments, as a logarithm.
    pub(super) fn level(&self, of: &Subject, slots: Range<usize>) -> Option<f64> {
        let sums = slots.filter_map(|slot| self.compared(of, slot));
        sums.fold(Both::default(), Both::plus).level()
    }

    /// How many times as long work takes in each segment, as logarithms.
    pub(super) fn series(&self, of: &Subject) -> Vec<Option<f64>> {
        (0..self.n_slots()).map(|slot| self.compared(of, slot)?.level()).collect()
    }

    /// The longest work of one process in a segment, in both runs.
    pub(super) fn busiest(&self, slot: usize) -> (f64, f64) {
        (self.before.busiest(slot), self.after.busiest(slot))
    }

    /// Lets work take `factor` times as long in the second run.
    pub(super) fn scale(&mut self, of: &Subject, slots: Range<usize>, factor: f64) {
        for place in &of.places {
            for process in &self.places[*place as usize].after {
                self.after.scale(*process, slots.clone(), of, factor);
            }
        }
    }

    /// The work in the second run of some places over some segments that both have.
    pub(super) fn work_after(&self, places: &[u32], slots: Range<usize>) -> f64 {
        let all = Subject::all(places.to_vec());
        self.both(slots).map(|slot| self.sums(&all, slot).after).sum()
    }

    /// The work of the busiest in the second run over some segments.
    pub(super) fn busiest_after(&self, slots: Range<usize>) -> f64 {
        self.both(slots).map(|slot| self.after.busiest(slot)).sum()
    }

    /// Those of some segments that both have.
    fn both(&self, slots: Range<usize>) -> impl Iterator<Item = usize> {
        slots.filter(|slot| self.pairs[*slot].is_both())
    }
}
