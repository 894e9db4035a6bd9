//! CSV and Chrome exports read again by simple readers, against filtering a list of all entities.

#[path = "../../query/tests/choice/mod.rs"]
mod choice;
#[path = "../../query/tests/plain/mod.rs"]
mod plain;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::rc::Rc;

use choice::Choice;
use onca_export::{Border, CsvOptions, Progress, TABLES, write_chrome, write_csv};
use onca_model::{ContainerId, Ticks, Window, display_text};
use onca_query::{Lens, Scope};
use plain::Plain;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

const SEEDS: u64 = 80;

/// A file in memory that can still be read when its writer is gone.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads a table of RFC 4180.
fn parse(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut chars = text.chars().peekable();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {
                assert_eq!(chars.next(), Some('\n'), "lines end as the RFC says");
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    assert!(row.is_empty() && cell.is_empty() && !quoted, "the last line is whole");
    rows
}

/// The rows of a table, each with its columns by name.
fn tables(
    scope: &Scope<'_>,
    options: &CsvOptions,
) -> BTreeMap<String, Vec<BTreeMap<String, String>>> {
    let mut files: BTreeMap<String, Shared> = BTreeMap::new();
    let open = |table: &str| {
        let file = Shared::default();
        files.insert(table.to_owned(), file.clone());
        Ok(file)
    };
    write_csv(scope, options, open, &Progress::default()).expect("exported");
    assert_eq!(files.len(), TABLES.len());
    let read = |(name, file): (String, Shared)| {
        let text = String::from_utf8(file.0.borrow().clone()).expect("text");
        let mut rows = parse(&text).into_iter();
        let header = rows.next().expect("a header");
        let named = rows.map(|row| {
            assert_eq!(row.len(), header.len(), "{name}");
            header.iter().cloned().zip(row).collect()
        });
        (name.clone(), named.collect())
    };
    files.into_iter().map(read).collect()
}

/// A random look at a random trace.
fn check_all(check: impl Fn(&Plain, &Choice, Window, &Scope<'_>)) {
    for seed in 0..SEEDS {
        let plain = Plain::random(seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..3 {
            let choice = Choice::random(&mut rng, &plain);
            let lens = Lens { select: choice.selection(&plain), ..Lens::clear() };
            let window = plain.window(&mut rng);
            let scope = Scope::new(&plain.store, &lens, window).expect("a scope");
            // A window that reaches a border of the trace has no border there.
            let facts = &plain.catalog.facts;
            let from = if window.from <= facts.start { Ticks::MIN } else { window.from };
            let to = if window.to >= facts.end { Ticks::MAX } else { window.to };
            check(&plain, &choice, Window::new(from, to), &scope);
        }
    }
}

/// Container, value, begin and end of the states that a filter leaves, clipped.
fn states(plain: &Plain, choice: &Choice, window: Window) -> Vec<(u32, String, Ticks, Ticks)> {
    let seen = plain.rows.states.iter().filter(|(lane, _, row)| {
        let (container, type_id) = plain.place(*lane);
        choice.containers.leaves(container.index())
            && choice.types.leaves(type_id.index())
            && choice.values.leaves(row.value.index())
            && row.end - row.start >= choice.min_duration
            && window.touches(row.start, row.end)
    });
    let mut rows: Vec<_> = seen
        .map(|(lane, _, row)| {
            let value = display_text(&plain.catalog.value(row.value).name).into_owned();
            let (start, end) = (row.start.max(window.from), row.end.min(window.to));
            (plain.place(*lane).0.0, value, start, end)
        })
        .collect();
    rows.sort();
    rows
}

/// Ends of the links that lie inside the window.
fn links(
    plain: &Plain,
    choice: &Choice,
    window: Window,
) -> Vec<(Option<u32>, Option<u32>, Ticks, Ticks)> {
    let sees = |end: Option<ContainerId>| end.is_none_or(|id| choice.containers.leaves(id.index()));
    let seen = plain.rows.links.iter().filter(|(lane, _, row)| {
        choice.types.leaves(plain.place(*lane).1.index())
            && choice.values.leaves(row.value.index())
            && sees(row.source)
            && sees(row.destination)
            && (choice.min_duration == 0 || row.end - row.start >= choice.min_duration)
            && [row.start, row.end].iter().all(|&time| window.touches(time, time))
    });
    let mut rows: Vec<_> = seen
        .map(|(_, _, row)| {
            (row.source.map(|id| id.0), row.destination.map(|id| id.0), row.start, row.end)
        })
        .collect();
    rows.sort();
    rows
}

#[test]
fn tables_have_the_rows_that_a_filter_leaves() {
    check_all(|plain, choice, window, scope| {
        let tables = tables(scope, &CsvOptions::default());
        let number = |row: &BTreeMap<String, String>, column: &str| row[column].parse::<i64>().ok();
        let id = |row: &BTreeMap<String, String>, column: &str| row[column].parse::<u32>().ok();
        let mut found: Vec<_> = (tables["states"].iter())
            .map(|row| {
                let tick = |column| number(row, column).expect("a time");
                assert_eq!(tick("duration_ticks"), tick("tick_end") - tick("tick_start"));
                let container = id(row, "container_id").expect("an id");
                assert_eq!(row["container"], display_text(plain.name(container as usize)));
                (container, row["value"].clone(), tick("tick_start"), tick("tick_end"))
            })
            .collect();
        found.sort();
        assert_eq!(found, states(plain, choice, window));
        let mut found: Vec<_> = (tables["links"].iter())
            .map(|row| {
                let (start, end) = (number(row, "tick_start"), number(row, "tick_end"));
                let known = start.or(end).expect("a half at least");
                let (start, end) = (start.unwrap_or(known), end.unwrap_or(known));
                (id(row, "source_id"), id(row, "destination_id"), start, end)
            })
            .collect();
        found.sort();
        assert_eq!(found, links(plain, choice, window));
        let sees = |lane| {
            let (container, type_id): (ContainerId, onca_model::TypeId) = plain.place(lane);
            choice.containers.leaves(container.index()) && choice.types.leaves(type_id.index())
        };
        let n_events = plain.rows.events.iter().filter(|(lane, _, row)| {
            let seen = sees(*lane) && choice.values.leaves(row.value.index());
            seen && window.touches(row.time, row.time)
        });
        assert_eq!(tables["events"].len(), n_events.count());
        let n_steps = plain
            .rows
            .variables
            .iter()
            .filter(|(lane, _, row)| sees(*lane) && window.touches(row.start, row.end));
        assert_eq!(tables["variables"].len(), n_steps.count());
        assert_eq!(tables["types"].len(), plain.catalog.types.len());
        // Every container that a row names can be looked up.
        let known: Vec<u32> = tables["containers"].iter().filter_map(|row| id(row, "id")).collect();
        let named = ["states", "events", "variables", "links"].map(|table| &tables[table]);
        for row in named.into_iter().flatten() {
            assert!(known.contains(&id(row, "container_id").expect("an id")));
        }
    });
}

#[test]
fn what_a_spreadsheet_would_run_is_made_harmless() {
    let text = onca_testkit::fixtures::trace("13 1 S a =1+1\n");
    let plain = Plain::of(text.as_bytes());
    let scope = Scope::new(&plain.store, &Lens::clear(), Window::ALL).expect("a scope");
    for (safe_for_spreadsheets, expected) in [(false, "=1+1"), (true, "'=1+1")] {
        let options = CsvOptions { safe_for_spreadsheets, ..CsvOptions::default() };
        let values: Vec<_> =
            tables(&scope, &options)["states"].iter().map(|row| row["value"].clone()).collect();
        assert_eq!(values, [expected]);
    }
}

/// Ticks of a time in microseconds, of which the trace has a thousand.
fn ticks(value: &Value) -> Ticks {
    let text = value.to_string();
    let (whole, part) = text.split_once('.').unwrap_or((&text, "0"));
    let sign = if whole.starts_with('-') { -1 } else { 1 };
    let part: Ticks = format!("{part:0<3}").parse().expect("three decimals");
    whole.parse::<Ticks>().expect("a number") * 1000 + sign * part
}

#[test]
fn trace_events_have_the_slices_and_flows_that_a_filter_leaves() {
    check_all(|plain, choice, window, scope| {
        if plain.catalog.facts.unit.ticks_per_unit != onca_model::DEFAULT_TICKS_PER_UNIT {
            return;
        }
        let mut out = Vec::new();
        write_chrome(scope, Border::Inside, &mut out, &Progress::default()).expect("exported");
        let answer: Value = serde_json::from_slice(&out).expect("JSON");
        let events = answer["traceEvents"].as_array().expect("events");
        let of_phase = |phase: &'static str| events.iter().filter(move |e| e["ph"] == phase);
        let names: BTreeMap<u64, &str> = of_phase("M")
            .filter(|event| event["name"] == "thread_name")
            .map(|event| (event["tid"].as_u64().unwrap(), event["args"]["name"].as_str().unwrap()))
            .collect();
        // What a slice says, with the name of the thread instead of the container.
        let mut found = Vec::new();
        let mut open: BTreeMap<u64, Vec<(Ticks, Ticks)>> = BTreeMap::new();
        for slice in of_phase("X") {
            let thread = slice["tid"].as_u64().expect("a number");
            let start = ticks(&slice["ts"]);
            let end = start + ticks(&slice["dur"]);
            let stack = open.entry(thread).or_default();
            while stack.pop_if(|(_, ended)| *ended <= start && *ended < end).is_some() {}
            if let Some((_, around)) = stack.last().filter(|(_, around)| *around > start) {
                assert!(end <= *around, "slices of a thread nest");
            }
            stack.push((start, end));
            let name = names[&thread].split(" (").next().expect("a name").to_owned();
            found.push((name, slice["name"].as_str().expect("a name").to_owned(), start, end));
        }
        found.sort();
        let mut expected: Vec<_> = states(plain, choice, window)
            .into_iter()
            .map(|(id, value, start, end)| {
                let name = display_text(plain.name(id as usize)).into_owned();
                (name.split(" (").next().expect("a name").to_owned(), value, start, end)
            })
            .collect();
        expected.sort();
        assert_eq!(found, expected);
        let mut flows: BTreeMap<u64, (Option<Ticks>, Option<Ticks>)> = BTreeMap::new();
        for end in of_phase("s").chain(of_phase("f")) {
            let flow = flows.entry(end["id"].as_u64().expect("a number")).or_default();
            let place = if end["ph"] == "s" { &mut flow.0 } else { &mut flow.1 };
            assert_eq!(place.replace(ticks(&end["ts"])), None, "an id means one link");
        }
        let mut found: Vec<_> = flows.into_values().collect();
        found.sort();
        let mut expected: Vec<_> = links(plain, choice, window)
            .into_iter()
            .map(|(source, destination, start, end)| {
                (source.map(|_| start), destination.map(|_| end))
            })
            .collect();
        expected.sort();
        assert_eq!(found, expected);
    });
}
