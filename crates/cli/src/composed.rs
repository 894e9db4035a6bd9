//! Stores that are made of other stores.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use onca_simulate::READING_REVISION;
use onca_store::{BuildOptions, BuildReport, Composition, Store, StoreBuilder, dataset};

use crate::trace::{OpenTrace, PAJENG_DIFFERS, READING, ReadArgs, SOURCE_BYTES, source_bytes};
use onca_program::Failure;
use onca_program::format::shown;

/// Writes a composition of these traces.
pub fn write(
    composition: Composition<'_>,
    parts: &[OpenTrace],
    place: &Path,
    read: &ReadArgs,
) -> Result<BuildReport, Failure> {
    let any = |name: &str, value: &str| {
        parts.iter().any(|part| part.store.facts().get(name).is_some_and(|fact| fact == value))
    };
    let bytes: u64 = parts.iter().filter_map(|part| source_bytes(&part.store)).sum();
    let facts = BTreeMap::from([
        (SOURCE_BYTES.to_owned(), bytes.to_string()),
        (PAJENG_DIFFERS.to_owned(), any(PAJENG_DIFFERS, "true").to_string()),
        (READING.to_owned(), READING_REVISION.to_string()),
    ]);
    let options = BuildOptions {
        memory_bytes: read.memory / 4,
        source_mode: narrowest_mode(parts),
        wait: true,
    };
    Ok(composition.write(StoreBuilder::create(place, &options)?, &facts)?)
}

/// Who may read all parts may read the whole.
fn narrowest_mode(parts: &[OpenTrace]) -> Option<u32> {
    let modes =
        parts.iter().map(|part| part.files.first().and_then(|file| crate::trace::mode_of(file)));
    modes.collect::<Option<Vec<u32>>>()?.into_iter().reduce(|all, mode| all & mode)
}

/// The store in a place, if it is that of this composition as its sources are now.
pub fn open_if_fits(composition: &Composition<'_>, place: &Path) -> Option<Store> {
    if crate::place::stranger(place).is_some() {
        return None;
    }
    let store = Store::open_fresh(place).ok()?;
    let same_reading = store.facts().get(READING) == Some(&READING_REVISION.to_string());
    let same = store.changes() == composition.changes()
        && store.source().is_same_source(&composition.source());
    (same_reading && same).then_some(store)
}

/// A directory that is given must be a store, or not be there: nothing else is overwritten.
pub fn checked_place(place: &Path) -> Result<PathBuf, Failure> {
    let occupied =
        place.exists() && (!place.join("manifest.json").exists() || dataset::is_dataset(place));
    let empty = std::fs::read_dir(place).is_ok_and(|mut entries| entries.next().is_none());
    if occupied && !empty {
        return Err(Failure::Cannot(format!(
            "{} exists and is not a store; it is not overwritten",
            shown(place)
        )));
    }
    Ok(place.to_owned())
}
