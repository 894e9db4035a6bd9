//! The space-time diagram.

use std::time::Instant;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::Response;
use onca_scene::Pick;
use onca_views::LegendEntry;
use onca_views::options::parse;
use onca_views::timeline::{
    self as view, GraphScale, Room, Surface, Timeline, TimelineOptions, TimelineRow,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::picture::{side, take, take_needed};
use super::scene::header;
use super::{Shared, TraceId};
use crate::fault::Fault;
use crate::question::Seen;
use crate::scenes::SceneRequest;
use crate::wire::SentScene;

/// What a timeline is asked for.
pub struct TimelineQuestion {
    surface: Surface,
    options: TimelineOptions,
}

/// How rows get their height.
#[derive(Clone, Copy, Deserialize)]
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
        fields.entry("row_height").or_insert_with(|| json!(height));
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
        Ok(encoded(&drawn, timeline_header(seen, &drawn, started)))
    })
    .await
}

/// What the header of a timeline says.
pub fn timeline_header(seen: &Seen<'_>, drawn: &Timeline, started: Instant) -> Map<String, Value> {
    let legend = drawn.legend.iter().map(entry).collect();
    let mut header = header(seen, legend, Some(seen.scope.window()), started);
    header.insert("rows".to_owned(), drawn.rows.iter().map(row).collect());
    header.insert("scales".to_owned(), drawn.scales.iter().map(scale).collect());
    header.insert("n_rows".to_owned(), json!(drawn.n_rows));
    header.insert("height".to_owned(), json!(drawn.height));
    header
}

/// A timeline as it goes over the wire.
pub fn encoded(drawn: &Timeline, more: Map<String, Value>) -> Bytes {
    SentScene { scene: &drawn.scene, view: drawn.view, notes: &drawn.notes, more }.encode()
}

pub fn entry(entry: &LegendEntry) -> Value {
    let value = match entry.pick {
        Pick::Value(value) => Some(value),
        _ => None,
    };
    json!({
        "name": entry.name,
        "color": entry.color.to_string(),
        "value": value,
        "share": entry.share,
    })
}

fn row(row: &TimelineRow) -> Value {
    json!({
        "nodes": row.nodes.iter().map(|node| node.0).collect::<Vec<_>>(),
        "name": row.name,
        "kind": row.kind,
        "depth": row.depth,
        "y0": row.y0,
        "y1": row.y1,
        "state": row.state.name(),
        "below": row.below,
        "path": row.path,
    })
}

fn scale(scale: &GraphScale) -> Value {
    let mark = |(y, text): &(f64, String)| json!({"y": y, "text": text});
    json!({
        "name": scale.name,
        "y0": scale.y0,
        "y1": scale.y1,
        "marks": scale.marks.iter().map(mark).collect::<Vec<_>>(),
    })
}
