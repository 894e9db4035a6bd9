//! Programs that communicate in a known pattern, and the network they run on.
//!
//! Patterns with a fixed order are lists of messages: a round is some work and then stages, and in a stage every
//! process sends all it has to send and then receives what comes. Master-worker and work stealing have no fixed
//! order; they are driven by what happens first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::io::Write;
use std::str::FromStr;

use crate::dice::Dice;
use crate::paje::{LinkKind, Trace, Value};
use crate::place::{Place, PlaceTypes};
use crate::run::{Message, MessageStates, Run, Sent, grid};
use crate::{GenerateError, TICKS_PER_UNIT, Written, require};

/// Who talks to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Each process sends to the next one, the last to the first.
    Ring,
    /// A token goes round: each process computes while it has it and sends it on; all others wait.
    SequentialRing,
    /// Each process sends to all others at once.
    Full,
    /// All send to process 0, which answers all.
    Star,
    /// A tree: children send to their parent, level by level up to process 0, and the answers come down again.
    HierarchicalStar,
    /// A grid as square as can be; each process sends to its up to four neighbours.
    Stencil2d,
    /// Each process sends to all others, one after the other, in stages of pairs.
    AllToAll,
    /// Partners at distance 1, 2, 4, ... swap halves: the message halves each stage. Needs a power of two.
    BinarySwap,
    /// The same, and after each stage all wait for the last.
    SynchronisedBinarySwap,
    /// Groups of two or three swap parts and then groups swap with groups: binary swap for any number of processes.
    TwoThreeSwap,
    /// Process 0 hands out tasks; who is done gets the next one.
    MasterWorker,
    /// Who has no task left takes half of those of another process, chosen at random.
    WorkStealing,
}

impl Pattern {
    /// All patterns.
    pub const ALL: [Pattern; 12] = [
        Pattern::Ring,
        Pattern::SequentialRing,
        Pattern::Full,
        Pattern::Star,
        Pattern::HierarchicalStar,
        Pattern::Stencil2d,
        Pattern::AllToAll,
        Pattern::BinarySwap,
        Pattern::SynchronisedBinarySwap,
        Pattern::TwoThreeSwap,
        Pattern::MasterWorker,
        Pattern::WorkStealing,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::Ring => "ring",
            Pattern::SequentialRing => "sequential-ring",
            Pattern::Full => "full",
            Pattern::Star => "star",
            Pattern::HierarchicalStar => "hierarchical-star",
            Pattern::Stencil2d => "stencil2d",
            Pattern::AllToAll => "all-to-all",
            Pattern::BinarySwap => "binary-swap",
            Pattern::SynchronisedBinarySwap => "synchronised-binary-swap",
            Pattern::TwoThreeSwap => "2-3-swap",
            Pattern::MasterWorker => "master-worker",
            Pattern::WorkStealing => "work-stealing",
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Pattern {
    type Err = GenerateError;

    fn from_str(name: &str) -> Result<Self, GenerateError> {
        let found = Pattern::ALL.into_iter().find(|p| p.name() == name);
        found.ok_or_else(|| {
            let names = Pattern::ALL.map(Pattern::name).join(", ");
            GenerateError::Options(format!("no pattern {name:?}; there are {names}"))
        })
    }
}

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
/// A request, or the answer that there is nothing.
const SMALL_BYTES: u64 = 64;

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
        Pattern::MasterWorker => master_worker(options, states, &mut dice, &mut run)?,
        Pattern::WorkStealing => work_stealing(options, states, &mut dice, &mut run)?,
        Pattern::SequentialRing => token(options, states, &links, &mut dice, &mut run)?,
        _ => rounds(options, states, &links, &mut dice, &mut run)?,
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

/// A token goes round, and who has it computes.
fn token<W: Write>(
    options: &Options,
    states: States,
    links: &[LinkKind],
    dice: &mut Dice,
    run: &mut Run<'_, W>,
) -> Result<(), GenerateError> {
    let mut arriving: Option<(Message, Sent)> = None;
    for round in 0..options.rounds {
        for process in 0..options.procs {
            if let Some((message, sent)) = arriving.take() {
                run.receive(message, sent, states.message);
            }
            let ticks = dice.jitter(options.compute_ticks, u64::from(options.jitter));
            let ticks = options.slowed(process, ticks);
            run.spend(process, states.compute, ticks);
            let is_last = round + 1 == options.rounds && process + 1 == options.procs;
            if options.procs > 1 && !is_last {
                let next = message(process, (process + 1) % options.procs, options.message_bytes);
                // Only now: what arrived was sent as a link of the round before.
                run.link = links[round as usize % links.len()];
                arriving = Some((next, run.send(next, states.message.send)));
            }
        }
        run.write_past()?;
    }
    run.meet(states.message.wait);
    Ok(())
}

/// The patterns with a fixed order.
fn rounds<W: Write>(
    options: &Options,
    states: States,
    links: &[LinkKind],
    dice: &mut Dice,
    run: &mut Run<'_, W>,
) -> Result<(), GenerateError> {
    let mut messages = Vec::new();
    for _ in 0..options.rounds {
        for process in 0..options.procs {
            let ticks = dice.jitter(options.compute_ticks, u64::from(options.jitter));
            let ticks = options.slowed(process, ticks);
            run.spend(process, states.compute, ticks);
        }
        for stage in 0..n_stages(options) {
            stage_messages(options, stage, &mut messages);
            run.link = links[stage as usize % links.len()];
            run.exchange(&messages, states.message);
            if options.pattern == Pattern::SynchronisedBinarySwap {
                run.meet(states.message.wait);
            }
            if run.schedule.is_large() {
                run.write_past()?;
            }
        }
        run.write_past()?;
    }
    Ok(())
}

/// How many stages a round has.
fn n_stages(options: &Options) -> u32 {
    let procs = options.procs;
    match options.pattern {
        _ if procs == 1 => 0,
        Pattern::Ring | Pattern::Full | Pattern::Stencil2d => 1,
        Pattern::Star => 2,
        Pattern::HierarchicalStar => 2 * tree_depth(procs, options.children),
        Pattern::AllToAll => procs - 1,
        Pattern::BinarySwap | Pattern::SynchronisedBinarySwap => procs.ilog2(),
        Pattern::TwoThreeSwap => swap_height(procs),
        Pattern::MasterWorker | Pattern::WorkStealing | Pattern::SequentialRing => 0,
    }
}

/// Replaces `messages` by those of a stage.
fn stage_messages(options: &Options, stage: u32, messages: &mut Vec<Message>) {
    let procs = options.procs;
    messages.clear();
    let mut send = |from: u32, to: u32, bytes: u64| messages.push(Message { from, to, bytes });
    let bytes = options.message_bytes;
    match options.pattern {
        Pattern::Ring => (0..procs).for_each(|p| send(p, (p + 1) % procs, bytes)),
        Pattern::Full => {
            // Each sender begins with its neighbour: all aiming at process 0 first would be a star.
            for from in 0..procs {
                (1..procs).for_each(|shift| send(from, (from + shift) % procs, bytes));
            }
        }
        Pattern::Star if stage == 0 => (1..procs).for_each(|p| send(p, 0, bytes)),
        Pattern::Star => (1..procs).for_each(|p| send(0, p, bytes)),
        Pattern::HierarchicalStar => {
            tree_stage(options, stage, |from, to| send(from, to, bytes));
        }
        Pattern::Stencil2d => stencil(procs, |from, to| send(from, to, bytes)),
        Pattern::AllToAll => (0..procs).for_each(|p| send(p, (p + stage + 1) % procs, bytes)),
        Pattern::BinarySwap | Pattern::SynchronisedBinarySwap => {
            let half = (bytes >> stage).max(1);
            (0..procs).for_each(|p| send(p, p ^ (1 << stage), half));
        }
        Pattern::TwoThreeSwap => swap_stage((0, procs), stage + 1, bytes, &mut send),
        Pattern::MasterWorker | Pattern::WorkStealing | Pattern::SequentialRing => {}
    }
}

/// The parts that a group of 2-3 swap is made of, as the sizes of its groups: single processes in a
/// group of two or three, else two halves.
fn swap_parts(procs: u32) -> Vec<u32> {
    match procs {
        0 | 1 => Vec::new(),
        2 | 3 => vec![1; procs as usize],
        _ => vec![procs / 2, procs - procs / 2],
    }
}

/// After this many stages all processes of a group have swapped.
fn swap_height(procs: u32) -> u32 {
    let parts = swap_parts(procs).into_iter().map(swap_height);
    parts.max().map_or(0, |height| height + 1)
}

/// What the groups that have this height swap. Before, each process of a part of n processes has one
/// of n shares of the whole; afterwards it has one of as many as the group has processes. It gets what
/// it lacks from whoever has it.
fn swap_stage(
    (first, procs): (u32, u32),
    height: u32,
    bytes: u64,
    send: &mut impl FnMut(u32, u32, u64),
) {
    let own_height = swap_height(procs);
    if own_height < height {
        return;
    }
    let border = |at: u32, of: u32| u128::from(bytes) * u128::from(at) / u128::from(of);
    let mut begin = first;
    for part in swap_parts(procs) {
        if own_height > height {
            swap_stage((begin, part), height, bytes, send);
        } else {
            for at in 0..part {
                let had = (border(at, part), border(at + 1, part));
                // Only shares that overlap: the first of them, and on while they begin before the end.
                let from = u64::from(at) * u64::from(procs) / u64::from(part);
                for to in from as u32..procs {
                    let gets = (border(to, procs), border(to + 1, procs));
                    if gets.0 >= had.1 {
                        break;
                    }
                    let (from, to) = (begin + at, first + to);
                    let shared = gets.1.min(had.1).saturating_sub(gets.0.max(had.0)) as u64;
                    if from != to && shared > 0 {
                        send(from, to, shared);
                    }
                }
            }
        }
        begin += part;
    }
}

/// The messages of a stencil on the most square grid, which does not wrap around.
pub(crate) fn stencil(procs: u32, mut send: impl FnMut(u32, u32)) {
    let (rows, columns) = grid(procs);
    for process in 0..procs {
        let (row, column) = (process / columns, process % columns);
        if row > 0 {
            send(process, process - columns);
        }
        if row + 1 < rows {
            send(process, process + columns);
        }
        if column > 0 {
            send(process, process - 1);
        }
        if column + 1 < columns {
            send(process, process + 1);
        }
    }
}

/// The first process of a level of the tree where each process has `children` children; levels are contiguous and
/// process 0 is level 0.
fn first_of_level(level: u32, children: u32) -> u64 {
    // With one child each the tree is a chain; the general sum would be right but slow.
    if children == 1 {
        return u64::from(level);
    }
    (0..level).fold(0, |first, _| first * u64::from(children) + 1)
}

/// The deepest level of the tree.
fn tree_depth(procs: u32, children: u32) -> u32 {
    if children == 1 {
        return procs - 1;
    }
    let mut depth = 0;
    while first_of_level(depth + 1, children) < u64::from(procs) {
        depth += 1;
    }
    depth
}

/// Up from the deepest level in the first half of the stages, down again in the second.
fn tree_stage(options: &Options, stage: u32, mut send: impl FnMut(u32, u32)) {
    let (procs, children) = (options.procs, options.children);
    let deepest = tree_depth(procs, children);
    let (level, up) = match stage < deepest {
        true => (deepest - stage, true),
        false => (stage - deepest + 1, false),
    };
    let first = first_of_level(level, children) as u32;
    let past = first_of_level(level + 1, children).min(u64::from(procs)) as u32;
    for process in first..past {
        let parent = (process - 1) / children;
        match up {
            true => send(process, parent),
            false => send(parent, process),
        }
    }
}

/// A worker that computes, and the message with which it will report.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Report {
    arrival: i64,
    worker: u32,
    key: u64,
}

fn master_worker<W: Write>(
    options: &Options,
    states: States,
    dice: &mut Dice,
    run: &mut Run<'_, W>,
) -> Result<(), GenerateError> {
    let mut left = u64::from(options.rounds) * u64::from(options.procs - 1);
    let mut reports = BinaryHeap::new();
    for worker in 1..options.procs {
        left -= 1;
        let report = do_task(options, states, worker, dice, run);
        reports.push(Reverse(report));
    }
    while let Some(Reverse(report)) = reports.pop() {
        let Report { arrival, worker, key } = report;
        let result = message(worker, 0, options.message_bytes);
        run.receive(result, Sent { arrival, key }, states.message);
        if left > 0 {
            left -= 1;
            let report = do_task(options, states, worker, dice, run);
            reports.push(Reverse(report));
        }
        if run.schedule.is_large() {
            // Workers without a task stay where they are and say nothing more.
            let waiting = reports.iter().map(|Reverse(r)| run.clock(r.worker));
            let limit = waiting.chain([run.clock(0)]).min().unwrap_or(0);
            run.write_before(limit)?;
        }
    }
    Ok(())
}

/// The master sends a task, the worker does it and sends the result.
fn do_task<W: Write>(
    options: &Options,
    states: States,
    worker: u32,
    dice: &mut Dice,
    run: &mut Run<'_, W>,
) -> Report {
    let task = message(0, worker, SMALL_BYTES);
    let sent = run.send(task, states.message.send);
    run.receive(task, sent, states.message);
    let ticks = options.slowed(worker, dice.jitter(options.compute_ticks, 60));
    run.spend(worker, states.compute, ticks);
    let result = message(worker, 0, options.message_bytes);
    let Sent { arrival, key } = run.send(result, states.message.send);
    Report { arrival, worker, key }
}

/// Tasks begin on a quarter of the processes. The one whose clock is earliest acts next, so nobody sees the future.
fn work_stealing<W: Write>(
    options: &Options,
    states: States,
    dice: &mut Dice,
    run: &mut Run<'_, W>,
) -> Result<(), GenerateError> {
    let procs = options.procs;
    let rich = procs.div_ceil(4);
    let mut left = u64::from(options.rounds) * u64::from(procs);
    let mut queues = vec![0_u64; procs as usize];
    for process in 0..rich {
        let extra = u64::from(u64::from(process) < left % u64::from(rich));
        queues[process as usize] = left / u64::from(rich) + extra;
    }
    let mut next: BinaryHeap<_> = (0..procs).map(|p| Reverse((0_i64, p))).collect();
    while let Some(Reverse((now, process))) = next.pop() {
        if run.schedule.is_large() {
            run.write_before(now)?;
        }
        if left == 0 {
            break;
        }
        if queues[process as usize] > 0 {
            queues[process as usize] -= 1;
            left -= 1;
            let ticks = options.slowed(process, dice.jitter(options.compute_ticks, 60));
            run.spend(process, states.compute, ticks);
        } else {
            steal(options, (states, process), &mut queues, dice, run);
        }
        next.push(Reverse((run.clock(process), process)));
    }
    Ok(())
}

/// Asks a victim for half of its tasks. The victim's runtime answers beside its work, so its states do not change.
fn steal<W: Write>(
    options: &Options,
    (states, thief): (States, u32),
    queues: &mut [u64],
    dice: &mut Dice,
    run: &mut Run<'_, W>,
) {
    let shift = 1 + dice.below(u64::from(options.procs) - 1) as u32;
    let victim = (thief + shift) % options.procs;
    let request = run.send(message(thief, victim, SMALL_BYTES), states.message.send);
    run.land(victim, request, request.arrival);
    let taken = queues[victim as usize].div_ceil(2);
    queues[victim as usize] -= taken;
    queues[thief as usize] += taken;
    let bytes = match taken {
        0 => SMALL_BYTES,
        _ => options.message_bytes,
    };
    let answer = message(victim, thief, bytes);
    let sent = run.launch(answer, request.arrival + dice.jitter(2_000, 50));
    run.receive(answer, sent, states.message);
}

fn message(from: u32, to: u32, bytes: u64) -> Message {
    Message { from, to, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stages(pattern: Pattern, procs: u32) -> Vec<Vec<(u32, u32, u64)>> {
        let options =
            Options { pattern, procs, children: 2, message_bytes: 1_000, ..Options::default() };
        let mut messages = Vec::new();
        (0..n_stages(&options))
            .map(|stage| {
                stage_messages(&options, stage, &mut messages);
                messages.iter().map(|m| (m.from, m.to, m.bytes)).collect()
            })
            .collect()
    }

    #[test]
    fn binary_swap_halves_and_doubles_the_distance() {
        assert_eq!(
            stages(Pattern::BinarySwap, 4),
            [
                [(0, 1, 1000), (1, 0, 1000), (2, 3, 1000), (3, 2, 1000)],
                [(0, 2, 500), (1, 3, 500), (2, 0, 500), (3, 1, 500)],
            ]
        );
    }

    #[test]
    fn two_three_swap_gives_everybody_its_share() {
        // Two groups, of two and of three; then the groups with each other.
        let swapped = stages(Pattern::TwoThreeSwap, 5);
        assert_eq!(
            swapped[0],
            [
                (0, 1, 500),
                (1, 0, 500),
                (2, 3, 333),
                (2, 4, 334),
                (3, 2, 333),
                (3, 4, 334),
                (4, 2, 333),
                (4, 3, 333),
            ]
        );
        // A process of the end has a fifth from each of the two groups: 200 bytes, less its own.
        for procs in 2..=20 {
            let stages = stages(Pattern::TwoThreeSwap, procs);
            let received = |stage: &Vec<(u32, u32, u64)>, to: u32| -> u64 {
                stage.iter().filter(|message| message.1 == to).map(|message| message.2).sum()
            };
            let last = stages.last().expect("a stage");
            let n_parts = if procs <= 3 { u64::from(procs) } else { 2 };
            for to in 0..procs {
                let border = |at: u32| 1_000 * u64::from(at) / u64::from(procs);
                let share = border(to + 1) - border(to);
                assert!(received(last, to) <= share * n_parts, "{procs}: {to}");
                assert!(received(last, to) + share >= share * n_parts, "{procs}: {to}");
            }
            assert!(stages.iter().flatten().all(|&(from, to, _)| from != to));
        }
    }

    #[test]
    fn one_process_at_a_time_is_active_in_the_sequential_ring() {
        let options =
            Options { pattern: Pattern::SequentialRing, procs: 5, rounds: 3, ..Options::default() };
        let mut text = Vec::new();
        write(&options, &mut text).expect("written");
        let text = String::from_utf8(text).expect("text");
        // What each process is in, where that is not waiting.
        let mut active: Vec<&str> = Vec::new();
        let mut n_computed = 0;
        for line in text.lines() {
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["12", _, "STATE", _, "wait"] => {}
                ["12", _, "STATE", process, value] => {
                    active.push(process);
                    n_computed += usize::from(value == "compute");
                    assert_eq!(active.len(), 1, "{line}: {active:?}");
                }
                ["13", _, "STATE", process] => active.retain(|other| *other != process),
                _ => {}
            }
        }
        assert_eq!(n_computed, 15);
    }

    #[test]
    fn ring_closes() {
        assert_eq!(stages(Pattern::Ring, 3), [[(0, 1, 1000), (1, 2, 1000), (2, 0, 1000)]]);
    }

    #[test]
    fn star_goes_in_and_out() {
        assert_eq!(
            stages(Pattern::Star, 3),
            [[(1, 0, 1000), (2, 0, 1000)], [(0, 1, 1000), (0, 2, 1000)]]
        );
    }

    #[test]
    fn tree_goes_up_and_down() {
        // 0 has 1 and 2; 1 has 3.
        assert_eq!(
            stages(Pattern::HierarchicalStar, 4),
            [
                vec![(3, 1, 1000)],
                vec![(1, 0, 1000), (2, 0, 1000)],
                vec![(0, 1, 1000), (0, 2, 1000)],
                vec![(1, 3, 1000)],
            ]
        );
    }

    #[test]
    fn all_pairs_talk_once_in_full_and_all_to_all() {
        for pattern in [Pattern::Full, Pattern::AllToAll] {
            let mut pairs: Vec<_> = stages(pattern, 5).concat();
            pairs.sort_unstable();
            let expected: Vec<_> = (0..5)
                .flat_map(|from| (0..5).map(move |to| (from, to, 1000)))
                .filter(|(from, to, _)| from != to)
                .collect();
            assert_eq!(pairs, expected, "{pattern}");
        }
    }

    #[test]
    fn stencil_does_not_wrap() {
        let mut neighbours = vec![Vec::new(); 6];
        stencil(6, |from, to| neighbours[from as usize].push(to));
        // 0 1 2
        // 3 4 5
        assert_eq!(neighbours[0], [3, 1]);
        assert_eq!(neighbours[4], [1, 3, 5]);
    }
}
