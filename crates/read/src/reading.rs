//! What all formats have in common: how to read, what a reading tells besides records, and why
//! it may fail.

use std::fmt;
use std::io;
use std::path::PathBuf;

use onca_model::{Strictness, TimeUnit};

/// How to read.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// Ticks per unit, as a power of ten, where the format does not tell its own.
    pub tick_exponent: u8,
    /// Whether the first problem ends the reading.
    pub strictness: Strictness,
    /// Also look for what only strict reading does not accept.
    pub pedantic: bool,
    /// How many threads decode.
    pub threads: usize,
    /// The number of the first file that is read: positions refer to files by number.
    pub part: u32,
    /// How much is decoded as one piece, in bytes.
    pub block_bytes: usize,
    /// How much memory the whole work may take, in bytes; what a format sorts takes a part of it.
    pub memory: usize,
    /// Somebody still writes it: what is not complete at its end is left out and no problem. Formats that
    /// cannot be followed do not ask.
    pub growing: bool,
}

/// The files of a source.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileList {
    /// Those that are read, the first one first: positions refer to them by number.
    pub read: Vec<PathBuf>,
    /// Those that belong to it and are not read: they are not there, or are refused. If one of
    /// them changes, the source does.
    pub unread: Vec<PathBuf>,
}

impl FileList {
    /// Adds a file that is read; its number.
    pub fn push(&mut self, path: PathBuf) -> u32 {
        self.read.push(path);
        self.read.len() as u32 - 1
    }

    /// The number of the next file that is read.
    pub fn next_part(&self) -> u32 {
        self.read.len() as u32
    }
}

/// How much is decoded as one piece by default: from 64 KiB to 4 MiB makes no difference, more
/// is slower.
pub const DEFAULT_BLOCK_BYTES: usize = 1 << 20;

/// Who wrote a trace, and in which unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The format does not say. The first bytes may hold comments that do.
    Unsaid {
        /// The first bytes of the source.
        head: Vec<u8>,
    },
    /// The format says.
    Said {
        /// The unit of its times, and how many ticks it has.
        unit: TimeUnit,
        /// The program that wrote it.
        producer: Option<String>,
        /// The clocks of its processes were made to agree.
        corrected_clocks: bool,
    },
}

/// What was learnt about a source besides its records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceEnd {
    /// Who wrote it, and in which unit.
    pub origin: Origin,
    /// The length of all its files, decompressed.
    pub bytes: u64,
    /// It ends too early.
    pub truncated: bool,
}

/// Why a source could not be read to its end.
#[derive(Debug)]
pub enum ReadError {
    /// The system says no.
    Io(io::Error),
    /// It cannot be read: what it is.
    Format(&'static str),
    /// It is of a known format, but not as it should be: what is wrong.
    Invalid(String),
    /// The consumer has had enough.
    Stopped,
    /// A thread failed; this is a bug.
    WorkerFailed,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Format(what) => write!(f, "not a trace that can be read: it looks like {what}"),
            Self::Invalid(what) => write!(f, "{what}"),
            Self::Stopped => write!(f, "stopped"),
            Self::WorkerFailed => write!(f, "internal error while decoding"),
        }
    }
}

impl std::error::Error for ReadError {}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
