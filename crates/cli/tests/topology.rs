//! `topology`, and pictures of structure: what crosses a network, and what is wrong with its file.

use onca_testkit::sandbox::Sandbox;

/// Sixteen processes in a ring on four machines, and their network.
fn ring() -> Sandbox {
    let sandbox = Sandbox::new();
    let place = ["--sites", "1", "--clusters", "1", "--machines", "4"];
    let out = ["--rounds", "2", "-o", "ring.paje", "--write-topology", "ring.dot"];
    let args: Vec<&str> =
        ["generate", "pattern", "ring"].into_iter().chain(place).chain(out).collect();
    sandbox.onca(args).expect(0);
    sandbox
}

#[test]
fn a_ring_crosses_the_switch_where_machines_change() {
    let sandbox = ring();
    let json = sandbox
        .onca(["topology", "ring.paje", "--topology", "ring.dot", "--json"])
        .expect(0)
        .json();
    assert_eq!(json["schema"], "onca-topology/1");
    // Of 16 messages a round, 4 leave their machine, over two links each.
    assert_eq!(json["messages"]["routed"], 8);
    assert_eq!(json["messages"]["local"], 24);
    assert_eq!(json["hops"][2], serde_json::json!({"hops": 2, "messages": 8}));
    let machine = json["links"].as_array().expect("links").iter();
    let machine = machine.clone().find(|link| link["from"] == "machine-1").expect("a machine");
    assert_eq!(machine["messages"], 4, "two leave, two come");
    assert_eq!(json["hosts_without_containers"], serde_json::json!([]));
    let csv = sandbox.onca(["topology", "ring.paje", "--topology", "ring.dot", "--csv"]).expect(0);
    assert!(
        csv.out().starts_with("link,messages,bytes,bandwidth,latency,load\r\n"),
        "{}",
        csv.out()
    );
}

#[test]
fn what_is_wrong_with_a_network_is_told_with_its_place() {
    let sandbox = ring();
    for (text, reason) in [
        ("graph {\n  a -- ;\n}", "net.dot:2:8: expected a node or a subgraph"),
        (
            "graph {\n  a -- b [bandwidth=fast];\n}",
            "net.dot: edge \"a\" to \"b\": \"fast\" is not a bandwidth",
        ),
        ("digraph { a -- b }", "net.dot:1:13:"),
    ] {
        sandbox.write("net.dot", text);
        let run = sandbox.onca(["topology", "ring.paje", "--topology", "net.dot"]);
        run.expect_reason(2, reason);
    }
    sandbox.write("map.txt", "rank-0 machine-9\n");
    let run = sandbox.onca(["topology", "ring.paje", "--topology", "ring.dot", "--map", "map.txt"]);
    run.expect_reason(2, "line 1: there is no node \"machine-9\"");
    sandbox.onca(["topology", "ring.paje"]).expect_reason(2, "the trace tells of no network");
}

#[test]
fn structure_is_drawn_in_all_forms() {
    let sandbox = ring();
    for (view, more) in [
        ("graph", &["--layout", "circular"][..]),
        ("topology", &["--topology", "ring.dot"]),
        ("scene3d", &["--base", "topology", "--topology", "ring.dot"]),
        ("scene3d", &["--base", "treemap", "--camera", "-45,20", "--theme", "dark"]),
        ("scene3d", &["--camera", "top", "--level", "Machine"]),
    ] {
        let draw = |output: &str| {
            let args = ["render", view, "ring.paje", "-o", output].into_iter();
            sandbox.onca(args.chain(more.iter().copied()).collect::<Vec<_>>()).expect(0).out()
        };
        let svg = draw("-");
        assert!(svg.starts_with("<svg") && svg.contains("</svg>"), "{view}");
        assert_eq!(draw("-"), svg, "{view}: the same every time");
    }
    let run = sandbox.onca(["render", "scene3d", "ring.paje", "--base", "coords", "-o", "-"]);
    run.expect_reason(2, "no network is known");
}
