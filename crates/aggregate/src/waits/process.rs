//! The calls of a process, and what it did between them. There are millions: they are packed.

use onca_model::Ticks;

use super::column::{Column, Growing, partition};

/// A call that communicates. The calls of a process do not overlap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// When it begins.
    pub enter: Ticks,
    /// When it ends.
    pub leave: Ticks,
    /// What it is: an index into [`Program::useful`](super::Program::useful).
    pub value: u32,
    /// It does not return before its messages are there.
    pub awaits_messages: bool,
    /// It may not return before its messages are asked for.
    pub awaits_receivers: bool,
}

/// Time that a process spent with something else than calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Work {
    /// What it was: an index into [`Program::useful`](super::Program::useful).
    pub value: u32,
    /// How often.
    pub count: u32,
    /// How long.
    pub ticks: Ticks,
}

/// The calls of a process, and what it did between them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Process {
    calls: Calls,
    /// What was done before the first call and between calls.
    works: Works,
    /// Where the work before each call ends.
    work_ends: Growing,
    /// What was done after the last call.
    rest: Vec<Work>,
}

impl Process {
    /// Adds work after the last call.
    pub fn push_work(&mut self, value: u32, ticks: Ticks) {
        match self.rest.iter_mut().find(|work| work.value == value) {
            Some(work) => {
                work.ticks = work.ticks.saturating_add(ticks);
                work.count = work.count.saturating_add(1);
            }
            None => self.rest.push(Work { value, count: 1, ticks }),
        }
    }

    /// Adds a call.
    pub fn push_call(&mut self, call: Call) {
        self.rest.drain(..).for_each(|work| self.works.push(work));
        self.work_ends.push(self.works.len() as i64);
        self.calls.push(call);
    }

    /// Gives back memory that was taken for more calls than came.
    pub fn shrink_to_fit(&mut self) {
        self.calls.shrink_to_fit();
        self.works.shrink_to_fit();
        self.work_ends.shrink_to_fit();
    }

    /// How many calls there are.
    #[inline]
    pub fn n_calls(&self) -> usize {
        self.calls.enters.len()
    }

    /// The calls, in order of time.
    pub fn calls(&self) -> impl Iterator<Item = Call> {
        (0..self.n_calls()).map(|at| self.call(at))
    }

    /// The call at a place.
    #[inline]
    pub fn call(&self, at: usize) -> Call {
        let shape = self.calls.shapes.get(at);
        Call {
            enter: self.enter(at),
            leave: self.leave(at),
            value: (shape >> 2) as u32,
            awaits_messages: shape & AWAITS_MESSAGES != 0,
            awaits_receivers: shape & AWAITS_RECEIVERS != 0,
        }
    }

    /// When the call at a place begins.
    #[inline]
    pub fn enter(&self, at: usize) -> Ticks {
        self.calls.enters.get(at)
    }

    /// When the call at a place ends.
    #[inline]
    pub fn leave(&self, at: usize) -> Ticks {
        self.enter(at).wrapping_add(self.calls.lengths.get(at) as Ticks)
    }

    /// How many calls have ended at a time.
    pub fn n_ended(&self, time: Ticks) -> usize {
        partition(0..self.n_calls(), |at| self.leave(at) <= time)
    }

    /// What was done between the call at a place and the one before it, each value once. The number of calls stands
    /// for what was done after the last.
    #[inline]
    pub fn work_before(&self, call: usize) -> impl Iterator<Item = Work> {
        let end = |call: usize| self.work_ends.get(call) as usize;
        let from = call.checked_sub(1).map_or(0, end);
        let (to, rest) = match call < self.n_calls() {
            true => (end(call), &[][..]),
            false => (from, self.rest.as_slice()),
        };
        (from..to).map(|at| self.works.get(at)).chain(rest.iter().copied())
    }
}

/// Calls as columns.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Calls {
    enters: Growing,
    lengths: Column,
    /// The value, and below it what is awaited.
    shapes: Column,
}

const AWAITS_MESSAGES: u64 = 1;
const AWAITS_RECEIVERS: u64 = 2;

impl Calls {
    fn push(&mut self, call: Call) {
        self.enters.push(call.enter);
        self.lengths.push(call.leave.wrapping_sub(call.enter) as u64);
        let messages = if call.awaits_messages { AWAITS_MESSAGES } else { 0 };
        let receivers = if call.awaits_receivers { AWAITS_RECEIVERS } else { 0 };
        self.shapes.push(u64::from(call.value) << 2 | messages | receivers);
    }

    fn shrink_to_fit(&mut self) {
        self.enters.shrink_to_fit();
        self.lengths.shrink_to_fit();
        self.shapes.shrink_to_fit();
    }
}

/// Work as columns.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Works {
    values: Column,
    /// One less than how often: mostly nothing.
    repeats: Column,
    ticks: Column,
}

impl Works {
    fn len(&self) -> usize {
        self.values.len()
    }

    fn push(&mut self, work: Work) {
        self.values.push(work.value.into());
        self.repeats.push(u64::from(work.count) - 1);
        self.ticks.push(work.ticks as u64);
    }

    fn get(&self, at: usize) -> Work {
        Work {
            value: self.values.get_u32(at),
            count: self.repeats.get_u32(at) + 1,
            ticks: self.ticks.get(at) as Ticks,
        }
    }

    fn shrink_to_fit(&mut self) {
        self.values.shrink_to_fit();
        self.repeats.shrink_to_fit();
        self.ticks.shrink_to_fit();
    }
}
