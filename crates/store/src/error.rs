use std::{fmt, io, path::PathBuf};

use onca_model::LaneId;

/// Why a store cannot be built, opened or read.
#[derive(Debug)]
pub enum StoreError {
    /// The directory is no store: it has no manifest, or that of something else.
    NotAStore {
        /// The directory.
        path: PathBuf,
    },
    /// The directory is a data set, or has some: Parquet files that only queries read.
    DataSet {
        /// The directory.
        path: PathBuf,
        /// The data sets are folders in it.
        several: bool,
    },
    /// The store has a format that this program does not read.
    OtherVersion {
        /// The version in its manifest, or the feature that is not known.
        found: String,
    },
    /// Bytes of the store are not what was written.
    Damaged {
        /// Which part does not fit.
        what: String,
    },
    /// The source is not the one that the store was made from.
    Stale {
        /// What differs.
        why: String,
    },
    /// Another process builds this store.
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// The rows or the catalog given to the builder break its contract.
    Input {
        /// How.
        what: String,
    },
    /// The question names something that the store does not have.
    NoSuch {
        /// What was asked for.
        what: String,
    },
    /// Nobody wants the answer any more.
    Stopped,
    /// The operating system refused.
    Io {
        /// What was being done, with the path.
        what: String,
        /// Its answer.
        source: io::Error,
    },
}

/// The result of everything in this crate that touches a file.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAStore { path } => write!(f, "{} is not a store", path.display()),
            Self::DataSet { path, several } => {
                let (what, them) = match several {
                    true => ("a folder of data sets", "them"),
                    false => ("a data set", "it"),
                };
                let path = path.display();
                write!(f, "{path} is {what}; of all commands, only \"onca query\" reads {them}")
            }
            Self::OtherVersion { found } => {
                write!(f, "the store has format {found}, this program reads {}", crate::VERSION)
            }
            Self::Damaged { what } => write!(f, "the store is damaged: {what}"),
            Self::Stale { why } => write!(f, "the store is out of date: {why}"),
            Self::Locked { path } => {
                write!(f, "another process builds this store (lock {})", path.display())
            }
            Self::Input { what } => write!(f, "the store cannot take this: {what}"),
            Self::NoSuch { what } => write!(f, "the store has no {what}"),
            Self::Stopped => f.write_str("the question was stopped"),
            Self::Io { what, source } => write!(f, "cannot {what}: {source}"),
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// An error that says which part of the store does not fit.
pub(crate) fn damaged(what: impl Into<String>) -> StoreError {
    StoreError::Damaged { what: what.into() }
}

/// An error that says how the caller broke the contract of the builder.
pub(crate) fn bad_input(what: impl Into<String>) -> StoreError {
    StoreError::Input { what: what.into() }
}

/// Wraps an answer of the operating system; `what` completes "cannot ...".
pub(crate) fn io_error(what: impl Into<String>) -> impl FnOnce(io::Error) -> StoreError {
    let what = what.into();
    move |source| StoreError::Io { what, source }
}

pub(crate) fn no_row(lane: LaneId, row: u64) -> StoreError {
    StoreError::NoSuch { what: format!("row {row} in lane {}", lane.0) }
}
