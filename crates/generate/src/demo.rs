//! The demo trace: an MPI program on three clusters with something to find.
//!
//! 96 processes exchange borders with their neighbours and meet in an allreduce, again and again. In the middle
//! third of the run one machine of cluster 2 is slow (its power drops, everybody waits for it), and later there is a
//! short burst on half the processes of cluster 3.

use std::io::Write;
use std::ops::Range;

use crate::dice::Dice;
use crate::mpi::MpiStates;
use crate::paje::{EventKind, Record, Trace, Value, VariableType};
use crate::pattern::stencil;
use crate::perturbation::{Perturbation, stretched};
use crate::place::{Place, PlaceTypes};
use crate::run::{Message, Run, Sent};
use crate::truth::{Phase, Truth};
use crate::{GenerateError, Written};

/// The demo is always the same program; the seed changes its small irregularities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Seed of all times and of the processes that the burst hits.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { seed: 1 }
    }
}

const PROCS: u32 = 96;
const PLACE: Place =
    Place { sites: 1, clusters_per_site: 3, machines_per_cluster: 8, all_clusters: None };
const ITERATIONS: u32 = 36;
const COMPUTE_TICKS: i64 = 100_000_000;
const BORDER_BYTES: u64 = 256 * 1024;
/// The fifth machine of cluster 2.
const SLOW_MACHINE: u32 = 13;
const SLOW_FACTOR: f64 = 1.8;
/// Slow iterations are longer, so these are a third of the time although they are less than a third of the count.
const SLOW_ITERATIONS: Range<u32> = 14..22;
const BURST_CLUSTER: u32 = 3;
const BURST_FACTOR: f64 = 2.2;
const BURST_ITERATIONS: Range<u32> = 28..31;
const CALL_TICKS: i64 = 3_000;
const ALLREDUCE_TICKS: i64 = 400_000;

/// Writes the trace.
pub fn write(options: &Options, out: &mut impl Write) -> Result<Written, GenerateError> {
    write_with_truth(options, out).map(|(written, _)| written)
}

/// Writes the trace and tells what there is to find.
pub fn write_with_truth(
    options: &Options,
    out: &mut impl Write,
) -> Result<(Written, Truth), GenerateError> {
    let mut program = Program::new(options, out)?;
    let mut phases = vec![program.init()];
    phases.push(program.transition()?);
    phases.push(program.iterations()?);
    phases.push(program.finalize());
    let end_ticks = program.latest_clock();
    let truth = Truth {
        kind: "demo",
        seed: options.seed,
        processes: PROCS,
        iterations: u64::from(ITERATIONS),
        iteration_ends: Vec::new(),
        end_ticks,
        phases,
        perturbations: program.planted.iter().map(|p| p.truth(end_ticks)).collect(),
    };
    Ok((program.run.finish()?, truth))
}

/// The program while it runs.
struct Program<'w, W: Write> {
    run: Run<'w, W>,
    states: MpiStates,
    dice: Dice,
    planted: [Perturbation; 2],
    power: VariableType,
    checkpoint: EventKind,
    residual: EventKind,
}

impl<'w, W: Write> Program<'w, W> {
    fn new(options: &Options, out: &'w mut W) -> Result<Self, GenerateError> {
        let mut trace = Trace::new(out, "demo", options.seed);
        let types = PlaceTypes::define(&mut trace);
        let states = MpiStates::define(&mut trace, types.process);
        let [link] =
            trace.link_type(("LINK", "MPI_LINK"), types.process, [("PTP", "0.45 0.45 0.45")]);
        let power = trace.variable_type(("POWER", "Power"), types.machine, "0.90 0.62 0.00");
        let [checkpoint, residual] = trace.event_type(
            ("MARK", "Marker"),
            types.process,
            [
                ("checkpoint", "solver.c", "0.84 0.37 0.00"),
                ("residual", "residual.c", "0.00 0.45 0.70"),
            ],
        );
        types.create(&PLACE, PROCS, &mut trace)?;
        let mut dice = Dice::new(options.seed);
        Ok(Program {
            run: Run::new(trace, (PLACE, PROCS), types, link),
            states,
            planted: plant(&mut dice),
            dice,
            power,
            checkpoint,
            residual,
        })
    }

    fn init(&mut self) -> Phase {
        for machine in 1..=PLACE.machines() {
            self.set_power(0, machine, 95);
        }
        for process in 0..PROCS {
            let ticks = self.dice.jitter(4 * COMPUTE_TICKS, 5);
            self.run.spend(process, self.states.init, ticks);
        }
        self.phase("init", 0)
    }

    /// The problem is spread from process 0 along a binomial tree, and everyone sets up its part.
    fn transition(&mut self) -> Result<Phase, GenerateError> {
        let from = self.latest_clock();
        let entered: Vec<i64> = self.run.clocks.clone();
        for process in 0..PROCS {
            let value = self.states.bcast;
            let container = self.run.container(process);
            let push = Record::Push { container, value };
            self.run.schedule.add(entered[process as usize], push);
        }
        let mut reached = 1;
        while reached < PROCS {
            let messages: Vec<Message> =
                (0..reached.min(PROCS - reached)).map(|p| message(p, p + reached)).collect();
            self.exchange(&messages);
            reached *= 2;
        }
        for process in 0..PROCS {
            let value = self.states.bcast;
            let container = self.run.container(process);
            let left = self.run.clock(process);
            self.run.schedule.add(left, Record::Pop { container, value });
            let ticks = self.dice.jitter(COMPUTE_TICKS, 30);
            self.run.spend(process, self.states.computing, ticks);
        }
        self.allreduce();
        self.run.write_past()?;
        Ok(self.phase("transition", from))
    }

    fn iterations(&mut self) -> Result<Phase, GenerateError> {
        let from = self.latest_clock();
        let mut borders = Vec::new();
        stencil(PROCS, |from, to| borders.push(message(from, to)));
        for iteration in 0..ITERATIONS {
            self.open_and_close_perturbations(iteration);
            self.sample_power(iteration);
            for process in 0..PROCS {
                self.compute(process);
            }
            self.exchange(&borders);
            self.idle_power();
            self.allreduce();
            self.mark(iteration);
            self.run.write_past()?;
        }
        Ok(self.phase("iterations", from))
    }

    /// The results are gathered on process 0.
    fn finalize(&mut self) -> Phase {
        let from = self.latest_clock();
        let results: Vec<Message> = (1..PROCS).map(|p| message(p, 0)).collect();
        self.exchange(&results);
        for process in 0..PROCS {
            let ticks = self.dice.jitter(COMPUTE_TICKS, 10);
            self.run.spend(process, self.states.finalize, ticks);
        }
        self.phase("finalize", from)
    }

    /// The intervals are given in iterations; the truth tells them in time.
    fn open_and_close_perturbations(&mut self, iteration: u32) {
        let now = self.run.clocks.iter().copied().min().unwrap_or(0);
        let intervals = [SLOW_ITERATIONS, BURST_ITERATIONS];
        for (planted, interval) in self.planted.iter_mut().zip(intervals) {
            if iteration == interval.start {
                planted.from = now;
            }
            if iteration == interval.end {
                planted.to = now;
            }
        }
    }

    fn compute(&mut self, process: u32) {
        let ticks = self.dice.jitter(COMPUTE_TICKS, 6);
        let start = self.run.clock(process);
        let ticks = stretched(&mut self.planted, process, start, ticks);
        self.run.spend(process, self.states.computing, ticks);
    }

    /// Everyone sends, then receives; the waiting is inside the receive.
    fn exchange(&mut self, messages: &[Message]) {
        let send = self.states.send;
        let sent: Vec<Sent> = messages.iter().map(|m| self.run.send(*m, send)).collect();
        for (message, sent) in messages.iter().zip(sent) {
            let enters = self.run.clock(message.to);
            let arrives = sent.arrival.max(enters);
            let leaves = arrives + self.dice.jitter(CALL_TICKS, 50);
            let waits = (enters, arrives);
            self.run.land(message.to, sent, leaves);
            self.nested(message.to, self.states.recv, waits, leaves);
        }
    }

    /// Nobody leaves before everyone has come; the waiting is inside the call.
    fn allreduce(&mut self) {
        let done = self.latest_clock() + ALLREDUCE_TICKS;
        for process in 0..PROCS {
            let enters = self.run.clock(process);
            let waits = (enters + CALL_TICKS, done - ALLREDUCE_TICKS / 2);
            let leaves = done + self.dice.jitter(CALL_TICKS, 90);
            self.nested(process, self.states.allreduce, waits, leaves);
        }
    }

    /// A call from now until `leaves` with a wait inside it, if there is anything to wait for.
    fn nested(&mut self, process: u32, call: Value, waits: (i64, i64), leaves: i64) {
        let value = call;
        let container = self.run.container(process);
        let enters = self.run.clock(process);
        let schedule = &mut self.run.schedule;
        schedule.add(enters, Record::Push { container, value });
        if waits.0 < waits.1 {
            self.run.state(process, self.states.wait, waits.0, waits.1);
        }
        let schedule = &mut self.run.schedule;
        schedule.add(leaves, Record::Pop { container, value });
        self.run.clocks[process as usize] = leaves;
    }

    /// Machines draw more while they compute; the slow one draws less, because it is throttled.
    fn sample_power(&mut self, iteration: u32) {
        for machine in 1..=PLACE.machines() {
            let throttled = machine == SLOW_MACHINE && SLOW_ITERATIONS.contains(&iteration);
            let watts = if throttled { 130 } else { 205 } + self.dice.below(15);
            let time = self.run.clock(first_process_of(machine));
            self.set_power(time, machine, watts);
        }
    }

    fn idle_power(&mut self) {
        for machine in 1..=PLACE.machines() {
            let watts = 110 + self.dice.below(8);
            let time = self.run.clock(first_process_of(machine));
            self.set_power(time, machine, watts);
        }
    }

    fn set_power(&mut self, time: i64, machine: u32, value: u64) {
        let set = Record::SetVariable {
            variable: self.power,
            container: self.run.types.machine.number(machine),
            value,
        };
        self.run.schedule.add(time, set);
    }

    /// Process 0 checks the residual now and then and writes checkpoints.
    fn mark(&mut self, iteration: u32) {
        let marks = [(4, self.residual, 88, 0), (12, self.checkpoint, 214, CALL_TICKS)];
        for (period, event, line, delay) in marks {
            if (iteration + 1).is_multiple_of(period) {
                let container = self.run.container(0);
                let event = Record::Event { event, container, line };
                self.run.schedule.add(self.run.clock(0) + delay, event);
            }
        }
    }

    fn phase(&self, name: &'static str, from_ticks: i64) -> Phase {
        Phase { name, from_ticks, to_ticks: self.latest_clock() }
    }

    fn latest_clock(&self) -> i64 {
        self.run.clocks.iter().copied().max().unwrap_or(0)
    }
}

/// What is there to find; the times are set when the run comes to them.
fn plant(dice: &mut Dice) -> [Perturbation; 2] {
    let machine_of = |process: usize| PLACE.machine_of(process as u32, PROCS);
    let planted = |kind, container: String, hit, factor| Perturbation {
        kind,
        container: Some(container),
        hit,
        from: i64::MAX,
        to: i64::MAX,
        factor,
        slowed: 0,
    };
    let slow = (0..PROCS as usize).map(|p| machine_of(p) == SLOW_MACHINE);
    let mut candidates: Vec<usize> =
        (0..PROCS as usize).filter(|p| PLACE.cluster_of(machine_of(*p)) == BURST_CLUSTER).collect();
    dice.shuffle(&mut candidates);
    let mut hit = vec![false; PROCS as usize];
    for process in &candidates[..candidates.len() / 2] {
        hit[*process] = true;
    }
    [
        planted("slow-node", format!("machine-{SLOW_MACHINE}"), slow.collect(), SLOW_FACTOR),
        planted("burst", format!("cluster-{BURST_CLUSTER}"), hit, BURST_FACTOR),
    ]
}

fn first_process_of(machine: u32) -> u32 {
    (machine - 1) * (PROCS / PLACE.machines())
}

fn message(from: u32, to: u32) -> Message {
    Message { from, to, bytes: BORDER_BYTES }
}
