//! What every value has of every pixel column: exact, however many states fall on it.

mod cache;
mod compute;
mod form;
mod grid;
mod parts;
mod rows;

use std::{ops::Range, sync::Arc};

use onca_model::Window;
use onca_query::Scope;
use onca_store::{Share, TrackId};

pub use cache::ColumnCache;
pub use form::{Form, Kept, TileMaker};
pub use grid::{Grid, TILE_COLUMNS};
pub use rows::ColumnRow;

use crate::{AnswerError, Result};
use compute::{Work, remade};
use form::{Exact, Tile};
use grid::Stretch;
use parts::{Parts, steps};
use rows::tracks_of;

/// What every value has of every column of some rows.
pub struct Columns {
    grid: Grid,
    window: Window,
    formed: Formed<Tile>,
    n_rows: usize,
    /// By value; empty if the lens hides none.
    seen: Vec<bool>,
}

/// The columns of some rows in a form.
pub struct Formed<T> {
    pieces: Vec<Piece>,
    /// By row and piece.
    tiles: Vec<Arc<T>>,
}

impl<T> Formed<T> {
    /// Gives `visit` the columns of a row that touch the window, in order: some neighbouring
    /// columns at a time, by the number of the first, a tile, and their places in it.
    #[inline]
    pub fn visit_row(&self, row: usize, mut visit: impl FnMut(usize, &T, Range<usize>)) {
        for (number, piece) in self.pieces.iter().enumerate() {
            let places = piece.place..piece.place + piece.n_columns;
            visit(piece.column, self.tile(row, number), places);
        }
    }

    fn tile(&self, row: usize, piece: usize) -> &T {
        &self.tiles[row * self.pieces.len() + piece]
    }
}

/// Some columns of a row that are known together.
#[derive(Clone, Copy)]
struct Piece {
    /// The first of them.
    column: usize,
    /// How many they are.
    n_columns: usize,
    /// The place of the first in its tile.
    place: usize,
}

/// How many cells an answer may have: more than the pixels of a large screen.
const MAX_CELLS: usize = 1 << 24;

/// The exclusive time per value, and the number of states, in each column of each row.
///
/// Equals a plain sum over the states that the scope sees; a column that the window cuts has what
/// lies in the window, one outside has nothing. The cost is that of a sweep over the rows of the
/// store in the window, or less where columns hold many thousand states each; what the cache has
/// costs next to nothing. A row that holds all tracks of other rows of the same question is made of
/// theirs, so that sums of groups need no sweep of their own.
pub fn columns(
    scope: &Scope<'_>,
    rows: &[ColumnRow],
    grid: Grid,
    cache: &ColumnCache,
) -> Result<Columns> {
    let Plan { pieces, stretches, tracks, steps } = Plan::new(scope, rows, &grid)?;
    let exact = Exact::by_value(scope);
    let work = Work::new(scope, &exact, &stretches, cache, rows.len());
    let formed = Formed { pieces, tiles: work.tiles(&tracks, &steps)? };
    let sees = |value| scope.sees_value(onca_model::ValueId(value));
    let seen = match scope.sees_all_values() {
        true => Vec::new(),
        false => (0..scope.catalog().values.len() as u32).map(sees).collect(),
    };
    Ok(Columns { grid, window: scope.window(), formed, n_rows: rows.len(), seen })
}

/// The same columns in a form. Only that is kept, unless rows are made of others.
pub fn formed<F: Form>(
    scope: &Scope<'_>,
    rows: &[ColumnRow],
    grid: Grid,
    cache: &ColumnCache,
    form: &F,
) -> Result<Formed<F::Tile>> {
    let Plan { pieces, stretches, tracks, steps } = Plan::new(scope, rows, &grid)?;
    let tiles = if steps.len() <= 1 {
        Work::new(scope, form, &stretches, cache, rows.len()).tiles(&tracks, &steps)?
    } else {
        let exact = Exact::in_order(form.order());
        let work = Work::new(scope, &exact, &stretches, cache, rows.len());
        remade(form, &stretches, &work.tiles(&tracks, &steps)?)
    };
    Ok(Formed { pieces, tiles })
}

/// What is to be computed.
struct Plan {
    pieces: Vec<Piece>,
    /// One for each piece.
    stretches: Vec<Stretch>,
    /// By row.
    tracks: Vec<Arc<[TrackId]>>,
    steps: Vec<Vec<Parts>>,
}

impl Plan {
    fn new(scope: &Scope<'_>, rows: &[ColumnRow], grid: &Grid) -> Result<Self> {
        let n_columns = grid.n_columns();
        if rows.len().checked_mul(n_columns).is_none_or(|n| n > MAX_CELLS) {
            return Err(AnswerError::TooLarge(format!(
                "{} rows of {n_columns} columns are more than {MAX_CELLS} cells; take fewer \
                 columns, or group rows",
                rows.len()
            )));
        }
        let (pieces, stretches) = pieces(grid, scope.window());
        let tracks = tracks_of(scope, rows)?;
        let steps = steps(&tracks, scope.store().tracks().len());
        Ok(Self { pieces, stretches, tracks, steps })
    }
}

/// What each row is made of: tiles, and the columns that the window cuts.
fn pieces(grid: &Grid, window: Window) -> (Vec<Piece>, Vec<Stretch>) {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut stretches: Vec<Stretch> = Vec::new();
    let (first, end) = grid.touched(window);
    for column in first..end {
        let Window { from, to } = grid.column(column);
        let (stretch, place) = if window.from <= from && to <= window.to {
            Stretch::tile(grid, column)
        } else {
            let cut = Window::new(from.max(window.from), to.min(window.to));
            (Stretch::single(cut), 0)
        };
        match pieces.last_mut() {
            Some(piece) if stretches.last() == Some(&stretch) => piece.n_columns += 1,
            _ => {
                stretches.push(stretch);
                pieces.push(Piece { column, n_columns: 1, place });
            }
        }
    }
    (pieces, stretches)
}

impl Columns {
    /// The columns.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// How many rows there are.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The part of a column that lies in the window, which the shares are of. Without a tick if
    /// none does.
    pub fn window(&self, column: usize) -> Window {
        let Window { from, to } = self.grid.column(column);
        let from = from.max(self.window.from);
        Window::new(from, to.min(self.window.to).max(from))
    }

    /// The shares of the seen values in a column of a row, by value.
    pub fn shares(&self, row: usize, column: usize) -> impl Iterator<Item = Share> {
        let pieces = &self.formed.pieces;
        let number = pieces.partition_point(|piece| piece.column <= column).checked_sub(1);
        let found = number.map(|number| (number, pieces[number]));
        let shares = match found {
            Some((number, piece)) if column - piece.column < piece.n_columns => {
                self.formed.tile(row, number).column(piece.place + column - piece.column)
            }
            _ => &[],
        };
        let sees = |share: &&Share| self.seen.is_empty() || self.seen[share.value.index()];
        shares.iter().filter(sees).copied()
    }

    /// The same columns of a row in a form.
    pub fn formed<F: Form>(&self, row: usize, form: &F) -> F::Tile {
        let mut maker = form.maker(row);
        for column in 0..self.grid.n_columns() {
            let mut shares: Vec<Share> = self.shares(row, column).collect();
            shares.sort_unstable_by_key(|share| form.order().place(share.value));
            let Window { from, to } = self.window(column);
            maker.push(shares.into_iter(), to.saturating_sub(from));
        }
        maker.finish()
    }
}
