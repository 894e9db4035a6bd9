//! Short-lived threads that fight for semaphores and locks.
//!
//! Threads are created and destroyed during the run; semaphores and locks are containers with states of their own.
//! A link leads from the thread whose V (or unlock) frees another to the one it frees, another one from the semaphore
//! or lock to that thread. A blocked state names what it waits at, and every operation is an event with its place in a
//! source file.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io::Write;

use crate::dice::Dice;
use crate::paje::{Container, ContainerType, EventKind, LinkKind, Record, Trace, Value};
use crate::schedule::Schedule;
use crate::{GenerateError, TICKS_PER_UNIT, Written, require};

/// How many of everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Number of processes.
    pub processes: u32,
    /// Number of threads over the whole run, besides the main thread of each process.
    pub threads: u32,
    /// How many threads of a process may live at once, besides its main thread.
    pub at_once: u32,
    /// Semaphores of each process.
    pub semaphores: u32,
    /// How many threads can be past the P of a semaphore at once.
    pub permits: u32,
    /// Locks of each process.
    pub locks: u32,
    /// How often a thread goes through a semaphore and a lock.
    pub operations: u32,
    /// About how long a piece of work takes.
    pub work_ticks: i64,
    /// Seed of all times and choices.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            processes: 4,
            threads: 200,
            at_once: 8,
            semaphores: 2,
            permits: 2,
            locks: 2,
            operations: 4,
            work_ticks: 1_000_000,
            seed: 1,
        }
    }
}

const MAX_COUNT: u32 = 100_000;
const MAX_WORK_TICKS: i64 = 60 * TICKS_PER_UNIT;
/// From a V to the moment the freed thread runs, and from its creation to the moment a thread runs.
const WAKE_TICKS: i64 = 5_000;
/// What an operation that does not block costs.
const CALL_TICKS: i64 = 500;
/// Runs end in an error long before the clock overflows.
const MAX_TICKS: i64 = 1 << 60;

/// Writes the trace. Memory grows with the threads that live at once.
pub fn write(options: &Options, out: &mut impl Write) -> Result<Written, GenerateError> {
    check(options)?;
    let mut trace = Trace::new(out, "threads", options.seed);
    let names = Names::define(&mut trace);
    let mut program = Program::new(options, names, trace);
    program.create()?;
    program.run()?;
    program.finish()
}

fn check(options: &Options) -> Result<(), GenerateError> {
    for (what, n) in [
        ("processes", options.processes),
        ("threads at once", options.at_once),
        ("semaphores", options.semaphores),
        ("permits", options.permits),
        ("locks", options.locks),
        ("operations", options.operations),
    ] {
        require((1..=MAX_COUNT).contains(&n), || {
            format!("the number of {what} must be from 1 to {MAX_COUNT}, not {n}")
        })?;
    }
    let gates = u64::from(options.semaphores) + u64::from(options.locks);
    require(
        u64::from(options.processes) * gates <= 100_000_000 && options.threads <= 2_000_000_000,
        || "too many containers".to_owned(),
    )?;
    require((1..=MAX_WORK_TICKS).contains(&options.work_ticks), || {
        "the work time must be more than 0 and at most a minute".to_owned()
    })
}

/// Everything that is defined at the head of the trace.
#[derive(Clone, Copy)]
struct Names {
    process: ContainerType,
    thread: ContainerType,
    semaphore: ContainerType,
    lock: ContainerType,
    ready: Value,
    running: Value,
    blocked: Value,
    semaphore_states: GateStates,
    lock_states: GateStates,
    freed_by_v: LinkKind,
    freed_by_unlock: LinkKind,
    passes_semaphore: LinkKind,
    passes_lock: LinkKind,
    on_create: EventKind,
    on_exit: EventKind,
    on_p: EventKind,
    on_v: EventKind,
    on_lock: EventKind,
    on_unlock: EventKind,
}

/// The values of a semaphore or a lock: someone can pass, nobody can, threads wait.
#[derive(Clone, Copy)]
struct GateStates {
    open: Value,
    shut: Value,
    contended: Value,
}

impl Names {
    fn define<W: Write>(trace: &mut Trace<'_, W>) -> Self {
        trace.define_waiting();
        let process =
            trace.container_type("PR", "Process", ContainerType::ROOT, (b'p', "process-"));
        let thread = trace.container_type("TH", "Thread", process, (b't', "thread-"));
        let semaphore = trace.container_type("SE", "Semaphore", process, (b's', "semaphore-"));
        let lock = trace.container_type("LO", "Lock", process, (b'l', "lock-"));
        let states = trace.state_type("TS", "Thread_State", thread);
        let [ready, running, blocked] = [
            ("ready", "0.90 0.62 0.00"),
            ("running", "0.00 0.62 0.45"),
            ("blocked", "0.84 0.37 0.00"),
        ]
        .map(|(name, color)| trace.value(states, name, name, color));
        let semaphore_names =
            [("available", "0.34 0.71 0.91"), ("exhausted", "0.00 0.45 0.70"), CONTENDED];
        let semaphore_states =
            gate_states(trace, ("SS", "Semaphore_State", semaphore), semaphore_names);
        let lock_names = [("free", "0.94 0.89 0.26"), ("held", "0.31 0.29 0.00"), CONTENDED];
        let lock_states = gate_states(trace, ("LS", "Lock_State", lock), lock_names);
        let [freed_by_v, freed_by_unlock] = trace.link_type(
            ("UN", "Unblocks"),
            thread,
            [("V", "0.00 0.45 0.70"), ("unlock", "0.80 0.47 0.65")],
        );
        let [passes_semaphore] = trace.link_type_between(
            ("GS", "Semaphore_Passed"),
            (semaphore, thread),
            [("semaphore", "0.34 0.71 0.91")],
        );
        let [passes_lock] = trace.link_type_between(
            ("GL", "Lock_Passed"),
            (lock, thread),
            [("lock", "0.45 0.15 0.33")],
        );
        let [on_create, on_exit, on_p, on_v, on_lock, on_unlock] = trace.event_type(
            ("OP", "Operation"),
            thread,
            [
                ("create", "main.c", "0.94 0.89 0.26"),
                ("exit", "worker.c", "0.31 0.29 0.00"),
                ("P", "worker.c", "0.34 0.71 0.91"),
                ("V", "worker.c", "0.00 0.45 0.70"),
                ("lock", "worker.c", "0.45 0.15 0.33"),
                ("unlock", "worker.c", "0.80 0.47 0.65"),
            ],
        );
        Names {
            process,
            thread,
            semaphore,
            lock,
            ready,
            running,
            blocked,
            semaphore_states,
            lock_states,
            freed_by_v,
            freed_by_unlock,
            passes_semaphore,
            passes_lock,
            on_create,
            on_exit,
            on_p,
            on_v,
            on_lock,
            on_unlock,
        }
    }
}

/// Of semaphores and locks.
const CONTENDED: (&str, &str) = ("contended", "0.45 0.15 0.33");

fn gate_states<W: Write>(
    trace: &mut Trace<'_, W>,
    (alias, name, of): (&str, &str, ContainerType),
    values: [(&str, &str); 3],
) -> GateStates {
    let states = trace.state_type(alias, name, of);
    let [open, shut, contended] =
        values.map(|(value, color)| trace.value(states, value, value, color));
    GateStates { open, shut, contended }
}

/// A semaphore, or a lock, which is a semaphore with one permit.
struct Gate {
    container: Container,
    states: GateStates,
    shown: Value,
    permits: u32,
    /// Threads that wait, by their place in `Program::threads`, first come first served.
    waiting: VecDeque<usize>,
}

impl Gate {
    fn state(&self) -> Value {
        match (self.permits, self.waiting.is_empty()) {
            (_, false) => self.states.contended,
            (0, true) => self.states.shut,
            (_, true) => self.states.open,
        }
    }
}

/// What a thread does, in a circle. The semaphore is taken before the lock and given back after it, always: so
/// nobody who holds a lock waits, and there is no deadlock.
#[derive(Clone, Copy)]
enum Step {
    Begin,
    P,
    Lock,
    Unlock,
    V,
}

struct Thread {
    container: Container,
    process: u32,
    step: Step,
    operations_left: u32,
    semaphore: usize,
    lock: usize,
}

struct Main {
    container: Container,
    state: Value,
    threads_left: u32,
    alive: u32,
}

struct Program<'o, 'w, W: Write> {
    options: &'o Options,
    names: Names,
    trace: Trace<'w, W>,
    schedule: Schedule,
    dice: Dice,
    gates: Vec<Gate>,
    mains: Vec<Main>,
    /// Live threads; places of dead ones are used again.
    threads: Vec<Thread>,
    vacant: Vec<usize>,
    /// Who acts when: main threads first, then `threads` by place.
    next: BinaryHeap<Reverse<(i64, usize)>>,
    next_number: u32,
    next_key: u64,
}

impl<'o, 'w, W: Write> Program<'o, 'w, W> {
    fn new(options: &'o Options, names: Names, trace: Trace<'w, W>) -> Self {
        let processes = options.processes;
        let main = |process: u32| Main {
            container: names.thread.number(process + 1),
            state: names.running,
            threads_left: options.threads / processes
                + u32::from(process < options.threads % processes),
            alive: 0,
        };
        Program {
            options,
            names,
            trace,
            schedule: Schedule::default(),
            dice: Dice::new(options.seed),
            gates: gates(options, names),
            mains: (0..processes).map(main).collect(),
            threads: Vec::new(),
            vacant: Vec::new(),
            next: (0..processes as usize).map(|p| Reverse((0, p))).collect(),
            next_number: processes + 1,
            next_key: 1,
        }
    }

    fn gates_per_process(&self) -> usize {
        self.options.semaphores as usize + self.options.locks as usize
    }

    /// Processes, main threads and gates exist from the beginning.
    fn create(&mut self) -> Result<(), GenerateError> {
        for process in 1..=self.options.processes {
            let container = self.names.process.number(process);
            let parent = Container::ROOT;
            self.trace.record(0, Record::Create { container, parent })?;
        }
        let per_process = self.gates_per_process();
        let gates = self.gates.iter().enumerate();
        let gates = gates.map(|(at, gate)| (at / per_process, gate.container, gate.shown));
        let mains = self.mains.iter().enumerate();
        let mains = mains.map(|(process, main)| (process, main.container, main.state));
        for (process, container, opens) in mains.chain(gates) {
            let parent = self.names.process.number(process as u32 + 1);
            self.trace.record(0, Record::Create { container, parent })?;
            let set = Record::Set { container, closes: None, opens };
            self.trace.record(0, set)?;
        }
        Ok(())
    }

    /// Whoever is earliest acts, until nobody has anything left to do.
    fn run(&mut self) -> Result<(), GenerateError> {
        while let Some(Reverse((now, actor))) = self.next.pop() {
            if now > MAX_TICKS {
                return Err(GenerateError::too_long());
            }
            if self.schedule.is_large() {
                self.schedule.write_before(now, &mut self.trace)?;
            }
            match actor.checked_sub(self.mains.len()) {
                None => self.main_step(actor, now),
                Some(thread) => self.thread_step(thread, now),
            }
        }
        Ok(())
    }

    /// Closes what is open and destroys what is left.
    fn finish(mut self) -> Result<Written, GenerateError> {
        self.schedule.write_rest(&mut self.trace)?;
        let end = self.schedule.latest() + self.options.work_ticks;
        let gates = self.gates.iter().map(|gate| (gate.container, gate.shown));
        let mains = self.mains.iter().map(|main| (main.container, main.state));
        for (container, value) in mains.chain(gates) {
            self.trace.record(end, Record::Pop { container, value })?;
            self.trace.record(end, Record::Destroy { container })?;
        }
        for process in 1..=self.options.processes {
            let container = self.names.process.number(process);
            self.trace.record(end, Record::Destroy { container })?;
        }
        self.trace.finish()
    }

    /// A main thread creates threads, and is blocked while too many live.
    fn main_step(&mut self, process: usize, now: i64) {
        let main = &mut self.mains[process];
        let full = main.alive >= self.options.at_once;
        let state = match full || main.threads_left == 0 {
            true => self.names.blocked,
            false => self.names.running,
        };
        let (container, closes) = (main.container, main.state);
        if closes != state {
            main.state = state;
            self.set(now, container, closes, state);
        }
        let main = &mut self.mains[process];
        if main.threads_left == 0 {
            return;
        }
        if !full {
            main.threads_left -= 1;
            main.alive += 1;
            self.event(now, self.names.on_create, container, 42);
            self.spawn(process as u32, now);
        }
        let ticks = self.dice.jitter(self.options.work_ticks, 80);
        self.next.push(Reverse((now + ticks, process)));
    }

    fn spawn(&mut self, process: u32, now: i64) {
        let container = self.names.thread.number(self.next_number);
        self.next_number += 1;
        let parent = self.names.process.number(process + 1);
        self.schedule.add(now, Record::Create { container, parent });
        let set = Record::Set { container, closes: None, opens: self.names.ready };
        self.schedule.add(now, set);
        let thread = Thread {
            container,
            process,
            step: Step::Begin,
            operations_left: self.options.operations,
            semaphore: 0,
            lock: 0,
        };
        let place = match self.vacant.pop() {
            Some(place) => {
                self.threads[place] = thread;
                place
            }
            None => {
                self.threads.push(thread);
                self.threads.len() - 1
            }
        };
        let begin = now + self.dice.jitter(WAKE_TICKS, 80);
        self.set(begin, container, self.names.ready, self.names.running);
        self.wake(place, begin);
    }

    fn thread_step(&mut self, place: usize, now: i64) {
        let names = self.names;
        let thread = &self.threads[place];
        let (step, semaphore, lock) = (thread.step, thread.semaphore, thread.lock);
        match step {
            Step::Begin if thread.operations_left == 0 => self.exit(place, now),
            Step::Begin => self.choose_gates(place, now),
            Step::P => {
                self.threads[place].step = Step::Lock;
                self.take(place, semaphore, now, (names.on_p, 17));
            }
            Step::Lock => {
                self.threads[place].step = Step::Unlock;
                self.take(place, lock, now, (names.on_lock, 21));
            }
            Step::Unlock => {
                self.threads[place].step = Step::V;
                self.event(now, names.on_unlock, self.threads[place].container, 25);
                self.give(place, lock, now, names.freed_by_unlock);
            }
            Step::V => {
                self.threads[place].step = Step::Begin;
                self.event(now, names.on_v, self.threads[place].container, 28);
                self.give(place, semaphore, now, names.freed_by_v);
            }
        }
    }

    fn exit(&mut self, place: usize, now: i64) {
        let container = self.threads[place].container;
        let value = self.names.running;
        self.event(now, self.names.on_exit, container, 33);
        self.schedule.add(now, Record::Pop { container, value });
        self.schedule.add(now, Record::Destroy { container });
        self.mains[self.threads[place].process as usize].alive -= 1;
        self.vacant.push(place);
    }

    /// Work, and then the next round with a semaphore and a lock of the process chosen at random.
    fn choose_gates(&mut self, place: usize, now: i64) {
        let first = self.threads[place].process as usize * self.gates_per_process();
        let semaphores = self.options.semaphores;
        let semaphore = first + self.dice.below(u64::from(semaphores)) as usize;
        let lock = self.dice.below(u64::from(self.options.locks)) as usize;
        let thread = &mut self.threads[place];
        thread.semaphore = semaphore;
        thread.lock = first + semaphores as usize + lock;
        thread.operations_left -= 1;
        thread.step = Step::P;
        self.work(place, now);
    }

    /// Passes a gate, or waits at it until somebody gives way.
    fn take(&mut self, place: usize, gate: usize, now: i64, (event, line): (EventKind, u32)) {
        let container = self.threads[place].container;
        self.event(now, event, container, line);
        let passes = self.gates[gate].permits > 0;
        if passes {
            self.gates[gate].permits -= 1;
        } else {
            self.gates[gate].waiting.push_back(place);
            let (closes, opens) = (self.names.running, self.names.blocked);
            let at = self.gates[gate].container;
            self.schedule.add(now, Record::SetWaiting { container, closes, opens, at });
        }
        self.show(gate, now);
        if passes {
            self.work(place, now);
        }
    }

    /// Frees the first thread that waits at a gate; its permit goes from hand to hand.
    fn give(&mut self, place: usize, gate: usize, now: i64, link: LinkKind) {
        match self.gates[gate].waiting.pop_front() {
            None => self.gates[gate].permits += 1,
            Some(freed) => self.free((place, gate), freed, now, link),
        }
        self.show(gate, now);
        let after = now + self.dice.jitter(CALL_TICKS, 50);
        self.wake(place, after);
    }

    fn free(&mut self, (by, gate): (usize, usize), freed: usize, now: i64, link: LinkKind) {
        let awake = now + self.dice.jitter(WAKE_TICKS, 80);
        let to = self.threads[freed].container;
        let passes = match gate % self.gates_per_process() < self.options.semaphores as usize {
            true => self.names.passes_semaphore,
            false => self.names.passes_lock,
        };
        let (thread, gate) = (self.threads[by].container, self.gates[gate].container);
        for (link, from) in [(link, thread), (passes, gate)] {
            let key = self.next_key;
            self.next_key += 1;
            self.schedule.add(now, Record::StartLink { link, from, key, bytes: None });
            self.schedule.add(awake, Record::EndLink { link, to, key });
        }
        self.set(awake, to, self.names.blocked, self.names.running);
        self.work(freed, awake);
    }

    /// Shows the state of a gate when it has changed.
    fn show(&mut self, gate: usize, now: i64) {
        let gate = &mut self.gates[gate];
        let state = gate.state();
        let (container, closes) = (gate.container, gate.shown);
        if closes != state {
            gate.shown = state;
            self.set(now, container, closes, state);
        }
    }

    fn work(&mut self, place: usize, now: i64) {
        let ticks = self.dice.jitter(self.options.work_ticks, 80);
        self.wake(place, now + ticks);
    }

    fn wake(&mut self, place: usize, time: i64) {
        self.next.push(Reverse((time, self.mains.len() + place)));
    }

    fn set(&mut self, time: i64, container: Container, closes: Value, opens: Value) {
        let closes = Some(closes);
        let set = Record::Set { container, closes, opens };
        self.schedule.add(time, set);
    }

    fn event(&mut self, time: i64, event: EventKind, container: Container, line: u32) {
        let event = Record::Event { event, container, line };
        self.schedule.add(time, event);
    }
}

/// The gates of all processes: for each its semaphores, then its locks.
fn gates(options: &Options, names: Names) -> Vec<Gate> {
    let gate = |container, states: GateStates, permits| Gate {
        container,
        states,
        shown: states.open,
        permits,
        waiting: VecDeque::new(),
    };
    let mut gates = Vec::new();
    for process in 0..options.processes {
        let first = process * options.semaphores;
        gates.extend((1..=options.semaphores).map(|n| {
            let container = names.semaphore.number(first + n);
            gate(container, names.semaphore_states, options.permits)
        }));
        let first = process * options.locks;
        gates.extend((1..=options.locks).map(|n| {
            let container = names.lock.number(first + n);
            gate(container, names.lock_states, 1)
        }));
    }
    gates
}
