//! The trade-offs of an overview, and what is disrupted in it.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use onca_aggregate::overview::{CurveLimits, StartRule, Watch};
use onca_answer::overview::{Choice, Metric, Overview, OverviewOptions};
use serde::Deserialize;
use serde_json::Value;

use super::{Shared, TraceId};
use crate::fault::Fault;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// Into how many slices the window is cut.
    #[serde(default = "usual_slices")]
    slices: usize,
    /// The time in no state is a value too.
    #[serde(default)]
    idle: bool,
    /// How many disruptions are wanted.
    #[serde(default)]
    disruptions: usize,
}

/// As many as the picture has unless told.
fn usual_slices() -> usize {
    onca_views::overview::OverviewOptions::default().slices
}

pub async fn overview(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Json<Value>, Fault> {
    app.ask(&id, body, |seen, asked: Asked| {
        let metric = Metric::States { idle: asked.idle };
        let matrix = &*seen.trace.matrices.of(&seen, asked.slices, &metric)?;
        let watch = Watch { stop: Some(seen.stop), ..Watch::default() };
        let rule = StartRule::default();
        let mut answer = matrix.to_json();
        Overview::with(matrix, &OverviewOptions::default(), watch, |overview| {
            answer["curve"] = overview.curve(CurveLimits::DRAFT, rule, watch)?.to_json();
            if asked.disruptions > 0 {
                let found = overview.disruptions(asked.disruptions, Choice::Start(rule), watch)?;
                answer["disruptions"] = found.to_json(matrix);
            } else {
                answer["disruptions"] = Value::Null;
            }
            Ok(())
        })?;
        Ok(Json(answer))
    })
    .await
}
