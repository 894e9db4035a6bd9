//! The trade-offs of an overview, and what is disrupted in it.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use onca_aggregate::overview::{CurveLimits, StartRule, Watch};
use onca_answer::overview::{Choice, Overview, OwnArea};
use onca_answer::wire::{CurveJson, DisruptionsJson, MatrixJson};
use onca_model::Window;
use onca_query::NodeId;
use onca_views::options::{AxisName, PartitionOptions};
use serde::{Deserialize, Serialize};

use super::{Shared, TraceId};
use crate::fault::Fault;
use crate::question::TimeWindow;

#[derive(Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(deny_unknown_fields)]
pub struct OverviewQuestion {
    /// Into how many slices the window is cut.
    #[serde(default = "usual_slices")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    slices: usize,
    /// The time in no state is a value too.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    idle: bool,
    /// What is looked at: `states` by default, `events`, `bytes`, `bytes-received`, or the name of a variable.
    #[cfg_attr(feature = "typescript", ts(optional))]
    metric: Option<String>,
    /// Along which axes cells are joined.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, type = "string"))]
    axis: AxisName,
    /// How many disruptions are wanted.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    disruptions: usize,
    /// What is to stand out as an area of its own.
    #[cfg_attr(feature = "typescript", ts(optional))]
    own_area: Option<AskedArea>,
}

/// Some rows with all below them, during some time.
#[derive(Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct AskedArea {
    nodes: Vec<u32>,
    window: TimeWindow,
}

impl OverviewQuestion {
    /// The same in the words of the picture.
    fn partition(&self) -> PartitionOptions {
        let usual = PartitionOptions::default();
        PartitionOptions {
            metric: self.metric.clone().unwrap_or(usual.metric),
            idle: self.idle,
            axis: self.axis,
            ..usual
        }
    }
}

/// As many as the picture has by default.
fn usual_slices() -> usize {
    onca_views::overview::OverviewOptions::default().slices
}

/// The trade-offs of an overview: `onca-overview/1` without areas.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "OverviewAnswer"))]
pub struct TradeOffs<'a> {
    #[serde(flatten)]
    matrix: MatrixJson<'a>,
    /// Where the best partition changes.
    curve: CurveJson<'a>,
    /// What is disrupted; `null` if nobody asked.
    disruptions: Option<DisruptionsJson<'a>>,
    /// The trade-off at which what was asked for stands out most; `null` if nothing was, or if it is nowhere.
    own_area: Option<OwnAreaJson>,
}

/// A trade-off at which something stands out.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OwnAreaJson {
    /// The trade-off.
    p: f64,
    /// How alike the areas are to what was asked for; 1 is the same.
    likeness: f64,
}

pub async fn overview(
    State(app): Shared,
    Path(id): TraceId,
    body: Bytes,
) -> Result<Response, Fault> {
    app.ask(&id, body, |seen, asked: OverviewQuestion| {
        let partition = asked.partition();
        let matrix = &*seen.trace.matrices.of(&seen, asked.slices, &partition.metric())?;
        let watch = Watch { stop: Some(seen.stop), ..Watch::default() };
        let rule = StartRule::default();
        let options = partition.options();
        let (curve, disruptions, own_area) = Overview::with(matrix, &options, watch, |overview| {
            let curve = overview.curve(CurveLimits::DRAFT, rule, watch)?;
            let wanted = Some(asked.disruptions).filter(|&most| most > 0);
            let find = |most| overview.disruptions(most, Choice::Start(rule), watch);
            let stand_out = |area: &AskedArea| {
                let TimeWindow { from, to } = area.window;
                let window = Window { from: seen.absolute(from), to: seen.absolute(to) };
                let nodes: Vec<NodeId> = area.nodes.iter().copied().map(NodeId).collect();
                overview.own_area(&nodes, window, watch)
            };
            let own_area = asked.own_area.as_ref().map(stand_out).transpose()?.flatten();
            Ok((curve, wanted.map(find).transpose()?, own_area))
        })?;
        let answer = TradeOffs {
            matrix: matrix.json(),
            curve: curve.json(),
            disruptions: disruptions.as_ref().map(|found| found.json(matrix)),
            own_area: own_area.map(|OwnArea { p, likeness }| OwnAreaJson { p, likeness }),
        };
        Ok(Json(answer).into_response())
    })
    .await
}
