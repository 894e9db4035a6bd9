//! What is wrong with a trace.

use axum::Json;
use axum::extract::{Path, State};
use onca_model::{Diagnostic, printable};
use serde::Serialize;

use super::{Shared, TraceId};
use crate::fault::Fault;
use crate::traces::ReadyTrace;

/// What is wrong with a trace: `onca-problems/1`.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ProblemsAnswer"))]
pub struct Problems {
    schema: &'static str,
    /// The first problem of each code.
    counts: Vec<CountedProblem>,
    /// Some problems of each code, in the order of the files.
    samples: Vec<Problem>,
}

/// The first problem of a code.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ProblemCount"))]
struct CountedProblem {
    #[serde(flatten)]
    first: Problem,
    /// How many of them there are.
    count: u64,
}

#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct Problem {
    /// `null` if it is of no file.
    file: Option<String>,
    /// From 1; 0 when it has none.
    line: u64,
    /// In bytes from 1; 0 when it has none.
    column: u32,
    /// Where there are no lines: the place in bytes.
    offset: Option<u64>,
    /// `note`, `warning`, `error` or `fatal`.
    #[cfg_attr(feature = "typescript", ts(as = "onca_answer::wire::words::Severity"))]
    severity: &'static str,
    code: &'static str,
    /// What is wrong.
    message: String,
    /// What would help.
    hint: Option<String>,
}

pub async fn problems(State(app): Shared, Path(id): TraceId) -> Result<Json<Problems>, Fault> {
    app.with(&id, |_, trace| Ok(Json(Problems::of(trace)))).await
}

impl Problems {
    fn of(trace: &ReadyTrace) -> Self {
        let problems = &trace.store.catalog().diagnostics;
        let counts = problems.iter().filter_map(|(_, tally)| {
            let first = tally.samples.iter().min_by_key(|problem| problem.position)?;
            Some(CountedProblem { first: Problem::new(first, trace), count: tally.count })
        });
        let samples = problems.samples().into_iter().map(|problem| Problem::new(problem, trace));
        Self { schema: "onca-problems/1", counts: counts.collect(), samples: samples.collect() }
    }
}

impl Problem {
    fn new(problem: &Diagnostic, trace: &ReadyTrace) -> Self {
        let position = problem.position;
        let file = trace.files.get(position.part as usize);
        Self {
            file: file.map(|file| printable(file.as_os_str().as_encoded_bytes()).into_owned()),
            line: position.line,
            column: position.column,
            offset: position.offset,
            severity: problem.severity.name(),
            code: problem.code.name(),
            message: problem.message.clone(),
            hint: problem.hint.clone(),
        }
    }
}
