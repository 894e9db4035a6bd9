//! The scale of a graph: which values it has room for, and the numbers beside it.

use onca_layout::axis;
use onca_layout::text::Font;

/// The numbers beside graphs, in pixels.
pub(crate) const NUMBER_SIZE: f64 = 10.0;
/// A line of them needs this height.
const LINE_HEIGHT: f64 = 10.0;
/// Round numbers between the ends are this far apart.
const TICK_DISTANCE: f64 = 28.0;
/// And this far from the ends.
const END_DISTANCE: f64 = 14.0;

/// The smallest and the largest value that a graph has room for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Scale {
    /// At the lower side.
    pub low: f64,
    /// At the upper side.
    pub high: f64,
}

/// The scale beside a graph.
#[derive(Clone, PartialEq, Debug)]
pub struct GraphScale {
    /// What the graph shows: a type of variables, or what a lens derives.
    pub name: String,
    /// Its upper side, in pixels.
    pub y0: f64,
    /// Its lower side.
    pub y1: f64,
    /// The numbers, from the largest to the smallest, each with its middle.
    pub marks: Vec<(f64, String)>,
}

impl Scale {
    /// No value yet.
    pub const EMPTY: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY };

    /// Makes room for another value.
    pub fn widen(&mut self, value: f64) {
        if value.is_finite() {
            (self.low, self.high) = (self.low.min(value), self.high.max(value));
        }
    }

    /// The scale to draw in: from 0, unless that would flatten what changes far away from 0.
    pub fn rounded_out(self) -> Self {
        let Self { low, high } = self;
        if low > high {
            return Self { low: 0.0, high: 1.0 };
        }
        let far_above = low > 0.0 && high > low && low > high / 2.0;
        let far_below = high < 0.0 && high > low && high < low / 2.0;
        let low = if far_above { low } else { low.min(0.0) };
        let high = if far_below { high } else { high.max(0.0) };
        if low == high { Self { low, high: low + 1.0 } } else { Self { low, high } }
    }

    /// Where a value is between two sides.
    pub fn y(&self, value: f64, (y0, y1): (f64, f64)) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        y1 - share.clamp(0.0, 1.0) * (y1 - y0)
    }

    /// The numbers beside a graph between two sides: the largest, the smallest, and round ones
    /// between them, as far as there is room.
    pub fn marks(&self, sides: (f64, f64)) -> Vec<(f64, String)> {
        let (y0, y1) = sides;
        let half = Font::Regular.capital_height(NUMBER_SIZE) / 2.0;
        let (top, foot) = (y0 + half + 1.0, y1 - half - 1.0);
        let mut marks = Vec::new();
        if y1 - y0 >= LINE_HEIGHT {
            marks.push((top, short_number(self.high)));
        }
        if y1 - y0 >= 2.0 * LINE_HEIGHT {
            let most = ((y1 - y0) / TICK_DISTANCE) as usize;
            let round = axis::ticks(self.low, self.high, most).at.into_iter().rev();
            let between = round.map(|value| (self.y(value, sides), short_number(value)));
            let has_room = |y: f64| y >= top + END_DISTANCE && y <= foot - END_DISTANCE;
            marks.extend(between.filter(|(y, _)| has_room(*y)));
            marks.push((foot, short_number(self.low)));
        }
        marks
    }
}

/// A number in three digits: `2.5k`, `0.125`, `1.2e-6`.
pub(crate) fn short_number(value: f64) -> String {
    let magnitude = value.abs();
    let units = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")];
    if magnitude == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e15).contains(&magnitude) {
        return format!("{value:.1e}");
    }
    // A hair less: 999.96 is written as 1k, not as 1000.
    let fitting = units.into_iter().find(|(size, _)| magnitude >= size * 0.9995);
    let (size, unit) = fitting.unwrap_or((1.0, ""));
    let scaled = value / size;
    let decimals = match scaled.abs() {
        99.95.. => 0,
        9.995.. => 1,
        0.9995.. => 2,
        _ => 3,
    };
    let text = format!("{scaled:.decimals$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    format!("{text}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        for (value, text) in [
            (0.0, "0"),
            (5.0, "5"),
            (0.125, "0.125"),
            (12.34, "12.3"),
            (999.96, "1k"),
            (1500.0, "1.5k"),
            (-2.5e9, "-2.5G"),
            (1.2e-6, "1.2e-6"),
            (3e20, "3.0e20"),
            (100.0, "100"),
        ] {
            assert_eq!(short_number(value), text);
        }
    }

    #[test]
    fn a_scale_begins_at_zero_unless_that_would_flatten_it() {
        let scale = |low, high| {
            let Scale { low, high } = Scale { low, high }.rounded_out();
            (low, high)
        };
        assert_eq!(scale(2.0, 10.0), (0.0, 10.0));
        assert_eq!(scale(1000.0, 1010.0), (1000.0, 1010.0));
        assert_eq!(scale(5.0, 5.0), (0.0, 5.0));
        assert_eq!(scale(-3.0, -1.0), (-3.0, 0.0));
        assert_eq!(scale(0.0, 0.0), (0.0, 1.0));
        assert_eq!(scale(f64::INFINITY, f64::NEG_INFINITY), (0.0, 1.0));
    }

    #[test]
    fn numbers_beside_a_graph_are_as_many_as_have_room() {
        let texts = |height: f64| -> Vec<String> {
            let scale = Scale { low: 0.0, high: 97.0 };
            scale.marks((5.0, 5.0 + height)).into_iter().map(|(_, text)| text).collect()
        };
        assert_eq!(texts(8.0), Vec::<String>::new());
        assert_eq!(texts(12.0), ["97"]);
        assert_eq!(texts(34.0), ["97", "0"]);
        assert_eq!(texts(80.0), ["97", "50", "0"]);
        assert_eq!(texts(200.0), ["97", "80", "60", "40", "20", "0"]);
        let marks = Scale { low: -1.0, high: 1.0 }.marks((0.0, 100.0));
        assert!(marks.contains(&(50.0, "0".to_owned())), "{marks:?}");
        assert!(marks.is_sorted_by(|a, b| a.0 + LINE_HEIGHT <= b.0), "{marks:?}");
    }
}
