//! The folder that a data set is written into.

use std::fs;
use std::io;
use std::path::Path;

use onca_model::Shard;
use onca_store::Unfinished;
use onca_tables::TABLES;

use super::error::DatasetError;
use super::folder::LocalFolder;
use super::layout::wrote;
use super::manifest::{MANIFEST, PARTS, Part, Source};
use super::seal::check_source;
use crate::export::{ExportError, temporary_name};

type Result<T> = std::result::Result<T, ExportError>;

/// An error at a place.
pub(super) fn failed(path: &Path) -> impl Fn(io::Error) -> ExportError {
    move |error| ExportError::Write(path.to_owned(), error)
}

/// A folder that takes the place of one that is not there yet.
pub(super) fn vacant(out: &Path) -> Result<Unfinished> {
    if out.symlink_metadata().is_ok() {
        return Err(failed(out)(io::Error::new(io::ErrorKind::AlreadyExists, "is there already")));
    }
    let temporary = temporary_name(out)
        .ok_or_else(|| failed(out)(io::Error::other("this is not the name of a folder")))?;
    fs::create_dir(&temporary).map_err(failed(out))?;
    Ok(Unfinished::at(temporary))
}

/// Makes the folder fit for a shard: others may have written theirs, or be about to.
pub(super) fn prepare(dir: &Path, shard: Shard, source: &Source) -> Result<()> {
    make(dir)?;
    if dir.join(MANIFEST).symlink_metadata().is_ok() {
        return Err(DatasetError::Sealed(dir.to_owned()).into());
    }
    let is_empty = fs::read_dir(dir).map_err(failed(dir))?.next().is_none();
    if !is_empty && !dir.join(PARTS).is_dir() {
        let why = "is there already, and is no data set on its way";
        return Err(failed(dir)(io::Error::new(io::ErrorKind::AlreadyExists, why)));
    }
    let own = Part::file_name(shard.number(), shard.of());
    for (name, part) in Part::all(&LocalFolder::new(dir))? {
        let path = dir.join(PARTS).join(&name);
        if name == own {
            return Err(DatasetError::Doubled(path).into());
        }
        if part.shards != shard.of() {
            let why = format!("it is one of {}, not of {}", part.shards, shard.of());
            return Err(DatasetError::Foreign(path, why).into());
        }
        check_source(&path, &part.source, source)?;
    }
    make(&dir.join(PARTS))?;
    TABLES.iter().try_for_each(|table| clear(&dir.join(table), shard))
}

/// Removes what the same shard wrote before it was interrupted.
fn clear(folder: &Path, shard: Shard) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(folder)(error)),
    };
    for entry in entries {
        let path = entry.map_err(failed(folder))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_some_and(|name| wrote(shard, name)) {
            fs::remove_file(&path).map_err(failed(&path))?;
        }
    }
    Ok(())
}

/// Makes the folders of the tables and the parts.
pub(super) fn make_folders(dir: &Path) -> Result<()> {
    [PARTS].iter().chain(&TABLES).try_for_each(|name| make(&dir.join(name)))
}

/// Makes a folder, unless it is there.
fn make(folder: &Path) -> Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map_err(failed(folder)),
    }
}
