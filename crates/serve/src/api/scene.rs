//! Views as scenes.

use std::time::Instant;

use axum::extract::{Path, State};
use axum::response::Response;
use onca_answer::{Cut, Level, state_times};
use onca_model::{ValueId, Window, printable};
use onca_query::Appearance;
use onca_store::Measure;
use serde_json::{Map, Value};

use super::Shared;
use super::picture::{PictureQuestion, named};
use crate::fault::Fault;
use crate::question::{Seen, TimeWindow};
use crate::scenes::SceneRequest;
use crate::wire::{AboutScene, LegendLine, PlotLine, ScaleLine, SentScene, UprightLine};

pub async fn scene(
    State(app): Shared,
    Path((id, view)): Path<(String, String)>,
    request: SceneRequest,
) -> Result<Response, Fault> {
    let view = named(&view)?;
    app.ask_scene(&id, request, move |seen, fields: Map<String, Value>| {
        let started = Instant::now();
        let looks = seen.appearance()?;
        let drawn = PictureQuestion::read(view, fields)?.scene(seen, &looks)?;
        let window = view.has_time.then(|| seen.scope.window());
        let scale = drawn.scale.as_ref().map(ScaleLine::new);
        let about = about(seen, legend(seen, &looks)?, window, started);
        let part = drawn.part.map(|Window { from, to }| TimeWindow { from, to });
        let upright = drawn.upright.as_ref().map(UprightLine::new);
        let plots = drawn.plots.iter().map(PlotLine::new).collect();
        let window = part.or(about.window);
        let about = &AboutScene { scale, upright, plots, window, ..about };
        let (scene, notes) = (&drawn.scene, &drawn.notes);
        Ok(SentScene { scene, view: drawn.view, notes, about }.encode())
    })
    .await
}

/// What is said of scenes of all kinds.
pub fn about(
    seen: &Seen<'_>,
    legend: Vec<LegendLine>,
    window: Option<Window>,
    started: Instant,
) -> AboutScene {
    let ms = (started.elapsed().as_secs_f64() * 10_000.0).round() / 10.0;
    let window = window.map(|window| seen.relative_window(window));
    AboutScene { window, ms, legend, ..AboutScene::default() }
}

/// The seen states, with their shares of the time that they have together.
pub fn legend(seen: &Seen<'_>, looks: &Appearance) -> Result<Vec<LegendLine>, Fault> {
    let scope = &seen.scope;
    let cut = Cut::new(scope, &Level::Whole)?;
    let times = state_times(scope, &cut, scope.window(), Measure::Exclusive)?;
    let mut rows: Vec<(ValueId, i128)> =
        times.rows.iter().map(|row| (row.value, row.ticks)).collect();
    rows.sort_by_key(|(value, ticks)| (std::cmp::Reverse(*ticks), *value));
    let total = rows.iter().map(|(_, ticks)| ticks).sum::<i128>().max(1);
    let line = |(value, ticks): &(ValueId, i128)| LegendLine {
        name: printable(&scope.catalog().value(*value).name).into_owned(),
        color: looks.of_value(*value).color.to_string(),
        value: Some(value.0),
        share: Some(*ticks as f64 / total as f64),
    };
    Ok(rows.iter().map(line).collect())
}
