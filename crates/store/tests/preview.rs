//! Looks at a store in the making: each answers as the finished store does, and leaves no trace in it.

use crate::sample;
use crate::scan;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use onca_store::{BuildOptions, Fingerprint, Store, StoreBuilder};
use sample::{Sample, Shape, open};
use scan::check_all;

const CACHE: usize = 16 << 20;

/// Builds a store, looking at it in between; every look gets the rest of the rows for itself.
fn build_with_looks(sample: &Sample, dir: &Path, memory_bytes: usize, looks: usize) -> Vec<Store> {
    let options = BuildOptions { memory_bytes, ..BuildOptions::default() };
    let mut builder = StoreBuilder::create(dir, &options).expect("begun");
    let n = sample.n_calls();
    let mut stores = Vec::new();
    let mut done = 0;
    for look in 0..=looks {
        let at = n * look / looks.max(1);
        sample.replay_part(done..at, &mut builder).expect("taken");
        done = at;
        let mut preview = builder.preview().expect("looked at");
        sample.replay_part(at..n, &mut preview).expect("taken");
        let catalog = sample.catalog.clone();
        let opened = preview.open(catalog, &Fingerprint::default(), &BTreeMap::new(), CACHE);
        stores.push(opened.expect("opens"));
    }
    builder.finish(&sample.catalog, &Fingerprint::default(), &BTreeMap::new()).expect("finished");
    stores
}

fn check(shape: &Shape, memory: usize) {
    let sample = Sample::random(shape);
    let folder = tempfile::tempdir().expect("a folder");
    let (plain, looked) = (folder.path().join("plain.onca"), folder.path().join("looked.onca"));
    sample.build(&plain, memory).expect("built");
    let stores = build_with_looks(&sample, &looked, memory, 4);
    for file in ["data.bin", "index.bin", "tables.bin", "manifest.json"] {
        let bytes = |dir: &Path| fs::read(dir.join(file)).expect("readable");
        assert!(bytes(&plain) == bytes(&looked), "{file} differs");
    }
    let counts = open(&plain).counts();
    // The looks outlive the builder and, here, the store.
    Store::remove(&looked).expect("removed");
    let windows = sample.windows(12, 5);
    for store in stores {
        assert_eq!(store.counts(), counts);
        store.verify().expect("whole");
        check_all(&sample, &store, &windows);
    }
}

#[test]
fn a_look_answers_as_the_store_does() {
    for seed in 0..4 {
        check(&Shape { seed, extras: seed % 2 == 0, steps: 6_000, ..Shape::default() }, 64 << 20);
    }
}

#[test]
fn rows_that_were_put_aside_are_seen() {
    for (seed, memory) in [(10, 20_000), (11, 200_000)] {
        check(&Shape { seed, extras: true, steps: 6_000, ..Shape::default() }, memory);
    }
    check(&Shape { seed: 12, containers: 800, steps: 8_000, ..Shape::default() }, 50_000);
}
