//! What the page keeps of a trace: marks, and lenses that are too long for an address.
//!
//! It lies beside the store and not in it, for a store that does not fit any more is removed.

use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use onca_answer::marks::folder_beside;

/// A folder of small texts.
#[derive(Debug)]
pub struct Kept {
    folder: PathBuf,
}

impl Kept {
    /// What is kept beside a store.
    pub fn beside(store: &Path) -> Self {
        Self { folder: folder_beside(store) }
    }

    /// A text that was kept under a name of ours, if there is one.
    pub fn get(&self, name: &str) -> io::Result<Option<String>> {
        match fs::read_to_string(self.folder.join(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            other => other.map(Some),
        }
    }

    /// Keeps a text, whole or not at all.
    pub fn put(&self, name: &str, text: &str) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(self.folder.join(name)).map_err(|error| error.error)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back() {
        let place = tempfile::tempdir().unwrap();
        let kept = Kept::beside(&place.path().join("run.paje.onca"));
        assert_eq!(kept.get("marks.json").unwrap(), None);
        kept.put("marks.json", "one").unwrap();
        kept.put("marks.json", "two").unwrap();
        assert_eq!(kept.get("marks.json").unwrap().as_deref(), Some("two"));
        let files = fs::read_dir(place.path().join("run.paje.onca-view")).unwrap();
        assert_eq!(files.count(), 1, "nothing temporary is left");
    }
}
