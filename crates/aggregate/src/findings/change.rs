//! What is mended in a replay.

use std::collections::HashMap;

use onca_model::{Ticks, Window};

use crate::waits::{Change, Program};

/// Processes work at another pace during some time.
pub(super) struct Paced<'a> {
    pub program: &'a Program,
    /// How many times as long each process works.
    pub factors: &'a [f64],
    pub window: Window,
}

impl Change for Paced<'_> {
    fn work(&self, process: u32, call: u32, ticks: Ticks) -> Ticks {
        let factor = self.factors[process as usize];
        if factor == 1.0 {
            return ticks;
        }
        let of = &self.program.processes[process as usize];
        let call = call as usize;
        let from = call.checked_sub(1).map_or(self.program.run.from, |at| of.leave(at));
        let to = if call < of.n_calls() { of.enter(call) } else { self.program.run.to };
        let inside = (to.min(self.window.to) - from.max(self.window.from)).max(0);
        if inside == 0 {
            return ticks;
        }
        let share = inside as f64 / (to - from) as f64;
        let useful = of.work_before(call).filter(|work| self.program.is_useful(work.value));
        let useful: Ticks = useful.map(|work| work.ticks).sum();
        ticks + (useful as f64 * share * (factor - 1.0)) as Ticks
    }
}

/// Some messages travel as long as is usual.
pub(super) struct Travelling<'a> {
    pub program: &'a Program,
    pub usual: &'a HashMap<u32, Ticks>,
}

impl Change for Travelling<'_> {
    fn lag(&self, message: u32, ticks: Ticks) -> Ticks {
        match self.usual.get(&message) {
            Some(usual) => {
                let travel = self.program.messages.travel(message as usize);
                (ticks - (travel - usual).max(0)).max(0)
            }
            None => ticks,
        }
    }
}

/// A process does no more before some of its calls than others do.
pub(super) struct InTime<'a> {
    pub process: u32,
    pub usual_work: &'a HashMap<u32, Ticks>,
}

impl Change for InTime<'_> {
    fn work(&self, process: u32, call: u32, ticks: Ticks) -> Ticks {
        match self.usual_work.get(&call).filter(|_| process == self.process) {
            Some(usual) => ticks.min(*usual),
            None => ticks,
        }
    }
}
