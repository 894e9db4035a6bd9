//! The whole of a trace in a strip.

use std::time::Instant;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use onca_views::minimap::{self as view, MinimapSize};
use serde::Deserialize;

use super::picture::{ThemeName, side};
use super::scene::{header, legend};
use super::{Shared, TraceId};
use crate::fault::Fault;
use crate::wire::SentScene;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    width: f64,
    height: f64,
    #[serde(default)]
    theme: ThemeName,
}

pub async fn minimap(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Response, Fault> {
    app.ask(&id, body, |seen, asked: Asked| {
        let started = Instant::now();
        let looks = seen.appearance()?;
        let size = MinimapSize {
            width: side("width", asked.width)?,
            height: side("height", asked.height)?,
            theme: asked.theme.theme(),
        };
        let drawn = view::scene(&seen.scope, &looks, &size, &seen.trace.columns)?;
        let legend = legend(&seen, &looks)?;
        let more = header(&seen, legend, Some(seen.scope.window()), started);
        Ok(SentScene { scene: &drawn.scene, view: drawn.view, notes: &[], more }.into_response())
    })
    .await
}
