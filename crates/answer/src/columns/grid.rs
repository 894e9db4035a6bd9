//! Columns of equal width over time.

use onca_model::{Ticks, Window};

use crate::{AnswerError, Result};

/// Columns of equal width, side by side.
///
/// A grid made by [`over`](Self::over) has columns of a power of two, and a column begins at tick
/// 0. Whatever is known about such columns can be used again when the window moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    origin: Ticks,
    width: Ticks,
    n_columns: u32,
}

impl Grid {
    /// No picture has more columns.
    pub const MAX_COLUMNS: usize = 1 << 16;

    /// The grid whose first column begins at `origin`.
    pub fn new(origin: Ticks, width: Ticks, n_columns: usize) -> Result<Self> {
        if width < 1 {
            let why = format!("columns of {width} ticks are not possible; the least is 1 tick");
            return Err(AnswerError::Question(why));
        }
        if !(1..=Self::MAX_COLUMNS).contains(&n_columns) {
            return Err(AnswerError::Question(format!(
                "{n_columns} columns are not possible; there may be 1 to {}",
                Self::MAX_COLUMNS
            )));
        }
        Ok(Self { origin, width, n_columns: n_columns as u32 })
    }

    /// The finest grid of powers of two that covers a window with at most `max_columns`. It has
    /// more than half as many, unless there are more columns than ticks.
    pub fn over(window: Window, max_columns: usize) -> Result<Self> {
        let Window { from, to } = window;
        if from >= to {
            let why = format!("the window from tick {from} to tick {to} is empty");
            return Err(AnswerError::Question(why));
        }
        let last = to - 1;
        // A window of two ticks may straddle the border of the widest columns.
        for log in 0..Ticks::BITS - 1 {
            let n_columns = i128::from(last >> log) - i128::from(from >> log) + 1;
            if n_columns <= max_columns.max(2) as i128 {
                return Self::new(from >> log << log, 1 << log, n_columns as usize);
            }
        }
        Err(AnswerError::Question(format!(
            "the window from tick {from} to tick {to} has more than {} ticks",
            Ticks::MAX
        )))
    }

    /// How many columns there are.
    pub fn n_columns(&self) -> usize {
        self.n_columns as usize
    }

    /// The width of a column.
    pub fn width(&self) -> Ticks {
        self.width
    }

    /// The begin of a column, or the end of the one before it. Columns end where time does.
    pub fn bound(&self, column: usize) -> Ticks {
        clamp(i128::from(self.origin) + i128::from(self.width) * column as i128)
    }

    /// A column.
    pub fn column(&self, column: usize) -> Window {
        Window::new(self.bound(column), self.bound(column + 1))
    }

    /// The columns that a window touches, which may be none: first, and one past the last.
    pub(super) fn touched(&self, window: Window) -> (usize, usize) {
        let first = self.columns_before(window.from);
        let last = self.columns_before(window.to.saturating_sub(1));
        if window.from >= window.to || window.to <= self.origin || first >= self.n_columns() {
            return (0, 0);
        }
        (first, (last + 1).min(self.n_columns()))
    }

    /// How many columns end at or before a tick.
    fn columns_before(&self, tick: Ticks) -> usize {
        let columns = (i128::from(tick) - i128::from(self.origin)) / i128::from(self.width);
        columns.clamp(0, i128::from(self.n_columns)) as usize
    }
}

fn clamp(tick: i128) -> Ticks {
    tick.clamp(i128::from(Ticks::MIN), i128::from(Ticks::MAX)) as Ticks
}

/// Some columns that are known together: a tile, whose place depends on nothing but the width of
/// its columns and where one of them begins; or one column that a window cuts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Stretch {
    origin: i128,
    pub width: Ticks,
    pub n_columns: u32,
}

/// Columns of a tile: few, so that little is computed beyond what is asked for.
pub const TILE_COLUMNS: usize = 128;
const TILE: i128 = TILE_COLUMNS as i128;

impl Stretch {
    /// One column.
    pub fn single(window: Window) -> Self {
        Self { origin: i128::from(window.from), width: window.to - window.from, n_columns: 1 }
    }

    /// The tile that holds a column of a grid, and the place of the column in it.
    pub fn tile(grid: &Grid, column: usize) -> (Self, usize) {
        let width = i128::from(grid.width);
        let begin = i128::from(grid.origin) + width * column as i128;
        let place = begin.div_euclid(width).rem_euclid(TILE);
        let tile =
            Self { origin: begin - width * place, width: grid.width, n_columns: TILE as u32 };
        (tile, place as usize)
    }

    /// Does it go on where another ends, with columns of the same width?
    pub fn follows(&self, other: &Self) -> bool {
        self.width == other.width && self.origin == other.end()
    }

    fn end(&self) -> i128 {
        self.origin + i128::from(self.width) * i128::from(self.n_columns)
    }

    /// The bounds of its columns. Those outside of time are empty.
    pub fn bounds(&self) -> impl Iterator<Item = Ticks> + use<> {
        let Self { origin, width, n_columns } = *self;
        (0..=n_columns).map(move |k| clamp(origin + i128::from(width) * i128::from(k)))
    }
}
