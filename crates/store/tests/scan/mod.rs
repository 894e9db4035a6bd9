//! Every question, answered by a plain scan and compared with the store.

use std::collections::BTreeMap;

use onca_model::*;
use onca_store::{ContainerSet, LinkTotals, Measure, StateScan, Store};

use crate::sample::{STATE, Sample};

pub fn check_all(sample: &Sample, store: &Store, windows: &[Window]) {
    check_gaps(sample, store, windows);
    for &window in windows {
        check_states(sample, store, window);
        check_variables(sample, store, window);
        check_events(sample, store, window);
        check_links(sample, store, window);
    }
    check_texts(sample, store);
}

fn overlap(window: Window, start: Ticks, end: Ticks) -> i128 {
    let (from, to) = (i128::from(window.from), i128::from(window.to));
    (i128::from(end).min(to) - i128::from(start).max(from)).max(0)
}

pub fn check_states(sample: &Sample, store: &Store, window: Window) {
    for (&container, opened) in &sample.opened {
        let Some(track) = store.tracks().find(container, STATE) else {
            assert!(opened.is_empty());
            continue;
        };
        let lanes = store.tracks().lanes(track);
        let mut inclusive: BTreeMap<ValueId, i128> = BTreeMap::new();
        let mut exclusive: BTreeMap<ValueId, i128> = BTreeMap::new();
        let mut counts: BTreeMap<ValueId, u64> = BTreeMap::new();
        for lane in lanes {
            for state in &sample.states[lane] {
                let row = &state.row;
                let time = overlap(window, row.start, row.end);
                *inclusive.entry(row.value).or_default() += time;
                *exclusive.entry(row.value).or_default() += time;
                if let Some(parent) = row.parent {
                    *exclusive.entry(parent).or_default() -= time;
                }
                if window.touches(row.start, row.end) {
                    *counts.entry(row.value).or_default() += 1;
                }
            }
        }
        for (measure, expected) in
            [(Measure::Inclusive, inclusive), (Measure::Exclusive, exclusive)]
        {
            let expected: Vec<_> = expected
                .into_iter()
                .filter(|&(_, time)| time != 0)
                .map(|(value, time)| (value, Ticks::try_from(time).unwrap_or(Ticks::MAX)))
                .collect();
            let time = store.state_time(track, window, measure).expect("readable");
            assert_eq!(time, expected, "{measure:?} {window:?}");
        }
        let counts: Vec<_> = counts.into_iter().collect();
        assert_eq!(store.state_counts(track, window).expect("readable"), counts);
        let n: u64 = counts.iter().map(|(_, n)| n).sum();
        assert_eq!(store.n_states(&[track], window).expect("readable"), n);
        for min_duration in [0, 20] {
            check_track(sample, store, container, window, min_duration);
        }
    }
}

/// The time between many instants at once, near and far apart, against that of each window.
fn check_gaps(sample: &Sample, store: &Store, windows: &[Window]) {
    let mut instants: Vec<Ticks> =
        windows.iter().take(20).flat_map(|w| [w.from, w.to, w.to]).collect();
    instants.sort_unstable();
    for &container in sample.opened.keys() {
        let Some(track) = store.tracks().find(container, STATE) else { continue };
        for measure in [Measure::Inclusive, Measure::Exclusive] {
            let mut found: BTreeMap<(usize, ValueId), i128> = BTreeMap::new();
            store
                .visit_state_time(track, &instants, measure, |gap, value, ticks| {
                    *found.entry((gap, value)).or_default() += ticks;
                })
                .expect("readable");
            found.retain(|_, ticks| *ticks != 0);
            let mut expected: BTreeMap<(usize, ValueId), i128> = BTreeMap::new();
            for state in store.tracks().lanes(track).iter().flat_map(|lane| &sample.states[lane]) {
                let row = &state.row;
                for (gap, pair) in instants.windows(2).enumerate() {
                    let time = overlap(Window::new(pair[0], pair[1]), row.start, row.end);
                    if time == 0 {
                        continue;
                    }
                    *expected.entry((gap, row.value)).or_default() += time;
                    if let (Some(parent), Measure::Exclusive) = (row.parent, measure) {
                        *expected.entry((gap, parent)).or_default() -= time;
                    }
                }
            }
            expected.retain(|_, ticks| *ticks != 0);
            assert_eq!(found, expected, "{measure:?}");
        }
    }
}

fn check_track(
    sample: &Sample,
    store: &Store,
    container: ContainerId,
    window: Window,
    min_duration: Ticks,
) {
    let track = store.tracks().find(container, STATE).expect("it has states");
    let lanes = store.tracks().lanes(track);
    let keep = |row: &StateRow| {
        window.touches(row.start, row.end)
            && i128::from(row.end) - i128::from(row.start) >= i128::from(min_duration)
    };
    let expected: Vec<_> = sample.opened[&container]
        .iter()
        .map(|&(depth, row)| (depth, row, sample.states[&lanes[depth]][row as usize].row))
        .filter(|(_, _, row)| keep(row))
        .collect();
    let mut found = Vec::new();
    store
        .visit_track_states(track, window, min_duration, |depth, number, row| {
            found.push((depth, number, *row));
        })
        .expect("readable");
    assert_eq!(found, expected, "{window:?}");
    for lane in lanes {
        let expected: Vec<_> = sample.states[lane]
            .iter()
            .enumerate()
            .filter(|(_, state)| keep(&state.row))
            .map(|(number, state)| (number as u64, state.row, state.parent))
            .collect();
        let mut found = Vec::new();
        store
            .visit_states(*lane, window, min_duration, |number, row, parent| {
                found.push((number, *row, parent));
            })
            .expect("readable");
        assert_eq!(found, expected);
    }
    lanes.iter().for_each(|lane| check_scan(sample, store, *lane, window));
}

/// The states of a lane many at a time.
fn check_scan(sample: &Sample, store: &Store, lane: LaneId, window: Window) {
    let all = sample.states[&lane].iter().map(|state| state.row);
    let expected: Vec<_> = all
        .filter(|row| window.touches(row.start, row.end))
        .map(|row| (row.start, row.end, row.value))
        .collect();
    let mut found = Vec::new();
    let mut scan = StateScan::new(store);
    scan.visit(lane, window, |states| {
        let times = states.starts.iter().zip(states.ends);
        found.extend(times.zip(states.values).map(|((&from, &to), &value)| (from, to, value)));
    })
    .expect("readable");
    assert_eq!(found, expected, "{window:?}");
}

pub fn check_variables(sample: &Sample, store: &Store, window: Window) {
    for (&lane, rows) in &sample.variables {
        let touching: Vec<_> = rows
            .iter()
            .enumerate()
            .filter(|(_, row)| window.touches(row.start, row.end))
            .map(|(number, row)| (number as u64, row.start, row.end, row.value.to_bits()))
            .collect();
        let mut found = Vec::new();
        store
            .visit_variables(lane, window, |number, row| {
                found.push((number, row.start, row.end, row.value.to_bits()));
            })
            .expect("readable");
        assert_eq!(found, touching);
        let (mut integral, mut finite_time, mut time, mut size) = (0.0, 0, 0, 0.0);
        for row in rows {
            let part = overlap(window, row.start, row.end);
            time += part;
            if row.value.is_finite() {
                finite_time += part;
                integral += row.value * part as f64;
                size += row.value.abs() * part as f64;
            }
        }
        let finite =
            || touching.iter().map(|&(.., bits)| f64::from_bits(bits)).filter(|v| v.is_finite());
        let summary = store.variable_summary(lane, window).expect("readable");
        assert_eq!(i128::from(summary.time), time, "{window:?}");
        assert_eq!(i128::from(summary.finite_time), finite_time);
        assert!((summary.integral - integral).abs() <= 1e-9 * size, "{summary:?} {integral}");
        assert_eq!(summary.min, finite().reduce(f64::min));
        assert_eq!(summary.max, finite().reduce(f64::max));
        assert_eq!(summary.mean.is_some(), finite_time > 0);
    }
}

pub fn check_events(sample: &Sample, store: &Store, window: Window) {
    for (&lane, rows) in &sample.events {
        let inside: Vec<_> = rows
            .iter()
            .enumerate()
            .filter(|(_, row)| window.touches(row.time, row.time))
            .map(|(number, row)| (number as u64, *row))
            .collect();
        let mut counts: BTreeMap<ValueId, u64> = BTreeMap::new();
        inside.iter().for_each(|(_, row)| *counts.entry(row.value).or_default() += 1);
        let mut found = Vec::new();
        store
            .visit_events(lane, window, |number, row| found.push((number, *row)))
            .expect("readable");
        assert_eq!(found, inside);
        let counts: Vec<_> = counts.into_iter().collect();
        assert_eq!(store.event_counts(lane, window).expect("readable"), counts);
    }
}

pub fn check_links(sample: &Sample, store: &Store, window: Window) {
    let n = store.catalog().containers.len() as u32;
    let even: ContainerSet = (0..n).filter(|id| id % 2 == 0).map(ContainerId).collect();
    let third: ContainerSet = (0..n).filter(|id| id % 3 == 1).map(ContainerId).collect();
    let all = ContainerSet::first(n as usize);
    for &lane in sample.links.keys() {
        for (set, min_duration) in [(None, 0), (Some(&even), 0), (Some(&third), 15)] {
            check_touching_links(sample, store, lane, window, set, min_duration);
        }
        for (from, to) in [(&all, &all), (&even, &third), (&third, &all)] {
            check_link_totals(sample, store, lane, window, from, to);
            check_link_slices(sample, store, lane, window, from, to);
        }
    }
}

fn touches(window: Window, row: &LinkRow<'_>) -> bool {
    window.touches(row.start.min(row.end), row.start.max(row.end))
}

fn check_touching_links(
    sample: &Sample,
    store: &Store,
    lane: LaneId,
    window: Window,
    set: Option<&ContainerSet>,
    min_duration: Ticks,
) {
    let is_in =
        |id: Option<ContainerId>| set.is_none_or(|set| id.is_some_and(|id| set.contains(id)));
    let expected: Vec<_> = sample.links[&lane]
        .iter()
        .enumerate()
        .filter(|(_, link)| {
            let row = &link.row;
            touches(window, row)
                && (is_in(row.source) || is_in(row.destination))
                && (min_duration <= 0 || row.end - row.start >= min_duration)
        })
        .map(|(number, link)| (number as u64, link.row))
        .collect();
    let mut found = Vec::new();
    store
        .visit_links(lane, window, set, min_duration, |number, row| {
            found.push((number, LinkRow { key: b"", ..*row }));
        })
        .expect("readable");
    assert_eq!(found, expected);
}

/// What lies in a slice and what touches it, link by link.
fn check_link_slices(
    sample: &Sample,
    store: &Store,
    lane: LaneId,
    slice: Window,
    from: &ContainerSet,
    to: &ContainerSet,
) {
    if slice.from >= slice.to {
        return;
    }
    type Sums = BTreeMap<(ContainerId, ContainerId), [i128; 7]>;
    let mut expected = Sums::new();
    for link in &sample.links[&lane] {
        let row = &link.row;
        let (Some(source), Some(destination)) = (row.source, row.destination) else { continue };
        if !from.contains(source) || !to.contains(destination) {
            continue;
        }
        let is_instant = row.start >= row.end;
        let holds = slice.from <= row.start && row.start < slice.to;
        let ticks = overlap(slice, row.start, row.end);
        let touches = if is_instant { holds } else { ticks > 0 };
        let inside = touches && (is_instant || slice.from <= row.start && row.end <= slice.to);
        let size = i128::from(row.size.unwrap_or(0));
        let (touches, inside) = (i128::from(touches), i128::from(inside));
        let backward = touches * i128::from(row.end < row.start);
        let sums =
            [inside, inside * size, inside * ticks, touches, touches * size, ticks, backward];
        let pair = expected.entry((source, destination)).or_default();
        pair.iter_mut().zip(sums).for_each(|(sum, one)| *sum += one);
    }
    expected.retain(|_, sums| sums[3] > 0);
    let mut found = Sums::new();
    store
        .visit_pair_slices(lane, from, to, slice, |pair| {
            let LinkTotals { count, size, time } = pair.inside;
            let all = pair.touching;
            let sums = [count.into(), size.into(), time.into(), all.count.into(), all.size.into()]
                .into_iter()
                .chain([all.time.into(), pair.backward.into()]);
            let own = found.entry((pair.source, pair.destination)).or_default();
            own.iter_mut().zip(sums).for_each(|(sum, one): (&mut i128, i128)| *sum += one);
        })
        .expect("readable");
    assert_eq!(found, expected, "{slice:?}");
}

fn check_link_totals(
    sample: &Sample,
    store: &Store,
    lane: LaneId,
    window: Window,
    from: &ContainerSet,
    to: &ContainerSet,
) {
    let mut pairs: BTreeMap<(ContainerId, ContainerId), LinkTotals> = BTreeMap::new();
    for link in &sample.links[&lane] {
        let row = &link.row;
        let (Some(source), Some(destination)) = (row.source, row.destination) else { continue };
        if from.contains(source) && to.contains(destination) && touches(window, row) {
            let totals = pairs.entry((source, destination)).or_default();
            totals.count += 1;
            totals.size += row.size.unwrap_or(0);
            totals.time += overlap(window, row.start, row.end) as Ticks;
        }
    }
    let mut found = BTreeMap::new();
    store
        .visit_pair_totals(lane, from, to, window, |pair| {
            let twice = found.insert((pair.source, pair.destination), pair.totals);
            assert_eq!(twice, None);
        })
        .expect("readable");
    assert_eq!(found, pairs, "{window:?}");
    let mut sum = LinkTotals::default();
    for totals in pairs.values() {
        sum.count += totals.count;
        sum.size += totals.size;
        sum.time += totals.time;
    }
    assert_eq!(store.link_totals(lane, from, to, window).expect("readable"), sum);
}

pub fn check_texts(sample: &Sample, store: &Store) {
    for (&lane, rows) in &sample.states {
        assert_eq!(store.n_rows(lane), rows.len() as u64);
        for (number, state) in rows.iter().enumerate().step_by(7) {
            let number = number as u64;
            assert_eq!(store.state_extras(lane, number).expect("readable"), state.extras);
            let row = store.state(lane, number).expect("readable");
            assert_eq!(row, (state.row, state.parent));
        }
    }
    for (&lane, rows) in &sample.links {
        let mut texts = store.texts(lane);
        for (number, link) in rows.iter().enumerate() {
            let found = texts.get(number as u64).expect("readable");
            assert_eq!(found, (link.key.as_slice(), link.extras.as_slice()));
        }
        for (number, link) in rows.iter().enumerate().step_by(7) {
            let number = number as u64;
            assert_eq!(store.link_key(lane, number).expect("readable"), link.key);
            assert_eq!(store.link_extras(lane, number).expect("readable"), link.extras);
            assert_eq!(store.link(lane, number).expect("readable"), link.row);
        }
    }
}
