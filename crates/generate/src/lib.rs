//! Synthetic traces, in the Pajé format and as OTF2 archives ([`otf2`]), and files of DUMPI ([`dumpi`]): options and a seed come in, text and an exact account of it go out.
//!
//! Each module is a kind of trace with its `Options` and a function `write`. The same options and seed give the same
//! bytes. Records leave in time order and memory does not grow with their number. [`Written`] is counted while the
//! text is made, never by reading it back, so that tests can hold a reader to it.
//!
//! This crate knows how a trace is spelt and nothing of reading one.

pub mod damage;
pub mod demo;
mod dice;
pub mod dumpi;
pub mod hierarchy;
pub mod iterative;
pub mod many;
mod mpi;
pub mod otf2;
mod paje;
pub mod pattern;
mod perturbation;
mod place;
pub mod program;
mod run;
mod schedule;
pub mod small;
pub mod threads;
mod truth;

use std::collections::BTreeMap;
use std::{fmt, io};

pub use place::{Place, Side, SlowRoute};
pub use truth::{Perturbation, Phase, Truth};

/// Ticks in one unit of trace time: a tick is a nanosecond when the unit is a second.
pub const TICKS_PER_UNIT: i64 = 1_000_000_000;

/// What a generator wrote, counted as it wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Lines that are neither comment nor header: definitions and timed records.
    pub records: u64,
    /// Bytes of text, header included.
    pub bytes: u64,
    /// Containers, the root included.
    pub containers: u64,
    /// States, nested ones included.
    pub states: u64,
    /// Links; each has a start and an end.
    pub links: u64,
    /// Events.
    pub events: u64,
    /// Intervals of variables.
    pub variables: u64,
    /// The time of the last record, which is also the latest.
    pub end_ticks: i64,
    /// Time in each (state type, value), summed over all containers; a state that has others inside counts in full.
    /// Values that no state has are absent.
    pub ticks_per_value: BTreeMap<(String, String), i64>,
}

/// Why no trace was written.
#[derive(Debug)]
pub enum GenerateError {
    /// An option, or a combination of options, makes no sense.
    Options(String),
    /// The text could not be handed on.
    Io(io::Error),
}

impl GenerateError {
    fn too_long() -> Self {
        GenerateError::Options("the run gets longer than trace time can count".to_owned())
    }
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GenerateError::Options(what) => f.write_str(what),
            GenerateError::Io(error) => write!(f, "cannot write the trace: {error}"),
        }
    }
}

impl std::error::Error for GenerateError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            GenerateError::Options(_) => None,
            GenerateError::Io(error) => Some(error),
        }
    }
}

impl From<io::Error> for GenerateError {
    fn from(error: io::Error) -> Self {
        GenerateError::Io(error)
    }
}

/// Fails with a message unless the options keep a rule.
fn require(kept: bool, message: impl FnOnce() -> String) -> Result<(), GenerateError> {
    if kept { Ok(()) } else { Err(GenerateError::Options(message())) }
}

/// Refuses names that would break a line of the trace or a row of a dump.
fn require_plain_name(what: &str, name: &str) -> Result<(), GenerateError> {
    let plain = |c: char| !c.is_whitespace() && !c.is_control() && !"\"#%,".contains(c);
    require(!name.is_empty() && name != "0" && name.len() <= 200 && name.chars().all(plain), || {
        format!(
            "{what} {name:?} must be one word without quotes, commas, \"#\" or \"%\", and not \"0\""
        )
    })
}
