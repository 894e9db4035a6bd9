//! The lock that one builder holds. It is an `flock`, so it dies with its process, however that
//! ends.

use std::{
    fs::File,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use rustix::{
    fs::{FlockOperation, Mode, OFlags},
    io::Errno,
};

use crate::{
    error::{Result, StoreError, io_error},
    unfinished::Unfinished,
};

/// The right to build the store of one directory. Released when dropped.
#[derive(Debug)]
pub struct StoreLock {
    // Removed while still held: whoever opened it before will see that it is gone.
    _name: Unfinished,
    _file: File,
    store: PathBuf,
}

impl StoreLock {
    /// Takes the lock of the store directory `store`, which need not exist. When another
    /// process has it, waits for it or returns [`StoreError::Locked`]. What builders that died have
    /// left goes: whoever holds the lock is the only builder.
    ///
    /// Who waited should look for a store first: the other process has probably made it.
    pub fn acquire(store: &Path, wait: bool) -> Result<Self> {
        let path = sibling(store, ".lock");
        loop {
            let file = open(&path)?;
            let operation = if wait {
                FlockOperation::LockExclusive
            } else {
                FlockOperation::NonBlockingLockExclusive
            };
            match rustix::fs::flock(&file, operation) {
                Ok(()) if is_current(&file, &path) => {
                    remove_leftovers(store);
                    return Ok(Self {
                        _name: Unfinished::at(path),
                        _file: file,
                        store: store.to_owned(),
                    });
                }
                // The holder before us removed the file we opened; lock the one that is there now.
                Ok(()) | Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK) => return Err(StoreError::Locked { path }),
                Err(error) => {
                    return Err(io_error(format!("lock {}", path.display()))(error.into()));
                }
            }
        }
    }

    /// The store directory that it guards.
    pub fn store(&self) -> &Path {
        &self.store
    }
}

/// `path` with `suffix` added to its last part.
pub(crate) fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

fn open(path: &Path) -> Result<File> {
    let flags = OFlags::CREATE | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let fd = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)
        .map_err(|error| io_error(format!("open {}", path.display()))(error.into()))?;
    Ok(File::from(fd))
}

fn remove_leftovers(store: &Path) {
    let name = store.file_name().unwrap_or_default().as_encoded_bytes();
    let entries = store.parent().map(|dir| match dir.as_os_str().is_empty() {
        true => std::fs::read_dir("."),
        false => std::fs::read_dir(dir),
    });
    for entry in entries.into_iter().flatten().flatten().flatten() {
        let file_name = entry.file_name();
        let rest = file_name.as_encoded_bytes().strip_prefix(name);
        let is_ours =
            rest.is_some_and(|rest| rest.starts_with(b".tmp-") || rest.starts_with(b".old-"));
        if is_ours && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            // What cannot be removed does no harm.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn is_current(file: &File, path: &Path) -> bool {
    match (file.metadata(), std::fs::symlink_metadata(path)) {
        (Ok(ours), Ok(there)) => ours.ino() == there.ino() && ours.dev() == there.dev(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time_and_nothing_left() {
        let dir = tempfile::tempdir().expect("a folder");
        let store = dir.path().join("run.onca");
        let lock = StoreLock::acquire(&store, false).expect("free");
        let second = StoreLock::acquire(&store, false).expect_err("held");
        assert!(matches!(second, StoreError::Locked { .. }));
        let waiter = std::thread::spawn({
            let store = store.clone();
            move || StoreLock::acquire(&store, true).map(drop)
        });
        drop(lock);
        waiter.join().expect("no panic").expect("free again");
        assert_eq!(std::fs::read_dir(dir.path()).expect("readable").count(), 0);
    }
}
