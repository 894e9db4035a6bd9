//! Several sources as one trace: the whole equals its parts.

use onca_generate::otf2::{Options, write};
use onca_testkit::fixtures;
use onca_testkit::sandbox::{Run, Sandbox};
use serde_json::{Value, json};

/// Two processes with one entity of each kind.
fn first() -> String {
    fixtures::trace(
        "12 1 S a x\n13 2.5 S a y\n14 3 S a\n15 4 S a\n9 1 V a 0.1\n16 1 L 0 a v k\n\
         17 3 L 0 b v k\n18 6 E a q\n",
    )
}

/// The same types and one more, other values, and a container that is destroyed.
fn second() -> String {
    fixtures::trace(
        "4 X P Other\n12 2 S a x\n12 3 S b z\n15 7 S a\n16 2 L 0 b v k\n17 2.5 L 0 a v k\n\
         18 4 E b q\n18 5 X b q\n8 7 P b\n",
    )
}

/// A trace of two lines of work, in microseconds.
const CHROME: &str = r#"[
{"ph": "X", "pid": 1, "tid": 1, "ts": 10, "dur": 5, "name": "work"},
{"ph": "X", "pid": 1, "tid": 1, "ts": 11, "dur": 1.5, "name": "inner"},
{"ph": "i", "pid": 1, "tid": 2, "ts": 20.25, "s": "t", "name": "mark"}
]"#;

fn rows(sandbox: &Sandbox, trace: &str) -> Vec<Value> {
    let text = sandbox.onca(["dump", "--json", trace]).expect(0).out();
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The rows of a trace as they are where it is part of another one: its root has its name.
fn renamed(sandbox: &Sandbox, trace: &str) -> Vec<String> {
    let rename = |mut row: Value| {
        if row["type"] == "0" {
            row["type"] = json!("Source");
            row["name"] = json!(trace);
        } else {
            for name in ["parent", "container", "owner", "source", "destination"] {
                if row[name] == "0" {
                    row[name] = json!(trace);
                }
            }
        }
        row.to_string()
    };
    rows(sandbox, trace).into_iter().map(rename).collect()
}

fn index(sandbox: &Sandbox, args: &[&str]) -> Run {
    sandbox.onca(["index", "--join", "-o", "all.onca"].iter().chain(args))
}

fn sql(sandbox: &Sandbox, trace: &str, question: &str) -> Value {
    sandbox.onca(["query", trace, question, "--format", "json"]).expect(0).json()["rows"].clone()
}

#[test]
fn a_joined_trace_has_the_renamed_rows_of_its_parts() {
    let sandbox = Sandbox::new();
    sandbox.write("a.paje", first());
    sandbox.write("b.paje", second());
    index(&sandbox, &["a.paje", "b.paje"]).expect(0);
    let mut expected = renamed(&sandbox, "a.paje");
    expected.extend(renamed(&sandbox, "b.paje"));
    let root = |row: &Value| row["type"] == "0";
    let all = rows(&sandbox, "all.onca");
    assert_eq!(all.iter().filter(|row| root(row)).count(), 1);
    let mut found: Vec<String> =
        all.iter().filter(|row| !root(row)).map(ToString::to_string).collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);

    // Types and values that agree are shared.
    let info = sandbox.info("all.onca", 0);
    let types = info["types"].as_array().expect("types");
    let names: Vec<&str> = types.iter().filter_map(|def| def["name"].as_str()).collect();
    assert_eq!(names, ["0", "Source", "Proc", "St", "Var", "Ev", "Lk", "Other"]);
    let states = types.iter().find(|def| def["name"] == "St").expect("states");
    let values: Vec<&str> = states["values"]
        .as_array()
        .expect("values")
        .iter()
        .filter_map(|v| v["name"].as_str())
        .collect();
    assert_eq!(values.len(), 3, "{values:?}");
    let change = &info["changes"][0];
    assert_eq!(change["kind"], "joined");
    assert_eq!(change["sources"][1], json!({"name": "b.paje", "offset_ticks": 0, "rate": "1"}));
    assert_eq!(info["records"], 15 + 16);
}

#[test]
fn offsets_and_rates_move_one_source_and_change_nothing_else() {
    let sandbox = Sandbox::new();
    sandbox.write("a.paje", first());
    sandbox.write("b.paje", second());
    index(&sandbox, &["a.paje", "b.paje", "--offset", "b.paje=-1.5s", "--rate", "b.paje=3/2"])
        .expect(0);
    let of_source = |source: &str| {
        format!(
            "SELECT tick_start, tick_end FROM states WHERE path(container_id) LIKE '/{source}/%' \
             ORDER BY tick_start, tick_end"
        )
    };
    let alone = "SELECT tick_start, tick_end FROM states ORDER BY tick_start, tick_end";
    let times = |rows: &Value| -> Vec<(i64, i64)> {
        let time = |row: &Value, column: usize| row[column].as_i64().expect("ticks");
        let rows = rows.as_array().expect("rows").iter();
        rows.map(|row| (time(row, 0), time(row, 1))).collect()
    };
    let (a, b) = (sql(&sandbox, "a.paje", alone), sql(&sandbox, "b.paje", alone));
    assert_eq!(times(&sql(&sandbox, "all.onca", &of_source("a.paje"))), times(&a));
    let moved: Vec<(i64, i64)> = times(&b)
        .iter()
        .map(|&(start, end)| (start / 2 * 3 - 1_500_000_000, end / 2 * 3 - 1_500_000_000))
        .collect();
    assert_eq!(times(&sql(&sandbox, "all.onca", &of_source("b.paje"))), moved);
    let text = sandbox.onca(["info", "all.onca"]).expect(0).out();
    assert!(text.contains("joined from a.paje, b.paje times 3/2 -1.500000000 s"), "{text}");

    // The same words in a file.
    sandbox.write(
        "both.json",
        r#"{"schema": "onca-join/1", "sources": [
            {"trace": "a.paje"},
            {"trace": "b.paje", "offset": "-1.5s", "rate": "3/2"}]}"#,
    );
    sandbox.onca(["index", "--join-file", "both.json", "-o", "file.onca"]).expect(0);
    assert_eq!(rows(&sandbox, "file.onca"), rows(&sandbox, "all.onca"));
}

#[test]
fn formats_can_be_mixed_and_totals_stay() {
    let sandbox = Sandbox::new();
    sandbox.write("a.paje", first());
    sandbox.write("work.json", CHROME);
    let ring = Options { locations: 4, events: 2_000, chunk: 4096, ..Options::default() };
    write(&ring, &sandbox.path("run")).expect("an archive");
    index(&sandbox, &["a.paje", "work.json", "run/traces.otf2"]).expect(0);
    let joined = sandbox.info("all.onca", 0);
    assert_eq!(joined["unit"]["name"], "s");
    let mut sums = [0; 4];
    let kinds = ["states", "links", "events", "variables"];
    for part in ["a.paje", "work.json", "run/traces.otf2"] {
        let counts = sandbox.info(part, 0)["counts"].clone();
        let name = part.rsplit('/').next().expect("a name");
        for (sum, kind) in sums.iter_mut().zip(kinds) {
            *sum += counts[kind].as_u64().expect("a count");
        }
        // Times are compared in seconds: the ticks differ.
        let seconds = |trace: &str, filter: &str, per_unit: f64| {
            let question = format!("SELECT sum(t_end - t_start) AS time FROM states {filter}");
            sql(&sandbox, trace, &question)[0][0].as_f64().expect("a time") * per_unit
        };
        let unit = match sandbox.info(part, 0)["unit"]["name"].as_str() {
            Some("s") => 1.0,
            Some("us") => 1e-6,
            Some("ns") => 1e-9,
            other => panic!("{other:?}"),
        };
        let filter = format!("WHERE path(container_id) LIKE '/{name}/%'");
        let (whole, own) = (seconds("all.onca", &filter, 1.0), seconds(part, "", unit));
        assert!((whole - own).abs() <= own * 1e-9, "{part}: {whole} {own}");
    }
    for (sum, kind) in sums.iter().zip(kinds) {
        assert_eq!(joined["counts"][kind].as_u64(), Some(*sum), "{kind}");
    }
}

#[test]
fn a_store_that_fits_is_kept_and_one_that_does_not_is_built_again() {
    let sandbox = Sandbox::new();
    sandbox.write("a.paje", first());
    std::fs::create_dir(sandbox.path("sub")).expect("a folder");
    sandbox.write("sub/a.paje", second());
    let both = ["a.paje", "sub/a.paje"];
    let built = |run: Run| run.expect(0).out();
    assert!(!built(index(&sandbox, &both)).contains("up to date"));
    assert!(built(index(&sandbox, &both)).contains("up to date"));
    let moved = [&both[..], &["--offset", "a.paje~2=1"]].concat();
    assert!(!built(index(&sandbox, &moved)).contains("up to date"));
    let roots = sql(&sandbox, "all.onca", "SELECT name FROM containers WHERE type = 'Source'");
    assert_eq!(roots, json!([["a.paje"], ["a.paje~2"]]));
    sandbox.write("sub/a.paje", first());
    assert!(!built(index(&sandbox, &moved)).contains("up to date"));
    // A joined trace can be joined again, and corrected.
    sandbox.onca(["index", "--join", "all.onca", "a.paje", "-o", "more.onca"]).expect(0);
    let info = sandbox.info("more.onca", 0);
    assert_eq!(info["counts"]["states"], 2 + 2 + 2);
    assert_eq!(info["changes"].as_array().map(Vec::len), Some(2));
}

#[test]
fn what_cannot_be_joined_is_said() {
    let sandbox = Sandbox::new();
    sandbox.write("a.paje", first());
    sandbox.write("b.paje", second());
    sandbox.onca(["index", "a.paje", "b.paje"]).expect_reason(2, "--join");
    sandbox.onca(["index", "a.paje", "b.paje", "--join"]).expect_reason(2, "-o");
    index(&sandbox, &["a.paje", "-"]).expect_reason(2, "standard input");
    index(&sandbox, &["a.paje", "gone.paje"]).expect_reason(2, "gone.paje");
    index(&sandbox, &["a.paje", "b.paje", "--offset", "c=1"]).expect_reason(2, "a.paje, b.paje");
    index(&sandbox, &["a.paje", "--offset", "a.paje=99999999999"]).expect_reason(2, "too large");
    index(&sandbox, &["a.paje", "--rate", "a.paje=99999999999"]).expect_reason(2, "does not fit");
    sandbox.onca(["index", "a.paje", "--offset", "a.paje=1"]).expect_reason(2, "--join");
    sandbox.write("bad.json", r#"{"schema": "onca-join/1", "sources": [{"file": "a"}]}"#);
    let file = ["index", "--join-file", "bad.json", "-o", "all.onca"];
    sandbox.onca(file).expect_reason(2, "bad.json");
    assert!(!sandbox.path("all.onca").exists());
}
