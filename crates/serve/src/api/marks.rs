//! Marks in time that the user set.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use onca_answer::marks::{FILE, Marks, SCHEMA};

use super::{Shared, TraceId};
use crate::fault::Fault;
use crate::traces::ReadyTrace;

pub async fn marks(State(app): Shared, Path(id): TraceId) -> Result<Json<Marks>, Fault> {
    app.with(&id, |_, trace| kept(trace).map(Json)).await
}

/// The marks of a trace.
pub fn kept(trace: &ReadyTrace) -> Result<Marks, Fault> {
    Ok(trace.kept.get(FILE)?.map(|text| Marks::of_text(&text)).unwrap_or_default())
}

pub async fn keep(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Json<Marks>, Fault> {
    let marks: Marks =
        serde_json::from_slice(&body).map_err(|error| Fault::question(error.to_string()))?;
    if marks.schema != SCHEMA {
        return Err(Fault::question(format!("{:?} is not {SCHEMA}", marks.schema)));
    }
    app.with(&id, move |_, trace| {
        let cannot = |why: String| Fault::ours(&format!("the marks cannot be kept: {why}"));
        let text = serde_json::to_string_pretty(&marks).map_err(|why| cannot(why.to_string()))?;
        let kept = trace.kept.put(FILE, &(text + "\n"));
        kept.map_err(|why| cannot(why.to_string()))?;
        Ok(Json(marks))
    })
    .await
}
