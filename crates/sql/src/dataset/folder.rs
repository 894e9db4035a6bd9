//! Where the files of data sets are: a folder of this machine, or something like one.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use onca_store::Unfinished;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use crate::export::temporary_name;

/// A folder with data sets, or with what is in one.
pub trait Folder: fmt::Debug + Send + Sync {
    /// The names of the folders in it, in order; those with hidden names are left out.
    fn folders(&self) -> io::Result<Vec<String>>;

    /// A folder in it, whether it is there or not.
    fn folder(&self, name: &str) -> Arc<dyn Folder>;

    /// The names and lengths of the files that lie in it, in order. A folder that is not there is an
    /// error.
    fn files(&self) -> io::Result<Vec<(String, u64)>>;

    /// Opens a file in it.
    fn open(&self, name: &str) -> io::Result<Arc<dyn ReadAt>>;

    /// Writes a file: it is there as a whole or not at all.
    fn write(&self, name: &str, content: &[u8]) -> io::Result<()>;

    /// What people know it by.
    fn place(&self) -> PathBuf;
}

/// A file of which any part can be read.
pub trait ReadAt: Send + Sync {
    /// How long it is.
    fn bytes(&self) -> u64;

    /// A part of it.
    fn read_at(&self, range: Range<u64>) -> io::Result<Bytes>;
}

/// Opens a file by its path below a folder, with `/`.
pub(super) fn open_below(folder: &dyn Folder, path: &str) -> io::Result<Arc<dyn ReadAt>> {
    match path.split_once('/') {
        Some((name, rest)) => open_below(&*folder.folder(name), rest),
        None => folder.open(path),
    }
}

/// All of a file.
pub(super) fn read_all(folder: &dyn Folder, name: &str) -> io::Result<Bytes> {
    let file = folder.open(name)?;
    file.read_at(0..file.bytes())
}

/// A folder of this machine.
#[derive(Clone, Debug)]
pub struct LocalFolder(PathBuf);

impl LocalFolder {
    /// The folder at a path.
    pub fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }
}

impl Folder for LocalFolder {
    fn folders(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            // A name that is no text can be named by nobody.
            let Ok(name) = entry.file_name().into_string() else { continue };
            if !name.starts_with('.') && entry.path().is_dir() {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    fn folder(&self, name: &str) -> Arc<dyn Folder> {
        Arc::new(Self(self.0.join(name)))
    }

    fn files(&self) -> io::Result<Vec<(String, u64)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            let found = entry.path().metadata()?;
            if found.is_file() {
                files.push((entry.file_name().to_string_lossy().into_owned(), found.len()));
            }
        }
        files.sort();
        Ok(files)
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn ReadAt>> {
        let file = File::open(self.0.join(name))?;
        let bytes = file.metadata()?.len();
        Ok(Arc::new(LocalFile { file, bytes }))
    }

    fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let place = self.0.join(name);
        let temporary = temporary_name(&place)
            .ok_or_else(|| io::Error::other("this is not the name of a file"))?;
        let begun = Unfinished::at(temporary);
        let mut file = File::create(begun.path())?;
        file.write_all(content)?;
        file.sync_all()?;
        begun.finish(&place)
    }

    fn place(&self) -> PathBuf {
        self.0.clone()
    }
}

struct LocalFile {
    file: File,
    bytes: u64,
}

impl ReadAt for LocalFile {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read_at(&self, range: Range<u64>) -> io::Result<Bytes> {
        let n = usize::try_from(range.end.saturating_sub(range.start)).map_err(io::Error::other)?;
        if range.end > self.bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut bytes = vec![0; n];
        self.file.read_exact_at(&mut bytes, range.start)?;
        Ok(Bytes::from(bytes))
    }
}

/// A file as a reader of Parquet takes it.
pub(super) struct Chunks(pub Arc<dyn ReadAt>);

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.0.bytes()
    }
}

impl ChunkReader for Chunks {
    type T = BufReader<Rest>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        Ok(BufReader::new(Rest { file: Arc::clone(&self.0), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let end = start.saturating_add(length as u64);
        match end <= self.0.bytes() {
            true => Ok(self.0.read_at(start..end)?),
            false => Err(ParquetError::EOF("it says that it is longer than it is".to_owned())),
        }
    }
}

/// What follows in a file, for those who do not know how much they need.
pub(super) struct Rest {
    file: Arc<dyn ReadAt>,
    at: u64,
}

impl Rest {
    /// All of a file.
    pub fn all(file: Arc<dyn ReadAt>) -> Self {
        Self { file, at: 0 }
    }
}

impl Read for Rest {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let end = self.at.saturating_add(buffer.len() as u64).min(self.file.bytes());
        if end <= self.at {
            return Ok(0);
        }
        let bytes = self.file.read_at(self.at..end)?;
        let n = bytes.len().min(buffer.len());
        buffer.iter_mut().zip(&bytes).for_each(|(to, from)| *to = *from);
        self.at = end;
        Ok(n)
    }
}
