//! Columns in one piece of memory, for whoever keeps very many of them.

use std::ops::Range;

use crate::{
    strip::{Column, Strips},
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

/// Set in the second word of a column where nothing is.
const EMPTY: u32 = 1 << 31;

impl PackedColumns {
    /// Packs columns, given for each whether nothing is there.
    pub fn new(strips: &Strips, is_empty: &[bool]) -> Self {
        let n_columns = strips.columns.len();
        let n_empty = is_empty.iter().filter(|is_empty| **is_empty).count();
        let size = StripSize { columns: n_columns - n_empty, parts: strips.shares.len() };
        let mut words = Vec::with_capacity(2 * n_columns + strips.shares.len());
        for (column, is_empty) in strips.columns.iter().zip(is_empty) {
            let [first_part, look] = column.to_words();
            words.extend([first_part, look | if *is_empty { EMPTY } else { 0 }]);
        }
        let parts = strips.colors.iter().zip(&strips.shares);
        words.extend(parts.map(|(color, share)| u32::from(*color) << 8 | u32::from(*share)));
        Self { n_columns, size, words: words.into() }
    }

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
        let n_columns = own.iter().filter(|[_, look]| look & EMPTY == 0).count();
        // Those where nothing is have no parts.
        StripSize { columns: n_columns, parts: parts_of(own).len() }
    }

    /// Visits runs of columns among some: each range, and whether nothing is there.
    pub fn visit_runs(&self, columns: Range<usize>, mut visit: impl FnMut(Range<usize>, bool)) {
        let is_empty = |[_, look]: &[u32; 2]| look & EMPTY != 0;
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
