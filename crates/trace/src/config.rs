//! What the environment and the program say about a trace.

use std::env;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::ring::LEAST_CAPACITY;

/// In what form a trace is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// The format of this library, compact and checked.
    #[default]
    Onct,
    /// Pajé text, for other tools.
    Paje,
}

/// What happens to a record when the buffer of its thread is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Overflow {
    /// The thread waits until there is room.
    #[default]
    Block,
    /// The record is dropped, and counted in the trace.
    Drop,
}

/// How to write a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Where: `%p` stands for the process id, `%r` for the rank, `%h` for the host.
    pub path: PathBuf,
    /// In what form.
    pub format: Format,
    /// What happens when a buffer is full.
    pub overflow: Overflow,
    /// How many records the buffer of a thread has room for, about: the next power of two, at least 1024.
    pub capacity: usize,
    /// How long a record waits at most before it is written.
    pub interval: Duration,
    /// Save what is in the buffers when a fatal signal ends the program.
    pub catch_signals: bool,
}

impl Options {
    /// A trace in a file, with everything else by default.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            format: Format::default(),
            overflow: Overflow::default(),
            capacity: 1 << 16,
            interval: Duration::from_millis(100),
            catch_signals: true,
        }
    }

    /// The same, changed by the environment; `None` when it says that nothing is to be recorded.
    pub(crate) fn changed_by_environment(mut self) -> io::Result<Option<Self>> {
        match word("ONCA_TRACE").as_deref() {
            Some("off" | "0" | "no" | "false") => return Ok(None),
            None | Some("" | "on" | "1" | "yes" | "true") => {}
            Some(other) => return Err(wrong("ONCA_TRACE", other, "on or off")),
        }
        if let Some(path) = env::var_os("ONCA_TRACE_FILE").filter(|path| !path.is_empty()) {
            self.path = path.into();
        }
        match word("ONCA_TRACE_FORMAT").as_deref() {
            None | Some("") => {}
            Some("onct") => self.format = Format::Onct,
            Some("paje") => self.format = Format::Paje,
            Some(other) => return Err(wrong("ONCA_TRACE_FORMAT", other, "onct or paje")),
        }
        match word("ONCA_TRACE_OVERFLOW").as_deref() {
            None | Some("") => {}
            Some("block") => self.overflow = Overflow::Block,
            Some("drop") => self.overflow = Overflow::Drop,
            Some(other) => return Err(wrong("ONCA_TRACE_OVERFLOW", other, "block or drop")),
        }
        if let Some(capacity) = word("ONCA_TRACE_BUFFER").filter(|text| !text.is_empty()) {
            let wrong = || wrong("ONCA_TRACE_BUFFER", &capacity, "a number of records");
            self.capacity = capacity.parse().map_err(|_| wrong())?;
        }
        Ok(Some(self))
    }

    /// Slots of a ring.
    pub(crate) fn slots(&self) -> u64 {
        self.capacity.clamp(LEAST_CAPACITY, 1 << 26).next_power_of_two() as u64
    }

    /// The path with everything that stands for something else put in.
    pub(crate) fn real_path(&self) -> PathBuf {
        expand(&self.path, std::process::id(), &rank().unwrap_or_else(|| "0".to_owned()), &host())
    }
}

fn word(name: &str) -> Option<String> {
    Some(env::var_os(name)?.to_string_lossy().trim().to_ascii_lowercase())
}

fn wrong(name: &str, value: &str, wanted: &str) -> io::Error {
    let message = format!("{name} is \"{value}\"; it can be {wanted}");
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// Does the environment name the file?
pub fn is_file_named() -> bool {
    env::var_os("ONCA_TRACE_FILE").is_some_and(|path| !path.is_empty())
}

/// The rank of this process, as those who start parallel programs tell it.
pub fn rank() -> Option<String> {
    let names =
        ["ONCA_TRACE_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"];
    let is_number = |text: &String| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    names.into_iter().filter_map(word).find(is_number)
}

/// What the processes of one run have in common, if somebody says.
pub fn run() -> Option<String> {
    let names = ["ONCA_TRACE_RUN", "PMIX_NAMESPACE", "SLURM_JOB_ID", "PBS_JOBID"];
    names.into_iter().filter_map(word).find(|run| !run.is_empty())
}

/// The name of this machine.
pub fn host() -> String {
    let mut name = [0u8; 256];
    // SAFETY: the buffer is as long as is said.
    let named = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len()) } == 0;
    let len = name.iter().position(|&byte| byte == 0).unwrap_or(0);
    let name = String::from_utf8_lossy(&name[..len]).into_owned();
    if named && !name.is_empty() { name } else { "localhost".to_owned() }
}

fn expand(path: &Path, pid: u32, rank: &str, host: &str) -> PathBuf {
    let mut expanded = Vec::new();
    let mut bytes = path.as_os_str().as_bytes().iter();
    while let Some(&byte) = bytes.next() {
        if byte != b'%' {
            expanded.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'p') => expanded.extend_from_slice(pid.to_string().as_bytes()),
            Some(b'r') => expanded.extend_from_slice(rank.as_bytes()),
            Some(b'h') => expanded.extend_from_slice(host.as_bytes()),
            Some(b'%') | None => expanded.push(b'%'),
            Some(&other) => expanded.extend_from_slice(&[b'%', other]),
        }
    }
    OsString::from_vec(expanded).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_made_of_pid_rank_and_host() {
        let made = |pattern: &str| expand(Path::new(pattern), 71, "3", "node7");
        assert_eq!(made("run-%r.onct"), Path::new("run-3.onct"));
        assert_eq!(made("%h/%p-%%-%x%"), Path::new("node7/71-%-%x%"));
    }

    #[test]
    fn buffers_are_powers_of_two() {
        let slots = |capacity| Options { capacity, ..Options::new("x") }.slots();
        assert_eq!((slots(0), slots(1025), slots(1 << 16)), (1024, 2048, 1 << 16));
    }
}
