//! `onca generate` and `onca demo`: traces that the program makes.

use onca_testkit::sandbox::{Sandbox, same_text};

#[test]
fn the_demo_trace_is_written_and_is_clean() {
    let sandbox = Sandbox::new();
    let run = sandbox.onca(["demo", "--no-open", "-o", "demo.paje"]).expect(0);
    assert!(run.stdout.is_empty(), "standard output: {}", run.out());
    assert!(run.err().contains("onca info demo.paje"), "what to do next: {}", run.err());
    sandbox.expect_only(&["demo.paje"]);

    let checked = sandbox.onca(["validate", "--strict", "demo.paje"]).expect(0);
    assert!(checked.out().contains("nothing wrong"), "{}", checked.out());
    let info = sandbox.info("demo.paje", 0);
    let processes =
        info["types"].as_array().expect("types").iter().find(|t| t["name"] == "Process");
    assert_eq!(processes.map(|found| found["count"].clone()), Some(96.into()), "{info:#}");

    // The same trace again, by its other name.
    sandbox.onca(["generate", "demo", "-o", "again.paje"]).expect(0);
    same_text(&sandbox.read("again.paje"), &sandbox.read("demo.paje"), "the demo trace");
}

#[test]
fn every_kind_of_trace_is_generated_and_depends_on_the_seed() {
    let sandbox = Sandbox::new();
    let kinds: [(&str, &[&str]); 6] = [
        ("hierarchy", &["--levels", "Site:2,Machine:3", "--states", "run,wait"]),
        ("pattern", &["stencil2d", "--procs", "9", "--rounds", "2", "--write-topology", "net.dot"]),
        (
            "iterative",
            &[
                "--procs",
                "8",
                "--events",
                "2000",
                "--burst",
                "0.1:0.2:0.5",
                "--truth",
                "truth.json",
            ],
        ),
        ("threads", &["--threads", "20"]),
        ("many", &["--containers", "50"]),
        ("demo", &[]),
    ];
    for (kind, options) in kinds {
        let name = format!("{kind}.paje");
        let to_file = sandbox.onca([&["generate", kind, "-o", &name], options].concat()).expect(0);
        assert!(to_file.err().contains("wrote "), "{kind}: {}", to_file.err());
        assert!(to_file.stdout.is_empty(), "{kind}: {}", to_file.out());
        let to_pipe = sandbox.onca([&["generate", kind], options].concat()).expect(0);
        same_text(&to_pipe.stdout, &sandbox.read(&name), kind);
        let validated = sandbox.onca(["validate", "--strict", &name]).expect(0);
        assert!(validated.out().contains("nothing wrong"), "{kind}: {}", validated.out());
        // A hierarchy has nothing random in it.
        if kind != "hierarchy" {
            let other =
                sandbox.onca([&["generate", kind, "--seed", "2"], options].concat()).expect(0);
            assert!(other.stdout != to_pipe.stdout, "{kind} does not depend on the seed");
        }
    }
    let network = String::from_utf8(sandbox.read("net.dot")).expect("text");
    assert!(network.contains("graph topology {"), "a topology in the DOT language:\n{network}");
    let truth: serde_json::Value =
        serde_json::from_slice(&sandbox.read("truth.json")).expect("JSON");
    assert_eq!(truth["perturbations"][0]["kind"], "burst", "{truth:#}");
    sandbox.onca(["generate", "pattern", "no-such-pattern"]).expect(2);
    sandbox.onca(["generate", "pattern", "--procs", "0"]).expect(2);
    sandbox
        .onca(["generate", "many", "-o", "no/such/folder.paje"])
        .expect_reason(2, "no/such/folder.paje");
}

#[test]
fn a_token_goes_round_with_the_names_and_times_that_were_asked_for() {
    let sandbox = Sandbox::new();
    let options = ["--procs", "3", "--rounds", "2", "--jitter", "0", "--compute", "0.5"];
    let names = ["--travel", "0.25", "--link-name", "Token", "--link-values", "odd,even"];
    let args = ["generate", "pattern", "sequential-ring", "-o", "t.paje"];
    sandbox.onca([&args[..], &options, &names].concat()).expect(0);
    sandbox.onca(["validate", "--strict", "t.paje"]).expect(0);
    let links = sandbox.onca(["dump", "--kinds", "link", "t.paje"]).expect(0).out();
    let of = |value: &str| links.lines().filter(|line| line.contains(value)).count();
    assert_eq!((of(", Token, "), of(", odd, "), of(", even, ")), (5, 3, 2), "{links}");
    let states = sandbox.onca(["dump", "--kinds", "state", "t.paje"]).expect(0).out();
    let computed: Vec<&str> = states.lines().filter(|line| line.ends_with(", compute")).collect();
    assert_eq!(computed.len(), 6);
    assert!(computed.iter().all(|line| line.contains(", 0.500000000, ")), "{states}");
    for wrong in [["--link-values", "a b"], ["--link-name", ""], ["--jitter", "101"]] {
        sandbox.onca([&args[..3], &wrong].concat()).expect(2);
    }
    sandbox.onca(["generate", "pattern", "synchronised-binary-swap", "--procs", "6"]).expect(2);
    sandbox.onca(["generate", "pattern", "2-3-swap", "--procs", "7", "-o", "s.paje"]).expect(0);
    sandbox.onca(["validate", "--strict", "s.paje"]).expect(0);
}
