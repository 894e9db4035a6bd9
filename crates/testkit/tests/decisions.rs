//! Points that the format leaves open, and damaged input.

use onca_testkit::{Trace, fixtures, interpret};

fn run(body: &str) -> Trace {
    interpret(fixtures::trace(body).as_bytes())
}

/// The lines of one kind of the canonical text, blanks instead of tabs.
fn lines(trace: &Trace, kind: &str) -> Vec<String> {
    trace
        .to_text()
        .lines()
        .filter(|line| line.split('\t').next() == Some(kind))
        .map(|line| line.replace('\t', " "))
        .collect()
}

/// Asserts the diagnostics and the number of lost records.
#[track_caller]
fn expect(body: &str, codes: &[(&str, u64)], lost: u64) -> Trace {
    let trace = run(body);
    assert_eq!(trace.problems(), codes, "{body}");
    assert_eq!(trace.lost, lost, "{body}");
    trace
}

#[test]
fn byte_level_variants_change_nothing() {
    let plain = fixtures::trace("12 1 S a x\n18 2 E b y\n");
    let expected = interpret(plain.as_bytes()).to_text();
    let crlf = plain.replace('\n', "\r\n");
    assert_eq!(interpret(crlf.as_bytes()).to_text(), expected);
    let marked = format!("\u{feff}{plain}");
    assert_eq!(interpret(marked.as_bytes()).to_text(), expected);
    let spaced = plain.replace("%EventDef", " %\tEventDef").replace('\n', " \x0b\n");
    assert_eq!(interpret(spaced.as_bytes()).to_text(), expected);
}

#[test]
fn a_line_without_newline_counts_if_all_that_it_names_is_known() {
    let known = fixtures::trace("18 1 E b y\n18 2 E b y");
    let trace = interpret(known.trim_end().as_bytes());
    assert_eq!((trace.problems(), trace.lost), (vec![("truncated", 1)], 0));
    assert_eq!(lines(&trace, "E").len(), 2);
    let new = fixtures::trace("18 1 E b y\n18 2 E b yy");
    let trace = interpret(new.trim_end().as_bytes());
    assert_eq!((trace.problems(), trace.lost), (vec![("truncated", 1)], 1));
    assert_eq!(lines(&trace, "E").len(), 1);
}

#[test]
fn empty_traces() {
    for text in ["", "\n", "# only a comment", "%EventDef PajeSetState 1\n%EndEventDef\n"] {
        let trace = interpret(text.as_bytes());
        assert_eq!(trace.problems(), [("empty-trace", 1)], "{text}");
        assert_eq!((trace.records, trace.end), (0, 0));
    }
}

#[test]
fn nul_byte_skips_the_line() {
    let trace = expect("12 1 S a x\0y\n# \0\n", &[("nul-byte", 2)], 1);
    assert!(trace.states.is_empty());
}

#[test]
fn retries_on_a_wrong_count() {
    let trace = expect("12 1 S a \"q\\\" r\"\n", &[("escaped-quote", 1)], 0);
    assert_eq!(trace.value_name(0), b"q\" r");
    let trace = expect("12 1 S a#b x\n", &[("hash-in-word", 1), ("unknown-container", 1)], 1);
    assert!(trace.states.is_empty());
    // A hash at the end of a word starts a comment in any case.
    expect("12 1 S a# x\n", &[("missing-field", 1)], 1);
    // The count fits, so the backslash stays.
    let trace = expect("12 1 S a \"q\\\"\n", &[], 0);
    assert_eq!(trace.value_name(0), b"q\\");
    expect("12 1 S a \"q r\n", &[("unterminated-string", 1)], 0);
}

#[test]
fn ids() {
    let trace = expect(
        "012 1 S a x\n99 1 S a x\n\"12\" 2 S a y\n",
        &[("numeric-id-match", 1), ("unknown-event-id", 1)],
        1,
    );
    assert_eq!(trace.states.len(), 2);
}

#[test]
fn times() {
    let trace = expect("18 1.0000000005 E a x\n", &[("time-rounded", 1)], 0);
    assert_eq!(trace.end, 1_000_000_000);
    expect("18 inf E a x\n18 -nan E a x\n", &[("non-finite-time", 2)], 2);
    expect("18 1e30 E a x\n18 1,5 E a x\n", &[("bad-number", 2)], 2);
    let trace = expect(
        "9 1 V a inf\n9 2 V a 0x10\n9 3 V a z\n",
        &[("bad-number", 1), ("non-finite-variable", 1)],
        1,
    );
    assert_eq!(
        lines(&trace, "V"),
        ["V 1 3 1000000000 2000000000 inf -", "V 1 3 2000000000 2000000000 16.0 -",]
    );
}

#[test]
fn out_of_order_records_give_the_same_model() {
    let sorted = run("13 1 S a x\n13 2 S a y\n14 3 S a\n14 4 S a\n9 1 V a 1\n10 2 V a 1\n");
    let mixed = run("14 4 S a\n13 2 S a y\n10 2 V a 1\n13 1 S a x\n14 3 S a\n9 1 V a 1\n");
    assert_eq!(mixed.problems(), [("not-time-ordered", 4)]);
    for kind in ["S", "V", "end", "lost"] {
        assert_eq!(lines(&sorted, kind), lines(&mixed, kind));
    }
}

#[test]
fn records_after_destroy() {
    let trace = expect(
        "12 1 S a x\n9 1 V a 4\n8 5 P a\n12 5 S a y\n13 6 S a z\n10 7 V a 1\n14 8 S a\n14 9 S a\n",
        &[("after-destroy", 4), ("pop-empty", 1), ("variable-without-value", 1)],
        1,
    );
    assert_eq!(
        lines(&trace, "S"),
        [
            "S 1 2 1000000000 5000000000 0 x closed -",
            "S 1 2 5000000000 5000000000 0 y open -",
            "S 1 2 6000000000 8000000000 0 z closed -",
        ]
    );
    assert_eq!(
        lines(&trace, "V"),
        ["V 1 3 1000000000 5000000000 4.0 -", "V 1 3 7000000000 9000000000 1.0 -",]
    );
    assert_eq!(trace.containers[1].end, 5_000_000_000);
}

#[test]
fn destroy_reaches_all_descendants() {
    let trace = expect(
        "1 Q P Q\n7 1 q Q a Q1\n7 1 r Q a Q2\n8 2 Q q\n8 3 P a\n8 4 P a\n7 5 s Q a Q3\n18 -1 E b x\n",
        &[("after-destroy", 1), ("before-creation", 1), ("destroy-twice", 1)],
        1,
    );
    let ends: Vec<i64> = trace.containers.iter().map(|item| item.end / 1_000_000_000).collect();
    assert_eq!(ends, [5, 3, 5, 2, 3, 5]);
    // Destroying the root ends everything that still lives.
    let trace = run("8 4 0 0\n12 1 S a x\n18 9 E b y\n");
    assert_eq!(trace.containers[0].end, 4_000_000_000);
    assert_eq!(trace.containers[2].end, 4_000_000_000);
    assert_eq!(trace.problems(), [("after-destroy", 1)]);
}

#[test]
fn container_alias_reuse() {
    expect("7 1 a P 0 A2\n", &[("duplicate-container", 1)], 1);
    let trace = expect(
        "1 Q 0 Q\n7 1 a Q 0 A2\n18 1 E b x\n8 3 P a\n7 4 a P 0 A3\n18 2 E a y\n18 5 E a z\n",
        &[("type-not-of-container", 1)],
        0,
    );
    // At time 2 the instance of type Q is the newest that lives; at time 5 it is A3.
    assert_eq!(
        lines(&trace, "E"),
        ["E 2 4 1000000000 x -", "E 3 4 2000000000 y -", "E 4 4 5000000000 z -",]
    );
    assert_eq!(trace.containers[1].destroyed, Some(3_000_000_000));
}

#[test]
fn type_definitions() {
    expect("2 S P St\n", &[], 0);
    expect("2 S P Other\n4 S P St\n", &[("duplicate-type", 2)], 2);
    // Only the identifier is reserved: PajeNG's own examples have a container that is named 0.
    expect("1 0 0 X\n1 X 0 0\n7 0 c P 0 0\n", &[("reserved-name", 1)], 1);
    expect("2 X nope X\n7 0 c P nope C\n", &[("unknown-parent", 2)], 2);
    expect("7 0 c nope 0 C\n5 M 0 P nope M\n", &[("unknown-type", 2)], 2);
    expect("2 X S X\n12 1 E a x\n12 1 0 a x\n", &[("wrong-nature", 3)], 3);
    let trace = expect("3 W Weight P \"0 1 0\"\n9 1 W a 2\n", &[("swapped-columns", 1)], 0);
    assert_eq!(trace.types[6].name, b"Weight");
    expect("3 W P Weight red\n", &[("bad-color", 1)], 0);
    expect("1 N1 0 N\n1 N2 0 N\n7 0 c N 0 C\n", &[("ambiguous-name", 1)], 1);
    expect("2 (null) P Bare\n12 1 Bare a x\n2 \"\" P Empty\n12 1 Empty a x\n", &[], 0);
}

#[test]
fn same_type_alias_under_two_parents() {
    let trace = expect("1 Q 0 Q\n7 0 q Q 0 Q1\n2 S Q St\n12 1 S q x\n12 1 S a y\n", &[], 0);
    assert_eq!(
        lines(&trace, "S"),
        ["S 1 2 1000000000 1000000000 0 y open -", "S 3 7 1000000000 1000000000 0 x open -",]
    );
}

#[test]
fn values() {
    let trace = expect(
        "12 1 S a v\n6 v S First \"1 0 0\"\n6 v S First \"1 0 0\"\n6 v S Second \"0 1 0\"\n12 2 S a Second\n",
        &[("duplicate-value", 1), ("reference-by-name", 1)],
        0,
    );
    // A value that is called by its name is the one that has the name.
    assert_eq!(trace.states[0].value, 0);
    assert_eq!(trace.states[1].value, 0);
    assert_eq!(trace.value_name(0), b"Second");
    expect(
        "6 v P X \"1 0 0\"\n6 v V X \"1 0 0\"\n6 v 0 X \"1 0 0\"\n",
        &[("value-on-container-or-variable-type", 3)],
        3,
    );
}

#[test]
fn link_oddities() {
    let trace = expect(
        "16 1 L 0 a v k\n16 1 L 0 a w k\n17 2 L 0 b w k\n17 3 L 0 b u k\n",
        &[("link-value-mismatch", 1)],
        0,
    );
    assert_eq!(
        lines(&trace, "L"),
        ["L 0 5 1000000000 2000000000 w 1 2 k -", "L 0 5 1000000000 3000000000 v 1 2 k -",]
    );
    let trace = expect(
        "17 1 L 0 b v k\n16 2 L 0 a v k\n16 3 L 0 a v j\n17 4 L 0 b v i\n",
        &[("link-negative-duration", 1), ("link-unmatched", 2)],
        0,
    );
    assert_eq!(
        lines(&trace, "L"),
        [
            "L 0 5 2000000000 1000000000 v 1 2 k -",
            "L 0 5 3000000000 ? v 1 ? j -",
            "L 0 5 ? 4000000000 v ? 2 i -",
        ]
    );
    expect(
        "1 Q 0 Q\n7 0 q Q 0 Q1\n16 1 L 0 q v k\n17 2 L b b v k\n",
        &[("link-end-type-mismatch", 1), ("link-unmatched", 2), ("type-not-of-container", 1)],
        0,
    );
}

#[test]
fn user_fields() {
    let layouts =
        fixtures::block(
            "30",
            "PajePushState",
            &["Time", "Type", "Container", "Value", "Size", "File", "Key"],
        ) + &fixtures::block("31", "PajePopState", &["Time", "Type", "Container", "Value"]);
    let trace = run(&format!(
        "{layouts}30 1 S a x 17 \"f g.c\" k\n31 2 S a done \"a.c\" 4\n30 3 S a y \"\"\n"
    ));
    assert_eq!(trace.problems(), [("too-few-tokens", 1), ("too-many-tokens", 1)]);
    assert_eq!(
        lines(&trace, "S"),
        [
            "S 1 2 1000000000 2000000000 0 x closed \
         Size=17;File=f\\x20g.c;Key=k;Value=done;+1=a.c;+2=4",
            "S 1 2 3000000000 3000000000 0 y open Size=\\e",
        ]
    );
}

#[test]
fn old_spellings() {
    let layouts = fixtures::block("30", "PajeDestroyContainer", &["Time", "Type", "Container"])
        + &fixtures::block("31", "PajeSetState", &["Time", "EntityType", "Container", "Value"])
        + &fixtures::block(
            "32",
            "PajeSetState",
            &["Time", "EntityType", "Type", "Container", "Value"],
        );
    let trace = run(&format!("{layouts}31 1 S a x\n32 2 other S a y\n30 3 P a\n"));
    assert_eq!(trace.problems(), [("duplicate-field", 1), ("old-field-name", 3)]);
    assert_eq!(
        lines(&trace, "S"),
        [
            "S 1 2 1000000000 2000000000 0 x closed -",
            "S 1 2 2000000000 3000000000 0 y open EntityType=other",
        ]
    );
}

#[test]
fn header_faults() {
    let faults = |header: &str| {
        let trace = run(header);
        trace
            .problems()
            .into_iter()
            .map(|(code, count)| (code.to_string(), count))
            .collect::<Vec<_>>()
    };
    let one = |code: &str| vec![(code.to_string(), 1)];
    assert_eq!(faults("%\n"), one("header-syntax"));
    assert_eq!(faults("%EndEventDef\n"), one("header-syntax"));
    assert_eq!(faults("% Time date\n"), one("header-syntax"));
    assert_eq!(faults("%EventDef PajeX 40\n%EndEventDef\n"), one("unknown-event-name"));
    assert_eq!(
        faults("%EventDef PajeStartTrace 40\n% A foo\n%EndEventDef\n40 x\n"),
        one("unknown-field-type")
    );
    assert_eq!(faults("%EventDef PajeSetState 40\n% A int\n"), one("header-syntax"));
    assert_eq!(faults("%EventDef PajeSetState 40\n% A\n%EndEventDef\n"), one("header-syntax"));
    assert_eq!(faults("%EventDef PajeSetState 40 x\n%EndEventDef\n"), one("header-syntax"));
    assert_eq!(faults("%EventDef PajeSetState 12\n%EndEventDef\n"), one("duplicate-event-id"));
    let twice = "%EventDef PajeStartTrace 40\n% A int\n%EndEventDef\n".repeat(2);
    assert_eq!(faults(&twice), one("repeated-event-id"));
    assert_eq!(
        faults("%EventDef PajeSetState 40\n%EndEventDef\n40 1 S a x\n"),
        one("missing-mandatory-field")
    );
    assert_eq!(
        faults(
            "# note%EventDef PajePopState 40\n% Time date\n% Type string\n% Container string\n%EndEventDef\n40 1 S a\n"
        ),
        [("eventdef-in-comment".to_string(), 1), ("pop-empty".to_string(), 1)]
    );
    // A record inside a complete block closes it and is read.
    let trace = run(
        "%EventDef PajeNewEvent 40\n% Time date\n% Type string\n% Container string\n% Value string\n40 1 E a x\n",
    );
    assert_eq!(trace.problems(), [("header-syntax", 1)]);
    assert_eq!(trace.events.len(), 1);
}

#[test]
fn records_of_unknown_events_are_lost() {
    let trace = run("%EventDef PajeX 40\n% A int\n%EndEventDef\n40 1\n40 2 3 4\n");
    assert_eq!(trace.problems(), [("unknown-event-name", 1)]);
    assert_eq!(trace.lost, 2);
}

#[test]
fn part_files_are_reported() {
    let layouts = fixtures::block("40", "PajeTraceFile", &["Container", "Type", "Filename"])
        + &fixtures::block(
            "41",
            "PajeCreateContainer",
            &["Time", "Name", "Type", "Container", "FileName"],
        );
    let trace = run(&format!("{layouts}40 a P x.trace\n41 0 C P 0 c.ept\n41 0 D P 0 d.txt\n"));
    assert_eq!(trace.problems(), [("missing-part-file", 2)]);
    assert_eq!(trace.lost, 2);
    assert_eq!(
        lines(&trace, "C")[3..],
        ["C 3 0 1 C ? 0 0 FileName=c.ept", "C 4 0 1 D ? 0 0 FileName=d.txt",]
    );
}

#[test]
fn deep_nesting() {
    let mut body = String::new();
    for index in 0..100_000 {
        body += "13 1 S a x\n";
        let parent = if index == 0 { "a".to_string() } else { format!("c{}", index - 1) };
        body += &format!("7 1 c{index} P {parent} C\n");
    }
    body += "8 2 P a\n";
    let trace = run(&body);
    assert_eq!(trace.states.iter().map(|state| state.depth).max(), Some(99_999));
    assert!(trace.containers[3..].iter().all(|item| item.end == 2_000_000_000));
}
