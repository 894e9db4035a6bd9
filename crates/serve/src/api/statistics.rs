//! How long and how often, value by value and path by path.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use onca_answer::{
    ContainerSpec, Cut, Level, ProfileSpec, containers as containers_of, profile as profile_of,
    statistics as statistics_of, summary as summary_of,
};
use onca_model::ValueId;
use onca_query::{NodeId, Scope};
use onca_store::Measure;
use serde::Deserialize;

use super::{NothingElse, Shared, TraceId};
use crate::fault::Fault;

#[derive(Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(deny_unknown_fields)]
pub struct StatisticsQuestion {
    #[serde(default)]
    nodes: Option<Vec<u32>>,
}

pub async fn statistics(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Response, Fault> {
    app.ask(&id, body, |seen, asked: StatisticsQuestion| {
        let scope = below(seen.scope, asked.nodes);
        let cut = Cut::new(&scope, &Level::Whole)?;
        let found = statistics_of(&scope, cut, Measure::Exclusive, 0)?;
        Ok(Json(found.json(&scope)).into_response())
    })
    .await
}

#[derive(Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(deny_unknown_fields)]
pub struct ProfileQuestion {
    #[serde(default)]
    nodes: Option<Vec<u32>>,
    /// Paths with a smaller share of all time are left out.
    #[serde(default = "usual_min_share")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    min_share: f64,
}

/// A table of paths that are shorter is longer than anybody reads.
fn usual_min_share() -> f64 {
    0.001
}

pub async fn profile(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Response, Fault> {
    app.ask(&id, body, |seen, asked: ProfileQuestion| {
        if !(0.0..=1.0).contains(&asked.min_share) {
            return Err(Fault::question("min_share: a share is from 0 to 1"));
        }
        let scope = below(seen.scope, asked.nodes);
        let spec = ProfileSpec {
            min_share: asked.min_share,
            ..ProfileSpec::new(Cut::new(&scope, &Level::Whole)?)
        };
        Ok(Json(profile_of(&scope, spec)?.json(&scope)).into_response())
    })
    .await
}

pub async fn summary(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Response, Fault> {
    app.ask(&id, body, |seen, _: NothingElse| {
        Ok(Json(summary_of(&seen.scope)?.json(&seen.scope)).into_response())
    })
    .await
}

#[derive(Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(deny_unknown_fields)]
pub struct ContainersQuestion {
    /// The nodes of this kind, each with all below it; by default every container for itself.
    #[serde(default)]
    level: Option<String>,
    #[serde(default)]
    nodes: Option<Vec<u32>>,
    /// The number of a value.
    #[serde(default)]
    value: Option<u32>,
    #[serde(default = "usual_slices")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    slices: usize,
    #[serde(default = "usual_limit")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    limit: usize,
}

const MOST_SLICES: usize = 200;
const MOST_ROWS: usize = 20_000;

/// As many as a small drawing in a table can show.
fn usual_slices() -> usize {
    24
}

fn usual_limit() -> usize {
    4000
}

pub async fn containers(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Response, Fault> {
    app.ask(&id, body, |seen, asked: ContainersQuestion| {
        if !(1..=MOST_SLICES).contains(&asked.slices) {
            return Err(Fault::question(format!("slices: from 1 to {MOST_SLICES}")));
        }
        if !(1..=MOST_ROWS).contains(&asked.limit) {
            return Err(Fault::question(format!("limit: from 1 to {MOST_ROWS}")));
        }
        let spec = ContainerSpec {
            level: asked.level.map_or(Level::Own, Level::Kind),
            nodes: asked.nodes.map(|nodes| nodes.into_iter().map(NodeId).collect()),
            value: asked.value.map(ValueId),
            n_slices: asked.slices,
            most_rows: asked.limit,
        };
        let found = containers_of(&seen.scope, &spec)?;
        Ok(Json(found.json(&seen.scope)).into_response())
    })
    .await
}

/// Some rows and all below them; everything by default.
fn below(scope: Scope<'_>, nodes: Option<Vec<u32>>) -> Scope<'_> {
    match nodes {
        None => scope,
        Some(nodes) => scope.below(&nodes.into_iter().map(NodeId).collect::<Vec<_>>()),
    }
}
