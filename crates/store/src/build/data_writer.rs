//! The data file in the making: chunks appended one after the other.

use std::{fs::File, io::Write, path::PathBuf};

use crate::{
    error::{Result, bad_input, io_error},
    format::directory::{ChunkEntry, MAX_RAW},
};

const WRITE_BUFFER: usize = 1 << 20;
const COLD_LEVEL: i32 = 1;

/// Appends chunks.
pub(crate) struct DataWriter {
    file: File,
    path: PathBuf,
    buffer: Vec<u8>,
    length: u64,
    chunks: Vec<ChunkEntry>,
    compressor: Compressor,
}

/// Compresses chunks of texts.
pub(crate) struct Compressor(zstd::bulk::Compressor<'static>);

impl Compressor {
    pub(crate) fn new() -> Result<Self> {
        let compressor = zstd::bulk::Compressor::new(COLD_LEVEL);
        compressor.map(Self).map_err(io_error("set up compression"))
    }

    /// The bytes compressed; nothing if that does not make them smaller.
    pub(crate) fn compress(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        self.0.compress(bytes).ok().filter(|small| small.len() < bytes.len())
    }
}

/// Room for the table of chunks, so that it is not copied while it grows: memory that is not
/// written to yet costs nothing.
const ROOM_FOR_CHUNKS: usize = 1 << 18;

impl DataWriter {
    pub(crate) fn new(file: File, path: PathBuf) -> Result<Self> {
        let compressor = Compressor::new()?;
        let buffer = Vec::with_capacity(WRITE_BUFFER);
        Ok(Self {
            file,
            path,
            buffer,
            length: 0,
            chunks: Vec::with_capacity(ROOM_FOR_CHUNKS),
            compressor,
        })
    }

    /// A writer that goes on from here in a file of its own, which has only what comes now.
    pub(crate) fn fork(&mut self, file: File) -> Result<Self> {
        self.flush()?;
        let (path, chunks) = (self.path.clone(), self.chunks.clone());
        let (buffer, compressor) = (Vec::new(), Compressor::new()?);
        Ok(Self { file, path, buffer, length: self.length, chunks, compressor })
    }

    /// Bytes of all chunks so far.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The number of a chunk that will be written later.
    pub(crate) fn reserve(&mut self) -> u32 {
        self.chunks.push(ChunkEntry::default());
        self.chunks.len() as u32 - 1
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<u32> {
        let chunk = self.reserve();
        self.write(chunk, bytes, 0)?;
        Ok(chunk)
    }

    /// Writes a reserved chunk.
    pub(crate) fn fill(&mut self, chunk: u32, bytes: &[u8]) -> Result<()> {
        self.write(chunk, bytes, 0)
    }

    /// Writes a reserved chunk, compressed if that makes it smaller.
    pub(crate) fn fill_compressed(&mut self, chunk: u32, bytes: &[u8]) -> Result<()> {
        match self.compressor.compress(bytes) {
            Some(small) => self.write(chunk, &small, bytes.len() as u32),
            None => self.write(chunk, bytes, 0),
        }
    }

    /// Writes a chunk that is compressed already, from this many bytes; from 0 if it is not.
    pub(crate) fn append_compressed(&mut self, bytes: &[u8], raw_len: u32) -> Result<u32> {
        let chunk = self.reserve();
        self.write(chunk, bytes, raw_len)?;
        Ok(chunk)
    }

    fn write(&mut self, chunk: u32, bytes: &[u8], raw_len: u32) -> Result<()> {
        let len = u32::try_from(bytes.len())
            .ok()
            .filter(|&len| len.max(raw_len) <= MAX_RAW)
            .ok_or_else(|| bad_input("a block of more than 1 GiB"))?;
        let crc = crc32fast::hash(bytes);
        self.chunks[chunk as usize] = ChunkEntry { offset: self.length, len, raw_len, crc };
        self.length += u64::from(len);
        if self.buffer.len() + bytes.len() > WRITE_BUFFER {
            self.flush()?;
        }
        if bytes.len() >= WRITE_BUFFER {
            let what = format!("write {}", self.path.display());
            return self.file.write_all(bytes).map_err(io_error(what));
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let what = || format!("write {}", self.path.display());
        self.file.write_all(&self.buffer).map_err(|error| io_error(what())(error))?;
        self.buffer.clear();
        Ok(())
    }

    /// The file with everything written, for the caller to fsync, and its chunks.
    pub(crate) fn finish(mut self) -> Result<(File, Vec<ChunkEntry>)> {
        self.flush()?;
        Ok((self.file, self.chunks))
    }
}
