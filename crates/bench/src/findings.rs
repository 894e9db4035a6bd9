//! Are planted faults found, by kind, place and time, and is nothing found where nothing was planted?

mod large;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use onca_answer::{FindingAnswer, FoundFinding, findings};
use onca_generate::iterative::{
    Burst, Faults, MoreWork, Neighbours, Options, SlowIteration, SlowNode, write_with_truth,
};
use onca_generate::pattern::Pattern;
use onca_generate::{GenerateError, Place, Side, SlowRoute, pattern};
use onca_model::ContainerId;
use onca_program::{Exit, Failure};
use onca_store::Store;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use crate::measure::report;
use crate::runs::{rank, stored, truth_of, whole};
use crate::{CommonArgs, temporary_folder};

/// What a clean run may be said to cost.
const CLEAN_SHARE: f64 = 0.02;

/// Plant faults in generated runs, and count which are found
///
/// Each kind of fault is planted once for each seed, at a random place and time and with a random strength. A fault is found if a
/// finding has its kind, half of its place and half of its time.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    common: CommonArgs,

    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    from: u64,

    /// How many seeds
    #[arg(long, value_name = "N", default_value_t = 33)]
    seeds: u64,

    /// Only this kind of fault
    #[arg(long, value_name = "NAME")]
    only: Option<String>,

    /// Tell what was found instead, for each miss
    #[arg(long)]
    misses: bool,

    /// Instead of all this, measure how long the findings of a run of 700 processes with about this many records take
    #[arg(long, value_name = "N", conflicts_with_all = ["from", "seeds", "only", "misses"])]
    events: Option<u64>,
}

/// The faults that are planted, and the clean runs.
const FAULTS: [&str; 10] = [
    "slow-host",
    "slow-while",
    "more-work",
    "slow-link",
    "slow-uplink",
    "slow-worker",
    "burst",
    "slow-iteration",
    "late-root",
    "clean",
];

/// What was planted.
struct Truth {
    kind: &'static str,
    processes: BTreeSet<u32>,
    /// The other side of a link.
    towards: Option<BTreeSet<u32>>,
    window: Option<(i64, i64)>,
}

/// How one kind of fault was found.
struct Tally {
    fault: &'static str,
    runs: u64,
    first: u64,
    among_three: u64,
    misses: Vec<String>,
}

/// Runs the benchmark.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let folder = temporary_folder(args.common.folder.as_deref())?;
    if let Some(events) = args.events {
        return large::run(args, events, folder.path());
    }
    let mut tallies = Vec::new();
    for fault in FAULTS {
        if args.only.as_deref().is_none_or(|only| only == fault) {
            tallies.push(tally(fault, args, folder.path())?);
        }
    }
    let json = || {
        json!({
            "schema": "onca-bench-findings/1",
            "faults": tallies.iter().map(|it| json!({
                "fault": it.fault,
                "runs": it.runs,
                "first": it.first,
                "among_three": it.among_three,
            })).collect::<Vec<_>>(),
        })
    };
    report(args.common.json, json, |out| {
        writeln!(out, "{:<16} {:>6} {:>7} {:>12}", "fault", "runs", "first", "among three")?;
        for Tally { fault, runs, first, among_three, misses } in &tallies {
            match *fault {
                "clean" => writeln!(
                    out,
                    "{fault:<16} {runs:>6}   {first} claim more than {} % of the run",
                    100.0 * CLEAN_SHARE
                )?,
                _ => writeln!(out, "{fault:<16} {runs:>6} {first:>7} {among_three:>12}")?,
            }
            for miss in misses.iter().filter(|_| args.misses) {
                writeln!(out, "    {miss}")?;
            }
        }
        Ok(())
    })
}

fn tally(fault: &'static str, args: &Args, folder: &Path) -> Result<Tally, Failure> {
    let mut tally = Tally { fault, runs: 0, first: 0, among_three: 0, misses: Vec::new() };
    for seed in args.from..args.from + args.seeds {
        match fault {
            "clean" => {
                let iterative = Options { ..random_run(seed).1 };
                clean(&format!("{seed} iterative"), folder, &mut tally, |out| {
                    write_with_truth(&iterative, out).map(|_| ())
                })?;
                for pattern in Pattern::ALL {
                    let options = random_pattern(seed, pattern);
                    clean(&format!("{seed} {pattern}"), folder, &mut tally, |out| {
                        pattern::write(&options, out).map(|_| ())
                    })?;
                }
            }
            _ => faulty(fault, seed, folder, &mut tally)?,
        }
    }
    Ok(tally)
}

fn clean(
    name: &str,
    folder: &Path,
    tally: &mut Tally,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), GenerateError>,
) -> Result<(), Failure> {
    let (answer, _) = found_in(folder, write)?;
    tally.runs += 1;
    let claims = answer.findings.iter().find(|it| answer.share(it) > CLEAN_SHARE);
    if let Some(finding) = claims {
        tally.first += 1;
        tally.misses.push(format!("{name}: {}: {}", finding.kind, finding.text));
    }
    Ok(())
}

fn faulty(fault: &str, seed: u64, folder: &Path, tally: &mut Tally) -> Result<(), Failure> {
    let (truth, (answer, ranks)) = match fault {
        "slow-worker" => {
            let mut dice = ChaCha8Rng::seed_from_u64(seed);
            let mut options = random_pattern(seed, Pattern::MasterWorker);
            let process = dice.random_range(1..options.procs);
            options.slow = Some((process, dice.random_range(1.3..3.0)));
            let truth = Truth {
                kind: "slow",
                processes: BTreeSet::from([process]),
                towards: None,
                window: None,
            };
            (truth, found_in(folder, |out| pattern::write(&options, out).map(|_| ()))?)
        }
        _ => {
            let (options, truth) = planted(fault, seed)?;
            (truth, found_in(folder, |out| write_with_truth(&options, out).map(|_| ()))?)
        }
    };
    let ranks_of = |ids: &[ContainerId]| -> BTreeSet<u32> {
        ids.iter().filter_map(|id| ranks[id.index()]).collect()
    };
    let is_right = |finding: &FoundFinding| {
        let own = ranks_of(&finding.containers);
        let other = ranks_of(&finding.towards);
        let place = match &truth.towards {
            Some(towards) => {
                is_half(&own, &truth.processes) && is_half(&other, towards)
                    || is_half(&other, &truth.processes) && is_half(&own, towards)
            }
            None => is_half(&own, &truth.processes),
        };
        let (from, to) = truth.window.unwrap_or((answer.run.from, answer.run.to));
        let common = finding.window.overlap(from, to);
        let longer = (to - from).max(finding.window.to - finding.window.from);
        finding.kind == truth.kind && place && 2 * common >= longer
    };
    let place = answer.findings.iter().take(3).position(is_right);
    tally.runs += 1;
    tally.first += u64::from(place == Some(0));
    tally.among_three += u64::from(place.is_some());
    if place != Some(0) {
        let told: Vec<String> =
            answer.findings.iter().take(3).map(|it| format!("{}: {}", it.kind, it.text)).collect();
        tally.misses.push(format!(
            "{seed}: {} {:?} {:?}: {told:?}",
            truth.kind, truth.processes, truth.window
        ));
    }
    Ok(())
}

/// Have two sets at least half of their members in common?
fn is_half(a: &BTreeSet<u32>, b: &BTreeSet<u32>) -> bool {
    2 * a.intersection(b).count() >= a.union(b).count() && !a.is_empty()
}

/// What is found in a trace, and the rank of each container that is a process.
fn found_in(
    folder: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), GenerateError>,
) -> Result<(FindingAnswer, Vec<Option<u32>>), Failure> {
    let (place, ()) = stored(folder, write)?;
    let store = Store::open(&place)?;
    let ids = (0..store.catalog().containers.len()).map(|at| ContainerId(at as u32));
    Ok((findings(&whole(&store)?)?, ids.map(|id| rank(&store, id)).collect()))
}

/// A run with nothing planted, and dice to plant something with.
fn random_run(seed: u64) -> (ChaCha8Rng, Options) {
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    let place =
        Place { sites: 1, clusters_per_site: 4, machines_per_cluster: 4, all_clusters: None };
    let procs = 16 * dice.random_range(2..6);
    let options = Options {
        procs,
        events: u64::from(procs) * dice.random_range(1_000..2_000),
        place,
        noise: dice.random_range(1..=10),
        seed,
        ..Options::default()
    };
    (dice, options)
}

fn random_pattern(seed: u64, pattern: Pattern) -> pattern::Options {
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    let procs = match pattern {
        Pattern::BinarySwap | Pattern::SynchronisedBinarySwap => 16 << dice.random_range(0..3),
        _ => dice.random_range(12..40),
    };
    let rounds = match pattern {
        Pattern::AllToAll | Pattern::Full => dice.random_range(10..20),
        _ => dice.random_range(40..80),
    };
    let jitter = dice.random_range(1..=10);
    pattern::Options { pattern, procs, rounds, jitter, seed, ..pattern::Options::default() }
}

fn planted(fault: &str, seed: u64) -> Result<(Options, Truth), Failure> {
    let (mut dice, mut options) = random_run(seed);
    let procs = options.procs;
    // A run without the fault tells how long it is.
    let end = truth_of(&options)?.end_ticks;
    let place = options.place.clone();
    let of_machine = |machine: u32| -> BTreeSet<u32> {
        (0..procs).filter(|process| place.machine_of(*process, procs) == machine).collect()
    };
    let of_cluster = |cluster: u32| -> BTreeSet<u32> {
        let is_in = |process: &u32| place.cluster_of(place.machine_of(*process, procs)) == cluster;
        (0..procs).filter(is_in).collect()
    };
    let mut interval = |least: f64, most: f64| {
        let length = dice.random_range(least..most);
        let from = dice.random_range(0.2..0.95 - length);
        ((from * end as f64) as i64, ((from + length) * end as f64) as i64)
    };
    let window = interval(0.1, 0.4);
    let short = interval(0.06, 0.15);
    let machine = dice.random_range(1..=place.machines());
    let truth = |kind, processes, towards, window| Truth { kind, processes, towards, window };
    let truth = match fault {
        "slow-host" => {
            let factor = dice.random_range(1.15..2.5);
            options.slow_node = Some(SlowNode { machine, factor, interval_ticks: None });
            truth("slow", of_machine(machine), None, None)
        }
        "slow-while" => {
            let factor = dice.random_range(1.3..3.0);
            options.slow_node = Some(SlowNode { machine, factor, interval_ticks: Some(window) });
            truth("slow", of_machine(machine), None, Some(window))
        }
        "more-work" => {
            let process = dice.random_range(0..procs);
            let factor = dice.random_range(1.2..2.0);
            options.faults.more_work = Some(MoreWork { process, factor });
            truth("imbalance", BTreeSet::from([process]), None, None)
        }
        "slow-link" => {
            options.message_bytes = 4 << 20;
            // Neighbours in rank talk to each other, also those on different machines.
            options.neighbours = Neighbours::Ring;
            let other = if machine == place.machines() { machine - 1 } else { machine + 1 };
            options.faults.slow_route = Some(SlowRoute {
                side: Side::Machine(machine),
                other: Some(Side::Machine(other)),
                factor: dice.random_range(5.0..20.0),
            });
            truth("link", of_machine(machine), Some(of_machine(other)), None)
        }
        "slow-uplink" => {
            options.message_bytes = 4 << 20;
            let cluster = dice.random_range(1..=place.clusters());
            options.faults.slow_route = Some(SlowRoute {
                side: Side::Cluster(cluster),
                other: None,
                factor: dice.random_range(5.0..20.0),
            });
            truth("link", of_cluster(cluster), None, None)
        }
        "burst" => {
            let (from_ticks, to_ticks) = short;
            let share = dice.random_range(0.1..0.6);
            let factor = dice.random_range(1.5..4.0);
            options.bursts = vec![Burst { from_ticks, to_ticks, share, factor }];
            truth("burst", BTreeSet::new(), None, Some(short))
        }
        "slow-iteration" => {
            let factor = dice.random_range(1.5..4.0);
            let iteration = dice.random_range(20..60);
            options.faults.slow_iteration = Some(SlowIteration { iteration, factor });
            truth("outlier-iteration", (0..procs).collect(), None, None)
        }
        _ => {
            options.faults =
                Faults { late_root: Some(dice.random_range(0.3..1.0)), ..Faults::default() };
            truth("collective-wait", BTreeSet::from([0]), None, None)
        }
    };
    let told = truth_of(&options)?;
    let mut truth = truth;
    if let Some(planted) = told.perturbations.first() {
        if truth.processes.is_empty() {
            let rank = |name: &String| name.strip_prefix("rank-")?.parse().ok();
            truth.processes = planted.processes.iter().filter_map(rank).collect();
        }
        if planted.kind == "slow-iteration" {
            truth.window = Some((planted.from_ticks, planted.to_ticks));
        }
    }
    Ok((options, truth))
}
