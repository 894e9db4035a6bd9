//! What every value has of every pixel column: exact, however many states fall on it.

mod cache;
mod compute;
mod grid;
mod parts;
mod rows;
mod tile;

use std::sync::Arc;

use onca_model::Window;
use onca_query::Scope;
use onca_store::Share;

pub use cache::ColumnCache;
pub use grid::Grid;
pub use rows::ColumnRow;

use crate::{AnswerError, Result};
use compute::Work;
use grid::Stretch;
use rows::tracks_of;
use tile::Tile;

/// What every value has of every column of some rows.
pub struct Columns {
    grid: Grid,
    window: Window,
    places: Vec<Place>,
    /// By row and piece.
    tiles: Vec<Arc<Tile>>,
    n_rows: usize,
    n_pieces: usize,
    /// By value; empty if the lens hides none.
    seen: Vec<bool>,
}

/// Where a column is found in a row.
#[derive(Clone, Copy)]
struct Place {
    piece: u32,
    column: u32,
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
    let n_columns = grid.n_columns();
    if rows.len().checked_mul(n_columns).is_none_or(|n| n > MAX_CELLS) {
        return Err(AnswerError::TooLarge(format!(
            "{} rows of {n_columns} columns are more than {MAX_CELLS} cells; take fewer columns, \
             or group rows",
            rows.len()
        )));
    }
    let (places, stretches) = pieces(&grid, scope.window());
    let tracks = tracks_of(scope, rows)?;
    let tiles = Work::new(scope, &stretches, cache, rows.len()).tiles(&tracks)?;
    let sees = |value| scope.sees_value(onca_model::ValueId(value));
    let seen = match scope.sees_all_values() {
        true => Vec::new(),
        false => (0..scope.catalog().values.len() as u32).map(sees).collect(),
    };
    let (window, n_pieces) = (scope.window(), stretches.len());
    Ok(Columns { grid, window, places, tiles, n_rows: rows.len(), n_pieces, seen })
}

/// Stands for a column outside the window.
const NOWHERE: Place = Place { piece: u32::MAX, column: 0 };

/// What each row is made of: tiles, and the columns that the window cuts.
fn pieces(grid: &Grid, window: Window) -> (Vec<Place>, Vec<Stretch>) {
    let mut places = vec![NOWHERE; grid.n_columns()];
    let mut stretches: Vec<Stretch> = Vec::new();
    let (first, end) = grid.touched(window);
    for (column, own) in places.iter_mut().enumerate().take(end).skip(first) {
        let Window { from, to } = grid.column(column);
        let (stretch, place) = if window.from <= from && to <= window.to {
            Stretch::tile(grid, column)
        } else {
            let cut = Window::new(from.max(window.from), to.min(window.to));
            (Stretch::single(cut), 0)
        };
        if stretches.last() != Some(&stretch) {
            stretches.push(stretch);
        }
        *own = Place { piece: stretches.len() as u32 - 1, column: place as u32 };
    }
    (places, stretches)
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
    #[inline]
    pub fn shares(&self, row: usize, column: usize) -> impl Iterator<Item = Share> {
        let Place { piece, column } = self.places.get(column).copied().unwrap_or(NOWHERE);
        let tile = match (piece as usize) < self.n_pieces {
            true => self.tiles.get(row * self.n_pieces + piece as usize),
            false => None,
        };
        let shares = tile.map_or(&[][..], |tile| tile.column(column as usize));
        let sees = |share: &&Share| self.seen.is_empty() || self.seen[share.value.index()];
        shares.iter().filter(sees).copied()
    }
}
