//! How a store comes to its place, and what happens to damaged ones.

use crate::sample;

use std::{
    collections::BTreeMap, fs, os::unix::fs::PermissionsExt, panic::AssertUnwindSafe, path::Path,
};

use onca_model::*;
use onca_store::{
    BuildOptions, Fingerprint, Freshness, Store, StoreBuilder, StoreError, StoreLock,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sample::{Sample, Shape, open};

const AMPLE: usize = 64 << 20;

fn small() -> Sample {
    Sample::random(&Shape { steps: 6_000, extras: true, ..Shape::default() })
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .expect("readable")
        .map(|entry| entry.expect("readable").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    names
}

#[test]
fn the_catalog_comes_back() {
    let mut sample = small();
    let mut diagnostics = Diagnostics::default();
    diagnostics.count(Code::TimeRounded, Severity::Note, 12);
    diagnostics.add(Diagnostic {
        code: Code::PopEmpty,
        severity: Severity::Warning,
        position: Position { part: 1, line: 42, column: 7, offset: Some(1 << 40) },
        message: "no state to pop".to_owned(),
        hint: Some("é".to_owned()),
    });
    sample.catalog.diagnostics = diagnostics;
    sample.catalog.fields.push(FieldDef { name: b"Size\xff".to_vec(), kind: FieldKind::Hex });
    sample.catalog.facts = TraceFacts {
        unit: TimeUnit { ticks_per_unit: 1000, name: "ms".to_owned(), assumed: false },
        start: -5,
        end: i64::MAX,
        last_line: Some(0),
        records: 9,
        lost: 1,
        producer: Some("a program".to_owned()),
        truncated: true,
    };
    sample.catalog.lanes.push(Lane { container: ContainerId(1), type_id: TypeId(3), depth: 0 });
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.onca");
    let report = sample.build(&path, AMPLE).expect("built");
    let store = open(&path);
    assert_eq!(store.catalog(), &sample.catalog);
    assert_eq!(store.counts(), report.counts);
    let verified = store.verify().expect("whole");
    assert_eq!((verified.rows, verified.blocks), (report.rows, report.blocks));
    let lengths = names(&path)
        .iter()
        .map(|name| fs::metadata(path.join(name)).expect("there").len())
        .sum::<u64>();
    assert_eq!(lengths, report.bytes);
}

#[test]
fn an_empty_trace_is_a_store() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.onca");
    let builder = StoreBuilder::create(&path, &BuildOptions::default()).expect("begun");
    let facts = BTreeMap::from([("answer".to_owned(), "42".to_owned())]);
    builder.finish(&Catalog::default(), &Fingerprint::default(), &facts).expect("built");
    let store = open(&path);
    assert_eq!(store.verify().expect("whole").rows, 0);
    assert_eq!(store.facts(), &facts);
    assert_eq!(
        store.freshness(onca_store::Scrutiny::Thorough).expect("nothing to read"),
        Freshness::Unknown
    );
}

#[test]
fn nothing_is_left_of_a_builder_that_is_dropped() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.onca");
    let mut builder = StoreBuilder::create(&path, &BuildOptions::default()).expect("begun");
    small().replay(&mut builder).expect("taken");
    assert_eq!(names(dir.path()).len(), 2, "a directory and a lock");
    drop(builder);
    assert_eq!(names(dir.path()), Vec::<String>::new());
}

#[test]
fn the_old_store_stays_until_the_new_one_is_whole() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.onca");
    let old = small();
    old.build(&path, AMPLE).expect("built");
    // A builder that fails: its catalog lacks the lanes.
    let mut builder = StoreBuilder::create(&path, &BuildOptions::default()).expect("begun");
    old.replay(&mut builder).expect("taken");
    let error = builder
        .finish(&Catalog::default(), &Fingerprint::default(), &BTreeMap::new())
        .expect_err("no lanes");
    assert!(matches!(error, StoreError::Input { .. }), "{error}");
    assert_eq!(open(&path).catalog(), &old.catalog);
    let new = Sample::random(&Shape { seed: 5, steps: 100, ..Shape::default() });
    new.build(&path, AMPLE).expect("built");
    assert_eq!(open(&path).catalog(), &new.catalog);
    assert_eq!(names(dir.path()), ["s.onca"]);
}

#[test]
fn what_dead_builders_left_is_removed_and_other_things_are_not() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.onca");
    for name in ["s.onca.tmp-1-00", "s.onca.old-3", "other.onca.tmp-1-00"] {
        fs::create_dir(dir.path().join(name)).expect("made");
        fs::write(dir.path().join(name).join("data.bin"), b"half").expect("written");
    }
    small().build(&path, AMPLE).expect("built");
    assert_eq!(names(dir.path()), ["other.onca.tmp-1-00", "s.onca"]);
    let precious = dir.path().join("precious");
    fs::create_dir(&precious).expect("made");
    fs::write(precious.join("thesis.tex"), b"years of work").expect("written");
    let error = small().build(&precious, AMPLE).expect_err("not a store");
    assert!(matches!(error, StoreError::NotAStore { .. }));
    assert!(Store::remove(&precious).is_err());
    assert_eq!(names(&precious), ["thesis.tex"]);
    Store::remove(&path).expect("removed");
    assert!(!path.exists());
}

#[test]
fn one_builder_at_a_time() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.onca");
    let builder = StoreBuilder::create(&path, &BuildOptions::default()).expect("begun");
    let second = StoreBuilder::create(&path, &BuildOptions::default()).err().expect("locked");
    assert!(matches!(second, StoreError::Locked { .. }));
    let waiter = std::thread::spawn({
        let path = path.clone();
        move || StoreLock::acquire(&path, true).map(|_lock| Store::open(&path).is_ok())
    });
    builder.finish(&Catalog::default(), &Fingerprint::default(), &BTreeMap::new()).expect("built");
    assert!(waiter.join().expect("no panic").expect("its turn"), "who waited finds the store");
}

#[test]
fn files_are_private_unless_the_source_is_not() {
    let dir = tempfile::tempdir().expect("a folder");
    for (source_mode, file, folder) in
        [(None, 0o600, 0o700), (Some(0o644), 0o644, 0o755), (Some(0o640), 0o640, 0o750)]
    {
        let path = dir.path().join("s.onca");
        let options = BuildOptions { source_mode, ..BuildOptions::default() };
        let builder = StoreBuilder::create(&path, &options).expect("begun");
        builder
            .finish(&Catalog::default(), &Fingerprint::default(), &BTreeMap::new())
            .expect("built");
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(&path), folder);
        for name in names(&path) {
            assert_eq!(mode(&path.join(name)), file);
        }
    }
}

#[test]
fn rows_out_of_order_are_refused_and_spoil_the_store() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.onca");
    let mut builder = StoreBuilder::create(&path, &BuildOptions::default()).expect("begun");
    let row = StateRow { start: 5, end: 9, value: ValueId(0), parent: None, open_ended: false };
    builder.state(LaneId(0), &row, b"").expect("taken");
    assert!(builder.state(LaneId(0), &row, b"").is_err(), "overlaps");
    assert!(
        builder.finish(&Catalog::default(), &Fingerprint::default(), &BTreeMap::new()).is_err()
    );
    assert_eq!(names(dir.path()), Vec::<String>::new());
}

#[test]
fn a_changed_source_is_stale() {
    let dir = tempfile::tempdir().expect("a folder");
    let source = dir.path().join("run.paje");
    fs::write(&source, b"some trace").expect("written");
    let path = dir.path().join("s.onca");
    let builder = StoreBuilder::create(&path, &BuildOptions::default()).expect("begun");
    let fingerprint = Fingerprint::of(&source).expect("readable");
    builder.finish(&Catalog::default(), &fingerprint, &BTreeMap::new()).expect("built");
    Store::open_fresh(&path).expect("fresh");
    fs::write(&source, b"some trace and more").expect("written");
    assert!(matches!(Store::open_fresh(&path), Err(StoreError::Stale { .. })));
    open(&path);
}

#[test]
fn other_formats_are_told_apart() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.onca");
    assert!(matches!(Store::open(&path), Err(StoreError::NotAStore { .. })));
    small().build(&path, AMPLE).expect("built");
    let manifest = path.join("manifest.json");
    let text = fs::read_to_string(&manifest).expect("readable");
    let version = |version: u32| format!("\"version\": {version}");
    let newer = (version(onca_store::VERSION), version(onca_store::VERSION + 1));
    for (from, to) in [newer, ("[]".to_owned(), "[\"wings\"]".to_owned())] {
        let body = text[..text.rfind("crc32").expect("a checksum")].replacen(&from, &to, 1);
        let changed = format!("{body}crc32 {:08x}\n", crc32fast::hash(body.as_bytes()));
        fs::write(&manifest, changed).expect("written");
        let error = Store::open(&path).expect_err("another format");
        assert!(matches!(error, StoreError::OtherVersion { .. }), "{error}");
    }
}

/// Opens and reads everything; `Err` if the damage was noticed.
fn use_store(path: &Path, sample: &Sample) -> Result<(), StoreError> {
    let store = Store::open(path)?;
    // Whatever is read before the damage is met must be right.
    let lane = *sample.states.keys().next().expect("a lane");
    let mut found = Vec::new();
    store.visit_states(lane, Window::ALL, 0, |_, row, _| found.push(*row))?;
    let expected: Vec<_> = sample.states[&lane].iter().map(|state| state.row).collect();
    assert_eq!(found, expected);
    store.verify().map(drop)
}

#[test]
fn every_flipped_byte_is_noticed() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.onca");
    let sample = small();
    sample.build(&path, AMPLE).expect("built");
    use_store(&path, &sample).expect("whole");
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let files: Vec<_> = names(&path)
        .into_iter()
        .map(|n| (path.join(&n), fs::read(path.join(&n)).expect("read")))
        .collect();
    for round in 0..2_000 {
        let (file, content) = &files[round % files.len()];
        let mut damaged = content.clone();
        let at = rng.random_range(0..damaged.len());
        damaged[at] ^= 1 << rng.random_range(0..8);
        fs::write(file, &damaged).expect("written");
        let result = std::panic::catch_unwind(AssertUnwindSafe(|| use_store(&path, &sample)));
        let result = result.unwrap_or_else(|_| panic!("byte {at} of {}", file.display()));
        assert!(result.is_err(), "byte {at} of {} was not noticed", file.display());
        fs::write(file, content).expect("written");
    }
    use_store(&path, &sample).expect("whole again");
}

#[test]
fn every_cut_file_is_noticed() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.onca");
    let sample = small();
    sample.build(&path, AMPLE).expect("built");
    for name in names(&path) {
        let file = path.join(name);
        let content = fs::read(&file).expect("readable");
        for cut in [0, 1, content.len() / 2, content.len() - 1] {
            fs::write(&file, &content[..cut]).expect("written");
            assert!(use_store(&path, &sample).is_err(), "{} cut at {cut}", file.display());
        }
        let mut longer = content.clone();
        longer.push(0);
        fs::write(&file, &longer).expect("written");
        assert!(use_store(&path, &sample).is_err(), "{} made longer", file.display());
        fs::remove_file(&file).expect("removed");
        assert!(use_store(&path, &sample).is_err(), "{} removed", file.display());
        fs::write(&file, &content).expect("written");
    }
    use_store(&path, &sample).expect("whole again");
}
