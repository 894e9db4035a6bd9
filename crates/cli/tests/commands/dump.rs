//! `onca dump`: exact rows, and those of pj_dump.

use onca_testkit::fixtures;

use super::{CLEAN_ROWS, clean_trace};
use onca_testkit::sandbox::{Sandbox, same_text};

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
