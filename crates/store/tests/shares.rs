//! Sweeps over many gaps against a plain sum over all states.

use crate::sample;

use std::{collections::BTreeMap, sync::Arc};

use onca_model::*;
use onca_store::{Share, ShareSweep, Store, TrackId, ValueOrder};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sample::{STATE, Sample, Shape};

/// Ticks, states, and whether all of these are instants: by gap and value.
type Cells = BTreeMap<(usize, u32), (i128, u32, bool)>;

struct Stored {
    store: Store,
    _folder: tempfile::TempDir,
}

fn stored(sample: &Sample) -> Stored {
    stored_within(sample, 64 << 20)
}

fn stored_within(sample: &Sample, memory_bytes: usize) -> Stored {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.onca");
    sample.build(&path, memory_bytes).expect("built");
    // A small cache, so that blocks are read both ways.
    let store = Store::open_with_cache(&path, 400_000).expect("opens");
    Stored { store, _folder: folder }
}

/// The obvious sum.
fn expected(
    sample: &Sample,
    containers: &[ContainerId],
    instants: &[Ticks],
    min_duration: Ticks,
) -> Cells {
    let mut cells = Cells::new();
    let lane_at = |container, depth| {
        let found = sample.catalog.lanes.iter().position(|lane| {
            (lane.container, lane.type_id, lane.depth) == (container, STATE, depth)
        });
        LaneId(found.expect("a lane") as u32)
    };
    let lasts = |row: &StateRow| i128::from(row.end) - i128::from(row.start) >= min_duration.into();
    for (lane, states) in &sample.states {
        let Lane { container, depth, .. } = sample.catalog.lanes[lane.index()];
        if !containers.contains(&container) {
            continue;
        }
        for state in states {
            let around = state
                .parent
                .map(|number| sample.states[&lane_at(container, depth - 1)][number as usize].row);
            for (gap, pair) in instants.windows(2).enumerate() {
                let window = Window::new(pair[0], pair[1]);
                if !window.touches(state.row.start, state.row.end) {
                    continue;
                }
                let ticks = i128::from(state.row.end.min(pair[1]))
                    - i128::from(state.row.start.max(pair[0]));
                if lasts(&state.row) {
                    let cell = cells.entry((gap, state.row.value.0)).or_insert((0, 0, true));
                    *cell = (cell.0 + ticks, cell.1 + 1, cell.2 && ticks == 0);
                }
                if let Some(around) = around.filter(lasts) {
                    cells.entry((gap, around.value.0)).or_insert((0, 0, true)).0 -= ticks;
                }
            }
        }
    }
    cells.retain(|_, cell| *cell != (0, 0, true));
    cells
}

fn found(sweep: &mut ShareSweep<'_>, order: &ValueOrder) -> Cells {
    let mut cells = Cells::new();
    for gap in 0..sweep.n_gaps() {
        let shares: Vec<Share> = sweep.drain(gap).collect();
        add_cells(&mut cells, gap, &shares, order);
    }
    cells
}

fn add_cells(cells: &mut Cells, gap: usize, shares: &[Share], order: &ValueOrder) {
    let place = |share: &Share| order.place(share.value);
    assert!(shares.is_sorted_by(|a, b| place(a) < place(b)), "once, in order");
    cells.extend(shares.iter().map(|share| {
        let cell = (i128::from(share.ticks), share.n_states(), share.is_instant());
        ((gap, share.value.0), cell)
    }));
}

fn track_of(store: &Store, container: ContainerId) -> TrackId {
    store.tracks().find(container, STATE).expect("a track")
}

/// Instants on boundaries of states and off, ascending; or multiples of a power of two.
fn random_instants(rng: &mut ChaCha8Rng, times: &[Ticks]) -> Vec<Ticks> {
    let n = [2, 3, 9, 60][rng.random_range(0..4)];
    if rng.random_bool(0.5) {
        return multiples(rng, times, n);
    }
    let mut instants: Vec<Ticks> = (0..n)
        .map(|_| times[rng.random_range(0..times.len())].saturating_add(rng.random_range(-2..=2)))
        .collect();
    instants.sort_unstable();
    instants.dedup();
    instants
}

/// Multiples of a power of two that is not far from the length of all states together.
fn multiples(rng: &mut ChaCha8Rng, times: &[Ticks], n: usize) -> Vec<Ticks> {
    let (first, last) = (times.iter().min().expect("a time"), times.iter().max().expect("a time"));
    let log = last.abs_diff(*first).max(1).ilog2().saturating_sub(rng.random_range(0..14));
    let begin = i128::from(times[rng.random_range(0..times.len())] >> log);
    let steps = (0..n).scan(begin, |at, _| {
        *at += i128::from(rng.random_range(1..4));
        Some(*at << log)
    });
    steps.map_while(|instant| Ticks::try_from(instant).ok()).collect()
}

/// An order that is not that of ids.
fn odd_order(store: &Store) -> Arc<ValueOrder> {
    Arc::new(ValueOrder::by_key(store.catalog().values.len(), |value| value.0 % 3))
}

fn check(sample: &Sample, seed: u64, rounds: usize, durations: &[Ticks]) {
    check_stored(&stored(sample), sample, seed, rounds, durations);
}

fn check_stored(
    Stored { store, .. }: &Stored,
    sample: &Sample,
    seed: u64,
    rounds: usize,
    durations: &[Ticks],
) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let with_states: Vec<ContainerId> = store
        .tracks()
        .of_type(STATE)
        .iter()
        .map(|id| store.tracks().get(*id).expect("it").container)
        .collect();
    let times = sample.times();
    let order = odd_order(store);
    let mut sweep = ShareSweep::in_order(store, Arc::clone(&order));
    for _ in 0..rounds {
        let instants = random_instants(&mut rng, &times);
        let min_duration = durations[rng.random_range(0..durations.len())];
        let containers: Vec<ContainerId> =
            with_states.iter().copied().filter(|_| rng.random_bool(0.4)).collect();
        sweep.begin(&instants);
        for &container in &containers {
            sweep.add_track(track_of(store, container), min_duration).expect("added");
        }
        let plain = expected(sample, &containers, &instants, min_duration);
        assert_eq!(found(&mut sweep, &order), plain, "{instants:?} {containers:?} {min_duration}");
    }
}

#[test]
fn random_states() {
    for seed in 0..4 {
        check(&Sample::random(&Shape { seed, ..Shape::default() }), seed, 40, &[0, 0, 5, 40]);
    }
}

#[test]
fn deep_nesting_and_instants() {
    let deep = Shape { seed: 5, containers: 2, depth: 60, longest: 2, ..Shape::default() };
    check(&Sample::random(&deep), 5, 20, &[0, 3]);
    let instants = Shape { seed: 6, longest: 0, steps: 4_000, ..Shape::default() };
    check(&Sample::random(&instants), 6, 20, &[0, 1]);
}

#[test]
fn states_that_do_not_nest() {
    for (seed, longest) in [(13, 3), (14, 200), (15, 20_000)] {
        let flat = Shape { seed, depth: 1, longest, ..Shape::default() };
        check(&Sample::random(&flat), seed, 60, &[0, 0, 5, 40]);
    }
    // Gaps of equal length, many of which a state fills.
    let sample =
        Sample::of_states([(3, 7, 0), (7, 205, 1), (210, 210, 0), (250, 300, 0)].into_iter(), 2);
    let Stored { store, .. } = &stored(&sample);
    let order = odd_order(store);
    let mut sweep = ShareSweep::in_order(store, Arc::clone(&order));
    for (from, step) in [(-64, 16), (0, 1), (0, 50), (205, 5), (1000, 10)] {
        let instants: Vec<Ticks> = (0..40).map(|k| from + k * step).collect();
        let plain = expected(&sample, &[ContainerId(0)], &instants, 0);
        sweep.begin(&instants);
        sweep.add_track(track_of(store, ContainerId(0)), 0).expect("added");
        assert_eq!(found(&mut sweep, &order), plain, "{from} {step}");
    }
}

#[test]
fn long_lanes_have_sums_of_many_levels() {
    for gap in [0, 3] {
        let row = |i: i64| (i * 10, i * 10 + if i % 7 == 0 { 0 } else { 10 - gap }, (i % 5) as u32);
        check(&Sample::of_states((0..100_000).map(row), 5), 7, 40, &[0, 0, 8]);
    }
    // Bursts with long states between them, which fill columns of every width.
    let mut now = 0;
    let burst = |i: i64| {
        let start = now + i % 3;
        now = start + if i % 900 == 0 { 1 << (10 + i / 900 % 12) } else { i % 17 };
        (start, now, (i % 11 % 7) as u32)
    };
    let bursts = Sample::of_states((0..80_000).map(burst), 7);
    check(&bursts, 18, 60, &[0]);
    // What waits to be summed up is forgotten when memory is short.
    check_stored(&stored_within(&bursts, 1 << 20), &bursts, 19, 30, &[0]);
    let nested = Shape { seed: 8, containers: 1, steps: 60_000, depth: 2, ..Shape::default() };
    check(&Sample::random(&nested), 8, 20, &[0]);
}

#[test]
fn many_values_and_huge_times() {
    let many = Shape { seed: 9, values: 3_000, containers: 2, depth: 2, ..Shape::default() };
    check(&Sample::random(&many), 9, 10, &[0, 20]);
    let (origin, longest) = (-(1 << 60), 1 << 46);
    let huge = Shape { seed: 10, origin, longest, steps: 5_000, ..Shape::default() };
    check(&Sample::random(&huge), 10, 20, &[0, 1 << 44]);
    let ends = [(0, 1 << 62, 1), (i64::MAX - 9, i64::MAX, 0), (i64::MAX, i64::MAX, 1)];
    check(&Sample::of_states(ends.into_iter(), 2), 11, 20, &[0]);
}

#[test]
fn what_was_drained_can_be_added_to_another_sweep() {
    let sample = Sample::random(&Shape { seed: 12, steps: 4_000, ..Shape::default() });
    let Stored { store, .. } = &stored(&sample);
    let tracks = store.tracks().of_type(STATE);
    let instants: Vec<Ticks> = (-5..40).map(|k| k * 500).collect();
    let (mut part, mut sum, mut whole) =
        (ShareSweep::new(store), ShareSweep::new(store), ShareSweep::new(store));
    sum.begin(&instants);
    whole.begin(&instants);
    for &track in tracks {
        whole.add_track(track, 0).expect("added");
        part.begin(&instants);
        part.add_track(track, 0).expect("added");
        for gap in 0..part.n_gaps() {
            part.drain(gap).for_each(|share| sum.add_share(gap, share));
        }
    }
    let by_id = ValueOrder::by_id(store.catalog().values.len());
    let cells = found(&mut whole, &by_id);
    assert!(cells.len() > 100);
    assert_eq!(found(&mut sum, &by_id), cells);
}

#[test]
fn a_sweep_forgets_what_was_not_drained() {
    let sample = Sample::of_states([(0, 10, 0), (10, 20, 1)].into_iter(), 2);
    let Stored { store, .. } = &stored(&sample);
    let mut sweep = ShareSweep::new(store);
    sweep.begin(&[0, 5, 20]);
    sweep.add_track(track_of(store, ContainerId(0)), 0).expect("added");
    sweep.begin(&[0, 20]);
    assert_eq!(found(&mut sweep, &ValueOrder::by_id(2)), Cells::new());
    sweep.begin(&[]);
    sweep.add_track(track_of(store, ContainerId(0)), 0).expect("added");
    assert_eq!(sweep.n_gaps(), 0);
    assert!(sweep.add_track(TrackId(99), 0).is_ok(), "there is nothing to read");
    sweep.begin(&[0, 20]);
    assert!(sweep.add_track(TrackId(99), 0).is_err());
}

#[test]
fn values_are_ordered_by_their_time_in_the_whole_trace() {
    for (seed, depth) in [(16, 1), (17, 4)] {
        let sample = Sample::random(&Shape { seed, depth, ..Shape::default() });
        let Stored { store, .. } = &stored(&sample);
        let containers: Vec<ContainerId> = (0..6).map(ContainerId).collect();
        let all = expected(&sample, &containers, &[-(1 << 40), 1 << 40], 0);
        let n_values = store.catalog().values.len() as u32;
        let time = |value: &u32| all.get(&(0, *value)).map_or(0, |(ticks, _, _)| *ticks);
        let mut values: Vec<u32> = (0..n_values).collect();
        values.sort_by_key(|value| (std::cmp::Reverse(time(value)), *value));
        let order = store.order_by_time().expect("an order");
        let found: Vec<u32> = (0..order.len()).map(|place| order.value(place).0).collect();
        assert_eq!(found, values);
        assert!(time(&values[0]) > time(&values[1]), "the order means something");
    }
}
