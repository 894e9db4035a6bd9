//! How long the run would have been if something had taken another time.
//!
//! Every call keeps what it took after all was there that it waited for, and every message what it travelled. So a replay
//! without changes gives the times of the trace, to the tick, and one with changes tells what they save.

use onca_model::Ticks;

use super::machine::{Outcome, Pace, Wiring};
use super::{CallId, CollectiveKind, Message, Program};

/// A program that can run again.
pub struct Replay<'a> {
    program: &'a Program,
    wiring: Wiring<'a>,
    /// For each message the time from the beginning of its send call until it is there.
    lags: Vec<Ticks>,
    /// For each process and call what it takes after all is there.
    own: Vec<Vec<Ticks>>,
}

/// What is different in a replay. Everything is as it was by default.
pub trait Change {
    /// The work of a process before one of its calls, which took `ticks`.
    fn work(&self, process: u32, call: u32, ticks: Ticks) -> Ticks {
        let _ = (process, call);
        ticks
    }

    /// How long after the beginning of its send call a message is there, which was `ticks`.
    fn lag(&self, message: u32, ticks: Ticks) -> Ticks {
        let _ = message;
        ticks
    }
}

/// Nothing is different.
pub struct Unchanged;

impl Change for Unchanged {}

/// What a replay comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// When each process ends, counted from the beginning of the run.
    pub ends: Vec<Ticks>,
    /// How long each process waited in its calls, for others or for what travels.
    pub waited: Vec<i128>,
}

impl Replayed {
    /// The run time.
    pub fn end(&self) -> Ticks {
        self.ends.iter().copied().max().unwrap_or(0)
    }
}

impl<'a> Replay<'a> {
    /// Prepares a program. `travel` has the time that each message needs at least, which matters where its receiver came
    /// so late that the trace does not tell when it was there.
    pub fn new(program: &'a Program, travel: &[Ticks]) -> Self {
        let lag = |(message, travel): (&Message, &Ticks)| {
            let (send, receive) = (program.call(message.send), program.call(message.receive));
            let seen = receive.leave.saturating_sub(send.enter).max(0);
            let came = receive.enter.saturating_sub(send.enter);
            // Who came after the message was there does not tell how long it travelled.
            if came >= *travel { seen.min(*travel) } else { seen }
        };
        let lags: Vec<Ticks> = program.messages.iter().zip(travel).map(lag).collect();
        let mut ready: Vec<Vec<Ticks>> = program
            .processes
            .iter()
            .map(|process| process.calls.iter().map(|call| call.enter).collect())
            .collect();
        let mut gate = |id: CallId, time: Ticks| {
            let at = &mut ready[id.process as usize][id.call as usize];
            *at = (*at).max(time);
        };
        for (message, lag) in program.messages.iter().zip(&lags) {
            gate(message.receive, program.call(message.send).enter + lag);
        }
        for collective in &program.collectives {
            let enter = |place: usize| program.call(collective.members[place]).enter;
            let n = collective.members.len();
            let last = (0..n).map(enter).max().unwrap_or(0);
            let root = collective.root.map(|root| root as usize).filter(|root| *root < n);
            match (collective.kind, root) {
                (CollectiveKind::Barrier | CollectiveKind::AllToAll, _) => {
                    collective.members.iter().for_each(|id| gate(*id, last));
                }
                (CollectiveKind::OneToAll, Some(root)) => {
                    collective.members.iter().for_each(|id| gate(*id, enter(root)));
                }
                (CollectiveKind::AllToOne, Some(root)) => gate(collective.members[root], last),
                (CollectiveKind::Scan, _) => {
                    let mut latest = Ticks::MIN;
                    for (place, id) in collective.members.iter().enumerate() {
                        latest = latest.max(enter(place));
                        gate(*id, latest);
                    }
                }
                (CollectiveKind::OneToAll | CollectiveKind::AllToOne, None) => {}
            }
        }
        let own = program.processes.iter().zip(ready).map(|(process, ready)| {
            let calls = process.calls.iter().zip(ready);
            calls.map(|(call, ready)| call.leave.saturating_sub(ready)).collect()
        });
        Self { program, wiring: Wiring::new(program), own: own.collect(), lags }
    }

    /// Runs with a change.
    pub fn run(&self, change: &impl Change) -> Replayed {
        let Outcome { ends, waited, .. } = self.wiring.run(&Changed { replay: self, change });
        Replayed { ends, waited }
    }
}

struct Changed<'a, C> {
    replay: &'a Replay<'a>,
    change: &'a C,
}

impl<C: Change> Pace for Changed<'_, C> {
    fn work(&self, process: u32, call: u32) -> Ticks {
        let program = self.replay.program;
        let of = &program.processes[process as usize];
        // Who has ended does nothing: that is no work.
        let has_ended = call as usize == of.calls.len() && !program.is_useful(program.outside());
        let counts = |value: u32| !has_ended || value != program.outside();
        let works = of.work_before(call as usize).iter().filter(|work| counts(work.value));
        self.change.work(process, call, works.map(|work| work.ticks).sum())
    }

    fn lag(&self, message: u32) -> Ticks {
        self.change.lag(message, self.replay.lags[message as usize])
    }

    fn own(&self, id: CallId) -> Ticks {
        self.replay.own[id.process as usize][id.call as usize]
    }
}
