//! What is seen through random selections, against filtering a list of all entities.

mod choice;
mod plain;

use choice::Choice;
use onca_model::{ContainerId, LaneId, Nature, Ticks, TypeId, Window};
use onca_query::{Lens, Resolver, Scope};
use plain::Plain;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const SEEDS: u64 = 100;
const LENSES: usize = 8;

fn check_all(check: impl Fn(&Plain, &Choice, &Scope<'_>)) {
    for seed in 0..SEEDS {
        let plain = Plain::random(seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..LENSES {
            let choice = Choice::random(&mut rng, &plain);
            let lens = Lens { select: choice.selection(&plain), ..Lens::clear() };
            let window = plain.window(&mut rng);
            let scope = Scope::new(&plain.store, &lens, window)
                .unwrap_or_else(|error| panic!("seed {seed}, {choice:?}: {error}"));
            check(&plain, &choice, &scope);
        }
    }
}

/// The window as events see it: closed where it reaches the end of the trace.
fn closed(plain: &Plain, window: Window) -> Window {
    let last = window.to == plain.catalog.facts.end;
    Window::new(window.from, if last { window.to + 1 } else { window.to })
}

fn long_enough(choice: &Choice, start: Ticks, end: Ticks) -> bool {
    choice.min_duration == 0 || end - start >= choice.min_duration
}

fn sees_track(choice: &Choice, (container, type_id): (ContainerId, TypeId)) -> bool {
    choice.containers.leaves(container.index()) && choice.types.leaves(type_id.index())
}

#[test]
fn containers_types_and_values_are_those_that_the_references_mean() {
    check_all(|plain, choice, scope| {
        for id in 0..plain.n_containers() {
            let seen = scope.containers().contains(ContainerId(id as u32));
            assert_eq!(seen, choice.containers.leaves(id), "container {id}, {choice:?}");
        }
        for id in 0..plain.catalog.types.len() {
            assert_eq!(scope.sees_type(TypeId(id as u32)), choice.types.leaves(id), "{choice:?}");
        }
        for id in 0..plain.catalog.values.len() {
            let seen = scope.sees_value(onca_model::ValueId(id as u32));
            assert_eq!(seen, choice.values.leaves(id), "{choice:?}");
        }
    });
}

/// A name that several siblings have leads to all of them; so does what cannot be typed.
#[test]
fn a_path_leads_back_to_its_container() {
    for seed in 0..SEEDS {
        let plain = Plain::random(seed);
        let resolver = Resolver::new(&plain.catalog);
        for id in 0..plain.n_containers() {
            if plain.lineage(id).iter().any(|&above| plain.name(above).is_empty()) {
                continue;
            }
            let path = resolver.path(ContainerId(id as u32));
            let found = resolver.containers(&path).expect("a path");
            assert!(found.contains(ContainerId(id as u32)), "{path}");
            let depth = plain.lineage(id).len();
            let elsewhere = (0..plain.n_containers())
                .filter(|&other| found.contains(ContainerId(other as u32)))
                .find(|&other| plain.lineage(other).len() != depth);
            assert_eq!(elsewhere, None, "{path}");
        }
    }
}

#[test]
fn states_are_those_that_a_filter_leaves() {
    check_all(|plain, choice, scope| {
        let mut expected: Vec<_> = (plain.rows.states.iter())
            .filter(|(lane, _, row)| {
                sees_track(choice, plain.place(*lane))
                    && choice.values.leaves(row.value.index())
                    && long_enough(choice, row.start, row.end)
                    && scope.window().touches(row.start, row.end)
            })
            .map(|(lane, number, row)| (lane.0, *number, row.start, row.end, row.value))
            .collect();
        expected.sort();
        let mut found = Vec::new();
        for (track, _, _) in scope.tracks(Nature::State) {
            let lanes = plain.store.tracks().lanes(track);
            let visit = |depth: usize, number, row: &onca_model::StateRow| {
                found.push((lanes[depth].0, number, row.start, row.end, row.value));
            };
            scope.visit_states(track, visit).expect("visited");
        }
        found.sort();
        assert_eq!(found, expected, "{choice:?}");
    });
}

#[test]
fn links_are_those_that_a_filter_leaves() {
    check_all(|plain, choice, scope| {
        let window = closed(plain, scope.window());
        let sees_end =
            |end: Option<ContainerId>| end.is_none_or(|id| choice.containers.leaves(id.index()));
        let mut expected: Vec<_> = (plain.rows.links.iter())
            .filter(|(lane, _, row)| {
                let (low, high) = (row.start.min(row.end), row.start.max(row.end));
                choice.types.leaves(plain.place(*lane).1.index())
                    && choice.values.leaves(row.value.index())
                    && sees_end(row.source)
                    && sees_end(row.destination)
                    && long_enough(choice, row.start, row.end)
                    && window.touches(low, high)
            })
            .map(|(lane, number, row)| (*lane, *number, row.start, row.end, row.value))
            .collect();
        expected.sort_by_key(|(lane, number, ..)| (*lane, *number));
        let mut found = Vec::new();
        for (lane, _) in scope.link_lanes() {
            let visit = |number, row: &onca_model::LinkRow<'_>| {
                found.push((lane, number, row.start, row.end, row.value));
            };
            scope.visit_links(lane, visit).expect("visited");
        }
        assert_eq!(found, expected, "{choice:?}");
    });
}

/// The only lane of each seen track.
fn lanes(scope: &Scope<'_>, nature: Nature) -> Vec<LaneId> {
    let tracks = scope.store().tracks();
    scope.tracks(nature).map(|(track, _, _)| tracks.lanes(track)[0]).collect()
}

#[test]
fn events_and_variables_are_those_that_a_filter_leaves() {
    check_all(|plain, choice, scope| {
        let window = closed(plain, scope.window());
        let mut expected: Vec<_> = (plain.rows.events.iter())
            .filter(|(lane, _, row)| {
                sees_track(choice, plain.place(*lane))
                    && choice.values.leaves(row.value.index())
                    && window.touches(row.time, row.time)
            })
            .map(|(lane, number, row)| (lane.0, *number, row.time))
            .collect();
        expected.extend(
            (plain.rows.variables.iter())
                .filter(|(lane, _, row)| {
                    sees_track(choice, plain.place(*lane)) && window.touches(row.start, row.end)
                })
                .map(|(lane, number, row)| (lane.0, *number, row.start)),
        );
        expected.sort();
        let mut found = Vec::new();
        for lane in lanes(scope, Nature::Event) {
            let visit = |number, row: &onca_model::EventRow| found.push((lane.0, number, row.time));
            scope.visit_events(lane, visit).expect("visited");
        }
        for lane in lanes(scope, Nature::Variable) {
            let visit =
                |number, row: &onca_model::VariableRow| found.push((lane.0, number, row.start));
            scope.visit_variables(lane, visit).expect("visited");
        }
        found.sort();
        assert_eq!(found, expected, "{choice:?}");
    });
}

#[test]
fn below_some_nodes_are_the_containers_that_have_one_of_them_above() {
    for seed in 0..SEEDS {
        let plain = Plain::random(seed);
        let containers = &plain.catalog.containers;
        let window = Window::ALL;
        let whole = Scope::new(&plain.store, &Lens::clear(), window).expect("a clear lens fits");
        let chosen = ContainerId((seed % plain.n_containers() as u64) as u32);
        let node = whole.hierarchy().node_of(chosen).expect("every container has a node");
        let scope = whole.below(&[node]);
        for id in 0..plain.n_containers() {
            let mut at = ContainerId(id as u32);
            while at != chosen && at != ContainerId::ROOT {
                at = containers.parents[at.index()];
            }
            let id = ContainerId(id as u32);
            assert_eq!(scope.containers().contains(id), at == chosen, "seed {seed}, {id:?}");
            assert_eq!(scope.hierarchy().node_of(id).is_some(), at == chosen);
        }
    }
}
