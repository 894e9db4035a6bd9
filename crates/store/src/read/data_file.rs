//! The data file: chunks are read whole, and checked on first use.

use std::{
    fs::File,
    os::unix::fs::FileExt,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use hashbrown::HashMap;

use crate::{
    error::{Result, damaged, io_error},
    format::block::Parsed,
    format::codec::PAD,
    format::directory::{ChunkEntry, MAX_RAW},
};

/// A chunk in memory, checked, followed by [`PAD`] bytes.
pub(crate) struct Chunk {
    bytes: Box<[u8]>,
    /// The header of the block at its start. Large blocks have a chunk of their own, so this
    /// saves parsing where that costs; tiny ones are parsed at every use.
    pub head: OnceLock<Parsed>,
}

impl Chunk {
    /// The bytes, padding included.
    pub(crate) fn padded(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes that were written.
    pub(crate) fn content(&self) -> &[u8] {
        &self.bytes[..self.bytes.len() - PAD]
    }
}

/// Reads chunks and keeps the latest used.
pub(crate) struct DataReader {
    file: File,
    tail: Option<Tail>,
    shards: Vec<Mutex<Shard>>,
    shard_bytes: usize,
}

/// What of the data lies in a second file: that of a look at a store in the making.
pub(crate) struct Tail {
    pub file: File,
    /// Where it begins among all data.
    pub offset: u64,
}

const N_SHARDS: usize = 16;

/// Chunks by number, evicted by the second-chance rule: a hit only sets a flag.
#[derive(Default)]
struct Shard {
    held: HashMap<u32, Slot, foldhash::fast::FixedState>,
    queue: std::collections::VecDeque<u32>,
    bytes: usize,
}

struct Slot {
    chunk: Arc<Chunk>,
    used: AtomicBool,
}

impl DataReader {
    pub(crate) fn new(file: File, cache_bytes: usize) -> Self {
        let shards = (0..N_SHARDS).map(|_| Mutex::default()).collect();
        Self { file, tail: None, shards, shard_bytes: cache_bytes / N_SHARDS }
    }

    /// A reader of data that ends in another file.
    pub(crate) fn with_tail(file: File, tail: Tail, cache_bytes: usize) -> Self {
        Self { tail: Some(tail), ..Self::new(file, cache_bytes) }
    }

    /// The file that holds what is at an offset, and where in it that is.
    fn place(&self, offset: u64) -> (&File, u64) {
        match &self.tail {
            Some(tail) if offset >= tail.offset => (&tail.file, offset - tail.offset),
            _ => (&self.file, offset),
        }
    }

    pub(crate) fn length(&self) -> std::io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// The chunk with this number, from memory or from the file.
    pub(crate) fn chunk(&self, number: u32, entry: &ChunkEntry) -> Result<Arc<Chunk>> {
        let shard = &self.shards[number as usize % N_SHARDS];
        if let Some(slot) = lock(shard).held.get(&number) {
            slot.used.store(true, Ordering::Relaxed);
            return Ok(Arc::clone(&slot.chunk));
        }
        // Read without the lock; two threads may both read it, which is harmless.
        let chunk = Arc::new(self.read(entry)?);
        lock(shard).insert(number, Arc::clone(&chunk), self.shard_bytes);
        Ok(chunk)
    }

    /// Is the chunk with this number in memory?
    pub(crate) fn holds(&self, number: u32) -> bool {
        lock(&self.shards[number as usize % N_SHARDS]).held.contains_key(&number)
    }

    /// Reads and checks a chunk, past the cache.
    pub(crate) fn read(&self, entry: &ChunkEntry) -> Result<Chunk> {
        // Memory that is new is zero already.
        let mut bytes = vec![0; entry.len as usize + PAD];
        self.read_into(entry, &mut bytes)?;
        Ok(Chunk { bytes: bytes.into_boxed_slice(), head: OnceLock::new() })
    }

    /// Reads and checks a chunk into a buffer that may be used again, past the cache. Returns its
    /// bytes, followed by [`PAD`] more.
    pub(crate) fn read_into<'b>(
        &self,
        entry: &ChunkEntry,
        buffer: &'b mut Vec<u8>,
    ) -> Result<&'b [u8]> {
        let len = entry.len as usize;
        buffer.resize(len + PAD, 0);
        let (file, offset) = self.place(entry.offset);
        file.read_exact_at(&mut buffer[..len], offset).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => damaged("the data file is cut short"),
            _ => io_error("read the data file")(error),
        })?;
        if crc32fast::hash(&buffer[..len]) != entry.crc {
            let what = format!("the chunk at byte {} does not fit its checksum", entry.offset);
            return Err(damaged(what));
        }
        if entry.raw_len != 0 {
            *buffer = unpack(&buffer[..len], entry)?;
        }
        Ok(buffer)
    }
}

fn unpack(stored: &[u8], entry: &ChunkEntry) -> Result<Vec<u8>> {
    let fail = || damaged(format!("the chunk at byte {} cannot be decompressed", entry.offset));
    if entry.raw_len > MAX_RAW {
        return Err(fail());
    }
    let raw_len = entry.raw_len as usize;
    let mut raw = vec![0; raw_len + PAD];
    match zstd::bulk::decompress_to_buffer(stored, &mut raw[..raw_len]) {
        Ok(n) if n == raw_len => Ok(raw),
        _ => Err(fail()),
    }
}

/// The cache holds only whole chunks, so a panic elsewhere cannot have left it half changed.
fn lock(shard: &Mutex<Shard>) -> std::sync::MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shard {
    fn insert(&mut self, number: u32, chunk: Arc<Chunk>, bound: usize) {
        let size = weight(&chunk);
        if size > bound || self.held.contains_key(&number) {
            return;
        }
        while self.bytes + size > bound {
            let Some(oldest) = self.queue.pop_front() else { break };
            match self.held.get(&oldest) {
                Some(slot) if slot.used.swap(false, Ordering::Relaxed) => {
                    self.queue.push_back(oldest);
                }
                Some(slot) => {
                    self.bytes -= weight(&slot.chunk);
                    self.held.remove(&oldest);
                }
                None => {}
            }
        }
        self.bytes += size;
        self.queue.push_back(number);
        self.held.insert(number, Slot { chunk, used: AtomicBool::new(false) });
    }
}

/// What a chunk counts against the bound: a parsed header is at most about as long as its bytes.
fn weight(chunk: &Chunk) -> usize {
    chunk.bytes.len() * 2 + 256
}
