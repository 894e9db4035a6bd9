//! Chrome trace events, from text to entities: what each phase becomes, and what damage costs.

use crate::support;

use std::io::Write;

use onca_model::Strictness;
use onca_simulate::{DriveOptions, Driven};
use onca_testkit::chrome::{Style, events, write};
use support::{Rows, canonical, read, short_rows, try_read};

const PHASES: &str = include_str!("data/chrome-phases.json");

fn in_file(bytes: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().expect("temporary file");
    std::fs::write(file.path(), bytes).expect("write");
    file
}

/// Reads a trace, as one piece and in tiny ones, which must agree.
fn driven(bytes: &[u8]) -> Driven<Rows> {
    let file = in_file(bytes);
    let whole = read(file.path(), 1, 1 << 20);
    assert_eq!(canonical(&read(file.path(), 1, 7)), canonical(&whole));
    whole
}

/// The entities, then the problems with their place, then what was lost.
fn lines(bytes: &[u8]) -> Vec<String> {
    let driven = driven(bytes);
    let mut lines = short_rows(&driven);
    for problem in driven.catalog.diagnostics.samples() {
        if problem.code.name() != "state-open-at-end" {
            let (line, column) = (problem.position.line, problem.position.column);
            lines.push(format!("! {line}:{column} {}", problem.code.name()));
        }
    }
    if driven.catalog.facts.lost > 0 {
        lines.push(format!("lost {}", driven.catalog.facts.lost));
    }
    lines
}

/// Asserts what an array of these events, one a line, gives.
#[track_caller]
fn expect(events: &[&str], expected: &[&str]) {
    let text = format!("[\n{}\n]", events.join(",\n"));
    assert_eq!(lines(text.as_bytes()), expected, "{text}");
}

/// What the trace of all phases means.
const PHASES_MEAN: [&str; 17] = [
    "S main Slice 0.0001-0.0002 d0 request cat=rpc url=/a status=200",
    "S main Slice 0.0001105-0.00014025 d1 parse cat=rpc",
    "S io Slice 0.00021-0.00025 d0 store cat=net bytes=4096",
    "S tid 20 Slice 0.00005-0.00005 d0 out of order",
    "S tid 20 Slice 0.00016-0.00019 d0 receive cat=net",
    "S tid 20 Slice 0.00026-0.00026 d0 unclosed open",
    "S async task AsyncSlice 0.000105-0.00023 d0 job",
    "S async task AsyncSlice 0.00012-0.00018 d0 local",
    "V server memory.heap 0.0001-0.0002 1000",
    "V server memory.heap 0.0002-0.00026 3000",
    "V server memory.stack 0.0001-0.0002 64",
    "V server memory.stack 0.0002-0.00026 80",
    "V client queue[q1].len 0.00015-0.00026 3",
    "E 0 Instant 0.00017 gc",
    "E io Instant 0.000175 tick",
    "E client Instant 0.000176 old",
    "E async task AsyncInstant 0.00015 job stage=1",
];

/// Without links, whose keys depend on the place of events in the file.
fn without_links(bytes: &[u8]) -> Vec<String> {
    let mut lines = lines(bytes);
    lines.retain(|line| !line.starts_with("L "));
    lines
}

#[test]
fn every_phase_has_a_meaning() {
    assert_eq!(without_links(PHASES.as_bytes()), PHASES_MEAN);
    let links: Vec<_> =
        lines(PHASES.as_bytes()).into_iter().filter(|line| line.starts_with("L ")).collect();
    let stems: Vec<_> = links.iter().map(|link| link.split('#').next().unwrap_or("")).collect();
    assert_eq!(
        stems,
        [
            "L 0 net 0.00015-0.000165 main>tid 20 send 7",
            "L 0 net 0.000165-0.00022 tid 20>io send 7"
        ]
    );
    let facts = driven(PHASES.as_bytes()).catalog.facts;
    assert_eq!((facts.records, facts.lost, facts.start, facts.end), (27, 0, 50_000, 260_000));
    assert_eq!((facts.unit.name.as_str(), facts.unit.assumed), ("s", false));
}

#[test]
fn an_array_that_is_not_closed_is_whole() {
    let events = PHASES.split_once('[').and_then(|(_, rest)| rest.rsplit_once("\n]"));
    let (events, _) = events.expect("a list of events");
    for end in ["]", ",", ",\n  ", ""] {
        assert_eq!(without_links(format!("[{events}{end}").as_bytes()), PHASES_MEAN, "{end:?}");
    }
}

#[test]
fn compressed_traces_are_read_as_far_as_they_go() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let packed = encoder.write_all(PHASES.as_bytes()).and_then(|()| encoder.finish());
    let packed = packed.expect("gzip");
    assert_eq!(without_links(&packed), PHASES_MEAN);
    let cut = driven(&packed[..packed.len() / 2]).catalog;
    assert!(cut.facts.truncated && cut.facts.records < 27);
}

#[test]
fn names_and_order_come_from_metadata() {
    let events = [
        r#"{"ph":"i","name":"a","ts":1,"pid":2,"tid":10}"#,
        r#"{"ph":"i","name":"a","ts":1,"pid":2,"tid":9}"#,
        r#"{"ph":"i","name":"a","ts":1,"pid":1,"tid":1}"#,
        r#"{"ph":"M","name":"process_name","pid":2,"args":{"name":"gpu"}}"#,
        r#"{"ph":"M","name":"process_sort_index","pid":2,"args":{"sort_index":-5}}"#,
        r#"{"ph":"M","name":"thread_name","pid":2,"tid":9,"args":{"name":"w"}}"#,
        r#"{"ph":"M","name":"thread_name","pid":2,"tid":10,"args":{"name":"w"}}"#,
    ];
    let catalog = driven(format!("[{}]", events.join(",")).as_bytes()).catalog;
    let names: Vec<_> = (0..catalog.containers.len())
        .map(|index| String::from_utf8_lossy(catalog.containers.names.get(index)).into_owned())
        .collect();
    assert_eq!(names, ["0", "gpu", "w (tid 9)", "w (tid 10)", "pid 1", "tid 1"]);
}

#[test]
fn overlapping_slices_get_lanes_and_rounding_errors_do_not() {
    expect(
        &[
            r#"{"ph":"X","name":"b","ts":5,"dur":10,"pid":1,"tid":1}"#,
            r#"{"ph":"X","name":"a","ts":0,"dur":10,"pid":1,"tid":1}"#,
            r#"{"ph":"X","name":"c","ts":8,"dur":3,"pid":1,"tid":1}"#,
        ],
        &[
            "S tid 1 Slice 0-0.00001 d0 a",
            "S tid 1 Slice 0.000008-0.00001 d1 c",
            "S tid 1 #2 Slice 0.000005-0.000015 d0 b",
            "! 2:1 slice-overlap",
            "! 4:1 slice-clipped",
        ],
    );
}

#[test]
fn flows_bind_to_slices() {
    expect(
        &[
            r#"{"ph":"X","name":"a","ts":0,"dur":1000000,"pid":1,"tid":1}"#,
            r#"{"ph":"s","name":"m","id":1,"ts":500000,"pid":1,"tid":1,"args":{"Size":7}}"#,
            r#"{"ph":"f","name":"m","id":1,"ts":1500000,"pid":1,"tid":2}"#,
            r#"{"ph":"X","name":"b","ts":2000000,"dur":1000000,"pid":1,"tid":2}"#,
            r#"{"ph":"X","name":"c","ts":1000000,"dur":1,"pid":1,"tid":3,"bind_id":"0x5","flow_out":true}"#,
            r#"{"ph":"X","name":"d","ts":4000000,"dur":1,"pid":1,"tid":3,"bind_id":"0x5","flow_in":true}"#,
        ],
        &[
            "S tid 1 Slice 0-1 d0 a",
            "S tid 2 Slice 2-3 d0 b",
            "S tid 3 Slice 1-1.000001 d0 c",
            "S tid 3 Slice 4-4.000001 d0 d",
            "L 0 Flow 0.5-2 tid 1>tid 2 m 1#62 Size=7",
            "L 0 Flow 1-4 tid 3>tid 3 c 0x5#263",
        ],
    );
}

#[test]
fn what_is_no_json_costs_one_event() {
    let good = r#"{"ph":"i","name":"a","ts":1000000,"pid":1,"tid":1}"#;
    let row = "E tid 1 Instant 1 a";
    expect(&[r#"{"ph":"i",,"ts":2}"#, good], &[row, "! 2:11 json-syntax", "lost 1"]);
    expect(&[r#"{"ph":"i","ts":[1}}"#, good], &[row, "! 2:18 json-syntax", "lost 1"]);
    expect(&[r#"{"ph":"i"#, r#"{"x":1}"#, good], &[row, "! 3:3 json-syntax", "lost 1"]);
    expect(&[good, "17", good], &[row, row, "! 3:1 json-syntax"]);
    expect(&[good, "garbage"], &[row, "! 3:1 json-syntax"]);
    let deep = format!("{{\"a\":{}", "[".repeat(1_000_000));
    expect(&[&deep, good], &["! 2:1030 json-syntax", "lost 1"]);
}

#[test]
fn absurd_values_are_named() {
    expect(
        &[
            r#"{"ph":"i","ts":NaN}"#,
            r#"{"ph":"i","ts":1e400}"#,
            r#"{"ph":"i","ts":"soon"}"#,
            r#"{"ph":"i","ts":{"a":1}}"#,
            r#"{"ph":"i"}"#,
            r#"{"ts":1}"#,
            r#"{"ph":"??","ts":1}"#,
            r#"{"ph":"O","ts":1}"#,
            r#"{"ph":"b","ts":1}"#,
            r#"{"ph":"E","ts":1}"#,
            r#"{"ph":"C","ts":1,"name":"c","args":{"v":"many"}}"#,
            r#"{"ph":"X","ts":"1000000","dur":-1,"name":"x"}"#,
            r#"{"ph":"i","ts":1000000.0004,"name":"x","args":{"deep":{"a":[1]},"b":true}}"#,
        ],
        &[
            "S tid 0 Slice 1-1 d0 x",
            "E tid 0 Instant 1 x deep={\"a\":[1]} b=true",
            "! 2:16 non-finite-time",
            "! 3:16 bad-number",
            "! 4:17 bad-number",
            "! 5:16 bad-number",
            "! 6:1 missing-field",
            "! 7:1 missing-field",
            "! 8:8 unknown-phase",
            "! 9:8 phase-not-read",
            "! 10:1 missing-field",
            "! 11:1 pop-empty",
            "! 12:1 missing-field",
            "! 12:42 bad-number",
            "! 13:32 negative-duration",
            "! 14:16 time-rounded",
            "lost 10",
        ],
    );
}

#[test]
fn times_that_do_not_fit_make_ticks_longer() {
    let text =
        br#"[{"ph":"i","name":"a","ts":5.5},{"ph":"i","name":"b","ts":4000000000000000000}]"#;
    let facts = driven(text).catalog.facts;
    assert_eq!(facts.unit.ticks_per_unit, 1_000_000);
    assert_eq!((facts.start, facts.end, facts.lost), (6, 4_000_000_000_000_000_000, 0));
}

#[test]
fn strict_reading_stops_at_the_first_problem() {
    let file = in_file(b"[{\"ph\":\"i\",\"ts\":1},\n{\"ph\":\"i\"},{]");
    let options = DriveOptions { strictness: Strictness::Strict, ..DriveOptions::default() };
    let error = try_read(file.path(), &options).err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some("the event has no time, \"ts\""));
}

#[test]
fn other_json_is_refused() {
    for text in ["{\"a\":1}", "[1,2]", "[[[[", "{}", "{a"] {
        let error = try_read(in_file(text.as_bytes()).path(), &DriveOptions::default()).err();
        let error = error.map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("not a trace that can be read"), "{text}: {error}");
    }
}

#[test]
fn many_categories_and_arguments_share_types_and_fields() {
    let events: Vec<_> = (0..5000)
        .map(|i| format!(r#"{{"ph":"i","ts":{i},"cat":"c{}","args":{{"a{i}":{i}}}}}"#, i % 100))
        .collect();
    let driven = driven(format!("[{}]", events.join(",")).as_bytes());
    let catalog = &driven.catalog;
    assert_eq!(driven.sink.events.len(), 5000);
    assert!(catalog.types.len() < 70, "{}", catalog.types.len());
    assert!(catalog.fields.len() < 4200, "{}", catalog.fields.len());
    let rows = short_rows(&driven);
    assert!(rows.iter().any(|row| row.ends_with("(unnamed) args=a4999=4999 cat=c99")));
}

#[test]
fn what_does_not_fit_in_memory_is_the_same() {
    let mut events: Vec<_> = (0..400).flat_map(events).collect();
    events.retain(|event| event.phase != "M");
    let file = in_file(&write(&events, Style::Array, 1).bytes);
    let with = |memory| {
        let options = DriveOptions { memory, ..DriveOptions::default() };
        let driven = try_read(file.path(), &options);
        canonical(&driven.unwrap_or_else(|error| panic!("{error}")))
    };
    // A sixteenth of it is less than what there is to sort.
    assert_eq!(with(6 << 20), with(1 << 30));
}

/// A trace of VizTracer on a program of four threads, counted by hand: slices are written when
/// they end, the inner ones first.
#[test]
fn a_real_trace_has_what_was_counted() {
    let Some(corpus) = std::env::var_os("ONCA_CORPUS") else {
        eprintln!("skipped: ONCA_CORPUS does not name a folder of traces");
        return;
    };
    let path = std::path::Path::new(&corpus).join("chrome-json/python-threads.json.xz");
    let driven = read(&path, 1, 1 << 20);
    let Driven { catalog, sink, .. } = &driven;
    let rows = (sink.states.len(), sink.events.len(), sink.variables.len(), sink.links.len());
    assert_eq!((rows, catalog.facts.records), ((14_612, 5, 5, 0), 14_627));
    let total: i64 = sink.states.iter().map(|(_, row, _)| row.end - row.start).sum();
    assert_eq!((total, catalog.facts.lost), (560_060_171, 0));
    let of_thread = |name: &[u8]| {
        let of = |lane| catalog.containers.names.get(catalog.lane(lane).container.index());
        sink.states.iter().filter(|(lane, ..)| of(*lane) == name).count()
    };
    let counts = [&b"MainThread"[..], b"worker-0", b"worker-1", b"worker-2"].map(of_thread);
    assert_eq!(counts, [4961, 1617, 3217, 4817]);
}

/// Bytes that mean something to JSON, so that damage hits more than names.
const TELLING_BYTES: &[u8] = b"{}[],:\"\\ \n0e-.u";

#[test]
fn damage_is_counted_and_stays_inside() {
    let mut state = 1u64;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for seed in 0..400 {
        let style = [Style::Object, Style::Array, Style::OpenArray][seed as usize % 3];
        let mut bytes = write(&events(seed), style, seed).bytes;
        for _ in 0..=next(8) {
            let at = 1 + next(bytes.len() - 1);
            match next(4) {
                0 => bytes[at] = next(256) as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, TELLING_BYTES[next(TELLING_BYTES.len())]),
                _ => bytes.truncate(at.max(bytes.len() - 20)),
            }
        }
        let file = in_file(&bytes);
        let read = |block_bytes| {
            let options = DriveOptions { block_bytes, ..DriveOptions::default() };
            try_read(file.path(), &options)
        };
        let Ok(driven) = read(1 << 20) else { continue };
        let again = read(13).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(canonical(&again), canonical(&driven), "seed {seed}");
        let facts = &driven.catalog.facts;
        assert!(facts.lost <= facts.records, "seed {seed}");
        assert!(driven.sink.states.len() as u64 <= facts.records, "seed {seed}");
        let n_lines = 1 + bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        for problem in driven.catalog.diagnostics.samples() {
            assert!(problem.position.line <= n_lines, "seed {seed}: {problem:?}");
            assert!(problem.position.column as usize <= bytes.len() + 1, "seed {seed}");
        }
    }
}
