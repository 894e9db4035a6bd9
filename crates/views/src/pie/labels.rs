//! Texts beside the slices of a pie, with lines that lead to them.

use onca_layout::{spread::spread, text::Font};
use onca_model::format::percent;
use onca_scene::{Align, Label, Lines, Point, Rise};

use super::{Disc, Slice};
use crate::{Canvas, canvas::label, sheet::LABEL_SIZE};

/// From one line of text to the next.
const PITCH: f64 = LABEL_SIZE + 5.0;
/// A leader leaves the rim straight for this far.
const STRAIGHT: f64 = 8.0;
/// Leaders end on a circle that is this much wider than the pie, at least so far from its middle.
const AROUND: f64 = 24.0;
const LEAST_SIDE: f64 = 14.0;
/// Between a leader and its text.
const GAP: f64 = 4.0;

/// The labels and their leaders.
pub(super) struct Placed {
    pub labels: Vec<Label>,
    pub leaders: Lines,
}

/// A slice that is to be labelled, and the height at which its label wants to be.
struct Wish<'a> {
    slice: &'a Slice,
    middle: f64,
    y: f64,
}

/// Labels for the slices at both sides of a pie; where not all have room, the thinnest go without.
pub(super) fn beside(disc: &Disc, slices: &[Slice], whole: i128, canvas: &Canvas) -> Placed {
    let mut placed = Placed { labels: Vec::new(), leaders: Lines::default() };
    for right in [true, false] {
        let mut wishes: Vec<Wish<'_>> = slices
            .iter()
            .map(|slice| {
                let middle = (slice.from + slice.to) / 2.0;
                Wish { slice, middle, y: disc.at(middle, disc.radius + STRAIGHT).y }
            })
            .filter(|wish| (wish.middle < 0.5) == right)
            .collect();
        wishes.sort_by(|a, b| a.y.total_cmp(&b.y));
        let heights = loop {
            let wanted: Vec<f64> = wishes.iter().map(|wish| wish.y).collect();
            let half = PITCH / 2.0;
            match spread(&wanted, PITCH, half, (canvas.height - half).max(half)) {
                Some(heights) => break heights,
                None => drop_thinnest(&mut wishes),
            }
        };
        for (wish, y) in wishes.iter().zip(heights) {
            placed.add(disc, wish, y, right, whole, canvas);
        }
    }
    placed
}

fn drop_thinnest(wishes: &mut Vec<Wish<'_>>) {
    let thinnest = (0..wishes.len()).min_by_key(|&index| wishes[index].slice.ticks);
    if let Some(index) = thinnest {
        wishes.remove(index);
    }
}

impl Placed {
    fn add(
        &mut self,
        disc: &Disc,
        wish: &Wish<'_>,
        y: f64,
        right: bool,
        whole: i128,
        canvas: &Canvas,
    ) {
        let side = if right { 1.0 } else { -1.0 };
        let (around, rise) = (disc.radius + AROUND, y - disc.center.y);
        let reach = (around * around - rise * rise).max(0.0).sqrt().max(LEAST_SIDE);
        let end_x = disc.center.x + side * reach;
        let text_x = end_x + side * GAP;
        let room = if right { canvas.width - text_x } else { text_x };
        let share = percent(wish.slice.ticks as f64 / whole as f64);
        let share_width = Font::Regular.width(&format!("  {share}"), LABEL_SIZE);
        let name = Font::Regular.fit(&wish.slice.name, LABEL_SIZE, room - share_width);
        let Some(name) = name else { return };
        let colors = canvas.theme.colors();
        let leader = [
            disc.rim(wish.middle),
            disc.at(wish.middle, disc.radius + STRAIGHT),
            Point::new(end_x, y),
        ];
        self.leaders.add(leader, colors.axis, 1.0);
        let text =
            label(Point::new(text_x, y), format!("{name}  {share}"), LABEL_SIZE, colors.text);
        let align = if right { Align::Start } else { Align::End };
        self.labels.push(Label { align, rise: Rise::Middle, pick: wish.slice.pick, ..text });
    }
}
