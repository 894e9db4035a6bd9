//! Time slices against counting tick by tick, on random input.

use onca_aggregate::slice::{
    Bounds, Crossing, Cube, EventCounts, LinkCount, LinkMeasure, LinkRate, LinkSize, LinkSlices,
    LinkTally, LinkTicks, LinkWeighted, Peers, StateTime, VariableMean, VariableMode,
};
use onca_model::{Ticks, Window};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const ROUNDS: u64 = 400;

/// Small windows with few and with many slices, also more slices than ticks.
fn rounds(mut check: impl FnMut(&mut ChaCha8Rng, Bounds)) {
    for seed in 0..ROUNDS {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let from = rng.random_range(-40..40);
        let n_slices = rng.random_range(1..25);
        let bounds = Bounds::new(from, from + rng.random_range(1..60), n_slices).expect("bounds");
        check(&mut rng, bounds);
    }
}

fn random_interval(rng: &mut ChaCha8Rng) -> (Ticks, Ticks) {
    let start = rng.random_range(-60..120);
    let longest = [2, 12, 150][rng.random_range(0..3usize)];
    (start, start + rng.random_range(0..longest))
}

fn slices(bounds: &Bounds) -> impl Iterator<Item = (usize, Window)> {
    (0..bounds.n_slices()).map(|k| (k, bounds.slice(k)))
}

fn drained(time: &mut StateTime, n_values: usize, bounds: &Bounds) -> Cube<Ticks> {
    let mut cube = Cube::new(1, n_values, bounds.n_slices()).expect("a cube");
    time.drain_into(cube.leaf_mut(0));
    cube
}

#[test]
fn bounds_are_those_of_exact_fractions() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for _ in 0..20_000 {
        let from = rng.random_range(Ticks::MIN..Ticks::MAX / 2);
        let (span_bits, slice_bits) = (rng.random_range(1..62), rng.random_range(1..20));
        let span = rng.random_range(1..1i64 << span_bits);
        let Some(to) = from.checked_add(span) else { continue };
        let n_slices = rng.random_range(1..1usize << slice_bits);
        let bounds = Bounds::new(from, to, n_slices).expect("bounds");
        assert_eq!((bounds.bound(0), bounds.bound(n_slices)), (from, to));
        let k = rng.random_range(0..n_slices);
        let exact = i128::from(span) * k as i128;
        let offset = i128::from(bounds.bound(k)) - i128::from(from);
        let n = n_slices as i128;
        assert!(offset * n <= exact && exact < (offset + 1) * n);
        let tick = rng.random_range(from..to);
        let slice = bounds.slice(bounds.slice_of(tick).expect("inside"));
        assert!(slice.from <= tick && tick < slice.to);
        assert_eq!((bounds.slice_of(to), bounds.slice_of(from.wrapping_sub(1))), (None, None));
    }
}

#[test]
fn inclusive_time_is_the_overlap_of_each_state() {
    rounds(|rng, bounds| {
        let mut time = StateTime::new(bounds, 3);
        let states: Vec<(usize, (Ticks, Ticks))> = (0..rng.random_range(0..30))
            .map(|_| (rng.random_range(0..3), random_interval(rng)))
            .collect();
        for &(value, (start, end)) in &states {
            time.add(value, start, end);
        }
        let cube = drained(&mut time, 3, &bounds);
        for value in 0..3 {
            let of_value = || states.iter().filter(|state| state.0 == value);
            let overlap = |window: Window| -> Ticks {
                of_value().map(|&(_, (start, end))| window.overlap(start, end)).sum()
            };
            for (k, slice) in slices(&bounds) {
                assert_eq!(cube.row(0, value)[k], overlap(slice));
            }
            assert_eq!(cube.row(0, value).iter().sum::<Ticks>(), overlap(bounds.window()));
        }
        assert!(drained(&mut time, 3, &bounds).leaf(0).iter().all(|&ticks| ticks == 0));
    });
}

/// A state with its value, the value around it, and its depth.
struct Nested {
    value: usize,
    parent: Option<usize>,
    depth: usize,
    start: Ticks,
    end: Ticks,
}

/// Fills an interval with random states, and those with random states again.
fn nest(rng: &mut ChaCha8Rng, around: Option<&Nested>, states: &mut Vec<Nested>) {
    let (mut now, end, parent, depth) = match around {
        Some(state) => (state.start, state.end, Some(state.value), state.depth + 1),
        None => (-50, 110, None, 0),
    };
    while now < end && depth < 5 {
        now += rng.random_range(0..20);
        let until = (now + rng.random_range(0..40)).min(end);
        if now > end {
            break;
        }
        let state = Nested { value: rng.random_range(0..4), parent, depth, start: now, end: until };
        nest(rng, Some(&state), states);
        states.push(state);
        now = until + 1;
    }
}

#[test]
fn exclusive_time_is_that_of_the_innermost_state() {
    rounds(|rng, bounds| {
        let mut states = Vec::new();
        nest(rng, None, &mut states);
        let mut time = StateTime::new(bounds, 4);
        for state in &states {
            time.add_nested(state.value, state.parent, state.start, state.end);
        }
        let cube = drained(&mut time, 4, &bounds);
        let mut slow = Cube::<Ticks>::new(1, 4, bounds.n_slices()).expect("a cube");
        let mut busy = 0;
        for (k, slice) in slices(&bounds) {
            for tick in slice.from..slice.to {
                let open = states.iter().filter(|state| state.start <= tick && tick < state.end);
                if let Some(state) = open.max_by_key(|state| state.depth) {
                    slow.row_mut(0, state.value)[k] += 1;
                    busy += 1;
                }
            }
        }
        assert_eq!(cube, slow);
        let all = cube.with_idle(&bounds).expect("a cube");
        let window = bounds.window();
        assert_eq!(all.leaf(0).iter().sum::<Ticks>(), window.to - window.from);
        assert_eq!(all.row(0, 4).iter().sum::<Ticks>(), window.to - window.from - busy);
    });
}

#[test]
fn means_of_variables_are_those_over_all_ticks() {
    rounds(|rng, bounds| {
        let mut mean = VariableMean::new(bounds);
        let mut steps = Vec::new();
        let mut now = rng.random_range(-60..60);
        while now < 120 {
            let until = now + rng.random_range(0..30);
            // Quarters, so that sums are exact in any order.
            let value = f64::from(rng.random_range(-40..40)) / 4.0;
            steps.push((now, until, value));
            mean.add(now, until, value);
            now = until + rng.random_range(0..2) * rng.random_range(0..10);
        }
        let (by_slice, by_time) =
            (mean.means(VariableMode::Slice), mean.means(VariableMode::Defined));
        for (k, slice) in slices(&bounds) {
            let at = |tick| steps.iter().find(|step| step.0 <= tick && tick < step.1);
            let values: Vec<f64> =
                (slice.from..slice.to).filter_map(at).map(|step| step.2).collect();
            let sum: f64 = values.iter().sum();
            let width = slice.to - slice.from;
            assert_eq!(by_slice[k], (width > 0).then(|| sum / width as f64));
            assert_eq!(by_time[k], (!values.is_empty()).then(|| sum / values.len() as f64));
        }
    });
}

#[test]
fn events_are_counted_once() {
    rounds(|rng, bounds| {
        let mut counts = EventCounts::new(bounds, 2);
        let events: Vec<(usize, Ticks)> = (0..rng.random_range(0..60))
            .map(|_| (rng.random_range(0..2), rng.random_range(-60..120)))
            .collect();
        for &(value, time) in &events {
            counts.add(value, time);
        }
        let mut cells = vec![0; 2 * bounds.n_slices()];
        counts.drain_into(&mut cells);
        let end = bounds.window().to;
        for value in 0..2 {
            for (k, slice) in slices(&bounds) {
                let last = k + 1 == bounds.n_slices();
                let inside = |time| slice.from <= time && time < slice.to || last && time == end;
                let slow = events.iter().filter(|event| event.0 == value && inside(event.1));
                assert_eq!(cells[value * bounds.n_slices() + k], slow.count() as i64);
            }
        }
    });
}

#[derive(Clone, Copy, Debug)]
struct Link {
    leaf: usize,
    peer: u32,
    start: Ticks,
    end: Ticks,
    size: f64,
}

/// What the definition says of a link in a slice: nothing, or the ticks that count.
fn counted(link: &Link, slice: Window, last: bool, crossing: Crossing) -> Option<Ticks> {
    if link.start >= link.end {
        let inside = slice.from <= link.start && link.start < slice.to;
        return (inside || last && link.start == slice.to).then_some(0);
    }
    match crossing {
        Crossing::Drop => {
            (slice.from <= link.start && link.end <= slice.to).then(|| link.end - link.start)
        }
        Crossing::Clip => Some(slice.overlap(link.start, link.end)).filter(|&ticks| ticks > 0),
    }
}

fn random_links(rng: &mut ChaCha8Rng) -> Vec<Link> {
    let mut link = |_| {
        let (start, mut end) = random_interval(rng);
        if rng.random_bool(0.1) {
            end = start - rng.random_range(0..3);
        }
        let size = f64::from(rng.random_range(0..1000u32));
        Link { leaf: rng.random_range(0..3), peer: rng.random_range(0..3), start, end, size }
    };
    (0..40).map(&mut link).collect()
}

/// Compares one measure with its definition: what a link adds, given its ticks in the slice.
fn check_measure<M: LinkMeasure<Amount: std::fmt::Debug> + Copy>(
    measure: M,
    links: &[Link],
    bounds: Bounds,
    crossing: Crossing,
    amount: impl Fn(&Link, Ticks) -> f64,
) -> LinkTally {
    use onca_aggregate::Number;
    let mut sums = LinkSlices::new(measure, bounds, crossing, 3, 1).expect("slices");
    for link in links {
        sums.add(link.leaf, 0, link.start, link.end, link.size);
    }
    let tally = sums.tally();
    let cube = sums.finish();
    for leaf in 0..3 {
        for (k, slice) in slices(&bounds) {
            let last = k + 1 == bounds.n_slices();
            let own = links.iter().filter(|link| link.leaf == leaf);
            let slow: f64 = own
                .filter_map(|link| Some(amount(link, counted(link, slice, last, crossing)?)))
                .sum();
            let found = cube.row(leaf, 0)[k].to_f64();
            assert!((found - slow).abs() <= 1e-9 * slow.max(1.0), "{found} is not {slow}");
        }
    }
    tally
}

#[test]
fn links_equal_their_definition_in_every_mode() {
    rounds(|rng, bounds| {
        let links = random_links(rng);
        let duration = |link: &Link| (link.end - link.start).max(0);
        let inside = |link: &Link, ticks: Ticks| match duration(link) {
            0 => link.size,
            whole => link.size * ticks as f64 / whole as f64,
        };
        for crossing in [Crossing::Drop, Crossing::Clip] {
            let tally = check_measure(LinkCount, &links, bounds, crossing, |_, _| 1.0);
            let ticks = |_: &Link, ticks: Ticks| ticks as f64;
            check_measure(LinkTicks, &links, bounds, crossing, ticks);
            check_measure(LinkSize, &links, bounds, crossing, inside);
            let weighted = |link: &Link, ticks: Ticks| ticks as f64 * inside(link, ticks);
            check_measure(LinkWeighted, &links, bounds, crossing, weighted);
            let rate = |link: &Link, _: Ticks| match duration(link) {
                0 => 0.0,
                whole => link.size * 10.0 / whole as f64,
            };
            check_measure(LinkRate { ticks_per_unit: 10 }, &links, bounds, crossing, rate);
            check_tally(tally, &links, bounds, crossing);
        }
    });
}

/// Every link that has to do with the window is counted or dropped.
fn check_tally(tally: LinkTally, links: &[Link], bounds: Bounds, crossing: Crossing) {
    let n_slices = |link: &Link, crossing| {
        let holds = |&(k, slice): &(usize, Window)| {
            counted(link, slice, k + 1 == bounds.n_slices(), crossing).is_some()
        };
        slices(&bounds).filter(holds).count()
    };
    let number = |which: &dyn Fn(&&Link) -> bool| links.iter().filter(which).count() as u64;
    let touches = |link: &Link| n_slices(link, Crossing::Clip) > 0;
    let whole = |link: &Link| n_slices(link, Crossing::Drop) == 1;
    let crossed = number(&|link| touches(link) && !whole(link));
    let expected = match crossing {
        Crossing::Drop => {
            LinkTally { counted: number(&|link| whole(link)), dropped: crossed, ..tally }
        }
        Crossing::Clip => {
            LinkTally { counted: number(&|link| touches(link)), clipped: crossed, ..tally }
        }
    };
    assert_eq!(tally, expected);
    assert_eq!(tally.dropped + tally.clipped, crossed);
    assert_eq!(tally.backward, number(&|link| link.start > link.end && touches(link)));
}

#[test]
fn the_time_of_clipped_links_adds_up_to_that_of_the_window() {
    rounds(|rng, bounds| {
        let links = random_links(rng);
        let window = bounds.window();
        let mut ticks = LinkSlices::new(LinkTicks, bounds, Crossing::Clip, 3, 1).expect("slices");
        for link in &links {
            ticks.add(link.leaf, 0, link.start, link.end, link.size);
        }
        let cube = ticks.finish();
        for leaf in 0..3 {
            let own = links.iter().filter(|link| link.leaf == leaf);
            let total: Ticks = own.map(|link| window.overlap(link.start, link.end)).sum();
            assert_eq!(cube.leaf(leaf).iter().sum::<Ticks>(), total);
        }
    });
}

#[test]
fn peers_are_counted_by_slice() {
    rounds(|rng, bounds| {
        let links = random_links(rng);
        for crossing in [Crossing::Drop, Crossing::Clip] {
            let mut peers = Peers::new(bounds, crossing, 1000);
            for link in &links {
                peers.add(link.leaf as u32, link.peer, link.start, link.end).expect("room");
            }
            let found = peers.finish();
            assert!(found.is_sorted());
            let mut n_pairs = 0;
            for leaf in 0..3 {
                for peer in 0..3 {
                    for (k, slice) in slices(&bounds) {
                        let last = k + 1 == bounds.n_slices();
                        let pair = links.iter().filter(|l| l.leaf == leaf && l.peer == peer);
                        let count = pair
                            .filter(|link| counted(link, slice, last, crossing).is_some())
                            .count() as u64;
                        let key = (leaf as u32, k as u32, peer);
                        let row = found.iter().find(|row| (row.leaf, row.slice, row.peer) == key);
                        assert_eq!(row.map_or(0, |row| row.count), count);
                        n_pairs += usize::from(count > 0);
                    }
                }
            }
            assert_eq!(found.len(), n_pairs);
        }
    });
}
