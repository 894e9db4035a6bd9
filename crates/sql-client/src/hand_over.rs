//! A command that becomes `onca-sql`, or waits for it.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rustix::fs::MemfdFlags;
use rustix::process::{Pid, Signal, kill_process};

use crate::{FittingProgram, SqlFailure};

impl FittingProgram {
    /// Replaces this process by the program, which reads a text from its standard input: a query or
    /// a lens, which may be longer than an argument can be. Returns only when that fails.
    pub fn hand_over(&self, args: &[OsString], text: &str) -> Result<Infallible, SqlFailure> {
        let Self(program) = self;
        let cannot = |error: io::Error| {
            SqlFailure::NoProgram(format!("cannot start {}: {error}", program.display()))
        };
        let text = in_memory(text.as_bytes()).map_err(cannot)?;
        Err(cannot(Command::new(program).args(args).stdin(text).exec()))
    }

    /// Runs the program beside this one, until it ends or the flag tells it to.
    pub fn answer(
        &self,
        args: &[OsString],
        text: &str,
        stop: &AtomicBool,
    ) -> Result<Output, SqlFailure> {
        let Self(program) = self;
        let cannot = |error: io::Error| {
            SqlFailure::NoProgram(format!("cannot start {}: {error}", program.display()))
        };
        let text = in_memory(text.as_bytes()).map_err(cannot)?;
        let mut command = Command::new(program);
        command.args(args).stdin(text).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().map_err(cannot)?;
        let (done, is_done) = mpsc::channel::<()>();
        let child_id = Pid::from_child(&child);
        thread::scope(|scope| {
            scope.spawn(move || {
                let every = Duration::from_millis(20);
                while is_done.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                    if stop.load(Ordering::Relaxed) {
                        // It has ended already if there is nobody to tell.
                        let _ = kill_process(child_id, Signal::INT);
                        return;
                    }
                }
            });
            let output = child.wait_with_output().map_err(cannot);
            drop(done);
            output
        })
    }
}

/// A file that is nowhere but in memory.
fn in_memory(content: &[u8]) -> io::Result<File> {
    let mut file = File::from(rustix::fs::memfd_create("onca", MemfdFlags::CLOEXEC)?);
    file.write_all(content)?;
    file.rewind()?;
    Ok(file)
}
