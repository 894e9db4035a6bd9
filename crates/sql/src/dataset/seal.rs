//! Sealing a data set: all shards are there, and all is as they wrote it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onca_tables::TABLES;
use parquet::file::metadata::ParquetMetaDataReader;
use serde::Serialize;

use super::error::{DatasetError, Result};
use super::files::checksum;
use super::folder::{Chunks, Folder, Rest, open_below};
use super::manifest::{FileEntry, MANIFEST, Manifest, PARTS, Part, SCHEMA, Source};

/// Checks that a folder has all shards of one trace, each file as it was written and none besides,
/// and seals it.
pub fn seal(folder: &dyn Folder) -> Result<Manifest> {
    let dir = folder.place();
    match folder.files() {
        Ok(names) if names.iter().any(|(name, _)| name == MANIFEST) => {
            return Err(DatasetError::Sealed(dir));
        }
        Ok(_) => {}
        // Then it has no shards, which is told below.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(DatasetError::Io(dir, error)),
    }
    let parts = Part::all(folder)?;
    let (source, shards) = agreed(&dir.join(PARTS), &parts)?;
    let mut files: BTreeMap<String, FileEntry> = BTreeMap::new();
    for file in parts.into_values().flat_map(|part| part.files) {
        let path = dir.join(&file.path);
        if files.insert(file.path.clone(), file).is_some() {
            return Err(DatasetError::Doubled(path));
        }
    }
    nothing_else(folder, &files.keys().collect())?;
    files.values().try_for_each(|file| check(folder, file))?;
    let files = files.into_values().collect();
    let manifest = Manifest { schema: SCHEMA.to_owned(), source, shards, files };
    write_text(folder, MANIFEST, &manifest)?;
    Ok(manifest)
}

/// What all parts were made from, and how many there are.
fn agreed(dir: &Path, parts: &BTreeMap<String, Part>) -> Result<(Source, u32)> {
    let Some(first) = parts.values().next() else {
        return Err(DatasetError::Missing(dir.to_owned()));
    };
    for (name, part) in parts {
        let path = dir.join(name);
        if part.shards != first.shards {
            let why = format!("it is one of {} shards, not of {}", part.shards, first.shards);
            return Err(DatasetError::Foreign(path, why));
        }
        check_source(&path, &part.source, &first.source)?;
        if *name != Part::file_name(part.shard, part.shards) {
            return Err(DatasetError::Doubled(path));
        }
    }
    let mut names = (1..=first.shards).map(|shard| Part::file_name(shard, first.shards));
    match names.find(|name| !parts.contains_key(name)) {
        Some(missing) => Err(DatasetError::Missing(dir.join(missing))),
        None if parts.len() != first.shards as usize => {
            let why = format!("{} of {} shards are there", parts.len(), first.shards);
            Err(DatasetError::Damaged(dir.to_owned(), why))
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
fn nothing_else(folder: &dyn Folder, listed: &BTreeSet<&String>) -> Result<()> {
    for table in TABLES {
        let rows = folder.folder(table);
        let place = rows.place();
        let cannot = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => DatasetError::Missing(place.clone()),
            _ => DatasetError::Io(place.clone(), error),
        };
        let mut names = rows.files().map_err(cannot)?.into_iter().map(|(name, _)| name);
        let unlisted = |name: &String| {
            name.ends_with(".parquet") && !listed.contains(&format!("{table}/{name}"))
        };
        if let Some(name) = names.find(unlisted) {
            return Err(DatasetError::Doubled(place.join(name)));
        }
    }
    Ok(())
}

/// Compares a file with what its shard says of it.
fn check(folder: &dyn Folder, entry: &FileEntry) -> Result<()> {
    let path = || -> PathBuf { folder.place().join(&entry.path) };
    let cannot = |error: io::Error| DatasetError::Io(path(), error);
    let damaged = |why: String| DatasetError::Damaged(path(), why);
    let in_its_folder = entry.path.split('/').next() == Some(&*entry.table);
    if !in_its_folder || !TABLES.contains(&&*entry.table) {
        return Err(damaged(format!("this is not the place of a file of {:?}", entry.table)));
    }
    let file = match open_below(folder, &entry.path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(DatasetError::Missing(path()));
        }
        Err(error) => return Err(cannot(error)),
    };
    if file.bytes() != entry.bytes {
        return Err(DatasetError::Cut(path(), file.bytes(), entry.bytes));
    }
    if checksum(&mut Rest::all(Arc::clone(&file))).map_err(cannot)? != entry.checksum {
        return Err(damaged("this is not what its shard wrote".to_owned()));
    }
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&Chunks(file));
    let rows = metadata.map_err(|error| damaged(error.to_string()))?.file_metadata().num_rows();
    match u64::try_from(rows) == Ok(entry.rows) {
        true => Ok(()),
        false => Err(damaged(format!("it has {rows} rows; it should have {}", entry.rows))),
    }
}

/// Writes what a data set says of itself; it is there as a whole or not at all.
pub(super) fn write_text(folder: &dyn Folder, name: &str, content: &impl Serialize) -> Result<()> {
    let cannot = |error: io::Error| DatasetError::Io(folder.place().join(name), error);
    let mut text =
        serde_json::to_vec_pretty(content).map_err(|error| cannot(io::Error::other(error)))?;
    text.push(b'\n');
    folder.write(name, &text).map_err(cannot)
}
