//! Places that work longer, or shorter, than before.

use std::ops::Range;

use super::find::{Change, ChangeKind};
use super::fit::fitted;
use super::runs::{Runs, Subject};
use crate::findings::segments::{LEAST_CLARITY, Raised, raised, sureness};
use crate::robust::spread;

/// Numbers of one segment are never better known than this.
const LEAST_NOISE: f64 = 0.005;
/// The least change, as a logarithm.
pub(super) const LEAST_SHIFT: f64 = 0.015;
/// At most this many changes are looked for.
const MOST: usize = 12;

/// Finds who works longer or shorter, the largest change first. Each is mended before the next is looked for, so that none is
/// told twice.
pub(super) fn changed_work(runs: &mut Runs<'_>) -> Vec<Change> {
    let as_it_is = runs.after.clone();
    let sets: Vec<Subject> = sets(runs).into_iter().map(Subject::all).collect();
    let mut best: Vec<Option<Hit>> = sets.iter().map(|set| clearest(runs, set)).collect();
    let mut hits: Vec<Hit> = Vec::new();
    while hits.len() < MOST {
        let by_size = |a: &&Hit, b: &&Hit| a.size().total_cmp(&b.size());
        let Some(hit) = best.iter().flatten().max_by(by_size).cloned() else { break };
        let hit = fitted(runs, &hit);
        mend(runs, &hit);
        for (set, best) in sets.iter().zip(&mut best) {
            if set.places.iter().any(|place| hit.of.places.binary_search(place).is_ok()) {
                *best = clearest(runs, set);
            }
        }
        hits.push(hit);
    }
    runs.after = as_it_is;
    joined(hits).into_iter().map(|hit| change(runs, hit)).collect()
}

/// Hits that tell the same of different places are one.
fn joined(hits: Vec<Hit>) -> Vec<Hit> {
    let mut joined: Vec<Hit> = Vec::new();
    for hit in hits {
        let is_same = |other: &&mut Hit| {
            let (own, raised) = (&hit.raised, &other.raised);
            let ratio = own.mean / raised.mean;
            hit.is_longer == other.is_longer
                && 2 * own.in_common(raised) > own.len().max(raised.len())
                && (0.5..2.0).contains(&ratio)
        };
        match joined.iter_mut().find(is_same) {
            Some(other) => {
                unite(&mut other.of.places, hit.of.places);
                unite(&mut other.of.values, hit.of.values);
            }
            None => joined.push(hit),
        }
    }
    joined
}

fn unite(all: &mut Vec<u32>, more: Vec<u32>) {
    all.extend(more);
    all.sort_unstable();
    all.dedup();
}

/// Work that is changed in some segments.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Hit {
    pub of: Subject,
    pub raised: Raised,
    /// Does it take longer?
    pub is_longer: bool,
}

impl Hit {
    pub fn slots(&self) -> Range<usize> {
        self.raised.first..self.raised.last + 1
    }

    /// A number that is above 0 where work changes as here.
    pub fn signed(&self, number: f64) -> f64 {
        if self.is_longer { number } else { -number }
    }

    /// How large the change is, all together: with equal noise everywhere, the more likely of two has more.
    pub fn size(&self) -> f64 {
        self.raised.mean * ((self.raised.len() * self.of.places.len()) as f64).sqrt()
    }
}

/// The places below each node, each set of places once.
fn sets(runs: &Runs<'_>) -> Vec<Vec<u32>> {
    let mut below: Vec<Vec<u32>> = vec![Vec::new(); runs.tree.len()];
    for (place, site) in (0u32..).zip(&runs.places) {
        for node in std::iter::successors(Some(site.node), |node| runs.tree.parent(*node)) {
            below[node as usize].push(place);
        }
    }
    below.retain(|places| !places.is_empty());
    below.sort();
    below.dedup();
    below
}

/// Where work is changed most clearly.
fn clearest(runs: &Runs<'_>, of: &Subject) -> Option<Hit> {
    let series = runs.series(of);
    let noise = noise(std::iter::once(series.as_slice()));
    let of_sign = |is_longer: bool| {
        let sign = if is_longer { 1.0 } else { -1.0 };
        let signed: Vec<Option<f64>> = series.iter().map(|level| Some(sign * (*level)?)).collect();
        let first = raised(&signed, noise, LEAST_CLARITY, LEAST_SHIFT).into_iter().next()?;
        Some(Hit { of: of.clone(), raised: first, is_longer })
    };
    let both = [of_sign(true), of_sign(false)];
    both.into_iter().flatten().max_by(|a, b| a.raised.clarity.total_cmp(&b.raised.clarity))
}

/// Lets work take as long as before. Tells how many times as long it did, as a logarithm.
fn mend(runs: &mut Runs<'_>, hit: &Hit) -> f64 {
    let level = runs.level(&hit.of, hit.slots()).unwrap_or(0.0);
    runs.scale(&hit.of, hit.slots(), (-level).exp());
    level
}

/// Mends a hit, and tells what that saves of the busiest process's work.
fn change(runs: &mut Runs<'_>, hit: Hit) -> Change {
    let slots = hit.slots();
    let work = |runs: &Runs<'_>| {
        (runs.busiest_after(slots.clone()), runs.work_after(&hit.of.places, slots.clone()))
    };
    let (busiest, all) = work(runs);
    let level = mend(runs, &hit);
    let (busiest_mended, all_mended) = work(runs);
    Change {
        kind: if hit.is_longer { ChangeKind::Longer } else { ChangeKind::Shorter },
        ratio: level.exp(),
        excess: all - all_mended,
        ticks: busiest - busiest_mended,
        sure: sureness(hit.raised.clarity),
        places: hit.of.places,
        values: hit.of.values,
        slots,
    }
}

/// How much single numbers of series differ by chance: neighbours differ by nothing else, but for the few between which
/// something changes.
pub(super) fn noise<'a>(many: impl Iterator<Item = &'a [Option<f64>]>) -> f64 {
    let (mut n, mut differences) = (0, Vec::new());
    for series in many {
        let known: Vec<f64> = series.iter().flatten().copied().collect();
        n = n.max(known.len());
        differences.extend(known.windows(2).map(|two| two[1] - two[0]));
    }
    // Fewer segments tell less of how much they differ.
    let least = LEAST_NOISE * (1.0 + 8.0 / n.max(1) as f64);
    (spread(differences.into_iter()) / std::f64::consts::SQRT_2).max(least)
}
