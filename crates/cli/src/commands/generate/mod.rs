//! `onca generate`: synthetic traces for examples, tests and benchmarks.

mod kinds;
mod parse;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use onca_generate::{
    GenerateError, Truth, Written, demo, hierarchy, iterative, many, pattern, program, threads,
};

use self::kinds::{
    DemoArgs, HierarchyArgs, IterativeArgs, Kind, ManyArgs, PatternArgs, ProgramArgs, ThreadsArgs,
};
use onca_program::format::{byte_size, grouped, shown};
use onca_program::new_file;
use onca_program::{Failure as CommandFailure, is_full, say};

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

  A random program as an OTF2 archive, and who waits for whom in it:
    onca generate program --procs 16 --otf2 -o archive --truth waits.json

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

/// Writes the trace and what goes with it; tells on standard error how much it was.
pub fn run(args: Args) -> Result<(), CommandFailure> {
    let output = args.output.filter(|path| path.as_os_str() != "-");
    let outcome = match args.kind {
        Kind::Hierarchy(kind) => run_hierarchy(kind, args.seed, output.as_deref()),
        Kind::Pattern(kind) => run_pattern(kind, args.seed, output.as_deref()),
        Kind::Iterative(kind) => run_iterative(kind, args.seed, output.as_deref()),
        Kind::Program(kind) => run_program(kind, args.seed, output.as_deref()),
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
            say!("wrote {} records, {}", grouped(written.records), byte_size(written.bytes));
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
        travel_ticks: args.travel,
        jitter: args.jitter,
        link_name: args.link_name,
        link_values: args.link_values,
        compute_ticks: args.load.compute,
        slow: args.slow_process,
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
        iterations: args.iterations,
        checkpoint: args.checkpoint,
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
        faults: iterative::Faults {
            more_work: args
                .more_work
                .map(|(process, factor)| iterative::MoreWork { process, factor }),
            slow_route: args.slow_link,
            slow_iteration: args.slow_iteration.map(|(iteration, factor)| {
                iterative::SlowIteration { iteration: u64::from(iteration), factor }
            }),
            late_root: args.late_root,
        },
        noise: args.noise,
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

fn run_program(args: ProgramArgs, seed: u64, output: Option<&Path>) -> Result<Written, Failure> {
    let ProgramArgs { procs, steps, compute, truth: place, otf2 } = args;
    let options = program::Options { procs, steps, compute_ticks: compute, seed };
    let (written, truth) = match output {
        Some(folder) if otf2 => {
            let (_, written, truth) =
                program::write_archive(&options, folder).map_err(|error| at_path(folder, error))?;
            (written, truth)
        }
        _ => to_output(output, |mut out| program::write(&options, &mut out))?,
    };
    if let Some(path) = place {
        to_file(&path, |mut out| Ok(truth.write_json(&mut out)?))?;
    }
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
        None => {
            let mut out = onca_program::output();
            let written = write(&mut out)?;
            out.flush().map_err(GenerateError::from)?;
            Ok(written)
        }
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

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
