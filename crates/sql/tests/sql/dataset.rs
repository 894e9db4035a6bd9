//! Data sets against the tables, and what is wrong with one.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use crate::support::{Cell, Row, Sample, rows};
use onca_model::Window;
use onca_query::{Lens, Scope};
use onca_sql::{
    DatasetError, DatasetOptions, ExportError, ExportReport, LocalFolder, Manifest, Shard,
    export_dataset, seal_dataset,
};
use onca_testkit::fixtures;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

const TABLES: [&str; 8] =
    ["containers", "types", "type_values", "diagnostics", "states", "links", "events", "variables"];

/// How a sample is exported.
struct Look<'a> {
    lens: &'a Lens,
    window: Window,
    file_bytes: u64,
}

impl<'a> Look<'a> {
    fn all(lens: &'a Lens) -> Self {
        Self { lens, window: Window::ALL, file_bytes: DatasetOptions::FILE_BYTES }
    }

    fn export(
        &self,
        sample: &Sample,
        out: &Path,
        shard: Option<(u32, u32)>,
    ) -> Result<ExportReport, ExportError> {
        let scope = Scope::new(&sample.store, self.lens, self.window).expect("a lens that fits");
        let shard = shard.map(|(number, of)| Shard::new(number, of).expect("a shard"));
        let options = DatasetOptions { lens: self.lens, shard, file_bytes: self.file_bytes };
        export_dataset(Arc::clone(&sample.store), &scope, &options, out)
    }

    fn shards(&self, sample: &Sample, out: &Path, of: u32) {
        for number in (1..=of).rev() {
            self.export(sample, out, Some((number, of))).expect("a shard");
        }
    }
}

/// The rows of a file, with the names of its columns.
fn read_file(path: &Path) -> (Vec<String>, Vec<Row>) {
    let file = File::open(path).expect("a file");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("a Parquet file");
    let names = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
    let reader = reader.build().expect("a reader");
    (names, reader.flat_map(|batch| rows(&batch.expect("rows"))).collect())
}

/// All rows of a table, sorted, by way of the manifest. Each file is in order.
fn read(dir: &Path, manifest: &Manifest, table: &str) -> Vec<Row> {
    let mut all = Vec::new();
    let mut n_files = 0;
    for file in manifest.files.iter().filter(|file| file.table == table) {
        let (names, found) = read_file(&dir.join(&file.path));
        assert_eq!(found.len() as u64, file.rows, "{}", file.path);
        let places: Vec<usize> = ["container_id", "tick_start", "tick", "depth"]
            .iter()
            .filter_map(|name| names.iter().position(|found| found == name))
            .collect();
        if names.iter().any(|name| name == "container_id") {
            let key = |row: &Row| -> Vec<Cell> {
                places.iter().map(|&place| row[place].clone()).collect()
            };
            assert!(found.is_sorted_by_key(key), "{}", file.path);
        }
        all.extend(found);
        n_files += 1;
    }
    assert!(n_files > 0, "{table}");
    all.sort();
    all
}

fn small() -> Sample {
    let body = "12 0 S a run\n12 1 S a wait\n14 2 S a\n12 4 S b run\n18 2 E b hello\n";
    Sample::of(fixtures::trace(body).as_bytes())
}

/// Two shards of a small trace, not sealed.
fn two_shards(out: &Path) -> Sample {
    let (sample, lens) = (small(), Lens::clear());
    Look::all(&lens).shards(&sample, out, 2);
    sample
}

#[track_caller]
fn refused(out: &Path, part: &str) {
    let error = seal_dataset(out).expect_err("not fit to be sealed").to_string();
    assert!(error.contains(part), "{part:?} in {error}");
    assert!(!out.join("manifest.json").exists());
}

/// The first file of a table, by name.
fn first_file(out: &Path, table: &str) -> std::path::PathBuf {
    let entries = fs::read_dir(out.join(table)).expect("a folder");
    entries.map(|entry| entry.expect("an entry").path()).min().expect("a file")
}

#[test]
fn shards_together_are_the_whole_and_both_are_the_tables() {
    for seed in 0..5 {
        let sample = Sample::of(&onca_testkit::random::trace(seed));
        let folder = tempfile::tempdir().expect("a folder");
        let lens = Lens::clear();
        let look = Look::all(&lens);
        let mut sets = vec![("whole".to_owned(), 1)];
        look.export(&sample, &folder.path().join("whole"), None).expect("a data set");
        for of in [1_u32, 2, 3, 5] {
            let out = folder.path().join(of.to_string());
            look.shards(&sample, &out, of);
            seal_dataset(&out).expect("sealed");
            sets.push((of.to_string(), of));
        }
        for (name, of) in sets {
            let out = folder.path().join(&name);
            let manifest = Manifest::read(&LocalFolder::new(&out)).expect("a manifest");
            assert_eq!(manifest.shards, of);
            assert_eq!(manifest.source.store, sample.store.identity().to_string());
            for table in TABLES {
                let expected = sample.ask_sorted(&format!("SELECT * FROM {table}"));
                assert_eq!(read(&out, &manifest, table), expected, "seed {seed}, {name}, {table}");
            }
        }
    }
}

#[test]
fn states_of_all_depths_are_in_order_and_files_end_in_time() {
    // Nested states in two containers, many more than a batch has.
    let body: String = (0..30_000)
        .map(|step| {
            let (container, kind) = (["a", "b"][step % 2], [13, 13, 13, 14, 14, 14][step / 2 % 6]);
            let value = if kind == 13 { " v" } else { "" };
            format!("{kind} {step} S {container}{value}\n")
        })
        .collect();
    let sample = Sample::of(fixtures::trace(&body).as_bytes());
    let folder = tempfile::tempdir().expect("a folder");
    let lens = Lens::clear();
    let mut n_files = Vec::new();
    for file_bytes in [1, 200_000, DatasetOptions::FILE_BYTES] {
        let out = folder.path().join(file_bytes.to_string());
        Look { file_bytes, ..Look::all(&lens) }.export(&sample, &out, None).expect("a data set");
        let manifest = Manifest::read(&LocalFolder::new(&out)).expect("a manifest");
        let found = read(&out, &manifest, "states");
        assert_eq!(found, sample.ask_sorted("SELECT * FROM states"));
        let of_states = manifest.files.iter().filter(|file| file.table == "states");
        assert!(of_states.clone().all(|file| file.type_name.is_some() && file.ticks.is_some()));
        n_files.push(of_states.count());
    }
    assert!(n_files[0] >= n_files[1] && n_files[1] >= n_files[2], "{n_files:?}");
    assert!(n_files[0] > 4 && n_files[2] == 1, "{n_files:?}");
}

#[test]
fn files_tell_their_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let lens = Lens::clear();
    Look::all(&lens).export(&small(), &out, None).expect("a data set");
    let file = File::open(first_file(&out, "states")).expect("a file");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("a Parquet file");
    let order = reader.metadata().row_group(0).sorting_columns().expect("an order");
    let fields = reader.schema().fields();
    let names: Vec<&str> =
        order.iter().map(|by| fields[by.column_idx as usize].name().as_str()).collect();
    assert_eq!(names, ["container_id", "tick_start", "depth"]);
}

#[test]
fn the_window_and_the_lens_choose() {
    for seed in 0..6 {
        let sample = Sample::of(&onca_testkit::random::trace(seed));
        let facts = &sample.store.catalog().facts;
        let (from, to) = (facts.start, facts.start + (facts.end - facts.start) / 2);
        let mut even = Lens::clear();
        let ids = (0..sample.store.catalog().containers.len()).step_by(2);
        even.select.containers.only = Some(ids.map(|id| format!("#{id}")).collect());
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("out");
        let look = Look { window: Window::new(from, to), ..Look::all(&even) };
        look.shards(&sample, &out, 3);
        let manifest = seal_dataset(&out).expect("sealed");
        assert_eq!((manifest.source.from_tick, manifest.source.to_tick), (Some(from), Some(to)));
        let expected = sample.ask_sorted(&format!(
            "SELECT * FROM states WHERE container_id % 2 = 0 AND tick_start < {to} \
             AND greatest(tick_start + 1, tick_end) > {from}"
        ));
        assert_eq!(read(&out, &manifest, "states"), expected, "seed {seed}");
    }
}

#[test]
fn what_is_missing_cut_doubled_or_changed_is_not_sealed() {
    let folder = tempfile::tempdir().expect("a folder");
    let spoilt = |name: &str, spoil: &dyn Fn(&Path), part: &str| {
        let out = folder.path().join(name);
        two_shards(&out);
        spoil(&out);
        refused(&out, part);
    };
    let remove = |path: &Path| fs::remove_file(path).expect("removed");
    spoilt("shard", &|out: &Path| remove(&out.join("parts/2of2.json")), "2of2.json is missing");
    spoilt("file", &|out: &Path| remove(&first_file(out, "types")), "is missing");
    let copy = |from: &Path, to: &Path| fs::copy(from, to).map(drop).expect("a copy");
    let double = |out: &Path| copy(&out.join("parts/1of2.json"), &out.join("parts/3of2.json"));
    spoilt("double", &double, "3of2.json");
    let more = |out: &Path| copy(&first_file(out, "types"), &out.join("types/more.parquet"));
    spoilt("more", &more, "more.parquet");
    let cut = |path: &Path| {
        let content = fs::read(path).expect("a file");
        fs::write(path, &content[..content.len() - 1]).expect("written");
    };
    spoilt("cut", &|out: &Path| cut(&first_file(out, "states")), "states/");
    spoilt(
        "part",
        &|out: &Path| fs::write(out.join("parts/2of2.json"), "{").expect("written"),
        "2of2",
    );
    let change = |path: &Path| {
        let mut content = fs::read(path).expect("a file");
        content[20] ^= 1;
        fs::write(path, content).expect("written");
    };
    spoilt("changed", &|out: &Path| change(&first_file(out, "containers")), "containers/");
}

#[test]
fn parts_of_another_trace_or_number_do_not_belong() {
    let folder = tempfile::tempdir().expect("a folder");
    let (ours, theirs) = (folder.path().join("ours"), folder.path().join("theirs"));
    two_shards(&ours);
    let other = Sample::of(fixtures::trace("12 0 S a other\n").as_bytes());
    let lens = Lens::clear();
    Look::all(&lens).shards(&other, &theirs, 2);
    fs::copy(theirs.join("parts/2of2.json"), ours.join("parts/2of2.json")).expect("a copy");
    refused(&ours, "2of2.json does not belong to this data set: it is of another trace");
    // It is refused already when it is written.
    fs::remove_file(theirs.join("parts/2of2.json")).expect("removed");
    let foreign = Look::all(&lens).export(&small(), &theirs, Some((2, 2)));
    let foreign = foreign.expect_err("of another trace").to_string();
    assert!(foreign.contains("1of2.json") && foreign.contains("another trace"), "{foreign}");
    let number = Look::all(&lens).export(&other, &theirs, Some((3, 3)));
    assert!(number.expect_err("another number").to_string().contains("1of2.json"));
    let mut long = Lens::clear();
    long.select.min_duration = Some(onca_query::Duration::Units(1.0));
    let lens = Look::all(&long).export(&other, &theirs, Some((2, 2)));
    assert!(lens.expect_err("another lens").to_string().contains("another lens"));
}

#[test]
fn a_shard_is_written_once_and_a_seal_is_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let sample = two_shards(&out);
    let lens = Lens::clear();
    let again = || Look::all(&lens).export(&sample, &out, Some((2, 2))).expect_err("is there");
    assert!(again().to_string().contains("2of2.json"));
    assert!(matches!(
        Manifest::read(&LocalFolder::new(&out)),
        Err(DatasetError::NotSealed { have: 2, .. })
    ));
    seal_dataset(&out).expect("sealed");
    let twice = seal_dataset(&out).expect_err("sealed already");
    assert!(matches!(twice, DatasetError::Sealed(_)), "{twice}");
    assert!(again().to_string().contains("sealed already"));
    let whole = Look::all(&lens).export(&sample, &out, None).expect_err("is there");
    assert!(whole.to_string().contains("is there already"), "{whole}");
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).expect("a folder");
    refused(&empty, "parts");
    fs::write(empty.join("mine.txt"), "mine").expect("written");
    let mine = Look::all(&lens).export(&sample, &empty, Some((1, 1))).expect_err("not ours");
    assert!(mine.to_string().contains("no data set"), "{mine}");
    assert_eq!(fs::read_dir(&empty).expect("a folder").count(), 1);
}

#[test]
fn an_interrupted_shard_is_written_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let sample = two_shards(&out);
    // As it is left by a process that is killed: without its part, with files that are not whole.
    fs::remove_file(out.join("parts/2of2.json")).expect("removed");
    let left = [
        "states/0002-S-2of2-00007.parquet",
        "states/.0002-S-2of2-00008.parquet.123.tmp",
        "parts/.2of2.json.123.tmp",
    ];
    left.iter().for_each(|name| fs::write(out.join(name), "half of").expect("written"));
    let lens = Lens::clear();
    Look::all(&lens).export(&sample, &out, Some((2, 2))).expect("a shard");
    assert!(!out.join(left[0]).exists() && !out.join(left[1]).exists());
    let manifest = seal_dataset(&out).expect("sealed");
    assert_eq!(read(&out, &manifest, "states"), sample.ask_sorted("SELECT * FROM states"));
}

#[test]
fn a_trace_without_entities_has_files_with_all_columns() {
    let sample = Sample::of(b"");
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let lens = Lens::clear();
    Look::all(&lens).shards(&sample, &out, 3);
    let manifest = seal_dataset(&out).expect("sealed");
    for table in TABLES {
        let files: Vec<_> = manifest.files.iter().filter(|file| file.table == table).collect();
        assert_eq!(files.len(), 1, "{table}");
        assert!(read_file(&out.join(&files[0].path)).0.len() >= 5, "{table}");
    }
}
