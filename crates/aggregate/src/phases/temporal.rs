//! Messages that lie close together in time.
//!
//! Neighbours in time join, the closest pair first; of equally close pairs the earliest. A cluster stands at one time, its
//! representative. That of a new cluster lies between those of its two parts, so that it is never nearer to a neighbour than
//! the part beside that neighbour was. Hence
//!
//! - the distance over a gap that is still open never shrinks, and distances of merges never decrease;
//! - a gap that is narrower than both gaps beside it will be the next of the three to close, whatever happens elsewhere. It
//!   may be closed at once.
//!
//! The second point gives the tree in one walk, without a queue: the same as to look for the narrowest gap of all before
//! every merge, ties included, since a gap keeps its place. A tree over leaves in order is then one number for each gap.

use std::cmp::Ordering;
use std::ops::Range;

/// Where a cluster stands in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Linkage {
    /// Halfway between the two clusters that it was made of.
    #[default]
    Midpoint,
    /// At the mean of its messages.
    Weighted,
}

/// How clusters of messages joined, from each for itself to one.
#[derive(Clone, PartialEq, Debug)]
pub struct TimeTree {
    /// For the gap before each leaf but the first: how far apart the clusters were that met there.
    distances: Vec<f64>,
    linkage: Linkage,
}

/// Two clusters become one. Leaves have the numbers from 0, the clusters that are made go on from there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TimeMerge {
    /// The earlier one.
    pub left: usize,
    /// The later one.
    pub right: usize,
    /// How far apart they were.
    pub distance: f64,
    /// Where the new one stands, after the first leaf.
    pub representative: f64,
}

impl TimeTree {
    /// Joins leaves at times that never decrease. `weights` tells how many messages each leaf has; all have one where it is
    /// empty. Takes time in proportion to the number of leaves.
    ///
    /// # Panics
    /// If some leaves have a weight and others do not.
    pub fn new(times: &[i64], weights: &[u64], linkage: Linkage) -> Self {
        assert!(weights.is_empty() || weights.len() == times.len(), "a weight for each leaf");
        let mut walk = Walk::new(times, weights, linkage);
        walk.run();
        Self { distances: walk.distances.split_off(1.min(times.len())), linkage }
    }

    /// How many leaves there are.
    pub fn n_leaves(&self) -> usize {
        self.distances.len() + 1
    }

    /// How clusters stand in time.
    pub fn linkage(&self) -> Linkage {
        self.linkage
    }

    /// The first leaf of each of `n` phases: what has not been joined when `n` clusters are left. At least one, at most as
    /// many as there are leaves.
    pub fn cut(&self, n: usize) -> Vec<usize> {
        self.cut_within(0..self.n_leaves(), n)
    }

    /// The same for a phase by itself, which the tree joined last somewhere inside.
    pub fn cut_within(&self, leaves: Range<usize>, n: usize) -> Vec<usize> {
        let mut firsts = self.widest(leaves.clone(), n.saturating_sub(1));
        firsts.push(leaves.start);
        firsts.sort_unstable();
        firsts
    }

    /// The distances of the last `n` merges, the last one first.
    pub fn last_distances(&self, n: usize) -> Vec<f64> {
        let gaps = self.widest(0..self.n_leaves(), n);
        gaps.into_iter().map(|leaf| self.distance(leaf)).collect()
    }

    /// How far apart the clusters were that met between a leaf, but the first, and the one before.
    pub fn distance(&self, leaf: usize) -> f64 {
        self.distances[leaf - 1]
    }

    /// The leaves after the `n` gaps that closed last, the last one first.
    fn widest(&self, leaves: Range<usize>, n: usize) -> Vec<usize> {
        let later = |a: &usize, b: &usize| {
            let (far, near) = (self.distance(*a), self.distance(*b));
            near.total_cmp(&far).then(b.cmp(a))
        };
        if n == 0 {
            return Vec::new();
        }
        let mut gaps: Vec<usize> = (leaves.start + 1..leaves.end).collect();
        if n < gaps.len() {
            gaps.select_nth_unstable_by(n - 1, later);
            gaps.truncate(n);
        }
        gaps.sort_unstable_by(later);
        gaps
    }

    /// All merges, in their order; `times` and `weights` are those that the tree was made of.
    pub fn merges(&self, times: &[i64], weights: &[u64]) -> Vec<TimeMerge> {
        let mut gaps = self.widest(0..self.n_leaves(), self.distances.len());
        gaps.reverse();
        let mut places = Places::new(times, weights);
        // Of every cluster, by its first leaf: its number, and its last leaf; by its last leaf its first one.
        let mut numbers: Vec<usize> = (0..times.len()).collect();
        let (mut firsts, mut lasts) = (numbers.clone(), numbers.clone());
        let mut merges = Vec::with_capacity(gaps.len());
        for leaf in gaps {
            let (first, last) = (firsts[leaf - 1], lasts[leaf]);
            let (left, right) = (numbers[first], numbers[leaf]);
            places.join(first, leaf, self.linkage);
            numbers[first] = times.len() + merges.len();
            (lasts[first], firsts[last]) = (last, first);
            let (distance, representative) = (self.distance(leaf), places.at[first]);
            merges.push(TimeMerge { left, right, distance, representative });
        }
        merges
    }
}

/// Where clusters stand, by their first leaf, and how many messages they have.
struct Places<'a> {
    at: Vec<f64>,
    weights: Vec<u64>,
    given: &'a [u64],
}

impl<'a> Places<'a> {
    fn new(times: &[i64], given: &'a [u64]) -> Self {
        let origin = times.first().copied().unwrap_or_default();
        let at = times.iter().map(|&time| (i128::from(time) - i128::from(origin)) as f64).collect();
        Self { at, weights: Vec::new(), given }
    }

    /// The cluster at `left` takes in that at `right`.
    fn join(&mut self, left: usize, right: usize, linkage: Linkage) {
        let (from, to) = (self.at[left], self.at[right]);
        self.at[left] = match linkage {
            Linkage::Midpoint => (from + to) / 2.0,
            Linkage::Weighted => {
                if self.weights.is_empty() {
                    self.weights = match self.given {
                        [] => vec![1; self.at.len()],
                        given => given.to_vec(),
                    };
                }
                let (before, added) = (self.weights[left], self.weights[right]);
                self.weights[left] = before.saturating_add(added);
                let share = added as f64 / (before as f64 + added as f64).max(1.0);
                // Rounding must not carry it out of its bounds: distances would shrink.
                (from + (to - from) * share).clamp(from, to)
            }
        };
    }
}

/// Stands for "no leaf".
const NONE: u32 = u32::MAX;

/// The walk that closes gaps. A gap is named by the first leaf of the cluster after it.
///
/// All gaps before the cursor are each wider than the next. At the cursor, one of three things holds: the gap before is narrower
/// (then that one is the narrowest around, and closes), the gap after is (then the walk goes on there), or none is, and the gap
/// itself closes. Every step ahead is paid for by the gap that it leaves behind, which closes once.
struct Walk<'a> {
    places: Places<'a>,
    linkage: Linkage,
    /// Of every cluster, by its first leaf: the first leaf of the cluster before, and of the one after.
    before: Vec<u32>,
    after: Vec<u32>,
    distances: Vec<f64>,
}

impl<'a> Walk<'a> {
    fn new(times: &[i64], weights: &'a [u64], linkage: Linkage) -> Self {
        let n = times.len() as u32;
        let places = Places::new(times, weights);
        let gap = |pair: &[f64]| pair[1] - pair[0];
        let distances = std::iter::once(0.0).chain(places.at.windows(2).map(gap)).collect();
        Self {
            linkage,
            distances,
            before: (0..n).map(|leaf| leaf.checked_sub(1).unwrap_or(NONE)).collect(),
            after: (0..n).map(|leaf| if leaf + 1 < n { leaf + 1 } else { NONE }).collect(),
            places,
        }
    }

    fn run(&mut self) {
        let mut cursor = if self.after.len() > 1 { 1 } else { NONE };
        while cursor != NONE {
            // The first leaf has no gap before it.
            let before = self.before[cursor as usize];
            let after = self.after[cursor as usize];
            if before > 0 && self.is_narrower(before, cursor) {
                cursor = self.close(before);
            } else if after != NONE && self.is_narrower(after, cursor) {
                cursor = after;
            } else {
                cursor = self.close(cursor);
            }
        }
    }

    fn is_narrower(&self, gap: u32, than: u32) -> bool {
        let (own, other) = (self.distances[gap as usize], self.distances[than as usize]);
        own.total_cmp(&other).then(gap.cmp(&than)) == Ordering::Less
    }

    /// Joins the clusters at both sides of a gap. Gives the gap to go on from.
    fn close(&mut self, gap: u32) -> u32 {
        let (left, next) = (self.before[gap as usize], self.after[gap as usize]);
        self.places.join(left as usize, gap as usize, self.linkage);
        self.after[left as usize] = next;
        if next != NONE {
            self.before[next as usize] = left;
            self.measure(next);
        }
        if left > 0 {
            self.measure(left);
            return left;
        }
        next
    }

    fn measure(&mut self, gap: u32) {
        let before = self.before[gap as usize];
        self.distances[gap as usize] =
            self.places.at[gap as usize] - self.places.at[before as usize];
    }
}
