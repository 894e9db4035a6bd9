//! What a page may open besides the traces that are shown from the beginning: traces below folders
//! that the user allowed, and files that are dropped on the page.

mod drops;
mod folders;
mod recent;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub use drops::{Drop, DropName, Drops, is_file_name, write_piece};
pub use folders::{AllowedFolders, Entry, Listing, Spot};
use recent::Recent;

use crate::traces::TraceSource;

/// What a page may open, as the user says it.
pub struct Openable {
    /// Traces below these folders, and nothing else.
    pub folders: Vec<PathBuf>,
    /// Where files that are dropped on the page go: a folder for them alone.
    pub drops: PathBuf,
    /// What all dropped files may have together, in bytes.
    pub drop_limit: u64,
    /// Where the traces that were shown last are remembered, if they are.
    pub recent: Option<PathBuf>,
    /// How a trace at a path is opened.
    pub source: Box<dyn Fn(&Path) -> TraceSource + Send + Sync>,
}

impl fmt::Debug for Openable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Openable").field("folders", &self.folders).finish_non_exhaustive()
    }
}

/// What a page may open.
pub struct Openables {
    /// Folders that were allowed.
    pub folders: AllowedFolders,
    /// Files that were dropped.
    pub drops: Drops,
    recent: Recent,
    source: Box<dyn Fn(&Path) -> TraceSource + Send + Sync>,
}

impl Openables {
    /// Checks the folders. Those for drops are made when the first file is dropped.
    pub fn new(openable: Openable) -> io::Result<Self> {
        let Openable { folders, drops, drop_limit, recent, source } = openable;
        Ok(Self {
            folders: AllowedFolders::new(&folders)?,
            drops: Drops::new(drops, drop_limit),
            recent: Recent::new(recent),
            source,
        })
    }

    /// The trace at a path that was found to be allowed.
    pub fn source(&self, path: &Path) -> TraceSource {
        (self.source)(path)
    }

    /// Remembers that a trace was shown.
    pub fn shown(&self, path: &Path) {
        self.recent.put_first(path);
    }

    /// The traces that were shown last, the last one first, as far as they may be opened.
    pub fn recent(&self) -> Vec<Spot> {
        let paths = self.recent.paths();
        paths.iter().filter_map(|path| self.folders.spot_of(path)).collect()
    }
}
