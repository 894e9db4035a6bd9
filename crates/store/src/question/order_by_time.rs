//! The values by the time that they have in the whole trace.

use std::{cmp::Reverse, sync::Arc};

use onca_model::{LaneId, Nature, Ticks};
use rayon::prelude::*;

use crate::{Measure, Store, ValueOrder, error::Result};

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
