//! What a query skips must not change its answer, and must be skipped.

use std::collections::BTreeMap;

use crate::support::{Cell, Row, Sample, int};
use onca_testkit::fixtures;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

type Named = BTreeMap<String, Cell>;
type Comparison = fn(f64, f64) -> bool;

/// All rows of a table, by the names of columns.
fn named_rows(sample: &Sample, table: &str) -> Vec<Named> {
    let tables = sample.database.tables();
    let columns = &tables.iter().find(|found| found.name == table).expect("a table").columns;
    let rows = sample.ask(&format!("SELECT * FROM {table}"));
    let name = |row: Row| columns.iter().map(|column| column.name.clone()).zip(row).collect();
    rows.into_iter().map(name).collect()
}

fn number(cell: &Cell) -> f64 {
    match cell {
        Cell::Int(number) => *number as f64,
        Cell::Float(bits) => f64::from_bits(*bits),
        other => panic!("{other:?} is no number"),
    }
}

/// Compares a filtered query with the rows of the whole table that a closure accepts.
fn check(
    sample: &Sample,
    table: &str,
    all: &[Named],
    filter: &str,
    accepts: impl Fn(&Named) -> bool,
) {
    let pick = |row: &Named, names: &[&str]| names.iter().map(|&name| row[name].clone()).collect();
    let own: Vec<&str> = match table {
        "events" => vec!["container", "tick", "value"],
        _ => vec!["tick_end", "container_id", "value"],
    };
    let mut expected: Vec<Row> =
        all.iter().filter(|row| accepts(row)).map(|row| pick(row, &own)).collect();
    expected.sort();
    let rows = sample.ask_sorted(&format!("SELECT {} FROM {table} WHERE {filter}", own.join(", ")));
    assert_eq!(rows, expected, "{table} where {filter}");
    let count = sample.ask(&format!("SELECT count(*) FROM {table} WHERE {filter}"));
    assert_eq!(count, [[int(expected.len() as i64)]], "{table} where {filter}");
}

#[test]
fn filters_are_those_of_a_scan() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for seed in 0..3 {
        let sample = Sample::of(&onca_testkit::random::trace(seed));
        for table in ["states", "links", "events", "variables"] {
            let all = named_rows(&sample, table);
            if all.is_empty() {
                continue;
            }
            let row = &all[rng.random_range(0..all.len())];
            time_filters(&sample, table, &all, row);
            lane_filters(&sample, table, &all, row);
        }
    }
}

fn time_filters(sample: &Sample, table: &str, all: &[Named], row: &Named) {
    let (ticks, units): (&[&str], &[&str]) = match table {
        "events" => (&["tick"], &["time"]),
        _ => (&["tick_start", "tick_end"], &["t_start", "t_end"]),
    };
    for (&column, exact) in ticks.iter().zip([true; 2]).chain(units.iter().zip([false; 2])) {
        let bound = number(&row[column]);
        let literal = match (&row[column], exact) {
            (Cell::Int(ticks), _) => ticks.to_string(),
            (_, _) => format!("CAST('{bound}' AS DOUBLE)"),
        };
        let compare: [(&str, Comparison); 5] = [
            ("<", |a, b| a < b),
            ("<=", |a, b| a <= b),
            (">", |a, b| a > b),
            (">=", |a, b| a >= b),
            ("=", |a, b| a == b),
        ];
        for (operator, holds) in compare {
            let filter = format!("{column} {operator} {literal}");
            check(sample, table, all, &filter, |row| holds(number(&row[column]), bound));
            let turned = format!("{literal} {operator} {column}");
            check(sample, table, all, &turned, |row| holds(bound, number(&row[column])));
        }
        let between = format!("{column} BETWEEN {literal} AND {literal}");
        check(sample, table, all, &between, |row| number(&row[column]) == bound);
    }
}

fn lane_filters(sample: &Sample, table: &str, all: &[Named], row: &Named) {
    let id = number(&row["container_id"]);
    let by_id = |row: &Named| number(&row["container_id"]) == id;
    check(sample, table, all, &format!("container_id = {id}"), by_id);
    check(sample, table, all, &format!("container_id IN ({id}, 99999)"), by_id);
    check(sample, table, all, &format!("container_id + 1 = {id} + 1"), by_id);
    check(sample, table, all, &format!("NOT container_id = {id}"), |row| !by_id(row));
    let Cell::Text(name) = &row["container"] else { panic!("a container has a name") };
    let literal = name.replace('\'', "''");
    let by_name = |row: &Named| row["container"] == Cell::Text(name.clone());
    check(sample, table, all, &format!("container = '{literal}'"), by_name);
    check(sample, table, all, &format!("concat(container, 'x') = '{literal}x'"), by_name);
    let first = number(&all[0]["container_id"]);
    check(sample, table, all, &format!("container_id > {id} OR container_id = {first}"), |row| {
        number(&row["container_id"]) > id || number(&row["container_id"]) == first
    });
    if table == "states" {
        check(sample, table, all, "depth >= 1 AND open_ended", |row| {
            number(&row["depth"]) >= 1.0 && row["open_ended"] == Cell::Bool(true)
        });
    }
}

/// Two containers with many states each.
fn long_trace() -> Sample {
    let mut body = String::new();
    for step in 0..30_000 {
        for container in ["a", "b"] {
            body += &format!("12 {step} S {container} v{}\n", step % 3);
        }
    }
    Sample::of(fixtures::trace(&body).as_bytes())
}

/// What EXPLAIN ANALYZE says of the scan.
fn scanned(sample: &Sample, sql: &str) -> (u64, u64) {
    let plan = sample.ask(&format!("EXPLAIN ANALYZE {sql}"));
    let plan = format!("{plan:?}");
    let metric = |name: &str| {
        let rest = plan.split(&format!("{name}=")).nth(1).unwrap_or_else(|| panic!("{plan}"));
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u64>().unwrap_or_else(|_| panic!("{name} in {plan}"))
    };
    (metric("lanes_read"), metric("blocks_read"))
}

#[test]
fn a_query_on_one_track_reads_only_that_track() {
    let sample = long_trace();
    let blocks = |id: u32| sample.store.blocks(onca_model::LaneId(id)).len() as u64;
    let lanes = sample.store.catalog().lanes.len() as u32;
    let of_a = (0..lanes).find(|&lane| blocks(lane) > 1).map(blocks).expect("blocks");
    let all = scanned(&sample, "SELECT max(tick_end) FROM states");
    assert!(all.1 > of_a && all.0 >= 2, "{all:?}");
    for filter in ["container = 'A'", "container LIKE 'A%'", "name(container_id) = 'A'"] {
        let one = scanned(&sample, &format!("SELECT max(tick_end) FROM states WHERE {filter}"));
        assert!(one.1 <= of_a && one.1 > 0, "{filter}: {one:?} of {all:?}");
    }
    let none = "SELECT * FROM states WHERE container = 'nobody'";
    assert_eq!(sample.ask(none), Vec::<Row>::new());
}

#[test]
fn a_query_on_a_window_reads_only_its_blocks() {
    let sample = long_trace();
    let all = scanned(&sample, "SELECT max(depth) FROM states");
    for filter in [
        "t_start >= 100 AND t_end <= 110",
        "tick_start >= 100000000000 AND tick_start < 110000000000",
        "t_start BETWEEN 100.0 AND 110.0",
    ] {
        let some = scanned(&sample, &format!("SELECT count(value) FROM states WHERE {filter}"));
        assert!(some.1 < all.1 && some.1 <= 2, "{filter}: {some:?} of {all:?}");
    }
}

#[test]
fn a_limit_reads_no_more_than_it_needs() {
    let sample = long_trace();
    assert_eq!(sample.ask("SELECT value FROM states LIMIT 5").len(), 5);
    assert_eq!(scanned(&sample, "SELECT value FROM states LIMIT 5").1, 1);
    assert_eq!(sample.ask("SELECT value FROM states LIMIT 20000").len(), 20_000);
    let filtered = "SELECT value FROM states WHERE container = 'B' AND value = 'v1' LIMIT 7";
    assert_eq!(sample.ask(filtered).len(), 7);
}

#[test]
fn a_count_reads_nothing() {
    let sample = long_trace();
    for (sql, count) in [
        ("SELECT count(*) FROM states", 60_000),
        ("SELECT count(*) FROM states WHERE container = 'A'", 30_000),
    ] {
        assert_eq!(sample.ask(sql), [[int(count)]]);
        let plan = format!("{:?}", sample.ask(&format!("EXPLAIN {sql}")));
        assert!(plan.contains("PlaceholderRowExec"), "{sql}: {plan}");
    }
}
