//! Are planted differences between two runs found, with place, time and amount, and is nothing found between equal runs?

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use onca_answer::compare::{CompareSpec, ComparedFinding, Comparison, compare};
use onca_generate::iterative::{Checkpoint, Options, SlowNode, write_with_truth};
use onca_generate::{Place, Truth};
use onca_model::{ContainerId, Window};
use onca_program::{Exit, Failure};
use onca_query::{Lens, Scope};
use onca_store::Store;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use crate::measure::report;
use crate::{CommonArgs, index, temporary_folder};

const MEMORY: usize = 1 << 30;

/// Compare generated runs that differ in one planted thing, and count how often it is found
///
/// Each pair has its own seeds, places, times and noise. What was planted is known, and so is how much longer the run is because
/// of it: the second run is made once more, with the same seed, without it.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    common: CommonArgs,

    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    from: u64,

    /// How many pairs of each kind
    #[arg(long, value_name = "N", default_value_t = 200)]
    pairs: u64,

    /// Only this kind of difference
    #[arg(long, value_name = "NAME")]
    only: Option<String>,

    /// By how much the slow machine of `slow` and `slow-while` is slower, such as 1.1
    #[arg(long, value_name = "FACTOR", default_value_t = 1.1)]
    factor: f64,

    /// Tell what was found instead, for each miss
    #[arg(long)]
    misses: bool,
}

/// What is planted in the second run.
const KINDS: [&str; 7] = [
    "equal",
    "slow",
    "slow-while",
    "longer-phase",
    "dropped-phase",
    "extra-iterations",
    "other-processes",
];

/// Two runs, and what should be found.
struct Planned {
    before: Options,
    after: Options,
    /// The second run without what was planted.
    plain: Options,
    kind: Option<&'static str>,
    /// A machine, where it is one.
    machine: Option<u32>,
    /// When, in ticks of the run that has it.
    window: Option<(i64, i64)>,
}

/// How one kind of difference was found.
#[derive(Default)]
struct Tally {
    kind: &'static str,
    pairs: u64,
    /// Found among the first three; for equal runs those with any finding.
    found: u64,
    /// Shares of what finding and truth have in common.
    overlaps: Vec<f64>,
    /// How far amounts are off, as shares of the true amount.
    errors: Vec<f64>,
    /// How far iterations are off, in iterations.
    shifts: Vec<f64>,
    misses: Vec<String>,
}

/// Runs the benchmark.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let folder = temporary_folder(args.common.folder.as_deref())?;
    let mut tallies = Vec::new();
    for kind in KINDS {
        if args.only.as_deref().is_none_or(|only| only == kind) {
            tallies.push(tally(kind, args, folder.path())?);
        }
    }
    let json = || {
        json!({
            "schema": "onca-bench-compare/1",
            "kinds": tallies.iter().map(|it| json!({
                "kind": it.kind,
                "pairs": it.pairs,
                "found": it.found,
                "overlap_median": middle(&it.overlaps),
                "overlap_enough": count(&it.overlaps, |overlap| overlap >= 0.8),
                "amount_error_median": middle(&it.errors),
                "amount_within_tenth": count(&it.errors, |error| error <= 0.1),
                "shift_most": it.shifts.iter().copied().reduce(f64::max),
            })).collect::<Vec<_>>(),
        })
    };
    report(args.common.json, json, |out| {
        writeln!(
            out,
            "{:<18} {:>6} {:>6}  {:>16}  {:>18}  {:>10}",
            "planted", "pairs", "found", "overlap >= 0.8", "amount within 10 %", "off by"
        )?;
        for it in &tallies {
            let part = |numbers: &[f64], fits: &dyn Fn(f64) -> bool| match numbers.len() {
                0 => "-".to_owned(),
                n => format!("{} of {n}", count(numbers, fits)),
            };
            let shift = it.shifts.iter().copied().reduce(f64::max);
            writeln!(
                out,
                "{:<18} {:>6} {:>6}  {:>16}  {:>18}  {:>10}",
                it.kind,
                it.pairs,
                it.found,
                part(&it.overlaps, &|overlap| overlap >= 0.8),
                part(&it.errors, &|error| error <= 0.1),
                shift.map_or("-".to_owned(), |shift| format!("{shift:.1}")),
            )?;
            for miss in it.misses.iter().filter(|_| args.misses) {
                writeln!(out, "    {miss}")?;
            }
        }
        Ok(())
    })
}

fn count(numbers: &[f64], fits: impl Fn(f64) -> bool) -> usize {
    numbers.iter().filter(|number| fits(**number)).count()
}

fn middle(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

fn tally(kind: &'static str, args: &Args, folder: &Path) -> Result<Tally, Failure> {
    let mut tally = Tally { kind, ..Tally::default() };
    for seed in args.from..args.from + args.pairs {
        let planned = planned(kind, seed, args.factor)?;
        let (a, of_a) = written(&planned.before, &folder.join("before"))?;
        let (b, of_b) = written(&planned.after, &folder.join("after"))?;
        let (a, b) = (opened(&a)?, opened(&b)?);
        let (a, b) = (scope(&a)?, scope(&b)?);
        let comparison = compare(&a, &b, &CompareSpec::default())?;
        tally.pairs += 1;
        if kind != "other-processes" {
            tally.shifts.push(shift(&comparison, &of_a, &of_b));
        }
        judge(&planned, &comparison, (&of_a, &of_b), &b, seed, &mut tally)?;
    }
    Ok(tally)
}

/// Was the right thing found?
fn judge(
    planned: &Planned,
    comparison: &Comparison,
    (of_a, of_b): (&Truth, &Truth),
    after: &Scope<'_>,
    seed: u64,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let told = || -> Vec<String> {
        let findings = comparison.findings.iter().take(3);
        findings.map(|it| format!("{}: {}", it.kind, it.text)).collect()
    };
    let Some(kind) = planned.kind else {
        if !comparison.findings.is_empty() {
            tally.found += 1;
            tally.misses.push(format!("{seed}: {:?}", told()));
        }
        return Ok(());
    };
    let right = |finding: &&ComparedFinding| {
        finding.kind == kind && overlap(planned, finding, (of_a, of_b), after) >= 0.5
    };
    let among_three = comparison.findings.iter().take(3);
    let Some(finding) = among_three.into_iter().find(right) else {
        tally.misses.push(format!("{seed}: {kind} {:?}: {:?}", planned.window, told()));
        return Ok(());
    };
    tally.found += 1;
    tally.overlaps.push(overlap(planned, finding, (of_a, of_b), after));
    let plain = truth_of(&planned.plain)?;
    let amount = (of_b.end_ticks - plain.end_ticks) as f64;
    tally.errors.push((finding.ticks as f64 / amount - 1.0).abs());
    Ok(())
}

/// What a finding has in common with what was planted: processes times time.
fn overlap(
    planned: &Planned,
    finding: &ComparedFinding,
    (of_a, of_b): (&Truth, &Truth),
    after: &Scope<'_>,
) -> f64 {
    let is_gone = finding.is_gone();
    let (run, window) = match is_gone {
        true => (of_a.end_ticks, finding.before),
        false => (of_b.end_ticks, finding.after),
    };
    let (from, to) = planned.window.unwrap_or((0, run));
    let common = window.overlap(from, to) as f64;
    let time = common / ((window.to - window.from) as f64 + (to - from) as f64 - common);
    let Some(machine) = planned.machine else { return time };
    let procs = planned.after.procs;
    let planted: BTreeSet<u32> = (0..procs)
        .filter(|process| planned.after.place.machine_of(*process, procs) == machine)
        .collect();
    let containers = &after.catalog().containers;
    let rank = |id: &ContainerId| -> Option<u32> {
        std::str::from_utf8(containers.get(*id).name).ok()?.strip_prefix("rank-")?.parse().ok()
    };
    let found: BTreeSet<u32> = finding.containers.iter().filter_map(rank).collect();
    time * planted.intersection(&found).count() as f64 / planted.union(&found).count() as f64
}

/// By how many iterations the times of two runs are paired wrongly, at most. Iterations that only one run has do not count.
fn shift(comparison: &Comparison, of_a: &Truth, of_b: &Truth) -> f64 {
    let n = of_a.iteration_ends.len().min(of_b.iteration_ends.len());
    let off = |at: usize| {
        let middle = (of_a.iteration_ends[at - 1] + of_a.iteration_ends[at]) / 2;
        let time = comparison.alignment.to_after(middle);
        of_b.iteration_ends.partition_point(|end| *end <= time).abs_diff(at) as f64
    };
    (1..n).map(off).fold(0.0, f64::max)
}

fn written(options: &Options, folder: &Path) -> Result<(std::path::PathBuf, Truth), Failure> {
    let cannot = |error: &dyn std::fmt::Display| Failure::Cannot(error.to_string());
    std::fs::create_dir_all(folder).map_err(|error| cannot(&error))?;
    let trace = folder.join("run.paje");
    let mut file = BufWriter::new(File::create(&trace).map_err(|error| cannot(&error))?);
    let (_, truth) = write_with_truth(options, &mut file).map_err(|error| cannot(&error))?;
    file.flush().map_err(|error| cannot(&error))?;
    let place = folder.join("store.onca");
    index(&trace, &place, MEMORY)?;
    Ok((place, truth))
}

fn opened(place: &Path) -> Result<Store, Failure> {
    Ok(Store::open(place)?)
}

fn scope(store: &Store) -> Result<Scope<'_>, Failure> {
    let facts = &store.catalog().facts;
    Ok(Scope::new(store, &Lens::clear(), Window::new(facts.start, facts.end))?)
}

fn truth_of(options: &Options) -> Result<Truth, Failure> {
    let written = write_with_truth(options, &mut std::io::sink());
    Ok(written.map_err(|error| Failure::Cannot(error.to_string()))?.1)
}

/// Two runs with other random numbers that differ in one thing.
fn planned(kind: &'static str, seed: u64, factor: f64) -> Result<Planned, Failure> {
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
    let (kind, machine, window) = found;
    Ok(Planned { before, after, plain, kind, machine, window })
}

/// When the checkpoint of a run is.
fn phase(options: &Options) -> Result<Option<(i64, i64)>, Failure> {
    let truth = truth_of(options)?;
    let phase = truth.phases.iter().find(|phase| phase.name == "checkpoint");
    Ok(phase.map(|phase| (phase.from_ticks, phase.to_ticks)))
}
