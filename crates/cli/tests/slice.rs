//! `onca slice`, as the user sees it.

use onca_testkit::fixtures;
use onca_testkit::sandbox::Sandbox;
use serde_json::json;

/// A folder with the trace of table 4.2.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", fixtures::table_4_2());
    sandbox
}

/// Arguments for the slice of the table.
fn slice<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["slice", "t.paje", "--from", "10", "--to", "19"], more].concat()
}

#[test]
fn the_table_for_people() {
    let text = sandbox().onca(slice(&[])).expect(0).out();
    let expected = "\
10.000000000 to 19.000000000 s: time in s, and its share of the slice
node          Executing       Blocked
/          27 ( 60.0 %)  18 ( 40.0 %)
  G        27 ( 60.0 %)  18 ( 40.0 %)
    C1     11 ( 61.1 %)   7 ( 38.9 %)
      M1   11 ( 61.1 %)   7 ( 38.9 %)
        A   4 ( 44.4 %)   5 ( 55.6 %)
        B   7 ( 77.8 %)   2 ( 22.2 %)
    C2     16 ( 59.3 %)  11 ( 40.7 %)
      M2   12 ( 66.7 %)   6 ( 33.3 %)
        C   3 ( 33.3 %)   6 ( 66.7 %)
        D   9 (100.0 %)   0 (  0.0 %)
      M3    4 ( 44.4 %)   5 ( 55.6 %)
        E   4 ( 44.4 %)   5 ( 55.6 %)
";
    assert_eq!(text, expected, "\n{text}");
}

#[test]
fn links_that_cross_the_border_are_told() {
    let sandbox = sandbox();
    let rate = ["--by", "links", "--mode", "rate", "--level", "Process"];
    let text = sandbox.onca(slice(&rate)).expect(0).out();
    let expected = "\
10.000000000 to 19.000000000 s: rate by s
node   m
A     25
B     18
C     10
D     20
E     15
7 links counted, 2 dropped because they cross the border of a slice
";
    assert_eq!(text, expected, "\n{text}");
    let clipped = [&rate[..], &["--border", "clip", "--csv"]].concat();
    let run = sandbox.onca(slice(&clipped)).expect(0);
    let said = "9 links counted, 2 clipped because they cross the border of a slice\n";
    assert_eq!(run.err(), said);
    assert!(run.out().contains("/G/C1/M1/B,Message,m,0,10.000000000,19.000000000,42.75\r\n"));
}

#[test]
fn rows_for_programs_have_exact_times() {
    let sandbox = sandbox();
    let more = ["--level", "Cluster", "--values", "Blocked", "--slices", "2", "--csv"];
    let text = sandbox.onca(slice(&more)).expect(0).out();
    let expected = "\
path,type,value,slice,from,to,amount,amount_ticks\r
/G/C1,State,Blocked,0,10.000000000,14.500000000,3.500000000,3500000000\r
/G/C1,State,Blocked,1,14.500000000,19.000000000,3.500000000,3500000000\r
/G/C2,State,Blocked,0,10.000000000,14.500000000,6.500000000,6500000000\r
/G/C2,State,Blocked,1,14.500000000,19.000000000,4.500000000,4500000000\r
";
    assert_eq!(text, expected, "\n{text}");
    let more = ["--level", "Cluster", "--values", "Blocked", "--json"];
    let answer = sandbox.onca(slice(&more)).expect(0).json();
    assert_eq!(answer["schema"], "onca-slice/1");
    assert_eq!((&answer["from_ticks"], &answer["to"]), (&json!(10_000_000_000i64), &json!(19.0)));
    assert_eq!(answer["nodes"][1]["path"], "/G/C2");
    assert_eq!(answer["nodes"][1]["leaves"], 3);
    assert_eq!(answer["values"], json!([{ "type": "State", "name": "Blocked" }]));
    let rows = json!({
        "node": [0, 1], "value": [0, 0], "slice": [0, 0],
        "amount": [7.0, 11.0], "amount_ticks": [7_000_000_000i64, 11_000_000_000i64],
    });
    assert_eq!(answer["rows"], rows);
    assert_eq!((&answer["absent"], &answer["scanned"]), (&json!(0), &json!(false)));
}

#[test]
fn ratios_expressions_shares_and_peers() {
    let sandbox = sandbox();
    let last = |more: &[&str]| {
        let text = sandbox.onca(slice(more)).expect(0).out();
        text.lines().nth(2).expect("a third line").split_whitespace().last().map(str::to_owned)
    };
    let ratio = ["--ratio", "time:Blocked / count:link:Message", "--level", "Grid"];
    assert_eq!(last(&ratio).as_deref(), Some("2.571429"));
    let expression = ["--agg", "(max - mean) / mean * 100", "--level", "Grid"];
    assert_eq!(last(&expression).as_deref(), Some("66.666667"));
    // Blocked is the last column: 18 s in a slice of 9 s, of five processes.
    assert_eq!(last(&["--normalise", "--level", "Grid"]).as_deref(), Some("2"));
    assert_eq!(last(&["--normalise", "--agg", "mean", "--depth", "1"]).as_deref(), Some("0.4"));
    let peers = ["--by", "links", "--mode", "peers", "--level", "Cluster"];
    let text = sandbox.onca(slice(&peers)).expect(0).out();
    assert!(text.contains("C1    /G/C2      0  10.000000000       1\n"), "{text}");
}

#[test]
fn nothing_to_show_is_an_empty_table() {
    let sandbox = sandbox();
    for by in ["events", "variables"] {
        let run = sandbox.onca(slice(&["--by", by, "--csv"])).expect(0);
        assert_eq!(run.out().lines().count(), 1, "{}", run.out());
        let text = sandbox.onca(slice(&["--by", by])).expect(0).out();
        assert_eq!(text.lines().nth(1), Some("node"), "{text}");
    }
}

#[test]
fn what_cannot_be_is_said() {
    let sandbox = sandbox();
    for (more, part) in [
        (&["--mode", "size"][..], "there is no mode size for states; it is time or count"),
        (&["--by", "events", "--inclusive"], "--inclusive is for the time of states"),
        (&["--level", "Rack"], "there is no level \"Rack\"; the levels are"),
        (&["--slices", "0"], "0 slices are not possible"),
        (&["--by", "links", "--normalise"], "only times can be shares of the slice"),
        (&["--ratio", "time:Bloked / time"], "no value or type \"Bloked\" of kind state"),
        (&["--containers", "Z"], "Z"),
    ] {
        sandbox.onca(slice(more)).expect_reason(2, part);
    }
    sandbox.onca(["slice", "t.paje", "--from", "5", "--to", "5"]).expect_reason(2, "is empty");
    for outside in [&["--from", "90"][..], &["--from", "90", "--to", "95"]] {
        let args = [&["slice", "t.paje"], outside].concat();
        sandbox.onca(args).expect_reason(2, "outside the trace");
    }
    for (more, part) in [
        (&["--agg", "max / avg"][..], "no operator \"avg\""),
        (&["--ratio", "time"], "what to divide by"),
        (&["--by", "states", "--ratio", "time / time"], "cannot be used with"),
    ] {
        let run = sandbox.onca(slice(more)).expect(2);
        assert!(run.err().contains(part), "{}", run.err());
    }
}

/// Every command in `docs/slice.md` prints what the document says.
#[test]
fn the_document_says_what_the_program_prints() {
    let sandbox = Sandbox::new();
    sandbox.onca(["demo", "--no-open", "-o", "demo.paje"]).expect(0);
    let document = include_str!("../../../docs/slice.md");
    let mut n_commands = 0;
    for block in document.split("```console\n").skip(1) {
        let block = block.split("```").next().expect("an end of the block");
        let (command, expected) = block.split_once('\n').expect("a command and its output");
        let args = words(command.strip_prefix("$ onca ").expect("a command"));
        // What is long is cut short in the document.
        let printed = sandbox.onca(&args).expect(0).out().replace('\r', "");
        match expected.strip_suffix("...\n") {
            Some(beginning) => assert!(printed.starts_with(beginning), "{command}\n{printed}"),
            None => assert_eq!(printed, expected, "{command}\n{printed}"),
        }
        n_commands += 1;
    }
    assert!(n_commands >= 5, "only {n_commands} commands in docs/slice.md");
}

/// The words of a command line, of which some are in single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        match index % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

#[test]
fn a_trace_without_time_has_no_slices() {
    let sandbox = Sandbox::new();
    sandbox.write("empty.paje", "");
    for command in ["slice", "overview"] {
        let run = sandbox.onca([command, "empty.paje"]).expect(2);
        assert!(run.err().contains("no time passes in the trace"), "{}", run.err());
    }
}
