//! The lock that one builder holds. It is an `flock`, so it dies with its process, however that
//! ends.

use std::{
    fs::{File, TryLockError},
    io::ErrorKind,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;

use crate::{
    error::{Result, StoreError, io_error},
    folder::unfinished::Unfinished,
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
            let locked = match wait {
                true => file.lock(),
                false => match file.try_lock() {
                    Err(TryLockError::WouldBlock) => return Err(StoreError::Locked { path }),
                    Err(TryLockError::Error(error)) => Err(error),
                    Ok(()) => Ok(()),
                },
            };
            match locked {
                Ok(()) if is_current(&file, &path) => {
                    remove_leftovers(store);
                    return Ok(Self {
                        _name: Unfinished::at(path),
                        _file: file,
                        store: store.to_owned(),
                    });
                }
                // The holder before us removed the file we opened; lock the one that is there now.
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(io_error(format!("lock {}", path.display()))(error)),
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
    let mut options = File::options();
    options.create(true).truncate(false).read(true).write(true).mode(0o600);
    options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    options.open(path).map_err(io_error(format!("open {}", path.display())))
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
