//! The names of rows at the left side: groups as brackets, outer ones further left.

use std::ops::Range;

use onca_aggregate::Tree;
use onca_answer::overview::Matrix;
use onca_layout::text::Font;
use onca_scene::{Align, Bounds, Label, Point, Rise};

use super::rows::Rows;
use crate::sheet::{Sheet, TICK_SIZE};

/// A row or a group is this high at least to have a name.
const LEAST_HEIGHT: f64 = 11.0;
/// From one name to the next where only some rows have one.
const SPARSE_HEIGHT: f64 = 24.0;
/// A column of names that lie flat is at most this wide.
const WIDEST: f64 = 120.0;
/// A column of names that stand upright, with its bracket.
const UPRIGHT: f64 = 20.0;
/// Between a name and its bracket or the plot, and the length of the ends of a bracket.
const GAP: f64 = 6.0;
const END: f64 = 3.0;
/// All names together take at most this share of the width.
const SHARE: f64 = 0.34;

/// Names beside each other from top to bottom.
struct Column {
    names: Vec<(Range<usize>, String)>,
    is_leaves: bool,
    upright: bool,
    width: f64,
}

/// The columns of names, from the innermost.
pub(super) struct Names {
    columns: Vec<Column>,
    n_rows: usize,
}

impl Names {
    /// The names for rows in a plot of some height, and some width for all.
    pub fn new(matrix: &Matrix, rows: &Rows, height: f64, width: f64) -> Self {
        let n_rows = rows.n();
        let row_height = height / n_rows as f64;
        let mut left = width * SHARE;
        let mut groups: Vec<Column> = group_columns(matrix, rows, row_height)
            .into_iter()
            .map(|names| group_column(names, row_height))
            .collect();
        let mut columns = Vec::new();
        if row_height >= LEAST_HEIGHT || groups.is_empty() {
            let names = leaf_names(matrix, rows, row_height);
            let width = widest(&names).min(WIDEST) + GAP;
            columns.push(Column { names, is_leaves: true, upright: false, width });
        }
        columns.extend(groups.drain(..).rev());
        for column in &mut columns {
            // A narrow picture keeps the beginning and the end of the innermost names.
            column.width = column.width.min(left);
            left -= column.width;
        }
        let has_room = |column: &Column| column.width >= UPRIGHT.min(widest(&column.names) + GAP);
        columns.retain(has_room);
        Self { columns, n_rows }
    }

    /// How wide all columns are.
    pub fn width(&self) -> f64 {
        self.columns.iter().map(|column| column.width).sum()
    }

    /// Draws them to the left of a plot.
    pub fn draw(&self, sheet: &mut Sheet<'_>, plot: &Bounds) {
        let y_of = |row: usize| plot.y0 + row as f64 / self.n_rows as f64 * plot.height();
        let mut x1 = plot.x0;
        for column in &self.columns {
            for (rows, name) in &column.names {
                let place = Bounds::new(x1 - column.width, y_of(rows.start), x1, y_of(rows.end));
                if !column.is_leaves {
                    bracket(sheet, &place);
                }
                column.name(sheet, &place, name);
            }
            x1 -= column.width;
        }
    }
}

impl Column {
    fn name(&self, sheet: &mut Sheet<'_>, place: &Bounds, name: &str) {
        let y = place.center().y;
        let gap = if self.is_leaves { GAP } else { GAP + END };
        let room = if self.upright { place.height() - 2.0 } else { self.width - gap };
        let Some(text) = Font::Regular.fit(name, TICK_SIZE, room) else { return };
        let label = sheet.label(Point::new(place.x1 - gap, y), text, TICK_SIZE);
        sheet.add_label(match self.upright {
            true => Label { align: Align::Middle, turn: -90.0, ..label },
            false if place.height() < LEAST_HEIGHT && !self.is_leaves => return,
            false => Label { align: Align::End, rise: Rise::Middle, ..label },
        });
    }
}

/// A line along the rows of a group, with ends towards them.
fn bracket(sheet: &mut Sheet<'_>, place: &Bounds) {
    let inset = (place.height() / 4.0).min(1.5);
    let (x, y0, y1) = (place.x1 - GAP, place.y0 + inset, place.y1 - inset);
    let points =
        [Point::new(x + END, y0), Point::new(x, y0), Point::new(x, y1), Point::new(x + END, y1)];
    sheet.add_line(points, sheet.colors.axis, 1.0);
}

/// The groups of each depth, from the outermost, of those depths where some can have a name. What
/// has the same rows as its parent is left out.
fn group_columns(
    matrix: &Matrix,
    rows: &Rows,
    row_height: f64,
) -> Vec<Vec<(Range<usize>, String)>> {
    let tree = &matrix.tree;
    let rows_of = |node: u32| rows.of(&tree.leaf_range(node));
    let mut depths: Vec<Vec<(Range<usize>, String)>> = Vec::new();
    for &node in tree.preorder() {
        let rows = rows_of(node);
        let adds = |parent: u32| rows_of(parent) != rows;
        // Groups of one row have its name.
        if rows.len() < 2 || !tree.parent(node).is_some_and(adds) {
            continue;
        }
        let depth = tree.depth(node) as usize;
        depths.resize_with(depths.len().max(depth + 1), Vec::new);
        depths[depth].push((rows, name_of(matrix, node)));
    }
    let has_room = |names: &Vec<(Range<usize>, String)>| {
        names.iter().any(|(rows, _)| rows.len() as f64 * row_height >= LEAST_HEIGHT)
    };
    depths.retain(has_room);
    depths
}

/// Names stand upright where all have room for that.
fn group_column(names: Vec<(Range<usize>, String)>, row_height: f64) -> Column {
    let fits = |(rows, name): &(Range<usize>, String)| {
        Font::Regular.width(name, TICK_SIZE) + 2.0 <= rows.len() as f64 * row_height
    };
    let upright = names.iter().all(fits);
    let width = if upright { UPRIGHT } else { widest(&names).min(WIDEST) + GAP + END + GAP };
    Column { names, is_leaves: false, upright, width }
}

/// The names of rows, as many as fit.
fn leaf_names(matrix: &Matrix, rows: &Rows, row_height: f64) -> Vec<(Range<usize>, String)> {
    // Names of every row may be close; names of some rows must not look as if they were of all.
    let stride = match row_height >= LEAST_HEIGHT {
        true => 1,
        false => (SPARSE_HEIGHT / row_height).ceil() as usize,
    };
    let leaves = matrix.tree.leaves().iter().enumerate();
    let in_rows = leaves.map(|(place, &leaf)| (rows.of(&(place..place + 1)), leaf));
    let in_rows = in_rows.filter(|(row, _)| !row.is_empty()).step_by(stride.max(1));
    in_rows.map(|(row, leaf)| (row, name_of(matrix, leaf))).collect()
}

fn widest(names: &[(Range<usize>, String)]) -> f64 {
    names.iter().map(|(_, name)| Font::Regular.width(name, TICK_SIZE)).fold(0.0, f64::max)
}

/// The last part of the path of a node.
fn name_of(matrix: &Matrix, node: u32) -> String {
    let tree: &Tree = &matrix.tree;
    let path = matrix.path(node);
    let is_own = matrix.nodes.get(node as usize).is_some_and(|node| node.own);
    let above = if is_own {
        tree.parent(node).and_then(|node| tree.parent(node))
    } else {
        tree.parent(node)
    };
    let above = above.map(|node| matrix.path(node)).unwrap_or_default();
    let name = path.strip_prefix(above.as_str()).unwrap_or(&path).trim_start_matches('/');
    let name = name.replace("\\/", "/");
    if is_own { format!("{name} itself") } else { name }
}
