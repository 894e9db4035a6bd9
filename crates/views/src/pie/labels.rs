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

/// A slice that is to be labelled.
struct Wish<'a> {
    slice: &'a Slice,
    middle: f64,
}

impl Wish<'_> {
    /// Where its leader turns to its label, which wants to be at the same height.
    fn bend(&self, disc: &Disc) -> Point {
        disc.at(self.middle, disc.radius + STRAIGHT)
    }
}

/// Labels for the slices at both sides of a pie; where not all have room, the thinnest go without.
pub(super) fn beside(disc: &Disc, slices: &[Slice], whole: i128, canvas: &Canvas) -> Placed {
    let mut placed = Placed { labels: Vec::new(), leaders: Lines::default() };
    for right in [true, false] {
        let mut wishes: Vec<Wish<'_>> = slices
            .iter()
            .map(|slice| {
                let middle = (slice.from + slice.to) / 2.0;
                Wish { slice, middle }
            })
            .filter(|wish| (wish.middle < 0.5) == right)
            .collect();
        wishes.sort_by(|a, b| a.bend(disc).y.total_cmp(&b.bend(disc).y));
        let heights = loop {
            let wanted: Vec<f64> = wishes.iter().map(|wish| wish.bend(disc).y).collect();
            let half = PITCH / 2.0;
            match spread(&wanted, PITCH, half, (canvas.height - half).max(half)) {
                Some(heights) => break heights,
                None => drop_thinnest(&mut wishes),
            }
        };
        let bends: Vec<Point> = wishes.iter().map(|wish| wish.bend(disc)).collect();
        let mut ends: Vec<Point> = heights.iter().map(|y| end_at(disc, *y, right)).collect();
        uncross(&bends, &mut ends);
        for (wish, end) in wishes.iter().zip(ends) {
            placed.add(disc, wish, end, right, whole, canvas);
        }
    }
    placed
}

/// Where the leader to a label at a height ends.
fn end_at(disc: &Disc, y: f64, right: bool) -> Point {
    let side = if right { 1.0 } else { -1.0 };
    let (around, rise) = (disc.radius + AROUND, y - disc.center.y);
    let reach = (around * around - rise * rise).max(0.0).sqrt().max(LEAST_SIDE);
    Point::new(disc.center.x + side * reach, y)
}

/// Gives lines other ends until no two of them cross: labels that were pushed far from their slices
/// change places. Each exchange makes the lines shorter together, so that it comes to an end.
fn uncross(starts: &[Point], ends: &mut [Point]) {
    while let Some((a, b)) = crossing(starts, ends) {
        ends.swap(a, b);
    }
}

fn crossing(starts: &[Point], ends: &[Point]) -> Option<(usize, usize)> {
    let mut pairs = (0..starts.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    pairs.find(|&(a, b)| cross((starts[a], ends[a]), (starts[b], ends[b])))
}

/// Do two lines cross, each with its ends on both sides of the other?
fn cross((a, b): (Point, Point), (c, d): (Point, Point)) -> bool {
    let side = |from: Point, to: Point, at: Point| {
        (to.x - from.x) * (at.y - from.y) - (to.y - from.y) * (at.x - from.x)
    };
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
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
        end: Point,
        right: bool,
        whole: i128,
        canvas: &Canvas,
    ) {
        let text_x = end.x + if right { GAP } else { -GAP };
        let room = if right { canvas.width - text_x } else { text_x };
        let share = percent(wish.slice.ticks as f64 / whole as f64);
        let share_width = Font::Regular.width(&format!("  {share}"), LABEL_SIZE);
        let name = Font::Regular.fit(&wish.slice.name, LABEL_SIZE, room - share_width);
        let Some(name) = name else { return };
        let colors = canvas.theme.colors();
        let leader = [disc.rim(wish.middle), wish.bend(disc), end];
        self.leaders.add(leader, colors.axis, 1.0);
        let text =
            label(Point::new(text_x, end.y), format!("{name}  {share}"), LABEL_SIZE, colors.text);
        let align = if right { Align::Start } else { Align::End };
        self.labels.push(Label { align, rise: Rise::Middle, pick: wish.slice.pick, ..text });
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// How far along each of two lines they meet, as shares; nothing if they go the same way.
    fn meeting((a, b): (Point, Point), (c, d): (Point, Point)) -> Option<(f64, f64)> {
        let (abx, aby, cdx, cdy) = (b.x - a.x, b.y - a.y, d.x - c.x, d.y - c.y);
        let together = abx * cdy - aby * cdx;
        let (acx, acy) = (c.x - a.x, c.y - a.y);
        (together.abs() > 1e-9)
            .then(|| ((acx * cdy - acy * cdx) / together, (acx * aby - acy * abx) / together))
    }

    #[test]
    fn no_two_lines_cross_and_all_ends_are_taken() {
        let mut crossed = 0;
        for seed in 0..200 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let n = rng.random_range(2..12);
            let mut points = |n: usize| -> Vec<Point> {
                let point =
                    |_| Point::new(rng.random_range(0.0..10.0), rng.random_range(0.0..10.0));
                (0..n).map(point).collect()
            };
            let (starts, before) = (points(n), points(n));
            let mut ends = before.clone();
            uncross(&starts, &mut ends);
            crossed += usize::from(ends != before);
            assert!(before.iter().all(|end| ends.contains(end)), "seed {seed}");
            let inside = |share: f64| 1e-6 < share && share < 1.0 - 1e-6;
            for a in 0..n {
                for b in 0..a {
                    let met = meeting((starts[a], ends[a]), (starts[b], ends[b]));
                    assert!(!met.is_some_and(|(x, y)| inside(x) && inside(y)), "seed {seed}");
                }
            }
        }
        assert!(crossed > 100, "most had lines that crossed");
    }
}
