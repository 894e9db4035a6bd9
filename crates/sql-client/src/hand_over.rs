//! A command that becomes `onca-sql`.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::fs::MemfdFlags;

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
}

/// A file that is nowhere but in memory.
fn in_memory(content: &[u8]) -> io::Result<File> {
    let mut file = File::from(rustix::fs::memfd_create("onca", MemfdFlags::CLOEXEC)?);
    file.write_all(content)?;
    file.rewind()?;
    Ok(file)
}
