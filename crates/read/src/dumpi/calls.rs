//! The calls of a rank, one after the other.

use std::path::PathBuf;

use super::call::{Call, Clocks};
use super::clock::Clock;
use crate::cursor::{Broken, ByteOrder, Cursor, Field};
use crate::folder::read_piece;

/// The first bytes of every file of a rank.
pub(super) const MAGIC: [u8; 8] = [0xff, 0xaa, 0xdd, b'D', b'U', b'M', b'P', b'I'];

/// A call that does not fit into this much is taken for damage.
const MAX_CALL: usize = 64 << 20;

/// The file of a rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RankFile {
    pub rank: u32,
    pub path: PathBuf,
    /// Its number among the files of the trace.
    pub part: u32,
    pub size: u64,
}

/// What comes next in the file of a rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    Call,
    /// All calls have been read.
    End,
    /// The file ends in the middle of a call, or without its end.
    Cut,
    /// A call cannot be decoded; nothing tells where the next one begins.
    Damaged,
}

/// Walks through the calls of a file. It is open only while a piece of it is read.
pub(super) struct Calls {
    file: RankFile,
    piece_bytes: usize,
    buffer: Vec<u8>,
    /// Where in the file the buffer begins.
    base: u64,
    /// Where in the buffer the next call begins.
    at: usize,
    clocks: Option<Clocks>,
}

impl Calls {
    pub fn new(file: RankFile, piece_bytes: usize) -> Self {
        Self { file, piece_bytes, buffer: Vec::new(), base: 0, at: 0, clocks: None }
    }

    /// Where in the file the next call begins.
    pub fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// Decodes the next call.
    pub fn next(&mut self, call: &mut Call) -> std::io::Result<Next> {
        loop {
            let mut c = Cursor::new(&self.buffer, self.at, ByteOrder::Big);
            let decoded = match &mut self.clocks {
                None => match beginning(&mut c) {
                    Ok(clocks) => {
                        self.clocks = Some(clocks);
                        self.at = c.at;
                        continue;
                    }
                    Err(broken) => Err(broken),
                },
                Some(clocks) => call.decode(&mut c, clocks),
            };
            match decoded {
                Ok(true) => {
                    self.at = c.at;
                    return Ok(Next::Call);
                }
                Ok(false) => return Ok(Next::End),
                Err(Broken::Wrong) => return Ok(Next::Damaged),
                Err(Broken::Short) if self.base + self.buffer.len() as u64 >= self.file.size => {
                    return Ok(Next::Cut);
                }
                Err(Broken::Short) if self.buffer.len() - self.at >= MAX_CALL => {
                    return Ok(Next::Damaged);
                }
                Err(Broken::Short) => self.read_more()?,
            }
        }
    }

    /// Reads a piece from the beginning of the next call on: more than was there of it.
    fn read_more(&mut self) -> std::io::Result<()> {
        let waiting = self.buffer.len() - self.at;
        self.base += self.at as u64;
        self.at = 0;
        let want = self.piece_bytes.max(2 * waiting);
        read_piece(&self.file.path, self.base, want, &mut self.buffer)?;
        if self.buffer.len() <= waiting {
            // The file has become shorter.
            self.file.size = self.base + self.buffer.len() as u64;
        }
        Ok(())
    }
}

/// What stands before the calls: a mark, and what is to be added to the clocks.
fn beginning(c: &mut Cursor<'_>) -> Field<Clocks> {
    if c.bytes(MAGIC.len())? != MAGIC {
        return Err(Broken::Wrong);
    }
    let mut clock = || c.u32().map(|offset| Clock::new(offset.cast_signed()));
    Ok(Clocks { cpu: clock()?, wall: clock()? })
}
