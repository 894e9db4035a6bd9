//! The space-time diagram: containers down the left side, time to the right.
//!
//! States are rectangles, nested states inside them; links are arrows, events small shapes,
//! variables graphs. Where several states fall on a column of pixels, the column shows their exact
//! shares. What does not fit is summed up, never left out in silence: the notes say so.

mod choice;
mod content;
pub(crate) mod critical_path;
pub(crate) mod drawing;
pub(crate) mod events;
mod fit;
pub(crate) mod grid;
pub(crate) mod key;
pub(crate) mod links;
mod locks;
mod options;
mod paint;
pub(crate) mod painted_columns;
mod plan;
mod rows;
mod scale;
mod sidebar;
pub(crate) mod stage;
pub(crate) mod state_marks;
pub(crate) mod states;
mod subtrees;
mod variables;
mod waits;

pub use fit::Room;
pub use options::{Links, TimelineOptions};
pub use rows::{RowState, TimelineRow};
pub use scale::GraphScale;

use onca_answer::columns::ColumnCache;
use onca_model::{Window, format::count_of};
use onca_query::{Appearance, Scope};
use onca_scene::{Bounds, Figure, Panel, Rect, Scene};

use crate::options::ViewOptions;
use crate::registry::{Material, Screen, Tab, View};
use crate::{
    LegendEntry, Paper, Result, Theme, TimeScale, ViewError,
    sheet::{Sheet, TIME_AXIS_HEIGHT},
    timeline::{
        fit::{Fitted, fit},
        grid::Grid,
        key::Key,
        paint::Painted,
        plan::Planner,
        sidebar::{HEADER_HEIGHT, Sidebar},
    },
};

/// The space-time diagram.
pub struct TimelineView;

impl View for TimelineView {
    type Options = TimelineOptions;
    const NAME: &str = "timeline";
    const TITLE: &str = "Timeline";
    const TAB: Tab = Tab::Timeline;
    const SCREEN: Screen = Screen::Rows;
    const HAS_TIME: bool = true;

    fn figure(material: &Material<'_>, paper: &Paper, options: &TimelineOptions) -> Result<Figure> {
        // A file is what a command draws.
        let options = options.portable(material.scope);
        figure(material.scope, material.appearance, paper, &options)
    }
}

/// The diagram without the page around it.
#[derive(Clone, PartialEq, Debug)]
pub struct Timeline {
    /// The marks: to the right ticks after the begin of the window, down pixels.
    pub scene: Scene,
    /// The part of view space that is filled.
    pub view: Bounds,
    /// The painted rows from top to bottom, after the open groups above them.
    pub rows: Vec<TimelineRow>,
    /// The numbers beside graphs of variables.
    pub scales: Vec<GraphScale>,
    /// How many rows there are, painted or not.
    pub n_rows: usize,
    /// How high they are together.
    pub height: f64,
    /// What the colours mean.
    pub legend: Vec<LegendEntry>,
    /// What was summed up or left out, in words.
    pub notes: Vec<String>,
}

/// The size and look of a bare diagram.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Surface {
    /// Its width, in pixels.
    pub width: f64,
    /// The room for rows.
    pub room: Room,
    /// Light or dark.
    pub theme: Theme,
    /// Marks carry texts for the pointer.
    pub titles: bool,
}

impl Room {
    /// As much as the rows want, in bounds that suit a page.
    pub const FREE: Self = Self::UpTo(MOST_HEIGHT);
}

/// A figure whose height is free is not higher than this.
const MOST_HEIGHT: f64 = 1400.0;
/// A diagram has at least this many pixels in both directions.
const LEAST_SIZE: f64 = 24.0;
/// An arrow for every this many square pixels.
const ARROW_AREA: f64 = 900.0;
const TITLE: &str = "Timeline";

/// Draws the diagram without the page around it. Columns that the cache knows are not computed
/// again: a window that moves by a part, or comes back, costs only what is new.
pub fn scene(
    scope: &Scope<'_>,
    appearance: &Appearance,
    surface: &Surface,
    options: &TimelineOptions,
    cache: &ColumnCache,
) -> Result<Timeline> {
    let key = Key::new(scope, appearance, surface.theme, options)?;
    let planner = Planner::new(scope, options);
    let fitted = rows(scope, &planner, options, surface.room)?;
    let grid = Grid::steady(scope.window(), surface.width)?;
    let look = paint::Look { appearance, colors: surface.theme.colors(), cache };
    let painted = painted(&planner, look, grid, &fitted, surface.titles)?;
    Ok(timeline(scope, &grid, fitted, painted, key.entries))
}

/// Draws the diagram on a page with title, time axis, legend and caption.
pub fn figure(
    scope: &Scope<'_>,
    appearance: &Appearance,
    paper: &Paper,
    options: &TimelineOptions,
) -> Result<Figure> {
    let key = Key::new(scope, appearance, paper.theme, options)?;
    let furniture =
        Sheet::height_around(paper, TITLE, &key.entries) + TIME_AXIS_HEIGHT + HEADER_HEIGHT;
    let room = match paper.height {
        Some(height) => Room::Exactly(enough(height - furniture)?),
        None => Room::UpTo(enough(MOST_HEIGHT - furniture)?),
    };
    let planner = Planner::new(scope, options);
    let fitted = rows(scope, &planner, options, room)?;
    let mut sheet = Sheet::new(paper, TITLE, fitted.height + furniture);
    sheet.reserve_caption();
    sheet.legend_with(&key.entries, |index| key.swatches[index]);
    sheet.take_bottom(TIME_AXIS_HEIGHT);
    sheet.take_top(HEADER_HEIGHT);
    let sidebar = Sidebar::new(scope, &fitted.rows, paper.width);
    sheet.take_left(sidebar.width());
    // Half a label of the time axis reaches out.
    sheet.take_right(8.0);
    let plot = Bounds { y1: sheet.room.y0 + fitted.height, ..sheet.room };
    enough(plot.width())?;

    let grid = Grid::of_pixels(scope.window(), plot.width());
    let cache = &ColumnCache::new(ColumnCache::DEFAULT_BYTES);
    let look = paint::Look { appearance, colors: sheet.colors, cache };
    let painted = painted(&planner, look, grid, &fitted, paper.titles)?;
    sheet.add_behind(Rect::plain(plot, sheet.colors.background));
    sidebar.draw(scope, &mut sheet, &plot, &fitted.rows);
    for scale in &painted.scales {
        sidebar::draw_scale(&mut sheet, &plot, scale);
    }
    let unit = &scope.catalog().facts.unit;
    let time_scale = TimeScale::new(grid.window, unit);
    sheet.time_axis(&plot, grid.window, &time_scale);
    let description = description(scope, &fitted, grid.window);
    let timeline = timeline(scope, &grid, fitted, painted, key.entries);
    timeline.notes.iter().for_each(|note| sheet.note(note));
    let panel = Panel {
        name: "timeline",
        frame: plot,
        view: timeline.view,
        scene: timeline.scene,
        clipped: true,
        as_image: false,
    };
    Ok(sheet.finish(description, vec![panel]))
}

/// The diagram alone, without names and axes: what a plot of this size shows of it when it is
/// scrolled to the top.
pub fn bare_figure(scope: &Scope<'_>, drawn: &Timeline, size: (f64, f64), theme: Theme) -> Figure {
    let (width, height) = size;
    let window = scope.window();
    let frame = Bounds::new(0.0, 0.0, width, height);
    let panel = Panel {
        name: "timeline",
        frame,
        // Columns may reach beyond the window; down, a pixel is a pixel.
        view: Bounds::new(0.0, 0.0, window.to.saturating_sub(window.from) as f64, height),
        scene: drawn.scene.clone(),
        clipped: true,
        as_image: false,
    };
    Figure {
        width,
        height,
        background: theme.colors().background,
        description: TITLE.to_owned(),
        panels: vec![panel],
    }
}

fn enough(pixels: f64) -> Result<f64> {
    if pixels >= LEAST_SIZE {
        return Ok(pixels);
    }
    let why = "the picture is too small for a timeline; give it more width or height";
    Err(ViewError::Nothing(why.to_owned()))
}

fn rows(
    scope: &Scope<'_>,
    planner: &Planner<'_, '_>,
    options: &TimelineOptions,
    room: Room,
) -> Result<Fitted> {
    let fitted = fit(scope, planner, options, room)?;
    if fitted.rows.is_empty() {
        let why = "there is no container to show";
        return Err(ViewError::Nothing(why.to_owned()));
    }
    Ok(fitted)
}

fn painted(
    planner: &Planner<'_, '_>,
    look: paint::Look<'_>,
    grid: Grid,
    fitted: &Fitted,
    titles: bool,
) -> Result<Painted> {
    let (top, foot) = fitted.sides();
    let area = grid.span() / grid.pixel * (foot - top);
    let by_area = (area / ARROW_AREA).clamp(50.0, 2000.0) as usize;
    let most_arrows = planner.options().arrows.unwrap_or(by_area);
    paint::paint(planner, look, grid, fitted, most_arrows, titles)
}

fn timeline(
    scope: &Scope<'_>,
    grid: &Grid,
    fitted: Fitted,
    painted: Painted,
    legend: Vec<LegendEntry>,
) -> Timeline {
    let (top, foot) = fitted.sides();
    Timeline {
        view: Bounds::new(0.0, top, grid.span(), foot),
        rows: rows::rows_of(scope, &fitted),
        n_rows: fitted.rows.len(),
        height: fitted.height,
        scene: painted.scene,
        scales: painted.scales,
        legend,
        notes: fitted.note.into_iter().chain(painted.notes).collect(),
    }
}

fn description(scope: &Scope<'_>, fitted: &Fitted, window: Window) -> String {
    let unit = &scope.catalog().facts.unit;
    let (from, to) = (unit.format(window.from), unit.format(window.to));
    let rows = count_of(fitted.rows.len() as u64, "row");
    format!("Timeline of {rows} from {from} to {to} {}", unit.name)
}
