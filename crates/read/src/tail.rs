//! Sources that are read while somebody writes them.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::detect::detect_file;
use crate::extent::{Extent, identity_of};
use crate::source::check_regular;
use crate::{Compression, Format, Input, SourceError, onct};

/// How much of the beginning tells the format.
const HEAD: usize = 4096;

/// A source that somebody writes.
pub enum Growing {
    /// Text, of which each line counts for itself.
    Lines(Tail),
    /// Records that make sense only together: to see more of them, all are read anew.
    Whole(Extent),
}

/// A text that grows at its end.
pub struct Tail {
    path: PathBuf,
    file: File,
    /// What tells it from another file of the same name.
    identity: (u64, u64),
    portion: Arc<Portion>,
}

/// How much may be read, and how much was.
#[derive(Default)]
struct Portion {
    left: AtomicU64,
    read: AtomicU64,
}

/// What has become of the file since it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TailState {
    /// It is there, and has this many bytes that were not read.
    Grown(u64),
    /// It is shorter than what was read of it.
    Cut,
    /// Another file has its name.
    Replaced,
    /// No file has its name any more.
    Gone,
}

/// Why a file cannot be followed.
#[derive(Debug)]
pub enum TailError {
    /// It cannot be opened.
    Source(SourceError),
    /// It is of a kind that cannot be read before its end is there: why.
    Unsuited(&'static str),
}

impl fmt::Display for TailError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(error) => write!(f, "{error}"),
            Self::Unsuited(why) => write!(f, "cannot be followed: {why}"),
        }
    }
}

impl std::error::Error for TailError {}

impl Growing {
    /// Opens a file, or the folder of a run; `None` as long as nothing that counts is there.
    pub fn open(path: &Path) -> Result<Option<Self>, TailError> {
        let fail = |error| TailError::Source(SourceError::Io(path.to_owned(), error));
        let whole = || Ok(Some(Self::Whole(Extent::of(path).map_err(fail)?)));
        if path.is_dir() {
            return if onct::named_in(path).any(|file| onct::has_head(&file)) {
                whole()
            } else {
                Ok(None)
            };
        }
        match check_regular(path) {
            Err(SourceError::Io(_, error)) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(None);
            }
            other => other.map_err(TailError::Source)?,
        }
        let file = File::open(path).map_err(fail)?;
        let head = first_bytes(&file).map_err(fail)?;
        if !tells_format(&head) {
            return Ok(None);
        }
        if Compression::detect(&head) != Compression::Plain {
            let why = "it is compressed; what is not decompressed yet cannot be seen";
            return Err(TailError::Unsuited(why));
        }
        match detect_file(path, &head) {
            Format::Paje => Tail::new(path, file).map_err(fail).map(|tail| Some(Self::Lines(tail))),
            Format::Onct if !onct::has_head(path) => Ok(None),
            Format::Chrome | Format::Onct => whole(),
            other => Err(TailError::Unsuited(why_not(other))),
        }
    }
}

impl Tail {
    /// Opens a file at its beginning; `None` as long as it is not there or has no whole line.
    pub fn open(path: &Path) -> Result<Option<Self>, TailError> {
        match Growing::open(path)? {
            None => Ok(None),
            Some(Growing::Lines(tail)) => Ok(Some(tail)),
            Some(Growing::Whole(_)) => Err(TailError::Unsuited("it is no text of lines")),
        }
    }

    fn new(path: &Path, file: File) -> io::Result<Self> {
        let identity = identity_of(&file.metadata()?);
        Ok(Self { path: path.to_owned(), file, identity, portion: Arc::default() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All its bytes, as far as [`allow`](Self::allow) lets them be read.
    pub fn input(&self) -> Result<Input, TailError> {
        let fail = |error| TailError::Source(SourceError::Io(self.path.clone(), error));
        let file = self.file.try_clone().map_err(fail)?;
        let head = first_bytes(&file).map_err(fail)?;
        let reader = Box::new(TailReader { file, portion: Arc::clone(&self.portion) });
        self.portion.read.store(0, Ordering::Relaxed);
        Ok(Input { reader, compression: Compression::Plain, head })
    }

    /// Lets this many more bytes be read, and no others.
    pub fn allow(&self, bytes: u64) {
        self.portion.left.store(bytes, Ordering::Relaxed);
    }

    /// What has become of it.
    pub fn state(&self) -> io::Result<TailState> {
        let length = self.file.metadata()?.len();
        let read = self.portion.read.load(Ordering::Relaxed);
        if length < read {
            return Ok(TailState::Cut);
        }
        match std::fs::metadata(&self.path) {
            Ok(found) if identity_of(&found) != self.identity => Ok(TailState::Replaced),
            Ok(_) => Ok(TailState::Grown(length - read)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(TailState::Gone),
            Err(error) => Err(error),
        }
    }
}

/// Can the format be told by these first bytes?
fn tells_format(head: &[u8]) -> bool {
    let text = head.trim_ascii();
    // JSON may have no line ends at all; what the first brace belongs to is told by what comes next.
    let is_json = text.starts_with(b"[") || text.starts_with(b"{") && text.len() > 1;
    head.len() >= HEAD || is_json || text != b"{" && head.contains(&b'\n')
}

/// Why a format is of no use before its end is there.
fn why_not(format: Format) -> &'static str {
    match format {
        Format::Otf2 => "an OTF2 archive has its definitions only when it is closed",
        Format::Paraver => "a Paraver trace is written when its program has ended",
        Format::Dumpi => "a DUMPI file has its tables at its end",
        Format::Unsupported(what) => what,
        Format::Paje | Format::Chrome | Format::Onct => "it is read when it is complete",
    }
}

fn first_bytes(file: &File) -> io::Result<Vec<u8>> {
    let mut head = vec![0; HEAD];
    let mut filled = 0;
    while filled < HEAD {
        match file.read_at(&mut head[filled..], filled as u64) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    head.truncate(filled);
    Ok(head)
}

/// Gives what is there; nothing where nothing is there yet.
struct TailReader {
    file: File,
    portion: Arc<Portion>,
}

impl Read for TailReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.portion.left.load(Ordering::Relaxed);
        let most = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let at = self.portion.read.load(Ordering::Relaxed);
        let n = self.file.read_at(&mut buffer[..most], at)?;
        self.portion.left.store(left - n as u64, Ordering::Relaxed);
        self.portion.read.store(at + n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write;

    use super::*;

    fn append(path: &Path, text: &str) {
        let mut file = OpenOptions::new().append(true).create(true).open(path).expect("opens");
        file.write_all(text.as_bytes()).expect("written");
    }

    fn rest(input: &mut Input) -> String {
        let mut text = String::new();
        input.reader.read_to_string(&mut text).expect("readable");
        text
    }

    #[test]
    fn a_file_is_read_as_it_grows() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.paje");
        assert!(Tail::open(&path).expect("not there yet").is_none());
        append(&path, "%EventDef Paje");
        assert!(Tail::open(&path).expect("no line yet").is_none());
        append(&path, "SetState 1\n");
        let tail = Tail::open(&path).expect("opens").expect("has a line");
        let mut input = tail.input().expect("readable");
        assert_eq!(rest(&mut input), "", "nothing is allowed yet");
        tail.allow(9);
        assert_eq!(rest(&mut input), "%EventDef");
        assert_eq!(tail.state().expect("there"), TailState::Grown(16));
        tail.allow(1 << 20);
        assert_eq!(rest(&mut input), " PajeSetState 1\n");
        append(&path, "more");
        assert_eq!(rest(&mut input), "more");
        assert_eq!(tail.state().expect("there"), TailState::Grown(0));
    }

    #[test]
    fn a_file_that_is_cut_replaced_or_gone_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.paje");
        append(&path, "%EventDef PajeSetState 1\n");
        let tail = Tail::open(&path).expect("opens").expect("has a line");
        tail.allow(1 << 20);
        rest(&mut tail.input().expect("readable"));
        fs::write(&path, "short\n").expect("written");
        assert_eq!(tail.state().expect("there"), TailState::Cut);
        append(&path, "as long as it was, and more\n");
        fs::write(folder.path().join("new"), "another file of that name, long enough\n")
            .expect("written");
        fs::rename(folder.path().join("new"), &path).expect("renamed");
        assert_eq!(tail.state().expect("there"), TailState::Replaced);
        fs::remove_file(&path).expect("removed");
        assert_eq!(tail.state().expect("gone"), TailState::Gone);
    }

    #[test]
    fn json_is_told_by_its_first_letters() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.json");
        for (text, is_begun) in [
            ("", false),
            (" \n", true),
            ("{\n", false),
            ("[", true),
            (" [\n", true),
            ("{\"", true),
            ("[{\"ph\":\"X\"", true),
        ] {
            fs::write(&path, text).expect("written");
            let opened = Growing::open(&path).expect("opens");
            assert_eq!(opened.is_some(), is_begun, "{text:?}");
            assert!(is_begun == matches!(opened, Some(Growing::Whole(_))) || text == " \n");
        }
    }

    #[test]
    fn what_needs_its_end_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, content) in [
            ("run.prv", "#Paraver (01/01/2026 at 00:00):1:1(1):1:1(1:1)\n"),
            ("run.gz", "\u{1f}\u{8b}\n"),
        ] {
            let path = folder.path().join(name);
            let bytes: Vec<u8> = content.chars().map(|c| c as u8).collect();
            fs::write(&path, bytes).expect("written");
            assert!(matches!(Growing::open(&path), Err(TailError::Unsuited(_))), "{name}");
        }
    }
}
