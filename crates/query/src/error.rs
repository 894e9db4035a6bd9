use std::fmt;

use onca_store::StoreError;

/// Why a lens cannot be used.
#[derive(Debug)]
pub enum LensError {
    /// It is not a lens: what is wrong, and where.
    Malformed(String),
    /// It does not fit the trace: which part, and why.
    Unfit {
        /// The part of the lens, such as `select.containers`.
        part: String,
        /// What is wrong with it.
        why: String,
    },
    /// The store could not be read.
    Store(StoreError),
}

impl LensError {
    /// A part of the lens that does not fit.
    pub(crate) fn unfit(part: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Unfit { part: part.into(), why: why.into() }
    }
}

impl fmt::Display for LensError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(why) => write!(f, "not a lens: {why}"),
            Self::Unfit { part, why } => write!(f, "{part}: {why}"),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LensError {}

impl From<StoreError> for LensError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The outcome of applying a lens.
pub type Result<T> = std::result::Result<T, LensError>;
