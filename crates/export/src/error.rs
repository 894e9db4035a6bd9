use std::{fmt, io};

use onca_query::LensError;
use onca_store::StoreError;

/// Why an export failed.
#[derive(Debug)]
pub enum ExportError {
    /// The store cannot be read.
    Read(LensError),
    /// The result cannot be written.
    Write(io::Error),
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Write(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ExportError {}

impl From<LensError> for ExportError {
    fn from(error: LensError) -> Self {
        Self::Read(error)
    }
}

impl From<StoreError> for ExportError {
    fn from(error: StoreError) -> Self {
        Self::Read(error.into())
    }
}

impl From<io::Error> for ExportError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

/// The outcome of an export.
pub type Result<T> = std::result::Result<T, ExportError>;
