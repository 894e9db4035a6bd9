//! `onca-bench`: measures Onca on this machine, each benchmark against a peer or a limit in the
//! same run. Nobody else compiles it.

mod cluster;
mod cold;
mod compare;
mod disruptions;
mod faults;
mod figures;
mod findings;
mod ingest;
mod live;
mod measure;
mod overview;
mod phases;
mod python;
mod questions;
mod runs;
mod sql;
mod topology;
mod trace;
mod web;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use onca_program::format::shown;
use onca_program::{Exit, Failure};

/// Measure Onca on this machine
///
/// What is measured as a program is the `onca` beside this program, or the one in the PATH, or what
/// ONCA names. Build both with the profile that is published:
/// cargo build --profile dist -p onca-cli -p onca-sql-cli -p onca-cluster -p onca-bench
#[derive(clap::Parser, Debug)]
#[command(name = "onca-bench", version, propagate_version = true, subcommand_value_name = "WHAT")]
struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    Ingest(ingest::Args),
    Questions(questions::Args),
    Overview(overview::Args),
    Phases(phases::Args),
    Topology(topology::Args),
    Figures(figures::Args),
    Web(web::Args),
    Faults(faults::Args),
    Findings(findings::Args),
    Compare(compare::Args),
    Cluster(cluster::Args),
    Live(live::Args),
    Trace(trace::Args),
    Python(python::Args),
}

/// What every benchmark of generated traces understands.
#[derive(clap::Args, Debug)]
struct CommonArgs {
    /// Generate traces and their stores below DIR, in a folder that is removed afterwards
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl CommonArgs {
    fn folder(&self) -> Result<tempfile::TempDir, Failure> {
        temporary_folder(self.folder.as_deref())
    }
}

/// Memory that indexing may take, unless a benchmark is told.
const MEMORY: usize = 2 << 30;

fn main() -> ExitCode {
    onca_program::program(|args: Args| run(&args))
}

/// Measures.
fn run(args: &Args) -> Result<Exit, Failure> {
    match &args.what {
        What::Ingest(args) => ingest::run(args),
        What::Questions(args) => questions::run(args),
        What::Overview(args) => overview::run(args),
        What::Phases(args) => phases::run(args),
        What::Topology(args) => topology::run(args),
        What::Figures(args) => figures::run(args),
        What::Web(args) => web::run(args),
        What::Findings(args) => findings::run(args),
        What::Compare(args) => compare::run(args),
        What::Cluster(args) => cluster::run(args),
        What::Live(args) => live::run(args),
        What::Faults(args) => faults::run(args),
        What::Trace(args) => trace::run(args),
        What::Python(args) => python::run(args),
    }
}

/// A folder for what a benchmark generates; removed in the end.
fn temporary_folder(inside: Option<&Path>) -> Result<tempfile::TempDir, Failure> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("onca-bench-");
    let folder = match inside {
        Some(folder) if !folder.is_dir() => {
            return Err(Failure::Cannot(format!("{}: there is no such folder", shown(folder))));
        }
        Some(folder) => builder.tempdir_in(folder),
        None => builder.tempdir(),
    };
    folder.map_err(|error| Failure::Cannot(error.to_string()))
}

/// The program that is measured: what ONCA names, the one beside this program, or the one in the PATH.
fn onca() -> Result<PathBuf, Failure> {
    program("onca", "ONCA")
}

/// A program: what a variable names, the one beside this program, or the one in the PATH.
fn program(name: &str, variable: &str) -> Result<PathBuf, Failure> {
    if let Some(named) = std::env::var_os(variable) {
        return Ok(named.into());
    }
    let beside = std::env::current_exe().ok().map(|own| own.with_file_name(name));
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&folders).map(|folder| folder.join(name));
    let found = beside.into_iter().chain(in_path).find(|place| place.is_file());
    found.ok_or_else(|| {
        let package = if name == "onca" { "onca-cli" } else { name };
        Failure::Cannot(format!(
            "there is no {name} beside onca-bench or in the PATH; build it first: cargo build -p {package}, with the same profile"
        ))
    })
}

/// One measured indexing, in a process of its own.
struct Run {
    wall: Duration,
    fsync: Duration,
    records: u64,
    store_bytes: u64,
    peak_rss: u64,
}

/// Indexes in a process of its own, so that its memory can be told.
fn index(trace: &Path, place: &Path, memory: usize) -> Result<Run, Failure> {
    let cannot = |what: String| Failure::Cannot(format!("index: {what}"));
    let program = onca()?;
    let started = Instant::now();
    let output = Command::new(program)
        .args(["index", "--force", "--json", "--memory", &memory.to_string(), "-o"])
        .arg(place)
        .arg(trace)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| cannot(error.to_string()))?;
    let wall = started.elapsed();
    let answer: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| cannot(error.to_string()))?;
    let number = |name: &str| answer[name].as_u64().unwrap_or(0);
    Ok(Run {
        wall,
        fsync: Duration::from_secs_f64(answer["fsync_seconds"].as_f64().unwrap_or(0.0)),
        records: number("records"),
        store_bytes: number("store_bytes"),
        peak_rss: number("peak_rss_bytes"),
    })
}
