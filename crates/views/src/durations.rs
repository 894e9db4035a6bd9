//! How long the states of a value last, over time: points, or their density where there are many.

use onca_answer::{DurationOf, DurationScatter, Subject, duration_bin, durations, value_of_states};
use onca_model::{
    Window,
    format::{count_of, grouped},
};
use onca_query::{Appearance, Scope, container_path};
use onca_scene::{Bounds, CLEAR, Figure, Layer, Rect, Scene, Titles};
use serde::{Deserialize, Serialize};

use crate::options::ViewOptions;
use crate::registry::{Material, Needs, View};
use crate::sheet::{Sheet, TIME_AXIS_HEIGHT};
use crate::time_scale::duration;
use crate::{
    Canvas, Drawn, Paper, Result, Ruler, TimeScale, UprightAxis, ViewError, color, names, pick_of,
    quantity::{Quantity, Scale},
};

/// How long the states of a value last, over time
///
/// Each state is a point: to the right when it begins, upwards how long it lasts. Where there are more
/// than can be told apart, the colour of a cell tells how many fall on it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render durations run.paje -o durations.svg
  onca render durations run.paje --value MPI_Wait --duration-scale linear -o waits.pdf
  onca render durations run.paje --value dgemm --points 50000 -o kernels.png")
)]
pub struct DurationsOptions {
    /// Of which value; by default the one with the most time
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub value: Option<String>,

    /// How durations are spread over the height; chosen by the durations by default
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "SCALE"))]
    pub duration_scale: Option<Ruler>,

    /// Draw at most this many states as points; more are counted
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "N",
            value_parser = clap::value_parser!(u32).range(..=200_000),
            default_value_t = 4_000
        )
    )]
    pub points: u32,
}

impl Default for DurationsOptions {
    fn default() -> Self {
        Self { value: None, duration_scale: None, points: 4_000 }
    }
}

impl ViewOptions for DurationsOptions {}

/// How long the states of a value last, over time.
pub struct DurationsView;

impl View for DurationsView {
    type Options = DurationsOptions;
    const NAME: &str = "durations";
    const TITLE: &str = "Durations";
    const NEEDS: Needs = Needs::States;
    const HAS_TIME: bool = true;

    fn scene(
        material: &Material<'_>,
        canvas: &Canvas,
        options: &DurationsOptions,
    ) -> Result<Drawn> {
        let Material { scope, appearance, .. } = *material;
        let chart = Chart::new(scope, appearance, canvas, options)?;
        let marks = chart.marks(&canvas.bounds());
        let upright = Some(UprightAxis { name: format!("duration of {}", chart.name), marks });
        Ok(Drawn { notes: chart.notes(), upright, ..chart.draw(canvas) })
    }

    fn figure(
        material: &Material<'_>,
        paper: &Paper,
        options: &DurationsOptions,
    ) -> Result<Figure> {
        let Material { scope, appearance, .. } = *material;
        let around = Sheet::height_around(paper, "", &[]) + TIME_AXIS_HEIGHT;
        let wide = Bounds::new(0.0, 0.0, paper.inner_width() - AXIS_WIDTH - 8.0, HEIGHT);
        let chart = Chart::new(scope, appearance, &Canvas::in_frame(&wide, paper), options)?;
        let title = format!("Duration of {}", chart.name);
        let mut sheet = Sheet::new(paper, &title, around + HEIGHT);
        chart.notes().into_iter().for_each(|note| sheet.note(note));
        sheet.take_bottom(TIME_AXIS_HEIGHT);
        sheet.take_left(AXIS_WIDTH);
        sheet.take_right(8.0);
        sheet.take_top(6.0);
        let plot = sheet.room;
        let window = scope.window();
        sheet.time_axis(&plot, window, &TimeScale::new(window, &scope.catalog().facts.unit));
        sheet.left_axis(&plot, &chart.marks(&plot), "duration");
        let drawn = chart.draw(&Canvas::in_frame(&plot, paper));
        let description = format!("{title}: {}", count_of(chart.found.n_states, "state"));
        Ok(sheet.finish(description, vec![drawn.panel("durations", plot)]))
    }
}

/// The height of the plot, if it may choose.
const HEIGHT: f64 = 300.0;
/// The axis at the left takes this much.
const AXIS_WIDTH: f64 = 66.0;
/// Half the side of a point, in pixels, and that of one that many stand beside.
const POINT: f64 = 2.0;
const SMALL_POINT: f64 = 1.25;
/// From this many points on, they are small.
const MANY: usize = 1_000;
/// A cell of the density is about this wide, in pixels.
const CELL: f64 = 3.0;
/// A point can be seen through this much: many on one place are darker.
const OPACITY: f64 = 0.75;

struct Chart<'a> {
    scope: &'a Scope<'a>,
    name: String,
    found: DurationScatter,
    n_columns: usize,
    scale: Scale,
    quantity: Quantity,
    color: onca_model::Color,
}

impl<'a> Chart<'a> {
    fn new(
        scope: &'a Scope<'a>,
        appearance: &Appearance,
        canvas: &Canvas,
        options: &DurationsOptions,
    ) -> Result<Self> {
        let value = value_of_states(scope, options.value.as_deref())?;
        let n_columns = (canvas.width / CELL).clamp(1.0, 4096.0) as usize;
        let found = durations(scope, value, options.points as usize, n_columns)?;
        let name = names::of_values(scope, &[value]).swap_remove(0);
        let Some((shortest, longest)) = found.extent.map(|(a, b)| (a as f64, b as f64)) else {
            let why = format!("no state {name} that lasts begins in the window");
            return Err(ViewError::Nothing(why));
        };
        let ruler = options.duration_scale.unwrap_or(Ruler::fitting(shortest, longest));
        let scale = match ruler {
            Ruler::Linear => Scale { ruler, from: 0.0, to: longest * 1.05 },
            Ruler::Log => Scale { ruler, from: shortest / 1.15, to: longest * 1.15 },
        };
        let quantity = Quantity::Time(scope.catalog().facts.unit.clone());
        let color = color::legible(
            color::over(appearance.of_value(value).color, canvas.theme.colors().background),
            canvas.theme.colors().background,
        );
        Ok(Self { scope, name, found, n_columns, scale, quantity, color })
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![match self.found.states.is_empty() {
            true => {
                let most = self.found.cells.values().copied().max().unwrap_or(0);
                let states = count_of(self.found.n_states, "state");
                format!("{states} as their density, up to {} in a cell", grouped(most))
            }
            false => count_of(self.found.n_states, "state"),
        }];
        if self.found.n_instants > 0 {
            let instants = count_of(self.found.n_instants, "state");
            notes.push(match self.scale.ruler {
                Ruler::Log => format!("{instants} without length not shown"),
                Ruler::Linear => format!("{instants} without length at the foot"),
            });
        }
        notes
    }

    fn marks(&self, plot: &Bounds) -> Vec<(f64, String)> {
        let most = (plot.height() / 28.0).clamp(2.0, 10.0) as usize;
        let ticks = self.quantity.ticks(self.scale.ruler, self.scale.from, self.scale.to, most);
        let y_of = |ticks: f64| plot.y1 - self.scale.share(ticks) * plot.height();
        ticks.into_iter().map(|at| (y_of(at), self.quantity.text(at))).collect()
    }

    /// The chart alone: ticks to the right, pixels down.
    fn draw(&self, canvas: &Canvas) -> Drawn {
        let mut titles = Titles::default();
        let rects = match self.found.states.is_empty() {
            true => self.cells(canvas, &mut titles),
            false => self.points(canvas, &mut titles),
        };
        let Window { from, to } = self.scope.window();
        let view = Bounds::new(from as f64, 0.0, to as f64, canvas.height);
        Drawn::plain(Scene { layers: vec![Layer::Rects(rects)], titles }, view)
    }

    fn y(&self, ticks: f64, canvas: &Canvas) -> f64 {
        canvas.height * (1.0 - self.scale.share(ticks))
    }

    fn points(&self, canvas: &Canvas, titles: &mut Titles) -> Vec<Rect> {
        let states = &self.found.states;
        let half = if states.len() < MANY { POINT } else { SMALL_POINT };
        let Window { from, to } = self.scope.window();
        let per_pixel = (to as f64 - from as f64) / canvas.width.max(1.0);
        let fill = color::faded(self.color, OPACITY);
        let is_shown = |state: &&DurationOf| state.ticks > 0 || self.scale.ruler == Ruler::Linear;
        let point = |state: &DurationOf| {
            let (x, y) = (state.start as f64, self.y(state.ticks as f64, canvas));
            let across = half * per_pixel;
            let bounds = Bounds::new(x - across, y - half, x + across, y + half);
            let mut rect = Rect::plain(bounds, fill);
            rect.pick = pick_of(Subject::Entity(state.lane, state.row));
            if canvas.titles {
                rect.title = titles.add(self.title(state));
            }
            rect
        };
        states.iter().filter(is_shown).map(point).collect()
    }

    fn title(&self, state: &DurationOf) -> String {
        let catalog = self.scope.catalog();
        let container = catalog.lanes[state.lane.index()].container;
        let facts = &catalog.facts;
        let since = state.start.saturating_sub(facts.start) as f64;
        format!(
            "{}\n{}\n{} at {}",
            container_path(&catalog.containers, container),
            self.name,
            duration(state.ticks as f64, &facts.unit),
            duration(since, &facts.unit),
        )
    }

    fn cells(&self, canvas: &Canvas, titles: &mut Titles) -> Vec<Rect> {
        let most = self.found.cells.values().copied().max().unwrap_or(1) as f64;
        let shades = Scale { ruler: Ruler::Log, from: 0.5, to: most };
        let Window { from, to } = self.scope.window();
        let (begin, width) = (from as f64, (to as f64 - from as f64) / self.n_columns as f64);
        let cell = |(&(column, bin), &count): (&(u32, u32), &u64)| {
            let (shortest, longest) = duration_bin(bin);
            let x = begin + f64::from(column) * width;
            let (top, foot) = (self.y(longest, canvas), self.y(shortest, canvas));
            // What is far below the longest has cells of no height on a linear scale.
            let bounds = Bounds::new(x, top.min(foot - 1.0), x + width, foot);
            let fill = color::quantity(shades.share(count as f64), canvas.theme);
            let mut rect = Rect { edge: CLEAR, ..Rect::plain(bounds, fill) };
            if canvas.titles {
                let (from, to) = (self.quantity.text(shortest), self.quantity.text(longest));
                rect.title = titles.add(format!("{}\n{from} to {to}", count_of(count, "state")));
            }
            rect
        };
        self.found.cells.iter().map(cell).collect()
    }
}
