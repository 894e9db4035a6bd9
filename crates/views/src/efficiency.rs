//! How well processes used their time, slice by slice: the efficiencies of the POP project as
//! curves.

use onca_answer::{EfficiencyRow, Level, efficiency};
use onca_model::{Color, Window, format::percent};
use onca_query::{Role, Scope};
use onca_scene::{Bounds, CLEAR, Figure, Layer, Line, Lines, Pick, Point, Polygons, Rect, Scene};
use onca_scene::{Title, Titles};
use serde::{Deserialize, Serialize};

use crate::options::ViewOptions;
use crate::registry::{Material, Needs, View};
use crate::{
    Canvas, Drawn, Paper, Result, Theme, TimeScale, UprightAxis, ViewError, color,
    legend::Entry,
    sheet::{Sheet, TIME_AXIS_HEIGHT},
    time_scale::duration,
};

/// How well the processes used their time, over time
///
/// Parallel efficiency is the share of useful time: of states whose role is compute or task. The lens gives roles to values.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render efficiency run.paje -o efficiency.svg
  onca render efficiency run.paje --slices 50 --from 1s --to 2s -o efficiency.png")
)]
pub struct EfficiencyOptions {
    /// Cut the window into this many slices
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 100)
    )]
    pub slices: u32,

    /// Split communication efficiency into serialisation and transfer, which takes an analysis of who waits for whom
    #[cfg_attr(feature = "clap", arg(long))]
    pub split: bool,
}

impl Default for EfficiencyOptions {
    fn default() -> Self {
        Self { slices: 100, split: false }
    }
}

impl ViewOptions for EfficiencyOptions {}

/// How well the processes used their time, over time.
pub struct EfficiencyView;

impl View for EfficiencyView {
    type Options = EfficiencyOptions;
    const NAME: &str = "efficiency";
    const TITLE: &str = "Efficiency";
    const NEEDS: Needs = Needs::States;
    const HAS_TIME: bool = true;

    fn scene(
        material: &Material<'_>,
        canvas: &Canvas,
        options: &EfficiencyOptions,
    ) -> Result<Drawn> {
        scene(material.scope, canvas, options)
    }

    fn figure(
        material: &Material<'_>,
        paper: &Paper,
        options: &EfficiencyOptions,
    ) -> Result<Figure> {
        figure(material.scope, paper, options)
    }
}

/// The height of the plot, if it may choose.
const HEIGHT: f64 = 240.0;
/// The axis at the left takes this much.
const AXIS_WIDTH: f64 = 58.0;
/// The plot reaches this much above its highest curve, and above 100 percent.
const ABOVE: f64 = 1.04;
const AREA_OPACITY: f64 = 0.18;
/// Marks of the axis are at least this far apart.
const MARK_APART: f64 = 15.0;

/// The curves, the first filled down to 0. The last two are known only where communication is split.
const CURVES: [Curve; 5] = [
    Curve { name: "parallel efficiency", of: |row| row.efficiency.parallel },
    Curve { name: "load balance", of: |row| row.efficiency.load_balance },
    Curve { name: "communication efficiency", of: |row| row.efficiency.communication },
    Curve { name: "serialisation", of: |row| row.efficiency.split.parts().0 },
    Curve { name: "transfer", of: |row| row.efficiency.split.parts().1 },
];

struct Curve {
    name: &'static str,
    of: fn(&EfficiencyRow) -> Option<f64>,
}

impl Curve {
    /// Its value in percent; none where it would divide by 0.
    fn percent(&self, row: &EfficiencyRow) -> Option<f64> {
        (self.of)(row).map(|share| share * 100.0)
    }
}

/// The curves on a page.
pub fn figure(scope: &Scope<'_>, paper: &Paper, options: &EfficiencyOptions) -> Result<Figure> {
    let title = "Efficiency over time";
    let curves = Curves::new(scope, options)?;
    let entries = curves.legend(paper.theme);
    let around = Sheet::height_around(paper, title, &entries) + TIME_AXIS_HEIGHT;
    let mut sheet = Sheet::new(paper, title, around + HEIGHT);
    curves.notes().into_iter().for_each(|note| sheet.note(note));
    sheet.legend(&entries);
    sheet.take_bottom(TIME_AXIS_HEIGHT);
    sheet.take_left(AXIS_WIDTH);
    sheet.take_right(8.0);
    let plot = sheet.room;
    let window = scope.window();
    sheet.time_axis(&plot, window, &TimeScale::new(window, &scope.catalog().facts.unit));
    sheet.left_axis(&plot, &curves.marks(&plot), "efficiency");
    let drawn = curves.draw(scope, &Canvas::in_frame(&plot, paper));
    let description = format!("{title}: {} slices", curves.rows.len());
    Ok(sheet.finish(description, vec![drawn.panel("efficiency", plot)]))
}

/// The curves alone: ticks to the right, percent upwards.
pub fn scene(scope: &Scope<'_>, canvas: &Canvas, options: &EfficiencyOptions) -> Result<Drawn> {
    let curves = Curves::new(scope, options)?;
    let percent = |y: f64| (1.0 - y / canvas.height) * curves.top();
    let marks =
        curves.marks(&canvas.bounds()).into_iter().map(|(y, text)| (percent(y), text)).collect();
    let upright = Some(UprightAxis { name: "efficiency".to_owned(), marks });
    Ok(Drawn { notes: curves.notes(), upright, ..curves.draw(scope, canvas) })
}

struct Curves {
    window: Window,
    /// One for each slice.
    rows: Vec<EfficiencyRow>,
    /// That of the whole window.
    whole: EfficiencyRow,
    several_types: bool,
    /// How many curves there are.
    n_curves: usize,
}

impl Curves {
    fn new(scope: &Scope<'_>, options: &EfficiencyOptions) -> Result<Self> {
        let window = scope.window();
        if window.from >= window.to {
            return Err(ViewError::Nothing("no time passes in the window".to_owned()));
        }
        let length = usize::try_from(window.to.saturating_sub(window.from)).unwrap_or(usize::MAX);
        let level = Level::Whole;
        let mut found = efficiency(scope, &level, (options.slices as usize).clamp(1, length))?;
        let mut whole = efficiency(scope, &level, 1)?;
        if options.split {
            found.split(scope, &level)?;
            whole.split(scope, &level)?;
        }
        let whole = whole.rows.into_iter().next();
        let n_curves = if options.split { CURVES.len() } else { 3 };
        let none = || ViewError::Nothing("no container that is seen has states".to_owned());
        let (several_types, rows) = (found.several_types, found.rows);
        Ok(Self { window, rows, whole: whole.ok_or_else(none)?, several_types, n_curves })
    }

    fn curves(&self) -> impl Iterator<Item = &'static Curve> {
        CURVES.iter().take(self.n_curves)
    }

    /// The highest share, in percent: more than 100 where states of several types overlap.
    fn most(&self) -> f64 {
        let shares = self.rows.iter().flat_map(|row| self.curves().map(|curve| curve.percent(row)));
        shares.flatten().fold(100.0, f64::max)
    }

    /// The upper end of the plot, in percent.
    fn top(&self) -> f64 {
        self.most() * ABOVE
    }

    /// Round shares that do not touch, from the foot of the plot.
    fn marks(&self, plot: &Bounds) -> Vec<(f64, String)> {
        let n_most = (plot.height() / 28.0).clamp(1.0, 10.0) as usize;
        let top = self.top();
        let y_of = |at: f64| plot.y1 - at / top * plot.height();
        let mut marks: Vec<(f64, String)> = Vec::new();
        for at in onca_layout::axis::ticks(0.0, self.most(), n_most + 1).at {
            if marks.last().is_none_or(|(below, _)| below - y_of(at) >= MARK_APART) {
                marks.push((y_of(at), format!("{at:.0} %")));
            }
        }
        marks
    }

    /// What each curve is in the whole window.
    fn legend(&self, theme: Theme) -> Vec<Entry> {
        let entry = |(curve, color): (&Curve, Color)| Entry {
            name: curve.name.to_owned(),
            share: (curve.of)(&self.whole),
            color,
            pick: Pick::NOTHING,
        };
        self.curves().zip(colors(theme)).map(entry).collect()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.several_types {
            notes.push("states of several types of one container overlap".to_owned());
        }
        if self.whole.times.useful == 0 {
            notes.push("no value that is seen counts as useful".to_owned());
        }
        notes
    }

    fn draw(&self, scope: &Scope<'_>, canvas: &Canvas) -> Drawn {
        let (mut areas, mut lines) = (Polygons::default(), Lines::default());
        let mut titles = Titles::default();
        let (inks, top) = (colors(canvas.theme), self.top());
        for run in self.runs(&CURVES[0]) {
            let (first, last) = (run[0].x, run[run.len() - 1].x);
            let foot = [Point::new(last, 0.0), Point::new(first, 0.0)];
            areas.add(run.into_iter().chain(foot), color::faded(inks[0], AREA_OPACITY));
        }
        // The filled curve lies above the others.
        let drawn: Vec<_> = self.curves().zip(inks).collect();
        for (curve, ink) in drawn.into_iter().rev() {
            let width = if curve.name == CURVES[0].name { 2.0 } else { 1.25 };
            let title = if canvas.titles { titles.add(curve.name) } else { Title::NONE };
            for run in self.runs(curve) {
                let first = lines.points.len();
                lines.points.extend(run);
                let points = first..lines.points.len();
                let pick = Pick::NOTHING;
                lines.lines.push(Line { points, color: ink, width, dashed: false, title, pick });
            }
        }
        let rects = self.slices(scope, canvas, top, &mut titles);
        let layers = vec![Layer::Polygons(areas), Layer::Lines(lines), Layer::Rects(rects)];
        let view = Bounds::new(self.window.from as f64, top, self.window.to as f64, 0.0);
        Drawn::plain(Scene { layers, titles }, view)
    }

    /// Clear boxes over the slices, for the pointer.
    fn slices(
        &self,
        scope: &Scope<'_>,
        canvas: &Canvas,
        top: f64,
        titles: &mut Titles,
    ) -> Vec<Rect> {
        let mut rects = Vec::new();
        if !canvas.titles {
            return rects;
        }
        let facts = &scope.catalog().facts;
        for row in &self.rows {
            let since =
                |ticks: i64| duration(ticks.saturating_sub(facts.start) as f64, &facts.unit);
            let mut text = format!("{} to {}", since(row.slice.from), since(row.slice.to));
            for curve in self.curves() {
                let share = (curve.of)(row).map_or("undefined".to_owned(), percent);
                text += &format!("\n{}  {share}", curve.name);
            }
            let bounds = Bounds::new(row.slice.from as f64, 0.0, row.slice.to as f64, top);
            rects.push(Rect { title: titles.add(text), ..Rect::plain(bounds, CLEAR) });
        }
        rects
    }

    /// A curve as steps, one run for each stretch where it is defined.
    fn runs(&self, curve: &Curve) -> Vec<Vec<Point>> {
        let mut runs: Vec<Vec<Point>> = Vec::new();
        let mut goes_on = false;
        for row in &self.rows {
            let Some(height) = curve.percent(row) else {
                goes_on = false;
                continue;
            };
            let step = [row.slice.from, row.slice.to].map(|at| Point::new(at as f64, height));
            match runs.last_mut() {
                Some(run) if goes_on => run.extend(step),
                _ => runs.push(step.to_vec()),
            }
            goes_on = true;
        }
        runs
    }
}

/// The colours of the curves, to be told apart on a theme.
fn colors(theme: Theme) -> [Color; CURVES.len()] {
    let colors = theme.colors();
    let ink = |role: Role| color::legible(role.color(), colors.background);
    [colors.accent, ink(Role::Send), ink(Role::Collective), ink(Role::Wait), colors.muted]
}
