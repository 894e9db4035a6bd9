//! Blocks read as columns against the rows that were put in.

use crate::sample;

use onca_model::*;
use onca_store::{BlockExtent, Store};
use sample::{Sample, Shape, open};

#[test]
fn columns_of_random_traces() {
    for (seed, memory) in [(50, 64 << 20), (51, 20_000), (52, 500_000)] {
        let shape = Shape { seed, extras: true, depth: 6, ..Shape::default() };
        check(&Sample::random(&shape), memory);
    }
}

#[test]
fn columns_of_huge_times_and_instants() {
    let (origin, longest) = (-(1 << 60), 1 << 46);
    check(&Sample::random(&Shape { seed: 53, origin, longest, ..Shape::default() }), 64 << 20);
    check(&Sample::random(&Shape { seed: 54, longest: 0, ..Shape::default() }), 64 << 20);
}

fn check(sample: &Sample, memory: usize) {
    let dir = tempfile::tempdir().expect("a folder");
    let place = dir.path().join("s.onca");
    sample.build(&place, memory).expect("built");
    let store = open(&place);
    for (&lane, states) in &sample.states {
        check_states(sample, &store, lane, states);
    }
    for (&lane, links) in &sample.links {
        check_links(&store, lane, links);
    }
    for (&lane, events) in &sample.events {
        let (mut times, mut values) = (Vec::new(), Vec::new());
        for block in blocks(&store, lane) {
            let columns = store.event_columns(lane, block.0).expect("readable");
            assert_eq!(columns.n_rows(), block.1.n_rows as usize);
            columns.times(&mut times);
            columns.values(&mut values, |id| id);
        }
        assert_eq!(times, column(events, |event| event.time));
        assert_eq!(values, column(events, |event| event.value));
    }
    for (&lane, steps) in &sample.variables {
        let (mut starts, mut ends, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for block in blocks(&store, lane) {
            let columns = store.variable_columns(lane, block.0).expect("readable");
            columns.starts(&mut starts);
            columns.ends(&mut ends);
            columns.values(&mut values);
        }
        assert_eq!(starts, column(steps, |step| step.start));
        assert_eq!(ends, column(steps, |step| step.end));
        let bits = |values: &[f64]| column(values, |value| value.to_bits());
        assert_eq!(bits(&values), bits(&column(steps, |step| step.value)));
    }
}

fn column<R, T>(rows: &[R], value: impl Fn(&R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}

/// The blocks of a lane; they follow one another without a gap.
fn blocks(store: &Store, lane: LaneId) -> Vec<(usize, BlockExtent)> {
    let blocks: Vec<_> = store.blocks(lane).enumerate().collect();
    let mut rows = 0;
    for (_, block) in &blocks {
        assert_eq!(block.rows_before, rows);
        rows += u64::from(block.n_rows);
    }
    assert_eq!(rows, store.n_rows(lane));
    blocks
}

fn check_states(sample: &Sample, store: &Store, lane: LaneId, states: &[sample::State]) {
    let own = sample.catalog.lane(lane);
    let tracks = store.tracks();
    let lanes = tracks.lanes(tracks.find(own.container, own.type_id).expect("a track"));
    let inner = lanes.get(usize::from(own.depth) + 1).copied();
    let (mut starts, mut ends, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let (mut parents, mut open_ended, mut exclusive) = (Vec::new(), Vec::new(), Vec::new());
    for (number, extent) in blocks(store, lane) {
        let columns = store.state_columns(lane, number).expect("readable");
        columns.starts(&mut starts);
        columns.ends(&mut ends);
        columns.values(&mut values, |id| id);
        columns.parent_values(&mut parents, |id| id);
        columns.open_ended(&mut open_ended);
        store.exclusive_ticks(&columns, inner, &mut exclusive).expect("readable");
        let first = &states[extent.rows_before as usize].row;
        assert_eq!(extent.first, first.start);
        assert_eq!(Some(extent.last), ends.last().copied());
    }
    assert_eq!(starts, column(states, |state| state.row.start));
    assert_eq!(ends, column(states, |state| state.row.end));
    assert_eq!(values, column(states, |state| state.row.value));
    assert_eq!(parents, column(states, |state| state.row.parent));
    assert_eq!(open_ended, column(states, |state| state.row.open_ended));
    let mut expected = column(states, |state| state.row.end - state.row.start);
    for nested in inner.iter().flat_map(|inner| &sample.states[inner]) {
        let parent = nested.parent.expect("a nested state has a parent");
        expected[parent as usize] -= nested.row.end - nested.row.start;
    }
    assert_eq!(exclusive, expected);
}

fn check_links(store: &Store, lane: LaneId, links: &[sample::Link]) {
    let (mut starts, mut ends, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let (mut sources, mut destinations, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
    for (number, _) in blocks(store, lane) {
        let columns = store.link_columns(lane, number).expect("readable");
        columns.starts(&mut starts);
        columns.ends(&mut ends);
        columns.values(&mut values, |id| id);
        columns.sources(&mut sources);
        columns.destinations(&mut destinations);
        columns.sizes(&mut sizes);
    }
    assert_eq!(starts, column(links, |link| link.row.start));
    assert_eq!(ends, column(links, |link| link.row.end));
    assert_eq!(values, column(links, |link| link.row.value));
    assert_eq!(sources, column(links, |link| link.row.source));
    assert_eq!(destinations, column(links, |link| link.row.destination));
    assert_eq!(sizes, column(links, |link| link.row.size));
}

#[test]
fn what_is_not_there_is_an_error() {
    let sample = Sample::of_states([(0, 1, 0)].into_iter(), 2);
    let dir = tempfile::tempdir().expect("a folder");
    let place = dir.path().join("s.onca");
    sample.build(&place, 1 << 20).expect("built");
    let store = open(&place);
    let lane = *sample.states.keys().next().expect("a lane");
    assert!(store.state_columns(lane, 0).is_ok());
    assert!(store.state_columns(lane, 1).is_err(), "there is one block");
    assert!(store.link_columns(lane, 0).is_err(), "it is a lane of states");
    assert!(store.state_columns(LaneId(99), 0).is_err());
    assert_eq!(store.blocks(LaneId(99)).len(), 0);
}
