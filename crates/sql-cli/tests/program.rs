//! `onca` without `onca-sql`, with one of another version, and what it hands over.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use onca_testkit::fixtures;
use onca_testkit::sandbox::{Run, Sandbox, program};
use onca_testkit::viewing::Viewing;

const INSTALL: &str = "cargo install --path crates/sql-cli --locked";

fn small() -> Sandbox {
    let sandbox = Sandbox::new();
    let body = "12 0 S a run\n12 1 S a wait\n12 4 S a run\n18 2 E b hello\n8 5 P a\n8 5 P b\n";
    sandbox.write("t.paje", fixtures::trace(body));
    sandbox
}

/// A program that says that it is another `onca-sql`.
fn other_version(sandbox: &Sandbox) -> String {
    let place = sandbox.write("other", "#!/bin/sh\necho 'onca-sql 9.9.9 (protocol 7)'\n");
    fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).expect("a mode");
    place.display().to_string()
}

fn onca(sandbox: &Sandbox, sql: &str, args: &[&str]) -> Run {
    Run::of(sandbox.command().env("ONCA_SQL", sql).args(args))
}

#[test]
fn without_it_all_else_works_and_the_message_is_exact() {
    let sandbox = small();
    let nowhere = sandbox.path("nowhere").display().to_string();
    let message = format!(
        "error: SQL and Parquet need the program onca-sql, and ONCA_SQL names {nowhere}, which is \
         not there; install it: {INSTALL}\n"
    );
    let asked = ["query", "t.paje", "SELECT 1"];
    let exported = ["export", "t.paje", "--format", "parquet", "-o", "out"];
    for args in [&asked[..], &exported] {
        let said = onca(&sandbox, &nowhere, args).expect(2);
        assert_eq!((said.out(), said.err()), (String::new(), message.clone()));
    }
    // Not even a store was made for it.
    sandbox.expect_only(&["t.paje"]);
    onca(&sandbox, &nowhere, &["stats", "t.paje"]).expect(0);
    onca(&sandbox, &nowhere, &["export", "t.paje", "--format", "csv", "-o", "tables"]).expect(0);
}

#[test]
fn it_is_looked_for_beside_onca_and_in_the_path() {
    let sandbox = small();
    // A copy of onca that has nothing beside it.
    let alone = sandbox.path("alone");
    fs::create_dir(&alone).expect("a folder");
    fs::hard_link(program("onca"), alone.join("onca"))
        .or_else(|_| fs::copy(program("onca"), alone.join("onca")).map(drop))
        .expect("a copy");
    let ask = |path: &std::path::Path| {
        let mut command = sandbox.confined(Command::new(alone.join("onca")));
        Run::of(command.env("PATH", path).args(["query", "t.paje", "SELECT 1 AS one"]))
    };
    let missing = ask(&alone).expect(2).err();
    assert!(missing.contains("neither") && missing.contains(INSTALL), "{missing}");
    let beside = program("onca-sql");
    assert_eq!(ask(beside.parent().expect("a folder")).expect(0).out(), "one\n---\n  1\n");
}

#[test]
fn one_of_another_version_is_refused_with_both_versions() {
    let sandbox = small();
    let other = other_version(&sandbox);
    let said = onca(&sandbox, &other, &["query", "t.paje", "SELECT 1"]).expect(2).err();
    let ours = onca(&sandbox, &other, &["--version"]).expect(0).out();
    let ours = ours.trim().strip_prefix("onca ").expect("a version").to_owned();
    for part in ["9.9.9 (protocol 7)", &format!("onca {ours} ("), INSTALL] {
        assert!(said.contains(part), "{part:?} in {said}");
    }
    let mut command = sandbox.command();
    command.env("ONCA_SQL", &other);
    let viewing = Viewing::start_as(command, &["view", "t.paje", "--no-open"]);
    viewing.wait_until_ready();
    let refused = viewing.get("/api/traces/1/sql");
    assert!(refused.starts_with("HTTP/1.1 501"), "{refused}");
    assert!(refused.contains("9.9.9 (protocol 7)") && refused.contains("no-sql"), "{refused}");
}

#[test]
fn parquet_is_written_for_the_window_and_the_lens() {
    let sandbox = small();
    let written = sandbox
        .onca(["export", "t.paje", "--format", "parquet", "-o", "all", "--json"])
        .expect(0)
        .json();
    assert_eq!(
        (&written["schema"], &written["format"]),
        (&"onca-export/1".into(), &"parquet".into())
    );
    let rows = |answer: &serde_json::Value| answer["rows"].as_u64().expect("a number");
    let mut less = vec!["export", "t.paje", "--format", "parquet", "-o", "less", "--json"];
    less.extend(["--from", "2", "--to", "3", "--hide-types", "E"]);
    let less = sandbox.onca(less).expect(0).json();
    // Of three states the second reaches into the window; the event is hidden.
    assert_eq!(rows(&written) - rows(&less), 3);
    assert_eq!(sandbox.names(&sandbox.path("all")).len(), 8);
    let again = ["export", "t.paje", "--format", "parquet", "-o", "all"];
    assert!(sandbox.onca(again).expect(2).err().contains("all"));
}

#[test]
fn units_and_temporary_stores_are_handed_over() {
    let sandbox = small();
    let trace = sandbox.read("t.paje");
    let sql = "SELECT max(t_end) AS last FROM states";
    assert_eq!(
        sandbox.onca_reading(&trace, &["query", "-", sql, "--format", "csv"]).expect(0).out(),
        "last\r\n5.0\r\n"
    );
    sandbox.onca_reading(&trace, &["query", "-", "SELECT nothing"]).expect(2);
    sandbox.expect_only(&["t.paje"]);
    sandbox.onca(["query", "t.paje", sql, "--unit", "ms"]).expect(0);
}
