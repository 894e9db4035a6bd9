//! What a mark stands for, and what is beside it.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use onca_answer::inspect::Kind;
use onca_answer::{Along, Step, Subject, inspect as inspect_in, inspect_row, step_along};
use onca_model::Nature;
use onca_query::NodeId;
use onca_scene::Pick;
use onca_views::{pick_of, subject_of};
use serde::{Deserialize, Serialize};

use super::{Shared, TraceId};
use crate::fault::Fault;

/// Reads a pick, which is a number too large for scripts and so a text.
pub fn subject(pick: &str) -> Result<Subject, Fault> {
    let bits = pick.parse().map_err(|_| Fault::question(format!("{pick:?} is no pick")))?;
    let pick = Pick::from_bits(bits).and_then(subject_of);
    pick.ok_or_else(|| Fault::senseless("nothing can be said about this pick"))
}

fn pick_text(subject: Subject) -> String {
    pick_of(subject).to_bits().to_string()
}

#[derive(Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(deny_unknown_fields)]
pub struct InspectQuestion {
    pick: String,
    /// A time, and the ticks of a column of pixels there.
    at: Option<i64>,
    span: Option<i64>,
    /// All nodes of the row there, if it stands for several.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    nodes: Vec<u32>,
    /// The network over which a message goes, by its name; the first one by default.
    topology: Option<String>,
}

pub async fn inspect(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Response, Fault> {
    app.ask(&id, body, |seen, asked: InspectQuestion| {
        let column = asked.at.zip(asked.span).map(|(at, span)| (seen.absolute(at), span));
        let subject = subject(&asked.pick)?;
        let (scope, looks) = (&seen.scope, seen.appearance()?);
        let mut found = match (subject, column) {
            (Subject::Node(_), Some(column)) if !asked.nodes.is_empty() => {
                let nodes: Vec<NodeId> = asked.nodes.into_iter().map(NodeId).collect();
                inspect_row(scope, &looks, &nodes, column)
            }
            _ => inspect_in(scope, &looks, subject, column),
        }?;
        let is_link = found.kind == Kind::Entity(Nature::Link);
        if is_link && let Some(platform) = seen.platform(asked.topology.as_deref())? {
            found.add_route(scope, platform, subject)?;
        }
        Ok(Json(found.json(pick_text)).into_response())
    })
    .await
}

#[derive(Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(deny_unknown_fields)]
pub struct StepQuestion {
    /// Nothing for the first or last step of the critical path.
    pick: Option<String>,
    #[cfg_attr(feature = "typescript", ts(type = "-1 | 1"))]
    step: i8,
    /// What is stepped along.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    along: StepAlong,
}

/// What is stepped along: the row, cause and effect, the critical path, or all of the same value by length.
#[derive(Deserialize, Clone, Copy, Default)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum StepAlong {
    #[default]
    Row,
    Cause,
    Path,
    Length,
}

impl From<StepAlong> for Along {
    fn from(along: StepAlong) -> Self {
        match along {
            StepAlong::Row => Self::Row,
            StepAlong::Cause => Self::Cause,
            StepAlong::Path => Self::Path,
            StepAlong::Length => Self::Length,
        }
    }
}

/// The entity before or after another.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Neighbour {
    /// `null` if there is none.
    pick: Option<String>,
}

pub async fn step(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Json<Neighbour>, Fault> {
    app.ask(&id, body, |seen, asked: StepQuestion| {
        let way = match asked.step {
            -1 => Step::Back,
            1 => Step::Forward,
            _ => return Err(Fault::question("step: -1 or 1")),
        };
        let from = asked.pick.as_deref().map(subject).transpose()?;
        let found = step_along(&seen.scope, from, asked.along.into(), way)?;
        Ok(Json(Neighbour { pick: found.map(pick_text) }))
    })
    .await
}
