//! The times of very many messages in bounded memory.

use std::ops::RangeInclusive;

use rayon::prelude::*;

/// Gathers times in any order. As long as there are at most as many different ones as may be kept they are exact; then they are
/// rounded to cells, whose width is the smallest power of two that makes them few enough. What comes out does not depend on the
/// order in which times come in.
#[derive(Clone, Debug)]
pub struct InstantSum {
    limit: usize,
    shift: u32,
    /// Cells and how many messages are in each, not yet put together.
    cells: Vec<(i64, u64)>,
}

/// Different times, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Instants {
    /// The times; where they were rounded, the middles of the cells.
    pub times: Vec<i64>,
    /// How many messages there are at each.
    pub weights: Vec<u64>,
    shift: u32,
}

impl InstantSum {
    /// Nothing yet; at most `limit` different times will be kept, but two in any case: one before 0 and one after.
    pub fn new(limit: usize) -> Self {
        Self { limit: limit.max(2), shift: 0, cells: Vec::new() }
    }

    /// Adds the time of a message.
    pub fn add(&mut self, time: i64) {
        self.cells.push((time >> self.shift, 1));
        if self.cells.len() >= 2 * self.limit {
            self.settle();
        }
    }

    /// Puts equal cells together, and makes them wider until they are few enough.
    fn settle(&mut self) {
        self.cells.par_sort_unstable();
        sum_up(&mut self.cells);
        while self.cells.len() > self.limit {
            self.shift += 1;
            self.cells.iter_mut().for_each(|(cell, _)| *cell >>= 1);
            sum_up(&mut self.cells);
        }
    }

    /// The different times.
    pub fn finish(mut self) -> Instants {
        self.settle();
        let shift = self.shift;
        let half = (1i64 << shift) / 2;
        let times = self.cells.iter().map(|(cell, _)| (cell << shift) + half).collect();
        Instants { times, weights: self.cells.iter().map(|(_, weight)| *weight).collect(), shift }
    }
}

/// Makes one entry of neighbours that are equal.
fn sum_up(cells: &mut Vec<(i64, u64)>) {
    cells.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            earlier.1 += later.1;
        }
        same
    });
}

impl Instants {
    /// By how much a time may have been moved; 0 where all are exact.
    pub fn rounding(&self) -> i64 {
        (1i64 << self.shift) / 2
    }

    /// How many messages there are.
    pub fn n_messages(&self) -> u64 {
        self.weights.iter().sum()
    }

    /// From the first time to the last.
    pub fn span(&self) -> f64 {
        match (self.times.first(), self.times.last()) {
            (Some(first), Some(last)) => *last as f64 - *first as f64,
            _ => 0.0,
        }
    }

    /// All times that one of the different times stands for.
    pub fn cell(&self, at: usize) -> Option<RangeInclusive<i64>> {
        let first = self.times.get(at)? - self.rounding();
        Some(first..=first + ((1i64 << self.shift) - 1))
    }

    /// The time that stands for this one here.
    pub fn rounded(&self, time: i64) -> i64 {
        ((time >> self.shift) << self.shift) + self.rounding()
    }
}
