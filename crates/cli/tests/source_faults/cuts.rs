//! Traces that end too early, plain and compressed.

use std::io::Write;

use onca_testkit::fixtures;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::small_trace;
use onca_testkit::sandbox::{Sandbox, tallies};

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
    let cut = |bytes: usize| trace[..trace.len() - bytes].to_owned();
    // The last line "18 6 E b r" loses its value, then nothing but its newline: "r" may be the
    // beginning of a longer name. Said before, it is a name.
    for (text, lost, problems) in [
        (cut(2), 1, &["missing-field error 1", "truncated warning 1"][..]),
        (cut(1), 1, &["truncated warning 1"]),
        (trace.clone() + "18 7 E b r", 0, &["truncated warning 1"]),
    ] {
        sandbox.write("t.paje", &text);
        let info = sandbox.info("t.paje", lost);
        let serious: Vec<String> =
            tallies(&info).into_iter().filter(|tally| !tally.contains(" note ")).collect();
        assert_eq!((&info["lost"], &info["truncated"]), (&lost.into(), &true.into()), "{info:#}");
        assert_eq!(serious, problems, "{text}");
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
