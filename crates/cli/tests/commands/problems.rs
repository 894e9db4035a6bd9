//! `onca info` and `onca validate`: what a trace holds, and what is wrong with it.

use onca_testkit::fixtures;

use super::{clean_trace, first_line, lossy_trace};
use onca_testkit::sandbox::{Sandbox, diagnostic, tallies};

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
        ["bad-number error 1", "pop-empty warning 1", "reference-by-name note 1"]
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
    let defined = "6 q E q \"0 0 1\"\n";
    sandbox.write("clean.paje", fixtures::trace(&format!("{defined}18 2 E a q\n")));
    // A warning, but the record counts.
    sandbox.write("repaired.paje", fixtures::trace(&format!("{defined}18 2 E a q r\n")));
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
        text.ends_with("1 error, 1 warning, 1 note in lossy.paje (2 records lost); 12 records\n"),
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
    sandbox.write("repaired.paje", fixtures::trace("18 2 E a q r\n18 abc E a q\n"));
    let line = first_line();
    for command in ["info", "dump", "index"] {
        for (trace, place) in [
            ("lossy.paje", format!("lossy.paje:{line}:10: fatal[undefined-value]: ")),
            ("repaired.paje", format!("repaired.paje:{line}:12: fatal[too-many-tokens]: ")),
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

    // A store that exists already does not know what only strict reading finds.
    sandbox.onca(["index", "lossy.paje"]).expect(1);
    let run = sandbox.onca(["dump", "--strict", "lossy.paje"]).expect(2);
    assert!(
        run.err().starts_with(&format!("lossy.paje:{line}:10: fatal[undefined-value]: ")),
        "{}",
        run.err()
    );
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

/// The format's first description: its own names of fields, names beside aliases, an event of the
/// program.
fn described_trace() -> String {
    let blocks = [
        fixtures::block("1", "PajeDefineContainerType", &["Alias", "ContainerType", "Name"]),
        fixtures::block("3", "PajeDefineStateType", &["Alias", "ContainerType", "Name"]),
        fixtures::block("5", "PajeDefineEntityValue", &["Alias", "EntityType", "Name"]),
        fixtures::block(
            "7",
            "PajeCreateContainer",
            &["Time", "Alias", "Type", "Container", "Name"],
        ),
        fixtures::block("10", "PajeSetState", &["Time", "Type", "Container", "Value"]),
        fixtures::block("17", "UnblockProcess", &["Time", "ProcessId", "FileName", "LineNumber"]),
    ];
    blocks.concat()
        + "1 P 0 Process\n3 S P St\n5 e S Executing\n5 b S Blocked\n7 0 p1 P 0 \"5\"\n\
           10 1 S p1 b\n10 2 S p1 Executing\n10 4 S p1 Blocked\n17 5 5 source.c 12\n"
}

#[test]
fn strict_validation_follows_the_description_of_the_format() {
    let sandbox = Sandbox::new();
    sandbox.write("good.paje", described_trace());
    sandbox.onca(["validate", "--strict", "good.paje"]).expect(0);
    sandbox.onca(["info", "--strict", "good.paje"]).expect(0);
    let reserved = "%EventDef PajePopState 20\n% Time date\n% Type string\n% Container string\n\
                    % PajeEventName string\n%EndEventDef\n";
    let typed = "%EventDef PajeSetState 21\n% Time date\n% Type string\n% Container string\n\
                 % Value string\n% Depth int\n%EndEventDef\n";
    for (code, more) in [
        ("reserved-field", reserved.to_owned()),
        ("undefined-value", "10 6 S p1 Other\n".to_owned()),
        ("field-not-of-type", format!("{typed}21 6 S p1 e deep\n")),
    ] {
        sandbox.write("bad.paje", described_trace() + &more);
        let said = sandbox.onca(["validate", "--strict", "bad.paje"]).expect(1).out();
        assert!(said.contains(&format!("[{code}]")), "{said}");
        sandbox.onca(["validate", "bad.paje"]).expect(0);
    }
}

#[test]
fn a_value_is_listed_once_and_events_of_programs_are_found() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", described_trace());
    let stats = sandbox.onca(["stats", "--json", "t.paje"]).expect(0).json();
    let values = stats["values"]["values"].as_array().expect("values");
    let blocked: Vec<_> = values.iter().filter(|value| value["value"] == "Blocked").collect();
    assert_eq!(blocked.len(), 1, "{stats:#}");
    let rows = sandbox.onca(["dump", "--kinds", "event", "t.paje"]).expect(0).out();
    assert!(rows.starts_with("Event, 5, User event, 5.000000000, UnblockProcess"), "{rows}");
    assert!(rows.contains("source.c") && rows.contains("12"), "{rows}");
    assert_eq!(sandbox.info("t.paje", 0)["lost"], 0);
}

#[test]
fn links_are_repaired_only_when_that_is_asked_for() {
    let sandbox = Sandbox::new();
    let body = "16 1 L 0 a v 0_1_7_1\n16 2 L 0 b v 2_1_7_2\n17 4 L 0 b v -1_1_7_5\n";
    sandbox.write("t.paje", fixtures::trace(body));
    let said = sandbox.onca(["validate", "t.paje"]).expect(0).out();
    assert!(said.contains("note[link-repairable]: 1 receives from any source"), "{said}");
    assert!(said.contains("--repair links"), "{said}");
    let repaired = sandbox.onca(["validate", "--repair", "links", "t.paje"]).expect(0).out();
    assert!(repaired.contains("; 1 link repaired, 1 of them ambiguous"), "{repaired}");
    assert!(!repaired.contains("link-repairable"), "{repaired}");

    let plain = ["dump", "--kinds", "link", "t.paje"];
    let mended = ["dump", "--kinds", "link", "--repair", "links", "t.paje"];
    let rows = |args: &[&str]| sandbox.onca(args).expect(0);
    let whole = |text: &str| text.lines().filter(|line| line.contains(", A, B, ")).count();
    assert_eq!(whole(&rows(&plain).out()), 0);
    // The store of the one is not that of the other.
    let run = rows(&mended);
    assert_eq!(whole(&run.out()), 1, "{}", run.out());
    assert!(run.out().contains("by order, ambiguous"), "{}", run.out());
    assert!(run.err().contains("1 link repaired"), "{}", run.err());
    assert_eq!(whole(&rows(&plain).out()), 0);
    let again = sandbox.onca(["dump", "--repair", "links", "t.paje.onca"]).expect(2);
    assert!(again.err().contains("name its trace"), "{}", again.err());
}
