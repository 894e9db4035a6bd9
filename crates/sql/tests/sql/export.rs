//! Exported files against the tables.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use crate::support::{Cell, Row, Sample, rows};
use onca_model::Window;
use onca_query::{Lens, Scope};
use onca_sql::{ExportReport, TableInfo, export_parquet};
use onca_testkit::fixtures;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

const TABLES: [&str; 8] =
    ["containers", "types", "type_values", "states", "links", "events", "variables", "diagnostics"];

fn export(sample: &Sample, out: &Path, lens: &Lens, window: Window) -> ExportReport {
    let scope = Scope::new(&sample.store, lens, window).expect("a lens that fits");
    export_parquet(Arc::clone(&sample.store), &scope, out).expect("exported")
}

/// All rows of a data set, file after file.
fn read(folder: &Path) -> (Vec<String>, Vec<Row>) {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let (mut names, mut all) = (Vec::new(), Vec::new());
    for file in files {
        let file = File::open(file).expect("a file");
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("a Parquet file");
        names = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
        let reader = reader.build().expect("a reader");
        all.extend(reader.flat_map(|batch| rows(&batch.expect("rows"))));
    }
    (names, all)
}

#[test]
fn files_hold_the_rows_of_the_tables() {
    for seed in 0..12 {
        let sample = Sample::of(&onca_testkit::random::trace(seed));
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("out");
        let report = export(&sample, &out, &Lens::clear(), Window::ALL);
        let mut total = 0;
        // What is found by looking at a trace is not exported.
        let is_exported = |info: &TableInfo| TABLES.contains(&info.name);
        for info in sample.database.tables().into_iter().filter(is_exported) {
            let (names, mut found) = read(&out.join(info.name));
            let columns: Vec<_> = info.columns.iter().map(|column| column.name.clone()).collect();
            assert_eq!(names, columns, "seed {seed}, {}", info.name);
            total += found.len() as u64;
            found.sort();
            let expected = sample.ask_sorted(&format!("SELECT * FROM {}", info.name));
            assert_eq!(found, expected, "seed {seed}, {}", info.name);
        }
        assert_eq!(report.rows, total);
        let left = std::fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(left, 1, "the temporary folder is gone");
    }
}

#[test]
fn selections_are_filters() {
    for seed in 0..12 {
        let sample = Sample::of(&onca_testkit::random::trace(seed));
        let catalog = sample.store.catalog();
        let (start, end) = (catalog.facts.start, catalog.facts.end);
        let (from, to) = (start + (end - start) / 3, start + (end - start) / 3 * 2);
        let middle = Window::new(from, to);
        let first = |names: Vec<&[u8]>| names.first().map(|name| name.to_vec());
        let values = catalog
            .values
            .iter()
            .filter(|value| catalog.type_def(value.type_id).nature == onca_model::Nature::State);
        let hidden = first(values.map(|value| value.name.as_slice()).collect());
        let mut no_value = Lens::clear();
        no_value.select.values.hide = hidden.iter().map(|name| literal(name)).collect();
        let mut even = Lens::clear();
        let ids = (0..catalog.containers.len()).step_by(2);
        even.select.containers.only = Some(ids.map(|id| format!("#{id}")).collect());
        let mut long = Lens::clear();
        long.select.min_duration = Some(onca_query::Duration::Units(1.0));
        let touches = format!(
            "least(tick_start, tick_end) < {to} AND greatest(tick_start + 1, tick_end, tick_start) > {from}"
        );
        let other = quoted(hidden.iter().map(Vec::as_slice));
        let second = catalog.facts.unit.ticks_per_unit;
        let looks = [
            (Lens::clear(), middle, touches),
            (even, Window::ALL, "container_id % 2 = 0".to_owned()),
            (no_value, Window::ALL, format!("value NOT IN ({other})")),
            (long, Window::ALL, format!("tick_end - tick_start >= {second}")),
        ];
        for (lens, window, filter) in looks {
            let folder = tempfile::tempdir().expect("a folder");
            let out = folder.path().join("out");
            export(&sample, &out, &lens, window);
            let (_, mut found) = read(&out.join("states"));
            found.sort();
            let expected = sample.ask_sorted(&format!("SELECT * FROM states WHERE {filter}"));
            assert_eq!(found, expected, "seed {seed}, {filter}");
        }
    }
}

/// A pattern that means exactly this name.
fn literal(name: &[u8]) -> String {
    onca_model::display_text(name).chars().flat_map(|c| ['\\', c]).collect()
}

fn quoted<'a>(names: impl Iterator<Item = &'a [u8]>) -> String {
    let quote = |name: &[u8]| format!("'{}'", onca_model::display_text(name).replace('\'', "''"));
    // SQL wants no empty list.
    names.map(quote).chain(["'no such name'".to_owned()]).collect::<Vec<_>>().join(", ")
}

#[test]
fn rows_are_sorted_by_container_depth_and_start() {
    let body: String = (0..200)
        .map(|step| {
            let (container, kind) = (["a", "b"][step % 2], if step % 5 == 4 { 14 } else { 13 });
            let value = if kind == 13 { " v" } else { "" };
            format!("{kind} {step} S {container}{value}\n")
        })
        .collect();
    let sample = Sample::of(fixtures::trace(&body).as_bytes());
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    export(&sample, &out, &Lens::clear(), Window::ALL);
    let (names, found) = read(&out.join("states"));
    let place = |name: &str| names.iter().position(|found| found == name).expect("a column");
    let key = |row: &Row| -> [Cell; 3] {
        ["container_id", "depth", "tick_start"].map(|name| row[place(name)].clone())
    };
    assert!(found.len() > 100);
    assert!(found.is_sorted_by_key(key));
}

#[test]
fn what_is_there_is_not_overwritten() {
    let sample = Sample::of(fixtures::trace("12 1 S a v\n").as_bytes());
    let folder = tempfile::tempdir().expect("a folder");
    let lens = Lens::clear();
    let scope = Scope::new(&sample.store, &lens, Window::ALL).expect("a lens that fits");
    let error = export_parquet(Arc::clone(&sample.store), &scope, folder.path());
    let error = error.expect_err("the folder is there").to_string();
    assert!(error.contains("is there already"), "{error}");
    let nowhere = folder.path().join("no/such/folder");
    assert!(export_parquet(Arc::clone(&sample.store), &scope, &nowhere).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

#[test]
fn a_trace_without_entities_has_files_with_all_columns() {
    let sample = Sample::of(b"");
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    export(&sample, &out, &Lens::clear(), Window::ALL);
    for table in TABLES {
        let (names, _) = read(&out.join(table));
        assert!(names.len() >= 5, "{table}: {names:?}");
    }
}
