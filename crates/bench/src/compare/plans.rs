//! Pairs of runs that differ in one planted thing.

use onca_generate::iterative::{Checkpoint, Options, SlowNode};
use onca_generate::{Phase, Place, Truth};
use onca_program::Failure;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::runs::truth_of;

/// What is planted in the second run.
pub const KINDS: [&str; 7] = [
    "equal",
    "slow",
    "slow-while",
    "longer-phase",
    "dropped-phase",
    "extra-iterations",
    "other-processes",
];

/// Two runs, and what should be found.
pub struct Planned {
    pub before: Options,
    pub after: Options,
    /// The second run without what was planted.
    pub plain: Options,
    pub kind: Option<&'static str>,
    /// A machine, where it is one.
    pub machine: Option<u32>,
    /// When, in ticks of the run that has it: for a machine from the first slow computation to the last.
    pub window: Option<(i64, i64)>,
}

/// Two runs with other random numbers that differ in one thing.
pub fn planned(kind: &'static str, seed: u64, factor: f64) -> Result<Planned, Failure> {
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    let procs = 16 * dice.random_range(2..6);
    let iterations = dice.random_range(80..200);
    let checkpoint =
        Checkpoint { after: iterations / 2, steps: dice.random_range(6..20), factor: 1.0 };
    let before = Options {
        procs,
        iterations: Some(iterations),
        checkpoint: Some(checkpoint),
        place: Place {
            sites: 1,
            clusters_per_site: 4,
            machines_per_cluster: 4,
            all_clusters: None,
        },
        noise: dice.random_range(1..=10),
        seed: 2 * seed,
        ..Options::default()
    };
    let plain = Options { seed: 2 * seed + 1, ..before.clone() };
    let mut after = plain.clone();
    let mut found = (None, None, None);
    match kind {
        "slow" | "slow-while" => {
            let machine = dice.random_range(1..=before.place.machines());
            let end = truth_of(&plain)?.end_ticks as f64;
            let length = dice.random_range(0.2..0.5);
            let from = dice.random_range(0.25..0.95 - length);
            let interval = (from * end) as i64..((from + length) * end) as i64;
            let interval = (kind == "slow-while").then_some((interval.start, interval.end));
            after.slow_node = Some(SlowNode { machine, factor, interval_ticks: interval });
            found = (Some("slow"), Some(machine), interval);
        }
        "longer-phase" => {
            let factor = dice.random_range(1.2..2.0);
            after.checkpoint = Some(Checkpoint { factor, ..checkpoint });
            found = (Some("slow"), None, phase(&after)?);
        }
        "dropped-phase" => {
            after.checkpoint = None;
            found = (Some("gone"), None, phase(&before)?);
        }
        "extra-iterations" => {
            after.iterations = Some(iterations + dice.random_range(5..30));
            let ends = truth_of(&after)?.iteration_ends;
            let extra = (ends[iterations as usize - 1], ends[ends.len() - 1]);
            found = (Some("new"), None, Some(extra));
        }
        "other-processes" => {
            let machine = dice.random_range(1..=before.place.machines());
            after.procs = 2 * procs;
            after.slow_node = Some(SlowNode { machine, factor, interval_ticks: None });
            found = (Some("slow"), Some(machine), None);
        }
        _ => {}
    }
    let plain = Options { procs: after.procs, ..plain };
    let (kind, machine, mut window) = found;
    if machine.is_some() {
        window = Some(computing(&truth_of(&after)?, window));
    }
    Ok(Planned { before, after, plain, kind, machine, window })
}

/// When the checkpoint of a run is.
fn phase(options: &Options) -> Result<Option<(i64, i64)>, Failure> {
    let truth = truth_of(options)?;
    let phase = truth.phases.iter().find(|phase| phase.name == "checkpoint");
    Ok(phase.map(|phase| (phase.from_ticks, phase.to_ticks)))
}

/// When a run computes, or the part of a window in which it does: what it does before, between and after is not slowed.
fn computing(truth: &Truth, window: Option<(i64, i64)>) -> (i64, i64) {
    let phase = |name: &str| truth.phases.iter().find(|phase| phase.name == name);
    let begin = phase("transition").map_or(0, |phase| phase.from_ticks);
    let end = phase("iterations").map_or(truth.end_ticks, |phase| phase.to_ticks);
    let (from, to) = window.unwrap_or((begin, end));
    let (mut from, mut to) = (from.max(begin), to.min(end));
    if let Some(Phase { from_ticks, to_ticks, .. }) = phase("checkpoint") {
        if (*from_ticks..*to_ticks).contains(&from) {
            from = *to_ticks;
        }
        if (*from_ticks..*to_ticks).contains(&(to - 1)) {
            to = *from_ticks;
        }
    }
    (from, to)
}
