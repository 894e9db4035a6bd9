//! How a command ends.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use onca_query::LensError;
use onca_store::StoreError;

use crate::fault::guarded;
use crate::say;
use crate::start::prepare;

/// The command answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Nothing was lost.
    Fine,
    /// Records of the trace were lost, or validation failed.
    Lost,
    /// What was to be no slower is slower.
    TooSlow,
    /// A program that the command has run ended with this status.
    Program(u8),
}

impl Exit {
    /// The exit of an answer from a trace that lost this many records.
    pub fn from_lost(lost: u64) -> Self {
        if lost > 0 { Self::Lost } else { Self::Fine }
    }
}

/// The command could not answer.
#[derive(Debug)]
pub enum Failure {
    /// It cannot be done: why.
    Cannot(String),
    /// A limit stopped it: which.
    Limit(String),
    /// The user stopped it.
    Interrupted,
    /// Everything has been said already.
    Said,
}

/// An exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status(u8);

impl Status {
    /// As the system has it.
    pub(crate) fn number(self) -> i32 {
        self.0.into()
    }
}

impl From<Status> for u8 {
    fn from(status: Status) -> Self {
        status.0
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.0)
    }
}

impl Failure {
    /// The status of a command that could not run.
    pub const CANNOT: Status = Status(2);

    /// The exit status.
    pub fn code(&self) -> Status {
        match self {
            Self::Cannot(_) | Self::Said => Self::CANNOT,
            Self::Limit(_) => Status(3),
            // What a shell reports of a command that such a signal has ended.
            Self::Interrupted => Status(130),
        }
    }

    /// What remains to be said.
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Cannot(message) | Self::Limit(message) => Some(message),
            Self::Interrupted => Some("interrupted"),
            Self::Said => None,
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::Io { source, .. } if is_full(source) => Self::Limit(error.to_string()),
            StoreError::Stopped => Self::Interrupted,
            _ => Self::Cannot(error.to_string()),
        }
    }
}

impl From<LensError> for Failure {
    fn from(error: LensError) -> Self {
        match error {
            LensError::Store(error) => error.into(),
            error => Self::Cannot(error.to_string()),
        }
    }
}

/// Does the disk have no room for it?
pub fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

/// The outcome of writing results: a reader that has gone away has read enough.
pub fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let message = format!("cannot write the results: {error}");
            Err(if is_full(&error) { Failure::Limit(message) } else { Failure::Cannot(message) })
        }
        _ => Ok(()),
    }
}

/// A program from its arguments to its exit status.
pub fn program<A: clap::Parser>(run: impl FnOnce(A) -> Result<Exit, Failure>) -> ExitCode {
    program_with(std::env::args_os(), run).into()
}

/// A program from its words, the first of which is its name, to its exit status.
pub fn program_with<A: clap::Parser>(
    words: impl IntoIterator<Item = OsString>,
    run: impl FnOnce(A) -> Result<Exit, Failure>,
) -> u8 {
    match arguments(words) {
        Ok(arguments) => ended(guarded(|| run(arguments))),
        Err(code) => code,
    }
}

/// Says why a command failed, and tells its exit status.
pub(crate) fn ended(result: Result<Exit, Failure>) -> u8 {
    match result {
        Ok(Exit::Fine) => 0,
        Ok(Exit::Lost | Exit::TooSlow) => 1,
        Ok(Exit::Program(status)) => status,
        Err(failure) => {
            if let Some(message) = failure.message() {
                // Names of files may hold anything.
                say(&format!("error: {}", onca_model::printable(message.as_bytes())));
            }
            failure.code().into()
        }
    }
}

/// Prepares the process and reads the arguments of a program, or says what is wrong with them and gives
/// the status to end with.
fn arguments<A: clap::Parser>(words: impl IntoIterator<Item = OsString>) -> Result<A, u8> {
    let arguments = A::try_parse_from(words).map_err(|error| {
        // Help that nobody reads to the end is no failure.
        let _ = error.print();
        if error.use_stderr() { Failure::CANNOT.into() } else { 0 }
    })?;
    prepare().map_err(|why| ended(Err(Failure::Limit(why))))?;
    Ok(arguments)
}
