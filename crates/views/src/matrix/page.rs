//! The page around a matrix: names, sums and the scale of colours.

use onca_layout::text::Font;
use onca_query::{Appearance, Scope};
use onca_scene::{Bounds, Figure, Label, Point};

use super::{
    Grid, MatrixOptions,
    cells::Links,
    margins::{Layout, Margins, Room},
};
use crate::{
    Canvas, Paper, Result, ViewError, bundles, color,
    sheet::{Sheet, TICK_SIZE},
};

/// A cell is at most this wide, if the figure may choose.
const MOST_CELL: f64 = 72.0;
/// A figure does not grow larger than this by itself.
const MOST_SIDE: f64 = 800.0;
/// The colour scale takes this much.
const SCALE_HEIGHT: f64 = 52.0;
const SCALE_WIDTH: f64 = 220.0;

/// The matrix on a page.
pub fn figure(
    scope: &Scope<'_>,
    _appearance: &Appearance,
    paper: &Paper,
    options: &MatrixOptions,
) -> Result<Figure> {
    let links = Links::new(scope, options)?;
    let title = format!("Communication matrix: {}", links.metric.noun());
    let around = Sheet::height_around(paper, &title, &[]) + SCALE_HEIGHT;
    let room = Room {
        width: paper.inner_width(),
        height: paper.height.map(|height| height - around),
        most_side: MOST_SIDE,
        most_cell: MOST_CELL,
    };
    let too_small = |missing: f64| {
        ViewError::Nothing(format!(
            "a matrix needs more room: make the picture {missing:.0} pixels wider and higher"
        ))
    };
    let (cells, layout) = Layout::new(room, &links).map_err(too_small)?;
    let mut sheet = Sheet::new(paper, &title, around + layout.height());
    let note = bundles::note(links.nodes.len(), cells.runs.len(), "containers");
    note.into_iter().for_each(|note| sheet.note(note));
    let plot = layout.plot(sheet.room.x0, sheet.room.y0);
    let grid = Grid::new(scope, &links, &cells, options.color_scale);
    let margins = Margins { grid: &grid, layout: &layout, plot, colors: sheet.colors };
    margins.labels().into_iter().for_each(|label| sheet.add_label(label));
    margins.bars(None).into_iter().for_each(|bar| sheet.add_rect(bar));
    scale(&mut sheet, &grid, paper);
    let drawn = grid.draw(scope, &Canvas::in_frame(&plot, paper));
    let description = format!("{title}: {} rows and columns", cells.runs.len());
    Ok(sheet.finish(description, vec![drawn.panel("matrix", plot)]))
}

/// The scale of colours, and how long the longest bar is.
fn scale(sheet: &mut Sheet<'_>, grid: &Grid<'_>, paper: &Paper) {
    let taken = sheet.take_bottom(SCALE_HEIGHT);
    let width = SCALE_WIDTH.min(taken.width() * 0.6);
    let bar = Bounds::new(taken.x0, taken.y0 + 24.0, taken.x0 + width, taken.y0 + 34.0);
    grid.amounts().draw(sheet, &bar, |share| color::quantity(share, paper.theme));
    let largest = grid.cells.largest_total() as f64;
    let text = format!("longest bar: {}", grid.links.metric.words(&grid.quantity, largest));
    let length = Font::Regular.width(&text, TICK_SIZE);
    // Beside the scale, or above it where that is too narrow.
    let at = match bar.x1 + 28.0 + length <= taken.x1 {
        true => Point::new(bar.x1 + 28.0, bar.y1),
        false => Point::new(taken.x1 - length, bar.y0 - 5.0),
    };
    let color = sheet.colors.muted;
    let longest = sheet.label(at, text, TICK_SIZE);
    sheet.add_label(Label { color, ..longest });
}
