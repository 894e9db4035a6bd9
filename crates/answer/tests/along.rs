//! Steps along rows, causes, the critical path and lengths, against lists of everything.

use crate::support;

use std::cmp::Reverse;

use onca_answer::{Along, Diagnosis, Entity, Step, Subject, step_along};
use onca_generate::program::{Options, write};
use onca_model::{ContainerId, Lane, LaneId, Nature, Ticks, ValueId, Window};
use onca_query::{Lens, NodeId, Scope};
use onca_testkit::fixtures::trace;
use support::Stored;
use support::both::{Both, Look, rng};

fn lane_of(scope: &Scope<'_>, container: &[u8], nature: Nature) -> LaneId {
    let catalog = scope.catalog();
    let is_its = |lane: &Lane| {
        catalog.containers.names.get(lane.container.index()) == container
            && catalog.type_def(lane.type_id).nature == nature
    };
    LaneId(catalog.lanes.iter().position(is_its).expect("a lane") as u32)
}

#[test]
fn a_late_sender_is_found_and_leads_back() {
    // `a` sends at 3 s to `b`, which receives from 1 s on, until 5 s.
    let text = trace(
        "13 0 S a computing\n13 0 S b computing\n14 1 S b\n13 1 S b MPI_Recv\n14 3 S a\n\
         13 3 S a MPI_Send\n16 3 L 0 a m k\n14 4 S a\n17 5 L 0 b m k\n14 5 S b\n",
    );
    let stored = Stored::new(text.as_bytes());
    let lens = Lens::clear();
    let scope = stored.scope(&lens, stored.whole());
    let (a, b) = (lane_of(&scope, b"A", Nature::State), lane_of(&scope, b"B", Nature::State));
    let (link_lane, _) = scope.link_lanes().next().expect("a lane of links");
    let [computes, sends] = [0, 1].map(|row| Subject::Entity(a, row));
    let [early, receives] = [0, 1].map(|row| Subject::Entity(b, row));
    let link = Subject::Entity(link_lane, 0);
    let go = |from, way| step_along(&scope, Some(from), Along::Cause, way).expect("a step");
    // It received late because `a` computed so long.
    assert_eq!(go(receives, Step::Back), Some(computes));
    assert_eq!(go(computes, Step::Forward), Some(receives));
    // The message leads from state to state, and back.
    assert_eq!(go(sends, Step::Forward), Some(link));
    assert_eq!(go(link, Step::Forward), Some(receives));
    assert_eq!(go(link, Step::Back), Some(sends));
    assert_eq!((go(early, Step::Back), go(early, Step::Forward)), (None, None));
    assert_eq!(go(computes, Step::Back), None);
}

#[test]
fn without_waits_the_last_message_to_come_is_the_cause() {
    let text = trace(
        "13 0 S a one\n13 0 S b two\n16 1 L 0 a m k\n17 2 L 0 b m k\n16 3 L 0 a m j\n17 4 L 0 b m j\n\
         14 5 S a\n14 5 S b\n",
    );
    let stored = Stored::new(text.as_bytes());
    let lens = Lens::clear();
    let scope = stored.scope(&lens, stored.whole());
    let (a, b) = (lane_of(&scope, b"A", Nature::State), lane_of(&scope, b"B", Nature::State));
    let (links, _) = scope.link_lanes().next().expect("a lane of links");
    let go = |from, way| step_along(&scope, Some(from), Along::Cause, way).expect("a step");
    assert_eq!(go(Subject::Entity(b, 0), Step::Back), Some(Subject::Entity(links, 1)));
    assert_eq!(go(Subject::Entity(a, 0), Step::Forward), Some(Subject::Entity(links, 0)));
}

fn time_of(scope: &Scope<'_>, subject: Subject) -> (ContainerId, Ticks, Ticks) {
    let Subject::Entity(lane, row) = subject else { panic!("{subject:?}") };
    let entity = Entity::read(scope.store(), lane, row).expect("an entity");
    (entity.container.expect("a container"), entity.start, entity.end)
}

#[test]
fn the_critical_path_is_followed_from_end_to_end() {
    let mut n_steps = 0;
    for seed in 0..8 {
        let options =
            Options { procs: 2 + (seed % 9) as u32, steps: 20, compute_ticks: 10_000, seed };
        let mut text = Vec::new();
        write(&options, &mut text).expect("a trace");
        let stored = Stored::new(&text);
        let lens = Lens::clear();
        let scope = stored.scope(&lens, stored.whole());
        let path = &Diagnosis::of(&stored.store).expect("a diagnosis").path;
        for way in [Step::Forward, Step::Back] {
            let mut at = None;
            let mut last: Option<usize> = None;
            while let Some(next) = step_along(&scope, at, Along::Path, way).expect("a step") {
                let (container, start, end) = time_of(&scope, next);
                let is_here = |place: &usize| {
                    let step = &path[*place];
                    step.container == container
                        && start <= step.window.from
                        && step.window.from < end
                };
                // Some step of the path begins in the state, beyond the last one.
                let place = match way {
                    Step::Forward => (last.map_or(0, |at| at + 1)..path.len()).find(is_here),
                    Step::Back => (0..last.unwrap_or(path.len())).rev().find(is_here),
                };
                last = Some(place.unwrap_or_else(|| panic!("seed {seed}, {next:?}, {last:?}")));
                n_steps += 1;
                at = Some(next);
            }
            assert!(at.is_some(), "seed {seed}");
        }
    }
    assert!(n_steps > 50, "{n_steps}");
}

#[test]
fn lengths_lead_through_all_of_a_value() {
    for seed in 0..20 {
        let mut rng = rng(seed);
        let both = Both::random(&mut rng);
        let look = Look::everything(&both);
        let scope = look.scope(&both);
        for (id, value) in scope.catalog().values.iter().enumerate() {
            let mut lengths: Vec<Ticks> = match scope.catalog().type_def(value.type_id).nature {
                Nature::State => {
                    let states = both.trace.states.iter();
                    let is_it = |name: &str| name.as_bytes() == &value.name[..];
                    states
                        .filter(|state| is_it(&both.value(state.value)))
                        .map(|state| state.end - state.start)
                        .collect()
                }
                _ => continue,
            };
            lengths.sort_by_key(|length| Reverse(*length));
            let mut at = Subject::Value(ValueId(id as u32));
            let mut found = Vec::new();
            let mut visited = Vec::new();
            while let Some(next) =
                step_along(&scope, Some(at), Along::Length, Step::Forward).expect("a step")
            {
                let (_, start, end) = time_of(&scope, next);
                found.push(end - start);
                visited.push(next);
                at = next;
            }
            assert_eq!(found, lengths, "seed {seed}");
            for pair in visited.windows(2) {
                let back = step_along(&scope, Some(pair[1]), Along::Length, Step::Back);
                assert_eq!(back.expect("a step"), Some(pair[0]));
            }
        }
    }
}

#[test]
fn a_row_leads_to_its_first_and_last_state() {
    let text = trace("12 1 S a one\n12 2 S a two\n12 4 S a three\n8 6 P a\n8 6 P b\n");
    let stored = Stored::new(text.as_bytes());
    let lens = Lens::clear();
    let second = 1_000_000_000;
    let lane = |scope: &Scope<'_>| lane_of(scope, b"A", Nature::State);
    for (window, first, last) in [
        (stored.whole(), 0, 2),
        // Nothing is at the border.
        (Window::new(0, 3 * second), 0, 1),
        (Window::new(3 * second, 6 * second), 1, 2),
    ] {
        let scope = stored.scope(&lens, window);
        let node = scope.hierarchy().nodes().find(|node| scope.name(*node) == b"A").expect("a row");
        let go =
            |way| step_along(&scope, Some(Subject::Node(node)), Along::Row, way).expect("a step");
        assert_eq!(go(Step::Forward), Some(Subject::Entity(lane(&scope), first)), "{window:?}");
        assert_eq!(go(Step::Back), Some(Subject::Entity(lane(&scope), last)), "{window:?}");
        let nowhere = Some(Subject::Node(NodeId(99)));
        assert_eq!(step_along(&scope, nowhere, Along::Row, Step::Back).expect("no step"), None);
    }
}
