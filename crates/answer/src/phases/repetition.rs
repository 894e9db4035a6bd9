//! Phases that come again and again.

use onca_aggregate::phases::{Period, outliers, period};
use onca_model::Window;

use super::Phase;

/// A sequence of patterns that repeats, and each of its repetitions.
#[derive(Clone, PartialEq, Debug)]
pub struct Repetition {
    /// What repeats.
    pub period: Period,
    /// The patterns of an iteration, as most iterations have them.
    pub labels: Vec<usize>,
    /// Every iteration.
    pub iterations: Vec<Iteration>,
    /// How long an iteration usually is, in ticks: the median.
    pub usual_length: f64,
    /// How much an iteration usually sends: the median.
    pub usual_size: f64,
}

/// One repetition.
#[derive(Clone, PartialEq, Debug)]
pub struct Iteration {
    /// Its first phase.
    pub first: usize,
    /// When it is.
    pub window: Window,
    /// From its first message to the first one after it, in ticks; not known of the last one where nothing comes after it.
    pub length: Option<i128>,
    /// How much it sends.
    pub size: u64,
    /// Is it unusually long or short?
    pub odd_length: bool,
    /// Does it send unusually much or little?
    pub odd_size: bool,
    /// The phases whose pattern is not the usual one.
    pub odd_phases: Vec<usize>,
}

impl Iteration {
    /// Is there anything unusual about it?
    pub fn is_odd(&self) -> bool {
        self.odd_length || self.odd_size || !self.odd_phases.is_empty()
    }
}

impl Repetition {
    /// The repetition in a sequence of phases, if there is any.
    pub(super) fn new(phases: &[Phase]) -> Option<Self> {
        let labels: Vec<usize> = phases.iter().map(|phase| phase.label).collect();
        let period = period(&labels)?;
        let usual = usual_labels(&labels, &period);
        let first = |number: usize| period.first + number * period.phases;
        let mut iterations: Vec<Iteration> = (0..period.iterations)
            .map(|number| {
                let range = first(number)..first(number + 1);
                let of = &phases[range.clone()];
                let odd = |at: &usize| labels[*at] != usual[at - range.start];
                Iteration {
                    first: range.start,
                    length: phases.get(range.end).map(|next| {
                        i128::from(next.first_message) - i128::from(of[0].first_message)
                    }),
                    window: Window { from: of[0].window.from, to: of[of.len() - 1].window.to },
                    size: of.iter().map(|phase| phase.totals.size).fold(0, u64::saturating_add),
                    odd_length: false,
                    odd_size: false,
                    odd_phases: range.clone().filter(odd).collect(),
                }
            })
            .collect();
        // Only the last iteration may be without a length.
        let lengths: Vec<f64> =
            iterations.iter().filter_map(|one| one.length).map(|length| length as f64).collect();
        let sizes: Vec<f64> = iterations.iter().map(|one| one.size as f64).collect();
        outliers(&lengths).into_iter().for_each(|at| iterations[at].odd_length = true);
        outliers(&sizes).into_iter().for_each(|at| iterations[at].odd_size = true);
        let (usual_length, usual_size) = (median(lengths), median(sizes));
        Some(Self { period, labels: usual, iterations, usual_length, usual_size })
    }
}

/// The most frequent pattern at each place of an iteration; of equal ones the earliest.
fn usual_labels(labels: &[usize], period: &Period) -> Vec<usize> {
    let usual = |place: usize| {
        let phases =
            (0..period.iterations).map(|n| labels[period.first + n * period.phases + place]);
        let mut seen: Vec<usize> = phases.collect();
        seen.sort_unstable();
        let runs = seen.chunk_by(|one, other| one == other);
        let longest = runs.max_by_key(|run| (run.len(), std::cmp::Reverse(run[0])));
        longest.map_or(0, |run| run[0])
    };
    (0..period.phases).map(usual).collect()
}

/// The lower of the two in the middle.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len().saturating_sub(1) / 2).copied().unwrap_or(0.0)
}
