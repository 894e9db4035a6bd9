use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

/// A hierarchy as text: a line for each node, with the name of its parent.
fn dump(file: &HierarchyFile) -> Vec<String> {
    let line = |node: &HierarchyNode| {
        let kind = node.kind.as_deref().unwrap_or("-");
        let parent = node.parent.map_or("-".into(), |at| display_text(&file.nodes[at].name));
        format!("{} {kind} {parent}", display_text(&node.name))
    };
    file.nodes.iter().map(line).collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let file = read_hierarchy(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(dump(&file), expected, "{text}");
}

#[test]
fn both_notations_hold_the_same() {
    let expected = ["grid - -", "s1 Site grid", "m1 Machine s1", "m2 - s1", "s2 Site grid"];
    check(
        "{ name = grid; children = (
            { name = s1; type = Site; children = ( { type = Machine; name = m1; }, m2 ); },
            { name = s2; type = Site; children = (); }
        ); }",
        &expected,
    );
    check(
        r#"{ "name": "grid", "children": [
            { "name": "s1", "type": "Site",
              "children": [ { "type": "Machine", "name": "m1" }, "m2" ] },
            { "name": "s2", "type": "Site", "children": [] }
        ] }"#,
        &expected,
    );
}

#[test]
fn children_may_come_before_the_name() {
    check("{ children = (a, b); name = top; }", &["top - -", "a - top", "b - top"]);
    check(
        r#"{"children":[{"children":["x"],"name":"y"}],"name":"z"}"#,
        &["z - -", "y - z", "x - y"],
    );
}

#[test]
fn several_roots_stand_in_a_list() {
    check("( { name = a; }, b )", &["a - -", "b - -"]);
    check(r#"["a", {"name": "b", "type": null, "children": null}]"#, &["a - -", "b - -"]);
    check("()", &[]);
    check("[]", &[]);
}

#[test]
fn property_lists_are_lenient_where_gnustep_is() {
    check(
        "\u{feff}// x\n{ /* y = 1; */ name = node-1.site:2/3; \"type\" = \"a \\\"b\\\"\\n\\101\"; }",
        &["node-1.site:2/3 a \"b\"\nA -"],
    );
    check("{ name = x }", &["x - -"]);
    check("{ name = x; children = (a, b,); }", &["x - -", "a - x", "b - x"]);
    check("{ name = \"\\U00e9\\Ud83d\\Ude00\"; type = été; }", &["é😀 été -"]);
    check("{ \"name\" = \"a:b\"; }", &["a:b - -"]);
}

#[test]
fn json_texts_have_their_escapes() {
    check(r#"{"name": "a\"\\\/\n\u00e9\ud83d\ude00", "type": ""}"#, &["a\"\\/\né😀  -"]);
    check("\u{feff}\r\n{\r\n\"name\"\r\n:\r\n\"x\"}", &["x - -"]);
}

#[test]
fn names_of_unknown_encoding_are_kept() {
    let file = read_hierarchy(b"{ name = caf\xe9; type = \"\xe9\"; }").expect("bytes are names");
    assert_eq!(file.nodes[0].name, b"caf\xe9");
    assert_eq!(file.nodes[0].kind.as_deref(), Some("é"));
}

#[test]
fn errors_say_where_and_what() {
    let table: &[(&str, &str)] = &[
        ("", "1:1: expected a node in braces, or a list of nodes, found the end of the file"),
        ("name", "1:1: expected a node in braces, or a list of nodes, found the text \"name\""),
        ("{\n  nmae = x;\n}", "2:3: unknown key \"nmae\"; the keys are name, type, children"),
        (
            "{\"name\": \"x\",\n \"colour\": \"red\"}",
            "2:2: unknown key \"colour\"; the keys are name, type, children",
        ),
        ("{ name = a; name = b; }", "1:13: the key name is given twice"),
        ("{ name : a; }", "1:8: expected \"=\" after the key, found the text \":\""),
        ("{\"name\": \"a\", \"type\" = 1}", "1:22: unexpected \"=\""),
        ("{ name = (a); }", "1:10: expected a text as the name, found a list"),
        ("{\"name\": null}", "1:10: expected a text as the name, found null"),
        ("{\"name\": 3}", "1:10: unexpected \"3\"; texts are in quotes"),
        ("{ name = a; type = {}; }", "1:20: expected a text as the type, found \"{\""),
        ("{ name = a; children = b; }", "1:24: expected a list of children, found the text \"b\""),
        ("{ name = a type = b; }", "1:12: expected \";\" or \"}\", found the text \"type\""),
        ("{ name = a; children = (a b); }", "1:27: expected \",\" or \")\", found the text \"b\""),
        (
            "{\"name\": \"a\" \"type\": \"b\"}",
            "1:14: expected \",\" or \"}\", found the text \"type\"",
        ),
        ("{\"name\": \"a\",}", "1:13: a comma after the last value"),
        ("[\"a\",]", "1:5: a comma after the last value"),
        ("( a, (b) )", "1:6: expected a node, a name, or the end of the list, found a list"),
        ("( { type = a; } )", "1:3: the node that begins here has no name"),
        ("{}", "1:1: the node that begins here has no name"),
        ("{ name = a; children = (\n {name = b;", "2:2: the \"{\" here is never closed"),
        ("{ name = a; children = ( a", "1:24: the list that begins here is never closed"),
        ("{ name = a", "1:1: the \"{\" here is never closed"),
        ("{ name = \"a; }", "1:10: the text that begins here has no end"),
        ("{ name = a; /* }", "1:13: the comment that begins here has no end \"*/\""),
        ("{ name = \"a\\q\"; }", "1:12: unknown escape; write \\\\ for a backslash"),
        ("{\"name\": \"\\ud800x\"}", "1:11: unknown escape; write \\\\ for a backslash"),
        ("{ name = a; } b", "1:15: expected the end of the file, found the text \"b\""),
        ("{ name = <0f>; }", "1:10: unexpected \"<\""),
    ];
    for (text, expected) in table {
        let error = read_hierarchy(text.as_bytes()).expect_err(text).to_string();
        assert_eq!(error, *expected, "{text}");
    }
}

#[test]
fn depth_has_a_limit() {
    let chain = |n: usize| {
        let open = "{\"name\":\"x\",\"children\":[".repeat(n);
        open + &"]}".repeat(n)
    };
    let file = read_hierarchy(chain(MAX_DEPTH / 2).as_bytes()).expect("just within");
    assert_eq!(file.nodes.len(), MAX_DEPTH / 2);
    let error = read_hierarchy(chain(MAX_DEPTH / 2 + 1).as_bytes()).expect_err("too deep");
    assert_eq!(error.message, "nested more than 1024 deep");
    let error = read_hierarchy("(".repeat(1_000_000).as_bytes()).expect_err("lists of lists");
    assert_eq!((error.line, error.column), (1, 2));
    let open = "{name=x;children=(".repeat(100_000);
    assert!(read_hierarchy(open.as_bytes()).is_err());
}

/// A random tree in depth-first order, as reading gives it.
fn random_tree(rng: &mut impl Rng) -> HierarchyFile {
    let names: [&[u8]; 5] = [b"m", b"a \"b\"", b"\\", "é\n".as_bytes(), b"{;,)]"];
    let mut path: Vec<usize> = Vec::new();
    let mut nodes = Vec::new();
    for i in 0..rng.random_range(1..20) {
        let depth = if path.is_empty() { 0 } else { rng.random_range(1..=path.len()) };
        path.truncate(depth);
        let name = [names[rng.random_range(0..names.len())], i.to_string().as_bytes()].concat();
        let kind = rng.random_bool(0.5).then(|| format!("T{}", path.len()));
        nodes.push(HierarchyNode { name, kind, parent: path.last().copied() });
        path.push(i);
    }
    HierarchyFile { nodes }
}

fn write(tree: &HierarchyFile, at: usize, json: bool, rng: &mut ChaCha8Rng) -> String {
    let blank = |rng: &mut ChaCha8Rng| {
        let blanks = [" ", "\n", "", if json { "\t" } else { "/* ; */ // }\n" }];
        blanks[rng.random_range(0..blanks.len())]
    };
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
    };
    let node = &tree.nodes[at];
    let children: Vec<String> = (at + 1..tree.nodes.len())
        .filter(|&child| tree.nodes[child].parent == Some(at))
        .map(|child| write(tree, child, json, rng))
        .collect();
    let (assign, end, open, close) = if json { (":", ",", "[", "]") } else { ("=", ";", "(", ")") };
    let mut entries = vec![("name", text(&node.name))];
    entries.extend(node.kind.as_ref().map(|kind| ("type", text(kind.as_bytes()))));
    entries.push(("children", format!("{open}{}{}{close}", blank(rng), children.join(","))));
    let entry = |(key, value): (&str, String)| {
        let (a, b, c) = (blank(rng), blank(rng), blank(rng));
        format!("{a}\"{key}\"{b}{assign}{c}{value}")
    };
    let entries: Vec<String> = entries.into_iter().map(entry).collect();
    format!("{{{}}}", entries.join(end))
}

#[test]
fn what_is_written_is_read_back_and_damage_never_panics() {
    let bytes = b"{}()[];,=:\"\\/* \nau\xff";
    for seed in 0..2000 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let tree = random_tree(&mut rng);
        let text = write(&tree, 0, seed % 2 == 0, &mut rng);
        assert_eq!(read_hierarchy(text.as_bytes()), Ok(tree), "seed {seed}:\n{text}");
        let mut damaged = text.into_bytes();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..damaged.len());
            damaged[at] = bytes[rng.random_range(0..bytes.len())];
        }
        if let Err(error) = read_hierarchy(&damaged) {
            let n_lines = damaged.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
            assert!((1..=n_lines).contains(&error.line), "seed {seed}: {error}");
        }
    }
}
