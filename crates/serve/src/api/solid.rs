//! Scenes in space.

use std::time::Instant;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use onca_views::options::{LayoutName, parse};
use onca_views::solid::{self as view, Base, SolidOptions, Stage};
use serde_json::{Map, Value};

use super::picture::{side, take};
use super::scene::about;
use super::{Shared, TraceId};
use crate::fault::Fault;
use crate::wire::{AboutSolid, CableScaleHeader, LegendLine, SentSolid};

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
        let legend = drawn.legend.iter().map(LegendLine::new).collect();
        let of_solid = AboutSolid {
            bases: view::bases(platform),
            base: options.base,
            layout: layout(&options),
            ruler_title: &drawn.ruler_title,
            cable_scale: drawn.cable_scale.as_ref().map(CableScaleHeader::new),
        };
        let about = about(&seen, legend, Some(seen.scope.window()), started);
        let sent = SentSolid { solid: &drawn.solid, notes: &drawn.notes, about, of_solid };
        Ok(sent.into_response())
    })
    .await
}

/// The layout that was drawn, where the base has one.
fn layout(options: &SolidOptions) -> Option<LayoutName> {
    match options.base {
        Base::Graph => Some(options.layout.of_graph()),
        Base::Topology => Some(options.layout.of_network()),
        Base::Treemap | Base::Coords => None,
    }
}
