//! `onca query` as a program: arguments, formats, files, exit statuses; and the document that
//! describes it.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use onca_testkit::fixtures;
use onca_testkit::sandbox::Sandbox;
use onca_testkit::viewing::signal;

fn small() -> Sandbox {
    let sandbox = Sandbox::new();
    let body = "12 0 S a run\n12 1 S a wait\n12 4 S a run\n18 2 E b hello\n8 5 P a\n8 5 P b\n";
    sandbox.write("t.paje", fixtures::trace(body));
    sandbox
}

const TOTALS: &str =
    "SELECT value, sum(duration_ticks) AS ticks FROM states GROUP BY value ORDER BY value";

#[test]
fn answers_come_in_all_formats() {
    let sandbox = small();
    let ask = |format: &str| {
        sandbox.onca(["query", "t.paje", TOTALS, "--format", format]).expect(0).out()
    };
    assert_eq!(
        ask("table"),
        "value       ticks\n-----  ----------\nrun    2000000000\nwait   3000000000\n"
    );
    assert_eq!(ask("csv"), "value,ticks\r\nrun,2000000000\r\nwait,3000000000\r\n");
    assert_eq!(
        ask("ndjson"),
        "{\"value\": \"run\", \"ticks\": 2000000000}\n{\"value\": \"wait\", \"ticks\": 3000000000}\n"
    );
    let json = sandbox.onca(["query", "t.paje", TOTALS, "--format", "json"]).expect(0).json();
    assert_eq!(json["rows"][1], serde_json::json!(["wait", 3_000_000_000_i64]));
    assert_eq!(json["schema"], "onca-query/1");
    let parquet = sandbox.onca(["query", "t.paje", TOTALS, "--format", "parquet"]).expect(0);
    assert!(parquet.stdout.starts_with(b"PAR1") && parquet.stdout.ends_with(b"PAR1"));
}

#[test]
fn files_are_replaced_when_they_are_complete() {
    let sandbox = small();
    sandbox.onca(["query", "t.paje", TOTALS, "-o", "a.csv"]).expect(0);
    assert_eq!(sandbox.read("a.csv"), b"value,ticks\r\nrun,2000000000\r\nwait,3000000000\r\n");
    for (name, start) in [
        ("a.json", "{\"schema\""),
        ("a.jsonl", "{\"value\""),
        ("a.parquet", "PAR1"),
        ("a.txt", "value"),
    ] {
        sandbox.onca(["query", "t.paje", TOTALS, "-o", name]).expect(0);
        assert!(sandbox.read(name).starts_with(start.as_bytes()), "{name}");
    }
    // A query that fails leaves the old file, and nothing else.
    sandbox.onca(["query", "t.paje", "SELECT nothing FROM states", "-o", "a.csv"]).expect(2);
    sandbox
        .onca(["query", "t.paje", "SELECT 1 / (depth - depth) FROM states", "-o", "a.csv"])
        .expect(2);
    assert_eq!(sandbox.read("a.csv"), b"value,ticks\r\nrun,2000000000\r\nwait,3000000000\r\n");
    sandbox.expect_only(&[
        "a.csv",
        "a.json",
        "a.jsonl",
        "a.parquet",
        "a.txt",
        "t.paje",
        "t.paje.onca",
    ]);
    let failed = sandbox.onca(["query", "t.paje", TOTALS, "-o", "no/such/folder.csv"]).expect(2);
    assert!(failed.err().contains("no/such/folder.csv"), "{}", failed.err());
}

#[test]
fn queries_come_from_files_and_standard_input() {
    let sandbox = small();
    sandbox.write("q.sql", "-- the events\nSELECT container, value\nFROM events;\n");
    let expected = "container  value\n---------  -----\nB          hello\n";
    let from_file = sandbox.onca(["query", "t.paje", "--file", "q.sql"]).expect(0);
    assert_eq!(from_file.out(), expected);
    let query = sandbox.read("q.sql");
    assert_eq!(sandbox.onca_reading(&query, &["query", "t.paje", "-"]).expect(0).out(), expected);
    let trace = sandbox.read("t.paje");
    let sql = "SELECT container, value FROM events";
    assert_eq!(sandbox.onca_reading(&trace, &["query", "-", sql]).expect(0).out(), expected);
    let both = sandbox.onca_reading(&trace, &["query", "-", "-"]).expect(2);
    assert!(both.err().contains("standard input"), "{}", both.err());
    assert!(
        sandbox.onca(["query", "t.paje", "--file", "no.sql"]).expect(2).err().contains("no.sql")
    );
    sandbox.onca(["query", "t.paje"]).expect(2);
}

#[test]
fn the_tables_are_listed() {
    let sandbox = small();
    let tables = sandbox.onca(["query", "t.paje", "--tables"]).expect(0).out();
    let names: Vec<&str> =
        tables.lines().filter(|line| !line.starts_with(' ') && !line.is_empty()).collect();
    assert_eq!(
        names,
        [
            "containers",
            "types",
            "states",
            "links",
            "events",
            "variables",
            "type_values",
            "diagnostics",
            "findings",
            "waits"
        ]
    );
    let help = sandbox.onca(["query", "--help"]).expect(0).out();
    let is_between = |letter: char| !letter.is_alphanumeric() && letter != '_';
    let words: Vec<&str> = help.split(is_between).collect();
    let untold: Vec<_> = names.iter().filter(|name| !words.contains(name)).collect();
    assert!(untold.is_empty(), "{untold:?} in {help}");
    assert!(tables.contains("  duration_ticks   Int64\n"), "{tables}");
    assert!(tables.contains("  parent_value     Utf8 or NULL\n"), "{tables}");
}

#[test]
fn limits_end_with_three() {
    let sandbox = small();
    let cut =
        sandbox.onca(["query", "t.paje", TOTALS, "--max-rows", "1", "--format", "csv"]).expect(3);
    assert_eq!(cut.out(), "value,ticks\r\nrun,2000000000\r\n");
    assert!(cut.err().contains("more than 1 row"), "{}", cut.err());
    sandbox.onca(["query", "t.paje", TOTALS, "--max-rows", "2"]).expect(0);
    sandbox.onca(["query", "t.paje", TOTALS, "--max-rows", "1", "-o", "cut.csv"]).expect(3);
    assert_eq!(sandbox.read("cut.csv"), b"value,ticks\r\nrun,2000000000\r\n");
    let endless = "SELECT count(*) FROM generate_series(1, 10000000000000) WHERE value % 7 = 8";
    let slow = sandbox.onca(["query", "t.paje", endless, "--timeout", "0.2"]).expect(3);
    assert!(slow.err().contains("0.2 s"), "{}", slow.err());
    sandbox.onca(["query", "t.paje", TOTALS, "--timeout", "soon"]).expect(2);
    let large = "SELECT DISTINCT value * 3 FROM generate_series(1, 20000000)";
    let large = sandbox.onca(["query", "t.paje", large, "--memory", "16M"]).expect(3);
    assert!(large.err().contains("memory"), "{}", large.err());
}

#[test]
fn what_exhausts_memory_or_stack_ends_with_a_line_and_not_with_a_signal() {
    let sandbox = small();
    let chain = format!("SELECT 1{}", " + 1".repeat(20_000));
    let nested = format!("SELECT {}1{}", "(".repeat(20_000), ")".repeat(20_000));
    let long = format!("SELECT '{}'", "x".repeat(6 << 20));
    let digest = "SELECT approx_percentile_cont(0.5, 2000000000) WITHIN GROUP (ORDER BY t_start) \
                  FROM states";
    for (sql, code, part) in [
        (chain.as_str(), 2, "too long here"),
        (&nested, 2, "nested too deeply"),
        (&long, 2, "longer than 262144 bytes"),
        (digest, 3, "more memory"),
    ] {
        sandbox.write("q.sql", sql);
        let args = ["query", "t.paje", "--file", "q.sql", "--memory", "64M", "-o", "a.csv"];
        let said = sandbox.onca(args).expect(code);
        assert!(said.err().contains(part), "{}", said.err());
        assert_eq!(said.err().lines().count(), 1, "{}", said.err());
    }
    // Nothing is left, not even of a file that was begun.
    sandbox.expect_only(&["q.sql", "t.paje", "t.paje.onca"]);
}

#[test]
fn wrong_queries_end_with_two() {
    let sandbox = small();
    for (sql, parts) in [
        ("SELECT valu FROM states", ["line 1, column 8", "value"]),
        ("SELECT * FROM stat", ["line 1, column 15", "states"]),
        ("DROP TABLE states", ["DROP", "SELECT"]),
        ("COPY states TO 'x.csv'", ["COPY", "SELECT"]),
    ] {
        let said = sandbox.onca(["query", "t.paje", sql]).expect(2);
        assert_eq!(said.out(), "");
        for part in parts {
            assert!(said.err().contains(part), "{sql}: {}", said.err());
        }
        assert_eq!(said.err().lines().count(), 1, "{}", said.err());
    }
    sandbox.expect_only(&["t.paje", "t.paje.onca"]);
}

#[test]
fn a_trace_that_lost_records_ends_with_one() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", fixtures::trace("12 0 S a run\n12 1 S nobody run\n"));
    let said = sandbox.onca([
        "query",
        "t.paje",
        "SELECT code FROM diagnostics WHERE severity = 'error'",
        "--format",
        "csv",
    ]);
    let said = said.expect(1);
    assert_eq!(said.out(), "code\r\nunknown-container\r\n");
    assert!(said.err().contains("1 record lost"), "{}", said.err());
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let sandbox = small();
    let sql = "SELECT value FROM generate_series(1, 5000000)";
    let mut command = sandbox.command();
    command.args(["query", "t.paje", sql, "--format", "csv"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a run");
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    reader.read_line(&mut line).expect("a line");
    assert_eq!(line, "value\r\n");
    drop(reader);
    let ended = child.wait_with_output().expect("an end");
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
}

#[test]
fn an_interrupted_query_leaves_nothing() {
    let sandbox = small();
    sandbox.onca(["info", "t.paje"]).expect(0);
    let endless = "SELECT value FROM generate_series(1, 10000000000000) WHERE value % 7 < 8";
    let mut command = sandbox.command();
    command.args(["query", "t.paje", endless, "-o", "a.csv"]);
    let child = command.stderr(Stdio::piped()).spawn().expect("a run");
    // The temporary file tells that the query runs.
    let started = || sandbox.names(&sandbox.work()).iter().any(|name| name.ends_with(".tmp"));
    while !started() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    std::thread::sleep(std::time::Duration::from_millis(200));
    signal("INT", child.id());
    let ended = child.wait_with_output().expect("an end");
    assert_eq!(ended.status.code(), Some(130));
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "error: interrupted\n");
    sandbox.expect_only(&["t.paje", "t.paje.onca"]);
}

/// The code blocks of a document: language and text.
fn blocks(document: &str) -> Vec<(&str, String)> {
    let mut blocks = Vec::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((language, text.join("\n") + "\n"));
        }
    }
    blocks
}

#[test]
fn the_examples_of_the_document_are_right() {
    let sandbox = Sandbox::new();
    sandbox.onca(["demo", "--no-open", "-o", "demo.paje"]).expect(0);
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sql.md");
    let document = std::fs::read_to_string(document).expect("the document");
    let blocks = blocks(&document);
    let mut n_examples = 0;
    for pair in blocks.windows(2).filter(|pair| pair[0].0 == "sql") {
        let (sql, (language, shown)) = (&pair[0].1, &pair[1]);
        assert_eq!(*language, "", "an answer follows\n{sql}");
        let answer = sandbox.onca(["query", "demo.paje", sql]).expect(0).out();
        assert_eq!(answer, *shown, "{sql}");
        n_examples += 1;
    }
    assert!(n_examples >= 10, "{n_examples} examples");
}
