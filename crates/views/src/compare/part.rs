//! The part of the axis of two runs that is drawn.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use onca_aggregate::align::{AlignedAxis, Pair};
use onca_model::{Ticks, Window};
use onca_scene::Bounds;
use serde::{Deserialize, Serialize};

/// A part of an axis, in shares of its length.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Part {
    from: f64,
    to: f64,
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = |text: &str| -> Option<f64> {
            match text.trim().strip_suffix('%') {
                Some(percent) => Some(percent.trim().parse::<f64>().ok()? / 100.0),
                None => text.trim().parse().ok(),
            }
        };
        let ends = text.split_once("..").and_then(|(from, to)| Some((share(from)?, share(to)?)));
        match ends {
            Some((from, to)) if 0.0 <= from && from < to && to <= 1.0 => Ok(Self { from, to }),
            _ => Err(format!("{text:?} is no part of an axis, such as 25%..50%")),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.from, self.to)
    }
}

impl TryFrom<String> for Part {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Part> for String {
    fn from(part: Part) -> Self {
        part.to_string()
    }
}

/// The axis of two runs, as much of it as is drawn.
pub(super) struct ShownAxis<'a> {
    pub axis: AlignedAxis<'a>,
    pub from: i128,
    pub to: i128,
}

impl<'a> ShownAxis<'a> {
    pub fn new(pairs: &'a [Pair], part: Option<Part>) -> Self {
        let axis = AlignedAxis::new(pairs);
        let length = axis.length().max(1);
        let place = |share: f64| ((share * length as f64).round() as i128).clamp(0, length);
        let (from, to) = part.map_or((0, length), |part| (place(part.from), place(part.to)));
        // A part of less than a tick is one.
        let from = from.min(length - 1);
        Self { axis, from, to: to.max(from + 1) }
    }

    /// What is drawn, in ticks of the comparison.
    pub fn window(&self) -> Window {
        Window { from: self.from as Ticks, to: self.to as Ticks }
    }

    /// The pairs that are drawn, by their numbers.
    pub fn pairs(&self) -> Range<usize> {
        let pairs = 0..self.axis.pairs.len();
        let first = pairs.clone().find(|at| self.axis.span(*at).1 > self.from);
        let end = pairs.clone().rev().find(|at| self.axis.span(*at).0 < self.to);
        first.unwrap_or(pairs.end)..end.map_or(0, |at| at + 1)
    }

    /// Where a place is in a plot; what is beside the part is at the edge.
    pub fn x(&self, plot: &Bounds, place: i128) -> f64 {
        let place = place.clamp(self.from, self.to) - self.from;
        plot.x0 + place as f64 / (self.to - self.from) as f64 * plot.width()
    }

    /// The place at an edge of one of so many columns.
    pub fn edge(&self, column: usize, n_columns: usize) -> i128 {
        self.from + (self.to - self.from) * column as i128 / n_columns.max(1) as i128
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_shares_or_percentages() {
        assert_eq!("25%..50%".parse(), Ok(Part { from: 0.25, to: 0.5 }));
        assert_eq!("0.25..0.5".parse(), Ok(Part { from: 0.25, to: 0.5 }));
        assert_eq!(Part { from: 0.25, to: 0.5 }.to_string(), "0.25..0.5");
        for wrong in ["", "0.5", "0.5..0.5", "-1..0.5", "0..2", "a..b", "50%..25%"] {
            assert!(wrong.parse::<Part>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_part_has_the_pairs_that_touch_it() {
        let pair = |from| Pair {
            before: Window::new(from, from + 10),
            after: Window::new(from, from + 10),
        };
        let pairs = [pair(0), pair(10), pair(20), pair(30)];
        let shown = |part: &str| ShownAxis::new(&pairs, Some(part.parse().expect("a part")));
        assert_eq!(ShownAxis::new(&pairs, None).pairs(), 0..4);
        assert_eq!(shown("0.25..0.5").pairs(), 1..2);
        assert_eq!(shown("0.2..0.6").pairs(), 0..3);
        let plot = Bounds::new(100.0, 0.0, 200.0, 1.0);
        let middle = shown("0.25..0.75");
        assert_eq!(
            [0, 10, 20, 30, 40].map(|at| middle.x(&plot, at)),
            [100.0, 100.0, 150.0, 200.0, 200.0]
        );
        assert_eq!((middle.edge(0, 10), middle.edge(5, 10), middle.edge(10, 10)), (10, 20, 30));
    }

    #[test]
    fn an_axis_without_length_has_one_tick() {
        let shown = ShownAxis::new(&[], None);
        assert_eq!((shown.from, shown.to, shown.pairs()), (0, 1, 0..0));
    }
}
