//! Phases of communication: known patterns are found again without being told, and every message counts once.

use crate::support;

use std::collections::BTreeMap;
use std::sync::Arc;

use onca_answer::Level;
use onca_answer::phases::{
    CollectiveChoice, Communication, MessageSize, Part, Phase, PhaseSpec, PhasesAnswer,
};
use onca_model::{LinkRow, Window};
use onca_query::{Lens, NodeId, Scope};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::{Stored, writer};

/// Messages as a table: source, destination, start in microseconds, bytes. Each takes 40 µs.
#[derive(Default)]
struct Table {
    text: String,
}

impl Table {
    fn send(&mut self, from: usize, to: usize, start: u64, bytes: u64) {
        let seconds = |time: u64| format!("{}.{:06}", time / 1_000_000, time % 1_000_000);
        let (start, end) = (seconds(start), seconds(start + 40));
        self.text += &format!("p{from},p{to},{start},{end},{bytes}\n");
    }

    /// Everybody sends to where `to` says, a little after each other.
    fn round(&mut self, n: usize, start: u64, bytes: u64, to: impl Fn(usize) -> usize) {
        (0..n).for_each(|from| self.send(from, to(from), start + (from * 7 % 13) as u64, bytes));
    }

    fn read(&self) -> Communication<'static> {
        Communication::from_csv(&self.text, &PhaseSpec::default()).expect("messages")
    }

    fn phases(&self) -> PhasesAnswer {
        self.read().phases(None, None).expect("phases")
    }
}

/// In stage `s`, everybody exchanges with the one whose number differs in bit `s`.
fn binary_swap(n: usize) -> Table {
    let mut table = Table::default();
    for stage in 0..n.ilog2() {
        let start = u64::from(stage) * 2000;
        table.round(n, start, 4096 >> stage, |from| from ^ (1 << stage));
    }
    table
}

#[test]
fn binary_swap_is_recovered() {
    for n in [8, 64] {
        let answer = binary_swap(n).phases();
        assert_eq!(answer.phases.len(), n.ilog2() as usize);
        for (stage, communities) in answer.communities.iter().enumerate() {
            assert_eq!(communities.len(), n / 2);
            for pair in communities {
                assert_eq!(pair.len(), 2);
                assert_eq!(pair[0] ^ pair[1], 1 << stage);
            }
            let phase = &answer.phases[stage];
            assert_eq!(phase.totals.messages, n as u64);
            assert_eq!(phase.totals.size, n as u64 * (4096 >> stage));
            assert_eq!(phase.label, stage);
        }
        assert_eq!(answer.repetition, None);
    }
}

/// 12 processes: groups of three that exchange all with all, then two stages of pairs.
#[test]
fn swaps_of_two_and_three_are_recovered() {
    let mut table = Table::default();
    table.round(12, 0, 900, |from| from / 3 * 3 + (from + 1) % 3);
    table.round(12, 3, 900, |from| from / 3 * 3 + (from + 2) % 3);
    table.round(12, 3000, 900, |from| (from + 3) % 6 + from / 6 * 6);
    table.round(12, 6000, 900, |from| (from + 6) % 12);
    let answer = table.phases();
    let sizes: Vec<Vec<usize>> =
        answer.communities.iter().map(|phase| phase.iter().map(Vec::len).collect()).collect();
    assert_eq!(sizes, [vec![3; 4], vec![2; 6], vec![2; 6]]);
    assert_eq!(answer.communities[0][1], [3, 4, 5]);
    assert_eq!(answer.communities[1][0], [0, 3]);
    assert_eq!(answer.communities[2][0], [0, 6]);
}

#[test]
fn an_exchange_with_neighbours_is_flat_and_periodic() {
    let mut table = Table::default();
    for iteration in 0..12 {
        let start = iteration * 5000 + if iteration > 7 { 4000 } else { 0 };
        table.round(16, start, 1000, |from| (from + 1) % 16);
        table.round(16, start, 1000, |from| (from + 15) % 16);
    }
    let answer = table.phases();
    assert_eq!(answer.phases.len(), 12);
    assert!(answer.curve.heights.iter().all(|&height| height == 0.0));
    let repetition = answer.repetition.expect("iterations");
    assert_eq!((repetition.period.phases, repetition.iterations.len()), (1, 12));
    assert_eq!(repetition.usual_length, 5e6);
    let odd: Vec<usize> = (0..12).filter(|&at| repetition.iterations[at].odd_length).collect();
    assert_eq!(odd, [7]);
    assert_eq!(repetition.iterations[7].length, Some(9_000_000));
    assert_eq!(repetition.iterations[11].length, None);
}

/// A simulation exchanges with neighbours, five times; then pairs of halves pass on what is to be shown, twice; all three times.
#[test]
fn a_pipeline_of_two_patterns_has_long_and_short_flat_sections() {
    let mut table = Table::default();
    for cycle in 0..3 {
        for step in 0..7 {
            let start = (cycle * 7 + step) * 3000;
            match step < 5 {
                true => table.round(8, start, 500, |from| from ^ 1),
                false => table.round(8, start, 9000, |from| (from + 4) % 8),
            }
        }
    }
    let answer = table.phases();
    let runs = answer.curve.heights.chunk_by(|one, other| one == other);
    let lengths: Vec<usize> = runs.clone().map(<[f64]>::len).collect();
    assert_eq!(lengths, [5, 2, 5, 2, 5, 2]);
    let levels: Vec<f64> = runs.map(|run| run[0]).collect();
    assert!(levels[0] == 0.0 && levels[1] > 0.5);
    assert!((0..6).all(|at| levels[at] == levels[at % 2]), "{levels:?}");
    let repetition = answer.repetition.expect("cycles");
    assert_eq!((repetition.period.phases, repetition.iterations.len()), (7, 3));
    assert_eq!(repetition.labels, [0, 0, 0, 0, 0, 1, 1]);
}

#[test]
fn no_message_one_message_and_all_at_once() {
    let none = Table::default().read();
    let answer = none.phases(None, None).expect("an answer");
    assert!(answer.phases.is_empty() && answer.curve.heights.is_empty());
    let json = serde_json::to_value(none.json(&answer, true)).expect("JSON");
    assert!(json["phases"].as_array().is_some_and(Vec::is_empty));
    let mut table = Table::default();
    table.send(3, 3, 50, 7);
    let answer = table.phases();
    assert_eq!(answer.communities, [vec![vec![0]]]);
    assert_eq!((answer.phases[0].totals.to_self, answer.phases[0].totals.size), (1, 7));
    let mut table = Table::default();
    (0..6).for_each(|at| table.send(at, (at + 1) % 6, 100, 0));
    for wanted in [None, Some(4)] {
        let answer = table.read().phases(wanted, None).expect("phases");
        assert_eq!(answer.phases.len(), 1);
        assert_eq!(answer.phases[0].active.len(), 6);
        // Empty messages tell who talks with whom all the same.
        assert!(answer.communities[0].iter().all(|community| community.len() > 1));
    }
}

#[test]
fn every_message_counts_once_whatever_the_number_of_phases() {
    for seed in 0..30 {
        let mut dice = ChaCha8Rng::seed_from_u64(seed);
        let mut table = Table::default();
        let n = dice.random_range(1..200);
        let mut size = 0;
        for _ in 0..n {
            let bytes = dice.random_range(0..1000);
            size += bytes;
            let (from, to) = (dice.random_range(0..10), dice.random_range(0..10));
            table.send(from, to, dice.random_range(0..5000), bytes);
        }
        let communication = table.read();
        for wanted in [1, 2, 7, 1000] {
            for n_communities in [None, Some(1), Some(3)] {
                let answer = communication.phases(Some(wanted), n_communities).expect("phases");
                let totals = answer.phases.iter().map(|phase| phase.totals);
                assert_eq!(totals.clone().map(|of| of.messages).sum::<u64>(), n);
                assert_eq!(totals.map(|of| of.size).sum::<u64>(), size);
                for (phase, communities) in answer.phases.iter().zip(&answer.communities) {
                    let flows = phase.flows(communities);
                    assert_eq!(
                        flows.iter().map(|flow| flow.count).sum::<u64>(),
                        phase.totals.messages
                    );
                    assert_eq!(
                        flows.iter().map(|flow| flow.weight).sum::<u64>(),
                        phase.totals.size
                    );
                    let mut members: Vec<u32> = communities.iter().flatten().copied().collect();
                    members.sort_unstable();
                    assert_eq!(members, phase.active);
                }
                let touch = |pair: &[Phase]| pair[0].window.to == pair[1].window.from;
                assert!(answer.phases.windows(2).all(touch));
            }
        }
    }
}

/// The links of a trace, looked at one by one.
#[test]
fn links_of_a_trace_are_its_messages() {
    for seed in 0..12 {
        let stored = Stored::new(writer::trace(seed).as_bytes());
        let whole = stored.whole();
        let middle = (whole.from + whole.to) / 2;
        for window in [whole, Window::new(whole.from, middle)] {
            let scope = stored.scope(&Lens::clear(), window);
            let (mut count, mut size, mut halves) = (0, 0, 0);
            let mut sums: BTreeMap<i64, u64> = BTreeMap::new();
            for (lane, _) in scope.link_lanes() {
                let visit = |_, link: &LinkRow<'_>| {
                    if link.source.is_none() || link.destination.is_none() {
                        halves += 1;
                        return;
                    }
                    count += 1;
                    size += link.size.unwrap_or(0);
                    *sums.entry(link.start + link.end).or_default() += 1;
                };
                scope.visit_links(lane, visit).expect("links");
            }
            let links =
                PhaseSpec { collectives: CollectiveChoice::Without, ..PhaseSpec::default() };
            let found = Communication::new(&scope, &links).expect("messages");
            let totals = &found.totals;
            assert_eq!((totals.messages, totals.size, totals.left_out), (count, size, halves));
            assert_eq!(found.rounding(), 0);
            assert!(found.instants.times.iter().eq(sums.keys()));
            assert!(found.instants.weights.iter().eq(sums.values()));
            let answer = found.phases(Some(3), None).expect("phases");
            assert_eq!(answer.phases.iter().map(|phase| phase.totals.messages).sum::<u64>(), count);
        }
    }
}

const SIZES: &str = "\
1 P 0 Process
5 L 0 P P Message
5 M 0 P P Other
7 0 a P 0 a
7 0 b P 0 b
7 0 c P 0 c
16 1 L 0 a 250 k 1000
17 2 L 0 b 250 k 1000
16 3 L 0 b MPI_Bcast k 2000
17 4 L 0 c MPI_Bcast k 2000
16 5 M 0 c x k 7
17 6 M 0 a x k 7
16 7 L 0 c x alone 9
";

#[test]
fn sizes_types_and_collectives_can_be_chosen() {
    let text = onca_testkit::fixtures::header_with_sizes() + SIZES;
    let stored = Stored::new(text.as_bytes());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let totals = |spec: &PhaseSpec| {
        let found = Communication::new(&scope, spec).expect("messages");
        (found.totals.messages, found.totals.size, found.totals.collective)
    };
    let usual = PhaseSpec::default();
    let chosen = |collectives| PhaseSpec { collectives, ..PhaseSpec::default() };
    assert_eq!(totals(&usual), (3, 3007, 1));
    let sized = |size| PhaseSpec { size, ..PhaseSpec::default() };
    assert_eq!(totals(&sized(MessageSize::Value)), (3, 250, 1));
    assert_eq!(totals(&sized(MessageSize::Ignored)), (3, 0, 1));
    assert_eq!(
        totals(&PhaseSpec { link_types: vec!["Other".to_owned()], ..usual.clone() }),
        (1, 7, 0)
    );
    assert_eq!(totals(&chosen(CollectiveChoice::Without)), (2, 1007, 0));
    assert_eq!(totals(&chosen(CollectiveChoice::Alone)), (1, 2000, 1));
    let named = PhaseSpec { functions: vec!["MPI_*".to_owned()], ..usual.clone() };
    assert_eq!(totals(&named), (1, 2000, 1));
    let whole = PhaseSpec { level: Level::Whole, ..usual.clone() };
    assert_eq!(Communication::new(&scope, &whole).expect("messages").totals.to_self, 3);
    let wrong = sized(MessageSize::Field("Weight".to_owned()));
    let why = Communication::new(&scope, &wrong).err().expect("no such field").to_string();
    assert!(why.contains("no extra field \"Weight\""), "{why}");
}

#[test]
fn json_names_what_there_is() {
    let communication = binary_swap(8).read();
    let answer = communication.phases(None, None).expect("phases");
    let json = |trees| serde_json::to_value(communication.json(&answer, trees)).expect("JSON");
    assert_eq!(json(false).get("merges"), None);
    let json = json(true);
    assert_eq!(json["schema"], "onca-phases/1");
    assert_eq!(json["processors"][7], "p7");
    assert_eq!(json["suggestions"][0]["phases"], 3);
    assert_eq!(json["phases"][1]["communities"][0], serde_json::json!([0, 2]));
    assert_eq!(json["phases"][1]["flows"][0]["weight"], 2 * 2048);
    assert_eq!(json["merges"].as_array().expect("merges").len(), 2);
    assert_eq!(json["phases"][0]["merges"]["merges"].as_array().expect("merges").len(), 7);
    assert!(json["repetition"].is_null());
}

/// Times and traffic of phases, with names for numbers: parts of messages number their processors anew.
fn named(communication: &Communication<'_>, phases: &[Phase]) -> Vec<String> {
    let name = |number: u32| communication.processors[number as usize].name.as_str();
    let times = |phase: &Phase| communication.instants.times[phase.instants.clone()].to_vec();
    let traffic = |phase: &Phase| {
        let all = phase.traffic.iter();
        let mut named: Vec<_> =
            all.map(|one| (name(one.from), name(one.to), one.weight, one.count)).collect();
        named.sort_unstable();
        format!("{named:?}")
    };
    phases.iter().map(|phase| format!("{:?} {}", times(phase), traffic(phase))).collect()
}

#[test]
fn a_phase_on_its_own_unfolds_as_it_does_in_the_whole() {
    for seed in 0..12 {
        let stored = Stored::new(writer::trace(seed).as_bytes());
        let scope = stored.scope(&Lens::clear(), stored.whole());
        let usual = PhaseSpec::default();
        let whole = Communication::new(&scope, &usual).expect("messages");
        let answer = whole.phases(Some(3), None).expect("phases");
        for phase in answer.phases.iter() {
            let middles = whole.middles(&phase.instants);
            let part = Part { middles, ..Part::default() };
            let spec = PhaseSpec { part, ..usual.clone() };
            let alone = Communication::new(&scope, &spec).expect("messages");
            assert_eq!(alone.totals.messages, phase.totals.messages);
            for n in [1, 2, 5] {
                let inside = whole.phases_within(phase.instants.clone(), n, None).expect("phases");
                let unfolded = alone.phases(Some(n), None).expect("phases");
                assert_eq!(named(&whole, &inside.phases), named(&alone, &unfolded.phases));
            }
        }
    }
}

/// Visits the links with two ends that a scope shows.
fn whole_links(scope: &Scope<'_>, mut visit: impl FnMut(u64, NodeId, NodeId, &LinkRow<'_>)) {
    let node = |id| scope.hierarchy().node_of(id).expect("a node");
    for (lane, _) in scope.link_lanes() {
        let each = |row, link: &LinkRow<'_>| {
            if let (Some(from), Some(to)) = (link.source, link.destination) {
                visit(row, node(from), node(to), link);
            }
        };
        scope.visit_links(lane, each).expect("links");
    }
}

#[test]
fn messages_among_some_nodes_are_those_with_both_ends_there() {
    for seed in 0..12 {
        let stored = Stored::new(writer::trace(seed).as_bytes());
        let scope = stored.scope(&Lens::clear(), stored.whole());
        let all = Communication::new(&scope, &PhaseSpec::default()).expect("messages");
        let nodes: Vec<NodeId> =
            all.processors.iter().step_by(2).filter_map(|one| one.node).collect();
        let mut count = 0;
        whole_links(&scope, |_, from, to, _| {
            count += u64::from(nodes.contains(&from) && nodes.contains(&to));
        });
        let part = Part { among: Some(nodes.clone()), ..Part::default() };
        let spec = PhaseSpec { part, ..PhaseSpec::default() };
        let found = Communication::new(&scope, &spec).expect("messages");
        assert_eq!(found.totals.messages, count);
        assert!(found.processors.iter().all(|one| nodes.contains(&one.node.expect("a node"))));
    }
}

#[test]
fn flows_are_made_of_their_messages() {
    for seed in 0..12 {
        let stored = Stored::new(writer::trace(seed).as_bytes());
        let scope = stored.scope(&Lens::clear(), stored.whole());
        let found = Communication::new(&scope, &PhaseSpec::default()).expect("messages");
        let answer = found.phases(Some(3), Some(2)).expect("phases");
        for (at, phase) in answer.phases.iter().enumerate() {
            let communities = &answer.communities[at];
            let nodes = |place: usize| -> Vec<NodeId> {
                let node = |one: &u32| found.processors[*one as usize].node.expect("a node");
                communities[place].iter().map(node).collect()
            };
            for flow in phase.flows(communities) {
                let (senders, receivers) = (nodes(flow.from), nodes(flow.to));
                let mut expected = Vec::new();
                whole_links(&scope, |row, from, to, link| {
                    let sum = link.start + link.end;
                    let times = &found.instants.times[phase.instants.clone()];
                    if times.contains(&sum) && senders.contains(&from) && receivers.contains(&to) {
                        expected.push((link.start, link.end, link.size, link.value, row));
                    }
                });
                expected.sort_by_key(|one| (one.0, one.1));
                let exchange = |limit: usize| {
                    let found = found.exchange(&answer, at, (flow.from, flow.to), limit);
                    found.expect("messages").expect("a flow")
                };
                let told = exchange(1000);
                assert_eq!((told.count, told.size), (flow.count, flow.weight));
                assert_eq!(told.count as usize, expected.len());
                let listed: Vec<_> = told
                    .messages
                    .iter()
                    .map(|one| {
                        let (_, row, value) = one.link.expect("a link");
                        (one.start, one.end, one.size, value, row)
                    })
                    .collect();
                assert_eq!(listed, expected);
                assert_eq!(exchange(2).messages[..], told.messages[..2.min(listed.len())]);
                let count = told.operations.iter().map(|one| one.count).sum::<u64>();
                assert_eq!(count, told.count);
                let sizes: Vec<u64> = expected.iter().filter_map(|one| one.2).collect();
                let ends = sizes.iter().min().copied().zip(sizes.iter().max().copied());
                assert_eq!(told.sizes, ends);
            }
            assert_eq!(found.exchange(&answer, at, (99, 0), 1).expect("an answer"), None);
        }
        assert_eq!(found.exchange(&answer, 99, (0, 0), 1).expect("an answer"), None);
    }
}

#[test]
fn what_was_learnt_of_messages_can_be_kept() {
    let stored = Stored::new(writer::trace(3).as_bytes());
    let spec = PhaseSpec::default();
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let first = Communication::new(&scope, &spec).expect("messages");
    let answer = first.phases(Some(4), Some(2)).expect("phases");
    let joined = Arc::clone(first.joined());
    drop(first);
    let again = stored.scope(&Lens::clear(), stored.whole());
    let second = Communication::of(&again, &spec, joined).expect("messages");
    assert_eq!(second.phases(Some(4), Some(2)).expect("phases"), answer);
    let best = second.phases(Some(4), None).expect("phases");
    assert_eq!(best.regrouped(Some(2)), answer);
}

#[test]
fn phases_made_of_short_ones_are_the_same() {
    for seed in 0..20 {
        let mut dice = ChaCha8Rng::seed_from_u64(seed);
        let mut table = Table::default();
        let span = [40, 5000][seed as usize % 2];
        for _ in 0..dice.random_range(1..600) {
            let (from, to) = (dice.random_range(0..9), dice.random_range(0..9));
            table.send(from, to, dice.random_range(0..span), dice.random_range(0..1000));
        }
        let (plain, detailed) = (table.read(), table.read());
        detailed.keep_detail().expect("detail");
        assert!(detailed.n_kept() > plain.n_kept());
        for n in [1, 2, 3, 17, 255, 256, 257, 1000] {
            let expected = plain.phases(Some(n), Some(2)).expect("phases");
            assert_eq!(detailed.phases(Some(n), Some(2)).expect("phases"), expected);
        }
        // A part of the times is not made of them, and is found all the same.
        let half = plain.instants.times.len() / 2;
        let expected = plain.phases_within(half..plain.instants.times.len(), 3, None);
        let found = detailed.phases_within(half..plain.instants.times.len(), 3, None);
        assert_eq!(found.expect("phases"), expected.expect("phases"));
    }
    Table::default().read().keep_detail().expect("nothing to keep");
}

const OPERATIONS: &str = "\
1 P 0 Process
2 S P State
5 L 0 P P Message
7 0 a P 0 a
7 0 b P 0 b
7 0 c P 0 c
12 1 S a MPI_Bcast
12 1 S b MPI_Bcast
12 2 S c MPI_Bcast
12 3 S a compute
12 3 S b compute
12 3 S c compute
12 5 S a MPI_Allreduce
12 6 S b MPI_Allreduce
12 7 S a compute
12 7 S b compute
12 8 S a MPI_Allreduce
12 8 S c MPI_Allreduce
12 9 S a compute
12 9 S c compute
";

#[test]
fn states_tell_of_collective_operations() {
    let text = onca_testkit::fixtures::header_with_sizes() + OPERATIONS;
    let stored = Stored::new(text.as_bytes());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let found = Communication::new(&scope, &PhaseSpec::default()).expect("messages");
    // Nobody tells the root, so that each of three sends to each other. Then a is there with b, later with c.
    assert_eq!(found.totals.messages, 6 + 2 + 2);
    assert_eq!((found.totals.collective, found.totals.operations), (10, 3));
    assert!(found.totals.are_assumed);
    assert_eq!(found.functions, [("MPI_Bcast".to_owned(), 6), ("MPI_Allreduce".to_owned(), 4)]);
    let only = PhaseSpec { functions: vec!["MPI_Allreduce".to_owned()], ..PhaseSpec::default() };
    assert_eq!(Communication::new(&scope, &only).expect("messages").totals.messages, 4);
    // Calls are counted from the begin of the trace, whatever is looked at.
    let window = Window::new(7_500_000_000, stored.whole().to);
    let late = stored.scope(&Lens::clear(), window);
    let late = Communication::new(&late, &PhaseSpec::default()).expect("messages");
    assert_eq!((late.totals.messages, late.processors.len()), (2, 2));
    let without = PhaseSpec { collectives: CollectiveChoice::Without, ..PhaseSpec::default() };
    assert_eq!(Communication::new(&scope, &without).expect("messages").totals.messages, 0);
}

/// Calls that say which operation they belong to, who is the root, and what is sent.
const NUMBERED: &str = "\
%EventDef PajeSetState 30
% Time date
% Type string
% Container string
% Value string
% communicator string
% instance int
% root string
% sent int
%EndEventDef
1 P 0 Process
2 S P State
5 L 0 P P Message
7 0 a P 0 a
7 0 b P 0 b
7 0 c P 0 c
30 1 S a MPI_Bcast world 0 1 0
30 1 S b MPI_Bcast world 0 1 20
30 2 S c MPI_Bcast world 0 1 0
30 5 S a MPI_Reduce half 0 0 7
30 5 S b MPI_Reduce half 0 0 7
30 6 S a MPI_Allreduce world 1 none 5
30 6 S b MPI_Allreduce world 1 none 4
30 7 S c MPI_Allreduce world 1 none 3
12 9 S a compute
12 9 S b compute
12 9 S c compute
";

#[test]
fn roots_and_sizes_of_numbered_operations_are_told() {
    let text = onca_testkit::fixtures::header() + NUMBERED;
    let stored = Stored::new(text.as_bytes());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let flows = |function: &str| {
        let spec = PhaseSpec { functions: vec![function.to_owned()], ..PhaseSpec::default() };
        let found = Communication::new(&scope, &spec).expect("messages");
        assert!(!found.totals.are_assumed);
        let answer = found.phases(Some(1), None).expect("phases");
        let traffic = answer.phases[0].traffic.iter();
        let name = |number: u32| found.processors[number as usize].name.trim_start_matches('/');
        let flow = |one: &onca_aggregate::phases::Traffic| {
            format!("{}>{} {}", name(one.from), name(one.to), one.weight)
        };
        traffic.map(flow).collect::<Vec<String>>()
    };
    assert_eq!(flows("MPI_Bcast"), ["b>a 10", "b>c 10"]);
    assert_eq!(flows("MPI_Reduce"), ["b>a 7"]);
    let among = ["a>b 2", "a>c 3", "b>a 2", "b>c 2", "c>a 1", "c>b 2"];
    assert_eq!(flows("MPI_Allreduce"), among);
}

/// Two messages of a, one sent in MPI_Send and one in MPI_Isend, and one of b in no call at all.
const CALLED: &str = "\
1 P 0 Process
2 S P State
5 L 0 P P Message
7 0 a P 0 a
7 0 b P 0 b
12 0 S a compute
12 0 S b compute
12 1 S a MPI_Send
16 1 L 0 a m k1
12 2 S a MPI_Isend
16 2 L 0 a m k2
12 3 S a compute
12 4 S b MPI_Recv
17 5 L 0 b m k1
12 5 S b compute
12 6 S b MPI_Wait
17 7 L 0 b m k2
12 7 S b compute
16 8 L 0 b m k3
17 9 L 0 a m k3
12 10 S a compute
12 10 S b compute
";

#[test]
fn messages_are_of_the_functions_that_their_ends_are_in() {
    let text = onca_testkit::fixtures::header() + CALLED;
    let stored = Stored::new(text.as_bytes());
    let starts = |functions: &[&str], window: Window| {
        let scope = stored.scope(&Lens::clear(), window);
        let functions = functions.iter().map(|name| (*name).to_owned()).collect();
        let spec = PhaseSpec { functions, ..PhaseSpec::default() };
        let found = Communication::new(&scope, &spec).expect("messages");
        let answer = found.phases(None, None).expect("phases");
        let window = |phase: &Phase| phase.window.from / 1_000_000_000;
        (found.totals.messages, answer.phases.iter().map(window).collect::<Vec<i64>>())
    };
    let whole = stored.whole();
    assert_eq!(starts(&[], whole).0, 3);
    // A state that ends when a message begins did not send it.
    assert_eq!(starts(&["MPI_Send"], whole), (1, vec![1]));
    assert_eq!(starts(&["MPI_Isend"], whole), (1, vec![2]));
    assert_eq!(starts(&["MPI_Recv"], whole), (1, vec![1]));
    assert_eq!(starts(&["MPI_Wait"], whole), (1, vec![2]));
    assert_eq!(starts(&["MPI_Send", "MPI_Wait"], whole).0, 2);
    assert_eq!(starts(&["compute"], whole), (1, vec![8]));
    assert_eq!(starts(&["m"], whole).0, 3);
    // What a message began in may be over before the window.
    let late = Window::new(4_500_000_000, whole.to);
    assert_eq!(starts(&["MPI_Send"], late).0, 1);
}
