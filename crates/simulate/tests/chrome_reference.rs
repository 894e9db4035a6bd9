//! The reader of Chrome trace events against the slow model, on random traces.

use crate::support;

use onca_model::{Catalog, ContainerId, LaneId, display_text};
use onca_simulate::Driven;
use onca_testkit::chrome::{Event, Reading, Style, events, interpret, write};
use onca_testkit::escape;
use support::{Rows, extras, read};

/// What was read, as the model says it.
fn reading(driven: &Driven<Rows>) -> Reading {
    let Driven { catalog, sink, .. } = driven;
    let value = |id| escape(&catalog.value(id).name);
    let track = |lane: LaneId| {
        let lane = catalog.lane(lane);
        let of = display_text(&catalog.type_def(lane.type_id).name).into_owned();
        (name_of(catalog, lane.container), of, lane.depth)
    };
    let mut rows = Vec::new();
    for (lane, row, packed) in &sink.states {
        let (container, of, depth) = track(*lane);
        let (start, end, name) = (row.start, row.end, value(row.value));
        let word = if row.open_ended { "open" } else { "closed" };
        let extras = extras(catalog, packed);
        rows.push(format!("S {container} {of} {start} {end} {depth} {name} {word} {extras}"));
    }
    for (lane, row, packed) in &sink.events {
        let (container, of, _) = track(*lane);
        let (time, name, extras) = (row.time, value(row.value), extras(catalog, packed));
        rows.push(format!("E {container} {of} {time} {name} {extras}"));
    }
    for (lane, row, _) in &sink.variables {
        let (container, of, _) = track(*lane);
        let of = escape(of.as_bytes());
        rows.push(format!("V {container} {of} {} {} {:?}", row.start, row.end, row.value));
    }
    for link in &sink.links {
        let (container, of, _) = track(link.lane);
        let side = |time: i64, id: Option<ContainerId>| match id {
            None => ("?".to_owned(), "?".to_owned()),
            Some(id) => (time.to_string(), name_of(catalog, id)),
        };
        let (from, source) = side(link.start, link.source);
        let (to, destination) = side(link.end, link.destination);
        let (value, extras) = (value(link.value), extras(catalog, &link.extras));
        rows.push(format!(
            "L {container} {of} {from} {to} {source} > {destination} {value} {extras}"
        ));
    }
    rows.sort();
    let tallies = catalog.diagnostics.iter();
    Reading {
        containers: parties(catalog),
        rows,
        problems: tallies.map(|(code, tally)| (code.name().to_owned(), tally.count)).collect(),
        lost: catalog.facts.lost,
    }
}

/// The name of a container, after that of its process if it is a lane of operations.
fn name_of(catalog: &Catalog, id: ContainerId) -> String {
    let container = catalog.containers.get(id);
    let name = display_text(container.name).into_owned();
    match catalog.type_def(container.type_id).name.as_slice() {
        b"AsyncTrack" => format!("{}/{name}", name_of(catalog, container.parent)),
        _ => name,
    }
}

/// Processes and threads in order of their creation.
fn parties(catalog: &Catalog) -> Vec<String> {
    let ids = (1..catalog.containers.len() as u32).map(ContainerId);
    ids.filter(|&id| {
        let container = catalog.containers.get(id);
        let of = &catalog.type_def(container.type_id).name;
        // Lanes have identifiers with a point.
        of != b"AsyncTrack" && !container.alias.contains(&b'.')
    })
    .map(|id| name_of(catalog, id))
    .collect()
}

fn read_bytes(bytes: &[u8], block_bytes: usize) -> Driven<Rows> {
    let file = tempfile::NamedTempFile::new().expect("temporary file");
    std::fs::write(file.path(), bytes).expect("write");
    read(file.path(), 1, block_bytes)
}

fn compare(bytes: &[u8], expected: &Reading, block_bytes: usize, what: &str) {
    let found = reading(&read_bytes(bytes, block_bytes));
    if found == *expected {
        return;
    }
    let only = |a: &[String], b: &[String]| {
        a.iter().filter(|row| !b.contains(row)).cloned().collect::<Vec<_>>().join("\n")
    };
    panic!(
        "{what}\n--- trace\n{}\n--- only in the model\n{}\n--- only here\n{}\n--- rest\n{:?}\n{:?}",
        String::from_utf8_lossy(bytes),
        only(&expected.rows, &found.rows),
        only(&found.rows, &expected.rows),
        (&expected.containers, &expected.problems, expected.lost),
        (&found.containers, &found.problems, found.lost),
    );
}

const STYLES: [Style; 3] = [Style::Object, Style::Array, Style::OpenArray];

fn expected(events: &[Event]) -> Reading {
    let mut expected = interpret(events);
    if events.is_empty() {
        expected.problems.insert("empty-trace".to_owned(), 1);
    }
    expected
}

#[test]
fn random_traces_mean_what_the_model_says() {
    for seed in 0..600 {
        let events = events(seed);
        let written = write(&events, STYLES[seed as usize % 3], seed);
        // Tiny pieces put a border between any two bytes.
        for block_bytes in [1 << 20, 1 + seed as usize % 90] {
            compare(&written.bytes, &expected(&events), block_bytes, &format!("seed {seed}"));
        }
    }
}

#[test]
fn a_cut_trace_has_the_events_that_are_whole() {
    for seed in 0..9 {
        let mut events = events(seed);
        events.truncate(12);
        let style = STYLES[seed as usize % 3];
        let written = write(&events, style, seed);
        for cut in (written.places[0].0..=written.bytes.len()).step_by(7) {
            let whole = written.places.iter().filter(|(_, end)| *end <= cut).count();
            let inside = written.places.iter().any(|(start, end)| *start < cut && cut < *end);
            let mut expected = expected(&events[..whole]);
            if inside {
                // The piece of an event is a record too.
                expected.lost += 1;
                expected.problems.remove("empty-trace");
            }
            if inside || style == Style::Object && cut < written.bytes.len() - 1 {
                expected.problems.insert("truncated".to_owned(), 1);
            }
            compare(&written.bytes[..cut], &expected, 64, &format!("seed {seed} cut at {cut}"));
        }
    }
}
