//! Which colour means what.

use onca_layout::text::Font;
use onca_model::{Color, ValueId, format::percent};
use onca_scene::{Bounds, Pick, Shape};

/// One line of a legend.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// What the colour means.
    pub name: String,
    /// How much of what is seen it is, from 0 to 1, where that is known.
    pub share: Option<f64>,
    /// The colour.
    pub color: Color,
    /// What it stands for.
    pub pick: Pick,
}

impl Entry {
    /// The entry of a value, without its name.
    pub(crate) fn of(value: ValueId, share: Option<f64>, color: Color) -> Self {
        Self { name: String::new(), share, color, pick: Pick::Value(value.0) }
    }

    /// What is written beside the colour.
    pub(crate) fn text(&self) -> String {
        match self.share {
            Some(share) => format!("{}  {}", self.name, percent(share)),
            None => self.name.clone(),
        }
    }
}

/// The mark beside the text of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Swatch {
    /// A filled box, as for states.
    Box,
    /// An arrow, as for links.
    Arrow,
    /// A small shape, as for events.
    Glyph(Shape),
    /// A line of a width in tenths of a pixel.
    Line(u8),
}

/// Where the entries go.
pub(crate) struct Places {
    /// The swatch and the text of every entry that has a place.
    pub entries: Vec<(Bounds, String)>,
    /// How high all lines are together.
    pub height: f64,
    /// How many entries have no place.
    pub left_out: usize,
}

/// The height of a line of a legend.
pub(crate) const LINE: f64 = 18.0;
const SWATCH: f64 = 11.0;
/// Between a swatch and its text, and between entries.
const GAP: f64 = 5.0;
const APART: f64 = 16.0;
/// A name takes at most this much.
const LONGEST: f64 = 260.0;

/// Puts entries into lines of a width, from left to right; what does not fit into `most_lines` is
/// left out and counted.
pub(crate) fn places(entries: &[Entry], size: f64, width: f64, most_lines: usize) -> Places {
    let mut placed = Vec::new();
    let (mut x, mut line) = (0.0, 0);
    // Room for the note on what was left out.
    let note = Font::Regular.width("+ 100 more", size) + APART;
    for (index, entry) in entries.iter().enumerate() {
        let others = index + 1 < entries.len();
        let limit = |line: usize| match line + 1 == most_lines && others {
            true => width - note,
            false => width,
        };
        let fitted = |room: f64| {
            let room = LONGEST.min(room - SWATCH - GAP);
            Font::Regular.fit(&entry.text(), size, room).unwrap_or_default()
        };
        let length_of = |text: &str| SWATCH + GAP + Font::Regular.width(text, size);
        let mut text = fitted(width);
        if x > 0.0 && x + length_of(&text) > limit(line) {
            if line + 1 == most_lines {
                break;
            }
            (x, line) = (0.0, line + 1);
        }
        if x == 0.0 {
            text = fitted(limit(line));
        }
        let length = length_of(&text);
        let y = line as f64 * LINE + (LINE - SWATCH) / 2.0;
        placed.push((Bounds::new(x, y, x + SWATCH, y + SWATCH), text));
        x += length + APART;
    }
    let lines = if placed.is_empty() { 0 } else { line + 1 };
    let left_out = entries.len() - placed.len();
    Places { entries: placed, height: lines as f64 * LINE, left_out }
}

/// Where the text of a swatch begins.
pub(crate) fn text_x(swatch: &Bounds) -> f64 {
    swatch.x1 + GAP
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(n: usize) -> Vec<Entry> {
        let entry = |index| Entry {
            name: format!("MPI_Operation_{index}"),
            share: Some(0.25),
            color: Color::rgb(0, 0, 0),
            pick: Pick::NOTHING,
        };
        (0..n).map(entry).collect()
    }

    #[test]
    fn entries_never_leave_the_width_or_touch() {
        for width in [120.0, 400.0, 900.0] {
            let places = places(&entries(30), 12.0, width, 4);
            let end = |(swatch, text): &(Bounds, String)| {
                text_x(swatch) + Font::Regular.width(text, 12.0)
            };
            assert!(places.entries.iter().all(|entry| end(entry) <= width));
            for pair in places.entries.windows(2) {
                assert!(pair[0].0.y0 < pair[1].0.y0 || end(&pair[0]) < pair[1].0.x0);
            }
            assert_eq!(places.left_out + places.entries.len(), 30);
            assert!(places.height <= 4.0 * LINE);
            let last = places.entries.last().map_or(0.0, end);
            assert!(last + Font::Regular.width("+ 26 more", 12.0) <= width);
        }
    }

    #[test]
    fn no_entries_take_no_room() {
        assert_eq!(places(&[], 12.0, 400.0, 4).height, 0.0);
    }
}
