//! Damaged stores: damage is noticed, or the answer is right.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use onca_generate::small::{self, Format};
use onca_program::Failure;
use onca_read::{Progress, Source};
use onca_simulate::{DriveOptions, drive};
use onca_store::{BuildOptions, Fingerprint, Store, StoreBuilder};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Tally;

/// A store of a small trace, and the contents of its files.
struct Sound {
    place: PathBuf,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Sound {
    fn build(folder: &Path) -> Result<Self, Failure> {
        let cannot = |error: &dyn std::fmt::Display| Failure::Cannot(format!("stores: {error}"));
        small::write(Format::Paje, folder).map_err(|error| cannot(&error))?;
        let trace = folder.join(Format::Paje.files()[0]);
        let place = folder.join("small.onca");
        let progress = Arc::new(Progress::default());
        let made = drive(&Source::new(&trace), &DriveOptions::default(), &progress, || {
            StoreBuilder::create(&place, &BuildOptions::default())
        });
        let made = made.map_err(|error| cannot(&error))?;
        made.sink.finish(&made.catalog, &Fingerprint::default(), &Default::default())?;
        let entries = fs::read_dir(&place).map_err(|error| cannot(&error))?;
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| cannot(&error))?.path();
            let content = fs::read(&path).map_err(|error| cannot(&error))?;
            files.push((path, content));
        }
        files.sort();
        Ok(Self { place, files })
    }

    /// Is damage noticed? Nothing if it makes the program panic.
    fn notices(&self) -> Option<bool> {
        let verified = catch_unwind(AssertUnwindSafe(|| {
            Store::open(&self.place).and_then(|store| store.verify()).is_err()
        }));
        verified.ok()
    }
}

#[derive(Default)]
struct Counts {
    tried: u64,
    noticed: u64,
    unnoticed: u64,
    panics: u64,
}

impl Counts {
    fn add(&mut self, noticed: Option<bool>) {
        self.tried += 1;
        match noticed {
            Some(true) => self.noticed += 1,
            Some(false) => self.unnoticed += 1,
            None => self.panics += 1,
        }
    }

    fn tally(self, what: &str, started: Instant) -> Tally {
        Tally {
            what: what.to_owned(),
            tried: self.tried,
            held: vec![("noticed", self.noticed)],
            broken: vec![("not noticed", self.unnoticed), ("panics", self.panics)],
            seconds: started.elapsed().as_secs_f64(),
        }
    }
}

/// Changes every byte of a store, one at a time.
pub fn bytes(folder: &Path, seed: u64) -> Result<Tally, Failure> {
    let (sound, started) = (Sound::build(folder)?, Instant::now());
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut counts = Counts::default();
    for (path, content) in &sound.files {
        for at in 0..content.len() {
            let mut damaged = content.clone();
            damaged[at] ^= random.random_range(1..=255u8);
            put(path, &damaged)?;
            counts.add(sound.notices());
        }
        put(path, content)?;
    }
    Ok(counts.tally("changed bytes of a store", started))
}

/// Cuts every file of a store at every length.
pub fn cuts(folder: &Path) -> Result<Tally, Failure> {
    let (sound, started) = (Sound::build(folder)?, Instant::now());
    let mut counts = Counts::default();
    for (path, content) in &sound.files {
        for len in 0..content.len() {
            put(path, &content[..len])?;
            counts.add(sound.notices());
        }
        put(path, content)?;
    }
    Ok(counts.tally("cut files of a store", started))
}

fn put(path: &Path, content: &[u8]) -> Result<(), Failure> {
    fs::write(path, content).map_err(|error| Failure::Cannot(format!("stores: {error}")))
}
