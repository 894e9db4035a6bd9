//! Files of an archive are cut in chunks.

use std::io;
use std::path::Path;

use crate::cursor::{Broken, ByteOrder, Cursor, Field};
use crate::folder::read_piece;

/// A record that does not fit into this much is taken for damage.
pub(super) const MAX_RECORD: usize = 64 << 20;

/// How much of a definition file is read at once.
const PIECE: usize = 1 << 20;

/// What comes next in a file of chunks.
pub(super) enum Frame {
    /// A record of this kind.
    Record(u8),
    /// The header of a chunk, which says nothing that is needed.
    ChunkHeader,
    /// Nothing more in this chunk.
    EndOfChunk,
    /// Nothing more in this file.
    EndOfFile,
}

/// Reads what stands before the fields of a record.
#[inline(always)]
pub(super) fn frame(c: &mut Cursor<'_>) -> Field<Frame> {
    match c.u8()? {
        0 => Ok(Frame::EndOfChunk),
        1 | 2 => Ok(Frame::EndOfFile),
        3 => {
            c.bytes(CHUNK_HEADER - 1)?;
            Ok(Frame::ChunkHeader)
        }
        kind => Ok(Frame::Record(kind)),
    }
}

/// A mark, the byte order, and the numbers of the first and the last record.
const CHUNK_HEADER: usize = 18;

/// Where the chunk after the one that holds `offset` begins.
pub(super) fn next_chunk(offset: u64, chunk: u64) -> u64 {
    (offset / chunk + 1).saturating_mul(chunk)
}

/// What is wrong with a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// A record cannot be decoded.
    Record,
    /// The length of a record leads beyond its chunk; the rest of the chunk is not read.
    Chunk,
    /// The file ends in the middle.
    Cut,
    /// It is not a file of an archive.
    Foreign,
}

/// Goes through all records of a definition file. `take` gets the kind of a record and its
/// payload; `fault` gets what is wrong, and where.
pub(super) fn walk(
    path: &Path,
    len: u64,
    chunk: u64,
    mut take: impl FnMut(u8, &mut Cursor<'_>) -> Field<()>,
    mut fault: impl FnMut(Fault, u64),
) -> io::Result<()> {
    let (mut offset, mut want) = (0, PIECE);
    let mut buffer = Vec::new();
    let mut order = None;
    loop {
        read_piece(path, offset, want, &mut buffer)?;
        if order.is_none() {
            order = buffer.get(1).copied().and_then(ByteOrder::of);
        }
        let Some(order) = order else {
            fault(Fault::Foreign, 0);
            return Ok(());
        };
        let mut c = Cursor::new(&buffer, 0, order);
        let goes_on = loop {
            let start = c.at;
            let here = offset + start as u64;
            let jump = next_chunk(here, chunk);
            let (next, goes_on) = match step(&mut c, here, jump, &mut take) {
                Ok(Walked::Record) => continue,
                Ok(Walked::Damaged) => {
                    fault(Fault::Record, here);
                    continue;
                }
                Ok(Walked::EndOfChunk) => (jump, jump < len),
                Ok(Walked::EndOfFile) => return Ok(()),
                Err(Broken::Wrong) => {
                    fault(Fault::Chunk, here);
                    (jump, jump < len)
                }
                Err(Broken::Short) => (here, offset.saturating_add(buffer.len() as u64) < len),
            };
            want = if next == offset { want * 2 } else { PIECE };
            offset = next;
            break goes_on && want <= MAX_RECORD;
        };
        if !goes_on {
            fault(Fault::Cut, offset.min(len));
            return Ok(());
        }
    }
}

enum Walked {
    Record,
    Damaged,
    EndOfChunk,
    EndOfFile,
}

fn step(
    c: &mut Cursor<'_>,
    here: u64,
    end_of_chunk: u64,
    take: &mut impl FnMut(u8, &mut Cursor<'_>) -> Field<()>,
) -> Field<Walked> {
    let start = c.at;
    match frame(c)? {
        Frame::ChunkHeader => Ok(Walked::Record),
        Frame::EndOfChunk => Ok(Walked::EndOfChunk),
        Frame::EndOfFile => Ok(Walked::EndOfFile),
        Frame::Record(kind) => {
            let mut payload = payload(c, here + (c.at - start) as u64, end_of_chunk)?;
            match take(kind, &mut payload) {
                Ok(()) => Ok(Walked::Record),
                Err(_) => Ok(Walked::Damaged),
            }
        }
    }
}

/// The payload of a record, whose length comes next. A record never leads beyond its chunk; a
/// length that says so is wrong.
#[inline(always)]
pub(super) fn payload<'a>(c: &mut Cursor<'a>, here: u64, end_of_chunk: u64) -> Field<Cursor<'a>> {
    let mut after = *c;
    let length = after.length()?;
    let end = (here + (after.at - c.at) as u64).checked_add(length);
    match end {
        Some(end) if end <= end_of_chunk => c.payload(),
        _ => Err(Broken::Wrong),
    }
}
