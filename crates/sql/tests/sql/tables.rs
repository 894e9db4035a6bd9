//! Every table against a plain scan of the store, on random traces.

use crate::support::{Cell, Row, Sample, float, int, optional, text};
use onca_model::{
    ContainerId, FieldId, FieldKind, LaneId, LinkRow, Nature, Ticks, ValueId, Window, extra_fields,
};
use onca_store::{Measure, Store};

type Scan = fn(&Store) -> Vec<Row>;

fn samples() -> impl Iterator<Item = (u64, Sample)> {
    (0..40).map(|seed| (seed, Sample::of(&onca_testkit::random::trace(seed))))
}

/// Visits the lanes of a kind in the order of the tables.
fn each_lane(store: &Store, nature: Nature, mut visit: impl FnMut(LaneId)) {
    let tracks = store.tracks();
    for (id, track) in tracks.iter() {
        if store.catalog().type_def(track.type_id).nature == nature {
            tracks.lanes(id).iter().for_each(|&lane| visit(lane));
        }
    }
}

fn lane_cells(store: &Store, lane: LaneId) -> Row {
    let (catalog, lane) = (store.catalog(), store.catalog().lane(lane));
    let container = catalog.containers.get(lane.container);
    vec![int(lane.container.0), text(container.name), text(&catalog.type_def(lane.type_id).name)]
}

fn value_cell(store: &Store, value: ValueId) -> Cell {
    text(&store.catalog().value(value).name)
}

fn time_cells(store: &Store, start: Ticks, end: Ticks) -> Row {
    let unit = |ticks: Ticks| float(store.catalog().facts.unit.units(ticks));
    let duration = end - start;
    vec![unit(start), unit(end), unit(duration), int(start), int(end), int(duration)]
}

fn extra_cells(store: &Store, packed: &[u8]) -> Row {
    let fields = store.catalog().fields.iter().enumerate();
    let cell = |(index, field): (usize, &onca_model::FieldDef)| {
        let found = extra_fields(packed).find(|extra| extra.field == FieldId(index as u32));
        let Some(extra) = found else { return Cell::Null };
        let shown = String::from_utf8_lossy(extra.text);
        match field.kind {
            FieldKind::Int => optional(shown.trim().parse::<i64>().ok(), int),
            FieldKind::Double | FieldKind::Date => optional(shown.trim().parse().ok(), float),
            FieldKind::String | FieldKind::Hex | FieldKind::Color => text(extra.text),
        }
    };
    fields.map(cell).collect()
}

fn states(store: &Store) -> Vec<Row> {
    let mut rows = Vec::new();
    each_lane(store, Nature::State, |lane| {
        let depth = store.catalog().lane(lane).depth;
        let inner = inner_lane(store, lane);
        let visit = |number, row: &onca_model::StateRow, _| {
            let mut exclusive = row.end - row.start;
            if let Some(inner) = inner {
                let nested = |_, inside: &onca_model::StateRow, parent| {
                    if parent == Some(number) {
                        exclusive -= inside.end - inside.start;
                    }
                };
                store.visit_states(inner, Window::ALL, 0, nested).expect("readable");
            }
            let extras = store.state_extras(lane, number).expect("readable");
            let mut cells = lane_cells(store, lane);
            cells.push(value_cell(store, row.value));
            cells.extend(time_cells(store, row.start, row.end));
            cells.push(int(exclusive));
            cells.push(int(depth));
            cells.push(optional(row.parent, |id| value_cell(store, id)));
            cells.push(Cell::Bool(row.open_ended));
            cells.extend(extra_cells(store, &extras));
            rows.push(cells);
        };
        store.visit_states(lane, Window::ALL, 0, visit).expect("readable");
    });
    rows
}

fn inner_lane(store: &Store, lane: LaneId) -> Option<LaneId> {
    let own = store.catalog().lane(lane);
    let lanes = store.catalog().lanes.iter();
    let found = lanes.enumerate().find(|(_, other)| {
        (other.container, other.type_id, other.depth) == (own.container, own.type_id, own.depth + 1)
    });
    found.map(|(index, _)| LaneId(index as u32))
}

fn links(store: &Store) -> Vec<Row> {
    let mut rows = Vec::new();
    each_lane(store, Nature::Link, |lane| {
        let visit = |number, row: &LinkRow<'_>| {
            let name = |id: ContainerId| text(store.catalog().containers.get(id).name);
            let mut cells = lane_cells(store, lane);
            cells.push(value_cell(store, row.value));
            cells.extend(time_cells(store, row.start, row.end));
            for end in [row.source, row.destination] {
                cells.push(optional(end, |id| int(id.0)));
                cells.push(optional(end, name));
            }
            cells.push(optional(row.size, int));
            cells.push(text(&store.link_key(lane, number).expect("readable")));
            cells.extend(extra_cells(store, &store.link_extras(lane, number).expect("readable")));
            rows.push(cells);
        };
        store.visit_links(lane, Window::ALL, None, 0, visit).expect("readable");
    });
    rows
}

fn events(store: &Store) -> Vec<Row> {
    let mut rows = Vec::new();
    each_lane(store, Nature::Event, |lane| {
        let visit = |number, row: &onca_model::EventRow| {
            let mut cells = lane_cells(store, lane);
            cells.push(value_cell(store, row.value));
            cells.push(float(store.catalog().facts.unit.units(row.time)));
            cells.push(int(row.time));
            cells.extend(extra_cells(store, &store.event_extras(lane, number).expect("readable")));
            rows.push(cells);
        };
        store.visit_events(lane, Window::ALL, visit).expect("readable");
    });
    rows
}

fn variables(store: &Store) -> Vec<Row> {
    let mut rows = Vec::new();
    each_lane(store, Nature::Variable, |lane| {
        let visit = |number, row: &onca_model::VariableRow| {
            let mut cells = lane_cells(store, lane);
            cells.push(float(row.value));
            cells.extend(time_cells(store, row.start, row.end));
            let extras = store.variable_extras(lane, number).expect("readable");
            cells.extend(extra_cells(store, &extras));
            rows.push(cells);
        };
        store.visit_variables(lane, Window::ALL, visit).expect("readable");
    });
    rows
}

fn containers(store: &Store) -> Vec<Row> {
    let (catalog, unit) = (store.catalog(), &store.catalog().facts.unit);
    let row = |index: usize| {
        let id = ContainerId(index as u32);
        let container = catalog.containers.get(id);
        let (mut path, mut depth, mut at) = (String::new(), 0, id);
        while at != ContainerId::ROOT {
            let here = catalog.containers.get(at);
            let name =
                onca_model::display_text(here.name).replace('\\', "\\\\").replace('/', "\\/");
            (path, depth, at) = (format!("/{name}{path}"), depth + 1, here.parent);
        }
        let mut cells = vec![
            int(id.0),
            optional((index > 0).then_some(container.parent), |parent| int(parent.0)),
            text(container.name),
            optional(Some(container.alias).filter(|alias| !alias.is_empty()), text),
            text(&catalog.type_def(container.type_id).name),
            Cell::Text(if path.is_empty() { "/".to_owned() } else { path }),
            int(depth),
            float(unit.units(container.start)),
            float(unit.units(container.end)),
            int(container.start),
            int(container.end),
            Cell::Bool(catalog.containers.destroyed[index]),
        ];
        cells.extend(extra_cells(store, container.extras));
        cells
    };
    (0..catalog.containers.len()).map(row).collect()
}

#[test]
fn tables_hold_what_a_scan_finds() {
    let mut found = [0; 5];
    for (seed, sample) in samples() {
        let tables: [(&str, Scan); 5] = [
            ("containers", containers),
            ("states", states),
            ("links", links),
            ("events", events),
            ("variables", variables),
        ];
        for (index, (table, scan)) in tables.into_iter().enumerate() {
            let mut expected = scan(&sample.store);
            found[index] += expected.len();
            // Streams are read side by side, so that rows come in any order.
            expected.sort();
            let rows = sample.ask_sorted(&format!("SELECT * FROM {table}"));
            assert_eq!(rows, expected, "seed {seed}, {table}");
            let count = sample.ask(&format!("SELECT count(*) FROM {table}"));
            assert_eq!(count, [[int(expected.len() as i64)]], "seed {seed}, {table}");
        }
    }
    assert!(found.iter().all(|&rows| rows > 100), "the traces have something of all: {found:?}");
}

#[test]
fn types_and_diagnostics_are_those_of_the_catalog() {
    let mut problems = 0;
    for (seed, sample) in samples() {
        let catalog = sample.store.catalog();
        let types = sample.ask("SELECT id, parent_id, name, nature FROM types ORDER BY id");
        let expected: Vec<Row> = catalog
            .types
            .iter()
            .enumerate()
            .map(|(id, def)| {
                let parent = (id > 0).then_some(def.parent.0);
                let nature = Cell::Text(def.nature.name().to_owned());
                vec![int(id as i64), optional(parent, int), text(&def.name), nature]
            })
            .collect();
        assert_eq!(types, expected, "seed {seed}");
        let rows = sample.ask_sorted(
            "SELECT code, severity, \"count\", line, \"column\", message FROM diagnostics",
        );
        let mut expected: Vec<Row> = catalog
            .diagnostics
            .samples()
            .into_iter()
            .map(|problem| {
                let tally = catalog.diagnostics.get(problem.code).expect("counted");
                let position = problem.position;
                vec![
                    Cell::Text(problem.code.name().to_owned()),
                    Cell::Text(problem.severity.name().to_owned()),
                    int(tally.count),
                    optional((position.line > 0).then_some(position.line), int),
                    optional((position.column > 0).then_some(position.column), int),
                    Cell::Text(problem.message.clone()),
                ]
            })
            .collect();
        problems += expected.len();
        expected.sort();
        assert_eq!(rows, expected, "seed {seed}");
    }
    assert!(problems > 10, "the traces have problems: {problems}");
}

#[test]
fn totals_are_those_of_the_store() {
    for (seed, sample) in samples() {
        let store = &sample.store;
        let tracks: Vec<_> = store
            .tracks()
            .iter()
            .filter(|(_, t)| store.catalog().type_def(t.type_id).nature == Nature::State)
            .map(|(id, _)| id)
            .collect();
        for (column, measure) in
            [("duration_ticks", Measure::Inclusive), ("exclusive_ticks", Measure::Exclusive)]
        {
            let times = store.state_time_of(&tracks, Window::ALL, measure).expect("readable");
            // Values of different types may have one name; SQL tells them apart by their type.
            let mut expected: Vec<Row> = times
                .into_iter()
                .map(|(id, ticks)| {
                    let value = store.catalog().value(id);
                    let type_name = text(&store.catalog().type_def(value.type_id).name);
                    vec![type_name, text(&value.name), int(ticks)]
                })
                .collect();
            expected.sort();
            let merged = merge(expected);
            let rows = sample.ask_sorted(&format!(
                "SELECT type, value, sum({column}) AS ticks FROM states
                 GROUP BY type, value HAVING sum({column}) <> 0"
            ));
            assert_eq!(rows, merged, "seed {seed}, {column}");
        }
    }
}

/// Adds up rows that differ only in the last cell.
fn merge(rows: Vec<Row>) -> Vec<Row> {
    let mut merged: Vec<Row> = Vec::new();
    for row in rows {
        match merged.last_mut() {
            Some(last) if last[..2] == row[..2] => match (&mut last[2], &row[2]) {
                (Cell::Int(sum), Cell::Int(more)) => *sum += more,
                other => panic!("{other:?}"),
            },
            _ => merged.push(row),
        }
    }
    merged
}

#[test]
fn an_empty_trace_has_empty_tables() {
    for trace in ["", "# nothing\n"] {
        let sample = Sample::of(trace.as_bytes());
        for table in ["states", "links", "events", "variables"] {
            assert_eq!(sample.ask(&format!("SELECT * FROM {table}")), Vec::<Row>::new());
            assert_eq!(sample.ask(&format!("SELECT count(*) FROM {table}")), [[int(0)]]);
        }
        let roots = sample.ask("SELECT id, parent_id, path, depth FROM containers");
        assert!(roots.len() <= 1, "{roots:?}");
        assert_eq!(sample.ask("SELECT sum(duration_ticks) FROM states"), [[Cell::Null]]);
    }
}
