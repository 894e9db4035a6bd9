//! `render`: pictures from the command line.

use onca_testkit::fixtures;
use onca_testkit::sandbox::Sandbox;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", fixtures::table_4_2());
    sandbox
}

const VIEWS: [&str; 11] = [
    "timeline",
    "treemap",
    "overview",
    "pie",
    "bars",
    "matrix",
    "commgram",
    "histogram",
    "concurrency",
    "efficiency",
    "flame",
];

#[test]
fn every_view_in_every_format_and_twice_the_same() {
    let sandbox = sandbox();
    for view in VIEWS {
        for (format, magic) in [("svg", "<svg"), ("png", "\u{89}PNG"), ("pdf", "%PDF")] {
            let draw = |name: &str| {
                let file = format!("{name}.{format}");
                sandbox.onca(["render", view, "t.paje", "-o", &file]).expect(0);
                sandbox.read(&file)
            };
            let first = draw("first");
            let head: String = first.iter().take(16).map(|&byte| char::from(byte)).collect();
            assert!(head.starts_with(magic), "{view} {format}: {head:?}");
            assert!(first == draw("second"), "{view} as {format} differs from run to run");
        }
    }
}

#[test]
fn a_picture_has_the_size_that_was_asked_for() {
    let sandbox = sandbox();
    let flags = ["--width", "90mm", "--height", "200", "--scale", "3", "--theme", "dark"];
    let run = [&["render", "bars", "t.paje", "-o", "b.png"][..], &flags[..]].concat();
    sandbox.onca(run).expect(0);
    let png = sandbox.read("b.png");
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    // 90 mm are 340.157 pixels of 1/96 inch.
    assert!((1020..=1021).contains(&side(16)), "{}", side(16));
    assert_eq!(side(20), 600);
}

#[test]
fn titles_and_captions_are_told() {
    let sandbox = sandbox();
    let plain = sandbox.onca(["render", "pie", "t.paje", "-o", "-"]).expect(0).out();
    assert!(plain.contains("t.paje · onca "), "{plain}");
    let flags = ["render", "pie", "t.paje", "--no-caption", "--title", "a <b> & c", "-o", "-"];
    let titled = sandbox.onca(flags).expect(0).out();
    assert!(titled.contains("a &lt;b> &amp; c") || titled.contains("a &lt;b&gt; &amp; c"));
    assert!(!titled.contains("t.paje"), "{titled}");
}

#[test]
fn a_report_needs_nothing_else() {
    let sandbox = sandbox();
    sandbox.onca(["render", "page", "t.paje", "-o", "r.html"]).expect(0);
    let page = String::from_utf8(sandbox.read("r.html")).expect("text");
    for heading in ["Overview", "Timeline", "Treemap", "Communication", "Statistics", "Disruptions"]
    {
        assert!(page.contains(&format!("<h2>{heading}</h2>")), "{heading}");
    }
    assert!(!page.contains("<script"));
    for source in [" src=\"", " href=\""] {
        let targets = page.split(source).skip(1);
        for target in targets {
            assert!(target.starts_with('#') || target.starts_with("data:"), "{}", &target[..20]);
        }
    }
}

#[test]
fn a_report_leaves_out_what_is_too_large_and_says_so() {
    let sandbox = Sandbox::new();
    let containers = (0..2_000).map(|n| format!("7 0 c{n} P 0 c{n}\n"));
    let states = (0..2_000).map(|n| format!("12 1 S c{n} v{}\n", n % 600));
    sandbox.write("t.paje", fixtures::trace(&containers.chain(states).collect::<String>()));
    sandbox.onca(["render", "page", "t.paje", "-o", "r.html"]).expect(0);
    let page = String::from_utf8(sandbox.read("r.html")).expect("text");
    let why = "There is no picture: 2002 containers with 600 values in 30 slices are more than";
    assert_eq!(page.matches(why).count(), 1);
    let why = "There is nothing to compare: 2002 containers with 600 values in 100 slices";
    assert_eq!(page.matches(why).count(), 1);
    assert!(page.contains("<h2>Statistics</h2>"));
    // On its own it is an error.
    let alone = sandbox.onca(["render", "overview", "t.paje", "-o", "o.svg"]).expect(3);
    assert!(alone.err().contains("take fewer slices"), "{}", alone.err());
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let sandbox = sandbox();
    sandbox.write("links.paje", fixtures::trace("13 0 S a compute\n14 2 S a\n"));
    let cases: [(&[&str], &str); 9] = [
        (&["render", "pie", "t.paje", "-o", "p.gif"], "must end in .svg, .png or .pdf"),
        (&["render", "pie", "t.paje", "-o", "p.svg", "--width", "3 parsecs"], "no unit of length"),
        (&["render", "pie", "t.paje", "-o", "p.svg", "--width", "1"], "from 40 to"),
        (&["render", "pie", "t.paje", "-o", "p.png", "--scale", "0"], "factor"),
        (&["render", "pie", "t.paje", "-o", "p.svg", "--level", "Moon"], "Moon"),
        (&["render", "matrix", "links.paje", "-o", "m.svg"], "links"),
        (&["render", "treemap", "t.paje", "-o", "m.svg", "--p", "0.5"], "--cut optimal"),
        (&["render", "flame", "t.paje", "-o", "p.svg", "--inside", "Moon"], "Moon"),
        (&["render", "pie", "t.paje", "-o", "nowhere/p.svg"], "nowhere"),
    ];
    for (arguments, message) in cases {
        let run = sandbox.onca(arguments).expect(2);
        assert!(run.err().contains(message), "{arguments:?}: {}", run.err());
        assert!(
            !sandbox.path("p.svg").exists() && !sandbox.path("m.svg").exists(),
            "{arguments:?}"
        );
    }
}

#[test]
fn matrices_and_tables_of_messages_are_drawn_without_a_trace() {
    let sandbox = sandbox();
    let matrix = r#"{"parent": [2, 2, -1], "leaves": [0, 1],
        "values": [[[1, 0, 0, 1]], [[0, 1, 1, 0]]], "names": ["left", "right", "all"]}"#;
    sandbox.write("m.json", matrix);
    sandbox.write("m.csv", "source,destination,start,end,size\nann,bob,0,1,5\nbob,ann,3,4,5\n");
    let drawn =
        |args: &[&str]| sandbox.onca([&["render"], args, &["-o", "-"]].concat()).expect(0).out();
    let overview = drawn(&["overview", "--cube", "m.json"]);
    for text in [">left<", ">right<", ">slice<", "m.json"] {
        assert!(overview.contains(text), "{text}");
    }
    let messages = drawn(&["commgram", "--messages", "m.csv"]);
    assert!(messages.contains("ann") && messages.contains("m.csv"), "{messages}");
    let refused = |args: &[&str], why: &str| {
        let run = sandbox.onca([&["render"], args, &["-o", "-"]].concat()).expect(2);
        assert!(run.err().contains(why), "{}", run.err());
    };
    refused(&["overview", "t.paje", "--cube", "m.json"], "cannot be used with");
    refused(&["overview"], "TRACE");
    refused(
        &["overview", "--cube", "m.json", "--axis", "space"],
        "m.json: a matrix without a trace",
    );
    refused(&["overview", "--cube", "m.csv"], "m.csv: this is no JSON");
    refused(&["overview", "--cube", "none.json"], "none.json: ");
    refused(&["commgram", "--messages", "m.json"], "m.json: line 2: ");
    refused(&["overview", "t.paje", "--areas", "grid", "--axis", "time"], "take both axes");
}

/// The losses of the picture are those of the partitions; the fixed grid has the depth and the width that it must have.
#[test]
fn partitions_are_compared_with_their_losses() {
    let sandbox = sandbox();
    // One leaf changes after a slice, the other never.
    let matrix =
        r#"{"parent": [2, 2, -1], "leaves": [0, 1], "values": [[[4, 0, 0, 0]], [[1, 1, 1, 1]]]}"#;
    sandbox.write("m.json", matrix);
    let run =
        ["render", "overview", "--cube", "m.json", "--p", "0.01", "--areas", "all", "-o", "-"];
    let svg = sandbox.onca(run).expect(0).out();
    // The optimum hides nothing. Of grids with three areas, columns of 1, 1 and 2 slices lose least:
    // 4 and 1, 0 and 1 (a bit), and 0, 0, 1 and 1 (two bits).
    let first = 4.0 * 2.0 - 5.0 * 5f64.log2() + 5.0;
    let lost = first + 1.0 + 2.0;
    let rounded = format!("({lost:.2} bits)");
    for text in ["optimum: 3 areas, 0.0 % lost (0 bits)", "fixed grid: 3 areas, ", &rounded] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
}
