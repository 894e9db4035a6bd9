//! A run like those of the NAS benchmarks: an init phase, a transition, then many equal iterations, with planted
//! perturbations whose truth is known.
//!
//! In an iteration every process computes, posts a receive, sends to a neighbour, computes, waits for the message of
//! the neighbour on the other side, and meets all others in an allreduce. The direction changes from one iteration
//! to the next. It is the input of the benchmarks, so writing must be fast.

use std::io::Write;

use crate::dice::Dice;
use crate::mpi::MpiStates;
use crate::paje::{Trace, Value};
use crate::perturbation::{Perturbation, stretched};
use crate::place::{Place, PlaceTypes, Side, SlowRoute};
use crate::run::{Message, Run, Sent, grid};
use crate::truth::{self, Phase, Truth};
use crate::{GenerateError, TICKS_PER_UNIT, Written, require};

/// Who is next to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbours {
    /// The next and the previous process.
    Ring,
    /// The four sides of the most square grid, which wraps around.
    Grid,
}

/// A machine that is slower than the others.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowNode {
    /// Number of the machine, from 1 as in its name.
    pub machine: u32,
    /// How many times as long its processes compute.
    pub factor: f64,
    /// From when to when; always when absent.
    pub interval_ticks: Option<(i64, i64)>,
}

/// A time in which some processes are slower.
#[derive(Clone, Debug, PartialEq)]
pub struct Burst {
    /// Begin of the burst.
    pub from_ticks: i64,
    /// End of the burst, itself outside.
    pub to_ticks: i64,
    /// Which part of the processes is hit, from 0 to 1; they are chosen at random, at least one.
    pub share: f64,
    /// How many times as long they compute.
    pub factor: f64,
}

/// A process that has more work than the others: more computations in each iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoreWork {
    /// The process, from 0.
    pub process: u32,
    /// How many times as much.
    pub factor: f64,
}

/// An iteration in which everybody computes longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowIteration {
    /// Which, from 0; nothing is planted if there are fewer.
    pub iteration: u64,
    /// How many times as long.
    pub factor: f64,
}

/// A part between two iterations in which all write what they have, in steps that end with a barrier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Checkpoint {
    /// After how many iterations; there is none if there are fewer.
    pub after: u64,
    /// In how many steps, each of which takes about as long as an iteration.
    pub steps: u64,
    /// How many times as long.
    pub factor: f64,
}

/// Faults other than slow machines and bursts.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Faults {
    /// A process with more work.
    pub more_work: Option<MoreWork>,
    /// A part of the network that is slow.
    pub slow_route: Option<SlowRoute>,
    /// An iteration that takes longer.
    pub slow_iteration: Option<SlowIteration>,
    /// Process 0 hands something out in every iteration, and first computes this share of an iteration for it.
    pub late_root: Option<f64>,
}

/// Size, place and perturbations of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Number of processes.
    pub procs: u32,
    /// About how many record lines to write; at least one iteration is made.
    pub events: u64,
    /// How many iterations to make, whatever they write.
    pub iterations: Option<u64>,
    /// A part in which all write what they have.
    pub checkpoint: Option<Checkpoint>,
    /// Who sends to whom.
    pub neighbours: Neighbours,
    /// The platform.
    pub place: Place,
    /// Size of a message.
    pub message_bytes: u64,
    /// About how long a process computes in an iteration.
    pub compute_ticks: i64,
    /// A slow machine, if any.
    pub slow_node: Option<SlowNode>,
    /// Bursts; where they overlap their factors multiply.
    pub bursts: Vec<Burst>,
    /// What else is wrong.
    pub faults: Faults,
    /// By how many percent the times of computing differ at most.
    pub noise: u32,
    /// Seed of all times and of the processes that bursts hit.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            procs: 64,
            events: 200_000,
            iterations: None,
            checkpoint: None,
            neighbours: Neighbours::Grid,
            place: Place::default(),
            message_bytes: 64 * 1024,
            compute_ticks: 20_000_000,
            slow_node: None,
            bursts: Vec::new(),
            faults: Faults::default(),
            noise: 10,
            seed: 1,
        }
    }
}

const MAX_PROCS: u32 = 1_000_000;
const MAX_MESSAGE_BYTES: u64 = 1 << 40;
const MAX_COMPUTE_TICKS: i64 = 3_600 * TICKS_PER_UNIT;
const MAX_FACTOR: f64 = 1_000.0;
const MAX_STEPS: u64 = 1_000_000;
const MAX_ITERATIONS: u64 = 1_000_000_000;
/// How long a call takes that does not wait for anyone.
const CALL_TICKS: i64 = 2_000;
/// What each step of an allreduce costs; there are about log2 of the number of processes.
const ALLREDUCE_STEP_TICKS: i64 = 40_000;

/// Writes the trace.
pub fn write(options: &Options, out: &mut impl Write) -> Result<Written, GenerateError> {
    write_with_truth(options, out).map(|(written, _)| written)
}

/// Writes the trace and tells what was planted in it.
pub fn write_with_truth(
    options: &Options,
    out: &mut impl Write,
) -> Result<(Written, Truth), GenerateError> {
    check(options)?;
    let mut dice = Dice::new(options.seed);
    let planted = plant(options, &mut dice);
    let mut trace = Trace::new(out, "iterative", options.seed);
    let types = PlaceTypes::define(&mut trace);
    let states = MpiStates::define(&mut trace, types.process);
    let writing = options.checkpoint.map(|_| {
        let mut value = |name, color| trace.value(states.of, name, name, color);
        (value("writing", "0.55 0.55 0.62"), value("MPI_Barrier", "0.95 0.80 0.75"))
    });
    let [link] = trace.link_type(("LINK", "MPI_LINK"), types.process, [("PTP", "0.45 0.45 0.45")]);
    types.create(&options.place, options.procs, &mut trace)?;
    let containers = options.place.sites + options.place.clusters() + options.place.machines();
    let mut run = Run::new(trace, (options.place.clone(), options.procs), types, link);
    run.slow_route = options.faults.slow_route;
    let mut program = Program {
        options,
        states,
        dice,
        planted,
        n_destroys: u64::from(containers) + u64::from(options.procs),
        run,
        slow_interval: None,
        writing,
        checkpoint_interval: None,
        iteration_ends: Vec::new(),
        sent: vec![None; options.procs as usize],
    };
    let mut phases = program.start()?;
    let from = program.latest_clock();
    let iterations = program.iterate()?;
    let to_ticks = program.latest_clock();
    phases.push(phase("iterations", from, to_ticks));
    phases.extend(program.checkpoint_interval.map(|(from, to)| phase("checkpoint", from, to)));
    let end_ticks = program.finalize();
    phases.push(phase("finalize", to_ticks, end_ticks));
    let truth = Truth {
        kind: "iterative",
        seed: options.seed,
        processes: options.procs,
        iterations,
        iteration_ends: std::mem::take(&mut program.iteration_ends),
        end_ticks,
        phases,
        perturbations: program.perturbations((from, to_ticks), end_ticks),
    };
    Ok((program.run.finish()?, truth))
}

/// Writes the platform as a graph in the DOT language, with bandwidth and latency of every cable.
pub fn write_topology(options: &Options, out: &mut impl Write) -> Result<(), GenerateError> {
    check(options)?;
    Ok(options.place.write_topology(options.procs, out)?)
}

/// The program while it runs.
struct Program<'o, 'w, W: Write> {
    options: &'o Options,
    states: MpiStates,
    dice: Dice,
    planted: Vec<Perturbation>,
    /// Records that will still come at the end.
    n_destroys: u64,
    run: Run<'w, W>,
    /// Per receiver, the message of this iteration on its way to it.
    sent: Vec<Option<(Message, Sent)>>,
    /// When the slow iteration was.
    slow_interval: Option<(i64, i64)>,
    /// The states of a checkpoint: writing, and meeting afterwards.
    writing: Option<(Value, Value)>,
    checkpoint_interval: Option<(i64, i64)>,
    iteration_ends: Vec<i64>,
}

impl<W: Write> Program<'_, '_, W> {
    /// The init phase and the transition: data is read, process 0 tells the others what to do, they get ready.
    fn start(&mut self) -> Result<Vec<Phase>, GenerateError> {
        let init = 25 * self.options.compute_ticks;
        for process in 0..self.options.procs {
            let ticks = self.dice.jitter(init, 5);
            self.run.spend(process, self.states.init, ticks);
        }
        let initialised = self.latest_clock();
        self.meet(self.states.bcast);
        for process in 0..self.options.procs {
            self.compute(process, 5 * self.options.compute_ticks);
        }
        self.meet(self.states.allreduce);
        self.run.write_past()?;
        let ready = self.latest_clock();
        Ok(vec![phase("init", 0, initialised), phase("transition", initialised, ready)])
    }

    /// Iterations until the trace is long enough; returns how many.
    fn iterate(&mut self) -> Result<u64, GenerateError> {
        let mut iterations = 0;
        loop {
            let from = self.latest_clock();
            let slow = self.options.faults.slow_iteration;
            let slow = slow.filter(|slow| slow.iteration == iterations);
            self.iteration(iterations, slow.map_or(1.0, |slow| slow.factor));
            if slow.is_some() {
                self.slow_interval = Some((from, self.latest_clock()));
            }
            iterations += 1;
            self.iteration_ends.push(self.latest_clock());
            self.run.write_past()?;
            self.checkpoint(iterations)?;
            if let Some(wanted) = self.options.iterations {
                match iterations >= wanted {
                    true => return Ok(iterations),
                    false => continue,
                }
            }
            // The last phase adds one state a process.
            let to_come = self.n_destroys + 2 * u64::from(self.options.procs);
            let records = self.run.trace.records() + self.run.schedule.len() as u64;
            if records + to_come >= self.options.events {
                return Ok(iterations);
            }
        }
    }

    /// All write what they have, if it is time for that.
    fn checkpoint(&mut self, iterations: u64) -> Result<(), GenerateError> {
        let planned = self.options.checkpoint.filter(|it| it.after == iterations);
        let (Some(checkpoint), Some((writing, barrier))) = (planned, self.writing) else {
            return Ok(());
        };
        let from = self.latest_clock();
        let ticks = scaled(self.options.compute_ticks, checkpoint.factor);
        for _ in 0..checkpoint.steps {
            for process in 0..self.options.procs {
                let ticks = self.dice.jitter(ticks, u64::from(self.options.noise));
                self.run.spend(process, writing, ticks);
            }
            self.meet(barrier);
            self.run.write_past()?;
        }
        self.checkpoint_interval = Some((from, self.latest_clock()));
        Ok(())
    }

    fn iteration(&mut self, iteration: u64, slowness: f64) {
        let states = self.states;
        if let Some(share) = self.options.faults.late_root {
            self.compute(0, scaled(self.options.compute_ticks, share));
            self.hand_out();
        }
        let part = |fifths: i64| scaled(self.options.compute_ticks / 5 * fifths, slowness);
        for process in 0..self.options.procs {
            self.compute(process, part(3));
            let ticks = self.dice.jitter(CALL_TICKS, 50);
            self.run.spend(process, states.irecv, ticks);
            let to = neighbour(self.options, process, iteration);
            if to != process {
                let message = Message { from: process, to, bytes: self.options.message_bytes };
                let sent = self.run.send(message, states.send);
                self.sent[to as usize] = Some((message, sent));
            }
            self.compute(process, part(2));
            self.more_work(process, part(5) / 2);
        }
        for process in 0..self.options.procs {
            if let Some((_, sent)) = self.sent[process as usize].take() {
                let call = self.dice.jitter(CALL_TICKS, 50);
                let ready = sent.arrival.max(self.run.clock(process)) + call;
                self.run.land(process, sent, ready);
                let waited = ready - self.run.clock(process);
                self.run.spend(process, states.wait, waited);
            }
        }
        self.meet(states.allreduce);
    }

    /// Additional computations of a process that has more work than the others, of half an iteration each.
    fn more_work(&mut self, process: u32, ticks: i64) {
        let Some(more) = self.options.faults.more_work.filter(|more| more.process == process)
        else {
            return;
        };
        let halves = 2.0 * (more.factor - 1.0);
        // What is not a whole computation in each iteration is one in some of them.
        let is_more = (self.dice.below(1 << 20) as f64) < halves.fract() * (1 << 20) as f64;
        for _ in 0..halves as u32 + u32::from(is_more) {
            self.compute(process, ticks);
        }
    }

    /// Process 0 tells the others what to do: nobody leaves before it has come.
    fn hand_out(&mut self) {
        let steps = i64::from(self.options.procs.ilog2()) + 1;
        let told = self.run.clock(0) + steps * ALLREDUCE_STEP_TICKS;
        for process in 0..self.options.procs {
            let leaves = told.max(self.run.clock(process)) + self.dice.jitter(CALL_TICKS, 90);
            let ticks = leaves - self.run.clock(process);
            self.run.spend(process, self.states.bcast, ticks);
        }
    }

    /// What was planted in a run with iterations from one time to another.
    fn perturbations(&self, (from, to): (i64, i64), end: i64) -> Vec<truth::Perturbation> {
        let mut all: Vec<truth::Perturbation> =
            self.planted.iter().map(|planted| planted.truth(end)).collect();
        let Options { faults, place, procs, .. } = self.options;
        let mut add = |kind, container, is_hit: &dyn Fn(u32) -> bool, (from, to), factor| {
            all.push(truth::Perturbation {
                kind,
                container,
                processes: (0..*procs)
                    .filter(|p| is_hit(*p))
                    .map(|p| format!("rank-{p}"))
                    .collect(),
                from_ticks: from,
                to_ticks: to,
                factor,
                slowed_computations: 0,
            });
        };
        if let Some(MoreWork { process, factor }) = faults.more_work {
            let name = Some(format!("rank-{process}"));
            add("more-work", name, &|p| p == process, (from, to), factor);
        }
        if let Some(SlowRoute { side, other, factor }) = faults.slow_route {
            let holds = |side: Side, p: u32| match side {
                Side::Machine(it) => place.machine_of(p, *procs) == it,
                Side::Cluster(it) => place.cluster_of(place.machine_of(p, *procs)) == it,
            };
            let is_hit = |p| holds(side, p) || other.is_some_and(|other| holds(other, p));
            let name = match side {
                Side::Machine(it) => format!("machine-{it}"),
                Side::Cluster(it) => format!("cluster-{it}"),
            };
            add("slow-link", Some(name), &is_hit, (from, to), factor);
        }
        if let (Some(slow), Some(interval)) = (faults.slow_iteration, self.slow_interval) {
            add("slow-iteration", None, &|_| true, interval, slow.factor);
        }
        if let Some(share) = faults.late_root {
            add("late-root", Some("rank-0".to_owned()), &|p| p == 0, (from, to), share);
        }
        all
    }

    fn compute(&mut self, process: u32, ticks: i64) {
        let ticks = self.dice.jitter(ticks, u64::from(self.options.noise));
        let start = self.run.clock(process);
        let ticks = stretched(&mut self.planted, process, start, ticks);
        self.run.spend(process, self.states.computing, ticks);
    }

    /// Nobody leaves before everyone has come; they leave at slightly different times.
    fn meet(&mut self, value: Value) {
        let steps = i64::from(self.options.procs.ilog2()) + 1;
        let done = self.latest_clock() + steps * ALLREDUCE_STEP_TICKS;
        for process in 0..self.options.procs {
            let leaves = done + self.dice.jitter(CALL_TICKS, 90);
            let ticks = leaves - self.run.clock(process);
            self.run.spend(process, value, ticks);
        }
    }

    /// The last phase; returns the end of the run.
    fn finalize(&mut self) -> i64 {
        for process in 0..self.options.procs {
            let ticks = self.dice.jitter(2 * self.options.compute_ticks, 10);
            self.run.spend(process, self.states.finalize, ticks);
        }
        self.latest_clock()
    }

    fn latest_clock(&self) -> i64 {
        self.run.clocks.iter().copied().max().unwrap_or(0)
    }
}

/// A number of ticks, times a factor.
fn scaled(ticks: i64, factor: f64) -> i64 {
    if factor == 1.0 { ticks } else { (ticks as f64 * factor) as i64 }
}

fn phase(name: &'static str, from_ticks: i64, to_ticks: i64) -> Phase {
    Phase { name, from_ticks, to_ticks }
}

/// To whom a process sends in an iteration: the directions take turns.
fn neighbour(options: &Options, process: u32, iteration: u64) -> u32 {
    let (rows, columns) = match options.neighbours {
        Neighbours::Ring => (1, options.procs),
        Neighbours::Grid => grid(options.procs),
    };
    let (row, column) = (process / columns, process % columns);
    let vertical = rows > 1 && !iteration.is_multiple_of(2);
    let backwards = match rows > 1 {
        true => iteration / 2 % 2 == 1,
        false => iteration % 2 == 1,
    };
    let step = |at: u32, n: u32| (at + if backwards { n - 1 } else { 1 }) % n;
    match vertical {
        true => step(row, rows) * columns + column,
        false => row * columns + step(column, columns),
    }
}

fn plant(options: &Options, dice: &mut Dice) -> Vec<Perturbation> {
    let procs = options.procs;
    let mut planted = Vec::new();
    if let Some(slow) = &options.slow_node {
        let (from, to) = slow.interval_ticks.unwrap_or((0, i64::MAX));
        let on_it = |process| options.place.machine_of(process, procs) == slow.machine;
        planted.push(Perturbation {
            kind: "slow-node",
            container: Some(format!("machine-{}", slow.machine)),
            hit: (0..procs).map(on_it).collect(),
            from,
            to,
            factor: slow.factor,
            slowed: 0,
        });
    }
    for burst in &options.bursts {
        let n_hit = ((f64::from(procs) * burst.share).round() as usize).max(1);
        let mut hit: Vec<bool> = (0..procs as usize).map(|p| p < n_hit).collect();
        dice.shuffle(&mut hit);
        planted.push(Perturbation {
            kind: "burst",
            container: None,
            hit,
            from: burst.from_ticks,
            to: burst.to_ticks,
            factor: burst.factor,
            slowed: 0,
        });
    }
    planted
}

fn check(options: &Options) -> Result<(), GenerateError> {
    options.place.check(options.procs)?;
    require(options.procs <= MAX_PROCS, || {
        format!("iterative takes at most {MAX_PROCS} processes")
    })?;
    require(options.message_bytes <= MAX_MESSAGE_BYTES, || {
        format!("a message has at most {MAX_MESSAGE_BYTES} bytes")
    })?;
    require((5..=MAX_COMPUTE_TICKS).contains(&options.compute_ticks), || {
        "the compute time must be more than 0 and at most an hour".to_owned()
    })?;
    if let Some(slow) = &options.slow_node {
        check_slow_node(options, slow)?;
    }
    require(options.noise <= 100, || "times differ by at most 100 percent".to_owned())?;
    check_faults(options)?;
    options.bursts.iter().try_for_each(check_burst)
}

fn check_slow_node(options: &Options, slow: &SlowNode) -> Result<(), GenerateError> {
    let machines = options.place.machines();
    require((1..=machines).contains(&slow.machine), || {
        format!("no machine {}: they are numbered from 1 to {machines}", slow.machine)
    })?;
    let used = |process| options.place.machine_of(process, options.procs) == slow.machine;
    require((0..options.procs).any(used), || format!("machine {} has no process", slow.machine))?;
    let interval = slow.interval_ticks.unwrap_or((0, i64::MAX));
    check_slowness("slow node", interval, slow.factor)
}

fn check_faults(options: &Options) -> Result<(), GenerateError> {
    let Options { faults, place, procs, .. } = options;
    let factor = |what: &str, factor: f64, least: f64| {
        require((least..=MAX_FACTOR).contains(&factor), || {
            format!("the factor of {what} is from {least} to {MAX_FACTOR}, not {factor}")
        })
    };
    if let Some(more) = faults.more_work {
        require(more.process < *procs, || {
            format!("no process {}: they are numbered from 0 to {}", more.process, procs - 1)
        })?;
        factor("more work", more.factor, 1.0)?;
    }
    if let Some(checkpoint) = options.checkpoint {
        factor("a checkpoint", checkpoint.factor, 0.001)?;
        require(checkpoint.steps <= MAX_STEPS, || {
            format!("a checkpoint has at most {MAX_STEPS} steps")
        })?;
    }
    let most = options.iterations.unwrap_or(0);
    require(most <= MAX_ITERATIONS, || format!("there are at most {MAX_ITERATIONS} iterations"))?;
    if let Some(slow) = faults.slow_iteration {
        factor("a slow iteration", slow.factor, 0.001)?;
    }
    if let Some(share) = faults.late_root {
        factor("a late root", share, 0.001)?;
    }
    if let Some(slow) = faults.slow_route {
        factor("a slow link", slow.factor, 0.001)?;
        let exists = |side: Side| match side {
            Side::Machine(it) => (1..=place.machines()).contains(&it),
            Side::Cluster(it) => (1..=place.clusters()).contains(&it),
        };
        require(exists(slow.side) && slow.other.is_none_or(exists), || {
            format!(
                "a slow link needs machines from 1 to {} or clusters from 1 to {}",
                place.machines(),
                place.clusters()
            )
        })?;
    }
    Ok(())
}

fn check_burst(burst: &Burst) -> Result<(), GenerateError> {
    require(burst.share > 0.0 && burst.share <= 1.0, || {
        format!("the share of a burst is more than 0 and at most 1, not {}", burst.share)
    })?;
    check_slowness("burst", (burst.from_ticks, burst.to_ticks), burst.factor)
}

fn check_slowness(what: &str, (from, to): (i64, i64), factor: f64) -> Result<(), GenerateError> {
    require(0 <= from && from < to, || {
        format!("the interval of a {what} begins at 0 or later and ends after its begin")
    })?;
    require((0.001..=MAX_FACTOR).contains(&factor), || {
        format!("the factor of a {what} is from 0.001 to {MAX_FACTOR}, not {factor}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_gets_one_message_an_iteration() {
        for neighbours in [Neighbours::Ring, Neighbours::Grid] {
            for procs in [2, 3, 6, 7, 16] {
                let options = Options { procs, neighbours, ..Options::default() };
                for iteration in 0..4 {
                    let mut to: Vec<u32> =
                        (0..procs).map(|p| neighbour(&options, p, iteration)).collect();
                    assert!((0..procs).all(|p| to[p as usize] != p));
                    to.sort_unstable();
                    assert_eq!(to, (0..procs).collect::<Vec<_>>());
                }
            }
        }
    }
}
