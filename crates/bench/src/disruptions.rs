//! Are planted disruptions found, and is nothing found where nothing was planted?

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use onca_aggregate::overview::{Axis, DISRUPTION_THRESHOLD, Disruption, Gain, StartRule, Watch};
use onca_answer::overview::{Choice, DisruptionAnswer, Matrix, Metric, Overview, OverviewOptions};
use onca_generate::iterative::{Burst, Options, SlowNode, write_with_truth};
use onca_generate::{Perturbation, Truth};
use onca_model::Window;
use onca_query::{Lens, Scope};
use onca_store::Store;
use serde_json::json;

use onca_program::{Exit, Failure};

use crate::measure::report;

use crate::{index, temporary_folder};

const SLICES: usize = 100;
const EVENTS: u64 = 120_000;
const MEMORY: usize = 1 << 30;
/// Planted disruptions must be among this many of the clearest.
const FIRST: usize = 5;

/// What was found in one run.
struct Outcome {
    /// How many of the three planted disruptions are among the first.
    found: usize,
    /// The highest score of the same run without them.
    clean: f64,
}

/// Generates runs with three planted disruptions each, and the same runs without them.
pub fn run(seeds: u64, as_json: bool) -> Result<Exit, Failure> {
    let folder = temporary_folder(None)?;
    let outcomes: Vec<Outcome> =
        (1..=seeds).map(|seed| outcome(seed, folder.path())).collect::<Result<_, _>>()?;
    let all_found = outcomes.iter().filter(|outcome| outcome.found == 3).count();
    let highest = outcomes.iter().map(|outcome| outcome.clean).fold(0.0, f64::max);
    let json = || {
        json!({
            "schema": "onca-bench-disruptions/1",
            "runs": seeds,
            "all_found": all_found,
            "found": outcomes.iter().map(|outcome| outcome.found).collect::<Vec<_>>(),
            "highest_clean_score": highest,
            "threshold": DISRUPTION_THRESHOLD,
        })
    };
    report(as_json, json, |out| {
        writeln!(
            out,
            "all three planted disruptions are among the first {FIRST} in {all_found} of {seeds} runs\n\
             the highest score of {seeds} runs without disruptions is {highest:.1}; the threshold is {DISRUPTION_THRESHOLD}"
        )
    })
}

fn outcome(seed: u64, folder: &Path) -> Result<Outcome, Failure> {
    let calm = Options { events: EVENTS, seed, ..Options::default() };
    let (truth, matrix) = indexed(&calm, folder)?;
    let clean = disruptions(&matrix)?.highest;
    let (truth, matrix) = indexed(&planted(calm, truth.end_ticks), folder)?;
    let answer = disruptions(&matrix)?;
    let is_found = |planted: &&Perturbation| {
        answer.disruptions.iter().any(|found| overlaps(&matrix, &found.disruption, planted))
    };
    Ok(Outcome { found: truth.perturbations.iter().filter(is_found).count(), clean })
}

/// What `onca overview --disruptions` would show.
fn disruptions(matrix: &Matrix) -> Result<DisruptionAnswer, Failure> {
    let options = OverviewOptions { axis: Axis::Both, gain: Gain::Sum, memory: MEMORY as u64 };
    let watch = Watch::default();
    let choice = Choice::Start(StartRule::default());
    Ok(Overview::with(matrix, &options, watch, |overview| {
        overview.disruptions(FIRST, choice, watch)
    })?)
}

/// A slow machine and two bursts, one after the other, of different strength and length. Where and how strong depends on
/// the seed only.
fn planted(calm: Options, end_ticks: i64) -> Options {
    let mut dice = calm.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // A number from 0 to 1.
    let mut next = || {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        (dice >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut interval = |third: f64| {
        let length = 0.06 + 0.06 * next();
        let from = 0.2 + 0.25 * third + (0.25 - length - 0.05) * next();
        ((from * end_ticks as f64) as i64, ((from + length) * end_ticks as f64) as i64)
    };
    let intervals = [interval(0.0), interval(1.0), interval(2.0)];
    let machine = 1 + (next() * f64::from(calm.place.machines())) as u32;
    let mut burst = |(from_ticks, to_ticks): (i64, i64)| Burst {
        from_ticks,
        to_ticks,
        share: 0.05 + 0.2 * next(),
        factor: 2.0 + 2.0 * next(),
    };
    let bursts = vec![burst(intervals[0]), burst(intervals[2])];
    let slow_node =
        SlowNode { machine, factor: 2.0 + 2.0 * next(), interval_ticks: Some(intervals[1]) };
    Options { bursts, slow_node: Some(slow_node), ..calm }
}

/// Does a disruption have at least half of the longer of the two times in common with a planted one?
fn overlaps(matrix: &Matrix, found: &Disruption, planted: &Perturbation) -> bool {
    let Some(times) = &matrix.times else { return false };
    let found = Window::new(times.bounds.bound(found.first), times.bounds.bound(found.last + 1));
    let common = found.overlap(planted.from_ticks, planted.to_ticks);
    2 * common >= (found.to - found.from).max(planted.to_ticks - planted.from_ticks)
}

fn indexed(options: &Options, folder: &Path) -> Result<(Truth, Matrix), Failure> {
    let cannot = |error: &dyn std::fmt::Display| Failure::Cannot(error.to_string());
    let trace = folder.join("run.paje");
    let mut file = BufWriter::new(File::create(&trace).map_err(|error| cannot(&error))?);
    let (_, truth) = write_with_truth(options, &mut file).map_err(|error| cannot(&error))?;
    file.flush().map_err(|error| cannot(&error))?;
    let place = folder.join("store.onca");
    index(&trace, &place, MEMORY)?;
    let store = Store::open(&place)?;
    let facts = &store.catalog().facts;
    let scope = Scope::new(&store, &Lens::clear(), Window::new(facts.start, facts.end))?;
    let matrix = Matrix::new(&scope, SLICES, &Metric::States { idle: false })?;
    Ok((truth, matrix))
}
