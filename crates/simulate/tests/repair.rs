//! Receives from any source: what is paired by order, and what stays alone.

use crate::support;

use onca_model::{Code, Severity, display_text, extra_fields};
use onca_simulate::{DriveOptions, Driven};
use onca_testkit::fixtures;
use support::{Rows, try_read};

fn read(body: &[&str], repair_links: bool) -> Driven<Rows> {
    let file = tempfile::NamedTempFile::new().expect("temporary file");
    let sizes = fixtures::header_with_sizes() + &fixtures::common_body();
    std::fs::write(file.path(), sizes + &body.join("\n") + "\n").expect("write");
    let options = DriveOptions { repair_links, ..DriveOptions::default() };
    try_read(file.path(), &options).unwrap_or_else(|error| panic!("{error}"))
}

/// The links as `start-end key how`; what is unknown of a half is `?`.
fn links(driven: &Driven<Rows>) -> Vec<String> {
    let fields = &driven.catalog.fields;
    let mut lines: Vec<String> = driven
        .sink
        .links
        .iter()
        .map(|link| {
            let end = |is_there: bool, ticks: i64| match is_there {
                true => (ticks / 1_000_000_000).to_string(),
                false => "?".to_owned(),
            };
            let how: String = extra_fields(&link.extras)
                .filter(|extra| fields[extra.field.index()].name == b"Repaired")
                .map(|extra| format!(" {}", display_text(extra.text)))
                .collect();
            let (start, end) =
                (end(link.source.is_some(), link.start), end(link.destination.is_some(), link.end));
            format!("{start}-{end} {}{how}", display_text(&link.key))
        })
        .collect();
    lines.sort();
    lines
}

fn count(driven: &Driven<Rows>, code: Code) -> u64 {
    driven.catalog.diagnostics.get(code).map_or(0, |tally| tally.count)
}

/// Two sends to rank 1 with tag 7, one with tag 8 and one to rank 0; three receives of rank 1.
const BODY: [&str; 7] = [
    "16 1 L 0 a v 0_1_7_1 100",
    "16 2 L 0 b v 2_1_7_2 200",
    "16 3 L 0 a v 0_1_8_3 300",
    "16 3 L 0 a v 1_0_7_4 300",
    "17 4 L 0 b v -1_1_7_5 200",
    "17 5 L 0 b v -1_1_7_6 \"\"",
    "17 6 L 0 b v -1_1_-1_7 \"\"",
];

#[test]
fn receives_from_any_source_get_what_fits_in_order() {
    let driven = read(&BODY, true);
    // The size tells the first; one is left for the second, and one for the third, whatever tag.
    assert_eq!(
        links(&driven),
        ["1-5 0_1_7_1 by order", "2-4 2_1_7_2 by order", "3-6 0_1_8_3 by order", "3-? 1_0_7_4"]
    );
    assert_eq!(count(&driven, Code::LinkRepaired), 3);
    assert_eq!(count(&driven, Code::LinkRepairAmbiguous), 0);
    assert_eq!(count(&driven, Code::LinkUnmatched), 1);
    assert_eq!(count(&driven, Code::LinkRepairable), 0);
}

#[test]
fn without_being_asked_nothing_is_paired_and_that_is_said() {
    let driven = read(&BODY, false);
    assert_eq!(links(&driven).iter().filter(|line| line.contains('?')).count(), 7);
    assert_eq!(count(&driven, Code::LinkUnmatched), 7);
    assert_eq!(count(&driven, Code::LinkRepaired), 0);
    let note = driven.catalog.diagnostics.get(Code::LinkRepairable).expect("it is said");
    assert_eq!((note.count, note.severity), (1, Severity::Note));
    assert!(note.samples[0].message.starts_with("3 receives"), "{}", note.samples[0].message);
    let hint = note.samples[0].hint.as_deref();
    assert!(hint.is_some_and(|hint| hint.contains("--repair links")), "{hint:?}");
}

#[test]
fn several_sources_that_fit_are_told() {
    let body = [
        "16 1 L 0 a v 0_1_7_1 \"\"",
        "16 2 L 0 b v 2_1_7_2 \"\"",
        "17 4 L 0 b v -1_1_7_5 \"\"",
        "17 5 L 0 b v -1_1_7_6 \"\"",
    ];
    let driven = read(&body, true);
    let expected = ["1-4 0_1_7_1 by order, ambiguous", "2-5 2_1_7_2 by order"];
    assert_eq!(links(&driven), expected);
    assert_eq!(count(&driven, Code::LinkRepaired), 2);
    assert_eq!(count(&driven, Code::LinkRepairAmbiguous), 1);
}

#[test]
fn what_is_sent_later_or_to_others_is_not_received() {
    let body = [
        "17 1 L 0 b v -1_1_7_1 \"\"",
        "16 2 L 0 a v 0_1_7_2 \"\"",
        "16 0 L 0 a v 0_2_7_3 \"\"",
        "16 0 L 0 a v key \"\"",
        "17 9 L 0 b v 5_1_7_4 \"\"",
    ];
    let driven = read(&body, true);
    assert_eq!(count(&driven, Code::LinkRepaired), 0);
    assert_eq!(count(&driven, Code::LinkUnmatched), 5);
}
