//! Rows to marks.

use std::{collections::BTreeMap, ops::Range};

use onca_answer::bundles::{LinkOwners, WantedLinks, has_few_links};
use onca_answer::columns::{ColumnCache, ColumnRow, formed};
use onca_answer::{Diagnosis, TrackId, entities};
use onca_model::{TypeId, format::count_of, printable};
use onca_query::{Appearance, Scope};
use onca_scene::{Bounds, Pick, Rect, Scene, StripRoom, StripSize, Strips};
use rayon::prelude::*;

use crate::{
    Result, color,
    theme::ThemeColors,
    timeline::{
        Links, TimelineOptions,
        choice::SingleBands,
        content::{Band, Content, Row, Sharing},
        critical_path::draw_path,
        drawing::Drawing,
        events::draw_events,
        fit::Fitted,
        grid::Grid,
        links::{choose_links, draw_links},
        locks::draw_locks,
        painted_columns::{PaintedColumns, PaintedRow, Painting, RowOfColumns},
        plan::Planner,
        scale::{GraphScale, Scale},
        stage::Stage,
        state_marks::{StateMarks, StripPlace},
        states::{draw_track, inner},
        variables::{
            Graph, GraphPlace, draw_counts, draw_graph, graph_of, graph_of_reduction,
            is_drawn_as_states,
        },
        waits::draw_waits,
    },
};

/// How a diagram looks.
pub(crate) struct Look<'a> {
    /// The colours of types and values.
    pub appearance: &'a Appearance,
    /// The colours of everything else.
    pub colors: &'static ThemeColors,
    /// Columns that were computed before.
    pub cache: &'a ColumnCache,
}

/// What was painted.
pub(crate) struct Painted {
    /// The marks.
    pub scene: Scene,
    /// The scales of graphs.
    pub scales: Vec<GraphScale>,
    /// What was summed up or left out.
    pub notes: Vec<String>,
}

/// The opacity of the ground of a row.
const GROUND: f64 = 0.09;

/// Paints rows, with at most this many arrows.
pub(crate) fn paint(
    planner: &Planner<'_, '_>,
    look: Look<'_>,
    grid: Grid,
    fitted: &Fitted,
    most_arrows: usize,
    titles: bool,
) -> Result<Painted> {
    let Look { appearance, colors, cache } = look;
    let stage = Stage::new(planner.scope(), appearance, colors, grid)?;
    let mut drawing = Drawing::new(&stage);
    let mut notes = Vec::new();
    let rows = fitted.painted();
    rows.iter().for_each(|row| paint_ground(&mut drawing, row));
    let wanted = wanted_links(planner.scope(), &planner.options().links)?;
    let choose = |wanted: &WantedLinks| choose_links(&stage, fitted, wanted, most_arrows);
    // Neither needs the other; whichever core is free helps with what is left.
    let (states, links) = rayon::join(
        || paint_states(&stage, planner, rows, cache),
        || wanted.as_ref().map(choose).transpose(),
    );
    let (states, without_depths) = states?;
    drawing.states = states;
    if without_depths > 0 {
        let rows = count_of(without_depths, "row");
        notes.push(format!("the innermost states of {rows}: too many to leave depths out"));
    }
    let without_locks = draw_locks(&mut drawing, rows)?;
    if without_locks > 0 {
        let rows = count_of(without_locks, "row");
        notes.push(format!("locks not shown in {rows}: too many states"));
    }
    let scales = paint_graphs(&mut drawing, fitted, planner.options().overlay)?;
    let hidden_events = paint_events(&mut drawing, rows)?;
    if hidden_events > 0 {
        notes.push(format!("{} not shown: rows are too thin", count_of(hidden_events, "event")));
    }
    if let Some(chosen) = links? {
        notes.extend(chosen.report.note());
        draw_links(&mut drawing, chosen);
    }
    notes.extend(paint_causes(&mut drawing, planner.options(), fitted)?);
    Ok(Painted { scene: drawing.finish(titles), scales, notes })
}

/// Paints who waits, and what the run time is made of.
fn paint_causes(
    drawing: &mut Drawing<'_>,
    options: &TimelineOptions,
    fitted: &Fitted,
) -> Result<Option<String>> {
    if !options.waits && !options.critical_path {
        return Ok(None);
    }
    let known = Diagnosis::of(drawing.stage.scope.store())?;
    if options.critical_path {
        draw_path(drawing, fitted, known.path_in(drawing.stage.grid.window));
    }
    let too_low = if options.waits { draw_waits(drawing, fitted, &known) } else { 0 };
    let rows = count_of(too_low, "row");
    Ok((too_low > 0).then(|| format!("waits not shown in {rows}: too low")))
}

/// Which links are wanted, if any.
fn wanted_links(scope: &Scope<'_>, links: &Links) -> Result<Option<WantedLinks>> {
    Ok(match links {
        Links::None => None,
        Links::All => Some(WantedLinks::All),
        Links::Of { few, .. } if has_few_links(scope, *few)? => Some(WantedLinks::All),
        Links::Of { entities, nodes, pairs, .. } => {
            Some(WantedLinks::Of(LinkOwners::new(scope, entities, nodes, pairs)?))
        }
    })
}

/// A light ground during the life of the containers of a row.
fn paint_ground(drawing: &mut Drawing<'_>, row: &Row) {
    let containers = &drawing.stage.scope.catalog().containers;
    let (y0, y1) = inner(row.span().0, row.span().1);
    let fill = color::faded(drawing.stage.colors.axis, GROUND);
    let lives: Vec<(f64, f64)> = match row.sharing {
        Sharing::Own => {
            let ids = row
                .nodes
                .iter()
                .filter_map(|node| drawing.stage.scope.hierarchy().container(*node));
            let life = |id: onca_model::ContainerId| {
                (containers.starts[id.index()], containers.ends[id.index()])
            };
            ids.map(life)
                .map(|(start, end)| (drawing.stage.grid.x(start), drawing.stage.grid.x(end)))
                .collect()
        }
        _ => vec![(0.0, drawing.stage.grid.span())],
    };
    let pick = pick_of(row);
    for (x0, x1) in lives.into_iter().filter(|(x0, x1)| x0 < x1) {
        drawing.behind.push(Rect { pick, ..Rect::plain(Bounds::new(x0, y0, x1, y1), fill) });
    }
}

fn pick_of(row: &Row) -> Pick {
    Pick::Node(row.nodes[0].0)
}

/// A band of states, and how it is drawn.
struct StateBand {
    place: StripPlace,
    tracks: Vec<TrackId>,
    form: StateForm,
    /// It has deeper states than are wanted.
    is_cut: bool,
}

/// How a band of states is drawn.
enum StateForm {
    /// State by state, nested so deep.
    Single(usize),
    /// As columns, which this many tracks would fill.
    Summed(usize),
}

/// Paints states, and counts the rows in which depths cannot be left out. Rows do not depend on each other: they are painted at once.
fn paint_states(
    stage: &Stage<'_>,
    planner: &Planner<'_, '_>,
    rows: &[Row],
    cache: &ColumnCache,
) -> Result<(StateMarks, u64)> {
    let bands = state_bands(stage, planner, rows)?;
    let mut marks = StateMarks::of_strips(paint_summed(stage, &bands, cache)?);
    marks.append(paint_single(stage, &bands)?);
    let is_too_deep = |band: &&StateBand| matches!(band.form, StateForm::Summed(..)) && band.is_cut;
    Ok((marks, bands.iter().filter(is_too_deep).count() as u64))
}

/// Paints bands that are drawn as columns.
fn paint_summed(stage: &Stage<'_>, bands: &[StateBand], cache: &ColumnCache) -> Result<Strips> {
    let (mut places, mut wanted, mut painted) = (Vec::new(), Vec::new(), Vec::new());
    for band in bands {
        if let StateForm::Summed(n_tracks) = band.form {
            places.push(band.place);
            wanted.push(ColumnRow::Tracks(band.tracks.clone()));
            painted.push(PaintedRow { n_tracks, height: band.place.height() });
        }
    }
    let painting = Painting::new(stage, painted);
    let columns = formed(stage.scope, &wanted, stage.grid.columns()?, cache, &painting)?;
    let size = |row| {
        let mut size = StripSize::default();
        columns.visit_row(row, |_, painted: &PaintedColumns, places| {
            let more = painted.size_of(places);
            size.columns += more.columns;
            size.parts += more.parts;
        });
        size
    };
    let sizes: Vec<StripSize> = (0..places.len()).into_par_iter().map(size).collect();
    let fill = |(row, room): (usize, &mut StripRoom<'_>)| {
        let mut drawn = RowOfColumns::new(&stage.grid, room, places[row]);
        columns.visit_row(row, |number, painted, places| drawn.add(number, painted, places));
        drawn.end();
    };
    Ok(Strips::in_rooms(&sizes, |rooms| rooms.par_iter_mut().enumerate().for_each(fill)))
}

/// Paints bands that are drawn state by state, in runs of neighbours.
fn paint_single(stage: &Stage<'_>, bands: &[StateBand]) -> Result<Vec<StateMarks>> {
    let single: Vec<(&StateBand, usize)> = bands
        .iter()
        .filter_map(|band| match band.form {
            StateForm::Single(n_depths) => Some((band, n_depths)),
            StateForm::Summed(_) => None,
        })
        .collect();
    let per_run = single.len().div_ceil(4 * rayon::current_num_threads()).max(1);
    let run = |run: &[(&StateBand, usize)]| {
        let mut marks = StateMarks::default();
        for (band, n_depths) in run {
            let StripPlace { y0, y1, pick, .. } = band.place;
            for track in &band.tracks {
                draw_track(stage, &mut marks, *track, (y0, y1), *n_depths, pick)?;
            }
        }
        Ok(marks)
    };
    single.par_chunks(per_run).map(run).collect()
}

fn state_bands(
    stage: &Stage<'_>,
    planner: &Planner<'_, '_>,
    rows: &[Row],
) -> Result<Vec<StateBand>> {
    let are_single = SingleBands::choose(stage, bands(rows).map(|(_, band)| &band.content))?;
    let mut found = Vec::new();
    for (number, (row, band)) in bands(rows).enumerate() {
        let (tracks, form) = match &band.content {
            Content::States { tracks, n_depths, .. } if are_single.contains(number) => {
                (tracks.clone(), StateForm::Single(*n_depths))
            }
            Content::States { tracks, .. } => (tracks.clone(), StateForm::Summed(1)),
            Content::Summary { tracks, .. } => (tracks.clone(), StateForm::Summed(tracks.len())),
            Content::Below { type_id, node } => {
                let tracks = planner.tracks_below(*node, *type_id);
                let n_tracks = tracks.len();
                (tracks, StateForm::Summed(n_tracks))
            }
            _ => continue,
        };
        let (y0, y1) = inner(band.y0, band.y1);
        let place = StripPlace { depth: 0, y0, y1, pick: pick_of(row) };
        let n_lanes = |track: &TrackId| entities::lanes_of(stage.scope, *track).len();
        let is_cut = match &band.content {
            Content::States { n_depths, .. } => {
                tracks.iter().any(|track| n_lanes(track) > *n_depths)
            }
            _ => false,
        };
        found.push(StateBand { place, tracks, form, is_cut });
    }
    Ok(found)
}

fn bands(rows: &[Row]) -> impl Iterator<Item = (&Row, &Band)> {
    rows.iter().flat_map(|row| row.bands.iter().map(move |band| (row, band)))
}

/// Paints variables and reductions. Variables of a type have one scale, so that they can be
/// compared, those in rows that are not painted too; so have the painted nodes of a reduction.
fn paint_graphs(
    drawing: &mut Drawing<'_>,
    fitted: &Fitted,
    overlay: bool,
) -> Result<Vec<GraphScale>> {
    let mut graphs: Vec<(&Row, &Band, GraphKind, Graph)> = Vec::new();
    let mut scales: BTreeMap<Option<GraphKind>, Scale> = BTreeMap::new();
    // Variables that lie over each other have one scale.
    let scale_of = |kind: GraphKind| {
        let is_shared = overlay && matches!(kind, GraphKind::Variable(_));
        (!is_shared).then_some(kind)
    };
    for (row, band) in bands(fitted.painted()) {
        let (kind, graph) = match &band.content {
            Content::Variable { type_id, tracks, together } => {
                (GraphKind::Variable(*type_id), graph_of(drawing, tracks, *together)?)
            }
            Content::Reduction { index, node } => {
                (GraphKind::Reduction(*index), graph_of_reduction(drawing, *index, *node)?)
            }
            _ => continue,
        };
        let scale = scales.entry(scale_of(kind)).or_insert(Scale::EMPTY);
        scale.widen(graph.scale.low);
        scale.widen(graph.scale.high);
        graphs.push((row, band, kind, graph));
    }
    let Range { start, end } = fitted.painted;
    for (_, band) in bands(&fitted.rows[..start]).chain(bands(&fitted.rows[end..])) {
        if let Content::Variable { type_id, tracks, .. } = &band.content
            && let Some(scale) = scales.get_mut(&scale_of(GraphKind::Variable(*type_id)))
        {
            widen_for(drawing, tracks, scale)?;
        }
    }
    let mut shown: Vec<GraphScale> = Vec::new();
    for (row, band, kind, graph) in graphs {
        let sides = inner(band.y0, band.y1);
        let (color, as_states) = match kind {
            GraphKind::Variable(type_id) => (drawing.stage.appearance.of_type(type_id).color, None),
            GraphKind::Reduction(index) => {
                let as_states = is_drawn_as_states(drawing, index).then_some(index);
                (drawing.stage.colors.accent, as_states)
            }
        };
        let color = color::legible(color, drawing.stage.colors.background);
        let scale = scales[&scale_of(kind)].rounded_out();
        let is_shared = scale_of(kind).is_none();
        let place = GraphPlace { sides, scale, color, pick: pick_of(row), is_shared };
        if let Some(index) = as_states
            && draw_counts(drawing, &graph, index, &place)
        {
            continue;
        }
        draw_graph(drawing, &graph, &place);
        if band.over
            && let Some(below) = shown.last_mut()
        {
            below.name += &format!(", {}", kind.name(drawing.stage.scope));
            continue;
        }
        let (name, marks) = (kind.name(drawing.stage.scope), scale.marks(sides));
        shown.push(GraphScale { name, y0: sides.0, y1: sides.1, marks });
    }
    Ok(shown)
}

/// Makes room for the values of variables that are not painted.
fn widen_for(drawing: &Drawing<'_>, tracks: &[TrackId], scale: &mut Scale) -> Result<()> {
    let scope = drawing.stage.scope;
    for lane in tracks.iter().flat_map(|track| entities::lanes_of(scope, *track)) {
        let summary = entities::variable_summary(scope, *lane, drawing.stage.instants())?;
        summary.min.into_iter().chain(summary.max).for_each(|value| scale.widen(value));
    }
    Ok(())
}

/// Graphs of one kind have one scale.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum GraphKind {
    Variable(TypeId),
    Reduction(usize),
}

impl GraphKind {
    fn name(self, scope: &Scope<'_>) -> String {
        match self {
            Self::Variable(type_id) => {
                printable(&scope.catalog().type_def(type_id).name).into_owned()
            }
            Self::Reduction(index) => scope.reductions()[index].name.clone(),
        }
    }
}

/// Paints events and returns how many found no room.
fn paint_events(drawing: &mut Drawing<'_>, rows: &[Row]) -> Result<u64> {
    let mut hidden = 0;
    for (row, band) in bands(rows) {
        if let Content::Events { tracks } = &band.content {
            hidden += draw_events(drawing, tracks, (band.y0, band.y1), pick_of(row))?;
        }
    }
    Ok(hidden)
}
