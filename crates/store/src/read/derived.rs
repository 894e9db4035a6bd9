//! What was worked out from a store, and is worth keeping: in memory while the store is open, and in a file of its own.
//!
//! A store may be where nothing can be written, or somebody else's: then it is only kept in memory.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use crate::error::{Result, damaged, io_error};
use crate::folder::workspace::{Workspace, derived_name};
use crate::format::manifest::Manifest;
use crate::format::pages::{Seal, unpack_pages, write_pages};
use crate::{Store, StoreError, StoreLock};

/// Something that can be worked out from a store alone.
pub trait Derived: Sized + Send + Sync + 'static {
    /// What it is called: a short word for the name of its file.
    const NAME: &'static str;

    /// By which rules it is worked out. What was worked out by others is not taken.
    fn rules(store: &Store) -> String;

    /// It as bytes.
    fn to_bytes(&self) -> Vec<u8>;

    /// It again, from its bytes; `None` if they do not make sense.
    fn from_bytes(store: &Store, bytes: &[u8]) -> Option<Self>;
}

/// What was worked out, in memory.
#[derive(Default)]
pub(super) struct Derivations(Mutex<HashMap<TypeId, Arc<Slot>>>);

/// Held while something is worked out: who comes second waits for the first.
type Slot = Mutex<Kept>;

/// By which rules, and what.
type Kept = Option<(String, Arc<dyn Any + Send + Sync>)>;

impl Derivations {
    fn slot<T: Derived>(&self) -> Arc<Slot> {
        Arc::clone(held(&self.0).entry(TypeId::of::<T>()).or_default())
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The last bytes of a file: the length and the checksum of its pages.
const SEAL: usize = 12;

impl Store {
    /// Something that was worked out before, or else is now.
    pub fn derived<T: Derived, E>(
        &self,
        work_out: impl FnOnce() -> std::result::Result<T, E>,
    ) -> std::result::Result<Arc<T>, E> {
        let slot = self.derivations().slot::<T>();
        let mut slot = held(&slot);
        let rules = T::rules(self);
        if let Some(known) = self.known_in::<T>(&mut slot, &rules) {
            return Ok(known);
        }
        let found = Arc::new(work_out()?);
        // Without a file it is worked out again by the next process.
        let _ = self.write_derived(&*found, &rules);
        *slot = Some((rules, Arc::clone(&found) as Arc<dyn Any + Send + Sync>));
        Ok(found)
    }

    /// Something if it was worked out before. Nobody waits for who works it out now.
    pub fn known<T: Derived>(&self) -> Option<Arc<T>> {
        let slot = self.derivations().slot::<T>();
        let mut slot = match slot.try_lock() {
            Ok(slot) => slot,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        self.known_in::<T>(&mut slot, &T::rules(self))
    }

    /// What is in memory or in the file, if it was worked out by these rules.
    fn known_in<T: Derived>(&self, slot: &mut Kept, rules: &str) -> Option<Arc<T>> {
        if let Some((known_rules, known)) = slot
            && known_rules == rules
            && let Ok(known) = Arc::clone(known).downcast()
        {
            return Some(known);
        }
        let found = Arc::new(self.read_derived::<T>(rules)?);
        *slot = Some((rules.to_owned(), Arc::clone(&found) as Arc<dyn Any + Send + Sync>));
        Some(found)
    }

    /// What the file begins with.
    fn derived_head(&self, rules: &str) -> String {
        format!("onca-derived {:?} {rules}\n", self.identity())
    }

    fn derived_path<T: Derived>(&self) -> PathBuf {
        self.dir().join(derived_name(T::NAME))
    }

    /// What the file holds, unless it is missing, damaged, or that of another store or of other rules.
    fn read_derived<T: Derived>(&self, rules: &str) -> Option<T> {
        let path = self.derived_path::<T>();
        let raw = read_sealed(&path).ok()?;
        let bytes = raw.strip_prefix(self.derived_head(rules).as_bytes())?;
        T::from_bytes(self, bytes)
    }

    fn write_derived<T: Derived>(&self, found: &T, rules: &str) -> Result<()> {
        let dir = self.dir();
        let fail = || io_error(format!("write {}", dir.display()));
        let owner = std::fs::metadata(dir).map_err(fail())?;
        if owner.uid() != rustix::process::geteuid().as_raw() {
            return Err(StoreError::NoSuch { what: "right to write".to_owned() });
        }
        let lock = StoreLock::acquire(dir, false)?;
        // Another process may have built another store here.
        if Manifest::read(dir)?.0.files != self.manifest().files {
            return Err(damaged("another store is here now"));
        }
        let mut workspace = Workspace::create(lock, owner.permissions().mode())?;
        let name = derived_name(T::NAME);
        let file = workspace.create_file(&name)?;
        let mut raw = self.derived_head(rules).into_bytes();
        raw.extend(found.to_bytes());
        let (mut file, Seal { bytes, crc }) = write_pages(&workspace.path(&name), file, &raw)?;
        file.write_all(&bytes.to_le_bytes()).map_err(fail())?;
        file.write_all(&crc.to_le_bytes()).map_err(fail())?;
        workspace.seal_file(&file, &name)?;
        std::fs::rename(workspace.path(&name), dir.join(&name)).map_err(fail())
    }
}

fn read_sealed(path: &Path) -> Result<Vec<u8>> {
    let mut stored = Vec::new();
    let read = File::open(path).and_then(|mut file| file.read_to_end(&mut stored));
    read.map_err(io_error(format!("read {}", path.display())))?;
    let Some((pages, seal)) = stored.split_last_chunk::<SEAL>() else {
        return Err(damaged("a file without its end"));
    };
    let (bytes, crc) = seal.split_at(8);
    let number = |part: &[u8]| part.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    unpack_pages(pages, Seal { bytes: number(bytes), crc: number(crc) as u32 }, path)
}
