//! How many containers are in each value over time: stacked areas, a range of mountains.

use onca_answer::{SliceTimes, slice_times};
use onca_layout::axis;
use onca_model::{Nature, ValueId, Window, format::rounded};
use onca_query::{Appearance, Scope};
use onca_scene::{Bounds, Figure, Layer, Line, Lines, Pick, Point, Polygons, Scene, Title, Titles};
use serde::{Deserialize, Serialize};

use crate::options::ViewOptions;
use crate::registry::{Needs, View, drawn_from_scope};
use crate::{
    Canvas, Drawn, Paper, Result, TimeScale, UprightAxis, ViewError,
    bands::Bands,
    quantity::brief,
    sheet::{Sheet, TIME_AXIS_HEIGHT},
};

/// How many containers are in each state over time
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render concurrency run.paje -o mountains.svg
  onca render concurrency run.paje --slices 50 --from 1s --to 2s -o mountains.png")
)]
pub struct ConcurrencyOptions {
    /// Cut the window into this many slices; one for each pixel by default
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))
    )]
    pub slices: Option<u32>,
}

impl ViewOptions for ConcurrencyOptions {}

/// How many containers are in each state over time.
pub struct Concurrency;

impl View for Concurrency {
    type Options = ConcurrencyOptions;
    const NAME: &str = "concurrency";
    const TITLE: &str = "Concurrency";
    const NEEDS: Needs = Needs::States;
    const HAS_TIME: bool = true;

    drawn_from_scope!();
}

/// The height of the plot, if it may choose.
const HEIGHT: f64 = 280.0;
/// Marks of the axis are at least this far apart.
const MARK_APART: f64 = 15.0;
/// The axis at the left takes this much.
const AXIS_WIDTH: f64 = 58.0;

/// The mountains on a page.
pub fn figure(
    scope: &Scope<'_>,
    appearance: &Appearance,
    paper: &Paper,
    options: &ConcurrencyOptions,
) -> Result<Figure> {
    let title = "Containers in each state over time";
    let plot_width = (paper.inner_width() - AXIS_WIDTH - 8.0).max(1.0);
    let range = Range::new(scope, appearance, paper.theme, slices_for(options, plot_width))?;
    let entries = range.bands.legend(range.whole(), paper.theme);
    let around = Sheet::height_around(paper, title, &entries) + TIME_AXIS_HEIGHT;
    let mut sheet = Sheet::new(paper, title, around + HEIGHT);
    range.notes().into_iter().for_each(|note| sheet.note(note));
    sheet.legend(&entries);
    sheet.take_bottom(TIME_AXIS_HEIGHT);
    sheet.take_left(AXIS_WIDTH);
    sheet.take_right(8.0);
    sheet.take_top(6.0);
    let plot = sheet.room;
    let window = scope.window();
    sheet.time_axis(&plot, window, &TimeScale::new(window, &scope.catalog().facts.unit));
    sheet.left_axis(&plot, &range.marks(&plot), "containers");
    let drawn = range.draw(&Canvas::in_frame(&plot, paper));
    let description = format!("{title}: {} values", range.bands.list.len());
    Ok(sheet.finish(description, vec![drawn.panel("concurrency", plot)]))
}

/// The mountains alone: ticks to the right, containers upwards.
pub fn scene(
    scope: &Scope<'_>,
    appearance: &Appearance,
    canvas: &Canvas,
    options: &ConcurrencyOptions,
) -> Result<Drawn> {
    let range = Range::new(scope, appearance, canvas.theme, slices_for(options, canvas.width))?;
    let marks = range.marks(&canvas.bounds()).into_iter();
    let containers = |y: f64| (1.0 - y / canvas.height) * range.top();
    let marks = marks.map(|(y, text)| (containers(y), text)).collect();
    let upright = Some(UprightAxis { name: "containers".to_owned(), marks });
    Ok(Drawn { notes: range.notes(), upright, ..range.draw(canvas) })
}

/// As many slices as asked for, or as can be seen.
fn slices_for(options: &ConcurrencyOptions, width: f64) -> usize {
    options.slices.map_or(width.clamp(1.0, 4096.0) as usize, |n| n as usize)
}

/// The mean number of containers in each band, slice by slice.
struct Range {
    window: Window,
    slices: Vec<Window>,
    bands: Bands,
    /// For each band the mean in each slice.
    means: Vec<Vec<f64>>,
    /// How many tracks of states there are: no more containers can be in a state.
    n_tracks: u64,
    several_types: bool,
}

impl Range {
    fn new(
        scope: &Scope<'_>,
        appearance: &Appearance,
        theme: crate::Theme,
        n_slices: usize,
    ) -> Result<Self> {
        let window = scope.window();
        let containers: Vec<_> =
            scope.tracks(Nature::State).map(|(_, track, _)| track.container).collect();
        if window.from >= window.to {
            return Err(ViewError::Nothing("no time passes in the window".to_owned()));
        }
        if containers.is_empty() {
            return Err(ViewError::Nothing("no container that is seen has states".to_owned()));
        }
        let length = usize::try_from(window.to.saturating_sub(window.from)).unwrap_or(usize::MAX);
        let answer = slice_times(scope, n_slices.min(length))?;
        let bands = Bands::new(scope, appearance, theme, totals(&answer));
        let mut means = vec![vec![0.0; answer.slices.len()]; bands.list.len()];
        for (value, times) in &answer.values {
            let Some(band) = bands.of(*value) else { continue };
            for (slice, (mean, ticks)) in means[band].iter_mut().zip(times).enumerate() {
                let Window { from, to } = answer.slices[slice];
                *mean += *ticks as f64 / (to - from) as f64;
            }
        }
        Ok(Self {
            window,
            slices: answer.slices,
            bands,
            means,
            n_tracks: containers.len() as u64,
            several_types: containers.windows(2).any(|pair| pair[0] == pair[1]),
        })
    }

    /// The time of all containers, in states or not.
    fn whole(&self) -> i128 {
        let length = i128::from(self.window.to) - i128::from(self.window.from);
        i128::from(self.n_tracks) * length
    }

    /// The upper end of the plot: a little above what there can be.
    fn top(&self) -> f64 {
        self.n_tracks as f64 * 1.04
    }

    /// Round numbers of containers, and how many there are.
    fn marks(&self, plot: &Bounds) -> Vec<(f64, String)> {
        let limit = self.n_tracks as f64;
        let y_of = |number: f64| plot.y1 - number / self.top() * plot.height();
        let most = (plot.height() / 28.0).clamp(1.0, 10.0) as usize;
        let round = axis::ticks(0.0, limit, most + 1).at.into_iter();
        let round = round.filter(|at| at.fract() == 0.0 && y_of(*at) - y_of(limit) >= MARK_APART);
        round.chain([limit]).map(|number| (y_of(number), brief(number))).collect()
    }

    fn notes(&self) -> Vec<String> {
        let note = "a container counts once for each type of its states";
        self.several_types.then(|| note.to_owned()).into_iter().collect()
    }

    fn draw(&self, canvas: &Canvas) -> Drawn {
        let (mut polygons, mut titles) = (Polygons::default(), Titles::default());
        let mut floor = vec![0.0; self.slices.len()];
        let length = (self.window.to as f64 - self.window.from as f64).max(1.0);
        for (band, means) in self.bands.list.iter().zip(&self.means) {
            let ceiling: Vec<f64> =
                floor.iter().zip(means).map(|(floor, mean)| floor + mean).collect();
            let polygon = polygons.add(self.outline(&floor, &ceiling), band.color);
            polygon.pick = band.pick();
            if canvas.titles {
                let mean = rounded(band.ticks as f64 / length);
                let most = means.iter().copied().fold(0.0, f64::max);
                let text = format!(
                    "{}\n{mean} containers on average, {} at most",
                    band.name,
                    rounded(most)
                );
                polygon.title = titles.add(text);
            }
            floor = ceiling;
        }
        let layers = vec![Layer::Polygons(polygons), Layer::Lines(self.limit(canvas))];
        let view = Bounds::new(self.window.from as f64, self.top(), self.window.to as f64, 0.0);
        Drawn::plain(Scene { layers, titles }, view)
    }

    /// A step for each slice: along the ceiling, and back along the floor. Steps of equal height
    /// are one.
    fn outline(&self, floor: &[f64], ceiling: &[f64]) -> Vec<Point> {
        let mut points = self.steps(ceiling);
        points.extend(self.steps(floor).into_iter().rev());
        points
    }

    fn steps(&self, heights: &[f64]) -> Vec<Point> {
        let mut points: Vec<Point> = Vec::new();
        for (slice, &height) in self.slices.iter().zip(heights) {
            let (from, to) = (slice.from as f64, slice.to as f64);
            match points.last_mut() {
                Some(last) if last.y == height => last.x = to,
                _ => points.extend([Point::new(from, height), Point::new(to, height)]),
            }
        }
        points
    }

    /// The line that the mountains cannot exceed.
    fn limit(&self, canvas: &Canvas) -> Lines {
        let y = self.n_tracks as f64;
        let ends = [self.window.from, self.window.to];
        Lines {
            points: ends.map(|ticks| Point::new(ticks as f64, y)).to_vec(),
            lines: vec![Line {
                points: 0..2,
                color: canvas.theme.colors().axis,
                width: 1.0,
                dashed: true,
                title: Title::NONE,
                pick: Pick::NOTHING,
            }],
        }
    }
}

/// The time in each value.
fn totals(answer: &SliceTimes) -> Vec<(ValueId, i128)> {
    answer.values.iter().map(|(value, times)| (*value, times.iter().sum())).collect()
}
