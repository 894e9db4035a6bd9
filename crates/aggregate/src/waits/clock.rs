//! How long the run would be if moving data took no time.
//!
//! Every process has a clock that runs during useful work only. A message carries the clock of its sender, and the
//! receiver goes on from the later of the two; so do the members of a collective operation. The latest clock at the end is
//! the longest chain of useful work.

use onca_model::{Ticks, Window};

use super::machine::Pace;
use super::{CallId, Program, Wiring};

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
pub fn logical_clocks(program: &Program, wiring: &Wiring) -> Clocks {
    let outcome = wiring.run(program, &OnlyUseful(program));
    let useful = |(process, of): (u32, &super::Process)| {
        (0..=of.n_calls() as u32).map(|call| OnlyUseful(program).work(process, call)).sum()
    };
    let useful = (0u32..).zip(&program.processes).map(useful).collect();
    Clocks { ends: outcome.ends, useful, forced: outcome.forced }
}

/// What the clocks show at any time of the run.
pub struct ClockHistory<'a> {
    program: &'a Program,
    after_calls: Vec<Vec<Ticks>>,
}

impl<'a> ClockHistory<'a> {
    /// Lets the clocks run, and remembers what they show after every call.
    pub fn new(program: &'a Program, wiring: &Wiring) -> Self {
        let outcome = wiring.run_and(program, &OnlyUseful(program), true);
        Self { program, after_calls: outcome.after_calls }
    }

    /// What the clock of a process shows at a time. Useful work between two calls is taken to be spread evenly.
    pub fn at(&self, process: u32, time: Ticks) -> Ticks {
        let calls = &self.program.processes[process as usize];
        let next = calls.n_ended(time);
        let (began, clock) = match next.checked_sub(1) {
            Some(before) => (calls.leave(before), self.after_calls[process as usize][before]),
            None => (self.program.run.from, 0),
        };
        let is_last = next == calls.n_calls();
        let ends = if is_last { self.program.run.to } else { calls.enter(next) };
        let work = OnlyUseful(self.program).work(process, next as u32);
        let (passed, gap) = ((time.min(ends) - began).max(0), (ends - began).max(1));
        clock + (i128::from(work) * i128::from(passed) / i128::from(gap)) as Ticks
    }

    /// How much time some processes would have needed for what they did in a window if moving data took no time: how far
    /// their latest clock went.
    pub fn ideal(&self, processes: &[u32], window: Window) -> Ticks {
        let latest = |time: Ticks| processes.iter().map(|process| self.at(*process, time)).max();
        latest(window.to).unwrap_or(0) - latest(window.from).unwrap_or(0)
    }
}

/// Only useful work takes time.
struct OnlyUseful<'a>(&'a Program);

impl Pace for OnlyUseful<'_> {
    fn work(&self, process: u32, call: u32) -> Ticks {
        let works = self.0.processes[process as usize].work_before(call as usize);
        works.filter(|work| self.0.is_useful(work.value)).map(|work| work.ticks).sum()
    }

    fn lag(&self, _message: u32) -> Ticks {
        0
    }

    fn own(&self, _id: CallId) -> Ticks {
        0
    }
}
