//! Columns of shares as they are painted, made once and kept.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use onca_answer::columns::{Form, Kept, TileMaker};
use onca_model::Ticks;
use onca_scene::{Column, Strips};
use onca_store::Share;

use crate::timeline::{
    stage::Stage,
    state_marks::{Filling, Mix, RARE_HEIGHT, StateMarks, StripBegun, StripPlace},
};

/// What columns of shares look like in some rows.
pub(crate) struct Painting<'a> {
    stage: &'a Stage<'a>,
    rows: Vec<PaintedRow>,
}

/// A row of columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PaintedRow {
    /// So many tracks would fill a column.
    pub n_tracks: usize,
    /// In pixels.
    pub height: f64,
}

impl<'a> Painting<'a> {
    /// What columns look like on a stage.
    pub fn new(stage: &'a Stage<'a>, rows: Vec<PaintedRow>) -> Self {
        Self { stage, rows }
    }
}

impl Form for Painting<'_> {
    type Tile = PaintedColumns;
    type Maker<'f>
        = Painter<'f>
    where
        Self: 'f;

    fn maker(&self, row: usize) -> Painter<'_> {
        let row = self.rows[row];
        Painter {
            stage: self.stage,
            row,
            mix: Mix::default(),
            filling: (0, Filling::new(0, row.height)),
            columns: Strips::default(),
            is_empty: Vec::new(),
        }
    }

    fn key(&self, row: usize) -> u64 {
        let PaintedRow { n_tracks, height } = self.rows[row];
        // A lower one has no marks of rare values, which depend on the height.
        let height = if height >= RARE_HEIGHT { height.to_bits() } else { 0 };
        let mut hasher = DefaultHasher::new();
        (self.stage.order_key, n_tracks, height).hash(&mut hasher);
        hasher.finish()
    }
}

/// Paints columns.
pub(crate) struct Painter<'a> {
    stage: &'a Stage<'a>,
    row: PaintedRow,
    mix: Mix,
    /// All columns but those that the window cuts have the same length.
    filling: (u64, Filling),
    columns: Strips,
    is_empty: Vec<bool>,
}

impl TileMaker for Painter<'_> {
    type Tile = PaintedColumns;

    fn push(&mut self, n: usize, shares: &[Share], ticks: Ticks) {
        let mut n_states = 0;
        // States that nested ones cover are not seen.
        for share in shares.iter().filter(|share| share.ticks > 0 || share.is_instant()) {
            if let Some(time) = self.stage.seen_time_of(share.value, share.ticks.max(0) as u64) {
                self.mix.add(time);
                n_states += u64::from(share.n_states());
            }
        }
        let whole = ticks.unsigned_abs().saturating_mul(self.row.n_tracks as u64);
        if self.filling.0 != whole {
            self.filling = (whole, Filling::new(whole, self.row.height));
        }
        self.is_empty.resize(self.is_empty.len() + n, self.mix.is_empty());
        self.mix.paint(&mut self.columns, &self.filling.1, n_states > 1);
        self.columns.repeat_column(n - 1);
    }

    fn finish(&mut self) -> PaintedColumns {
        // A copy takes no more memory than it needs.
        let tile = PaintedColumns {
            columns: self.columns.clone(),
            is_empty: self.is_empty.as_slice().into(),
        };
        self.columns.clear();
        self.is_empty.clear();
        tile
    }
}

/// Some neighbouring columns of a row.
#[derive(Debug)]
pub(crate) struct PaintedColumns {
    columns: Strips,
    /// By column: no state is there.
    is_empty: Box<[bool]>,
}

impl Kept for PaintedColumns {
    fn bytes(&self) -> usize {
        let Strips { columns, colors, shares, .. } = &self.columns;
        size_of::<Self>()
            + columns.len() * size_of::<Column>()
            + colors.len() * size_of::<u16>()
            + shares.len()
            + self.is_empty.len()
    }
}

/// Columns of a row that follow each other, put together to strips.
pub(crate) struct RowOfColumns<'m, 'a> {
    stage: &'a Stage<'a>,
    marks: &'m mut StateMarks,
    place: StripPlace,
    strip: Option<StripBegun>,
}

impl<'m, 'a> RowOfColumns<'m, 'a> {
    /// Begins a row.
    pub fn new(stage: &'a Stage<'a>, marks: &'m mut StateMarks, place: StripPlace) -> Self {
        Self { stage, marks, place, strip: None }
    }

    /// Adds columns, the first of which has this number. A strip ends where nothing is.
    pub fn add(&mut self, mut number: usize, painted: &PaintedColumns, columns: Range<usize>) {
        let mut begin = columns.start;
        for alike in painted.is_empty[columns].chunk_by(|a, b| a == b) {
            let end = begin + alike.len();
            if alike[0] {
                self.end_strip();
            } else {
                let Self { marks, place, .. } = self;
                let strip = self.strip.get_or_insert_with(|| marks.begin_strip(*place, number));
                self.marks.add_painted(strip, &painted.columns, begin..end);
            }
            number += alike.len();
            begin = end;
        }
    }

    /// Ends the row.
    pub fn end(mut self) {
        self.end_strip();
    }

    fn end_strip(&mut self) {
        if let Some(strip) = self.strip.take() {
            self.marks.end_strip(self.stage, strip);
        }
    }
}
