//! How much there is of a source that is read anew whenever it has grown.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::onct;

/// The files of a source, and how long they are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Extent {
    files: BTreeMap<PathBuf, FileExtent>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct FileExtent {
    identity: (u64, u64),
    len: u64,
}

/// What has become of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// Nothing.
    None,
    /// There is more of it.
    More,
    /// It is not what it was: how.
    Other(&'static str),
}

impl Extent {
    /// What there is now of a file, or of the files of processes in a folder.
    pub fn of(path: &Path) -> io::Result<Self> {
        let files: Vec<PathBuf> = match path.is_dir() {
            true => onct::named_in(path).collect(),
            false => vec![path.to_owned()],
        };
        let mut extent = Self::default();
        for file in files {
            match file.metadata() {
                Ok(found) => {
                    let (identity, len) = (identity_of(&found), found.len());
                    extent.files.insert(file, FileExtent { identity, len });
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(extent)
    }

    /// The length of all files.
    pub fn bytes(&self) -> u64 {
        self.files.values().map(|file| file.len).sum()
    }

    /// What has become of it since it was like this.
    pub fn since(&self, before: &Self) -> Change {
        for (path, was) in &before.files {
            match self.files.get(path) {
                None => return Change::Other("a file is gone"),
                Some(now) if now.identity != was.identity => {
                    return Change::Other("a file was replaced");
                }
                Some(now) if now.len < was.len => return Change::Other("a file was cut"),
                Some(_) => {}
            }
        }
        if self == before { Change::None } else { Change::More }
    }

    /// Has every file the mark that its process has closed it?
    pub fn is_closed(&self) -> bool {
        !self.files.is_empty() && self.files.keys().all(|path| onct::has_end(path))
    }
}

/// What tells a file from another one of the same name.
pub(crate) fn identity_of(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_becomes_of_files_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("written");
        };
        let now = || Extent::of(folder.path()).expect("can be looked at");
        write("a.onct", "12");
        write("b.txt", "is of no process");
        let first = now();
        assert_eq!((first.bytes(), now().since(&first)), (2, Change::None));
        write("c.onct", "3");
        assert_eq!((now().bytes(), now().since(&first)), (3, Change::More));
        write("a.onct", "1");
        assert_eq!(now().since(&first), Change::Other("a file was cut"));
        write("d", "another one");
        fs::rename(folder.path().join("d"), folder.path().join("a.onct")).expect("renamed");
        assert_eq!(now().since(&first), Change::Other("a file was replaced"));
        fs::remove_file(folder.path().join("a.onct")).expect("removed");
        assert_eq!(now().since(&first), Change::Other("a file is gone"));
        assert!(!now().is_closed());
    }
}
