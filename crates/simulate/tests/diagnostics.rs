//! Every kind of problem that a Pajé trace can have: how often it is counted, where it is said
//! to be, what it costs, and whether strict reading stops there.

use crate::support;

use std::path::PathBuf;

use onca_model::{Code, Diagnostic, MAX_SAMPLES, Severity, Strictness, Tally};
use onca_simulate::{DriveError, DriveOptions, Driven};
use onca_testkit::{fixtures, interpret};
use support::{Rows, try_read};

/// Codes that no Pajé trace can give.
const UNREACHABLE: [Code; 25] = [
    // All compressions that are recognised are decoded. A stream that is damaged is `truncated`,
    // and other binary content is no Pajé trace at all.
    Code::CompressedInput,
    // Only strict reading tells them; they have tests of their own.
    Code::LinkKeyReused,
    Code::UndefinedValue,
    Code::FieldNotOfType,
    // Only of a trace that is read while it is written: `follow.rs` has tests of it.
    Code::LateRecord,
    // Of repairs: `repair.rs` has tests of them.
    Code::LinkRepairable,
    Code::LinkRepaired,
    Code::LinkRepairAmbiguous,
    // OTF2 archives: `otf2_archives.rs` has a test of each.
    Code::DamagedRecord,
    Code::UnknownRecord,
    Code::UnknownDefinition,
    Code::UnknownRank,
    Code::LeaveOtherRegion,
    Code::OutsideArchive,
    Code::UnknownClock,
    Code::UnsynchronisedClocks,
    // Chrome trace events: `chrome.rs` has a test of each.
    Code::JsonSyntax,
    Code::UnknownPhase,
    Code::PhaseNotRead,
    Code::NegativeDuration,
    Code::SliceOverlap,
    Code::SliceClipped,
    // Paraver: `paraver.rs` has a test of it.
    Code::RecordNotRead,
    // Traces of onca-trace: `onct.rs` has a test of each.
    Code::DroppedRecords,
    Code::MixedRuns,
];

/// The name of the trace's own file, for traces that name themselves.
const FILE: &str = "self.trace";

/// A tiny trace with one kind of problem.
struct Case {
    code: Code,
    trace: Vec<u8>,
    count: u64,
    /// The first place; 0 for none.
    line: u64,
    /// The column of the first place, where there is only one right answer.
    column: Option<u32>,
    lost: u64,
    /// What the first message contains.
    message: &'static str,
    /// Where strict reading stops, if that is another line.
    strict_line: Option<u64>,
}

/// The common header and body, definitions of the values that the cases use, and more lines. Strict
/// reading wants values to be defined.
fn trace(body_lines: &str) -> String {
    let of_type = |type_: &str| -> String {
        let values = ["x", "y", "z", "v", "w", "q"];
        values.map(|value| format!("6 {value} {type_} {value} \"0 0 1\"\n")).concat()
    };
    let values = ["S", "E", "L"].map(of_type).concat();
    let mut text = fixtures::header() + &fixtures::common_body() + &values + body_lines;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Lines of the common header, body and values.
fn common_lines() -> u64 {
    trace("").lines().count() as u64
}

/// A case of lines after the common header and body; `at` is the line among them and the column.
fn case(code: Code, body: &str, at: (u64, u32), message: &'static str) -> Case {
    let text = trace("") + body;
    Case {
        code,
        trace: text.into_bytes(),
        count: 1,
        line: common_lines() + at.0,
        column: Some(at.1),
        lost: 0,
        message,
        strict_line: None,
    }
}

impl Case {
    fn count(self, count: u64) -> Self {
        Self { count, ..self }
    }

    fn lost(self, lost: u64) -> Self {
        Self { lost, ..self }
    }

    fn any_column(self) -> Self {
        Self { column: None, ..self }
    }

    /// The problem has no place.
    fn nowhere(self) -> Self {
        Self { line: 0, column: Some(0), ..self }
    }

    fn strict_line(self, line: u64) -> Self {
        Self { strict_line: Some(common_lines() + line), ..self }
    }
}

/// Problems of bytes, tokens and header lines.
fn lexical_cases() -> Vec<Case> {
    let name = "x".repeat((1 << 20) + 1);
    let trace_file = fixtures::block("40", "PajeTraceFile", &["Container", "Type", "Filename"]);
    let pop = ["Time", "Type", "Container"];
    let swallowed = format!("# note{}", fixtures::block("40", "PajePopState", &pop));
    let old = fixtures::block("40", "PajePopState", &["Time", "EntityType", "Container"]);
    let marked = format!("\u{feff}{}", trace("")).into_bytes();
    let empty = fixtures::header().into_bytes();
    vec![
        case(Code::NulByte, "18 1 E a x\0y\n", (1, 11), "NUL byte").lost(1),
        Case { trace: empty, ..case(Code::EmptyTrace, "", (0, 0), "no records") }.nowhere(),
        case(
            Code::UnterminatedString,
            "6 \"q r\" E n \"0 0 0\"\n18 1 E a \"q r\n",
            (2, 0),
            "not closed",
        )
        .any_column(),
        case(Code::EscapedQuote, "18 1 E a \"q\\\" r\"\n", (1, 0), "escaped quote").any_column(),
        case(Code::HashInWord, "7 0 c#d P 0 C\n", (1, 0), "# inside a word").any_column(),
        case(Code::HeaderSyntax, "%EndEventDef\n", (1, 1), "without %EventDef"),
        case(Code::HeaderSyntax, "18 1 E a x\n  %\n%\n", (2, 3), "lone %").count(2),
        case(Code::EventdefInComment, &swallowed, (2, 1), "\"%EventDef PajePopState 40\""),
        case(
            Code::UnknownEventName,
            "%EventDef PajeX 40\n%EndEventDef\n40 1\n40 2\n",
            (1, 1),
            "\"PajeX\"",
        )
        .lost(2),
        case(
            Code::UserEvent,
            "%EventDef SendMessage 40\n% Time date\n% Size int\n%EndEventDef\n40 1 320\n40 2 7\n",
            (1, 1),
            "\"SendMessage\" is no event of the format",
        ),
        case(
            Code::ReservedField,
            "%EventDef PajeStartTrace 40\n% PajeEventName string\n%EndEventDef\n",
            (2, 1),
            "the format keeps the field name \"PajeEventName\"",
        ),
        case(
            Code::UnknownFieldType,
            "%EventDef PajeStartTrace 40\n% A foo\n%EndEventDef\n",
            (2, 1),
            "field \"A\" has the unknown type \"foo\"",
        ),
        case(
            Code::DuplicateField,
            "%EventDef PajeStartTrace 40\n% A int\n% A int\n%EndEventDef\n",
            (3, 1),
            "field \"A\" is declared twice",
        ),
        // Lenient reading minds when such a record is met, strict reading at the definition.
        case(
            Code::MissingMandatoryField,
            "%EventDef PajeSetState 40\n% Time date\n%EndEventDef\n40 1\n",
            (4, 1),
            "PajeSetState: the definition lacks Type, Container, Value",
        )
        .lost(1)
        .strict_line(3),
        case(
            Code::DuplicateEventId,
            "%EventDef PajeStartTrace 12\n%EndEventDef\n",
            (2, 1),
            "event id 12 is defined again, differently",
        ),
        case(
            Code::RepeatedEventId,
            "%EventDef PajeStartTrace 40\n%EndEventDef\n%EventDef PajeStartTrace 40\n%EndEventDef\n",
            (4, 1),
            "event id 40 is defined again, the same",
        ),
        case(Code::OldFieldName, &old, (3, 1), "\"EntityType\" is an old name"),
        case(Code::UnknownEventId, "99 1 E a x\n", (1, 1), "event id \"99\" is not defined")
            .lost(1),
        case(Code::NumericIdMatch, "018 1 E a x\n", (1, 1), "event id \"018\" is taken as 18"),
        case(
            Code::TooManyTokens,
            "18 1 E a q r\n",
            (1, 12),
            "PajeNewEvent: 5 values but event id 18 declares 4 fields",
        ),
        case(
            Code::TooFewTokens,
            "6 n S val\n",
            (1, 10),
            "PajeDefineEntityValue: 3 values but event id 6 declares 4",
        ),
        case(Code::MissingField, "18 1 E a\n", (1, 9), "PajeNewEvent: the field Value is missing")
            .lost(1),
        case(Code::BadNumber, "18 abc E a x\n", (1, 4), "\"abc\" is not a number").lost(1),
        case(Code::BadNumber, "9 1 V a 5\n  9 2 V a 0y\n", (2, 11), "\"0y\" is not a number")
            .lost(1),
        case(Code::NonFiniteTime, "18 inf E a x\n18 -NaN E a x\n", (1, 4), "\"inf\" is not finite")
            .count(2)
            .lost(2),
        case(Code::NonFiniteVariable, "9 1 V a inf\n", (1, 9), "the value inf of a variable"),
        case(Code::BadColor, "3 W P Weight red\n", (1, 14), "\"red\" is not a colour"),
        case(Code::MissingPartFile, &format!("{trace_file}40 a P absent\n"), (6, 8), "\"absent\"")
            .lost(1),
        case(Code::PartCycle, &format!("{trace_file}40 a P {FILE}\n"), (6, 8), "is read already"),
        case(Code::Truncated, "18 1 E a x\n18 1 E a x", (2, 11), "the last line has no newline"),
        case(Code::LineTooLong, &format!("18 1 E a {name}\n"), (1, 10), "more than 1 MiB").lost(1),
        case(
            Code::TimeRounded,
            "18 1.0000000005 E a x\n",
            (1, 4),
            "1.0000000005 has more decimals",
        ),
        Case { trace: marked, line: 1, ..case(Code::ByteOrderMark, "", (0, 1), "byte order mark") },
    ]
}

/// Problems of what records refer to.
fn reference_cases() -> Vec<Case> {
    vec![
        case(Code::ReservedName, "1 \"\" 0 0\n", (1, 8), "\"0\" is the name of the root").lost(1),
        case(Code::UnknownType, "18 1 Q a x\n", (1, 6), "PajeNewEvent: no type \"Q\"").lost(1),
        case(Code::UnknownContainer, "18 1 E q x\n", (1, 8), "PajeNewEvent: no container \"q\"")
            .lost(1),
        case(
            Code::UnknownContainer,
            "16 1 L 0 q v k\n",
            (1, 10),
            "PajeStartLink: no container \"q\"",
        )
        .lost(1),
        case(Code::UnknownParent, "7 0 c P q C\n", (1, 9), "no container \"q\"").lost(1),
        case(Code::UnknownParent, "2 T Q Other\n", (1, 5), "PajeDefineStateType: no type \"Q\"")
            .lost(1),
        case(
            Code::DestroyUnknownType,
            "8 1 Nothing a\n",
            (1, 5),
            "PajeDestroyContainer: no type \"Nothing\"",
        ),
        case(
            Code::ReferenceByName,
            "6 b S Blocked \"0 0 1\"\n12 1 S a Blocked\n12 2 S b Blocked\n",
            (2, 10),
            "\"Blocked\" is the name of a value that has an alias",
        ),
        // Once for each container, not for each record.
        case(Code::ReferenceByName, "18 1 E A x\n18 2 E A y\n", (1, 8), "\"A\" is a name"),
        case(
            Code::AmbiguousName,
            "7 0 c P 0 A\n18 1 E A x\n",
            (2, 8),
            "2 containers are named \"A\"",
        )
        .lost(1),
        case(Code::WrongNature, "18 1 S a x\n", (1, 6), "PajeNewEvent: \"S\" is of nature state")
            .lost(1),
        case(Code::DuplicateType, "2 S P Other\n", (1, 3), "\"S\" is a state type already").lost(1),
        case(Code::DuplicateContainer, "7 0 a P 0 A2\n", (1, 5), "\"A2\" lives already").lost(1),
        case(
            Code::DuplicateValue,
            "6 n S One \"1 0 0\"\n6 n S Two \"1 0 0\"\n",
            (2, 7),
            "value \"Two\" is defined again",
        ),
        case(
            Code::ContainerTypeMismatch,
            "1 Q P Q\n7 0 q Q 0 Q1\n",
            (2, 7),
            "containers of type \"Q\" do not belong in containers of type \"0\"",
        ),
        case(
            Code::ContainerTypeMismatch,
            "1 Q P Q\n8 1 Q a\n",
            (2, 5),
            "PajeDestroyContainer: container \"A\" is of type \"Proc\"",
        ),
        case(Code::SwappedColumns, "3 W Weight P \"0 1 0\"\n", (1, 5), "are exchanged"),
        case(
            Code::TypeNotOfContainer,
            "18 1 E 0 x\n",
            (1, 6),
            "type \"Ev\" does not belong to containers of type \"0\"",
        ),
        case(
            Code::ValueOnContainerOrVariableType,
            "6 v V X \"1 0 0\"\n6 v P X \"1 0 0\"\n",
            (1, 5),
            "container and variable types have no values",
        )
        .count(2)
        .lost(2),
    ]
}

/// Problems of time, nesting and links.
fn semantic_cases() -> Vec<Case> {
    let deep = "13 1 S a x\n".repeat(65_537);
    vec![
        case(Code::NotTimeOrdered, "18 2 E a x\n18 1 E a y\n18 0 E a z\n", (2, 4), "earlier than")
            .count(2),
        case(
            Code::BeforeCreation,
            "18 -1 E a x\n",
            (1, 4),
            "PajeNewEvent: earlier than the creation of container \"A\"",
        ),
        case(
            Code::AfterDestroy,
            "8 1 P a\n18 1 E a x\n18 2 E a y\n",
            (3, 4),
            "PajeNewEvent: later than the end of container \"A\"",
        ),
        case(Code::AfterDestroy, "8 1 P a\n1 Q P Q\n7 2 q Q a Q1\n", (3, 9), "that is destroyed"),
        case(Code::DestroyTwice, "8 1 P a\n8 2 P a\n", (2, 7), "\"A\" is destroyed already")
            .lost(1),
        case(
            Code::PopEmpty,
            "14 1 S a\n",
            (1, 1),
            "PajePopState: state stack of type \"St\" in container \"A\" is empty; ignored",
        )
        .lost(1),
        case(Code::VariableWithoutValue, "10 1 V a 5\n", (1, 6), "\"Var\" has no value yet"),
        case(
            Code::LinkValueMismatch,
            "16 1 L 0 a v k\n17 2 L 0 b w k\n",
            (2, 12),
            "the two halves of link \"k\" have different values",
        ),
        case(
            Code::LinkEndTypeMismatch,
            "1 Q 0 Q\n7 0 q Q 0 Q1\n16 1 L 0 q v k\n17 2 L 0 b v k\n",
            (3, 10),
            "container \"Q1\" is of type \"Q\", the link type says \"Proc\"",
        ),
        case(
            Code::LinkNegativeDuration,
            "16 2 L 0 a v k\n17 1 L 0 b v k\n",
            (2, 4),
            "link \"k\" ends before it starts",
        ),
        case(
            Code::LinkUnmatched,
            "16 1 L 0 a v k\n17 2 L 0 b v j\n",
            (1, 1),
            "the start of link \"k\" of type \"Lk\" has no end",
        )
        .count(2),
        case(Code::StateOpenAtEnd, "13 1 S a x\n13 2 S a y\n", (0, 0), "still open")
            .count(2)
            .nowhere(),
        case(
            Code::NestingTooDeep,
            &deep,
            (65_537, 1),
            "\"St\" in container \"A\" is deeper than 65,536 states",
        )
        .lost(1),
    ]
}

fn cases() -> Vec<Case> {
    let mut cases = lexical_cases();
    cases.extend(reference_cases());
    cases.extend(semantic_cases());
    cases
}

type Reading = Result<Driven<Rows>, DriveError<std::convert::Infallible>>;

fn read(trace: &[u8], strictness: Strictness, threads: usize, block_bytes: usize) -> Reading {
    let folder = tempfile::tempdir().expect("temporary directory");
    let path = folder.path().join(FILE);
    std::fs::write(&path, trace).expect("write");
    let options = DriveOptions { strictness, threads, block_bytes, ..DriveOptions::default() };
    try_read(&path, &options)
}

/// Threads and sizes of blocks to read a trace with: small blocks put a boundary between any two
/// lines, but not millions of boundaries.
fn ways(trace: &[u8]) -> [(usize, usize); 2] {
    [(1, 1 << 20), (2, (trace.len() / 1000).max(40))]
}

fn read_body(body: &str) -> Driven<Rows> {
    match read(trace(body).as_bytes(), Strictness::Lenient, 1, 1 << 20) {
        Ok(driven) => driven,
        Err(error) => panic!("{body}: {error}"),
    }
}

/// The tally of a code that occurs.
fn tally(driven: &Driven<Rows>, code: Code) -> &Tally {
    driven.catalog.diagnostics.get(code).unwrap_or_else(|| panic!("no {}", code.name()))
}

/// The first problem of a code after the common header and body.
fn first(body: &str, code: Code) -> Diagnostic {
    tally(&read_body(body), code).samples[0].clone()
}

#[test]
fn every_code_is_covered() {
    let cases = cases();
    for &code in Code::ALL {
        let covered = cases.iter().any(|case| case.code == code);
        assert_ne!(covered, UNREACHABLE.contains(&code), "{}", code.name());
    }
}

#[test]
fn every_problem_is_counted_and_placed() {
    for case in cases() {
        for (threads, block_bytes) in ways(&case.trace) {
            let name = format!("{} ({:?})", case.code.name(), case.message);
            let driven = read(&case.trace, Strictness::Lenient, threads, block_bytes)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            let codes: Vec<_> = driven
                .catalog
                .diagnostics
                .iter()
                .map(|(code, _)| code)
                .filter(|&code| code != Code::StateOpenAtEnd || case.code == code)
                .collect();
            assert_eq!(codes, [case.code], "{name}");
            let tally = tally(&driven, case.code);
            assert_eq!(tally.count, case.count, "{name}");
            assert_eq!(tally.severity, case.code.severity(Strictness::Lenient), "{name}");
            assert_ne!(tally.severity, Severity::Fatal, "{name}");
            let first = &tally.samples[0];
            assert_eq!((first.code, first.severity), (case.code, tally.severity), "{name}");
            assert!(first.message.contains(case.message), "{name}: {}", first.message);
            assert_eq!((first.position.part, first.position.line), (0, case.line), "{name}");
            if let Some(column) = case.column {
                assert_eq!(first.position.column, column, "{name}");
            }
            assert_eq!(driven.catalog.facts.lost, case.lost, "{name}");
        }
    }
}

#[test]
fn strict_reading_stops_at_the_first_problem() {
    for case in cases() {
        let name = format!("{} ({:?})", case.code.name(), case.message);
        let severity = case.code.severity(Strictness::Strict);
        let fatal = severity == Severity::Fatal;
        for (threads, block_bytes) in ways(&case.trace) {
            match read(&case.trace, Strictness::Strict, threads, block_bytes) {
                Err(DriveError::Problem(problem, files)) => {
                    assert!(fatal, "{name}: stopped");
                    assert_eq!((problem.code, problem.severity), (case.code, severity), "{name}");
                    assert!(problem.message.contains(case.message), "{name}: {}", problem.message);
                    let line = case.strict_line.unwrap_or(case.line);
                    assert_eq!(problem.position.line, line, "{name}");
                    if let (Some(column), None) = (case.column, case.strict_line) {
                        assert_eq!(problem.position.column, column, "{name}");
                    }
                    let names: Vec<_> = files.iter().filter_map(|file| file.file_name()).collect();
                    assert_eq!(names, [FILE], "{name}");
                }
                Err(error) => panic!("{name}: {error}"),
                Ok(driven) => {
                    assert!(!fatal, "{name}: did not stop");
                    let tally = tally(&driven, case.code);
                    assert_eq!((tally.severity, tally.count), (severity, case.count), "{name}");
                }
            }
        }
    }
}

#[test]
fn only_strict_reading_notes_that_a_link_key_is_used_again() {
    let link = |time: u32, key: &str| format!("16 {time} L 0 a v {key}\n17 {time} L 0 b v {key}\n");
    let body = link(1, "k") + &link(2, "other") + &link(3, "k") + &link(4, "k");
    let text = trace(&body);
    for (strictness, count) in [(Strictness::Lenient, None), (Strictness::Strict, Some(2))] {
        let Ok(driven) = read(text.as_bytes(), strictness, 1, 1 << 20) else {
            panic!("a note does not stop the reading");
        };
        let tally = driven.catalog.diagnostics.get(Code::LinkKeyReused);
        assert_eq!(tally.map(|tally| tally.count), count);
        let Some(tally) = tally else { continue };
        assert_eq!(tally.severity, Severity::Note);
        assert_eq!(tally.samples[0].position.line, common_lines() + 6);
        assert!(tally.samples[0].message.contains("\"k\""), "{}", tally.samples[0].message);
    }
}

/// What only strict reading minds: the code, the line after the common ones, what the message says.
#[test]
fn strict_reading_wants_values_defined_and_fields_of_their_types() {
    let typed = "%EventDef PajeNewEvent 40\n% Time date\n% Type string\n% Container string\n\
                 % Value string\n% Depth int\n%EndEventDef\n";
    let bad = format!("{typed}40 1 E a x -3\n40 1 E a x deep\n");
    for (body, code, line, said) in [
        ("12 1 S a x\n12 2 S a other\n", Code::UndefinedValue, 2, "\"other\" is not defined"),
        (&bad, Code::FieldNotOfType, 9, "\"deep\" in a field of type int"),
    ] {
        let text = trace(body);
        let lenient = read(text.as_bytes(), Strictness::Lenient, 1, 1 << 20);
        assert!(lenient.is_ok_and(|driven| driven.catalog.diagnostics.get(code).is_none()));
        for (threads, block_bytes) in [(1, 1 << 20), (2, 50)] {
            match read(text.as_bytes(), Strictness::Strict, threads, block_bytes) {
                Err(DriveError::Problem(problem, _)) => {
                    assert_eq!(
                        (problem.code, problem.position.line),
                        (code, common_lines() + line)
                    );
                    assert!(problem.message.contains(said), "{}", problem.message);
                }
                _ => panic!("{}: did not stop", code.name()),
            }
        }
    }
}

/// The example of the format's first description: its own names of fields, names beside aliases,
/// and an event of the program.
#[test]
fn strict_reading_accepts_what_the_first_description_shows() {
    let block = |id: &str, event: &str, fields: &[&str]| fixtures::block(id, event, fields);
    let text = [
        block("1", "PajeDefineContainerType", &["Alias", "ContainerType", "Name"]),
        block("3", "PajeDefineStateType", &["Alias", "ContainerType", "Name"]),
        block("5", "PajeDefineEntityValue", &["Alias", "EntityType", "Name"]),
        block("7", "PajeCreateContainer", &["Time", "Alias", "Type", "Container", "Name"]),
        block("8", "PajeDestroyContainer", &["Time", "Name", "Type"]),
        block("10", "PajeSetState", &["Time", "Type", "Container", "Value"]),
        block("17", "UnblockProcess", &["Time", "ProcessId", "FileName", "LineNumber"]),
        "1 P 0 Process\n3 S P \"State of process\"\n5 e S Executing\n5 b S Blocked\n\
         7 0 p1 P 0 \"5\"\n10 1 S p1 b\n10 2 \"State of process\" 5 Executing\n\
         17 5.123002 5 source.c 12\n8 6 p1 P\n"
            .to_owned(),
    ]
    .concat();
    match read(text.as_bytes(), Strictness::Strict, 1, 1 << 20) {
        Ok(driven) => {
            let count = |severity| driven.catalog.diagnostics.count_of(severity);
            let wrong = count(Severity::Warning) + count(Severity::Error) + count(Severity::Fatal);
            assert_eq!((wrong, driven.catalog.facts.lost), (0, 0));
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn strict_reading_does_not_mind_a_good_trace() {
    let body = "13 1 S a x\n14 2 S a\n9 1 V a 4\n16 1 L 0 a v k\n17 2 L 0 b v k\n8 3 P a\n";
    let driven = read(trace(body).as_bytes(), Strictness::Strict, 1, 1 << 20);
    assert!(driven.is_ok_and(|driven| driven.catalog.diagnostics.is_empty()));
}

#[test]
fn strict_reading_reports_the_first_of_several_problems() {
    let body = "18 1 E a x\n18 2 E q x\n18 bad E a x\n14 3 S a\n";
    match read(trace(body).as_bytes(), Strictness::Strict, 1, 1 << 20) {
        Err(DriveError::Problem(problem, _)) => {
            assert_eq!(problem.code, Code::UnknownContainer);
            assert_eq!(problem.position.line, common_lines() + 2);
        }
        _ => panic!("did not stop at the problem"),
    }
}

/// Repeats are counted; only the first ones are kept, in the order of the file.
#[test]
fn repeats_are_counted_and_not_kept() {
    for (code, line) in [
        (Code::BadNumber, "18 bad E a x\n"),
        (Code::UnknownContainer, "18 1 E q x\n"),
        (Code::PopEmpty, "14 1 S a\n"),
    ] {
        let body = line.repeat(250);
        let text = trace(&body);
        for (threads, block_bytes) in [(1, 1 << 20), (2, 64), (2, 3000)] {
            let driven = read(text.as_bytes(), Strictness::Lenient, threads, block_bytes);
            let Ok(driven) = driven else { panic!("{} stops", code.name()) };
            let tally = tally(&driven, code);
            assert_eq!(tally.count, 250, "{}", code.name());
            assert_eq!(tally.samples.len(), MAX_SAMPLES, "{}", code.name());
            let lines: Vec<u64> = tally.samples.iter().map(|s| s.position.line).collect();
            let expected: Vec<u64> = (1..=100).map(|n| common_lines() + n).collect();
            assert_eq!(lines, expected, "{}", code.name());
            assert_eq!(driven.catalog.facts.lost, 250);
            assert_eq!(driven.catalog.facts.records, 275);
        }
    }
}

#[test]
fn header_lines_count_among_the_lines() {
    let body = "18 1 E a x\n\n# c\n%EventDef PajeNewEvent 40\n% Time date\n% Type string\n\
                % Container string\n% Value string\n%EndEventDef\n\n40 1 E q x\n";
    for block_bytes in [1, 17, 40, 1 << 20] {
        let text = trace(body);
        let Ok(driven) = read(text.as_bytes(), Strictness::Lenient, 2, block_bytes) else {
            panic!("cannot be read")
        };
        let position = tally(&driven, Code::UnknownContainer).samples[0].position;
        assert_eq!((position.line, position.column), (common_lines() + 11, 8), "{block_bytes}");
    }
}

#[test]
fn problems_of_parts_say_so() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let layout = fixtures::block("40", "PajeTraceFile", &["Container", "Type", "Filename"]);
    let main = trace(&format!("{layout}40 a P part.trace\n"));
    std::fs::write(path(FILE), main).expect("write");
    std::fs::write(path("part.trace"), "18 1 E a x\n18 2 E q x\n").expect("write");
    for strictness in [Strictness::Lenient, Strictness::Strict] {
        let options = DriveOptions { strictness, ..DriveOptions::default() };
        let (problem, files) = match try_read(&path(FILE), &options) {
            Ok(driven) => {
                (tally(&driven, Code::UnknownContainer).samples[0].clone(), driven.files.read)
            }
            Err(DriveError::Problem(problem, files)) => (*problem, files),
            Err(error) => panic!("{error}"),
        };
        assert_eq!(
            (problem.position.part, problem.position.line, problem.position.column),
            (1, 2, 8)
        );
        assert_eq!(files, [path(FILE), path("part.trace")]);
        assert_eq!(problem.severity, Code::UnknownContainer.severity(strictness));
    }
}

#[test]
fn a_file_too_many_is_told_as_such() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let layout = fixtures::block("40", "PajeTraceFile", &["Container", "Type", "Filename"]);
    let parts = "40 a P 1.trace\n40 a P 2.trace\n40 a P 3.trace\n";
    std::fs::write(path(FILE), trace(&(layout + parts))).expect("write");
    for part in 1..=3 {
        let name = format!("{part}.trace");
        std::fs::write(path(&name), format!("18 {part} E a x\n")).expect("write");
    }
    let options = DriveOptions { most_files: 3, ..DriveOptions::default() };
    let Ok(driven) = try_read(&path(FILE), &options) else { panic!("cannot be read") };
    assert_eq!(driven.sink.events.len(), 2);
    assert_eq!(driven.catalog.facts.lost, 1);
    let told = &tally(&driven, Code::MissingPartFile).samples;
    assert_eq!(told.len(), 1);
    let expected =
        "the part \"3.trace\" is one file too many and is not read; its records are missing";
    assert_eq!(told[0].message, expected);
    assert!(driven.files.unread.is_empty(), "it would change nothing");
}

// Hints

#[test]
fn nearest_spelling_is_suggested() {
    let host = "7 0 host-12 P 0 H12\n7 0 host-13 P 0 H13\n7 0 server P 0 S\n";
    for (line, code, hint) in [
        ("18 1 E host-1 x", Code::UnknownContainer, Some("the closest known is \"host-12\"")),
        ("18 1 E sever x", Code::UnknownContainer, Some("the closest known is \"server\"")),
        ("18 1 E printer-4711 x", Code::UnknownContainer, None),
        (
            "2 Wait 0 Waiting\n18 1 Wiat a x",
            Code::UnknownType,
            Some("the closest known is \"Wait\""),
        ),
        ("18 1 Elsewhere a x", Code::UnknownType, None),
    ] {
        let problem = first(&format!("{host}{line}\n"), code);
        assert_eq!(problem.hint.as_deref(), hint, "{line}");
    }
}

#[test]
fn decimal_comma_is_recognised() {
    for line in ["18 1,5 E a x", "9 1 V a 2,5"] {
        let hint = first(&format!("{line}\n"), Code::BadNumber).hint;
        assert!(hint.is_some_and(|hint| hint.contains("decimal comma?")), "{line}");
    }
    assert_eq!(first("18 abc E a x\n", Code::BadNumber).hint, None);
}

#[test]
fn unquoted_colour_is_recognised() {
    let hint = |line: &str| first(line, Code::TooManyTokens).hint.unwrap_or_default();
    assert_eq!(hint("3 W P Weight 1 0 0\n"), "is the colour unquoted?");
    assert_eq!(hint("6 v S val 1 0 0\n"), "is the colour unquoted?");
    assert!(!hint("3 W P Weight \"1 0 0\" 7\n").contains("colour"));
    assert!(!hint("18 1 E a x 1 0\n").contains("colour"));
}

#[test]
fn hints_say_what_is_expected() {
    let hint = |body: &str, code: Code| first(body, code).hint.unwrap_or_default();
    assert!(hint("3 W P Weight red\n", Code::BadColor).contains("1 0.5 0"));
    assert!(hint("18 1 E a\n", Code::MissingField).contains("event id 18 declares 4 fields"));
    let ambiguous = "7 0 c P 0 A\n18 1 E A x\n";
    assert_eq!(hint(ambiguous, Code::AmbiguousName), "use aliases");
    let cut = |body: &str| fixtures::trace("") + body;
    for (text, expected) in [
        (cut("18 1 E a x\n18 2 E a x"), "taken as it is: all that it names is known"),
        (cut("18 1 E a x"), "is lost: it names what nothing before it names"),
        (cut("18 1 E"), "the line is lost"),
    ] {
        let Ok(driven) = read(text.as_bytes(), Strictness::Lenient, 1, 1 << 20) else {
            panic!("cannot be read")
        };
        let hint = tally(&driven, Code::Truncated).samples[0].hint.clone().unwrap_or_default();
        assert!(hint.contains(expected), "{hint}");
    }
    let Ok(driven) = read(b"18 1 E a x\n", Strictness::Lenient, 1, 1 << 20) else {
        panic!("cannot be read")
    };
    let unknown = &tally(&driven, Code::UnknownEventId).samples[0];
    assert_eq!(unknown.hint.as_deref(), Some("there is no %EventDef"));
}

/// A word of a line that no newline ends may be half a word.
#[test]
fn a_cut_line_counts_if_all_that_it_names_is_known() {
    let known = "13 1 S a run\n18 1 E a x\n16 1 L 0 a m k1\n";
    let cases = [
        ("13 2 S a run", false),
        ("13 2 S a ru", true),
        ("12 2 S b run", false),
        ("12 2 S b r", true),
        ("14 2 S a", false),
        ("15 2 S a", false),
        ("18 2 E b x", false),
        // Values of another type.
        ("18 2 E b run", true),
        ("9 2 V a 3.5", false),
        ("16 2 L 0 a m k2", true),
        ("17 2 L 0 b m k1", false),
        ("17 2 L 0 b other k1", true),
        ("8 2 P a", false),
        ("8 2 P c", true),
        ("7 2 c P 0 C", true),
        ("6 v S val \"1 0 0\"", true),
        ("2 T P Other", true),
    ];
    for (line, is_lost) in cases {
        let text = fixtures::trace(known) + line;
        let Ok(driven) = read(text.as_bytes(), Strictness::Lenient, 2, 1 << 20) else {
            panic!("{line}")
        };
        assert_eq!(driven.catalog.facts.lost, u64::from(is_lost), "{line}");
        assert_eq!(tally(&driven, Code::Truncated).count, 1, "{line}");
        let reference = interpret(text.as_bytes());
        assert_eq!(reference.lost, u64::from(is_lost), "{line}");
        // With its newline it is a line like any other.
        let Ok(whole) = read((text + "\n").as_bytes(), Strictness::Lenient, 2, 1 << 20) else {
            panic!("{line}")
        };
        assert_eq!(whole.catalog.facts.lost, u64::from(line == "8 2 P c"), "{line}");
        assert!(whole.catalog.diagnostics.get(Code::Truncated).is_none(), "{line}");
    }
}

/// Control characters of a trace never reach a terminal.
#[test]
fn messages_are_printable() {
    let problem = first("18 1 E q\u{1b}[31m x\n", Code::UnknownContainer);
    assert!(!problem.message.contains('\u{1b}'), "{:?}", problem.message);
    assert!(problem.message.contains("\\u{1b}[31m"));
}
