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
    /// The columns of all strips, one strip after the other.
    pub columns: Vec<Column>,
    /// The colours of the parts of columns, in the order of the columns.
    pub colors: Vec<u16>,
    /// The shares of the same parts.
    pub shares: Vec<u8>,
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
///
/// A column that looks like the one before it in its strip is equal to it, and has the same parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, bytemuck::Zeroable)]
pub struct Column {
    first_part: u32,
    n_parts: u8,
    rare: u16,
    /// Does it hide single entities that somebody may look for? Then it has a foot.
    pub aggregate: bool,
}

/// Stands for "no value would be too thin to be seen".
const NOTHING_RARE: u16 = u16::MAX;

impl Column {
    /// One where nothing is.
    pub(crate) const EMPTY: Self =
        Self { first_part: 0, n_parts: 0, rare: NOTHING_RARE, aggregate: false };

    /// A column of some parts.
    #[inline]
    pub(crate) fn new(parts: Range<usize>, rare: Option<u16>, aggregate: bool) -> Self {
        let (first_part, n_parts) = (parts.start as u32, parts.len() as u8);
        Self { first_part, n_parts, rare: rare.unwrap_or(NOTHING_RARE), aggregate }
    }

    /// How many parts it has.
    #[inline]
    pub fn n_parts(&self) -> u8 {
        self.n_parts
    }

    /// The column in two words: where its parts begin, and what it looks like but for them.
    #[inline]
    pub(crate) fn to_words(self) -> [u32; 2] {
        let look = u32::from(self.rare) | u32::from(self.n_parts) << 16;
        [self.first_part, look | u32::from(self.aggregate) << 24]
    }

    /// What [`to_words`](Self::to_words) made words of.
    #[inline]
    pub(crate) fn from_words([first_part, look]: [u32; 2]) -> Self {
        let aggregate = look >> 24 & 1 == 1;
        Self { first_part, n_parts: (look >> 16) as u8, rare: look as u16, aggregate }
    }

    #[inline]
    pub(crate) fn parts(&self) -> Range<usize> {
        let first = self.first_part as usize;
        first..first + usize::from(self.n_parts)
    }

    /// The same where the part that was `from` is `to`.
    #[inline]
    pub(crate) fn moved(self, from: u32, to: u32) -> Self {
        Self { first_part: self.first_part - from + to, ..self }
    }

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

/// Takes columns, one after the other.
pub trait ColumnList {
    /// Adds a part to the next column, if it has a share; there are at most 255 others.
    fn push_part(&mut self, part: ColumnPart);

    /// Appends the column of the parts that were added since the last.
    fn end_column(&mut self, rare: Option<u16>, aggregate: bool);
}

impl ColumnList for Strips {
    #[inline]
    fn push_part(&mut self, part: ColumnPart) {
        if part.share > 0 {
            self.colors.push(part.color);
            self.shares.push(part.share);
        }
    }

    #[inline]
    fn end_column(&mut self, rare: Option<u16>, aggregate: bool) {
        // The parts of the last column are the last.
        let first = self.columns.last().map_or(0, |column| column.parts().end);
        let own = Column::new(first..self.shares.len(), rare, aggregate);
        let column = match self.before() {
            Some(before) if self.look_alike(&before, &own) => {
                self.colors.truncate(first);
                self.shares.truncate(first);
                before
            }
            _ => own,
        };
        self.columns.push(column);
    }
}

impl Strips {
    /// No more columns than this share their parts, so that a byte can count them.
    pub const MOST_ALIKE: usize = u8::MAX as usize;

    /// The parts of a column.
    pub fn parts_of(&self, column: usize) -> impl ExactSizeIterator<Item = ColumnPart> {
        let range = self.columns[column].parts();
        let parts = self.colors[range.clone()].iter().zip(&self.shares[range]);
        parts.map(|(&color, &share)| ColumnPart { color, share })
    }

    /// Appends a column to the strip that is added next.
    pub fn push_column(
        &mut self,
        parts: impl IntoIterator<Item = ColumnPart>,
        rare: Option<u16>,
        aggregate: bool,
    ) {
        parts.into_iter().for_each(|part| self.push_part(part));
        self.end_column(rare, aggregate);
    }

    /// Appends columns of others, which have the same palette.
    fn extend_columns(&mut self, others: &Self, columns: Range<usize>) {
        let parts = others.parts_of_all(columns.clone());
        let (first, begin) = (parts.start as u32, self.shares.len() as u32);
        self.columns
            .extend(others.columns[columns].iter().map(|column| column.moved(first, begin)));
        self.colors.extend_from_slice(&others.colors[parts.clone()]);
        self.shares.extend_from_slice(&others.shares[parts]);
    }

    /// The parts of neighbouring columns.
    pub(crate) fn parts_of_all(&self, columns: Range<usize>) -> Range<usize> {
        match &self.columns[columns] {
            [first, .., last] => first.parts().start..last.parts().end,
            [only] => only.parts(),
            [] => 0..0,
        }
    }

    /// Adds the strip of the columns that were appended since the last.
    pub fn push_strip(&mut self, bounds: Bounds, pick: Pick) {
        let columns = self.end()..self.columns.len();
        self.strips.push(Strip { bounds, columns, pick });
    }

    /// How many columns were appended since the last strip.
    pub fn n_new(&self) -> usize {
        self.columns.len() - self.end()
    }

    /// Where the columns of the last strip end.
    fn end(&self) -> usize {
        self.strips.last().map_or(0, |strip| strip.columns.end)
    }

    /// The last column of a strip that is not added yet, unless too many are like it.
    #[inline]
    fn before(&self) -> Option<Column> {
        let columns = &self.columns[self.end()..];
        let before = *columns.last()?;
        let far = columns.len().checked_sub(Self::MOST_ALIKE);
        far.is_none_or(|far| columns[far] != before).then_some(before)
    }

    #[inline]
    fn look_alike(&self, before: &Column, own: &Column) -> bool {
        let same = |column: &Column| (column.n_parts, column.rare, column.aggregate);
        let parts = before.parts().zip(own.parts());
        // They are few, and most differ at once.
        same(before) == same(own)
            && parts
                .into_iter()
                .all(|(a, b)| self.shares[a] == self.shares[b] && self.colors[a] == self.colors[b])
    }

    /// Makes room for this many more columns and parts.
    pub fn reserve(&mut self, n_columns: usize, n_parts: usize) {
        self.columns.reserve(n_columns);
        self.colors.reserve(n_parts);
        self.shares.reserve(n_parts);
    }

    /// Appends strips of the same palette.
    pub fn append(&mut self, later: &Self) {
        let n_columns = self.columns.len();
        self.strips.extend(later.strips.iter().map(|strip| Strip {
            columns: strip.columns.start + n_columns..strip.columns.end + n_columns,
            ..*strip
        }));
        self.extend_columns(later, 0..later.columns.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_find_their_parts() {
        let mut strips = Strips::default();
        let part = |color| ColumnPart { color, share: 100 };
        strips.push_column([part(0), part(1)], None, true);
        strips.push_column([], Some(1), false);
        strips.push_column([ColumnPart { color: 3, share: 0 }, part(2)], None, false);
        let parts = |column| strips.parts_of(column).collect::<Vec<_>>();
        assert_eq!(parts(0), [part(0), part(1)]);
        assert_eq!(parts(1), []);
        assert_eq!(parts(2), [part(2)]);
    }

    #[test]
    fn columns_that_look_alike_share_their_parts() {
        let mut strips = Strips::default();
        let bounds = Bounds::new(0.0, 0.0, 1.0, 1.0);
        let part = ColumnPart { color: 7, share: 255 };
        (0..300).for_each(|_| strips.push_column([part], None, false));
        assert_eq!(strips.shares.len(), 2, "255 columns share their parts, and 45 more");
        strips.push_column([part], Some(1), false);
        assert_eq!(strips.shares.len(), 3, "another look");
        strips.push_strip(bounds, Pick::NOTHING);
        strips.push_column([part], Some(1), false);
        assert_eq!(strips.shares.len(), 4, "another strip");
        strips.push_strip(bounds, Pick::NOTHING);
        assert_eq!(
            (strips.strips[0].columns.clone(), strips.strips[1].columns.clone()),
            (0..301, 301..302)
        );
        let mut both = Strips::default();
        both.append(&strips);
        both.append(&strips);
        assert!((0..both.columns.len()).all(|column| both.parts_of(column).eq([part])));
    }
}
