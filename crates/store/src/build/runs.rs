//! Sorted runs in a temporary file, for what does not fit in memory.

use std::{
    fs::File,
    io::{BufWriter, Write},
    os::unix::fs::FileExt,
    path::PathBuf,
};

use crate::error::{Result, io_error};

/// A file of runs. It has no name any more when it is used, so that a killed builder leaves none.
pub(crate) struct RunFile {
    path: PathBuf,
    file: Option<BufWriter<File>>,
    length: u64,
    run_start: u64,
    /// Where each run lies.
    runs: Vec<(u64, u64)>,
}

impl RunFile {
    /// The file will be made at `path` when it is first written to.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, file: None, length: 0, run_start: 0, runs: Vec::new() }
    }

    /// A file that is not written to.
    pub(crate) fn nowhere() -> Self {
        Self::new(PathBuf::new())
    }

    /// The same runs for another reader, who must not write.
    pub(crate) fn share(&mut self) -> Result<Self> {
        let fail = || io_error("write a temporary file");
        let file = match &mut self.file {
            None => None,
            Some(file) => {
                file.flush().map_err(fail())?;
                let shared = file.get_ref().try_clone().map_err(fail())?;
                Some(BufWriter::with_capacity(0, shared))
            }
        };
        let Self { length, run_start, .. } = *self;
        Ok(Self { path: PathBuf::new(), file, length, run_start, runs: self.runs.clone() })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        if self.file.is_none() {
            let fail = || io_error(format!("create {}", self.path.display()));
            let mut options = File::options();
            let file = options.read(true).write(true).create_new(true).open(&self.path);
            let file = file.map_err(fail())?;
            std::fs::remove_file(&self.path).map_err(fail())?;
            self.file = Some(BufWriter::with_capacity(1 << 18, file));
        }
        let file = self.file.as_mut().expect("just made");
        file.write_all(bytes).map_err(io_error("write a temporary file"))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Ends the current run.
    pub(crate) fn end_run(&mut self) {
        if self.length > self.run_start {
            self.runs.push((self.run_start, self.length));
            self.run_start = self.length;
        }
    }

    /// Readers of all runs, in order, sharing `memory` bytes of buffers.
    pub(crate) fn into_readers(self, memory: usize) -> Result<(Option<File>, Vec<RunReader>)> {
        let file = match self.file {
            Some(file) => Some(
                file.into_inner()
                    .map_err(|error| io_error("write a temporary file")(error.into_error()))?,
            ),
            None => None,
        };
        let size = (memory / self.runs.len().max(1)).clamp(4 << 10, 1 << 20);
        let readers = self.runs.iter().map(|&(at, end)| RunReader::new(at, end, size));
        Ok((file, readers.collect()))
    }
}

/// Reads one run from start to end.
pub(crate) struct RunReader {
    at: u64,
    end: u64,
    buffer: Vec<u8>,
    used: usize,
    size: usize,
}

impl RunReader {
    fn new(at: u64, end: u64, size: usize) -> Self {
        Self { at, end, buffer: Vec::new(), used: 0, size }
    }

    /// Is everything read?
    pub(crate) fn is_done(&self) -> bool {
        self.used == self.buffer.len() && self.at == self.end
    }

    /// The next `n` bytes; the caller knows that the run has them.
    pub(crate) fn next(&mut self, file: &File, n: usize) -> Result<&[u8]> {
        if self.buffer.len() - self.used < n {
            self.buffer.drain(..self.used);
            self.used = 0;
            let held = self.buffer.len();
            let wanted = (self.size.max(n - held) as u64).min(self.end - self.at) as usize;
            self.buffer.resize(held + wanted, 0);
            file.read_exact_at(&mut self.buffer[held..], self.at)
                .map_err(io_error("read a temporary file"))?;
            self.at += wanted as u64;
        }
        let taken = self.buffer.get(self.used..self.used + n).ok_or_else(|| {
            io_error("read a temporary file")(std::io::ErrorKind::UnexpectedEof.into())
        })?;
        self.used += n;
        Ok(taken)
    }
}
