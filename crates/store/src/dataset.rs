//! What a data set looks like from outside, so that it is not taken for a store: both have a
//! `manifest.json`. The crate `sql` knows what is in one.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::StoreError;

/// The file that seals a data set.
pub const MANIFEST: &str = "manifest.json";
/// The folder of what its shards say of themselves.
pub const PARTS: &str = "parts";

/// Is there a data set in this folder, sealed or not, or folders with some?
pub fn is_dataset(path: &Path) -> bool {
    is_one(path) || folders(path).is_ok_and(|folders| folders.iter().any(|folder| is_one(folder)))
}

/// Is this folder a data set itself? It has a manifest, or what its shards wrote, and folders of
/// tables. One that nobody has sealed is one too: to be told of, not to be left out.
pub fn is_one(dir: &Path) -> bool {
    looks_like_one(|name| dir.join(name).is_dir(), dir.join(MANIFEST).is_file())
}

/// The same for a folder that may be anywhere: which folders it has, and whether it has a manifest.
pub fn looks_like_one(has_folder: impl Fn(&str) -> bool, has_manifest: bool) -> bool {
    (has_folder("containers") || has_folder("states")) && (has_manifest || has_folder(PARTS))
}

/// The folders in a folder, by name. What is being written has a hidden name.
pub fn folders(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if !is_hidden && entry.path().is_dir() {
            folders.push(entry.path());
        }
    }
    folders.sort();
    Ok(folders)
}

/// Why what is there cannot be opened as a store; nothing if it is no data set.
pub fn refusal(path: &Path) -> Option<StoreError> {
    let several = !is_one(path);
    is_dataset(path).then(|| StoreError::DataSet { path: path.to_owned(), several })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    #[test]
    fn data_sets_are_told_from_other_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        let one = folder.path().join("runs/one");
        fs::create_dir_all(one.join("containers")).expect("folders");
        assert!(!is_dataset(&one) && !is_dataset(folder.path()));
        fs::create_dir(one.join(PARTS)).expect("a folder");
        assert!(is_dataset(&one) && is_dataset(&folder.path().join("runs")));
        assert!(!is_dataset(folder.path()) && !is_dataset(&folder.path().join("none")));
        fs::remove_dir(one.join(PARTS)).expect("an empty folder");
        fs::write(one.join(MANIFEST), "{}").expect("a file");
        assert!(is_dataset(&one));
    }
    #[test]
    fn who_wants_a_store_is_told_of_data_sets() {
        let folder = tempfile::tempdir().expect("a folder");
        let one = folder.path().join("one");
        fs::create_dir_all(one.join("states")).expect("folders");
        fs::write(one.join(MANIFEST), "{}").expect("a file");
        let told = |path: &Path| match Store::open(path) {
            Err(error @ StoreError::DataSet { .. }) => error.to_string(),
            other => panic!("{other:?}"),
        };
        assert!(told(&one).contains("one is a data set"), "{}", told(&one));
        assert!(told(folder.path()).contains("is a folder of data sets"), "{}", told(&one));
        // What looks like a store that is damaged is not taken away.
        assert!(matches!(Store::remove(&one), Err(StoreError::DataSet { .. })));
        assert!(one.join(MANIFEST).is_file());
        fs::remove_dir(one.join("states")).expect("an empty folder");
        assert!(matches!(Store::open(&one), Err(StoreError::Damaged { .. })));
    }
}
