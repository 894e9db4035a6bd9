//! The program `onca-sql`: where it is, whether it fits, and how it is spoken with.
//!
//! The query engine is larger than all the rest of Onca, so it lives in a program of its own, which
//! is found as git finds its subcommands. A command hands its work over ([`FittingProgram::hand_over`])
//! and is replaced by it. Whatever has to outlive a query asks children of its own ([`SqlChildren`])
//! over their standard streams, each one question at a time. Nothing here knows the engine.

mod child;
mod find;
mod hand_over;
mod wire;

pub use child::{ChildOptions, Rows, SqlChildren};
pub use find::{FittingProgram, INSTALL, SqlProgram, identity};
pub use wire::{
    Column, Failed, FailureKind, Frame, Limits, MOST_PAYLOAD, Question, Reply, Request, Table,
    read_frame, write_frame,
};

use std::fmt;

/// Why there is no answer in SQL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SqlFailure {
    /// The program is not there, or is of another version: why, and what to do.
    NoProgram(String),
    /// The query is wrong, or asks for what is not allowed.
    Invalid(String),
    /// A limit stopped it.
    Limit(String),
    /// The program ended before it had answered: a crash.
    Ended(String),
    /// The engine failed, or the store cannot be read.
    Fault(String),
}

impl fmt::Display for SqlFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoProgram(why)
            | Self::Invalid(why)
            | Self::Limit(why)
            | Self::Ended(why)
            | Self::Fault(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for SqlFailure {}
