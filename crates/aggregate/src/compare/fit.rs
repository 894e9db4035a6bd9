//! Which places, values and segments a change is about, once it is known about where it is.

use super::runs::{Both, Runs, Subject};
use super::work::{Hit, noise};
use crate::findings::segments::above;

/// How many times the noise two parts of a set must be apart to be told apart.
const LEAST_APART: f64 = 4.0;
/// At most this often are places, values and segments chosen anew.
const MOST_ROUNDS: usize = 6;

/// The change at its best: without places and values that are not changed, in the segments that tell most for it. It is looked
/// for from all work on, and from the value that changes most, which other work by the side may hide.
pub(super) fn fitted(runs: &Runs<'_>, hit: &Hit) -> Hit {
    let whole = refined(runs, hit.clone());
    let values = main_value(runs, hit).into_iter().collect();
    if whole.of.values == values {
        return whole;
    }
    let main = Subject { values, ..hit.of.clone() };
    match in_best_segments(runs, hit, main).map(|main| refined(runs, main)) {
        Some(main) if main.size() > whole.size() => main,
        _ => whole,
    }
}

/// Chooses places, values and segments anew until nothing gets better.
fn refined(runs: &Runs<'_>, mut hit: Hit) -> Hit {
    for _ in 0..MOST_ROUNDS {
        let of = Subject { values: changed_values(runs, &hit), ..hit.of.clone() };
        let of = Subject { places: changed_places(runs, &hit, &of), ..of };
        let Some(better) = in_best_segments(runs, &hit, of) else { break };
        if better == hit {
            break;
        }
        hit = better;
    }
    hit
}

/// The segments in which some work is changed as a hit tells, at best.
fn in_best_segments(runs: &Runs<'_>, hit: &Hit, of: Subject) -> Option<Hit> {
    let series: Vec<Option<f64>> =
        runs.series(&of).into_iter().map(|level| Some(hit.signed(level?))).collect();
    let noise = noise(std::iter::once(series.as_slice()));
    // Above the half of the change a segment is more likely changed than not.
    let raised = above(&series, noise, hit.raised.mean / 2.0)?;
    Some(Hit { of, raised, is_longer: hit.is_longer })
}

/// The value whose time changes most in the segments of a hit.
fn main_value(runs: &Runs<'_>, hit: &Hit) -> Option<u32> {
    let change = |sums: &[Both]| {
        let changes = sums[hit.slots()].iter().map(|both| both.after - both.before);
        hit.signed(changes.sum())
    };
    let values = runs.sums_by_value(&hit.of.places).into_iter();
    let by_change = values.map(|(value, sums)| (change(&sums), value));
    by_change.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, value)| value)
}

/// The values that occur, without those that are clearly not changed.
fn changed_values(runs: &Runs<'_>, hit: &Hit) -> Vec<u32> {
    let mut occurring = runs.sums_by_value(&hit.of.places);
    occurring.retain(|_, sums| sums[hit.slots()].iter().any(|it| *it != Both::default()));
    let mean = hit.raised.mean;
    let is_changed = |sums: &Vec<Both>| {
        let known = (0..)
            .zip(sums)
            .map(|(slot, both)| runs.are_enough(*both, hit.of.places.len(), slot).then_some(*both));
        let known: Vec<Option<Both>> = known.collect();
        let within: Vec<Both> = known[hit.slots()].iter().flatten().copied().collect();
        let Some(level) = within.iter().copied().fold(Both::default(), Both::plus).level() else {
            return true;
        };
        let level = hit.signed(level);
        let series: Vec<Option<f64>> = known.iter().map(|both| (*both)?.level()).collect();
        let noise = noise(std::iter::once(series.as_slice())) / (within.len() as f64).sqrt();
        level >= mean / 2.0 || mean - level < LEAST_APART * noise
    };
    let changed = occurring.iter().filter(|(_, sums)| is_changed(sums));
    let changed: Vec<u32> = changed.map(|(value, _)| *value).collect();
    if changed.is_empty() { occurring.into_keys().collect() } else { changed }
}

/// The places, without those that are not changed if these are clearly apart from the others.
fn changed_places(runs: &Runs<'_>, hit: &Hit, of: &Subject) -> Vec<u32> {
    let level = |place: &u32| Some((hit.signed(runs.level(&of.of(*place), hit.slots())?), *place));
    let mut levels: Vec<(f64, u32)> = of.places.iter().filter_map(level).collect();
    levels.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let own: Vec<Vec<Option<f64>>> =
        of.places.iter().map(|place| runs.series(&of.of(*place))).collect();
    let noise = noise(own.iter().map(Vec::as_slice));
    let apart = LEAST_APART * noise / (hit.raised.len() as f64).sqrt();
    let Some(n) = changed_ones(&levels, apart) else { return of.places.clone() };
    let mut places: Vec<u32> = levels[..n].iter().map(|(_, place)| *place).collect();
    places.sort_unstable();
    places
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
