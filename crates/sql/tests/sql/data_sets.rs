//! Data sets as databases, against the store that they were made from.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::{Cell, Row, Sample, ask, ask_sorted, int, refusal, try_ask};
use onca_model::Window;
use onca_query::{Lens, Scope};
use onca_sql::{
    DataSets, Database, DatasetOptions, Limits, Shard, SqlError, export_dataset, is_dataset,
    seal_dataset,
};
use onca_testkit::fixtures;

/// Writes the data set of a trace, in shards or at once.
fn write(sample: &Sample, dir: &Path, shards: u32, file_bytes: u64) {
    let lens = Lens::clear();
    let scope = Scope::new(&sample.store, &lens, Window::ALL).expect("a lens that fits");
    let export = |shard: Option<Shard>| {
        let options = DatasetOptions { lens: &lens, shard, file_bytes };
        let store = Arc::clone(&sample.store);
        export_dataset(store, &scope, &options, dir).expect("exported");
    };
    if shards == 1 {
        return export(None);
    }
    (1..=shards).for_each(|number| export(Shard::new(number, shards)));
    seal_dataset(dir).expect("sealed");
}

fn open(dir: &Path) -> Database {
    let sets = DataSets::open(dir).unwrap_or_else(|error| panic!("{error}"));
    let threads = NonZeroUsize::new(3).expect("not zero");
    Database::of_data_sets(Arc::new(sets), threads).unwrap_or_else(|error| panic!("{error}"))
}

/// Why a folder cannot be opened.
fn wrong(dir: &Path) -> String {
    match DataSets::open(dir) {
        Ok(_) => panic!("{} opens", dir.display()),
        Err(error) => error.to_string(),
    }
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

const ENTITIES: [&str; 4] = ["states", "links", "events", "variables"];

#[test]
fn tables_are_those_of_the_store() {
    for seed in 0..6 {
        let sample = Sample::of(&onca_testkit::random::trace(seed));
        let folder = tempfile::tempdir().expect("a folder");
        for (shards, bytes) in [(1, u64::MAX), (3, 4096)] {
            let dir = folder.path().join(format!("{shards}"));
            write(&sample, &dir, shards, bytes);
            let database = open(&dir);
            for info in database.tables() {
                let sql = format!("SELECT * FROM {}", info.name);
                let what = format!("seed {seed}, {shards} shards, {}", info.name);
                let known = sample.database.tables().into_iter();
                let known = known.filter(|known| known.name == info.name).collect::<Vec<_>>();
                assert_eq!([info].as_slice(), known, "{what}");
                assert_eq!(ask_sorted(&database, &sql), sample.ask_sorted(&sql), "{what}");
                let count = sql.replace('*', "count(*)");
                assert_eq!(ask(&database, &count), sample.ask(&count), "{what}");
            }
        }
    }
}

#[test]
fn conditions_are_those_of_the_store() {
    for seed in 0..4 {
        let sample = Sample::of(&onca_testkit::random::trace(seed));
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path().join("set");
        write(&sample, &dir, 2, 2048);
        let database = open(&dir);
        let facts = &sample.store.catalog().facts;
        let middle = facts.start + (facts.end - facts.start) / 2;
        let units = facts.unit.units(middle);
        for table in ENTITIES {
            let (tick, time) = match table {
                "events" => ("tick", "time"),
                _ => ("tick_start", "t_start"),
            };
            for filter in [
                format!("{tick} > {middle}"),
                format!("{time} <= CAST('{units}' AS DOUBLE)"),
                "container_id IN (1, 3)".to_owned(),
                format!("container_id = (SELECT max(container_id) FROM {table})"),
                format!("path(container_id) LIKE '/%' AND {tick} < {middle} AND type <> 'x'"),
            ] {
                let sql = format!("SELECT * FROM {table} WHERE {filter}");
                assert_eq!(ask_sorted(&database, &sql), sample.ask_sorted(&sql), "{seed} {sql}");
            }
        }
    }
}

#[test]
fn functions_are_those_of_the_store() {
    for seed in 0..6 {
        let sample = Sample::of(&onca_testkit::random::trace(seed));
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path().join("set");
        write(&sample, &dir, 3, 4096);
        let database = open(&dir);
        let kind = sample.ask("SELECT type FROM containers ORDER BY id DESC LIMIT 1");
        let Cell::Text(kind) = &kind[0][0] else { panic!("a type has a name") };
        let kind = kind.replace('\'', "''");
        for sql in [
            "SELECT id, name(id), path(id), ancestor(id, 1), ancestor(id, 0)
             FROM containers ORDER BY id"
                .to_owned(),
            format!("SELECT id, ancestor(id, '{kind}') FROM containers ORDER BY id"),
            "SELECT name(99999), path(-1), ancestor(NULL, 1)".to_owned(),
            "SELECT * FROM slice('0%', '100%')".to_owned(),
            "SELECT * FROM slice('20%', '70%')".to_owned(),
            "SELECT * FROM slice('20%', '21%', 1)".to_owned(),
            format!("SELECT * FROM slice('10%', '60%', '{kind}')"),
        ] {
            // Traces without time have no window.
            match try_ask(&sample.database, &sql, &Limits::default()) {
                Ok(_) => assert_eq!(ask(&database, &sql), sample.ask(&sql), "{seed} {sql}"),
                Err(_) => assert_eq!(refusal(&database, &sql), sample.refusal(&sql), "{sql}"),
            }
        }
        for sql in [
            "SELECT * FROM slice(1)",
            "SELECT * FROM slice(4, 2)",
            "SELECT * FROM slice(0, 'later')",
            "SELECT * FROM slice(0, 1, -1)",
            "SELECT ancestor(id, 'no such type') FROM containers",
        ] {
            assert_eq!(refusal(&database, sql), sample.refusal(sql), "{sql}");
        }
    }
}

#[test]
fn what_needs_the_store_says_so() {
    let (sample, folder) = (small(), tempfile::tempdir().expect("a folder"));
    let dir = folder.path().join("set");
    write(&sample, &dir, 1, u64::MAX);
    for table in ["findings", "waits"] {
        let why = refusal(&open(&dir), &format!("SELECT * FROM {table}"));
        assert!(why.contains(table) && why.contains("need the store"), "{why}");
    }
}

fn small() -> Sample {
    let body = "12 1 S a v\n12 3 S b w\n12 4 S a w\n18 2 E b e\n8 5 P a\n";
    Sample::of(fixtures::trace(body).as_bytes())
}

#[test]
fn several_runs_are_one_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path().join("runs");
    fs::create_dir(&runs).expect("a folder");
    let first = small();
    let second = Sample::of(&onca_testkit::random::trace(3));
    write(&first, &runs.join("a run"), 1, u64::MAX);
    write(&second, &runs.join("b"), 2, 4096);
    assert!(is_dataset(&runs) && is_dataset(&runs.join("b")) && !is_dataset(folder.path()));
    let database = open(&runs);
    for info in database.tables() {
        assert_eq!(info.columns[0].name, "run", "{}", info.name);
        let own: Vec<&str> = (info.columns.iter().skip(1))
            .map(|column| column.name.as_str())
            .filter(|name| !name.starts_with("x_"))
            .collect();
        let own = own.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        for (run, sample) in [("a run", &first), ("b", &second)] {
            let of_run = format!("SELECT {own} FROM {} WHERE run = '{run}'", info.name);
            let of_store = format!("SELECT {own} FROM {}", info.name);
            let what = format!("{run}, {}", info.name);
            assert_eq!(ask_sorted(&database, &of_run), sample.ask_sorted(&of_store), "{what}");
        }
    }
    let counts = "SELECT run, count(*) FROM containers GROUP BY run ORDER BY run";
    let containers = |sample: &Sample| int(sample.store.catalog().containers.len() as i64);
    let expected = [[text("a run"), containers(&first)], [text("b"), containers(&second)]];
    assert_eq!(ask(&database, counts), expected);
    functions_take_a_run(&database, &first);
}

fn functions_take_a_run(database: &Database, first: &Sample) {
    let own = "SELECT name(id), path(id), ancestor(id, 1) FROM containers ORDER BY id";
    let long = "SELECT name(run, id), path(run, id), ancestor(run, id, 1) FROM containers
                WHERE run = 'a run' ORDER BY id";
    assert_eq!(ask(database, long), first.ask(own));
    let all = "SELECT count(*) FROM containers WHERE name(run, id) <> name";
    assert_eq!(ask(database, all), [[int(0)]]);
    let nobody = "SELECT name('nobody', 1), path('b', 99999)";
    assert_eq!(ask(database, nobody), [[Cell::Null, Cell::Null]]);
    for short in ["name(id)", "path(id)", "ancestor(id, 1)"] {
        let why = refusal(database, &format!("SELECT {short} FROM containers"));
        assert!(why.contains("there are several runs"), "{short}: {why}");
    }
    let slice = "SELECT container_id, value, ticks, mean_share FROM slice(0, 5)";
    let of_run = slice.replace("(0, 5)", "(0, 5) WHERE run = 'a run'");
    assert_eq!(ask_sorted(database, &of_run), first.ask_sorted(slice));
}

#[test]
fn one_run_may_be_named() {
    let (sample, folder) = (small(), tempfile::tempdir().expect("a folder"));
    let dir = folder.path().join("set");
    write(&sample, &dir, 1, u64::MAX);
    let sql = "SELECT name(1) = name('set', 1), ancestor('set', 1, 0), name('x', 1)";
    assert_eq!(ask(&open(&dir), sql), [[Cell::Bool(true), int(0), Cell::Null]]);
}

/// A file of states of a data set.
fn states_of(dir: &Path) -> PathBuf {
    let entries = fs::read_dir(dir.join("states")).expect("a folder");
    entries.map(|entry| entry.expect("an entry").path()).next().expect("a file")
}

#[test]
fn what_is_not_as_it_was_sealed_is_refused() {
    let sample = small();
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("set");
    let again = || {
        let _ = fs::remove_dir_all(&dir);
        write(&sample, &dir, 1, u64::MAX);
        states_of(&dir)
    };
    let shown = |path: &Path| path.display().to_string();

    let file = again();
    fs::remove_file(&file).expect("removed");
    let why = wrong(&dir);
    assert!(why.contains(&shown(&file)) && why.contains("missing"), "{why}");

    let file = again();
    let bytes = fs::read(&file).expect("a file");
    fs::write(&file, &bytes[..bytes.len() - 1]).expect("written");
    let why = wrong(&dir);
    assert!(why.contains(&shown(&file)) && why.contains("bytes"), "{why}");

    let file = again();
    let more = file.with_file_name("more.parquet");
    fs::copy(&file, &more).expect("copied");
    let why = wrong(&dir);
    assert!(why.contains(&shown(&more)), "{why}");

    let file = again();
    let mut bytes = fs::read(&file).expect("a file");
    // The footer is at the end, the first page at the beginning.
    for at in [4..60, bytes.len() - 60..bytes.len() - 4] {
        let whole = bytes.clone();
        bytes[at].fill(0xff);
        fs::write(&file, &bytes).expect("written");
        let said = match DataSets::open(&dir).map(Arc::new) {
            Ok(sets) => match Database::of_data_sets(sets, NonZeroUsize::MIN) {
                Ok(database) => {
                    let sql = "SELECT * FROM states";
                    match try_ask(&database, sql, &Limits::default()) {
                        Err(SqlError::Dataset(error)) => error.to_string(),
                        other => panic!("{other:?}"),
                    }
                }
                Err(error) => error.to_string(),
            },
            Err(error) => error.to_string(),
        };
        assert!(said.contains(&shown(&file)), "{said}");
        bytes = whole;
    }

    again();
    fs::remove_file(dir.join("manifest.json")).expect("removed");
    let why = wrong(&dir);
    assert!(why.contains("1 of 1") && why.contains("onca export --seal"), "{why}");
    let runs = wrong(folder.path());
    assert!(runs.contains("not a sealed data set"), "{runs}");
}

#[test]
fn nothing_but_the_tables_can_be_read() {
    let (sample, folder) = (small(), tempfile::tempdir().expect("a folder"));
    let dir = folder.path().join("set");
    write(&sample, &dir, 1, u64::MAX);
    let database = open(&dir);
    let file = states_of(&dir).display().to_string();
    for sql in [
        format!("SELECT * FROM '{file}'"),
        format!("SELECT * FROM \"{file}\""),
        format!("SELECT * FROM \"file://{file}\""),
        format!("SELECT * FROM read_parquet('{file}')"),
        format!("SELECT * FROM parquet_metadata('{file}')"),
        format!("CREATE EXTERNAL TABLE t STORED AS PARQUET LOCATION '{file}'"),
        format!("COPY states TO '{}/x.parquet'", dir.display()),
        "INSERT INTO states SELECT * FROM states".to_owned(),
        "SET datafusion.execution.parquet.pruning = false".to_owned(),
    ] {
        refusal(&database, &sql);
    }
}

/// How many row groups there were, and how many of them were read.
fn row_groups(database: &Database, sql: &str) -> (u64, u64) {
    let plan = format!("{:?}", ask(database, &format!("EXPLAIN ANALYZE {sql}")));
    let mut rest = plan.split("row_groups_pruned_statistics=").skip(1);
    let rest = rest.next().unwrap_or_else(|| panic!("{plan}"));
    let words: Vec<&str> = rest.split([' ', ',', ']']).collect();
    let number = |at: usize| words[at].parse().unwrap_or_else(|_| panic!("{plan}"));
    let arrow = words.iter().position(|word| *word == "matched").expect("matched");
    (number(0), number(arrow - 1))
}

#[test]
fn conditions_leave_out_row_groups_and_files() {
    let mut body = String::new();
    for step in 0..80_000 {
        for container in ["a", "b"] {
            body += &format!("12 {step} S {container} v{}\n", step % 3);
        }
    }
    let sample = Sample::of(fixtures::trace(&body).as_bytes());
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("set");
    write(&sample, &dir, 1, u64::MAX);
    let database = open(&dir);
    let first = "SELECT min(container_id) FROM states";
    let Cell::Int(first) = ask(&database, first)[0][0] else { panic!("an id") };
    let sql = format!("SELECT max(tick_end) FROM states WHERE container_id = {first}");
    assert_eq!(ask(&database, &sql), sample.ask(&sql));
    let (all, read) = row_groups(&database, &sql);
    assert!(read < all && read > 0, "{read} of {all}");

    // Small files are left out by the manifest alone: nothing of them is opened.
    let dir = folder.path().join("small");
    write(&sample, &dir, 1, 50_000);
    let database = open(&dir);
    let n_files = |sql: &str| {
        let plan = format!("{:?}", ask(&database, &format!("EXPLAIN {sql}")));
        plan.matches(".parquet").count()
    };
    let some = "SELECT value FROM states WHERE t_start BETWEEN 100 AND 110";
    assert_eq!(ask_sorted(&database, some), sample.ask_sorted(some));
    assert!(n_files(some) < n_files("SELECT value FROM states WHERE duration > 0.5"), "{some}");
    let none: Vec<Row> = ask(&database, "SELECT * FROM states WHERE tick_start < -5");
    assert_eq!(none, Vec::<Row>::new());
}
