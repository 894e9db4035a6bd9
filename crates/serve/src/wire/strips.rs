//! Strips on the wire: neighbouring columns that look alike are sent once.

use onca_scene::{Column, Strip, Strips};
use rayon::prelude::*;

use super::columns::LayerColumns;

/// Set in the look of columns that hide single entities.
pub const AGGREGATE: u8 = 1;
/// Set in the look of columns with a value that would be too thin to be seen.
pub const HAS_RARE: u8 = 2;

/// Columns without what repeats. Their parts are in the order of the runs already.
struct Runs {
    /// How many columns look alike.
    repeat: Vec<u8>,
    n_parts: Vec<u8>,
    look: Vec<u8>,
    /// The colours of rare values, of the columns that have one.
    rare: Vec<u16>,
}

impl Runs {
    /// The runs of some strips, with where those of each begin.
    fn of(strips: &Strips, some: &[Strip]) -> (Self, Vec<u32>) {
        let n_columns = some.iter().map(|strip| strip.columns.len()).sum();
        let [repeat, n_parts, look] = std::array::from_fn(|_| Vec::with_capacity(n_columns));
        let mut runs = Self { repeat, n_parts, look, rare: Vec::new() };
        let mut begins = Vec::with_capacity(some.len());
        for strip in some {
            begins.push(runs.repeat.len() as u32);
            runs.add(&strips.columns[strip.columns.clone()]);
        }
        (runs, begins)
    }

    /// Appends the columns of a strip.
    fn add(&mut self, columns: &[Column]) {
        for alike in columns.chunk_by(|a, b| a == b) {
            // More are alike only where they have no parts.
            for run in alike.chunks(Strips::MOST_ALIKE) {
                let rare = run[0].rare();
                let has_rare = if rare.is_some() { HAS_RARE } else { 0 };
                self.repeat.push(run.len() as u8);
                self.n_parts.push(run[0].n_parts());
                self.look.push(if run[0].aggregate { AGGREGATE } else { 0 } | has_rare);
                self.rare.extend(rare);
            }
        }
    }
}

/// Strips that a thread looks at.
const STRIPS_AT_ONCE: usize = 64;

/// Adds the columns of strips, but for where the strips are and what they stand for.
pub fn put(strips: &Strips, to: &mut LayerColumns<'_>) {
    let parts: Vec<(Runs, Vec<u32>)> =
        strips.strips.par_chunks(STRIPS_AT_ONCE).map(|some| Runs::of(strips, some)).collect();
    let mut n_runs = 0;
    let mut first_runs = Vec::with_capacity(strips.strips.len());
    for (runs, begins) in &parts {
        first_runs.extend(begins.iter().map(|begin| n_runs + begin));
        n_runs += runs.repeat.len() as u32;
    }
    to.u32("first_run", first_runs.into_iter());
    to.u32("n_columns", strips.strips.iter().map(|strip| strip.columns.len() as u32));
    to.bytes("repeat", parts.iter().map(|(runs, _)| runs.repeat.as_slice()));
    to.bytes("n_parts", parts.iter().map(|(runs, _)| runs.n_parts.as_slice()));
    to.bytes("look", parts.iter().map(|(runs, _)| runs.look.as_slice()));
    to.u16("rare", parts.iter().flat_map(|(runs, _)| runs.rare.iter().copied()));
    match strips.palette.len() {
        0..=256 => to.u8("color", strips.colors.iter().map(|color| *color as u8)),
        _ => to.u16("color", strips.colors.iter().copied()),
    }
    to.bytes("share", [strips.shares.as_slice()].into_iter());
}
