//! Exports as Chrome trace events, read again: what the format can hold comes back.

#[path = "../../query/tests/plain/mod.rs"]
mod plain;

use std::collections::BTreeMap;

use onca_export::{Border, Progress, write_chrome};
use onca_model::{ContainerId, DEFAULT_TICKS_PER_UNIT, LaneId, Window, display_text, extra_fields};
use onca_query::{Lens, Scope};
use onca_testkit::chrome::{Style, events, write};
use plain::Plain;

fn export(plain: &Plain) -> Vec<u8> {
    let scope = Scope::new(&plain.store, &Lens::clear(), Window::ALL).expect("a scope");
    let mut out = Vec::new();
    write_chrome(&scope, Border::Inside, &mut out, &Progress::default()).expect("exported");
    out
}

/// The entities of a trace as lines, with what the export or the reader adds to names taken away.
struct Lines<'p> {
    plain: &'p Plain,
    /// Extra fields keep their texts.
    with_extras: bool,
}

impl Lines<'_> {
    /// A container's name. A second type of states gets a thread with its name, and threads of
    /// one name get their number.
    fn container(&self, id: ContainerId, of: &str) -> String {
        let name = display_text(self.plain.name(id.index())).into_owned();
        let mut stem = name.as_str();
        while let Some((before, number)) = stem.rsplit_once(" (tid ")
            && number.trim_end_matches(')').bytes().all(|byte| byte.is_ascii_digit())
        {
            stem = before;
        }
        let stem = stem.strip_suffix(&format!(" ({of})")).unwrap_or(stem);
        // A thread that is called nothing gets its number.
        let number = stem.strip_prefix("tid ").unwrap_or("");
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        if is_number { String::new() } else { stem.to_owned() }
    }

    fn track(&self, lane: LaneId, unnamed: &str) -> (String, String) {
        let (container, type_id) = self.plain.place(lane);
        let name = display_text(&self.plain.catalog.type_def(type_id).name).into_owned();
        let of = if name.is_empty() { unnamed.to_owned() } else { name };
        (self.container(container, &of), of)
    }

    /// Extra fields; JSON has no order, and a name that occurs twice is numbered.
    fn extras(&self, lane: LaneId, number: u64) -> String {
        let mut fields = BTreeMap::new();
        for extra in extra_fields(&self.plain.rows.texts[&(lane, number)].1) {
            let name = self.plain.catalog.field_name(extra.field);
            let name = display_text(&name).into_owned();
            let numbered = (2..).map(|n| format!("{name} {n}"));
            let mut keys = std::iter::once(name.clone()).chain(numbered);
            let key = keys.find(|key| !fields.contains_key(key)).expect("there are many numbers");
            fields.insert(key, display_text(extra.text).into_owned());
        }
        if self.with_extras { format!("{fields:?}") } else { String::new() }
    }

    fn all(&self) -> Vec<String> {
        let (rows, catalog) = (&self.plain.rows, &self.plain.catalog);
        let value = |id| display_text(&catalog.value(id).name).into_owned();
        let mut lines = Vec::new();
        for (lane, number, row) in &rows.states {
            let (container, of) = self.track(*lane, "Slice");
            // A state of no length may be at the border of one that it was inside of.
            let depth = if row.start < row.end { catalog.lane(*lane).depth } else { 0 };
            lines.push(format!(
                "S {container} {of} {} {} {depth} {} {}",
                row.start,
                row.end,
                value(row.value),
                self.extras(*lane, *number)
            ));
        }
        for (lane, number, row) in &rows.events {
            let (container, of) = self.track(*lane, "Instant");
            let extras = self.extras(*lane, *number);
            lines.push(format!("E {container} {of} {} {} {extras}", row.time, value(row.value)));
        }
        for (lane, number, row) in &rows.links {
            let (_, of) = self.track(*lane, "Flow");
            let (value, extras) = (value(row.value), self.extras(*lane, *number));
            let side = |id: Option<ContainerId>, time: i64| {
                id.map(|id| format!("{time} {}", self.container(id, "")))
            };
            let (from, to) = (side(row.source, row.start), side(row.destination, row.end));
            let mut line = |from: &Option<String>, to: &Option<String>, extras: &str| {
                lines.push(format!("L {of} {from:?} {to:?} {value} {extras}"));
            };
            match row.end < row.start && from.is_some() && to.is_some() {
                // A flow cannot end before it starts: it becomes two halves.
                true => {
                    line(&from, &None, &extras);
                    line(&None, &to, if self.with_extras { "{}" } else { "" });
                }
                false => line(&from, &to, &extras),
            }
        }
        lines.sort();
        lines
    }

    /// Steps of variables: the counter's name, when and what.
    fn counters(&self) -> Vec<String> {
        let containers = &self.plain.catalog.containers;
        let mut lines = Vec::new();
        for (lane, _, row) in &self.plain.rows.variables {
            let (container, type_id) = self.plain.place(*lane);
            let of = display_text(&self.plain.catalog.type_def(type_id).name).into_owned();
            let holds_others = containers.parents[1..].contains(&container);
            let is_thread = !holds_others && self.plain.kind(container.index()) == b"Process";
            let name = match is_thread {
                true => format!("{} {of}", display_text(self.plain.name(container.index()))),
                false => of,
            };
            lines.push(format!("V {name} {} {:?}", row.start, row.value));
        }
        lines.sort();
        lines
    }
}

fn compare(found: &[String], expected: &[String], what: &str) {
    let only = |a: &[String], b: &[String]| -> String {
        a.iter().filter(|row| !b.contains(row)).cloned().collect::<Vec<_>>().join("\n")
    };
    assert!(
        found == expected,
        "{what}\n--- only expected\n{}\n--- only found\n{}",
        only(expected, found),
        only(found, expected),
    );
}

#[test]
fn chrome_traces_come_back() {
    for seed in 0..60 {
        let plain = Plain::of(&write(&events(seed), Style::Object, seed).bytes);
        let exported = export(&plain);
        let again = Plain::of(&exported);
        let what = format!("seed {seed}\n{}", String::from_utf8_lossy(&exported));
        let lines = |plain| Lines { plain, with_extras: true };
        compare(&lines(&again).all(), &lines(&plain).all(), &what);
        assert_eq!(again.catalog.facts.lost, 0, "{what}");
    }
}

#[test]
fn counters_come_back() {
    for seed in 0..60 {
        let plain = Plain::of(&write(&events(seed), Style::Object, seed).bytes);
        let exported = export(&plain);
        let again = Plain::of(&exported);
        let what = format!("seed {seed}\n{}", String::from_utf8_lossy(&exported));
        let found = Lines { plain: &again, with_extras: true }.counters();
        // A process that holds nothing is exported as a thread of the root.
        let found: Vec<_> = found.iter().map(|line| line.replacen("V 0 ", "V ", 1)).collect();
        compare(&found, &Lines { plain: &plain, with_extras: true }.counters(), &what);
    }
}

#[test]
fn paje_traces_come_back() {
    for seed in 0..60 {
        let plain = Plain::random(seed);
        if plain.catalog.facts.unit.ticks_per_unit != DEFAULT_TICKS_PER_UNIT {
            continue;
        }
        let exported = export(&plain);
        let again = Plain::of(&exported);
        let what = format!("seed {seed}\n{}", String::from_utf8_lossy(&exported));
        // Fields that are numbers are written as JSON writes numbers.
        let lines = |plain| Lines { plain, with_extras: false };
        compare(&lines(&again).all(), &lines(&plain).all(), &what);
    }
}
