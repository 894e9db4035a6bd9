//! Very many containers with a few states each, in random order: the hard case for tables of containers.

use std::io::Write;

use crate::dice::Dice;
use crate::paje::{Container, ContainerType, Record, Trace, Value};
use crate::{GenerateError, Written, require};

/// How many containers there are and what happens in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Number of containers below the root.
    pub containers: u32,
    /// States of each container; in every round each container has one, in a new random order.
    pub pairs: u32,
    /// Seed of the order and of the times.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { containers: 1_000_000, pairs: 4, seed: 1 }
    }
}

/// How many states are open at once, so that a state's two records do not stand side by side.
const OPEN_AT_ONCE: usize = 32;
const MAX_CONTAINERS: u32 = 1_000_000_000;
/// Time between two records.
const STEP_TICKS: i64 = 1_000;

/// Writes the trace. Memory grows with the number of containers, by four bytes each.
pub fn write(options: &Options, out: &mut impl Write) -> Result<Written, GenerateError> {
    require((1..=MAX_CONTAINERS).contains(&options.containers), || {
        format!("the number of containers must be from 1 to {MAX_CONTAINERS}")
    })?;
    let mut trace = Trace::new(out, "many", options.seed);
    let item = trace.container_type("C", "Item", ContainerType::ROOT, (b'c', "item-"));
    let states = trace.state_type("S", "State", item);
    let values = [
        ("r", "running", "0.00 0.62 0.45"),
        ("w", "waiting", "0.84 0.37 0.00"),
        ("i", "input", "0.00 0.45 0.70"),
        ("o", "output", "0.90 0.62 0.00"),
    ]
    .map(|(alias, name, color)| trace.value(states, alias, name, color));
    for number in 0..options.containers {
        let create = Record::Create { container: item.number(number), parent: Container::ROOT };
        trace.record(0, create)?;
    }
    let end = write_states(options, item, values, &mut trace)?;
    for number in 0..options.containers {
        let container = item.number(number);
        trace.record(end, Record::Destroy { container })?;
    }
    trace.finish()
}

fn write_states<W: Write>(
    options: &Options,
    item: ContainerType,
    values: [Value; 4],
    trace: &mut Trace<'_, W>,
) -> Result<i64, GenerateError> {
    let mut dice = Dice::new(options.seed);
    let mut order: Vec<u32> = (0..options.containers).collect();
    let mut time = 0;
    for round in 0..options.pairs {
        dice.shuffle(&mut order);
        let value_of = |number: u32| values[(number as usize + round as usize) % values.len()];
        let mut tick = || {
            time += dice.jitter(STEP_TICKS, 50);
            time
        };
        // All states of a round close within it: a container never has two open.
        for step in 0..order.len() + OPEN_AT_ONCE {
            if let Some(number) = order.get(step) {
                let (container, value) = (item.number(*number), value_of(*number));
                trace.record(tick(), Record::Push { container, value })?;
            }
            if let Some(number) = step.checked_sub(OPEN_AT_ONCE).map(|past| order[past]) {
                let (container, value) = (item.number(number), value_of(number));
                trace.record(tick(), Record::Pop { container, value })?;
            }
        }
    }
    Ok(time)
}
