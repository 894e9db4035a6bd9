//! Source code.

use std::io::ErrorKind;

use axum::Json;
use axum::extract::{Path, Query, State};
use onca_model::display_text;
use serde::{Deserialize, Serialize};

use super::{Shared, TraceId};
use crate::fault::Fault;

#[derive(Deserialize)]
pub struct SourceQuestion {
    file: String,
}

/// A file of source code: `onca-source/1`.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "SourceAnswer"))]
pub struct Source {
    schema: &'static str,
    /// Where it is.
    file: String,
    lines: Vec<String>,
}

pub async fn source(
    State(app): Shared,
    Path(id): TraceId,
    Query(asked): Query<SourceQuestion>,
) -> Result<Json<Source>, Fault> {
    app.with(&id, move |app, _| {
        let unknown = || match app.sources.is_empty() {
            true => Fault::not_found("no folder of source code was named: --source-dir names one"),
            false => Fault::not_found("there is no such file below the folders of source code"),
        };
        let read = app.sources.read(&asked.file).map_err(|error| match error.kind() {
            ErrorKind::FileTooLarge => Fault::limit(error.to_string()),
            _ => error.into(),
        })?;
        let (file, bytes) = read.ok_or_else(unknown)?;
        let text = display_text(&bytes);
        let lines = text.lines().map(str::to_owned).collect();
        Ok(Json(Source { schema: "onca-source/1", file, lines }))
    })
    .await
}
