//! The files of a trace that has many: opened only where they belong, read in pieces.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use onca_model::Code;

/// The folder of a trace, which no file of it may lie outside of.
#[derive(Clone, Debug)]
pub struct Folder {
    canonical: PathBuf,
}

/// Why a file of a trace is not read.
#[derive(Debug)]
pub enum Refused {
    /// It is not there.
    Missing,
    /// It lies, or a link leads, out of the folder of the trace.
    Outside,
    /// It is not a regular file, or the system says no.
    Unreadable(io::Error),
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => write!(f, "is not there"),
            Self::Outside => write!(f, "leads out of the folder of the trace and is not read"),
            Self::Unreadable(error) => write!(f, "cannot be read: {error}"),
        }
    }
}

impl Refused {
    /// The code of such a problem.
    pub fn code(&self) -> Code {
        match self {
            Self::Outside => Code::OutsideArchive,
            Self::Missing | Self::Unreadable(_) => Code::MissingPartFile,
        }
    }
}

impl Folder {
    /// The folder that an anchor lies in.
    pub fn of(anchor: &Path) -> io::Result<Self> {
        let canonical = anchor.canonicalize()?;
        let parent = canonical.parent().unwrap_or(Path::new("/")).to_owned();
        Ok(Self { canonical: parent })
    }

    /// This folder.
    pub fn at(folder: &Path) -> io::Result<Self> {
        Ok(Self { canonical: folder.canonicalize()? })
    }

    /// Looks at a file, which may then be opened without waiting; its length.
    pub fn check(&self, path: &Path) -> Result<u64, Refused> {
        let fail = |error: io::Error| match error.kind() {
            ErrorKind::NotFound => Refused::Missing,
            _ => Refused::Unreadable(error),
        };
        let canonical = path.canonicalize().map_err(fail)?;
        if !canonical.starts_with(&self.canonical) {
            return Err(Refused::Outside);
        }
        let metadata = std::fs::metadata(&canonical).map_err(fail)?;
        if !metadata.is_file() {
            return Err(Refused::Unreadable(io::Error::other("not a regular file")));
        }
        Ok(metadata.len())
    }
}

/// Reads up to `len` bytes from `offset` on; fewer at the end of the file. The file is open
/// only meanwhile, so that any number of files can be read in turn.
pub(crate) fn read_piece(
    path: &Path,
    offset: u64,
    len: usize,
    buffer: &mut Vec<u8>,
) -> io::Result<()> {
    let file = File::open(path)?;
    buffer.resize(len, 0);
    let mut filled = 0;
    while filled < len {
        match file.read_at(&mut buffer[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    buffer.truncate(filled);
    Ok(())
}
