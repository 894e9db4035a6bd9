//! Every slice against plain sums over all entities, on random traces, lenses and windows.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};

use onca_aggregate::slice::{Bounds, Crossing, LinkEnd};
use onca_answer::slice::{
    Aggregate, Amount, Cells, Component, LinkMeasure, Links, Measure, Nodes, SliceAnswer,
    SliceQuestion, VariableMeasure, VectorQuestion, What, cube, slice, vectors,
};
use onca_model::{Nature, Ticks, Window};
use onca_query::{Duration, GroupSpec, Lens, ReductionForm, ReductionOp, ReductionSpec, Scope};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::plain::{Amounts, Plain, summed_up};
use support::{Stored, writer};

const UNIT: Ticks = 1_000_000_000;
const ENDS: [LinkEnd; 2] = [LinkEnd::Origin, LinkEnd::Destination];
const BORDERS: [Crossing; 2] = [Crossing::Drop, Crossing::Clip];

/// A lens that hides, groups, or asks for a minimum duration.
fn random_lens(rng: &mut ChaCha8Rng, with_values: bool) -> Lens {
    let mut lens = Lens::clear();
    if rng.random_bool(0.4) {
        let duration = format!("{}ms", rng.random_range(1..3000));
        lens.select.min_duration = Some(Duration::Text(duration));
    }
    if with_values && rng.random_bool(0.4) {
        lens.select.values.hide.push("w*".to_owned());
    }
    if with_values && rng.random_bool(0.3) {
        lens.select.containers.hide.push("rank[2-4]".to_owned());
    }
    if rng.random_bool(0.3) {
        lens.group.push(GroupSpec::Depth(rng.random_range(0..3)));
    }
    lens
}

fn random_window(rng: &mut ChaCha8Rng, whole: Window) -> Window {
    if rng.random_bool(0.2) || whole.to - whole.from < 4 {
        return whole;
    }
    let mut time = || rng.random_range(whole.from - UNIT..=whole.to + UNIT);
    let (a, b) = (time(), time());
    if a == b { whole } else { Window::new(a.min(b), a.max(b)) }
}

/// Calls `check` with random scopes of random traces.
fn for_random_scopes(n_seeds: u64, check: impl Fn(&Plain, &Scope<'_>, usize)) {
    for seed in 0..n_seeds {
        // Half of the traces have every oddity of the format, half of them sizes and clusters.
        let of_testkit = seed % 2 == 0;
        let trace = match of_testkit {
            true => onca_testkit::random::trace(seed),
            false => writer::trace(seed).into_bytes(),
        };
        let stored = Stored::new(&trace);
        let plain = Plain::of(&stored.store);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..4 {
            let lens = random_lens(&mut rng, !of_testkit);
            let window = random_window(&mut rng, stored.whole());
            if window.from >= window.to {
                continue;
            }
            let n_slices = [1, 2, 3, 7, 40][rng.random_range(0..5)];
            check(&plain, &stored.scope(&lens, window), n_slices);
        }
    }
}

fn bounds_of(scope: &Scope<'_>, n_slices: usize) -> Bounds {
    let window = scope.window();
    Bounds::new(window.from, window.to, n_slices).expect("bounds")
}

fn ask(scope: &Scope<'_>, measure: Measure, n_slices: usize) -> SliceAnswer {
    let question = SliceQuestion { n_slices, ..SliceQuestion::new(What::Measure(measure)) };
    slice(scope, &question).expect("an answer")
}

/// Compares all nodes of an answer with what their own amounts sum up to.
fn compare(scope: &Scope<'_>, answer: &SliceAnswer, own: &Amounts) {
    let expected = summed_up(scope, own);
    let mut found: Amounts = BTreeMap::new();
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    for (node, value, slice, amount) in answer.rows.iter() {
        let value = &answer.values[value];
        let key = (answer.nodes[node].id, text(&value.type_name), text(&value.name));
        let row = found.entry(key).or_insert_with(|| vec![None; answer.bounds.n_slices()]);
        // Several types or values of a trace may have one name.
        *row[slice].get_or_insert(0.0) += amount.to_f64();
    }
    for key in expected.keys().chain(found.keys()) {
        for slice in 0..answer.bounds.n_slices() {
            let cell = |amounts: &Amounts| amounts.get(key).and_then(|row| row[slice]);
            let (is, should) = (cell(&found), cell(&expected));
            let (is, should) = match answer.absent_is_zero {
                true => (Some(is.unwrap_or(0.0)), Some(should.unwrap_or(0.0))),
                false => (is, should),
            };
            let close = match (is, should) {
                (Some(is), Some(should)) => (is - should).abs() <= 1e-9 * should.abs().max(1e-9),
                (is, should) => is == should,
            };
            assert!(close, "{key:?} in slice {slice}: {is:?}, not {should:?}");
        }
    }
}

#[test]
fn time_in_states() {
    for_random_scopes(60, |plain, scope, n_slices| {
        for inclusive in [false, true] {
            let answer = ask(scope, Measure::StateTime { inclusive }, n_slices);
            let own = plain.state_time(scope, &bounds_of(scope, n_slices), inclusive);
            compare(scope, &answer, &own);
            assert_eq!(answer.scanned, scope.min_duration() > 0);
        }
    });
}

#[test]
fn numbers_of_states_and_events() {
    for_random_scopes(60, |plain, scope, n_slices| {
        let bounds = bounds_of(scope, n_slices);
        let states = ask(scope, Measure::StateCount, n_slices);
        compare(scope, &states, &plain.state_count(scope, &bounds));
        let events = ask(scope, Measure::EventCount, n_slices);
        compare(scope, &events, &plain.event_count(scope, &bounds));
    });
}

#[test]
fn variables() {
    for_random_scopes(60, |plain, scope, n_slices| {
        for measure in [
            VariableMeasure::Mean,
            VariableMeasure::Defined,
            VariableMeasure::Integral,
            VariableMeasure::Min,
            VariableMeasure::Max,
        ] {
            let own = plain.variable(scope, &bounds_of(scope, n_slices), measure);
            compare(scope, &ask(scope, Measure::Variable(measure), n_slices), &own);
        }
    });
}

#[test]
fn links_in_every_mode() {
    let measures = [
        LinkMeasure::Count,
        LinkMeasure::Time,
        LinkMeasure::Size,
        LinkMeasure::Rate,
        LinkMeasure::Weighted,
    ];
    for_random_scopes(40, |plain, scope, n_slices| {
        let bounds = bounds_of(scope, n_slices);
        for measure in measures {
            for (end, border) in
                ENDS.into_iter().zip(BORDERS).chain(ENDS.into_iter().rev().zip(BORDERS))
            {
                let answer = ask(scope, Measure::Link { measure, end, border }, n_slices);
                compare(scope, &answer, &plain.link(scope, &bounds, measure, end, border));
                let tally = answer.tally.expect("a tally of links");
                let crossing = plain.n_crossing(scope, &bounds);
                match border {
                    Crossing::Drop => assert_eq!((tally.dropped, tally.clipped), (crossing, 0)),
                    Crossing::Clip => assert_eq!((tally.dropped, tally.clipped), (0, crossing)),
                }
            }
        }
    });
}

#[test]
fn peers() {
    for_random_scopes(40, |plain, scope, n_slices| {
        for border in BORDERS {
            let links = Links { end: LinkEnd::Origin, border };
            let question = SliceQuestion { n_slices, ..SliceQuestion::new(What::Peers(links)) };
            let answer = slice(scope, &question).expect("an answer");
            let pairs = plain.pairs(scope, &bounds_of(scope, n_slices), border);
            // Containers may share a path.
            let mut expected = BTreeMap::new();
            for ((from, to, slice), n) in pairs {
                let key = (scope.path(from), scope.path(to), slice);
                *expected.entry(key).or_insert(0) += i128::from(n);
            }
            let mut found = BTreeMap::new();
            for (node, value, slice, amount) in answer.rows.iter() {
                let Amount::Whole(count) = amount else { panic!("a count is whole: {amount:?}") };
                let peer = String::from_utf8_lossy(&answer.values[value].name).into_owned();
                *found.entry((answer.nodes[node].path.clone(), peer, slice)).or_insert(0) += count;
            }
            assert_eq!(found, expected);
        }
    });
}

/// Where a link type has one value and nothing is filtered, no link need be looked at.
#[test]
fn links_from_the_sums_of_the_store() {
    for seed in (1..40).step_by(4) {
        let stored = Stored::new(writer::trace(seed).as_bytes());
        let plain = Plain::of(&stored.store);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..10 {
            let scope = stored.scope(&Lens::clear(), random_window(&mut rng, stored.whole()));
            for (measure, border) in [
                (LinkMeasure::Count, Crossing::Drop),
                (LinkMeasure::Count, Crossing::Clip),
                (LinkMeasure::Time, Crossing::Drop),
                (LinkMeasure::Time, Crossing::Clip),
                (LinkMeasure::Size, Crossing::Drop),
            ] {
                for end in ENDS {
                    let answer = ask(&scope, Measure::Link { measure, end, border }, 1);
                    assert!(!answer.scanned);
                    let bounds = bounds_of(&scope, 1);
                    compare(&scope, &answer, &plain.link(&scope, &bounds, measure, end, border));
                    // A rate is not among the sums: it looks at every link.
                    let rate = Measure::Link { measure: LinkMeasure::Rate, end, border };
                    let scanned = ask(&scope, rate, 1);
                    assert!(scanned.scanned);
                    assert_eq!(answer.tally, scanned.tally);
                }
            }
        }
    }
}

#[test]
fn slices_sum_up_to_the_window_to_the_last_tick() {
    for_random_scopes(60, |_, scope, n_slices| {
        let whole = |n| {
            let answer = ask(scope, Measure::StateTime { inclusive: false }, n);
            let mut sums: BTreeMap<(usize, Vec<u8>), i128> = BTreeMap::new();
            for (node, value, _, amount) in answer.rows.iter() {
                let Amount::Whole(ticks) = amount else { panic!("ticks are whole: {amount:?}") };
                *sums.entry((node, answer.values[value].name.clone())).or_default() += ticks;
            }
            sums
        };
        assert_eq!(whole(n_slices), whole(1));
    });
}

#[test]
fn levels_are_parts_of_the_whole_tree() {
    for_random_scopes(30, |_, scope, n_slices| {
        let measure = What::Measure(Measure::StateTime { inclusive: false });
        let all = SliceQuestion { n_slices, ..SliceQuestion::new(measure.clone()) };
        let all = slice(scope, &all).expect("an answer");
        for depth in 0..=scope.hierarchy().max_depth() {
            let nodes = Nodes::Depth(depth);
            let question = SliceQuestion { n_slices, nodes, ..SliceQuestion::new(measure.clone()) };
            let answer = slice(scope, &question).expect("an answer");
            assert!(!answer.nodes.is_empty());
            for (index, node) in answer.nodes.iter().enumerate() {
                let same = all.nodes.iter().position(|other| other.id == node.id).expect("a node");
                assert_eq!(all.nodes[same], *node);
                for (value, def) in answer.values.iter().enumerate() {
                    let other = all.values.iter().position(|other| other == def).expect("a value");
                    for slice in 0..n_slices {
                        let amount = answer.amount(index, value, slice);
                        assert_eq!(amount, all.amount(same, other, slice));
                    }
                }
            }
        }
    });
}

#[test]
fn operators_are_those_of_the_leaves() {
    for_random_scopes(30, |_, scope, n_slices| {
        let measure = Measure::StateTime { inclusive: false };
        let cube = cube(scope, n_slices, measure).expect("a cube");
        let Cells::Whole(cells) = &cube.cells else { panic!("ticks are whole") };
        let tree = cube.space.tree();
        for text in ["mean", "min", "max", "max - mean"] {
            let aggregate = Aggregate::parse(text).expect("an operator");
            let what = What::Measure(measure);
            let question = SliceQuestion { n_slices, aggregate, ..SliceQuestion::new(what) };
            let answer = slice(scope, &question).expect("an answer");
            for (index, node) in answer.nodes.iter().enumerate() {
                for (number, value) in answer.values.iter().enumerate() {
                    let column = cube.values.iter().position(|v| v == value).expect("a value");
                    // Those that have no states of the type do not count.
                    let store = scope.store();
                    let has: BTreeSet<usize> = scope
                        .tracks(Nature::State)
                        .filter(|(id, track, _)| {
                            let lanes = store.tracks().lanes(*id);
                            Some(track.type_id) == value.type_id
                                && lanes.iter().any(|lane| store.n_rows(*lane) > 0)
                        })
                        .filter_map(|(.., node)| cube.space.leaf(node))
                        .collect();
                    let leaves = tree.leaf_range(cube.space.place(node.id));
                    let leaves: Vec<usize> = leaves.filter(|leaf| has.contains(leaf)).collect();
                    assert_eq!(answer.n_leaves(index, number), leaves.len());
                    for k in 0..n_slices {
                        if leaves.is_empty() {
                            let amount = answer.amount(index, number, k);
                            assert!(amount.is_none_or(|amount| amount.to_f64() == 0.0), "{text}");
                            continue;
                        }
                        let n = leaves.len() as f64;
                        let ticks: Vec<i64> =
                            leaves.iter().map(|&leaf| cells.row(leaf, column)[k]).collect();
                        let max = *ticks.iter().max().expect("a leaf") as f64;
                        let mean = ticks.iter().sum::<i64>() as f64 / n;
                        let expected = match text {
                            "mean" => mean,
                            "min" => *ticks.iter().min().expect("a leaf") as f64,
                            "max" => max,
                            _ => (max - mean) / UNIT as f64,
                        };
                        let amount = answer.amount(index, number, k).expect("defined").to_f64();
                        let scale = max.abs().max(1.0);
                        assert!((amount - expected).abs() <= 1e-9 * scale, "{text} {amount}");
                    }
                }
            }
        }
    });
}

/// What a lens derives takes part: how many processes of a cluster work, as states and as a
/// variable, tells how long they work altogether.
#[test]
fn derived_states_and_variables() {
    for seed in 0..20 {
        let stored = Stored::new(writer::trace(seed).as_bytes());
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let window = random_window(&mut rng, stored.whole());
        let n_slices = rng.random_range(1..6);
        let reduction = |form| ReductionSpec {
            name: "working".to_owned(),
            level: "Cluster".to_owned(),
            op: ReductionOp::Count,
            values: vec!["State:work".to_owned()],
            variable: None,
            form,
        };
        let lens = |form| Lens { reduce: vec![reduction(form)], ..Lens::clear() };
        let as_states = stored.scope(&lens(ReductionForm::States), window);
        let as_variable = stored.scope(&lens(ReductionForm::Variable), window);
        let clusters = |scope: &Scope<'_>, measure| {
            let nodes = Nodes::Level("Cluster".to_owned());
            let what = What::Measure(measure);
            let question = SliceQuestion { n_slices, nodes, ..SliceQuestion::new(what) };
            slice(scope, &question).expect("an answer")
        };
        let states = clusters(&as_states, Measure::StateTime { inclusive: false });
        let integral = Measure::Variable(VariableMeasure::Integral);
        let variable = clusters(&as_variable, integral);
        for (node, k) in (0..3).flat_map(|node| (0..n_slices).map(move |k| (node, k))) {
            let ticks = |value: usize| match states.amount(node, value, k) {
                Some(Amount::Whole(ticks)) => ticks,
                other => panic!("ticks are whole: {other:?}"),
            };
            let named = |type_name: &str| {
                let of_type =
                    |value: &usize| states.values[*value].type_name == type_name.as_bytes();
                (0..states.values.len()).filter(of_type).collect::<Vec<_>>()
            };
            let name = |value: usize| String::from_utf8_lossy(&states.values[value].name);
            let work = named("State").into_iter().find(|&value| name(value) == "work");
            let work = work.map_or(0, ticks);
            let derived = named("working");
            let number = |value: usize| name(value).parse::<i128>().expect("a number");
            let by_number: i128 = derived.iter().map(|&v| number(v) * ticks(v)).sum();
            assert_eq!(by_number, work, "seed {seed}");
            let all: i128 = derived.iter().map(|&value| ticks(value)).sum();
            assert_eq!(all, i128::from(states.width(k)), "seed {seed}");
            let of_variable = variable.values.iter().position(|value| value.name == b"working");
            let integral = variable.amount(node, of_variable.expect("a variable"), k);
            let units = integral.expect("defined").to_f64();
            assert!((units - work as f64 / UNIT as f64).abs() < 1e-9, "seed {seed}: {units}");
        }
    }
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let stored = Stored::new(writer::trace(1).as_bytes());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let counts =
        SliceQuestion { normalise: true, ..SliceQuestion::new(What::Measure(Measure::EventCount)) };
    let time = SliceQuestion::new(What::Measure(Measure::StateTime { inclusive: false }));
    let level = SliceQuestion { nodes: Nodes::Level("Rack".to_owned()), ..time.clone() };
    let none = SliceQuestion { n_slices: 0, ..time.clone() };
    let many = SliceQuestion { n_slices: 1 << 20, ..time };
    for (question, part) in [
        (counts, "only times can be shares of the slice, not a count"),
        (level, "there is no level \"Rack\"; the levels are"),
        (none, "0 slices are not possible"),
        (many, "take fewer slices"),
    ] {
        let error = slice(&scope, &question).expect_err(part).to_string();
        assert!(error.contains(part), "{error}");
    }
    let empty = stored.scope(&Lens::clear(), Window::new(5, 5));
    let error = cube(&empty, 1, Measure::EventCount).expect_err("no window").to_string();
    assert!(error.contains("is empty"), "{error}");
}

/// A vector has what separate questions give, component by component, and times are shares of what the
/// leaves with such states have together.
#[test]
fn vectors_are_what_separate_questions_give() {
    for_random_scopes(12, |_, scope, n_slices| {
        let links = Links { end: LinkEnd::Origin, border: Crossing::Clip };
        let question = VectorQuestion {
            aggregate: Aggregate::Sum,
            nodes: Nodes::All,
            n_slices,
            links,
            inclusive: false,
        };
        let together = vectors(scope, &question).expect("vectors");
        let Links { end, border } = links;
        let mut n_rows = 0;
        for (component, measure) in [
            (Component::StateTime, Measure::StateTime { inclusive: false }),
            (Component::LinkCount, Measure::Link { measure: LinkMeasure::Count, end, border }),
            (Component::LinkSize, Measure::Link { measure: LinkMeasure::Size, end, border }),
        ] {
            let alone = ask(scope, measure, n_slices);
            assert_eq!(
                together.nodes.iter().map(|node| node.id).collect::<Vec<_>>(),
                alone.nodes.iter().map(|node| node.id).collect::<Vec<_>>()
            );
            let own: Vec<_> = (together.rows.iter())
                .filter(|(_, value, ..)| together.values[*value].component == component)
                .map(|(node, value, slice, amount)| {
                    let value = &together.values[value];
                    (node, value.type_name.clone(), value.name.clone(), slice, amount)
                })
                .collect();
            let expected: Vec<_> = (alone.rows.iter())
                .map(|(node, value, slice, amount)| {
                    let value = &alone.values[value];
                    (node, value.type_name.clone(), value.name.clone(), slice, amount)
                })
                .collect();
            assert_eq!(own, expected, "{component:?}");
            n_rows += own.len();
        }
        assert_eq!(together.rows.len(), n_rows);
        for ((_, value, slice, amount), share) in together.rows.iter().zip(&together.shares) {
            let is_time = together.values[value].component == Component::StateTime;
            assert_eq!(share.is_some(), is_time);
            let window = together.bounds.slice(slice);
            if let Some(share) = share {
                // So many leaves could have been in the state all the time.
                let leaves = amount.to_f64() / share / (window.to - window.from) as f64;
                assert!((leaves - leaves.round()).abs() < 1e-6 && leaves > 0.5, "{leaves}");
            }
        }
        assert!(together.tally.is_some());
    });
}
