//! `onca view` from its first line to Ctrl-C.

use onca_testkit::sandbox::Sandbox;
use onca_testkit::viewing::Viewing;
use serde_json::{Value, json};

#[test]
fn a_trace_is_shown_until_ctrl_c() {
    let sandbox = Sandbox::new();
    sandbox.onca(["demo", "--no-open", "-o", "demo.paje"]).expect(0);
    let viewing = Viewing::start(&sandbox, &["view", "demo.paje", "--no-open"]);
    let (host, token) = viewing.address();
    assert_eq!(token.len(), 64, "{:?}", viewing.lines);
    let port = host.rsplit_once(':').expect("a port").1;
    assert!(viewing.lines[1].contains(&format!("ssh -L {port}:")), "{:?}", viewing.lines);
    viewing.wait_until_ready();
    let info = viewing.get("/api/traces/1/info");
    assert!(info.contains("onca-view-info/1") && info.contains("demo.paje"), "{info}");
    assert_eq!(viewing.interrupt(), Some(0));
}

#[test]
fn several_traces_are_shown_as_one() {
    let sandbox = Sandbox::new();
    for (name, seed) in [("a.paje", "1"), ("b.paje", "2")] {
        let args = ["generate", "threads", "--seed", seed, "-o", name];
        sandbox.onca(args).expect(0);
    }
    let arguments = ["view", "a.paje", "b.paje", "--join", "--offset", "b.paje=3s", "--no-open"];
    let viewing = Viewing::start(&sandbox, &arguments);
    viewing.wait_until_ready();
    let info: Value = serde_json::from_slice(&viewing.post("info", &json!({}))).expect("JSON");
    assert_eq!(info["changes"][0]["kind"], "joined", "{info}");
    let text = "joined from a.paje, b.paje +3.000000000 s";
    assert_eq!(info["changes"][0]["text"], text);
    assert_eq!(info["levels"][1], json!({"name": "Source", "nodes": 2}));
    assert!(info["name"].as_str().is_some_and(|name| name.starts_with("a.paje+b.paje-")), "{info}");
    assert_eq!(viewing.interrupt(), Some(0));
    // The store lies in the cache, not among the traces.
    sandbox.expect_only(&["a.paje", "a.paje.onca", "b.paje", "b.paje.onca"]);
}

#[test]
fn exported_pictures_are_those_of_their_commands() {
    let sandbox = Sandbox::new();
    sandbox.onca(["demo", "--no-open", "-o", "demo.paje"]).expect(0);
    let viewing = Viewing::start(&sandbox, &["view", "demo.paje", "--no-open"]);
    viewing.wait_until_ready();
    let lens = json!({"version": 1, "select": {"values": {"hide": ["MPI_Send"]}}});
    let part = json!({"from": 1_000_000_001, "to": 1_500_000_000});
    let timeline = json!({"view": "timeline", "width": 700, "depth": 3, "open": [4], "closed": [3],
                          "groups": true, "rows": {"height": 11, "from": 0, "to": 300},
                          "links": "none", "window": part, "lens": lens, "theme": "dark"});
    let bars = json!({"view": "bars", "width": 500, "height": 400, "level": "Cluster",
                      "length": "time", "format": "png", "scale": 1});
    let questions = [
        timeline,
        json!({"view": "timeline", "width": 900, "rows": {"fit": 500}}),
        json!({"view": "timeline", "width": 900, "rows": {"fit": 500}, "links": {"nodes": [3]}}),
        json!({"view": "treemap", "width": 500, "height": 400, "depth": 3, "idle": true}),
        json!({"view": "overview", "width": 500, "height": 400, "p": 0.3, "slices": 20}),
        json!({"view": "histogram", "width": 500, "height": 400, "of": "states"}),
        json!({"view": "concurrency", "width": 500, "height": 400, "window": part}),
        json!({"view": "matrix", "width": 500, "height": 400, "level": "Cluster"}),
        bars,
    ];
    for question in questions {
        let told: Value =
            serde_json::from_slice(&viewing.post("command", &question)).expect("JSON");
        if let Some(lens) = told["lens_file"].as_str() {
            sandbox.write("lens.json", lens);
        }
        let command = told["command"].as_str().expect("a command");
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        sandbox.onca(&words).expect(0);
        let drawn = sandbox.read(words.last().expect("a file"));
        assert!(viewing.post("export", &question) == drawn, "not the same: {command}");
    }
}

#[test]
fn what_cannot_be_shown_is_said_at_once() {
    let sandbox = Sandbox::new();
    let none = sandbox.onca(["view"]).expect(2);
    assert!(none.err().contains("onca view run.paje"), "{}", none.err());
    let missing = sandbox.onca(["view", "--no-open", "missing.paje"]).expect(2);
    assert!(missing.err().contains("missing.paje"), "{}", missing.err());
    let twice = sandbox.onca(["view", "--no-open", "-", "-"]).expect(2);
    assert!(twice.err().contains("only once"), "{}", twice.err());
    sandbox.onca(["demo", "--no-open", "-o", "demo.paje"]).expect(0);
    let both = ["view", "demo.paje", "--unix-socket", "s", "--port", "80"];
    sandbox.onca(both).expect(2);
    let nowhere = ["view", "demo.paje", "--no-open", "--unix-socket", "demo.paje"];
    let nowhere = sandbox.onca(nowhere).expect(2);
    assert!(nowhere.err().contains("no socket"), "{}", nowhere.err());
}
