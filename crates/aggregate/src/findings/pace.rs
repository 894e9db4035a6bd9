//! Who takes longer than its peers for the same work.

use std::collections::HashMap;

use super::cells::Cells;
use super::segments::{LEAST_CLARITY, Raised, noise_of, raised};
use crate::robust::{median, quantile, spread};

/// With fewer peers there is nothing to compare with.
pub(super) const LEAST_PEERS: usize = 4;
/// The least shift of who is always off, as a logarithm: about 4 %.
const LEAST_SHIFT: f64 = 0.04;
/// The least shift for some time: about 8 %.
pub(super) const LEAST_SHIFT_FOR_SOME_TIME: f64 = 0.08;
/// Numbers of one slot are never better known than this.
const LEAST_NOISE: f64 = 0.005;
/// Who is raised in this share of all slots is so always.
const ALWAYS: f64 = 0.8;
/// How many times the spread among many peers somebody must be off who is always off.
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
    let series: Vec<Series> = group
        .iter()
        .map(|&process| {
            let both = (0..cells.n_slots()).map(|slot| usual.both(cells, process, slot));
            Series::new(both.collect())
        })
        .collect();
    hits(group, &series)
}

/// What a process has in each slot, beside what is usual.
pub(super) struct Series {
    both: Vec<(f64, f64)>,
    logs: Vec<Option<f64>>,
}

impl Series {
    pub fn new(both: Vec<(f64, f64)>) -> Self {
        let log =
            |(own, usual): &(f64, f64)| (*own > 0.0 && *usual > 0.0).then(|| (own / usual).ln());
        Self { logs: both.iter().map(log).collect(), both }
    }

    /// How many times as much as usual it has in all slots but some, as a logarithm.
    fn without(&self, raised: Option<&Raised>) -> f64 {
        let is_left = |at: &usize| raised.is_none_or(|it| !(it.first..=it.last).contains(at));
        let left = (0..self.both.len()).filter(|at| is_left(at) && self.logs[*at].is_some());
        let sums = left.map(|at| self.both[at]);
        let (own, usual) = sums.fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
        if own > 0.0 && usual > 0.0 { (own / usual).ln() } else { 0.0 }
    }
}

/// Which series are raised, and where: for some time, or always beside those of peers.
pub(super) fn hits(group: &[usize], series: &[Series]) -> Vec<Hit> {
    let noise = noise_of(series.iter().map(|it| it.logs.as_slice()), LEAST_NOISE);
    let habits: Vec<f64> = series.iter().map(|series| series.without(None)).collect();
    let middle = median(&mut habits.clone());
    let n_slots = series.first().map_or(1, |it| it.logs.len()) as f64;
    let distance = spread(habits.iter().map(|habit| habit - middle))
        .max(noise / n_slots.sqrt())
        .max(LEAST_NOISE);
    // The spread of few is hardly known.
    let least = LEAST_DISTANCE * (1.0 + 4.0 / group.len() as f64);
    let mut found = Vec::new();
    for ((&process, series), habit) in group.iter().zip(series).zip(habits) {
        let off = (habit - middle) / distance;
        let parts = raised(&series.logs, noise, LEAST_CLARITY, LEAST_SHIFT_FOR_SOME_TIME);
        let n = series.logs.iter().flatten().count();
        let is_always = |it: &Raised| it.len() as f64 >= ALWAYS * n as f64;
        // Who is raised without the clearest part too is so always.
        let rest = series.without(parts.first()) - middle;
        let stays = parts.first().is_none_or(is_always) || 2.0 * rest >= habit - middle;
        if stays && off >= least && habit - middle >= LEAST_SHIFT {
            let first = series.logs.iter().position(Option::is_some).unwrap_or(0);
            let last = series.logs.iter().rposition(Option::is_some).unwrap_or(0);
            let clarity = LEAST_CLARITY * off / least;
            let raised = Raised { first, last, mean: habit - middle, clarity };
            found.push(Hit { process, raised });
        } else {
            found.extend(
                parts.into_iter().filter(|it| !is_always(it)).map(|raised| Hit { process, raised }),
            );
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
