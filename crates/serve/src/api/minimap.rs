//! The whole of a trace in a strip.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Path, State};
use axum::response::Response;
use onca_answer::phases::{PhaseSpec, PhasesAnswer};
use onca_views::Theme;
use onca_views::minimap::{self as view, MinimapSize, Peak, PeakOf};
use onca_views::registry::Memory;
use serde::{Deserialize, Serialize};

use super::picture::side;
use super::scene::{about, legend};
use super::{Shared, TraceId};
use crate::fault::Fault;
use crate::question::Seen;
use crate::scenes::SceneRequest;
use crate::wire::{SceneHeader, SentScene};

#[derive(Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(deny_unknown_fields)]
pub struct MinimapQuestion {
    width: f64,
    height: f64,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    theme: Theme,
    /// The communication curve too, which takes longer.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    communication: bool,
}

/// A strip has no room for more phases.
const MOST_PHASES: usize = 400;
/// Where there are more links, the curve would keep the page waiting.
const MOST_LINKS: u64 = 1 << 21;

pub async fn minimap(
    State(app): Shared,
    Path(id): TraceId,
    request: SceneRequest,
) -> Result<Response, Fault> {
    app.ask_scene(&id, request, |seen, asked: MinimapQuestion| {
        let started = Instant::now();
        let looks = seen.appearance()?;
        let size = MinimapSize {
            width: side("width", asked.width)?,
            height: side("height", asked.height)?,
            theme: asked.theme,
        };
        let phases = if asked.communication { phases(seen)? } else { None };
        let columns = &seen.trace.columns;
        let drawn = view::scene(&seen.scope, &looks, &size, columns, phases.as_deref())?;
        let about = &about(seen, legend(seen, &looks)?, Some(seen.scope.window()), started);
        let sent = SentScene { scene: &drawn.scene, view: drawn.view, notes: &[], about };
        let peaks = drawn.peaks.iter().map(|peak| ChangePeak::new(seen, peak)).collect();
        Ok(sent.encode_with(|scene| MinimapHeader { scene, peaks }))
    })
    .await
}

/// The phases that stand out, unless there are no messages or too many.
fn phases(seen: &Seen<'_>) -> Result<Option<Arc<PhasesAnswer>>, Fault> {
    if seen.trace.store.counts().links > MOST_LINKS {
        return Ok(None);
    }
    let spec = PhaseSpec::default();
    let communication = seen.communication(&seen.scope, &spec)?;
    if communication.totals.messages == 0 {
        return Ok(None);
    }
    let suggested = communication.suggestions()[0].phases;
    Ok(Some(seen.phases(&communication, &spec, suggested.min(MOST_PHASES), None)?))
}

/// What the header of a minimap says: `onca-scene/1`, and more.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MinimapHeader<'a> {
    #[serde(flatten)]
    scene: SceneHeader<'a>,
    /// The times at which most changes.
    peaks: Vec<ChangePeak>,
}

/// A time at which much changes.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Peak"))]
struct ChangePeak {
    /// In ticks after the begin of the trace.
    time: i64,
    /// What changes.
    of: PeakOf,
    /// By how much, from 0 to 1.
    change: f64,
}

impl ChangePeak {
    fn new(seen: &Seen<'_>, peak: &Peak) -> Self {
        Self { time: seen.relative(peak.time), of: peak.of, change: peak.change }
    }
}
