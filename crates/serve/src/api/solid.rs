//! Scenes in space.

use std::time::Instant;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use onca_views::options::parse;
use onca_views::solid::{self as view, Base, CableScale, SolidOptions, Stage};
use serde_json::{Map, Value, json};

use super::picture::{side, take};
use super::scene::header;
use super::timeline::entry;
use super::{Shared, TraceId};
use crate::fault::Fault;
use crate::wire::SentSolid;

/// How many pixels the time axis has where the question does not say.
const USUAL_HEIGHT: f64 = 600.0;

pub async fn solid(State(app): Shared, Path(id): TraceId, body: Bytes) -> Result<Response, Fault> {
    app.ask(&id, body, |seen, mut fields: Map<String, Value>| {
        let started = Instant::now();
        let looks = seen.appearance()?;
        let height = take(&mut fields, "height")?.unwrap_or(USUAL_HEIGHT);
        let theme = take(&mut fields, "theme")?.unwrap_or_default();
        let stage = Stage { height: side("height", height)?, theme };
        let topology: Option<String> = take(&mut fields, "topology")?;
        let options: SolidOptions = parse("scene3d", fields).map_err(Fault::question)?;
        let platform = seen.platform(topology.as_deref())?;
        let columns = &seen.trace.columns;
        let drawn = view::scene(&seen.scope, &looks, platform, stage, &options, columns)?;
        let legend = drawn.legend.iter().map(entry).collect();
        let mut more = header(&seen, legend, Some(seen.scope.window()), started);
        let mut put = |name: &str, value: Value| more.insert(name.to_owned(), value);
        let bases = view::bases(platform).into_iter().map(|base| json!(base.name()));
        put("bases", bases.collect());
        put("base", json!(options.base.name()));
        put("layout", layout(&options));
        put("ruler_title", json!(drawn.ruler_title));
        put("cable_scale", json!(drawn.cable_scale.as_ref().map(cable_scale)));
        let sent = SentSolid { solid: &drawn.solid, notes: &drawn.notes, more };
        Ok(sent.into_response())
    })
    .await
}

/// The layout that was drawn, where the base has one.
fn layout(options: &SolidOptions) -> Value {
    let has_one = matches!(options.base, Base::Graph | Base::Topology);
    json!(has_one.then(|| options.layout.method().name()))
}

fn cable_scale(scale: &CableScale) -> Value {
    let stop = |(color, text): &(onca_model::Color, String)| json!({"color": color.to_string(), "text": text});
    let stops: Vec<Value> = scale.stops.iter().map(stop).collect();
    json!({"title": scale.title, "stops": stops})
}
