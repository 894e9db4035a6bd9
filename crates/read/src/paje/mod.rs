//! The Pajé format.
//!
//! One thread at a time takes a block of lines from the input and reads the header lines in
//! it, in file order; all threads decode blocks; one at a time hands decoded batches to the
//! consumer, again in file order. No thread has a fixed role, so none waits while there is
//! anything to do.

mod blocks;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only `short` uses all"))]
mod cache;
mod color;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only `short` uses all"))]
mod decode;
mod event;
mod header;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only `short` uses all"))]
mod layout;
mod locate;
mod number;
mod rare;
#[cfg(target_arch = "x86_64")]
mod short;
mod token;
#[cfg(target_arch = "x86_64")]
mod window;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use onca_model::Strictness;

use crate::batch::{Batch, BatchConsumer};
use crate::detect::{Format, detect};
use crate::source::{Input, Progress};
use crate::symbols::Symbols;
use blocks::{Block, BlockReader};
use decode::Decoder;
use layout::Layouts;

/// How to read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Ticks per unit, as a power of ten.
    pub tick_exponent: u8,
    /// Whether the first problem ends the reading.
    pub strictness: Strictness,
    /// How many threads decode.
    pub threads: usize,
    /// Which part of a trace in several files this is.
    pub part: u32,
    /// How much is decoded as one piece, in bytes.
    pub block_bytes: usize,
}

/// How much is decoded as one piece unless told: from 64 KiB to 4 MiB makes no difference, more
/// is slower.
pub const DEFAULT_BLOCK_BYTES: usize = 1 << 20;

/// Event definitions that a part of a trace inherits from the file that names it.
#[derive(Clone, Default)]
pub struct Definitions(Layouts);

/// What was learnt about a file besides its records.
pub struct FileEnd {
    /// The definitions in force at its end.
    pub definitions: Definitions,
    /// Its first bytes: comments in them tell who wrote it.
    pub head: Vec<u8>,
    /// Its length in bytes, decompressed.
    pub bytes: u64,
    /// The compressed stream was cut.
    pub truncated: bool,
}

/// Why a file could not be read to its end.
#[derive(Debug)]
pub enum ReadError {
    /// The system says no.
    Io(io::Error),
    /// It is not a Pajé trace.
    Format(&'static str),
    /// The consumer has had enough.
    Stopped,
    /// A thread failed; this is a bug.
    WorkerFailed,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Format(what) => write!(f, "not a Pajé trace: it looks like {what}"),
            Self::Stopped => write!(f, "stopped"),
            Self::WorkerFailed => write!(f, "internal error while decoding"),
        }
    }
}

impl std::error::Error for ReadError {}

/// Blocks that may be under way at once, for each thread: enough to keep all cores busy, few
/// enough to keep memory flat.
const BLOCKS_PER_THREAD: usize = 2;

/// Reads one file and hands its records to the consumer in file order.
pub fn read(
    input: Input,
    symbols: &Symbols,
    inherited: Definitions,
    options: Options,
    progress: &Progress,
    consumer: &mut dyn BatchConsumer,
) -> Result<FileEnd, ReadError> {
    let strict = options.strictness == Strictness::Strict;
    let mut blocks = BlockReader::new(input, inherited.0.inherit(), strict, options.block_bytes);
    blocks.fill_first().map_err(ReadError::Io)?;
    if let Format::Unsupported(what) = detect(blocks.head()) {
        return Err(ReadError::Format(what));
    }
    let shared = Shared {
        blocks: Mutex::new(blocks),
        turn: Mutex::new(Turn::default()),
        turned: Condvar::new(),
        consumer: Mutex::new(Sequencer { consumer, next_line: 1 }),
        symbols,
        options,
        progress,
    };
    let panicked = std::thread::scope(|scope| {
        let workers: Vec<_> =
            (1..options.threads.max(1)).map(|_| scope.spawn(|| shared.work())).collect();
        shared.work();
        workers.into_iter().any(|worker| worker.join().is_err())
    });
    if panicked {
        return Err(ReadError::WorkerFailed);
    }
    let blocks = shared.blocks.into_inner().unwrap_or_else(PoisonError::into_inner);
    let turn = shared.turn.into_inner().unwrap_or_else(PoisonError::into_inner);
    match turn.failed {
        Some(error) => Err(error),
        None => Ok(FileEnd {
            definitions: Definitions(blocks.layouts().clone()),
            head: blocks.head().to_vec(),
            bytes: blocks.bytes(),
            truncated: blocks.truncated(),
        }),
    }
}

/// What the threads share. Locks are taken in the order of the fields and held briefly, except
/// `consumer`, whose holder applies batches.
struct Shared<'a> {
    blocks: Mutex<BlockReader>,
    consumer: Mutex<Sequencer<'a>>,
    turn: Mutex<Turn>,
    turned: Condvar,
    symbols: &'a Symbols,
    options: Options,
    progress: &'a Progress,
}

struct Sequencer<'a> {
    consumer: &'a mut dyn BatchConsumer,
    next_line: u64,
}

/// Where the work stands.
#[derive(Default)]
struct Turn {
    /// Blocks taken from the input.
    taken: u64,
    /// Batches handed to the consumer.
    applied: u64,
    /// Batches that wait for their turn.
    decoded: BTreeMap<u64, Batch>,
    /// Batches to be used again.
    spare: Vec<Batch>,
    /// There is no more input.
    ended: bool,
    failed: Option<ReadError>,
}

impl Turn {
    fn finished(&self) -> bool {
        self.failed.is_some() || self.ended && self.applied == self.taken
    }
}

/// What a thread does next.
enum Task {
    Apply,
    Decode,
    Stop,
}

impl<'a> Shared<'a> {
    fn work(&self) {
        let mut decoder = Decoder::new(self.symbols, self.options.tick_exponent);
        loop {
            match self.next_task() {
                Task::Stop => break,
                Task::Apply => self.apply_ready(),
                Task::Decode => self.decode_one(&mut decoder),
            }
        }
        self.turned.notify_all();
    }

    /// Applies if it can, else decodes if it may, else waits.
    fn next_task(&self) -> Task {
        let mut turn = lock(&self.turn);
        loop {
            if turn.finished() {
                return Task::Stop;
            }
            let next = turn.applied;
            if turn.decoded.contains_key(&next) && self.consumer.try_lock().is_ok() {
                return Task::Apply;
            }
            let outstanding = (turn.taken - turn.applied) as usize;
            if !turn.ended && outstanding < BLOCKS_PER_THREAD * self.options.threads.max(1) {
                return Task::Decode;
            }
            turn = self.turned.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Hands over all batches whose turn it is, unless another thread is at it.
    fn apply_ready(&self) {
        let Ok(mut sequencer) = self.consumer.try_lock() else { return };
        loop {
            let mut batch = {
                let mut turn = lock(&self.turn);
                let next = turn.applied;
                match turn.decoded.remove(&next) {
                    Some(batch) if turn.failed.is_none() => batch,
                    _ => break,
                }
            };
            let flow = sequencer.apply(&mut batch, self.options.part);
            let mut turn = lock(&self.turn);
            turn.applied += 1;
            batch.clear();
            turn.spare.push(batch);
            if flow.is_break() || self.progress.is_cancelled() {
                turn.failed.get_or_insert(ReadError::Stopped);
            }
            drop(turn);
            self.turned.notify_all();
        }
        drop(sequencer);
        // A batch may have become ready while the lock was still held.
        self.turned.notify_all();
    }

    fn decode_one(&self, decoder: &mut Decoder<'_>) {
        let mut batch = lock(&self.turn).spare.pop().unwrap_or_default();
        let (number, block) = {
            let mut blocks = lock(&self.blocks);
            let block = blocks.next(&mut batch, self.symbols);
            let mut turn = lock(&self.turn);
            match block {
                Ok(Some(block)) => {
                    turn.taken += 1;
                    (turn.taken - 1, block)
                }
                Ok(None) => {
                    turn.ended = true;
                    return;
                }
                Err(error) => {
                    turn.failed.get_or_insert(ReadError::Io(error));
                    return;
                }
            }
        };
        if let Block::Lines { len, layouts, cut } = block {
            decoder.decode(&mut batch, len, &layouts);
            if cut {
                blocks::note_cut_line(&mut batch, len);
            }
        }
        lock(&self.turn).decoded.insert(number, batch);
        self.turned.notify_all();
    }
}

impl Sequencer<'_> {
    fn apply(&mut self, batch: &mut Batch, part: u32) -> ControlFlow<()> {
        batch.first_line = self.next_line;
        batch.part = part;
        self.next_line += batch.n_lines;
        self.consumer.accept(batch)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
