//! Exports read again, against the entities of the trace.

#[path = "../../query/tests/choice/mod.rs"]
mod choice;
#[path = "../../query/tests/plain/mod.rs"]
mod plain;

use std::collections::BTreeMap;

use choice::Choice;
use onca_export::{Border, PajeOptions, Progress, Summary, write_paje};
use onca_model::{ContainerId, LaneId, LinkRow, Nature, Ticks, Window, display_text, extra_fields};
use onca_query::{Lens, Scope};
use plain::Plain;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const SEEDS: u64 = 120;

fn export(scope: &Scope<'_>, border: Border) -> (Plain, String, Summary) {
    let mut out = Vec::new();
    let options = PajeOptions { border, ..PajeOptions::default() };
    let summary = write_paje(scope, &options, &mut out, &Progress::default()).expect("exported");
    let text = String::from_utf8_lossy(&out).into_owned();
    (Plain::of(&out), text, summary)
}

/// One entity: what it is, without what an export may change.
type Row = (String, String, String, Option<Ticks>, Option<Ticks>, String);

/// A text as every word of the format can say it: quotes cannot hold quotes.
fn shown(text: &[u8]) -> String {
    display_text(text).replace('"', "'")
}

fn name(plain: &Plain, id: ContainerId) -> String {
    shown(plain.name(id.index()))
}

fn track(plain: &Plain, lane: LaneId) -> (String, String) {
    let (container, type_id) = plain.place(lane);
    (name(plain, container), shown(&plain.catalog.type_def(type_id).name))
}

/// Extra fields, and the key of a link without what makes it unique.
fn texts(plain: &Plain, lane: LaneId, number: u64) -> String {
    let (key, packed) = &plain.rows.texts[&(lane, number)];
    let fields = extra_fields(packed).map(|extra| {
        let name = plain.catalog.field_name(extra.field);
        let text = shown(extra.text);
        format!("{}={text};", display_text(&name))
    });
    let key = shown(key);
    let stem = key.rsplit_once('~').filter(|(_, number)| number.contains('.'));
    format!("{} {}", stem.map_or(&*key, |(stem, _)| stem), fields.collect::<String>())
}

/// The states of a trace with the depth that they have among those that are seen.
fn states(
    plain: &Plain,
    sees: impl Fn(LaneId, &onca_model::StateRow) -> bool,
) -> Vec<(LaneId, u64, usize)> {
    let mut found = Vec::new();
    let tracks = plain.store.tracks();
    for (id, track) in tracks.iter() {
        if plain.catalog.type_def(track.type_id).nature != Nature::State {
            continue;
        }
        let lanes = tracks.lanes(id);
        // In order of opening, what is open is known by the depth of what comes.
        let mut open: Vec<(usize, bool)> = Vec::new();
        let visit = |depth: usize, number, row: &onca_model::StateRow| {
            open.retain(|(other, _)| *other < depth);
            let seen = sees(lanes[depth], row);
            if seen {
                let above = open.iter().filter(|(_, seen)| *seen).count();
                found.push((lanes[depth], number, above));
            }
            open.push((depth, seen));
        };
        plain.store.visit_track_states(id, Window::ALL, 0, visit).expect("visited");
    }
    found
}

/// What is expected of an export, or found in one, as rows that can be compared.
struct Expected<'p> {
    plain: &'p Plain,
    window: Window,
    choice: Choice,
    border: Border,
}

impl Expected<'_> {
    fn sees_track(&self, lane: LaneId) -> bool {
        let (container, type_id) = self.plain.place(lane);
        self.choice.containers.leaves(container.index())
            && self.choice.types.leaves(type_id.index())
    }

    fn clip(&self, time: Ticks) -> Ticks {
        time.clamp(self.window.from, self.window.to)
    }

    fn link(&self, row: &LinkRow<'_>) -> bool {
        let (low, high) = (row.start.min(row.end), row.start.max(row.end));
        let sees = |end: Option<ContainerId>| {
            end.is_none_or(|id| self.choice.containers.leaves(id.index()))
        };
        let holds = |time| self.window.touches(time, time);
        let long = self.choice.min_duration == 0 || row.end - row.start >= self.choice.min_duration;
        sees(row.source)
            && sees(row.destination)
            && long
            && self.choice.values.leaves(row.value.index())
            && match self.border {
                Border::Inside => holds(low) && holds(high),
                Border::Clip => self.window.touches(low, high),
            }
    }

    fn rows(&self) -> Vec<Row> {
        let plain = self.plain;
        let value = |id| shown(&plain.catalog.value(id).name);
        let by_lane: BTreeMap<_, _> =
            plain.rows.states.iter().map(|(lane, number, row)| ((*lane, *number), row)).collect();
        let sees_state = |lane: LaneId, row: &onca_model::StateRow| {
            self.sees_track(lane)
                && self.choice.values.leaves(row.value.index())
                && row.end - row.start >= self.choice.min_duration
                && self.window.touches(row.start, row.end)
        };
        let mut rows: Vec<Row> = Vec::new();
        for (lane, number, depth) in states(plain, sees_state) {
            let row = by_lane[&(lane, number)];
            let (container, kind) = track(plain, lane);
            let what = format!("{depth} {} {}", value(row.value), texts(plain, lane, number));
            let (start, end) = (self.clip(row.start), self.clip(row.end));
            rows.push(("S".into(), container, kind, Some(start), Some(end), what));
        }
        for (lane, number, row) in &plain.rows.variables {
            if self.sees_track(*lane) && self.window.touches(row.start, row.end) {
                let (container, kind) = track(plain, *lane);
                let what = format!("{:?} {}", row.value, texts(plain, *lane, *number));
                let (start, end) = (self.clip(row.start), self.clip(row.end));
                rows.push(("V".into(), container, kind, Some(start), Some(end), what));
            }
        }
        for (lane, number, row) in &plain.rows.events {
            let seen = self.sees_track(*lane) && self.choice.values.leaves(row.value.index());
            if seen && self.window.touches(row.time, row.time) {
                let (container, kind) = track(plain, *lane);
                let what = format!("{} {}", value(row.value), texts(plain, *lane, *number));
                rows.push(("E".into(), container, kind, Some(row.time), None, what));
            }
        }
        for (lane, number, row) in &plain.rows.links {
            if self.choice.types.leaves(plain.place(*lane).1.index()) && self.link(row) {
                let (container, kind) = track(plain, *lane);
                let end = |end: Option<ContainerId>| end.map(|id| name(plain, id));
                let what = format!(
                    "{} {:?} {:?} {}",
                    value(row.value),
                    end(row.source),
                    end(row.destination),
                    texts(plain, *lane, *number)
                );
                let start = row.source.map(|_| self.clip(row.start));
                let end = row.destination.map(|_| self.clip(row.end));
                rows.push(("L".into(), container, kind, start, end, what));
            }
        }
        rows.sort();
        rows
    }
}

/// Everything, as it is.
fn all(plain: &Plain) -> Expected<'_> {
    Expected { plain, window: Window::ALL, choice: Choice::default(), border: Border::Inside }
}

fn containers(plain: &Plain) -> Vec<(String, String, String, Ticks, Ticks)> {
    let mut rows: Vec<_> = (1..plain.n_containers())
        .map(|id| {
            let containers = &plain.catalog.containers;
            let kind = shown(plain.kind(id));
            let parent = name(plain, containers.parents[id]);
            let own = name(plain, ContainerId(id as u32));
            (own, kind, parent, containers.starts[id], containers.ends[id])
        })
        .collect();
    rows.sort();
    rows
}

fn compare<T: PartialEq + std::fmt::Debug>(found: &[T], expected: &[T], what: &str) {
    let only = |a: &[T], b: &[T]| -> Vec<String> {
        a.iter().filter(|row| !b.contains(row)).map(|row| format!("{row:?}")).collect()
    };
    assert!(
        found == expected,
        "{what}\n--- only expected\n{}\n--- only found\n{}",
        only(expected, found).join("\n"),
        only(found, expected).join("\n"),
    );
}

#[test]
fn the_whole_of_a_trace_comes_back() {
    for seed in 0..SEEDS {
        let plain = Plain::random(seed);
        let scope = Scope::new(&plain.store, &Lens::clear(), Window::ALL).expect("a scope");
        let (again, text, summary) = export(&scope, Border::Inside);
        let what = format!("seed {seed}\n{text}");
        compare(&containers(&again), &containers(&plain), &what);
        compare(&all(&again).rows(), &all(&plain).rows(), &what);
        let rows = &plain.rows;
        assert_eq!(
            (summary.states, summary.links, summary.events, summary.variables),
            (
                rows.states.len() as u64,
                rows.links.len() as u64,
                rows.events.len() as u64,
                rows.variables.len() as u64
            )
        );
        assert_eq!((summary.clipped, summary.links_across), (0, 0));
        assert_eq!(again.catalog.facts.lost, 0, "{what}");
    }
}

#[test]
fn a_window_through_a_lens_gives_the_clipped_entities() {
    for seed in 0..SEEDS {
        let plain = Plain::random(seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..4 {
            let choice = Choice::random(&mut rng, &plain);
            let lens = Lens { select: choice.selection(&plain), ..Lens::clear() };
            let window = plain.window(&mut rng);
            let border = if rng.random_bool(0.5) { Border::Inside } else { Border::Clip };
            let scope = Scope::new(&plain.store, &lens, window).expect("a scope");
            let (again, text, summary) = export(&scope, border);
            // A window that reaches a border of the trace has no border there.
            let facts = &plain.catalog.facts;
            let from = if window.from <= facts.start { Ticks::MIN } else { window.from };
            let to = if window.to >= facts.end { Ticks::MAX } else { window.to };
            let window = Window::new(from, to);
            let expected = Expected { plain: &plain, window, choice, border };
            let what = format!("seed {seed} {window:?} {:?}\n{text}", expected.choice);
            compare(&all(&again).rows(), &expected.rows(), &what);
            assert_eq!(again.catalog.facts.lost, 0, "{what}");
            assert_eq!(summary.links, again.rows.links.len() as u64, "{what}");
            assert_eq!(summary.states, again.rows.states.len() as u64, "{what}");
        }
    }
}

#[test]
fn how_many_records_are_sorted_at_once_does_not_matter() {
    for seed in 0..SEEDS / 6 {
        let plain = Plain::random(seed);
        let scope = Scope::new(&plain.store, &Lens::clear(), Window::ALL).expect("a scope");
        let written = |records_at_once| {
            let options = PajeOptions { records_at_once, ..PajeOptions::default() };
            let mut out = Vec::new();
            write_paje(&scope, &options, &mut out, &Progress::default()).expect("exported");
            String::from_utf8_lossy(&out).into_owned()
        };
        let at_once = written(1 << 20);
        for limit in [0, 1, 9, 60] {
            assert!(written(limit) == at_once, "seed {seed}, {limit} at once");
        }
    }
}
