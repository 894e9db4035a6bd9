//! Records what a parallel program does: states, links, events and variables of containers that come and go, as in
//! the Pajé format. Onca reads what it writes.
//!
//! ```no_run
//! use onca_trace::{Container, ContainerType, open, state};
//!
//! open("run-%p.onct")?;
//! let process = ContainerType::ROOT.container_type("Process");
//! let doing = process.state_type("Doing");
//! let me = Container::ROOT.create(process, "worker");
//! {
//!     state!(me, doing, "computing");
//! }
//! onca_trace::close()?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! A call stores a record of 24 bytes into a buffer of its thread. A thread of the library packs what is in the buffers
//! and writes it. Nothing is recorded before a trace is opened, and after it was closed; types, values and containers
//! can be defined at any time, and stay valid from one trace to the next.
//!
//! The trace is closed when the program exits, and what is in the buffers is saved on a panic and when a fatal
//! signal ends the program. The child of a fork records nothing until it opens a trace of its own. Nothing may be
//! recorded in a signal handler.

mod api;
mod clock;
mod config;
mod crc;
mod definitions;
mod encode;
mod ffi;
mod format;
#[cfg(feature = "tracing")]
mod layer;
mod paje;
mod ring;
mod session;
mod signals;

use std::io;
use std::path::PathBuf;

pub use api::{
    Container, ContainerType, EventType, Field, FieldValue, LinkType, SetField, StateGuard,
    StateType, Value, VariableType,
};
pub use config::{Format, Options, Overflow};
#[cfg(feature = "tracing")]
pub use layer::{TraceLayer, layer};

/// Opens a trace in a file; `%p` in its name stands for the process id, `%r` for the rank, `%h` for the host. The
/// environment may say otherwise: see `docs/tracing.md`.
pub fn open(path: impl Into<PathBuf>) -> io::Result<()> {
    session::open(Options::new(path))
}

/// The same with all options.
pub fn open_with(options: Options) -> io::Result<()> {
    session::open(options)
}

/// Ends the trace that is open: everything that was recorded is then in the file. This happens by itself when the
/// program exits.
pub fn close() -> io::Result<()> {
    session::close()
}

/// Waits until everything that was recorded before is in the file; false if that takes more than ten seconds.
pub fn flush() -> bool {
    session::flush()
}

/// Is a trace open?
#[inline]
pub fn is_enabled() -> bool {
    ring::is_enabled()
}
