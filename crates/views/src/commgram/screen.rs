//! The CommGram as a screen shows it: patterns above, the curve over time below, and phases that can be pointed at.

use onca_answer::phases::{Communication, PhasesAnswer};
use onca_layout::text::Font;
use onca_model::format::{count_of, rounded_time};
use onca_scene::{Align, Bounds, Label, Layer, Lines, Point, Rect, Rise, Scene, Titles, Weight};

use super::names::Names;
use super::strip::{self, phase_pick, x_in};
use super::{CommgramOptions, CurvePlace, NO_MESSAGES, paint, plan::Plan};
use crate::{
    Canvas, Drawn,
    canvas::{centred_label, label},
    color,
};

/// The names of patterns above the plot take this much.
const PATTERNS: f64 = 20.0;
/// Around the plot, so that no bar touches what is above or below.
const MARGIN: f64 = 6.0;
/// Lines that lead from the slots to their times, the curve, and its times.
const LEADERS: f64 = 18.0;
const CURVE: f64 = 36.0;
const TIMES: f64 = 16.0;
/// A lower picture has no curve.
const LEAST_HEIGHT: f64 = 180.0;
const PATTERN_SIZE: f64 = 12.0;
const TIME_SIZE: f64 = 11.0;

/// The picture of phases with what a page has around it. Every mark belongs to a phase, a community or a flow.
pub fn screen(
    communication: &Communication<'_>,
    answer: &PhasesAnswer,
    canvas: &Canvas,
    options: &CommgramOptions,
) -> Drawn {
    if answer.phases.is_empty() {
        return without_phases(canvas);
    }
    let rooms = Rooms::new(canvas);
    let plan = Plan::new(communication, answer, &rooms.plot, options);
    let mut screen =
        Screen { communication, answer, canvas, plan: &plan, titles: Titles::default() };
    let mut layers = vec![Layer::Rects(screen.phases())];
    layers.extend(rooms.curve.map(|curve| Layer::Lines(screen.leaders(&rooms.plot, &curve))));
    layers.extend(paint::layers(communication, answer, &plan, canvas, &mut screen.titles));
    if options.curve == CurvePlace::Over {
        layers.extend(strip::over_slots(answer, &plan, &rooms.plot, canvas));
    }
    let mut labels = screen.patterns();
    let short: Vec<String> =
        communication.processors.iter().map(|one| last_part(&one.name)).collect();
    let names = Names::new(&short, answer);
    // A page does not turn texts.
    labels.extend(names.labels(answer, &plan, 0.0, false, canvas.theme.colors()));
    if let Some(curve) = rooms.curve {
        let (window, titles) = (communication.extent, &mut screen.titles);
        layers.extend(strip::layers(communication, answer, window, &curve, canvas, titles));
        labels.extend(screen.times(&curve));
    }
    layers.push(Layer::Labels(labels));
    let scene = Scene { layers, titles: screen.titles };
    // The numbers that were asked for are beside the picture.
    Drawn::plain(scene, canvas.bounds())
}

/// The name of a node without its path.
fn last_part(path: &str) -> String {
    let is_border = |&(at, _): &(usize, &str)| !path[..at].ends_with('\\');
    let border = path.rmatch_indices('/').find(is_border);
    path[border.map_or(0, |(at, _)| at + 1)..].replace("\\/", "/")
}

/// A screen that moves through time may come to where there are no messages: it says so and goes on.
fn without_phases(canvas: &Canvas) -> Drawn {
    let at = canvas.bounds().center();
    let text = centred_label(at, NO_MESSAGES, PATTERN_SIZE, canvas.theme.colors().muted);
    let layers = vec![Layer::Rects(Vec::new()), Layer::Labels(vec![text])];
    let scene = Scene { layers, titles: Titles::default() };
    Drawn::plain(scene, canvas.bounds())
}

/// Where the parts are.
struct Rooms {
    plot: Bounds,
    curve: Option<Bounds>,
}

impl Rooms {
    fn new(canvas: &Canvas) -> Self {
        let Canvas { width, height, .. } = *canvas;
        let has_curve = height >= LEAST_HEIGHT;
        let foot = if has_curve { height - TIMES - CURVE - LEADERS } else { height };
        let top = (PATTERNS + MARGIN).min(height);
        let plot = Bounds::new(0.0, top, width, (foot - MARGIN).max(top));
        let below = height - TIMES;
        let curve = has_curve.then(|| Bounds::new(0.0, below - CURVE, width, below));
        Self { plot, curve }
    }
}

struct Screen<'a> {
    communication: &'a Communication<'a>,
    answer: &'a PhasesAnswer,
    canvas: &'a Canvas,
    plan: &'a Plan,
    titles: Titles,
}

impl Screen<'_> {
    /// The ground of each phase, from top to bottom: what is pointed at between bars and bands.
    fn phases(&mut self) -> Vec<Rect> {
        let colors = self.canvas.theme.colors();
        let slots = self.plan.slots.iter().enumerate();
        slots
            .map(|(at, slot)| {
                // Every other one is a little darker, so that neighbours are told apart.
                let fill = color::faded(colors.grid, if at % 2 == 0 { 0.0 } else { 0.3 });
                let bounds = Bounds::new(slot.x0, 0.0, slot.x1, self.plot_end());
                let text = self.canvas.titles.then(|| self.phase_text(at));
                let title = text.map(|text| self.titles.add(text)).unwrap_or_default();
                Rect { title, pick: phase_pick(at), ..Rect::plain(bounds, fill) }
            })
            .collect()
    }

    fn plot_end(&self) -> f64 {
        Rooms::new(self.canvas).plot.y1 + MARGIN
    }

    fn phase_text(&self, at: usize) -> String {
        let totals = &self.answer.phases[at].totals;
        let messages = count_of(totals.messages, "message");
        let amount = match self.communication.is_sized() {
            true => format!("{} in {messages}", self.plan.quantity.text(totals.size as f64)),
            false => messages,
        };
        let communities = self.answer.communities[at].len() as u64;
        let communities = match communities {
            1 => "1 community".to_owned(),
            n => format!("{} communities", onca_model::format::grouped(n)),
        };
        let title = paint::phase_title(self.communication, self.answer, at);
        format!("{title}\n{amount}\n{communities}")
    }

    /// The letter of the pattern above each slot, where there is room for it.
    fn patterns(&self) -> Vec<Label> {
        let colors = self.canvas.theme.colors();
        let slots = self.plan.slots.iter().zip(self.answer.phases.iter());
        let named = slots.enumerate().filter_map(|(at, (slot, phase))| {
            let name = phase.pattern();
            let length = Font::Bold.width(&name, PATTERN_SIZE);
            let place = Point::new((slot.x0 + slot.x1) / 2.0, PATTERNS / 2.0);
            (length + 4.0 <= slot.x1 - slot.x0).then(|| Label {
                align: Align::Middle,
                rise: Rise::Middle,
                weight: Weight::Bold,
                length,
                pick: phase_pick(at),
                ..label(place, name, PATTERN_SIZE, colors.text)
            })
        });
        named.collect()
    }

    /// Lines from the borders of slots to the times at which phases begin.
    fn leaders(&self, plot: &Bounds, curve: &Bounds) -> Lines {
        let colors = self.canvas.theme.colors();
        let color = color::mix(colors.grid, colors.axis, 0.4);
        let mut lines = Lines::default();
        for (slot, phase) in self.plan.slots.iter().zip(self.answer.phases.iter()) {
            let below = x_in(curve, self.communication.extent, phase.window.from);
            let below = below.clamp(curve.x0, curve.x1);
            let (head, foot) = (plot.y1 + MARGIN, curve.y0);
            let points = [(slot.x0, head), (below, foot), (below, curve.y1)];
            lines.add(points.map(|(x, y)| Point::new(x, y)), color, 1.0);
        }
        lines
    }

    /// When the curve begins and ends, and between that how tangled the picture is.
    fn times(&self, curve: &Bounds) -> Vec<Label> {
        let (unit, extent) = (&self.communication.unit, self.communication.extent);
        let muted = self.canvas.theme.colors().muted;
        let text = |ticks: i64| format!("{} {}", rounded_time(unit, ticks as f64), unit.name);
        let y = curve.y1 + TIMES / 2.0;
        let at = |x: f64, ticks: i64| Label {
            rise: Rise::Middle,
            ..label(Point::new(x, y), text(ticks), TIME_SIZE, muted)
        };
        let end = Label { align: Align::End, ..at(curve.x1 - 4.0, extent.to) };
        let begin = at(curve.x0 + 4.0, extent.from);
        let room = curve.width() - begin.length - end.length - 40.0;
        let text = paint::crossings(self.plan);
        let text = text.filter(|text| Font::Regular.width(text, TIME_SIZE) <= room);
        let middle =
            text.map(|text| centred_label(Point::new(curve.center().x, y), text, TIME_SIZE, muted));
        [begin, end].into_iter().chain(middle).collect()
    }
}
