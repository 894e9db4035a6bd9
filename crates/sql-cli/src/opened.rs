//! The store, or the data sets, that a command works on.

use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use onca_program::Failure;
use onca_sql::{DataSets, Database, SqlError};
use onca_store::Store;
use onca_store::dataset::is_dataset;

/// Which store, and how it is read.
#[derive(clap::Args, Clone, Debug)]
pub struct StoreArgs {
    /// The directory of a store
    #[arg(value_name = "STORE")]
    pub store: PathBuf,

    /// The unit of the trace's times, when the trace does not tell it
    #[arg(long, value_name = "NAME")]
    pub unit: Option<String>,

    /// Remove this folder in the end: the store in it was made for this command alone
    #[arg(long, value_name = "DIR", hide = true)]
    remove: Option<PathBuf>,
}

/// A store that is open.
pub struct OpenStore {
    pub store: Arc<Store>,
    _removed: Removed,
}

/// A folder that goes when this does.
struct Removed(Option<PathBuf>);

impl Drop for Removed {
    fn drop(&mut self) {
        if let Some(folder) = &self.0 {
            // It lies where temporary files lie; nobody can do more about it.
            let _ = fs::remove_dir_all(folder);
        }
    }
}

impl StoreArgs {
    pub fn open(&self) -> Result<OpenStore, Failure> {
        let removed = Removed(self.remove.clone());
        let store = Store::open(&self.store)?;
        let store = match &self.unit {
            Some(unit) => store.with_unit(unit),
            None => store,
        };
        Ok(OpenStore { store: Arc::new(store), _removed: removed })
    }
}

/// As many threads as there are cores.
pub fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// The text on standard input.
pub fn standard_input() -> Result<String, Failure> {
    let read = io::read_to_string(io::stdin().lock());
    read.map_err(|error| Failure::Cannot(format!("standard input: {error}")))
}

/// What is asked: a store, or data sets.
pub enum Opened {
    /// A store.
    Store(OpenStore),
    /// A data set, or a folder with several.
    Sets(Arc<DataSets>),
}

impl StoreArgs {
    /// Opens what is there.
    pub fn open_any(&self) -> Result<Opened, Failure> {
        if !is_dataset(&self.store) {
            return self.open().map(Opened::Store);
        }
        if self.unit.is_some() {
            let why = "the unit of a data set is that of its trace; --unit is for traces";
            return Err(Failure::Cannot(why.to_owned()));
        }
        let sets = DataSets::open(&self.store);
        Ok(Opened::Sets(Arc::new(sets.map_err(|error| Failure::Cannot(error.to_string()))?)))
    }
}

impl Opened {
    /// What answers.
    pub fn database(&self, threads: NonZeroUsize) -> Result<Database, Failure> {
        match self {
            Self::Store(opened) => Database::with_threads(Arc::clone(&opened.store), threads),
            Self::Sets(sets) => Database::of_data_sets(Arc::clone(sets), threads),
        }
        .map_err(failure)
    }

    /// How many records were lost when it was made.
    pub fn lost(&self) -> u64 {
        match self {
            Self::Store(opened) => opened.store.catalog().facts.lost,
            Self::Sets(sets) => sets.lost(),
        }
    }
}

/// How a command ends that has no answer.
pub fn failure(error: SqlError) -> Failure {
    match error {
        SqlError::Invalid(message) => Failure::Cannot(message),
        SqlError::Limit(message) => Failure::Limit(message),
        SqlError::Store(error) => error.into(),
        SqlError::Dataset(error) => Failure::Cannot(error.to_string()),
    }
}
