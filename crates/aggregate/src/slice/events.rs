//! The number of events, per slice.

use onca_model::Ticks;

use super::Bounds;

/// Counts the events of one leaf at a time.
///
/// Equals, for each value and slice, the number of events in `[begin, end)`; what happens at the
/// very end of the window counts in the last slice.
#[derive(Clone, Debug)]
pub struct EventCounts {
    bounds: Bounds,
    counts: Vec<i64>,
}

impl EventCounts {
    /// Nothing yet, for values below `n_values`.
    pub fn new(bounds: Bounds, n_values: usize) -> Self {
        Self { bounds, counts: vec![0; n_values * bounds.n_slices()] }
    }

    /// Counts an event.
    ///
    /// # Panics
    /// If `value` is not below the number of values.
    pub fn add(&mut self, value: usize, time: Ticks) {
        if let Some(slice) = self.bounds.slice_of_instant(time) {
            self.counts[value * self.bounds.n_slices() + slice] += 1;
        }
    }

    /// Adds the counts to a leaf of a [`Cube`](super::Cube), by value and slice, and begins anew.
    pub fn drain_into(&mut self, cells: &mut [i64]) {
        for (cell, count) in cells.iter_mut().zip(&mut self.counts) {
            *cell += std::mem::take(count);
        }
    }
}
