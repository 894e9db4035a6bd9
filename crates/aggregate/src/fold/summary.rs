//! All operators at once, for expressions over them.

use std::marker::PhantomData;

use super::{Fold, operators::Moments};
use crate::Number;

/// What the leaves below a node have, taken together.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Summary {
    /// How many leaves there are.
    pub leaves: u64,
    /// How many of them have a value.
    pub count: u64,
    /// The sum of the values; 0 if there are none.
    pub sum: f64,
    /// The mean of the values.
    pub mean: Option<f64>,
    /// The smallest value.
    pub min: Option<f64>,
    /// The largest value.
    pub max: Option<f64>,
    /// The standard deviation of the values, of the whole population.
    pub std: Option<f64>,
}

/// The fold that computes a [`Summary`]. Sums of ticks are exact until the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Describe<T>(PhantomData<T>);

impl<T> Default for Describe<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

/// A [`Summary`] while it is computed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Described<T: Number> {
    leaves: u64,
    count: u64,
    sum: T::Total,
    range: Option<(T, T)>,
    moments: Moments,
}

impl<T: Number> Fold for Describe<T> {
    type Item = T;
    type State = Described<T>;
    type Output = Summary;

    fn init(&self) -> Described<T> {
        Described {
            leaves: 0,
            count: 0,
            sum: T::Total::default(),
            range: None,
            moments: Moments::default(),
        }
    }

    fn add(&self, state: &mut Described<T>, item: T) {
        state.leaves += 1;
        if let Some(item) = item.present() {
            state.count += 1;
            state.sum = state.sum.plus(item.widen());
            state.range = span(state.range, Some((item, item)));
            state.moments.add(item.to_f64());
        }
    }

    fn add_missing(&self, state: &mut Described<T>) {
        state.leaves += 1;
    }

    fn merge(&self, state: &mut Described<T>, other: &Described<T>) {
        state.leaves += other.leaves;
        state.count += other.count;
        state.sum = state.sum.plus(other.sum);
        state.range = span(state.range, other.range);
        state.moments.merge(&other.moments);
    }

    fn finish(&self, state: &Described<T>) -> Summary {
        let sum = state.sum.to_f64();
        Summary {
            leaves: state.leaves,
            count: state.count,
            sum,
            mean: (state.count > 0).then(|| sum / state.count as f64),
            min: state.range.map(|(min, _)| min.to_f64()),
            max: state.range.map(|(_, max)| max.to_f64()),
            std: state.moments.std(),
        }
    }
}

/// The smallest range that holds both.
fn span<T: Number>(a: Option<(T, T)>, b: Option<(T, T)>) -> Option<(T, T)> {
    let (Some((a_min, a_max)), Some((b_min, b_max))) = (a, b) else { return a.or(b) };
    let min = if b_min < a_min { b_min } else { a_min };
    let max = if b_max > a_max { b_max } else { a_max };
    Some((min, max))
}
