//! Where bytes come from: files and standard input, plain or compressed.
//!
//! A source is read, never mapped: a file that shrinks under a mapping would kill the process.
//! It can be opened again, because some traces have to be read twice; standard input is kept
//! aside in a compressed temporary file for that.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::onct;

/// How far a compressed source may expand: beyond this ratio *and* this size it is taken for a
/// bomb.
const MAX_EXPANSION: u64 = 200;
const EXPANSION_FREE: u64 = 4 << 30;

/// A source could not be opened.
#[derive(Debug)]
pub enum SourceError {
    /// The system says no.
    Io(PathBuf, io::Error),
    /// Neither a file nor a stream.
    NotReadable(PathBuf, &'static str),
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Self::NotReadable(path, what) => write!(f, "{}: {what}", path.display()),
        }
    }
}

impl std::error::Error for SourceError {}

/// A decompressor stopped a source that expands without end.
#[derive(Debug)]
pub struct ExpansionLimit;

impl fmt::Display for ExpansionLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expands to more than {MAX_EXPANSION} times its size and more than 4 GiB; \
             decompress it yourself if that is right"
        )
    }
}

impl std::error::Error for ExpansionLimit {}

/// How a source is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compression {
    /// Not at all.
    Plain,
    /// gzip.
    Gzip,
    /// A bare zlib stream, as GTG writes.
    Zlib,
    /// Zstandard.
    Zstd,
    /// xz.
    Xz,
    /// bzip2.
    Bzip2,
}

impl Compression {
    /// Tells the compression from the first bytes.
    pub fn detect(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Self::Bzip2,
            [first @ 0x78, second, ..]
                if (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0 =>
            {
                Self::Zlib
            }
            _ => Self::Plain,
        }
    }
}

/// How much of a source has been read; shared with whoever shows it.
#[derive(Debug, Default)]
pub struct Progress {
    read: AtomicU64,
    total: AtomicU64,
    cancelled: AtomicBool,
}

impl Progress {
    /// A source of several files begins to be read, of this length in all.
    pub(crate) fn begin(&self, total: u64) {
        self.read.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// This many bytes of it have been read.
    pub(crate) fn advance(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes read from the file so far, before decompression.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Size of the file; 0 when it is not known.
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// Asks whoever is reading to stop.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Has somebody asked to stop?
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// A file or standard input.
pub struct Source {
    path: PathBuf,
    spool: Option<Arc<Mutex<Spool>>>,
}

/// What came from standard input, kept for a second reading.
struct Spool {
    file: Option<File>,
    complete: bool,
}

impl Source {
    /// The source at a path; `-` is standard input.
    pub fn new(path: &Path) -> Self {
        let stream = path == Path::new("-")
            || path == Path::new("/dev/stdin")
            || path.starts_with("/dev/fd")
            || path.starts_with("/proc/self/fd");
        let spool = stream.then(|| Arc::new(Mutex::new(Spool { file: None, complete: false })));
        Self { path: path.to_owned(), spool }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file that this source names, relative to itself.
    pub fn beside(&self, file: &[u8]) -> PathBuf {
        use std::os::unix::ffi::OsStrExt;
        let file = Path::new(std::ffi::OsStr::from_bytes(file));
        match self.path.parent() {
            Some(folder) if !self.is_stream() => folder.join(file),
            _ => file.to_owned(),
        }
    }

    /// Can it be opened without waiting? Only regular files and streams can.
    pub fn check(&self) -> Result<(), SourceError> {
        if self.is_stream() || onct::is_folder(&self.path) {
            return Ok(());
        }
        check_regular(&self.path)
    }

    /// Is it a stream, of which there is no second copy?
    pub fn is_stream(&self) -> bool {
        self.spool.is_some()
    }

    /// Opens it for reading from its beginning, decompressed. A file that grows is read up to
    /// the length it has now.
    pub fn open(&self, progress: &Arc<Progress>) -> Result<Input, SourceError> {
        progress.read.store(0, Ordering::Relaxed);
        let raw: Box<dyn Read + Send> = match &self.spool {
            None => {
                let (file, len) = open_regular(&self.path)?;
                progress.total.store(len, Ordering::Relaxed);
                Box::new(file.take(len))
            }
            Some(spool) => self.open_stream(spool)?,
        };
        let counted = Counted { inner: raw, progress: Arc::clone(progress) };
        decompress(counted).map_err(|error| SourceError::Io(self.path.clone(), error))
    }

    fn open_stream(&self, shared: &Arc<Mutex<Spool>>) -> Result<Box<dyn Read + Send>, SourceError> {
        let fail = |error| SourceError::Io(self.path.clone(), error);
        let mut spool = shared.lock().unwrap_or_else(PoisonError::into_inner);
        if spool.complete
            && let Some(file) = &spool.file
        {
            let mut file = file.try_clone().map_err(fail)?;
            file.seek(SeekFrom::Start(0)).map_err(fail)?;
            return Ok(Box::new(zstd::Decoder::new(file).map_err(fail)?));
        }
        let kept = tempfile::tempfile().map_err(fail)?;
        let encoder = zstd::Encoder::new(kept.try_clone().map_err(fail)?, 1).map_err(fail)?;
        spool.file = Some(kept);
        let stream: Box<dyn Read + Send> = if self.path == Path::new("-") {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(&self.path).map_err(fail)?)
        };
        Ok(Box::new(Tee { stream, encoder: Some(encoder), spool: Arc::clone(shared) }))
    }
}

/// A file is looked at before it is opened: opening a FIFO would wait for a writer.
pub(crate) fn check_regular(path: &Path) -> Result<(), SourceError> {
    let metadata =
        std::fs::metadata(path).map_err(|error| SourceError::Io(path.to_owned(), error))?;
    if metadata.is_dir() {
        return Err(SourceError::NotReadable(path.to_owned(), "is a directory"));
    }
    if !metadata.is_file() {
        return Err(SourceError::NotReadable(path.to_owned(), "is not a regular file"));
    }
    Ok(())
}

fn open_regular(path: &Path) -> Result<(File, u64), SourceError> {
    let fail = |error| SourceError::Io(path.to_owned(), error);
    check_regular(path)?;
    let file = File::open(path).map_err(fail)?;
    let len = file.metadata().map_err(fail)?.len();
    Ok((file, len))
}

/// Reads a stream and keeps a compressed copy.
struct Tee {
    stream: Box<dyn Read + Send>,
    encoder: Option<zstd::Encoder<'static, File>>,
    spool: Arc<Mutex<Spool>>,
}

impl Read for Tee {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.stream.read(buffer)?;
        if n > 0 {
            if let Some(encoder) = &mut self.encoder {
                encoder.write_all(&buffer[..n])?;
            }
        } else if let Some(encoder) = self.encoder.take() {
            encoder.finish()?;
            self.spool.lock().unwrap_or_else(PoisonError::into_inner).complete = true;
        }
        Ok(n)
    }
}

/// Counts what is read from the file itself.
struct Counted<R> {
    inner: R,
    progress: Arc<Progress>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.progress.read.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// An open source.
pub struct Input {
    /// Its bytes from the first one on, decompressed.
    pub reader: Box<dyn Read + Send>,
    /// How they are compressed.
    pub compression: Compression,
    /// A copy of the first bytes, decompressed, which tell the format.
    pub head: Vec<u8>,
}

/// How much of the beginning tells the format.
const HEAD: u64 = 4096;

impl Input {
    /// Looks at the first bytes. If they cannot be read, whoever reads them is told.
    fn new(mut reader: Box<dyn Read + Send>, compression: Compression) -> Self {
        let mut head = Vec::new();
        let failed = reader.by_ref().take(HEAD).read_to_end(&mut head).err();
        let start = io::Cursor::new(head.clone());
        let reader = Box::new(start.chain(Failing(failed)).chain(reader));
        Self { reader, compression, head }
    }
}

/// Fails once if there is a reason to, and is empty.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

fn decompress(mut raw: Counted<Box<dyn Read + Send>>) -> io::Result<Input> {
    let progress = Arc::clone(&raw.progress);
    let mut head = [0; 6];
    let n = read_full(&mut raw, &mut head)?;
    let compression = Compression::detect(&head[..n]);
    let whole = io::Cursor::new(head[..n].to_vec()).chain(raw);
    let reader: Box<dyn Read + Send> = match compression {
        Compression::Plain => return Ok(Input::new(Box::new(whole), compression)),
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(BufReader::new(whole))),
        Compression::Zlib => Box::new(flate2::read::ZlibDecoder::new(BufReader::new(whole))),
        Compression::Zstd => Box::new(zstd::Decoder::new(whole)?),
        Compression::Xz => {
            Box::new(liblzma::read::XzDecoder::new_multi_decoder(BufReader::new(whole)))
        }
        Compression::Bzip2 => Box::new(bzip2::read::MultiBzDecoder::new(BufReader::new(whole))),
    };
    let reader = Box::new(Expanding { inner: reader, written: 0, progress });
    Ok(Input::new(reader, compression))
}

fn read_full(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Watches how much a decompressor makes of what it reads.
struct Expanding {
    inner: Box<dyn Read + Send>,
    written: u64,
    progress: Arc<Progress>,
}

impl Read for Expanding {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.written += n as u64;
        let allowed = self.progress.read().saturating_mul(MAX_EXPANSION).max(EXPANSION_FREE);
        if self.written > allowed {
            return Err(io::Error::new(io::ErrorKind::QuotaExceeded, ExpansionLimit));
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_back(bytes: &[u8]) -> (Vec<u8>, Compression) {
        let file = tempfile::NamedTempFile::new().expect("temporary file");
        std::fs::write(file.path(), bytes).expect("write");
        let progress = Arc::new(Progress::default());
        let mut input = Source::new(file.path()).open(&progress).expect("open");
        let mut text = Vec::new();
        input.reader.read_to_end(&mut text).expect("read");
        (text, input.compression)
    }

    #[test]
    fn compressed_sources_are_known_by_their_content() {
        let text = b"12 0.5 p1 St computing\n".repeat(1000);
        let gzip = {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(&text).and_then(|()| encoder.finish()).expect("gzip")
        };
        let zlib = {
            let mut encoder =
                flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(&text).and_then(|()| encoder.finish()).expect("zlib")
        };
        let zstd = zstd::encode_all(&text[..], 1).expect("zstd");
        let xz = {
            let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
            encoder.write_all(&text).and_then(|()| encoder.finish()).expect("xz")
        };
        let bzip2 = {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(&text).and_then(|()| encoder.finish()).expect("bzip2")
        };
        for (bytes, compression) in [
            (text.clone(), Compression::Plain),
            ([gzip.clone(), gzip].concat(), Compression::Gzip),
            (zlib, Compression::Zlib),
            (zstd, Compression::Zstd),
            (xz, Compression::Xz),
            (bzip2, Compression::Bzip2),
        ] {
            let (read, detected) = read_back(&bytes);
            assert_eq!(detected, compression);
            let copies = if compression == Compression::Gzip { 2 } else { 1 };
            assert!(read == text.repeat(copies), "{compression:?}");
        }
        assert_eq!(read_back(b"").0, b"");
        assert_eq!(read_back(b"x").1, Compression::Plain);
    }

    #[test]
    fn what_is_no_file_is_refused_without_waiting() {
        let progress = Arc::new(Progress::default());
        let directory = tempfile::tempdir().expect("temporary directory");
        let open = |path: &Path| Source::new(path).open(&progress).err().map(|e| e.to_string());
        assert!(open(directory.path()).is_some_and(|e| e.ends_with("is a directory")));
        assert!(open(Path::new("/dev/zero")).is_some_and(|e| e.ends_with("not a regular file")));
        assert!(open(&directory.path().join("absent")).is_some());
    }
}
