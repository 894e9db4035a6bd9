//! Messages between calls. There are millions: they are packed.

use onca_model::Ticks;

use super::CallId;
use super::column::Column;

/// A message between two calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message {
    /// The call that sends it.
    pub send: CallId,
    /// The call at whose end it is known to be there.
    pub receive: CallId,
    /// The call of the receiver at whose beginning it asked for it, where that is known.
    pub asked: Option<u32>,
    /// The call of the sender that waits until it was taken, where that is not the one that sends it.
    pub completed: Option<u32>,
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
        self.asked.map(|call| CallId { call, ..self.receive })
    }

    /// The call of the sender that waits until it was taken, where that is not the one that sends it.
    pub fn completed(&self) -> Option<CallId> {
        self.completed.map(|call| CallId { call, ..self.send })
    }
}

/// Calls of any processes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct CallColumn {
    processes: Column,
    calls: Column,
}

impl CallColumn {
    pub fn push(&mut self, id: CallId) {
        self.processes.push(id.process.into());
        self.calls.push(id.call.into());
    }

    #[inline]
    pub fn get(&self, at: usize) -> CallId {
        CallId { process: self.processes.get_u32(at), call: self.calls.get_u32(at) }
    }

    #[inline]
    pub fn call(&self, at: usize) -> u32 {
        self.calls.get_u32(at)
    }

    pub fn shrink_to_fit(&mut self) {
        self.processes.shrink_to_fit();
        self.calls.shrink_to_fit();
    }
}

/// Messages as columns.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Messages {
    sends: CallColumn,
    receives: CallColumn,
    /// One more than the number, where there is one, in these three.
    asked: Column,
    completed: Column,
    sizes: Column,
    unblocks: Column,
    travels: Column,
}

impl Messages {
    /// Adds a message.
    pub fn push(&mut self, message: Message) {
        let call = |call: Option<u32>| call.map_or(0, |call| u64::from(call) + 1);
        self.sends.push(message.send);
        self.receives.push(message.receive);
        self.asked.push(call(message.asked));
        self.completed.push(call(message.completed));
        self.sizes.push(message.size.map_or(0, |size| size.saturating_add(1)));
        self.unblocks.push(message.unblocks.into());
        self.travels.push(message.travel as u64);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.travels.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A message.
    #[inline]
    pub fn get(&self, at: usize) -> Message {
        let call = |calls: &Column| calls.get(at).checked_sub(1).map(|call| call as u32);
        Message {
            send: self.send(at),
            receive: self.receive(at),
            asked: call(&self.asked),
            completed: call(&self.completed),
            unblocks: self.unblocks(at),
            travel: self.travel(at),
            size: self.size(at),
        }
    }

    /// The call that sends a message.
    #[inline]
    pub fn send(&self, at: usize) -> CallId {
        self.sends.get(at)
    }

    /// The call that receives a message.
    #[inline]
    pub fn receive(&self, at: usize) -> CallId {
        self.receives.get(at)
    }

    /// Does a message only end a wait?
    pub fn unblocks(&self, at: usize) -> bool {
        self.unblocks.get(at) != 0
    }

    /// How long a message travelled.
    #[inline]
    pub fn travel(&self, at: usize) -> Ticks {
        self.travels.get(at) as Ticks
    }

    /// The size of a message in bytes, where that is known.
    pub fn size(&self, at: usize) -> Option<u64> {
        self.sizes.get(at).checked_sub(1)
    }

    /// All messages.
    pub fn iter(&self) -> impl Iterator<Item = Message> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// Gives back memory that was taken for more messages than came.
    pub fn shrink_to_fit(&mut self) {
        let Self { sends, receives, asked, completed, sizes, unblocks, travels } = self;
        [sends, receives].into_iter().for_each(CallColumn::shrink_to_fit);
        let columns = [asked, completed, sizes, unblocks, travels];
        columns.into_iter().for_each(Column::shrink_to_fit);
    }
}

impl FromIterator<Message> for Messages {
    fn from_iter<I: IntoIterator<Item = Message>>(many: I) -> Self {
        let mut messages = Self::default();
        many.into_iter().for_each(|message| messages.push(message));
        messages.shrink_to_fit();
        messages
    }
}
