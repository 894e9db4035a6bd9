//! Rows to marks.

use std::collections::BTreeMap;

use onca_answer::columns::{ColumnCache, ColumnRow, columns};
use onca_model::{TypeId, format::count_of};
use onca_query::{Appearance, Scope};
use onca_scene::{Bounds, Pick, Rect, Scene};
use onca_store::TrackId;

use crate::{
    Result, color,
    theme::ThemeColors,
    timeline::{
        drawing::{Drawing, StripPlace},
        events::draw_events,
        grid::Grid,
        links::draw_links,
        plan::{Band, Content, Row, Sharing},
        states::{are_few, draw_row, draw_track, inner},
        variables::{
            Graph, GraphPlace, Scale, draw_counts, draw_graph, graph_of, graph_of_reduction,
            is_drawn_as_states,
        },
    },
};

/// How a diagram looks.
pub(crate) struct Look<'a> {
    /// The colours of types and values.
    pub appearance: &'a Appearance,
    /// The colours of everything else.
    pub colors: &'static ThemeColors,
    /// The place of each value in a column.
    pub ranks: Vec<u32>,
    /// Columns that were computed before.
    pub cache: &'a ColumnCache,
}

/// What was painted.
pub(crate) struct Painted {
    /// The marks.
    pub scene: Scene,
    /// The sides and scales of graphs.
    pub scales: Vec<((f64, f64), Scale)>,
    /// What was summed up or left out.
    pub notes: Vec<String>,
}

/// The opacity of the ground of a row.
const GROUND: f64 = 0.09;

/// Paints rows.
pub(crate) fn paint(
    scope: &Scope<'_>,
    look: Look<'_>,
    grid: Grid,
    rows: &[Row],
    most_arrows: Option<usize>,
    titles: bool,
) -> Result<Painted> {
    let Look { appearance, colors, ranks, cache } = look;
    let mut drawing = Drawing::new(scope, appearance, colors, grid, ranks);
    let mut notes = Vec::new();
    rows.iter().for_each(|row| paint_ground(&mut drawing, row));
    paint_states(&mut drawing, rows, cache)?;
    let scales = paint_graphs(&mut drawing, rows)?;
    let hidden_events = paint_events(&mut drawing, rows)?;
    if hidden_events > 0 {
        notes.push(format!("{} not shown: rows are too thin", count_of(hidden_events, "event")));
    }
    if let Some(most) = most_arrows {
        notes.extend(draw_links(&mut drawing, rows, most)?.note());
    }
    Ok(Painted { scene: drawing.finish(titles), scales, notes })
}

/// A light ground during the life of the containers of a row.
fn paint_ground(drawing: &mut Drawing<'_, '_>, row: &Row) {
    let containers = &drawing.scope.catalog().containers;
    let (y0, y1) = inner(row.span().0, row.span().1);
    let fill = color::faded(drawing.colors.axis, GROUND);
    let lives: Vec<(f64, f64)> = match row.sharing {
        Sharing::Own => {
            let ids =
                row.nodes.iter().filter_map(|node| drawing.scope.hierarchy().container(*node));
            let life = |id: onca_model::ContainerId| {
                (containers.starts[id.index()], containers.ends[id.index()])
            };
            ids.map(life).map(|(start, end)| (drawing.grid.x(start), drawing.grid.x(end))).collect()
        }
        _ => vec![(0.0, drawing.grid.span())],
    };
    let pick = pick_of(row);
    for (x0, x1) in lives.into_iter().filter(|(x0, x1)| x0 < x1) {
        drawing.behind.push(Rect { pick, ..Rect::plain(Bounds::new(x0, y0, x1, y1), fill) });
    }
}

fn pick_of(row: &Row) -> Pick {
    Pick::Node(row.nodes[0].0)
}

/// A band whose columns are summed up.
struct Summed<'a> {
    tracks: &'a [TrackId],
    place: StripPlace,
    /// How many tracks can be in a state at the same time.
    n_tracks: usize,
}

fn paint_states(drawing: &mut Drawing<'_, '_>, rows: &[Row], cache: &ColumnCache) -> Result<()> {
    let mut summed: Vec<Summed<'_>> = Vec::new();
    for (row, band) in bands(rows) {
        let (y0, y1) = inner(band.y0, band.y1);
        let pick = pick_of(row);
        let place = StripPlace { depth: 0, y0, y1, pick };
        match &band.content {
            Content::States { tracks, n_depths, .. } if are_few(drawing, tracks)? => {
                for &track in tracks {
                    draw_track(drawing, track, (y0, y1), *n_depths, pick)?;
                }
            }
            Content::States { tracks, .. } => summed.push(Summed { tracks, place, n_tracks: 1 }),
            Content::Summary { tracks, .. } => {
                summed.push(Summed { tracks, place, n_tracks: tracks.len() });
            }
            _ => {}
        }
    }
    let wanted: Vec<ColumnRow> =
        summed.iter().map(|band| ColumnRow::Tracks(band.tracks.to_vec())).collect();
    let columns = columns(drawing.scope, &wanted, drawing.grid.columns()?, cache)?;
    for (row, band) in summed.iter().enumerate() {
        draw_row(drawing, band.place, &columns, row, band.n_tracks);
    }
    Ok(())
}

fn bands(rows: &[Row]) -> impl Iterator<Item = (&Row, &Band)> {
    rows.iter().flat_map(|row| row.bands.iter().map(move |band| (row, band)))
}

/// Paints variables and reductions. Variables of a type have one scale, so that they can be
/// compared; so have the nodes of a reduction.
fn paint_graphs(drawing: &mut Drawing<'_, '_>, rows: &[Row]) -> Result<Vec<((f64, f64), Scale)>> {
    let mut graphs: Vec<(&Row, &Band, GraphKind, Graph)> = Vec::new();
    let mut scales: BTreeMap<GraphKind, Scale> = BTreeMap::new();
    for (row, band) in bands(rows) {
        let (kind, graph) = match &band.content {
            Content::Variable { type_id, tracks, together } => {
                (GraphKind::Variable(*type_id), graph_of(drawing, tracks, *together)?)
            }
            Content::Reduction { index, node } => {
                (GraphKind::Reduction(*index), graph_of_reduction(drawing, *index, *node)?)
            }
            _ => continue,
        };
        let scale = scales.entry(kind).or_insert(Scale::EMPTY);
        scale.widen(graph.scale.low);
        scale.widen(graph.scale.high);
        graphs.push((row, band, kind, graph));
    }
    let mut shown = Vec::new();
    for (row, band, kind, graph) in graphs {
        let sides = inner(band.y0, band.y1);
        let (color, as_states) = match kind {
            GraphKind::Variable(type_id) => (drawing.appearance.of_type(type_id).color, false),
            GraphKind::Reduction(index) => {
                (drawing.colors.accent, is_drawn_as_states(drawing, index))
            }
        };
        let color = color::legible(color, drawing.colors.background);
        let scale = scales[&kind].rounded_out();
        let place = GraphPlace { sides, scale, color, pick: pick_of(row) };
        if as_states && draw_counts(drawing, &graph, &place) {
            continue;
        }
        draw_graph(drawing, &graph, &place);
        shown.push((sides, scale));
    }
    Ok(shown)
}

/// Graphs of one kind have one scale.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum GraphKind {
    Variable(TypeId),
    Reduction(usize),
}

/// Paints events and returns how many found no room.
fn paint_events(drawing: &mut Drawing<'_, '_>, rows: &[Row]) -> Result<u64> {
    let mut hidden = 0;
    for (row, band) in bands(rows) {
        if let Content::Events { tracks } = &band.content {
            hidden += draw_events(drawing, tracks, (band.y0, band.y1), pick_of(row))?;
        }
    }
    Ok(hidden)
}
