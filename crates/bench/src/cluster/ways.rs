//! The ways to an answer, and how long each takes.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use onca_program::Failure;
use serde_json::Value;

use super::Query;
use crate::measure::{median, watched};

/// The simplest question: what it takes is the start of the program.
const STARTUP: &str = "SELECT count(*) AS n FROM types";

const SCRIPT: &str = include_str!("peer.py");

/// What one run of a program gave.
pub struct Asked {
    wall: Duration,
    peak: Option<u64>,
    /// As text, in an order that is always the same.
    rows: Vec<String>,
}

/// A way to an answer.
pub struct Way {
    /// What it is called.
    pub title: String,
    /// What the simplest question takes.
    pub startup: Duration,
    /// What each query takes beyond that.
    pub times: Vec<Duration>,
    /// The most memory of the program that asks.
    pub client: Option<u64>,
    /// That of the scheduler.
    pub scheduler: Option<u64>,
    /// That of an executor.
    pub executor: Option<u64>,
    answers: Vec<Vec<String>>,
}

impl Way {
    /// Asks all queries, each some times.
    pub fn of(
        title: &str,
        queries: &[Query],
        runs: usize,
        mut ask: impl FnMut(&str) -> Result<Asked, Failure>,
    ) -> Result<Self, Failure> {
        let mut client = None;
        let mut asked = |sql: &str| -> Result<(Duration, Vec<String>), Failure> {
            let mut walls = Vec::new();
            let mut rows = Vec::new();
            for _ in 0..runs.max(1) {
                let asked = ask(sql)?;
                walls.push(asked.wall);
                client = client.max(asked.peak);
                rows = asked.rows;
            }
            Ok((median(walls), rows))
        };
        let (startup, _) = asked(STARTUP)?;
        let (mut times, mut answers) = (Vec::new(), Vec::new());
        for query in queries {
            let (wall, rows) = asked(&query.sql)?;
            times.push(wall.saturating_sub(startup));
            answers.push(rows);
        }
        let title = title.to_owned();
        Ok(Self { title, startup, times, client, scheduler: None, executor: None, answers })
    }

    /// All ways must lead to the same answers.
    pub fn agree(ways: &[Self], queries: &[Query]) -> Result<(), Failure> {
        let Some((first, others)) = ways.split_first() else { return Ok(()) };
        for other in others {
            let pairs = first.answers.iter().zip(&other.answers);
            if let Some((_, query)) = pairs.zip(queries).find(|((a, b), _)| a != b) {
                let (title, one, two) = (query.title, &first.title, &other.title);
                let why = format!("{title}: {one} and {two} give different answers");
                return Err(Failure::Cannot(why));
            }
        }
        Ok(())
    }
}

/// Runs a command that writes an answer as JSON, and watches its memory.
pub fn ask(mut command: Command, answer: &Path) -> Result<Asked, Failure> {
    let cannot = |why: String| Failure::Cannot(format!("query: {why}"));
    let out = File::create(answer).map_err(|error| cannot(error.to_string()))?;
    let (wall, peak) = watched(command.stdout(out))?;
    let text = fs::read(answer).map_err(|error| cannot(error.to_string()))?;
    let parsed: Value = serde_json::from_slice(&text).map_err(|error| cannot(error.to_string()))?;
    Ok(Asked { wall, peak, rows: sorted(&parsed["rows"]) })
}

fn sorted(rows: &Value) -> Vec<String> {
    let mut rows: Vec<String> =
        rows.as_array().into_iter().flatten().map(Value::to_string).collect();
    rows.sort();
    rows
}

/// The same by DuckDB over the same files; nothing where there is none.
pub fn duckdb(set: &Path, queries: &[Query], runs: usize) -> Option<Way> {
    let python = std::env::var_os("ONCA_BENCH_PYTHON").unwrap_or_else(|| "python3".into());
    let output = Command::new(python)
        .args(["-c", SCRIPT])
        .arg(set)
        .arg(runs.max(1).to_string())
        .args(queries.iter().map(|query| &query.sql))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let said: Value = serde_json::from_slice(&output.stdout).ok()?;
    let asked = said["queries"].as_array()?;
    let seconds = |of: &Value| Duration::try_from_secs_f64(of["seconds"].as_f64()?).ok();
    Some(Way {
        title: "DuckDB".to_owned(),
        startup: seconds(&said)?,
        times: asked.iter().map(seconds).collect::<Option<_>>()?,
        client: None,
        scheduler: None,
        executor: None,
        answers: asked.iter().map(|asked| sorted(&asked["rows"])).collect(),
    })
}
