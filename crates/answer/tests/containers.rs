//! The loads of containers against lists of states.

use crate::support;

use std::collections::BTreeMap;

use onca_aggregate::statistics::Odd;
use onca_answer::{ContainerSpec, Level, containers};
use onca_model::{Ticks, Window, display_text};
use onca_query::{Lens, NodeId, Scope};
use support::both::{Both, Look, RANKS, SECOND, Seen, body, header, rng, states};

const SLICES: usize = 5;

fn spec(level: Level) -> ContainerSpec {
    ContainerSpec { level, nodes: None, value: None, n_slices: SLICES, most_rows: usize::MAX }
}

/// The time of a state in a window, less that of the states directly inside it.
fn exclusive(all: &[Seen], state: &Seen, window: Window) -> i128 {
    let inside = all.iter().filter(|other| state.holds(other) && other.depth == state.depth + 1);
    let inside: Ticks = inside.map(|other| window.overlap(other.start, other.end)).sum();
    i128::from(window.overlap(state.start, state.end) - inside)
}

#[test]
fn times_slices_and_means_are_those_of_the_states() {
    for seed in 0..40 {
        let mut rng = rng(seed);
        let both = Both::random(&mut rng);
        let look = Look::random(&mut rng, &both);
        let scope = look.scope(&both);
        let all = states(&both, &look);
        for by_machine in [false, true] {
            let level = if by_machine { Level::Depth(1) } else { Level::Own };
            let found = containers(&scope, &spec(level)).expect("loads");
            let place = |id| if by_machine { both.machine(id) } else { both.name(id) };
            // Whoever has states is compared, also without any in the window.
            let tracks = both.trace.states.iter().map(|state| state.container);
            let mut carriers: Vec<String> =
                tracks.filter(|id| look.sees_rank(&both, *id)).map(place).collect();
            carriers.sort();
            carriers.dedup();
            let mut n_rows = 0;
            for row in &found.rows {
                let name = display_text(scope.name(found.cut.nodes()[row.of.place])).into_owned();
                let value = display_text(&scope.catalog().value(row.value).name).into_owned();
                let is_here = |state: &&Seen| {
                    !state.hidden && state.value == value && place(state.container) == name
                };
                let during = |window| -> i128 {
                    all.iter().filter(is_here).map(|state| exclusive(&all, state, window)).sum()
                };
                assert_eq!(row.of.ticks, Some(during(look.window())), "{name} {value} {look:?}");
                assert_eq!(row.of.count, all.iter().filter(is_here).count() as u64);
                let Window { from, to } = look.window();
                let border = |k: i64| from + (to - from) * k / SLICES as i64;
                let slices: Vec<i128> = (0..SLICES as i64)
                    .map(|k| during(Window::new(border(k), border(k + 1))))
                    .collect();
                assert_eq!(row.over_time, slices, "{name} {value} {look:?}");
                let mut loads: BTreeMap<&str, i128> =
                    carriers.iter().map(|name| (name.as_str(), 0)).collect();
                for state in all.iter().filter(|state| !state.hidden && state.value == value) {
                    let ticks = exclusive(&all, state, look.window());
                    *loads.get_mut(place(state.container).as_str()).expect("a carrier") += ticks;
                }
                let mean = loads.values().sum::<i128>() as f64 / loads.len() as f64;
                let above = (mean > 0.0).then(|| (loads[name.as_str()] as f64 - mean) / mean);
                match (row.above_mean, above) {
                    (Some(found), Some(above)) => assert!((found - above).abs() < 1e-9),
                    other => assert_eq!(other, (None, None), "{name} {value} {look:?}"),
                }
                n_rows += 1;
            }
            let mut pairs: Vec<_> = all
                .iter()
                .filter(|state| !state.hidden)
                .map(|state| (place(state.container), state.value.clone()))
                .collect();
            pairs.sort();
            pairs.dedup();
            assert_eq!(n_rows, pairs.len(), "{look:?}");
        }
    }
}

/// Six ranks that compute for 4, 4, 4, 4, 4 and 10 seconds, and then wait until second 10.
fn one_slow() -> Both {
    let mut text = header() + &body();
    for rank in 0..RANKS {
        text += &format!("12 0 S r{rank} compute\n");
    }
    for rank in 0..RANKS - 1 {
        text += &format!("12 4 S r{rank} MPI_Wait\n");
    }
    for rank in 0..RANKS {
        text += &format!("8 10 P r{rank}\n");
    }
    Both::new(&text)
}

fn whole(both: &Both) -> Scope<'_> {
    Scope::new(&both.store, &Lens::clear(), Window::new(0, 10 * SECOND)).expect("a scope")
}

#[test]
fn the_one_unlike_the_others_is_told() {
    let both = one_slow();
    let scope = whole(&both);
    let found = containers(&scope, &spec(Level::Own)).expect("loads");
    let name = |node: NodeId| display_text(scope.name(node)).into_owned();
    let odd: Vec<_> = found
        .rows
        .iter()
        .filter_map(|row| Some((name(found.cut.nodes()[row.of.place]), row.odd?)))
        .collect();
    // It alone does not wait, so that it has no row of waiting.
    assert_eq!(odd, [("rank5".to_owned(), Odd::High)]);
    let first = &found.rows[0];
    assert_eq!(first.of.ticks, Some(10 * i128::from(SECOND)));
    // 30 seconds of six: the mean is 5, and 10 is twice as much.
    assert_eq!(first.above_mean, Some(1.0));
}

#[test]
fn rows_of_some_nodes_are_compared_with_all() {
    let both = one_slow();
    let scope = whole(&both);
    let all = containers(&scope, &spec(Level::Own)).expect("loads");
    let node = all.cut.nodes()[all.rows[0].of.place];
    let some = ContainerSpec { nodes: Some(vec![node]), ..spec(Level::Own) };
    assert_eq!(containers(&scope, &some).expect("loads").rows, all.rows[..1]);
    let nobody = ContainerSpec { nodes: Some(vec![NodeId(99)]), ..spec(Level::Own) };
    assert!(containers(&scope, &nobody).expect("loads").rows.is_empty());
    let value = all.rows[0].value;
    let computing = ContainerSpec { value: Some(value), ..spec(Level::Own) };
    let computing = containers(&scope, &computing).expect("loads");
    assert_eq!((computing.rows.len(), computing.left_out), (RANKS, 0));
    let few = ContainerSpec { most_rows: 2, ..spec(Level::Own) };
    let few = containers(&scope, &few).expect("loads");
    // Six rows of computing and five of waiting.
    assert_eq!((few.rows.len(), few.left_out), (2, 9));
    assert_eq!(few.rows, all.rows[..2]);
}

#[test]
fn a_window_without_time_has_no_slices() {
    let both = one_slow();
    let at = |from, to| {
        let scope =
            Scope::new(&both.store, &Lens::clear(), Window::new(from, to)).expect("a scope");
        containers(&scope, &spec(Level::Own)).expect("loads").n_slices
    };
    assert_eq!(at(SECOND, SECOND), 0);
    assert_eq!(at(SECOND, SECOND + 2), 2);
    assert_eq!(at(SECOND, 2 * SECOND), SLICES);
}
