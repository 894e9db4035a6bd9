//! Cubes in files: as good as the trace, and refused when they are damaged.

use std::collections::{BTreeMap, BTreeSet};

use crate::support;

use onca_aggregate::overview::{StartRule, Watch};
use onca_aggregate::slice::Bounds;
use onca_answer::overview::{Choice, Matrix, Metric, Overview, OverviewOptions};
use onca_answer::slice::{CubeFile, cube};
use onca_generate::iterative::{Burst, Options, write_with_truth};
use onca_model::{Catalog, ContainerId, Nature, Ticks, TypeId, Window};
use onca_query::{Appearance, GroupSpec, Lens, ReductionForm, ReductionOp, ReductionSpec, Scope};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use support::plain::Plain;
use support::{Stored, writer};

const STATES: Metric = Metric::States { idle: false };
const IDLE: Metric = Metric::States { idle: true };

/// Half of the traces have every oddity of the format, half of them clusters with states of their own.
fn random(seed: u64) -> Stored {
    Stored::new(&match seed.is_multiple_of(2) {
        true => onca_testkit::random::trace(seed),
        false => writer::trace(seed).into_bytes(),
    })
}

fn window(rng: &mut ChaCha8Rng, whole: Window) -> Option<Window> {
    if rng.random_bool(0.3) {
        return (whole.from < whole.to).then_some(whole);
    }
    let (a, b) = (rng.random_range(whole.from..=whole.to), rng.random_range(whole.from..=whole.to));
    (a != b).then(|| Window::new(a.min(b), a.max(b)))
}

fn file(scope: &Scope<'_>, lens: &Lens, n_slices: usize) -> CubeFile {
    let cube = cube(scope, n_slices, STATES.measure()).expect("a cube");
    let appearance = Appearance::new(scope.catalog(), lens, None).expect("looks");
    CubeFile::of(scope, &cube, &appearance).expect("a file")
}

fn text(file: &CubeFile) -> String {
    let mut bytes = Vec::new();
    file.write(&mut bytes).expect("written");
    String::from_utf8(bytes).expect("a text")
}

#[test]
fn a_matrix_of_a_file_is_that_of_the_trace() {
    for seed in 0..40 {
        let stored = random(seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let Some(window) = window(&mut rng, stored.whole()) else { continue };
        let mut lens = Lens::clear();
        if rng.random_bool(0.3) {
            lens.group.push(GroupSpec::Depth(rng.random_range(0..3)));
        }
        if seed % 2 == 1 && rng.random_bool(0.5) {
            lens.select.values.hide.push("wait".to_owned());
        }
        // Grouped containers have no level that something could be derived for.
        if seed % 4 == 3 && lens.group.is_empty() {
            lens.reduce.push(ReductionSpec {
                name: "working".to_owned(),
                level: "Cluster".to_owned(),
                op: ReductionOp::Count,
                values: vec!["State:work".to_owned()],
                variable: None,
                form: ReductionForm::States,
            });
        }
        let scope = stored.scope(&lens, window);
        let n_slices = rng.random_range(1..20);
        let kept = file(&scope, &lens, n_slices);
        let text = text(&kept);
        assert_eq!(CubeFile::from_json(&text).expect("a file"), kept, "seed {seed}");
        for metric in [STATES, IDLE] {
            let expected = Matrix::new(&scope, n_slices, &metric).expect("a matrix");
            let (found, lost) = Matrix::of_file(&text, &metric).expect("a matrix");
            assert_eq!(lost, scope.catalog().facts.lost);
            // Numbers of a store mean nothing in a file.
            let found = Matrix {
                places: expected.places.clone(),
                meanings: expected.meanings.clone(),
                ..found
            };
            assert_eq!(found, expected, "seed {seed}");
        }
    }
}

#[test]
fn an_overview_of_a_file_is_that_of_the_trace() {
    let burst = Burst { from_ticks: 0, to_ticks: 40_000_000, share: 0.3, factor: 3.0 };
    let options = Options { procs: 16, events: 12_000, bursts: vec![burst], ..Options::default() };
    let mut trace = Vec::new();
    write_with_truth(&options, &mut trace).expect("options that make sense");
    let stored = Stored::new(&trace);
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let text = text(&file(&scope, &Lens::clear(), 100));
    let of_file = Matrix::of_file(&text, &STATES).expect("a matrix").0;
    let of_trace = Matrix::new(&scope, 100, &STATES).expect("a matrix");
    let [of_file, of_trace] = [of_file, of_trace].map(|matrix| {
        let watch = Watch::default();
        Overview::with(&matrix, &OverviewOptions::default(), watch, |overview| {
            let choice = Choice::Start(StartRule::default());
            Ok((overview.partition(choice, watch)?, overview.disruptions(5, choice, watch)?))
        })
        .expect("an overview")
    });
    assert_eq!(of_file, of_trace);
}

type Places = BTreeMap<(ContainerId, TypeId, Vec<u8>, usize), Ticks>;

/// What each container has, the slow way: each state in each slice, less the states inside it.
fn plain_cells(plain: &Plain, catalog: &Catalog, bounds: &Bounds) -> Places {
    let mut cells = Places::new();
    for state in &plain.states {
        for slice in 0..bounds.n_slices() {
            let ticks = bounds.slice(slice).overlap(state.row.start, state.row.end);
            let around = state.around.map(|around| (around.value, -ticks));
            for (value, ticks) in [(state.row.value, ticks)].into_iter().chain(around) {
                let name = catalog.value(value).name.clone();
                *cells.entry((state.container, state.type_id, name, slice)).or_default() += ticks;
            }
        }
    }
    cells
}

/// Does a type of states have two values of one name? Then names do not tell them apart.
fn has_twins(catalog: &Catalog) -> bool {
    let mut names = BTreeSet::new();
    catalog.values.iter().any(|value| !names.insert((value.type_id, value.name.clone())))
}

#[test]
fn cells_that_were_computed_elsewhere_make_the_same_file() {
    let (mut compared, mut with_level) = (0, 0);
    for seed in 0..60 {
        let stored = random(seed);
        let catalog = stored.store.catalog();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let Some(window) = window(&mut rng, stored.whole()) else { continue };
        if has_twins(catalog) {
            continue;
        }
        let n_slices = rng.random_range(1..20);
        let plain = Plain::of(&stored.store);
        let bounds = Bounds::new(window.from, window.to, n_slices).expect("bounds");
        let cells = plain_cells(&plain, catalog, &bounds);
        let having: BTreeSet<_> =
            plain.states.iter().map(|state| (state.type_id, state.container)).collect();
        let clear = stored.scope(&Lens::clear(), window);
        let levels: Vec<String> =
            clear.hierarchy().levels().into_iter().map(|level| level.into_owned()).collect();
        let level = rng.random_bool(0.5).then(|| &*levels[rng.random_range(0..levels.len())]);
        let mut lens = Lens::clear();
        lens.group.extend(level.map(|level| GroupSpec::Level(level.to_owned())));
        let expected = file(&stored.scope(&lens, window), &lens, n_slices);
        let each =
            cells.iter().map(|((id, of, name, slice), ticks)| (*id, *of, name, *slice, *ticks));
        let found = CubeFile::from_cells(catalog, window, n_slices, each, having, level);
        assert_eq!(found.expect("a file"), expected, "seed {seed}, level {level:?}");
        compared += 1;
        with_level += usize::from(level.is_some());
    }
    assert!(compared > 30 && with_level > 10, "{compared} {with_level}");
}

#[test]
fn cells_that_do_not_fit_are_refused() {
    let stored = Stored::new(writer::trace(1).as_bytes());
    let catalog = stored.store.catalog();
    let is_state = |id: &TypeId| catalog.type_def(*id).nature == Nature::State;
    let state = (0..catalog.types.len() as u32).map(TypeId).find(is_state).expect("a type");
    let name = catalog.values.iter().find(|value| value.type_id == state).expect("a value");
    let name = &*name.name;
    let container = ContainerId(1);
    let whole = stored.whole();
    let empty = Window::new(whole.to, whole.from);
    type Cell<'a> = (ContainerId, TypeId, &'a [u8], usize, Ticks);
    let made = |window: Window, cell: Cell<'_>, level: Option<&str>| {
        CubeFile::from_cells(catalog, window, 4, [cell], [], level).map(|_| ())
    };
    made(whole, (container, state, name, 3, 1), None).expect("a file");
    let cases: [(Window, Cell<'_>, Option<&str>, &str); 8] = [
        (empty, (container, state, name, 3, 1), None, "is empty"),
        (whole, (ContainerId(9999), state, name, 3, 1), None, "no container with id 9999"),
        (whole, (container, TypeId(9999), name, 3, 1), None, "no type of states with id 9999"),
        (whole, (container, TypeId(0), name, 3, 1), None, "no type of states with id 0"),
        (whole, (container, state, b"nap", 3, 1), None, "has no value \"nap\""),
        (whole, (container, state, name, 4, 1), None, "no slice 4; there are 4"),
        (whole, (container, state, name, 3, -1), None, "has -1 ticks"),
        (whole, (container, state, name, 3, 1), Some("Rack"), "there is no level \"Rack\""),
    ];
    for (window, cell, level, why) in cases {
        let error = made(window, cell, level).expect_err(why).to_string();
        assert!(error.contains(why), "{error}");
    }
}

fn sample() -> Value {
    let stored = Stored::new(writer::trace(1).as_bytes());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    serde_json::from_str(&text(&file(&scope, &Lens::clear(), 4))).expect("JSON")
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let good = sample();
    let huge = i64::MAX;
    let first = &good["cells"][0];
    let cases: [(&str, Value, &str); 24] = [
        ("/schema", json!("onca-cube/2"), "the schema is \"onca-cube/2\""),
        ("/schema", json!("onca-find/1"), "what can be read is \"onca-cube/1\""),
        ("/unit/ticks_per_unit", json!(0), "at least one tick"),
        ("/unit/name", json!("\u{1b}[2J"), "the name of the unit"),
        ("/to_ticks", good["from_ticks"].clone(), "is empty"),
        ("/from_ticks", json!(i64::MIN), "more than"),
        ("/end_ticks", json!(-1), "end_ticks is before"),
        ("/slices", json!(0), "0 slices are not possible"),
        ("/slices", json!(1_u64 << 40), "slices are not possible"),
        ("/slices", json!(1 << 20), "more than"),
        ("/slices", json!(-4), "this is no cube of Onca"),
        ("/slices", json!(1), "slice"),
        ("/nodes", json!([]), "the hierarchy has no nodes"),
        ("/nodes/1/parent", json!(null), "several roots"),
        ("/nodes/1/parent", json!(4_000_000_000u32), "the parent of node 1"),
        ("/nodes/1/kind", json!(99), "kind 99 of nodes[1]"),
        ("/own", json!([1, 1]), "not in order"),
        ("/own", json!([2]), "has no children"),
        ("/types/0/leaves", json!([0, 4_000_000_000u32]), "leaf 4000000000 of types[0]"),
        ("/values/0/type", json!(7), "type 7 of values[0]"),
        ("/values/0/color", json!("red"), "is no colour"),
        ("/cells/0/0", json!(4_000_000_000u32), "leaf 4000000000 of cells[0]"),
        ("/cells/0/3", json!(-5), "cells[0] has -5 ticks"),
        ("/cells/1", first.clone(), "cells[1] is not in order"),
    ];
    for (place, value, why) in cases {
        let mut damaged = good.clone();
        *damaged.pointer_mut(place).expect(place) = value;
        let damaged = damaged.to_string();
        let error = CubeFile::from_json(&damaged).expect_err(place).to_string();
        assert!(error.contains(why), "{place}: {error}");
        Matrix::of_file(&damaged, &STATES).expect_err(place);
    }
    let mut large = good.clone();
    large["cells"][0][3] = json!(huge);
    Matrix::of_file(&large.to_string(), &STATES).expect("times may be large");
    for (text, why) in [
        ("5", "parent must be a list"),
        ("{\"schema\": \"onca-cube/1\"}", "missing field"),
        ("{\"schema\": \"onca-dump/1\"}", "the schema is \"onca-dump/1\""),
        ("", "no JSON"),
    ] {
        let error = Matrix::of_file(text, &STATES).expect_err(why).to_string();
        assert!(error.contains(why), "{error}");
    }
    let error = Matrix::of_file(&good.to_string(), &Metric::Events).expect_err("no events");
    assert!(error.to_string().contains("and no events"), "{error}");
}

/// Whatever bytes are changed, the answer is a matrix or a reason.
#[test]
fn no_damage_makes_a_reader_fail() {
    let good = sample().to_string();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for _ in 0..2000 {
        let mut bytes = good.clone().into_bytes();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..bytes.len());
            match rng.random_range(0..3) {
                0 => bytes[at] = b"0123456789-[]{},\"n"[rng.random_range(0..18)],
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"0123456789"[rng.random_range(0..10)]),
            }
        }
        if rng.random_bool(0.1) {
            bytes.truncate(rng.random_range(0..bytes.len()));
        }
        if let Ok(text) = String::from_utf8(bytes) {
            drop(Matrix::of_file(&text, &IDLE));
        }
    }
}
