//! Columns of pixels over a window.

use onca_answer::columns;
use onca_model::{Ticks, Window};

use crate::Result;

/// Columns that are nearly pixels have their borders on steps; a pixel has at least this many.
const STEPS_PER_PIXEL: i128 = 8;

/// A window cut into columns of one width, close to a pixel and never thinner. The window may cut
/// off a part of the first and of the last column.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Grid {
    /// The window; never empty.
    pub window: Window,
    /// Where the first column begins, not after the window does.
    origin: Ticks,
    /// The width of a column, in ticks.
    pub width: Ticks,
    /// How many columns there are.
    pub n: usize,
    /// The ticks of one pixel.
    pub pixel: f64,
}

impl Grid {
    /// Columns that are wider than a pixel by an eighth at most. A window without length becomes one
    /// tick.
    ///
    /// Their borders are multiples of a power of two, so that they do not cut the columns of sums in a
    /// store: a picture of a long trace looks at no single state.
    pub fn of_pixels(window: Window, pixels: f64) -> Self {
        let (window, pixels) = (with_length(window), pixels.floor().max(1.0));
        let span = span_of(window);
        let exact = (span + pixels as i128 - 1) / pixels as i128;
        let step = 1 << (exact / STEPS_PER_PIXEL).max(1).ilog2();
        // The first column may begin one step before the window, less a tick.
        let least = (span + step + pixels as i128 - 2) / pixels as i128;
        let width = Ticks::try_from((least + step - 1) / step * step).unwrap_or(Ticks::MAX);
        let origin = i128::from(window.from).div_euclid(step) * step;
        let n = (i128::from(window.to) - origin + i128::from(width) - 1) / i128::from(width);
        let (origin, pixel) = (origin as Ticks, span as f64 / pixels);
        Self { window, origin, width, n: n as usize, pixel }
    }

    /// Columns of one to two pixels whose borders stay when the window moves: what was computed
    /// for them can be used again.
    pub fn steady(window: Window, pixels: f64) -> Result<Self> {
        let (window, pixels) = (with_length(window), pixels.floor().max(1.0));
        let columns = columns::Grid::over(window, pixels as usize)?;
        let (origin, width) = (columns.bound(0), columns.width());
        let pixel = span_of(window) as f64 / pixels;
        Ok(Self { window, origin, width, n: columns.n_columns(), pixel })
    }

    /// The columns to ask for.
    pub fn columns(&self) -> Result<columns::Grid> {
        Ok(columns::Grid::new(self.origin, self.width, self.n)?)
    }

    /// The length of the window.
    pub fn span(&self) -> f64 {
        self.window.to as f64 - self.window.from as f64
    }

    /// Where a time is in view space: ticks after the begin of the window, kept inside it.
    pub fn x(&self, time: Ticks) -> f64 {
        time.clamp(self.window.from, self.window.to).abs_diff(self.window.from) as f64
    }

    /// Where a time is in view space, also outside the window.
    pub fn x_anywhere(&self, time: Ticks) -> f64 {
        let far = time.abs_diff(self.window.from) as f64;
        if time < self.window.from { -far } else { far }
    }

    /// Where a column begins in view space.
    pub fn column_x(&self, column: usize) -> f64 {
        self.x_anywhere(self.origin) + column as f64 * self.width as f64
    }

    /// The column of an instant; what is outside counts for the first or last.
    pub fn column_at(&self, time: Ticks) -> usize {
        let column = time.max(self.window.from).abs_diff(self.origin) / self.width.unsigned_abs();
        usize::try_from(column).map_or(self.n - 1, |column| column.min(self.n - 1))
    }

    /// The columns that something from `start` to `end` touches, as first and last.
    pub fn columns_of(&self, start: Ticks, end: Ticks) -> (usize, usize) {
        let first = self.column_at(start);
        (first, self.column_at(end.saturating_sub(1)).max(first))
    }

    /// The time of a column that lies in the window.
    pub fn column(&self, column: usize) -> Window {
        Window::new(self.border(column), self.border(column + 1))
    }

    fn border(&self, column: usize) -> Ticks {
        let after = self.width.unsigned_abs().saturating_mul(column as u64);
        let at = self.origin.saturating_add_unsigned(after);
        at.clamp(self.window.from, self.window.to)
    }
}

fn with_length(window: Window) -> Window {
    let to = window.to.max(window.from.saturating_add(1));
    Window::new(window.from.min(to - 1), to)
}

fn span_of(window: Window) -> i128 {
    i128::from(window.to) - i128::from(window.from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_cover_the_window_once() {
        let most = Ticks::MAX;
        for (from, to, pixels) in
            [(0, 1000, 10.0), (-7, 8, 4.0), (5, 5, 3.0), (0, 3, 100.0), (-most / 3, most / 3, 7.0)]
        {
            let window = Window::new(from, to);
            let steady = Grid::steady(window, pixels).expect("a grid");
            for grid in [Grid::of_pixels(window, pixels), steady] {
                let mut at = grid.window.from;
                for column in 0..grid.n {
                    let Window { from, to } = grid.column(column);
                    assert!(from == at && from < to, "{grid:?}");
                    assert_eq!((grid.column_at(from), grid.column_at(to - 1)), (column, column));
                    at = to;
                }
                assert_eq!(at, grid.window.to);
                assert!(grid.n as f64 <= pixels);
            }
        }
    }

    #[test]
    fn columns_of_pixels_do_not_cut_sums_and_are_hardly_wider() {
        // A pixel has 100,000 ticks; the power of two below an eighth of it is 8,192.
        let grid = Grid::of_pixels(Window::new(12_345_678, 112_345_678), 1000.0);
        assert_eq!((grid.origin, grid.width), (1507 * 8192, 13 * 8192));
        assert_eq!(grid.column(0), Window::new(12_345_678, 1520 * 8192));
    }

    #[test]
    fn what_is_outside_counts_for_the_outermost_column() {
        let grid = Grid::of_pixels(Window::new(100, 200), 10.0);
        assert_eq!(grid.columns_of(0, 115), (0, 1));
        assert_eq!(grid.columns_of(190, 300), (9, 9));
        assert_eq!(grid.columns_of(110, 110), (1, 1));
        assert_eq!((grid.x(0), grid.x(150), grid.x(500)), (0.0, 50.0, 100.0));
    }

    #[test]
    fn steady_columns_begin_before_the_window() {
        let grid = Grid::steady(Window::new(5, 30), 10.0).expect("a grid");
        assert_eq!((grid.width, grid.n, grid.column_x(0)), (4, 7, -1.0));
        assert_eq!(grid.column(0), Window::new(5, 8));
    }
}
