//! Pairing the halves of links.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use hashbrown::HashTable;
use onca_model::{ContainerId, Position, Ticks, ValueId};

/// Which end of a link a half is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Start,
    End,
}

/// One half of a link.
#[derive(Clone, Debug)]
pub(crate) struct Half {
    pub track: u32,
    pub side: Side,
    pub time: Ticks,
    pub value: ValueId,
    pub container: ContainerId,
    pub size: Option<u64>,
    pub key_hash: u64,
    pub key: Vec<u8>,
    pub extras: Vec<u8>,
    pub position: Position,
    next: u32,
}

const NONE: u32 = u32::MAX;

/// More keys than this are not remembered once they have been paired: order then decides by the
/// slow way.
const MAX_USED_KEYS: usize = 1 << 20;

/// Hashes of keys are random numbers already.
#[derive(Default)]
pub(crate) struct AsIs(u64);

impl std::hash::Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// Halves that wait for their other half, in queues by owner, type and key. Slots are used
/// again with their memory, so that a steady stream of links allocates nothing.
#[derive(Default)]
pub(crate) struct PendingLinks {
    /// First half of each queue.
    queues: HashTable<u32>,
    halves: Vec<Half>,
    free: Vec<u32>,
    n_pending: usize,
    used: HashSet<u64, BuildHasherDefault<AsIs>>,
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
        self.halves.capacity() * size_of::<Half>()
            + self.queues.capacity() * 5
            + self.used.capacity() * 9
            + self.text_bytes
    }

    /// Would the answer depend on the order in which halves of this key are met? Then a half
    /// that comes late must be sorted in.
    pub fn order_matters(&self, half: &NewHalf<'_>) -> bool {
        if self.used.len() >= MAX_USED_KEYS || self.used.contains(&half.hash()) {
            return true;
        }
        let Some(first) = self.first(half) else { return false };
        let pending = &self.halves[first as usize];
        pending.side == half.side || pending.next != NONE || pending.value != half.value
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
        self.text_bytes -= slot.key.len() + slot.extras.len();
        if self.used.len() < MAX_USED_KEYS {
            self.used.insert(half.hash());
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
        slot.key.clear();
        slot.key.extend_from_slice(half.key);
        slot.extras.clear();
        slot.extras.extend_from_slice(half.extras);
        let NewHalf { track, side, time, value, container, size, key_hash, position, .. } = *half;
        (slot.track, slot.side, slot.time, slot.value) = (track, side, time, value);
        (slot.container, slot.size, slot.key_hash) = (container, size, key_hash);
        (slot.position, slot.next) = (position, NONE);
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
        left.sort_by_key(|half| half.position);
        left
    }

    fn first(&self, half: &NewHalf<'_>) -> Option<u32> {
        self.queues.find(half.hash(), |&index| self.is_queue_of(index, half)).copied()
    }

    fn is_queue_of(&self, index: u32, half: &NewHalf<'_>) -> bool {
        let first = &self.halves[index as usize];
        first.track == half.track && first.key == half.key
    }

    /// Makes `next` the first of a queue, or removes the queue.
    fn replace_first(&mut self, half: &NewHalf<'_>, next: u32) {
        let halves = &self.halves;
        let entry = self.queues.find_entry(half.hash(), |&index| {
            let first = &halves[index as usize];
            first.track == half.track && first.key == half.key
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
    track: 0,
    side: Side::Start,
    time: 0,
    value: ValueId(0),
    container: ContainerId::ROOT,
    size: None,
    key_hash: 0,
    key: Vec::new(),
    extras: Vec::new(),
    position: Position { part: 0, line: 0, column: 0 },
    next: NONE,
};
