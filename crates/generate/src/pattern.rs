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
use crate::paje::{Trace, Value};
use crate::place::{Place, PlaceTypes};
use crate::run::{Message, MessageStates, Run, Sent, grid};
use crate::{GenerateError, TICKS_PER_UNIT, Written, require};

/// Who talks to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Each process sends to the next one, the last to the first.
    Ring,
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
    /// Process 0 hands out tasks; who is done gets the next one.
    MasterWorker,
    /// Who has no task left takes half of those of another process, chosen at random.
    WorkStealing,
}

impl Pattern {
    /// All patterns.
    pub const ALL: [Pattern; 9] = [
        Pattern::Ring,
        Pattern::Full,
        Pattern::Star,
        Pattern::HierarchicalStar,
        Pattern::Stencil2d,
        Pattern::AllToAll,
        Pattern::BinarySwap,
        Pattern::MasterWorker,
        Pattern::WorkStealing,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::Ring => "ring",
            Pattern::Full => "full",
            Pattern::Star => "star",
            Pattern::HierarchicalStar => "hierarchical-star",
            Pattern::Stencil2d => "stencil2d",
            Pattern::AllToAll => "all-to-all",
            Pattern::BinarySwap => "binary-swap",
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Size of a message; in binary swap that of the first stage.
    pub message_bytes: u64,
    /// About how long a process computes in a round, or at a task.
    pub compute_ticks: i64,
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
            compute_ticks: TICKS_PER_UNIT / 100,
            seed: 1,
        }
    }
}

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
    let [link] = trace.link_type(("LINK", "Message"), types.process, [("PTP", "0.45 0.45 0.45")]);
    types.create(&options.place, options.procs, &mut trace)?;
    let mut run = Run::new(trace, (options.place.clone(), options.procs), types, link);
    let mut dice = Dice::new(options.seed);
    match options.pattern {
        Pattern::MasterWorker => master_worker(options, states, &mut dice, &mut run)?,
        Pattern::WorkStealing => work_stealing(options, states, &mut dice, &mut run)?,
        _ => rounds(options, states, &mut dice, &mut run)?,
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
    let swaps = options.pattern == Pattern::BinarySwap;
    require(!swaps || procs.is_power_of_two(), || {
        format!("binary-swap needs a power of two of processes, not {procs}")
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

/// The patterns with a fixed order.
fn rounds<W: Write>(
    options: &Options,
    states: States,
    dice: &mut Dice,
    run: &mut Run<'_, W>,
) -> Result<(), GenerateError> {
    let mut messages = Vec::new();
    for _ in 0..options.rounds {
        for process in 0..options.procs {
            let ticks = dice.jitter(options.compute_ticks, 20);
            run.spend(process, states.compute, ticks);
        }
        for stage in 0..n_stages(options) {
            stage_messages(options, stage, &mut messages);
            run.exchange(&messages, states.message);
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
        Pattern::BinarySwap => procs.ilog2(),
        Pattern::MasterWorker | Pattern::WorkStealing => 0,
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
        Pattern::BinarySwap => {
            let half = (bytes >> stage).max(1);
            (0..procs).for_each(|p| send(p, p ^ (1 << stage), half));
        }
        Pattern::MasterWorker | Pattern::WorkStealing => {}
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
    let ticks = dice.jitter(options.compute_ticks, 60);
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
            let ticks = dice.jitter(options.compute_ticks, 60);
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
