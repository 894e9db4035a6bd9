//! Long texts are packed on a thread of their own, while rows go on coming.

use std::{
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread::{Builder, JoinHandle},
};

use crate::{
    build::data_writer::Compressor,
    error::{Result, StoreError, io_error},
    format::block::cold,
};

/// The texts of a lane, packed.
#[derive(Clone)]
pub(crate) struct PackedTexts {
    pub lane: u32,
    /// The first and the last row that has any.
    pub rows: (u64, u64),
    pub bytes: Vec<u8>,
    /// Their length before they were compressed; 0 if they were not.
    pub raw_len: u32,
}

/// Packs one buffer of texts at a time. The next waits for it, so that what is written, and where,
/// does not depend on who is faster.
#[derive(Default)]
pub(crate) struct TextPacker {
    worker: Option<Worker>,
    is_busy: bool,
    /// What is ready, and not collected yet.
    ready: Option<PackedTexts>,
}

struct Worker {
    work: Option<SyncSender<(u32, Vec<u8>)>>,
    done: Receiver<PackedTexts>,
    thread: Option<JoinHandle<()>>,
}

impl TextPacker {
    /// Takes the texts of a lane. What was packed before must have been collected.
    pub(crate) fn start(&mut self, lane: u32, buffer: Vec<u8>) -> Result<()> {
        let worker = match &mut self.worker {
            Some(worker) => worker,
            none => none.insert(Worker::new()?),
        };
        self.is_busy = true;
        let sent = worker.work.as_ref().map(|work| work.send((lane, buffer)));
        if matches!(sent, Some(Ok(()))) { Ok(()) } else { Err(stopped()) }
    }

    /// What was packed since the last time, when it is ready.
    pub(crate) fn collect(&mut self) -> Result<Option<PackedTexts>> {
        self.wait()?;
        Ok(self.ready.take())
    }

    /// A packer with which the same can be collected.
    pub(crate) fn fork(&mut self) -> Result<Self> {
        self.wait()?;
        Ok(Self { worker: None, is_busy: false, ready: self.ready.clone() })
    }

    /// Waits until nothing is being packed.
    fn wait(&mut self) -> Result<()> {
        if let Some(worker) = &self.worker
            && std::mem::take(&mut self.is_busy)
        {
            self.ready = Some(worker.done.recv().map_err(|_| stopped())?);
        }
        Ok(())
    }
}

fn stopped() -> StoreError {
    io_error("pack texts")(std::io::Error::other("the thread for it has stopped"))
}

impl Worker {
    fn new() -> Result<Self> {
        let mut compressor = Compressor::new()?;
        let (work, buffers) = sync_channel::<(u32, Vec<u8>)>(1);
        let (packed, done) = sync_channel(1);
        let pack = move || {
            for (lane, buffer) in buffers {
                if packed.send(pack(&mut compressor, lane, &buffer)).is_err() {
                    return;
                }
            }
        };
        let thread = Builder::new().name("texts".to_owned()).spawn(pack);
        let thread = thread.map_err(io_error("start a thread"))?;
        Ok(Self { work: Some(work), done, thread: Some(thread) })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.work.take());
        if let Some(thread) = self.thread.take() {
            // If it panicked, whoever waited for it was told.
            let _ = thread.join();
        }
    }
}

fn pack(compressor: &mut Compressor, lane: u32, buffer: &[u8]) -> PackedTexts {
    let mut raw = Vec::with_capacity(buffer.len());
    let rows = cold::encode(buffer, &mut raw);
    let (bytes, raw_len) = match compressor.compress(&raw) {
        Some(small) => (small, raw.len() as u32),
        None => (raw, 0),
    };
    PackedTexts { lane, rows, bytes, raw_len }
}
