//! Files that were dropped on the page: each drop has a folder of its own in a private one, where its
//! store lies too, so that removing the folder removes everything.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use onca_read::is_named_like_trace;
use tempfile::NamedTempFile;

/// What is written to a file that nobody finished is removed after this time. Until then, another
/// server may be at it.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);
const NAME_BYTES: usize = 200;
/// The digits of the name of a drop.
const DROP_DIGITS: usize = 16;
const STORE_ENDS: [&str; 2] = [".onca", ".onca-view"];

/// The name of a drop: some hexadecimal digits, chosen by the page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DropName(String);

impl DropName {
    /// A name, if the text is one.
    pub fn read(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_name = text.len() == DROP_DIGITS && text.bytes().all(is_digit);
        is_name.then(|| Self(text.to_owned()))
    }
}

/// A drop that is there.
#[derive(PartialEq, Eq, Debug)]
pub struct Drop {
    /// What it is called.
    pub name: DropName,
    /// The names of its files, in order.
    pub files: Vec<String>,
    /// What the files have together, in bytes; the store is not counted.
    pub size: u64,
}

impl Drop {
    /// The name as text.
    pub fn text(&self) -> &str {
        &self.name.0
    }
}

/// The private folder with all drops.
#[derive(Debug)]
pub struct Drops {
    folder: PathBuf,
    limit: u64,
}

impl Drops {
    /// Drops in a folder, which need not be there yet, with at most some bytes together.
    pub fn new(folder: PathBuf, limit: u64) -> Self {
        Self { folder, limit }
    }

    /// What all files may have together, in bytes.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// The folder of a drop.
    pub fn folder_of(&self, drop: &DropName) -> PathBuf {
        self.folder.join(&drop.0)
    }

    /// All drops, by name.
    pub fn list(&self) -> io::Result<Vec<Drop>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let drop = |name: DropName| drop_in(&self.folder_of(&name), name);
        let names = entries.filter_map(|entry| DropName::read(entry.ok()?.file_name().to_str()?));
        let mut drops: Vec<Drop> = names.filter_map(drop).collect();
        drops.sort_by(|a, b| a.name.0.cmp(&b.name.0));
        Ok(drops)
    }

    /// How many bytes more may be dropped.
    pub fn room(&self) -> io::Result<u64> {
        let used = self.list()?.iter().map(|drop| drop.size).sum::<u64>();
        Ok(self.limit.saturating_sub(used))
    }

    /// The file of a drop that names the trace: the first that is called like one, else the first.
    pub fn main_file(&self, drop: &DropName) -> Option<PathBuf> {
        let folder = self.folder_of(drop);
        let files = drop_in(&folder, drop.clone())?.files;
        let named = files.iter().find(|file| is_named_like_trace(Path::new(file)));
        named.or(files.first()).map(|file| folder.join(file))
    }

    /// Begins a file. It is nowhere until it is finished.
    pub fn begin(&self) -> io::Result<NamedTempFile> {
        make_private(&self.folder)?;
        remove_abandoned(&self.folder);
        NamedTempFile::new_in(&self.folder)
    }

    /// Puts a file that is written into its drop.
    pub fn finish(&self, written: NamedTempFile, drop: &DropName, file: &str) -> io::Result<()> {
        if !is_file_name(file) {
            return Err(ErrorKind::InvalidFilename.into());
        }
        written.as_file().sync_all()?;
        let folder = self.folder_of(drop);
        make_private(&folder)?;
        written.persist(folder.join(file)).map(|_: File| ()).map_err(|error| error.error)
    }

    /// Removes a drop with everything in it. Tells whether there was one.
    pub fn remove(&self, drop: &DropName) -> io::Result<bool> {
        match fs::remove_dir_all(self.folder_of(drop)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            other => other.map(|()| true),
        }
    }
}

/// Can a dropped file have this name? It stays in its folder, and is not taken for a store.
pub fn is_file_name(name: &str) -> bool {
    let is_odd = |c: char| c == '/' || c == '\\' || c.is_control();
    !name.is_empty()
        && name.len() <= NAME_BYTES
        && !name.starts_with('.')
        && !name.contains(is_odd)
        && !STORE_ENDS.iter().any(|end| name.ends_with(end))
}

fn drop_in(folder: &Path, name: DropName) -> Option<Drop> {
    let facts_of = |entry: io::Result<fs::DirEntry>| {
        let entry = entry.ok()?;
        let facts = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some((entry.file_name().into_string().ok()?, facts.len()))
    };
    let mut files: Vec<(String, u64)> = fs::read_dir(folder).ok()?.filter_map(facts_of).collect();
    files.sort();
    let size = files.iter().map(|(_, size)| size).sum();
    Some(Drop { name, files: files.into_iter().map(|(name, _)| name).collect(), size })
}

/// Makes a folder that only its owner may enter.
pub fn make_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Removes what a server that was killed has left behind.
fn remove_abandoned(folder: &Path) {
    let now = SystemTime::now();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let facts = entry.metadata().ok().filter(fs::Metadata::is_file);
        let age = facts.and_then(|facts| now.duration_since(facts.modified().ok()?).ok());
        if age.is_some_and(|age| age > ABANDONED) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Writes a piece of a file; tells how much room is left, or nothing if there is not enough.
pub fn write_piece(file: &mut NamedTempFile, piece: &[u8], room: u64) -> io::Result<Option<u64>> {
    let Some(left) = room.checked_sub(piece.len() as u64) else { return Ok(None) };
    file.write_all(piece)?;
    Ok(Some(left))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const NAME: &str = "0123456789abcdef";

    fn put(drops: &Drops, drop: &str, file: &str, text: &str) -> io::Result<()> {
        let mut written = drops.begin()?;
        let room = drops.room()?;
        assert_eq!(
            write_piece(&mut written, text.as_bytes(), room)?,
            Some(room - text.len() as u64)
        );
        drops.finish(written, &DropName::read(drop).unwrap(), file)
    }

    #[test]
    fn a_drop_comes_and_goes_with_everything_in_it() {
        let place = tempfile::tempdir().unwrap();
        let drops = Drops::new(place.path().join("dropped"), 100);
        assert!(drops.list().unwrap().is_empty());
        put(&drops, NAME, "run.prv", "0123456789").unwrap();
        put(&drops, NAME, "run.pcf", "01234").unwrap();
        let name = DropName::read(NAME).unwrap();
        fs::create_dir(drops.folder_of(&name).join("run.prv.onca")).unwrap();
        let files = vec!["run.pcf".to_owned(), "run.prv".to_owned()];
        assert_eq!(drops.list().unwrap(), [Drop { name: name.clone(), files, size: 15 }]);
        assert_eq!(drops.room().unwrap(), 85);
        for folder in [drops.folder.clone(), drops.folder_of(&name)] {
            assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        }
        assert_eq!(drops.main_file(&name), Some(drops.folder_of(&name).join("run.prv")));
        assert!(drops.remove(&name).unwrap());
        assert!(!drops.remove(&name).unwrap());
        assert_eq!(fs::read_dir(&drops.folder).unwrap().count(), 0, "nothing is left");
    }

    #[test]
    fn what_is_too_long_or_not_finished_is_nowhere() {
        let place = tempfile::tempdir().unwrap();
        let drops = Drops::new(place.path().join("dropped"), 10);
        let mut written = drops.begin().unwrap();
        assert_eq!(write_piece(&mut written, b"0123456", 10).unwrap(), Some(3));
        assert_eq!(write_piece(&mut written, b"0123", 3).unwrap(), None);
        drop(written);
        assert_eq!(fs::read_dir(&drops.folder).unwrap().count(), 0);
    }

    #[test]
    fn names_stay_in_their_folder() {
        for wrong in ["", ".", "..", ".x", "a/b", "../a", "a\\b", "a\0", "a\nb", "run.onca"] {
            assert!(!is_file_name(wrong), "{wrong:?}");
        }
        assert!(!is_file_name(&"x".repeat(NAME_BYTES + 1)));
        assert!(
            is_file_name("ein Lauf (2).paje.gz") && is_file_name("..x".trim_start_matches('.'))
        );
        for wrong in ["", "..", "0123456789abcde", "0123456789ABCDEF", "0123456789abcde/"] {
            assert_eq!(DropName::read(wrong), None, "{wrong:?}");
        }
    }
}
