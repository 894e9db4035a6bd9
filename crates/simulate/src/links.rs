//! Pairing the halves of links.

use std::collections::HashSet;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use onca_model::{ContainerId, Position, Ticks, ValueId};

use crate::report::{place_number, position_of};
use crate::used_keys::UsedKeys;

/// Which end of a link a half is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Start,
    End,
}

/// One half of a link that waits. Ten million of them are to fit in memory, so it is packed.
#[derive(Clone, Debug)]
pub(crate) struct Half {
    pub time: Ticks,
    key_hash: u64,
    /// The key, then the packed extra fields.
    text: Vec<u8>,
    /// Part and line in one number.
    place: u64,
    size: u64,
    pub track: u32,
    pub value: ValueId,
    pub container: ContainerId,
    key_len: u32,
    next: u32,
    pub side: Side,
    has_size: bool,
}

const _: () = assert!(size_of::<Half>() <= 80);

impl Half {
    pub fn key(&self) -> &[u8] {
        &self.text[..self.key_len as usize]
    }

    pub fn extras(&self) -> &[u8] {
        &self.text[self.key_len as usize..]
    }

    pub fn size(&self) -> Option<u64> {
        self.has_size.then_some(self.size)
    }

    pub fn position(&self) -> Position {
        position_of(self.place)
    }

    fn hash(&self) -> u64 {
        hash_of(self.key_hash, self.track)
    }
}

const NONE: u32 = u32::MAX;

/// Halves of one key that wait, linked from the first to the last.
#[derive(Clone, Copy)]
struct Queue {
    first: u32,
    last: u32,
}

/// Halves that wait for their other half, in queues by owner, type and key. Slots are used
/// again with their memory, so that a steady stream of links allocates nothing.
#[derive(Clone, Default)]
pub(crate) struct PendingLinks {
    queues: HashTable<Queue>,
    halves: Vec<Half>,
    free: Vec<u32>,
    n_pending: usize,
    used: UsedKeys,
    /// Key texts and extra fields held, in bytes.
    text_bytes: usize,
}

/// A half that has just been read.
#[derive(Clone, Copy)]
pub(crate) struct NewHalf<'a> {
    pub track: u32,
    pub side: Side,
    pub time: Ticks,
    pub value: ValueId,
    pub container: ContainerId,
    pub size: Option<u64>,
    /// No other pair has this key.
    pub unique: bool,
    pub key_hash: u64,
    pub key: &'a [u8],
    pub extras: &'a [u8],
    pub position: Position,
}

impl NewHalf<'_> {
    /// Keys of different tracks are different keys.
    fn hash(&self) -> u64 {
        hash_of(self.key_hash, self.track)
    }
}

impl PendingLinks {
    pub fn bytes(&self) -> usize {
        // Room that was never written to is not there yet.
        self.halves.len() * size_of::<Half>()
            + self.queues.capacity() * (size_of::<Queue>() + 1)
            + self.used.bytes()
            + self.text_bytes
    }

    /// Would the answer depend on the order in which halves of this key are met? Then a half
    /// that comes late must be sorted in.
    pub fn order_matters(&mut self, half: &NewHalf<'_>) -> bool {
        if self.used.may_contain(half.hash()) {
            return true;
        }
        let Some(first) = self.first(half) else { return false };
        let pending = &self.halves[first as usize];
        pending.side == half.side || pending.next != NONE || pending.value != half.value
    }

    /// Was a link with this key paired before?
    pub fn is_used(&mut self, half: &NewHalf<'_>) -> bool {
        self.used.contains(half.hash())
    }

    /// Takes the half that this one pairs with out of its queue: the first with the same value,
    /// else the first. Without one, this half waits.
    pub fn pair(&mut self, half: &NewHalf<'_>) -> Option<Half> {
        let halves = &self.halves;
        let is_queue = |queue: &Queue| is_queue_of(halves, queue, half);
        let hash = |queue: &Queue| halves[queue.first as usize].hash();
        let own = self.free.last().copied().unwrap_or(halves.len() as u32);
        match self.queues.entry(half.hash(), is_queue, hash) {
            Entry::Vacant(place) => {
                place.insert(Queue { first: own, last: own });
                self.keep(half);
                None
            }
            Entry::Occupied(mut queue) => {
                let Queue { first, last } = *queue.get();
                if halves[first as usize].side == half.side {
                    queue.get_mut().last = own;
                    self.halves[last as usize].next = own;
                    self.keep(half);
                    return None;
                }
                let (before, at) = best_match(halves, first, half.value);
                let next = halves[at as usize].next;
                match before {
                    Some(before) => {
                        queue.get_mut().last = if at == last { before } else { last };
                        self.halves[before as usize].next = next;
                    }
                    None if next == NONE => drop(queue.remove()),
                    None => queue.get_mut().first = next,
                }
                if !half.unique {
                    self.used.add(half.hash());
                }
                Some(self.release(at))
            }
        }
    }

    /// Takes a half out of its slot.
    fn release(&mut self, index: u32) -> Half {
        self.n_pending -= 1;
        self.free.push(index);
        let half = std::mem::replace(&mut self.halves[index as usize], EMPTY_HALF);
        self.text_bytes -= half.text.len();
        half
    }

    /// Gives back the memory of a half that was taken.
    pub fn recycle(&mut self, half: Half) {
        if let Some(&slot) = self.free.last() {
            self.halves[slot as usize] = half;
        }
    }

    /// Puts a half into the next free slot.
    fn keep(&mut self, half: &NewHalf<'_>) {
        let index = match self.free.pop() {
            Some(index) => index,
            None => {
                self.halves.push(EMPTY_HALF);
                self.halves.len() as u32 - 1
            }
        };
        let slot = &mut self.halves[index as usize];
        slot.text.clear();
        slot.text.extend_from_slice(half.key);
        slot.text.extend_from_slice(half.extras);
        slot.key_len = half.key.len() as u32;
        let NewHalf { track, side, time, value, container, size, key_hash, position, .. } = *half;
        (slot.track, slot.side, slot.time, slot.value) = (track, side, time, value);
        (slot.container, slot.key_hash) = (container, key_hash);
        (slot.size, slot.has_size) = (size.unwrap_or(0), size.is_some());
        (slot.place, slot.next) = (place_number(position), NONE);
        self.text_bytes += half.key.len() + half.extras.len();
        self.n_pending += 1;
    }

    /// All halves that still wait, in order of their place in the source.
    pub fn into_unmatched(self) -> Vec<Half> {
        let free: HashSet<u32> = self.free.into_iter().collect();
        let mut left: Vec<Half> = self
            .halves
            .into_iter()
            .enumerate()
            .filter(|(index, _)| !free.contains(&(*index as u32)))
            .map(|(_, half)| half)
            .collect();
        left.sort_by_key(|half| half.place);
        left
    }

    fn first(&self, half: &NewHalf<'_>) -> Option<u32> {
        let is_queue = |queue: &Queue| is_queue_of(&self.halves, queue, half);
        self.queues.find(half.hash(), is_queue).map(|queue| queue.first)
    }
}

/// Is this the queue that a half belongs to?
#[inline]
fn is_queue_of(halves: &[Half], queue: &Queue, half: &NewHalf<'_>) -> bool {
    let first = &halves[queue.first as usize];
    first.track == half.track && first.key() == half.key
}

/// The first half of a queue that has a value, and the one before it; else the first of all.
fn best_match(halves: &[Half], first: u32, value: ValueId) -> (Option<u32>, u32) {
    let (mut before, mut at) = (None, first);
    while halves[at as usize].value != value {
        before = Some(at);
        at = halves[at as usize].next;
        if at == NONE {
            return (None, first);
        }
    }
    (before, at)
}

fn hash_of(key_hash: u64, track: u32) -> u64 {
    key_hash ^ u64::from(track).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

const EMPTY_HALF: Half = Half {
    time: 0,
    key_hash: 0,
    text: Vec::new(),
    place: 0,
    size: 0,
    track: 0,
    value: ValueId(0),
    container: ContainerId::ROOT,
    key_len: 0,
    next: NONE,
    side: Side::Start,
    has_size: false,
};
