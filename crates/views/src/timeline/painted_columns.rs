//! Columns of shares as they are painted, made once and kept.

use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use onca_answer::columns::{Form, Kept, TILE_COLUMNS, TileMaker};
use onca_answer::{Share, ValueOrder};
use onca_model::Ticks;
use onca_scene::{Bounds, ColumnPacker, PIXEL_RULES, PackedColumns, StripRoom, StripSize};

use crate::timeline::{
    grid::Grid,
    stage::Stage,
    state_marks::{Filling, StripPlace, paint_column},
};

/// What columns of shares look like in some rows.
pub(crate) struct Painting<'a> {
    stage: &'a Stage<'a>,
    rows: Vec<PaintedRow>,
}

/// A row of columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PaintedRow {
    /// This many tracks would fill a column.
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

    fn order(&self) -> &Arc<ValueOrder> {
        &self.stage.order
    }

    fn maker(&self, row: usize) -> Painter<'_> {
        let row = self.rows[row];
        Painter {
            stage: self.stage,
            row,
            filling: (0, Filling::new(0, row.height)),
            columns: ColumnPacker::with_room_for(TILE_COLUMNS),
        }
    }

    fn key(&self, row: usize) -> u64 {
        let PaintedRow { n_tracks, height } = self.rows[row];
        // A lower one has no marks of rare values, which depend on the height.
        let height = if PIXEL_RULES.is_thin(height) { 0 } else { height.to_bits() };
        let mut hasher = DefaultHasher::new();
        (self.stage.looks_key, n_tracks, height).hash(&mut hasher);
        hasher.finish()
    }
}

/// Paints columns.
pub(crate) struct Painter<'a> {
    stage: &'a Stage<'a>,
    row: PaintedRow,
    /// All columns but those that the window cuts have the same length.
    filling: (u64, Filling),
    columns: ColumnPacker,
}

impl TileMaker for Painter<'_> {
    type Tile = PaintedColumns;

    #[inline]
    fn push(&mut self, shares: impl Iterator<Item = Share>, ticks: Ticks) {
        let whole = ticks.unsigned_abs().saturating_mul(self.row.n_tracks as u64);
        if self.filling.0 != whole {
            self.filling = (whole, Filling::new(whole, self.row.height));
        }
        let n_states = Cell::new(0);
        // States that nested ones cover are not seen.
        let uncovered = shares.filter(|share| share.ticks > 0 || share.is_instant());
        let times = uncovered.filter_map(|share| {
            let time = self.stage.seen_time_of(share.value, share.ticks.max(0) as u64)?;
            n_states.set(n_states.get() + u64::from(share.n_states()));
            Some(time)
        });
        // A row of several tracks says by its name that it sums up.
        let is_many = || self.row.n_tracks == 1 && n_states.get() > 1;
        paint_column(&mut self.columns, times, &self.filling.1, is_many);
    }

    fn finish(&mut self) -> PaintedColumns {
        PaintedColumns(self.columns.finish())
    }
}

/// Some neighbouring columns of a row.
#[derive(Debug)]
pub(crate) struct PaintedColumns(PackedColumns);

impl Kept for PaintedColumns {
    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

impl PaintedColumns {
    /// The room that some of the columns take, without those where nothing is.
    pub fn size_of(&self, columns: Range<usize>) -> StripSize {
        self.0.size_of(columns)
    }
}

/// Columns of a row that follow each other, put together to strips.
pub(crate) struct RowOfColumns<'m, 's> {
    grid: &'m Grid,
    room: &'m mut StripRoom<'s>,
    place: StripPlace,
    /// The first column of the strip in the making, and the one after its last.
    strip: Option<Range<usize>>,
}

impl<'m, 's> RowOfColumns<'m, 's> {
    /// Begins a row.
    pub fn new(grid: &'m Grid, room: &'m mut StripRoom<'s>, place: StripPlace) -> Self {
        Self { grid, room, place, strip: None }
    }

    /// Adds columns, the first of which has this number. A strip ends where nothing is.
    pub fn add(&mut self, number: usize, painted: &PaintedColumns, columns: Range<usize>) {
        let begin = columns.start;
        painted.0.visit_runs(columns, |run, is_empty| {
            if is_empty {
                return self.end_strip();
            }
            let first = number + run.start - begin;
            self.strip.get_or_insert(first..first).end = first + run.len();
            self.room.extend_packed(&painted.0, run);
        });
    }

    /// Ends the row.
    pub fn end(mut self) {
        self.end_strip();
    }

    fn end_strip(&mut self) {
        if let Some(Range { start, end }) = self.strip.take() {
            let StripPlace { y0, y1, pick, .. } = self.place;
            let (x0, x1) = (self.grid.column_x(start), self.grid.column_x(end));
            self.room.push_strip(Bounds::new(x0, y0, x1, y1), pick);
        }
    }
}
