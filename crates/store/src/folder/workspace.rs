//! The directory a store is built in, and how it takes the place of the old one.

use std::{
    ffi::{OsStr, OsString},
    fs::{DirBuilder, File, Permissions},
    hash::{BuildHasher, RandomState},
    io::{ErrorKind, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    time::{Duration, Instant, UNIX_EPOCH},
};

use crate::{
    DATA, INDEX, MANIFEST, TABLES,
    error::{Result, StoreError, io_error},
    folder::lock::{StoreLock, sibling},
    folder::unfinished::Unfinished,
};

const FILES: [&str; 4] = [MANIFEST, DATA, INDEX, TABLES];

/// The name of a file with something that was worked out from a store.
pub(crate) fn derived_name(name: &str) -> String {
    format!("{DERIVED}{name}.bin")
}

const DERIVED: &str = "derived-";

/// Does a file belong to a store?
fn is_of_store(name: &OsStr) -> bool {
    let is_derived = |name: &str| name.starts_with(DERIVED) && name.ends_with(".bin");
    FILES.iter().any(|file| name == *file) || name.to_str().is_some_and(is_derived)
}

/// A directory of its own beside the final one, removed unless it became that.
pub(crate) struct Workspace {
    // Before the lock: it goes while this process is the only builder.
    dir: Unfinished,
    mode: u32,
    lock: StoreLock,
    /// Time spent waiting for the disk.
    pub fsync_seconds: f64,
}

impl Workspace {
    /// Makes the directory.
    pub(crate) fn create(lock: StoreLock, mode: u32) -> Result<Self> {
        let store = lock.store().to_owned();
        check_replaceable(&store)?;
        let random = RandomState::new().hash_one(Instant::now());
        let dir = sibling(&store, &format!(".tmp-{}-{random:016x}", std::process::id()));
        DirBuilder::new()
            .mode(0o700)
            .create(&dir)
            .map_err(io_error(format!("create {}", dir.display())))?;
        Ok(Self { dir: Unfinished::at(dir), mode, lock, fsync_seconds: 0.0 })
    }

    /// Where the store will be.
    pub(crate) fn store(&self) -> &Path {
        self.lock.store()
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir().join(name)
    }

    pub(crate) fn create_file(&self, name: &str) -> Result<File> {
        let path = self.path(name);
        File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .map_err(io_error(format!("create {}", path.display())))
    }

    /// Gives a finished file its mode and waits until it is on the disk.
    pub(crate) fn seal_file(&mut self, file: &File, name: &str) -> Result<()> {
        let fail = || io_error(format!("write {}", self.path(name).display()));
        let mode = 0o600 | (self.mode & 0o666);
        file.set_permissions(Permissions::from_mode(mode)).map_err(fail())?;
        let start = Instant::now();
        file.sync_all().map_err(fail())?;
        self.fsync_seconds += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Puts the directory in the place of the final one.
    pub(crate) fn commit(mut self) -> Result<f64> {
        // Who may read the files may enter.
        let readers = self.mode & 0o444;
        let permissions = Permissions::from_mode(0o700 | readers | readers >> 2);
        let dir = self.dir().to_owned();
        std::fs::set_permissions(&dir, permissions)
            .map_err(io_error(format!("open {}", dir.display())))?;
        self.sync_dir(&dir)?;
        let store = self.lock.store().to_owned();
        let old = replace(&dir, &store)?;
        self.sync_dir(&parent(&store))?;
        if let Some(old) = old {
            // The new store is in place; what is left of the old one goes at the next build.
            let _ = remove_store(&old);
        }
        Ok(self.fsync_seconds)
    }

    fn sync_dir(&mut self, dir: &Path) -> Result<()> {
        let start = Instant::now();
        File::open(dir)
            .and_then(|dir| dir.sync_all())
            .map_err(io_error(format!("write {}", dir.display())))?;
        self.fsync_seconds += start.elapsed().as_secs_f64();
        Ok(())
    }
}

/// The full path of the folder that a store lies in.
pub(crate) fn folder_of(store: &Path) -> PathBuf {
    let full = std::path::absolute(store).unwrap_or_else(|_| store.to_owned());
    parent(&full)
}

/// Writes the manifest of a store in the making. Its time is that of the look at the source.
pub(crate) fn write_manifest(
    workspace: &mut Workspace,
    manifest: &str,
    looked_ns: i64,
) -> Result<()> {
    let mut file = workspace.create_file(MANIFEST)?;
    let what = format!("write {}", workspace.path(MANIFEST).display());
    let looked = UNIX_EPOCH + Duration::from_nanos(looked_ns.unsigned_abs());
    let written = file.write_all(manifest.as_bytes()).and_then(|()| file.set_modified(looked));
    written.map_err(io_error(what))?;
    workspace.seal_file(&file, MANIFEST)
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Renames `new` to `store` and returns where the old store is now, if there was one.
fn replace(new: &Path, store: &Path) -> Result<Option<PathBuf>> {
    let fail = || io_error(format!("rename {} to {}", new.display(), store.display()));
    if std::fs::symlink_metadata(store).is_err() {
        std::fs::rename(new, store).map_err(fail())?;
        return Ok(None);
    }
    check_replaceable(store)?;
    if exchange(new, store) {
        return Ok(Some(new.to_owned()));
    }
    let aside = sibling(store, &format!(".old-{}", std::process::id()));
    std::fs::rename(store, &aside).map_err(fail())?;
    if let Err(error) = std::fs::rename(new, store) {
        let _ = std::fs::rename(&aside, store);
        return Err(fail()(error));
    }
    Ok(Some(aside))
}

/// Exchanges two names at once, where the file system can: no moment without a store.
#[cfg(target_os = "linux")]
fn exchange(new: &Path, store: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, new, CWD, store, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn exchange(_new: &Path, _store: &Path) -> bool {
    false
}

/// Refuses to replace anything but a store: a wrong `-o` must not cost a folder.
fn check_replaceable(store: &Path) -> Result<()> {
    let refuse = || StoreError::NotAStore { path: store.to_owned() };
    let entries = match std::fs::read_dir(store) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotADirectory => return Err(refuse()),
        Err(error) => return Err(io_error(format!("read {}", store.display()))(error)),
    };
    for entry in entries {
        let entry = entry.map_err(io_error(format!("read {}", store.display())))?;
        if !is_of_store(&entry.file_name()) {
            return Err(refuse());
        }
    }
    Ok(())
}

/// Removes what a builder that died has left beside a store. Its lock shows it, which a builder takes away
/// when it ends; one that lives holds it.
pub fn clean_up(store: &Path) {
    if store.file_name().is_none() || sibling(store, ".lock").symlink_metadata().is_err() {
        return;
    }
    // Who gets the lock cleans up; what cannot be removed does no harm.
    drop(StoreLock::acquire(store, false));
}

/// Removes the files of a store, and its directory if nothing else is in it.
pub(crate) fn remove_store(dir: &Path) -> Result<()> {
    let fail = || io_error(format!("remove {}", dir.display()));
    // The manifest goes first: what is left is no store.
    let mut names: Vec<OsString> = FILES.iter().map(OsString::from).collect();
    for entry in std::fs::read_dir(dir).map_err(fail())? {
        let name = entry.map_err(fail())?.file_name();
        if is_of_store(&name) && !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        let path = dir.join(name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(io_error(format!("remove {}", path.display()))(error));
            }
            _ => {}
        }
    }
    std::fs::remove_dir(dir).map_err(fail())
}
