//! Sums by value.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use onca_model::ValueId;

/// Of so few values a row of sums is cleared sooner than a table is asked.
const FEW_VALUES: usize = 4096;

/// Up to one in this many values with a sum, a table takes less room than a row of all.
const SPARSE: usize = 16;

/// Sums by value. They cost what is added, not what a trace has: a track with two states does not pay
/// for a million values of others.
#[derive(Clone, Debug)]
pub struct ValueSums {
    n_values: usize,
    held: Held,
}

#[derive(Clone, Debug)]
enum Held {
    /// By value.
    Row(Vec<i128>),
    Table(HashMap<u32, i128, FixedState>),
}

impl ValueSums {
    /// No sums yet, for this many values.
    pub fn new(n_values: usize) -> Self {
        let held = match n_values {
            ..=FEW_VALUES => Held::Row(vec![0; n_values]),
            _ => Held::Table(HashMap::default()),
        };
        Self { n_values, held }
    }

    /// Adds to the sum of a value. One that there is not, as in a damaged store, has no sum.
    #[inline]
    pub fn add(&mut self, value: ValueId, amount: i128) {
        match &mut self.held {
            Held::Row(sums) => {
                if let Some(sum) = sums.get_mut(value.index()) {
                    *sum += amount;
                }
            }
            Held::Table(_) => self.add_to_table(value, amount),
        }
    }

    fn add_to_table(&mut self, value: ValueId, amount: i128) {
        let Held::Table(sums) = &mut self.held else { return };
        if value.index() < self.n_values {
            *sums.entry(value.0).or_default() += amount;
        }
        if sums.len() > self.n_values / SPARSE {
            let mut row = vec![0; self.n_values];
            sums.iter().for_each(|(&value, &sum)| row[value as usize] = sum);
            self.held = Held::Row(row);
        }
    }

    /// The sums that are not zero, by value.
    pub fn into_sorted(self) -> Vec<(ValueId, i128)> {
        match self.held {
            Held::Row(sums) => {
                let sums = sums.into_iter().enumerate().filter(|&(_, sum)| sum != 0);
                sums.map(|(value, sum)| (ValueId(value as u32), sum)).collect()
            }
            Held::Table(sums) => {
                let sums = sums.into_iter().filter(|&(_, sum)| sum != 0);
                let mut sums: Vec<_> = sums.map(|(value, sum)| (ValueId(value), sum)).collect();
                sums.sort_unstable_by_key(|&(value, _)| value);
                sums
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn sums_are_those_of_a_plain_map() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for n_values in [0, 1, 9, FEW_VALUES, FEW_VALUES + 1, 50_000] {
            // Few values and many: a table stays one, or becomes a row on the way.
            for reach in [3, 2 * n_values.max(1)] {
                let mut sums = ValueSums::new(n_values);
                let mut plain: BTreeMap<u32, i128> = BTreeMap::new();
                for _ in 0..20_000 {
                    let value = random.random_range(0..reach as u32);
                    let amount = random.random_range(-2..=2);
                    sums.add(ValueId(value), amount);
                    if (value as usize) < n_values {
                        *plain.entry(value).or_default() += amount;
                    }
                }
                plain.retain(|_, sum| *sum != 0);
                let expected: Vec<_> =
                    plain.into_iter().map(|(value, sum)| (ValueId(value), sum)).collect();
                assert_eq!(sums.into_sorted(), expected, "{n_values} values, {reach} used");
            }
        }
    }
}
