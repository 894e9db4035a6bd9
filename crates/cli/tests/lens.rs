//! The lens on the command line: files, flags, errors, remembered looks, imported trees.

use onca_testkit::sandbox::Sandbox;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.onca(["demo", "--no-open", "-o", "demo.paje"]).expect(0);
    sandbox
}

/// The nodes of each level, as `onca lens --json` tells them.
fn levels(sandbox: &Sandbox, args: &[&str]) -> Vec<(String, u64)> {
    let answer = sandbox.onca([&["lens", "demo.paje", "--json"], args].concat()).expect(0).json();
    let levels = answer["levels"].as_array().expect("levels").clone();
    let level = |level: &serde_json::Value| {
        let name = level["level"].as_str().expect("a name").to_owned();
        (name, level["nodes"].as_u64().expect("a number"))
    };
    levels.iter().map(level).collect()
}

fn level(name: &str, nodes: u64) -> (String, u64) {
    (name.to_owned(), nodes)
}

#[test]
fn flags_and_files_give_the_same_lens() {
    let sandbox = sandbox();
    let flags = ["--containers", "rank-[0-7]", "--hide-values", "MPI_Wait", "--order", "name"];
    let save = ["--save-lens", "mine.json"];
    let dump = ["dump", "demo.paje", "--kinds", "state"];
    let by_flags = sandbox.onca([&dump[..], &flags, &save].concat()).expect(0).out();
    let by_file = sandbox.onca([&dump[..], &["--lens", "mine.json"]].concat()).expect(0).out();
    assert_eq!(by_flags, by_file);
    assert!(by_flags.contains("rank-7,") && !by_flags.contains("rank-8,"));
    assert!(by_flags.contains("MPI_Send") && !by_flags.contains("MPI_Wait"));
}

#[test]
fn groups_and_trees_change_the_levels() {
    let sandbox = sandbox();
    let expected = [
        level("0", 1),
        level("Site", 1),
        level("Cluster", 3),
        level("Machine", 24),
        level("Process", 96),
    ];
    assert_eq!(levels(&sandbox, &[]), expected);
    assert_eq!(levels(&sandbox, &["--group", "level:Machine"]), expected[..4]);
    assert_eq!(levels(&sandbox, &["--group", "depth:2"]), expected[..3]);
    assert_eq!(
        levels(&sandbox, &["--containers", "machine-1/**", "--group", "re:^rank"]),
        [
            level("0", 1),
            level("Site", 1),
            level("Cluster", 1),
            level("Machine", 1),
            level("Process", 1)
        ]
    );
    sandbox.write(
        "tree.json",
        r#"{"name": "Grid", "type": "grid", "children": [
            {"name": "left", "type": "half", "children": ["rank-0", "rank-1"]},
            {"name": "right", "type": "half", "children": ["rank-2"]}]}"#,
    );
    let tree = ["--hierarchy", "tree.json", "--containers", "rank-[0-2]"];
    let found = levels(&sandbox, &tree);
    assert!(found.contains(&level("grid", 1)) && found.contains(&level("half", 2)), "{found:?}");
    let names = ["--hierarchy-names", "^(?<row>rank-\\d)", "--containers", "rank-1*"];
    let found = levels(&sandbox, &names);
    assert!(found.contains(&level("row", 1)), "{found:?}");
}

#[test]
fn what_does_not_fit_is_refused_with_reasons() {
    let sandbox = sandbox();
    sandbox.write("bad.json", r#"{"version": 1, "selekt": {}}"#);
    sandbox.write("old.json", r#"{"version": 9}"#);
    sandbox.write("broken.dot", "graph { a -- }");
    for (args, why) in [
        (["--lens", "bad.json"], "unknown field `selekt`"),
        (["--lens", "old.json"], "version 9 is not known"),
        (["--lens", "none.json"], "none.json"),
        (["--containers", "rank-x"], "did you mean"),
        (["--values", "MPI_Wayt"], "did you mean MPI_Wait"),
        (["--containers", "rank[a]"], "no list of numbers"),
        (["--containers", "re:("], "unclosed group"),
        (["--group", "level:Rack"], "there is no level"),
        (["--order", "size"], "write creation, name"),
        (["--min-duration", "soon"], "is no time"),
        (["--hierarchy", "broken.dot"], "broken.dot"),
        (["--hierarchy-names", "^rank"], "no named group"),
        (["--from", "99"], "outside the trace"),
    ] {
        for command in ["lens", "dump", "stats"] {
            // What has no window of its own takes any.
            if command != "dump" || args[0] != "--from" {
                let run = sandbox.onca([&[command, "demo.paje"], &args[..]].concat()).expect(2);
                assert!(run.err().contains(why), "{args:?}: {}", run.err());
            }
        }
    }
    sandbox.onca(["lens", "demo.paje", "--from", "3", "--to", "2"]).expect_reason(2, "is empty");
}

#[test]
fn looks_are_remembered_for_traces_with_the_same_types() {
    let sandbox = sandbox();
    sandbox.write(
        "mine.json",
        r##"{"version": 1, "appearance": {"values": {"MPI_Wait": {"color": "#123456"}}}}"##,
    );
    let source = |args: &[&str]| {
        let run = sandbox.onca([&["lens", "demo.paje", "--json"], args].concat()).expect(0);
        let answer = run.json();
        let values = answer["values"].as_array().expect("values").clone();
        let wait = values.into_iter().find(|value| value["value"] == "MPI_Wait").expect("a value");
        format!("{} {}", wait["color_from"].as_str().expect("a word"), wait["color"])
    };
    let before = source(&[]);
    assert!(before.starts_with("trace"), "{before}");
    assert_eq!(source(&["--lens", "mine.json"]), "lens \"#123456\"");
    sandbox.onca(["lens", "demo.paje", "--lens", "mine.json", "--remember"]).expect(0);
    assert_eq!(source(&[]), "remembered \"#123456\"");
    sandbox.onca(["lens", "demo.paje", "--forget"]).expect(0);
    assert_eq!(source(&[]), before);
}

/// Four tasks of two applications on the nodes of a machine, each with a thread.
const PLACED: &str = "\
%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 7
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 8
% Time date
% Alias string
% Type string
% Container string
% Name string
% node string
% rack string
%EndEventDef
1 A 0 Application
1 T A Task
1 H T Thread
7 0 a A 0 first
7 0 b A 0 second
8 0 t1 T a task-1 n1 r1
8 0 t2 T a task-2 n2 r1
8 0 t3 T b task-3 n1 r1
8 0 t4 T b task-4 n3 r2
8 0 h1 H t1 thread-1 n1 r1
7 0 h2 H t2 thread-2
";

#[test]
fn extra_fields_place_containers() {
    let sandbox = Sandbox::new();
    sandbox.write("demo.paje", PLACED);
    assert_eq!(
        levels(&sandbox, &["--hierarchy-fields", "rack,node"]),
        [level("0", 1), level("rack", 2), level("node", 3), level("Task", 4), level("Thread", 2)]
    );
    assert_eq!(
        levels(&sandbox, &["--hierarchy-fields", "node"]),
        [level("0", 1), level("node", 3), level("Task", 4), level("Thread", 2)]
    );
    sandbox
        .onca(["lens", "demo.paje", "--hierarchy-fields", "cpu"])
        .expect_reason(2, "no container has a field \"cpu\"");
}

/// The expression of the documents: sites around clusters around machines, whatever the order in
/// which a name has them.
#[test]
fn levels_of_names_nest_as_there_are_fewer_of_them() {
    let sandbox = Sandbox::new();
    let hosts = ["azur-1.sophia", "azur-7.sophia", "helios-2.sophia", "paravent-3.rennes"];
    let create = |(at, host): (usize, &&str)| format!("7 0 h{at} P 0 {host}.grid5000.fr\n");
    let body: String = hosts.iter().enumerate().map(create).collect();
    sandbox.write("demo.paje", onca_testkit::fixtures::trace(&body));
    let expression = r"^(?<machine>(?<cluster>[a-z]+)-\d+)\.(?<site>[a-z]+)";
    let names = ["--hierarchy-names", expression];
    let of = |all: &[(String, u64)]| -> Vec<(String, u64)> {
        let known = ["site", "cluster", "machine"];
        all.iter().filter(|(name, _)| known.contains(&name.as_str())).cloned().collect()
    };
    let expected = [level("site", 2), level("cluster", 3), level("machine", 4)];
    assert_eq!(of(&levels(&sandbox, &names)), expected);
    let said = ["--hierarchy-levels", "site,cluster,machine"];
    assert_eq!(of(&levels(&sandbox, &[&names[..], &said].concat())), expected);
    let other = ["--hierarchy-levels", "cluster"];
    assert_eq!(of(&levels(&sandbox, &[&names[..], &other].concat())), [level("cluster", 3)]);
}

#[test]
fn colours_of_the_trace_are_used_as_the_lens_says() {
    let sandbox = Sandbox::new();
    let cyan = "6 x S run \"0 1 1\"\n6 y S wait \"0 1 1\"\n12 1 S a x\n12 2 S a y\n15 3 S a\n";
    sandbox.write("demo.paje", onca_testkit::fixtures::trace(cyan));
    let sources = |args: &[&str]| -> Vec<String> {
        let args = [&["lens", "demo.paje", "--json"], args].concat();
        let answer = sandbox.onca(args).expect(0).json();
        let values = answer["values"].as_array().expect("values").clone();
        let source = |value: &serde_json::Value| value["color_from"].as_str().map(str::to_owned);
        values.iter().filter_map(source).collect()
    };
    assert!(sources(&[]).iter().all(|source| source != "trace"));
    assert_eq!(sources(&["--trace-colors", "always"]), ["trace", "trace"]);
    assert!(sources(&["--trace-colors", "never"]).iter().all(|source| source != "trace"));
    sandbox.onca(["lens", "demo.paje", "--trace-colors", "red"]).expect(2);
    let drawn = |args: &[&str]| {
        let args = [&["render", "timeline", "demo.paje", "-o", "t.svg"], args].concat();
        sandbox.onca(args).expect(0);
        String::from_utf8(sandbox.read("t.svg")).expect("text")
    };
    assert!(drawn(&[]).contains("run and wait look alike"));
    assert!(!drawn(&["--trace-colors", "always"]).contains("look alike"));
}

/// Two machines; threads a and b of the first, c of the second. In 10 s, a runs until 6, b from 2
/// on, c always. So the first machine has 1 active thread for 6 s and 2 for 4 s.
const THREADS: &str = "\
%EventDef PajeDefineContainerType 0
% Name string
% Type string
%EndEventDef
%EventDef PajeDefineStateType 1
% Name string
% Type string
%EndEventDef
%EventDef PajeCreateContainer 2
% Time date
% Name string
% Type string
% Container string
%EndEventDef
%EventDef PajeSetState 3
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajeDestroyContainer 4
% Time date
% Name string
% Type string
%EndEventDef
0 Machine 0
0 Thread Machine
1 State Thread
2 0 first Machine 0
2 0 second Machine 0
2 0 a Thread first
2 0 b Thread first
2 0 c Thread second
3 0 State a Running
3 0 State b Blocked
3 0 State c Running
3 2 State b Running
3 6 State a Blocked
4 10 a Thread
4 10 b Thread
4 10 c Thread
4 10 first Machine
4 10 second Machine
";

const ACTIVE: &str = r#"{"version": 1, "reduce": [
  {"name": "active", "level": "Machine", "op": "count", "values": ["Running"], "as": "states"}]}"#;

#[test]
fn derived_states_are_taken_by_their_names() {
    let sandbox = Sandbox::new();
    sandbox.write("threads.paje", THREADS);
    sandbox.write("active.json", ACTIVE);
    let told = |command: &[&str]| {
        let lens = ["threads.paje", "--lens", "active.json"];
        sandbox.onca([command, &lens].concat()).expect(0).out()
    };
    let stats = told(&["stats", "--what", "values", "--types", "active", "--csv"]);
    let rows: Vec<Vec<&str>> =
        stats.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 2, "{stats}");
    for (row, expected) in
        rows.iter().zip([["1", "active", "16", "0.8", "3"], ["2", "active", "4", "0.2", "1"]])
    {
        let time: f64 = row[2].parse().expect("a time");
        let share: f64 = row[3].parse().expect("a share");
        assert_eq!([row[0], row[1], row[4]], [expected[0], expected[1], expected[4]], "{stats}");
        assert_eq!((time.to_string(), share.to_string()), (expected[2].into(), expected[3].into()));
    }
    // A share is that of the containers that have the state, whatever else there is.
    let slice = told(&["slice", "--level", "Machine"]);
    let first = slice.lines().find(|line| line.starts_with("first")).expect("the first machine");
    for share in ["( 70.0 %)", "( 30.0 %)", "( 60.0 %)", "( 40.0 %)"] {
        assert!(first.contains(share), "{slice}");
    }
    let mean = told(&["slice", "--level", "Machine", "--agg", "mean", "--values", "Running"]);
    assert!(mean.contains("first    7 ( 70.0 %)"), "{mean}");
    // One active thread of two is in the middle of the scale, in every view.
    let (one, two) = ("#757575", "#fee838");
    for view in [
        &["render", "pie", "--of", "active"][..],
        &["render", "pie", "--types", "active", "--level", "Machine"],
        &["render", "bars", "--of", "active", "--level", "Machine"],
        &["render", "treemap", "--types", "active"],
        &["render", "timeline"],
    ] {
        told(&[view, &["-o", "drawn.svg"]].concat());
        let drawn = String::from_utf8(sandbox.read("drawn.svg")).expect("text");
        assert!(drawn.contains(one) && drawn.contains(two), "{view:?}: {drawn}");
    }
    let lens = ["--lens", "active.json"];
    for wrong in [
        &["stats", "threads.paje", "--types", "actve"][..],
        &["render", "pie", "threads.paje", "--of", "actve", "-o", "x.svg"],
    ] {
        let error = sandbox.onca([wrong, &lens].concat()).expect(2).err();
        assert!(error.contains("active") && error.contains("actve"), "{error}");
    }
}

#[test]
fn a_type_is_seen_in_some_containers_only() {
    let sandbox = sandbox();
    let told = |args: &[&str]| sandbox.onca(args).expect(0).out();
    let dump = |kind: &str, more: &[&str]| {
        let lines = told(&[&["dump", "demo.paje", "--kinds", kind], more].concat());
        lines.lines().map(str::to_owned).collect::<Vec<String>>()
    };
    let field = |line: &String, at: usize| line.split(", ").nth(at).expect("a field").to_owned();
    let touches =
        |line: &String, name: &str| [7, 8].map(|at| field(line, at)).contains(&name.into());
    let links = dump("link", &[]);
    let kept = |keep: &dyn Fn(&String) -> bool| {
        links.iter().filter(|line| keep(line)).cloned().collect::<Vec<String>>()
    };
    let own = kept(&|line| touches(line, "rank-0"));
    assert!(!own.is_empty() && own.len() < links.len());
    let only = ["--types-in", "MPI_LINK=rank-0"];
    assert_eq!(dump("link", &only), own);
    assert_eq!(
        dump("link", &["--hide-types-in", "MPI_LINK=rank-0"]),
        kept(&|line| !touches(line, "rank-0"))
    );
    // Everything else stays as it is.
    assert_eq!(dump("state", &only), dump("state", &[]));
    // Counts, slices and exports see the same links, also where sums are kept by pair.
    let counted =
        told(&[&["slice", "demo.paje", "--by", "links", "--depth", "0"][..], &only].concat());
    assert!(counted.contains(&format!("{} links counted", own.len())), "{counted}");
    let matrix = told(&[&["stats", "demo.paje", "--what", "matrix", "--csv"][..], &only].concat());
    let counts = matrix
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(2).expect("a count").parse::<usize>().expect("a number"));
    assert_eq!(counts.sum::<usize>(), own.len(), "{matrix}");
    told(&[&["export", "demo.paje", "-o", "own.paje"][..], &only].concat());
    assert_eq!(sandbox.info("own.paje", 0)["counts"]["links"], own.len());
    // A lens may ask for both ends.
    let both = r#"{"version": 1, "select": {"types_in": [
        {"types": ["MPI_LINK"], "only": ["rank-[0-3]"], "both_ends": true}]}}"#;
    sandbox.write("both.json", both);
    let group = ["rank-0", "rank-1", "rank-2", "rank-3"];
    let inside = |line: &String| [7, 8].iter().all(|&at| group.contains(&&*field(line, at)));
    assert_eq!(dump("link", &["--lens", "both.json"]), kept(&inside));
    let events = dump("event", &["--types-in", "Marker=rank-1"]);
    let expected: Vec<String> =
        dump("event", &[]).into_iter().filter(|line| field(line, 1) == "rank-1").collect();
    assert_eq!(events, expected);
    let wrong = sandbox.onca(["dump", "demo.paje", "--types-in", "Nothing=rank-1"]).expect(2).err();
    assert!(wrong.contains("select.types_in[0]: there is no type"), "{wrong}");
}
