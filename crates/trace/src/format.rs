//! The bytes of a file. `docs/onct.md` describes them.

use crate::clock::{Clock, Reading};
use crate::crc::crc32;

/// The first bytes of a file. Transfers that damage binary files change them.
pub const MAGIC: [u8; 8] = *b"\x89ONCT\r\n\x1a";
/// The version of the format.
pub const VERSION: u16 = 1;
/// Bytes of the head of a file.
pub const FILE_HEAD: usize = 64;
/// The first bytes of a block.
pub const BLOCK_MAGIC: [u8; 4] = *b"ONCB";
/// Bytes of the head of a block.
pub const BLOCK_HEAD: usize = 44;
/// Bytes of a record as it lies in memory.
pub const SLOT: usize = 24;

/// What a block holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum BlockKind {
    /// Types, values, containers, threads.
    Definitions = 1,
    /// Packed records of a thread.
    Events = 2,
    /// Records of a thread as they lie in memory, saved when the program crashed.
    Raw = 3,
    /// What all clocks show.
    Clock = 4,
    /// How many records of a thread were dropped.
    Drops = 5,
    /// The end of the file.
    End = 6,
}

/// The head of a block, without its sums.
#[derive(Clone, Copy)]
pub struct BlockHead {
    /// What it holds.
    pub kind: BlockKind,
    /// Whose records it has.
    pub thread: u32,
    /// How many; 0 where nobody has counted.
    pub n_records: u32,
    /// How many records of the thread come before.
    pub first_record: u64,
    /// The time that the first record counts from.
    pub base: u64,
}

impl BlockHead {
    /// A block that is of no thread.
    pub fn of(kind: BlockKind) -> Self {
        Self { kind, thread: 0, n_records: 0, first_record: 0, base: 0 }
    }

    /// The bytes of the head, for a payload of this length and sum. Safe in a signal handler.
    pub fn bytes(&self, payload_len: u32, payload_crc: u32) -> [u8; BLOCK_HEAD] {
        let mut bytes = [0; BLOCK_HEAD];
        bytes[..4].copy_from_slice(&BLOCK_MAGIC);
        bytes[4] = self.kind as u8;
        bytes[8..12].copy_from_slice(&self.thread.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.n_records.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.first_record.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.base.to_le_bytes());
        bytes[32..36].copy_from_slice(&payload_len.to_le_bytes());
        bytes[36..40].copy_from_slice(&payload_crc.to_le_bytes());
        let crc = crc32(&bytes[..40]);
        bytes[40..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Appends the block with this payload.
    pub fn write(&self, payload: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes(payload.len() as u32, crc32(payload)));
        out.extend_from_slice(payload);
    }
}

/// The head of a file.
pub fn file_head(clock: Clock, pid: u32, start: &Reading) -> [u8; FILE_HEAD] {
    let mut bytes = [0; FILE_HEAD];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
    bytes[10..12].copy_from_slice(&(FILE_HEAD as u16).to_le_bytes());
    bytes[12] = clock as u8;
    bytes[16..20].copy_from_slice(&pid.to_le_bytes());
    bytes[20..24].copy_from_slice(&(SLOT as u32).to_le_bytes());
    bytes[24..48].copy_from_slice(&reading(start));
    let crc = crc32(&bytes[..60]);
    bytes[60..].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// The payload of a clock block.
pub fn reading(reading: &Reading) -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes[..8].copy_from_slice(&reading.ticks.to_le_bytes());
    bytes[8..16].copy_from_slice(&reading.monotonic.to_le_bytes());
    bytes[16..].copy_from_slice(&reading.realtime.to_le_bytes());
    bytes
}

/// The payload of the last block: why the file ends, and how many records it has.
pub fn end(signal: u32, n_records: u64) -> [u8; 12] {
    let mut bytes = [0; 12];
    bytes[..4].copy_from_slice(&signal.to_le_bytes());
    bytes[4..].copy_from_slice(&n_records.to_le_bytes());
    bytes
}

/// Appends a number, seven bits a byte, the lowest first.
#[inline]
pub fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a text after its length.
pub fn text(text: &[u8], out: &mut Vec<u8>) {
    varint(text.len() as u64, out);
    out.extend_from_slice(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_packed_as_documented() {
        let packed = |number| {
            let mut out = Vec::new();
            varint(number, &mut out);
            out
        };
        assert_eq!(packed(0), [0]);
        assert_eq!(packed(127), [127]);
        assert_eq!(packed(128), [0x80, 1]);
        assert_eq!(packed(300), [0xac, 2]);
        assert_eq!(packed(u64::MAX), [255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
    }
}
