//! A tree of containers whose leaves share their time between states by a cosine.
//!
//! The rule is the one of the Triva thesis (Schnorr 2009): leaf *k* of *n* maps to *x* in [0, max]; it spends
//! (cos *x* + 1)/2 of the run in state 0 and shares the rest equally between the other states. Neighbouring leaves
//! are alike and far ones are not, so every level of a treemap shows something, and the right answer is known.

use std::io::Write;

use crate::paje::{Container, ContainerType, Record, Trace, Value};
use crate::{GenerateError, TICKS_PER_UNIT, Written, require, require_plain_name};

/// One level of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Name of the container type; containers are named after it with a number from 0.
    pub name: String,
    /// How many containers of this level each container of the level above has.
    pub branching: u32,
}

/// What the tree looks like and how long it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// From the top to the leaves.
    pub levels: Vec<Level>,
    /// Names of the states; state 0 is the one with the cosine share.
    pub states: Vec<String>,
    /// How long every leaf runs.
    pub duration_ticks: i64,
    /// The *x* of the last leaf, in radians.
    pub max: f64,
    /// Noted in the trace; nothing here is random.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        let level = |name: &str, branching| Level { name: name.to_owned(), branching };
        Options {
            levels: vec![
                level("Site", 4),
                level("Cluster", 3),
                level("Machine", 8),
                level("Processor", 4),
            ],
            states: vec!["running".to_owned(), "blocked".to_owned()],
            duration_ticks: 100 * TICKS_PER_UNIT,
            max: std::f64::consts::TAU,
            seed: 1,
        }
    }
}

const COLORS: [&str; 6] = [
    "0.00 0.62 0.45",
    "0.84 0.37 0.00",
    "0.00 0.45 0.70",
    "0.90 0.62 0.00",
    "0.80 0.47 0.65",
    "0.31 0.29 0.00",
];

/// Aliases are a letter a level.
const MAX_LEVELS: usize = 26;
const MAX_STATES: usize = 1_000;
const MAX_CONTAINERS: u64 = 100_000_000;

/// A leaf enters a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    time: i64,
    leaf: u32,
    state: u16,
}

/// Writes the trace. Memory grows with the number of leaves.
pub fn write(options: &Options, out: &mut impl Write) -> Result<Written, GenerateError> {
    let sizes = check(options)?;
    let mut trace = Trace::new(out, "hierarchy", options.seed);
    let types = define_levels(options, &mut trace);
    let leaf_type = types[types.len() - 1];
    let values = define_states(options, leaf_type, &mut trace);
    for (level, of_type) in types.iter().enumerate() {
        for number in 0..sizes[level] {
            let parent = match level {
                0 => Container::ROOT,
                _ => types[level - 1].number(number / options.levels[level].branching),
            };
            let container = of_type.number(number);
            trace.record(0, Record::Create { container, parent })?;
        }
    }
    let open = write_changes(options, (leaf_type, &values), sizes[sizes.len() - 1], &mut trace)?;
    let end = options.duration_ticks;
    for (leaf, value) in (0_u32..).zip(open) {
        if let Some(value) = value {
            let container = leaf_type.number(leaf);
            trace.record(end, Record::Pop { container, value })?;
        }
    }
    for (of_type, size) in types.iter().zip(&sizes).rev() {
        for number in 0..*size {
            let container = of_type.number(number);
            trace.record(end, Record::Destroy { container })?;
        }
    }
    trace.finish()
}

/// The moment when each state begins, and the end of the run, for leaf `leaf` of `n_leaves`. State *s* lasts from
/// entry *s* to entry *s* + 1.
fn bounds(options: &Options, leaf: u32, n_leaves: u32) -> impl Iterator<Item = i64> {
    let end = options.duration_ticks;
    let x = match n_leaves {
        1 => 0.0,
        _ => f64::from(leaf) / f64::from(n_leaves - 1) * options.max,
    };
    let share = f64::midpoint(x.cos(), 1.0);
    let first = ((end as f64 * share).round() as i64).clamp(0, end);
    let others = options.states.len() as i128 - 1;
    let rest = i128::from(end - first);
    let later = (0..=others).map(move |s| first + (rest * s / others) as i64);
    std::iter::once(0).chain(later)
}

/// Writes the states in time order and returns the one that each leaf is in at the end. States of no length are
/// left out.
fn write_changes<W: Write>(
    options: &Options,
    (leaf_type, values): (ContainerType, &[Value]),
    n_leaves: u32,
    trace: &mut Trace<'_, W>,
) -> Result<Vec<Option<Value>>, GenerateError> {
    let mut changes = Vec::new();
    for leaf in 0..n_leaves {
        let mut previous = None;
        for (bound_idx, time) in bounds(options, leaf, n_leaves).enumerate() {
            if let Some(begin) = previous.replace(time)
                && begin < time
            {
                changes.push(Change { time: begin, leaf, state: bound_idx as u16 - 1 });
            }
        }
    }
    changes.sort_unstable();
    let mut open = vec![None; n_leaves as usize];
    for change in changes {
        let opens = values[usize::from(change.state)];
        let set = Record::Set {
            container: leaf_type.number(change.leaf),
            closes: open[change.leaf as usize].replace(opens),
            opens,
        };
        trace.record(change.time, set)?;
    }
    Ok(open)
}

/// Checks the options and returns the number of containers on each level.
fn check(options: &Options) -> Result<Vec<u32>, GenerateError> {
    let n_levels = options.levels.len();
    require((1..=MAX_LEVELS).contains(&n_levels), || {
        format!("a hierarchy has 1 to {MAX_LEVELS} levels, not {n_levels}")
    })?;
    let n_states = options.states.len();
    require((2..=MAX_STATES).contains(&n_states), || {
        format!("a hierarchy has 2 to {MAX_STATES} states, not {n_states}")
    })?;
    for (state_idx, name) in options.states.iter().enumerate() {
        require_plain_name("state", name)?;
        require(!options.states[..state_idx].contains(name), || {
            format!("state {name:?} is given twice")
        })?;
    }
    require(options.duration_ticks > 0, || "the duration must be more than 0".to_owned())?;
    require(options.max.is_finite() && options.max >= 0.0, || {
        format!("the maximum of x must be 0 or more, not {}", options.max)
    })?;
    let sizes = sizes(&options.levels)?;
    let n_leaves = sizes[sizes.len() - 1];
    let countable = options.duration_ticks <= i64::MAX / i64::from(n_leaves);
    require(countable, || format!("the duration is too long for {n_leaves} leaves"))?;
    Ok(sizes)
}

fn sizes(levels: &[Level]) -> Result<Vec<u32>, GenerateError> {
    let mut sizes = Vec::new();
    let mut size = 1_u64;
    for level in levels {
        require_plain_name("level", &level.name)?;
        require(level.branching > 0, || {
            format!("level {:?} has a branching factor of 0", level.name)
        })?;
        size *= u64::from(level.branching);
        require(size <= MAX_CONTAINERS, || {
            format!("more than {MAX_CONTAINERS} containers on level {:?}", level.name)
        })?;
        sizes.push(size as u32);
    }
    Ok(sizes)
}

fn define_levels<W: Write>(options: &Options, trace: &mut Trace<'_, W>) -> Vec<ContainerType> {
    let mut types: Vec<ContainerType> = Vec::new();
    for (level, letter) in options.levels.iter().zip(b'a'..) {
        let parent = types.last().copied().unwrap_or(ContainerType::ROOT);
        let alias = format!("L{}", types.len() + 1);
        types.push(trace.container_type(&alias, &level.name, parent, (letter, &level.name)));
    }
    types
}

fn define_states<W: Write>(
    options: &Options,
    leaf: ContainerType,
    trace: &mut Trace<'_, W>,
) -> Vec<Value> {
    let states = trace.state_type("S", "State", leaf);
    let colors = COLORS.iter().cycle();
    let named = options.states.iter().zip(colors);
    // Name and alias are the same: an alias of ours could be the name of another state.
    named.map(|(name, color)| trace.value(states, name, name, color)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_follow_the_cosine() {
        let options = Options {
            states: ["a", "b", "c"].map(str::to_owned).to_vec(),
            duration_ticks: 1_000,
            ..Options::default()
        };
        // With x = 0, pi/2, pi, 3 pi/2, 2 pi the cosine is 1, 0, -1, 0, 1.
        let all: Vec<Vec<i64>> = (0..5).map(|k| bounds(&options, k, 5).collect()).collect();
        assert_eq!(
            all,
            [
                [0, 1000, 1000, 1000],
                [0, 500, 750, 1000],
                [0, 0, 500, 1000],
                [0, 500, 750, 1000],
                [0, 1000, 1000, 1000],
            ]
        );
        assert_eq!(bounds(&options, 0, 1).collect::<Vec<_>>(), all[0]);
    }
}
