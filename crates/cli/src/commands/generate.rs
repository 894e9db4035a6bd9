//! `onca generate`: synthetic traces for examples, tests and benchmarks.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use onca_generate::pattern::Pattern;
use onca_generate::{
    GenerateError, Place, TICKS_PER_UNIT, Truth, Written, demo, hierarchy, iterative, many,
    pattern, threads,
};

use crate::format::{byte_size, grouped, shown};
use crate::new_file;
use crate::outcome::{Failure as CommandFailure, is_full};

const EXAMPLES: &str = "\
Examples:
  A tree of 200 machines that share their time by a cosine, as text on standard output:
    onca generate hierarchy --levels Site:4,Cluster:5,Machine:10 | tail

  A stencil on 64 processes, and the network it runs on:
    onca generate pattern stencil2d --procs 64 -o stencil.paje --write-topology stencil.dot

  A run with a machine that is twice as slow from 2 s to 4 s, a burst on a quarter of
  the processes, and a file that tells what was planted:
    onca generate iterative --procs 64 --events 200000 --slow-node 3:2:2:4 \\
        --burst 5:6:0.25 -o run.paje --truth run.json

  Threads, semaphores and locks, another time with other random numbers:
    onca generate threads --seed 7 -o threads.paje
";

/// Write a synthetic trace in the Pajé format
///
/// The same options and the same seed give the same bytes. Records are in time order and are written as they are
/// made, so that a trace may be longer than memory.
#[derive(Debug, clap::Args)]
#[command(
    subcommand_value_name = "KIND",
    subcommand_help_heading = "Kinds",
    after_long_help = EXAMPLES,
    after_help = "Use --help for examples."
)]
pub struct Args {
    #[command(subcommand)]
    kind: Kind,

    /// Write to FILE; without it, or with "-", to standard output
    #[arg(short, long, value_name = "FILE", global = true, display_order = 1000)]
    output: Option<PathBuf>,

    /// Random numbers begin from N
    #[arg(long, value_name = "N", default_value_t = 1, global = true, display_order = 1000)]
    seed: u64,
}

#[derive(Debug, clap::Subcommand)]
enum Kind {
    Hierarchy(HierarchyArgs),
    Pattern(PatternArgs),
    Iterative(IterativeArgs),
    Threads(ThreadsArgs),
    Many(ManyArgs),
    Demo(DemoArgs),
}

/// A tree of containers whose leaves share their time between states by a cosine
///
/// Leaf k of n maps to x in [0, MAX]. It spends (cos x + 1)/2 of the run in the first state and shares the rest
/// equally between the others.
#[derive(Debug, clap::Args)]
struct HierarchyArgs {
    /// Names and branching factors from the top to the leaves
    #[arg(
        long,
        value_name = "NAME:N",
        value_delimiter = ',',
        value_parser = parse_level,
        default_value = "Site:4,Cluster:3,Machine:8,Processor:4"
    )]
    levels: Vec<hierarchy::Level>,

    /// Names of the states, at least two
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "running,blocked")]
    states: Vec<String>,

    /// How long every leaf runs, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_ticks, default_value = "100")]
    duration: i64,

    /// The x of the last leaf, in radians; a whole turn unless told
    #[arg(long, value_name = "RADIANS", default_value_t = std::f64::consts::TAU)]
    max: f64,
}

/// Processes that communicate in a known pattern
#[derive(Debug, clap::Args)]
struct PatternArgs {
    /// Who talks to whom
    #[arg(value_name = "PATTERN", default_value = "ring", value_parser = pattern_parser())]
    pattern: Pattern,

    /// Number of processes
    #[arg(long, value_name = "N", default_value_t = 16)]
    procs: u32,

    /// Repetitions of the pattern; tasks per process for master-worker and work-stealing
    #[arg(long, value_name = "N", default_value_t = 10)]
    rounds: u32,

    /// Children of each process in hierarchical-star
    #[arg(long, value_name = "N", default_value_t = 4)]
    children: u32,

    #[command(flatten)]
    place: PlaceArgs,

    #[command(flatten)]
    load: LoadArgs,
}

/// A run of equal iterations, with planted perturbations
///
/// An init phase, a transition, then iterations of compute, send, wait and allreduce until about the given number of
/// record lines is written. An iteration takes little more than the compute time.
#[derive(Debug, clap::Args)]
struct IterativeArgs {
    /// Number of processes
    #[arg(long, value_name = "N", default_value_t = 64)]
    procs: u32,

    /// About how many record lines to write
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    events: u64,

    /// Neighbours are those in a ring, not those in a grid
    #[arg(long)]
    ring: bool,

    /// Plant a machine (from 1) that computes FACTOR (2 unless told) times as long, always or from T0 to T1 seconds
    #[arg(long, value_name = "MACHINE[:FACTOR[:T0:T1]]", value_parser = parse_slow_node)]
    slow_node: Option<iterative::SlowNode>,

    /// Plant a burst: from T0 to T1 seconds a SHARE (0 to 1) of the processes computes FACTOR (2 unless told) times
    /// as long; may be repeated
    #[arg(long = "burst", value_name = "T0:T1:SHARE[:FACTOR]", value_parser = parse_burst)]
    bursts: Vec<iterative::Burst>,

    /// Write what was planted to FILE, as JSON
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,

    #[command(flatten)]
    place: PlaceArgs,

    #[command(flatten)]
    load: LoadArgs,
}

/// Short-lived threads with semaphores and locks
#[derive(Debug, clap::Args)]
struct ThreadsArgs {
    /// Number of processes
    #[arg(long, value_name = "N", default_value_t = 4)]
    processes: u32,

    /// Number of threads over the whole run, besides the main threads
    #[arg(long, value_name = "N", default_value_t = 200)]
    threads: u32,

    /// Threads of a process that may live at once
    #[arg(long, value_name = "N", default_value_t = 8)]
    at_once: u32,

    /// Semaphores of each process
    #[arg(long, value_name = "N", default_value_t = 2)]
    semaphores: u32,

    /// Threads that can be past the P of a semaphore at once
    #[arg(long, value_name = "N", default_value_t = 2)]
    permits: u32,

    /// Locks of each process
    #[arg(long, value_name = "N", default_value_t = 2)]
    locks: u32,

    /// How often a thread goes through a semaphore and a lock
    #[arg(long, value_name = "N", default_value_t = 4)]
    operations: u32,
}

/// Very many containers with a few states each, in random order
#[derive(Debug, clap::Args)]
struct ManyArgs {
    /// Number of containers
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    containers: u32,

    /// States of each container
    #[arg(long, value_name = "N", default_value_t = 4)]
    pairs: u32,
}

/// The demo trace: 96 processes on three clusters, with something to find
#[derive(Debug, clap::Args)]
struct DemoArgs {
    /// Write what there is to find to FILE, as JSON
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
struct PlaceArgs {
    /// Number of sites
    #[arg(long, value_name = "N", default_value_t = 2)]
    sites: u32,

    /// Number of clusters in each site
    #[arg(long, value_name = "N", default_value_t = 2)]
    clusters: u32,

    /// Number of clusters of all sites together, spread as evenly as can be
    #[arg(long, value_name = "N", conflicts_with = "clusters")]
    all_clusters: Option<u32>,

    /// Number of machines in each cluster
    #[arg(long, value_name = "N", default_value_t = 4)]
    machines: u32,

    /// Write the network with bandwidth and latency to FILE, in the DOT language
    #[arg(long, value_name = "FILE")]
    write_topology: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
struct LoadArgs {
    /// Size of a message; in binary-swap that of the first stage
    #[arg(long, value_name = "BYTES", default_value_t = 65_536)]
    message_bytes: u64,

    /// About how long a process computes between messages, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_ticks, default_value = "0.02")]
    compute: i64,
}

impl PlaceArgs {
    fn place(&self) -> Place {
        Place {
            sites: self.sites,
            clusters_per_site: self.clusters,
            machines_per_cluster: self.machines,
            all_clusters: self.all_clusters,
        }
    }
}

/// Writes the trace and what goes with it; tells on standard error how much it was.
pub fn run(args: Args) -> Result<(), CommandFailure> {
    let output = args.output.filter(|path| path.as_os_str() != "-");
    let outcome = match args.kind {
        Kind::Hierarchy(kind) => run_hierarchy(kind, args.seed, output.as_deref()),
        Kind::Pattern(kind) => run_pattern(kind, args.seed, output.as_deref()),
        Kind::Iterative(kind) => run_iterative(kind, args.seed, output.as_deref()),
        Kind::Threads(kind) => run_threads(kind, args.seed, output.as_deref()),
        Kind::Many(kind) => run_many(kind, args.seed, output.as_deref()),
        Kind::Demo(kind) => run_demo(kind, args.seed, output.as_deref()),
    };
    conclude(outcome, output.is_none())
}

/// Writes the built-in demo trace to a file.
pub fn write_demo(path: &Path) -> Result<(), CommandFailure> {
    let options = demo::Options::default();
    conclude(to_file(path, |mut out| demo::write(&options, &mut out)), false)
}

/// Tells what was written, or why nothing was.
fn conclude(outcome: Result<Written, Failure>, to_pipe: bool) -> Result<(), CommandFailure> {
    match outcome {
        Ok(written) => {
            eprintln!("wrote {} records, {}", grouped(written.records), byte_size(written.bytes));
            Ok(())
        }
        // Whoever read standard output has seen enough.
        Err(Failure::Generate(GenerateError::Io(error)))
            if to_pipe && error.kind() == io::ErrorKind::BrokenPipe =>
        {
            Ok(())
        }
        Err(Failure::Generate(error)) => Err(match &error {
            GenerateError::Io(cause) if is_full(cause) => CommandFailure::Limit(error.to_string()),
            _ => CommandFailure::Cannot(error.to_string()),
        }),
        Err(Failure::File(path, cause)) => {
            let message = format!("{}: {cause}", shown(&path));
            let full = is_full(&cause);
            Err(if full { CommandFailure::Limit(message) } else { CommandFailure::Cannot(message) })
        }
    }
}

fn run_hierarchy(
    args: HierarchyArgs,
    seed: u64,
    output: Option<&Path>,
) -> Result<Written, Failure> {
    let options = hierarchy::Options {
        levels: args.levels,
        states: args.states,
        duration_ticks: args.duration,
        max: args.max,
        seed,
    };
    to_output(output, |mut out| hierarchy::write(&options, &mut out))
}

fn run_pattern(args: PatternArgs, seed: u64, output: Option<&Path>) -> Result<Written, Failure> {
    let options = pattern::Options {
        pattern: args.pattern,
        procs: args.procs,
        rounds: args.rounds,
        children: args.children,
        place: args.place.place(),
        message_bytes: args.load.message_bytes,
        compute_ticks: args.load.compute,
        seed,
    };
    if let Some(path) = &args.place.write_topology {
        to_file(path, |mut out| pattern::write_topology(&options, &mut out))?;
    }
    to_output(output, |mut out| pattern::write(&options, &mut out))
}

fn run_iterative(
    args: IterativeArgs,
    seed: u64,
    output: Option<&Path>,
) -> Result<Written, Failure> {
    let options = iterative::Options {
        procs: args.procs,
        events: args.events,
        neighbours: if args.ring {
            iterative::Neighbours::Ring
        } else {
            iterative::Neighbours::Grid
        },
        place: args.place.place(),
        message_bytes: args.load.message_bytes,
        compute_ticks: args.load.compute,
        slow_node: args.slow_node,
        bursts: args.bursts,
        seed,
    };
    if let Some(path) = &args.place.write_topology {
        to_file(path, |mut out| iterative::write_topology(&options, &mut out))?;
    }
    let (written, truth) =
        to_output(output, |mut out| iterative::write_with_truth(&options, &mut out))?;
    write_truth(args.truth.as_deref(), &truth)?;
    Ok(written)
}

fn run_threads(args: ThreadsArgs, seed: u64, output: Option<&Path>) -> Result<Written, Failure> {
    let options = threads::Options {
        processes: args.processes,
        threads: args.threads,
        at_once: args.at_once,
        semaphores: args.semaphores,
        permits: args.permits,
        locks: args.locks,
        operations: args.operations,
        seed,
        ..threads::Options::default()
    };
    to_output(output, |mut out| threads::write(&options, &mut out))
}

fn run_many(args: ManyArgs, seed: u64, output: Option<&Path>) -> Result<Written, Failure> {
    let options = many::Options { containers: args.containers, pairs: args.pairs, seed };
    to_output(output, |mut out| many::write(&options, &mut out))
}

fn run_demo(args: DemoArgs, seed: u64, output: Option<&Path>) -> Result<Written, Failure> {
    let options = demo::Options { seed };
    let (written, truth) = to_output(output, |mut out| demo::write_with_truth(&options, &mut out))?;
    write_truth(args.truth.as_deref(), &truth)?;
    Ok(written)
}

/// What went wrong: in making the trace, or with a file that the message names.
#[derive(Debug)]
enum Failure {
    Generate(GenerateError),
    File(PathBuf, io::Error),
}

impl From<GenerateError> for Failure {
    fn from(error: GenerateError) -> Self {
        Failure::Generate(error)
    }
}

fn to_output<T>(
    output: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<T, GenerateError>,
) -> Result<T, Failure> {
    match output {
        None => Ok(write(&mut io::stdout().lock())?),
        Some(path) => to_file(path, write),
    }
}

fn write_truth(path: Option<&Path>, truth: &Truth) -> Result<(), Failure> {
    match path {
        None => Ok(()),
        Some(path) => to_file(path, |mut out| Ok(truth.write_json(&mut out)?)),
    }
}

fn to_file<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, GenerateError>,
) -> Result<T, Failure> {
    new_file::fill(path, |out| write(out)).map_err(|error| at_path(path, error))
}

fn at_path(path: &Path, error: GenerateError) -> Failure {
    match error {
        GenerateError::Io(error) => Failure::File(path.to_owned(), error),
        error => Failure::Generate(error),
    }
}

fn pattern_parser() -> impl TypedValueParser<Value = Pattern> {
    PossibleValuesParser::new(Pattern::ALL.map(Pattern::name))
        .try_map(|name| name.parse::<Pattern>())
}

fn parse_level(text: &str) -> Result<hierarchy::Level, String> {
    let (name, branching) = text.rsplit_once(':').ok_or("a level is written NAME:N")?;
    let branching = parse("branching factor", branching)?;
    Ok(hierarchy::Level { name: name.to_owned(), branching })
}

fn parse_slow_node(text: &str) -> Result<iterative::SlowNode, String> {
    let parts: Vec<&str> = text.split(':').collect();
    let (machine, factor, interval) = match parts[..] {
        [machine] => (machine, "2", None),
        [machine, factor] => (machine, factor, None),
        [machine, factor, from, to] => {
            (machine, factor, Some((parse_ticks(from)?, parse_ticks(to)?)))
        }
        _ => {
            return Err(
                "a slow node is written MACHINE, MACHINE:FACTOR or MACHINE:FACTOR:T0:T1".to_owned()
            );
        }
    };
    // Both the number and the name that stands in the trace are understood.
    let machine = machine.strip_prefix("machine-").unwrap_or(machine);
    Ok(iterative::SlowNode {
        machine: parse("machine", machine)?,
        factor: parse("factor", factor)?,
        interval_ticks: interval,
    })
}

fn parse_burst(text: &str) -> Result<iterative::Burst, String> {
    let parts: Vec<&str> = text.split(':').collect();
    let (from, to, share, factor) = match parts[..] {
        [from, to, share] => (from, to, share, "2"),
        [from, to, share, factor] => (from, to, share, factor),
        _ => return Err("a burst is written T0:T1:SHARE or T0:T1:SHARE:FACTOR".to_owned()),
    };
    Ok(iterative::Burst {
        from_ticks: parse_ticks(from)?,
        to_ticks: parse_ticks(to)?,
        share: parse("share", share)?,
        factor: parse("factor", factor)?,
    })
}

fn parse<T: std::str::FromStr>(what: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text:?} is no {what}"))
}

/// Seconds to ticks. A quarter of the range of the clock is far more than any run, and safe to calculate with.
fn parse_ticks(text: &str) -> Result<i64, String> {
    let seconds: f64 = parse("number of seconds", text)?;
    let ticks = (seconds * TICKS_PER_UNIT as f64).round();
    match (0.0..=(i64::MAX / 4) as f64).contains(&ticks) {
        true => Ok(ticks as i64),
        false => Err(format!("{text:?} is no number of seconds that a trace can hold")),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn slow_nodes_are_understood() {
        let node = |machine, factor, interval_ticks| iterative::SlowNode {
            machine,
            factor,
            interval_ticks,
        };
        assert_eq!(parse_slow_node("3"), Ok(node(3, 2.0, None)));
        assert_eq!(parse_slow_node("machine-3:1.5"), Ok(node(3, 1.5, None)));
        let interval = Some((1_500_000_000, 2_000_000_000));
        assert_eq!(parse_slow_node("3:4:1.5:2"), Ok(node(3, 4.0, interval)));
        assert!(parse_slow_node("3:4:1.5").is_err());
        assert!(parse_slow_node("three").is_err());
    }

    #[test]
    fn bursts_are_understood() {
        let burst = |factor| iterative::Burst {
            from_ticks: 1_000_000_000,
            to_ticks: 2_000_000_000,
            share: 0.25,
            factor,
        };
        assert_eq!(parse_burst("1:2:0.25"), Ok(burst(2.0)));
        assert_eq!(parse_burst("1:2:0.25:3"), Ok(burst(3.0)));
        assert!(parse_burst("1:2").is_err());
        assert!(parse_burst("-1:2:0.5").is_err());
    }

    #[test]
    fn a_failed_trace_leaves_the_old_file() {
        let folder = std::env::temp_dir().join(format!("onca-generate-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("run.paje");
        fs::write(&path, "old").unwrap();
        let fails = |out: &mut dyn Write| -> Result<(), GenerateError> {
            out.write_all(b"half")?;
            Err(GenerateError::Options("no".to_owned()))
        };
        assert!(to_file(&path, fails).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        to_file(&path, |out| Ok(out.write_all(b"new")?)).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}
