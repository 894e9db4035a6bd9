//! What tells that a source is still the one a store was made from.

use std::{
    fs::{File, Metadata},
    io::ErrorKind,
    iter,
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        fs::{FileExt, MetadataExt},
    },
    path::{Path, PathBuf},
};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::{Result, StoreError, io_error};

/// Bytes hashed at both ends of a file.
const END: u64 = 64 << 10;
/// Places hashed in between, and how much at each.
const SAMPLES: u64 = 16;
const SAMPLE: u64 = 4 << 10;

/// Files of a source whose content is looked at whenever its store is opened. An archive may have
/// a hundred thousand; then the size, the time and the number of the others must do.
const HASHED_FILES: usize = 16;

/// How closely a source is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scrutiny {
    /// What the file system tells of every file, and samples of the first few.
    Quick,
    /// Samples of every file.
    Thorough,
}

/// The identity of a source, of one or several files; none for standard input.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The files, in order.
    pub files: Vec<SourceFile>,
}

/// The identity of one file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SourceFile {
    /// Where it was; bytes that are not UTF-8 are written `%xx`.
    pub path: String,
    /// Its length.
    pub size: u64,
    /// When it was last changed, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Its number in the file system.
    pub inode: u64,
    /// Hash of both ends and of samples in between.
    pub hash: u64,
}

/// Whether a source is the one that a store was made from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Freshness {
    /// Nothing differs.
    Fresh,
    /// Something differs: what.
    Changed(String),
    /// A file is not there any more.
    Missing(PathBuf),
    /// The store was made from a stream; there is nothing to compare.
    Unknown,
}

impl Fingerprint {
    /// The identity of the file at `path` as it is now.
    pub fn of(path: &Path) -> Result<Self> {
        Ok(Self { files: vec![SourceFile::of(path)?] })
    }

    /// The identity of a source in several files.
    pub fn of_all<P: AsRef<Path> + Sync>(paths: &[P]) -> Result<Self> {
        let files: Vec<_> = paths.par_iter().map(|path| SourceFile::of(path.as_ref())).collect();
        // Of several that cannot be read, the first is told.
        Ok(Self { files: files.into_iter().collect::<Result<_>>()? })
    }

    /// Compares with the files as they are now, at the places where they were. Of several that
    /// differ, the first is told.
    pub fn freshness(&self, scrutiny: Scrutiny) -> Result<Freshness> {
        if self.files.is_empty() {
            return Ok(Freshness::Unknown);
        }
        let hashed = match scrutiny {
            Scrutiny::Quick => HASHED_FILES,
            Scrutiny::Thorough => usize::MAX,
        };
        let files = self.files.par_iter().enumerate();
        let differing = files.find_map_first(|(index, old)| {
            let change = old.change(index < hashed);
            (!matches!(change, Ok(Freshness::Fresh))).then_some(change)
        });
        differing.unwrap_or(Ok(Freshness::Fresh))
    }
}

impl SourceFile {
    /// Where the file was.
    pub fn location(&self) -> PathBuf {
        unescape(&self.path)
    }

    fn of(path: &Path) -> Result<Self> {
        let fail = || io_error(format!("read {}", path.display()));
        SourceFacts::of(path)?;
        let file = File::open(path).map_err(fail())?;
        let SourceFacts { size, mtime_ns, inode } =
            SourceFacts::from(&file.metadata().map_err(fail())?);
        let hash = hash_samples(&file, size).map_err(fail())?;
        Ok(Self { path: escape(path), size, mtime_ns, inode, hash })
    }

    /// Whether the file is still what it was.
    fn change(&self, hashed: bool) -> Result<Freshness> {
        let path = self.location();
        let difference = if hashed {
            Self::of(&path).map(|new| {
                self.facts()
                    .difference(&new.facts())
                    .or((self.hash != new.hash).then_some("its content changed"))
            })
        } else {
            SourceFacts::of(&path).map(|new| self.facts().difference(&new))
        };
        match difference {
            Ok(None) => Ok(Freshness::Fresh),
            Ok(Some(what)) => Ok(Freshness::Changed(format!("{}: {what}", path.display()))),
            Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
                Ok(Freshness::Missing(path))
            }
            Err(error) => Err(error),
        }
    }

    fn facts(&self) -> SourceFacts {
        SourceFacts { size: self.size, mtime_ns: self.mtime_ns, inode: self.inode }
    }
}

/// What the file system tells of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SourceFacts {
    size: u64,
    mtime_ns: i64,
    inode: u64,
}

impl SourceFacts {
    /// Of the file at `path`, without opening it.
    fn of(path: &Path) -> Result<Self> {
        let fail = || io_error(format!("read {}", path.display()));
        let facts = std::fs::metadata(path).map_err(fail())?;
        // Opening anything else may wait for ever.
        if !facts.is_file() {
            return Err(fail()(std::io::Error::other("not a regular file")));
        }
        Ok(Self::from(&facts))
    }

    fn difference(&self, new: &Self) -> Option<&'static str> {
        if self.size != new.size {
            Some("its size changed")
        } else if self.mtime_ns != new.mtime_ns {
            Some("it was written to")
        } else if self.inode != new.inode {
            Some("it was replaced")
        } else {
            None
        }
    }
}

impl From<&Metadata> for SourceFacts {
    fn from(facts: &Metadata) -> Self {
        let mtime_ns = facts.mtime().wrapping_mul(1_000_000_000).wrapping_add(facts.mtime_nsec());
        Self { size: facts.len(), mtime_ns, inode: facts.ino() }
    }
}

/// Where and how much is hashed of a file of this length.
fn samples(size: u64) -> impl Iterator<Item = (u64, u64)> {
    let stride = size / (SAMPLES + 1);
    let between = (1..=SAMPLES).map(move |sample| (sample * stride, SAMPLE.min(size)));
    let last = (size.saturating_sub(END), END.min(size));
    iter::once((0, END.min(size))).chain(between).chain(iter::once(last))
}

fn hash_samples(file: &File, size: u64) -> std::io::Result<u64> {
    let mut hash = Fnv::default();
    let mut buffer = Vec::new();
    if size <= END {
        // Archives of very many files have small ones: one reading is enough.
        read_range(file, 0, size, &mut buffer)?;
        for (at, len) in samples(size) {
            let end = buffer.len().min((at + len) as usize);
            hash.update(buffer.get(at as usize..end).unwrap_or_default());
        }
        return Ok(hash.0);
    }
    for (at, len) in samples(size) {
        read_range(file, at, len, &mut buffer)?;
        hash.update(&buffer);
    }
    Ok(hash.0)
}

fn read_range(file: &File, at: u64, len: u64, buffer: &mut Vec<u8>) -> std::io::Result<()> {
    buffer.resize(len as usize, 0);
    let mut filled = 0;
    while filled < buffer.len() {
        // The file may shrink meanwhile; then the hash differs, which is right.
        match file.read_at(&mut buffer[filled..], at + filled as u64) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    buffer.truncate(filled);
    Ok(())
}

/// FNV-1a: simple, and the same on every machine and in every version.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn update(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

fn escape(path: &Path) -> String {
    let mut text = String::new();
    for part in path.as_os_str().as_bytes().utf8_chunks() {
        text.push_str(&part.valid().replace('%', "%25"));
        for byte in part.invalid() {
            text.push_str(&format!("%{byte:02x}"));
        }
    }
    text
}

fn unescape(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(escaped) if byte == b'%' => {
                bytes.push(escaped);
                rest = &after[2..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_the_source_is_noticed() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("50%.paje");
        std::fs::write(&path, vec![b'x'; 300_000]).expect("written");
        let old = Fingerprint::of(&path).expect("readable");
        assert_eq!(old.freshness(Scrutiny::Quick).expect("readable"), Freshness::Fresh);
        std::fs::write(&path, vec![b'y'; 300_000]).expect("written");
        assert!(matches!(old.freshness(Scrutiny::Quick).expect("readable"), Freshness::Changed(_)));
        std::fs::remove_file(&path).expect("removed");
        assert_eq!(old.freshness(Scrutiny::Quick).expect("readable"), Freshness::Missing(path));
        assert_eq!(
            Fingerprint::default().freshness(Scrutiny::Quick).expect("nothing"),
            Freshness::Unknown
        );
    }

    #[test]
    fn content_of_the_many_files_of_an_archive_is_looked_at_when_asked() {
        let dir = tempfile::tempdir().expect("a folder");
        let paths: Vec<PathBuf> =
            (0..HASHED_FILES + 2).map(|file| dir.path().join(file.to_string())).collect();
        paths.iter().for_each(|path| std::fs::write(path, b"before").expect("written"));
        let old = Fingerprint::of_all(&paths).expect("readable");
        let last = paths.last().expect("some files");
        let written = std::fs::metadata(last).and_then(|facts| facts.modified()).expect("a time");
        std::fs::write(last, b"after!").expect("written");
        File::options().append(true).open(last).expect("there").set_modified(written).expect("set");
        assert_eq!(old.freshness(Scrutiny::Quick).expect("readable"), Freshness::Fresh);
        let thorough = old.freshness(Scrutiny::Thorough).expect("readable");
        assert_eq!(
            thorough,
            Freshness::Changed(format!("{}: its content changed", last.display()))
        );
        std::fs::write(last, b"longer than before").expect("written");
        let quick = old.freshness(Scrutiny::Quick).expect("readable");
        assert_eq!(quick, Freshness::Changed(format!("{}: its size changed", last.display())));
    }

    #[test]
    fn both_ends_and_sixteen_places_between_are_hashed() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("file");
        for size in [0usize, 1, 16, 418, 5_000, 65_535, 65_536, 65_537, 300_000] {
            let content: Vec<u8> = (0..size).map(|at| (at * at % 251) as u8).collect();
            let mut hashed = content[..size.min(65_536)].to_vec();
            for place in 1..=16 {
                let start = size / 17 * place;
                hashed.extend_from_slice(&content[start..size.min(start + 4_096)]);
            }
            hashed.extend_from_slice(&content[size.saturating_sub(65_536)..]);
            let expected = hashed.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            std::fs::write(&path, &content).expect("written");
            let found = Fingerprint::of(&path).expect("readable").files[0].hash;
            assert_eq!(found, expected, "{size} bytes");
        }
    }

    #[test]
    fn any_path_comes_back() {
        for bytes in [b"a/b%25".as_slice(), b"caf\xe9%", "é".as_bytes()] {
            let path = PathBuf::from(std::ffi::OsString::from_vec(bytes.to_vec()));
            assert_eq!(unescape(&escape(&path)), path);
        }
    }
}
