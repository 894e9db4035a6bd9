//! One axis for two runs: each pair of segments is as wide as the longer of the two.

use onca_model::{Ticks, Window};

use super::Pair;

/// One of the two runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// The first.
    Before,
    /// The second.
    After,
}

impl Which {
    /// Its part of a pair.
    pub fn of(self, pair: &Pair) -> Window {
        match self {
            Self::Before => pair.before,
            Self::After => pair.after,
        }
    }
}

/// Places along both runs, in ticks of the comparison.
#[derive(Debug)]
pub struct AlignedAxis<'a> {
    /// What belongs together.
    pub pairs: &'a [Pair],
    /// Where each pair begins, and where the last ends.
    starts: Vec<i128>,
}

fn length(window: Window) -> i128 {
    i128::from(window.to) - i128::from(window.from)
}

impl<'a> AlignedAxis<'a> {
    /// The axis of pairs that tile both runs.
    pub fn new(pairs: &'a [Pair]) -> Self {
        let mut starts = vec![0];
        let mut end = 0;
        for pair in pairs {
            end += length(pair.before).max(length(pair.after));
            starts.push(end);
        }
        Self { pairs, starts }
    }

    /// How long it is.
    pub fn length(&self) -> i128 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Where a pair begins and ends.
    pub fn span(&self, pair: usize) -> (i128, i128) {
        (self.starts[pair], self.starts[pair + 1])
    }

    /// The time of a run at a place. Where the run has nothing, it is when that gap begins.
    pub fn time(&self, which: Which, place: i128) -> Ticks {
        let at = self.starts.partition_point(|start| *start <= place).saturating_sub(1);
        match self.pairs.get(at) {
            Some(pair) => {
                let own = which.of(pair);
                own.from + (place - self.starts[at]).min(length(own)) as Ticks
            }
            None => self.pairs.last().map_or(0, |pair| which.of(pair).to),
        }
    }

    /// The place of a time of a run.
    pub fn place(&self, which: Which, time: Ticks) -> i128 {
        let at = self.pairs.partition_point(|pair| which.of(pair).to <= time);
        match self.pairs.get(at) {
            Some(pair) => {
                self.starts[at] + (i128::from(time) - i128::from(which.of(pair).from)).max(0)
            }
            None => self.length(),
        }
    }

    /// Where a window of a run begins and ends. What only the other run has at its ends does not belong to it.
    pub fn places(&self, which: Which, window: Window) -> (i128, i128) {
        let from = self.place(which, window.from);
        (from, (self.place(which, window.to - 1) + 1).max(from))
    }

    /// Where a run has nothing.
    pub fn gaps(&self, which: Which) -> impl Iterator<Item = (i128, i128)> {
        let ends = self.pairs.iter().zip(self.starts.windows(2));
        let mut gaps: Vec<(i128, i128)> = Vec::new();
        for (pair, ends) in ends {
            let from = ends[0] + length(which.of(pair));
            match gaps.last_mut() {
                Some(last) if last.1 == from => last.1 = ends[1],
                _ if from < ends[1] => gaps.push((from, ends[1])),
                _ => {}
            }
        }
        gaps.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(before: (Ticks, Ticks), after: (Ticks, Ticks)) -> Pair {
        Pair { before: Window::new(before.0, before.1), after: Window::new(after.0, after.1) }
    }

    #[test]
    fn each_pair_has_room_for_the_longer_one() {
        let pairs = [pair((0, 10), (5, 20)), pair((10, 30), (20, 20)), pair((30, 40), (20, 30))];
        let axis = AlignedAxis::new(&pairs);
        assert_eq!(axis.length(), 15 + 20 + 10);
        let times = |which| [0, 12, 15, 20, 35, 45].map(|place| axis.time(which, place));
        assert_eq!(times(Which::Before), [0, 10, 10, 15, 30, 40]);
        assert_eq!(times(Which::After), [5, 17, 20, 20, 20, 30]);
        assert_eq!(axis.gaps(Which::Before).collect::<Vec<_>>(), [(10, 15)]);
        assert_eq!(axis.gaps(Which::After).collect::<Vec<_>>(), [(15, 35)]);
        let places = |which, times: [Ticks; 3]| times.map(|time| axis.place(which, time));
        assert_eq!(places(Which::Before, [5, 10, 40]), [5, 15, 45]);
        assert_eq!(places(Which::After, [5, 20, 25]), [0, 35, 40]);
        assert_eq!(axis.places(Which::After, Window::new(5, 20)), (0, 15));
        assert_eq!(axis.places(Which::After, Window::new(20, 30)), (35, 45));
    }
}
