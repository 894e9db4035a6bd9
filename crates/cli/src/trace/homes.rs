//! Where the store of a trace lies, and whether it still fits the trace.

use std::path::{Path, PathBuf};

use onca_read::Source;
use onca_simulate::READING_REVISION;
use onca_store::{Store, StoreError};

use super::{READING, ReadArgs, STRICT, is_repaired};
use crate::place;
use onca_program::format::shown;
use onca_program::{Failure, say};

/// Where `onca index` puts the store of a trace.
pub fn default_place(trace: &Path) -> Result<PathBuf, Failure> {
    if Source::new(trace).is_stream() {
        return Err(Failure::Cannot("standard input has no place for a store; give -o".to_owned()));
    }
    Homes::of(trace).place()
}

/// The places where the store of a trace may lie.
pub(super) struct Homes {
    beside: PathBuf,
    cache: Option<PathBuf>,
    /// A store can be put beside the trace, and no other user's is in the way.
    usable: bool,
}

impl Homes {
    pub(super) fn of(trace: &Path) -> Self {
        let beside = place::beside(trace);
        let writable = beside.parent().is_some_and(place::is_writable);
        let usable = writable && place::stranger(&beside).is_none();
        Self { beside, cache: place::in_cache(trace), usable }
    }

    /// A store that fits the trace as it is now.
    pub(super) fn find_fresh(&self, trace: &Path, read: &ReadArgs) -> Option<Store> {
        let open = |place: &PathBuf| open_if_fits(place, trace, read, Explain::Yes);
        open(&self.beside).or_else(|| self.cache.as_ref().and_then(open))
    }

    /// Where to build one.
    pub(super) fn place(&self) -> Result<PathBuf, Failure> {
        if self.usable {
            return Ok(self.beside.clone());
        }
        let cannot = || {
            let place = shown(&self.beside);
            Failure::Cannot(format!("cannot write {place}, and there is no cache directory"))
        };
        let cache = self.cache.clone().ok_or_else(cannot)?;
        let folder = cache.parent().ok_or_else(cannot)?;
        place::make_private_dir(folder)
            .map_err(|error| Failure::Cannot(format!("{}: {error}", shown(folder))))?;
        let why = match place::stranger(&self.beside) {
            Some(_) => "another user's store is beside the trace",
            None => "the folder of the trace cannot be written",
        };
        say!("note: {why}; the store is {}", shown(&cache));
        Ok(cache)
    }
}

/// Whether to say why a store does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Explain {
    Yes,
    No,
}

/// Opens a store if it is that of this trace as it is now.
pub(super) fn open_if_fits(
    place: &Path,
    trace: &Path,
    read: &ReadArgs,
    explain: Explain,
) -> Option<Store> {
    if !place.is_dir() {
        return None;
    }
    let explain = |why: String| {
        if explain == Explain::Yes {
            say!("note: {why}; the store is built again");
        }
    };
    if let Some(owner) = place::stranger(place) {
        explain(format!("{} belongs to user {owner} and is not trusted", shown(place)));
        return None;
    }
    match Store::open_fresh(place) {
        Ok(store) if store.facts().get(READING) != Some(&READING_REVISION.to_string()) => {
            explain("another version of onca made the store".to_owned());
            None
        }
        Ok(store) if !is_repaired(&store, read.repair) => {
            let made = match read.repair {
                Some(_) => "without",
                None => "with",
            };
            explain(format!("the store was made {made} --repair"));
            None
        }
        // What only strict reading finds is not in a store that was made otherwise.
        Ok(store) if read.strict && !store.facts().contains_key(STRICT) => None,
        Ok(store) => {
            let main = store.source().files.first()?.location();
            let first = onca_read::onct::first_file(trace);
            let same = main.canonicalize().ok()? == first.canonicalize().ok()?;
            if !same {
                explain(format!("the store is that of {}", shown(&main)));
            }
            same.then_some(store)
        }
        Err(StoreError::Stale { why }) => {
            explain(why);
            None
        }
        Err(error @ (StoreError::Damaged { .. } | StoreError::OtherVersion { .. })) => {
            explain(error.to_string());
            None
        }
        Err(_) => None,
    }
}
