//! How long and how often.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use onca_answer::{Cut, Level, statistics as statistics_of};
use onca_query::NodeId;
use onca_store::Measure;
use serde::Deserialize;
use serde_json::Value;

use super::{Shared, TraceId};
use crate::fault::Fault;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    #[serde(default)]
    nodes: Option<Vec<u32>>,
}

pub async fn statistics(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Json<Value>, Fault> {
    app.ask(&id, body, |seen, asked: Asked| {
        let scope = match asked.nodes {
            None => seen.scope,
            Some(nodes) => {
                let nodes: Vec<NodeId> = nodes.into_iter().map(NodeId).collect();
                seen.scope.below(&nodes)
            }
        };
        let cut = Cut::new(&scope, &Level::Whole)?;
        let found = statistics_of(&scope, cut, Measure::Exclusive, 0)?;
        Ok(Json(found.json(&scope)))
    })
    .await
}
