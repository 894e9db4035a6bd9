//! Cases that once went wrong: odd places, names and options.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use onca_testkit::fixtures;
use onca_testkit::sandbox::{Run, Sandbox, tallies};

/// Opening a FIFO waits for somebody who writes into it; only regular files are traces.
#[test]
fn a_fifo_is_refused_without_waiting() {
    let sandbox = Sandbox::new();
    let made = sandbox.confined(Command::new("mkfifo")).arg("fifo").status().expect("a status");
    assert!(made.success(), "{made}");
    for command in ["validate", "info", "dump", "index"] {
        let mut child = sandbox
            .command()
            .args([command, "fifo"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a running program");
        let started = Instant::now();
        while child.try_wait().expect("a status").is_none() {
            if started.elapsed() > Duration::from_secs(600) {
                child.kill().expect("killed");
                child.wait().expect("an end");
                panic!("{command} waits for a writer");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let output = child.wait_with_output().expect("an end");
        Run::checked(command.to_owned(), output).expect_reason(2, "not a regular file");
    }
}

/// The store of a trace is its store from wherever it is asked for.
#[test]
fn a_store_fits_from_any_folder() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", fixtures::trace("18 1 E a one\n"));
    sandbox.onca(["index", "t.paje"]).expect(0);
    let mut command = sandbox.command();
    command.current_dir(sandbox.work().join("..")).args([
        "dump",
        "--kinds",
        "event",
        "work/t.paje",
    ]);
    let run = Run::of(&mut command).expect(0);
    assert_eq!((run.out().as_str(), run.err().as_str()), ("Event, A, Ev, 1.000000000, one\n", ""));
    let mut command = sandbox.command();
    command.current_dir(sandbox.work().join("..")).args(["store", "list", "--json", "work"]);
    let list = Run::of(&mut command).expect(0).json();
    assert_eq!(list["stores"][0]["status"], "fresh", "{list:#}");
}

/// Paths are escaped in the manifest, and have to be unescaped when they are used.
#[test]
fn a_percent_sign_in_the_name_of_a_trace_is_kept() {
    let sandbox = Sandbox::new();
    // A value that 32-bit numbers cannot hold, added to: pj_dump sees another sum.
    let body = "9 1 V a 16777217\n10 2 V a 0.1\n18 3 E a q\n14 4 S a\n";
    sandbox.write("50%.paje", fixtures::trace(body));
    let run =
        sandbox.onca(["dump", "--kinds", "variable", "--pj-dump-compat", "50%.paje"]).expect(1);
    let expected = "\
Variable, A, Var, 1.000000000, 2.000000000, 1.000000000, 16777216.000000000
Variable, A, Var, 2.000000000, 4.000000000, 2.000000000, 16777216.100000001
";
    assert_eq!(run.out(), expected, "{}", run.err());
    assert!(!run.err().contains("gone"), "{}", run.err());
    let info = sandbox.info("50%.paje", 1);
    assert_eq!(info["trace"], "50%.paje");
    assert_eq!(info["diagnostics"][0]["file"], "50%.paje", "{info:#}");
}

/// The unit that the user gives is that of the answer.
#[test]
fn the_unit_that_is_asked_for_is_used_with_a_store_too() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", fixtures::trace("18 1 E a one\n"));
    sandbox.onca(["index", "t.paje"]).expect(0);
    let info = sandbox.onca(["info", "--json", "--unit", "ms", "t.paje"]).expect(0).json();
    assert_eq!((&info["unit"]["name"], &info["unit"]["assumed"]), (&"ms".into(), &false.into()));
}

/// Strict is strict, whether or not the store is there.
#[test]
fn index_is_strict_with_a_store_too() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", fixtures::trace("14 1 S a\n"));
    sandbox.onca(["index", "t.paje"]).expect(1);
    let run = sandbox.onca(["index", "--strict", "t.paje"]).expect(2);
    assert!(run.err().contains("fatal[pop-empty]"), "{}", run.err());
}

/// Names of files reach the terminal as names in traces do.
#[test]
fn control_characters_in_names_of_files_are_escaped() {
    let sandbox = Sandbox::new();
    let name = "e\u{1b}[31m.paje";
    sandbox.write(name, fixtures::trace("14 1 S a\n"));
    for args in [
        ["info", name],
        ["validate", name],
        ["index", name],
        ["info", "no\u{1b}.paje"],
        ["store", "list"],
    ] {
        let run = sandbox.onca(args);
        for text in [run.out(), run.err()] {
            assert!(!text.contains('\u{1b}'), "{args:?}: {text:?}");
        }
    }
}

/// A part may have its own header, which holds for that part.
#[test]
fn the_header_of_a_part_is_no_duplicate() {
    let sandbox = Sandbox::new();
    let part = fixtures::block("42", "PajeTraceFile", &["Container", "Type", "Filename"]);
    let body = fixtures::common_body() + "42 a P part.paje\n42 b P other.paje\n18 1 E a main\n";
    sandbox.write("t.paje", fixtures::header() + &part + &body);
    let own = fixtures::block("18", "PajeNewEvent", &["Value", "Container", "Type", "Time"]);
    sandbox.write("part.paje", own + "18 part a E 2\n");
    sandbox.write("other.paje", "18 3 E a other\n");
    let rows = sandbox.onca(["dump", "--kinds", "event", "t.paje"]).expect(0).out();
    let expected = "\
Event, A, Ev, 1.000000000, main
Event, A, Ev, 2.000000000, part
Event, A, Ev, 3.000000000, other
";
    assert_eq!(rows, expected);
    assert_eq!(tallies(&sandbox.info("t.paje", 0)), Vec::<String>::new());
}

/// A window must be a window.
#[test]
fn times_of_a_window_are_numbers() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", fixtures::trace("18 1 E a one\n"));
    for args in [["--from", "nan"], ["--to", "NaN"]] {
        sandbox.onca([&["dump", "t.paje"][..], &args].concat()).expect(2);
    }
}

/// The length of a state is exact, however far apart its ends are.
#[test]
fn times_at_both_ends_of_the_clock_have_a_difference() {
    let sandbox = Sandbox::new();
    let body = "12 -9000000000 S a far\n12 9000000000 S a near\n12 9000000001 S a none\n";
    sandbox.write("t.paje", fixtures::trace(body));
    let rows = sandbox.onca(["dump", "--kinds", "state", "t.paje"]).expect(0).out();
    let expected = "\
State, A, St, -9000000000.00000000, 9000000000.00000000, 18000000000.00000000, 0, far
State, A, St, 9000000000.00000000, 9000000001.00000000, 1.00000000, 0, near
State, A, St, 9000000001.00000000, 9000000001.00000000, 0.00000000, 0, none
";
    assert_eq!(rows, expected);
    let stats = sandbox.onca(["stats", "--json", "t.paje"]).expect(0).json();
    let longest = &stats["values"]["values"][0]["longest"][0];
    assert_eq!(longest["duration_ticks"], 1_800_000_000_000_000_000_u64);
}

/// What a trace has no picture of is told; the rest of the report is made.
#[test]
fn a_trace_of_one_instant_has_a_report() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", fixtures::trace("18 0 E a now\n"));
    sandbox.onca(["render", "page", "t.paje", "-o", "t.html"]).expect(0);
    let page = sandbox.read("t.html");
    let page = String::from_utf8_lossy(&page);
    assert!(page.contains("There is no picture: no time passes in the trace"), "{page}");
    assert!(page.contains("<td class=\"n\">1</td>"), "the event is counted: {page}");
}

/// A full disk is a limit for every command.
#[test]
fn a_full_disk_ends_generate_with_3() {
    let sandbox = Sandbox::new();
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else {
        println!("skipped: there is no /dev/full");
        return;
    };
    let mut command = sandbox.command();
    command.args(["generate", "many", "--containers", "10"]).stdout(full);
    Run::of(&mut command).expect(3);
}

/// The size of a store is the size of its files, whoever tells it.
#[test]
fn a_store_has_one_size() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", fixtures::trace("18 1 E a one\n"));
    let index = sandbox.onca(["index", "--json", "t.paje"]).expect(0).json();
    let bytes: u64 = onca_testkit::sandbox::STORE_FILES
        .iter()
        .map(|name| sandbox.read(&format!("t.paje.onca/{name}")).len() as u64)
        .sum();
    assert_eq!(index["store_bytes"], bytes);
    assert_eq!(sandbox.info("t.paje", 0)["store"]["bytes"], bytes);
    let list = sandbox.onca(["store", "list", "--json"]).expect(0).json();
    assert_eq!(list["stores"][0]["bytes"], bytes);
}

/// A value that is never the innermost has an exclusive time, which is 0.
#[test]
fn a_value_that_is_always_covered_has_an_exclusive_time_of_zero() {
    let sandbox = Sandbox::new();
    sandbox
        .write("t.paje", fixtures::trace("13 1 S a outer\n13 1 S a inner\n14 2 S a\n14 2 S a\n"));
    let info = sandbox.info("t.paje", 0);
    let types = info["types"].as_array().expect("types");
    let values =
        types.iter().find(|found| found["name"] == "St").expect("a type")["values"].clone();
    let outer = values.as_array().expect("values").iter().find(|value| value["name"] == "outer");
    let outer = outer.expect("a value");
    assert_eq!(
        (&outer["time_ticks"], &outer["exclusive_ticks"]),
        (&1_000_000_000.into(), &0.into())
    );
}

/// Messages about standard input name it, not a directory that is gone when they are read.
#[test]
fn messages_about_standard_input_name_it() {
    let sandbox = Sandbox::new();
    let run =
        sandbox.onca_reading(fixtures::trace("14 1 S a\n").as_bytes(), &["dump", "-"]).expect(1);
    assert!(!run.err().contains("temporary.onca"), "{}", run.err());
    let answer = sandbox
        .onca_reading(fixtures::trace("14 1 S a\n").as_bytes(), &["info", "--json", "-"])
        .expect(1)
        .json();
    assert_eq!(answer["trace"], "-", "{answer:#}");
}
