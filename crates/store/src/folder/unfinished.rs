//! Files and folders that are only there until something is finished.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// All that this process has begun.
static BEGUN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn begun() -> MutexGuard<'static, Vec<PathBuf>> {
    BEGUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Something that is removed when this is dropped, also while a panic unwinds, or by
/// [`remove_unfinished`].
#[derive(Debug)]
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// What is, or will be, at this place.
    pub fn at(place: PathBuf) -> Self {
        begun().push(place.clone());
        Self(place)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Gives it its own name, under which it stays.
    pub fn finish(self, place: &Path) -> std::io::Result<()> {
        fs::rename(&self.0, place)
        // What would be removed now is no longer there.
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        remove(&self.0);
        let mut begun = begun();
        if let Some(at) = begun.iter().position(|place| *place == self.0) {
            begun.swap_remove(at);
        }
    }
}

fn remove(place: &Path) {
    // Nothing more can be done when this fails.
    let _ = match fs::symlink_metadata(place).is_ok_and(|found| found.is_dir()) {
        true => fs::remove_dir_all(place),
        false => fs::remove_file(place),
    };
}

/// Removes all that is unfinished. For who ends the process: whatever is begun or finished by another
/// thread waits from here on, for good.
pub fn remove_unfinished() {
    const TRIES: u32 = 10;
    let begun = begun();
    for place in begun.iter().rev() {
        // Another thread may be adding files to a folder.
        for _ in 0..TRIES {
            remove(place);
            if fs::symlink_metadata(place).is_err() {
                break;
            }
        }
    }
    std::mem::forget(begun);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finished_goes() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        for name in ["a", "b"] {
            fs::write(place(name), name).expect("written");
        }
        fs::create_dir(place("c")).expect("made");
        fs::write(place("c/d"), "d").expect("written");
        drop(Unfinished::at(place("a")));
        Unfinished::at(place("b")).finish(&place("e")).expect("renamed");
        drop(Unfinished::at(place("c")));
        let left: Vec<_> = fs::read_dir(folder.path()).expect("readable").flatten().collect();
        assert_eq!(left.len(), 1);
        assert_eq!(fs::read(place("e")).expect("readable"), b"b");
        assert!(!begun().iter().any(|place| place.starts_with(folder.path())));
    }
}
