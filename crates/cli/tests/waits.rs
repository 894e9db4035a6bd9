//! `onca waits` and `onca generate program`, as a user runs them.

use std::collections::BTreeMap;

use onca_testkit::fixtures::trace;
use onca_testkit::sandbox::Sandbox;
use serde_json::Value;

/// The ticks of each kind that a generator says it planted.
fn planted(truth: &Value) -> BTreeMap<String, (i64, i64)> {
    let mut kinds: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for wait in truth["waits"].as_array().expect("waits") {
        let number = |field: &str| wait[field].as_i64().expect("a number");
        let kind = kinds.entry(wait["kind"].as_str().expect("a kind").to_owned()).or_default();
        *kind = (kind.0 + number("to_ticks") - number("from_ticks"), kind.1 + 1);
    }
    kinds
}

fn told(answer: &Value) -> BTreeMap<String, (i64, i64)> {
    let number = |kind: &Value, field: &str| kind[field].as_i64().expect("a number");
    let kinds = answer["kinds"].as_array().expect("kinds").iter();
    kinds
        .map(|kind| {
            let name = kind["kind"].as_str().expect("a name").to_owned();
            (name, (number(kind, "ticks"), number(kind, "count")))
        })
        .collect()
}

#[test]
fn what_was_planted_is_told_in_both_formats() {
    let sandbox = Sandbox::new();
    let program = ["generate", "program", "--procs", "9", "--steps", "150", "--seed", "5"];
    let with =
        |more: &[&str]| program.iter().chain(more).map(ToString::to_string).collect::<Vec<_>>();
    sandbox.onca(with(&["-o", "run.paje", "--truth", "paje.json"])).expect(0);
    sandbox.onca(with(&["--otf2", "-o", "archive", "--truth", "otf2.json"])).expect(0);
    // An archive tells when receives were posted, and so of more late receivers.
    for (trace, truth) in [("run.paje", "paje.json"), ("archive", "otf2.json")] {
        let truth: Value = serde_json::from_slice(&sandbox.read(truth)).expect("JSON");
        assert_eq!(planted(&truth).len(), 7, "{trace}: every kind of wait");
        let answer = sandbox.onca(["waits", trace, "--json"]).expect(0).json();
        assert_eq!(answer["schema"], "onca-waits/1");
        assert_eq!(told(&answer), planted(&truth), "{trace}");
        assert_eq!(answer["critical_path"]["ticks"], truth["end_ticks"], "{trace}");
        let segments = answer["critical_path"]["segments"].as_array().expect("segments");
        let length = |it: &Value| {
            it["to_ticks"].as_i64().expect("ticks") - it["from_ticks"].as_i64().expect("ticks")
        };
        assert_eq!(segments.iter().map(length).sum::<i64>(), truth["end_ticks"], "{trace}");
        assert_eq!(answer["not_examined"].as_array().map(Vec::len), Some(0), "{trace}");
    }
}

#[test]
fn tables_are_for_people_and_for_programs() {
    let sandbox = Sandbox::new();
    sandbox.onca(["generate", "program", "--procs", "4", "-o", "run.paje"]).expect(0);
    let said = sandbox.onca(["waits", "run.paje", "--top", "2"]).expect(0).out();
    for part in
        ["waiting for others", "late-sender", "the critical path", "what causes", "x transfer"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let csv = sandbox.onca(["waits", "run.paje", "--csv"]).expect(0).out();
    assert_eq!(csv.lines().next(), Some("kind,count,time,share,longest,where,waits for"));
    let sliced =
        sandbox.onca(["waits", "run.paje", "--level", "Process", "--slices", "3", "--csv"]);
    let sliced = sliced.expect(0).out();
    assert_eq!(sliced.lines().next(), Some("node,from,to,kind,count,time"));
    // What slices and processes have is what all have.
    let sum: f64 = sliced
        .lines()
        .skip(1)
        .map(|line| {
            line.rsplit(',').next().and_then(|time| time.parse::<f64>().ok()).expect("a time")
        })
        .sum();
    let whole = sandbox.onca(["waits", "run.paje", "--json"]).expect(0).json();
    assert!((sum - whole["time"].as_f64().expect("a time")).abs() < 1e-9, "{sum}");
}

#[test]
fn what_cannot_be_examined_is_said() {
    let sandbox = Sandbox::new();
    sandbox.write("alone.paje", trace("13 0 S a run\n14 2 S a\n"));
    let said = sandbox.onca(["waits", "alone.paje"]).expect(0).out();
    assert!(said.contains("not examined"), "{said}");
    assert!(said.contains("there are no messages whose ends lie in calls"), "{said}");
    sandbox.write("empty.paje", trace(""));
    sandbox.onca(["waits", "empty.paje"]).expect(0);
    sandbox.onca(["waits", "alone.paje", "--level", "Moon"]).expect_reason(2, "Moon");
    sandbox.onca(["waits", "alone.paje", "--slices", "0"]).expect_reason(2, "slices");
    sandbox.onca(["generate", "program", "--procs", "1"]).expect_reason(2, "processes");
    let refused = sandbox.onca(["generate", "program", "--otf2"]).expect(2).err();
    assert!(refused.contains("--output"), "{refused}");
}
