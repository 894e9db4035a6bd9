//! What calls waited for.

use std::ops::Range;

use onca_model::Ticks;

use super::CallId;
use super::column::{Column, Growing, partition};
use super::messages::CallColumn;

/// What a call waited for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum WaitKind {
    /// A receiver waited for a message that was sent late.
    LateSender,
    /// A sender waited until its message was asked for.
    LateReceiver,
    /// Who was blocked waited until somebody set it free.
    Blocked,
    /// A member of a barrier waited for the last one.
    Barrier,
    /// A member of an operation among all waited for the last one.
    AllToAll,
    /// A member waited for the root, which came late.
    LateBroadcast,
    /// The root came early and waited for the others.
    EarlyReduce,
    /// A member of a scan waited for those before it.
    EarlyScan,
}

impl WaitKind {
    /// All kinds, in the order in which they are listed to people.
    pub const ALL: [Self; 8] = [
        Self::LateSender,
        Self::LateReceiver,
        Self::Blocked,
        Self::Barrier,
        Self::AllToAll,
        Self::LateBroadcast,
        Self::EarlyReduce,
        Self::EarlyScan,
    ];

    /// The name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::LateSender => "late-sender",
            Self::LateReceiver => "late-receiver",
            Self::Blocked => "blocked",
            Self::Barrier => "wait-at-barrier",
            Self::AllToAll => "wait-at-nxn",
            Self::LateBroadcast => "late-broadcast",
            Self::EarlyReduce => "early-reduce",
            Self::EarlyScan => "early-scan",
        }
    }
}

/// A call waited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// What for.
    pub kind: WaitKind,
    /// The call.
    pub call: CallId,
    /// Since when: the beginning of the call.
    pub from: Ticks,
    /// Until when.
    pub to: Ticks,
    /// The call that was waited for.
    pub cause: CallId,
    /// A message that had been sent earlier was received later: in another order there would have been less to wait for.
    pub wrong_order: bool,
}

impl Wait {
    /// How long.
    #[inline]
    pub fn ticks(&self) -> Ticks {
        self.to - self.from
    }
}

/// Waits as columns, by call.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Waits {
    calls: CallColumn,
    from: Growing,
    ticks: Column,
    causes: CallColumn,
    /// The place of the kind, and below it whether it was the wrong order.
    kinds: Column,
    /// For each process its first wait, and at the end how many there are.
    first: Vec<usize>,
}

impl Waits {
    pub(super) fn push(&mut self, wait: Wait) {
        let process = wait.call.process as usize;
        self.first.resize(self.first.len().max(process + 1), self.len());
        let kind = WaitKind::ALL.iter().position(|kind| *kind == wait.kind).unwrap_or_default();
        self.calls.push(wait.call);
        self.from.push(wait.from);
        self.ticks.push(wait.ticks() as u64);
        self.causes.push(wait.cause);
        self.kinds.push(2 * kind as u64 + u64::from(wait.wrong_order));
    }

    /// No more waits come.
    pub(super) fn end(&mut self, n_processes: usize) {
        self.first.resize(n_processes + 1, self.len());
        [&mut self.calls, &mut self.causes].into_iter().for_each(CallColumn::shrink_to_fit);
        self.from.shrink_to_fit();
        [&mut self.ticks, &mut self.kinds].into_iter().for_each(Column::shrink_to_fit);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ticks.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A wait.
    pub fn get(&self, at: usize) -> Wait {
        let kind = self.kinds.get(at);
        Wait {
            kind: WaitKind::ALL[(kind / 2) as usize],
            call: self.call(at),
            from: self.from.get(at),
            to: self.to(at),
            cause: self.cause(at),
            wrong_order: kind % 2 == 1,
        }
    }

    /// Who waited.
    #[inline]
    pub fn call(&self, at: usize) -> CallId {
        self.calls.get(at)
    }

    /// Who was waited for.
    #[inline]
    pub fn cause(&self, at: usize) -> CallId {
        self.causes.get(at)
    }

    /// How long.
    #[inline]
    pub fn ticks(&self, at: usize) -> Ticks {
        self.ticks.get(at) as Ticks
    }

    /// Until when.
    #[inline]
    pub fn to(&self, at: usize) -> Ticks {
        self.from.get(at) + self.ticks(at)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Wait> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// Where the waits of a process are, in order of time.
    pub fn of_process(&self, process: u32) -> Range<usize> {
        self.first[process as usize]..self.first[process as usize + 1]
    }

    /// The first wait of a process at one of its calls, or at a later one.
    pub(super) fn first_at(&self, id: CallId) -> usize {
        let is_before = |at: usize| self.calls.call(at) < id.call;
        partition(self.of_process(id.process), is_before)
    }

    /// The waiting of all.
    pub fn total(&self) -> i128 {
        self.ticks.iter().map(i128::from).sum()
    }
}
