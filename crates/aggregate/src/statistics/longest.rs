//! The longest few of very many.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use onca_model::Ticks;

/// Keeps the longest items that it is shown, in bounded memory. Of equally long ones the smallest
/// item wins, so that the order in which they come does not matter.
#[derive(Clone, Debug)]
pub struct Longest<T: Ord> {
    limit: usize,
    /// The one to go next on top: the shortest and, of those, the largest.
    kept: BinaryHeap<(Reverse<Ticks>, T)>,
}

impl<T: Ord> Longest<T> {
    /// Nothing yet; at most `limit` items will be kept.
    pub fn new(limit: usize) -> Self {
        Self { limit, kept: BinaryHeap::new() }
    }

    /// Shows an item.
    pub fn offer(&mut self, duration: Ticks, item: T) {
        if self.kept.len() < self.limit {
            self.kept.push((Reverse(duration), item));
        } else if let Some(mut worst) = self.kept.peek_mut()
            && (Reverse(duration), &item) < (worst.0, &worst.1)
        {
            *worst = (Reverse(duration), item);
        }
    }

    /// Whatever is shorter need not be shown: it would not be kept.
    pub fn least(&self) -> Ticks {
        match self.kept.peek() {
            _ if self.kept.len() < self.limit => Ticks::MIN,
            Some((Reverse(shortest), _)) => *shortest,
            None => Ticks::MAX,
        }
    }

    /// Shows all items that another one has kept.
    pub fn merge(&mut self, other: Self) {
        for (Reverse(duration), item) in other.kept {
            self.offer(duration, item);
        }
    }

    /// What was kept, the longest first.
    pub fn into_sorted(self) -> Vec<(Ticks, T)> {
        let sorted = self.kept.into_sorted_vec().into_iter();
        sorted.map(|(Reverse(duration), item)| (duration, item)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equally_long_items_come_by_order() {
        let mut longest = Longest::new(3);
        assert_eq!(longest.least(), Ticks::MIN);
        for (duration, item) in [(5, 'd'), (9, 'z'), (5, 'a'), (1, 'x'), (5, 'b')] {
            longest.offer(duration, item);
        }
        assert_eq!(longest.least(), 5);
        assert_eq!(longest.into_sorted(), [(9, 'z'), (5, 'a'), (5, 'b')]);
    }

    #[test]
    fn merging_is_as_good_as_seeing_all() {
        let (mut left, mut right) = (Longest::new(2), Longest::new(2));
        left.offer(1, 'a');
        left.offer(4, 'b');
        right.offer(4, 'a');
        right.offer(3, 'c');
        left.merge(right);
        assert_eq!(left.into_sorted(), [(4, 'a'), (4, 'b')]);
    }

    #[test]
    fn none_may_be_wanted() {
        let mut longest = Longest::new(0);
        longest.offer(1, 'a');
        assert_eq!(longest.least(), Ticks::MAX);
        assert!(longest.into_sorted().is_empty());
    }
}
