//! An order of values.

use std::{cmp::Reverse, sync::Arc};

use onca_model::{LaneId, Nature, Ticks, ValueId};
use rayon::prelude::*;

use crate::{Measure, Store, error::Result};

/// An order of all values of a store: sums per value can be had in it, so that whoever wants them
/// in an order of his own need not sort them again and again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueOrder {
    /// By value.
    places: Vec<u32>,
    /// By place.
    values: Vec<ValueId>,
}

impl ValueOrder {
    /// So many values in the order of their ids.
    pub fn by_id(n_values: usize) -> Self {
        Self::by_key(n_values, |_| ())
    }

    /// So many values in the order of a key. Where that is the same, the lower id comes first.
    pub fn by_key<K: Ord>(n_values: usize, key: impl Fn(ValueId) -> K) -> Self {
        let mut values: Vec<ValueId> = (0..n_values as u32).map(ValueId).collect();
        values.sort_by_key(|value| key(*value));
        Self::of(values)
    }

    /// All values, each once, in this order.
    pub(crate) fn of(values: Vec<ValueId>) -> Self {
        let mut places = vec![0; values.len()];
        for (place, value) in values.iter().enumerate() {
            places[value.index()] = place as u32;
        }
        Self { places, values }
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The place of a value.
    #[inline]
    pub fn place(&self, value: ValueId) -> u32 {
        self.places[value.index()]
    }

    /// All values.
    pub(crate) fn values(&self) -> &[ValueId] {
        &self.values
    }

    /// The value at a place.
    #[inline]
    pub fn value(&self, place: usize) -> ValueId {
        self.values[place]
    }
}

/// Lanes that a thread adds up at a time, at least: each time has a row of sums of its own.
const LANES_AT_ONCE: usize = 64;

impl Store {
    /// The values in the order of the time that they have in the whole trace, the most first. It
    /// does not depend on what is looked at: whoever draws in this order draws things in the same
    /// place wherever he looks. It is found out once, for a long trace when it is stored.
    pub fn order_by_time(&self) -> Result<Arc<ValueOrder>> {
        if let Some(order) = self.known_order().get() {
            return Ok(Arc::clone(order));
        }
        let stored = &self.directory().order;
        let order = if stored.len() == self.catalog().values.len() {
            ValueOrder::of(stored.clone())
        } else {
            let times = self.times_of_values()?;
            ValueOrder::by_key(times.len(), |value| Reverse(times[value.index()]))
        };
        Ok(Arc::clone(self.known_order().get_or_init(|| Arc::new(order))))
    }

    fn times_of_values(&self) -> Result<Vec<i128>> {
        let catalog = self.catalog();
        let nothing = || vec![0i128; catalog.values.len()];
        let is_state = |lane: &LaneId| {
            let type_id = catalog.lane(*lane).type_id;
            catalog.type_def(type_id).nature == Nature::State
        };
        let lanes: Vec<LaneId> =
            (0..catalog.lanes.len() as u32).map(LaneId).filter(is_state).collect();
        let add_up = |lanes: &[LaneId]| {
            let mut times = nothing();
            for lane in lanes {
                self.visit_lane_time(*lane, &ALWAYS, Measure::Exclusive, |_, value, ticks| {
                    times[value.index()] += ticks;
                })?;
            }
            Ok(times)
        };
        let sum = |mut sums: Vec<i128>, times: Vec<i128>| {
            sums.iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
            Ok(sums)
        };
        let at_once = lanes.len().div_ceil(8 * rayon::current_num_threads()).max(LANES_AT_ONCE);
        lanes.par_chunks(at_once).map(add_up).try_reduce(nothing, sum)
    }
}

/// From before the first to after the last state; an instant at the very end has no time.
const ALWAYS: [Ticks; 2] = [Ticks::MIN, Ticks::MAX];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_places() {
        let ranks = [7, 3, 7, 0];
        let order = ValueOrder::by_key(4, |value| ranks[value.index()]);
        let values: Vec<u32> = (0..4).map(|place| order.value(place).0).collect();
        assert_eq!(values, [3, 1, 0, 2]);
        assert!((0..4).all(|id| order.value(order.place(ValueId(id)) as usize) == ValueId(id)));
        assert_eq!(ValueOrder::by_id(3).place(ValueId(2)), 2);
    }
}
