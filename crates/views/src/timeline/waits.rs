//! Waits: bands along the upper edge of rows, in the colour of their kind, and hatching over states that wait.

use std::collections::BTreeMap;

use onca_answer::{Diagnosis, WaitKind, WaitOf};
use onca_model::{Color, ContainerId, Nature, Ticks, printable};
use onca_query::Scope;
use onca_scene::{Bounds, CLEAR, Pattern, Pick, Rect};

use crate::{
    color,
    timeline::{
        content::Row, drawing::Drawing, fit::Fitted, links::rows_of_containers, states::inner,
    },
};

/// The height of a band, in pixels.
const HEIGHT: f64 = 3.0;
/// A row that is lower has no room for bands.
const LEAST_ROW: f64 = 6.0;
/// Waits that are wider are drawn one by one, in pixels.
const LEAST_WIDTH: f64 = 3.0;
/// Shares of time are told apart in this many steps.
const STEPS: u64 = 4;

/// The colour of a kind of waiting on a background. None is a colour of the palette, which states have.
pub(crate) fn color_of(kind: WaitKind, background: Color) -> Color {
    let color = match kind {
        WaitKind::LateSender => Color::rgb(106, 61, 200),
        WaitKind::LateReceiver => Color::rgb(0, 131, 155),
        WaitKind::Barrier => Color::rgb(121, 75, 55),
        WaitKind::AllToAll => Color::rgb(226, 0, 116),
        WaitKind::LateBroadcast => Color::rgb(40, 70, 190),
        WaitKind::EarlyReduce => Color::rgb(96, 130, 0),
        WaitKind::EarlyScan => Color::rgb(110, 110, 120),
        WaitKind::Blocked => Color::rgb(0, 0, 0),
    };
    color::legible(color, background)
}

/// Draws the waits of rows and returns how many rows are too low for them.
pub(crate) fn draw_waits(drawing: &mut Drawing<'_>, fitted: &Fitted, known: &Diagnosis) -> u64 {
    let members = members(drawing.stage.scope, fitted);
    let mut too_low = 0;
    for (row, members) in fitted.painted().iter().zip(&members) {
        let Some(band) = row.bands.first() else { continue };
        let sides = inner(band.y0, band.y1);
        if members.is_empty() {
            continue;
        }
        if sides.1 - sides.0 < LEAST_ROW {
            let waits = members.iter().any(|id| waits_of(drawing, known, *id).len() > 0);
            too_low += u64::from(waits);
            continue;
        }
        let mut small = Columns::default();
        for &container in members {
            for wait in waits_of(drawing, known, container) {
                let is_alone = members.len() == 1;
                match is_alone && width(drawing, &wait) >= LEAST_WIDTH {
                    true => draw_wait(drawing, &wait, sides),
                    false => small.add(drawing, &wait),
                }
            }
        }
        small.draw(drawing, row, members.len() as u64, sides.0);
    }
    too_low
}

fn waits_of<'k>(
    drawing: &Drawing<'_>,
    known: &'k Diagnosis,
    container: ContainerId,
) -> impl ExactSizeIterator<Item = WaitOf> + use<'k> {
    known.waits.of(container, drawing.stage.grid.window)
}

/// For each painted row the containers with states that it shows.
fn members(scope: &Scope<'_>, fitted: &Fitted) -> Vec<Vec<ContainerId>> {
    let rows = rows_of_containers(scope, &fitted.rows);
    let mut members = vec![Vec::new(); fitted.painted.len()];
    for (_, track, _) in scope.tracks(Nature::State) {
        let Some(row) = rows[track.container.index()] else { continue };
        let Some(place) = (row as usize).checked_sub(fitted.painted.start) else { continue };
        if let Some(members) = members.get_mut(place)
            && members.last() != Some(&track.container)
        {
            members.push(track.container);
        }
    }
    members
}

/// How wide a wait is, in pixels.
fn width(drawing: &Drawing<'_>, wait: &WaitOf) -> f64 {
    let grid = &drawing.stage.grid;
    drawing.stage.pixels(grid.x(wait.window.to) - grid.x(wait.window.from))
}

/// A wait that is wide enough: its state hatched, and a band above.
fn draw_wait(drawing: &mut Drawing<'_>, wait: &WaitOf, (y0, y1): (f64, f64)) {
    let (grid, colors) = (drawing.stage.grid, drawing.stage.colors);
    let (x0, x1) = (grid.x(wait.window.from), grid.x(wait.window.to));
    let title = drawing.titles.add(text_of(drawing, wait));
    let hatched = Rect {
        bounds: Bounds::new(x0, y0, x1, y1),
        fill: CLEAR,
        edge: CLEAR,
        pattern: Pattern::Hatch,
        title,
        pick: Pick::NOTHING,
    };
    let bounds = Bounds::new(x0, y0, x1, y0 + HEIGHT);
    let band = Rect { title, ..Rect::plain(bounds, color_of(wait.kind, colors.background)) };
    drawing.waits.extend([hatched, band]);
}

fn text_of(drawing: &Drawing<'_>, wait: &WaitOf) -> String {
    let containers = &drawing.stage.scope.catalog().containers;
    let name = |id: ContainerId| printable(containers.names.get(id.index()));
    let times = drawing.stage.times_text(wait.window.from, wait.window.to);
    let kind = wait.kind.name();
    format!("{} waits for {} ({kind})\n{times}", name(wait.container), name(wait.cause))
}

/// Waits that are too narrow to be told apart, by column of pixels.
#[derive(Default)]
struct Columns(BTreeMap<usize, BTreeMap<WaitKind, u64>>);

impl Columns {
    fn add(&mut self, drawing: &Drawing<'_>, wait: &WaitOf) {
        let grid = &drawing.stage.grid;
        let (first, last) = grid.columns_of(wait.window.from, wait.window.to);
        for column in first..=last {
            let ticks = grid.column(column).overlap(wait.window.from, wait.window.to);
            if ticks > 0 {
                let times = self.0.entry(column).or_default();
                *times.entry(wait.kind).or_default() += ticks.unsigned_abs();
            }
        }
    }

    /// The bands: the colour is that of the kind with most time, the fainter the less is waited.
    fn draw(&self, drawing: &mut Drawing<'_>, row: &Row, n_members: u64, y0: f64) {
        let grid = drawing.stage.grid;
        let background = drawing.stage.colors.background;
        let mut last: Option<(usize, (WaitKind, u64))> = None;
        for (&column, times) in &self.0 {
            let whole = times.values().sum::<u64>() as u128;
            let length = grid.column(column);
            let room = u128::from((length.to - length.from).max(1) as Ticks as u64);
            let steps = (whole * u128::from(STEPS)).div_ceil(room * u128::from(n_members));
            let most = times.iter().max_by_key(|(_, ticks)| **ticks).map(|(kind, _)| *kind);
            let Some(kind) = most else { continue };
            let look = (kind, (steps as u64).min(STEPS));
            let right = grid.column_x(column + 1).min(grid.span());
            match (&mut last, drawing.waits.last_mut()) {
                (Some((before, same)), Some(rect)) if *before + 1 == column && *same == look => {
                    rect.bounds.x1 = right;
                    *before = column;
                }
                _ => {
                    let left = grid.column_x(column).max(0.0);
                    let share = look.1 as f64 / STEPS as f64;
                    let fill = color::faded(color_of(kind, background), share);
                    let bounds = Bounds::new(left, y0, right, y0 + HEIGHT);
                    let pick = Pick::Node(row.nodes[0].0);
                    drawing.waits.push(Rect { pick, ..Rect::plain(bounds, fill) });
                    last = Some((column, look));
                }
            }
        }
    }
}
