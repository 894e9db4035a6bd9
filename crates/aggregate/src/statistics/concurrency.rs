//! How many at the same time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

use onca_model::Ticks;

use crate::slice::Bounds;

/// Sweeps over intervals in order of their start and adds up, per slice, the time during which
/// exactly `k` of them are open.
///
/// To count containers, give each container's intervals without overlap; an interval nested in
/// another one of the same container would count twice. Memory grows with the number of intervals
/// that are open at once, and with the number of different levels in each slice.
#[derive(Clone, Debug)]
pub struct Concurrency {
    edges: Vec<Ticks>,
    /// The ends of the open intervals, the next one on top.
    ends: BinaryHeap<Reverse<Ticks>>,
    /// Up to where all is settled.
    now: Ticks,
    /// The start of the latest interval.
    latest: Ticks,
    /// The time at each level of the current slice.
    current: Vec<Ticks>,
    done: Vec<Levels>,
}

/// The time during which exactly `k` intervals are open.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Levels {
    /// Each level with its time, ascending, without those that last no tick.
    pub times: Vec<(u64, Ticks)>,
}

/// An interval that starts before the one that came before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutOfOrder {
    /// Its start.
    pub start: Ticks,
    /// The start of the interval before.
    pub latest: Ticks,
}

impl fmt::Display for OutOfOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { start, latest } = self;
        write!(
            f,
            "an interval starts at tick {start}, after one that starts at {latest}; sort by start"
        )
    }
}

impl std::error::Error for OutOfOrder {}

impl Levels {
    /// The time with exactly `level` open intervals.
    pub fn time_at(&self, level: u64) -> Ticks {
        let place = self.times.binary_search_by_key(&level, |&(level, _)| level);
        place.map_or(0, |at| self.times[at].1)
    }

    /// The fewest at once, if there is any time at all.
    pub fn min(&self) -> Option<u64> {
        self.times.first().map(|&(level, _)| level)
    }

    /// The most at once, if there is any time at all.
    pub fn max(&self) -> Option<u64> {
        self.times.last().map(|&(level, _)| level)
    }

    /// The sum of level times time: the time of all intervals together.
    pub fn integral(&self) -> i128 {
        self.times.iter().map(|&(level, time)| i128::from(level) * i128::from(time)).sum()
    }

    /// The mean number at once, if there is any time at all.
    pub fn mean(&self) -> Option<f64> {
        let all: i128 = self.times.iter().map(|&(_, time)| i128::from(time)).sum();
        (all > 0).then(|| self.integral() as f64 / all as f64)
    }
}

impl Concurrency {
    /// Nothing yet.
    pub fn new(bounds: &Bounds) -> Self {
        Self {
            edges: bounds.edges(),
            ends: BinaryHeap::new(),
            now: bounds.window().from,
            latest: Ticks::MIN,
            current: Vec::new(),
            done: Vec::with_capacity(bounds.n_slices()),
        }
    }

    /// Adds an interval; none may start before the one added before it.
    pub fn add(&mut self, start: Ticks, end: Ticks) -> Result<(), OutOfOrder> {
        if start < self.latest {
            return Err(OutOfOrder { start, latest: self.latest });
        }
        self.latest = start;
        let (from, to) = (self.edges[0], self.edges[self.edges.len() - 1]);
        let (start, end) = (start.max(from), end.min(to));
        if start < end {
            self.settle_ends(start);
            self.settle(start);
            self.ends.push(Reverse(end));
        }
        Ok(())
    }

    /// The levels of each slice.
    pub fn finish(mut self) -> Vec<Levels> {
        let to = self.edges[self.edges.len() - 1];
        self.settle_ends(to);
        self.settle(to);
        self.done
    }

    /// Closes the intervals that end up to `time`.
    fn settle_ends(&mut self, time: Ticks) {
        while let Some(&Reverse(end)) = self.ends.peek()
            && end <= time
        {
            self.settle(end);
            self.ends.pop();
        }
    }

    /// Spreads the time up to `time` over the slices: the level has not changed since `now`.
    fn settle(&mut self, time: Ticks) {
        let level = self.ends.len();
        while self.done.len() + 1 < self.edges.len() {
            let slice_end = self.edges[self.done.len() + 1];
            let until = time.min(slice_end);
            if until > self.now {
                if self.current.len() <= level {
                    self.current.resize(level + 1, 0);
                }
                self.current[level] += until - self.now;
                self.now = until;
            }
            if time < slice_end {
                return;
            }
            self.close_slice();
        }
    }

    fn close_slice(&mut self) {
        let levels = (0..).zip(self.current.drain(..)).filter(|&(_, time)| time > 0);
        self.done.push(Levels { times: levels.collect() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(n_slices: usize, intervals: &[(Ticks, Ticks)]) -> Vec<Levels> {
        let mut sweep = Concurrency::new(&Bounds::new(0, 10, n_slices).expect("bounds"));
        for &(start, end) in intervals {
            sweep.add(start, end).expect("in order");
        }
        sweep.finish()
    }

    #[test]
    fn levels_are_timed_in_every_slice() {
        let slices = levels(2, &[(-5, 3), (1, 7), (3, 4), (6, 6), (6, 99)]);
        assert_eq!(slices[0].times, [(1, 2), (2, 3)]);
        assert_eq!(slices[1].times, [(1, 4), (2, 1)]);
        assert_eq!((slices[0].min(), slices[0].max()), (Some(1), Some(2)));
        assert_eq!((slices[0].integral(), slices[0].mean()), (8, Some(1.6)));
        assert_eq!((slices[1].time_at(1), slices[1].time_at(0)), (4, 0));
    }

    #[test]
    fn without_intervals_all_time_is_at_level_zero() {
        assert_eq!(levels(1, &[]), [Levels { times: vec![(0, 10)] }]);
        assert_eq!(levels(1, &[(10, 20)])[0].mean(), Some(0.0));
    }

    #[test]
    fn disorder_is_refused() {
        let mut sweep = Concurrency::new(&Bounds::new(0, 10, 1).expect("bounds"));
        sweep.add(5, 6).expect("in order");
        assert_eq!(sweep.add(4, 9), Err(OutOfOrder { start: 4, latest: 5 }));
    }
}
