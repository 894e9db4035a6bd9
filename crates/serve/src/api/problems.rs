//! What is wrong with a trace.

use axum::Json;
use axum::extract::{Path, State};
use onca_model::{Diagnostic, printable};
use serde_json::{Value, json};

use super::{Shared, TraceId};
use crate::fault::Fault;
use crate::traces::ReadyTrace;

pub async fn problems(State(app): Shared, Path(id): TraceId) -> Result<Json<Value>, Fault> {
    app.with(&id, |_, trace| Ok(Json(json(trace)))).await
}

fn json(trace: &ReadyTrace) -> Value {
    let problems = &trace.store.catalog().diagnostics;
    let counts = problems.iter().filter_map(|(_, tally)| {
        let first = tally.samples.iter().min_by_key(|problem| problem.position)?;
        let mut json = sample(first, trace);
        json["count"] = json!(tally.count);
        Some(json)
    });
    let samples = problems.samples().into_iter().map(|problem| sample(problem, trace));
    json!({
        "schema": "onca-problems/1",
        "counts": counts.collect::<Vec<_>>(),
        "samples": samples.collect::<Vec<_>>(),
    })
}

fn sample(problem: &Diagnostic, trace: &ReadyTrace) -> Value {
    let position = problem.position;
    let file = trace.files.get(position.part as usize);
    json!({
        "file": file.map(|file| printable(file.as_os_str().as_encoded_bytes()).into_owned()),
        "line": position.line,
        "column": position.column,
        "offset": position.offset,
        "severity": problem.severity.name(),
        "code": problem.code.name(),
        "message": problem.message,
        "hint": problem.hint,
    })
}
