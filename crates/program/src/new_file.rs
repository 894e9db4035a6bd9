//! Files that are written whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use onca_store::Unfinished;

use crate::format::shown;
use crate::guest::stop_flag;
use crate::outcome::{Failure, is_full};
use crate::watch::Watch;

/// Writes a file under a temporary name beside its place and renames it when it is complete.
/// Whatever happens, the place holds the old file or the new one. Devices and pipes are written
/// to as they are.
pub fn fill<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<T, E>,
) -> Result<T, E> {
    // A link keeps pointing where it points; what it points to is replaced.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&place).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let mut file = File::options().write(true).open(&place)?;
        return write(&mut file);
    }
    let temporary =
        temporary_name(&place).ok_or_else(|| io::Error::other("this is not the name of a file"))?;
    let _watch = Watch::new(None);
    let begun = Unfinished::at(temporary);
    let file = File::create(begun.path())?;
    let mut file = BufWriter::new(StoppableFile { file, stop: stop_flag() });
    let made = write(&mut file)?;
    file.into_inner().map_err(|error| error.into_error())?.file.sync_all()?;
    begun.finish(&place)?;
    Ok(made)
}

/// Fills a folder under a temporary name beside its place and renames it when it is complete. What
/// is there already is not overwritten.
pub fn fill_folder<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<T, E>,
) -> Result<T, E> {
    let vacant = match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    if !vacant {
        let why = "it is there already, and is not overwritten";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, why).into());
    }
    let temporary =
        temporary_name(path).ok_or_else(|| io::Error::other("this is not the name of a folder"))?;
    let _watch = Watch::new(None);
    fs::create_dir(&temporary)?;
    let begun = Unfinished::at(temporary);
    let made = write(begun.path())?;
    begun.finish(path)?;
    Ok(made)
}

/// Writes what is given.
pub fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    fill(path, |file| file.write_all(content)).map_err(|error| failure(path, &error))
}

/// Says that a file could not be written.
pub fn failure(path: &Path, error: &io::Error) -> Failure {
    let message = format!("cannot write {}: {error}", shown(path));
    if is_full(error) { Failure::Limit(message) } else { Failure::Cannot(message) }
}

/// A file that is not written on once a guest is told to stop.
struct StoppableFile {
    file: File,
    stop: Option<Arc<AtomicBool>>,
}

impl Write for StoppableFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &self.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => Err(io::Error::other("stopped")),
            _ => self.file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn temporary_name(place: &Path) -> Option<PathBuf> {
    let mut name = OsString::from(".");
    name.push(place.file_name()?);
    name.push(format!(".{}.tmp", std::process::id()));
    Some(place.with_file_name(name))
}
