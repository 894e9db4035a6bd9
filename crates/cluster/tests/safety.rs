//! Who may ask, what may be asked, and of what.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use onca_testkit::sandbox::{Run, Sandbox};
use rustix::process::Signal;
use serde_json::Value;

use crate::cluster::{Cluster, make_secret, program};
use crate::process::PATIENCE;
use crate::sets::{Sample, database, expect_same, right_answer};
use crate::strangers::children_of;

const COUNT: &str = "SELECT count(*) AS n, sum(duration_ticks) AS ticks FROM states";

#[test]
fn a_secret_is_for_its_owner_alone() {
    let sandbox = Sandbox::new();
    let secret = make_secret(&sandbox, "secret");
    let mode = fs::metadata(&secret).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let text = fs::read_to_string(&secret).expect("text");
    let digits = text.trim_end();
    assert!(digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()), "{text:?}");
    assert_ne!(fs::read_to_string(make_secret(&sandbox, "other")).expect("text"), text);
    let again = Run::of(program(&sandbox).arg("secret").arg(&secret));
    again.expect_reason(2, "secret");
    assert_eq!(fs::read_to_string(&secret).expect("text"), text);
    Sample::run(8, 2_000, 1).write(&sandbox.path("set"), 1, u64::MAX);
    for wrong in [0o644, 0o640, 0o604, 0o620, 0o602] {
        fs::set_permissions(&secret, fs::Permissions::from_mode(wrong)).expect("a mode");
        for args in [
            ["scheduler", "--bind", "127.0.0.1:0"].as_slice(),
            &["executor", "--scheduler", "127.0.0.1:1"],
            &["local"],
            &["query", "set", COUNT, "--scheduler", "127.0.0.1:1"],
            &["cube", "set", "-o", "cube.json", "--scheduler", "127.0.0.1:1"],
        ] {
            let said = Run::of(program(&sandbox).args(args).arg("--secret").arg(&secret));
            let said = said.expect(2).err();
            assert!(said.contains(&*secret.to_string_lossy()), "{wrong:o} {args:?}: {said}");
        }
    }
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).expect("a mode");
    for text in
        ["", "short\n", "not of hexadecimal digits, although it is long enough for a secret\n"]
    {
        fs::write(&secret, text).expect("written");
        let mut command = program(&sandbox);
        command.args(["scheduler", "--bind", "127.0.0.1:0", "--secret"]).arg(&secret);
        Run::of(&mut command).expect_reason(2, "secret");
    }
}

#[test]
fn who_has_another_secret_is_refused() {
    let cluster = Cluster::apart(1);
    Sample::run(8, 2_000, 1).write(&cluster.path("set"), 1, u64::MAX);
    let other = make_secret(&cluster.sandbox, "other");
    let with_other = ["--secret", other.to_str().expect("text")];
    let refused = cluster.query("set", COUNT, &with_other).expect(2);
    assert_eq!(refused.out(), "");
    assert!(refused.err().contains("secret"), "{}", refused.err());
    assert!(refused.err().contains(&cluster.scheduler), "{}", refused.err());
    let own = fs::read_to_string(&cluster.secret).expect("text");
    assert!(!refused.err().contains(own.trim_end()), "{}", refused.err());

    let mut executor = cluster.executor_with(&other);
    assert_eq!(executor.end().code(), Some(2), "{}", executor.said());
    assert!(executor.said().contains("secret"), "{}", executor.said());
    assert_eq!(executor.more_lines(), [""; 0]);
    cluster.query("set", COUNT, &[]).expect(0);
    // No secret reaches a command line, where everybody would see it.
    for id in [cluster.first.id(), cluster.executors[0].process.id()] {
        let words = fs::read(format!("/proc/{id}/cmdline")).expect("a command line");
        assert!(!String::from_utf8_lossy(&words).contains(own.trim_end()));
    }
}

#[test]
fn without_a_secret_or_a_scheduler_a_client_says_what_it_needs() {
    let cluster = Cluster::apart(1);
    Sample::run(8, 2_000, 1).write(&cluster.path("set"), 1, u64::MAX);
    for (name, part) in
        [("ONCA_CLUSTER_SECRET", "--secret"), ("ONCA_CLUSTER_SCHEDULER", "--scheduler")]
    {
        let mut command = cluster.command(&["query", "set", COUNT]);
        let said = Run::of(command.env_remove(name)).expect(2).err();
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn a_trace_is_no_data_set() {
    let cluster = Cluster::apart(1);
    cluster.sandbox.write("run.paje", "%EventDef PajeSetState 1\n%EndEventDef\n");
    let said = cluster.query("run.paje", COUNT, &[]).expect(2).err();
    assert!(said.contains("run.paje") && said.contains("onca-cluster export"), "{said}");
}

#[test]
fn nothing_but_the_tables_can_be_reached() {
    let cluster = Cluster::local(1);
    Sample::run(8, 2_000, 1).write(&cluster.path("set"), 1, u64::MAX);
    let names = cluster.sandbox.names(&cluster.sandbox.work());
    let file = a_file(&cluster.path("set"), "states").display().to_string();
    for sql in [
        "SELECT * FROM '/etc/passwd'".to_owned(),
        "SELECT * FROM \"/etc/passwd\"".to_owned(),
        "SELECT * FROM \"file:///etc/passwd\"".to_owned(),
        format!("SELECT * FROM '{file}'"),
        format!("SELECT * FROM read_parquet('{file}')"),
        format!("SELECT * FROM parquet_metadata('{file}')"),
        format!("CREATE EXTERNAL TABLE t STORED AS PARQUET LOCATION '{file}'"),
        "CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '/etc/passwd'".to_owned(),
        "CREATE TABLE t AS SELECT * FROM states".to_owned(),
        "COPY states TO 'x.parquet'".to_owned(),
        "COPY (SELECT 1) TO '/tmp/onca-x.csv'".to_owned(),
        "INSERT INTO states SELECT * FROM states".to_owned(),
        "DROP TABLE states".to_owned(),
        "SET datafusion.execution.parquet.pruning = false".to_owned(),
        "SET ballista.job.name = 'x'".to_owned(),
        format!("SELECT 1{}", " + 1".repeat(20_000)),
        format!("SELECT {}1{}", "(".repeat(20_000), ")".repeat(20_000)),
    ] {
        cluster.sandbox.write("q.sql", &sql);
        let said = cluster.run(&["query", "set", "--file", "q.sql"]).expect(2);
        let sql: String = sql.chars().take(60).collect();
        assert_eq!(said.out(), "", "{sql}");
        assert!(!said.err().contains("root:"), "{sql}: {}", said.err());
        assert_eq!(said.err().lines().count(), 1, "{sql}: {}", said.err());
    }
    fs::remove_file(cluster.path("q.sql")).expect("removed");
    assert_eq!(cluster.sandbox.names(&cluster.sandbox.work()), names);
    cluster.query("set", COUNT, &[]).expect(0);
}

/// A file of a table of a data set.
fn a_file(dir: &Path, table: &str) -> PathBuf {
    let entries = fs::read_dir(dir.join(table)).expect("a folder");
    entries.map(|entry| entry.expect("an entry").path()).min().expect("a file")
}

#[test]
fn what_is_not_as_it_was_sealed_is_refused_by_name() {
    let cluster = Cluster::local(1);
    let sample = Sample::run(8, 2_000, 1);
    let dir = cluster.path("set");
    let again = || {
        let _ = fs::remove_dir_all(&dir);
        sample.write(&dir, 2, u64::MAX);
        a_file(&dir, "states")
    };
    let refused = |path: &Path| {
        let said = cluster.query("set", COUNT, &[]).expect(2);
        let name = path.file_name().expect("a name").to_string_lossy();
        assert!(said.out().is_empty() && said.err().contains(&*name), "{name}: {}", said.err());
    };

    let missing = again();
    cluster.query("set", COUNT, &[]).expect(0);
    fs::remove_file(&missing).expect("removed");
    refused(&missing);

    let cut = again();
    let bytes = fs::read(&cut).expect("a file");
    fs::write(&cut, &bytes[..bytes.len() - 1]).expect("written");
    refused(&cut);

    let doubled = again().with_file_name("more.parquet");
    fs::copy(a_file(&dir, "states"), &doubled).expect("copied");
    refused(&doubled);

    // As long as it should be, and of something else.
    let damaged = again();
    let mut bytes = fs::read(&damaged).expect("a file");
    bytes[4..].fill(0xff);
    fs::write(&damaged, &bytes).expect("written");
    refused(&damaged);

    again();
    let manifest = dir.join("manifest.json");
    let text = fs::read_to_string(&manifest).expect("text");
    fs::write(&manifest, text.replace("\"states/", "\"../states/")).expect("written");
    refused(&manifest);

    again();
    fs::remove_file(&manifest).expect("removed");
    let said = cluster.query("set", COUNT, &[]).expect(2).err();
    assert!(said.contains("2 of 2 shards"), "{said}");
    cluster.query("nowhere", COUNT, &[]).expect_reason(2, "nowhere");

    // A part of another trace does not get in.
    let _ = fs::remove_dir_all(&dir);
    let export = |sample: &Sample, shard: &str| {
        let trace = sample.place.to_str().expect("text").to_owned();
        cluster.run(&["export", &trace, "-o", "set", "--shard", shard])
    };
    export(&sample, "1/2").expect(0);
    let foreign = export(&Sample::run(8, 2_000, 2), "2/2").expect(2).err();
    assert!(foreign.contains("1of2.json") && foreign.contains("another trace"), "{foreign}");
}

#[test]
fn a_data_set_that_is_replaced_is_never_mixed_with_the_old_one() {
    let cluster = Cluster::apart(2);
    let dir = cluster.path("set");
    // The same names of files and numbers of rows, and other times.
    let [old, new] = [1, 2].map(|seed| {
        let place = cluster.path(&format!("set-{seed}"));
        Sample::run(16, 20_000, seed).write(&place, 2, 1 << 15);
        place
    });
    let sql =
        "SELECT value, count(*) AS n, sum(duration_ticks) AS ticks FROM states GROUP BY value";
    let right = [&old, &new].map(|place| right_answer(&database(place), sql));
    assert_ne!(right[0]["rows"], right[1]["rows"]);
    // One after the other: executors that have read the old one must see the new one.
    let swap = |from: &Path, to: &Path| {
        fs::rename(&dir, from).expect("moved away");
        fs::rename(to, &dir).expect("moved here");
    };
    fs::rename(&old, &dir).expect("moved here");
    for turn in 0..4 {
        let run = cluster.query("set", sql, &["--format", "json"]);
        if run.code == 0 {
            expect_same(&run.json(), &right[turn % 2], &format!("turn {turn}: {sql}"));
        } else {
            assert!(run.expect(2).err().contains("set"));
        }
        if turn % 2 == 0 { swap(&old, &new) } else { swap(&new, &old) }
    }
    // And in the middle of queries.
    let started = Instant::now();
    cluster.query("set", sql, &[]).expect(0);
    let takes = started.elapsed();
    for turn in 0..8_u32 {
        let client = cluster.start_query("set", sql);
        std::thread::sleep(takes.mul_f64(f64::from(turn) / 8.0));
        if turn % 2 == 0 {
            swap(&old, &new)
        } else {
            swap(&new, &old)
        }
        let run = client.end();
        if run.code != 0 {
            assert_eq!(run.code, 2, "{}", run.err());
            continue;
        }
        let found = run.json();
        let known = right.iter().find(|right| total(right) == total(&found));
        expect_same(&found, known.unwrap_or_else(|| panic!("turn {turn}: {found}")), sql);
    }
}

/// The sum of the third column.
fn total(answer: &Value) -> i64 {
    let rows = answer["rows"].as_array().expect("rows").iter();
    rows.map(|row| row[2].as_i64().expect("ticks")).sum()
}

#[test]
fn all_end_with_the_command_that_started_them() {
    let mut cluster = Cluster::local(2);
    Sample::run(8, 2_000, 1).write(&cluster.path("set"), 1, u64::MAX);
    let started = children_of(cluster.first.id());
    assert!(started.len() >= 3, "{started:?}");
    cluster.first.signal(Signal::INT);
    let status = cluster.first.end();
    assert!(matches!(status.code(), Some(0 | 130)), "{status}: {}", cluster.first.said());
    let until = Instant::now() + PATIENCE;
    let is_there = |id: &u32| {
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        !status.is_empty() && !status.contains("State:\tZ")
    };
    while started.iter().any(is_there) {
        assert!(Instant::now() < until, "some of {started:?} are still there");
        std::thread::sleep(Duration::from_millis(50));
    }
    let said = cluster.query("set", COUNT, &[]).expect(2);
    assert_eq!(said.out(), "");
}
