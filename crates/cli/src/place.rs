//! Where the store of a trace lies.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The directory of a store ends like this.
pub const STORE_SUFFIX: &str = ".onca";

/// The store beside a trace: `run.paje` has `run.paje.onca`.
pub fn beside(trace: &Path) -> PathBuf {
    let mut name = trace.file_name().unwrap_or_default().to_owned();
    name.push(STORE_SUFFIX);
    trace.with_file_name(name)
}

/// The store of a trace in the user's cache directory, named after the trace's full path.
pub fn in_cache(trace: &Path) -> Option<PathBuf> {
    let full = trace.canonicalize().unwrap_or_else(|_| trace.to_owned());
    let mut hasher = DefaultHasher::new();
    full.hash(&mut hasher);
    let mut name = trace.file_name().unwrap_or_default().to_owned();
    name.push(format!("-{:016x}{STORE_SUFFIX}", hasher.finish()));
    Some(cache_dir()?.join(name))
}

/// The user's cache directory for stores.
pub fn cache_dir() -> Option<PathBuf> {
    user_dir("XDG_CACHE_HOME", ".cache")
}

/// The user's directory for settings.
pub fn config_dir() -> Option<PathBuf> {
    user_dir("XDG_CONFIG_HOME", ".config")
}

/// Our directory in one of the user's, which a variable names or which lies in the home directory.
fn user_dir(variable: &str, below_home: &str) -> Option<PathBuf> {
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    let base = std::env::var_os(variable)
        .map(PathBuf::from)
        .and_then(absolute)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(below_home)))?;
    Some(base.join("onca"))
}

/// Makes a directory that only its owner may enter.
pub fn make_private_dir(dir: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// Can a directory be made beside the trace?
pub fn is_writable(dir: &Path) -> bool {
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    rustix::fs::access(dir, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK).is_ok()
}

/// The user that a store or a file of it belongs to, if that is neither this user nor root: such a
/// store may say anything.
pub fn stranger(store: &Path) -> Option<u32> {
    let entries = std::fs::read_dir(store).into_iter().flatten().flatten();
    let paths = std::iter::once(store.to_owned()).chain(entries.map(|entry| entry.path()));
    let owners = paths.filter_map(|path| std::fs::symlink_metadata(path).ok());
    let me = rustix::process::geteuid().as_raw();
    owners.map(|facts| facts.uid()).find(|&owner| owner != me && owner != 0)
}
