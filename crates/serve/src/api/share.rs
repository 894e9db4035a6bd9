//! How somebody else sees the same.

use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;

use super::{Shared, TraceId, command};
use crate::fault::Fault;

/// What an address for others is made of: `onca-share/1`.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ShareAnswer"))]
pub struct ShareJson {
    schema: &'static str,
    /// What lets in whoever has it.
    token: String,
    /// The command that shows the trace again.
    command: String,
}

pub async fn share(State(app): Shared, Path(id): TraceId) -> Result<Json<ShareJson>, Fault> {
    let trace = app.traces.ready(&id)?;
    let path = trace.path.to_string_lossy().into_owned();
    let command = command::line(&["onca".to_owned(), "view".to_owned(), path]);
    Ok(Json(ShareJson { schema: "onca-share/1", token: app.token.clone(), command }))
}
