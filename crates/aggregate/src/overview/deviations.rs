//! How leaves differ from their peers and from their own past: the odd cells that disruptions are made of.
//!
//! The steps 1 to 6 and 8 of [`disruption`](super::disruption).

use std::collections::HashMap;

use super::area_map::AreaMap;
use super::disruption::Hit;
use crate::robust::{median, spread, wide_spread};
use crate::slice::Cube;

/// Cells that deviate by this many times the noise are odd.
const ODD: f64 = 5.0;

/// The least noise, as a share of what a leaf has in a slice on average.
const LEAST_NOISE: f64 = 0.01;

/// A leaf may be early or late by this part of the window.
const PATIENCE: usize = 100;

/// Odd slices with gaps of this many hundredths of the window between them are still one run: where slices are shorter than
/// the iterations of a program, a slow leaf is odd only in some of them.
const BRIDGE: usize = 3;

/// Slices are also looked at together, this many at a time: a slice that is shorter than an iteration of a program shows who
/// computes at that moment, not who is slow.
const WIDTHS: [usize; 3] = [1, 2, 4];

/// With fewer slices than these there is no past to compare with.
const LEAST_SLICES: usize = 20;

/// Fewer leaves do not tell what is usual.
const LEAST_PEERS: usize = 4;

/// Odd slices of one leaf that follow each other.
pub(super) struct Run {
    pub leaf: usize,
    pub first: usize,
    pub last: usize,
    /// The sum of `z^2`.
    pub strength: f64,
    /// Its parts, cut where an area of the partition ends.
    pub hits: Vec<Hit>,
}

impl Run {
    pub fn n_slices(&self) -> usize {
        self.last + 1 - self.first
    }

    /// How many slices two runs have in common.
    pub fn in_common(&self, other: &Self) -> usize {
        (self.last.min(other.last) + 1).saturating_sub(self.first.max(other.first))
    }

    /// Do two runs have half of the longer of the two times in common?
    pub fn is_about_as_long_as(&self, other: &Self) -> bool {
        2 * self.in_common(other) >= self.n_slices().max(other.n_slices())
    }
}

/// The runs of the leaves of a group, which all have data. Those of one leaf do not overlap.
pub(super) fn runs(cube: &Cube<f64>, leaves: &[usize], areas: &AreaMap) -> Vec<Run> {
    let is_enough = |width: usize| width == 1 || cube.n_slices() / width >= LEAST_SLICES;
    let mut runs: HashMap<usize, Vec<Run>> = HashMap::new();
    for width in WIDTHS.into_iter().filter(|&width| is_enough(width)) {
        for run in Deviations::new(cube, leaves, width).runs(areas) {
            add_wider(runs.entry(run.leaf).or_default(), run);
        }
    }
    leaves.iter().filter_map(|leaf| runs.remove(leaf)).flatten().collect()
}

/// Adds what a wider look at a leaf has found. Finer looks tell the time better, so it counts only where they have found
/// nothing, or no more than weaker fragments of it.
fn add_wider(finer: &mut Vec<Run>, wider: Run) {
    let overlapping = || finer.iter().filter(|run| run.in_common(&wider) > 0);
    let is_known = overlapping().any(|run| run.is_about_as_long_as(&wider));
    let known: f64 = overlapping().map(|run| run.strength).sum();
    if !is_known && wider.strength > known {
        finer.retain(|run| run.in_common(&wider) == 0);
        finer.push(wider);
    }
}

/// How the leaves of a group differ from their peers and from their own past.
struct Deviations<'l> {
    leaves: &'l [usize],
    n_values: usize,
    n_slices: usize,
    /// How many slices of the cube are one here.
    width: usize,
    /// How many slices the cube has.
    n_fine: usize,
    /// What is usual, by value and slice.
    usual: Vec<f64>,
    /// `e`, by leaf, value and slice.
    now: Vec<f64>,
    /// The habit, by leaf and value.
    habits: Vec<f64>,
    least_noise: f64,
    has_peers: bool,
}

impl<'l> Deviations<'l> {
    /// Compares leaves, `width` slices at a time.
    fn new(cube: &Cube<f64>, leaves: &'l [usize], width: usize) -> Self {
        let (n_values, n_slices) = (cube.n_values(), cube.n_slices().div_ceil(width));
        let rows = leaves.iter().flat_map(|&leaf| cube.leaf(leaf).chunks_exact(cube.n_slices()));
        let mean = |slices: &[f64]| slices.iter().sum::<f64>() / slices.len() as f64;
        let mut now: Vec<f64> = rows.flat_map(|row| row.chunks(width).map(mean)).collect();
        let mean = now.iter().sum::<f64>() / (leaves.len() * n_slices) as f64;
        let has_peers = leaves.len() >= LEAST_PEERS;
        let usual = match has_peers {
            true => subtract_medians_of_peers(&mut now, n_values * n_slices),
            false => vec![0.0; n_values * n_slices],
        };
        let mut habits = Vec::with_capacity(leaves.len() * n_values);
        for row in now.chunks_exact_mut(n_slices) {
            let habit = median(&mut row.to_vec());
            row.iter_mut().for_each(|number| *number -= habit);
            habits.push(habit);
        }
        let least_noise = LEAST_NOISE * mean;
        let n_fine = cube.n_slices();
        Self {
            leaves,
            n_values,
            n_slices,
            width,
            n_fine,
            usual,
            now,
            habits,
            least_noise,
            has_peers,
        }
    }

    fn row(&self, leaf: usize, value: usize) -> &[f64] {
        let from = (leaf * self.n_values + value) * self.n_slices;
        &self.now[from..from + self.n_slices]
    }

    /// The runs of all leaves: those of odd slices, and those of habits that differ.
    fn runs(&self, areas: &AreaMap) -> Vec<Run> {
        let slice_noise = self.noise_of_slices();
        let range = self.range_of_usual();
        let mut runs: Vec<Run> = Vec::new();
        for leaf in 0..self.leaves.len() {
            let z = self.z_of_leaf(leaf, &slice_noise, &range);
            let odd: Vec<usize> =
                (0..self.n_slices).filter(|&slice| z[slice].plain >= ODD).collect();
            for slices in odd.chunk_by(|a, b| b - a <= 1 + self.bridge()) {
                if !slices.iter().any(|&slice| z[slice].patient >= ODD) {
                    continue;
                }
                let deviation = |slice: usize, value: usize| self.row(leaf, value)[slice];
                runs.push(self.run(leaf, slices, areas, |slice| z[slice].plain, deviation));
            }
        }
        if self.has_peers {
            self.add_runs_of_habits(areas, &mut runs);
        }
        runs
    }

    /// A run, in slices of the cube, from odd slices.
    fn run(
        &self,
        leaf: usize,
        odd: &[usize],
        areas: &AreaMap,
        z: impl Fn(usize) -> f64,
        deviation: impl Fn(usize, usize) -> f64,
    ) -> Run {
        let place = self.leaves[leaf];
        let area_of = |slice: usize| areas.at(place, slice * self.width);
        let hit = |slices: &[usize]| {
            let (first, last) = (self.first(slices[0]), self.last(slices[slices.len() - 1]));
            let area = area_of(slices[0]);
            // Slices that are looked at together may reach beyond the end of the area that they begin in.
            let within = (first..=last).take_while(|&slice| areas.at(place, slice) == area);
            let length = |slice: usize| (self.last(slice) + 1 - self.first(slice)) as f64;
            let shift = |value| slices.iter().map(|&s| deviation(s, value) * length(s)).sum();
            Hit {
                leaf: place,
                area,
                first,
                last: within.last().unwrap_or(first),
                n_cells: slices.iter().map(|&slice| length(slice)).sum(),
                strength: slices.iter().map(|&slice| z(slice).powi(2)).sum(),
                shifts: (0..self.n_values).map(shift).collect(),
            }
        };
        let hits: Vec<Hit> = odd.chunk_by(|&a, &b| area_of(a) == area_of(b)).map(hit).collect();
        Run {
            leaf: place,
            first: self.first(odd[0]),
            last: self.last(odd[odd.len() - 1]),
            strength: hits.iter().map(|hit| hit.strength).sum(),
            hits,
        }
    }

    /// The first slice of the cube of a slice here.
    fn first(&self, slice: usize) -> usize {
        slice * self.width
    }

    /// The last slice of the cube of a slice here.
    fn last(&self, slice: usize) -> usize {
        ((slice + 1) * self.width).min(self.n_fine) - 1
    }

    /// By how many slices a leaf may be early or late.
    fn reach(&self) -> usize {
        self.n_slices.div_ceil(PATIENCE)
    }

    /// How many slices between odd ones do not end a run.
    fn bridge(&self) -> usize {
        BRIDGE * self.n_fine.div_ceil(PATIENCE) / self.width
    }

    /// The noise of each value around each slice, over the leaves; with few leaves that says nothing.
    fn noise_of_slices(&self) -> Vec<f64> {
        let stride = self.n_values * self.n_slices;
        let of_column = |column: usize| match self.has_peers {
            true => wide_spread(self.now.iter().skip(column).step_by(stride).copied()),
            false => 0.0,
        };
        let at_once: Vec<f64> = (0..stride).map(of_column).collect();
        self.around(&at_once).map(|(_, around)| around.fold(0.0, f64::max)).collect()
    }

    /// For each value and slice: by how much what is usual a little earlier or later is below and above what is usual.
    fn range_of_usual(&self) -> Vec<(f64, f64)> {
        let range = |(usual, around): (f64, _)| {
            let (low, high) = lowest_and_highest(around);
            (low - usual, high - usual)
        };
        self.around(&self.usual).map(range).collect()
    }

    /// Each number of rows over the slices, and those a little earlier and later, itself included.
    fn around<'n>(
        &self,
        rows: &'n [f64],
    ) -> impl Iterator<Item = (f64, impl Iterator<Item = f64> + 'n)> + 'n {
        let (n, reach) = (self.n_slices, self.reach());
        rows.iter().enumerate().map(move |(at, &number)| {
            let (row, slice) = (at / n * n, at % n);
            let around = row + slice.saturating_sub(reach)..row + (slice + reach + 1).min(n);
            (number, rows[around].iter().copied())
        })
    }

    /// By how many times the noise a leaf deviates in each slice.
    fn z_of_leaf(&self, leaf: usize, slice_noise: &[f64], range: &[(f64, f64)]) -> Vec<Odds> {
        let mut odds = vec![Odds::default(); self.n_slices];
        for value in 0..self.n_values {
            let row = self.row(leaf, value);
            let own_noise = spread(row.iter().copied()).max(self.least_noise);
            for (slice, (odds, &deviation)) in odds.iter_mut().zip(row).enumerate() {
                let column = value * self.n_slices + slice;
                let noise = own_noise.max(slice_noise[column]);
                if noise > 0.0 {
                    let (low, high) = range[column];
                    let patient = deviation - deviation.clamp(low, high);
                    odds.plain = odds.plain.max(deviation.abs() / noise);
                    odds.patient = odds.patient.max(patient.abs() / noise);
                }
            }
        }
        odds
    }

    /// Adds leaves that differ from their peers all the time, as runs over all slices.
    fn add_runs_of_habits(&self, areas: &AreaMap, runs: &mut Vec<Run>) {
        let noise: Vec<f64> = (0..self.n_values)
            .map(|value| {
                let of_value = self.habits.iter().skip(value).step_by(self.n_values).copied();
                spread(of_value).max(self.least_noise)
            })
            .collect();
        let all: Vec<usize> = (0..self.n_slices).collect();
        for (leaf, habits) in self.habits.chunks_exact(self.n_values.max(1)).enumerate() {
            let z = habits.iter().zip(&noise).filter(|(_, noise)| **noise > 0.0);
            let z = z.map(|(habit, noise)| habit.abs() / noise).fold(0.0, f64::max);
            if z >= ODD {
                runs.push(self.run(leaf, &all, areas, |_| z, |_, value| habits[value]));
            }
        }
    }
}

/// By how many times the noise a cell deviates.
#[derive(Clone, Copy, Default)]
struct Odds {
    /// From what is usual at its time.
    plain: f64,
    /// From the nearest of what is usual a little earlier or later.
    patient: f64,
}

fn lowest_and_highest(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let nothing = (f64::INFINITY, f64::NEG_INFINITY);
    numbers.fold(nothing, |(low, high), number| (low.min(number), high.max(number)))
}

/// Subtracts the median of each column and returns it.
fn subtract_medians_of_peers(rows: &mut [f64], n_columns: usize) -> Vec<f64> {
    let subtract = |column: usize| {
        let mut numbers: Vec<f64> = rows.iter().skip(column).step_by(n_columns).copied().collect();
        let usual = median(&mut numbers);
        rows.iter_mut().skip(column).step_by(n_columns).for_each(|number| *number -= usual);
        usual
    };
    (0..n_columns).map(subtract).collect()
}
