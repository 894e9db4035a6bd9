//! Strips on the wire: neighbouring columns that look alike are sent once.

use onca_scene::{ColumnPart, Strips};

use super::columns::LayerColumns;

/// Set in the look of columns that several entities share.
const AGGREGATE: u8 = 1;
/// Set in the look of columns with a value that would be too thin to be seen.
const HAS_RARE: u8 = 2;

/// Columns without what repeats.
#[derive(Default)]
struct Runs {
    /// How many columns look alike.
    repeat: Vec<u8>,
    /// How many parts each has: at most 255, as none is empty.
    n_parts: Vec<u8>,
    look: Vec<u8>,
    /// The colours of rare values, of the columns that have one.
    rare: Vec<u16>,
    colors: Vec<u16>,
    shares: Vec<u8>,
}

/// What makes columns look alike.
#[derive(PartialEq)]
struct Look<'s> {
    parts: &'s [ColumnPart],
    rare: Option<u16>,
    aggregate: bool,
}

impl Runs {
    /// Appends the columns of a strip.
    fn add<'s>(&mut self, columns: impl Iterator<Item = Look<'s>>) {
        let mut last: Option<Look<'s>> = None;
        for column in columns {
            match self.repeat.last_mut() {
                Some(repeat) if *repeat < u8::MAX && last.as_ref() == Some(&column) => *repeat += 1,
                _ => self.begin(&column),
            }
            last = Some(column);
        }
    }

    fn begin(&mut self, column: &Look<'_>) {
        let has_rare = if column.rare.is_some() { HAS_RARE } else { 0 };
        self.repeat.push(1);
        self.n_parts.push(column.parts.len() as u8);
        self.look.push(if column.aggregate { AGGREGATE } else { 0 } | has_rare);
        self.rare.extend(column.rare);
        self.colors.extend(column.parts.iter().map(|part| part.color));
        self.shares.extend(column.parts.iter().map(|part| part.share));
    }
}

/// Adds the columns of strips, but for where the strips are and what they stand for.
pub fn put(strips: &Strips, to: &mut LayerColumns<'_>) {
    let mut runs = Runs::default();
    let mut first_runs = Vec::with_capacity(strips.strips.len());
    for strip in &strips.strips {
        first_runs.push(runs.repeat.len() as u32);
        runs.add(strip.columns.clone().map(|column| Look {
            parts: strips.parts_of(column),
            rare: strips.columns[column].rare(),
            aggregate: strips.columns[column].aggregate,
        }));
    }
    to.u32("first_run", first_runs.into_iter());
    to.u32("n_columns", strips.strips.iter().map(|strip| strip.columns.len() as u32));
    to.u8("repeat", runs.repeat.into_iter());
    to.u8("n_parts", runs.n_parts.into_iter());
    to.u8("look", runs.look.into_iter());
    to.u16("rare", runs.rare.into_iter());
    match strips.palette.len() {
        0..=256 => to.u8("color", runs.colors.into_iter().map(|color| color as u8)),
        _ => to.u16("color", runs.colors.into_iter()),
    }
    to.u8("share", runs.shares.into_iter());
}
