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
