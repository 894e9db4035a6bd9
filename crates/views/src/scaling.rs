//! How efficient a program is with more and more processes: curves above the table of the POP project.

use onca_answer::compare::ScalingRun;
use onca_layout::text::Font;
use onca_model::{
    Color,
    format::{percent, rounded},
};
use onca_query::Role;
use onca_scene::{Align, Bounds, Figure, Label, Point, Rect, Rise, Weight};

use crate::compare::change_color;
use crate::sheet::{LABEL_SIZE, Sheet, TICK_SIZE};
use crate::{Paper, Theme, color};

const TITLE: &str = "Efficiency with more processes";
/// The height of the curves, if it may be chosen.
const HEIGHT: f64 = 230.0;
/// The height of a line of the table.
const LINE: f64 = 20.0;
/// Lines above those of the factors: processes, run time, speed-up.
const HEADS: usize = 3;
/// The factors of [`ScalingRun::factors`].
const N_FACTORS: usize = 7;
/// The names at the left take this much.
const NAMES_WIDTH: f64 = 216.0;
/// The line that stands for a curve beside its name.
const SWATCH: f64 = 18.0;
/// What a name is moved to the right below what it is a factor of.
const INDENT: f64 = 11.0;
/// A column is at most this wide.
const WIDEST: f64 = 150.0;
/// Points of curves have squares of this size.
const POINT: f64 = 5.0;

/// The efficiencies of some runs, the fewest processes first, on a page.
pub fn figure(runs: &[ScalingRun], paper: &Paper) -> Figure {
    let table_height = LINE * (HEADS + N_FACTORS) as f64;
    let around = Sheet::height_around(paper, TITLE, &[]);
    let mut sheet = Sheet::new(paper, TITLE, (around + HEIGHT + table_height).round());
    sheet.reserve_caption();
    let table = sheet.take_bottom(table_height);
    sheet.take_bottom(8.0);
    sheet.take_left(NAMES_WIDTH);
    let width = (sheet.room.width() / runs.len().max(1) as f64).min(WIDEST);
    let plot = Bounds { x1: sheet.room.x0 + width * runs.len() as f64, ..sheet.room };
    let columns = Columns { runs, first: plot.x0, width };
    columns.draw_curves(&mut sheet, &plot, paper.theme);
    columns.draw_table(&mut sheet, Bounds { x1: plot.x1, ..table }, paper.theme);
    let description = format!("{TITLE}: {} runs", runs.len());
    sheet.finish(description, Vec::new())
}

/// What a line above those of the factors is called, and what it tells of a run.
type Head = (&'static str, fn(&ScalingRun) -> String);

/// The runs from left to right.
struct Columns<'a> {
    runs: &'a [ScalingRun],
    first: f64,
    width: f64,
}

impl Columns<'_> {
    fn x(&self, at: usize) -> f64 {
        self.first + self.width * (at as f64 + 0.5)
    }

    /// The upper end of the plot, in percent. Computation can scale by more than 100 %.
    fn top(&self) -> f64 {
        let shares = self.runs.iter().flat_map(|run| run.factors().map(|(_, _, share)| share));
        100.0 * shares.flatten().fold(1.0, f64::max) * 1.04
    }

    fn draw_curves(&self, sheet: &mut Sheet<'_>, plot: &Bounds, theme: Theme) {
        let top = self.top();
        let y = |percent: f64| plot.y1 - percent / top * plot.height();
        let marks = onca_layout::axis::ticks(0.0, top, (plot.height() / 34.0) as usize + 1).at;
        let marks: Vec<(f64, String)> =
            marks.into_iter().map(|at| (y(at), format!("{at:.0} %"))).collect();
        sheet.left_axis(plot, &marks, "efficiency");
        let foot = [Point::new(plot.x0, plot.y1), Point::new(plot.x1, plot.y1)];
        sheet.add_line(foot, sheet.colors.axis, 1.0);
        // The first is what all others are factors of: it lies above them.
        for (factor, ink) in inks(theme).into_iter().enumerate().rev() {
            let point = |(at, run): (usize, &ScalingRun)| {
                Some(Point::new(self.x(at), y(100.0 * run.factors()[factor].2?)))
            };
            let points: Vec<Option<Point>> = self.runs.iter().enumerate().map(point).collect();
            for stretch in points.split(Option::is_none) {
                sheet.add_line(stretch.iter().flatten().copied(), ink, curve_width(factor));
            }
            for at in points.into_iter().flatten() {
                let half = POINT / 2.0;
                let square = Bounds::new(at.x - half, at.y - half, at.x + half, at.y + half);
                sheet.add_rect(Rect::plain(square, ink));
            }
        }
    }

    fn draw_table(&self, sheet: &mut Sheet<'_>, room: Bounds, theme: Theme) {
        let heads: [Head; HEADS] = [
            ("processes", |run| run.n_processes.to_string()),
            ("run time", |run| rounded(run.length)),
            ("speed-up", |run| run.speed_up.map_or_else(String::new, |it| format!("{it:.2}"))),
        ];
        let text = sheet.colors.text;
        for (line, (name, of)) in heads.into_iter().enumerate() {
            let y = room.y0 + LINE * (line as f64 + 0.5);
            let weight = if line == 0 { Weight::Bold } else { Weight::Regular };
            add_text(sheet, Point::new(room.x0 + 4.0, y), name, Align::Start, text, weight);
            for (at, run) in self.runs.iter().enumerate() {
                add_text(sheet, Point::new(self.x(at), y), &of(run), Align::Middle, text, weight);
            }
        }
        for (factor, ink) in inks(theme).into_iter().enumerate() {
            let y0 = room.y0 + LINE * (HEADS + factor) as f64;
            self.draw_factor(sheet, factor, ink, Bounds { y0, y1: y0 + LINE, ..room });
        }
    }

    /// A line of the table: the name with the line of its curve, and a cell for each run.
    fn draw_factor(&self, sheet: &mut Sheet<'_>, factor: usize, ink: Color, line: Bounds) {
        let Some((name, depth, _)) = self.runs.first().map(|run| run.factors()[factor]) else {
            return;
        };
        let y = line.center().y;
        let swatch = [Point::new(line.x0 + 4.0, y), Point::new(line.x0 + 4.0 + SWATCH, y)];
        sheet.add_line(swatch, ink, curve_width(factor).max(2.0));
        let x = line.x0 + SWATCH + 12.0 + INDENT * depth as f64;
        let text = sheet.colors.text;
        add_text(sheet, Point::new(x, y), name, Align::Start, text, Weight::Regular);
        for (at, run) in self.runs.iter().enumerate() {
            let share = run.factors()[factor].2;
            let x = self.x(at);
            let half = self.width / 2.0 - 1.0;
            let cell = Bounds { x0: x - half, x1: x + half, y0: line.y0 + 1.0, ..line };
            // What is missing to 100 % has the colours of what takes longer.
            let fill = share.map(|share| change_color(1.0 + (1.0 - share).max(0.0)));
            let (told, letters) = match (share, fill) {
                (Some(share), Some(fill)) => {
                    sheet.add_rect(Rect::plain(cell, fill));
                    (percent(share), color::text_on(fill))
                }
                _ => ("–".to_owned(), sheet.colors.muted),
            };
            let at = Point::new(x, y);
            add_text(sheet, at, told.trim(), Align::Middle, letters, Weight::Regular);
        }
    }
}

fn add_text(
    sheet: &mut Sheet<'_>,
    at: Point,
    text: &str,
    align: Align,
    color: Color,
    weight: Weight,
) {
    let font = if weight == Weight::Bold { Font::Bold } else { Font::Regular };
    let size = if align == Align::Middle { TICK_SIZE } else { LABEL_SIZE };
    let length = font.width(text, size);
    let label = sheet.label(at, text, size);
    sheet.add_label(Label { align, weight, length, color, rise: Rise::Middle, ..label });
}

fn curve_width(factor: usize) -> f64 {
    if factor == 0 { 2.5 } else { 1.5 }
}

/// The colours of the curves, to be told apart on a theme.
fn inks(theme: Theme) -> [Color; N_FACTORS] {
    let colors = theme.colors();
    let ink = |role: Role| color::legible(role.color(), colors.background);
    [
        colors.text,
        colors.accent,
        ink(Role::Send),
        ink(Role::Collective),
        ink(Role::Wait),
        colors.muted,
        ink(Role::Compute),
    ]
}
