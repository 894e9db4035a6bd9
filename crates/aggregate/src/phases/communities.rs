//! Processors that talk among themselves.
//!
//! Agglomeration by modularity after Clauset, Newman and Moore, *Finding community structure in very large networks* (2004).
//! With `w` the traffic between two communities in both directions, `k` the traffic at the ends in a community (its own counts
//! twice) and `2m` the sum of all `k`, joining `i` and `j` changes the modularity by `2 (2m w - k_i k_j) / (2m)^2`. The *score*
//! `2m w - k_i k_j` is an integer: patterns of programs are full of ties, which rounding would break at random.
//!
//! The connected pair with the largest score joins first, also when that is negative; of equal ones the one with the smallest
//! members. When nothing is connected any more, what remains joins too, the two smallest first, so that the tree is complete.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::{Community, Traffic};

/// The sum of all traffic stays below, so that no score overflows.
const MOST_WEIGHT: u128 = 1 << 61;

/// Two communities become one. Processors have the numbers from 0, the communities that are made go on from there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommunityMerge {
    /// The one with the smallest member of both.
    pub left: u32,
    /// The other one.
    pub right: u32,
    /// What it was worth; negative where the two are better apart.
    pub score: i128,
}

/// How processors joined, from each for itself to one community.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommunityTree {
    n: usize,
    two_m: i128,
    merges: Vec<CommunityMerge>,
    /// The sum of the scores of single processors: minus half the sum of all `k` squared, and their own traffic.
    alone: i128,
}

impl CommunityTree {
    /// Joins the processors from 0 to `n`. Very large traffic is divided by a power of two that is the same for all.
    ///
    /// # Panics
    /// If there is traffic with a processor from `n`.
    pub fn new(n: usize, traffic: &[Traffic]) -> Self {
        let mut clustering = Clustering::new(n, traffic);
        let alone = clustering.alone();
        clustering.join_connected();
        clustering.join_rest();
        Self { n, two_m: clustering.two_m, merges: clustering.merges, alone }
    }

    /// All merges, in their order.
    pub fn merges(&self) -> &[CommunityMerge] {
        &self.merges
    }

    /// The number of communities with the largest modularity; of equal ones the largest number.
    pub fn best_count(&self) -> usize {
        let (mut best, mut sum, mut count) = (0, 0, self.n);
        for (number, merge) in self.merges.iter().enumerate() {
            sum += merge.score;
            if sum > best {
                (best, count) = (sum, self.n - number - 1);
            }
        }
        count
    }

    /// By how much a merge changed the modularity; none where there is no traffic.
    pub fn gain(&self, merge: &CommunityMerge) -> Option<f64> {
        let whole = self.two_m as f64 * self.two_m as f64;
        (self.two_m > 0).then(|| 2.0 * merge.score as f64 / whole)
    }

    /// The modularity of a number of communities; none where there is no traffic.
    pub fn modularity(&self, count: usize) -> Option<f64> {
        let gained: i128 =
            self.merges[..self.n_merges(count)].iter().map(|merge| merge.score).sum();
        let whole = self.two_m as f64 * self.two_m as f64;
        // `alone` has the squares in full, a score only half of what a merge is worth.
        (self.two_m > 0).then(|| (self.alone as f64 + 2.0 * gained as f64) / whole)
    }

    /// A number of communities, by their smallest member: at least one, at most one for each processor.
    pub fn communities(&self, count: usize) -> Vec<Community> {
        let merges = &self.merges[..self.n_merges(count)];
        let mut roots: Vec<u32> = (0..(self.n + merges.len()) as u32).collect();
        // What was made last has no parent; parents come after their children.
        for (number, merge) in merges.iter().enumerate().rev() {
            let root = roots[self.n + number];
            roots[merge.left as usize] = root;
            roots[merge.right as usize] = root;
        }
        let mut places: Vec<Option<usize>> = vec![None; roots.len()];
        let mut communities: Vec<Community> = Vec::new();
        for (processor, &root) in roots[..self.n].iter().enumerate() {
            let place = *places[root as usize].get_or_insert_with(|| {
                communities.push(Vec::new());
                communities.len() - 1
            });
            communities[place].push(processor as u32);
        }
        communities
    }

    /// How many merges leave this many communities.
    fn n_merges(&self, count: usize) -> usize {
        self.n - count.clamp(1.min(self.n), self.n)
    }
}

/// A pair that could join.
#[derive(PartialEq, Eq)]
struct Candidate {
    score: i128,
    /// The smallest members, and the numbers of the communities.
    smallest: (u32, u32),
    pair: (u32, u32),
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |of: &Self| (of.score, Reverse(of.smallest));
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Communities while they join. Every merge makes a new number, so that what was said about an old one is known to be outdated.
struct Clustering {
    two_m: i128,
    /// For each community: its neighbours by number with the traffic between. Some are gone.
    rows: Vec<Vec<(u32, i128)>>,
    ends: Vec<i128>,
    own: Vec<i128>,
    smallest: Vec<u32>,
    is_there: Vec<bool>,
    candidates: BinaryHeap<Candidate>,
    merges: Vec<CommunityMerge>,
}

impl Clustering {
    fn new(n: usize, traffic: &[Traffic]) -> Self {
        let total: u128 = traffic.iter().map(|traffic| u128::from(traffic.weight)).sum();
        let shift = (total / MOST_WEIGHT + 1).next_power_of_two().trailing_zeros();
        let (mut ends, mut own) = (vec![0; n], vec![0; n]);
        let mut rows: Vec<Vec<(u32, i128)>> = vec![Vec::new(); n];
        for traffic in traffic.iter().filter(|traffic| traffic.weight > 0) {
            let (from, to) = (traffic.from as usize, traffic.to as usize);
            let weight = i128::from((traffic.weight >> shift).max(1));
            ends[from] += weight;
            ends[to] += weight;
            if from == to {
                own[from] += weight;
            } else {
                rows[from].push((traffic.to, weight));
                rows[to].push((traffic.from, weight));
            }
        }
        rows.iter_mut().for_each(sum_up);
        Self {
            two_m: ends.iter().sum(),
            rows,
            ends,
            own,
            smallest: (0..n as u32).collect(),
            is_there: vec![true; n],
            candidates: BinaryHeap::new(),
            merges: Vec::with_capacity(n.saturating_sub(1)),
        }
    }

    /// What processors are worth alone, over `2m` squared.
    fn alone(&self) -> i128 {
        let worth = self.own.iter().zip(&self.ends);
        worth.map(|(own, ends)| self.two_m * 2 * own - ends * ends).sum()
    }

    fn join_connected(&mut self) {
        for left in 0..self.rows.len() as u32 {
            let row = std::mem::take(&mut self.rows[left as usize]);
            for &(right, weight) in row.iter().filter(|(right, _)| *right > left) {
                self.offer(left, right, weight);
            }
            self.rows[left as usize] = row;
        }
        while let Some(Candidate { score, pair: (left, right), .. }) = self.candidates.pop() {
            if !(self.is_there[left as usize] && self.is_there[right as usize]) {
                continue;
            }
            let new = self.join(left, right, score);
            let row = self.joint_row(left, right);
            for &(neighbour, weight) in &row {
                // The new number is the largest so far: rows stay in order.
                self.rows[neighbour as usize].push((new, weight));
                self.offer(new, neighbour, weight);
            }
            self.rows.push(row);
        }
    }

    fn offer(&mut self, one: u32, other: u32, weight: i128) {
        let (first, second) = (self.smallest[one as usize], self.smallest[other as usize]);
        let score = self.two_m * weight - self.ends[one as usize] * self.ends[other as usize];
        let (smallest, pair) = match first < second {
            true => ((first, second), (one, other)),
            false => ((second, first), (other, one)),
        };
        self.candidates.push(Candidate { score, smallest, pair });
    }

    /// Makes one community of two, without a row.
    fn join(&mut self, left: u32, right: u32, score: i128) -> u32 {
        let (l, r) = (left as usize, right as usize);
        (self.is_there[l], self.is_there[r]) = (false, false);
        self.is_there.push(true);
        self.ends.push(self.ends[l] + self.ends[r]);
        self.smallest.push(self.smallest[l].min(self.smallest[r]));
        self.merges.push(CommunityMerge { left, right, score });
        (self.is_there.len() - 1) as u32
    }

    /// The neighbours of two communities together, without those that are gone.
    fn joint_row(&mut self, left: u32, right: u32) -> Vec<(u32, i128)> {
        let mut row = std::mem::take(&mut self.rows[left as usize]);
        row.append(&mut self.rows[right as usize]);
        row.retain(|(neighbour, _)| self.is_there[*neighbour as usize]);
        sum_up(&mut row);
        row
    }

    /// Joins what is not connected, the two with the least traffic first.
    fn join_rest(&mut self) {
        let there = (0..self.is_there.len()).filter(|&number| self.is_there[number]);
        let key =
            |of: &Self, number: usize| Reverse((of.ends[number], of.smallest[number], number));
        let mut rest: BinaryHeap<_> = there.map(|number| key(self, number)).collect();
        while let (Some(Reverse((.., one))), Some(Reverse((.., other)))) = (rest.pop(), rest.pop())
        {
            let is_ordered = self.smallest[one] < self.smallest[other];
            let (left, right) = if is_ordered { (one, other) } else { (other, one) };
            let score = -(self.ends[left] * self.ends[right]);
            let new = self.join(left as u32, right as u32, score);
            rest.push(key(self, new as usize));
        }
    }
}

/// Sorts a row and adds up what goes to the same neighbour.
fn sum_up(row: &mut Vec<(u32, i128)>) {
    row.sort_unstable_by_key(|(neighbour, _)| *neighbour);
    row.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            earlier.1 += later.1;
        }
        same
    });
}
