//! Is the load spread evenly?

use crate::Number;
use crate::fold::{Describe, Fold};

/// How evenly a load is spread over those who carry it. Missing numbers are left out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LoadBalance {
    /// How many carry a load.
    pub count: u64,
    /// The mean load.
    pub mean: f64,
    /// The largest load.
    pub max: f64,
    /// The standard deviation, of the whole population.
    pub std: f64,
}

impl LoadBalance {
    /// The balance of a column; `None` if it has no numbers.
    pub fn of<T: Number>(loads: impl IntoIterator<Item = T>) -> Option<Self> {
        let describe = Describe::default();
        let mut state = describe.init();
        loads.into_iter().for_each(|load| describe.add(&mut state, load));
        let all = describe.finish(&state);
        Some(Self { count: all.count, mean: all.mean?, max: all.max?, std: all.std? })
    }

    /// The largest load by the mean: 1 when all carry the same. `None` where the mean is 0.
    pub fn max_by_mean(&self) -> Option<f64> {
        (self.mean != 0.0).then(|| self.max / self.mean)
    }

    /// By how many per cent the largest load is above the mean: 0 when all carry the same. That
    /// is how much longer the work takes than it would if it were spread evenly.
    pub fn imbalance_percent(&self) -> Option<f64> {
        (self.mean != 0.0).then(|| (self.max - self.mean) / self.mean * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_load_is_compared_with_the_mean() {
        let balance = LoadBalance::of([2i64, 4, 6]).expect("loads");
        assert_eq!((balance.count, balance.mean, balance.max), (3, 4.0, 6.0));
        assert_eq!(balance.std, (8.0f64 / 3.0).sqrt());
        assert_eq!((balance.max_by_mean(), balance.imbalance_percent()), (Some(1.5), Some(50.0)));
    }

    #[test]
    fn no_load_has_no_balance() {
        assert_eq!(LoadBalance::of::<f64>([f64::NAN]), None);
        let idle = LoadBalance::of([0i64, 0]).expect("loads");
        assert_eq!((idle.max_by_mean(), idle.imbalance_percent(), idle.std), (None, None, 0.0));
    }
}
