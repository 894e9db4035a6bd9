//! Beside the picture: what is gained and lost at every trade-off.

use onca_aggregate::overview::{Curve, Segment};
use onca_answer::overview::OverviewAnswer;
use onca_layout::axis;
use onca_model::Color;
use onca_scene::{
    Bounds, Glyph, Label, Layer, Lines, Panel, Pick, Point, Rise, Scene, Shape, Title,
};

use crate::{
    quantity::{Ruler, Scale, brief},
    sheet::{Sheet, TICK_SIZE},
};

/// The axis of trade-offs does not begin before this: nobody tells smaller ones apart.
const SMALLEST: f64 = 1e-9;
/// The numbers at the left side take this much, and half the last number below at the right.
const NUMBERS: f64 = 42.0;
const BEYOND: f64 = 8.0;
/// The line above the plot that tells the two curves apart.
pub(super) const KEY_HEIGHT: f64 = 18.0;
const WIDTH: f64 = 1.5;
const DOT: f64 = 6.0;

/// Draws the curve into a frame; its axis takes room below it.
pub(super) fn panel(
    sheet: &mut Sheet<'_>,
    frame: &Bounds,
    curve: &Curve,
    answer: &OverviewAnswer,
) -> Panel {
    let plot = Bounds {
        x0: frame.x0 + NUMBERS,
        y0: frame.y0 + KEY_HEIGHT,
        x1: frame.x1 - BEYOND,
        y1: frame.y1,
    };
    let place = Place { plot, scale: scale(&curve.segments, answer.partition.p) };
    sheet.value_axis(&plot, (0.0, 100.0), "", |at, _| format!("{at:.0} %"));
    let most = (plot.width() / 40.0).clamp(2.0, 8.0) as usize;
    let decades = axis::decades(place.scale.from * 0.999, 1.0, most).into_iter();
    let marks: Vec<(f64, String)> = decades.map(|p| (place.x_of(p), brief(p))).collect();
    sheet.bottom_axis(&plot, &marks, &format!("trade-off p, here {}", brief(answer.partition.p)));
    let both = [
        Side { color: sheet.colors.accent, whole: curve.whole_gain, dashed: false, name: "gain" },
        Side { color: sheet.colors.text, whole: curve.whole_loss, dashed: true, name: "loss" },
    ];
    let mut lines = Lines::default();
    let p = answer.partition.p;
    let upright = [Point::new(place.x_of(p), plot.y0), Point::new(place.x_of(p), plot.y1)];
    lines.add(upright, sheet.colors.muted, 1.0);
    let mut dots = Vec::new();
    let mut x = plot.x0;
    for (side, of) in both.into_iter().zip([gain as fn(&Segment) -> f64, loss]) {
        side.add_steps(&mut lines, &place, &curve.segments, of);
        let amount = if side.dashed { answer.partition.loss } else { answer.partition.gain };
        let at = Point::new(place.x_of(p), place.y_of(side.share(amount)));
        dots.push(dot(at, side.color));
        x = side.add_to_key(sheet, &mut lines, Point::new(x, frame.y0 + KEY_HEIGHT / 2.0 - 2.0));
    }
    let layers = vec![Layer::Lines(lines), Layer::Glyphs(dots)];
    Panel::on_page("quality", *frame, Scene { layers, ..Scene::default() })
}

fn gain(segment: &Segment) -> f64 {
    segment.gain
}

fn loss(segment: &Segment) -> f64 {
    segment.loss
}

/// Where trade-offs and shares are on the page.
struct Place {
    plot: Bounds,
    scale: Scale,
}

impl Place {
    fn x_of(&self, p: f64) -> f64 {
        self.plot.x0 + self.scale.share(p.max(self.scale.from)) * self.plot.width()
    }

    fn y_of(&self, share: f64) -> f64 {
        self.plot.y1 - share.clamp(0.0, 1.0) * self.plot.height()
    }
}

/// Gain or loss.
struct Side {
    color: Color,
    whole: f64,
    dashed: bool,
    name: &'static str,
}

impl Side {
    fn share(&self, amount: f64) -> f64 {
        if self.whole > 0.0 { amount / self.whole } else { 0.0 }
    }

    /// A step for each partition.
    fn add_steps(
        &self,
        lines: &mut Lines,
        place: &Place,
        segments: &[Segment],
        of: fn(&Segment) -> f64,
    ) {
        let step = |segment: &Segment| {
            let y = place.y_of(self.share(of(segment)));
            [Point::new(place.x_of(segment.from), y), Point::new(place.x_of(segment.to), y)]
        };
        self.add(lines, segments.iter().flat_map(step));
    }

    fn add(&self, lines: &mut Lines, points: impl IntoIterator<Item = Point>) {
        lines.add(points, self.color, WIDTH);
        if let Some(line) = lines.lines.last_mut() {
            line.dashed = self.dashed;
        }
    }

    /// A piece of its line with its name; returns where the next may begin.
    fn add_to_key(&self, sheet: &mut Sheet<'_>, lines: &mut Lines, at: Point) -> f64 {
        let end = Point::new(at.x + 18.0, at.y);
        self.add(lines, [at, end]);
        let text = sheet.label(Point::new(end.x + 4.0, at.y), self.name, TICK_SIZE);
        let next = text.at.x + text.length + 10.0;
        sheet.add_label(Label { rise: Rise::Middle, ..text });
        next
    }
}

fn dot(at: Point, color: Color) -> Glyph {
    Glyph { at, shape: Shape::Disc, size: DOT, color, title: Title::NONE, pick: Pick::NOTHING }
}

/// From below the first trade-off that matters up to 1. Those that matter lie close to 0, so equal
/// steps are equal ratios.
fn scale(segments: &[Segment], p: f64) -> Scale {
    let first = segments.iter().map(|segment| segment.from).chain([p]).filter(|p| *p > 0.0);
    let first = first.fold(0.1, f64::min).max(SMALLEST);
    Scale { ruler: Ruler::Log, from: 10f64.powf((first.log10() - 0.01).floor()), to: 1.0 }
}
