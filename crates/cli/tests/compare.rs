//! `onca compare`, as a user runs it, on runs that differ in something known, or in nothing.

use onca_testkit::fixtures::trace;
use onca_testkit::sandbox::Sandbox;
use serde_json::Value;

/// Generates a run of 16 processes on four machines.
fn generate(sandbox: &Sandbox, name: &str, seed: &str, more: &[&str]) {
    let plain = ["generate", "iterative", "--procs", "16", "--iterations", "50", "--noise", "4"];
    let place = ["--sites", "1", "--clusters", "2", "--machines", "2"];
    let last = ["--seed", seed, "-o", name];
    let args = plain.iter().chain(&place).chain(more).chain(&last);
    sandbox.onca(args.map(ToString::to_string)).expect(0);
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn a_slower_run_is_explained_and_fails_a_limit() {
    let sandbox = Sandbox::new();
    generate(&sandbox, "a.paje", "1", &[]);
    generate(&sandbox, "b.paje", "2", &["--slow-node", "4:1.3"]);
    let answer = sandbox.onca(["compare", "a.paje", "b.paje", "--json"]).expect(0).json();
    assert_eq!(answer["schema"], "onca-compare/1");
    assert_eq!((&answer["related"], &answer["matched"]["rule"]), (&true.into(), &"path".into()));
    let finding = &answer["findings"][0];
    assert_eq!(finding["kind"], "slow");
    assert_eq!(finding["where"].as_array().map(Vec::len), Some(4));
    assert!((number(&finding["ratio"]) - 1.3).abs() < 0.02, "{finding}");
    assert!((number(&finding["change_share"]) - 1.0).abs() < 0.15, "{finding}");
    let change = number(&answer["change_ticks"]);
    let account = &answer["account"];
    let parts = ["work", "rest", "new", "gone"].map(|part| number(&account[part]));
    assert_eq!(parts.iter().sum::<f64>(), change);
    let lengths: f64 = answer["pairs"]
        .as_array()
        .expect("pairs")
        .iter()
        .map(|pair| {
            let length =
                |side: &str| number(&pair[side]["to_ticks"]) - number(&pair[side]["from_ticks"]);
            length("after") - length("before")
        })
        .sum();
    assert_eq!(lengths, change);
    let text = sandbox.onca(["compare", "a.paje", "b.paje"]).expect(0).out();
    assert!(text.contains("machine-4 takes 1.3"), "{text}");
    let table = sandbox.onca(["compare", "a.paje", "b.paje", "--csv"]).expect(0).out();
    assert!(table.starts_with("kind,groups,from,to,before_from"), "{table}");
    assert_eq!(table.lines().count(), 2);
    let limited =
        |before, after, share| sandbox.onca(["compare", before, after, "--fail-above", share]);
    limited("a.paje", "b.paje", "5%").expect_reason(1, "longer than a.paje, more than 5.0 %");
    limited("a.paje", "b.paje", "50%").expect(0);
    limited("b.paje", "a.paje", "0").expect(0);
}

#[test]
fn equal_runs_have_no_findings() {
    let sandbox = Sandbox::new();
    generate(&sandbox, "a.paje", "1", &[]);
    generate(&sandbox, "b.paje", "2", &[]);
    for after in ["b.paje", "a.paje"] {
        let run =
            sandbox.onca(["compare", "a.paje", after, "--json", "--fail-above", "1%"]).expect(0);
        let answer = run.json();
        assert_eq!(answer["findings"], Value::Array(Vec::new()), "{after}");
        if after == "a.paje" {
            assert_eq!(answer["change_ticks"], 0);
        }
    }
}

#[test]
fn several_runs_a_side_tell_what_is_chance() {
    let sandbox = Sandbox::new();
    for seed in ["1", "2", "3"] {
        generate(&sandbox, &format!("a{seed}.paje"), seed, &[]);
    }
    for seed in ["4", "5", "6"] {
        generate(&sandbox, &format!("b{seed}.paje"), seed, &["--slow-node", "1:1.2"]);
    }
    let sides = "compare --before a1.paje a2.paje a3.paje --after b4.paje b5.paje b6.paje";
    let args = sides.split(' ').chain(["--json"]);
    let answer = sandbox.onca(args).expect(0).json();
    assert_eq!(answer["all_runs"]["p"], 0.05);
    assert_eq!(answer["findings"][0]["p"], 0.05);
    let run = sandbox.onca(sides.split(' ').chain(["--fail-above", "5%"])).expect(1);
    assert!(run.out().contains("3 and 3 runs"), "{}", run.out());
    let few = ["compare", "--before", "a1.paje", "a2.paje", "--after", "b4.paje"];
    let told = sandbox.onca(few).expect(0).out();
    assert!(told.contains("fewer than 3 runs on a side tell nothing"), "{told}");
}

#[test]
fn runs_in_other_formats_and_units_are_compared() {
    let sandbox = Sandbox::new();
    let program = ["generate", "program", "--procs", "6", "--steps", "80", "--seed", "3"];
    sandbox.onca(program.iter().chain(&["-o", "a.paje"])).expect(0);
    sandbox.onca(program.iter().chain(&["--otf2", "-o", "b"])).expect(0);
    let answer = sandbox.onca(["compare", "a.paje", "b/traces.otf2", "--json"]).expect(0).json();
    assert_eq!(answer["related"], true);
    assert_eq!(answer["matched"]["places"], 6);
    assert_eq!(answer["change_ticks"], 0, "the same program in two formats");
    assert_eq!(answer["findings"], Value::Array(Vec::new()));
}

#[test]
fn what_cannot_be_compared_is_said() {
    let sandbox = Sandbox::new();
    let run = |value: &str| {
        trace(&format!(
            "12 0 S a {value}\n12 0 S b {value}\n12 9 S a {value}\n8 20 P a\n8 20 P b\n"
        ))
    };
    sandbox.write("a.paje", run("Sorting"));
    sandbox.write("b.paje", run("Drawing"));
    sandbox.write("empty.paje", trace(""));
    let told = sandbox.onca(["compare", "a.paje", "b.paje", "--fail-above", "0"]).expect(0).out();
    assert!(told.contains("nothing in common"), "{told}");
    let told = sandbox.onca(["compare", "a.paje", "empty.paje"]).expect(0).out();
    assert!(told.contains("nothing in common"), "{told}");
    sandbox.onca(["compare", "a.paje"]).expect(2);
    sandbox.onca(["compare", "a.paje", "none.paje"]).expect(2);
    let wrong = ["compare", "a.paje", "a.paje", "--align", "middle"];
    let told = sandbox.onca(wrong).expect(2).err();
    assert!(told.contains("events:NAME"), "{told}");
    let no_event = ["compare", "a.paje", "a.paje", "--align", "events:Tick"];
    sandbox.onca(no_event).expect_reason(2, "\"Tick\"");
    let no_level = ["compare", "a.paje", "a.paje", "--level", "Rack"];
    sandbox.onca(no_level).expect_reason(2, "Rack");
}

#[test]
fn more_processes_are_less_efficient() {
    let sandbox = Sandbox::new();
    // Twice as many processes with half the work each, and the same overhead of each operation.
    for (procs, compute) in [("16", "0.002"), ("8", "0.004")] {
        let run = ["generate", "iterative", "--procs", procs, "--compute", compute];
        let more = ["--iterations", "40", "--noise", "0", "-o"];
        let name = format!("run-{procs}.paje");
        let args = run.iter().chain(&more).map(ToString::to_string).chain([name]);
        sandbox.onca(args).expect(0);
    }
    let runs = ["compare", "--scaling", "run-16.paje", "run-8.paje"];
    let answer = sandbox.onca(runs.iter().chain(&["--json"])).expect(0).json();
    assert_eq!(answer["schema"], "onca-scaling/1");
    let (few, many) = (&answer["runs"][0], &answer["runs"][1]);
    assert_eq!((&few["processes"], &many["processes"]), (&8.into(), &16.into()));
    assert_eq!((number(&few["speed_up"]), number(&few["computation"])), (1.0, 1.0));
    assert!((number(&many["computation"]) - 1.0).abs() < 0.01, "{many}");
    assert!((1.5..2.0).contains(&number(&many["speed_up"])), "{many}");
    assert!(number(&many["global"]) < number(&few["global"]), "{answer}");
    let product = number(&many["load_balance"]) * number(&many["communication"]);
    assert!((product - number(&many["parallel"])).abs() < 1e-9);
    let table = sandbox.onca(runs).expect(0).out();
    assert!(table.contains("global efficiency") && table.contains("serialisation"), "{table}");
    let drawn = ["render", "scaling", "run-16.paje", "run-8.paje", "-o", "-"];
    let picture = sandbox.onca(drawn).expect(0).out();
    // The figure tells the very numbers of the table, the fewest processes first.
    let row = table.lines().find(|line| line.contains("global efficiency")).expect("a row");
    for word in row.split("  ").map(str::trim).filter(|word| !word.is_empty()) {
        assert!(picture.contains(word), "no {word:?}: {picture}");
    }
    assert!(picture.find(">8<") < picture.find(">16<"), "{picture}");
    sandbox.onca(["render", "scaling", "run-8.paje", "-o", "t.svg"]).expect(2);
    sandbox.onca(["render", "scaling", "run-8.paje", "gone.paje", "-o", "t.svg"]).expect(2);
    sandbox
        .onca(["compare", "run-8.paje", "run-8.paje", "run-8.paje"])
        .expect_reason(2, "--scaling");
}

#[test]
fn every_view_of_two_runs_is_drawn() {
    let sandbox = Sandbox::new();
    let checkpoint = ["--checkpoint", "20:5"];
    generate(&sandbox, "a.paje", "1", &checkpoint);
    generate(&sandbox, "b.paje", "2", &["--slow-node", "2:1.5:0.7:1.1"]);
    let drawn = |view: &str, theme: &str| {
        let run =
            ["render", view, "a.paje", "b.paje", "-o", "-", "--format", "svg", "--theme", theme];
        sandbox.onca(run).expect(0).out()
    };
    // What is gone, and what is slow, are told in each picture.
    for (view, words) in [
        ("compare-timeline", &["before", "after", "MPI_Barrier", "rank-15"][..]),
        ("compare-overview", &["rank-15", "work before"]),
        ("compare-treemap", &["computing", "rank-15, writing"]),
        ("compare-flame", &["computing", "writing"]),
        ("compare-table", &["run time", "gone", "MPI_Wait"]),
        ("compare-matrix", &["rank-15"]),
    ] {
        let picture = drawn(view, "light");
        for word in words {
            assert!(picture.contains(word), "{view}: no {word}");
        }
        assert_ne!(picture, drawn(view, "dark"), "{view}");
        assert_eq!(picture, drawn(view, "light"), "{view}");
    }
    let window = ["render", "compare-table", "a.paje", "b.paje", "-o", "t.svg", "--from", "1"];
    sandbox.onca(window).expect_reason(2, "as a whole");
    sandbox.onca(["render", "compare-table", "a.paje", "-o", "t.svg"]).expect(2);
    let flame = ["render", "compare-flame", "a.paje", "b.paje", "-o", "-", "--format", "svg"];
    let without = flame.iter().chain(&["--without-gone"]);
    let without = sandbox.onca(without).expect(0).out();
    assert!(!without.contains("writing"), "what is gone is left out");
}
