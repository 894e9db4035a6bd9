//! Two runs compared, for the page.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use onca_answer::compare::{CompareSpec, ComparedFinding};
use onca_answer::wire::ComparedFindingJson;
use onca_model::Window;
use onca_query::NodeId;
use onca_views::compare::PairingOptions;
use onca_views::registry::Memory;
use serde::Serialize;

use super::{Shared, TraceId};
use crate::fault::Fault;
use crate::question::TimeWindow;

/// More findings are not read by anybody.
const MOST: usize = 20;

/// A finding, and where it is in the picture.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ShownChange {
    #[serde(flatten)]
    finding: ComparedFindingJson,
    /// The rows of those that it is about, in the second run; none where only the first has it.
    nodes: Vec<u32>,
    /// What of the axis of both runs shows it, in ticks of the comparison.
    part: TimeWindow,
}

pub async fn compare(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Response, Fault> {
    app.ask(&id, body, |seen, pairing: PairingOptions| {
        let Some(before) = &seen.before else {
            return Err(Fault::question("before: the trace to compare with is missing"));
        };
        let spec = CompareSpec { align: pairing.align.clone(), level: pairing.level.level() };
        let comparison = seen.comparison(&before.scope, &seen.scope, &spec)?;
        let shown = |finding: &ComparedFinding, json| {
            let Window { from, to } = comparison.around_on_axis(finding);
            let nodes = if finding.is_gone() { &[] } else { finding.groups.as_slice() };
            ShownChange {
                finding: json,
                nodes: nodes.iter().map(|node: &NodeId| node.index() as u32).collect(),
                part: TimeWindow { from, to },
            }
        };
        Ok(Json(comparison.json_with(&before.scope, &seen.scope, MOST, shown)).into_response())
    })
    .await
}
