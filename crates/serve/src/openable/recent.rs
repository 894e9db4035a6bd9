//! The traces that were shown last.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

const MOST_PATHS: usize = 20;

/// A file with their paths. It is a comfort: where it cannot be read or written, there are none.
#[derive(Debug)]
pub struct Recent {
    file: Option<PathBuf>,
}

#[derive(Default, Serialize, Deserialize)]
struct Text {
    /// The last one first.
    paths: Vec<PathBuf>,
}

impl Recent {
    /// Those in a file.
    pub fn new(file: Option<PathBuf>) -> Self {
        Self { file }
    }

    /// The last one first.
    pub fn paths(&self) -> Vec<PathBuf> {
        let text = self.file.as_ref().and_then(|file| std::fs::read(file).ok());
        let text = text.and_then(|text| serde_json::from_slice::<Text>(&text).ok());
        text.unwrap_or_default().paths
    }

    /// Puts a trace before all others. What is no file or folder, such as standard input, is none.
    pub fn put_first(&self, path: &Path) {
        let Some((file, path)) = self.file.as_ref().zip(path.canonicalize().ok()) else { return };
        let mut paths = self.paths();
        paths.retain(|other| *other != path);
        paths.insert(0, path);
        paths.truncate(MOST_PATHS);
        // Paths that are no text cannot be written; what fails leaves the file as it was.
        if let Ok(text) = serde_json::to_vec_pretty(&Text { paths }) {
            let _ = write(file, &text);
        }
    }
}

/// Writes a private file, whole or not at all.
fn write(file: &Path, text: &[u8]) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    super::drops::make_private(folder)?;
    let mut written = tempfile::NamedTempFile::new_in(folder)?;
    written.write_all(text)?;
    written.persist(file).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_comes_first_and_only_once() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        let traces: Vec<PathBuf> = (0..25).map(|n| root.join(format!("{n}.paje"))).collect();
        for trace in &traces {
            std::fs::write(trace, "").unwrap();
        }
        let recent = Recent::new(Some(root.join("deep/recent.json")));
        assert!(recent.paths().is_empty());
        traces.iter().for_each(|trace| recent.put_first(trace));
        recent.put_first(&traces[7]);
        recent.put_first(Path::new("-"));
        let mut expected = vec![traces[7].clone()];
        let rest = traces.iter().rev().filter(|trace| **trace != traces[7]);
        expected.extend(rest.take(MOST_PATHS - 1).cloned());
        assert_eq!(recent.paths(), expected);
        std::fs::write(root.join("deep/recent.json"), "spoilt").unwrap();
        assert!(recent.paths().is_empty());
    }
}
