//! What is told of an entity, a node or a column against plain lists of everything in a store.

use crate::support;

use std::collections::BTreeMap;

use onca_answer::inspect::{Direction, Kind};
use onca_answer::{Entity, Inspection, Step, Subject, inspect, inspect_row, step};
use onca_model::{ContainerId, LaneId, Nature, StateRow, Ticks, ValueId, Window};
use onca_query::{Appearance, Lens, NodeId, Scope};
use onca_store::Store;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use support::{Stored, both, writer};

/// The states of a lane: row, state, row of the one around it.
type LaneStates = Vec<(u64, StateRow, Option<u64>)>;

/// A link: lane, row, begin, end, source, destination, value.
struct PlainLink {
    subject: Subject,
    start: Ticks,
    end: Ticks,
    source: Option<ContainerId>,
    destination: Option<ContainerId>,
    value: ValueId,
}

/// Everything in a store.
struct All {
    states: BTreeMap<LaneId, LaneStates>,
    events: BTreeMap<LaneId, Vec<(u64, Ticks, ValueId)>>,
    links: Vec<PlainLink>,
    looks: Appearance,
}

impl All {
    fn of(store: &Store) -> Self {
        let (states, events, links) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        let mut all = Self { states, events, links, looks: looks(store) };
        for (id, lane) in store.catalog().lanes.iter().enumerate() {
            let id = LaneId(id as u32);
            match store.catalog().type_def(lane.type_id).nature {
                Nature::State => {
                    let states = all.states.entry(id).or_default();
                    store
                        .visit_states(id, Window::ALL, 0, |row, state, around| {
                            states.push((row, *state, around));
                        })
                        .expect("states");
                }
                Nature::Event => {
                    let events = all.events.entry(id).or_default();
                    store
                        .visit_events(id, Window::ALL, |row, event| {
                            events.push((row, event.time, event.value));
                        })
                        .expect("events");
                }
                Nature::Link => store
                    .visit_links(id, Window::ALL, None, 0, |row, link| {
                        all.links.push(PlainLink {
                            subject: Subject::Entity(id, row),
                            start: link.start,
                            end: link.end,
                            source: link.source,
                            destination: link.destination,
                            value: link.value,
                        });
                    })
                    .expect("links"),
                _ => {}
            }
        }
        all
    }

    /// The lane of a track that is deeper by so much.
    fn lane_at(&self, store: &Store, lane: LaneId, deeper: i32) -> Option<LaneId> {
        let own = store.catalog().lane(lane);
        let depth = i32::from(own.depth) + deeper;
        let lanes = store.catalog().lanes.iter();
        let place = lanes.clone().position(|other| {
            (other.container, other.type_id) == (own.container, own.type_id)
                && i32::from(other.depth) == depth
        });
        place.map(|place| LaneId(place as u32))
    }
}

fn looks(store: &Store) -> Appearance {
    Appearance::new(store.catalog(), &Lens::clear(), None).expect("no colours to refuse")
}

/// What is told of a subject in a small trace.
fn inspected(scope: &Scope<'_>, subject: Subject) -> Inspection {
    inspect(scope, &looks(scope.store()), subject, None).expect("an inspection")
}

/// What is told of an entity.
fn entity_of(all: &All, scope: &Scope<'_>, lane: LaneId, row: u64) -> Inspection {
    inspect(scope, &all.looks, Subject::Entity(lane, row), None).expect("an inspection")
}

/// Calls `check` with random traces seen as they are and through a lens.
fn for_random_scopes(check: impl Fn(&All, &Scope<'_>, &mut ChaCha8Rng)) {
    let hiding = r#"{"version": 1, "select": {"values": {"hide": ["w*"]}, "min_duration": "5ms"}}"#;
    let hiding = Lens::from_json(hiding).expect("a lens");
    for seed in 0..16 {
        let trace = match seed % 2 {
            0 => onca_testkit::random::trace(seed),
            _ => writer::trace(seed).into_bytes(),
        };
        let stored = Stored::new(&trace);
        let all = All::of(&stored.store);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for lens in [&Lens::clear(), &hiding] {
            let scope = Scope::new(&stored.store, lens, stored.whole());
            // Random traces have values that no pattern fits.
            let Ok(scope) = scope else { continue };
            check(&all, &scope, &mut rng);
        }
    }
}

fn some<T: Copy>(rng: &mut ChaCha8Rng, all: &[T], n: usize) -> Vec<T> {
    match all {
        [] => Vec::new(),
        all => (0..n).map(|_| all[rng.random_range(0..all.len())]).collect(),
    }
}

#[test]
fn nesting_is_that_of_the_rows() {
    for_random_scopes(|all, scope, rng| {
        let store = scope.store();
        for (&lane, states) in &all.states {
            for (row, state, around) in some(rng, states, 4) {
                let found = entity_of(all, scope, lane, row);
                assert_eq!((found.start, found.end), (Some(state.start), Some(state.end)));
                let mut outer = Vec::new();
                let (mut at, mut above) = (lane, around);
                while let Some(row) = above {
                    at = all.lane_at(store, at, -1).expect("an outer lane");
                    let (_, state, next) = all.states[&at][row as usize];
                    if scope.sees_state(&state) {
                        outer.insert(0, (at, row, state.start, state.end, false));
                    }
                    above = next;
                }
                if let Some(inner) = all.lane_at(store, lane, 1) {
                    let inside = all.states[&inner].iter().filter(|(_, _, on)| *on == Some(row));
                    let seen = inside.filter(|(_, state, _)| scope.sees_state(state));
                    outer.extend(seen.map(|(row, s, _)| (inner, *row, s.start, s.end, true)));
                }
                let nesting =
                    found.nesting.iter().map(|n| (n.lane, n.row, n.start, n.end, n.inside));
                assert_eq!(nesting.collect::<Vec<_>>(), outer);
                assert_eq!(found.inside_left_out, 0);
            }
        }
    });
}

#[test]
fn links_are_those_that_begin_or_end_during_a_state() {
    for_random_scopes(|all, scope, rng| {
        let store = scope.store();
        for (&lane, states) in &all.states {
            let container = Some(store.catalog().lane(lane).container);
            for (row, state, _) in some(rng, states, 4) {
                let during = |time: Ticks| state.start <= time && time <= state.end;
                let mut expected = Vec::new();
                for link in &all.links {
                    let seen_end = |end: Option<ContainerId>| {
                        end.is_none_or(|id| scope.containers().contains(id))
                    };
                    let long = link.end.saturating_sub(link.start) >= scope.min_duration();
                    let seen = scope.sees_value(link.value)
                        && seen_end(link.source)
                        && seen_end(link.destination)
                        && (scope.min_duration() == 0 || long);
                    let out = link.source == container && during(link.start);
                    let into = link.destination == container && during(link.end);
                    if seen && (out || into) {
                        let direction = if out { Direction::Out } else { Direction::In };
                        expected.push((link.start, link.end, link.subject, direction));
                    }
                }
                expected.sort_by_key(|(start, end, subject, _)| (*start, *end, *subject));
                let found = entity_of(all, scope, lane, row);
                let links: Vec<_> = found
                    .links
                    .iter()
                    .map(|l| (l.start, l.end, Subject::Entity(l.lane, l.row), l.direction))
                    .collect();
                assert_eq!(found.links_left_out, expected.len().saturating_sub(100) as u64);
                expected.truncate(100);
                assert_eq!(links, expected);
            }
        }
    });
}

#[test]
fn statistics_of_a_value_are_those_of_its_states() {
    for_random_scopes(|all, scope, rng| {
        let store = scope.store();
        let window = scope.window();
        for (&lane, states) in &all.states {
            let own = store.catalog().lane(lane);
            let track: Vec<StateRow> = all
                .states
                .iter()
                .filter(|(other, _)| {
                    let other = store.catalog().lane(**other);
                    (other.container, other.type_id) == (own.container, own.type_id)
                })
                .flat_map(|(_, states)| states.iter().map(|(_, state, _)| *state))
                .filter(|state| scope.sees_state(state) && window.touches(state.start, state.end))
                .collect();
            for (row, state, _) in some(rng, states, 2) {
                let same: Vec<&StateRow> =
                    track.iter().filter(|s| s.value == state.value).collect();
                let durations: Vec<Ticks> = same.iter().map(|s| s.end - s.start).collect();
                let found = entity_of(all, scope, lane, row).same_value.expect("a value");
                assert_eq!(found.count, same.len() as u64);
                let total: Ticks = same.iter().map(|s| window.overlap(s.start, s.end)).sum();
                assert_eq!(found.total, i128::from(total));
                assert_eq!(found.min, durations.iter().copied().min());
                assert_eq!(found.max, durations.iter().copied().max());
                let covered = |states: &[&StateRow]| -> Ticks {
                    let times = states.iter().flat_map(|s| [s.start, s.end]);
                    let mut times: Vec<Ticks> =
                        times.map(|time| time.clamp(window.from, window.to)).collect();
                    times.sort_unstable();
                    let inside = |pair: &&[Ticks]| {
                        states.iter().any(|s| s.start <= pair[0] && pair[1] <= s.end)
                    };
                    times.windows(2).filter(inside).map(|pair| pair[1] - pair[0]).sum()
                };
                let of_all = covered(&track.iter().collect::<Vec<_>>());
                let share = (of_all > 0).then(|| covered(&same) as f64 / of_all as f64);
                assert_eq!(found.share, share);
            }
        }
    });
}

#[test]
fn a_step_leads_to_the_next_seen_row() {
    for_random_scopes(|all, scope, rng| {
        for (&lane, states) in &all.states {
            let seen = |place: Option<&(u64, StateRow, Option<u64>)>| place.map(|(row, ..)| *row);
            for (row, ..) in some(rng, states, 4) {
                let (before, after) = states.split_at(row as usize);
                let is_seen = |state: &&(u64, StateRow, Option<u64>)| scope.sees_state(&state.1);
                let back = seen(before.iter().rfind(is_seen));
                let forward = seen(after[1..].iter().find(is_seen));
                assert_eq!(step(scope, lane, row, Step::Back).expect("a step"), back);
                assert_eq!(step(scope, lane, row, Step::Forward).expect("a step"), forward);
            }
        }
        for (&lane, events) in &all.events {
            for (row, time, value) in some(rng, events, 2) {
                let next = events.iter().find(|(at, _, v)| *at > row && scope.sees_value(*v));
                let forward = step(scope, lane, row, Step::Forward).expect("a step");
                assert_eq!(forward, next.map(|(row, ..)| *row));
                let entity = Entity::read(scope.store(), lane, row).expect("an event");
                assert_eq!((entity.start, entity.end, entity.value), (time, time, Some(value)));
            }
        }
    });
}

#[test]
fn a_column_has_the_exact_shares_of_all_below_its_nodes() {
    for_random_scopes(|all, scope, rng| {
        let store = scope.store();
        let whole = scope.window();
        if whole.from >= whole.to {
            return;
        }
        let at = rng.random_range(whole.from..whole.to);
        let span = rng.random_range(1..=whole.to - at);
        let window = Window::new(at, at + span);
        let nodes: Vec<NodeId> = scope.hierarchy().nodes().collect();
        // One may lie below another: then nothing counts twice.
        for n_nodes in [1, 1, 3] {
            let row = some(rng, &nodes, n_nodes);
            let below = |container: ContainerId| {
                let mut at = scope.hierarchy().node_of(container);
                while at.is_some_and(|at| !row.contains(&at) && at != NodeId::ROOT) {
                    at = at.map(|at| scope.hierarchy().parent(at));
                }
                at.is_some_and(|at| row.contains(&at))
            };
            let mut ticks: BTreeMap<ValueId, Ticks> = BTreeMap::new();
            for (&lane, states) in &all.states {
                if !below(store.catalog().lane(lane).container) {
                    continue;
                }
                let outer = all.lane_at(store, lane, -1).map(|outer| &all.states[&outer]);
                for (_, state, around) in states {
                    let time = window.overlap(state.start, state.end);
                    if scope.sees_state(state) {
                        *ticks.entry(state.value).or_default() += time;
                    }
                    let around = outer.zip(*around).map(|(outer, row)| outer[row as usize].1);
                    if let Some(around) = around.filter(|around| scope.sees_state(around)) {
                        *ticks.entry(around.value).or_default() -= time;
                    }
                }
            }
            ticks.retain(|_, ticks| *ticks != 0);
            let found = match row.as_slice() {
                [node] => inspect(scope, &all.looks, Subject::Node(*node), Some((at, span))),
                _ => inspect_row(scope, &all.looks, &row, (at, span)),
            };
            let found = found.expect("shares");
            assert_eq!(
                (found.kind, found.start, found.end),
                (Kind::Aggregate, Some(at), Some(at + span))
            );
            assert!(found.shares.windows(2).all(|pair| pair[0].ticks >= pair[1].ticks));
            let shown = found.shares.iter().filter(|share| share.ticks != 0);
            let shown: BTreeMap<ValueId, Ticks> = shown.map(|s| (s.value, s.ticks)).collect();
            assert_eq!(shown, ticks);
            let sum: f64 = found.shares.iter().map(|share| share.share).sum();
            assert!(ticks.is_empty() || (sum - 1.0).abs() < 1e-9);
        }
    });
}

#[test]
fn a_row_of_several_containers_tells_which() {
    let ranks: String = (0..12).map(|n| format!("7 0 r{n} P 0 rank-{n}\n")).collect();
    let runs: String = (0..12).map(|n| format!("13 0 S r{n} run\n")).collect();
    let ends: String = (0..12).map(|n| format!("14 2 S r{n}\n")).collect();
    let text = both::header() + "1 P 0 Rank\n2 S P STATE\n" + &ranks + &runs + &ends;
    let stored = Stored::new(text.as_bytes());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let looks = looks(scope.store());
    let ranks = scope.hierarchy().children(NodeId::ROOT);
    let second = i64::try_from(scope.catalog().facts.unit.ticks_per_unit).expect("ticks");
    let row = |nodes: &[NodeId]| inspect_row(&scope, &looks, nodes, (0, second)).expect("a row");
    let two = row(&ranks[..2]);
    assert_eq!(two.title, "2 rows");
    assert_eq!(two.place.and_then(|place| place.path).as_deref(), Some("/"));
    let containers = |text: &str| vec![("containers".to_owned(), text.to_owned())];
    assert_eq!(two.fields, containers("2: rank-0, rank-1"));
    assert_eq!(two.shares[0].ticks, 2 * second);
    let many = "10: rank-1, rank-2, rank-3, rank-4, rank-5, rank-6, rank-7, rank-8 and 2 more";
    assert_eq!(row(&ranks[1..11]).fields, containers(many));
    let all = row(&[NodeId::ROOT]);
    assert!(all.fields[0].1.starts_with("12: rank-0, "), "{:?}", all.fields);
    assert_eq!(all.shares[0].ticks, 12 * second);
    assert_eq!(row(&ranks[3..4]).fields, []);
    assert!(inspect_row(&scope, &looks, &[NodeId(99)], (0, second)).is_err());
}

/// A trace whose states have a file, a line and a lock.
fn locked() -> Stored {
    let fields = ["Time", "Type", "Container", "Value", "File", "Line", "Lock"];
    let text = both::header()
        + &onca_testkit::fixtures::block("30", "PajePushState", &fields)
        + "1 P 0 Rank\n2 S P STATE\n5 L 0 P P LINK\n\
           7 1 a P 0 a\n7 1 b P 0 b\n7 1 m P 0 mutex7\n\
           13 1 S a run\n30 2 S a hold main.c 9 mutex7\n30 3 S b wait work.c 12 mutex7\n\
           16 4 L 0 a data k\n17 5 L 0 b data k\n14 6 S a\n14 7 S b\n\
           30 8 S b hold work.c 14 mutex7\n14 9 S b\n14 9 S a\n";
    Stored::new(text.as_bytes())
}

/// The state of a rank with this value.
fn state(stored: &Stored, rank: &str, value: &str) -> Subject {
    let catalog = stored.store.catalog();
    for (lane, states) in &All::of(&stored.store).states {
        let container = catalog.lane(*lane).container;
        let is_it = |state: &StateRow| catalog.value(state.value).name == value.as_bytes();
        if catalog.containers.names.get(container.index()) == rank.as_bytes()
            && let Some((row, ..)) = states.iter().find(|(_, state, _)| is_it(state))
        {
            return Subject::Entity(*lane, *row);
        }
    }
    panic!("no state {value} of {rank}");
}

#[test]
fn who_waits_is_related_to_who_holds() {
    let stored = locked();
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let found = inspected(&scope, state(&stored, "b", "wait"));
    let source = found.source.expect("a line of source");
    assert_eq!((source.file.as_str(), source.line), ("work.c", 12));
    let node = scope.hierarchy().nodes().find(|node| scope.name(*node) == b"mutex7");
    let link = Subject::Entity(found.links[0].lane, found.links[0].row);
    let expected = [link, Subject::Node(node.expect("the lock")), state(&stored, "a", "hold")];
    assert_eq!(found.related, expected);
    assert_eq!(found.links[0].direction, Direction::In);
}

/// A thread waits at a semaphore, which has states, from 2 to 5; it is freed at 4. Another one
/// waits later, and one is in the same state without a semaphore.
#[test]
fn a_thread_that_waits_is_related_to_the_state_of_the_semaphore() {
    let fields = ["Time", "Type", "Container", "Value", "Semaphore"];
    let text = both::header()
        + &onca_testkit::fixtures::block("30", "PajePushState", &fields)
        + "1 P 0 Thread\n1 M 0 Semaphore\n2 S P STATE\n2 G M GATE\n5 L 0 M P FREES\n\
           7 0 t P 0 t\n7 0 u P 0 u\n7 0 v P 0 v\n7 0 s M 0 sem\n\
           13 0 G s open\n13 0 S v blocked\n30 2 S t blocked sem\n14 2 G s\n13 2 G s contended\n\
           14 4 G s\n13 4 G s shut\n16 4 L 0 s data k\n17 5 L 0 t data k\n14 5 S t\n13 5 S t run\n\
           30 6 S u blocked sem\n14 7 S u\n14 9 S t\n14 9 G s\n14 9 S v\n";
    let stored = Stored::new(text.as_bytes());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let (waits, contended) = (state(&stored, "t", "blocked"), state(&stored, "sem", "contended"));
    let of_thread = inspected(&scope, waits);
    let link = Subject::Entity(of_thread.links[0].lane, of_thread.links[0].row);
    assert_eq!(of_thread.related, [link, contended]);
    let of_semaphore = inspected(&scope, contended);
    assert!(of_semaphore.related.contains(&waits));
    assert!(of_semaphore.related.iter().all(|one| [link, waits].contains(one)));
    assert_eq!(inspected(&scope, link).related, [contended, waits]);
    let later = inspected(&scope, state(&stored, "u", "blocked"));
    assert_eq!(later.related, [state(&stored, "sem", "shut")]);
}

#[test]
fn a_link_tells_of_both_its_ends() {
    let stored = locked();
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let link = inspected(&scope, state(&stored, "a", "hold")).links[0].clone();
    let found = inspected(&scope, Subject::Entity(link.lane, link.row));
    assert_eq!(found.related, [state(&stored, "a", "hold"), state(&stored, "b", "wait")]);
    let json = found.json(|subject| format!("{subject:?}"));
    let json = serde_json::to_value(json).expect("JSON");
    assert_eq!(json["kind"], json!("link"));
    assert_eq!((&json["path"], &json["destination_path"]), (&json!("/a"), &json!("/b")));
    // The trace begins at 1.
    assert_eq!(
        (&json["start"], &json["end"]),
        (&json!(3_000_000_000u64), &json!(4_000_000_000u64))
    );
    let fields = json["fields"].as_array().expect("a list");
    assert!(fields.contains(&json!({"name": "key", "text": "k"})), "{fields:?}");
}

#[test]
fn what_is_not_there_is_refused() {
    let stored = locked();
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let looks = looks(&stored.store);
    for subject in [
        Subject::Entity(LaneId(77), 0),
        Subject::Entity(LaneId(0), 1 << 40),
        Subject::Node(NodeId(99)),
        Subject::Value(ValueId(99)),
        Subject::Share(NodeId(99), ValueId(0)),
    ] {
        let error = inspect(&scope, &looks, subject, None).expect_err("nothing").to_string();
        assert!(error.starts_with("there is no"), "{error}");
    }
    assert!(step(&scope, LaneId(77), 0, Step::Back).is_err());
}

#[test]
fn a_value_and_a_container_tell_of_themselves() {
    let stored = locked();
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let catalog = stored.store.catalog();
    let hold = catalog.values.iter().position(|value| value.name == b"hold").expect("a value");
    let value = inspected(&scope, Subject::Value(ValueId(hold as u32)));
    let same = value.same_value.expect("how much of it there is");
    assert_eq!((value.title.as_str(), same.count, same.total), ("hold", 2, 5_000_000_000));
    let node = scope.hierarchy().nodes().find(|node| scope.name(*node) == b"a").expect("a node");
    let of_a = inspected(&scope, Subject::Share(node, ValueId(hold as u32)));
    assert_eq!(of_a.same_value.map(|same| (same.count, same.total)), Some((1, 4_000_000_000)));
    let container = inspected(&scope, Subject::Node(node));
    let container = serde_json::to_value(container.json(|_| String::new())).expect("JSON");
    assert_eq!((&container["kind"], &container["container"]), (&json!("container"), &json!("a")));
    assert_eq!((&container["start"], &container["end"]), (&json!(0), &json!(8_000_000_000u64)));
}
