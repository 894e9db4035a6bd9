//! What a data set looks like from outside. The program knows the rest.

use std::fs;
use std::path::{Path, PathBuf};

/// Is there a data set in this folder, sealed or not, or folders with some?
pub fn is_dataset(path: &Path) -> bool {
    is_one(path) || folders(path).iter().any(|folder| is_one(folder))
}

/// A data set has a manifest, or what its shards wrote, and folders of tables.
fn is_one(dir: &Path) -> bool {
    (dir.join("containers").is_dir() || dir.join("states").is_dir())
        && (dir.join("manifest.json").is_file() || dir.join("parts").is_dir())
}

/// The folders in a folder. What is being written has a hidden name.
fn folders(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    let seen = |entry: &fs::DirEntry| !entry.file_name().as_encoded_bytes().starts_with(b".");
    let entries = entries.filter_map(Result::ok).filter(seen);
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_sets_are_told_from_other_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        let one = folder.path().join("runs/one");
        fs::create_dir_all(one.join("containers")).expect("folders");
        assert!(!is_dataset(&one) && !is_dataset(folder.path()));
        fs::create_dir(one.join("parts")).expect("a folder");
        assert!(is_dataset(&one) && is_dataset(&folder.path().join("runs")));
        assert!(!is_dataset(folder.path()) && !is_dataset(&folder.path().join("none")));
        fs::remove_dir(one.join("parts")).expect("an empty folder");
        fs::write(one.join("manifest.json"), "{}").expect("a file");
        assert!(is_dataset(&one));
    }
}
