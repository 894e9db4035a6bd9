//! What processes did, as far as others can wait for it.

use onca_model::{Ticks, Window};

use super::Messages;

/// A call of a process: its place among the calls of that process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CallId {
    /// The process.
    pub process: u32,
    /// The place among its calls.
    pub call: u32,
}

/// What members of a collective operation wait for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CollectiveKind {
    /// Nobody leaves before all have come.
    Barrier,
    /// Everybody needs something from everybody.
    AllToAll,
    /// Everybody needs something from the root.
    OneToAll,
    /// The root needs something from everybody.
    AllToOne,
    /// Each needs something from those before it.
    Scan,
}

/// A collective operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collective {
    /// Who waits for whom.
    pub kind: CollectiveKind,
    /// The place of the root among the members, where there is one.
    pub root: Option<u32>,
    /// The calls of the members, in order of rank.
    pub members: Vec<CallId>,
}

impl Collective {
    /// The place of the root, if one of the members is it.
    pub(super) fn root(&self) -> Option<usize> {
        self.root.map(|root| root as usize).filter(|root| *root < self.members.len())
    }
}

/// A parallel program that has run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// From its beginning to its end.
    pub run: Window,
    /// The processes.
    pub processes: Vec<super::Process>,
    /// The messages, those to one process in the order in which it received them.
    pub messages: Messages,
    /// The collective operations.
    pub collectives: Vec<Collective>,
    /// Is a value the work that the program is for? The last stands for what is outside of all states.
    pub useful: Vec<bool>,
}

impl Program {
    /// A call.
    #[inline]
    pub fn call(&self, id: CallId) -> super::Call {
        self.processes[id.process as usize].call(id.call as usize)
    }

    /// When a call begins.
    #[inline]
    pub fn enter(&self, id: CallId) -> Ticks {
        self.processes[id.process as usize].enter(id.call as usize)
    }

    /// When a call ends.
    #[inline]
    pub fn leave(&self, id: CallId) -> Ticks {
        self.processes[id.process as usize].leave(id.call as usize)
    }

    /// When the last member comes to an operation.
    pub fn last_enter(&self, collective: &Collective) -> Option<Ticks> {
        collective.members.iter().map(|id| self.enter(*id)).max()
    }

    /// Is a value the work that the program is for?
    pub fn is_useful(&self, value: u32) -> bool {
        self.useful.get(value as usize) == Some(&true)
    }

    /// The value of what is outside of all states.
    pub fn outside(&self) -> u32 {
        self.useful.len().saturating_sub(1) as u32
    }

    /// How many processes there are.
    pub fn n_processes(&self) -> usize {
        self.processes.len()
    }
}
