//! Generated runs whose truth is known, and their stores.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use onca_generate::iterative::{Options, write_with_truth};
use onca_generate::{GenerateError, Truth};
use onca_model::{ContainerId, Window};
use onca_program::Failure;
use onca_query::{Lens, Scope};
use onca_store::Store;

use crate::index;

const MEMORY: usize = 1 << 30;

fn cannot(error: &dyn std::fmt::Display) -> Failure {
    Failure::Cannot(error.to_string())
}

/// The store of a trace that `write` writes, and what that tells.
pub fn stored<T>(
    folder: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<T, GenerateError>,
) -> Result<(PathBuf, T), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| cannot(&error))?;
    let trace = folder.join("run.paje");
    let mut file = BufWriter::new(File::create(&trace).map_err(|error| cannot(&error))?);
    let told = write(&mut file).map_err(|error| cannot(&error))?;
    file.flush().map_err(|error| cannot(&error))?;
    let place = folder.join("store.onca");
    index(&trace, &place, MEMORY)?;
    Ok((place, told))
}

/// The same of a run with iterations, with its truth.
pub fn stored_run(options: &Options, folder: &Path) -> Result<(PathBuf, Truth), Failure> {
    stored(folder, |file| write_with_truth(options, file).map(|(_, truth)| truth))
}

/// The truth of a run, which is not kept.
pub fn truth_of(options: &Options) -> Result<Truth, Failure> {
    let written = write_with_truth(options, &mut std::io::sink());
    Ok(written.map_err(|error| cannot(&error))?.1)
}

/// A whole run as it is.
pub fn whole(store: &Store) -> Result<Scope<'_>, Failure> {
    let facts = &store.catalog().facts;
    Ok(Scope::new(store, &Lens::clear(), Window::new(facts.start, facts.end))?)
}

/// The rank of a container, if it is a process.
pub fn rank(store: &Store, id: ContainerId) -> Option<u32> {
    let name = store.catalog().containers.get(id).name;
    std::str::from_utf8(name).ok()?.strip_prefix("rank-")?.parse().ok()
}
