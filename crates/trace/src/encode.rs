//! Records of a ring, packed for the file.

use crate::format::{BlockHead, BlockKind, SLOT, text, varint};
use crate::ring::{Kind, Ring, Slot};

/// The time goes back from the record before.
const BACKWARDS: u8 = 0x80;
/// The container is that of the record before.
const SAME_CONTAINER: u8 = 0x40;
/// The type is that of the record before.
const SAME_TYPE: u8 = 0x20;

/// A block ends after the record with which its payload reaches this size, in bytes.
const BLOCK_PAYLOAD: usize = 64 << 10;

/// The kind of a slot, its container and its type or field.
#[inline]
pub fn parts(word: u64) -> (u8, u32, u32) {
    (word as u8, (word >> 32) as u32, (word >> 8) as u32 & 0xff_ffff)
}

/// A block that is being filled.
#[derive(Default)]
pub struct Encoder {
    payload: Vec<u8>,
    n_records: u32,
    base: u64,
    time: u64,
    container: u32,
    of: u32,
}

impl Encoder {
    /// Packs slots from the tail on into one block and appends it. Gives the new tail and how many records it has.
    pub fn block(&mut self, ring: &Ring, tail: u64, head: u64, out: &mut Vec<u8>) -> (u64, u64) {
        self.payload.clear();
        self.n_records = 0;
        (self.container, self.of) = (0, 0);
        let mut at = tail;
        while at < head {
            let slot = ring.slot(at);
            let (kind, ..) = parts(slot[1]);
            let Some(kind) = Kind::of(kind) else {
                at += 1;
                continue;
            };
            let is_field = matches!(kind, Kind::Text | Kind::Int | Kind::Double | Kind::Time);
            if !is_field && self.payload.len() >= BLOCK_PAYLOAD {
                break;
            }
            at += 1;
            match kind {
                Kind::Text => at = self.text(ring, &slot, at),
                Kind::Int | Kind::Double | Kind::Time => self.number(kind, &slot),
                Kind::StartLink | Kind::EndLink => {
                    self.record(kind, &slot);
                    let more = ring.slot(at);
                    at += 1;
                    self.link(&slot, &more);
                }
                _ => {
                    self.record(kind, &slot);
                    match kind {
                        Kind::SetState | Kind::PushState | Kind::Event => {
                            varint(slot[2], &mut self.payload);
                        }
                        Kind::SetVariable | Kind::AddVariable | Kind::SubVariable => {
                            self.payload.extend_from_slice(&slot[2].to_le_bytes());
                        }
                        _ => {}
                    }
                }
            }
        }
        let head = BlockHead {
            kind: BlockKind::Events,
            thread: ring.thread(),
            n_records: self.n_records,
            first_record: ring.n_written(),
            base: self.base,
        };
        head.write(&self.payload, out);
        (at, u64::from(self.n_records))
    }

    /// What all records begin with.
    #[inline]
    fn record(&mut self, kind: Kind, slot: &Slot) {
        let (_, container, of) = parts(slot[1]);
        if self.n_records == 0 {
            (self.base, self.time) = (slot[0], slot[0]);
        }
        let mut tag = kind as u8;
        let elapsed = match slot[0].checked_sub(self.time) {
            Some(elapsed) => elapsed,
            None => {
                tag |= BACKWARDS;
                self.time - slot[0]
            }
        };
        if container == self.container {
            tag |= SAME_CONTAINER;
        }
        if of == self.of {
            tag |= SAME_TYPE;
        }
        self.payload.push(tag);
        varint(elapsed, &mut self.payload);
        if container != self.container {
            varint(u64::from(container), &mut self.payload);
        }
        if of != self.of {
            varint(u64::from(of), &mut self.payload);
        }
        (self.time, self.container, self.of) = (slot[0], container, of);
        self.n_records += 1;
    }

    fn link(&mut self, slot: &Slot, more: &Slot) {
        let (_, owner, _) = parts(more[1]);
        varint(more[2], &mut self.payload);
        varint(slot[2], &mut self.payload);
        varint(u64::from(owner), &mut self.payload);
        // The size is stored plus one; 0 is none.
        varint(more[0], &mut self.payload);
    }

    fn number(&mut self, kind: Kind, slot: &Slot) {
        let (_, _, field) = parts(slot[1]);
        self.payload.push(kind as u8);
        varint(u64::from(field), &mut self.payload);
        match kind {
            Kind::Int => {
                let number = slot[0].cast_signed();
                varint((number << 1 ^ number >> 63).cast_unsigned(), &mut self.payload);
            }
            Kind::Time => varint(slot[0], &mut self.payload),
            _ => self.payload.extend_from_slice(&slot[0].to_le_bytes()),
        }
    }

    fn text(&mut self, ring: &Ring, slot: &Slot, at: u64) -> u64 {
        let (_, _, field) = parts(slot[1]);
        let (bytes, at) = text_at(ring, slot, at);
        self.payload.push(Kind::Text as u8);
        varint(u64::from(field), &mut self.payload);
        text(&bytes, &mut self.payload);
        at
    }
}

/// The text of a slot, which lies in those after it, and the number of the slot after them.
pub fn text_at(ring: &Ring, slot: &Slot, at: u64) -> (Vec<u8>, u64) {
    let len = slot[0] as usize;
    let n_slots = len.div_ceil(SLOT) as u64;
    let words = (at..at + n_slots).flat_map(|number| ring.slot(number));
    let mut bytes: Vec<u8> = words.flat_map(u64::to_ne_bytes).collect();
    bytes.truncate(len);
    (bytes, at + n_slots)
}
