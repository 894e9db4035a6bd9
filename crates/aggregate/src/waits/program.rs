//! What processes did, as far as others can wait for it.

use onca_model::{Ticks, Window};

/// A call of a process: its place among the calls of that process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CallId {
    /// The process.
    pub process: u32,
    /// The place among its calls.
    pub call: u32,
}

/// The place of a call among those of a process, where there is one. There are millions of them: four bytes tell both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MaybeCall(u32);

impl MaybeCall {
    /// There is none.
    pub const NONE: Self = Self(u32::MAX);

    /// The place, if there is one.
    pub fn place(self) -> Option<u32> {
        (self != Self::NONE).then_some(self.0)
    }
}

impl From<u32> for MaybeCall {
    fn from(place: u32) -> Self {
        Self(place)
    }
}

/// A call that communicates. The calls of a process do not overlap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// When it begins.
    pub enter: Ticks,
    /// When it ends.
    pub leave: Ticks,
    /// What it is: an index into [`Program::useful`].
    pub value: u32,
    /// It does not return before its messages are there.
    pub awaits_messages: bool,
    /// It may not return before its messages are asked for.
    pub awaits_receivers: bool,
}

/// Time that a process spent with something else than calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Work {
    /// What it was: an index into [`Program::useful`].
    pub value: u32,
    /// How often.
    pub count: u32,
    /// How long.
    pub ticks: Ticks,
}

/// The calls of a process, and what it did between them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Process {
    /// The calls in order of time.
    pub calls: Vec<Call>,
    /// What was done before the first call, between calls and after the last.
    work: Vec<Work>,
    /// Where the work before each call ends; that after the last call is the rest.
    work_ends: Vec<u32>,
}

impl Process {
    /// Adds work after the last call.
    pub fn push_work(&mut self, value: u32, ticks: Ticks) {
        let begin = self.work_ends.last().map_or(0, |end| *end as usize);
        match self.work[begin..].iter_mut().find(|work| work.value == value) {
            Some(work) => {
                work.ticks = work.ticks.saturating_add(ticks);
                work.count = work.count.saturating_add(1);
            }
            None => self.work.push(Work { value, count: 1, ticks }),
        }
    }

    /// Adds a call.
    pub fn push_call(&mut self, call: Call) {
        self.work_ends.push(self.work.len() as u32);
        self.calls.push(call);
    }

    /// Gives back memory that was taken for more calls than came.
    pub fn shrink_to_fit(&mut self) {
        self.calls.shrink_to_fit();
        self.work.shrink_to_fit();
        self.work_ends.shrink_to_fit();
    }

    /// What was done between the call at a place and the one before it, each value once. The number of calls stands
    /// for what was done after the last.
    pub fn work_before(&self, call: usize) -> &[Work] {
        let end =
            |call: usize| self.work_ends.get(call).map_or(self.work.len(), |end| *end as usize);
        let begin = if call == 0 { 0 } else { end(call - 1) };
        &self.work[begin..end(call)]
    }
}

/// A message between two calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message {
    /// The call that sends it.
    pub send: CallId,
    /// The call at whose end it is known to be there.
    pub receive: CallId,
    /// The call of the receiver at whose beginning it asked for it, where that is known.
    pub asked: MaybeCall,
    /// The call of the sender that waits until it was taken, where that is not the one that sends it.
    pub completed: MaybeCall,
    /// It leaves from no call, and does nothing but end a wait.
    pub unblocks: bool,
    /// From when it left until it was received.
    pub travel: Ticks,
    /// Its size in bytes, where that is known.
    pub size: Option<u64>,
}

impl Message {
    /// The call at whose beginning the receiver asked for it, where that is known.
    pub fn asked(&self) -> Option<CallId> {
        self.asked.place().map(|call| CallId { call, ..self.receive })
    }

    /// The call of the sender that waits until it was taken, where that is not the one that sends it.
    pub fn completed(&self) -> Option<CallId> {
        self.completed.place().map(|call| CallId { call, ..self.send })
    }
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

/// A parallel program that has run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// From its beginning to its end.
    pub run: Window,
    /// The processes.
    pub processes: Vec<Process>,
    /// The messages, those to one process in the order in which it received them.
    pub messages: Vec<Message>,
    /// The collective operations.
    pub collectives: Vec<Collective>,
    /// Is a value the work that the program is for? The last stands for what is outside of all states.
    pub useful: Vec<bool>,
}

impl Program {
    /// A call.
    pub fn call(&self, id: CallId) -> &Call {
        &self.processes[id.process as usize].calls[id.call as usize]
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
