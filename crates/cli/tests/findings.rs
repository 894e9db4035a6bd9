//! `onca findings`, as a user runs it, on traces in which something is known to be wrong, or nothing.

use onca_testkit::fixtures::trace;
use onca_testkit::sandbox::Sandbox;
use serde_json::Value;

fn generated(sandbox: &Sandbox, kind: &[&str]) -> Value {
    let more = ["--seed", "7", "-o", "run.paje"];
    let args = ["generate"].iter().chain(kind).chain(&more);
    sandbox.onca(args.map(ToString::to_string)).expect(0);
    sandbox.onca(["findings", "run.paje", "--json"]).expect(0).json()
}

const RUN: [&str; 5] = ["iterative", "--procs", "32", "--events", "40000"];

fn run_with(more: &[&str]) -> Vec<String> {
    RUN.iter().chain(more).map(ToString::to_string).collect()
}

fn first(answer: &Value) -> &Value {
    assert_eq!(answer["schema"], "onca-findings/1");
    &answer["findings"][0]
}

fn names(list: &Value) -> Vec<&str> {
    let paths = list.as_array().expect("a list").iter().map(|it| it.as_str().expect("a path"));
    paths.map(|path| path.rsplit('/').next().unwrap_or(path)).collect()
}

fn found(more: &[&str]) -> Value {
    let args = run_with(more);
    generated(&Sandbox::new(), &args.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_slow_machine_is_named_with_what_it_costs() {
    let answer = found(&["--slow-node", "3:1.4"]);
    let finding = first(&answer);
    assert_eq!(finding["kind"], "slow");
    assert_eq!(names(&finding["groups"]), ["machine-3"]);
    assert_eq!(names(&finding["where"]), ["rank-4", "rank-5"]);
    let share = finding["cost_share"].as_f64().expect("a share");
    // An iteration takes about 1.4 times as long, and most of the run is iterations.
    assert!((0.08..0.286).contains(&share), "{share}");
    let text = finding["text"].as_str().expect("a text");
    assert!(text.starts_with("machine-3 takes 1.4"), "{text}");
}

#[test]
fn what_is_slow_for_some_time_is_told_with_that_time() {
    let answer = found(&["--slow-node", "5:2:1.2:1.6"]);
    let finding = first(&answer);
    assert_eq!((&finding["kind"], names(&finding["groups"])), (&"slow".into(), vec!["machine-5"]));
    let time = |field: &str| finding[field].as_f64().expect("a time");
    assert!((1.1..1.3).contains(&time("from")), "{finding}");
    assert!((1.5..1.8).contains(&time("to")), "{finding}");
}

#[test]
fn kinds_are_told_apart() {
    let more_work = found(&["--more-work", "9:1.5"]);
    let finding = first(&more_work);
    assert_eq!(finding["kind"], "imbalance");
    assert_eq!(names(&finding["where"]), ["rank-9"]);

    let burst = found(&["--burst", "1.2:1.5:0.4:2"]);
    assert_eq!(first(&burst)["kind"], "burst");

    let iteration = found(&["--slow-iteration", "40:3"]);
    let finding = first(&iteration);
    assert_eq!(finding["kind"], "outlier-iteration");
    assert_eq!(finding["where"].as_array().map(Vec::len), Some(32));

    let root = found(&["--late-root", "0.5"]);
    let finding = first(&root);
    assert_eq!(finding["kind"], "collective-wait");
    assert_eq!(names(&finding["where"]), ["rank-0"]);
    assert_eq!(finding["effects"][0]["kind"], "late-broadcast");
}

#[test]
fn slow_links_are_told_with_both_sides() {
    let network = ["--sites", "1", "--clusters", "4", "--message-bytes", "4194304"];
    let with = |link| [&["--ring", "--slow-link", link], network.as_slice()].concat();
    let pair = found(&with("5,6:10"));
    let finding = first(&pair);
    assert_eq!(finding["kind"], "link");
    let mut sides = [names(&finding["where"]), names(&finding["towards"])];
    sides.sort();
    assert_eq!(sides, [["rank-10", "rank-11"], ["rank-8", "rank-9"]]);

    let uplink = found(&with("cluster-2:10"));
    let finding = first(&uplink);
    assert_eq!(names(&finding["groups"]), ["cluster-2"]);
    assert_eq!(finding["towards"].as_array().map(Vec::len), Some(24));
}

#[test]
fn a_slow_worker_of_a_dynamic_schedule_is_found_and_the_master_is_not() {
    let pattern = ["pattern", "master-worker", "--procs", "16", "--rounds", "60"];
    let slow = [&pattern, ["--slow-process", "5:2.5"].as_slice()].concat();
    let sandbox = Sandbox::new();
    let answer = generated(&sandbox, &slow);
    assert_eq!(first(&answer)["kind"], "slow");
    assert_eq!(names(&first(&answer)["where"]), ["rank-5"]);
    let clean = generated(&sandbox, &pattern);
    assert_eq!(clean["findings"], Value::Array(Vec::new()));
    let not_examined = clean["not_examined"].to_string();
    assert!(not_examined.contains("rank-0"), "{not_examined}");
}

#[test]
fn a_clean_run_says_so() {
    let sandbox = Sandbox::new();
    let args = run_with(&["--noise", "10", "-o", "run.paje"]);
    sandbox.onca(["generate".to_owned()].into_iter().chain(args)).expect(0);
    let said = sandbox.onca(["findings", "run.paje"]).expect(0).out();
    assert!(said.starts_with("nothing was found that costs time\n"), "{said}");
    let table = sandbox.onca(["findings", "run.paje", "--csv"]).expect(0).out();
    assert_eq!(table.lines().count(), 1, "{table}");
}

#[test]
fn what_happens_outside_of_the_window_is_not_told() {
    let sandbox = Sandbox::new();
    let args = run_with(&["--slow-node", "5:2:1.2:1.6", "-o", "run.paje"]);
    sandbox.onca(["generate".to_owned()].into_iter().chain(args)).expect(0);
    let kinds = |window: &[&str]| {
        let args = ["findings", "run.paje", "--json"].iter().chain(window);
        let answer = sandbox.onca(args.map(ToString::to_string)).expect(0).json();
        let findings = answer["findings"].as_array().expect("findings").iter();
        findings.map(|it| it["kind"].as_str().expect("a kind").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&["--from", "1.3", "--to", "1.4"]), ["slow"]);
    assert_eq!(kinds(&["--to", "1"]), Vec::<String>::new());
    assert_eq!(kinds(&["--top", "0"]), Vec::<String>::new());
}

#[test]
fn what_cannot_be_examined_is_said() {
    let sandbox = Sandbox::new();
    sandbox.write("alone.paje", trace("13 0 S a run\n14 2 S a\n"));
    let said = sandbox.onca(["findings", "alone.paje"]).expect(0).out();
    assert!(said.contains("no four processes of one kind"), "{said}");
    assert!(said.contains("links: there are too few pairs"), "{said}");
    sandbox.write("empty.paje", trace(""));
    sandbox.onca(["findings", "empty.paje"]).expect(0);
    sandbox.onca(["findings", "missing.paje"]).expect_reason(2, "missing.paje");
    let refused = ["generate", "iterative", "--more-work", "900:2"];
    sandbox.onca(refused).expect_reason(2, "no process 900");
    sandbox.onca(["generate", "iterative", "--slow-link", "99:2"]).expect_reason(2, "slow link");
}
