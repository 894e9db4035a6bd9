//! Marks in time that the user set.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};

use super::{Shared, TraceId};
use crate::fault::Fault;
use crate::traces::ReadyTrace;

const FILE: &str = "marks.json";
const SCHEMA: &str = "onca-marks/1";

/// The marks of a trace: `onca-marks/1`.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "MarksAnswer"))]
#[serde(deny_unknown_fields)]
pub struct Marks {
    #[serde(default = "schema")]
    schema: String,
    marks: Vec<Mark>,
}

impl Marks {
    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }
}

fn schema() -> String {
    SCHEMA.to_owned()
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "KeptMark"))]
#[serde(deny_unknown_fields)]
struct Mark {
    /// Ticks after the begin of the trace.
    time: i64,
    #[serde(default)]
    name: String,
    #[serde(default)]
    note: String,
    #[serde(default)]
    color: Option<String>,
}

pub async fn marks(State(app): Shared, Path(id): TraceId) -> Result<Json<Marks>, Fault> {
    app.with(&id, |_, trace| kept(trace).map(Json)).await
}

/// The marks of a trace.
pub fn kept(trace: &ReadyTrace) -> Result<Marks, Fault> {
    let text = trace.kept.get(FILE)?;
    // A file that somebody has spoilt holds no marks.
    let marks = text.and_then(|text| serde_json::from_str(&text).ok());
    Ok(marks.unwrap_or_else(|| Marks { schema: schema(), marks: Vec::new() }))
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
