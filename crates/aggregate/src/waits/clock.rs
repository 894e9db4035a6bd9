//! How long the run would be if moving data took no time.
//!
//! Every process has a clock that runs during useful work only. A message carries the clock of its sender, and the
//! receiver goes on from the later of the two; so do the members of a collective operation. The latest clock at the end is
//! the longest chain of useful work.

use onca_model::Ticks;

use super::machine::{Pace, Wiring};
use super::{CallId, Program};

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
    let outcome = Wiring::new(program).run(&OnlyUseful(program));
    let useful = |(process, of): (u32, &super::Process)| {
        (0..=of.calls.len() as u32).map(|call| OnlyUseful(program).work(process, call)).sum()
    };
    let useful = (0u32..).zip(&program.processes).map(useful).collect();
    Clocks { ends: outcome.ends, useful, forced: outcome.forced }
}

/// Only useful work takes time.
struct OnlyUseful<'a>(&'a Program);

impl Pace for OnlyUseful<'_> {
    fn work(&self, process: u32, call: u32) -> Ticks {
        let works = self.0.processes[process as usize].work_before(call as usize);
        works.iter().filter(|work| self.0.is_useful(work.value)).map(|work| work.ticks).sum()
    }

    fn lag(&self, _message: u32) -> Ticks {
        0
    }

    fn own(&self, _id: CallId) -> Ticks {
        0
    }
}
