//! Files of an archive: opened only where they belong, read in pieces, cut in chunks.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::cursor::{Broken, ByteOrder, Cursor, Field};

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

/// The folder of an archive, which no file of it may lie outside of.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    canonical: PathBuf,
}

/// Why a file of an archive is not read.
#[derive(Debug)]
pub(super) enum Refused {
    /// It is not there.
    Missing,
    /// A link leads out of the folder of the archive.
    Outside,
    /// It is not a regular file, or the system says no.
    Unreadable(io::Error),
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => write!(f, "is not there"),
            Self::Outside => write!(f, "leads out of the folder of the archive and is not read"),
            Self::Unreadable(error) => write!(f, "cannot be read: {error}"),
        }
    }
}

impl Folder {
    /// The folder that an anchor lies in.
    pub fn of(anchor: &Path) -> io::Result<Self> {
        let canonical = anchor.canonicalize()?;
        let parent = canonical.parent().unwrap_or(Path::new("/")).to_owned();
        Ok(Self { canonical: parent })
    }

    /// Looks at a file, which may then be opened without waiting; its length.
    pub fn check(&self, path: &Path) -> Result<u64, Refused> {
        let fail = |error: io::Error| match error.kind() {
            ErrorKind::NotFound => Refused::Missing,
            _ => Refused::Unreadable(error),
        };
        let canonical = path.canonicalize().map_err(fail)?;
        if !canonical.starts_with(&self.canonical) {
            return Err(Refused::Outside);
        }
        let metadata = std::fs::metadata(&canonical).map_err(fail)?;
        if !metadata.is_file() {
            return Err(Refused::Unreadable(io::Error::other("not a regular file")));
        }
        Ok(metadata.len())
    }
}

/// Reads up to `len` bytes from `offset` on; fewer at the end of the file. The file is open
/// only meanwhile, so that any number of files can be read in turn.
pub(super) fn read_piece(
    path: &Path,
    offset: u64,
    len: usize,
    buffer: &mut Vec<u8>,
) -> io::Result<()> {
    let file = File::open(path)?;
    buffer.resize(len, 0);
    let mut filled = 0;
    while filled < len {
        match file.read_at(&mut buffer[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    buffer.truncate(filled);
    Ok(())
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
            check_length(*c, here + (c.at - start) as u64, end_of_chunk)?;
            let mut payload = c.payload()?;
            match take(kind, &mut payload) {
                Ok(()) => Ok(Walked::Record),
                Err(_) => Ok(Walked::Damaged),
            }
        }
    }
}

/// A record never leads beyond its chunk; a length that says so is wrong.
#[inline]
pub(super) fn check_length(mut c: Cursor<'_>, here: u64, end_of_chunk: u64) -> Field<()> {
    let start = c.at;
    let length = c.length()?;
    let end = (here + (c.at - start) as u64).checked_add(length);
    match end {
        Some(end) if end <= end_of_chunk => Ok(()),
        _ => Err(Broken::Wrong),
    }
}
