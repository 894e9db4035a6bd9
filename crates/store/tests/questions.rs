//! Every question against a plain scan, on random entities of many shapes.

use crate::sample;
use crate::scan;

use onca_model::*;
use onca_store::Measure;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sample::{STATE, Sample, Shape, open};
use scan::check_all;

const AMPLE: usize = 64 << 20;

fn check(sample: &Sample, memory: usize, n_windows: usize) {
    let dir = tempfile::tempdir().expect("a folder");
    let store = dir.path().join("s.onca");
    sample.build(&store, memory).expect("built");
    let store = open(&store);
    store.verify().expect("whole");
    check_all(sample, &store, &sample.windows(n_windows, 99));
}

#[test]
fn random_traces() {
    for seed in 0..6 {
        let shape = Shape { seed, extras: seed % 2 == 0, ..Shape::default() };
        check(&Sample::random(&shape), AMPLE, 60);
    }
}

#[test]
fn little_memory_gives_the_same_answers() {
    for (seed, memory) in [(10, 100), (11, 20_000), (12, 200_000), (13, 1_000_000)] {
        let steps = if memory < 1000 { 3_000 } else { 40_000 };
        let shape = Shape { seed, steps, extras: true, ..Shape::default() };
        check(&Sample::random(&shape), memory, 40);
    }
}

#[test]
fn many_small_lanes() {
    let shape = Shape { seed: 20, containers: 3_000, steps: 40_000, ..Shape::default() };
    let sample = Sample::random(&shape);
    check(&sample, AMPLE, 5);
    check(&sample, 50_000, 5);
}

#[test]
fn deep_nesting_and_many_instants() {
    let shape = Shape { seed: 30, containers: 2, depth: 60, longest: 2, ..Shape::default() };
    check(&Sample::random(&shape), AMPLE, 30);
    let instants = Shape { seed: 31, longest: 0, steps: 4_000, ..Shape::default() };
    check(&Sample::random(&instants), AMPLE, 30);
}

#[test]
fn huge_times() {
    let (origin, longest) = (-(1 << 60), 1 << 46);
    let shape = Shape { seed: 40, origin, longest, steps: 10_000, ..Shape::default() };
    check(&Sample::random(&shape), AMPLE, 40);
    let ends = [(i64::MIN, i64::MIN + 5, 0), (0, 1 << 62, 1), (i64::MAX - 9, i64::MAX, 0)];
    check(&Sample::of_states(ends.into_iter(), 2), AMPLE, 40);
}

#[test]
fn many_values() {
    for (values, containers) in [(300, 2), (70_000, 1)] {
        let shape = Shape { seed: 50, values, containers, depth: 2, ..Shape::default() };
        check(&Sample::random(&Shape { steps: 60_000, ..shape }), AMPLE, 20);
    }
}

#[test]
fn lanes_of_every_length_around_a_block() {
    for n in [1, 2, 63, 64, 65, 127, 128, 129, 255, 1023, 1024, 1025, 2048, 2049, 5000] {
        for gap in [0, 3] {
            let row = |i: i64| (i * 10, i * 10 + 10 - gap, (i % 5) as u32);
            check(&Sample::of_states((0..n).map(row), 5), AMPLE, 30);
        }
        let row = |i: i64| VariableRow { start: i * 7, end: i * 7 + 7, value: i as f64 * 0.5 };
        check(&Sample::of_variables((0..n).map(row)), AMPLE, 30);
    }
}

#[test]
fn variables_of_every_encoding() {
    let encodings: [&dyn Fn(i64) -> f64; 6] = [
        &|i| i as f64,
        &|i| i as f64 * 0.25,
        &|i| i as f64 * 0.1,
        &|i| if i % 3 == 0 { f64::NAN } else { i as f64 },
        &|_| f64::NEG_INFINITY,
        &|i| if i == 7 { 1e18 } else { 1e-3 },
    ];
    for value in encodings {
        let row = |i: i64| VariableRow { start: i * 7, end: i * 7 + i % 7, value: value(i) };
        check(&Sample::of_variables((0..3000).map(row)), AMPLE, 40);
    }
}

#[test]
fn links_in_chains_of_every_shape() {
    type Make<'a> = &'a dyn Fn(i64) -> (i64, i64, u32, u32, u64);
    let shapes: [Make<'_>; 5] = [
        // One long chain.
        &|i| (i * 3, i * 3 + 50, 1, 2, 8),
        // Each inside the one before: a chain each.
        &|i| (i, 9000 - i, 1, 2, i as u64),
        // All at one instant.
        &|i| (5, 5, (i % 8) as u32, (i % 3) as u32, 1),
        // Half of them backwards.
        &|i| (i, i + if i % 2 == 0 { 30 } else { -30 }, 3, 3, 1 << 40),
        &|i| (-i, (i * 7919) % 5000, (i % 7) as u32, (i % 5) as u32, 3),
    ];
    for link in shapes {
        let sample = Sample::of_links((0..4000).map(link));
        check(&sample, AMPLE, 30);
        check(&sample, 10_000, 30);
    }
}

#[test]
fn a_link_without_length_is_seen_from_its_own_instant_on() {
    // The block ends where it does: its other link is over.
    let sample = Sample::of_links([(0, 3, 1, 2, 8), (5, 5, 2, 1, 8)].into_iter());
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.onca");
    sample.build(&path, AMPLE).expect("built");
    check_all(&sample, &open(&path), &[Window::new(5, 6), Window::new(3, 6), Window::new(0, 5)]);
}

#[test]
fn parts_of_a_window_add_up_to_the_last_tick() {
    let sample = Sample::random(&Shape { seed: 60, ..Shape::default() });
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.onca");
    sample.build(&path, AMPLE).expect("built");
    let store = open(&path);
    let mut rng = ChaCha8Rng::seed_from_u64(61);
    let times = sample.times();
    let tracks = store.tracks().of_type(STATE);
    for _ in 0..200 {
        let mut cuts: Vec<Ticks> =
            (0..rng.random_range(2..12)).map(|_| times[rng.random_range(0..times.len())]).collect();
        cuts.sort_unstable();
        for measure in [Measure::Inclusive, Measure::Exclusive] {
            let whole = Window::new(cuts[0], cuts[cuts.len() - 1]);
            let mut sum = std::collections::BTreeMap::new();
            for pair in cuts.windows(2) {
                let window = Window::new(pair[0], pair[1]);
                for (value, time) in store.state_time_of(tracks, window, measure).expect("read") {
                    *sum.entry(value).or_insert(0) += time;
                }
            }
            let sum: Vec<_> = sum.into_iter().filter(|&(_, time)| time != 0).collect();
            assert_eq!(store.state_time_of(tracks, whole, measure).expect("read"), sum);
        }
    }
}

#[test]
fn many_threads_and_a_tiny_cache() {
    let sample = Sample::random(&Shape { seed: 70, ..Shape::default() });
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.onca");
    sample.build(&path, AMPLE).expect("built");
    let store = onca_store::Store::open_with_cache(&path, 600_000).expect("opens");
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let (sample, store) = (&sample, &store);
            scope.spawn(move || check_all(sample, store, &sample.windows(10, seed)));
        }
    });
}

#[test]
fn questions_about_what_is_not_there_are_refused() {
    let sample = Sample::random(&Shape { seed: 80, steps: 500, ..Shape::default() });
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("s.onca");
    sample.build(&path, AMPLE).expect("built");
    let store = open(&path);
    let lane = *sample.states.keys().next().expect("a lane of states");
    assert!(store.event_counts(lane, Window::ALL).is_err());
    assert!(store.event_counts(LaneId(9999), Window::ALL).is_err());
    assert!(store.state(lane, 1 << 40).is_err());
    assert!(store.state_extras(lane, 1 << 40).is_err());
    assert!(store.state_time(onca_store::TrackId(9999), Window::ALL, Measure::Inclusive).is_err());
}

/// A visitor that answers sees nothing after its answer, in every kind of lane, and gets it back.
#[test]
fn a_visit_ends_where_its_visitor_says() {
    let sample = Sample::random(&Shape { seed: 77, ..Shape::default() });
    let dir = tempfile::tempdir().expect("a folder");
    let place = dir.path().join("s.onca");
    sample.build(&place, AMPLE).expect("built");
    let store = open(&place);
    let mut n_ended = [0; 4];
    for lane in (0..store.catalog().lanes.len() as u32).map(LaneId) {
        let n_rows = store.n_rows(lane);
        for stop in [0, n_rows / 2, n_rows] {
            let (all, mut n_seen) = (Window::ALL, 0);
            let mut see = || -> Result<(), u64> {
                n_seen += 1;
                if n_seen > stop { Err(n_seen) } else { Ok(()) }
            };
            let nature = store.catalog().type_def(store.catalog().lane(lane).type_id).nature;
            let answer = match nature {
                Nature::State => store.visit_states(lane, all, 0, |_, _, _| see()),
                Nature::Variable => store.visit_variables(lane, all, |_, _| see()),
                Nature::Event => store.visit_events(lane, all, |_, _| see()),
                Nature::Link => store.visit_links(lane, all, None, 0, |_, _| see()),
                Nature::Container => unreachable!("containers have no lanes"),
            };
            let ends = stop < n_rows;
            let expected = if ends { Err(stop + 1) } else { Ok(()) };
            assert_eq!(answer.expect("read"), expected, "{nature:?}");
            assert_eq!(n_seen, if ends { stop + 1 } else { n_rows }, "{nature:?}");
            n_ended[nature as usize % 4] += u32::from(ends);
        }
    }
    assert!(n_ended.iter().all(|&n| n > 0), "{n_ended:?}");
}
