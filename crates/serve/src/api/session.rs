//! What the server shows, and how far it is.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures::Stream;
use futures::stream::unfold;
use serde::Serialize;

use super::Shared;
use crate::app::App;
use crate::fault::{Code, Fault};
use crate::traces::TraceJson;

/// At most one event in this time.
const STEP: Duration = Duration::from_millis(100);

/// What the server shows, and how far it is: `onca-session/1`.
#[derive(PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Session {
    schema: &'static str,
    /// The version of the program.
    version: &'static str,
    /// The number of this server: a page that sees another one talks to another program.
    instance: u32,
    /// The names of the networks that the server was started with.
    topologies: Vec<String>,
    /// Source files may be read.
    sources: bool,
    /// Other traces may be opened.
    opens: bool,
    /// The page is to report what it measures of itself.
    measured: bool,
    traces: Vec<TraceJson>,
}

pub async fn session(State(app): Shared) -> Json<Session> {
    Json(state_of(&app))
}

pub fn state_of(app: &App) -> Session {
    let topologies = app.platforms.iter().map(|known| known.platform.network.name.clone());
    Session {
        schema: "onca-session/1",
        version: env!("CARGO_PKG_VERSION"),
        instance: app.instance,
        topologies: topologies.collect(),
        sources: !app.sources.is_empty(),
        opens: app.openables.is_some(),
        measured: app.reports.is_some(),
        traces: app.traces.json(),
    }
}

pub async fn progress(
    State(app): Shared,
) -> Sse<impl Stream<Item = Result<Event, axum::Error>> + Send> {
    Sse::new(unfold(Some(Told { app, last: None }), next)).keep_alive(KeepAlive::default())
}

/// What the page measured of itself, for whoever wanted to know.
pub async fn report(State(app): Shared, body: Bytes) -> Result<StatusCode, Fault> {
    let nobody = || Fault::new(StatusCode::NOT_FOUND, Code::NotFound, "nobody asked for a report");
    let reports = app.reports.as_ref().ok_or_else(nobody)?;
    let report =
        serde_json::from_slice(&body).map_err(|error| Fault::question(error.to_string()))?;
    reports.send(report).map_err(|_| nobody())?;
    Ok(StatusCode::NO_CONTENT)
}

/// What was told last.
struct Told {
    app: Arc<App>,
    last: Option<Session>,
}

/// The next change. The last event is the one after which nothing changes.
async fn next(told: Option<Told>) -> Option<(Result<Event, axum::Error>, Option<Told>)> {
    let Told { app, last } = told?;
    loop {
        // Asked before the state is read: a trace that gets ready in between is told once more.
        let more = app.traces.is_indexing();
        let state = Some(state_of(&app));
        if state != last || !more {
            let event = Event::default().json_data(&state);
            if last.is_some() {
                tokio::time::sleep(STEP).await;
            }
            return Some((event, more.then_some(Told { app, last: state })));
        }
        tokio::time::sleep(STEP).await;
    }
}
