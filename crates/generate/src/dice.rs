//! Seeded randomness. Whole numbers only, so that the same seed gives the same trace on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A source of random whole numbers.
pub(crate) struct Dice(ChaCha8Rng);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Dice(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number from 0 to `n - 1`, or 0 when `n` is 0. The bias of one part in 2^64/n does not matter here.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// `ticks` give or take `percent` of it, at least one tick.
    pub(crate) fn jitter(&mut self, ticks: i64, percent: u64) -> i64 {
        let spread = (i128::from(ticks) * i128::from(percent) / 100) as i64;
        let offset = self.below(2 * spread.unsigned_abs() + 1) as i64;
        (ticks - spread + offset).max(1)
    }

    /// Puts the items in a random order (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }
}
