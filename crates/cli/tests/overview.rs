//! `onca overview`, as the user sees it.

use onca_testkit::fixtures;
use onca_testkit::sandbox::Sandbox;
use serde_json::{Value, json};

/// A reference result, with the matrix that it belongs to.
const TWINS: &str = include_str!("../../aggregate/tests/golden/overview/twins.json");

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", fixtures::table_4_2());
    sandbox.write("twins.json", TWINS);
    sandbox
}

#[track_caller]
fn assert_close(found: &Value, expected: &Value) {
    let (found, expected) =
        (found.as_f64().expect("a number"), expected.as_f64().expect("a number"));
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{found} {expected}");
}

#[test]
fn any_matrix_over_a_hierarchy() {
    let sandbox = sandbox();
    let golden: Value = serde_json::from_str(TWINS).expect("JSON");
    let args =
        ["overview", "--cube", "twins.json", "--p", "0.1", "--p", "0.25", "--curve", "--json"];
    let answer = sandbox.onca(args).expect(0).json();
    assert_eq!(answer["schema"], "onca-overview/1");
    let optimal = golden["optimal"].as_array().expect("a list");
    for found in answer["optimal"].as_array().expect("a list") {
        let expected = optimal.iter().find(|expected| expected["p"] == found["p"]).expect("this p");
        for field in ["value", "gain", "loss"] {
            assert_close(&found[field], &expected[field]);
        }
        assert_eq!(found["aggregates"], expected["aggregates"]);
        assert_eq!(found["partition"], expected["partition"]);
    }
    let breakpoints = golden["breakpoints"].as_array().expect("a list");
    let found = answer["breakpoints"].as_array().expect("a list");
    assert_eq!(found.len(), breakpoints.len());
    found.iter().zip(breakpoints).for_each(|(found, expected)| assert_close(found, expected));
}

#[test]
fn a_trace_for_people_and_for_programs() {
    let sandbox = sandbox();
    let text = sandbox.onca(["overview", "t.paje", "--p", "1", "--slices", "4"]).expect(0).out();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("states from 0.000000000 to"), "{text}");
    assert!(lines[0].ends_with("5 leaves with 2 values in 4 slices"), "{text}");
    assert!(lines[1].starts_with("p = 1: 1 area, gain"), "{text}");
    let row: Vec<&str> = lines[3].split_whitespace().collect();
    assert_eq!(row[..3], ["/", "5", "0.0"], "{text}");
    let csv =
        sandbox.onca(["overview", "t.paje", "--p", "1", "--slices", "4", "--csv"]).expect(0).out();
    assert!(csv.starts_with(
        "container,leaves,first,last,from,to,mostly,share,mean,gain,loss\r\n/,5,0,3,"
    ));

    let json = sandbox
        .onca(["overview", "t.paje", "--p", "0", "--slices", "4", "--json"])
        .expect(0)
        .json();
    let partition = &json["optimal"][0];
    assert_eq!(partition["loss"], json!(0.0));
    let areas = partition["areas"].as_array().expect("a list");
    let cells = |area: &Value| {
        let number = |field: &str| area[field].as_u64().expect("a number");
        number("leaves") * (number("last") + 1 - number("first"))
    };
    assert_eq!(areas.iter().map(cells).sum::<u64>(), 5 * 4);
    assert!(areas.iter().all(|area| area["from_ticks"].is_i64() && area["means"].is_object()));
}

#[test]
fn trade_offs_changes_and_disruptions() {
    let sandbox = sandbox();
    let list = sandbox.onca(["overview", "t.paje", "--list-p", "--json"]).expect(0).json();
    let segments = list["segments"].as_array().expect("a list");
    assert_eq!(list["breakpoints"].as_array().map(Vec::len), Some(segments.len() - 1));
    for (rank, segment) in segments.iter().enumerate() {
        let rank = rank.to_string();
        let args = ["overview", "t.paje", "--p-rank", &rank, "--json"];
        let ranked = sandbox.onca(args).expect(0).json();
        for field in ["p", "gain", "loss", "aggregates"] {
            assert_eq!(ranked["optimal"][0][field], segment[field], "rank {rank}");
        }
    }
    for rule in ["readable", "nearest", "steepest"] {
        let by_rule = |more: &[&str]| {
            let args = ["overview", "t.paje", "--p-rule", rule, "--json"];
            sandbox.onca([&args, more].concat()).expect(0).json()
        };
        let listed = by_rule(&["--list-p"]);
        let default = listed["default"].as_u64().expect("a place") as usize;
        assert_eq!(by_rule(&[])["optimal"][0]["p"], listed["segments"][default]["p"], "{rule}");
    }
    let compat =
        sandbox.onca(["overview", "t.paje", "--list-p", "--compat", "--json"]).expect(0).json();
    assert_eq!(compat["points"][0]["p"], json!(0.0));

    let args = ["overview", "t.paje", "--change", "--level", "Process", "--slices", "10", "--json"];
    let change = sandbox.onca(args).expect(0).json();
    let curves = change["change"].as_array().expect("a list");
    assert_eq!(curves.len(), 5);
    assert!(curves.iter().all(|curve| curve["changes"].as_array().map(Vec::len) == Some(9)));

    sandbox
        .onca([
            "generate",
            "iterative",
            "--procs",
            "16",
            "--events",
            "30000",
            "--slow-node",
            "3:3",
            "-o",
            "slow.paje",
        ])
        .expect(0);
    let found =
        sandbox.onca(["overview", "slow.paje", "--disruptions", "3", "--json"]).expect(0).json();
    let first = &found["disruptions"][0];
    assert!(first["score"].as_f64() >= found["threshold"].as_f64());
    let containers = first["containers"].as_array().expect("a list");
    let names_machine =
        |path: &Value| path.as_str().is_some_and(|path| path.ends_with("/machine-3"));
    assert!(containers.iter().any(names_machine), "{found:#}");
}

/// The demo has a slow machine in cluster 2, and a burst on half of the processes of cluster 3.
#[test]
fn the_demo_shows_what_is_planted_in_it() {
    let sandbox = Sandbox::new();
    sandbox.onca(["generate", "demo", "-o", "demo.paje"]).expect(0);
    let partition = sandbox.onca(["overview", "demo.paje", "--json"]).expect(0).json();
    let n_areas = partition["optimal"][0]["aggregates"].as_u64().expect("a count");
    assert!((20..=150).contains(&n_areas), "{n_areas}");
    let json = sandbox.onca(["overview", "demo.paje", "--disruptions", "--json"]).expect(0).json();
    let found = json["disruptions"].as_array().expect("a list");
    let hits = |disruption: &Value, place: &str| {
        let leaves = disruption["leaves"].as_array().expect("a list");
        leaves.iter().all(|path| path.as_str().is_some_and(|path| path.contains(place)))
    };
    for place in ["/machine-13/", "/cluster-3/"] {
        let first = found.iter().take(2).find(|disruption| hits(disruption, place));
        let areas = first.expect(place)["areas"].as_array().expect("a list");
        assert!(!areas.is_empty());
        assert!(areas.iter().all(|area| area["rises"]["value"] == "computing"), "{areas:?}");
    }
    let wide = |args: &[&str]| {
        let text = sandbox.onca([&["overview", "demo.paje"], args].concat()).expect(0).out();
        text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
    };
    for args in [&[][..], &["--disruptions"], &["--list-p"], &["--change", "--level", "Process"]] {
        assert!(wide(args) <= 80, "{args:?}: {}", wide(args));
    }
}

/// Whatever is asked of a trace is answered by its cube as well.
#[test]
fn a_cube_answers_like_its_trace() {
    let sandbox = sandbox();
    let run = ["generate", "iterative", "--procs", "16", "--events", "30000", "--slow-node", "3:3"];
    sandbox.onca([&run[..], &["-o", "slow.paje"]].concat()).expect(0);
    let asked: [&[&str]; 8] = [
        &[],
        &["--csv"],
        &["--json", "--p", "0.02", "--p", "0.2"],
        &["--idle", "--axis", "time", "--json"],
        &["--curve", "--csv"],
        &["--list-p", "--compat", "--json"],
        &["--disruptions", "3"],
        &["--change", "--json"],
    ];
    for trace in ["t.paje", "slow.paje"] {
        for (at, asked) in asked.iter().enumerate() {
            let cube = format!("{trace}.{at}.json");
            let of_trace = [&["overview", trace, "--save-cube", &cube, "--slices", "40"], *asked];
            let of_trace = sandbox.onca(of_trace.concat()).expect(0).out();
            let of_cube = sandbox.onca([&["overview", "--cube", &cube], *asked].concat());
            assert_eq!(of_cube.expect(0).out(), of_trace, "{trace} {asked:?}");
        }
    }
    let figure = |more: &[&str]| {
        let args = ["render", "overview", "-o", "-", "--no-caption"];
        sandbox.onca([&args, more].concat()).expect(0).out()
    };
    for trace in ["t.paje", "slow.paje"] {
        for asked in [&[][..], &["--all-values"], &["--idle", "--areas", "all", "--theme", "dark"]]
        {
            let cube = format!("{trace}.0.json");
            let of_trace = figure(&[&[trace, "--slices", "40"], asked].concat());
            assert_eq!(
                figure(&[&["--cube", &cube], asked].concat()),
                of_trace,
                "{trace} {asked:?}"
            );
        }
    }
}

/// A lens and a window are in the cube; records that were lost are told again.
#[test]
fn a_cube_has_what_was_seen_and_what_was_lost() {
    let sandbox = sandbox();
    let damaged = [fixtures::table_4_2().into(), b"99 no such event\n".to_vec()].concat();
    sandbox.write("lost.paje", &damaged);
    let look = ["--from", "2", "--to", "9", "--group", "depth:1", "--hide-values", "Blocked"];
    let save = [&["overview", "lost.paje", "--json", "--save-cube", "c.json"], &look[..]].concat();
    let of_trace = sandbox.onca(save).expect(1).out();
    assert_eq!(sandbox.onca(["overview", "--cube", "c.json", "--json"]).expect(1).out(), of_trace);
    sandbox.onca(["render", "overview", "--cube", "c.json", "-o", "c.svg"]).expect(1);
}

#[test]
fn a_cube_has_no_trace_to_ask() {
    let sandbox = sandbox();
    sandbox.onca(["overview", "t.paje", "--save-cube", "c.json"]).expect(0);
    let cases: [(&[&str], &str); 13] = [
        (&["t.paje"], "[TRACE]"),
        (&["--from", "1"], "--from <TIME>"),
        (&["--lens", "l.json"], "--lens <FILE>"),
        (&["--hide-values", "x"], "--hide-values <PATTERN>"),
        (&["--group", "depth:1"], "--group <GROUP>"),
        (&["--slices", "4"], "--slices <N>"),
        (&["--strict"], "--strict"),
        (&["--unit", "s"], "--unit <NAME>"),
        (&["--change", "--level", "Process"], "--level <NAME>"),
        (&["--change", "--depth", "1"], "--depth <N>"),
        (&["--save-cube", "d.json"], "--save-cube <FILE>"),
        (&["--metric", "events"], "c.json: a cube has the time in states, and no events"),
        (&["--metric", "power"], "c.json: a cube has the time in states, and no power"),
    ];
    for (more, said) in cases {
        let run = sandbox.onca([&["overview", "--cube", "c.json"], more].concat()).expect(2);
        assert!(run.err().contains(said), "{more:?}: {}", run.err());
        assert!(run.err().contains("cannot be used with") || said.starts_with("c.json"));
        assert!(!run.err().contains("--to"), "nobody said --to: {}", run.err());
    }
    for more in [&["--from", "1"][..], &["--slices", "4"], &["--values", "x"], &["--remembered"]] {
        let args = ["render", "overview", "--cube", "c.json", "-o", "-"];
        let run = sandbox.onca([&args, more].concat()).expect(2);
        assert!(run.err().contains("cannot be used with"), "{more:?}: {}", run.err());
    }
    let save = ["overview", "t.paje", "--metric", "events", "--save-cube", "e.json"];
    let run = sandbox.onca(save).expect(2);
    assert!(run.err().contains("keeps the time in states"), "{}", run.err());
    let nowhere = sandbox.onca(["overview", "t.paje", "--save-cube", "none/c.json"]).expect(2);
    assert!(nowhere.err().contains("cannot write none/c.json"), "{}", nowhere.err());
    sandbox.write("cut.json", &std::fs::read(sandbox.path("c.json")).expect("a cube")[..300]);
    sandbox.write("other.json", r#"{"schema": "onca-find/1"}"#);
    for (file, said) in
        [("cut.json", "cut.json: "), ("other.json", "the schema is \"onca-find/1\"")]
    {
        for program in [&["overview"][..], &["render", "overview", "-o", "-"]] {
            let run = sandbox.onca([program, &["--cube", file]].concat()).expect(2);
            assert!(run.err().contains(said), "{file}: {}", run.err());
        }
    }
}

#[test]
fn an_empty_overview_says_why() {
    let text = sandbox().onca(["overview", "t.paje", "--metric", "events"]).expect(0).out();
    assert!(text.contains("no events are seen in this window; --metric"), "{text}");
}

#[test]
fn what_cannot_be_done_is_told() {
    let sandbox = sandbox();
    sandbox.write("bad.json", r#"{"parent": [1, -1], "leaves": [0], "values": [[[1, "x"]]]}"#);
    let cases: [(&[&str], i32, &str); 8] = [
        (&["t.paje", "--p", "1.5"], 2, "p is 1.5"),
        (&["t.paje", "--p-rank", "99"], 2, "numbered from 0 to"),
        (&["t.paje", "--metric", "power"], 2, "no metric \"power\""),
        (&["t.paje", "--from", "19", "--to", "10"], 2, "is empty"),
        (&["t.paje", "--change", "--level", "Rack"], 2, "there is no level"),
        (&["t.paje", "--slices", "0"], 2, "0 slices are not possible"),
        (&["t.paje", "--slices", "3000", "--table-memory", "1M"], 3, "take at most"),
        (&["--cube", "bad.json"], 2, "values[0][0][1] is \"x\", not a number"),
    ];
    for (args, code, said) in cases {
        let run = sandbox.onca([&["overview"], args].concat()).expect(code);
        assert!(run.err().contains(said), "{args:?}: {}", run.err());
    }
}
