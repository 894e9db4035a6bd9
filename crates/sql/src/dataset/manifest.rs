//! What a data set says of itself: a text for each shard, and one that seals them.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path};

use bytes::Bytes;
pub use onca_store::dataset::{MANIFEST, PARTS};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::error::{DatasetError, Result};
use super::folder::{Folder, read_all};

/// What a manifest says that it is.
pub const SCHEMA: &str = "onca-dataset/1";
/// What the text of a shard says that it is.
pub const PART_SCHEMA: &str = "onca-dataset-part/1";

/// What seals a data set.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Manifest {
    /// `onca-dataset/1`.
    pub schema: String,
    /// What all of it was made from.
    pub source: Source,
    /// How many shards wrote it.
    pub shards: u32,
    /// All files, by path.
    pub files: Vec<FileEntry>,
}

/// What one shard has written.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// `onca-dataset-part/1`.
    pub schema: String,
    /// What it was made from.
    pub source: Source,
    /// Which shard it is, from 1 on.
    pub shard: u32,
    /// Of how many.
    pub shards: u32,
    /// Its files, by path.
    pub files: Vec<FileEntry>,
}

/// What a data set was made from: the same for all of its shards.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The identity of the store, as text.
    pub store: String,
    /// The lens that was looked through.
    pub lens: serde_json::Value,
    /// Where the window begins, if it does.
    pub from_tick: Option<i64>,
    /// The window ends before this, if it does.
    pub to_tick: Option<i64>,
    /// The smallest time of the trace, in ticks.
    pub begin: i64,
    /// Its largest.
    pub end: i64,
    /// How many ticks make one unit.
    pub ticks_per_unit: u64,
    /// The name of the unit.
    pub unit: String,
    /// The trace does not tell its unit.
    pub unit_assumed: bool,
    /// Records that were lost when the trace was read.
    pub lost: u64,
}

/// A file of rows.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct FileEntry {
    /// Where it is below the folder, with `/`.
    pub path: String,
    /// The table that it belongs to.
    pub table: String,
    /// How many rows it has.
    pub rows: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Its CRC-32, in eight hexadecimal digits.
    pub checksum: String,
    /// The smallest and the largest `container_id` in it; nothing without rows, or where there is
    /// none.
    pub containers: Option<(u32, u32)>,
    /// The least start and the greatest end in it; of a link that goes back, its end is a start
    /// too.
    pub ticks: Option<(i64, i64)>,
    /// The type of its entities.
    pub type_name: Option<String>,
}

impl Manifest {
    /// The manifest of the data set in a folder. The files are not looked at.
    pub fn read(folder: &dyn Folder) -> Result<Self> {
        Self::read_text(folder).map(|(manifest, _)| manifest)
    }

    /// The same, and as it is written.
    pub(super) fn read_text(folder: &dyn Folder) -> Result<(Self, Bytes)> {
        let path = folder.place().join(MANIFEST);
        let text = match read_all(folder, MANIFEST) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(not_sealed(folder));
            }
            Err(error) => return Err(DatasetError::Io(path, error)),
        };
        let manifest: Self = parse(&path, &text, SCHEMA)?;
        check_paths(&path, &manifest.files)?;
        Ok((manifest, text))
    }
}

impl Part {
    /// The name of the text of a shard, in the folder of those.
    pub fn file_name(shard: u32, shards: u32) -> String {
        format!("{shard}of{shards}.json")
    }

    /// The texts of all shards that a data set has, by name. What is being written has another name.
    pub fn all(folder: &dyn Folder) -> Result<BTreeMap<String, Self>> {
        let folder = folder.folder(PARTS);
        let place = folder.place();
        let names = match folder.files() {
            Ok(names) => names,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(error) => return Err(DatasetError::Io(place, error)),
        };
        let mut parts = BTreeMap::new();
        for (name, _) in names.into_iter().filter(|(name, _)| is_text(name)) {
            let path = place.join(&name);
            let text = read_all(&*folder, &name);
            let text = text.map_err(|error| DatasetError::Io(path.clone(), error))?;
            let part: Self = parse(&path, &text, PART_SCHEMA)?;
            check_paths(&path, &part.files)?;
            parts.insert(name, part);
        }
        Ok(parts)
    }
}

fn is_text(name: &str) -> bool {
    !name.starts_with('.') && name.ends_with(".json")
}

/// What a folder without a manifest is.
fn not_sealed(folder: &dyn Folder) -> DatasetError {
    let parts = match Part::all(folder) {
        Ok(parts) => parts,
        Err(error) => return error,
    };
    let of = parts.values().next().map(|part| part.shards);
    DatasetError::NotSealed { dir: folder.place(), have: parts.len() as u32, of }
}

fn parse<T: DeserializeOwned>(path: &Path, text: &[u8], schema: &str) -> Result<T> {
    let damaged = |why: String| DatasetError::Damaged(path.to_owned(), why);
    let value: serde_json::Value = serde_json::from_slice(text)
        .map_err(|error| damaged(format!("this is no JSON: {error}")))?;
    if value.get("schema").and_then(serde_json::Value::as_str) != Some(schema) {
        return Err(damaged(format!("this is not {schema}, which this program knows")));
    }
    serde_json::from_value(value).map_err(|error| damaged(format!("something is wrong: {error}")))
}

/// Refuses names of files that lead out of the folder.
fn check_paths(path: &Path, files: &[FileEntry]) -> Result<()> {
    let is_plain = |file: &FileEntry| {
        let mut parts = Path::new(&file.path).components();
        let plain = parts.all(|part| matches!(part, Component::Normal(_)));
        plain && file.path.split('/').count() == 2
    };
    match files.iter().find(|file| !is_plain(file)) {
        Some(file) => {
            let why = format!("{:?} is not the place of a file of this folder", file.path);
            Err(DatasetError::Damaged(path.to_owned(), why))
        }
        None => Ok(()),
    }
}
