//! How long the run would have been if something had taken another time.
//!
//! Every call keeps what it took after all was there that it waited for, and every message what it travelled. So a replay
//! without changes gives the times of the trace, to the tick, and one with changes tells what they save.

use onca_model::Ticks;
use rayon::prelude::*;

use super::gate::Gate;
use super::machine::{Outcome, Pace};
use super::{CallId, Column, Program, Wiring};

/// A program that can run again.
pub struct Replay<'a> {
    program: &'a Program,
    wiring: &'a Wiring,
    /// For each message the time from the beginning of its send call until it is there.
    lags: Column,
    /// For each process and call what it takes after all is there.
    own: Vec<Column>,
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
    /// Prepares a program. `travel` tells the time that each message needs at least, which matters where its receiver came
    /// so late that the trace does not tell when it was there.
    pub fn new(program: &'a Program, wiring: &'a Wiring, travel: impl Fn(usize) -> Ticks) -> Self {
        let lag = |at: usize| {
            let (send, receive) = (program.messages.send(at), program.messages.receive(at));
            let sent = program.enter(send);
            let seen = program.leave(receive).saturating_sub(sent).max(0);
            let came = program.enter(receive).saturating_sub(sent);
            // Who came after the message was there does not tell how long it travelled.
            let travel = travel(at);
            if came >= travel { seen.min(travel) } else { seen }
        };
        let lags: Column = (0..program.messages.len()).map(|at| lag(at) as u64).collect();
        let gates: Vec<Gate> =
            program.collectives.iter().map(|collective| Gate::of(program, collective)).collect();
        let processes = (0..program.n_processes() as u32).into_par_iter();
        let own = processes.map(|process| own_times(program, wiring, process, &lags, &gates));
        Self { program, wiring, own: own.collect(), lags }
    }

    /// Runs with a change.
    pub fn run(&self, change: &impl Change) -> Replayed {
        let Outcome { ends, waited, .. } =
            self.wiring.run(self.program, &Changed { replay: self, change });
        Replayed { ends, waited }
    }
}

/// What each call of a process takes after all is there that it waits for.
fn own_times(
    program: &Program,
    wiring: &Wiring,
    process: u32,
    lags: &Column,
    gates: &[Gate],
) -> Column {
    let of = &program.processes[process as usize];
    let mut ready: Vec<Ticks> = (0..of.n_calls()).map(|call| of.enter(call)).collect();
    let mut wait = |id: CallId, time: Ticks| {
        let ready = &mut ready[id.call as usize];
        *ready = (*ready).max(time);
    };
    for &at in wiring.received(process) {
        let (at, messages) = (at as usize, &program.messages);
        wait(messages.receive(at), program.enter(messages.send(at)) + lags.get(at) as Ticks);
    }
    for &(at, place) in wiring.operations.get(process) {
        let collective = &program.collectives[at as usize];
        if let Some(other) = gates[at as usize].waited_for(collective, place as usize) {
            wait(collective.members[place as usize], program.enter(collective.members[other]));
        }
    }
    let own = |(call, ready): (usize, Ticks)| of.leave(call).saturating_sub(ready) as u64;
    ready.into_iter().enumerate().map(own).collect()
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
        let has_ended = call as usize == of.n_calls() && !program.is_useful(program.outside());
        let counts = |value: u32| !has_ended || value != program.outside();
        let works = of.work_before(call as usize).filter(|work| counts(work.value));
        self.change.work(process, call, works.map(|work| work.ticks).sum())
    }

    fn lag(&self, message: u32) -> Ticks {
        self.change.lag(message, self.replay.lags.get(message as usize) as Ticks)
    }

    fn own(&self, id: CallId) -> Ticks {
        self.replay.own[id.process as usize].get(id.call as usize) as Ticks
    }
}
