//! The requests of `docs/http-api.md`, one module a group.

mod command;
mod compare;
mod export;
mod find;
mod findings;
pub mod first;
mod info;
mod inspect;
mod lens;
mod marks;
mod minimap;
mod open;
mod overview;
mod phases;
mod picture;
mod problems;
mod scene;
mod session;
mod share;
mod solid;
mod source;
mod sql;
mod statistics;
mod timeline;
mod views;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::{delete, get, post, put};
use serde::Deserialize;

use crate::app::App;

type Shared = State<Arc<App>>;
/// The number of a trace in the path.
type TraceId = Path<String>;

/// A question with nothing but a window and a lens.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct NothingElse {}

/// All requests.
pub fn router() -> Router<Arc<App>> {
    let of_trace = Router::new()
        .route("/info", get(info::of_everything).post(info::through_lens))
        .route("/timeline", post(timeline::timeline))
        .route("/minimap", post(minimap::minimap))
        .route("/inspect", post(inspect::inspect))
        .route("/step", post(inspect::step))
        .route("/scene/{view}", post(scene::scene))
        .route("/views", get(views::views))
        .route("/solid", post(solid::solid))
        .route("/overview", post(overview::overview))
        .route("/phases", post(phases::phases))
        .route("/flow", post(phases::flow))
        .route("/find", post(find::find))
        .route("/line", post(find::line))
        .route("/statistics", post(statistics::statistics))
        .route("/profile", post(statistics::profile))
        .route("/containers", post(statistics::containers))
        .route("/summary", post(statistics::summary))
        .route("/findings", post(findings::findings))
        .route("/compare", post(compare::compare))
        .route("/problems", get(problems::problems))
        .route("/lens", post(lens::check))
        .route("/lens/{hash}", get(lens::recall).put(lens::keep))
        .route("/appearance", put(lens::remember_appearance))
        .route("/marks", get(marks::marks).put(marks::keep))
        .route("/sql", get(sql::tables).post(sql::query))
        .route("/export", post(export::export))
        .route("/command", post(export::command))
        .route("/share", get(share::share))
        .route("/source", get(source::source));
    Router::new()
        .route("/api/session", get(session::session))
        .route("/api/progress", get(session::progress))
        .route("/api/report", post(session::report))
        .route("/api/places", get(open::places))
        .route("/api/folder", get(open::folder))
        .route("/api/open", post(open::open))
        .route("/api/drops/{drop}", delete(open::remove))
        .route("/api/start", get(first::start))
        .route("/first.png", get(first::picture))
        .nest("/api/traces/{id}", of_trace)
}

/// Requests whose bodies are files.
pub fn drops() -> Router<Arc<App>> {
    Router::new().route("/api/drops/{drop}/{file}", put(open::take))
}

/// Shows a visitor the types of questions and answers that the page uses.
#[cfg(feature = "typescript")]
pub fn visit_types(all: &mut impl ts_rs::TypeVisitor) {
    use onca_answer::wire::{
        CompareJson, ContainersJson, FindingsJson, FoundJson, InspectionJson, LensJson,
        ProfileJson, StatisticsJson, SummaryJson,
    };

    all.visit::<crate::fault::ErrorJson<'static>>();
    all.visit::<session::Session>();
    all.visit::<first::StartHeader<'static>>();
    all.visit::<info::ViewInfo<'static>>();
    all.visit::<timeline::TimelineHeader<'static>>();
    all.visit::<minimap::MinimapQuestion>();
    all.visit::<minimap::MinimapHeader<'static>>();
    all.visit::<crate::wire::SceneHeader<'static>>();
    all.visit::<crate::wire::SolidHeader<'static>>();
    all.visit::<views::ViewsAnswer>();
    all.visit::<inspect::InspectQuestion>();
    all.visit::<InspectionJson<'static>>();
    all.visit::<inspect::StepQuestion>();
    all.visit::<inspect::Neighbour>();
    all.visit::<find::FindQuestion>();
    all.visit::<find::LineQuestion>();
    all.visit::<FoundJson<'static, find::ShownHit<'static>>>();
    all.visit::<overview::OverviewQuestion>();
    all.visit::<overview::TradeOffs<'static>>();
    all.visit::<phases::FlowPlace>();
    all.visit::<phases::ShownPhases<'static>>();
    all.visit::<phases::FlowJson<'static>>();
    all.visit::<statistics::StatisticsQuestion>();
    all.visit::<StatisticsJson<'static>>();
    all.visit::<statistics::ProfileQuestion>();
    all.visit::<ProfileJson<'static>>();
    all.visit::<statistics::ContainersQuestion>();
    all.visit::<ContainersJson<'static>>();
    all.visit::<SummaryJson<'static>>();
    all.visit::<FindingsJson<'static, findings::ShownFinding>>();
    all.visit::<CompareJson<'static, compare::ShownChange>>();
    all.visit::<problems::Problems>();
    all.visit::<LensJson<'static>>();
    all.visit::<onca_answer::marks::Marks>();
    all.visit::<sql::Tables>();
    all.visit::<export::CommandAnswer>();
    all.visit::<share::ShareJson>();
    all.visit::<source::Source>();
    all.visit::<open::Places>();
    all.visit::<open::Folder>();
    all.visit::<open::OpenQuestion>();
    all.visit::<open::OpenedTrace>();
}
