//! What was worked out from a store is kept with it, and never taken for that of another.

use crate::sample;

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use onca_store::{Derived, Store, StoreError};
use sample::{Sample, Shape};

#[derive(PartialEq, Debug)]
struct Tally<const RULES: u32>(Vec<u8>);

impl<const RULES: u32> Derived for Tally<RULES> {
    const NAME: &'static str = "tally";

    fn rules(store: &Store) -> String {
        format!("{RULES} {}", store.catalog().facts.unit.name)
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.0.clone()
    }

    fn from_bytes(_: &Store, bytes: &[u8]) -> Option<Self> {
        Some(Self(bytes.to_vec()))
    }
}

const FILE: &str = "derived-tally.bin";

fn build(path: &Path, steps: usize) -> Store {
    let sample = Sample::random(&Shape { steps, ..Shape::default() });
    sample.build(path, 64 << 20).expect("built");
    Store::open(path).expect("opened")
}

/// What a store tells, and whether it had to be worked out.
fn ask<const RULES: u32>(store: &Store, answer: &[u8]) -> (Vec<u8>, bool) {
    let worked = Cell::new(false);
    let found: Arc<Tally<RULES>> = store
        .derived(|| {
            worked.set(true);
            Ok::<_, StoreError>(Tally(answer.to_vec()))
        })
        .expect("an answer");
    (found.0.clone(), worked.get())
}

#[test]
fn it_is_worked_out_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.onca");
    let store = build(&path, 500);
    let long: Vec<u8> = (0..3_000_000u32).map(|k| (k % 251) as u8).collect();
    assert_eq!(ask::<1>(&store, &long), (long.clone(), true));
    assert_eq!(ask::<1>(&store, b"other"), (long.clone(), false));
    let again = Store::open(&path).expect("opened");
    assert_eq!(ask::<1>(&again, b"other"), (long, false));
    // A failure is not kept.
    let other = build(&dir.path().join("t.onca"), 500);
    let failed = other.derived::<Tally<1>, _>(|| Err("no"));
    assert_eq!(failed.err(), Some("no"));
    assert_eq!(ask::<1>(&other, b"now"), (b"now".to_vec(), true));
}

#[test]
fn other_rules_another_unit_and_another_store_work_it_out_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let (path, other) = (dir.path().join("s.onca"), dir.path().join("t.onca"));
    let store = build(&path, 500);
    ask::<1>(&store, b"first");
    assert_eq!(ask::<2>(&store, b"second"), (b"second".to_vec(), true));
    let renamed = Store::open(&path).expect("opened").with_unit("weeks");
    assert_eq!(ask::<2>(&renamed, b"third"), (b"third".to_vec(), true));
    let another = build(&other, 400);
    fs::copy(path.join(FILE), other.join(FILE)).expect("copied");
    assert_eq!(ask::<2>(&another, b"fourth"), (b"fourth".to_vec(), true));
}

#[test]
fn a_damaged_file_is_not_believed() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.onca");
    ask::<1>(&build(&path, 500), b"what is true");
    let whole = fs::read(path.join(FILE)).expect("a file");
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        fs::write(path.join(FILE), &bytes).expect("written");
        let store = Store::open(&path).expect("opened");
        assert_eq!(ask::<1>(&store, b"anew"), (b"anew".to_vec(), true), "byte {at}");
        fs::write(path.join(FILE), &whole[..at]).expect("written");
        let store = Store::open(&path).expect("opened");
        assert_eq!(ask::<1>(&store, b"anew"), (b"anew".to_vec(), true), "cut at {at}");
    }
}

#[test]
fn a_store_that_cannot_be_written_answers_all_the_same() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.onca");
    let store = build(&path, 500);
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o500)).expect("closed");
    let answer = ask::<1>(&store, b"here");
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).expect("open");
    assert_eq!(answer, (b"here".to_vec(), true));
}

#[test]
fn it_goes_with_its_store() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.onca");
    ask::<1>(&build(&path, 500), b"old");
    assert!(path.join(FILE).exists());
    let store = build(&path, 600);
    assert!(!path.join(FILE).exists());
    ask::<1>(&store, b"new");
    Store::remove(&path).expect("removed");
    assert!(!path.exists());
    let left = fs::read_dir(dir.path()).expect("a folder").count();
    assert_eq!(left, 0, "nothing is left beside it");
}
