//! Which colour means what.

use onca_layout::text::Font;
use onca_model::{Color, TypeId, ValueId, format::percent};
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

/// An entry that is part of a whole.
pub(crate) struct Part {
    /// The type of what it stands for; `None` for what is of several.
    pub of: Option<TypeId>,
    /// How much there is of it.
    pub amount: f64,
    /// The entry, without a share.
    pub entry: Entry,
}

/// The entries of parts with their shares of a whole. What several types have does not add up: then the shares
/// are of what the own type has, and types stand one after the other.
pub(crate) fn with_shares(parts: Vec<Part>, whole: f64) -> Vec<Entry> {
    let mut types: Vec<(Option<TypeId>, f64)> = Vec::new();
    for part in &parts {
        match types.iter_mut().find(|(of, _)| *of == part.of) {
            Some((_, sum)) => *sum += part.amount,
            None => types.push((part.of, part.amount)),
        }
    }
    let is_one = types.iter().filter(|(of, _)| of.is_some()).count() < 2;
    let mut entries: Vec<(usize, Entry)> = parts
        .into_iter()
        .map(|Part { of, amount, entry }| {
            let place = types.iter().position(|(other, _)| *other == of).unwrap_or_default();
            let (whole, place) = match (is_one, of) {
                (true, _) => (whole, 0),
                (false, Some(_)) => (types[place].1, place),
                // Last, without a share.
                (false, None) => (0.0, types.len()),
            };
            (place, Entry { share: (whole > 0.0).then(|| amount / whole), ..entry })
        })
        .collect();
    entries.sort_by_key(|(place, _)| *place);
    entries.into_iter().map(|(_, entry)| entry).collect()
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

    fn part(of: Option<u32>, amount: f64, name: &str) -> Part {
        let (color, pick) = (Color::rgb(0, 0, 0), Pick::NOTHING);
        let entry = Entry { name: name.to_owned(), share: None, color, pick };
        Part { of: of.map(TypeId), amount, entry }
    }

    fn told(parts: Vec<Part>, whole: f64) -> Vec<(String, Option<f64>)> {
        let entries = with_shares(parts, whole);
        entries.into_iter().map(|entry| (entry.name, entry.share)).collect()
    }

    #[test]
    fn parts_of_one_type_are_shares_of_the_whole() {
        let parts = vec![part(Some(1), 2.0, "a"), part(Some(1), 1.0, "b"), part(None, 1.0, "none")];
        let named = |name: &str, share| (name.to_owned(), Some(share));
        assert_eq!(told(parts, 8.0), [named("a", 0.25), named("b", 0.125), named("none", 0.125)]);
        assert_eq!(told(vec![part(Some(1), 2.0, "a")], 0.0), [("a".to_owned(), None)]);
    }

    #[test]
    fn parts_of_several_types_are_shares_of_their_own() {
        let parts = vec![
            part(Some(1), 3.0, "a"),
            part(Some(2), 2.0, "b"),
            part(None, 9.0, "others"),
            part(Some(1), 1.0, "c"),
        ];
        let expected = [
            ("a".to_owned(), Some(0.75)),
            ("c".to_owned(), Some(0.25)),
            ("b".to_owned(), Some(1.0)),
            ("others".to_owned(), None),
        ];
        assert_eq!(told(parts, 8.0), expected);
    }

    #[test]
    fn no_entries_take_no_room() {
        assert_eq!(places(&[], 12.0, 400.0, 4).height, 0.0);
    }
}
