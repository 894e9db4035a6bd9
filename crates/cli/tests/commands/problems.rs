//! `onca info` and `onca validate`: what a trace holds, and what is wrong with it.

use onca_testkit::fixtures;

use crate::{clean_trace, first_line, lossy_trace};
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
fn an_empty_trace_is_a_warning() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", "");
    let answer = sandbox.onca(["validate", "--json", "t.paje"]).expect(0).json();
    assert_eq!(tallies(&answer), ["empty-trace warning 1"]);
    sandbox.onca(["validate", "--strict", "t.paje"]).expect(1);
    let rows = sandbox.onca(["dump", "t.paje"]).expect(0).out();
    assert_eq!(rows, "Container, 0, 0, 0.000000000, 0.000000000, 0.000000000, 0\n");
}
