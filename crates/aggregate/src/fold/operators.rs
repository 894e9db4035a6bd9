//! The operators that everybody needs.

use std::marker::PhantomData;

use super::Fold;
use crate::Number;

/// Declares an operator without parameters over numbers of one type.
macro_rules! operator {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name<T>(PhantomData<T>);

        impl<T> Default for $name<T> {
            fn default() -> Self {
                Self(PhantomData)
            }
        }
    };
}

operator! {
    /// The sum: of ticks in 128 bits, hence exact. The sum of nothing is 0.
    Sum
}

operator! {
    /// The mean over the leaves that have a value.
    Mean
}

operator! {
    /// The smallest value.
    Min
}

operator! {
    /// The largest value.
    Max
}

operator! {
    /// The number of leaves that have a value.
    Count
}

operator! {
    /// The standard deviation over the leaves that have a value, of the whole population: the
    /// squares are divided by their number. 0 for one leaf.
    Std
}

impl<T: Number> Fold for Sum<T> {
    type Item = T;
    type State = T::Total;
    type Output = T::Total;

    fn init(&self) -> T::Total {
        T::Total::default()
    }

    fn add(&self, state: &mut T::Total, item: T) {
        if let Some(item) = item.present() {
            *state = state.plus(item.widen());
        }
    }

    fn merge(&self, state: &mut T::Total, other: &T::Total) {
        *state = state.plus(*other);
    }

    fn finish(&self, state: &T::Total) -> T::Total {
        *state
    }
}

impl<T: Number> Fold for Mean<T> {
    type Item = T;
    /// The sum, and the number of leaves in it.
    type State = (T::Total, u64);
    type Output = Option<f64>;

    fn init(&self) -> Self::State {
        (T::Total::default(), 0)
    }

    fn add(&self, (sum, count): &mut Self::State, item: T) {
        if let Some(item) = item.present() {
            *sum = sum.plus(item.widen());
            *count += 1;
        }
    }

    fn merge(&self, (sum, count): &mut Self::State, other: &Self::State) {
        *sum = sum.plus(other.0);
        *count += other.1;
    }

    fn finish(&self, &(sum, count): &Self::State) -> Option<f64> {
        (count > 0).then(|| sum.to_f64() / count as f64)
    }
}

/// Makes an operator keep the value that compares better than all others.
macro_rules! extreme {
    ($name:ident, $better:tt) => {
        impl<T: Number> Fold for $name<T> {
            type Item = T;
            type State = Option<T>;
            type Output = Option<T>;

            fn init(&self) -> Option<T> {
                None
            }

            fn add(&self, state: &mut Option<T>, item: T) {
                self.merge(state, &item.present());
            }

            fn merge(&self, state: &mut Option<T>, other: &Option<T>) {
                *state = match (*state, *other) {
                    (Some(old), Some(new)) if new $better old => Some(new),
                    (old, new) => old.or(new),
                };
            }

            fn finish(&self, state: &Option<T>) -> Option<T> {
                *state
            }
        }
    };
}

extreme!(Min, <);
extreme!(Max, >);

impl<T: Number> Fold for Count<T> {
    type Item = T;
    type State = u64;
    type Output = u64;

    fn init(&self) -> u64 {
        0
    }

    fn add(&self, state: &mut u64, item: T) {
        *state += u64::from(item.present().is_some());
    }

    fn merge(&self, state: &mut u64, other: &u64) {
        *state += other;
    }

    fn finish(&self, state: &u64) -> u64 {
        *state
    }
}

/// Count, mean and sum of squared distances from the mean: enough for a standard deviation, and
/// mergeable without the cancellation that plain sums of squares suffer from.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    pub(crate) fn add(&mut self, value: f64) {
        self.merge(&Self { count: 1, mean: value, squares: 0.0 });
    }

    /// Chan, Golub and LeVeque: "Updating formulae and a pairwise algorithm for computing sample
    /// variances", 1979.
    pub(crate) fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        let (own, others) = (self.count as f64, other.count as f64);
        let delta = other.mean - self.mean;
        self.count += other.count;
        let all = self.count as f64;
        self.mean += delta * others / all;
        self.squares += other.squares + delta * delta * own * others / all;
    }

    pub(crate) fn std(&self) -> Option<f64> {
        let std = (self.squares / self.count as f64).sqrt();
        std.is_finite().then_some(std)
    }
}

impl<T: Number> Fold for Std<T> {
    type Item = T;
    type State = Moments;
    type Output = Option<f64>;

    fn init(&self) -> Moments {
        Moments::default()
    }

    fn add(&self, state: &mut Moments, item: T) {
        if let Some(item) = item.present() {
            state.add(item.to_f64());
        }
    }

    fn merge(&self, state: &mut Moments, other: &Moments) {
        state.merge(other);
    }

    fn finish(&self, state: &Moments) -> Option<f64> {
        state.std()
    }
}

/// The mean of values with weights; an item is `(value, weight)`. `None` where the weights sum
/// up to 0.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct WeightedMean;

impl Fold for WeightedMean {
    type Item = (f64, f64);
    /// The sum of value times weight, and the sum of weights.
    type State = (f64, f64);
    type Output = Option<f64>;

    fn init(&self) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn add(&self, (sum, weights): &mut (f64, f64), (value, weight): (f64, f64)) {
        if !value.is_nan() && !weight.is_nan() {
            *sum += value * weight;
            *weights += weight;
        }
    }

    fn merge(&self, (sum, weights): &mut (f64, f64), other: &(f64, f64)) {
        *sum += other.0;
        *weights += other.1;
    }

    fn finish(&self, &(sum, weights): &(f64, f64)) -> Option<f64> {
        (weights != 0.0).then(|| sum / weights)
    }
}
