//! Programs that communicate in a known pattern, and the network they run on.
//!
//! Patterns with a fixed order are lists of messages (`rounds`): a round is some work and then stages, and in a
//! stage every process sends all it has to send and then receives what comes. Master-worker and work stealing have
//! no fixed order (`tasks`); they are driven by what happens first.

mod kind;
mod rounds;
mod shape;
mod swap;
mod tasks;

pub use kind::Pattern;
pub(crate) use shape::stencil;

use std::io::Write;

use crate::dice::Dice;
use crate::paje::{Trace, Value};
use crate::place::{Place, PlaceTypes};
use crate::run::{Message, MessageStates, Run};
use crate::{GenerateError, TICKS_PER_UNIT, Written, require};

/// What runs where.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Who talks to whom.
    pub pattern: Pattern,
    /// Number of processes.
    pub procs: u32,
    /// How often the pattern is repeated; for master-worker and work stealing the number of tasks per process.
    pub rounds: u32,
    /// Children of each process in the hierarchical star.
    pub children: u32,
    /// The platform.
    pub place: Place,
    /// Size of a message; in binary swap that of the first stage, in 2-3 swap that of what is shared.
    pub message_bytes: u64,
    /// How long a message travels; what the platform needs by default.
    pub travel_ticks: Option<i64>,
    /// By how many percent the time of computing differs at most.
    pub jitter: u32,
    /// The name of the type of links.
    pub link_name: String,
    /// The values of links: each stage of a round takes the next one.
    pub link_values: Vec<String>,
    /// About how long a process computes in a round, or at a task.
    pub compute_ticks: i64,
    /// A process that computes longer than the others, and how many times as long.
    pub slow: Option<(u32, f64)>,
    /// Seed of computation times and of victims.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            pattern: Pattern::Ring,
            procs: 16,
            rounds: 10,
            children: 4,
            place: Place::default(),
            message_bytes: 64 * 1024,
            travel_ticks: None,
            jitter: 20,
            link_name: "Message".to_owned(),
            link_values: vec!["PTP".to_owned()],
            compute_ticks: TICKS_PER_UNIT / 100,
            slow: None,
            seed: 1,
        }
    }
}

impl Options {
    /// How long a process computes for what takes others some time.
    fn slowed(&self, process: u32, ticks: i64) -> i64 {
        match self.slow {
            Some((slow, factor)) if slow == process => (ticks as f64 * factor) as i64,
            _ => ticks,
        }
    }
}

/// The first is that of links with one value; they come again after the last.
const LINK_COLORS: [&str; 5] =
    ["0.45 0.45 0.45", "0.80 0.47 0.65", "0.90 0.62 0.00", "0.35 0.20 0.60", "0.55 0.35 0.15"];

const MAX_PROCS: u32 = 1_000_000;
/// With everyone sending to everyone before anyone receives, a round is held in memory.
const MAX_PROCS_FULL: u32 = 1_000;
const MAX_MESSAGE_BYTES: u64 = 1 << 40;
const MAX_COMPUTE_TICKS: i64 = 3_600 * TICKS_PER_UNIT;

#[derive(Clone, Copy)]
struct States {
    compute: Value,
    message: MessageStates,
}

/// Writes the trace.
pub fn write(options: &Options, out: &mut impl Write) -> Result<Written, GenerateError> {
    check(options)?;
    let mut trace = Trace::new(out, "pattern", options.seed);
    let types = PlaceTypes::define(&mut trace);
    let state_type = trace.state_type("STATE", "State", types.process);
    let mut value = |name: &str, color: &str| trace.value(state_type, name, name, color);
    let states = States {
        compute: value("compute", "0.00 0.62 0.45"),
        message: MessageStates {
            send: value("send", "0.00 0.45 0.70"),
            wait: value("wait", "0.84 0.37 0.00"),
            recv: value("recv", "0.34 0.71 0.91"),
        },
    };
    let values: Vec<(&str, &str)> = options
        .link_values
        .iter()
        .zip(LINK_COLORS.iter().cycle())
        .map(|(value, color)| (value.as_str(), *color))
        .collect();
    let links = trace.link_type_of(("LINK", &options.link_name), types.process, &values);
    types.create(&options.place, options.procs, &mut trace)?;
    let mut run = Run::new(trace, (options.place.clone(), options.procs), types, links[0]);
    run.travel_ticks = options.travel_ticks;
    let mut dice = Dice::new(options.seed);
    match options.pattern {
        Pattern::MasterWorker => tasks::master_worker(options, states, &mut dice, &mut run)?,
        Pattern::WorkStealing => tasks::work_stealing(options, states, &mut dice, &mut run)?,
        Pattern::SequentialRing => rounds::token(options, states, &links, &mut dice, &mut run)?,
        _ => rounds::rounds(options, states, &links, &mut dice, &mut run)?,
    }
    run.finish()
}

/// Writes the platform as a graph in the DOT language, with bandwidth and latency of every cable.
pub fn write_topology(options: &Options, out: &mut impl Write) -> Result<(), GenerateError> {
    check(options)?;
    Ok(options.place.write_topology(options.procs, out)?)
}

fn check(options: &Options) -> Result<(), GenerateError> {
    let procs = options.procs;
    options.place.check(procs)?;
    let max = match options.pattern {
        Pattern::Full => MAX_PROCS_FULL,
        _ => MAX_PROCS,
    };
    require(procs <= max, || {
        format!("{} takes at most {max} processes, not {procs}", options.pattern)
    })?;
    let swaps = matches!(options.pattern, Pattern::BinarySwap | Pattern::SynchronisedBinarySwap);
    require(!swaps || procs.is_power_of_two(), || {
        format!("{} needs a power of two of processes, not {procs}", options.pattern)
    })?;
    require(options.jitter <= 100, || "times differ by at most 100 percent".to_owned())?;
    let travel = options.travel_ticks.unwrap_or(0);
    require((0..=MAX_COMPUTE_TICKS).contains(&travel), || {
        "a message travels for at most an hour".to_owned()
    })?;
    if let Some((process, factor)) = options.slow {
        require(process < procs, || {
            format!("no process {process}: they are numbered from 0 to {}", procs - 1)
        })?;
        require((0.001..=1_000.0).contains(&factor), || {
            format!("the factor of a slow process is from 0.001 to 1000, not {factor}")
        })?;
    }
    require(!options.link_values.is_empty(), || "links need a value".to_owned())?;
    let names = options.link_values.iter().chain([&options.link_name]);
    for name in names {
        let is_plain = |c: char| c.is_alphanumeric() || "_-.:".contains(c);
        require(!name.is_empty() && name.chars().all(is_plain), || {
            format!("{name:?} is no name for links: letters, digits and _-.: may be in it")
        })?;
    }
    let mut different = options.link_values.clone();
    different.sort_unstable();
    different.dedup();
    require(different.len() == options.link_values.len(), || {
        "two values of links have the same name".to_owned()
    })?;
    let serves = options.pattern == Pattern::MasterWorker;
    require(!serves || procs >= 2, || "master-worker needs at least 2 processes".to_owned())?;
    require(options.rounds > 0, || "the number of rounds must be at least 1".to_owned())?;
    require(options.children > 0, || "the number of children must be at least 1".to_owned())?;
    require(options.message_bytes <= MAX_MESSAGE_BYTES, || {
        format!("a message has at most {MAX_MESSAGE_BYTES} bytes")
    })?;
    require((1..=MAX_COMPUTE_TICKS).contains(&options.compute_ticks), || {
        "the compute time must be more than 0 and at most an hour".to_owned()
    })
}

fn message(from: u32, to: u32, bytes: u64) -> Message {
    Message { from, to, bytes }
}
