//! How long the run would be if moving data took no time.
//!
//! Every process has a clock that runs during useful work only. A message carries the clock of its sender, and the
//! receiver goes on from the later of the two; so do the members of a collective operation. The latest clock at the end is
//! the longest chain of useful work.

use std::collections::HashMap;

use onca_model::Ticks;

use super::{CallId, CollectiveKind, Program};

/// What the clocks show.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Clocks {
    /// The clock of each process at its end.
    pub ends: Vec<Ticks>,
    /// The useful time of each process.
    pub useful: Vec<Ticks>,
    /// Calls that had to go on without what they waited for, because each waited for another.
    pub forced: u64,
}

impl Clocks {
    /// The run time if moving data took no time.
    pub fn ideal(&self) -> Ticks {
        self.ends.iter().copied().max().unwrap_or(0)
    }

    /// The useful time of the busiest.
    pub fn busiest(&self) -> Ticks {
        self.useful.iter().copied().max().unwrap_or(0)
    }
}

/// Lets the clocks run through the program.
pub fn logical_clocks(program: &Program) -> Clocks {
    Machine::new(program).run()
}

/// What a call waits for, and what it hands on.
struct Machine<'a> {
    program: &'a Program,
    /// The messages by the call that receives them, and by the call that sends them.
    received: Index,
    sent: Index,
    /// The collective operation of a call, with the place among its members.
    collectives: HashMap<CallId, (u32, u32)>,
    /// The clock that each message carries, once it has been sent.
    carried: Vec<Option<Ticks>>,
    /// The clocks of the members of each operation, once they have come.
    entered: Vec<Vec<Option<Ticks>>>,
    clocks: Vec<Ticks>,
    useful: Vec<Ticks>,
    /// For each process the call that it is at, and whether it has entered it.
    at: Vec<(u32, bool)>,
    forced: u64,
}

impl<'a> Machine<'a> {
    fn new(program: &'a Program) -> Self {
        let n = program.n_processes();
        let mut collectives = HashMap::new();
        for (at, collective) in (0u32..).zip(&program.collectives) {
            collectives.extend((0u32..).zip(&collective.members).map(|(k, id)| (*id, (at, k))));
        }
        Self {
            program,
            received: Index::new(program.messages.iter().map(|message| message.receive)),
            sent: Index::new(program.messages.iter().map(|message| message.send)),
            collectives,
            carried: vec![None; program.messages.len()],
            entered: program.collectives.iter().map(|it| vec![None; it.members.len()]).collect(),
            clocks: vec![0; n],
            useful: vec![0; n],
            at: vec![(0, false); n],
            forced: 0,
        }
    }

    fn run(mut self) -> Clocks {
        let n = self.program.n_processes();
        let mut ready: Vec<usize> = (0..n).rev().collect();
        loop {
            while let Some(process) = ready.pop() {
                self.advance(process, &mut ready);
            }
            // Whoever is stuck waits for somebody who is stuck: the earliest goes on alone.
            let stuck = (0..n).filter(|&p| !self.has_ended(p));
            let Some(first) = stuck.min_by_key(|&p| (self.call(p).leave, p)) else { break };
            self.forced += 1;
            self.leave(first);
            ready.push(first);
        }
        Clocks { ends: self.clocks, useful: self.useful, forced: self.forced }
    }

    fn has_ended(&self, process: usize) -> bool {
        self.at[process].0 as usize >= self.program.processes[process].calls.len()
    }

    fn call(&self, process: usize) -> &super::Call {
        &self.program.processes[process].calls[self.at[process].0 as usize]
    }

    /// Goes on with a process until it must wait. Those that may wait for it are ready again.
    fn advance(&mut self, process: usize, ready: &mut Vec<usize>) {
        loop {
            let (call, has_entered) = self.at[process];
            let id = CallId { process: process as u32, call };
            if !has_entered {
                self.work(process, call as usize);
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

    /// The clock runs while useful work is done.
    fn work(&mut self, process: usize, call: usize) {
        let works = self.program.processes[process].work_before(call);
        let is_useful = |value: u32| self.program.useful.get(value as usize) == Some(&true);
        let ticks: Ticks =
            works.iter().filter(|work| is_useful(work.value)).map(|it| it.ticks).sum();
        self.clocks[process] += ticks;
        self.useful[process] += ticks;
    }

    fn enter(&mut self, id: CallId, ready: &mut Vec<usize>) {
        let clock = self.clocks[id.process as usize];
        for &message in self.sent.of(id) {
            self.carried[message as usize] = Some(clock);
            self.wake(self.program.messages[message as usize].receive, ready);
        }
        if let Some(&(at, place)) = self.collectives.get(&id) {
            self.entered[at as usize][place as usize] = Some(clock);
            for member in &self.program.collectives[at as usize].members {
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
        let all_sent = self.received.of(id).iter().all(|at| self.carried[*at as usize].is_some());
        let come =
            |at: u32| self.needed(at, id).all(|place| self.entered[at as usize][place].is_some());
        all_sent && self.collectives.get(&id).is_none_or(|(at, _)| come(*at))
    }

    /// The members of an operation that one of them waits for.
    fn needed(&self, at: u32, id: CallId) -> std::ops::Range<usize> {
        let collective = &self.program.collectives[at as usize];
        let n = collective.members.len();
        let place = self.collectives[&id].1 as usize;
        let root = collective.root.map(|root| root as usize).filter(|root| *root < n);
        match (collective.kind, root) {
            (CollectiveKind::Barrier | CollectiveKind::AllToAll, _) => 0..n,
            (CollectiveKind::OneToAll, Some(root)) => root..root + 1,
            (CollectiveKind::AllToOne, Some(root)) if root == place => 0..n,
            (CollectiveKind::Scan, _) => 0..place + 1,
            _ => place..place + 1,
        }
    }

    fn leave(&mut self, process: usize) {
        let id = CallId { process: process as u32, call: self.at[process].0 };
        let mut clock = self.clocks[process];
        for &message in self.received.of(id) {
            clock = clock.max(self.carried[message as usize].unwrap_or(0));
        }
        if let Some(&(at, _)) = self.collectives.get(&id) {
            let others = self.needed(at, id).filter_map(|place| self.entered[at as usize][place]);
            clock = others.fold(clock, Ticks::max);
        }
        self.clocks[process] = clock;
        self.at[process] = (id.call + 1, false);
    }
}

/// Messages by a call of theirs.
struct Index {
    calls: Vec<CallId>,
    messages: Vec<u32>,
}

impl Index {
    fn new(calls: impl Iterator<Item = CallId>) -> Self {
        let mut both: Vec<(CallId, u32)> = calls.zip(0u32..).collect();
        both.sort_unstable();
        let (calls, messages) = both.into_iter().unzip();
        Self { calls, messages }
    }

    fn of(&self, id: CallId) -> &[u32] {
        let from = self.calls.partition_point(|other| *other < id);
        let to = from + self.calls[from..].partition_point(|other| *other == id);
        &self.messages[from..to]
    }
}
