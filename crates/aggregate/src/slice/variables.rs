//! The mean of a variable over time, per slice.

use onca_model::Ticks;

use super::Bounds;

/// What the integral of a variable over a slice is divided by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariableMode {
    /// By the width of the slice: the variable counts as 0 where it is not defined.
    Slice,
    /// By the time during which the variable is defined.
    Defined,
}

/// Adds up the steps of one variable.
///
/// Equals, for each slice, the sum of `slice.overlap(start, end) * value` over the steps, divided
/// as the mode says. Steps of one variable do not overlap, so visiting each slice of each step
/// costs no more than the number of steps and slices together.
#[derive(Clone, Debug)]
pub struct VariableMean {
    bounds: Bounds,
    edges: Vec<Ticks>,
    integrals: Vec<f64>,
    defined: Vec<Ticks>,
}

impl VariableMean {
    /// Nothing yet.
    pub fn new(bounds: Bounds) -> Self {
        let n_slices = bounds.n_slices();
        let edges = bounds.edges();
        Self { bounds, edges, integrals: vec![0.0; n_slices], defined: vec![0; n_slices] }
    }

    /// Adds a step: the variable had `value` from `start` to `end`. A value that is not a number
    /// leaves the variable undefined.
    pub fn add(&mut self, start: Ticks, end: Ticks, value: f64) {
        let Some(part) = self.bounds.part(start, end).filter(|_| !value.is_nan()) else { return };
        for slice in part.first..=part.last {
            let from = part.start.max(self.edges[slice]);
            let ticks = part.end.min(self.edges[slice + 1]) - from;
            self.integrals[slice] += ticks as f64 * value;
            self.defined[slice] += ticks;
        }
    }

    /// The mean in each slice. `None` where it is divided by nothing: where the variable is never
    /// defined in mode [`Defined`](VariableMode::Defined), and in slices narrower than a tick.
    pub fn means(&self, mode: VariableMode) -> Vec<Option<f64>> {
        let widths = self.edges.windows(2).map(|edge| edge[1] - edge[0]);
        let slices = self.integrals.iter().zip(&self.defined).zip(widths);
        slices
            .map(|((integral, &defined), width)| {
                let ticks = match mode {
                    VariableMode::Slice => width,
                    VariableMode::Defined => defined,
                };
                (ticks > 0).then(|| integral / ticks as f64)
            })
            .collect()
    }

    /// Begins anew, for the next variable.
    pub fn clear(&mut self) {
        self.integrals.fill(0.0);
        self.defined.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_time_counts_as_nothing_or_not_at_all() {
        let mut mean = VariableMean::new(Bounds::new(0, 30, 3).expect("bounds"));
        mean.add(5, 10, 6.0);
        mean.add(10, 12, f64::NAN);
        mean.add(12, 20, -1.0);
        assert_eq!(mean.means(VariableMode::Slice), [Some(3.0), Some(-0.8), Some(0.0)]);
        assert_eq!(mean.means(VariableMode::Defined), [Some(6.0), Some(-1.0), None]);
        mean.clear();
        assert_eq!(mean.means(VariableMode::Defined), [None; 3]);
    }

    #[test]
    fn a_slice_narrower_than_a_tick_has_no_mean() {
        let mut mean = VariableMean::new(Bounds::new(0, 1, 2).expect("bounds"));
        mean.add(0, 1, 4.0);
        assert_eq!(mean.means(VariableMode::Slice), [None, Some(4.0)]);
    }
}
