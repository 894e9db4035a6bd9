//! What a page begins with: the first picture of a trace, which needs no script, and everything
//! that the page would ask for first, in one answer.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use onca_answer::marks::Marks;
use onca_query::{Lens, Scope};
use onca_views::Theme;
use onca_views::timeline::{Timeline, bare_figure};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use tokio::time::timeout;

use super::info::{ViewInfo, info};
use super::picture::side;
use super::session::Session;
use super::timeline::{AskedRows, TimelineHeader, TimelineQuestion, about_timeline, sent};
use super::{NothingElse, Shared, marks, session};
use crate::app::App;
use crate::fault::Fault;
use crate::newest::{Newest, lock, size_if_known};
use crate::question::{self, Seen, TimeWindow};
use crate::wire::{AboutScene, MEDIA_TYPE};
use crate::work::aside;

/// The trace that a page opens unless its address names another.
pub const FIRST_TRACE: &str = "1";
/// A scene that takes longer is left out of the answer: the rest of the page need not wait for it.
const PATIENCE: Duration = Duration::from_millis(500);

/// How high the rows of a trace are at first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstRows {
    /// All of them are seen at once.
    Fit,
    /// Each has its natural height.
    Natural,
}

/// More rows than about a screen: the first picture shows all of them.
const ROWS_OF_A_SCREEN: usize = 40;
/// The natural height of a row on the page, in pixels.
const ROW_HEIGHT: u32 = 18;

impl FirstRows {
    /// The rows of a trace.
    pub fn of(scope: &Scope<'_>) -> Self {
        let nodes: usize = onca_answer::scope_levels(scope).map(|(_, nodes)| nodes).sum();
        if nodes > ROWS_OF_A_SCREEN { Self::Fit } else { Self::Natural }
    }

    /// What an address calls it.
    pub fn word(self) -> String {
        match self {
            Self::Fit => "fit".to_owned(),
            Self::Natural => ROW_HEIGHT.to_string(),
        }
    }

    /// What a timeline is asked for, in a plot of this height.
    fn asked(self, height: f64) -> AskedRows {
        match self {
            Self::Fit => AskedRows::Fit { fit: height.floor() },
            Self::Natural => AskedRows::Natural {
                height: f64::from(ROW_HEIGHT),
                from: 0.0,
                to: 2.0 * height.ceil(),
            },
        }
    }
}

/// A number of pixels, or `fit`.
impl Serialize for FirstRows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fit => serializer.serialize_str("fit"),
            Self::Natural => serializer.serialize_u32(ROW_HEIGHT),
        }
    }
}

/// What the front page has to know of its first trace.
#[derive(Clone, Copy, Debug)]
pub struct FirstPage {
    pub rows: FirstRows,
    /// There are marks: the ruler is higher, for their names.
    pub is_marked: bool,
}

impl FirstPage {
    /// Nothing while the trace is not ready.
    pub async fn of(app: &App) -> Option<Self> {
        let trace = app.traces.ready(FIRST_TRACE).ok()?;
        // Without a turn: whoever opens the page does not wait for others, and it is short.
        aside(move || {
            let is_marked = !marks::kept(&trace)?.is_empty();
            Ok(Self { rows: trace.first_rows()?, is_marked })
        })
        .await
        .ok()
    }
}

/// The plot of a page.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plot {
    /// In pixels.
    pub width: f64,
    pub height: f64,
    #[serde(default)]
    pub theme: Theme,
}

/// The timelines that pages began with last, by their plot and the looks. The picture and the scene
/// are the same timeline, asked for at the same time: who comes second waits for the first.
#[derive(Default)]
pub struct Firsts(Newest<Mutex<Option<Arc<First>>>>);

const MOST_FIRSTS: usize = 4;

/// A timeline that a page begins with.
pub struct First {
    drawn: Timeline,
    about: AboutScene,
    /// What the page would have asked.
    question: FirstQuestion,
    /// The same as a picture, once somebody has asked for it.
    png: OnceLock<Bytes>,
}

/// The question to `timeline` that a page begins with.
#[derive(Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct FirstQuestion {
    /// The whole trace.
    window: TimeWindow,
    lens: Lens,
    width: f64,
    rows: AskedRows,
    /// Nothing is collapsed.
    depth: Option<u32>,
    open: Vec<u32>,
    closed: Vec<u32>,
    groups: bool,
    links: FirstLinks,
    theme: Theme,
}

/// Of no selection: all links if they are few.
#[derive(Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct FirstLinks {
    of: Vec<String>,
    nodes: Vec<u32>,
    few: u32,
}

/// No more links than these are all shown.
const FEW_LINKS: u32 = 300;

impl Plot {
    /// The question that a page with this plot begins with: `question.ts` asks the same.
    fn question(self, seen: &Seen<'_>) -> Result<FirstQuestion, Fault> {
        let (width, height) = (side("width", self.width)?, side("height", self.height)?);
        let length = seen.relative(seen.scope.catalog().facts.end);
        Ok(FirstQuestion {
            window: TimeWindow { from: 0, to: length.max(1) },
            lens: Lens::clear(),
            width: width.round(),
            rows: FirstRows::of(&seen.scope).asked(height),
            depth: None,
            open: Vec::new(),
            closed: Vec::new(),
            groups: true,
            links: FirstLinks { of: Vec::new(), nodes: Vec::new(), few: FEW_LINKS },
            theme: self.theme,
        })
    }

    /// The timeline that a page with this plot begins with.
    fn first(self, seen: &Seen<'_>) -> Result<Arc<First>, Fault> {
        let looks = seen.remembered_looks()?;
        let looks = serde_json::to_string(&looks).map_err(unwritable)?;
        let firsts = &seen.trace.firsts.0;
        let remembered = firsts.entry(format!("{self:?} {looks}"));
        let mut known = lock(&remembered.content);
        if let Some(first) = &*known {
            return Ok(Arc::clone(first));
        }
        let started = Instant::now();
        let question = self.question(seen)?;
        // What is seen has its window and its lens already: those of the question.
        let text = serde_json::to_vec(&question).map_err(unwritable)?;
        let (_, fields) = question::parse(&text)?;
        let drawn = TimelineQuestion::read(fields)?.drawn(seen)?;
        let about = about_timeline(seen, &drawn, started);
        let first = Arc::new(First { drawn, about, question, png: OnceLock::new() });
        *known = Some(Arc::clone(&first));
        drop(known);
        firsts.forget_old(MOST_FIRSTS, usize::MAX, |first| size_if_known(first, |_| 0));
        Ok(first)
    }

    /// The picture of the timeline that a page with this plot begins with.
    fn png(self, seen: &Seen<'_>) -> Result<Bytes, Fault> {
        let first = self.first(seen)?;
        if let Some(png) = first.png.get() {
            return Ok(png.clone());
        }
        let size = (self.width.round(), self.height.floor());
        let figure = bare_figure(&seen.scope, &first.drawn, size, self.theme);
        let png = onca_draw::png(&figure, 1.0);
        let png = png.map_err(|error| Fault::senseless(error.to_string()))?;
        Ok(first.png.get_or_init(|| png.into()).clone())
    }
}

/// Begins to draw what a page will ask for, if it can be drawn yet.
pub fn draw_ahead(app: &Arc<App>, plot: Plot) {
    let app = Arc::clone(app);
    tokio::spawn(async move {
        let draw = move |seen: Seen<'_>, _: NothingElse| plot.png(&seen).map(drop);
        // What fails is told to whoever asks for it.
        app.ask(FIRST_TRACE, Bytes::new(), draw).await.ok();
    });
}

pub async fn picture(State(app): Shared, Query(plot): Query<Plot>) -> Result<Response, Fault> {
    let draw = move |seen: Seen<'_>, _: NothingElse| plot.png(&seen);
    let bytes = app.ask(FIRST_TRACE, Bytes::new(), draw).await?;
    Ok(([(header::CONTENT_TYPE, "image/png")], bytes).into_response())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartQuestion {
    trace: Option<String>,
    width: Option<f64>,
    height: Option<f64>,
    #[serde(default)]
    theme: Theme,
}

/// The session, the trace and its first scene. Without the size of a plot, with a trace that is not
/// ready, or when the scene takes long, it is the same without the scene, as JSON.
pub async fn start(
    State(app): Shared,
    Query(asked): Query<StartQuestion>,
) -> Result<Response, Fault> {
    let StartQuestion { trace, width, height, theme } = asked;
    let id = trace.unwrap_or_else(|| FIRST_TRACE.to_owned());
    let mut start = Start {
        schema: "onca-start/1",
        session: session::state_of(&app),
        id: id.clone(),
        trace: None,
    };
    if app.traces.ready(&id).is_err() {
        return Ok(Json(start).into_response());
    }
    let plot = width.zip(height).map(|(width, height)| Plot { width, height, theme });
    let scene = plot.map(|plot| tokio::spawn(scene_of(Arc::clone(&app), id.clone(), plot)));
    let about = |seen: Seen<'_>, _: NothingElse| {
        let trace = StartTrace { info: info(&seen)?, marks: marks::kept(seen.trace)? };
        serde_json::to_value(trace).map_err(unwritable)
    };
    start.trace = Some(app.ask(&id, Bytes::new(), about).await?);
    let scene = match scene {
        Some(scene) => timeout(PATIENCE, scene).await.ok().and_then(Result::ok),
        None => None,
    };
    let Some(Ok(first)) = scene else { return Ok(Json(start).into_response()) };
    let encode = move || {
        let First { drawn, about, question, .. } = &*first;
        Ok(sent(drawn, about).encode_with(|scene| StartHeader {
            timeline: TimelineHeader::new(scene, drawn),
            question,
            start,
        }))
    };
    let bytes = aside(encode).await?;
    Ok(([(header::CONTENT_TYPE, MEDIA_TYPE)], bytes).into_response())
}

/// Everything that a page begins with: `onca-start/1`.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "WireStart"))]
pub struct Start {
    schema: &'static str,
    session: Session,
    /// The number of the trace.
    id: String,
    /// A [`StartTrace`]; `null` while it is not ready.
    #[cfg_attr(feature = "typescript", ts(as = "Option<StartTrace<'static>>"))]
    trace: Option<Value>,
}

/// The trace that a page begins with: part of `onca-start/1`.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct StartTrace<'a> {
    info: ViewInfo<'a>,
    marks: Marks,
}

/// What the header of the first scene says: `onca-start/1` in a timeline.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StartHeader<'a> {
    #[serde(flatten)]
    timeline: TimelineHeader<'a>,
    /// What the scene answers.
    question: &'a FirstQuestion,
    /// What the page would ask for besides.
    start: Start,
}

fn unwritable(error: serde_json::Error) -> Fault {
    Fault::ours(&error.to_string())
}

async fn scene_of(app: Arc<App>, id: String, plot: Plot) -> Result<Arc<First>, Fault> {
    app.ask(&id, Bytes::new(), move |seen: Seen<'_>, _: NothingElse| plot.first(&seen)).await
}
