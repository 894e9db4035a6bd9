//! Lets a program run again, on a clock for each process.
//!
//! A process works, comes to a call, and leaves it when what it waits for is there: its messages, and the members of its
//! operation that it needs. How long things take is up to a [`Pace`]; in which order they happen follows from the program.

use std::ops::Range;

use onca_model::Ticks;

use super::wiring::{Wiring, call_of_member};
use super::{CallId, Collective, CollectiveKind, Process, Program};

/// How long things take.
pub(super) trait Pace {
    /// The work of a process before one of its calls, or after the last.
    fn work(&self, process: u32, call: u32) -> Ticks;
    /// From when the sender comes to its call until a message is there.
    fn lag(&self, message: u32) -> Ticks;
    /// What a call takes after all is there that it waits for.
    fn own(&self, id: CallId) -> Ticks;
}

/// What the clocks show at the end.
pub(super) struct Outcome {
    /// The clock of each process.
    pub ends: Vec<Ticks>,
    /// How long each process waited in calls for what was not there yet.
    pub waited: Vec<i128>,
    /// Calls that had to go on without what they waited for, because each waited for another.
    pub forced: u64,
    /// The clock of each process after each of its calls, where that is recorded.
    pub after_calls: Vec<Vec<Ticks>>,
}

impl Wiring {
    /// Lets a program run at a pace.
    pub(super) fn run(&self, program: &Program, pace: &impl Pace) -> Outcome {
        self.run_and(program, pace, false)
    }

    /// The same, with the clocks after all calls if they are to be recorded.
    pub(super) fn run_and(&self, program: &Program, pace: &impl Pace, records: bool) -> Outcome {
        let n = program.n_processes();
        let room = |process: &Process| Vec::with_capacity(process.n_calls());
        let machine = Machine {
            program,
            wiring: self,
            pace,
            carried: vec![NOT_SENT; program.messages.len()],
            arrivals: program.collectives.iter().map(Arrivals::new).collect(),
            received: self.received.cursors(),
            sent: self.sent.cursors(),
            operations: self.operations.cursors(),
            clocks: vec![0; n],
            waited: vec![0; n],
            at: vec![(0, false); n],
            forced: 0,
            after_calls: records.then(|| program.processes.iter().map(room).collect()),
        };
        machine.run()
    }
}

/// The clock of a message that is not sent yet.
const NOT_SENT: Ticks = Ticks::MIN;

/// A program while it runs.
struct Machine<'a, P> {
    program: &'a Program,
    wiring: &'a Wiring,
    pace: &'a P,
    /// When each message is there, once it has been sent.
    carried: Vec<Ticks>,
    /// Who has come to each operation.
    arrivals: Vec<Arrivals>,
    /// For each process the first thing of its present call or of a later one.
    received: Vec<usize>,
    sent: Vec<usize>,
    operations: Vec<usize>,
    clocks: Vec<Ticks>,
    waited: Vec<i128>,
    /// For each process the call that it is at, and whether it has entered it.
    at: Vec<(u32, bool)>,
    forced: u64,
    after_calls: Option<Vec<Vec<Ticks>>>,
}

impl<P: Pace> Machine<'_, P> {
    fn run(mut self) -> Outcome {
        let n = self.clocks.len();
        let mut ready: Vec<usize> = (0..n).rev().collect();
        loop {
            while let Some(process) = ready.pop() {
                self.advance(process, &mut ready);
            }
            // Whoever is stuck waits for somebody who is stuck: the earliest goes on alone.
            let stuck = (0..n).filter(|&p| !self.has_ended(p));
            let leave =
                |process: usize| self.program.processes[process].leave(self.at[process].0 as usize);
            let Some(first) = stuck.min_by_key(|&p| (leave(p), p)) else { break };
            self.forced += 1;
            self.leave(first);
            ready.push(first);
        }
        Outcome {
            ends: self.clocks,
            waited: self.waited,
            forced: self.forced,
            after_calls: self.after_calls.unwrap_or_default(),
        }
    }

    fn has_ended(&self, process: usize) -> bool {
        self.at[process].0 as usize >= self.program.processes[process].n_calls()
    }

    /// Goes on with a process until it must wait. Those that may wait for it are ready again.
    fn advance(&mut self, process: usize, ready: &mut Vec<usize>) {
        loop {
            let (call, has_entered) = self.at[process];
            let id = CallId { process: process as u32, call };
            if !has_entered {
                self.clocks[process] += self.pace.work(id.process, call);
                self.at[process].1 = true;
            }
            // After the last call there is only work.
            if self.has_ended(process) {
                return;
            }
            if !has_entered {
                self.enter(id, ready);
            }
            if !self.may_leave(id) {
                return;
            }
            self.leave(process);
        }
    }

    fn enter(&mut self, id: CallId, ready: &mut Vec<usize>) {
        let clock = self.clocks[id.process as usize];
        let program = self.program;
        for &message in self.sent(id) {
            self.carried[message as usize] = clock + self.pace.lag(message);
            self.wake(program.messages.receive(message as usize), ready);
        }
        if let Some((at, place)) = self.operation(id) {
            let collective = &program.collectives[at as usize];
            let freed = self.arrivals[at as usize].come(collective, place as usize, clock);
            for member in &collective.members[freed] {
                if *member != id {
                    self.wake(*member, ready);
                }
            }
        }
    }

    /// A process that is in this call may be able to go on.
    fn wake(&self, id: CallId, ready: &mut Vec<usize>) {
        if self.at[id.process as usize] == (id.call, true) {
            ready.push(id.process as usize);
        }
    }

    fn may_leave(&self, id: CallId) -> bool {
        let all_sent = self.received(id).iter().all(|at| self.carried[*at as usize] != NOT_SENT);
        let have_come = |(at, place): (u32, u32)| {
            let collective = &self.program.collectives[at as usize];
            self.arrivals[at as usize].may_leave(collective, place as usize)
        };
        all_sent && self.operation(id).is_none_or(have_come)
    }

    fn leave(&mut self, process: usize) {
        let id = CallId { process: process as u32, call: self.at[process].0 };
        let enter = self.clocks[process];
        let mut clock = enter;
        for &message in self.received(id) {
            clock = clock.max(self.carried[message as usize]);
        }
        if let Some((at, place)) = self.operation(id) {
            let collective = &self.program.collectives[at as usize];
            clock = clock.max(self.arrivals[at as usize].clock(collective, place as usize));
        }
        self.waited[process] += i128::from(clock - enter);
        self.clocks[process] = (clock + self.pace.own(id)).max(enter);
        if let Some(after) = &mut self.after_calls {
            after[process].push(self.clocks[process]);
        }
        self.received[process] += self.received(id).len();
        self.sent[process] += self.sent(id).len();
        self.operations[process] += usize::from(self.operation(id).is_some());
        self.at[process] = (id.call + 1, false);
    }
}

/// What belongs to the call that a process is at.
impl<'a, P> Machine<'a, P> {
    fn sent(&self, id: CallId) -> &'a [u32] {
        let send = |at: &u32| self.program.messages.send(*at as usize).call;
        self.wiring.sent.of_call(self.sent[id.process as usize], id, send)
    }

    fn received(&self, id: CallId) -> &'a [u32] {
        let receive = |at: &u32| self.program.messages.receive(*at as usize).call;
        self.wiring.received.of_call(self.received[id.process as usize], id, receive)
    }

    /// The operation that a call is part of, and the place among its members.
    fn operation(&self, id: CallId) -> Option<(u32, u32)> {
        let call = |it: &(u32, u32)| call_of_member(self.program, *it).call;
        self.wiring
            .operations
            .of_call(self.operations[id.process as usize], id, call)
            .first()
            .copied()
    }
}

/// Who has come to a collective operation, with the clocks that matter to others.
struct Arrivals {
    n_come: usize,
    /// The latest clock of those that have come, or that of the root where only the root matters.
    latest: Ticks,
    root_has_come: bool,
    /// In a scan: the clock of each member that has come. Empty else.
    clocks: Vec<Option<Ticks>>,
    /// In a scan: this many members from the first on have come, without a gap.
    n_first: usize,
}

impl Arrivals {
    fn new(collective: &Collective) -> Self {
        let is_scan = collective.kind == CollectiveKind::Scan;
        let clocks = if is_scan { vec![None; collective.members.len()] } else { Vec::new() };
        Self { n_come: 0, latest: 0, root_has_come: false, clocks, n_first: 0 }
    }

    /// A member comes. The members that may be able to leave now.
    fn come(&mut self, collective: &Collective, place: usize, clock: Ticks) -> Range<usize> {
        let n = collective.members.len();
        self.n_come += 1;
        let is_root = collective.root() == Some(place);
        match collective.kind {
            CollectiveKind::OneToAll => {
                if is_root {
                    (self.latest, self.root_has_come) = (clock, true);
                    return 0..n;
                }
            }
            CollectiveKind::Scan => {
                self.clocks[place] = Some(clock);
                let first = self.n_first;
                while self.clocks.get(self.n_first).is_some_and(Option::is_some) {
                    // From here on each has the latest of those before it.
                    let before = self.n_first.checked_sub(1).and_then(|at| self.clocks[at]);
                    self.clocks[self.n_first] = self.clocks[self.n_first].max(before);
                    self.n_first += 1;
                }
                return first..self.n_first;
            }
            CollectiveKind::Barrier | CollectiveKind::AllToAll | CollectiveKind::AllToOne => {
                self.latest = self.latest.max(clock);
                if self.n_come == n {
                    return match (collective.kind, collective.root()) {
                        (CollectiveKind::AllToOne, Some(root)) => root..root + 1,
                        _ => 0..n,
                    };
                }
            }
        }
        0..0
    }

    fn may_leave(&self, collective: &Collective, place: usize) -> bool {
        match (collective.kind, collective.root()) {
            (CollectiveKind::Barrier | CollectiveKind::AllToAll, _) => {
                self.n_come == collective.members.len()
            }
            (CollectiveKind::OneToAll, Some(_)) => self.root_has_come,
            (CollectiveKind::AllToOne, Some(root)) if root == place => {
                self.n_come == collective.members.len()
            }
            (CollectiveKind::Scan, _) => place < self.n_first,
            _ => true,
        }
    }

    /// The clock that a member takes over.
    fn clock(&self, collective: &Collective, place: usize) -> Ticks {
        match (collective.kind, collective.root()) {
            (CollectiveKind::Barrier | CollectiveKind::AllToAll, _) => self.latest,
            (CollectiveKind::OneToAll, Some(_)) => self.latest,
            (CollectiveKind::AllToOne, Some(root)) if root == place => self.latest,
            (CollectiveKind::Scan, _) => self.clocks[place].unwrap_or(0),
            _ => 0,
        }
    }
}
