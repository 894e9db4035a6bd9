//! What benchmarks share.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use onca_generate::{Place, iterative, pattern};
use onca_model::{TraceFacts, Window};

use onca_program::{Exit, Failure, Output, peak_memory, print};
use serde_json::Value;

/// Writes a run of processes that compute and exchange messages.
pub fn generate(events: u64, procs: u32, folder: &Path) -> Result<PathBuf, Failure> {
    let path = folder.join("bench.paje");
    let cannot = |error: &dyn std::fmt::Display| Failure::Cannot(format!("generate: {error}"));
    let mut file = File::create(&path).map_err(|error| cannot(&error))?;
    let options = iterative::Options {
        procs: procs as _,
        events: events as _,
        ..iterative::Options::default()
    };
    iterative::write(&options, &mut file).map_err(|error| cannot(&error))?;
    Ok(path)
}

/// Clusters of the generated network, and machines of each.
const CLUSTERS: u32 = 13;
const MACHINES: u32 = 24;

/// A trace of work stealing, and the network that it ran on.
pub struct WorkStealing {
    /// The trace.
    pub trace: PathBuf,
    /// The network in the DOT language.
    pub network: PathBuf,
}

impl WorkStealing {
    /// Writes a run of processes on 13 clusters, each with this many tasks on average. Those who have
    /// none take half of those of another, so that there are some dozen messages for each process.
    pub fn generate(procs: u32, tasks: u32, folder: &Path) -> Result<Self, Failure> {
        let (trace, network) = (folder.join("stealing.paje"), folder.join("stealing.dot"));
        let options = pattern::Options {
            pattern: pattern::Pattern::WorkStealing,
            procs,
            rounds: tasks,
            place: Place {
                sites: CLUSTERS,
                machines_per_cluster: MACHINES,
                all_clusters: Some(CLUSTERS),
                ..Place::default()
            },
            ..pattern::Options::default()
        };
        let cannot = |error: &dyn std::fmt::Display| Failure::Cannot(format!("generate: {error}"));
        let create =
            |path: &Path| File::create(path).map(BufWriter::new).map_err(|error| cannot(&error));
        pattern::write(&options, &mut create(&trace)?).map_err(|error| cannot(&error))?;
        pattern::write_topology(&options, &mut create(&network)?)
            .map_err(|error| cannot(&error))?;
        Ok(Self { trace, network })
    }
}

/// Removes a generated trace.
pub fn remove(path: &Path) -> Result<(), Failure> {
    std::fs::remove_file(path).map_err(|error| Failure::Cannot(error.to_string()))
}

/// A part of the trace: where it begins, and how long it is, in thousandths of the whole.
#[derive(Clone, Copy)]
pub struct Part {
    /// Where it begins.
    pub from: i64,
    /// How long it is.
    pub length: i64,
}

impl Part {
    /// The window that it is of a trace.
    pub fn window(self, facts: &TraceFacts) -> Window {
        let at = |thousandths: i64| {
            let span = i128::from(facts.end) - i128::from(facts.start);
            facts.start + (span * i128::from(thousandths) / 1000) as i64
        };
        Window::new(at(self.from), at(self.from + self.length))
    }
}

/// All of it.
pub const WHOLE: Part = Part { from: 0, length: 1000 };

/// How long work takes, and what it gives.
pub fn timed<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<(Duration, T), Failure> {
    let started = Instant::now();
    let done = work()?;
    Ok((started.elapsed(), done))
}

/// Runs a query in a process of its own, so that its memory can be told: how long it took, and its peak.
pub fn watched(command: &mut Command) -> Result<(Duration, Option<u64>), Failure> {
    let cannot = |why: String| Failure::Cannot(format!("query: {why}"));
    let started = Instant::now();
    let spawned = command.stdin(Stdio::null()).stderr(Stdio::inherit()).spawn();
    let mut child = spawned.map_err(|error| cannot(error.to_string()))?;
    let mut peak = None;
    let status = loop {
        match child.try_wait().map_err(|error| cannot(error.to_string()))? {
            Some(status) => break status,
            // It only grows, so the last answer before the end is near enough.
            None => peak = peak_memory(&child.id().to_string()).or(peak),
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    match status.success() {
        true => Ok((started.elapsed(), peak)),
        false => Err(cannot(status.to_string())),
    }
}

/// The one in the middle.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// A time in milliseconds.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Prints what was measured, as JSON or for people.
pub fn report(
    as_json: bool,
    json: impl FnOnce() -> Value,
    text: impl FnOnce(&mut Output) -> io::Result<()>,
) -> Result<Exit, Failure> {
    print(|out| if as_json { writeln!(out, "{:#}", json()) } else { text(out) })?;
    Ok(Exit::Fine)
}
