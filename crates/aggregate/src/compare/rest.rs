//! What is longer although nobody works longer, and what only one run has.

use super::find::{Change, ChangeKind};
use super::runs::Runs;
use super::work::{LEAST_SHIFT, noise};
use crate::findings::segments::{LEAST_CLARITY, Raised, raised, sureness};

/// How much longer each segment is than the work of its busiest place, after less before.
pub(super) fn rests(runs: &Runs<'_>) -> Vec<Option<f64>> {
    let rest = |slot: usize| {
        let pair = &runs.pairs[slot];
        let (before, after) = runs.busiest(slot);
        pair.is_both().then(|| pair.change() as f64 - (after - before))
    };
    (0..runs.n_slots()).map(rest).collect()
}

/// Segments that take longer, or less long, for other reasons than work.
pub(super) fn changed_rests(runs: &Runs<'_>, rests: &[Option<f64>]) -> Vec<Change> {
    let share = |slot: usize| {
        let length = (runs.pairs[slot].before.to - runs.pairs[slot].before.from) as f64;
        rests[slot].filter(|_| runs.is_comparable(slot)).map(|rest| rest / length)
    };
    let series: Vec<Option<f64>> = (0..runs.n_slots()).map(share).collect();
    let noise = noise(std::iter::once(series.as_slice()));
    let mut found = Vec::new();
    for (sign, kind) in [(1.0, ChangeKind::Slower), (-1.0, ChangeKind::Quicker)] {
        let signed: Vec<Option<f64>> = series.iter().map(|it| it.map(|it| sign * it)).collect();
        for Raised { first, last, clarity, .. } in
            raised(&signed, noise, LEAST_CLARITY, LEAST_SHIFT)
        {
            let slots = first..last + 1;
            let ticks: f64 = rests[slots.clone()].iter().flatten().sum();
            let own: f64 = slots
                .clone()
                .filter(|slot| runs.pairs[*slot].is_both())
                .map(|slot| (runs.pairs[slot].before.to - runs.pairs[slot].before.from) as f64)
                .sum();
            found.push(Change {
                kind,
                places: (0..runs.n_places() as u32).collect(),
                values: Vec::new(),
                ratio: 1.0 + ticks / own.max(1.0),
                excess: 0.0,
                ticks,
                sure: sureness(clarity),
                slots,
            });
        }
    }
    found
}

/// Neighbouring segments that only one run has.
pub(super) fn alone(runs: &Runs<'_>) -> Vec<Change> {
    let kind = |slot: usize| {
        let pair = &runs.pairs[slot];
        match (pair.is_both(), pair.change() > 0) {
            (true, _) => None,
            (false, true) => Some(ChangeKind::New),
            (false, false) => Some(ChangeKind::Gone),
        }
    };
    let kinds: Vec<Option<ChangeKind>> = (0..runs.n_slots()).map(kind).collect();
    let mut found = Vec::new();
    let mut first = 0;
    for part in kinds.chunk_by(|a, b| a == b) {
        let slots = first..first + part.len();
        first = slots.end;
        let Some(kind) = part[0] else { continue };
        let ticks: f64 = runs.pairs[slots.clone()].iter().map(|pair| pair.change() as f64).sum();
        found.push(Change {
            kind,
            places: (0..runs.n_places() as u32).collect(),
            values: Vec::new(),
            ratio: 1.0,
            excess: 0.0,
            ticks,
            sure: 0.99,
            slots,
        });
    }
    found
}
