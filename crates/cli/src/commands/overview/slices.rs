//! When slices are, for tables.

use onca_answer::overview::Matrix;

use onca_program::table::Cell;

/// A matrix whose slices are shown with as many decimals as tell them apart.
pub struct Slices<'a> {
    pub matrix: &'a Matrix,
    decimals: usize,
}

impl<'a> Slices<'a> {
    /// The slices of a matrix.
    pub fn of(matrix: &'a Matrix) -> Self {
        let width = matrix.times.as_ref().map_or(1.0, |times| {
            let window = times.bounds.window();
            times.unit.units(window.to - window.from) / matrix.cells.n_slices() as f64
        });
        // Two digits of the width of a slice.
        let decimals =
            if width > 0.0 { (1.0 - width.log10().floor()).clamp(0.0, 9.0) } else { 9.0 };
        Self { matrix, decimals: decimals as usize }
    }

    /// When a slice begins: a time, or its number.
    pub fn begin(&self, slice: usize) -> Cell {
        match &self.matrix.times {
            Some(times) => {
                let ticks = times.bounds.bound(slice);
                let decimals = self.decimals;
                let shown = format!("{:.decimals$}", times.unit.units(ticks));
                Cell::number(shown, times.unit.format(ticks))
            }
            None => Cell::text(slice.to_string()),
        }
    }
}
