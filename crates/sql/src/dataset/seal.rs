//! Sealing a data set: all shards are there, and all is as they wrote it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use onca_store::Unfinished;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde::Serialize;

use super::error::{DatasetError, Result};
use super::files::checksum;
use super::layout::TABLES;
use super::manifest::{FileEntry, MANIFEST, Manifest, PARTS, Part, SCHEMA, Source};
use crate::export::temporary_name;

/// Checks that a folder has all shards of one trace, each file as it was written and none besides,
/// and seals it.
pub fn seal(dir: &Path) -> Result<Manifest> {
    let place = dir.join(MANIFEST);
    if place.symlink_metadata().is_ok() {
        return Err(DatasetError::Sealed(dir.to_owned()));
    }
    let parts = Part::all(dir)?;
    let (source, shards) = agreed(dir, &parts)?;
    let mut files: BTreeMap<String, FileEntry> = BTreeMap::new();
    for file in parts.into_values().flat_map(|part| part.files) {
        let path = dir.join(&file.path);
        if files.insert(file.path.clone(), file).is_some() {
            return Err(DatasetError::Doubled(path));
        }
    }
    nothing_else(dir, &files.keys().map(|path| dir.join(path)).collect())?;
    files.values().try_for_each(|file| check(&dir.join(&file.path), file))?;
    let files = files.into_values().collect();
    let manifest = Manifest { schema: SCHEMA.to_owned(), source, shards, files };
    write_text(&place, &manifest)?;
    Ok(manifest)
}

/// What all parts were made from, and how many there are.
fn agreed(dir: &Path, parts: &BTreeMap<PathBuf, Part>) -> Result<(Source, u32)> {
    let Some(first) = parts.values().next() else {
        return Err(DatasetError::Missing(dir.join(PARTS)));
    };
    for (path, part) in parts {
        if part.shards != first.shards {
            let why = format!("it is one of {} shards, not of {}", part.shards, first.shards);
            return Err(DatasetError::Foreign(path.clone(), why));
        }
        check_source(path, &part.source, &first.source)?;
        if *path != Part::place(dir, part.shard, part.shards) {
            return Err(DatasetError::Doubled(path.clone()));
        }
    }
    let mut places = (1..=first.shards).map(|shard| Part::place(dir, shard, first.shards));
    match places.find(|place| !parts.contains_key(place)) {
        Some(missing) => Err(DatasetError::Missing(missing)),
        None if parts.len() != first.shards as usize => {
            let why = format!("{} of {} shards are there", parts.len(), first.shards);
            Err(DatasetError::Damaged(dir.join(PARTS), why))
        }
        None => Ok((first.source.clone(), first.shards)),
    }
}

/// Refuses a part that is not of the same trace, seen in the same way.
pub(super) fn check_source(path: &Path, theirs: &Source, ours: &Source) -> Result<()> {
    let why = if theirs.store != ours.store {
        "it is of another trace"
    } else if theirs.lens != ours.lens {
        "it was seen through another lens"
    } else if (theirs.from_tick, theirs.to_tick) != (ours.from_tick, ours.to_tick) {
        "it has another window"
    } else if theirs != ours {
        "it has another unit, or other facts"
    } else {
        return Ok(());
    };
    Err(DatasetError::Foreign(path.to_owned(), why.to_owned()))
}

/// Refuses files of rows that no part lists.
fn nothing_else(dir: &Path, listed: &BTreeSet<PathBuf>) -> Result<()> {
    for folder in TABLES.iter().map(|table| dir.join(table)) {
        let cannot = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => DatasetError::Missing(folder.clone()),
            _ => DatasetError::Io(folder.clone(), error),
        };
        for entry in fs::read_dir(&folder).map_err(cannot)? {
            let path = entry.map_err(cannot)?.path();
            let is_rows = path.extension().is_some_and(|extension| extension == "parquet");
            if is_rows && !listed.contains(&path) {
                return Err(DatasetError::Doubled(path));
            }
        }
    }
    Ok(())
}

/// Compares a file with what its shard says of it.
fn check(path: &Path, entry: &FileEntry) -> Result<()> {
    let cannot = |error: io::Error| DatasetError::Io(path.to_owned(), error);
    let damaged = |why: String| DatasetError::Damaged(path.to_owned(), why);
    let in_its_folder = entry.path.split('/').next() == Some(&*entry.table);
    if !in_its_folder || !TABLES.contains(&&*entry.table) {
        return Err(damaged(format!("this is not the place of a file of {:?}", entry.table)));
    }
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(DatasetError::Missing(path.to_owned()));
        }
        Err(error) => return Err(cannot(error)),
    };
    let bytes = file.metadata().map_err(cannot)?.len();
    if bytes != entry.bytes {
        return Err(DatasetError::Cut(path.to_owned(), bytes, entry.bytes));
    }
    if checksum(&mut file).map_err(cannot)? != entry.checksum {
        return Err(damaged("this is not what its shard wrote".to_owned()));
    }
    file.rewind().map_err(cannot)?;
    let reader = SerializedFileReader::new(file).map_err(|error| damaged(error.to_string()))?;
    let rows = reader.metadata().file_metadata().num_rows();
    match u64::try_from(rows) == Ok(entry.rows) {
        true => Ok(()),
        false => Err(damaged(format!("it has {rows} rows; it should have {}", entry.rows))),
    }
}

/// Writes what a data set says of itself; it is there as a whole or not at all.
pub(super) fn write_text(place: &Path, content: &impl Serialize) -> Result<()> {
    let cannot = |error: io::Error| DatasetError::Io(place.to_owned(), error);
    let temporary = temporary_name(place)
        .ok_or_else(|| cannot(io::Error::other("this is not the name of a file")))?;
    let mut text =
        serde_json::to_vec_pretty(content).map_err(|error| cannot(io::Error::other(error)))?;
    text.push(b'\n');
    let begun = Unfinished::at(temporary);
    let mut file = File::create(begun.path()).map_err(cannot)?;
    file.write_all(&text).and_then(|()| file.sync_all()).map_err(cannot)?;
    begun.finish(place).map_err(cannot)
}
