//! Columns in one piece of memory, for whoever keeps very many of them.

use std::ops::Range;

use crate::{
    strip::{Column, ColumnList, ColumnPart, Strips},
    strip_room::{StripRoom, StripSize},
};

/// Neighbouring columns, some of which are no part of any strip because nothing is there.
#[derive(Debug)]
pub struct PackedColumns {
    n_columns: usize,
    /// The room of all.
    size: StripSize,
    /// Two words for each column, then one for each part.
    words: Box<[u32]>,
}

/// Packs columns, one after the other.
#[derive(Debug)]
pub struct ColumnPacker {
    columns: Vec<[u32; 2]>,
    parts: Vec<u32>,
    /// How many columns share the parts of the last one.
    n_alike: usize,
}

#[inline]
fn packed_part(ColumnPart { color, share }: ColumnPart) -> u32 {
    u32::from(color) << 8 | u32::from(share)
}

impl ColumnList for ColumnPacker {
    #[inline]
    fn push_part(&mut self, part: ColumnPart) {
        if part.share > 0 {
            self.parts.push(packed_part(part));
        }
    }

    #[inline]
    fn end_column(&mut self, rare: Option<u16>, aggregate: bool) {
        let first = self.columns.last().map_or(0, |last| parts_of(&[*last]).end);
        self.push_column(Column::new(first..self.parts.len(), rare, aggregate).to_words());
    }
}

impl ColumnPacker {
    /// Makes room for this many columns of a few parts.
    pub fn with_room_for(n_columns: usize) -> Self {
        let (columns, parts) = (Vec::with_capacity(n_columns), Vec::with_capacity(4 * n_columns));
        Self { columns, parts, n_alike: 0 }
    }

    /// Appends a column that has the last parts.
    #[inline]
    fn push_column(&mut self, column: [u32; 2]) {
        let last = self.columns.last().copied().filter(|last| self.are_alike(*last, column));
        match last {
            Some(last) => {
                self.parts.truncate(column[0] as usize);
                self.n_alike += 1;
                self.columns.push(last);
            }
            None => {
                self.n_alike = 1;
                self.columns.push(column);
            }
        }
    }

    #[inline]
    fn are_alike(&self, last: [u32; 2], column: [u32; 2]) -> bool {
        let parts = |column: [u32; 2]| self.parts[parts_of(&[column])].iter();
        last[1] == column[1] && self.n_alike < Strips::MOST_ALIKE && parts(last).eq(parts(column))
    }

    /// The columns that were appended, and a new beginning.
    pub fn finish(&mut self) -> PackedColumns {
        let n_columns = self.columns.iter().filter(|column| !is_empty(column)).count();
        let packed = PackedColumns {
            n_columns: self.columns.len(),
            size: StripSize { columns: n_columns, parts: self.parts.len() },
            words: [self.columns.as_flattened(), &self.parts].concat().into(),
        };
        self.columns.clear();
        self.parts.clear();
        packed
    }
}

/// Is there nothing in a column?
fn is_empty([_, look]: &[u32; 2]) -> bool {
    *look == Column::EMPTY.to_words()[1]
}

impl PackedColumns {
    /// The memory that they take.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.words)
    }

    /// The room that some of them take, without those where nothing is.
    pub fn size_of(&self, columns: Range<usize>) -> StripSize {
        if columns == (0..self.n_columns) {
            return self.size;
        }
        let own = self.columns(columns);
        let n_columns = own.iter().filter(|column| !is_empty(column)).count();
        // Those where nothing is have no parts.
        StripSize { columns: n_columns, parts: parts_of(own).len() }
    }

    /// Visits runs of columns among some: each range, and whether nothing is there.
    pub fn visit_runs(&self, columns: Range<usize>, mut visit: impl FnMut(Range<usize>, bool)) {
        let mut begin = columns.start;
        for run in self.columns(columns).chunk_by(|a, b| is_empty(a) == is_empty(b)) {
            let end = begin + run.len();
            visit(begin..end, is_empty(&run[0]));
            begin = end;
        }
    }

    fn columns(&self, columns: Range<usize>) -> &[[u32; 2]] {
        let (all, _) = self.words[..2 * self.n_columns].as_chunks();
        &all[columns]
    }

    fn parts(&self) -> &[u32] {
        &self.words[2 * self.n_columns..]
    }
}

/// The parts of neighbouring columns.
fn parts_of(columns: &[[u32; 2]]) -> Range<usize> {
    match columns {
        [first, .., last] => {
            Column::from_words(*first).parts().start..Column::from_words(*last).parts().end
        }
        [only] => Column::from_words(*only).parts(),
        [] => 0..0,
    }
}

impl StripRoom<'_> {
    /// Appends columns in none of which nothing is; they have the same palette.
    pub fn extend_packed(&mut self, packed: &PackedColumns, columns: Range<usize>) {
        let own = packed.columns(columns);
        let parts = parts_of(own);
        let first = parts.start as u32;
        let parts = &packed.parts()[parts];
        let room = self.take(StripSize { columns: own.len(), parts: parts.len() });
        for (place, words) in room.columns.iter_mut().zip(own) {
            *place = Column::from_words(*words).moved(first, room.first_part);
        }
        room.colors.iter_mut().zip(parts).for_each(|(color, part)| *color = (part >> 8) as u16);
        room.shares.iter_mut().zip(parts).for_each(|(share, part)| *share = *part as u8);
    }
}
