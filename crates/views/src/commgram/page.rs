//! The page around a CommGram: names, patterns, the curve over time and the scale of colours.

use onca_answer::phases::{Communication, PhasesAnswer};
use onca_layout::text::Font;
use onca_model::{Window, format::count_of};
use onca_query::{Appearance, NodeId, Scope};
use onca_scene::{Align, Bounds, Figure, Label, Point, Rise, Weight};

use super::names::{GAP, Names};
use super::{CommgramOptions, CurvePlace, paint, painted, phases, plan::Plan, strip};
use crate::{
    Canvas, Paper, Result, TimeScale,
    amount_scale::AmountScale,
    color, names,
    sheet::{LABEL_SIZE, Sheet, TICK_SIZE, TIME_AXIS_HEIGHT},
};

/// The height of the plot, if the figure may choose.
const PLOT_HEIGHT: f64 = 340.0;
/// Lines that lead from the slots to their times take this much.
const LEADERS: f64 = 22.0;
const STRIP_HEIGHT: f64 = 40.0;
/// The same of the curve alone, and the numbers beside it.
const CURVE_HEIGHT: f64 = 260.0;
const CURVE_AXIS: f64 = 52.0;
/// The names of patterns above the plot take this much.
const PATTERNS: f64 = 20.0;
/// The colour scale takes this much.
const SCALE_HEIGHT: f64 = 52.0;
const SCALE_WIDTH: f64 = 220.0;
/// Names of communities take at most this share of the width.
const NAMES_SHARE: f64 = 0.18;

/// The CommGram on a page.
pub fn figure(
    scope: &Scope<'_>,
    _appearance: &Appearance,
    paper: &Paper,
    options: &CommgramOptions,
) -> Result<Figure> {
    let communication = Communication::new(scope, &options.phases.spec(scope)?)?;
    let nodes: Vec<NodeId> = communication.processors.iter().filter_map(|one| one.node).collect();
    figure_of(&communication, &names::of_nodes(scope, &nodes), paper, options)
}

/// The same of messages, wherever they come from, with the names of processors.
pub(super) fn figure_of(
    communication: &Communication<'_>,
    short: &[String],
    paper: &Paper,
    options: &CommgramOptions,
) -> Result<Figure> {
    let (answer, joined) =
        phases(communication, paper.inner_width() * (1.0 - NAMES_SHARE), options)?;
    let title = title(communication, &answer);
    if options.curve == CurvePlace::Alone {
        return Ok(curve_alone(communication, &answer, &title, joined, paper));
    }
    let below = SCALE_HEIGHT + TIME_AXIS_HEIGHT + STRIP_HEIGHT + LEADERS;
    let around = Sheet::height_around(paper, &title, &[]) + below + PATTERNS;
    let mut sheet = Sheet::new(paper, &title, around + PLOT_HEIGHT);
    sheet.reserve_caption();
    let scale_room = sheet.take_bottom(SCALE_HEIGHT);
    let names = Names::new(short, &answer);
    let margin = names.longest().min(paper.width * NAMES_SHARE) + GAP;
    sheet.take_left(margin);
    let axis = sheet.take_bottom(TIME_AXIS_HEIGHT + STRIP_HEIGHT);
    let curve = Bounds { y1: axis.y0 + STRIP_HEIGHT, ..axis };
    let leaders = sheet.take_bottom(LEADERS);
    let patterns = sheet.take_top(PATTERNS);
    let plot = sheet.room;
    let canvas = Canvas::in_frame(&plot, paper);
    let plan = Plan::new(communication, &answer, &canvas.bounds(), options);
    let mut page = Page { sheet, plot, plan: &plan, answer: &answer };
    page.name_patterns(&patterns);
    for label in names.labels(&answer, &plan, margin - GAP, true, page.sheet.colors) {
        let at = Point::new(plot.x0 + label.at.x, plot.y0 + label.at.y);
        page.sheet.add_label(Label { at, ..label });
    }
    page.name_curve(&curve, margin - GAP);
    page.lead(&leaders, &curve, communication.extent);
    page.scale(&scale_room, communication, paper);
    let drawn = painted(communication, &answer, &plan, &canvas, options);
    drawn.notes.iter().cloned().chain(joined).for_each(|note| page.sheet.note(note));
    let time = TimeScale::new(communication.extent, &communication.unit);
    page.sheet.time_axis(&curve, communication.extent, &time);
    let strip =
        strip(communication, &answer, communication.extent, &Canvas::in_frame(&curve, paper));
    let panels = vec![drawn.panel("commgram", plot), strip.panel("curve", curve)];
    Ok(page.sheet.finish(title, panels))
}

/// Nothing but the curve, with its heights.
fn curve_alone(
    communication: &Communication<'_>,
    answer: &PhasesAnswer,
    title: &str,
    joined: Option<String>,
    paper: &Paper,
) -> Figure {
    let around = Sheet::height_around(paper, title, &[]) + TIME_AXIS_HEIGHT;
    let mut sheet = Sheet::new(paper, title, around + CURVE_HEIGHT);
    sheet.reserve_caption();
    joined.into_iter().for_each(|note| sheet.note(note));
    sheet.note("a step is how much the communities change".to_owned());
    sheet.take_bottom(TIME_AXIS_HEIGHT);
    sheet.take_left(CURVE_AXIS);
    sheet.take_right(8.0);
    let plot = sheet.room;
    let window = communication.extent;
    sheet.time_axis(&plot, window, &TimeScale::new(window, &communication.unit));
    let range = strip::drawn_range(answer);
    sheet
        .value_axis(&plot, range, "height of the curve", |at, decimals| format!("{at:.decimals$}"));
    let drawn = strip(communication, answer, window, &Canvas::in_frame(&plot, paper));
    sheet.finish(title.to_owned(), vec![drawn.panel("curve", plot)])
}

/// What there is to see, in one line.
fn title(communication: &Communication<'_>, answer: &PhasesAnswer) -> String {
    let phases = count_of(answer.phases.len() as u64, "phase");
    let patterns = count_of(answer.n_patterns() as u64, "pattern");
    let mut title = format!("Communication: {phases}, {patterns}");
    if let Some(repetition) = &answer.repetition {
        let length = onca_model::format::rounded_time(&communication.unit, repetition.usual_length);
        let n = repetition.iterations.len();
        title += &format!(", {n} iterations of {length} {}", communication.unit.name);
    }
    title
}

/// The page in the making.
struct Page<'a> {
    sheet: Sheet<'a>,
    plot: Bounds,
    plan: &'a Plan,
    answer: &'a PhasesAnswer,
}

impl Page<'_> {
    /// The letter of the pattern above each slot, where there is room for it.
    fn name_patterns(&mut self, room: &Bounds) {
        for (slot, phase) in self.plan.slots.iter().zip(self.answer.phases.iter()) {
            let name = phase.pattern();
            let length = Font::Bold.width(&name, LABEL_SIZE);
            if length + 4.0 > slot.x1 - slot.x0 {
                continue;
            }
            let at = Point::new(self.plot.x0 + (slot.x0 + slot.x1) / 2.0, room.y0 + LABEL_SIZE);
            let label = self.sheet.label(at, name, LABEL_SIZE);
            self.sheet.add_label(Label {
                align: Align::Middle,
                weight: Weight::Bold,
                length,
                ..label
            });
        }
    }

    /// What the strip below is.
    fn name_curve(&mut self, curve: &Bounds, room: f64) {
        let Some(text) = Font::Regular.fit("curve", TICK_SIZE, room) else { return };
        let at = Point::new(curve.x0 - GAP, curve.center().y);
        let label = self.sheet.label(at, text, TICK_SIZE);
        let color = self.sheet.colors.muted;
        self.sheet.add_label(Label { align: Align::End, rise: Rise::Middle, color, ..label });
    }

    /// Lines from the borders of slots to the times at which phases begin and end.
    fn lead(&mut self, room: &Bounds, curve: &Bounds, extent: Window) {
        let span = (extent.to as f64 - extent.from as f64).max(1.0);
        let x_of = |ticks: i64| {
            let share = (ticks as f64 - extent.from as f64) / span;
            curve.x0 + share.clamp(0.0, 1.0) * curve.width()
        };
        let colors = self.sheet.colors;
        let color = color::mix(colors.grid, colors.axis, 0.4);
        for (slot, phase) in self.plan.slots.iter().zip(self.answer.phases.iter()) {
            let (above, below) = (self.plot.x0 + slot.x0, x_of(phase.window.from));
            let points = [
                Point::new(above, room.y0),
                Point::new(below, room.y1),
                Point::new(below, curve.y1),
            ];
            self.sheet.add_line(points, color, 1.0);
        }
    }

    /// What the colours of bands mean.
    fn scale(&mut self, room: &Bounds, communication: &Communication<'_>, paper: &Paper) {
        let width = SCALE_WIDTH.min(room.width() * 0.6);
        let bar = Bounds::new(room.x0, room.y0 + 24.0, room.x0 + width, room.y0 + 34.0);
        let name = if communication.is_sized() { "bytes sent" } else { "messages sent" };
        let amounts = AmountScale { quantity: &self.plan.quantity, scale: &self.plan.scale, name };
        amounts.draw(&mut self.sheet, &bar, |share| paint::flow_color(share, paper.theme));
        let text = "bars: communities of processes, sending (left) and receiving (right)";
        let Some(text) = Font::Regular.fit(text, TICK_SIZE, room.x1 - bar.x1 - 28.0) else {
            return;
        };
        let label = self.sheet.label(Point::new(bar.x1 + 28.0, bar.y1), text, TICK_SIZE);
        let color = self.sheet.colors.muted;
        self.sheet.add_label(Label { color, ..label });
    }
}
