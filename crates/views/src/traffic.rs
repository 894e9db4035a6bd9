//! What is sent and received over time: bytes and messages, as lines.

use onca_aggregate::slice::{Crossing, LinkEnd};
use onca_answer::slice::{
    Aggregate, LinkMeasure, Measure, Nodes, SliceAnswer, SliceQuestion, What, slice,
};
use onca_model::{Color, Window, format::count_of, printable};
use onca_query::{Scope, palette};
use onca_scene::{
    Bounds, CLEAR, Figure, Layer, Line, Lines, Pick, Point, Rect, Scene, Title, Titles,
};
use serde::{Deserialize, Serialize};

use crate::canvas::label;
use crate::legend::Entry;
use crate::options::{LevelOptions, ViewOptions};
use crate::quantity::Quantity;
use crate::registry::{Material, Needs, View};
use crate::sheet::{Sheet, TICK_SIZE, TIME_AXIS_HEIGHT};
use crate::time_scale::duration;
use crate::{Canvas, Drawn, Paper, Result, Ruler, Theme, TimeScale, UprightAxis, ViewError, color};

/// What is sent and received over time: bytes and messages, as lines
///
/// A message counts in every slice in which it is under way; its bytes are spread over that time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render traffic run.paje -o traffic.svg
  onca render traffic run.paje --level cluster --direction sent -o sent.pdf
  onca render traffic run.paje --metric count --slices 400 -o messages.png")
)]
pub struct TrafficOptions {
    /// Which nodes have lines; by default there is one for all together.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub level: LevelOptions,

    /// What is shown; bytes and messages by default, messages alone where links have no sizes
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "METRIC"))]
    pub metric: Option<TrafficMetric>,

    /// Which end of a message counts it
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "WHICH", default_value_t))]
    pub direction: Direction,

    /// Cut the window into this many slices
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 200)
    )]
    pub slices: u32,
}

impl Default for TrafficOptions {
    fn default() -> Self {
        Self {
            level: LevelOptions::default(),
            metric: None,
            direction: Direction::default(),
            slices: 200,
        }
    }
}

impl ViewOptions for TrafficOptions {}

/// What is shown of messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum TrafficMetric {
    /// Their sizes
    Bytes,
    /// How many
    Count,
}

/// Which end of a message counts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Direction {
    /// What is sent
    Sent,
    /// What is received
    Received,
    /// Both, received dashed
    #[default]
    Both,
}

impl TrafficOptions {
    /// The ends that count. All together send what they receive: one line says both.
    fn ends(&self) -> &'static [LinkEnd] {
        match (self.direction, self.level.level()) {
            (Direction::Sent, _) | (Direction::Both, None) => &[LinkEnd::Origin],
            (Direction::Received, _) => &[LinkEnd::Destination],
            (Direction::Both, Some(_)) => &[LinkEnd::Origin, LinkEnd::Destination],
        }
    }
}

/// What is sent and received over time.
pub struct Traffic;

impl View for Traffic {
    type Options = TrafficOptions;
    const NAME: &str = "traffic";
    const TITLE: &str = "Traffic";
    const NEEDS: Needs = Needs::Links;
    const HAS_TIME: bool = true;

    fn scene(material: &Material<'_>, canvas: &Canvas, options: &TrafficOptions) -> Result<Drawn> {
        let found = Found::new(material.scope, canvas.theme, options)?;
        Ok(found.scene(canvas))
    }

    fn figure(material: &Material<'_>, paper: &Paper, options: &TrafficOptions) -> Result<Figure> {
        let scope = material.scope;
        let title = "Communication over time";
        let found = Found::new(scope, paper.theme, options)?;
        let entries = found.legend();
        let around = Sheet::height_around(paper, title, &entries) + TIME_AXIS_HEIGHT;
        let wanted = found.charts.len() as f64 * (HEIGHT + GAP) - GAP;
        let mut sheet = Sheet::new(paper, title, around + wanted);
        found.notes.iter().for_each(|note| sheet.note(note.clone()));
        sheet.legend(&entries);
        sheet.take_bottom(TIME_AXIS_HEIGHT);
        sheet.take_left(AXIS_WIDTH);
        sheet.take_right(8.0);
        sheet.take_top(6.0);
        let (room, window) = (sheet.room, scope.window());
        let height = (room.height() + GAP) / found.charts.len() as f64;
        let mut panels = Vec::new();
        for (number, chart) in found.charts.iter().enumerate() {
            let top = room.y0 + number as f64 * height;
            let plot = Bounds { y0: top, y1: (top + height - GAP).max(top), ..room };
            sheet.left_axis(&plot, &chart.marks(&plot), chart.title);
            let drawn = found.drawn(chart, &Canvas::in_frame(&plot, paper));
            panels.push(drawn.panel("traffic", plot));
            if number + 1 == found.charts.len() {
                sheet.time_axis(
                    &plot,
                    window,
                    &TimeScale::new(window, &scope.catalog().facts.unit),
                );
            }
        }
        let description = format!("{title}: {}", count_of(found.names.len() as u64, "line"));
        Ok(sheet.finish(description, panels))
    }
}

/// The height of a chart, if it may choose, and between two of them.
const HEIGHT: f64 = 180.0;
const GAP: f64 = 18.0;
/// The axis at the left takes this much.
const AXIS_WIDTH: f64 = 74.0;
/// More lines cannot be told apart: the others are summed up.
const MOST_NODES: usize = 8;
/// The upper end of a chart, of the largest amount.
const HEADROOM: f64 = 1.06;

/// What was found out.
struct Found {
    window: Window,
    /// What lines are called, by node.
    names: Vec<String>,
    colors: Vec<Color>,
    direction: Direction,
    charts: Vec<Chart>,
    notes: Vec<String>,
    /// The bounds of slices.
    bounds: Vec<f64>,
    start: f64,
    unit: onca_model::TimeUnit,
}

/// One quantity over time.
struct Chart {
    title: &'static str,
    quantity: Quantity,
    lines: Vec<Amounts>,
    largest: f64,
}

/// What one node has in each slice, at one of its ends.
struct Amounts {
    node: usize,
    end: LinkEnd,
    slices: Vec<f64>,
}

impl Found {
    fn new(scope: &Scope<'_>, theme: Theme, options: &TrafficOptions) -> Result<Self> {
        let window = scope.window();
        if window.from >= window.to {
            return Err(ViewError::Nothing("no time passes in the window".to_owned()));
        }
        let length = window.to.abs_diff(window.from);
        let n_slices = u64::from(options.slices).min(length) as usize;
        let wanted: &[TrafficMetric] = match options.metric {
            None => &[TrafficMetric::Bytes, TrafficMetric::Count],
            Some(TrafficMetric::Bytes) => &[TrafficMetric::Bytes],
            Some(TrafficMetric::Count) => &[TrafficMetric::Count],
        };
        let mut answers = Vec::new();
        for &metric in wanted {
            for &end in options.ends() {
                answers.push((metric, end, answer(scope, options, metric, end, n_slices)?));
            }
        }
        let shown = Shown::new(&answers)?;
        let mut charts = Vec::new();
        for &metric in wanted {
            let own = answers.iter().filter(|(of, ..)| *of == metric);
            let lines: Vec<Amounts> =
                own.flat_map(|(_, end, answer)| shown.amounts(*end, answer, n_slices)).collect();
            let chart = Chart::new(metric, lines);
            // Links without sizes have nothing to show but their number.
            if chart.largest > 0.0 || options.metric.is_some() {
                charts.push(chart);
            }
        }
        if charts.iter().all(|chart| chart.largest == 0.0) {
            let why = "no message is under way in what is seen";
            return Err(ViewError::Nothing(why.to_owned()));
        }
        let facts = &scope.catalog().facts;
        let bounds = &answers[0].2.bounds;
        let mut places: Vec<f64> = (0..n_slices).map(|k| bounds.slice(k).from as f64).collect();
        places.push(window.to as f64);
        Ok(Self {
            window,
            colors: shown.colors(theme),
            notes: shown.notes(),
            names: shown.names,
            direction: options.direction,
            charts,
            bounds: places,
            start: facts.start as f64,
            unit: facts.unit.clone(),
        })
    }

    fn legend(&self) -> Vec<Entry> {
        let name = |name: &String| match (self.direction, self.names.as_slice()) {
            (Direction::Both, [_]) => "all messages".to_owned(),
            (Direction::Both, _) => format!("{name}, sent (received dashed)"),
            (Direction::Sent, _) => format!("{name}, sent"),
            (Direction::Received, _) => format!("{name}, received"),
        };
        let entry = |(text, color): (&String, &Color)| Entry {
            name: name(text),
            share: None,
            color: *color,
            pick: Pick::NOTHING,
        };
        self.names.iter().zip(&self.colors).map(entry).collect()
    }

    /// A chart alone: ticks to the right, its quantity upwards.
    fn drawn(&self, chart: &Chart, canvas: &Canvas) -> Drawn {
        let mut titles = Titles::default();
        let lines = self.lines(chart, 0.0, 1.0, canvas, &mut titles);
        let rects = self.slices(&[(chart, 0.0, chart.top())], canvas, &mut titles);
        let layers = vec![Layer::Lines(lines), Layer::Rects(rects)];
        let Window { from, to } = self.window;
        let view = Bounds::new(from as f64, chart.top(), to as f64, 0.0);
        Drawn::plain(Scene { layers, titles }, view)
    }

    /// All charts above each other, in pixels down, each with a word on what it shows.
    fn scene(&self, canvas: &Canvas) -> Drawn {
        let mut titles = Titles::default();
        let n = self.charts.len() as f64;
        let height = ((canvas.height - GAP * n) / n).max(1.0);
        let colors = canvas.theme.colors();
        let Window { from, to } = self.window;
        let (mut layers, mut places, mut labels) = (Vec::new(), Vec::new(), Vec::new());
        let mut marks = Vec::new();
        for (number, chart) in self.charts.iter().enumerate() {
            let foot = (number as f64 + 1.0) * (height + GAP);
            layers.push(Layer::Lines(self.lines(
                chart,
                foot,
                -height / chart.top(),
                canvas,
                &mut titles,
            )));
            places.push((chart, foot, foot - height));
            marks.extend(chart.marks(&Bounds::new(0.0, foot - height, canvas.width, foot)));
            let text = format!("{}, up to {}", chart.title, chart.quantity.text(chart.largest));
            let at = Point::new(from as f64, foot - height - 5.0);
            labels.push(label(at, text, TICK_SIZE, colors.muted));
        }
        let rects = self.slices(&places, canvas, &mut titles);
        layers.extend([Layer::Labels(labels), Layer::Rects(rects)]);
        let view = Bounds::new(from as f64, 0.0, to as f64, canvas.height);
        // Each chart has a name of its own.
        let upright = Some(UprightAxis { name: String::new(), marks });
        let drawn = Drawn::plain(Scene { layers, titles }, view);
        Drawn { notes: self.notes.clone(), upright, ..drawn }
    }

    /// The lines of a chart, where an amount is at `foot + scale * amount`.
    fn lines(
        &self,
        chart: &Chart,
        foot: f64,
        scale: f64,
        canvas: &Canvas,
        titles: &mut Titles,
    ) -> Lines {
        let mut lines = Lines::default();
        for amounts in &chart.lines {
            let is_received = amounts.end == LinkEnd::Destination;
            let direction = if is_received { "received" } else { "sent" };
            let name = &self.names[amounts.node];
            let title = match canvas.titles {
                true => titles.add(format!("{name}\n{}, {direction}", chart.title)),
                false => Title::NONE,
            };
            let first = lines.points.len();
            for (slice, amount) in amounts.slices.iter().enumerate() {
                let y = foot + scale * amount;
                let ends = [self.bounds[slice], self.bounds[slice + 1]];
                lines.points.extend(ends.map(|x| Point::new(x, y)));
            }
            lines.lines.push(Line {
                points: first..lines.points.len(),
                color: self.colors[amounts.node],
                width: 1.5,
                dashed: is_received && self.direction == Direction::Both,
                title,
                pick: Pick::NOTHING,
            });
        }
        lines
    }

    /// Clear boxes over the slices, for the pointer: each chart from its foot to its top.
    fn slices(
        &self,
        charts: &[(&Chart, f64, f64)],
        canvas: &Canvas,
        titles: &mut Titles,
    ) -> Vec<Rect> {
        let mut rects = Vec::new();
        if !canvas.titles {
            return rects;
        }
        let time = |at: f64| duration(at - self.start, &self.unit);
        for &(chart, foot, top) in charts {
            for (slice, pair) in self.bounds.windows(2).enumerate() {
                let mut text = format!("{} to {}", time(pair[0]), time(pair[1]));
                for amounts in &chart.lines {
                    let is_received = amounts.end == LinkEnd::Destination;
                    let direction = if is_received { "received" } else { "sent" };
                    let amount = chart.quantity.text(amounts.slices[slice]);
                    text += &format!("\n{} {direction}  {amount}", self.names[amounts.node]);
                }
                let bounds = Bounds::new(pair[0], foot.min(top), pair[1], foot.max(top));
                rects.push(Rect { title: titles.add(text), ..Rect::plain(bounds, CLEAR) });
            }
        }
        rects
    }
}

impl Chart {
    fn new(metric: TrafficMetric, lines: Vec<Amounts>) -> Self {
        let largest = lines.iter().flat_map(|line| &line.slices).copied().fold(0.0, f64::max);
        let (title, quantity) = match metric {
            TrafficMetric::Bytes => ("bytes per slice", Quantity::Bytes),
            TrafficMetric::Count => ("messages under way", Quantity::Count),
        };
        Self { title, quantity, lines, largest }
    }

    fn top(&self) -> f64 {
        (self.largest * HEADROOM).max(f64::MIN_POSITIVE)
    }

    fn marks(&self, plot: &Bounds) -> Vec<(f64, String)> {
        let most = (plot.height() / 28.0).clamp(2.0, 8.0) as usize;
        let ticks = self.quantity.ticks(Ruler::Linear, 0.0, self.top(), most);
        let y_of = |at: f64| plot.y1 - at / self.top() * plot.height();
        ticks.into_iter().map(|at| (y_of(at), self.quantity.text(at))).collect()
    }
}

fn answer(
    scope: &Scope<'_>,
    options: &TrafficOptions,
    metric: TrafficMetric,
    end: LinkEnd,
    n_slices: usize,
) -> Result<SliceAnswer> {
    let measure = match metric {
        TrafficMetric::Bytes => LinkMeasure::Size,
        TrafficMetric::Count => LinkMeasure::Count,
    };
    let nodes = match &options.level {
        LevelOptions { level: Some(level), .. } => Nodes::Level(level.clone()),
        LevelOptions { depth, .. } => Nodes::Depth(depth.unwrap_or(0)),
    };
    let what = What::Measure(Measure::Link { measure, end, border: Crossing::Clip });
    let aggregate = Aggregate::Sum;
    let question = SliceQuestion { what, aggregate, nodes, n_slices, normalise: false };
    Ok(slice(scope, &question)?)
}

/// Which nodes have lines of their own.
struct Shown {
    names: Vec<String>,
    /// By node of an answer, which all have: the place of its line.
    places: Vec<usize>,
    n_summed: usize,
}

impl Shown {
    fn new(answers: &[(TrafficMetric, LinkEnd, SliceAnswer)]) -> Result<Self> {
        let none = || ViewError::Nothing("there are no containers of this level".to_owned());
        let (.., first) = answers.first().ok_or_else(none)?;
        if first.nodes.is_empty() {
            return Err(none());
        }
        let mut totals = vec![0.0; first.nodes.len()];
        // The last quantity is what every message has: its number.
        for (.., answer) in answers.iter().rev().take(1) {
            for (node, amount) in answer.rows.nodes.iter().zip(&answer.rows.amounts) {
                totals[*node as usize] += amount.to_f64();
            }
        }
        let mut order: Vec<usize> = (0..totals.len()).collect();
        order.sort_by(|a, b| totals[*b].total_cmp(&totals[*a]).then(a.cmp(b)));
        let n_own = if order.len() <= MOST_NODES { order.len() } else { MOST_NODES - 1 };
        let mut places = vec![n_own; order.len()];
        let mut own: Vec<usize> = order[..n_own].to_vec();
        own.sort_unstable();
        own.iter().enumerate().for_each(|(place, node)| places[*node] = place);
        let name = |node: &usize| match first.nodes[*node].depth {
            0 => "all".to_owned(),
            _ => printable(&first.nodes[*node].name).into_owned(),
        };
        let mut names: Vec<String> = own.iter().map(name).collect();
        let n_summed = order.len() - n_own;
        if n_summed > 0 {
            names.push(format!("{n_summed} others"));
        }
        Ok(Self { names, places, n_summed })
    }

    fn colors(&self, theme: Theme) -> Vec<Color> {
        let colors = theme.colors();
        if self.names.len() == 1 {
            return vec![colors.accent];
        }
        let named: Vec<_> = self.names.iter().map(|name| (name.as_bytes(), None)).collect();
        let ink = |color: Color| color::legible(color, colors.background);
        palette::assign(&named).into_iter().map(ink).collect()
    }

    fn notes(&self) -> Vec<String> {
        match self.n_summed {
            0 => Vec::new(),
            n => vec![format!("{} summed up in one line", count_of(n as u64, "container"))],
        }
    }

    fn amounts(&self, end: LinkEnd, answer: &SliceAnswer, n_slices: usize) -> Vec<Amounts> {
        let mut lines: Vec<Amounts> = (0..self.names.len())
            .map(|node| Amounts { node, end, slices: vec![0.0; n_slices] })
            .collect();
        let rows = &answer.rows;
        for ((node, slice), amount) in rows.nodes.iter().zip(&rows.slices).zip(&rows.amounts) {
            let place = self.places[*node as usize];
            lines[place].slices[*slice as usize] += amount.to_f64();
        }
        lines
    }
}
