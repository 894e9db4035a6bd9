//! Records that are hostile, wrong or too large.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};

use onca_testkit::fixtures;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use onca_testkit::sandbox::{Sandbox, diagnostic, same_text, tallies};

/// Names with everything that could drive a terminal, wherever a name can stand.
#[test]
fn control_characters_never_reach_a_terminal() {
    let sandbox = Sandbox::new();
    let evil = "\u{1b}[31m\u{7}\u{8}\u{9b}2J\u{7f}";
    let header = fixtures::header()
        + &fixtures::block(
            "30",
            "PajeNewEvent",
            &["Time", "Type", "Container", "Value", &format!("F{evil}")],
        )
        + &fixtures::block("31", &format!("PajeNo{evil}"), &["Time"])
        + &fixtures::block(
            "32",
            "PajeCreateContainer",
            &["Time", "Alias", "Type", "Container", "Name", "Filename"],
        )
        + &format!("%EventDef PajeNewEvent 33\n% Time kind{evil}\n% Line{evil}\n%EndEventDef\n");
    let body = format!(
        "1 P{evil} 0 Proc{evil}\n\
         2 S{evil} P{evil} St{evil}\n\
         4 E{evil} P{evil} Ev{evil}\n\
         5 L{evil} 0 P{evil} P{evil} Lk{evil}\n\
         6 v{evil} S{evil} value{evil} colour{evil}\n\
         7 0 c{evil} P{evil} 0 name{evil}\n\
         32 0 d{evil} P{evil} 0 other{evil} missing{evil}.ept\n\
         13 1 S{evil} c{evil} v{evil}\n\
         13 2 S{evil} name{evil} w{evil}\n\
         30 3 E{evil} c{evil} e{evil} x{evil}\n\
         18 4{evil} E{evil} c{evil} e\n\
         18 4 T{evil} c{evil} e\n\
         18 4 E{evil} nobody{evil} e\n\
         18 4 E{evil} c{evil} surplus a{evil} b{evil}\n\
         16 5 L{evil} 0 c{evil} w{evil} k{evil}\n\
         14 6 E{evil} c{evil}\n\
         99{evil} 1\n31 1\n33 1 2\n\
         1 P{evil} 0 Again{evil}\n\
         18 7 E{evil} c{evil} \"open{evil}\n"
    );
    let latin = b"18 8 E nobody\x9b31m caf\xe9\x9b\x07\n";
    sandbox.write("t.paje", [(header + &body).as_bytes(), latin].concat());
    for args in [
        &["info", "t.paje"][..],
        &["validate", "t.paje"],
        &["info", "--json", "t.paje"],
        &["validate", "--json", "t.paje"],
        &["info", "--strict", "t.paje"],
        &["index", "--force", "--strict", "t.paje"],
    ] {
        let run = sandbox.onca(args);
        for (stream, text) in [("output", &run.stdout), ("error", &run.stderr)] {
            let text = std::str::from_utf8(text).expect("UTF-8");
            let raw = text.lines().find(|line| line.chars().any(char::is_control));
            // JSON may hold a delete or C1 character unescaped; terminals are not its readers.
            if let Some(line) = raw.filter(|_| !args.contains(&"--json")) {
                panic!("{args:?}: standard {stream} has control characters: {line:?}");
            }
        }
    }
}

#[test]
fn a_storm_of_errors_is_counted_not_printed() {
    let sandbox = Sandbox::new();
    let bad = "18 oops E a q\n18 1 NOTYPE a q\n18 1 E nobody q\n99 1 2 3\n18 1 E\n";
    sandbox.write("t.paje", fixtures::trace(&(bad.repeat(40_000) + "18 2 E a fine\n")));
    let run = sandbox.onca(["validate", "t.paje"]).expect(1);
    let said = run.stdout.len() + run.stderr.len();
    assert!(said < 1_000_000, "{said} bytes of messages");
    assert!(run.out().contains("(200,000 records lost); 200,008 records"), "{}", run.out());
    let answer = sandbox.onca(["validate", "--json", "t.paje"]).expect(1).json();
    assert_eq!(
        tallies(&answer),
        [
            "bad-number error 40000",
            "missing-field error 40000",
            "unknown-container error 40000",
            "unknown-event-id error 40000",
            "unknown-type error 40000",
        ]
    );
    let rows = sandbox.onca(["dump", "--kinds", "event", "t.paje"]).expect(1).out();
    assert_eq!(rows, "Event, A, Ev, 2.000000000, fine\n");
}

#[test]
fn times_that_are_no_times_are_counted_and_never_answered() {
    let sandbox = Sandbox::new();
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let forms = [
        "nan", "-nan", "inf", "-inf", "infinity", "1e400", "-1e400", "abc", "1,5", "0x10", "1e",
        "--1", "-1", "-0",
    ];
    let records = [
        |time: &str| format!("18 {time} E a q\n"),
        |time: &str| format!("12 {time} S a x\n"),
        |time: &str| format!("9 {time} V a 1\n"),
        |time: &str| format!("7 {time} c P 0 C\n"),
    ];
    for round in 0..12 {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        let mut body = String::from("18 1 E b first\n");
        for _ in 0..30 {
            let form = forms[random.random_range(0..forms.len())];
            // Only events may stand at -1 and -0 without other consequences.
            let legal = matches!(form, "-1" | "-0");
            let record = records[if legal { 0 } else { random.random_range(0..records.len()) }];
            body += &record(form);
            match form {
                "-1" | "-0" => *counts.entry("legal").or_default() += 1,
                "abc" | "1,5" | "0x10" | "1e" | "--1" => {
                    *counts.entry("bad-number").or_default() += 1
                }
                _ => *counts.entry("not finite").or_default() += 1,
            }
        }
        body += "18 9 E b last\n";
        sandbox.write("t.paje", fixtures::trace(&body));
        let count = |what: &str| counts.get(what).copied().unwrap_or(0);
        let lost = count("bad-number") + count("not finite");
        let text = sandbox.onca(["info", "--json", "t.paje"]).expect(i32::from(lost > 0));
        let info = text.json();
        let tally = |code: &str| {
            diagnostic(&info, code).map_or(0, |found| found["count"].as_u64().unwrap_or(0))
        };
        assert_eq!(info["lost"], lost, "round {round}: {body}");
        assert_eq!(tally("bad-number") + tally("non-finite-time"), lost, "round {round}: {body}");
        assert!(tally("bad-number") >= count("bad-number"), "round {round}: {info:#}");
        assert_eq!(info["counts"]["events"], 2 + count("legal"), "round {round}: {body}");
        assert_eq!(info["end"], 9.0, "round {round}");
        // A number that JSON cannot hold would have become null.
        for field in ["start", "end", "start_ticks", "end_ticks"] {
            assert!(info[field].is_number(), "round {round}: {field} in {info:#}");
        }
    }
}

#[test]
fn times_too_large_for_nanoseconds_are_exact_all_the_same() {
    let sandbox = Sandbox::new();
    let body = "18 1700000000000000000 E a q\n18 1700000000000000001 E a r\n12 3 S b x\n";
    sandbox.write("t.paje", fixtures::trace(body));
    let info = sandbox.info("t.paje", 0);
    let per_unit = info["unit"]["ticks_per_unit"].as_i64().expect("a number");
    assert!((1..1_000_000_000).contains(&per_unit), "{per_unit}");
    let end = 1_700_000_000_000_000_001_i64 * per_unit;
    assert_eq!(info["end_ticks"], end, "{per_unit} ticks per unit");
    let text = sandbox.onca(["dump", "--json", "--kinds", "event", "t.paje"]).expect(0).out();
    let ticks: Vec<i64> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .map(|row| row["time_ticks"].as_i64().expect("a number"))
        .collect();
    assert_eq!(ticks, [end - per_unit, end]);
    // Nine billion units and a half still have a digit after the point.
    sandbox.write("u.paje", fixtures::trace("18 10000000000.5 E a q\n"));
    let rows = sandbox.onca(["dump", "--kinds", "event", "u.paje"]).expect(0).out();
    assert!(rows.starts_with("Event, A, Ev, 10000000000.5"), "{rows}");
}

#[test]
fn giant_lines_and_names_are_skipped() {
    let sandbox = Sandbox::new();
    let file = std::fs::File::create(sandbox.path("t.paje")).expect("a file");
    let mut out = BufWriter::new(file);
    let mut put = |bytes: &[u8]| out.write_all(bytes).expect("written");
    put(fixtures::trace("18 1 E a before\n18 2 E a ").as_bytes().trim_ascii_end());
    let megabyte = [b'x'; 1 << 20];
    put(b" ");
    (0..70).for_each(|_| put(&megabyte));
    put(b"\n18 3 E a between\n18 4 E a ");
    (0..2).for_each(|_| put(&megabyte));
    put(b"\n18 5 E a after\n");
    out.flush().expect("written");
    drop(out);
    let run = sandbox.onca(["dump", "--kinds", "event", "t.paje"]).expect(1);
    let expected = "\
Event, A, Ev, 1.000000000, before
Event, A, Ev, 3.000000000, between
Event, A, Ev, 5.000000000, after
";
    same_text(&run.stdout, expected.as_bytes(), "events around what is too long");
    let info = sandbox.info("t.paje", 1);
    assert_eq!(tallies(&info), ["line-too-long error 2"]);
    assert_eq!(info["lost"], 2);
}
