//! The overview: which parts of a trace look alike, in space and time.
//!
//! The optimal partition of the trace is drawn with time to the right and the hierarchy down the
//! page. An area has the colour of its strongest value, the fainter the more there is beside it, as
//! in Ocelotl (Dosimont, Lamarche-Perrin, Schnorr, Huard and Vincent, Cluster 2014).

mod areas;
mod curve;
mod hierarchy;
mod key;
mod paint;
mod rows;
mod values;

use onca_aggregate::overview::{Axis, CurveLimits, Gain, StartRule, Watch};
use onca_aggregate::slice::Crossing;
use onca_answer::overview::{
    Choice, CurveAnswer, Matrix, Metric, Overview, OverviewAnswer,
    OverviewOptions as PartitionOptions, Times,
};
use onca_answer::slice::{LinkMeasure, Measure, VariableMeasure, What};
use onca_model::format::{count_of, grouped};
use onca_query::{Appearance, Scope};
use onca_scene::{Bounds, Figure};

use crate::{
    Canvas, Drawn, Paper, Result, TimeScale, ViewError,
    sheet::{Sheet, TIME_AXIS_HEIGHT},
    treemap::{self, Detail, TreemapOptions},
};
use areas::{Areas, Shown};
use hierarchy::Names;
use key::Marks;
use paint::Painter;
use rows::Rows;
use values::ValueLook;

/// What an overview shows.
#[derive(Clone, PartialEq, Debug)]
pub struct OverviewOptions {
    /// What is aggregated.
    pub metric: Metric,
    /// Into how many slices the window is cut.
    pub slices: usize,
    /// Along which axes: along time alone it is a strip, along space alone a treemap.
    pub axis: Axis,
    /// Which trade-off is taken.
    pub choice: Choice,
    /// How the gain is measured.
    pub gain: Gain,
    /// What an area shows.
    pub shading: Shading,
    /// What the strength of a colour means.
    pub intensity: Intensity,
    /// Rows thinner than this, in pixels, are drawn together.
    pub thinnest: f64,
    /// The curve of all trade-offs is drawn beside the picture.
    pub curve: bool,
    /// How many bytes the tables may take.
    pub memory: u64,
}

/// What an area shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shading {
    /// Its strongest value.
    #[default]
    Mode,
    /// All its values, stacked.
    AllValues,
}

/// What the strength of a colour means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Intensity {
    /// The share of the strongest value among all values.
    #[default]
    Share,
    /// The mean of the strongest value: time in no state makes it fainter.
    Amount,
}

impl Default for OverviewOptions {
    fn default() -> Self {
        Self {
            metric: Metric::States { idle: false },
            slices: 30,
            axis: Axis::Both,
            choice: Choice::Start(StartRule::default()),
            gain: Gain::Sum,
            shading: Shading::Mode,
            intensity: Intensity::Share,
            thinnest: 3.0,
            curve: true,
            memory: 1 << 30,
        }
    }
}

/// How high a row is where there is room, and how high all are at least and at most.
const ROW: f64 = 15.0;
const ROWS: (f64, f64) = (150.0, 460.0);
/// How high the strip is that has only time.
const STRIP: f64 = 90.0;
/// The curve is beside the picture on paper that is so wide, else below it.
const WIDE: f64 = 620.0;
const CURVE_WIDTH: f64 = 216.0;
const CURVE_HEIGHT: f64 = 110.0;
const CURVE_GAP: f64 = 10.0;

/// The overview on a page.
pub fn figure(
    scope: &Scope<'_>,
    appearance: &Appearance,
    paper: &Paper,
    options: &OverviewOptions,
) -> Result<Figure> {
    if options.axis == Axis::Space {
        return treemap::figure(scope, appearance, paper, &as_treemap(options));
    }
    let matrix = Matrix::new(scope, options.slices, &options.metric)?;
    let found = Found::new(&matrix, options)?;
    let values = values::looks(scope, appearance, paper.theme, found.matrix);
    let entries = values::legend(found.matrix, &found.rows, &values);
    let title = found.title();
    let below = options.curve && paper.width < WIDE;
    let curve_height = if below { CURVE_HEIGHT + TIME_AXIS_HEIGHT + CURVE_GAP } else { 0.0 };
    let around = Sheet::height_around(paper, &title, &entries) + key::HEIGHT;
    let wanted = around + found.wanted_height(options) + TIME_AXIS_HEIGHT + curve_height;
    let mut sheet = Sheet::new(paper, &title, wanted.round());
    sheet.reserve_caption();
    sheet.legend(&entries);
    let is_mode = options.shading == Shading::Mode;
    let key_room = sheet.take_bottom(key::HEIGHT);
    let curve_frame = options.curve.then(|| match below {
        true => {
            sheet.take_bottom(TIME_AXIS_HEIGHT);
            let frame = sheet.take_bottom(CURVE_HEIGHT);
            sheet.take_bottom(CURVE_GAP);
            frame
        }
        false => {
            sheet.take_right(CURVE_GAP);
            sheet.take_right(CURVE_WIDTH)
        }
    });
    sheet.take_bottom(TIME_AXIS_HEIGHT);
    let names = found.names(options, &sheet.room);
    sheet.take_left(names.as_ref().map_or(0.0, Names::width));
    // The last mark of the axis stands around the end of the plot.
    sheet.take_right(8.0);
    let plot = sheet.room;
    let times = found.times()?;
    let scale = TimeScale::new(scope.window(), &times.unit);
    sheet.time_axis(&plot, scope.window(), &scale);
    if let Some(names) = names {
        names.draw(&mut sheet, &plot);
    }
    let canvas = Canvas::in_frame(&plot, paper);
    let shown = found.shown(&canvas, options)?;
    key::draw(&mut sheet, &key_room, is_mode.then_some(options.intensity), Marks::of(&shown));
    let drawn = found.painter(&values, options)?.draw(&shown, &canvas);
    let mut panels = vec![drawn.panel("overview", plot)];
    if let (Some(frame), Some(answer)) = (curve_frame, &found.curve) {
        let bottom = if below { frame.y1 } else { plot.y1 };
        let frame = Bounds { y1: bottom, ..frame };
        panels.push(curve::panel(&mut sheet, &frame, &answer.curve, &found.answer));
    }
    found.notes().into_iter().for_each(|note| sheet.note(note));
    Ok(sheet.finish(title, panels))
}

/// The overview alone: x is ticks from the begin of the window, y is rows. Along space alone it is
/// a treemap, in pixels.
pub fn scene(
    scope: &Scope<'_>,
    appearance: &Appearance,
    canvas: &Canvas,
    options: &OverviewOptions,
) -> Result<Drawn> {
    if options.axis == Axis::Space {
        return treemap::scene(scope, appearance, canvas, &as_treemap(options));
    }
    let matrix = Matrix::new(scope, options.slices, &options.metric)?;
    scene_of(&matrix, scope, appearance, canvas, options)
}

/// The same of a matrix that is known, along time or along both axes.
pub fn scene_of(
    matrix: &Matrix,
    scope: &Scope<'_>,
    appearance: &Appearance,
    canvas: &Canvas,
    options: &OverviewOptions,
) -> Result<Drawn> {
    let found = Found::new(matrix, &OverviewOptions { curve: false, ..options.clone() })?;
    let values = values::looks(scope, appearance, canvas.theme, found.matrix);
    let shown = found.shown(canvas, options)?;
    let drawn = found.painter(&values, options)?.draw(&shown, canvas);
    Ok(Drawn { notes: found.notes(), ..drawn })
}

/// The same question for a treemap of the parts that look alike.
fn as_treemap(options: &OverviewOptions) -> TreemapOptions {
    let mut only = Vec::new();
    let measure = match &options.metric {
        Metric::States { .. } => Measure::StateTime { inclusive: false },
        Metric::Events => Measure::EventCount,
        Metric::Bytes(end) => {
            Measure::Link { measure: LinkMeasure::Size, end: *end, border: Crossing::Clip }
        }
        Metric::Variable(name) => {
            only.push(name.clone());
            Measure::Variable(VariableMeasure::Integral)
        }
    };
    TreemapOptions {
        what: What::Measure(measure),
        only,
        idle: matches!(options.metric, Metric::States { idle: true }),
        detail: Detail::Optimal(options.choice),
        ..TreemapOptions::default()
    }
}

/// What was found out about a trace.
struct Found<'m> {
    matrix: &'m Matrix,
    rows: Rows,
    answer: OverviewAnswer,
    curve: Option<CurveAnswer>,
}

impl<'m> Found<'m> {
    fn new(matrix: &'m Matrix, options: &OverviewOptions) -> Result<Self> {
        if matrix.values.is_empty() {
            let why = format!("nothing of what is seen has any {}", options.metric.name());
            return Err(ViewError::Nothing(why));
        }
        let OverviewOptions { axis, gain, memory, .. } = *options;
        let watch = Watch::default();
        let asked = PartitionOptions { axis, gain, memory };
        let (answer, curve) = Overview::with(matrix, &asked, watch, |overview| {
            let answer = overview.partition(options.choice, watch)?;
            let curve = options
                .curve
                .then(|| overview.curve(CurveLimits::DRAFT, StartRule::default(), watch));
            Ok((answer, curve.transpose()?))
        })?;
        Ok(Self { rows: Rows::new(matrix), matrix, answer, curve })
    }

    fn times(&self) -> Result<&Times> {
        let none = || ViewError::Nothing("nothing tells when the slices are".to_owned());
        self.matrix.times.as_ref().ok_or_else(none)
    }

    fn wanted_height(&self, options: &OverviewOptions) -> f64 {
        match options.axis {
            Axis::Both => (self.rows.n() as f64 * ROW).clamp(ROWS.0, ROWS.1),
            _ => STRIP,
        }
    }

    /// The names of the rows, where there are rows.
    fn names(&self, options: &OverviewOptions, room: &Bounds) -> Option<Names> {
        let has_rows = options.axis == Axis::Both;
        has_rows.then(|| Names::new(self.matrix, &self.rows, room.height(), room.width()))
    }

    fn shown(&self, canvas: &Canvas, options: &OverviewOptions) -> Result<Vec<Shown>> {
        let n_slices = self.matrix.cells.n_slices();
        if (n_slices as f64) > canvas.width {
            let (n_slices, most) = (grouped(n_slices as u64), canvas.width.max(0.0) as u64);
            return Err(ViewError::Nothing(format!(
                "{n_slices} slices do not fit into the width of the picture; take at most {most}"
            )));
        }
        let row_height = canvas.height / self.rows.n() as f64;
        let areas = Areas::new(&self.matrix.tree, &self.answer.areas, &self.rows);
        Ok(areas.shown(n_slices, row_height, options.thinnest))
    }

    fn painter<'a>(
        &'a self,
        values: &'a [ValueLook],
        options: &OverviewOptions,
    ) -> Result<Painter<'a>> {
        Ok(Painter {
            matrix: self.matrix,
            rows: &self.rows,
            times: self.times()?,
            values,
            shading: options.shading,
            intensity: options.intensity,
        })
    }

    fn title(&self) -> String {
        let n_areas = count_of(self.answer.areas.len() as u64, "area");
        format!("Overview of {}, {n_areas}", self.matrix.metric)
    }

    /// How much the picture sums up, and what it leaves out.
    fn notes(&self) -> Vec<String> {
        let cells = &self.matrix.cells;
        let (n_leaves, n_slices) = (cells.n_leaves(), cells.n_slices());
        let mut notes = vec![format!(
            "{} cells ({} × {}) in {}",
            grouped((n_leaves * n_slices) as u64),
            count_of(n_leaves as u64, "container"),
            count_of(n_slices as u64, "slice"),
            count_of(self.answer.areas.len() as u64, "area"),
        )];
        if self.rows.n_empty() > 0 {
            let n_empty = count_of(self.rows.n_empty() as u64, "container");
            notes.push(format!("{n_empty} without any {} left out", self.matrix.metric));
        }
        notes
    }
}
