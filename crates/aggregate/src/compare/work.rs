//! Places that work longer, or shorter, than before.

use std::ops::Range;

use super::find::{Change, ChangeKind};
use super::runs::Runs;
use crate::findings::segments::{LEAST_CLARITY, Raised, raised, sureness};
use crate::robust::spread;

/// Numbers of one segment are never better known than this.
const LEAST_NOISE: f64 = 0.005;
/// The least change, as a logarithm.
pub(super) const LEAST_SHIFT: f64 = 0.015;
/// At most this many changes are looked for.
const MOST: usize = 12;
/// How many times the noise two parts of a set must be apart to be told apart.
const LEAST_APART: f64 = 4.0;

/// Finds who works longer or shorter, the clearest first. Each is mended before the next is looked for, so that none is told
/// twice.
pub(super) fn changed_work(runs: &mut Runs<'_>) -> Vec<Change> {
    let as_it_is = runs.after.clone();
    let sets = sets(runs);
    let mut best: Vec<Option<Hit>> = sets.iter().map(|set| clearest(runs, set)).collect();
    let mut hits: Vec<Hit> = Vec::new();
    while hits.len() < MOST {
        let by_clarity = |a: &Hit, b: &Hit| a.raised.clarity.total_cmp(&b.raised.clarity);
        let Some(hit) = best.iter().flatten().max_by(|a, b| by_clarity(a, b)).cloned() else {
            break;
        };
        let hit = told_apart(runs, hit);
        mend(runs, &hit);
        for (set, best) in sets.iter().zip(&mut best) {
            if set.iter().any(|place| hit.places.binary_search(place).is_ok()) {
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
                other.places.extend(hit.places);
                other.places.sort_unstable();
                other.places.dedup();
            }
            None => joined.push(hit),
        }
    }
    joined
}

/// Places that are changed in some segments.
#[derive(Clone)]
struct Hit {
    places: Vec<u32>,
    raised: Raised,
    /// Do they work longer?
    is_longer: bool,
}

impl Hit {
    fn slots(&self) -> Range<usize> {
        self.raised.first..self.raised.last + 1
    }
}

/// The places below each node, each set of places once.
fn sets(runs: &Runs<'_>) -> Vec<Vec<u32>> {
    let mut below: Vec<Vec<u32>> = vec![Vec::new(); runs.tree.len()];
    for (place, node) in (0u32..).zip(runs.nodes) {
        let mut at = Some(*node);
        while let Some(node) = at {
            below[node as usize].push(place);
            at = runs.tree.parent(node);
        }
    }
    below.retain(|places| !places.is_empty());
    below.sort();
    below.dedup();
    below
}

/// Where a set of places is changed most clearly.
fn clearest(runs: &Runs<'_>, places: &[u32]) -> Option<Hit> {
    let series = runs.series(places);
    let noise = noise(std::iter::once(series.as_slice()));
    let turned: Vec<Option<f64>> = series.iter().map(|level| level.map(|it| -it)).collect();
    let of = |series: &[Option<f64>], is_longer: bool| {
        let first = raised(series, noise, LEAST_CLARITY, LEAST_SHIFT).into_iter().next()?;
        Some(Hit { places: places.to_vec(), raised: first, is_longer })
    };
    let both = [of(&series, true), of(&turned, false)];
    both.into_iter().flatten().max_by(|a, b| a.raised.clarity.total_cmp(&b.raised.clarity))
}

/// Without those of the set that are not changed.
fn told_apart(runs: &Runs<'_>, hit: Hit) -> Hit {
    let sign = if hit.is_longer { 1.0 } else { -1.0 };
    let level = |place: &u32| {
        let level = runs.level(&[*place], hit.slots())?;
        Some((sign * level, *place))
    };
    let mut levels: Vec<(f64, u32)> = hit.places.iter().filter_map(level).collect();
    levels.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let own: Vec<Vec<Option<f64>>> =
        hit.places.iter().map(|place| runs.series(&[*place])).collect();
    let noise = noise(own.iter().map(Vec::as_slice));
    let apart = LEAST_APART * noise / (hit.raised.len() as f64).sqrt();
    let Some(n) = changed_ones(&levels, apart) else { return hit };
    let mut places: Vec<u32> = levels[..n].iter().map(|(_, place)| *place).collect();
    places.sort_unstable();
    match clearest(runs, &places) {
        Some(clear) if clear.is_longer == hit.is_longer => clear,
        _ => Hit { places, ..hit },
    }
}

/// How many of some levels, the highest first, are changed where the others are not; `None` where all are.
fn changed_ones(levels: &[(f64, u32)], apart: f64) -> Option<usize> {
    let mean = |part: &[(f64, u32)]| {
        part.iter().map(|(level, _)| level).sum::<f64>() / part.len().max(1) as f64
    };
    let between = |n: usize| {
        let difference = mean(&levels[..n]) - mean(&levels[n..]);
        difference * difference * (n * (levels.len() - n)) as f64
    };
    let n = (1..levels.len()).max_by(|a, b| between(*a).total_cmp(&between(*b)))?;
    let (high, low) = (mean(&levels[..n]), mean(&levels[n..]));
    (high - low >= apart && low < high / 2.0).then_some(n)
}

/// Lets places work as long as before. Tells how many times as long they did, as a logarithm.
fn mend(runs: &mut Runs<'_>, hit: &Hit) -> f64 {
    let level = runs.level(&hit.places, hit.slots()).unwrap_or(0.0);
    runs.scale(&hit.places, hit.slots(), (-level).exp());
    level
}

/// Mends a hit, and tells what that saves of the busiest place's work.
fn change(runs: &mut Runs<'_>, hit: Hit) -> Change {
    let slots = hit.slots();
    let work = |runs: &Runs<'_>| -> f64 {
        let both = slots.clone().filter(|slot| runs.pairs[*slot].is_both());
        both.map(|slot| hit.places.iter().map(|place| runs.both(*place, slot).1).sum::<f64>()).sum()
    };
    let (busiest, all) = (runs.busiest_after(slots.clone()), work(runs));
    let level = mend(runs, &hit);
    Change {
        kind: if hit.is_longer { ChangeKind::Longer } else { ChangeKind::Shorter },
        ratio: level.exp(),
        excess: all - work(runs),
        ticks: busiest - runs.busiest_after(slots.clone()),
        sure: sureness(hit.raised.clarity),
        places: hit.places,
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
