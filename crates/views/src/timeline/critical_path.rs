//! The critical path as a line over the rows.

use onca_answer::PathStep;
use onca_model::Color;
use onca_scene::{Line, Lines, Pick, Point};

use crate::{
    color,
    theme::ThemeColors,
    timeline::{content::Row, drawing::Drawing, fit::Fitted, links::rows_of_containers},
};

/// How wide the line is, and the light around it.
const WIDTH: f64 = 2.0;
const HALO: f64 = 5.0;
const HALO_OPACITY: f64 = 0.75;
/// A row that is higher has names of states in its middle.
const NAMED_ROW: f64 = 14.0;
const BELOW_NAMES: f64 = 0.8;
const RED: Color = Color::rgb(214, 20, 40);

/// The colour of the path.
pub(crate) fn path_color(colors: &ThemeColors) -> Color {
    color::legible(RED, colors.background)
}

/// Draws the part of the path that is in the window. Where it passes through containers that have no row it is broken.
pub(crate) fn draw_path(drawing: &mut Drawing<'_>, fitted: &Fitted, steps: &[PathStep]) {
    let rows = rows_of_containers(drawing.stage.scope, &fitted.rows);
    let grid = drawing.stage.grid;
    let mut runs = Vec::new();
    let mut run = Run::new(grid.pixel);
    for step in steps {
        match rows[step.container.index()] {
            Some(row) => {
                let y = height_in(&fitted.rows[row as usize]);
                run.add(Point::new(grid.x(step.window.from), y));
                run.add(Point::new(grid.x(step.window.to), y));
            }
            None => runs.push(std::mem::replace(&mut run, Run::new(grid.pixel)).finish()),
        }
    }
    runs.push(run.finish());
    let title = drawing.titles.add("critical path");
    let colors = drawing.stage.colors;
    let halo = color::faded(colors.background, HALO_OPACITY);
    for (color, width) in [(halo, HALO), (path_color(colors), WIDTH)] {
        for points in runs.iter().filter(|points| points.len() > 1) {
            push(&mut drawing.path, points, Line { color, width, title, ..PLAIN });
        }
    }
}

/// Where the line runs in a row: below the names of states where there is room for them.
fn height_in(row: &Row) -> f64 {
    let Some(band) = row.bands.first() else { return row.anchor() };
    let height = band.y1 - band.y0;
    if height >= NAMED_ROW { band.y0 + height * BELOW_NAMES } else { row.anchor() }
}

const PLAIN: Line = Line {
    points: 0..0,
    color: RED,
    width: WIDTH,
    dashed: false,
    title: onca_scene::Title::NONE,
    pick: Pick::NOTHING,
};

fn push(lines: &mut Lines, points: &[Point], line: Line) {
    let first = lines.points.len();
    lines.points.extend_from_slice(points);
    lines.lines.push(Line { points: first..lines.points.len(), ..line });
}

/// A line of which every pixel column keeps only what is seen: where it enters, its highest and its lowest point, where it leaves.
struct Run {
    pixel: f64,
    points: Vec<Point>,
    /// The points of the last column.
    column: Vec<Point>,
}

impl Run {
    fn new(pixel: f64) -> Self {
        Self { pixel, points: Vec::new(), column: Vec::new() }
    }

    fn add(&mut self, point: Point) {
        let number = |point: &Point| (point.x / self.pixel).floor();
        if self.column.first().is_some_and(|first| number(first) != number(&point)) {
            self.flush();
        }
        self.column.push(point);
    }

    fn flush(&mut self) {
        let column = std::mem::take(&mut self.column);
        if column.len() <= 4 {
            self.points.extend(column);
            return;
        }
        let by_height = |a: &&Point, b: &&Point| a.y.total_cmp(&b.y);
        let (Some(first), Some(last)) = (column.first(), column.last()) else { return };
        let ends = [column.iter().min_by(by_height), column.iter().max_by(by_height)];
        self.points.push(*first);
        self.points.extend(ends.into_iter().flatten());
        self.points.push(*last);
    }

    fn finish(mut self) -> Vec<Point> {
        self.flush();
        self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_keeps_its_ends_and_its_extent() {
        let mut run = Run::new(1.0);
        for k in 0..1000 {
            run.add(Point::new(f64::from(k) / 1000.0, f64::from(k * 7 % 100)));
        }
        run.add(Point::new(5.0, 3.0));
        let points = run.finish();
        let heights: Vec<f64> = points.iter().map(|point| point.y).collect();
        assert_eq!(heights, [0.0, 0.0, 99.0, 93.0, 3.0]);
    }
}
