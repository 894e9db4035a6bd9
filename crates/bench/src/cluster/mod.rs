//! `onca-bench cluster`: how long several executors take for queries over a data set, beside one machine.

mod print;
mod processes;
mod ways;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use onca_program::{Exit, Failure};
use serde_json::Value;

use crate::measure::{generate, remove, report};
use crate::{CommonArgs, MEMORY, index, onca, program};

use processes::Cluster;
use ways::Way;

/// Measure queries over a data set with 1, 2 and 4 executors, beside `onca query` and DuckDB
///
/// Makes a data set, or takes one. All answers are compared, and must be the same. DuckDB is that of the Python that
/// ONCA_BENCH_PYTHON names, or of python3; without it there are dashes.
/// The program is the `onca-cluster` beside this one, or the one in the PATH, or what ONCA_CLUSTER names.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca-bench cluster --events 4000000
  onca-bench cluster --dataset run.set --executors 1,2,4,8 --json")]
pub struct Args {
    /// Ask this data set instead of a generated one
    #[arg(long, value_name = "DIR")]
    dataset: Option<PathBuf>,

    /// The store that it was made from, to ask it too
    #[arg(long, value_name = "STORE", requires = "dataset")]
    store: Option<PathBuf>,

    /// About how many records the generated trace has
    #[arg(long, value_name = "N", default_value_t = 4_000_000)]
    events: u64,

    /// How many processes it has
    #[arg(long, value_name = "N", default_value_t = 700)]
    procs: u32,

    /// How many executors; several numbers are measured one after the other
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [1, 2, 4])]
    executors: Vec<usize>,

    /// Cores of each executor
    #[arg(long, value_name = "N", default_value_t = 1)]
    cores: usize,

    /// How often to ask; the median counts
    #[arg(long, value_name = "N", default_value_t = 3)]
    runs: usize,

    #[command(flatten)]
    common: CommonArgs,
}

/// What is asked.
struct Query {
    /// Its name in the JSON.
    name: &'static str,
    /// What it is, for people.
    title: &'static str,
    sql: String,
}

/// The queries, with a window of a tenth of the run.
fn queries(begin: i64, end: i64) -> [Query; 5] {
    let at = |tenths: i128| {
        let span = i128::from(end) - i128::from(begin);
        i128::from(begin) + span * tenths / 10
    };
    let (from, to) = (at(4), at(5));
    let query = |name, title, sql: &str| Query { name, title, sql: sql.to_owned() };
    let window = format!(
        "SELECT container_id, sum(overlap(tick_start, tick_end, {from}, {to})) AS ticks FROM states \
         WHERE tick_start < {to} AND tick_end > {from} GROUP BY container_id"
    );
    [
        query("count", "count of states", "SELECT count(*) AS n FROM states"),
        query(
            "values",
            "time per value",
            "SELECT value, sum(tick_end - tick_start) AS ticks FROM states GROUP BY value",
        ),
        query("window", "time in a window by container", &window),
        query(
            "links",
            "links by source",
            "SELECT source_id, count(*) AS n, sum(size) AS bytes FROM links GROUP BY source_id",
        ),
        query(
            "join",
            "time by path, with a join",
            "SELECT c.path, sum(s.tick_end - s.tick_start) AS ticks FROM states s \
             JOIN containers c ON s.container_id = c.id GROUP BY c.path",
        ),
    ]
}

/// What is measured: a data set, and the store that it was made from if that is known.
struct Subject {
    set: PathBuf,
    store: Option<PathBuf>,
    manifest: Value,
}

impl Subject {
    fn of(args: &Args, folder: &Path) -> Result<Self, Failure> {
        let (set, store) = match &args.dataset {
            Some(set) => (set.clone(), args.store.clone()),
            None => {
                let (set, store) = made(args, folder)?;
                (set, Some(store))
            }
        };
        let cannot = |error: &dyn std::fmt::Display| {
            Failure::Cannot(format!("{}: {error}", set.join("manifest.json").display()))
        };
        let text = std::fs::read(set.join("manifest.json")).map_err(|error| cannot(&error))?;
        let manifest = serde_json::from_slice(&text).map_err(|error| cannot(&error))?;
        let set = set.canonicalize().map_err(|error| cannot(&error))?;
        Ok(Self { set, store, manifest })
    }

    /// A time of the trace, as the manifest tells it.
    fn time(&self, name: &str) -> i64 {
        self.manifest["source"][name].as_i64().unwrap_or(0)
    }

    /// The sum of what the manifest says of the files of some tables.
    fn sum(&self, what: &str, is_meant: impl Fn(&str) -> bool) -> u64 {
        let files = self.manifest["files"].as_array().into_iter().flatten();
        let meant = files.filter(|file| file["table"].as_str().is_some_and(&is_meant));
        meant.filter_map(|file| file[what].as_u64()).sum()
    }
}

/// A data set of a generated trace, and the store of it.
fn made(args: &Args, folder: &Path) -> Result<(PathBuf, PathBuf), Failure> {
    let trace = generate(args.events, args.procs, folder)?;
    let (store, set) = (folder.join("store.onca"), folder.join("run.set"));
    index(&trace, &store, MEMORY)?;
    remove(&trace)?;
    let mut command = Command::new(onca()?);
    command.arg("export").arg(&store).args(["--format", "dataset", "-o"]).arg(&set);
    let status = command.stdout(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok((set, store)),
        Ok(status) => Err(Failure::Cannot(format!("export: {status}"))),
        Err(error) => Err(Failure::Cannot(format!("export: {error}"))),
    }
}

/// Measures.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let folder = args.common.folder()?;
    let subject = Subject::of(args, folder.path())?;
    let queries = queries(subject.time("begin"), subject.time("end"));
    let (onca, cluster) = (onca()?, program("onca-cluster", "ONCA_CLUSTER")?);
    let answer = folder.path().join("answer.json");
    let on_one = |title: &str, place: &Path| {
        let ask = |sql: &str| {
            let mut command = Command::new(&onca);
            command.arg("query").arg(place).args([sql, "--format", "json"]);
            ways::ask(command, &answer)
        };
        Way::of(title, &queries, args.runs, ask)
    };
    let mut all = Vec::new();
    if let Some(store) = &subject.store {
        all.push(on_one("store", store)?);
    }
    all.push(on_one("data set", &subject.set)?);
    for &executors in &args.executors {
        let running = Cluster::start(&cluster, executors, args.cores, folder.path())?;
        let ask = |sql: &str| ways::ask(running.query(&cluster, &subject.set, sql), &answer);
        let mut way = Way::of(&format!("executors: {executors}"), &queries, args.runs, ask)?;
        way.scheduler = running.scheduler_memory();
        way.executor = running.executor_memory();
        all.push(way);
    }
    all.extend(ways::duckdb(&subject.set, &queries, args.runs));
    Way::agree(&all, &queries)?;
    report(
        args.common.json,
        || print::json(&subject, &queries, &all),
        |out| print::print(&subject, &queries, &all, out),
    )
}
