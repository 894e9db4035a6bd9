//! What tells that a source is still the one a store was made from.

use std::{
    fs::{File, Metadata},
    hash::Hasher,
    io::ErrorKind,
    iter,
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        fs::{FileExt, MetadataExt},
    },
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use twox_hash::XxHash64;

use crate::error::{Result, StoreError, io_error};

/// Bytes hashed at both ends of a file.
const END: u64 = 64 << 10;
/// Places hashed in between, and how much at each.
const SAMPLES: u64 = 16;
const SAMPLE: u64 = 4 << 10;

/// A file up to this length is hashed whole, as long as all such files of a source do not have more
/// than the second number. Of the others there are only samples: to read a long source twice
/// would cost as much as to index it again.
const WHOLE_FILE: u64 = 64 << 20;
const WHOLE_IN_ALL: u64 = 1 << 30;

/// How much is read at once. A multiple of what the hash takes at once.
const PIECE: usize = 1 << 20;

/// A file that was changed so shortly before it was looked at may change again without another
/// time: clocks of file systems are coarse.
const COARSEST_CLOCK_NS: i64 = 1_000_000_000;

/// How closely a source is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scrutiny {
    /// What the file system tells of every file; content only where that does not suffice.
    Quick,
    /// The content of every file.
    Thorough,
}

/// The identity of a source, of one or several files; none for standard input.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The files, in order.
    pub files: Vec<SourceFile>,
    /// Files that belong to the source and were not read: they were not there, or were refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadFile>,
    /// When the files were looked at, in nanoseconds since 1970. It is the time of the manifest, not in
    /// it: the same source gives the same bytes at any hour.
    #[serde(skip)]
    pub(crate) looked_ns: i64,
}

/// The identity of one file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SourceFile {
    /// Where it is; bytes that are not UTF-8 are written `%xx`. In a manifest it is relative to
    /// the folder of the store if it lies there or below.
    pub path: String,
    /// What the file system tells of it.
    #[serde(flatten)]
    pub facts: FileFacts,
    /// It was changed while it was read: nobody knows what of it was read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changing: bool,
    /// Hash of all of it, or of both ends and of samples in between.
    pub hash: u64,
    /// The hash is of all of it.
    pub whole: bool,
}

/// A file that was not read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct UnreadFile {
    /// Where it would be, as for files that were read.
    pub path: String,
    /// What the file system tells of it, if it is there. Links are not followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<FileFacts>,
}

/// What the file system tells of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileFacts {
    /// Its length.
    pub size: u64,
    /// When its content was last changed, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// When anything of it was last changed; nobody can set that.
    pub ctime_ns: i64,
    /// Its number in the file system.
    pub inode: u64,
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
        Self::of_all(&[path])
    }

    /// The identity of a file of which the first bytes were read, this many. If it has others by now, its
    /// store is not taken for that of the file.
    pub fn of_first(path: &Path, bytes: u64) -> Result<Self> {
        let mut all = Self::of(path)?;
        all.files.iter_mut().for_each(|file| file.changing |= file.facts.size != bytes);
        Ok(all)
    }

    /// The identity of a source in several files.
    pub fn of_all<P: AsRef<Path> + Sync>(paths: &[P]) -> Result<Self> {
        let looked_ns = nanoseconds(SystemTime::now());
        let files = files_of(paths, WHOLE_IN_ALL)?;
        Ok(Self { files, unread: Vec::new(), looked_ns })
    }

    /// The identity of a source whose other files were found while the first one was read. This
    /// fingerprint has that one, as it was before. What has changed since `began` may have been
    /// read before the change.
    pub fn with_others<P: AsRef<Path> + Sync>(
        mut self,
        others: &[P],
        unread: &[P],
        began: SystemTime,
    ) -> Result<Self> {
        let began_ns = nanoseconds(began);
        let first: u64 = self.files.iter().filter(|file| file.whole).map(|f| f.facts.size).sum();
        let mut others = files_of(others, WHOLE_IN_ALL.saturating_sub(first))?;
        others.iter_mut().for_each(|file| file.changing = file.facts.ctime_ns > began_ns);
        self.files.append(&mut others);
        let unread = unread.par_iter().map(|path| UnreadFile::of(path.as_ref(), began_ns));
        self.unread = unread.collect();
        Ok(self)
    }

    /// Compares with the files as they are now. Of several that differ, the first is told.
    pub fn freshness(&self, scrutiny: Scrutiny) -> Result<Freshness> {
        self.look_again(scrutiny).map(|(freshness, _)| freshness)
    }

    /// The same, and if the source is fresh though the file system tells something else of it, what
    /// it tells now.
    pub(crate) fn look_again(&self, scrutiny: Scrutiny) -> Result<(Freshness, Option<Self>)> {
        if self.files.is_empty() {
            return Ok((Freshness::Unknown, None));
        }
        let looked_ns = nanoseconds(SystemTime::now());
        let told = self.files.par_iter().map(|file| file.told(scrutiny, self.looked_ns));
        let told: Vec<_> = told.collect();
        // All are asked for before the content of any is read.
        let mut to_compare = Vec::new();
        for (number, (file, told)) in self.files.iter().zip(told).enumerate() {
            match told? {
                Told::Same => {}
                Told::Unclear => to_compare.push(number),
                Told::Differs(what) => return Ok((file.changed(what), None)),
                Told::Missing => return Ok((Freshness::Missing(file.location()), None)),
            }
        }
        let appeared = self.unread.par_iter().find_map_first(UnreadFile::change);
        if let Some(change) = appeared {
            return Ok((change, None));
        }
        let compared: Vec<_> =
            to_compare.par_iter().map(|&number| self.files[number].compared()).collect();
        let mut now = Self { looked_ns, ..self.clone() };
        for (&number, compared) in to_compare.iter().zip(compared) {
            match compared? {
                Some(file) => now.files[number] = file,
                None => return Ok((self.files[number].changed("its content changed"), None)),
            }
        }
        let settles = to_compare.iter().any(|&number| {
            !self.files[number].is_settled(self.looked_ns)
                && now.files[number].is_settled(looked_ns)
        });
        let news = (settles || now.files != self.files).then_some(now);
        Ok((Freshness::Fresh, news))
    }

    /// Is the other one that of the same content in the same places?
    pub fn is_same_source(&self, other: &Self) -> bool {
        let same = |(one, other): (&SourceFile, &SourceFile)| {
            let key = |file: &SourceFile| (file.facts.size, file.hash, file.whole);
            one.path == other.path && key(one) == key(other)
        };
        self.files.len() == other.files.len() && self.files.iter().zip(&other.files).all(same)
    }

    /// With paths relative to a folder, where they lead into it.
    pub(crate) fn relative_to(mut self, folder: &Path) -> Self {
        self.map_paths(|path| match path.strip_prefix(folder) {
            Ok(inside) if !inside.as_os_str().is_empty() => inside.to_owned(),
            _ => path,
        });
        self
    }

    /// With paths that lead from anywhere; relative ones begin in the folder.
    pub(crate) fn absolute_from(mut self, folder: &Path) -> Self {
        self.map_paths(|path| folder.join(path));
        self
    }

    fn map_paths(&mut self, map: impl Fn(PathBuf) -> PathBuf) {
        let files = self.files.iter_mut().map(|file| &mut file.path);
        for path in files.chain(self.unread.iter_mut().map(|file| &mut file.path)) {
            *path = escape(&map(unescape(path)));
        }
    }
}

/// Looks at files, of which only this many bytes are read.
fn files_of<P: AsRef<Path> + Sync>(paths: &[P], mut most: u64) -> Result<Vec<SourceFile>> {
    let facts: Vec<_> = paths.par_iter().map(|path| FileFacts::of(path.as_ref())).collect();
    let mut wanted = Vec::with_capacity(paths.len());
    // Of several that cannot be read, the first is told.
    for (path, facts) in paths.iter().zip(facts) {
        let size = facts?.size;
        let whole = size <= WHOLE_FILE && size <= most;
        most -= if whole { size } else { 0 };
        wanted.push((path, whole));
    }
    let files: Vec<_> =
        wanted.into_par_iter().map(|(path, whole)| SourceFile::of(path.as_ref(), whole)).collect();
    files.into_iter().collect()
}

/// What the file system tells about a change.
enum Told {
    Same,
    /// It may have changed or not: its content tells.
    Unclear,
    Differs(&'static str),
    Missing,
}

impl SourceFile {
    /// Where the file is.
    pub fn location(&self) -> PathBuf {
        unescape(&self.path)
    }

    fn of(path: &Path, whole: bool) -> Result<Self> {
        let fail = || io_error(format!("read {}", path.display()));
        // Opening anything but a regular file may wait for ever.
        FileFacts::of(path)?;
        let file = File::open(path).map_err(fail())?;
        let facts = FileFacts::from(&file.metadata().map_err(fail())?);
        let hash = match whole {
            true => hash_whole(&file, facts.size),
            false => hash_samples(&file, facts.size),
        };
        Ok(Self { path: escape(path), facts, changing: false, hash: hash.map_err(fail())?, whole })
    }

    /// It was last changed long enough before it was looked at: a later change has another time.
    fn is_settled(&self, looked_ns: i64) -> bool {
        self.facts.ctime_ns.saturating_add(COARSEST_CLOCK_NS) < looked_ns
    }

    /// What can be told without reading the file.
    fn told(&self, scrutiny: Scrutiny, looked_ns: i64) -> Result<Told> {
        let now = match FileFacts::of(&self.location()) {
            Ok(now) => now,
            Err(StoreError::Io { source, .. }) if is_absence(source.kind()) => {
                return Ok(Told::Missing);
            }
            Err(error) => return Err(error),
        };
        Ok(if self.changing {
            Told::Differs("it was changing while it was read")
        } else if now.size != self.facts.size {
            Told::Differs("its size changed")
        } else if now != self.facts && !self.whole {
            Told::Differs("it was written to, replaced or copied, and is too long to be compared")
        } else if now == self.facts && self.is_settled(looked_ns) && scrutiny == Scrutiny::Quick {
            Told::Same
        } else {
            Told::Unclear
        })
    }

    /// The file as it is now, if its content is the same.
    fn compared(&self) -> Result<Option<Self>> {
        let now = Self::of(&self.location(), self.whole)?;
        let same = now.facts.size == self.facts.size && now.hash == self.hash;
        Ok(same.then_some(now))
    }

    fn changed(&self, what: &str) -> Freshness {
        Freshness::Changed(format!("{}: {what}", self.location().display()))
    }
}

impl UnreadFile {
    fn of(path: &Path, began_ns: i64) -> Self {
        // What has appeared since may not have been there when it was looked for.
        let facts = FileFacts::of_link(path).filter(|facts| facts.ctime_ns <= began_ns);
        Self { path: escape(path), facts }
    }

    fn change(&self) -> Option<Freshness> {
        let path = unescape(&self.path);
        let what = match (self.facts, FileFacts::of_link(&path)) {
            (before, now) if before == now => return None,
            (None, _) => "it is there now",
            (Some(_), _) => "it was not read, and has changed",
        };
        Some(Freshness::Changed(format!("{}: {what}", path.display())))
    }
}

impl FileFacts {
    /// Of the file at `path`, without opening it.
    fn of(path: &Path) -> Result<Self> {
        let fail = || io_error(format!("read {}", path.display()));
        let facts = std::fs::metadata(path).map_err(fail())?;
        if !facts.is_file() {
            return Err(fail()(std::io::Error::other("not a regular file")));
        }
        Ok(Self::from(&facts))
    }

    /// Of whatever is at `path`, if anything is.
    fn of_link(path: &Path) -> Option<Self> {
        std::fs::symlink_metadata(path).ok().map(|facts| Self::from(&facts))
    }
}

impl From<&Metadata> for FileFacts {
    fn from(facts: &Metadata) -> Self {
        let time = |seconds: i64, ns: i64| seconds.saturating_mul(1_000_000_000).saturating_add(ns);
        Self {
            size: facts.len(),
            mtime_ns: time(facts.mtime(), facts.mtime_nsec()),
            ctime_ns: time(facts.ctime(), facts.ctime_nsec()),
            inode: facts.ino(),
        }
    }
}

fn nanoseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

fn is_absence(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn hash_whole(file: &File, size: u64) -> std::io::Result<u64> {
    let mut hash = XxHash64::with_seed(0);
    let mut buffer = Vec::new();
    let mut at = 0;
    loop {
        let want = (size - at).min(PIECE as u64);
        read_range(file, at, want, &mut buffer)?;
        at += buffer.len() as u64;
        // A file that has shrunk meanwhile gets another hash, which is right.
        hash.write(&buffer);
        if buffer.len() < PIECE {
            return Ok(hash.finish());
        }
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
    let mut all = Vec::new();
    let mut buffer = Vec::new();
    for (at, len) in samples(size) {
        read_range(file, at, len, &mut buffer)?;
        all.extend_from_slice(&buffer);
    }
    Ok(XxHash64::oneshot(0, &all))
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
mod tests;
