//! The starter traces of the format's description, with what must come out written by hand, and
//! the spellings and accidents that real files have.

use crate::support;

use std::io::Write;

use onca_model::display_text;
use onca_simulate::Driven;
use onca_testkit::fixtures;
use support::{Rows, canonical, read, short_rows};

/// Reads a trace, as one piece and in pieces of about a line, which must agree.
fn driven(bytes: &[u8]) -> Driven<Rows> {
    let file = tempfile::NamedTempFile::new().expect("temporary file");
    std::fs::write(file.path(), bytes).expect("write");
    let whole = read(file.path(), 1, 1 << 20);
    assert_eq!(canonical(&read(file.path(), 2, 30)), canonical(&whole));
    whole
}

/// The entities of a trace, then its problems as `! code count`, the lost records and the end.
/// The note about states that nothing closed is left out: the rows say it.
fn text(bytes: &[u8]) -> Vec<String> {
    let driven = driven(bytes);
    let mut lines = short_rows(&driven);
    for (code, tally) in driven.catalog.diagnostics.iter() {
        if code.name() != "state-open-at-end" {
            lines.push(format!("! {} {}", code.name(), tally.count));
        }
    }
    let facts = &driven.catalog.facts;
    if facts.lost > 0 {
        lines.push(format!("lost {}", facts.lost));
    }
    lines.push(format!("end {}", facts.end as f64 / facts.unit.ticks_per_unit as f64));
    lines
}

/// Asserts what the common header and body, followed by these lines, give.
#[track_caller]
fn expect(body: &[&str], expected: &[&str]) {
    let trace = fixtures::trace(&body.join("\n"));
    assert_eq!(text(trace.as_bytes()), expected, "{}", body.join("\n"));
}

// The table

#[test]
fn common_trace_is_clean() {
    expect(&[], &["end 0"]);
}

#[test]
fn set_closes_the_whole_stack() {
    expect(
        &["13 1 S a x", "13 2 S a y", "12 3 S a z", "13 4 S a w", "18 6 E a q"],
        &[
            "S A St 1-3 d0 x",
            "S A St 2-3 d1 y",
            "S A St 3-6 d0 z open",
            "S A St 4-6 d1 w open",
            "E A Ev 6 q",
            "end 6",
        ],
    );
}

#[test]
fn second_reset_does_nothing() {
    expect(
        &["13 1 S a x", "13 2 S a y", "15 3 S a", "15 4 S a", "18 7 E a q"],
        &["S A St 1-3 d0 x", "S A St 2-3 d1 y", "E A Ev 7 q", "end 7"],
    );
}

#[test]
fn pop_closes_a_set_state() {
    expect(
        &["12 1 S a x", "13 2 S a y", "14 3 S a", "14 4 S a", "18 5 E a q"],
        &["S A St 1-4 d0 x", "S A St 2-3 d1 y", "E A Ev 5 q", "end 5"],
    );
}

#[test]
fn variable_changes_at_the_same_time_merge() {
    expect(
        &["9 1 V a 5", "9 1 V a 7", "10 1 V a 1", "11 2 V a 3", "12 3 S a x"],
        &["S A St 3-3 d0 x open", "V A Var 1-2 8", "V A Var 2-3 5", "end 3"],
    );
}

#[test]
fn link_end_may_come_first() {
    expect(
        &["17 2 L 0 b v k1", "16 1 L 0 a v k1", "18 3 E a q"],
        &["E A Ev 3 q", "L 0 Lk 1-2 A>B v k1", "end 3"],
    );
}

/// PajeNG refuses a key that is used again.
#[test]
fn link_keys_are_matched_first_in_first_out() {
    expect(
        &["16 1 L 0 a v k", "16 2 L 0 a v k", "17 3 L 0 b v k", "17 4 L 0 b v k"],
        &["L 0 Lk 1-3 A>B v k", "L 0 Lk 2-4 A>B v k", "end 4"],
    );
}

/// PajeNG gives no states.
#[test]
fn destroy_written_first_is_judged_by_time() {
    expect(
        &["8 10 P a", "12 1 S a x", "12 3 S a y", "18 4 E b q"],
        &["S A St 1-3 d0 x", "S A St 3-10 d0 y open", "E B Ev 4 q", "end 10"],
    );
}

/// PajeNG ends the trace at 3, the time on the last line.
#[test]
fn end_of_trace_is_the_latest_time() {
    expect(&["18 5 E a q", "18 3 E b r"], &["E A Ev 5 q", "E B Ev 3 r", "end 5"]);
}

#[test]
fn comments_and_hashes() {
    expect(
        &["12 1 S a x # c", "12 2 S a y#z", "12 3 S a \"q#r\""],
        &["S A St 1-2 d0 x", "S A St 2-3 d0 y", "S A St 3-3 d0 q#r open", "end 3"],
    );
}

/// PajeNG 1.3.6 takes the value for a quote.
#[test]
fn empty_value() {
    expect(&["12 1 S a \"\"", "12 2 S a x"], &["S A St 1-2 d0 ", "S A St 2-2 d0 x open", "end 2"]);
}

/// PajeNG complains and drops the surplus.
#[test]
fn surplus_token_is_kept() {
    expect(
        &["12 1 S a q r", "15 2 S a"],
        &["S A St 1-2 d0 q +1=r", "! too-many-tokens 1", "end 2"],
    );
}

/// PajeNG aborts.
#[test]
fn missing_mandatory_token_costs_the_record() {
    expect(&["12 1 S a"], &["! missing-field 1", "lost 1", "end 0"]);
}

/// PajeNG aborts.
#[test]
fn value_without_colour() {
    let body = ["6 v1 S val1", "12 1 S a v1"];
    expect(&body, &["S A St 1-1 d0 val1 open", "! too-few-tokens 1", "end 1"]);
    let driven = driven(fixtures::trace(&body.join("\n")).as_bytes());
    assert_eq!(driven.catalog.values[0].color, None);
}

/// PajeNG does not know the container.
#[test]
fn container_by_name() {
    expect(&["18 2 E A q"], &["E A Ev 2 q", "! reference-by-name 1", "end 2"]);
}

/// PajeNG does not know the container type `/`.
#[test]
fn slash_is_the_root() {
    let body = ["1 Q / Q", "7 0 q Q / Q1"];
    expect(&body, &["end 0"]);
    let catalog = driven(fixtures::trace(&body.join("\n")).as_bytes()).catalog;
    let last = catalog.containers.len() - 1;
    assert_eq!(catalog.containers.names.get(last), b"Q1");
    assert_eq!(catalog.containers.parents[last].index(), 0);
    assert_eq!(catalog.type_def(catalog.containers.types[last]).parent.index(), 0);
}

/// PajeNG stops.
#[test]
fn pop_on_an_empty_stack() {
    expect(&["14 1 S a"], &["! pop-empty 1", "lost 1", "end 1"]);
}

/// PajeNG stops.
#[test]
fn add_without_value_starts_at_zero() {
    expect(
        &["10 1 V a 5", "18 2 E a q"],
        &["V A Var 1-2 5", "E A Ev 2 q", "! variable-without-value 1", "end 2"],
    );
}

/// PajeNG takes the time for 0 and says nothing.
#[test]
fn bad_time_costs_the_record() {
    expect(&["12 abc S a x"], &["! bad-number 1", "lost 1", "end 0"]);
}

#[test]
fn alias_wins_over_name() {
    let body = "1 1 0 HOST\n7 0 1 1 0 \"T\"\n7 0 2 1 0 \"1\"\n4 5 1 EV\n18 1 5 1 x\n18 2 5 2 y\n";
    let trace = fixtures::header() + body;
    assert_eq!(text(trace.as_bytes()), ["E T EV 1 x", "E 1 EV 2 y", "end 2"]);
}

// Bytes and lines

const SOME_BODY: &str = "12 1 S a x\n9 1 V a 4\n16 1 L 0 a v k\n17 2 L 0 b v k\n18 3 E b y\n";
const SOME_ROWS: [&str; 5] =
    ["S A St 1-3 d0 x open", "V A Var 1-3 4", "E B Ev 3 y", "L 0 Lk 1-2 A>B v k", "end 3"];

/// The rows of `SOME_BODY` with this problem.
fn some_rows_and(problem: &str) -> Vec<&str> {
    let mut rows = SOME_ROWS.to_vec();
    rows.insert(rows.len() - 1, problem);
    rows
}

#[test]
fn line_ends_of_windows_are_blanks() {
    let trace = fixtures::trace(SOME_BODY).replace('\n', "\r\n");
    assert_eq!(text(trace.as_bytes()), SOME_ROWS);
}

#[test]
fn byte_order_mark_is_skipped() {
    let trace = format!("\u{feff}{}", fixtures::trace(SOME_BODY));
    assert_eq!(text(trace.as_bytes()), some_rows_and("! byte-order-mark 1"));
}

#[test]
fn last_line_without_newline_counts() {
    let trace = fixtures::trace(SOME_BODY);
    // All that it names is known already: the last line is taken.
    let known = format!("{trace}18 3 E b y");
    let mut expected = some_rows_and("! truncated 1");
    expected.insert(2, "E B Ev 3 y");
    assert_eq!(text(known.as_bytes()), expected);
    // It brings a value that nothing before it names: it may be half of a word.
    assert_eq!(
        text(trace.trim_end().as_bytes()),
        [
            "S A St 1-2 d0 x open",
            "V A Var 1-2 4",
            "L 0 Lk 1-2 A>B v k",
            "! truncated 1",
            "lost 1",
            "end 2"
        ]
    );
    // A line that makes no sense is lost, and only that one.
    let cut = format!("{trace}18 4 E");
    let mut expected = some_rows_and("! missing-field 1");
    expected.splice(5.., ["! truncated 1", "lost 1", "end 3"]);
    assert_eq!(text(cut.as_bytes()), expected);
    // A comment or a blank is nothing that can be cut.
    assert_eq!(text(format!("{trace}# bye").as_bytes()), SOME_ROWS);
    assert_eq!(text(format!("{trace}  ").as_bytes()), SOME_ROWS);
}

#[test]
fn latin_1_names_are_kept_and_shown() {
    let mut trace = fixtures::trace("").into_bytes();
    trace.extend_from_slice(b"7 0 c P 0 \"caf\xe9 1\"\n18 1 E c na\xefve\n");
    assert_eq!(text(&trace), ["E caf\u{e9} 1 Ev 1 na\u{ef}ve", "end 1"]);
    let catalog = driven(&trace).catalog;
    assert_eq!(catalog.containers.names.get(3), b"caf\xe9 1");
    assert_eq!(display_text(catalog.containers.names.get(3)), "caf\u{e9} 1");
}

#[test]
fn utf_8_names_are_shown_as_such() {
    expect(&["7 0 c P 0 \"K\u{f6}ln\"", "18 1 E c x"], &["E K\u{f6}ln Ev 1 x", "end 1"]);
}

#[test]
fn nul_byte_costs_the_line() {
    expect(&["18 1 E a x\0y", "18 2 E a z"], &["E A Ev 2 z", "! nul-byte 1", "lost 1", "end 2"]);
}

#[test]
fn blanks_of_all_kinds_separate() {
    expect(
        &["\t18   1\tE \x0b a\x0c x  ", "   ", "", " \t\r", "18 2 E a y # z"],
        &["E A Ev 1 x", "E A Ev 2 y", "end 2"],
    );
}

#[test]
fn compressed_copies_are_the_same() {
    let trace = fixtures::trace(SOME_BODY);
    let gzip = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(trace.as_bytes()).expect("gzip");
        encoder.finish().expect("gzip")
    };
    assert_eq!(text(&gzip), SOME_ROWS);
    let zlib = {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(trace.as_bytes()).expect("zlib");
        encoder.finish().expect("zlib")
    };
    assert_eq!(text(&zlib), SOME_ROWS);
    // A copy that misses its checksum has all its lines.
    let driven = driven(&gzip[..gzip.len() - 4]);
    assert_eq!(short_rows(&driven), SOME_ROWS[..4]);
    assert!(driven.catalog.facts.truncated);
}

// Headers

#[test]
fn percent_signs_may_stand_apart() {
    let header = fixtures::header()
        .replace("%EventDef", "% EventDef")
        .replace("%EndEventDef", "  %\tEndEventDef")
        .replace("% Time date", "%Time\tdate # seconds");
    let trace = header + &fixtures::common_body() + SOME_BODY;
    assert_eq!(text(trace.as_bytes()), SOME_ROWS);
}

#[test]
fn trailing_blanks_and_blank_lines_in_headers() {
    let header = fixtures::header()
        .replace("%EndEventDef\n", "%EndEventDef \t\n\n# next\n   \n")
        .replace("string\n", "string  \r\n");
    let trace = header + &fixtures::common_body() + SOME_BODY;
    assert_eq!(text(trace.as_bytes()), SOME_ROWS);
}

#[test]
fn header_in_the_middle() {
    let new = fixtures::block("30", "PajeNewEvent", &["Value", "Container", "Type", "Time"]);
    expect(
        &["18 1 E a x", new.trim_end(), "30 y b E 2", "18 3 E a z"],
        &["E A Ev 1 x", "E A Ev 3 z", "E B Ev 2 y", "end 3"],
    );
}

#[test]
fn redefined_id_counts_from_there_on() {
    let again = fixtures::block("18", "PajeNewEvent", &["Value", "Container", "Type", "Time"]);
    expect(
        &["18 1 E a x", again.trim_end(), "18 y b E 2"],
        &["E A Ev 1 x", "E B Ev 2 y", "! duplicate-event-id 1", "end 2"],
    );
}

#[test]
fn thirty_user_fields() {
    let names: Vec<String> = (1..=30).map(|n| format!("User{n}")).collect();
    let mut fields = vec!["Time", "Type", "Container", "Value"];
    fields.extend(names.iter().map(String::as_str));
    let layout = fixtures::block("30", "PajePushState", &fields);
    let values: String = (1..=30).map(|n| format!(" v{n}")).collect();
    let extras: String = (1..=30).map(|n| format!(" User{n}=v{n}")).collect();
    expect(
        &[layout.trim_end(), &format!("30 1 S a x{values}"), "14 2 S a"],
        &[&format!("S A St 1-2 d0 x{extras}"), "end 2"],
    );
}

#[test]
fn several_layouts_of_one_event() {
    let valued = ["Time", "Type", "Container", "Value"];
    let other = ["Time", "Container", "Type", "Value", "Task"];
    let layouts = fixtures::block("20", "PajeSetState", &valued)
        + &fixtures::block("21", "PajeSetState", &other)
        + &fixtures::block("22", "PajeSetState", &["Value", "Time", "Type", "Container"]);
    expect(
        &[
            layouts.trim_end(),
            "12 1 S a w",
            "20 2 S a x",
            "21 3 a S y 17",
            "22 z 4 S a",
            "15 5 S a",
        ],
        &[
            "S A St 1-2 d0 w",
            "S A St 2-3 d0 x",
            "S A St 3-4 d0 y Task=17",
            "S A St 4-5 d0 z",
            "end 5",
        ],
    );
}

#[test]
fn ids_of_letters() {
    let layouts = fixtures::block("ab", "PajePushState", &["Time", "Type", "Container", "Value"])
        + &fixtures::block("ac", "PajePopState", &["Time", "Type", "Container"]);
    expect(
        &[layouts.trim_end(), "ab 1 S a x", "ac 2 S a"],
        &["S A St 1-2 d0 x", "! header-syntax 2", "end 2"],
    );
}

#[test]
fn ids_in_quotes_and_with_zeros() {
    expect(
        &["\"18\" 1 E a x", "018 2 E a y", "0018 3 E a z"],
        &["E A Ev 1 x", "E A Ev 2 y", "E A Ev 3 z", "! numeric-id-match 2", "end 3"],
    );
}

// Producers

/// SimGrid writes a comment without a newline before the first definition.
#[test]
fn definition_swallowed_by_a_comment() {
    let trace = format!("# hello# world{}{}", fixtures::header(), fixtures::common_body());
    let trace = trace + SOME_BODY;
    assert_eq!(text(trace.as_bytes()), some_rows_and("! eventdef-in-comment 1"));
}

/// poti declares the fields of a link and writes three.
#[test]
fn reset_state_of_poti() {
    let fields = ["Time", "Container", "Type", "StartContainer", "Value", "Key"];
    let layout = fixtures::block("3", "PajeResetState", &fields);
    let trace = fixtures::trace("13 0.25 S a x\n13 0.5 S a y\n") + &layout + "3 0.75 a S\n";
    assert_eq!(
        text(trace.as_bytes()),
        [
            "S A St 0.25-0.75 d0 x",
            "S A St 0.5-0.75 d1 y",
            "! duplicate-event-id 1",
            "! too-few-tokens 1",
            "end 0.75"
        ]
    );
}

/// poti writes `(null)` where there is no alias.
#[test]
fn null_is_no_alias() {
    expect(
        &["7 0 (null) P 0 C", "7 0 (null) P 0 D", "18 1 E C x", "18 2 E D y"],
        &["E C Ev 1 x", "E D Ev 2 y", "end 2"],
    );
}

/// SimGrid adds the place of the call, which the header does not declare.
#[test]
fn pop_state_of_simgrid_with_a_place() {
    let fields = ["Time", "Type", "Container", "Value", "Fname", "Lnumber"];
    let layout = fixtures::block("30", "PajePushState", &fields);
    expect(
        &[layout.trim_end(), "30 0.25 S a x \"a.c\" 4", "14 0.5 S a \"a.c\" 5 "],
        &["S A St 0.25-0.5 d0 x Fname=a.c Lnumber=4 +1=a.c +2=5", "! too-many-tokens 1", "end 0.5"],
    );
}

/// JavaTest calls the destroyed container `Container`, and types `EntityType`.
#[test]
fn destroy_container_of_javatest() {
    let layouts =
        fixtures::block("30", "PajeDestroyContainer", &["Time", "EntityType", "Container"])
            + &fixtures::block(
                "31",
                "PajePushState",
                &["Time", "EntityType", "Container", "Value"],
            );
    expect(
        &[layouts.trim_end(), "31 1 S a x", "30 2 P a", "18 3 E b q"],
        &["S A St 1-2 d0 x open", "E B Ev 3 q", "! old-field-name 3", "end 3"],
    );
}

#[test]
fn old_field_spellings() {
    let link = ["Time", "EntityType", "Container"];
    let start = [&link[..], &["SourceContainer", "Value", "Key"]].concat();
    let end = [&link[..], &["DestContainer", "Value", "Key"]].concat();
    let layouts = [
        fixtures::block("1", "PajeDefineContainerType", &["NewType", "ContainerType", "NewName"]),
        fixtures::block("2", "PajeDefineStateType", &["NewType", "ContainerType", "Name"]),
        fixtures::block(
            "5",
            "PajeDefineLinkType",
            &["Alias", "ContainerType", "SourceContainerType", "DestContainerType", "Name"],
        ),
        fixtures::block("6", "PajeDefineEntityValue", &["NewValue", "EntityType", "Name", "Color"]),
        fixtures::block(
            "7",
            "PajeCreateContainer",
            &["Time", "NewContainer", "NewContainerType", "Container", "Name"],
        ),
        fixtures::block("12", "PajeSetState", &["Time", "EntityType", "Container", "Value"]),
        fixtures::block("16", "PajeStartLink", &start),
        fixtures::block("17", "PajeEndLink", &end),
    ];
    let body = "1 P 0 Proc\n2 S P St\n5 L 0 P P Lk\n6 v S Wait \"1 0 0\"\n7 0 a P 0 A\n7 0 b P 0 B\n\
                12 1 S a v\n16 1 L 0 a m k\n17 2 L 0 b m k\n";
    let trace = layouts.concat() + body;
    assert_eq!(
        text(trace.as_bytes()),
        ["S A St 1-2 d0 Wait open", "L 0 Lk 1-2 A>B m k", "! old-field-name 17", "end 2"]
    );
}

/// An old GTG declares the name before the container type and writes them the other way round.
#[test]
fn swapped_columns_are_put_right() {
    let layout =
        fixtures::block("30", "PajeDefineVariableType", &["Alias", "Name", "ContainerType"]);
    let body = [layout.trim_end(), "30 W P Weight", "9 1 W a 2", "18 3 E a q"];
    expect(
        &body,
        &["V A Weight 1-3 2", "E A Ev 3 q", "! old-field-name 1", "! swapped-columns 1", "end 3"],
    );
}

/// GTG quotes everything, writes `%e` numbers and comments that end with `\r\n`.
#[test]
fn numbers_and_quotes_of_gtg() {
    expect(
        &[
            "#text\r",
            "7 0.0000000000000e+00 \"C_Net0\" \"P\" 0 \"Net 0\" ",
            "9 1.2500000000000e-03 \"V\" \"C_Net0\" 4.096000e+03",
            "9 2.5e-3 V C_Net0 .5",
        ],
        &["V Net 0 Var 0.00125-0.0025 4096", "V Net 0 Var 0.0025-0.0025 0.5", "end 0.0025"],
    );
}

/// StarPU ends lines with comments, and gives links at time 0 at the end.
#[test]
fn comments_and_late_links_of_starpu() {
    expect(
        &[
            "12\t1.5\tS\ta\t\"a, b (c)\"",
            "15 2 S a # end of task",
            "17 2 L 0 b v k",
            "16 0 L 0 a v k",
        ],
        &["S A St 1.5-2 d0 a, b (c)", "L 0 Lk 0-2 A>B v k", "end 2"],
    );
}

/// Records reach the same track by the alias and by the name of its type, however many tracks
/// the container has.
#[test]
fn a_container_with_many_tracks() {
    let mut body = String::new();
    for i in 0..40 {
        body += &format!("2 T{i} P Type{i}\n13 1 T{i} a x\n");
    }
    for i in (0..40).rev() {
        body += &format!("14 2 Type{i} a\n14 3 T{i} a\n");
    }
    let rows = text(fixtures::trace(&body).as_bytes());
    for i in 0..40 {
        let row = format!("S A Type{i} 1-2 d0 x");
        assert!(rows.contains(&row), "{row} is not in {rows:#?}");
    }
    // Each second pop finds nothing.
    assert!(rows.contains(&"! pop-empty 40".to_owned()), "{rows:#?}");
}

// Names of values, events of programs

#[test]
fn a_value_called_by_its_name_is_one_value() {
    expect(
        &["6 b S Blocked \"1 0 0\"", "12 1 S a b", "12 2 S a Blocked", "15 3 S a"],
        &["S A St 1-2 d0 Blocked", "S A St 2-3 d0 Blocked", "! reference-by-name 1", "end 3"],
    );
    let names = |body: &str| -> Vec<String> {
        let driven = driven(fixtures::trace(body).as_bytes());
        let values = driven.catalog.values.iter();
        values.map(|value| display_text(&value.name).into_owned()).collect()
    };
    assert_eq!(names("6 b S Blocked \"1 0 0\"\n12 1 S a b\n12 2 S a Blocked"), ["Blocked"]);
    // The definition may come after the first use.
    assert_eq!(names("12 2 S a Blocked\n6 b S Blocked \"1 0 0\"\n12 3 S a b"), ["Blocked"]);
    // An identifier always wins over a name.
    let other =
        "6 b S Blocked \"1 0 0\"\n12 1 S a Blocked\n6 Blocked S Other \"0 1 0\"\n12 2 S a Blocked";
    assert_eq!(names(other), ["Blocked", "Other"]);
    // Types do not share values.
    assert_eq!(names("6 b S Blocked \"1 0 0\"\n18 1 E a Blocked"), ["Blocked", "Blocked"]);
}

#[test]
fn events_of_the_program_are_kept_where_they_belong() {
    let sent = fixtures::block("21", "SendMessage", &["Time", "ProcId", "Receiver", "Size"]);
    let unblocked = fixtures::block("22", "Unblock", &["Time", "Container", "LineNumber"]);
    let trace = fixtures::trace(&format!(
        "{sent}{unblocked}21 3 A b 320\n21 4 nobody b 64\n22 5 b 12\n22 4.5 b 13\n"
    ));
    assert_eq!(
        text(trace.as_bytes()),
        [
            "E 0 User event 4 SendMessage ProcId=nobody Receiver=b Size=64",
            "E A User event 3 SendMessage ProcId=A Receiver=b Size=320",
            "E B User event 4.5 Unblock Container=b LineNumber=13",
            "E B User event 5 Unblock Container=b LineNumber=12",
            "! user-event 2",
            "! not-time-ordered 1",
            "end 5"
        ]
    );
}

#[test]
fn a_destruction_of_an_unknown_type_counts_if_there_is_one_such_container() {
    expect(
        &["12 1 S a x", "8 2 Nothing a", "18 3 E b q"],
        &["S A St 1-2 d0 x open", "E B Ev 3 q", "! destroy-unknown-type 1", "end 3"],
    );
    expect(&["7 0 c P 0 A", "8 2 Nothing A"], &["! unknown-type 1", "lost 1", "end 0"]);
}
