//! Building the store of a trace.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use onca_read::{FileList, Source};
use onca_simulate::{DriveError, DriveOptions, READING_REVISION, drive};
use onca_store::{
    BuildOptions, BuildReport, Fingerprint, Store, StoreBuilder, StoreError, StoreLock,
};

use super::homes::{Explain, open_if_fits};
use super::{
    PAJENG_DIFFERS, READING, REPAIRED, ReadArgs, Repair, SOURCE_BYTES, STRICT, check_strictly,
    strict_failure,
};
use crate::progress::{ShownProgress, StoppedFromOutside};
use onca_program::Failure;

/// Whether a store that fits is good enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rebuild {
    /// It is.
    IfStale,
    /// Build it anyway.
    Always,
}

/// A store that was built.
pub struct Built {
    /// Where.
    pub place: PathBuf,
    /// What the builder says; nothing if another process built it meanwhile.
    pub report: Option<BuildReport>,
    /// Bytes of the source, decompressed.
    pub source_bytes: u64,
    /// Record lines.
    pub records: u64,
    /// Record lines without effect.
    pub lost: u64,
    /// How often the source was read.
    pub passes: u32,
    /// How long it took.
    pub elapsed: Duration,
}

impl Built {
    /// A store that another process has built meanwhile.
    fn by_another(store: &Store, place: PathBuf, started: Instant) -> Self {
        let facts = &store.catalog().facts;
        Self {
            place,
            report: None,
            source_bytes: source_bytes(store).unwrap_or(0),
            records: facts.records,
            lost: facts.lost,
            passes: 0,
            elapsed: started.elapsed(),
        }
    }
}

/// Builds the store of a source.
pub fn build(
    trace: &Path,
    place: PathBuf,
    read: &ReadArgs,
    rebuild: Rebuild,
) -> Result<Built, Failure> {
    build_with(trace, place, read, &read.drive_options(), rebuild)
}

/// Builds the store of a file, whatever there is. If the file is not to stay, the store does not tell of it.
pub fn build_from(
    file: &Path,
    place: &Path,
    read: &ReadArgs,
    stays: bool,
) -> Result<Built, Failure> {
    let source = if stays { Of::File } else { Of::Nothing };
    build_of(file, place.to_owned(), read, &read.drive_options(), Rebuild::Always, source)
}

/// What a store says that it was made from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    File,
    Nothing,
}

pub(super) fn build_with(
    trace: &Path,
    place: PathBuf,
    read: &ReadArgs,
    drive_options: &DriveOptions,
    rebuild: Rebuild,
) -> Result<Built, Failure> {
    let of = if Source::new(trace).is_stream() { Of::Nothing } else { Of::File };
    build_of(trace, place, read, drive_options, rebuild, of)
}

fn build_of(
    trace: &Path,
    place: PathBuf,
    read: &ReadArgs,
    drive_options: &DriveOptions,
    rebuild: Rebuild,
    of: Of,
) -> Result<Built, Failure> {
    let started = Instant::now();
    let source = Source::new(trace);
    source.check().map_err(|error| Failure::Cannot(error.to_string()))?;
    // The fingerprint is taken first: a source that changes while it is read is then stale. It
    // has full paths, so that the store can be asked from any folder.
    let began = SystemTime::now();
    let first = onca_read::onct::first_file(trace);
    let before = match of {
        Of::Nothing => None,
        Of::File => Some(Fingerprint::of(&full_path(&first))?),
    };
    if rebuild == Rebuild::IfStale {
        // Another process may be building this very store: wait, and take what it made.
        let lock = StoreLock::acquire(&place, true)?;
        if let Some(store) = open_if_fits(&place, trace, read, Explain::No) {
            drop(lock);
            if read.strict {
                check_strictly(&store, &[trace.to_owned()])?;
            }
            return Ok(Built::by_another(&store, place, started));
        }
    }
    let options =
        BuildOptions { memory_bytes: read.memory / 4, source_mode: mode_of(&first), wait: true };
    let shown = ShownProgress::new("indexing", &read.progress);
    let stopping = StoppedFromOutside::new(&read.progress);
    let driven =
        drive(&source, drive_options, &read.progress, || StoreBuilder::create(&place, &options));
    drop((shown, stopping));
    let mut driven = match driven {
        Err(DriveError::Problem(problem, files)) => return Err(strict_failure(&problem, &files)),
        other => other?,
    };
    let fingerprint = match before {
        None => Fingerprint::default(),
        Some(before) => with_others(before, &driven.files, began, &mut driven.sink)?,
    };
    let facts = facts_of(read, driven.bytes, driven.pajeng_differs);
    let report = driven.sink.finish(&driven.catalog, &fingerprint, &facts)?;
    Ok(Built {
        place,
        report: Some(report),
        source_bytes: driven.bytes,
        records: driven.catalog.facts.records,
        lost: driven.catalog.facts.lost,
        passes: driven.passes,
        elapsed: started.elapsed(),
    })
}

/// What the manifest of a store remembers of a reading.
pub fn facts_of(read: &ReadArgs, bytes: u64, pajeng_differs: bool) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::from([
        (SOURCE_BYTES.to_owned(), bytes.to_string()),
        (PAJENG_DIFFERS.to_owned(), pajeng_differs.to_string()),
        (READING.to_owned(), READING_REVISION.to_string()),
    ]);
    if read.strict {
        facts.insert(STRICT.to_owned(), "true".to_owned());
    }
    if read.repair.is_some() {
        facts.insert(REPAIRED.to_owned(), Repair::name(read.repair).to_owned());
    }
    facts
}

/// The fingerprint of all files, taken while the last rows are written.
fn with_others(
    first: Fingerprint,
    files: &FileList,
    began: SystemTime,
    sink: &mut StoreBuilder,
) -> Result<Fingerprint, StoreError> {
    let full = |paths: &[PathBuf]| paths.iter().map(|path| full_path(path)).collect::<Vec<_>>();
    let (others, unread) = (full(files.read.get(1..).unwrap_or_default()), full(&files.unread));
    if others.is_empty() {
        return first.with_others(&others, &unread, began);
    }
    thread::scope(|scope| {
        // Without another thread rows are written when the store is finished.
        let settling = thread::Builder::new().spawn_scoped(scope, || sink.settle());
        let fingerprint = first.with_others(&others, &unread, began);
        if let Ok(settling) = settling {
            settling.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        fingerprint
    })
}

pub fn full_path(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The length of the source of a store, decompressed.
pub fn source_bytes(store: &Store) -> Option<u64> {
    store.facts().get(SOURCE_BYTES)?.parse().ok()
}

/// Who may read the trace may read its store.
pub fn mode_of(trace: &Path) -> Option<u32> {
    std::fs::metadata(trace).ok().map(|metadata| metadata.permissions().mode() & 0o777)
}
