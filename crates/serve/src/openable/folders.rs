//! Folders whose traces may be opened. Nothing outside of them is listed, however a name or a link
//! leads there.

use std::fs::{self, DirEntry};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use onca_read::is_named_like_trace;
use serde::{Deserialize, Serialize};

/// More than a person reads.
const MOST_ENTRIES: usize = 2000;
const STORE_END: &str = ".onca";
const KEPT_END: &str = ".onca-view";

/// A file or folder below one that was allowed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Spot {
    /// The number of the allowed folder, from 0 on.
    pub folder: u32,
    /// The names from there on, with `/` between them; empty for the folder itself.
    pub path: String,
}

/// What may be opened, or looked into.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// To be looked into.
    Folder,
    /// To be opened.
    Trace,
}

/// One line of a listing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "FolderEntry"))]
pub struct Entry {
    /// Its name in the folder.
    pub name: String,
    pub kind: EntryKind,
    /// Bytes of a file; else `null`.
    pub size: Option<u64>,
}

/// What is in a folder: folders first, then traces, each by name.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Listing {
    /// At most some.
    pub entries: Vec<Entry>,
    /// How many more there are.
    pub left_out: usize,
}

/// The folders, without links on the way to them.
#[derive(Debug, Default)]
pub struct AllowedFolders {
    roots: Vec<PathBuf>,
}

impl AllowedFolders {
    /// The folders must be there.
    pub fn new(folders: &[PathBuf]) -> io::Result<Self> {
        let root = |folder: &PathBuf| {
            let named = |error: io::Error| {
                io::Error::new(error.kind(), format!("{}: {error}", folder.display()))
            };
            let root = folder.canonicalize().map_err(named)?;
            match root.is_dir() {
                true => Ok(root),
                false => Err(named(ErrorKind::NotADirectory.into())),
            }
        };
        Ok(Self { roots: folders.iter().map(root).collect::<io::Result<_>>()? })
    }

    /// All of them.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Where a spot is, if it is below its folder when all links are followed.
    pub fn resolve(&self, spot: &Spot) -> Option<PathBuf> {
        let root = self.roots.get(spot.folder as usize)?;
        let below = Path::new(&spot.path);
        let is_plain = below.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_plain || spot.path.contains('\0') {
            return None;
        }
        beneath(root, &root.join(below))
    }

    /// How the page calls a path; nothing if it lies in no folder that was allowed.
    pub fn spot_of(&self, path: &Path) -> Option<Spot> {
        let path = path.canonicalize().ok()?;
        let (folder, below) = self
            .roots
            .iter()
            .enumerate()
            .find_map(|(number, root)| Some((number, path.strip_prefix(root).ok()?)))?;
        Some(Spot { folder: u32::try_from(folder).ok()?, path: below.to_str()?.to_owned() })
    }

    /// What is in a folder; nothing if there is no such folder.
    pub fn list(&self, spot: &Spot) -> io::Result<Option<Listing>> {
        let root = self.roots.get(spot.folder as usize);
        let Some((root, folder)) = root.zip(self.resolve(spot)) else { return Ok(None) };
        if !folder.is_dir() {
            return Ok(None);
        }
        let mut entries: Vec<Entry> =
            fs::read_dir(&folder)?.filter_map(|entry| entry_of(root, &entry.ok()?)).collect();
        entries.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
        hide_stores(&mut entries);
        let left_out = entries.len().saturating_sub(MOST_ENTRIES);
        entries.truncate(MOST_ENTRIES);
        Ok(Some(Listing { entries, left_out }))
    }
}

/// A path without links, if it is below a folder.
fn beneath(root: &Path, path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().filter(|path| path.starts_with(root))
}

/// What a page shows of something in a folder. Links that lead out are as if they were not there, and
/// so is what is no regular file: opening it could wait for ever.
fn entry_of(root: &Path, entry: &DirEntry) -> Option<Entry> {
    let name = entry.file_name().into_string().ok()?;
    if name.starts_with('.') || name.ends_with(KEPT_END) {
        return None;
    }
    let path = beneath(root, &entry.path())?;
    let facts = path.metadata().ok()?;
    let is_store = name.ends_with(STORE_END);
    match facts.is_dir() {
        true if is_store => Some(Entry { name, kind: EntryKind::Trace, size: None }),
        true => Some(Entry { name, kind: EntryKind::Folder, size: None }),
        false if facts.is_file() && is_named_like_trace(Path::new(&name)) => {
            Some(Entry { name, kind: EntryKind::Trace, size: Some(facts.len()) })
        }
        false => None,
    }
}

/// The store of a trace that is listed too is the same trace.
fn hide_stores(entries: &mut Vec<Entry>) {
    let is_file = |entry: &&Entry| entry.size.is_some();
    let names: std::collections::HashSet<String> =
        entries.iter().filter(is_file).map(|entry| entry.name.clone()).collect();
    let trace_of = |name: &str| name.strip_suffix(STORE_END).map(str::to_owned);
    entries.retain(|entry| trace_of(&entry.name).is_none_or(|trace| !names.contains(&trace)));
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn spot(path: &str) -> Spot {
        Spot { folder: 0, path: path.to_owned() }
    }

    /// A folder with a neighbour whose name begins alike, and links that lead out and around.
    fn trap() -> (tempfile::TempDir, AllowedFolders) {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("root");
        fs::create_dir_all(root.join("in/run.paje.onca")).unwrap();
        fs::create_dir_all(root.join("in/other.onca")).unwrap();
        fs::create_dir_all(root.join("in/run.paje.onca-view")).unwrap();
        fs::create_dir(place.path().join("rootX")).unwrap();
        for outside in ["secret.paje", "rootX/secret.paje"] {
            fs::write(place.path().join(outside), "secret").unwrap();
        }
        fs::write(root.join("in/run.paje"), "four").unwrap();
        fs::write(root.join("in/notes.txt"), "text").unwrap();
        fs::write(root.join("in/.hidden.paje"), "text").unwrap();
        symlink("../secret.paje", root.join("up.paje")).unwrap();
        symlink(place.path().join("secret.paje"), root.join("absolute.paje")).unwrap();
        symlink("../rootX", root.join("sideways")).unwrap();
        symlink("/", root.join("top")).unwrap();
        symlink("in/run.paje", root.join("inside.paje")).unwrap();
        let folders = AllowedFolders::new(&[root]).unwrap();
        (place, folders)
    }

    #[test]
    fn traces_and_folders_are_listed_and_nothing_else() {
        let (_place, folders) = trap();
        let names = |path: &str| {
            let listing = folders.list(&spot(path)).unwrap().unwrap();
            assert_eq!(listing.left_out, 0);
            let entries = listing.entries.into_iter();
            entries.map(|entry| (entry.name, entry.kind, entry.size)).collect::<Vec<_>>()
        };
        let trace = |name: &str, size| (name.to_owned(), EntryKind::Trace, size);
        let folder = ("in".to_owned(), EntryKind::Folder, None);
        assert_eq!(names(""), [folder, trace("inside.paje", Some(4))]);
        assert_eq!(names("in"), [trace("other.onca", None), trace("run.paje", Some(4))]);
    }

    #[test]
    fn nothing_leads_out_of_a_folder() {
        let (place, folders) = trap();
        let outside = place.path().join("secret.paje");
        let mut names: Vec<String> =
            ["up.paje", "absolute.paje", "sideways", "sideways/secret.paje"]
                .into_iter()
                .chain(["top", "top/etc/passwd", "..", ".", "/", "/etc/passwd", "../secret.paje"])
                .chain([
                    "../rootX/secret.paje",
                    "in/../../secret.paje",
                    "in/\0",
                    "%2e%2e/secret.paje",
                ])
                .chain([outside.to_str().unwrap()])
                .map(str::to_owned)
                .collect();
        names.extend((1..40).map(|depth| format!("in/{}secret.paje", "../".repeat(depth))));
        for name in names {
            assert_eq!(folders.resolve(&spot(&name)), None, "{name:?}");
            assert_eq!(folders.list(&spot(&name)).unwrap(), None, "{name:?}");
        }
        assert_eq!(folders.spot_of(&outside), None);
        assert_eq!(folders.resolve(&Spot { folder: 1, path: "in".to_owned() }), None);
        let inside = folders.resolve(&spot("inside.paje")).unwrap();
        assert_eq!(folders.spot_of(&inside), Some(spot("in/run.paje")));
    }

    #[test]
    fn a_folder_must_be_there() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        fs::write(&file, "").unwrap();
        for wrong in [file, place.path().join("nowhere")] {
            let said = AllowedFolders::new(std::slice::from_ref(&wrong)).unwrap_err().to_string();
            assert!(said.starts_with(wrong.to_str().unwrap()), "{said}");
        }
    }
}
