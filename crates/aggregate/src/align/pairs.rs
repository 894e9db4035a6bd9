//! Two runs side by side in time.

use onca_model::{Ticks, Window};

use super::Step;

/// Parts of two runs that belong together. One of them is empty where the other run has nothing like it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// In the first run.
    pub before: Window,
    /// In the second run.
    pub after: Window,
}

impl Pair {
    /// Are there ticks on both sides?
    pub fn is_both(&self) -> bool {
        length(self.before) > 0 && length(self.after) > 0
    }

    /// How much longer it is in the second run.
    pub fn change(&self) -> Ticks {
        length(self.after) - length(self.before)
    }
}

fn length(window: Window) -> Ticks {
    window.to - window.from
}

/// Two runs side by side: pairs that tile both, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alignment {
    /// The pairs.
    pub pairs: Vec<Pair>,
}

impl Alignment {
    /// Pairs the segments between the borders of two runs as the steps tell.
    pub fn of_steps(before: &[Ticks], after: &[Ticks], steps: &[Step]) -> Self {
        let window =
            |borders: &[Ticks], at: usize| Window { from: borders[at], to: borders[at + 1] };
        let empty = |at: Ticks| Window { from: at, to: at };
        let (mut i, mut j) = (before[0], after[0]);
        let mut pairs = Vec::with_capacity(steps.len());
        for step in steps {
            let pair = match *step {
                Step::Both(at, other) => {
                    Pair { before: window(before, at), after: window(after, other) }
                }
                Step::Before(at) => Pair { before: window(before, at), after: empty(j) },
                Step::After(at) => Pair { before: empty(i), after: window(after, at) },
            };
            (i, j) = (pair.before.to, pair.after.to);
            pairs.push(pair);
        }
        Self { pairs }
    }

    /// Two runs where a time of the first is the same time of the second, later by `shift`. What one has before or after the
    /// other is alone.
    pub fn shifted(before: Window, after: Window, shift: Ticks) -> Self {
        let moved = |time: Ticks| time.saturating_add(shift).clamp(after.from, after.to);
        let back = |time: Ticks| time.saturating_sub(shift).clamp(before.from, before.to);
        let mut pairs = Vec::new();
        let mut place = (before.from, after.from);
        // Where both begin, where both end, and where the last ends.
        let begin = (back(after.from), moved(before.from));
        let end = (back(after.to).max(begin.0), moved(before.to).max(begin.1));
        for (to_before, to_after) in [begin, end, (before.to, after.to)] {
            let pair = Pair {
                before: Window { from: place.0, to: to_before.max(place.0) },
                after: Window { from: place.1, to: to_after.max(place.1) },
            };
            if pair.is_both() || pair.change() == 0 {
                pairs.push(pair);
            } else {
                pairs.extend(pair.apart());
            }
            place = (pair.before.to, pair.after.to);
        }
        pairs.retain(|pair| length(pair.before) > 0 || length(pair.after) > 0);
        Self { pairs }
    }

    /// Cuts pairs into parts, `n` or somewhat more all together, where they are longest. Inside a pair time runs evenly.
    pub fn cut(&self, n: usize) -> Self {
        let both = |pair: &&Pair| pair.is_both();
        let total: i128 =
            self.pairs.iter().filter(both).map(|pair| i128::from(length(pair.before))).sum();
        let mut pairs = Vec::new();
        for pair in &self.pairs {
            let share = n as i128 * i128::from(length(pair.before));
            let parts = if pair.is_both() { (share / total.max(1)).max(1) } else { 1 };
            let least = length(pair.before).min(length(pair.after)).max(1);
            let parts = parts.min(i128::from(least));
            let at = |window: Window, k: i128| {
                window.from + (i128::from(length(window)) * k / parts) as Ticks
            };
            let part =
                |window: Window, k: i128| Window { from: at(window, k), to: at(window, k + 1) };
            pairs.extend(
                (0..parts)
                    .map(|k| Pair { before: part(pair.before, k), after: part(pair.after, k) }),
            );
        }
        Self { pairs }
    }

    /// Joins neighbours of the same kind until there are hardly more than `n` pairs.
    pub fn joined(&self, n: usize) -> Self {
        let group = self.pairs.len().div_ceil(n.max(1));
        let kind = |pair: &Pair| (length(pair.before) > 0, length(pair.after) > 0);
        let mut pairs: Vec<(Pair, usize)> = Vec::new();
        for pair in &self.pairs {
            match pairs.last_mut() {
                Some((last, count)) if *count < group && kind(last) == kind(pair) => {
                    (last.before.to, last.after.to) = (pair.before.to, pair.after.to);
                    *count += 1;
                }
                _ => pairs.push((*pair, 1)),
            }
        }
        Self { pairs: pairs.into_iter().map(|(pair, _)| pair).collect() }
    }

    /// Where a time of the first run is in the second.
    pub fn to_after(&self, time: Ticks) -> Ticks {
        map(self.pairs.iter().map(|pair| (pair.before, pair.after)), time)
    }

    /// Where a time of the second run is in the first.
    pub fn to_before(&self, time: Ticks) -> Ticks {
        map(self.pairs.iter().map(|pair| (pair.after, pair.before)), time)
    }
}

impl Pair {
    /// Both sides, each alone.
    fn apart(&self) -> [Self; 2] {
        let Self { before, after } = *self;
        [
            Self { before, after: Window { from: after.from, to: after.from } },
            Self { before: Window { from: before.to, to: before.to }, after },
        ]
    }
}

/// Where a time is on the other side. What is alone is where its neighbours meet.
fn map(pairs: impl Iterator<Item = (Window, Window)>, time: Ticks) -> Ticks {
    let mut last = 0;
    for (at, (own, other)) in pairs.enumerate() {
        if at == 0 && time < own.from {
            return other.from;
        }
        if time < own.to {
            let into = i128::from(time - own.from) * i128::from(length(other));
            return other.from + (into / i128::from(length(own))) as Ticks;
        }
        last = other.to;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(from: Ticks, to: Ticks) -> Window {
        Window { from, to }
    }

    fn told(alignment: &Alignment) -> Vec<(Ticks, Ticks, Ticks, Ticks)> {
        let of = |pair: &Pair| (pair.before.from, pair.before.to, pair.after.from, pair.after.to);
        alignment.pairs.iter().map(of).collect()
    }

    #[test]
    fn pairs_tile_both_runs() {
        let steps = [Step::Both(0, 0), Step::Before(1), Step::After(1), Step::Both(2, 2)];
        let found = Alignment::of_steps(&[0, 10, 20, 30], &[5, 20, 25, 40], &steps);
        assert_eq!(
            told(&found),
            [(0, 10, 5, 20), (10, 20, 20, 20), (20, 20, 20, 25), (20, 30, 25, 40)]
        );
        assert_eq!(found.pairs.iter().map(Pair::change).sum::<Ticks>(), (40 - 5) - 30);
        assert_eq!((found.to_after(5), found.to_after(15), found.to_after(25)), (12, 20, 32));
        assert_eq!((found.to_before(20), found.to_before(22), found.to_before(40)), (20, 20, 30));
        assert_eq!((found.to_after(-3), found.to_after(99)), (5, 40));
    }

    #[test]
    fn the_same_times_belong_together() {
        let at_begin = Alignment::shifted(window(0, 100), window(10, 130), 10);
        assert_eq!(told(&at_begin), [(0, 100, 10, 110), (100, 100, 110, 130)]);
        let at_end = Alignment::shifted(window(0, 100), window(10, 130), 30);
        assert_eq!(told(&at_end), [(0, 0, 10, 30), (0, 100, 30, 130)]);
        let apart = Alignment::shifted(window(0, 10), window(50, 60), 0);
        assert_eq!(told(&apart), [(0, 10, 50, 50), (10, 10, 50, 60)]);
        let inside = Alignment::shifted(window(0, 100), window(20, 30), 0);
        assert_eq!(told(&inside), [(0, 20, 20, 20), (20, 30, 20, 30), (30, 100, 30, 30)]);
    }

    #[test]
    fn cutting_and_joining_lose_nothing() {
        let pairs = vec![
            Pair { before: window(0, 30), after: window(0, 61) },
            Pair { before: window(30, 40), after: window(61, 61) },
            Pair { before: window(40, 50), after: window(61, 70) },
        ];
        let whole = Alignment { pairs };
        let cut = whole.cut(8);
        assert_eq!(cut.pairs.len(), 6 + 1 + 2);
        for pairs in cut.pairs.windows(2) {
            assert_eq!(pairs[0].before.to, pairs[1].before.from);
            assert_eq!(pairs[0].after.to, pairs[1].after.from);
        }
        assert_eq!(cut.pairs.iter().map(Pair::change).sum::<Ticks>(), 20);
        assert_eq!(whole.cut(1000).pairs.len(), 30 + 1 + 9);
        let joined = cut.joined(3);
        assert_eq!(told(&joined)[0], (0, 15, 0, 30));
        assert_eq!(joined.pairs.iter().map(Pair::change).sum::<Ticks>(), 20);
        assert!(joined.pairs.contains(&whole.pairs[1]));
    }
}
