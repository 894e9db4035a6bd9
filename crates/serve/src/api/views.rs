//! The views that a trace can be shown in, and what each can be asked for.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use onca_views::options::OptionInfo;
use onca_views::registry::{Material, Screen, Tab, VIEWS, ViewEntry};
use serde::Serialize;

use super::{NothingElse, Shared, TraceId};
use crate::fault::Fault;

/// All views: `onca-views/1`.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ViewsAnswer {
    schema: &'static str,
    views: Vec<ViewInfo>,
}

/// A view.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct ViewInfo {
    /// Its name in requests, addresses and commands.
    name: &'static str,
    /// What people call it.
    title: &'static str,
    /// How a page shows it.
    screen: Screen,
    /// Where a page shows it.
    tab: Tab,
    /// Does time go to the right?
    has_time: bool,
    /// Why the trace does not fit; `null` where it does.
    misfit: Option<&'static str>,
    /// What it can be asked for.
    options: Vec<OptionInfo>,
}

pub async fn views(State(app): Shared, Path(id): TraceId) -> Result<Response, Fault> {
    app.ask(&id, Bytes::new(), |seen, _: NothingElse| {
        let (appearance, platform) = (seen.appearance()?, seen.platform(None)?);
        let material = Material {
            scope: &seen.scope,
            appearance: &appearance,
            platform,
            memory: &seen,
            before: None,
        };
        let are_several = seen.has_other_traces();
        let info = |view: &'static ViewEntry| ViewInfo {
            name: view.name,
            title: view.title,
            screen: view.screen,
            tab: view.tab,
            has_time: view.has_time,
            misfit: view.misfit(&material).filter(|_| !(view.compares && are_several)),
            options: view.options(),
        };
        let views = VIEWS.iter().map(info).collect();
        Ok(Json(ViewsAnswer { schema: "onca-views/1", views }).into_response())
    })
    .await
}
