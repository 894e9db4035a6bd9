//! Strips: rows of pixel columns that several states share.

use std::ops::Range;

use onca_model::Color;

use crate::{Bounds, Pick};

/// All strips of a scene, with their columns and colours in common lists.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Strips {
    /// The colours that the parts of columns refer to.
    pub palette: Vec<Color>,
    /// The strips.
    pub strips: Vec<Strip>,
    /// The columns of all strips.
    pub columns: Vec<Column>,
    /// The parts of all columns.
    pub parts: Vec<ColumnPart>,
}

/// A row of columns, all of the same width.
#[derive(Clone, PartialEq, Debug)]
pub struct Strip {
    /// Where it is.
    pub bounds: Bounds,
    /// Its columns.
    pub columns: Range<usize>,
    /// What it stands for.
    pub pick: Pick,
}

/// What is seen in one column, from bottom to top. There may be a million of them: they are small.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its first part; the parts end where those of the next column begin.
    pub first_part: u32,
    rare: u16,
    /// Do several entities share the column? Then it is drawn as an aggregate.
    pub aggregate: bool,
}

/// Stands for "no value would be too thin to be seen".
const NOTHING_RARE: u16 = u16::MAX;

impl Column {
    /// The colour of a value that would be too thin to be seen, marked on the upper edge.
    pub fn rare(&self) -> Option<u16> {
        (self.rare != NOTHING_RARE).then_some(self.rare)
    }
}

/// A colour and its share of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ColumnPart {
    /// Index into the palette.
    pub color: u16,
    /// Its share of the height, of 255.
    pub share: u8,
}

impl Strips {
    /// The parts of a column.
    pub fn parts_of(&self, column: usize) -> &[ColumnPart] {
        let first = self.columns[column].first_part as usize;
        let next = self.columns.get(column + 1);
        let end = next.map_or(self.parts.len(), |column| column.first_part as usize);
        &self.parts[first..end]
    }

    /// Appends a column.
    #[inline]
    pub fn push_column(
        &mut self,
        parts: impl IntoIterator<Item = ColumnPart>,
        rare: Option<u16>,
        aggregate: bool,
    ) {
        let rare = rare.unwrap_or(NOTHING_RARE);
        self.columns.push(Column { first_part: self.parts.len() as u32, rare, aggregate });
        self.parts.extend(parts);
    }

    /// Makes room for so many more columns and parts.
    pub fn reserve(&mut self, n_columns: usize, n_parts: usize) {
        self.columns.reserve(n_columns);
        self.parts.reserve(n_parts);
    }

    /// Appends strips of the same palette.
    pub fn append(&mut self, later: Self) {
        let (n_columns, n_parts) = (self.columns.len(), self.parts.len() as u32);
        self.strips.extend(later.strips.into_iter().map(|strip| Strip {
            columns: strip.columns.start + n_columns..strip.columns.end + n_columns,
            ..strip
        }));
        let moved = |column: &Column| Column { first_part: column.first_part + n_parts, ..*column };
        self.columns.extend(later.columns.iter().map(moved));
        self.parts.extend_from_slice(&later.parts);
    }
}

/// Amounts as shares of 255, from the lowest up. Every edge between two of them is where it belongs,
/// rounded, so that the shares add up to what all amounts together are of the whole.
#[derive(Clone, Copy, Debug)]
pub struct ShareEdges {
    per_amount: f64,
    sum: u64,
    edge: u8,
}

impl ShareEdges {
    /// Nothing yet of a whole.
    #[inline]
    pub fn of(whole: u64) -> Self {
        let per_amount = if whole == 0 { 0.0 } else { 255.0 / whole as f64 };
        Self { per_amount, sum: 0, edge: 0 }
    }

    /// The share of the next amount.
    #[inline]
    pub fn next(&mut self, amount: u64) -> u8 {
        self.sum = self.sum.saturating_add(amount);
        let below = self.edge;
        // What is more than the whole is cut off.
        self.edge = (self.sum as f64 * self.per_amount + 0.5) as u8;
        self.edge - below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares_in_bytes(amounts: &[u64], whole: u64) -> Vec<u8> {
        let mut edges = ShareEdges::of(whole);
        amounts.iter().map(|amount| edges.next(*amount)).collect()
    }

    #[test]
    fn shares_add_up() {
        assert_eq!(shares_in_bytes(&[1, 1, 1], 3), [85, 85, 85]);
        assert_eq!(shares_in_bytes(&[1, 1], 4), [64, 64]);
        assert_eq!(shares_in_bytes(&[7, 0, 0], 7), [255, 0, 0]);
        assert_eq!(shares_in_bytes(&[3, 5, 9], 7), [109, 146, 0]);
        assert_eq!(shares_in_bytes(&[1, 1, 5], 7).iter().map(|s| u32::from(*s)).sum::<u32>(), 255);
        assert_eq!(shares_in_bytes(&[], 7), []);
        assert_eq!(shares_in_bytes(&[0], 0), [0]);
        assert_eq!(shares_in_bytes(&[u64::MAX / 2, u64::MAX / 2], u64::MAX), [128, 127]);
    }

    #[test]
    fn columns_find_their_parts() {
        let mut strips = Strips::default();
        let part = |color| ColumnPart { color, share: 100 };
        strips.push_column([part(0), part(1)], None, true);
        strips.push_column([], Some(1), false);
        strips.push_column([part(2)], None, false);
        assert_eq!(strips.parts_of(0), [part(0), part(1)]);
        assert_eq!(strips.parts_of(1), []);
        assert_eq!(strips.parts_of(2), [part(2)]);
    }
}
