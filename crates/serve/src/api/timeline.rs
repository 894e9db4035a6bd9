//! The space-time diagram.

use std::time::Instant;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::Response;
use onca_answer::{Level, Subject};
use onca_query::{NodeId, Scope};
use onca_scene::Pick;
use onca_views::LegendEntry;
use onca_views::timeline::{
    self as view, GraphScale, Links, Room, Surface, Timeline, TimelineOptions, TimelineRow,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::inspect::subject;
use super::picture::{ThemeName, side};
use super::scene::header;
use super::{Shared, TraceId};
use crate::fault::Fault;
use crate::question::Seen;
use crate::scenes::SceneRequest;
use crate::wire::SentScene;

/// What a timeline is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimelineQuestion {
    pub width: f64,
    rows: AskedRows,
    depth: Option<usize>,
    #[serde(default)]
    open: Vec<u32>,
    #[serde(default)]
    closed: Vec<u32>,
    #[serde(default)]
    groups: bool,
    #[serde(default)]
    links: AskedLinks,
    #[serde(default = "yes")]
    events: bool,
    #[serde(default = "yes")]
    variables: bool,
    #[serde(default)]
    pub theme: ThemeName,
}

fn yes() -> bool {
    true
}

/// How rows get their height.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum AskedRows {
    /// All rows in so many pixels.
    Fit { fit: f64 },
    /// Rows of so many pixels, of which some are seen.
    Natural { height: f64, from: f64, to: f64 },
}

#[derive(Default, Deserialize)]
#[serde(untagged)]
enum AskedLinks {
    #[default]
    Unasked,
    Word(LinksWord),
    Of {
        #[serde(default)]
        of: Vec<String>,
        #[serde(default)]
        nodes: Vec<u32>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum LinksWord {
    None,
    All,
}

/// The heights of rows that can be asked for, and how far down pixels are counted.
const ROW_HEIGHTS: std::ops::RangeInclusive<f64> = 1.0..=200.0;
const DEEPEST: f64 = 1e9;
/// A picture has at most so many pixels from top to bottom.
const MOST_SEEN: f64 = 20_000.0;

impl TimelineQuestion {
    /// What the view is asked for.
    fn options(&self, scope: &Scope<'_>) -> Result<TimelineOptions, Fault> {
        let hierarchy = scope.hierarchy();
        let deepest = hierarchy.max_depth();
        let nodes = |numbers: &[u32]| -> Vec<NodeId> {
            let known = numbers.iter().filter(|number| (**number as usize) < hierarchy.len());
            known.copied().map(NodeId).collect()
        };
        let usual = TimelineOptions::default();
        let row_height = match self.rows {
            AskedRows::Fit { .. } => usual.row_height,
            AskedRows::Natural { height, .. } if ROW_HEIGHTS.contains(&height) => height,
            AskedRows::Natural { .. } => {
                return Err(Fault::question("rows.height: from 1 to 200 pixels"));
            }
        };
        Ok(TimelineOptions {
            collapse: self.depth.map_or(Level::Own, |depth| Level::Depth(depth.min(deepest))),
            open: nodes(&self.open),
            closed: nodes(&self.closed),
            groups: self.groups,
            links: self.links()?,
            events: self.events,
            variables: self.variables,
            row_height,
            ..usual
        })
    }

    /// What a file of it is asked for. A command can draw all links or none, not those of a
    /// selection, and files are what commands draw.
    pub fn file_options(&self, scope: &Scope<'_>) -> Result<TimelineOptions, Fault> {
        let options = self.options(scope)?;
        Ok(match options.links {
            Links::Of { .. } => TimelineOptions { links: Links::None, ..options },
            _ => options,
        })
    }

    fn links(&self) -> Result<Links, Fault> {
        Ok(match &self.links {
            AskedLinks::Unasked | AskedLinks::Word(LinksWord::All) => Links::All,
            AskedLinks::Word(LinksWord::None) => Links::None,
            AskedLinks::Of { of, nodes } => {
                let mut entities = Vec::new();
                let mut nodes: Vec<NodeId> = nodes.iter().copied().map(NodeId).collect();
                let mut pairs = Vec::new();
                for pick in of {
                    if let Some(pair) = pair(pick) {
                        pairs.push(pair);
                        continue;
                    }
                    match subject(pick)? {
                        Subject::Entity(lane, row) => entities.push((lane, row)),
                        Subject::Node(node) | Subject::Share(node, _) => nodes.push(node),
                        Subject::Value(_) => {}
                    }
                }
                Links::Of { entities, nodes, pairs }
            }
        })
    }

    /// The answer.
    pub fn drawn(&self, seen: &Seen<'_>) -> Result<Timeline, Fault> {
        let looks = seen.appearance()?;
        let (surface, options) = (self.surface()?, self.options(&seen.scope)?);
        Ok(view::scene(&seen.scope, &looks, &surface, &options, &seen.trace.columns)?)
    }

    fn surface(&self) -> Result<Surface, Fault> {
        let room = match self.rows {
            AskedRows::Fit { fit } => Room::Exactly(side("rows.fit", fit)?),
            AskedRows::Natural { from, to, .. } => {
                let fine = 0.0 <= from && from < to && to <= DEEPEST && to - from <= MOST_SEEN;
                if !fine {
                    return Err(Fault::question("rows: from must be below to, by 20000 at most"));
                }
                Room::Natural { from, to }
            }
        };
        let (width, theme) = (side("width", self.width)?, self.theme.theme());
        Ok(Surface { width, room, theme, titles: true })
    }
}

pub async fn timeline(
    State(app): Shared,
    Path(id): TraceId,
    request: SceneRequest,
) -> Result<Response, Fault> {
    app.ask_scene(&id, request, |seen, asked: TimelineQuestion| {
        let started = Instant::now();
        let drawn = asked.drawn(seen)?;
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

/// The two nodes of a pick that is a pair.
fn pair(pick: &str) -> Option<(NodeId, NodeId)> {
    match Pick::from_bits(pick.parse().ok()?)? {
        Pick::Pair { from, to } => Some((NodeId(from), NodeId(to))),
        _ => None,
    }
}
