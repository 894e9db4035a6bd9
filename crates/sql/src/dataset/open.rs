//! Opening data sets: one, or a folder of several, each a run. What a manifest lists must all be
//! there, and nothing else: a file that is missing would else be a smaller answer.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use onca_model::{TimeUnit, TraceFacts};
use onca_store::dataset::looks_like_one;
use onca_tables::TABLES;

use super::catalog::RunTree;
use super::error::{DatasetError, Result};
use super::files::checksum;
use super::folder::{Folder, LocalFolder, ReadAt, Rest, open_below};
use super::manifest::{FileEntry, MANIFEST, Manifest};

/// Data sets that are asked together.
#[derive(Debug)]
pub struct DataSets {
    /// By name.
    runs: Vec<DataSet>,
    /// Do rows tell their run? Not those of a data set that was named itself.
    is_folder: bool,
    /// Where other processes find them.
    address: Option<String>,
}

/// A sealed data set: what was made of one trace.
#[derive(Debug)]
pub struct DataSet {
    name: String,
    folder: Arc<dyn Folder>,
    manifest: Manifest,
    /// The manifest as it is written.
    text: Bytes,
    /// The containers and types, read when they are first asked for.
    pub(super) tree: Mutex<Option<RunTree>>,
}

/// The rule of the store, wherever the folder is.
fn is_one(folder: &dyn Folder) -> io::Result<bool> {
    let folders = folder.folders()?;
    let has = |name: &str| folders.iter().any(|known| known == name);
    Ok(looks_like_one(has, is_sealed(folder)?))
}

fn is_sealed(folder: &dyn Folder) -> io::Result<bool> {
    Ok(folder.files()?.iter().any(|(name, _)| name == MANIFEST))
}

impl DataSets {
    /// Opens a data set, or all data sets that lie side by side in a folder.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_in(Arc::new(LocalFolder::new(path)))
    }

    /// The same, wherever the folder is.
    pub fn open_in(folder: Arc<dyn Folder>) -> Result<Self> {
        let cannot = |error| DatasetError::Io(folder.place(), error);
        if is_one(&*folder).map_err(cannot)? || is_sealed(&*folder).map_err(cannot)? {
            return Ok(Self {
                runs: vec![DataSet::open(folder)?],
                is_folder: false,
                address: None,
            });
        }
        let mut runs = Vec::new();
        for name in folder.folders().map_err(cannot)? {
            let run = folder.folder(&name);
            if is_one(&*run).map_err(cannot)? {
                runs.push(DataSet::open(run)?);
            }
        }
        match runs.is_empty() {
            true => Err(DatasetError::Damaged(folder.place(), "there is no data set".to_owned())),
            false => Ok(Self { runs, is_folder: true, address: None }),
        }
    }

    /// The data sets.
    pub fn runs(&self) -> &[DataSet] {
        &self.runs
    }

    /// Do rows tell their run?
    pub fn is_folder(&self) -> bool {
        self.is_folder
    }

    /// Gives them an address, `onca://` and some digits, by which other processes find them.
    pub fn with_address(self, address: String) -> Self {
        Self { address: Some(address), ..self }
    }

    /// Where other processes find them.
    pub fn address(&self) -> Option<&str> {
        self.address.as_deref()
    }

    /// A number that is another one for data sets with other content.
    pub fn identity(&self) -> u32 {
        let mut sum = crc32fast::Hasher::new();
        for run in &self.runs {
            sum.update(run.name.as_bytes());
            sum.update(&[0]);
            sum.update(run.text.as_ref());
        }
        sum.finalize()
    }

    /// The file that rows are read from, by how the engine names it.
    pub fn file(&self, shown: &str) -> Option<(&DataSet, &FileEntry)> {
        let mut each =
            self.runs.iter().flat_map(|run| run.manifest.files.iter().map(move |file| (run, file)));
        each.find(|(run, file)| run.shown(file) == shown)
    }

    /// How many records were lost when the traces were read.
    pub fn lost(&self) -> u64 {
        self.runs.iter().fold(0, |sum, run| sum.saturating_add(run.manifest.source.lost))
    }

    /// The first file that is not what it was when it was sealed. Reads all files.
    pub(crate) fn damaged(&self) -> Option<DatasetError> {
        let mut each =
            self.runs.iter().flat_map(|run| run.manifest.files.iter().map(move |file| (run, file)));
        each.find_map(|(run, file)| run.check_content(file).err())
    }
}

impl DataSet {
    fn open(folder: Arc<dyn Folder>) -> Result<Self> {
        let (manifest, text) = Manifest::read_text(&*folder)?;
        let name = name_of(&folder.place());
        let run = Self { name, folder, manifest, text, tree: Mutex::default() };
        run.check_files()?;
        Ok(run)
    }

    /// What the run is called: as its folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is.
    pub fn dir(&self) -> PathBuf {
        self.folder.place()
    }

    /// How the engine names a file.
    pub(crate) fn shown(&self, file: &FileEntry) -> String {
        format!("{}/{}", self.name, file.path)
    }

    /// Opens a file that it lists.
    pub fn open_file(&self, file: &FileEntry) -> io::Result<Arc<dyn ReadAt>> {
        open_below(&*self.folder, &file.path)
    }

    /// What it says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The files of a table.
    pub(crate) fn files(&self, table: &str) -> impl Iterator<Item = &FileEntry> {
        self.manifest.files.iter().filter(move |file| file.table == table)
    }

    /// The facts of the trace that times are understood by.
    pub fn facts(&self) -> TraceFacts {
        let source = &self.manifest.source;
        let unit = TimeUnit {
            ticks_per_unit: source.ticks_per_unit.max(1),
            name: source.unit.clone(),
            assumed: source.unit_assumed,
        };
        let (start, end, lost) = (source.begin, source.end, source.lost);
        TraceFacts { unit, start, end, lost, ..TraceFacts::default() }
    }

    fn check_files(&self) -> Result<()> {
        let dir = self.dir();
        let mut found = BTreeMap::new();
        for table in TABLES {
            let explain = |error: io::Error| match error.kind() {
                // In an object store a folder goes with its last file.
                io::ErrorKind::NotFound => DatasetError::Missing(
                    self.files(table).next().map_or(dir.join(table), |file| dir.join(&file.path)),
                ),
                _ => DatasetError::Io(dir.join(table), error),
            };
            for (name, bytes) in self.folder.folder(table).files().map_err(explain)? {
                found.insert(format!("{table}/{name}"), bytes);
            }
        }
        let mut listed = BTreeSet::new();
        for file in &self.manifest.files {
            let path = dir.join(&file.path);
            if !listed.insert(&file.path) {
                return Err(DatasetError::Doubled(path));
            }
            if !TABLES.contains(&file.table.as_str()) {
                let why = format!("there is no table {:?}", file.table);
                return Err(DatasetError::Foreign(path, why));
            }
            match found.get(&file.path) {
                None => return Err(DatasetError::Missing(path)),
                Some(&bytes) => check_length(path, bytes, file)?,
            }
        }
        if let Some(table) = TABLES.iter().find(|table| self.files(table).next().is_none()) {
            return Err(DatasetError::Missing(dir.join(table)));
        }
        let mut rows = found.keys().filter(|path| path.ends_with(".parquet"));
        match rows.find(|path| !listed.contains(path)) {
            Some(path) => Err(DatasetError::Doubled(dir.join(path))),
            None => Ok(()),
        }
    }

    fn check_content(&self, file: &FileEntry) -> Result<()> {
        let path = || self.dir().join(&file.path);
        let explain = |error| DatasetError::Io(path(), error);
        let opened = self.open_file(file).map_err(explain)?;
        check_length(path(), opened.bytes(), file)?;
        let found = checksum(&mut Rest::all(opened)).map_err(explain)?;
        match found == file.checksum {
            true => Ok(()),
            false => {
                let why = format!("its checksum is {found}; it should be {}", file.checksum);
                Err(DatasetError::Damaged(path(), why))
            }
        }
    }
}

/// What a run is called: as its folder.
fn name_of(place: &Path) -> String {
    let full = place.canonicalize().unwrap_or_else(|_| place.to_owned());
    full.file_name().unwrap_or(full.as_os_str()).to_string_lossy().into_owned()
}

/// Is the file as long as it should be?
fn check_length(path: PathBuf, bytes: u64, file: &FileEntry) -> Result<()> {
    match bytes == file.bytes {
        true => Ok(()),
        false => Err(DatasetError::Cut(path, bytes, file.bytes)),
    }
}
