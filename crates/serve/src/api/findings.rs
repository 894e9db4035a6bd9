//! What costs time, for the page: it is found once for each trace, whatever is seen of it.

use std::collections::BTreeSet;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use onca_answer::wire::FindingJson;
use onca_answer::{Diagnosis, FoundFinding};
use onca_model::Window;
use onca_query::{Lens, NodeId, Scope};
use serde::Serialize;

use super::{NothingElse, Shared, TraceId};
use crate::fault::Fault;
use crate::question::TimeWindow;

/// More findings are not read by anybody.
const MOST: usize = 20;

/// A finding, and where it is in the picture.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ShownFinding {
    #[serde(flatten)]
    finding: FindingJson,
    /// The rows of those that it is about, of what is seen.
    nodes: Vec<u32>,
    /// The window that shows it, with some time around it.
    window: TimeWindow,
    /// When it is.
    span: TimeWindow,
}

pub async fn findings(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Response, Fault> {
    app.ask(&id, body, |seen, _: NothingElse| {
        let facts = &seen.scope.catalog().facts;
        let whole = Window { from: facts.start, to: facts.end };
        let all = Scope::new(seen.scope.store(), &Lens::clear(), whole)?;
        let known = Diagnosis::of(seen.scope.store())?;
        let answer = &known.findings;
        let shown = |finding: &FoundFinding, json| ShownFinding {
            finding: json,
            nodes: rows(&all, &seen.scope, finding),
            window: after_begin(answer.around(finding.window), whole),
            span: after_begin(finding.window, whole),
        };
        Ok(Json(answer.json_with(&all, MOST, shown)).into_response())
    })
    .await
}

/// The rows of a finding, as they are seen: its groups where they are rows, else its containers.
fn rows(all: &Scope<'_>, seen: &Scope<'_>, finding: &FoundFinding) -> Vec<u32> {
    let row = |container| seen.hierarchy().node_of(container);
    let group = |node: &NodeId| all.hierarchy().container(*node).and_then(row);
    let rows: Option<BTreeSet<NodeId>> = finding.groups.iter().map(group).collect();
    let rows =
        rows.unwrap_or_else(|| finding.containers.iter().filter_map(|it| row(*it)).collect());
    rows.into_iter().map(|node| node.index() as u32).collect()
}

/// A window in ticks after the begin of the trace.
fn after_begin(Window { from, to }: Window, whole: Window) -> TimeWindow {
    TimeWindow { from: from - whole.from, to: to - whole.from }
}
