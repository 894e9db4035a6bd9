//! Variables as steps over a light area, and as a band from minimum to maximum where steps are
//! thinner than a pixel.

use onca_answer::{TrackId, entities};
use onca_model::{Color, LaneId, Ticks, Window, cut};
use onca_query::{DerivedValue, NodeId, ReductionForm};
use onca_scene::{Bounds, CLEAR, Line, Pick, Point, Rect, Title};

use crate::{
    Result, color,
    timeline::{
        drawing::Drawing,
        grid::Grid,
        scale::{Scale, short_number},
    },
};

/// Steps are drawn one by one while a column has no more than this many.
const MOST_PER_COLUMN: usize = 2;
/// Variables with more steps are asked for summaries of columns instead of every step.
const MOST_VISITED: u64 = 1 << 20;
const AREA_OPACITY: f64 = 0.22;
const BAND_OPACITY: f64 = 0.45;

/// What is known of a variable in a column.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Summary {
    low: f64,
    high: f64,
    /// Value times ticks.
    integral: f64,
    time: f64,
}

/// A variable during the window, in as much detail as can be seen.
pub(crate) struct Graph {
    /// The steps, if they are few.
    steps: Option<Vec<(Ticks, Ticks, f64)>>,
    /// By column; `None` where there is no value.
    columns: Vec<Option<Summary>>,
    /// All values.
    pub scale: Scale,
    /// The steps that can be pointed at: of those that begin in a column, the first and the one that goes on.
    touched: Vec<TouchedStep>,
}

/// A step that can be pointed at.
struct TouchedStep {
    start: Ticks,
    end: Ticks,
    value: f64,
    column: usize,
    pick: Pick,
}

impl Graph {
    fn new(grid: &Grid) -> Self {
        Self {
            steps: Some(Vec::new()),
            columns: vec![None; grid.n],
            scale: Scale::EMPTY,
            touched: Vec::new(),
        }
    }

    fn touch(&mut self, grid: &Grid, (start, end, value): (Ticks, Ticks, f64), pick: Pick) {
        let (column, last) = grid.columns_of(start, end);
        let is_first = self.touched.last().is_none_or(|before| before.column != column);
        if is_first || last > column {
            self.touched.push(TouchedStep { start, end, value, column, pick });
        }
    }

    fn add_step(&mut self, grid: &Grid, start: Ticks, end: Ticks, value: f64) {
        if !value.is_finite() {
            return;
        }
        self.scale.widen(value);
        let most = MOST_PER_COLUMN * grid.n;
        match &mut self.steps {
            Some(steps) if steps.len() < most => steps.push((start, end, value)),
            steps => *steps = None,
        }
        let start = start.max(grid.window.from);
        let end_of = |column: i64| {
            let column = usize::try_from(column).ok().filter(|column| *column < grid.n)?;
            Some(grid.column(column).to)
        };
        cut(start, end, grid.column_at(start) as i64, end_of, |column, ticks| {
            let (column, time) = (&mut self.columns[column as usize], ticks.max(0) as f64);
            let step = Summary { low: value, high: value, integral: value * time, time };
            *column = Some(column.map_or(step, |known| known.with(&step)));
        });
    }
}

impl Summary {
    fn with(&self, other: &Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            integral: self.integral + other.integral,
            time: self.time + other.time,
        }
    }

    fn mean(&self) -> f64 {
        if self.time > 0.0 { self.integral / self.time } else { (self.low + self.high) / 2.0 }
    }
}

/// Reads the variable of some tracks. Those that are seen `together` have no steps in common, but
/// extremes and a mean.
pub(crate) fn graph_of(drawing: &Drawing<'_>, tracks: &[TrackId], together: bool) -> Result<Graph> {
    let (scope, grid) = (drawing.stage.scope, &drawing.stage.grid);
    let mut graph = Graph::new(grid);
    if together {
        graph.steps = None;
    }
    for lane in tracks.iter().flat_map(|track| entities::lanes_of(scope, *track)).copied() {
        if entities::n_rows(scope, lane) > MOST_VISITED {
            summarise(drawing, lane, &mut graph)?;
            continue;
        }
        entities::visit_steps(scope, lane, drawing.stage.instants(), |row, step| {
            graph.add_step(grid, step.start, step.end, step.value);
            // Where several variables share a graph, the pointer cannot tell which is meant.
            if !together {
                let touched = (step.start, step.end, step.value);
                graph.touch(grid, touched, Pick::entity(lane.0, row));
            }
        })?;
    }
    Ok(graph)
}

/// Adds a variable of very many steps, column by column.
fn summarise(drawing: &Drawing<'_>, lane: LaneId, graph: &mut Graph) -> Result<()> {
    graph.steps = None;
    for column in 0..drawing.stage.grid.n {
        let window = drawing.stage.grid.column(column);
        let summary = entities::variable_summary(drawing.stage.scope, lane, window)?;
        let (Some(low), Some(high)) = (summary.min, summary.max) else { continue };
        graph.scale.widen(low);
        graph.scale.widen(high);
        let time = summary.finite_time as f64;
        let here = Summary { low, high, integral: summary.integral, time };
        graph.columns[column] = Some(graph.columns[column].map_or(here, |known| known.with(&here)));
    }
    Ok(())
}

/// Makes a derived variable of a node.
pub(crate) fn graph_of_reduction(
    drawing: &Drawing<'_>,
    index: usize,
    node: NodeId,
) -> Result<Graph> {
    let mut graph = Graph::new(&drawing.stage.grid);
    let reduction = &drawing.stage.scope.reductions()[index];
    reduction.visit(
        drawing.stage.scope,
        node,
        drawing.stage.grid.window,
        |start, end, value| {
            graph.add_step(&drawing.stage.grid, start, end, value);
        },
    )?;
    Ok(graph)
}

/// How a graph is drawn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct GraphPlace {
    /// Upper and lower side, in pixels.
    pub sides: (f64, f64),
    /// Its scale.
    pub scale: Scale,
    /// Its colour.
    pub color: Color,
    /// What it stands for.
    pub pick: Pick,
    /// Other graphs are in the same place.
    pub is_shared: bool,
}

/// Where several graphs share a place, a line is pointed at by pointing this near, in pixels.
const NEAR: f64 = 4.0;

impl GraphPlace {
    /// Where a step can be pointed at.
    fn sides_of_step(&self, value: f64) -> (f64, f64) {
        let (y0, y1) = self.sides;
        if !self.is_shared || !value.is_finite() {
            return self.sides;
        }
        let y = self.scale.y(value, self.sides);
        ((y - NEAR).max(y0), (y + NEAR).min(y1))
    }
}

/// Draws a graph.
pub(crate) fn draw_graph(drawing: &mut Drawing<'_>, graph: &Graph, place: &GraphPlace) {
    let grid = drawing.stage.grid;
    drawing.steps.extend(graph.touched.iter().map(|step| {
        let (y0, y1) = place.sides_of_step(step.value);
        let bounds = Bounds::new(grid.x(step.start), y0, grid.x(step.end), y1);
        Rect { pick: step.pick, ..Rect::plain(bounds, CLEAR) }
    }));
    match &graph.steps {
        Some(steps) => {
            for run in steps.chunk_by(|a, b| a.1 == b.0) {
                let grid = drawing.stage.grid;
                let corners: Vec<Point> = run
                    .iter()
                    .flat_map(|&(start, end, value)| {
                        let y = place.scale.y(value, place.sides);
                        [Point::new(grid.x(start), y), Point::new(grid.x(end), y)]
                    })
                    .collect();
                draw_run(drawing, corners, place);
            }
        }
        None => draw_columns(drawing, graph, place),
    }
}

/// Draws a line with a light area down to zero.
fn draw_run(drawing: &mut Drawing<'_>, corners: Vec<Point>, place: &GraphPlace) {
    let (Some(first), Some(last)) = (corners.first(), corners.last()) else { return };
    let zero = place.scale.y(0.0, place.sides);
    let foot = [Point::new(last.x, zero), Point::new(first.x, zero)];
    // Areas over each other would mix their colours.
    if !place.is_shared {
        let outline = corners.iter().copied().chain(foot);
        drawing.areas.add(outline, color::faded(place.color, AREA_OPACITY)).pick = place.pick;
    }
    let from = drawing.lines.points.len();
    drawing.lines.points.extend(corners);
    drawing.lines.lines.push(Line {
        points: from..drawing.lines.points.len(),
        color: place.color,
        width: 1.0,
        dashed: false,
        title: Title::NONE,
        pick: place.pick,
    });
}

/// Draws the band between the extremes of each column, and the mean.
fn draw_columns(drawing: &mut Drawing<'_>, graph: &Graph, place: &GraphPlace) {
    let known: Vec<(usize, Summary)> = graph
        .columns
        .iter()
        .enumerate()
        .filter_map(|(column, summary)| Some((column, (*summary)?)))
        .collect();
    let grid = drawing.stage.grid;
    let steps = |run: &[(usize, Summary)], value: fn(&Summary) -> f64| -> Vec<Point> {
        run.iter()
            .flat_map(|(column, summary)| {
                let y = place.scale.y(value(summary), place.sides);
                let Window { from, to } = grid.column(*column);
                [Point::new(grid.x(from), y), Point::new(grid.x(to), y)]
            })
            .collect()
    };
    for run in known.chunk_by(|a, b| a.0 + 1 == b.0) {
        let upper = steps(run, |summary| summary.high);
        let lower = steps(run, |summary| summary.low);
        let band = color::faded(place.color, BAND_OPACITY);
        let outline = upper.into_iter().chain(lower.into_iter().rev());
        drawing.areas.add(outline, band).pick = place.pick;
        draw_run(drawing, steps(run, Summary::mean), place);
    }
}

/// Draws the steps of a derived count as states, one shade for each number, if they are few.
pub(crate) fn draw_counts(
    drawing: &mut Drawing<'_>,
    graph: &Graph,
    reduction: usize,
    place: &GraphPlace,
) -> bool {
    let Some(steps) = &graph.steps else { return false };
    let (y0, y1) = place.sides;
    for &(start, end, value) in steps {
        let number = DerivedValue { reduction, number: value as i64 };
        let fill = color::of_derived(drawing.stage.scope, number);
        let bounds = Bounds::new(drawing.stage.grid.x(start), y0, drawing.stage.grid.x(end), y1);
        drawing.behind.push(Rect { pick: place.pick, ..Rect::plain(bounds, fill) });
        drawing.states.write_into(drawing.stage, bounds, &short_number(value), fill, place.pick);
    }
    true
}

/// Is a reduction drawn as states?
pub(crate) fn is_drawn_as_states(drawing: &Drawing<'_>, index: usize) -> bool {
    drawing.stage.scope.reductions()[index].form == ReductionForm::States
}
