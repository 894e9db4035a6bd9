//! The files of a trace: one for each process.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::block::{END_MARK, FILE_HEAD, Head, MAGIC, is_end_mark};

/// Do these first bytes begin a file of the format?
pub fn is_file(head: &[u8]) -> bool {
    head.starts_with(&MAGIC)
}

/// Is this a folder with the files of processes?
pub fn is_folder(path: &Path) -> bool {
    path.is_dir() && !files_in(path).is_empty()
}

/// The file by which a trace is known: the first that can be read of a folder, else the path itself.
pub fn first_file(path: &Path) -> PathBuf {
    let is_readable = |path: &PathBuf| File::open(path).is_ok_and(|file| Head::read(&file).is_ok());
    let files = if path.is_dir() { files_in(path) } else { Vec::new() };
    files.into_iter().find(is_readable).unwrap_or_else(|| path.to_owned())
}

/// The files of processes in a folder, in the order of their names.
pub(super) fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = named_in(folder).filter(|path| begins_right(path)).collect();
    files.sort_by_cached_key(|path| natural(path));
    files
}

/// What is named like the file of a process in a folder, in any order.
pub(crate) fn named_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_named(path))
}

/// Is the head of a file there, which is written at once?
pub(crate) fn has_head(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.len() >= FILE_HEAD as u64)
}

/// Does a file end with the mark that says that its process has closed it?
pub(crate) fn has_end(path: &Path) -> bool {
    let mut last = [0; END_MARK];
    let mut read = || -> io::Result<()> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::End(-(END_MARK as i64)))?;
        file.read_exact(&mut last)
    };
    read().is_ok() && is_end_mark(&last)
}

fn is_named(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "onct")
}

fn begins_right(path: &Path) -> bool {
    let mut head = [0; 8];
    // Opening anything but a regular file may wait for ever.
    path.is_file()
        && File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok()
        && is_file(&head)
}

/// Files that are numbered come in the order of their numbers.
fn natural(path: &Path) -> Vec<(String, u64)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut parts: Vec<(String, u64)> = vec![(String::new(), 0)];
    let mut in_number = false;
    for c in name.chars() {
        let last = parts.len() - 1;
        match c.to_digit(10) {
            Some(digit) => {
                parts[last].1 = parts[last].1.saturating_mul(10).saturating_add(u64::from(digit));
                in_number = true;
            }
            None if in_number => {
                parts.push((c.to_string(), 0));
                in_number = false;
            }
            None => parts[last].0.push(c),
        }
    }
    parts
}
