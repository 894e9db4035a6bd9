//! Who has more work than its peers.

use super::cells::Cells;
use super::pace::{Hit, LEAST_PEERS, Series, Usual, hits, scale_of, usual_and_median};
use crate::robust::median;

/// Who has more work than its peers, and when. Work is counted: a piece of each kind is as much as it takes usually.
pub(super) fn more(cells: &Cells, group: &[usize], usual: &Usual) -> Vec<Hit> {
    let amount = |process: usize, slot: usize| -> f64 {
        let pieces = cells.get(process, slot).iter();
        pieces.map(|it| usual.overall(it.value).unwrap_or(0.0) * f64::from(it.count)).sum()
    };
    let mut low = Vec::new();
    for slot in 0..cells.n_slots() {
        let mut amounts: Vec<f64> =
            group.iter().map(|&process| amount(process, slot)).filter(|it| *it > 0.0).collect();
        let enough = amounts.len() >= LEAST_PEERS;
        low.push(enough.then(|| usual_and_median(&mut amounts)));
    }
    let scale = scale_of(low.iter().flatten().copied());
    let series: Vec<Series> = group
        .iter()
        .map(|&process| {
            let both = |slot: usize| {
                let usual = low[slot].map_or(0.0, |(low, _)| low * scale);
                (amount(process, slot), usual)
            };
            Series::new((0..cells.n_slots()).map(both).collect())
        })
        .collect();
    let mut found = hits(group, &series);
    found.retain(|hit| takes_longer(cells, group, hit));
    if !cells.are_steps {
        // In a slot of time some have begun their next round and others have not: only the whole run tells.
        found.retain(|hit| hit.raised.len() == cells.n_slots());
    }
    found
}

/// More pieces are no more work if they take no more time: who is quick under a dynamic schedule does more of them.
fn takes_longer(cells: &Cells, group: &[usize], hit: &Hit) -> bool {
    let ticks = |process: usize| -> f64 {
        (hit.raised.first..=hit.raised.last).map(|slot| cells.ticks(process, slot) as f64).sum()
    };
    let mut all: Vec<f64> = group.iter().map(|&process| ticks(process)).collect();
    ticks(hit.process) >= (1.0 + hit.raised.mean.exp()) / 2.0 * median(&mut all)
}

/// The share of its slots' work that each process of a group does more, or less, than the mean; `None` where the shares of
/// the first half of the run do not tell those of the second.
pub(super) fn lasting_shares(cells: &Cells, group: &[usize]) -> Option<Vec<f64>> {
    /// How well one half must tell the other.
    const LEAST_CORRELATION: f64 = 0.8;
    let half = cells.n_slots() / 2;
    let sum = |process: usize, slots: std::ops::Range<usize>| -> f64 {
        slots.map(|slot| cells.ticks(process, slot) as f64).sum()
    };
    let of = |slots: std::ops::Range<usize>| -> Vec<f64> {
        group.iter().map(|&process| sum(process, slots.clone())).collect()
    };
    let (first, second) = (of(0..half), of(half..cells.n_slots()));
    let both = of(0..cells.n_slots());
    let mean = both.iter().sum::<f64>() / both.len() as f64;
    let lasts = half == 0 || correlation(&first, &second) >= LEAST_CORRELATION;
    (lasts && mean > 0.0).then(|| both.iter().map(|own| own / mean).collect())
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / numbers.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (a - mean_a, b - mean_b);
        ab += a * b;
        aa += a * a;
        bb += b * b;
    }
    if aa > 0.0 && bb > 0.0 { ab / (aa * bb).sqrt() } else { 0.0 }
}
