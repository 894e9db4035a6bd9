mod random;

use super::*;
use crate::topology::Attributes;

/// A graph as text, one line for each node, edge and group.
fn dump(graph: &Topology) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let list = |attributes: &Attributes| {
        let entry = |(key, value): (&[u8], &[u8])| format!(" {}={}", text(key), text(value));
        attributes.iter().map(entry).collect::<String>()
    };
    let titled = |name: &Option<Vec<u8>>, label: &Option<Vec<u8>>| {
        let name = name.as_deref().map_or("-".to_owned(), text);
        label.as_deref().map_or(name.clone(), |label| format!("{name} {:?}", text(label)))
    };
    let kind = if graph.directed { "digraph" } else { "graph" };
    let mut lines =
        vec![format!("{kind} {}{}", titled(&graph.name, &graph.label), list(&graph.attributes))];
    for node in &graph.nodes {
        lines.push(format!("{}{}", text(&node.name), list(&node.attributes)));
    }
    let name = |node: usize| text(&graph.nodes[node].name);
    for edge in &graph.edges {
        lines.push(format!("{} > {}{}", name(edge.a), name(edge.b), list(&edge.attributes)));
    }
    for group in &graph.groups {
        let nodes: Vec<String> = group.nodes.iter().map(|&node| name(node)).collect();
        let title = titled(&group.name, &group.label);
        let parent = group.parent.map_or(String::new(), |parent| {
            format!(" in {}", titled(&graph.groups[parent].name, &None))
        });
        let attributes = list(&group.attributes);
        lines.push(format!("[{title}{parent}: {}]{attributes}", nodes.join(" ")));
    }
    lines.join("\n")
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let graph = read_dot(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(dump(&graph), expected.join("\n"), "{text}");
}

#[test]
fn nodes_edges_and_chains() {
    check("graph {}", &["graph -"]);
    check("graph g { a }", &["graph g", "a"]);
    check("digraph{a->b;b->c}", &["digraph -", "a", "b", "c", "a > b", "b > c"]);
    check("graph { a -- b -- c }", &["graph -", "a", "b", "c", "a > b", "b > c"]);
    check("graph { a -- a  a -- b  b -- a }", &["graph -", "a", "b", "a > a", "a > b", "b > a"]);
    check("GRAPH { A; a }", &["graph -", "A", "a"]);
    check("Digraph { a:n -> b:p:sw [w=1] }", &["digraph -", "a", "b", "a > b w=1"]);
    check("graph { a -- b [x=1] [y=2, x=3; z] }", &["graph -", "a", "b", "a > b x=3 y=2 z=true"]);
    check("graph { a [x=1] a [y=2 x=3] }", &["graph -", "a x=3 y=2"]);
}

#[test]
fn sets_of_nodes_multiply() {
    check(
        "digraph { {a b} -> c -> {d; e} [w=2] }",
        &["digraph -", "a", "b", "c", "d", "e", "a > c w=2", "b > c w=2", "c > d w=2", "c > e w=2"],
    );
    check("graph { {} -- a -- {} }", &["graph -", "a"]);
    check(
        "graph { {a -- b} -- {c {d}} }",
        &["graph -", "a", "b", "c", "d", "a > b", "a > c", "a > d", "b > c", "b > d"],
    );
    check(
        "digraph { subgraph s {a b} c -> subgraph s }",
        &["digraph -", "a", "b", "c", "c > a", "c > b", "[s: a b]"],
    );
}

#[test]
fn strict_graphs_have_an_edge_once() {
    check(
        "strict graph { a -- b [x=1] b -- a [y=2] a -- a }",
        &["graph -", "a", "b", "a > b x=1 y=2", "a > a"],
    );
    check(
        "strict digraph { a -> b [x=1] b -> a a -> b [x=2] }",
        &["digraph -", "a", "b", "a > b x=2", "b > a"],
    );
}

#[test]
fn names_have_many_forms() {
    check(
        r#"graph { "a b" -- "say \"hi\"" }"#,
        &["graph -", "a b", "say \"hi\"", "a b > say \"hi\""],
    );
    check("graph { \"one\" + \"two\" /* x */ + \"three\" }", &["graph -", "onetwothree"]);
    check("graph { \"bro\\\nken\\\r\nline\" }", &["graph -", "brokenline"]);
    check(r#"graph { "a\nb" "\\" "\N" "" }"#, &["graph -", r"a\nb", r"\\", r"\N", ""]);
    check("graph { 1 -2 .5 -.5 1.25 }", &["graph -", "1", "-2", ".5", "-.5", "1.25"]);
    check("graph { 1--2 }", &["graph -", "1", "2", "1 > 2"]);
    check("graph { a [bw=10Gbps ip=10.0.0.1] }", &["graph -", "a bw=10Gbps ip=10.0.0.1"]);
    check("graph { a [label=<<b>x</b> & y>] }", &["graph -", "a label=<b>x</b> & y"]);
    check(
        "graph { \"node\" nodes _x µs Ωmega }",
        &["graph -", "node", "nodes", "_x", "µs", "Ωmega"],
    );
    check("graph \"quoted name\" { \"µ\" }", &["graph quoted name", "µ"]);
    let latin1 = read_dot(b"graph { caf\xe9 \"\xff\" }").expect("bytes are names");
    assert_eq!(latin1.nodes[0].name, b"caf\xe9");
    assert_eq!(latin1.nodes[1].name, b"\xff");
}

#[test]
fn comments_and_blanks_are_skipped() {
    let text =
        "\u{feff}# 1 \"x.dot\"\n// one\n/* two\n ** two */graph{a//x\n  # three\n--/**/b}\n//";
    check(text, &["graph -", "a", "b", "a > b"]);
    check("graph\r\n{\r\na\r\n}\r\n", &["graph -", "a"]);
    check("graph { \"//\" \"/*\" \"#\" }", &["graph -", "//", "/*", "#"]);
}

#[test]
fn defaults_hold_from_where_they_stand_in_their_scope() {
    check(
        "graph { a node [k=1] b subgraph s { node [k=2, l=3] c a } d [k=4] }",
        &["graph -", "a", "b k=1", "c k=2 l=3", "d k=4", "[s: c a]"],
    );
    check(
        "graph { a--b edge [w=1] b--c { edge [w=2] c--d } d--a [w=3] a--c }",
        &[
            "graph -",
            "a",
            "b",
            "c",
            "d",
            "a > b",
            "b > c w=1",
            "c > d w=2",
            "d > a w=3",
            "a > c w=1",
        ],
    );
    check(
        "graph { rankdir=LR; graph [x=1] label=top subgraph s { x=2 a } subgraph t { b } x=3 }",
        &[
            "graph - \"top\" rankdir=LR x=3",
            "a",
            "b",
            "[s: a] rankdir=LR x=2",
            "[t: b] rankdir=LR x=1",
        ],
    );
}

#[test]
fn subgraphs_with_a_name_or_label_are_groups() {
    check(
        r#"graph {
          subgraph cluster_a { label="Site A\nnorth"; r1; subgraph cluster_b { m1 m2 } {rank=same m3} m1 }
          subgraph { label=loose; subgraph inner { x } }
          { y }
        }"#,
        &[
            "graph -",
            "r1",
            "m1",
            "m2",
            "m3",
            "x",
            "y",
            "[cluster_a \"Site A\\nnorth\": r1 m3 m1]",
            "[cluster_b in cluster_a: m1 m2]",
            "[- \"loose\": ]",
            "[inner in -: x]",
        ],
    );
    check(
        "graph { subgraph s { a } subgraph s { b a } { subgraph t { c } } }",
        &["graph -", "a", "b", "c", "[s: a b]", "[t: c]"],
    );
}

#[test]
fn attributes_are_interpreted() {
    let text =
        r#"graph { a [pos="1,2!"] a -- b [bandwidth="10Gbps" latency="50us"] b -- c [latency=x] }"#;
    let graph = read_dot(text.as_bytes()).expect("a good graph");
    assert_eq!(graph.nodes[0].position(), Ok(Some([1.0, 2.0, 0.0])));
    assert_eq!(graph.nodes[1].position(), Ok(None));
    assert_eq!(graph.edges[0].bandwidth(), Ok(Some(1.25e9)));
    assert_eq!(graph.edges[0].latency(), Ok(Some(50e-6)));
    assert_eq!(graph.edges[1].bandwidth(), Ok(None));
    let error = graph.edges[1].latency().expect_err("x is no time").to_string();
    assert_eq!(error, "\"x\" is not a latency; write 50us, 1.5ms, or a number of seconds");
}

#[test]
fn errors_say_where_and_what() {
    let table: &[(&str, &str)] = &[
        ("", "1:1: expected graph or digraph, found the end of the file"),
        ("grph {}", "1:1: expected graph or digraph, found the name \"grph\""),
        ("strict\n subgraph {}", "2:2: expected graph or digraph, found the keyword subgraph"),
        ("graph g h {}", "1:9: expected \"{\", found the name \"h\""),
        ("graph {\n  a -> b\n}", "2:5: expected \"--\" in an undirected graph, found \"->\""),
        ("digraph { a -- b }", "1:13: expected \"->\" in a directed graph, found \"--\""),
        ("graph {\n a -- ; }", "2:7: expected a node or a subgraph, found \";\""),
        ("graph { a -- node }", "1:14: expected a node or a subgraph, found the keyword node"),
        ("graph { a [x=] }", "1:14: expected the value of the attribute, found \"]\""),
        ("graph { a [=1] }", "1:12: expected an attribute or \"]\", found \"=\""),
        (
            "graph { node a }",
            "1:14: expected a list of attributes, \"[...]\", found the name \"a\"",
        ),
        ("graph { a:; }", "1:11: expected a port, found \";\""),
        ("graph { a, b }", "1:10: expected a node, an edge, a subgraph or \"}\", found \",\""),
        ("graph {\n\n  subgraph s {\n a }\n", "1:7: the \"{\" here is never closed"),
        ("graph { {", "1:9: the \"{\" here is never closed"),
        (
            "graph {} graph {}",
            "1:10: expected the end of the file after the graph, found the keyword graph",
        ),
        ("graph { } }", "1:11: expected the end of the file after the graph, found \"}\""),
        ("graph { a \"bc }", "1:11: the string that begins here has no end"),
        ("graph { a \"bc\\", "1:11: the string that begins here has no end"),
        ("graph { a [l=<x<y>] }", "1:14: the text that begins here with \"<\" has no end \">\""),
        ("graph {\n/* a }", "2:1: the comment that begins here has no end \"*/\""),
        ("graph { \"a\" + b }", "1:15: expected a string in quotes after \"+\""),
        (
            "graph { machine-1 }",
            "1:16: unexpected \"-\"; a name with other than letters, digits and _ must be in quotes",
        ),
        (
            "graph { a.b }",
            "1:10: unexpected \".\"; a name with other than letters, digits and _ must be in quotes",
        ),
        (
            "graph { a # b }",
            "1:11: unexpected \"#\"; a name with other than letters, digits and _ must be in quotes",
        ),
        (
            "graph { {a} [x=1] }",
            "1:13: a subgraph has its attributes inside, as in { graph [...] }",
        ),
        (
            "graph { subgraph a [x=1] }",
            "1:20: a subgraph has its attributes inside, as in { graph [...] }",
        ),
    ];
    for (text, expected) in table {
        let error = read_dot(text.as_bytes()).expect_err(text).to_string();
        assert_eq!(error, *expected, "{text}");
    }
}

#[test]
fn limits_stop_what_grows_without_bound() {
    let n_braces = MAX_DEPTH + 1;
    let deep = format!("graph {}{}", "{".repeat(n_braces), "}".repeat(n_braces));
    assert!(read_dot(deep.as_bytes()).is_ok());
    let deeper = format!("graph {}", "{".repeat(1_000_000));
    let error = read_dot(deeper.as_bytes()).expect_err("too deep");
    assert_eq!(error.message, "subgraphs stand more than 128 deep in each other");
    assert_eq!((error.line, error.column), (1, 7 + n_braces as u64));

    let names: String = (0..3000).map(|i| format!(" n{i}")).collect();
    let error = read_dot(format!("graph {{{{{names}}}--{{{names}}}}}").as_bytes());
    assert_eq!(error.expect_err("nine million edges").message, "more than 4194304 edges");

    let keys: String = (0..300).map(|i| format!(" k{i}=1")).collect();
    let error = read_dot(format!("graph {{ a [{keys}] }}").as_bytes()).expect_err("many keys");
    assert_eq!(error.message, "more than 256 attributes of one thing");
    let lists: String = (0..300).map(|i| format!(" a [k{i}=1]")).collect();
    let error = read_dot(format!("graph {{{lists}}}").as_bytes()).expect_err("many keys");
    assert_eq!(error.message, "more than 256 attributes of one thing");
}

#[test]
fn topologies_of_generated_platforms_are_read() {
    let options = onca_generate::pattern::Options::default();
    let mut text = Vec::new();
    onca_generate::pattern::write_topology(&options, &mut text).expect("memory takes all");
    let graph = read_dot(&text).expect("our own file");
    assert!(!graph.directed);
    // A backbone, 2 routers, 4 switches, 16 machines; a cable from each but the backbone.
    assert_eq!((graph.nodes.len(), graph.edges.len()), (23, 22));
    assert_eq!(graph.nodes[0].attributes.get("kind"), Some(&b"backbone"[..]));
    assert_eq!(graph.nodes[7].name, b"machine-1");
    for edge in &graph.edges {
        assert!(edge.bandwidth().expect("a number").is_some_and(|bandwidth| bandwidth > 1e6));
        assert!(edge.latency().expect("a number").is_some_and(|latency| latency < 1.0));
    }
}
