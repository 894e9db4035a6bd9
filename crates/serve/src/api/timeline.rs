//! The space-time diagram.

use std::time::Instant;

use axum::extract::{Path, State};
use axum::response::Response;
use onca_views::options::parse;
use onca_views::timeline::{
    self as view, GraphScale, Room, RowState, Surface, Timeline, TimelineOptions, TimelineRow,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::picture::{side, take, take_needed};
use super::scene::about;
use super::{Shared, TraceId};
use crate::fault::Fault;
use crate::question::Seen;
use crate::scenes::SceneRequest;
use crate::wire::{AboutScene, LegendLine, SceneHeader, SentScene};

/// What a timeline is asked for.
pub struct TimelineQuestion {
    surface: Surface,
    options: TimelineOptions,
}

/// How rows get their height.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "RowsAsked"))]
#[serde(untagged)]
pub enum AskedRows {
    /// All rows in this many pixels.
    Fit { fit: f64 },
    /// Rows of this height, of which some are seen.
    Natural { height: f64, from: f64, to: f64 },
}

/// How far down pixels are counted.
const DEEPEST: f64 = 1e9;
/// A picture has at most this many pixels from top to bottom.
const MOST_SEEN: f64 = 20_000.0;

impl TimelineQuestion {
    /// Reads the fields of a question: those of the surface, and the options of the view.
    pub fn read(mut fields: Map<String, Value>) -> Result<Self, Fault> {
        let width = side("width", take_needed(&mut fields, "width")?)?;
        let theme = take(&mut fields, "theme")?.unwrap_or_default();
        let Some(rows) = rows_as_options(&mut fields)? else {
            return Err(Fault::question("rows: it is missing"));
        };
        let room = match rows {
            AskedRows::Fit { fit } => Room::Exactly(side("rows.fit", fit)?),
            AskedRows::Natural { from, to, .. } => {
                let fine = 0.0 <= from && from < to && to <= DEEPEST && to - from <= MOST_SEEN;
                if !fine {
                    return Err(Fault::question("rows: from must be below to, by 20000 at most"));
                }
                Room::Natural { from, to }
            }
        };
        let surface = Surface { width, room, theme, titles: true };
        let options = parse("timeline", fields).map_err(Fault::question)?;
        Ok(Self { surface, options })
    }

    /// The answer.
    pub fn drawn(&self, seen: &Seen<'_>) -> Result<Timeline, Fault> {
        let looks = seen.appearance()?;
        let columns = &seen.trace.columns;
        Ok(view::scene(&seen.scope, &looks, &self.surface, &self.options, columns)?)
    }
}

/// Takes the rows out of a question. A height that rows are asked to have becomes an option.
pub fn rows_as_options(fields: &mut Map<String, Value>) -> Result<Option<AskedRows>, Fault> {
    let rows = take(fields, "rows")?;
    if let Some(AskedRows::Natural { height, .. }) = rows {
        fields.entry("row_height").or_insert_with(|| height.into());
    }
    Ok(rows)
}

pub async fn timeline(
    State(app): Shared,
    Path(id): TraceId,
    request: SceneRequest,
) -> Result<Response, Fault> {
    app.ask_scene(&id, request, |seen, fields: Map<String, Value>| {
        let started = Instant::now();
        let drawn = TimelineQuestion::read(fields)?.drawn(seen)?;
        let about = about_timeline(seen, &drawn, started);
        Ok(sent(&drawn, &about).encode_with(|scene| TimelineHeader::new(scene, &drawn)))
    })
    .await
}

/// What is said of a timeline, as of scenes of all kinds.
pub fn about_timeline(seen: &Seen<'_>, drawn: &Timeline, started: Instant) -> AboutScene {
    let legend = drawn.legend.iter().map(LegendLine::new).collect();
    about(seen, legend, Some(seen.scope.window()), started)
}

/// A timeline as it goes over the wire.
pub fn sent<'a>(drawn: &'a Timeline, about: &'a AboutScene) -> SentScene<'a> {
    SentScene { scene: &drawn.scene, view: drawn.view, notes: &drawn.notes, about }
}

/// What the header of a timeline says: `onca-scene/1`, and more.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimelineHeader<'a> {
    #[serde(flatten)]
    scene: SceneHeader<'a>,
    /// The rows that were drawn, after the open groups above them.
    rows: Vec<RowHeader<'a>>,
    /// The numbers beside graphs of variables.
    scales: Vec<ScaleHeader<'a>>,
    /// How many rows there are, drawn or not.
    n_rows: usize,
    /// How high they are together, in pixels.
    height: f64,
}

impl<'a> TimelineHeader<'a> {
    pub fn new(scene: SceneHeader<'a>, drawn: &'a Timeline) -> Self {
        Self {
            scene,
            rows: drawn.rows.iter().map(RowHeader::new).collect(),
            scales: drawn.scales.iter().map(ScaleHeader::new).collect(),
            n_rows: drawn.n_rows,
            height: drawn.height,
        }
    }
}

/// A row of a timeline.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "TimelineRow"))]
struct RowHeader<'a> {
    /// The numbers of the nodes that it shows; several where they share it.
    nodes: Vec<u32>,
    /// What is written beside it.
    name: &'a str,
    /// The kind of its first node.
    kind: &'a str,
    /// How far its first node is from the root.
    depth: usize,
    /// Upper side, in pixels.
    y0: f64,
    /// Lower side, in pixels.
    y1: f64,
    /// What it is in the tree.
    state: RowState,
    /// How many containers lie below its nodes.
    below: u64,
    /// The path of its first node.
    path: &'a str,
}

impl<'a> RowHeader<'a> {
    fn new(row: &'a TimelineRow) -> Self {
        Self {
            nodes: row.nodes.iter().map(|node| node.0).collect(),
            name: &row.name,
            kind: &row.kind,
            depth: row.depth,
            y0: row.y0,
            y1: row.y1,
            state: row.state,
            below: row.below,
            path: &row.path,
        }
    }
}

/// The numbers beside a graph, in the pixels of rows.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "GraphScale"))]
struct ScaleHeader<'a> {
    /// What the graph shows.
    name: &'a str,
    /// Its upper side.
    y0: f64,
    /// Its lower side.
    y1: f64,
    marks: Vec<ScaleMark<'a>>,
}

/// A number beside a graph.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct ScaleMark<'a> {
    /// Its middle.
    y: f64,
    text: &'a str,
}

impl<'a> ScaleHeader<'a> {
    fn new(scale: &'a GraphScale) -> Self {
        let marks = scale.marks.iter().map(|(y, text)| ScaleMark { y: *y, text });
        Self { name: &scale.name, y0: scale.y0, y1: scale.y1, marks: marks.collect() }
    }
}
