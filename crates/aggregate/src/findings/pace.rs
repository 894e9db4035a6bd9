//! Who takes longer than its peers for the same work.

use std::collections::HashMap;

use super::cells::Cells;
use super::segments::{Raised, noise_of, raised};
use crate::robust::{median, quantile, spread};

/// With fewer peers there is nothing to compare with.
pub(super) const LEAST_PEERS: usize = 4;
/// How many times the noise a shift must be.
pub(super) const LEAST_CLARITY: f64 = 7.0;
/// The least shift, as a logarithm: about 4 %.
pub(super) const LEAST_SHIFT: f64 = 0.04;
/// Numbers of one slot are never better known than this.
const LEAST_NOISE: f64 = 0.005;
/// Who is raised in this share of all slots is so always.
const ALWAYS: f64 = 0.8;
/// How many times the spread among peers somebody must be off who is always off.
const LEAST_DISTANCE: f64 = 5.0;

/// What one piece of work takes usually, among some processes.
pub(super) struct Usual {
    by_slot: HashMap<(u32, usize), f64>,
    overall: HashMap<u32, f64>,
}

impl Usual {
    pub fn of(cells: &Cells, group: &[usize]) -> Self {
        let mut lengths: HashMap<(u32, usize), Vec<f64>> = HashMap::new();
        for &process in group {
            for slot in 0..cells.n_slots() {
                for piece in cells.get(process, slot) {
                    let length = piece.ticks as f64 / f64::from(piece.count.max(1));
                    lengths.entry((piece.value, slot)).or_default().push(length);
                }
            }
        }
        let mut low: HashMap<u32, Vec<(usize, f64, f64)>> = HashMap::new();
        for ((value, slot), mut lengths) in lengths {
            if lengths.len() >= LEAST_PEERS {
                let (quarter, half) = usual_and_median(&mut lengths);
                low.entry(value).or_default().push((slot, quarter, half));
            }
        }
        let mut usual = Self { by_slot: HashMap::new(), overall: HashMap::new() };
        for (value, slots) in low {
            let scale = scale_of(slots.iter().map(|(_, low, half)| (*low, *half)));
            let mut all: Vec<f64> = slots.iter().map(|(_, low, _)| low * scale).collect();
            usual.overall.insert(value, median(&mut all));
            for (slot, low, _) in slots {
                usual.by_slot.insert((value, slot), low * scale);
            }
        }
        usual
    }

    /// What one piece of a value takes in a slot.
    pub fn piece(&self, value: u32, slot: usize) -> Option<f64> {
        self.by_slot.get(&(value, slot)).or_else(|| self.overall.get(&value)).copied()
    }

    /// What one piece of a value takes in the whole run.
    pub fn overall(&self, value: u32) -> Option<f64> {
        self.overall.get(&value).copied()
    }

    /// What one piece of a value takes in this very slot, if enough processes have it there.
    pub fn in_slot(&self, value: u32, slot: usize) -> Option<f64> {
        self.by_slot.get(&(value, slot)).copied()
    }

    /// What a process took in a slot, and what it would have taken usually, where that is known.
    pub fn both(&self, cells: &Cells, process: usize, slot: usize) -> (f64, f64) {
        let mut both = (0.0, 0.0);
        for piece in cells.get(process, slot) {
            if let Some(usual) = self.piece(piece.value, slot) {
                both.0 += piece.ticks as f64;
                both.1 += usual * f64::from(piece.count);
            }
        }
        both
    }
}

/// The number that a quarter does not exceed, which up to three in four odd ones do not move; and the median.
pub(super) fn usual_and_median(numbers: &mut [f64]) -> (f64, f64) {
    let quarter = quantile(numbers, 0.25);
    (quarter, quantile(numbers, 0.5))
}

/// How many times the lower quarter the middle is where nothing is odd, which is in most slots.
pub(super) fn scale_of(slots: impl Iterator<Item = (f64, f64)>) -> f64 {
    let mut scales: Vec<f64> =
        slots.filter(|(low, _)| *low > 0.0).map(|(low, half)| half / low).collect();
    median(&mut scales).max(1.0)
}

/// A process is raised in some slots.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Hit {
    pub process: usize,
    pub raised: Raised,
}

/// Who takes longer than its peers for the same work, and when.
pub(super) fn slow(cells: &Cells, group: &[usize], usual: &Usual) -> Vec<Hit> {
    let series: Vec<Vec<Option<f64>>> = group
        .iter()
        .map(|&process| {
            (0..cells.n_slots())
                .map(|slot| {
                    let (took, usual) = usual.both(cells, process, slot);
                    (took > 0.0 && usual > 0.0).then(|| (took / usual).ln())
                })
                .collect()
        })
        .collect();
    hits(group, &series)
}

/// Which series are raised, and where.
pub(super) fn hits(group: &[usize], series: &[Vec<Option<f64>>]) -> Vec<Hit> {
    let noise = noise_of(series.iter().map(Vec::as_slice), LEAST_NOISE);
    let mut habits: Vec<f64> = series
        .iter()
        .map(|series| median(&mut series.iter().flatten().copied().collect::<Vec<_>>()))
        .collect();
    let own = habits.clone();
    let middle = median(&mut habits);
    let distance = spread(habits.iter().map(|habit| habit - middle)).max(LEAST_NOISE);
    let mut found = Vec::new();
    for ((&process, series), habit) in group.iter().zip(series).zip(own) {
        let n = series.iter().flatten().count() as f64;
        for raised in raised(series, noise, LEAST_CLARITY, LEAST_SHIFT) {
            let is_always = raised.len() as f64 >= ALWAYS * n;
            let is_far = habit - middle >= LEAST_DISTANCE * distance;
            if !is_always || is_far {
                found.push(Hit { process, raised });
            }
        }
    }
    found
}

/// Hits at the same time, the largest first. `weight` tells how large one is.
pub(super) fn clusters(mut hits: Vec<Hit>, weight: impl Fn(&Hit) -> f64) -> Vec<Vec<Hit>> {
    hits.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.process.cmp(&b.process)));
    let mut clusters: Vec<Vec<Hit>> = Vec::new();
    for hit in hits {
        let belongs = |cluster: &&mut Vec<Hit>| {
            let first = &cluster[0].raised;
            let longer = first.len().max(hit.raised.len());
            2 * first.in_common(&hit.raised) >= longer
        };
        match clusters.iter_mut().find(belongs) {
            Some(cluster) => cluster.push(hit),
            None => clusters.push(vec![hit]),
        }
    }
    clusters
}
