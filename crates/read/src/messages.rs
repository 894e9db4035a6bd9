//! What pairs the two ends of a message.
//!
//! Messages between two ranks of a communicator with one tag do not overtake each other: the
//! n-th that is sent is the n-th that is received. So each process numbers what it sends and
//! what it receives, by itself, and the numbers agree.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;

use foldhash::fast::RandomState;
use onca_model::Ticks;

use crate::batch::Span;

/// What messages are numbered by: communicator, rank of the other end, tag.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Channel {
    pub comm: u32,
    pub rank: u32,
    pub tag: u32,
}

/// How many messages went through each channel, by what stands for it.
#[derive(Debug)]
pub(crate) struct Counters<C>(HashMap<C, u32, RandomState>);

impl<C> Default for Counters<C> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<C: Eq + Hash> Counters<C> {
    /// The number of the next message.
    #[inline]
    pub fn next(&mut self, channel: C) -> u32 {
        let counter = self.0.entry(channel).or_insert(0);
        let number = *counter;
        *counter = counter.wrapping_add(1);
        number
    }

    pub fn bytes(&self) -> usize {
        self.0.capacity() * (size_of::<C>() + 5)
    }
}

/// A message that has arrived.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Receive {
    pub time: Ticks,
    pub channel: Channel,
    /// Its length, where that is told.
    pub bytes: Option<u64>,
    /// Packed attributes of the event.
    pub extras: Vec<u8>,
    /// When it was asked for, where that was before it was waited for.
    pub posted: Option<Ticks>,
}

/// Receives that were posted and are not yet numbered, in the order in which they were posted:
/// messages are matched in that order, not in the order in which they complete.
#[derive(Debug, Default)]
pub(crate) struct Posted {
    queue: VecDeque<Slot>,
    /// How many have left the queue.
    n_left: u64,
    /// Where in the order a request stands.
    places: HashMap<u64, u64, RandomState>,
}

#[derive(Debug)]
enum Slot {
    Open { request: u64, time: Ticks },
    Done(Receive),
    Gone,
}

/// A receive that is still open when this many were posted after it is taken for one that never
/// completes. Some writers record only the posting.
const MAX_POSTED: usize = 4096;

impl Posted {
    /// A receive is posted. A request whose number is used again has ended unseen.
    pub fn post(&mut self, request: u64, time: Ticks) {
        let place = self.n_left + self.queue.len() as u64;
        if let Some(old) = self.places.insert(request, place) {
            self.leave_empty(old);
        }
        self.queue.push_back(Slot::Open { request, time });
    }

    /// A posted receive completes.
    pub fn complete(&mut self, request: u64, mut receive: Receive) {
        match self.places.remove(&request).and_then(|place| self.slot(place)) {
            Some(slot) => {
                if let Slot::Open { time, .. } = slot {
                    receive.posted = Some(*time);
                }
                *slot = Slot::Done(receive);
            }
            None => self.arrive(receive),
        }
    }

    /// Nothing waits to be numbered: whatever arrives is next.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// A message arrives that no request was posted for.
    pub fn arrive(&mut self, receive: Receive) {
        self.queue.push_back(Slot::Done(receive));
    }

    /// A posted receive is given up.
    pub fn cancel(&mut self, request: u64) {
        if let Some(place) = self.places.remove(&request) {
            self.leave_empty(place);
        }
    }

    /// The next receive that can be numbered.
    pub fn next(&mut self) -> Option<Receive> {
        loop {
            match self.queue.front()? {
                Slot::Open { .. } if self.queue.len() <= MAX_POSTED => return None,
                _ => {}
            }
            if let Some(receive) = self.leave() {
                return Some(receive);
            }
        }
    }

    /// The next receive, when no more will complete.
    pub fn next_at_end(&mut self) -> Option<Receive> {
        while !self.queue.is_empty() {
            if let Some(receive) = self.leave() {
                return Some(receive);
            }
        }
        None
    }

    fn leave(&mut self) -> Option<Receive> {
        let slot = self.queue.pop_front()?;
        self.n_left += 1;
        match slot {
            Slot::Done(receive) => Some(receive),
            Slot::Open { request, .. } => {
                self.places.remove(&request);
                None
            }
            Slot::Gone => None,
        }
    }

    fn leave_empty(&mut self, place: u64) {
        if let Some(slot) = self.slot(place) {
            *slot = Slot::Gone;
        }
    }

    fn slot(&mut self, place: u64) -> Option<&mut Slot> {
        let index = place.checked_sub(self.n_left)?;
        self.queue.get_mut(usize::try_from(index).ok()?)
    }

    pub fn bytes(&self) -> usize {
        self.queue.capacity() * size_of::<Slot>() + self.places.capacity() * 17
    }
}

/// Sends that were begun and are not yet known to be over, by request.
#[derive(Debug)]
pub(crate) struct Begun<S>(BTreeMap<u64, S>);

/// With more open sends than this, their ends are not told: some writers never record them.
const MAX_BEGUN: usize = 4096;

impl<S> Default for Begun<S> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<S> Begun<S> {
    /// A send is begun. Those that are given up come back: one with the same request, or all if there are too many.
    pub fn begin(&mut self, request: u64, send: S) -> Vec<S> {
        let mut given_up: Vec<S> = self.0.insert(request, send).into_iter().collect();
        if self.0.len() > MAX_BEGUN {
            given_up.extend(self.take_all());
        }
        given_up
    }

    /// A request is over; the send that it was of, if it was of one.
    pub fn end(&mut self, request: u64) -> Option<S> {
        self.0.remove(&request)
    }

    /// All that are not over.
    pub fn take_all(&mut self) -> impl Iterator<Item = S> + use<S> {
        std::mem::take(&mut self.0).into_values()
    }

    pub fn bytes(&self) -> usize {
        self.0.len() * (size_of::<(u64, S)>() + 8)
    }
}

/// Appends the key of a message, which both its ends make by themselves:
/// `communicator:source>destination:tag#n`.
pub(crate) fn message_key(key: &mut Vec<u8>, channel: Channel, ends: (u32, u32), n: u32) {
    push_ends(key, channel.comm, ends, ("", ""));
    push_count(key, channel.tag, n);
}

/// Appends the part of a key that is the same for all messages between two ranks. `marks` follow
/// their numbers, where these alone do not tell who is meant.
pub(crate) fn push_ends(
    key: &mut Vec<u8>,
    comm: u32,
    (source, destination): (u32, u32),
    marks: (&str, &str),
) {
    push_number(key, comm.into());
    key.push(b':');
    push_number(key, source.into());
    key.extend_from_slice(marks.0.as_bytes());
    key.push(b'>');
    push_number(key, destination.into());
    key.extend_from_slice(marks.1.as_bytes());
    key.push(b':');
}

/// Appends the part of a key that tells messages between two ranks apart.
#[inline]
pub(crate) fn push_count(key: &mut Vec<u8>, tag: u32, n: u32) {
    push_number(key, tag.into());
    key.push(b'#');
    push_number(key, n.into());
}

/// What was appended since the arena had this length.
pub(crate) fn span_from(arena: &[u8], start: usize) -> Span {
    Span { start: start as u32, len: (arena.len() - start) as u32 }
}

/// Appends a number in decimal digits.
#[inline]
pub(crate) fn push_number(text: &mut Vec<u8>, number: u64) {
    text.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receive(time: Ticks) -> Receive {
        let channel = Channel { comm: 0, rank: 1, tag: 2 };
        Receive { time, channel, bytes: None, extras: Vec::new(), posted: None }
    }

    fn times(posted: &mut Posted, at_end: bool) -> Vec<Ticks> {
        let next = |posted: &mut Posted| if at_end { posted.next_at_end() } else { posted.next() };
        std::iter::from_fn(|| next(posted)).map(|receive| receive.time).collect()
    }

    #[test]
    fn receives_are_numbered_in_the_order_of_their_posting() {
        let mut posted = Posted::default();
        posted.post(7, 0);
        posted.post(8, 0);
        posted.complete(8, receive(1));
        assert_eq!(times(&mut posted, false), []);
        posted.arrive(receive(2));
        posted.complete(7, receive(3));
        assert_eq!(times(&mut posted, false), [3, 1, 2]);
        assert!(posted.queue.is_empty());
    }

    #[test]
    fn a_receive_knows_when_it_was_posted() {
        let mut posted = Posted::default();
        posted.post(7, 10);
        posted.post(8, 20);
        posted.arrive(receive(25));
        posted.complete(8, receive(30));
        posted.complete(7, receive(40));
        let told: Vec<_> =
            std::iter::from_fn(|| posted.next()).map(|it| (it.time, it.posted)).collect();
        assert_eq!(told, [(40, Some(10)), (30, Some(20)), (25, None)]);
    }

    #[test]
    fn requests_that_never_complete_hold_up_nothing_for_ever() {
        let mut posted = Posted::default();
        posted.post(1, 0);
        posted.post(2, 0);
        posted.post(1, 0);
        posted.complete(2, receive(5));
        assert_eq!(times(&mut posted, false), [5], "the first posting of 1 has ended unseen");
        posted.cancel(1);
        posted.complete(9, receive(6));
        assert_eq!(times(&mut posted, false), [6], "a request that nobody posted");
        posted.post(3, 0);
        posted.complete(4, receive(7));
        assert_eq!(times(&mut posted, true), [7]);
        posted.post(5, 0);
        for time in 0..=MAX_POSTED as Ticks {
            posted.arrive(receive(time));
        }
        assert_eq!(times(&mut posted, false).len(), MAX_POSTED + 1);
    }
}
