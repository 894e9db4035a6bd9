//! Events as small shapes below the row line, and as columns of shares where they are dense.

use std::collections::BTreeMap;

use onca_answer::TrackId;
use onca_answer::entities::{self, event_counts};
use onca_model::{EventRow, LaneId, ValueId, printable};
use onca_query::Shape as Look;
use onca_scene::{Glyph, Pick, Point, Shape, Title};

use crate::{
    Result, color,
    timeline::{
        drawing::Drawing,
        state_marks::{Filling, StripPlace},
    },
};

/// Events keep this distance on average, in pixels, or become columns.
const APART: u64 = 4;
/// The height of a shape, in pixels.
const SIZE: f64 = 7.0;
/// Below this height a band shows no events.
const LEAST_HEIGHT: f64 = 3.0;
/// More events than this are counted from cumulative sums, column by column.
const MOST_VISITED: u64 = 1 << 19;
/// Texts for the pointer are left out beyond this.
const MOST_TITLES: usize = 2000;

/// Draws the events of some tracks and returns how many found no room.
pub(crate) fn draw_events(
    drawing: &mut Drawing<'_>,
    tracks: &[TrackId],
    (y0, y1): (f64, f64),
    pick: Pick,
) -> Result<u64> {
    let lanes: Vec<LaneId> = tracks
        .iter()
        .flat_map(|track| entities::lanes_of(drawing.stage.scope, *track))
        .copied()
        .collect();
    let (scope, window) = (drawing.stage.scope, drawing.stage.instants());
    let n: u64 = event_counts(scope, &lanes, window)?.into_values().sum();
    if y1 - y0 < LEAST_HEIGHT {
        return Ok(n);
    }
    if n <= drawing.stage.grid.n as u64 / APART {
        for lane in lanes {
            draw_shapes(drawing, lane, (y0, y1))?;
        }
    } else {
        draw_dense(drawing, &lanes, n, StripPlace { depth: 0, y0, y1: y1 - 1.0, pick })?;
    }
    Ok(0)
}

fn draw_shapes(drawing: &mut Drawing<'_>, lane: LaneId, (y0, y1): (f64, f64)) -> Result<()> {
    let mut events: Vec<(u64, EventRow)> = Vec::new();
    let scope = drawing.stage.scope;
    entities::visit_events(scope, lane, drawing.stage.instants(), |row, event| {
        events.push((row, *event));
    })?;
    let size = SIZE.min(y1 - y0);
    for (row, event) in events {
        let style = drawing.stage.appearance.of_value(event.value);
        let shape = shape_of(style.shape);
        // The tip of a triangle is on the row line; other shapes hang below it.
        let y = if shape == Shape::Triangle { y0 } else { y0 + size / 2.0 };
        let at = Point::new(drawing.stage.grid.x(event.time), y);
        let title = title_of(drawing, &event);
        let color = color::legible(style.color, drawing.stage.colors.background);
        let pick = Pick::entity(lane.0, row);
        drawing.glyphs.push(Glyph { at, shape, size, color, title, pick });
    }
    Ok(())
}

fn title_of(drawing: &mut Drawing<'_>, event: &EventRow) -> Title {
    if drawing.glyphs.len() >= MOST_TITLES {
        return Title::NONE;
    }
    let catalog = drawing.stage.scope.catalog();
    let unit = &catalog.facts.unit;
    let value = printable(&catalog.value(event.value).name);
    drawing.titles.add(format!("{value}\n{} {}", unit.format(event.time), unit.name))
}

/// The mark of an event.
pub(crate) fn shape_of(look: Look) -> Shape {
    match look {
        Look::Triangle | Look::Arrow => Shape::Triangle,
        Look::Diamond => Shape::Diamond,
        Look::Disc => Shape::Disc,
        Look::Box | Look::Area => Shape::Square,
        Look::Line | Look::Steps => Shape::Bar,
    }
}

/// Draws for each column the shares of the events in it.
fn draw_dense(
    drawing: &mut Drawing<'_>,
    lanes: &[LaneId],
    n: u64,
    place: StripPlace,
) -> Result<()> {
    let stage = drawing.stage;
    let columns = match n {
        0..MOST_VISITED => visited_columns(drawing, lanes)?,
        _ => counted_columns(drawing, lanes)?,
    };
    let columns: Vec<_> = columns.into_iter().collect();
    for run in columns.chunk_by(|a, b| a.0 + 1 == b.0) {
        let strip = drawing.states.begin_strip(place, run[0].0);
        for (_, counts) in run {
            let whole = counts.values().sum();
            let mut counts: Vec<(ValueId, u64)> = counts.iter().map(|(v, n)| (*v, *n)).collect();
            counts.sort_unstable_by_key(|(value, _)| stage.order.place(*value));
            let times = counts.into_iter().map(|(value, n)| stage.time_of(value, n));
            let filling = Filling::new(whole, place.height());
            drawing.states.add_column(&strip, times, &filling, whole > 1);
        }
        drawing.states.end_strip(drawing.stage, strip);
    }
    Ok(())
}

/// How many events of each value the columns have that have some.
type ColumnCounts = BTreeMap<usize, BTreeMap<ValueId, u64>>;

fn visited_columns(drawing: &Drawing<'_>, lanes: &[LaneId]) -> Result<ColumnCounts> {
    let mut columns = ColumnCounts::new();
    for &lane in lanes {
        entities::visit_events(drawing.stage.scope, lane, drawing.stage.instants(), |_, event| {
            let column = columns.entry(drawing.stage.grid.column_at(event.time)).or_default();
            *column.entry(event.value).or_default() += 1;
        })?;
    }
    Ok(columns)
}

fn counted_columns(drawing: &Drawing<'_>, lanes: &[LaneId]) -> Result<ColumnCounts> {
    let mut columns = ColumnCounts::new();
    for column in 0..drawing.stage.grid.n {
        let mut window = drawing.stage.grid.column(column);
        if column + 1 == drawing.stage.grid.n {
            window.to = drawing.stage.instants().to;
        }
        let counts = event_counts(drawing.stage.scope, lanes, window)?;
        if !counts.is_empty() {
            columns.insert(column, counts);
        }
    }
    Ok(columns)
}
