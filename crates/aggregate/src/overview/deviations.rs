//! How leaves differ from their peers and from their own past: the odd cells that disruptions are made of.
//!
//! The steps 1 to 5 and 7 of [`disruption`](super::disruption).

use super::robust::{median, spread, wide_spread};
use crate::slice::Cube;

/// Cells that deviate by so many times the noise are odd.
const ODD: f64 = 5.0;

/// The least noise, as a share of what a leaf has in a slice on average.
const LEAST_NOISE: f64 = 0.01;

/// A leaf may be early or late by this part of the window.
const PATIENCE: usize = 100;

/// Odd slices with gaps of so many hundredths of the window between them are still one run: where slices are shorter than
/// the iterations of a program, a slow leaf is odd only in some of them.
const BRIDGE: usize = 3;

/// Fewer leaves do not tell what is usual.
const LEAST_PEERS: usize = 4;

/// Odd slices of one leaf that follow each other.
pub(super) struct Run {
    pub leaf: usize,
    pub first: usize,
    pub last: usize,
    /// How many of its slices are odd.
    pub n_odd: usize,
    /// The sum of `z^2`.
    pub strength: f64,
    /// The sum of the deviations of each value.
    pub shifts: Vec<f64>,
}

impl Run {
    pub fn n_slices(&self) -> usize {
        self.last + 1 - self.first
    }
}

/// How the leaves of a group differ from their peers and from their own past.
pub(super) struct Deviations {
    leaves: Vec<usize>,
    n_values: usize,
    n_slices: usize,
    /// What is usual, by value and slice.
    usual: Vec<f64>,
    /// `e`, by leaf, value and slice.
    now: Vec<f64>,
    /// The habit, by leaf and value.
    habits: Vec<f64>,
    least_noise: f64,
    has_peers: bool,
}

impl Deviations {
    /// Compares the leaves of a group, which all have data.
    pub fn new(cube: &Cube<f64>, leaves: Vec<usize>) -> Self {
        let (n_values, n_slices) = (cube.n_values(), cube.n_slices());
        let mut now: Vec<f64> = leaves.iter().flat_map(|&leaf| cube.leaf(leaf)).copied().collect();
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
        Self { leaves, n_values, n_slices, usual, now, habits, least_noise, has_peers }
    }

    fn row(&self, leaf: usize, value: usize) -> &[f64] {
        let from = (leaf * self.n_values + value) * self.n_slices;
        &self.now[from..from + self.n_slices]
    }

    /// The runs of all leaves: those of odd slices, and those of habits that differ.
    pub fn runs(&self) -> Vec<Run> {
        let slice_noise = self.noise_of_slices();
        let range = self.range_of_usual();
        let mut runs: Vec<Run> = Vec::new();
        for leaf in 0..self.leaves.len() {
            let z = self.z_of_leaf(leaf, &slice_noise, &range);
            let odd: Vec<usize> =
                (0..self.n_slices).filter(|&slice| z[slice].plain >= ODD).collect();
            for slices in odd.chunk_by(|a, b| b - a <= 1 + BRIDGE * self.reach()) {
                if !slices.iter().any(|&slice| z[slice].patient >= ODD) {
                    continue;
                }
                let shift = |value| slices.iter().map(|&slice| self.row(leaf, value)[slice]).sum();
                runs.push(Run {
                    leaf: self.leaves[leaf],
                    first: slices[0],
                    last: slices[slices.len() - 1],
                    n_odd: slices.len(),
                    strength: slices.iter().map(|&slice| z[slice].plain.powi(2)).sum(),
                    shifts: (0..self.n_values).map(shift).collect(),
                });
            }
        }
        if self.has_peers {
            runs.extend(self.runs_of_habits());
        }
        runs
    }

    /// By how many slices a leaf may be early or late.
    fn reach(&self) -> usize {
        self.n_slices.div_ceil(PATIENCE)
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

    /// Leaves that differ from their peers all the time, as runs over all slices.
    fn runs_of_habits(&self) -> Vec<Run> {
        let noise: Vec<f64> = (0..self.n_values)
            .map(|value| {
                let of_value = self.habits.iter().skip(value).step_by(self.n_values).copied();
                spread(of_value).max(self.least_noise)
            })
            .collect();
        let leaves = self.leaves.iter().zip(self.habits.chunks_exact(self.n_values.max(1)));
        leaves
            .filter_map(|(&leaf, habits)| {
                let z = habits.iter().zip(&noise).filter(|(_, noise)| **noise > 0.0);
                let z = z.map(|(habit, noise)| habit.abs() / noise).fold(0.0, f64::max);
                (z >= ODD).then(|| Run {
                    leaf,
                    first: 0,
                    last: self.n_slices - 1,
                    n_odd: self.n_slices,
                    strength: z * z * self.n_slices as f64,
                    shifts: habits.iter().map(|habit| habit * self.n_slices as f64).collect(),
                })
            })
            .collect()
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
