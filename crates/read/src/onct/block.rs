//! The blocks of a file, found without reading what is in them.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;

use onca_model::Code;

use super::crc::crc32;
use crate::reading::ReadError;

/// The first bytes of a file.
pub(super) const MAGIC: [u8; 8] = *b"\x89ONCT\r\n\x1a";
/// The version that is read.
const VERSION: u16 = 1;
pub(super) const FILE_HEAD: usize = 64;
const BLOCK_MAGIC: [u8; 4] = *b"ONCB";
pub(super) const BLOCK_HEAD: usize = 44;
/// The block at the end of a file that was closed: its head, and 12 bytes.
pub(super) const END_MARK: usize = BLOCK_HEAD + 12;
/// How much is read at once where blocks are looked for.
const SEARCHED: usize = 1 << 16;
/// This many stretches that are no blocks are told of, for each file.
const MOST_PROBLEMS: usize = 100;

/// What a block holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Definitions,
    Events,
    Raw,
    Clock,
    Drops,
    End,
    Unknown(u8),
}

impl Kind {
    fn of(number: u8) -> Self {
        match number {
            1 => Self::Definitions,
            2 => Self::Events,
            3 => Self::Raw,
            4 => Self::Clock,
            5 => Self::Drops,
            6 => Self::End,
            other => Self::Unknown(other),
        }
    }
}

/// A block of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub kind: Kind,
    pub thread: u32,
    /// How many records it has; 0 where nobody has counted.
    pub n_records: u32,
    /// How many records of its thread come before.
    pub first_record: u64,
    /// The time that the first record counts from.
    pub base: u64,
    /// Where the payload begins.
    pub offset: u64,
    /// How much of the payload is there.
    pub len: u32,
    /// The file ends before the payload does.
    pub is_cut: bool,
    crc: u32,
}

impl Block {
    fn parse(head: &[u8; BLOCK_HEAD], offset: u64) -> Option<Self> {
        let u32_at = |at: usize| number(&head[at..at + 4]) as u32;
        let u64_at = |at: usize| number(&head[at..at + 8]);
        if head[..4] != BLOCK_MAGIC || !is_sum(&head[..40], u32_at(40)) {
            return None;
        }
        Some(Self {
            kind: Kind::of(head[4]),
            thread: u32_at(8),
            n_records: u32_at(12),
            first_record: u64_at(16),
            base: u64_at(24),
            offset: offset + BLOCK_HEAD as u64,
            len: u32_at(32),
            is_cut: false,
            crc: u32_at(36),
        })
    }

    /// Reads the payload; false if it is not what was written.
    pub fn read(&self, file: &File, payload: &mut Vec<u8>) -> io::Result<bool> {
        payload.resize(self.len as usize, 0);
        let n = read_at(file, self.offset, payload)?;
        payload.truncate(n);
        Ok(self.is_cut || n == self.len as usize && is_sum(payload, self.crc))
    }
}

/// Is this the sum of some bytes? A fuzzer, which cannot guess sums, is to see what lies behind them.
fn is_sum(bytes: &[u8], sum: u32) -> bool {
    cfg!(fuzzing) || crc32(bytes) == sum
}

/// Is this the block that ends a file?
pub(super) fn is_end_mark(bytes: &[u8; END_MARK]) -> bool {
    let Some((head, payload)) = bytes.split_first_chunk() else { return false };
    Block::parse(head, 0).is_some_and(|block| {
        block.kind == Kind::End && block.len == payload.len() as u32 && is_sum(payload, block.crc)
    })
}

/// A number in as many bytes as are given, the lowest first.
pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// What the clocks of a process showed at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reading {
    pub ticks: u64,
    pub monotonic: i64,
    pub realtime: i64,
}

impl Reading {
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let (words, _) = bytes.as_chunks::<8>();
        let [ticks, monotonic, realtime] = *words.first_chunk::<3>()?;
        Some(Self {
            ticks: u64::from_le_bytes(ticks),
            monotonic: i64::from_le_bytes(monotonic),
            realtime: i64::from_le_bytes(realtime),
        })
    }
}

/// What the head of a file says.
pub(super) struct Head {
    /// What the clocks showed when the file was begun.
    pub start: Reading,
    len: u64,
}

impl Head {
    /// Reads the head of a file; `Invalid` says what is wrong with it.
    pub fn read(file: &File) -> Result<Self, ReadError> {
        let mut head = [0; FILE_HEAD];
        let n = read_at(file, 0, &mut head)?;
        let invalid = |what: String| Err(ReadError::Invalid(what));
        if n < MAGIC.len() || head[..8] != MAGIC {
            return invalid("does not begin like a trace of onca-trace".to_owned());
        }
        let version = number(&head[8..10]) as u16;
        if n >= 10 && version != VERSION {
            return invalid(format!(
                "is of version {version} of its format; version {VERSION} can be read"
            ));
        }
        if n < FILE_HEAD {
            return invalid("is cut in its head: nothing of it can be read".to_owned());
        }
        let len = number(&head[10..12]);
        let start = Reading::parse(&head[24..48]);
        match start.filter(|_| is_sum(&head[..60], number(&head[60..]) as u32)) {
            Some(start) => Ok(Self { start, len: len.max(FILE_HEAD as u64) }),
            None => invalid("has a damaged head: nothing of it can be read".to_owned()),
        }
    }
}

/// Something that is wrong with a file.
#[derive(Debug)]
pub(super) struct FileProblem {
    pub offset: u64,
    pub code: Code,
    pub message: String,
    pub n_lost: u64,
}

/// Finds the blocks of a file of this length.
pub(super) fn find_blocks(
    file: &File,
    head: &Head,
    len: u64,
    problems: &mut Vec<FileProblem>,
) -> io::Result<Vec<Block>> {
    let mut blocks = Vec::new();
    let mut offset = head.len;
    while offset < len {
        let mut bytes = [0; BLOCK_HEAD];
        let n = read_at(file, offset, &mut bytes)?;
        let block = (n == BLOCK_HEAD).then(|| Block::parse(&bytes, offset)).flatten();
        let Some(mut block) = block else {
            let next = next_block(file, offset + 1, len)?;
            if problems.len() < MOST_PROBLEMS {
                problems.push(not_a_block(offset, next, len));
            }
            offset = next.unwrap_or(len);
            continue;
        };
        let left = len - block.offset;
        offset = block.offset + u64::from(block.len);
        if u64::from(block.len) > left {
            block.len = left as u32;
            block.is_cut = true;
        }
        blocks.push(block);
    }
    Ok(blocks)
}

fn not_a_block(offset: u64, next: Option<u64>, len: u64) -> FileProblem {
    let n = next.unwrap_or(len) - offset;
    let (code, message) = match next {
        None if n < BLOCK_HEAD as u64 => {
            (Code::Truncated, "the file ends in the head of a block".to_owned())
        }
        _ => (Code::DamagedRecord, format!("{n} bytes are no block")),
    };
    FileProblem { offset, code, message, n_lost: 0 }
}

/// The next place where a block begins.
fn next_block(file: &File, from: u64, len: u64) -> io::Result<Option<u64>> {
    let mut at = from;
    let mut bytes = vec![0; SEARCHED];
    while at < len {
        let n = read_at(file, at, &mut bytes)?;
        for found in memchr::memmem::find_iter(&bytes[..n], &BLOCK_MAGIC) {
            let mut head = [0; BLOCK_HEAD];
            let place = at + found as u64;
            if read_at(file, place, &mut head)? == BLOCK_HEAD
                && Block::parse(&head, place).is_some()
            {
                return Ok(Some(place));
            }
        }
        if n < SEARCHED {
            break;
        }
        at += (SEARCHED - BLOCK_MAGIC.len() + 1) as u64;
    }
    Ok(None)
}

/// Fills a buffer from an offset on, as far as the file goes.
fn read_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
