//! What can be wrong with a data set.

use std::fmt;
use std::io;
use std::path::PathBuf;

use datafusion::error::DataFusionError;

/// Why a folder is no data set, or cannot become one. Each says which file it is about.
#[derive(Debug)]
pub enum DatasetError {
    /// A file or folder cannot be read or written.
    Io(PathBuf, io::Error),
    /// The folder has no manifest yet.
    NotSealed {
        /// The folder.
        dir: PathBuf,
        /// How many shards have been written.
        have: u32,
        /// Of how many, where one tells.
        of: Option<u32>,
    },
    /// The folder has a manifest already: nothing is added to it.
    Sealed(PathBuf),
    /// A file that is listed is not there, or a shard that is needed.
    Missing(PathBuf),
    /// A file that nothing lists, or that two parts list; a shard that is there already.
    Doubled(PathBuf),
    /// A part that does not belong to the others: why.
    Foreign(PathBuf, String),
    /// A file that has another length than it should have.
    Cut(PathBuf, u64, u64),
    /// A file that is not what it should be: why.
    Damaged(PathBuf, String),
}

/// The result of looking at a data set.
pub type Result<T> = std::result::Result<T, DatasetError>;

impl fmt::Display for DatasetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Self::NotSealed { dir, have, of } => {
                write!(f, "{} is not a sealed data set: ", dir.display())?;
                match of {
                    Some(of) => write!(f, "it has {have} of {of} shards and no manifest.json")?,
                    None => write!(f, "it has no manifest.json")?,
                }
                match of.is_some_and(|of| *have >= of) {
                    true => write!(f, "; seal it: onca export --seal -o {}", dir.display()),
                    false => Ok(()),
                }
            }
            Self::Sealed(dir) => {
                write!(f, "{} is sealed already: it has a manifest.json", dir.display())
            }
            Self::Missing(path) => write!(f, "{} is missing", path.display()),
            Self::Doubled(path) => {
                write!(f, "{} is there a second time, or is not listed", path.display())
            }
            Self::Foreign(path, why) => {
                write!(f, "{} does not belong to this data set: {why}", path.display())
            }
            Self::Cut(path, is, should) => {
                write!(f, "{} has {is} bytes; it should have {should}", path.display())
            }
            Self::Damaged(path, why) => write!(f, "{}: {why}", path.display()),
        }
    }
}

impl std::error::Error for DatasetError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(_, error) => Some(error),
            _ => None,
        }
    }
}

impl DatasetError {
    /// The same again: the engine lends it only.
    pub(crate) fn again(&self) -> Self {
        match self {
            Self::Io(path, error) => {
                Self::Io(path.clone(), io::Error::new(error.kind(), error.to_string()))
            }
            Self::NotSealed { dir, have, of } => {
                Self::NotSealed { dir: dir.clone(), have: *have, of: *of }
            }
            Self::Sealed(dir) => Self::Sealed(dir.clone()),
            Self::Missing(path) => Self::Missing(path.clone()),
            Self::Doubled(path) => Self::Doubled(path.clone()),
            Self::Foreign(path, why) => Self::Foreign(path.clone(), why.clone()),
            Self::Cut(path, is, should) => Self::Cut(path.clone(), *is, *should),
            Self::Damaged(path, why) => Self::Damaged(path.clone(), why.clone()),
        }
    }
}

/// As the query engine hands it on.
pub(crate) fn external(error: DatasetError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
