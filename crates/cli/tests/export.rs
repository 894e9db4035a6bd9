//! `onca export`: what is written, where, and what is said about it.

use std::io::Read;

use onca_testkit::fixtures;
use onca_testkit::sandbox::Sandbox;

/// Two processes; a message crosses every border between 2 and 4.
fn trace() -> String {
    fixtures::trace(
        "13 1 S a run\n\
         13 2 S a wait\n\
         16 2 L 0 a m k\n\
         18 2.5 E a \"a, mark\"\n\
         9 2 V b 7\n\
         17 4 L 0 b m k\n\
         14 5 S a\n\
         14 6 S a\n",
    )
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", trace());
    sandbox
}

#[test]
fn a_whole_trace_has_the_same_dump() {
    let sandbox = sandbox();
    sandbox.onca(["export", "t.paje", "-o", "again.paje"]).expect(0);
    let dump = |name: &str| sandbox.onca(["dump", name]).expect(0).out();
    assert_eq!(dump("again.paje"), dump("t.paje"));
    let piped = sandbox.onca(["export", "t.paje", "--format", "paje", "-o", "-"]).expect(0);
    assert_eq!(piped.stdout, sandbox.read("again.paje"));
    assert!(piped.err().contains("2 containers, 2 states, 1 link"), "{}", piped.err());
}

#[test]
fn a_window_is_clipped_and_what_crosses_its_border_is_counted() {
    let sandbox = sandbox();
    let window = ["--from", "3", "--to", "5.5"];
    let args = ["export", "t.paje", "-o", "w.paje", "--json"];
    let run = sandbox.onca(args.iter().chain(&window)).expect(0);
    let answer = run.json();
    assert_eq!(answer["schema"], "onca-export/1");
    assert_eq!((&answer["links"], &answer["links_across"]), (&0.into(), &1.into()));
    assert_eq!((&answer["states"], &answer["clipped"]), (&2.into(), &3.into()));
    assert!(run.err().contains("1 link across a border"), "{}", run.err());
    let rows = sandbox.onca(["dump", "w.paje", "--kinds", "state,variable"]).expect(0).out();
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.sort_unstable();
    assert_eq!(
        rows,
        [
            "State, A, St, 3.000000000, 5.000000000, 2.000000000, 1, wait",
            "State, A, St, 3.000000000, 5.500000000, 2.500000000, 0, run",
            "Variable, B, Var, 3.000000000, 5.500000000, 2.500000000, 7",
        ]
    );
    let args = ["export", "t.paje", "-o", "c.paje", "--border", "clip"];
    sandbox.onca(args.iter().chain(&window)).expect(0);
    let links = sandbox.onca(["dump", "c.paje", "--kinds", "link"]).expect(0).out();
    assert_eq!(links, "Link, 0, Lk, 3.000000000, 4.000000000, 1.000000000, m, A, B, k\n");
}

#[test]
fn what_is_nested_in_something_hidden_moves_up() {
    let sandbox = sandbox();
    sandbox.onca(["export", "t.paje", "-o", "h.paje", "--hide-values", "run"]).expect(0);
    let states = sandbox.onca(["dump", "h.paje", "--kinds", "state"]).expect(0).out();
    assert_eq!(states, "State, A, St, 2.000000000, 5.000000000, 3.000000000, 0, wait\n");
}

#[test]
fn tables_come_as_a_folder_that_is_not_overwritten() {
    let sandbox = sandbox();
    sandbox.onca(["export", "t.paje", "--format", "csv", "-o", "tables"]).expect(0);
    let names = ["containers", "events", "links", "states", "types", "variables"];
    let files: Vec<String> = names.iter().map(|name| format!("{name}.csv")).collect();
    assert_eq!(sandbox.names(&sandbox.path("tables")), files);
    let events = String::from_utf8(sandbox.read("tables/events.csv")).expect("text");
    let second = events.lines().nth(1).expect("a row");
    assert_eq!(second, "1,A,Ev,\"a, mark\",2.500000000,2500000000");
    let again = sandbox.onca(["export", "t.paje", "--format", "csv", "-o", "tables"]).expect(2);
    assert!(again.err().contains("not overwritten"), "{}", again.err());
    sandbox.expect_only(&["t.paje", "t.paje.onca", "tables"]);
}

#[test]
fn trace_events_are_packed_when_the_name_says_so() {
    let sandbox = sandbox();
    sandbox.onca(["export", "t.paje", "-o", "t.json.gz"]).expect(0);
    let packed = sandbox.read("t.json.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(&*packed).read_to_string(&mut text).expect("gzip");
    let answer: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let events = answer["traceEvents"].as_array().expect("events");
    let run = events.iter().find(|event| event["name"] == "run").expect("a slice");
    assert_eq!((&run["ph"], &run["ts"], &run["dur"]), (&"X".into(), &1e6.into(), &5e6.into()));
}

#[test]
fn what_cannot_be_done_leaves_nothing() {
    let sandbox = sandbox();
    for (args, why) in [
        (&["-o", "t.foo"][..], "does not tell the format"),
        (&["-o", "-", "--format", "csv"], "several tables"),
        (&["-o", "-", "--format", "paje", "--json"], "both want standard output"),
        (&["-o", "x.paje", "--from", "5", "--to", "4"], "is empty"),
        (&["-o", "x.paje", "--from", "50", "--to", "60"], "outside the trace"),
        (&["-o", "x.paje", "--containers", "nobody"], "there is no container \"nobody\""),
        (&["-o", "no/such/folder/x.paje"], "cannot write"),
    ] {
        let run = sandbox.onca(["export", "t.paje"].iter().chain(args)).expect(2);
        assert!(run.err().contains(why), "{args:?}: {}", run.err());
    }
    sandbox.expect_only(&["t.paje", "t.paje.onca"]);
}

#[test]
fn texts_that_cannot_be_said_and_parts_for_views_are_mentioned() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", fixtures::trace("18 2.5 E a \"a \\\"mark\"\n"));
    let args = ["export", "t.paje", "-o", "v.paje", "--group", "level:Proc"];
    let run = sandbox.onca(args).expect(0);
    assert!(run.err().contains("are for views"), "{}", run.err());
    assert!(run.err().contains("1 text with quotes"), "{}", run.err());
}
