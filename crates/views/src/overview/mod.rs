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
use onca_answer::overview::{
    Choice, CurveAnswer, Matrix, Metric, Overview, OverviewAnswer, Simpler,
};
use onca_answer::slice::{LinkMeasure, Measure, VariableMeasure, What};
use onca_layout::{axis, text::Font};
use onca_model::format::{count_of, grouped, percent};
use onca_query::{Appearance, Scope};
use onca_scene::{Bounds, Figure, Label, Point, Rise};
use serde::{Deserialize, Serialize};

use crate::options::{AreasName, AxisName, PartitionOptions, ViewOptions};
use crate::registry::{FileFlag, Material, NoMemory, OfFile, Tab, View};
use crate::{
    Canvas, Drawn, Paper, Result, TimeScale, ViewError,
    quantity::brief,
    sheet::{LABEL_SIZE, Sheet, TIME_AXIS_HEIGHT},
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
  onca render overview run.paje --areas all -o compared.svg
  onca render overview run.paje --axis time -o strip.svg
  onca render overview --cube cube.json -o cube.svg")
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

    /// Which partition to draw: the optimum, or a simpler one to compare with it
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t))]
    pub areas: AreasName,

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
            areas: AreasName::Optimum,
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
    const FILE: Option<FileFlag> = Some(FileFlag {
        name: "cube",
        help: "Draw FILE instead of a trace: what onca overview --save-cube has written, or a matrix as JSON with \
               parent, leaves and values",
        decides: &["slices"],
    });

    fn scene(material: &Material<'_>, canvas: &Canvas, options: &OverviewOptions) -> Result<Drawn> {
        let Material { scope, appearance, .. } = *material;
        if options.axis() == AxisName::Space {
            let options = as_treemap(options, scope)?;
            return treemap::scene_of(scope, appearance, canvas, &options);
        }
        let metric = options.partition.metric();
        let matrix = material.memory.matrix(scope, options.slices, &metric)?;
        scene_of(&matrix, appearance, canvas, options)
    }

    fn figure(material: &Material<'_>, paper: &Paper, options: &OverviewOptions) -> Result<Figure> {
        figure(material.scope, material.appearance, paper, options)
    }

    fn figure_of_file(text: &str, paper: &Paper, options: &OverviewOptions) -> Result<OfFile> {
        let (matrix, lost) = Matrix::of_file(text, &options.partition.metric())?;
        Ok(OfFile { figure: figure_of_matrix(&matrix, paper, options)?, lost })
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
/// The line above each of several partitions.
const BAND_GAP: f64 = 22.0;
const OPTIMUM: &str = "optimum";

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
    let values = values::looks(Some(appearance), paper.theme, &matrix);
    found.figure(&values, paper, options)
}

/// The overview of a matrix from a file, on a page. Where nothing tells the times, slices have numbers.
pub fn figure_of_matrix(
    matrix: &Matrix,
    paper: &Paper,
    options: &OverviewOptions,
) -> Result<Figure> {
    if options.axis() == AxisName::Space {
        let why = "a matrix without a trace is drawn along time or along both axes";
        return Err(ViewError::Nothing(why.to_owned()));
    }
    let values = match &matrix.times {
        Some(_) => values::looks(None, paper.theme, matrix),
        None => values::looks_of_numbers(paper.theme, matrix),
    };
    Found::new(matrix, options)?.figure(&values, paper, options)
}

/// The overview alone. Along space alone it is a treemap, in pixels.
pub fn scene(
    scope: &Scope<'_>,
    appearance: &Appearance,
    canvas: &Canvas,
    options: &OverviewOptions,
) -> Result<Drawn> {
    let material = Material { scope, appearance, platform: None, memory: &NoMemory, before: None };
    OverviewView::scene(&material, canvas, options)
}

/// The overview alone, of a matrix, along time or along both axes: x is ticks from the begin of the
/// window, y is rows.
fn scene_of(
    matrix: &Matrix,
    appearance: &Appearance,
    canvas: &Canvas,
    options: &OverviewOptions,
) -> Result<Drawn> {
    let found = Found::new(matrix, &OverviewOptions { curve: false, ..options.clone() })?;
    let values = values::looks(Some(appearance), canvas.theme, found.matrix);
    let (bands, gap) = found.bands(canvas, options)?;
    let drawn = found.painter(&values, options).draw(&bands, gap, canvas);
    let is_mode = options.shading() == Shading::Mode;
    let scale = is_mode.then(|| key::scale(options.intensity(), canvas.theme));
    Ok(Drawn { notes: found.notes(), scale, ..drawn })
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
    optimum: OverviewAnswer,
    /// What is drawn, from top to bottom.
    bands: Vec<Band>,
    curve: Option<CurveAnswer>,
}

/// A partition that is drawn.
struct Band {
    name: &'static str,
    answer: OverviewAnswer,
}

impl Band {
    /// How many areas it has, and what it hides.
    fn summary(&self) -> String {
        let OverviewAnswer { areas, partition, whole_loss, .. } = &self.answer;
        let share = if *whole_loss > 0.0 { partition.loss / whole_loss } else { 0.0 };
        let n_areas = count_of(areas.len() as u64, "area");
        let bits = brief(partition.loss);
        format!("{}: {n_areas}, {} lost ({bits} bits)", self.name, percent(share))
    }
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
        Ok(Overview::with(matrix, &asked, watch, |overview| {
            let optimum = overview.partition(options.choice(), watch)?;
            let simpler = |simpler| overview.simpler(simpler, &optimum, watch);
            let best = || Band { name: OPTIMUM, answer: optimum.clone() };
            let grid = || Ok(Band { name: "fixed grid", answer: simpler(Simpler::Grid)? });
            let product = || Ok(Band { name: "space × time", answer: simpler(Simpler::Product)? });
            let bands: onca_answer::Result<Vec<Band>> = match options.areas {
                AreasName::Optimum => Ok(vec![best()]),
                AreasName::Grid => grid().map(|grid| vec![grid]),
                AreasName::Product => product().map(|product| vec![product]),
                AreasName::All => [grid(), product(), Ok(best())].into_iter().collect(),
            };
            let bands = bands?;
            let curve = options
                .curve
                .then(|| overview.curve(CurveLimits::DRAFT, StartRule::default(), watch));
            let curve = curve.transpose()?;
            Ok(Self { rows: Rows::new(matrix), matrix, optimum, bands, curve })
        })?)
    }

    /// The page with everything on it.
    fn figure(
        &self,
        values: &[ValueLook],
        paper: &Paper,
        options: &OverviewOptions,
    ) -> Result<Figure> {
        let entries = values::legend(self.matrix, &self.rows, values);
        let title = self.title();
        let below = options.curve && paper.width < WIDE;
        let curve_height = if below { CURVE_HEIGHT + TIME_AXIS_HEIGHT + CURVE_GAP } else { 0.0 };
        let around = Sheet::height_around(paper, &title, &entries) + key::HEIGHT;
        let wanted = around + self.wanted_height(options) + TIME_AXIS_HEIGHT + curve_height;
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
        if self.is_compared() {
            sheet.take_top(BAND_GAP);
        }
        let names = self.names(options, &sheet.room);
        sheet.take_left(names.as_ref().map_or(0.0, Names::width));
        // The last mark of the axis stands around the end of the plot.
        sheet.take_right(8.0);
        let plot = sheet.room;
        self.axis(&mut sheet, &plot);
        for (at, band) in self.bands.iter().enumerate() {
            let place = self.band_place(at, &plot);
            if let Some(names) = &names {
                names.draw(&mut sheet, &place);
            }
            if self.is_compared() {
                let middle = Point::new(place.x0, place.y0 - BAND_GAP / 2.0);
                let text = Font::Regular.fit(&band.summary(), LABEL_SIZE, place.width());
                let label = sheet.label(middle, text.unwrap_or_default(), LABEL_SIZE);
                sheet.add_label(Label { rise: Rise::Middle, ..label });
            }
        }
        let canvas = Canvas::in_frame(&plot, paper);
        let (bands, gap) = self.bands(&canvas, options)?;
        let marks = Marks::of(bands.iter().flatten());
        key::draw(&mut sheet, &key_room, is_mode.then_some(options.intensity()), marks);
        let drawn = self.painter(values, options).draw(&bands, gap, &canvas);
        let mut panels = vec![drawn.panel("overview", plot)];
        if let (Some(frame), Some(answer)) = (curve_frame, &self.curve) {
            let bottom = if below { frame.y1 } else { plot.y1 };
            let top = if below { frame.y0 } else { frame.y0.max(bottom - ROWS.1) };
            let frame = Bounds { y0: top, y1: bottom, ..frame };
            panels.push(curve::panel(&mut sheet, &frame, &answer.curve, &self.optimum));
        }
        let skipped = usize::from(self.is_compared());
        self.notes().into_iter().skip(skipped).for_each(|note| sheet.note(note));
        Ok(sheet.finish(title, panels))
    }

    /// Is there more than one partition to tell apart?
    fn is_compared(&self) -> bool {
        self.bands.len() > 1
    }

    /// Where a partition of several is in the plot.
    fn band_place(&self, at: usize, plot: &Bounds) -> Bounds {
        let height = band_height(plot.height(), self.bands.len());
        let y0 = plot.y0 + at as f64 * (height + BAND_GAP);
        Bounds { y0, y1: y0 + height, ..*plot }
    }

    /// Times, or the numbers of slices.
    fn axis(&self, sheet: &mut Sheet<'_>, plot: &Bounds) {
        if let Some(times) = &self.matrix.times {
            let window = times.bounds.window();
            return sheet.time_axis(plot, window, &TimeScale::new(window, &times.unit));
        }
        let n_slices = self.matrix.cells.n_slices();
        let most = (plot.width() / 60.0).clamp(2.0, 12.0) as usize;
        let ticks = axis::ticks(0.0, n_slices as f64, most).at.into_iter();
        let whole = ticks.filter(|at| at.fract() == 0.0);
        let x_of = |at: f64| plot.x0 + at / n_slices as f64 * plot.width();
        let marks: Vec<(f64, String)> = whole.map(|at| (x_of(at), format!("{at:.0}"))).collect();
        sheet.bottom_axis(plot, &marks, "slice");
    }

    fn wanted_height(&self, options: &OverviewOptions) -> f64 {
        let n_bands = self.bands.len() as f64;
        match options.axis() {
            AxisName::Both if self.is_compared() => {
                let rows = (self.rows.n() as f64 * ROW).clamp(ROWS.0, ROWS.1 / 2.0);
                n_bands * (rows + BAND_GAP)
            }
            AxisName::Both => (self.rows.n() as f64 * ROW).clamp(ROWS.0, ROWS.1),
            _ => STRIP,
        }
    }

    /// The names of the rows, where there are rows.
    fn names(&self, options: &OverviewOptions, room: &Bounds) -> Option<Names> {
        let has_rows = options.axis() == AxisName::Both;
        let height = band_height(room.height(), self.bands.len());
        has_rows.then(|| Names::new(self.matrix, &self.rows, height, room.width()))
    }

    /// What is drawn of each partition, and how many rows lie between two of them.
    fn bands(&self, canvas: &Canvas, options: &OverviewOptions) -> Result<(Vec<Vec<Shown>>, f64)> {
        let n_slices = self.matrix.cells.n_slices();
        if (n_slices as f64) > canvas.width {
            let (n_slices, most) = (grouped(n_slices as u64), canvas.width.max(0.0) as u64);
            return Err(ViewError::Nothing(format!(
                "{n_slices} slices do not fit into the width of the picture; take at most {most}"
            )));
        }
        let height = band_height(canvas.height, self.bands.len());
        let row_height = height / self.rows.n() as f64;
        let shown = |band: &Band| {
            let areas = Areas::new(&self.matrix.tree, &band.answer.areas, &self.rows);
            areas.shown(n_slices, row_height, options.thinnest)
        };
        Ok((self.bands.iter().map(shown).collect(), BAND_GAP / row_height))
    }

    fn painter<'a>(&'a self, values: &'a [ValueLook], options: &OverviewOptions) -> Painter<'a> {
        Painter {
            matrix: self.matrix,
            rows: &self.rows,
            times: self.matrix.times.as_ref(),
            values,
            shading: options.shading(),
            intensity: options.intensity(),
        }
    }

    fn title(&self) -> String {
        let of = format!("Overview of {}", self.matrix.metric);
        match self.bands.as_slice() {
            [band] if band.name == OPTIMUM => {
                format!("{of}, {}", count_of(band.answer.areas.len() as u64, "area"))
            }
            [band] => format!("{of}, {}", band.summary()),
            _ => format!("{of}, partitions compared"),
        }
    }

    /// How much the picture sums up, and what it leaves out. Of several partitions, the first note tells
    /// what the lines above them say.
    fn notes(&self) -> Vec<String> {
        let summaries: Vec<String> = self.bands.iter().map(Band::summary).collect();
        let cells = &self.matrix.cells;
        let (n_leaves, n_slices) = (cells.n_leaves(), cells.n_slices());
        let sizes = format!(
            "{} cells ({} × {})",
            grouped((n_leaves * n_slices) as u64),
            count_of(n_leaves as u64, "container"),
            count_of(n_slices as u64, "slice"),
        );
        let mut notes = match self.bands.as_slice() {
            [band] if band.name == OPTIMUM => {
                vec![format!("{sizes} in {}", count_of(band.answer.areas.len() as u64, "area"))]
            }
            [band] => {
                let optimum = Band { name: OPTIMUM, answer: self.optimum.clone() };
                vec![format!("{}; {}", band.summary(), optimum.summary()), sizes]
            }
            _ => vec![format!("from top to bottom: {}", summaries.join("; ")), sizes],
        };
        if self.rows.n_empty() > 0 {
            let n_empty = count_of(self.rows.n_empty() as u64, "container");
            notes.push(format!("{n_empty} without any {} left out", self.matrix.metric));
        }
        notes
    }
}

/// How high each of some partitions is in a height, with room for a line between them.
fn band_height(height: f64, n_bands: usize) -> f64 {
    let n_bands = n_bands.max(1) as f64;
    ((height - (n_bands - 1.0) * BAND_GAP) / n_bands).max(1.0)
}
