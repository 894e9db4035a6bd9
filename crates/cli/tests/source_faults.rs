//! Damaged, cut, hostile and oversized traces: every loss is counted, nothing crashes, and what
//! is whole is read.

mod support;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use onca_model::{EntitySink, EventRow, LaneId, LinkRow, StateRow, VariableRow};
use onca_read::{Progress, Source};
use onca_simulate::{DriveOptions, drive};
use onca_testkit::fixtures;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::{Sandbox, diagnostic, same_text, tallies};

/// Counts entities: states, variables, events, links.
#[derive(Default)]
struct Counts([u64; 4]);

impl EntitySink for Counts {
    type Error = Infallible;

    fn state(&mut self, _: LaneId, _: &StateRow, _: &[u8]) -> Result<(), Infallible> {
        self.0[0] += 1;
        Ok(())
    }

    fn variable(&mut self, _: LaneId, _: &VariableRow, _: &[u8]) -> Result<(), Infallible> {
        self.0[1] += 1;
        Ok(())
    }

    fn event(&mut self, _: LaneId, _: &EventRow, _: &[u8]) -> Result<(), Infallible> {
        self.0[2] += 1;
        Ok(())
    }

    fn link(&mut self, _: LaneId, _: &LinkRow<'_>, _: &[u8]) -> Result<(), Infallible> {
        self.0[3] += 1;
        Ok(())
    }
}

/// Records, lost records, containers, entities.
fn found(path: &Path) -> String {
    let progress = Arc::new(Progress::default());
    // Small blocks: thousands of small files are read here.
    let options = DriveOptions { block_bytes: 4096, ..DriveOptions::default() };
    let driven = drive(&Source::new(path), &options, &progress, || Ok(Counts::default()));
    match driven {
        Err(error) => format!("refused: {error}"),
        Ok(driven) => {
            let facts = &driven.catalog.facts;
            let containers = driven.catalog.containers.len();
            format!("{} {} {containers} {:?}", facts.records, facts.lost, driven.sink.0)
        }
    }
}

/// The same by the slow interpreter.
fn expected(bytes: &[u8]) -> String {
    let trace = onca_testkit::interpret(bytes);
    let entities =
        [trace.states.len(), trace.variables.len(), trace.events.len(), trace.links.len()];
    format!("{} {} {} {entities:?}", trace.records, trace.lost, trace.containers.len())
}

/// A trace with all kinds of entities after the common header.
fn small_trace() -> String {
    fixtures::trace(
        "12 1 S a x\n13 2.5 S a y\n14 3 S a\n9 1 V a 0.5\n10 2 V a 4\n\
         16 1 L 0 a v k\n17 3 L 0 b v k\n18 3.5 E b q\n8 4 P a\n18 6 E b r\n",
    )
}

/// Every cut of the header, and every byte of it replaced: what remains is what the slow
/// interpreter finds in it.
#[test]
fn a_damaged_header_costs_records_and_no_more() {
    let trace = small_trace().into_bytes();
    let header = fixtures::header().len();
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(&trace).expect("written");
    let check = |bytes: &[u8], what: String| {
        assert_eq!(found(file.path()), expected(bytes), "{what}: found (left) and expected");
    };
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut damaged = trace.clone();
    for place in 0..header {
        // One that means something here, one that means nothing anywhere, and any.
        let meaningful = b"% \n\"#0\t9aP"[place % 10];
        for byte in [meaningful, 0xff, random.random()] {
            // The file is changed where it is: some file systems wait for the disk when a file
            // is emptied and written again, and this happens thousands of times.
            file.as_file().write_all_at(&[byte], place as u64).expect("written");
            damaged[place] = byte;
            check(&damaged, format!("byte {place} is {byte:#04x}"));
        }
        file.as_file().write_all_at(&trace[place..=place], place as u64).expect("written");
        damaged[place] = trace[place];
    }
    for cut in (0..=header).rev() {
        file.as_file().set_len(cut as u64).expect("cut");
        check(&trace[..cut], format!("cut at {cut}"));
    }
}

/// The rows of a dump without containers, sorted, made from what the slow interpreter gives.
fn expected_rows(bytes: &[u8]) -> (Vec<String>, u64) {
    let trace = onca_testkit::interpret(bytes);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let name = |container: usize| text(&trace.containers[container].name);
    let of = |container: usize, type_index: usize| {
        format!("{}, {}", name(container), text(&trace.types[type_index].name))
    };
    let time = |ticks: i64| format!("{}.{:09}", ticks / 1_000_000_000, ticks % 1_000_000_000);
    let span =
        |start: i64, end: i64| format!("{}, {}, {}", time(start), time(end), time(end - start));
    let mut rows = Vec::new();
    for item in &trace.states {
        let (track, span) = (of(item.container, item.type_index), span(item.start, item.end));
        rows.push(format!(
            "State, {track}, {span}, {}, {}",
            item.depth,
            text(trace.value_name(item.value))
        ));
    }
    for item in &trace.variables {
        let (track, span) = (of(item.container, item.type_index), span(item.start, item.end));
        rows.push(format!("Variable, {track}, {span}, {}", item.value));
    }
    for item in &trace.events {
        let track = of(item.container, item.type_index);
        rows.push(format!(
            "Event, {track}, {}, {}",
            time(item.time),
            text(trace.value_name(item.value))
        ));
    }
    for item in &trace.links {
        let track = of(item.container, item.type_index);
        let times = match (item.start, item.end) {
            (Some(start), Some(end)) => span(start, end),
            (Some(start), None) => format!("{}, ?, ?", time(start)),
            (None, Some(end)) => format!("?, {}, ?", time(end)),
            (None, None) => "?, ?, ?".to_owned(),
        };
        let end = |container: Option<usize>| container.map_or("?".to_owned(), &name);
        rows.push(format!(
            "Link, {track}, {times}, {}, {}, {}, {}",
            text(trace.value_name(item.value)),
            end(item.source),
            end(item.destination),
            text(&item.key)
        ));
    }
    rows.sort();
    (rows, trace.lost)
}

fn sorted_rows(text: &str) -> Vec<String> {
    let mut rows: Vec<String> =
        text.lines().filter(|row| !row.starts_with("Container")).map(str::to_owned).collect();
    rows.sort();
    rows
}

/// Something of every kind, with times, names and numbers long enough to be cut.
fn long_body() -> String {
    let mut body = String::new();
    for step in 0..40 {
        let (now, other) = (format!("{step}.125"), format!("{step}.750"));
        body += &format!("13 {now} S a state{step}\n9 {now} V b {step}.5\n");
        body += &format!("16 {now} L 0 a size{step} key{step}\n18 {other} E b event{step}\n");
        body += &format!("17 {other} L 0 b size{step} key{step}\n");
        if step % 3 == 2 {
            body += &format!("14 {other} S a\n");
        }
    }
    body
}

#[test]
fn a_cut_trace_gives_the_rows_of_its_lines() {
    let sandbox = Sandbox::new();
    let trace = fixtures::trace(&long_body()).into_bytes();
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for round in 0..200 {
        // Most cuts among the records, some anywhere.
        let from = if round % 10 == 0 { 0 } else { fixtures::header().len() };
        let cut = random.random_range(from..trace.len());
        let bytes = &trace[..cut];
        let (rows, lost) = expected_rows(bytes);
        let run = sandbox.onca_reading(bytes, &["dump", "-"]).expect(i32::from(lost > 0));
        assert_eq!(sorted_rows(&run.out()), rows, "cut at {cut}: found (left) and expected");
    }
}

#[test]
fn a_cut_in_the_middle_of_a_line_is_said() {
    let sandbox = Sandbox::new();
    let trace = small_trace();
    // The last line "18 6 E b r" loses its value, then nothing but its newline.
    for (cut, lost, problems) in [
        (2, 1, &["missing-field error 1", "truncated warning 1"][..]),
        (1, 0, &["truncated warning 1"]),
    ] {
        sandbox.write("t.paje", &trace[..trace.len() - cut]);
        let info = sandbox.info("t.paje", lost);
        let serious: Vec<String> =
            tallies(&info).into_iter().filter(|tally| !tally.contains(" note ")).collect();
        assert_eq!((&info["lost"], &info["truncated"]), (&lost.into(), &true.into()), "{info:#}");
        assert_eq!(serious, problems, "{cut} bytes cut");
    }
}

#[test]
fn a_cut_compressed_trace_gives_what_can_be_recovered() {
    let sandbox = Sandbox::new();
    // Events only: the rows of a beginning of the trace are a beginning of its rows.
    let mut body = String::new();
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for step in 0..5_000 {
        body += &format!("18 {step} E a value{}\n", random.random_range(0..1_000_000));
    }
    let trace = fixtures::trace(&body);
    let all: Vec<String> = sandbox
        .onca_reading(trace.as_bytes(), &["dump", "--kinds", "event", "-"])
        .expect(0)
        .out()
        .lines()
        .map(str::to_owned)
        .collect();
    assert_eq!(all.len(), 5_000);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(trace.as_bytes()).expect("compressed");
    let gzip = gzip.finish().expect("compressed");
    let mut most = 0;
    for round in 1..=50 {
        let cut = gzip.len() * round / 51;
        sandbox.write("t.paje.gz", &gzip[..cut]);
        let run = sandbox.onca(["dump", "--kinds", "event", "t.paje.gz"]).expect(1);
        let rows: Vec<String> = run.out().lines().map(str::to_owned).collect();
        let whole = rows.len().saturating_sub(1);
        assert!(whole < all.len(), "cut at {cut}: {whole} rows");
        assert_eq!(rows[..whole], all[..whole], "cut at {cut}");
        // The last may have lost the end of its name.
        if let Some(last) = rows.last() {
            assert!(
                all[whole].starts_with(last.as_str()),
                "cut at {cut}: {last:?}, {:?}",
                all[whole]
            );
        }
        assert!(rows.len() >= most, "cut at {cut}: {} rows, fewer than {most} before", rows.len());
        most = rows.len();
        let info = sandbox.info("t.paje.gz", 1);
        assert_eq!(info["truncated"], true, "cut at {cut}");
    }
    assert!(most > 4_000, "only {most} of 5000 rows recovered from 98 % of the file");
}

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

// Traces of several files

fn header_of_parts() -> String {
    let container = ["Time", "Alias", "Type", "Container", "Name"];
    let with = |field| [&container[..], &[field]].concat();
    fixtures::header()
        + &fixtures::block("40", "PajeCreateContainer", &with("Filename"))
        + &fixtures::block("41", "PajeCreateContainer", &with("FileName"))
        + &fixtures::block("42", "PajeTraceFile", &["Container", "Type", "Filename"])
}

#[test]
fn parts_are_read_by_all_three_ways_to_name_them() {
    let sandbox = Sandbox::new();
    let body = fixtures::common_body()
        + "40 0 c P 0 C one.paje\n\
           41 0 d P 0 D two.ept\n\
           41 0 e P 0 E plain.c\n\
           42 a P three.paje\n\
           18 1 E a main\n";
    sandbox.write("t.paje", header_of_parts() + &body);
    // Without a header a part has that of the file that names it.
    sandbox.write("one.paje", "18 2 E c one\n");
    sandbox.write("two.ept", "18 3 E d two\n");
    sandbox.write("three.paje", "18 4 E a three\n");
    // A source file that a container happens to name is no part.
    sandbox.write("plain.c", "18 9 E a no\n");
    let rows = sandbox.onca(["dump", "--kinds", "event", "t.paje"]).expect(0);
    let expected = "\
Event, D, Ev, 3.000000000, two
Event, C, Ev, 2.000000000, one
Event, A, Ev, 1.000000000, main
Event, A, Ev, 4.000000000, three
";
    same_text(&rows.stdout, expected.as_bytes(), "events of all parts");
    assert_eq!(tallies(&sandbox.info("t.paje", 0)), Vec::<String>::new());

    // A part that changes makes the store stale.
    sandbox.write("two.ept", "18 3 E d two\n18 3.5 E d more\n");
    let rows = sandbox.onca(["dump", "--kinds", "event", "t.paje"]).expect(0).out();
    assert!(rows.contains("Event, D, Ev, 3.500000000, more\n"), "{rows}");

    // A problem in a part is placed in that part.
    sandbox.write("two.ept", "18 3 E d two\n18 x E d bad\n");
    let info = sandbox.info("t.paje", 1);
    let problem = diagnostic(&info, "bad-number").expect("counted");
    let part = sandbox.path("two.ept").display().to_string();
    assert_eq!(
        (&problem["file"], &problem["line"]),
        (&part.as_str().into(), &2.into()),
        "{problem:#}"
    );
}

#[test]
fn missing_parts_and_circles_are_warnings() {
    let sandbox = Sandbox::new();
    let body = fixtures::common_body()
        + "42 a P absent.paje\n42 a P t.paje\n42 b P loop.paje\n18 1 E a main\n";
    sandbox.write("t.paje", header_of_parts() + &body);
    sandbox.write("loop.paje", "18 2 E b part\n42 b P loop.paje\n");
    let rows = sandbox.onca(["dump", "--kinds", "event", "t.paje"]).expect(0);
    let expected = "Event, B, Ev, 2.000000000, part\nEvent, A, Ev, 1.000000000, main\n";
    same_text(&rows.stdout, expected.as_bytes(), "events");
    let info = sandbox.info("t.paje", 0);
    assert_eq!(tallies(&info), ["missing-part-file warning 1", "part-cycle warning 2"]);
    sandbox.onca(["validate", "--strict", "t.paje"]).expect(1);
}
