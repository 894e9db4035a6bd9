//! What a cluster answers is what one machine answers.

use std::fs;

use onca_sql::SqlError;
use onca_testkit::{fixtures, random};

use crate::cluster::Cluster;
use crate::sets::{Sample, answer, database, examples, expect_same, right_answer};

/// Files so small that every executor gets some of each table.
const FILE_BYTES: u64 = 1 << 16;

const TOTALS: &str =
    "SELECT value, sum(duration_ticks) AS ticks FROM states GROUP BY value ORDER BY value";

fn small() -> Sample {
    let body = "12 0 S a run\n12 1 S a wait\n12 4 S b run\n18 2 E b hello\n8 5 P a\n8 5 P b\n";
    Sample::of(fixtures::trace(body).as_bytes())
}

/// A cluster, and below it the data set `set` of a small trace.
fn with_small() -> Cluster {
    let cluster = Cluster::local(2);
    small().write(&cluster.path("set"), 2, u64::MAX);
    cluster
}

#[test]
fn the_examples_of_the_document_are_answered_alike_by_1_2_and_4_executors() {
    let (sample, examples) = (Sample::demo(), examples());
    assert!(examples.len() >= 12, "{} examples", examples.len());
    for executors in [1, 2, 4] {
        let cluster = Cluster::local(executors);
        sample.write(&cluster.path("demo.set"), 3, FILE_BYTES);
        let one = database(&cluster.path("demo.set"));
        for sql in &examples {
            let found = cluster.answer("demo.set", sql);
            expect_same(&found, &right_answer(&one, sql), &format!("{executors}: {sql}"));
        }
    }
}

#[test]
fn every_table_and_function_is_that_of_one_machine() {
    let cluster = Cluster::local(2);
    for seed in 0..3 {
        let name = format!("set-{seed}");
        Sample::of(&random::trace(seed)).write(&cluster.path(&name), 3, 4096);
        let one = database(&cluster.path(&name));
        let tables = one.tables().into_iter().map(|table| format!("SELECT * FROM {}", table.name));
        let functions = [
            "SELECT id, name(id), path(id), ancestor(id, 1), ancestor(id, 0) FROM containers",
            "SELECT name(99999), path(-1), ancestor(NULL, 1)",
            "SELECT path(container_id) AS path, count(*) FROM states GROUP BY path",
            "SELECT container_id FROM states WHERE path(container_id) LIKE '/%'",
            "SELECT value, sum(overlap(tick_start, tick_end, 1, 1000000000)) AS ticks
             FROM states GROUP BY value",
            "SELECT overlap(0.0, 2.0, 1.0, 5.0), overlap(3, 2, 0, 9)",
            "SELECT * FROM slice('0%', '100%')",
            "SELECT value, sum(ticks) FROM slice('20%', '70%') GROUP BY value",
            "SELECT * FROM slice('20%', '21%', 1)",
            "SELECT a.id, b.path FROM containers a JOIN containers b ON a.parent_id = b.id",
        ];
        for sql in tables.chain(functions.map(str::to_owned)) {
            match answer(&one, &sql) {
                Ok(expected) => expect_same(&cluster.answer(&name, &sql), &expected, &sql),
                // Traces without time have no window.
                Err(SqlError::Invalid(why)) => {
                    let said = cluster.query(&name, &sql, &[]).expect(2).err();
                    assert!(said.contains(&why), "{seed} {sql}: {said}, not {why}");
                }
                Err(error) => panic!("{sql}: {error}"),
            }
        }
    }
}

#[test]
fn a_folder_of_runs_is_one_table() {
    let cluster = Cluster::local(2);
    let runs = cluster.path("runs");
    fs::create_dir(&runs).expect("a folder");
    small().write(&runs.join("a run"), 1, u64::MAX);
    Sample::run(8, 2_000, 1).write(&runs.join("b"), 2, 4096);
    let one = database(&runs);
    for sql in [
        "SELECT run, count(*) AS n FROM states GROUP BY run ORDER BY run",
        "SELECT run, value, sum(exclusive_ticks) AS ticks FROM states GROUP BY run, value",
        "SELECT name(run, id), path(run, id), ancestor(run, id, 1) FROM containers",
        "SELECT name('nobody', 1), path('b', 99999)",
        "SELECT run, container_id, value, ticks, mean_share FROM slice(0, 5)",
        "SELECT count(*) FROM links WHERE run = 'b'",
        "SELECT a.run AS one, b.run AS other, count(*) AS n FROM types a
         JOIN types b ON a.name = b.name GROUP BY a.run, b.run",
    ] {
        expect_same(&cluster.answer("runs", sql), &right_answer(&one, sql), sql);
    }
    let said = cluster.query("runs", "SELECT name(id) FROM containers", &[]).expect(2).err();
    assert!(said.contains("there are several runs"), "{said}");
}

#[test]
fn an_empty_answer_has_its_columns() {
    let cluster = with_small();
    let one = database(&cluster.path("set"));
    for sql in [
        "SELECT container, value, t_start FROM states WHERE tick_start < -5",
        "SELECT value, sum(duration_ticks) AS ticks FROM states WHERE depth > 99 GROUP BY value",
        "SELECT * FROM links",
        "SELECT count(*) AS n, sum(size) AS bytes FROM links",
    ] {
        expect_same(&cluster.answer("set", sql), &right_answer(&one, sql), sql);
    }
    let nothing = "SELECT value FROM states WHERE depth > 99";
    assert_eq!(cluster.query("set", nothing, &["--format", "csv"]).expect(0).out(), "value\r\n");
}

#[test]
fn answers_come_in_all_formats_and_into_files() {
    let cluster = with_small();
    let csv = "value,ticks\r\nrun,2000000000\r\nwait,4000000000\r\n";
    let ask = |format: &str| cluster.query("set", TOTALS, &["--format", format]).expect(0).out();
    assert_eq!(ask("csv"), csv);
    assert_eq!(
        ask("table"),
        "value       ticks\n-----  ----------\nrun    2000000000\nwait   4000000000\n"
    );
    assert_eq!(
        ask("ndjson"),
        "{\"value\": \"run\", \"ticks\": 2000000000}\n{\"value\": \"wait\", \"ticks\": 4000000000}\n"
    );
    for (name, start) in
        [("a.csv", "value,ticks\r\n"), ("a.json", "{\"schema\""), ("a.parquet", "PAR1")]
    {
        assert_eq!(cluster.query("set", TOTALS, &["-o", name]).expect(0).out(), "");
        assert!(cluster.sandbox.read(name).starts_with(start.as_bytes()), "{name}");
    }
    // A query that fails leaves the old file, and nothing else.
    let names = cluster.sandbox.names(&cluster.sandbox.work());
    for wrong in ["SELECT nothing FROM states", "SELECT 1 / (depth - depth) FROM states"] {
        cluster.query("set", wrong, &["-o", "a.csv"]).expect(2);
    }
    assert_eq!(cluster.sandbox.read("a.csv"), csv.as_bytes());
    assert_eq!(cluster.sandbox.names(&cluster.sandbox.work()), names);
}

#[test]
fn a_query_comes_from_where_it_is_told_to_come_from() {
    let cluster = with_small();
    let expected = cluster.query("set", TOTALS, &[]).expect(0).out();
    let file = cluster.sandbox.write("q.sql", TOTALS);
    let from_file = cluster.run(&["query", "set", "--file", "q.sql"]).expect(0);
    assert_eq!(from_file.out(), expected);
    let mut command = cluster.command(&["query", "set", "-"]);
    command.stdin(fs::File::open(&file).expect("a file"));
    assert_eq!(onca_testkit::sandbox::Run::of(&mut command).expect(0).out(), expected);
    let said = cluster.run(&["query", "set"]).expect(2).err();
    assert!(said.contains("SQL"), "{said}");
    // What the command line says goes before the environment.
    let (scheduler, secret) = (cluster.scheduler.as_str(), cluster.secret.to_str().expect("text"));
    let named = ["query", "set", TOTALS, "--scheduler", scheduler, "--secret", secret];
    let mut command = cluster.command(&named);
    command.env("ONCA_CLUSTER_SCHEDULER", "127.0.0.1:1").env("ONCA_CLUSTER_SECRET", "/nowhere");
    assert_eq!(onca_testkit::sandbox::Run::of(&mut command).expect(0).out(), expected);
    let mut command = cluster.command(&["query", "set", TOTALS]);
    command.env("ONCA_CLUSTER_SCHEDULER", "127.0.0.1:1");
    let said = onca_testkit::sandbox::Run::of(&mut command).expect(2).err();
    assert!(said.contains("127.0.0.1:1"), "{said}");
}

#[test]
fn the_tables_are_listed() {
    let cluster = with_small();
    let tables = cluster.run(&["query", "set", "--tables"]).expect(0).out();
    let found = tables.lines().filter(|line| !line.starts_with(' ') && !line.is_empty());
    let one = database(&cluster.path("set"));
    let expected: Vec<&str> = one.tables().iter().map(|table| table.name).collect();
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert!(tables.contains("exclusive_ticks"), "{tables}");
}

#[test]
fn wrong_queries_are_told_with_their_place() {
    let cluster = with_small();
    let one = database(&cluster.path("set"));
    for (sql, part) in [
        ("SELECT value,\n  valu FROM states", "line 2, column 3"),
        ("SELECT * FROM stat", "line 1, column 15"),
        ("SELECT * FROM findings", "need the store"),
        ("SELECT * FROM slice(4, 2)", ""),
        ("SELECT ancestor(id, 'no such type') FROM containers", ""),
    ] {
        let Err(SqlError::Invalid(why)) = answer(&one, sql) else { panic!("{sql} has an answer") };
        let said = cluster.query("set", sql, &[]).expect(2);
        assert_eq!(said.out(), "");
        assert!(said.err().contains(&why) && why.contains(part), "{sql}: {}", said.err());
        assert_eq!(said.err().lines().count(), 1, "{}", said.err());
    }
}

#[test]
fn limits_end_with_three() {
    let cluster = with_small();
    let cut = cluster.query("set", TOTALS, &["--max-rows", "1", "--format", "csv"]).expect(3);
    assert_eq!(cut.out(), "value,ticks\r\nrun,2000000000\r\n");
    assert!(cut.err().contains("more than 1 row"), "{}", cut.err());
    cluster.query("set", TOTALS, &["--max-rows", "2"]).expect(0);
    cluster.query("set", TOTALS, &["--max-rows", "1", "-o", "cut.csv"]).expect(3);
    assert_eq!(cluster.sandbox.read("cut.csv"), b"value,ticks\r\nrun,2000000000\r\n");
    let endless = "SELECT count(*) FROM generate_series(1, 10000000000000) WHERE value % 7 = 8";
    let slow = cluster.query("set", endless, &["--timeout", "0.5"]).expect(3);
    assert!(slow.err().contains("0.5 s"), "{}", slow.err());
    // It does not run on: the two cores are free for the next query.
    for _ in 0..3 {
        cluster.query("set", endless, &["--timeout", "0.5"]).expect(3);
    }
    cluster.query("set", TOTALS, &["--timeout", "120"]).expect(0);
}

#[test]
fn lost_records_are_an_exit_status() {
    let cluster = Cluster::local(1);
    let sample = Sample::of(fixtures::trace("12 0 S a run\n12 1 S nobody run\n").as_bytes());
    sample.write(&cluster.path("set"), 1, u64::MAX);
    cluster.query("set", TOTALS, &[]).expect(1);
}
