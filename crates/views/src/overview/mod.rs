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

use onca_aggregate::overview::{CurveLimits, StartRule, Watch};
use onca_aggregate::slice::Crossing;
use onca_answer::overview::{Choice, CurveAnswer, Matrix, Metric, Overview, OverviewAnswer, Times};
use onca_answer::slice::{LinkMeasure, Measure, VariableMeasure, What};
use onca_model::format::{count_of, grouped};
use onca_query::{Appearance, Scope};
use onca_scene::{Bounds, Figure};
use serde::{Deserialize, Serialize};

use crate::options::{AxisName, PartitionOptions, ViewOptions};
use crate::registry::{Material, NoMemory, Tab, View};
use crate::{
    Canvas, Drawn, Paper, Result, TimeScale, ViewError,
    sheet::{Sheet, TIME_AXIS_HEIGHT},
    treemap::{self, Detail, TreemapOptions, Understood},
};
use areas::{Areas, Shown};
use hierarchy::Names;
use key::Marks;
use paint::Painter;
use rows::Rows;
use values::ValueLook;

/// The optimal partition in space and time: which parts of a trace look alike
///
/// An area has the colour of its strongest value, the fainter the smaller that value's share. Areas
/// that were joined only because they are too thin to be drawn have a diagonal line where their
/// parts agree in time, and a cross where they do not.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render overview run.paje -o run.svg
  onca render overview run.paje --p 0.2 --slices 60 -o run.pdf
  onca render overview run.paje --all-values --no-curve -o run.png
  onca render overview run.paje --axis time -o strip.svg")
)]
pub struct OverviewOptions {
    /// The trade-off, from 0 (nothing may be hidden) to 1
    #[cfg_attr(feature = "clap", arg(long, value_name = "P"))]
    pub p: Option<f64>,

    /// What is aggregated, and how.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub partition: PartitionOptions,

    /// Cut the window into this many slices
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 30))]
    pub slices: usize,

    /// Show all values of an area, stacked, instead of the strongest
    #[cfg_attr(feature = "clap", arg(long))]
    pub all_values: bool,

    /// Let the time in no state make colours fainter
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "all_values"))]
    pub by_amount: bool,

    /// Draw rows together that are thinner than this, in pixels
    #[cfg_attr(feature = "clap", arg(long, value_name = "PIXELS", default_value_t = 3.0))]
    pub thinnest: f64,

    /// Leave out the curve of gain and loss
    #[cfg_attr(feature = "clap", arg(long = "no-curve", action = clap::ArgAction::SetFalse))]
    pub curve: bool,
}

impl Default for OverviewOptions {
    fn default() -> Self {
        Self {
            p: None,
            partition: PartitionOptions::default(),
            slices: 30,
            all_values: false,
            by_amount: false,
            thinnest: 3.0,
            curve: true,
        }
    }
}

impl ViewOptions for OverviewOptions {}

impl OverviewOptions {
    fn axis(&self) -> AxisName {
        self.partition.axis
    }

    /// Which trade-off is taken.
    fn choice(&self) -> Choice {
        match (self.p, self.partition.p_rank) {
            (Some(p), _) => Choice::P(p),
            (None, Some(rank)) => Choice::Rank(rank),
            (None, None) => Choice::Start(self.partition.rule()),
        }
    }

    fn shading(&self) -> Shading {
        if self.all_values { Shading::AllValues } else { Shading::Mode }
    }

    fn intensity(&self) -> Intensity {
        if self.by_amount { Intensity::Amount } else { Intensity::Share }
    }
}

/// What an area shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shading {
    /// Its strongest value.
    Mode,
    /// All its values, stacked.
    AllValues,
}

/// What the strength of a colour means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Intensity {
    /// The share of the strongest value among all values.
    Share,
    /// The mean of the strongest value: time in no state makes it fainter.
    Amount,
}

/// The optimal partition in space and time.
pub struct OverviewView;

impl View for OverviewView {
    type Options = OverviewOptions;
    const NAME: &str = "overview";
    const TITLE: &str = "Overview";
    const TAB: Tab = Tab::Overview;
    const HAS_TIME: bool = true;

    fn scene(material: &Material<'_>, canvas: &Canvas, options: &OverviewOptions) -> Result<Drawn> {
        let Material { scope, appearance, .. } = *material;
        if options.axis() == AxisName::Space {
            let options = as_treemap(options, scope)?;
            return treemap::scene_of(scope, appearance, canvas, &options);
        }
        let metric = options.partition.metric();
        let matrix = material.memory.matrix(scope, options.slices, &metric)?;
        scene_of(&matrix, scope, appearance, canvas, options)
    }

    fn figure(material: &Material<'_>, paper: &Paper, options: &OverviewOptions) -> Result<Figure> {
        figure(material.scope, material.appearance, paper, options)
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
    if options.axis() == AxisName::Space {
        return treemap::figure_of(scope, appearance, paper, &as_treemap(options, scope)?);
    }
    let matrix = Matrix::new(scope, options.slices, &options.partition.metric())?;
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
    let is_mode = options.shading() == Shading::Mode;
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
    key::draw(&mut sheet, &key_room, is_mode.then_some(options.intensity()), Marks::of(&shown));
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

/// The overview alone. Along space alone it is a treemap, in pixels.
pub fn scene(
    scope: &Scope<'_>,
    appearance: &Appearance,
    canvas: &Canvas,
    options: &OverviewOptions,
) -> Result<Drawn> {
    let material = Material { scope, appearance, platform: None, memory: &NoMemory };
    OverviewView::scene(&material, canvas, options)
}

/// The overview alone, of a matrix, along time or along both axes: x is ticks from the begin of the
/// window, y is rows.
fn scene_of(
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
fn as_treemap(options: &OverviewOptions, scope: &Scope<'_>) -> Result<Understood> {
    let mut only = Vec::new();
    let measure = match options.partition.metric() {
        Metric::States { .. } => Measure::StateTime { inclusive: false },
        Metric::Events => Measure::EventCount,
        Metric::Bytes(end) => {
            Measure::Link { measure: LinkMeasure::Size, end, border: Crossing::Clip }
        }
        Metric::Variable(name) => {
            only.push(name);
            Measure::Variable(VariableMeasure::Integral)
        }
    };
    let idle = options.partition.idle;
    let plain = Understood::new(&TreemapOptions { idle, ..TreemapOptions::default() }, scope)?;
    let (what, detail) = (What::Measure(measure), Detail::Optimal(options.choice()));
    Ok(Understood { what, only, detail, ..plain })
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
            let why =
                format!("nothing of what is seen has any {}", options.partition.metric().name());
            return Err(ViewError::Nothing(why));
        }
        let watch = Watch::default();
        let asked = options.partition.options();
        let (answer, curve) = Overview::with(matrix, &asked, watch, |overview| {
            let answer = overview.partition(options.choice(), watch)?;
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
        match options.axis() {
            AxisName::Both => (self.rows.n() as f64 * ROW).clamp(ROWS.0, ROWS.1),
            _ => STRIP,
        }
    }

    /// The names of the rows, where there are rows.
    fn names(&self, options: &OverviewOptions, room: &Bounds) -> Option<Names> {
        let has_rows = options.axis() == AxisName::Both;
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
            shading: options.shading(),
            intensity: options.intensity(),
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
