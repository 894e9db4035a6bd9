//! Pairing the halves of links.

use std::collections::HashSet;

use hashbrown::HashTable;
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
}

const NONE: u32 = u32::MAX;

/// Halves that wait for their other half, in queues by owner, type and key. Slots are used
/// again with their memory, so that a steady stream of links allocates nothing.
#[derive(Default)]
pub(crate) struct PendingLinks {
    /// First half of each queue.
    queues: HashTable<u32>,
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
            + self.queues.capacity() * 5
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
    /// else the first.
    pub fn take_match(&mut self, half: &NewHalf<'_>) -> Option<Half> {
        let first = self.first(half)?;
        if self.halves[first as usize].side == half.side {
            return None;
        }
        let mut before = NONE;
        let mut at = first;
        while self.halves[at as usize].value != half.value {
            before = at;
            at = self.halves[at as usize].next;
            if at == NONE {
                (before, at) = (NONE, first);
                break;
            }
        }
        let next = self.halves[at as usize].next;
        if before != NONE {
            self.halves[before as usize].next = next;
        } else {
            self.replace_first(half, next);
        }
        self.n_pending -= 1;
        self.free.push(at);
        let slot = &mut self.halves[at as usize];
        self.text_bytes -= slot.text.len();
        if !half.unique {
            self.used.add(half.hash());
        }
        Some(std::mem::replace(slot, EMPTY_HALF))
    }

    /// Gives back the memory of a half that was taken.
    pub fn recycle(&mut self, half: Half) {
        if let Some(&slot) = self.free.last() {
            self.halves[slot as usize] = half;
        }
    }

    /// Queues a half until its other half comes.
    pub fn wait(&mut self, half: &NewHalf<'_>) {
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
        match self.first(half) {
            Some(first) => {
                let mut last = first;
                while self.halves[last as usize].next != NONE {
                    last = self.halves[last as usize].next;
                }
                self.halves[last as usize].next = index;
            }
            None => {
                let halves = &self.halves;
                self.queues.insert_unique(half.hash(), index, |&other| {
                    let other = &halves[other as usize];
                    hash_of(other.key_hash, other.track)
                });
            }
        }
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
        self.queues.find(half.hash(), |&index| self.is_queue_of(index, half)).copied()
    }

    fn is_queue_of(&self, index: u32, half: &NewHalf<'_>) -> bool {
        let first = &self.halves[index as usize];
        first.track == half.track && first.key() == half.key
    }

    /// Makes `next` the first of a queue, or removes the queue.
    fn replace_first(&mut self, half: &NewHalf<'_>, next: u32) {
        let halves = &self.halves;
        let entry = self.queues.find_entry(half.hash(), |&index| {
            let first = &halves[index as usize];
            first.track == half.track && first.key() == half.key
        });
        if let Ok(mut entry) = entry {
            if next == NONE {
                entry.remove();
            } else {
                *entry.get_mut() = next;
            }
        }
    }
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
