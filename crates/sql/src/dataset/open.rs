//! Opening data sets: one, or a folder of several, each a run. What a manifest lists must all be
//! there, and nothing else: a file that is missing would else be a smaller answer.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use onca_model::{TimeUnit, TraceFacts};
use onca_tables::TABLES;

use super::catalog::RunTree;
use super::error::{DatasetError, Result};
use super::files::checksum;
use super::manifest::{FileEntry, MANIFEST, Manifest, PARTS};

/// Data sets that are asked together.
#[derive(Debug)]
pub struct DataSets {
    /// By name.
    runs: Vec<DataSet>,
    /// Do rows tell their run? Not those of a data set that was named itself.
    is_folder: bool,
}

/// A sealed data set: what was made of one trace.
#[derive(Debug)]
pub struct DataSet {
    name: String,
    dir: PathBuf,
    manifest: Manifest,
    /// The containers and types, read when they are first asked for.
    pub(super) tree: Mutex<Option<RunTree>>,
}

/// Is there a data set in this folder, sealed or not, or folders with some?
pub fn is_dataset(path: &Path) -> bool {
    is_one(path) || folders(path).is_ok_and(|folders| folders.iter().any(|folder| is_one(folder)))
}

/// A folder of shards that nobody has sealed is a data set too: to be told of, not to be left out.
fn is_one(dir: &Path) -> bool {
    (dir.join("containers").is_dir() || dir.join("states").is_dir())
        && (dir.join(MANIFEST).is_file() || dir.join(PARTS).is_dir())
}

/// The folders in a folder, by name. What is being written has a hidden name.
fn folders(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if !is_hidden && entry.path().is_dir() {
            folders.push(entry.path());
        }
    }
    folders.sort();
    Ok(folders)
}

impl DataSets {
    /// Opens a data set, or all data sets that lie side by side in a folder.
    pub fn open(path: &Path) -> Result<Self> {
        if is_one(path) || path.join(MANIFEST).is_file() {
            return Ok(Self { runs: vec![DataSet::open(path)?], is_folder: false });
        }
        let found = folders(path).map_err(|error| DatasetError::Io(path.to_owned(), error))?;
        let runs = found.iter().filter(|folder| is_one(folder));
        let runs = runs.map(|folder| DataSet::open(folder)).collect::<Result<Vec<_>>>()?;
        match runs.is_empty() {
            true => Err(DatasetError::Damaged(path.to_owned(), "there is no data set".to_owned())),
            false => Ok(Self { runs, is_folder: true }),
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

    /// How many records were lost when the traces were read.
    pub fn lost(&self) -> u64 {
        self.runs.iter().fold(0, |sum, run| sum.saturating_add(run.manifest.source.lost))
    }

    /// The first file that is not what it was when it was sealed. Reads all files.
    pub(crate) fn damaged(&self) -> Option<DatasetError> {
        let mut each = self.runs.iter().flat_map(|run| {
            run.manifest.files.iter().map(move |file| (run.dir.join(&file.path), file))
        });
        each.find_map(|(path, file)| check_content(&path, file).err())
    }
}

impl DataSet {
    fn open(dir: &Path) -> Result<Self> {
        let manifest = Manifest::read(dir)?;
        let full = dir.canonicalize().map_err(|error| DatasetError::Io(dir.to_owned(), error))?;
        let name = full.file_name().unwrap_or(full.as_os_str()).to_string_lossy().into_owned();
        let run = Self { name, dir: dir.to_owned(), manifest, tree: Mutex::default() };
        run.check_files()?;
        Ok(run)
    }

    /// What the run is called: as its folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
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
        let mut listed = BTreeSet::new();
        for file in &self.manifest.files {
            let path = self.dir.join(&file.path);
            if !listed.insert(path.clone()) {
                return Err(DatasetError::Doubled(path));
            }
            if !TABLES.contains(&file.table.as_str()) {
                let why = format!("there is no table {:?}", file.table);
                return Err(DatasetError::Foreign(path, why));
            }
            check_length(&path, file)?;
        }
        for table in TABLES {
            let folder = self.dir.join(table);
            if self.files(table).next().is_none() {
                return Err(DatasetError::Missing(folder));
            }
            if let Some(path) = parquet_files(&folder)?.find(|path| !listed.contains(path)) {
                return Err(DatasetError::Doubled(path));
            }
        }
        Ok(())
    }
}

/// Is the file there, as long as it should be?
fn check_length(path: &Path, file: &FileEntry) -> Result<()> {
    match path.metadata() {
        Ok(found) if found.len() == file.bytes => Ok(()),
        Ok(found) => Err(DatasetError::Cut(path.to_owned(), found.len(), file.bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(DatasetError::Missing(path.to_owned()))
        }
        Err(error) => Err(DatasetError::Io(path.to_owned(), error)),
    }
}

fn check_content(path: &Path, file: &FileEntry) -> Result<()> {
    check_length(path, file)?;
    let explain = |error| DatasetError::Io(path.to_owned(), error);
    let mut source = fs::File::open(path).map_err(explain)?;
    let found = checksum(&mut source).map_err(explain)?;
    match found == file.checksum {
        true => Ok(()),
        false => {
            let why = format!("its checksum is {found}; it should be {}", file.checksum);
            Err(DatasetError::Damaged(path.to_owned(), why))
        }
    }
}

/// The files of rows that lie in a folder.
fn parquet_files(folder: &Path) -> Result<impl Iterator<Item = PathBuf> + use<>> {
    let explain = |error| DatasetError::Io(folder.to_owned(), error);
    let entries = fs::read_dir(folder).map_err(explain)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<io::Result<Vec<_>>>().map_err(explain)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "parquet"));
    paths.sort();
    Ok(paths.into_iter())
}
