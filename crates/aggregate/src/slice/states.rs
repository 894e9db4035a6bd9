//! The time in each value of a state, per slice.

use onca_model::Ticks;

use super::Bounds;
use crate::Number;

/// Adds up the states of one leaf at a time.
///
/// Equals, for each value and slice, the sum of `slice.overlap(start, end)` over the states; a
/// state costs the same however many slices it covers.
#[derive(Clone, Debug)]
pub struct StateTime {
    bounds: Bounds,
    edges: Vec<Ticks>,
    /// By value and slice: the ticks of states that begin or end inside the slice. Wide, because
    /// nested states may add up to more than they leave in the end.
    ticks: Vec<i128>,
    /// By value and slice: by how much the number of states that cover the whole slice differs
    /// from that of the slice before. A count, not a width: widths differ by a tick.
    covers: Vec<i64>,
}

impl StateTime {
    /// Nothing yet, for values below `n_values`.
    pub fn new(bounds: Bounds, n_values: usize) -> Self {
        let n_cells = n_values * bounds.n_slices();
        Self { bounds, edges: bounds.edges(), ticks: vec![0; n_cells], covers: vec![0; n_cells] }
    }

    /// Adds a state, whatever others are open at the same time: inclusive time, or states that do
    /// not nest.
    ///
    /// # Panics
    /// If `value` is not below the number of values.
    pub fn add(&mut self, value: usize, start: Ticks, end: Ticks) {
        self.put(value, start, end, 1);
    }

    /// Adds a state and takes its time from the value of the state right around it: exclusive time,
    /// in which each tick counts for the innermost state only.
    ///
    /// # Panics
    /// If a value is not below the number of values.
    pub fn add_nested(&mut self, value: usize, parent: Option<usize>, start: Ticks, end: Ticks) {
        self.put(value, start, end, 1);
        if let Some(parent) = parent {
            self.put(parent, start, end, -1);
        }
    }

    fn put(&mut self, value: usize, start: Ticks, end: Ticks, sign: i64) {
        let Some(part) = self.bounds.part(start, end) else { return };
        let row = value * self.bounds.n_slices();
        let (first, last) = (part.first, part.last);
        let signed = |ticks: Ticks| i128::from(sign * ticks);
        if first == last {
            self.ticks[row + first] += signed(part.end - part.start);
            return;
        }
        self.ticks[row + first] += signed(self.edges[first + 1] - part.start);
        self.ticks[row + last] += signed(part.end - self.edges[last]);
        self.covers[row + first + 1] += sign;
        self.covers[row + last] -= sign;
    }

    /// Adds what was added up to a leaf of a [`Cube`](super::Cube), by value and slice, and begins
    /// anew.
    pub fn drain_into(&mut self, cells: &mut [Ticks]) {
        let n_slices = self.bounds.n_slices();
        let rows =
            self.ticks.chunks_exact_mut(n_slices).zip(self.covers.chunks_exact_mut(n_slices));
        for ((ticks, covers), cells) in rows.zip(cells.chunks_exact_mut(n_slices)) {
            let mut covering = 0;
            for k in 0..n_slices {
                covering += std::mem::take(&mut covers[k]);
                let width = self.edges[k + 1] - self.edges[k];
                let all = std::mem::take(&mut ticks[k]) + i128::from(covering) * i128::from(width);
                cells[k] = cells[k].plus(clamp(all));
            }
        }
    }
}

/// Many states at once may pass what a tick count can say.
fn clamp(ticks: i128) -> Ticks {
    ticks.clamp(i128::from(Ticks::MIN), i128::from(Ticks::MAX)) as Ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sliced(n_values: usize, fill: impl FnOnce(&mut StateTime)) -> Vec<Ticks> {
        let bounds = Bounds::new(0, 10, 4).expect("bounds");
        let mut time = StateTime::new(bounds, n_values);
        fill(&mut time);
        let mut cells = vec![0; n_values * 4];
        time.drain_into(&mut cells);
        cells
    }

    #[test]
    fn a_long_state_fills_slices_of_unequal_width() {
        assert_eq!(sliced(1, |time| time.add(0, -5, 50)), [2, 3, 2, 3]);
        assert_eq!(sliced(1, |time| time.add(0, 1, 9)), [1, 3, 2, 2]);
        assert_eq!(sliced(1, |time| time.add(0, 3, 4)), [0, 1, 0, 0]);
    }

    #[test]
    fn what_has_no_length_or_lies_outside_counts_nothing() {
        let cells = sliced(1, |time| {
            time.add(0, 3, 3);
            time.add(0, 10, 20);
            time.add(0, -9, 0);
        });
        assert_eq!(cells, [0; 4]);
    }

    #[test]
    fn nested_states_take_their_time_from_the_state_around() {
        let cells = sliced(2, |time| {
            time.add_nested(0, None, 0, 10);
            time.add_nested(1, Some(0), 1, 8);
            time.add_nested(0, Some(1), 3, 4);
        });
        assert_eq!(cells, [1, 1, 0, 2, 1, 2, 2, 1]);
    }
}
