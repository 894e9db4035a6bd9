//! Every command with hand-written traces: exact rows, exact fields, exact exit codes.

mod support;

use std::io::{Read, Write};
use std::process::Stdio;

use onca_testkit::fixtures;
use support::{Run, STORE_FILES, Sandbox, diagnostic, names_in, same_text, tallies};

/// A trace with one entity of each kind; nothing in it is worth more than a note.
fn clean_trace() -> String {
    fixtures::trace(
        "12 1 S a x\n\
         13 2.5 S a y\n\
         14 3 S a\n\
         15 4 S a\n\
         9 1 V a 0.1\n\
         16 1 L 0 a v k\n\
         17 3 L 0 b v k\n\
         18 6 E a \"q,r\"\n",
    )
}

const CLEAN_ROWS: &str = "\
Container, 0, 0, 0.000000000, 6.000000000, 6.000000000, 0
Link, 0, Lk, 1.000000000, 3.000000000, 2.000000000, v, A, B, k
Container, 0, Proc, 0.000000000, 6.000000000, 6.000000000, B
Container, 0, Proc, 0.000000000, 6.000000000, 6.000000000, A
Event, A, Ev, 6.000000000, \"q,r\"
State, A, St, 1.000000000, 4.000000000, 3.000000000, 0, x
State, A, St, 2.500000000, 3.000000000, 0.500000000, 1, y
Variable, A, Var, 1.000000000, 6.000000000, 5.000000000, 0.1
";

/// Two records without effect and a repaired one; line 124 is the first after the common body.
fn lossy_trace() -> String {
    fixtures::trace(
        "13 1 S a x\n\
         14 2 S a\n\
         14 3 S a\n\
         18 5 E A q\n\
         18 abc E a q\n",
    )
}

/// The line on which the text that was given to `fixtures::trace` begins.
fn first_line() -> usize {
    (fixtures::header() + &fixtures::common_body()).lines().count() + 1
}

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
fn info_as_text_tells_what_is_there() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", clean_trace());
    let text = sandbox.onca(["info", "t.paje"]).expect(0).out();
    for part in [
        "0.000000000 to 6.000000000 s, duration 6.000000000 (unit assumed)",
        "records      15\n",
        "3 containers, 2 states, 1 link, 1 event, 1 variable interval",
        "Proc (container): 2",
        "St (state): 2",
        "Lk (link, Proc to Proc): 1",
        "2 Proc: A, B",
    ] {
        assert!(text.contains(part), "expected {part:?} in\n{text}");
    }
    assert!(!text.contains("problems"), "a clean trace has none:\n{text}");

    let in_ms = sandbox.onca(["info", "--unit", "ms", "-"]).expect(0);
    assert!(in_ms.out().contains(" ms, duration"), "{}", in_ms.out());
}

#[test]
fn info_as_json_has_the_fields_that_programs_rely_on() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", clean_trace());
    let info = sandbox.info("t.paje", 0);
    assert_eq!(info["records"], 15);
    assert_eq!(info["start"], 0.0);
    assert_eq!(info["end"], 6.0);
    assert_eq!(info["lost"], 0);
    assert_eq!(
        info["counts"],
        serde_json::json!({"containers": 3, "states": 2, "links": 1, "events": 1, "variables": 1})
    );
    assert_eq!(tallies(&info), Vec::<String>::new());

    sandbox.write("lossy.paje", lossy_trace());
    let info = sandbox.info("lossy.paje", 1);
    assert_eq!(info["lost"], 2);
    assert_eq!(info["records"], 12);
    assert_eq!(
        tallies(&info),
        ["bad-number error 1", "pop-empty warning 1", "reference-by-name warning 1"]
    );
    let line = first_line();
    for (code, line, column) in [
        ("pop-empty", line + 2, 1),
        ("reference-by-name", line + 3, 8),
        ("bad-number", line + 4, 4),
    ] {
        let found = diagnostic(&info, code).expect("counted");
        assert_eq!(
            (&found["line"], &found["column"], &found["file"]),
            (&line.into(), &column.into(), &"lossy.paje".into()),
            "{found:#}"
        );
    }
}

#[test]
fn validate_ends_as_the_trace_deserves() {
    let sandbox = Sandbox::new();
    sandbox.write("clean.paje", clean_trace());
    // A warning, but the record counts.
    sandbox.write("repaired.paje", fixtures::trace("18 2 E A q\n"));
    sandbox.write("lossy.paje", lossy_trace());

    for (trace, plain, strict) in
        [("clean.paje", 0, 0), ("repaired.paje", 0, 1), ("lossy.paje", 1, 1)]
    {
        sandbox.onca(["validate", trace]).expect(plain);
        sandbox.onca(["validate", "--strict", trace]).expect(strict);
        let answer = sandbox.onca(["validate", "--json", trace]).expect(plain).json();
        assert_eq!(answer["valid"], plain == 0, "{trace}: {answer:#}");
    }
    // It writes nothing.
    sandbox.expect_only(&["clean.paje", "lossy.paje", "repaired.paje"]);

    let line = first_line();
    let text = sandbox.onca(["validate", "lossy.paje"]).expect(1).out();
    let expected = format!(
        "lossy.paje:{}:1: warning[pop-empty]: PajePopState: state stack of type \"St\" in container \"A\" is empty; ignored\n",
        line + 2
    );
    assert!(text.starts_with(&expected), "expected first: {expected}found:\n{text}");
    assert!(
        text.ends_with("1 error, 2 warnings in lossy.paje (2 records lost); 12 records\n"),
        "{text}"
    );
}

#[test]
fn validate_lists_a_few_of_each_kind_and_counts_the_rest() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", fixtures::trace(&"14 1 S a\n".repeat(1_234)));
    let text = sandbox.onca(["validate", "t.paje"]).expect(1).out();
    assert_eq!(text.matches("warning[pop-empty]: PajePopState").count(), 5, "{text}");
    assert!(text.contains("warning[pop-empty]: 1,229 more\n"), "{text}");
}

#[test]
fn other_commands_stop_at_the_first_problem_when_strict() {
    let sandbox = Sandbox::new();
    sandbox.write("lossy.paje", lossy_trace());
    sandbox.write("repaired.paje", fixtures::trace("18 2 E A q\n18 abc E a q\n"));
    let line = first_line();
    for command in ["info", "dump", "index"] {
        for (trace, place) in [
            ("lossy.paje", format!("lossy.paje:{}:1: fatal[pop-empty]: ", line + 2)),
            ("repaired.paje", format!("repaired.paje:{line}:8: fatal[reference-by-name]: ")),
        ] {
            let run = sandbox.onca([command, "--strict", trace]).expect(2);
            assert!(
                run.err().starts_with(&place),
                "{command}: expected {place}, found {}",
                run.err()
            );
            assert!(run.stdout.is_empty(), "{command}: {}", run.out());
        }
    }
    // No store of an interrupted reading stays, nor anything else.
    sandbox.expect_only(&["lossy.paje", "repaired.paje"]);

    // A store that exists already knows its problems.
    sandbox.onca(["index", "lossy.paje"]).expect(1);
    let run = sandbox.onca(["dump", "--strict", "lossy.paje"]).expect(2);
    assert!(
        run.err().starts_with(&format!("lossy.paje:{}:1: fatal[pop-empty]: ", line + 2)),
        "{}",
        run.err()
    );
}

#[test]
fn dump_gives_exact_rows() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", clean_trace());
    let run = sandbox.onca(["dump", "t.paje"]).expect(0);
    same_text(&run.stdout, CLEAN_ROWS.as_bytes(), "dump");
    assert_eq!(run.err(), "");
    // The store itself answers the same.
    let run = sandbox.onca(["dump", "t.paje.onca"]).expect(0);
    same_text(&run.stdout, CLEAN_ROWS.as_bytes(), "dump of the store");
    sandbox.expect_only(&["t.paje", "t.paje.onca"]);
}

#[test]
fn dump_selects_by_kind_and_time_and_names_columns() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", clean_trace());
    let dump = |args: &[&str]| {
        let run = sandbox.onca([&["dump", "t.paje"], args].concat()).expect(0);
        run.out()
    };
    let rows = |kinds: &[&str]| -> String {
        let wanted = |row: &&str| kinds.iter().any(|kind| row.starts_with(kind));
        CLEAN_ROWS.lines().filter(wanted).map(|row| format!("{row}\n")).collect()
    };
    assert_eq!(dump(&["--kinds", "state"]), rows(&["State"]));
    assert_eq!(dump(&["--kinds", "state,link"]), rows(&["State", "Link"]));
    assert_eq!(dump(&["--kinds", "event", "--kinds", "variable"]), rows(&["Event", "Variable"]));
    // The window is half open: y begins at 2.5. The event is at 6, the last instant of the trace:
    // a window that reaches there holds it.
    assert_eq!(dump(&["--kinds", "state", "--to", "2.5"]).lines().count(), 1);
    assert_eq!(dump(&["--kinds", "state", "--from", "2.5", "--to", "2.6"]).lines().count(), 2);
    assert_eq!(dump(&["--kinds", "state", "--from", "4"]), "");
    assert_eq!(dump(&["--kinds", "event", "--to", "5.999"]), "");
    assert_eq!(dump(&["--kinds", "event", "--to", "6"]), rows(&["Event"]));
    assert_eq!(dump(&["--kinds", "event", "--from", "6"]), rows(&["Event"]));
    assert_eq!(dump(&["--kinds", "event,state,link", "--from", "-5", "--to", "-1"]), "");
    assert_eq!(
        dump(&["--header", "--kinds", "container,link"]),
        format!(
            "#Container, parent, type, start, end, duration, name\n\
             #Link, owner, type, start, end, duration, value, source, destination, key\n{}",
            rows(&["Container", "Link"])
        )
    );
}

#[test]
fn dump_as_json_has_one_object_a_row() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", clean_trace());
    let text = sandbox.onca(["dump", "--json", "t.paje"]).expect(0).out();
    let rows: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(rows.len(), CLEAN_ROWS.lines().count(), "{text}");
    let state = rows.iter().find(|row| row["value"] == "y").expect("a state");
    assert_eq!(
        state,
        &serde_json::json!({
            "kind": "state", "container": "A", "type": "St", "value": "y", "depth": 1,
            "start": 2.5, "start_ticks": 2_500_000_000_i64,
            "end": 3.0, "end_ticks": 3_000_000_000_i64,
            "duration": 0.5, "duration_ticks": 500_000_000_i64,
        })
    );
}

#[test]
fn dump_quotes_what_would_end_a_field_and_keeps_extra_fields() {
    let sandbox = Sandbox::new();
    let header = fixtures::header()
        + &fixtures::block(
            "30",
            "PajeNewEvent",
            &["Time", "Type", "Container", "Value", "Size", "Line"],
        );
    let body =
        "30 1 E a plain 4096 12\n30 2 E a \"c, d\" \"1,5\" 13\n30 3 E a 'q 1 2\n18 4 E a q\"r\n";
    sandbox.write("t.paje", header + &fixtures::common_body() + body);
    let text = sandbox.onca(["dump", "--kinds", "event", "t.paje"]).expect(0).out();
    let expected = "\
Event, A, Ev, 1.000000000, plain, 4096, 12
Event, A, Ev, 2.000000000, \"c, d\", \"1,5\", 13
Event, A, Ev, 3.000000000, 'q, 1, 2
Event, A, Ev, 4.000000000, \"q\"\"r\"
";
    same_text(text.as_bytes(), expected.as_bytes(), "rows with extra fields");
    // pj_dump quotes nothing and leaves out the fields whose names it knows.
    let text =
        sandbox.onca(["dump", "--kinds", "event", "--pj-dump-compat", "t.paje"]).expect(0).out();
    let expected = "\
Event, A, Ev, 1.000000000, plain, 4096
Event, A, Ev, 2.000000000, c, d, 1,5
Event, A, Ev, 3.000000000, 'q, 1
Event, A, Ev, 4.000000000, q\"r
";
    same_text(text.as_bytes(), expected.as_bytes(), "rows of pj_dump with extra fields");
}

/// Containers come in reverse order of identifiers, where "10" is before "9"; container rows
/// have six digits; a variable passes through 32-bit numbers and is then added up in 64;
/// the trace ends at the time on its last line although an event is later.
#[test]
fn compatible_dump_reproduces_pj_dump() {
    let sandbox = Sandbox::new();
    let body = "\
1 P 0 Proc
1 Q P Thread
2 S P St
3 V P Var \"1 0 0\"
4 E P Ev
5 L 0 P P Lk
6 w S working \"1 0 0\"
7 0.25 10 P 0 ten
7 0.5 9 P 0 nine
7 1234567.25 t1 Q 9 thr
12 1 S 9 w
13 2 S 9 deep
14 3.5 S 9
9 1 V 10 0.1
10 2 V 10 16777217
16 1.5 L 0 9 v k1
17 2.25 L 0 10 v k1
18 3 E 9 \"a, b\"
8 4 P 9
18 5.5 E 10 late
12 3 S 10 open
";
    sandbox.write("t.paje", fixtures::header() + body);
    let expected = "\
Container, 0, 0, 0, 3, 3, 0
Link, 0, Lk, 1.500000000, 2.250000000, 0.750000000, v, nine, ten, k1
Container, 0, Proc, 0.5, 4, 3.5, nine
Event, nine, Ev, 3.000000000, a, b
State, nine, St, 1.000000000, 4.000000000, 3.000000000, 0.000000000, working
State, nine, St, 2.000000000, 3.500000000, 1.500000000, 1.000000000, deep
Container, nine, Thread, 1.23457e+06, 4, -1.23456e+06, thr
Container, 0, Proc, 0.25, 3, 2.75, ten
Event, ten, Ev, 5.500000000, late
State, ten, St, 3.000000000, 3.000000000, 0.000000000, 0.000000000, open
Variable, ten, Var, 1.000000000, 2.000000000, 1.000000000, 0.100000001
Variable, ten, Var, 2.000000000, 3.000000000, 1.000000000, 16777216.100000001
";
    let run = sandbox.onca(["dump", "--pj-dump-compat", "t.paje"]).expect(0);
    same_text(&run.stdout, expected.as_bytes(), "rows of pj_dump");
    // A second reading for the sake of 32-bit numbers leaves nothing behind.
    sandbox.expect_only(&["t.paje", "t.paje.onca"]);
    let run =
        sandbox.onca_reading(&sandbox.read("t.paje"), &["dump", "--pj-dump-compat", "-"]).expect(0);
    same_text(&run.stdout, expected.as_bytes(), "rows of pj_dump from standard input");
}

/// Open entities end at the last line's time, even before they start; of the entities of one
/// track that start at or after it only the first is printed.
#[test]
fn compatible_dump_ends_with_the_last_line() {
    let sandbox = Sandbox::new();
    let body = "\
12 1 S a x
18 5 E a q
18 7 E a r
18 8 E a s
12 2 S b y
9 4 V b 3
18 3 E b z
";
    sandbox.write("t.paje", fixtures::trace(body));
    let compatible = "\
Container, 0, 0, 0, 3, 3, 0
Container, 0, Proc, 0, 3, 3, B
Event, B, Ev, 3.000000000, z
State, B, St, 2.000000000, 3.000000000, 1.000000000, 0.000000000, y
Variable, B, Var, 4.000000000, 3.000000000, -1.000000000, 3.000000000
Container, 0, Proc, 0, 3, 3, A
Event, A, Ev, 5.000000000, q
State, A, St, 1.000000000, 3.000000000, 2.000000000, 0.000000000, x
";
    let exact = "\
Container, 0, 0, 0.000000000, 8.000000000, 8.000000000, 0
Container, 0, Proc, 0.000000000, 8.000000000, 8.000000000, B
Event, B, Ev, 3.000000000, z
State, B, St, 2.000000000, 8.000000000, 6.000000000, 0, y
Variable, B, Var, 4.000000000, 8.000000000, 4.000000000, 3
Container, 0, Proc, 0.000000000, 8.000000000, 8.000000000, A
Event, A, Ev, 5.000000000, q
Event, A, Ev, 7.000000000, r
Event, A, Ev, 8.000000000, s
State, A, St, 1.000000000, 8.000000000, 7.000000000, 0, x
";
    let run = sandbox.onca(["dump", "--pj-dump-compat", "t.paje"]).expect(0);
    same_text(&run.stdout, compatible.as_bytes(), "rows of pj_dump");
    let run = sandbox.onca(["dump", "t.paje"]).expect(0);
    same_text(&run.stdout, exact.as_bytes(), "exact rows");
}

#[test]
fn index_builds_once_and_again_when_forced() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", clean_trace());
    let first = sandbox.onca(["index", "t.paje"]).expect(0).out();
    assert!(first.starts_with("t.paje.onca: 15 records, "), "{first}");
    assert_eq!(names_in(&sandbox.path("t.paje.onca")), {
        let mut names = STORE_FILES.map(str::to_owned);
        names.sort();
        names
    });
    let second = sandbox.onca(["index", "t.paje"]).expect(0).out();
    assert!(second.contains("up to date"), "{second}");
    let forced = sandbox.onca(["index", "--force", "--memory", "64M", "t.paje"]).expect(0).out();
    assert!(forced.starts_with("t.paje.onca: 15 records, "), "{forced}");

    let answer = sandbox.onca(["index", "--json", "t.paje"]).expect(0).json();
    assert_eq!((&answer["built"], &answer["records"]), (&false.into(), &15.into()), "{answer:#}");
    let answer = sandbox.onca(["index", "--json", "--force", "t.paje"]).expect(0).json();
    let length = clean_trace().len();
    assert_eq!(
        (&answer["built"], &answer["source_bytes"], &answer["lost"], &answer["store"]),
        (&true.into(), &length.into(), &0.into(), &"t.paje.onca".into()),
        "{answer:#}"
    );
    sandbox.expect_only(&["t.paje", "t.paje.onca"]);
}

#[test]
fn index_puts_the_store_where_it_is_told_and_overwrites_nothing_else() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", clean_trace());
    sandbox.onca(["index", "t.paje", "-o", "other.onca"]).expect(0);
    same_text(
        &sandbox.onca(["dump", "other.onca"]).expect(0).stdout,
        CLEAN_ROWS.as_bytes(),
        "dump",
    );
    sandbox.onca_reading(clean_trace().as_bytes(), &["index", "-", "-o", "stream.onca"]).expect(0);
    same_text(
        &sandbox.onca(["dump", "stream.onca"]).expect(0).stdout,
        CLEAN_ROWS.as_bytes(),
        "dump",
    );
    sandbox.onca_reading(clean_trace().as_bytes(), &["index", "-"]).expect_reason(2, "-o");

    std::fs::create_dir(sandbox.path("letters")).expect("a folder");
    sandbox.write("letters/mine.txt", "dear\n");
    sandbox.write("file", "mine too\n");
    for force in [&[][..], &["--force"]] {
        for place in ["letters", "file"] {
            let args = [&["index", "t.paje", "-o", place], force].concat();
            sandbox.onca(args).expect_reason(2, place);
        }
    }
    // A file in a store that is not the store's is not thrown away either.
    sandbox.write("other.onca/mine.txt", "dear\n");
    sandbox.onca(["index", "--force", "t.paje", "-o", "other.onca"]).expect_reason(2, "other.onca");
    assert_eq!(sandbox.read("letters/mine.txt"), b"dear\n");
    assert_eq!(sandbox.read("other.onca/mine.txt"), b"dear\n");
    assert_eq!(sandbox.read("file"), b"mine too\n");
    sandbox.expect_only(&["file", "letters", "other.onca", "stream.onca", "t.paje"]);
}

#[test]
fn stores_are_listed_verified_and_removed() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", clean_trace());
    sandbox.onca(["store", "verify", "t.paje"]).expect_reason(2, "t.paje has no store");
    sandbox.onca(["store", "rm", "t.paje"]).expect_reason(2, "t.paje has no store");
    sandbox.onca(["store", "list"]).expect(0);
    sandbox.onca(["index", "t.paje"]).expect(0);

    let list = sandbox.onca(["store", "list", "--json"]).expect(0).json();
    let stores = list["stores"].as_array().expect("a list");
    assert_eq!(stores.len(), 1, "{list:#}");
    assert_eq!(stores[0]["status"], "fresh", "{list:#}");
    let trace = sandbox.path("t.paje").display().to_string();
    assert_eq!(stores[0]["trace"], trace.as_str(), "the store knows the full path of its trace");
    let text = sandbox.onca(["store", "list", "."]).expect(0).out();
    assert!(text.contains("fresh") && text.contains("t.paje.onca"), "{text}");

    for name in ["t.paje", "t.paje.onca"] {
        let text = sandbox.onca(["store", "verify", name]).expect(0).out();
        assert!(text.starts_with("t.paje.onca: good, 5 rows in "), "{text}");
    }
    sandbox.write("t.paje", clean_trace() + "18 7 E a q\n");
    let answer = sandbox.onca(["store", "verify", "--json", "t.paje"]).expect(0).json();
    assert_eq!(answer["stores"][0]["status"], "stale", "{answer:#}");

    std::fs::create_dir(sandbox.path("letters")).expect("a folder");
    sandbox.write("letters/mine.txt", "dear\n");
    sandbox.onca(["store", "rm", "letters"]).expect(2);
    assert_eq!(sandbox.read("letters/mine.txt"), b"dear\n");
    sandbox.onca(["store", "verify", "letters"]).expect(1);

    sandbox.onca(["store", "rm", "t.paje"]).expect(0);
    sandbox.expect_only(&["letters", "t.paje"]);
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
fn shells_and_manuals_are_served() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish"] {
        let text = sandbox.onca(["completions", shell]).expect(0).out();
        assert!(text.contains("validate"), "{shell}: {text}");
    }
    let page = sandbox.onca(["man"]).expect(0).out();
    assert!(page.contains(".TH onca 1"), "{page}");
    sandbox.onca(["man", "-o", "pages"]).expect(0);
    let pages = names_in(&sandbox.path("pages"));
    assert!(pages.iter().any(|page| page == "onca-dump.1"), "{pages:?}");
    assert!(sandbox.onca(["--version"]).expect(0).out().starts_with("onca "));
    assert!(sandbox.onca(["--help"]).expect(0).out().contains("Exit status"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", clean_trace());
    std::fs::create_dir(sandbox.path("folder")).expect("a folder");
    for args in [
        &[][..],
        &["no-such-command"],
        &["info"],
        &["dump", "t.paje", "--kinds", "smell"],
        &["dump", "t.paje", "--from", "noon"],
        &["dump", "t.paje", "--pj-dump-compat", "--json"],
        &["dump", "t.paje", "--memory", "2 parsecs"],
        &["completions", "no-such-shell"],
        &["store"],
    ] {
        sandbox.onca(args).expect(2);
    }
    for command in ["info", "validate", "dump", "index"] {
        sandbox.onca([command, "absent.paje"]).expect_reason(2, "absent.paje");
        sandbox.onca([command, "folder"]).expect_reason(2, "folder");
    }
    sandbox.onca(["store", "verify", "absent.paje"]).expect_reason(2, "absent.paje");
    // Something that is no trace at all is one that lost everything, not a crash.
    sandbox.write("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    sandbox.onca(["validate", "picture.png"]).expect(1);
    sandbox.expect_only(&["folder", "picture.png", "t.paje"]);
}

#[test]
fn an_empty_trace_is_a_warning() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", "");
    let answer = sandbox.onca(["validate", "--json", "t.paje"]).expect(0).json();
    assert_eq!(tallies(&answer), ["empty-trace warning 1"]);
    sandbox.onca(["validate", "--strict", "t.paje"]).expect(1);
    let rows = sandbox.onca(["dump", "t.paje"]).expect(0).out();
    assert_eq!(rows, "Container, 0, 0, 0.000000000, 0.000000000, 0.000000000, 0\n");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let sandbox = Sandbox::new();
    // More rows than a pipe holds, so that the program does write into the closed pipe.
    sandbox
        .onca(["generate", "hierarchy", "--levels", "Site:40,Machine:100", "-o", "t.paje"])
        .expect(0);
    sandbox.onca(["index", "t.paje"]).expect(0);
    for args in [
        &["dump", "t.paje"][..],
        &["dump", "--json", "t.paje"],
        &["generate", "hierarchy", "--levels", "Site:40,Machine:100"],
    ] {
        let mut command = sandbox.command();
        command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("a running program");
        let mut out = child.stdout.take().expect("a pipe");
        let mut first = [0; 100];
        out.read_exact(&mut first).expect("the first bytes");
        drop(out);
        let output = child.wait_with_output().expect("an end");
        let run = Run::checked(format!("{args:?} into a closed pipe"), output).expect(0);
        assert_eq!(run.err(), "", "{args:?}");
    }
}

#[test]
fn standard_input_is_a_trace_too() {
    let sandbox = Sandbox::new();
    let run = sandbox.onca_reading(clean_trace().as_bytes(), &["dump", "-"]).expect(0);
    same_text(&run.stdout, CLEAN_ROWS.as_bytes(), "dump of standard input");
    let answer =
        sandbox.onca_reading(lossy_trace().as_bytes(), &["info", "--json", "-"]).expect(1).json();
    assert_eq!(answer["lost"], 2, "{answer:#}");
    sandbox.onca_reading(lossy_trace().as_bytes(), &["validate", "-"]).expect(1);
    // Records that are out of order need a second reading, of what cannot be read twice.
    let unsorted = fixtures::trace("12 3 S a later\n12 1 S a sooner\n18 5 E a q\n");
    let run =
        sandbox.onca_reading(unsorted.as_bytes(), &["dump", "--kinds", "state", "-"]).expect(0);
    let expected = "\
State, A, St, 1.000000000, 3.000000000, 2.000000000, 0, sooner
State, A, St, 3.000000000, 5.000000000, 2.000000000, 0, later
";
    same_text(&run.stdout, expected.as_bytes(), "sorted states");
    sandbox.expect_only(&[]);
}

#[test]
fn compressed_and_foreign_copies_give_the_same_rows() {
    let sandbox = Sandbox::new();
    let text = clean_trace();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(text.as_bytes()).expect("compressed");
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    zlib.write_all(text.as_bytes()).expect("compressed");
    let copies: [(&str, Vec<u8>, &[&str]); 6] = [
        ("t.paje.gz", gzip.finish().expect("compressed"), &[]),
        ("t.paje.z", zlib.finish().expect("compressed"), &[]),
        ("t.paje.zst", zstd::encode_all(text.as_bytes(), 3).expect("compressed"), &[]),
        ("crlf.paje", text.replace('\n', "\r\n").into_bytes(), &[]),
        ("bom.paje", [b"\xef\xbb\xbf", text.as_bytes()].concat(), &["byte-order-mark note 1"]),
        ("no-newline.paje", text.trim_end().as_bytes().to_vec(), &["truncated warning 1"]),
    ];
    for (name, bytes, problems) in copies {
        sandbox.write(name, &bytes);
        let run = sandbox.onca(["dump", name]).expect(0);
        same_text(&run.stdout, CLEAN_ROWS.as_bytes(), name);
        let from_pipe = sandbox.onca_reading(&bytes, &["dump", "-"]).expect(0);
        same_text(&from_pipe.stdout, CLEAN_ROWS.as_bytes(), name);
        assert_eq!(tallies(&sandbox.info(name, 0)), problems, "{name}");
    }
}
