//! Only queries are answered, whatever is tried.

use std::time::Duration;

use crate::support::{Sample, int, runtime};
use onca_sql::{Limits, SqlError};
use onca_testkit::fixtures;

const HOSTILE: &[&str] = &[
    // Data definition.
    "CREATE TABLE t (a INT)",
    "CREATE TABLE t AS SELECT * FROM states",
    "CREATE OR REPLACE TABLE states AS SELECT 1",
    "CREATE VIEW v AS SELECT 1",
    "CREATE SCHEMA s",
    "CREATE DATABASE d",
    "CREATE INDEX i ON states (value)",
    "CREATE FUNCTION f(BIGINT) RETURNS BIGINT RETURN $1 + 1",
    "CREATE UNBOUNDED EXTERNAL TABLE e (a INT) STORED AS CSV LOCATION 'SECRET'",
    "CREATE EXTERNAL TABLE e STORED AS CSV LOCATION 'SECRET'",
    "CREATE EXTERNAL TABLE e (a INT) STORED AS CSV LOCATION '/etc/passwd'",
    "CREATE EXTERNAL TABLE e STORED AS PARQUET LOCATION 's3://bucket/key'",
    "CREATE EXTERNAL TABLE e STORED AS JSON LOCATION 'http://127.0.0.1:1/'",
    "DROP TABLE states",
    "DROP TABLE IF EXISTS states",
    "DROP VIEW states",
    "DROP SCHEMA trace CASCADE",
    "DROP FUNCTION overlap",
    "ALTER TABLE states ADD COLUMN a INT",
    "TRUNCATE TABLE states",
    // Data manipulation.
    "INSERT INTO states VALUES (1)",
    "INSERT INTO states SELECT * FROM states",
    "INSERT OVERWRITE states SELECT * FROM states",
    "UPDATE states SET value = 'x'",
    "DELETE FROM states",
    "MERGE INTO states USING links ON 1 = 1 WHEN MATCHED THEN DELETE",
    "WITH x AS (INSERT INTO states VALUES (1) RETURNING *) SELECT * FROM x",
    "WITH x AS (DELETE FROM states) SELECT 1",
    "SELECT 1 INTO t",
    "SELECT * INTO OUTFILE 'TARGET' FROM states",
    // Files and networks.
    "COPY states TO 'TARGET'",
    "COPY states TO 'TARGET' STORED AS CSV",
    "COPY (SELECT 1) TO 'TARGET.parquet'",
    "COPY states FROM 'SECRET'",
    "COPY states TO STDOUT",
    "SELECT * FROM 'SECRET'",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM \"/etc/passwd\"",
    "SELECT * FROM 'http://127.0.0.1:1/a.parquet'",
    "SELECT * FROM 's3://bucket/a.parquet'",
    "SELECT * FROM read_csv('SECRET')",
    "SELECT * FROM read_parquet('SECRET')",
    "SELECT * FROM read_json('SECRET')",
    "SELECT * FROM parquet_metadata('SECRET')",
    "SELECT * FROM arrow_file('SECRET')",
    "SELECT load_file('SECRET')",
    "SELECT pg_read_file('SECRET')",
    "SELECT input_file_name() FROM states",
    "LOAD DATA INPATH 'SECRET' INTO TABLE states",
    "LOAD 'httpfs'",
    "INSTALL httpfs",
    "ATTACH 'SECRET' AS other",
    "DETACH onca",
    "UNLOAD (SELECT 1) TO 'TARGET'",
    "EXPORT DATABASE 'TARGET'",
    // Settings, sessions, statements that are kept.
    "SET datafusion.execution.batch_size = 1",
    "SET ROLE admin",
    "RESET datafusion.execution.batch_size",
    "PRAGMA database_list",
    "USE other",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "DEALLOCATE p",
    "BEGIN",
    "START TRANSACTION",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT s",
    "GRANT ALL ON states TO PUBLIC",
    "REVOKE ALL ON states FROM PUBLIC",
    "KILL 1",
    "VACUUM",
    "ANALYZE TABLE states COMPUTE STATISTICS",
    "LOCK TABLES states WRITE",
    "CALL system()",
    "DECLARE c CURSOR FOR SELECT 1",
    "FETCH 1 FROM c",
    "SHOW ALL",
    "SHOW CREATE TABLE states",
    "SHOW datafusion.execution.batch_size",
    // Through EXPLAIN, and one after the other.
    "EXPLAIN CREATE TABLE t (a INT)",
    "EXPLAIN COPY states TO 'TARGET'",
    "EXPLAIN ANALYZE COPY states TO 'TARGET'",
    "EXPLAIN ANALYZE INSERT INTO states VALUES (1)",
    "EXPLAIN EXPLAIN DROP TABLE states",
    "SELECT 1; DROP TABLE states",
    "SELECT 1; SELECT 2",
    ";;",
    "",
    "-- nothing",
    // What would take all memory or time while it is planned.
    "SELECT repeat('x', 2000000000)",
    "SELECT lpad('x', 2000000000, 'y')",
    "SELECT array_repeat(1, 2000000000)",
    "SELECT range(0, 2000000000)",
    "SELECT array_resize([1], 2000000000)",
];

#[test]
fn hostile_statements_are_refused() {
    let sample = Sample::of(fixtures::trace("12 1 S a v\n").as_bytes());
    let folder = tempfile::tempdir().expect("a folder");
    let (secret, target) = (folder.path().join("secret.csv"), folder.path().join("target"));
    std::fs::write(&secret, "hidden\nhidden\n").expect("a file");
    let read_at = || std::fs::metadata(&secret).and_then(|file| file.accessed()).expect("a time");
    let before = read_at();
    assert!(HOSTILE.len() >= 60);
    for statement in HOSTILE {
        let sql = statement
            .replace("SECRET", &secret.display().to_string())
            .replace("TARGET", &target.display().to_string());
        let message = sample.refusal(&sql);
        assert!(message.len() > 10 && message.lines().count() == 1, "{sql}: {message:?}");
        assert!(!message.contains("hidden"), "{sql}: {message}");
        assert!(!message.contains("cannot do this"), "{sql}: a guess is not a refusal: {message}");
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "something was written: {left:?}");
    assert_eq!(read_at(), before, "the file was read");
    assert_eq!(sample.ask("SELECT count(*) FROM states"), [[int(1)]]);
}

#[test]
fn nesting_without_end_is_refused() {
    let sample = Sample::of(fixtures::trace("").as_bytes());
    let deep = |open: &str, inner: &str, close: &str, n: usize| {
        format!("SELECT {}{inner}{}", open.repeat(n), close.repeat(n))
    };
    for n in [100, 5_000, 50_000] {
        for sql in [
            deep("(", "1", ")", n),
            deep("-", "1", "", n),
            deep("NOT ", "true", "", n),
            deep("[", "1", "]", n),
            deep("CASE WHEN true THEN ", "1", " END", n),
            format!("{}SELECT 1{}", "SELECT * FROM (".repeat(n), ")".repeat(n)),
        ] {
            match sample.try_ask(&sql, &Limits::default()) {
                Ok(_) | Err(SqlError::Invalid(_)) => {}
                other => panic!("{n} times {}: {other:?}", &sql[..20]),
            }
        }
    }
}

#[test]
fn large_queries_are_answered_up_to_the_limit_and_refused_with_the_place_beyond_it() {
    let sample = Sample::of(fixtures::trace("12 1 S a v\n").as_bytes());
    let list = |n: usize| format!("SELECT 1 IN ({}1)", "2,".repeat(n));
    let branches = "WHEN 7 THEN 8 ".repeat(300);
    for sql in [
        list(50_000),
        format!("SELECT 1{}", " + 1".repeat(900)),
        format!("SELECT true{}", " AND depth = 0".repeat(450)),
        format!("SELECT CASE 1 {branches} END"),
        format!("SELECT {}1{}", "(".repeat(50), ")".repeat(50)),
        format!("SELECT {}1", "- ".repeat(50)),
    ] {
        let sql = if sql.contains("depth") { sql + " FROM states" } else { sql };
        assert!(!sample.ask(&sql).is_empty(), "{}", &sql[..40]);
    }
    for (sql, place) in [
        (format!("SELECT 1{}", " + 1".repeat(1_000)), "line 1, column 4006: "),
        (format!("SELECT\n  1{}", " +\n1".repeat(1_000)), "line 1001, column 3: "),
        (format!("SELECT {}1{}", "(".repeat(51), ")".repeat(51)), "line 1, column 58: "),
        (format!("SELECT {}1", "- ".repeat(51)), "line 1, column 108: "),
        (format!("SELECT 1 FROM states{}", ", states".repeat(1_000)), "line 1, column 8005: "),
        (format!("SELECT arrow_cast(1, '{}')", "List(".repeat(60)), "line 1, column 22: "),
    ] {
        let message = sample.refusal(&sql);
        assert!(message.starts_with(place), "{}: {message}", &sql[..40]);
    }
}

#[test]
fn queries_of_all_kinds_are_answered() {
    let sample = Sample::of(fixtures::trace("12 1 S a v\n12 2 S a w\n").as_bytes());
    for sql in [
        "SELECT 1",
        "VALUES (1), (2)",
        "WITH x AS (SELECT * FROM states) SELECT count(*) FROM x",
        "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM n",
        "SELECT * FROM states UNION ALL SELECT * FROM states",
        "SELECT value, row_number() OVER (PARTITION BY value ORDER BY t_start) FROM states",
        "SELECT s.value FROM states s JOIN containers c ON s.container_id = c.id",
        "SELECT * FROM states WHERE container_id IN (SELECT id FROM containers)",
        "SELECT value FROM generate_series(0, 4)",
        "EXPLAIN SELECT * FROM states",
        "EXPLAIN ANALYZE SELECT * FROM states",
        "DESCRIBE states",
        "SHOW TABLES",
        "SHOW COLUMNS FROM states",
        "SELECT table_name FROM information_schema.tables",
        "SELECT 1;",
    ] {
        assert!(!sample.ask(sql).is_empty(), "{sql}");
    }
}

#[test]
fn bad_queries_say_where_and_what_would_be_right() {
    let sample = Sample::of(fixtures::trace("12 1 S a v\n").as_bytes());
    for (sql, parts) in [
        ("SELEC 1", &["line 1, column 1"] as &[_]),
        ("SELECT 1 +", &["Expected"]),
        ("SELECT\n  valu FROM states", &["line 2, column 3", "valu", "value"]),
        ("SELECT * FROM state", &["line 1, column 15", "state", "states"]),
        ("SELECT summ(duration) FROM states", &["summ", "sum"]),
        ("SELECT 'open", &["line 1, column 8"]),
    ] {
        let message = sample.refusal(sql);
        for part in parts {
            assert!(message.contains(part), "{sql}: {part:?} is not in {message:?}");
        }
    }
}

fn long_trace() -> Sample {
    let body: String = (0..20_000).map(|step| format!("12 {step} S a v{step}\n")).collect();
    Sample::of(fixtures::trace(&body).as_bytes())
}

#[test]
fn a_query_that_takes_too_long_is_stopped() {
    let sample = long_trace();
    let limits = Limits { timeout: Some(Duration::from_millis(200)), ..Limits::default() };
    for endless in [
        "SELECT count(*) FROM states a CROSS JOIN states b CROSS JOIN states c WHERE a.depth + b.depth + c.depth > 5",
        "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i FROM n) SELECT count(*) FROM n",
        "SELECT sum(a.value + b.value) FROM generate_series(1, 1000000000) a, generate_series(1, 100000) b",
    ] {
        match sample.try_ask(endless, &limits) {
            Err(SqlError::Limit(message)) => assert!(message.contains("0.2 s"), "{message}"),
            other => panic!("{endless}: {other:?}"),
        }
    }
}

#[test]
fn a_query_that_needs_too_much_memory_is_stopped() {
    let sample = long_trace();
    let limits = Limits { memory: 1 << 20, ..Limits::default() };
    for greedy in [
        "SELECT DISTINCT a.value, b.tick_start FROM states a CROSS JOIN (SELECT * FROM states LIMIT 100) b",
        "SELECT * FROM states a CROSS JOIN (SELECT * FROM states LIMIT 10) b ORDER BY a.value",
    ] {
        match sample.try_ask(greedy, &limits) {
            Err(SqlError::Limit(message)) => assert!(message.contains("memory"), "{message}"),
            other => panic!("{greedy}: {:?}", other.map(|batches| batches.len())),
        }
    }
}

#[test]
fn rows_beyond_the_limit_are_cut_off() {
    let sample = long_trace();
    for (limit, total, cut) in [
        (0, 0, true),
        (1, 1, true),
        (19_999, 19_999, true),
        (20_000, 20_000, false),
        (20_001, 20_000, false),
    ] {
        let limits = Limits { max_rows: Some(limit), ..Limits::default() };
        let (rows, truncated) = runtime().block_on(async {
            let mut answer =
                sample.database.query("SELECT value FROM states", &limits).await.expect("planned");
            let mut rows = 0;
            while let Some(batch) = answer.next().await.expect("rows") {
                assert!(batch.num_rows() > 0);
                rows += batch.num_rows();
            }
            (rows, answer.is_truncated())
        });
        assert_eq!((rows, truncated), (total, cut), "at most {limit} rows");
    }
}
