//! Networks: what a trace tells of its own, where containers run, and what crosses every link.

use crate::support;

use std::collections::BTreeMap;

use onca_answer::topology::{
    Capacity, Joint, Network, NetworkNode, NodeRole, Passage, PlaceFile, Platform, RouteFile,
    Routing, message_name, message_named,
};
use onca_query::Lens;
use onca_testkit::fixtures::header_with_sizes;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::Stored;

const N_HOSTS: usize = 6;
const SECOND: f64 = 1.0;

/// Six processes, each on the machine of its number, and messages between them: from, to, bytes.
fn trace(messages: &[(usize, usize, u64)]) -> String {
    let mut text = header_with_sizes();
    text += "1 M 0 Machine\n1 P M Process\n2 S P State\n5 L 0 P P Message\n";
    for host in 0..N_HOSTS {
        text += &format!("7 0 m{host} M 0 host{host}\n7 0 p{host} P m{host} rank{host}\n");
        text += &format!("13 0 S p{host} run\n");
    }
    for (key, (from, to, bytes)) in messages.iter().enumerate() {
        text += &format!("16 0.25 L 0 p{from} m {key} {bytes}\n");
        text += &format!("17 0.25 L 0 p{to} m {key} {bytes}\n");
    }
    for host in 0..N_HOSTS {
        text += &format!("14 {SECOND} S p{host}\n");
    }
    text
}

fn host(at: usize) -> NetworkNode {
    NetworkNode {
        name: format!("host{at}"),
        role: NodeRole::Host,
        site: Some(format!("site{}", at / 3)),
        groups: Vec::new(),
        position: None,
        capacity: Capacity::default(),
    }
}

fn cable((a, b): (usize, usize)) -> Joint {
    let capacity = Capacity { bandwidth: Some(1000.0), latency: Some(1e-6) };
    Joint { a, b, is_link: true, capacity }
}

fn network(cables: &[(usize, usize)]) -> Network {
    let joints = cables.iter().copied().map(cable).collect();
    Network::new("test", false, (0..N_HOSTS).map(host).collect(), joints).expect("a network")
}

/// How many links are between two machines, by trying all ways of growing length.
fn distance(cables: &[(usize, usize)], from: usize, to: usize) -> Option<usize> {
    let mut reached = vec![from];
    for steps in 0..N_HOSTS {
        if reached.contains(&to) {
            return Some(steps);
        }
        let next: Vec<usize> = cables
            .iter()
            .flat_map(|&(a, b)| [(a, b), (b, a)])
            .filter(|(a, _)| reached.contains(a))
            .map(|(_, b)| b)
            .collect();
        reached.extend(next);
    }
    reached.contains(&to).then_some(N_HOSTS)
}

#[test]
fn totals_equal_a_count_of_every_message_on_its_way() {
    let mut dice = ChaCha8Rng::seed_from_u64(4);
    for _ in 0..25 {
        let end = |dice: &mut ChaCha8Rng| dice.random_range(0..N_HOSTS);
        let messages: Vec<(usize, usize, u64)> = (0..dice.random_range(0..60))
            .map(|_| (end(&mut dice), end(&mut dice), dice.random_range(0..5000)))
            .collect();
        let cables: Vec<(usize, usize)> =
            (0..7).map(|_| (end(&mut dice), end(&mut dice))).filter(|(a, b)| a != b).collect();
        let stored = Stored::new(trace(&messages).as_bytes());
        let scope = stored.scope(&Lens::clear(), stored.whole());
        let platform = Platform { network: network(&cables), ..Platform::default() };
        let answer = platform.traffic(&scope, Routing::Hops).expect("an answer");
        let mut hops: BTreeMap<usize, u64> = BTreeMap::new();
        let (mut crossings, mut bytes_crossed, mut lost) = (0, 0, 0);
        for &(from, to, bytes) in &messages {
            match distance(&cables, from, to) {
                Some(steps) => {
                    *hops.entry(steps).or_default() += 1;
                    crossings += steps as u64;
                    bytes_crossed += steps as u64 * bytes;
                }
                None => lost += 1,
            }
        }
        let found = answer.hops.iter().enumerate().filter(|(_, count)| **count > 0);
        let found: BTreeMap<usize, u64> = found.map(|(steps, count)| (steps, *count)).collect();
        assert_eq!(found, hops);
        assert_eq!(answer.totals.without_route, lost);
        assert_eq!(answer.totals.without_place, 0);
        assert_eq!(answer.links.iter().map(|link| link.messages).sum::<u64>(), crossings);
        assert_eq!(answer.links.iter().map(|link| link.bytes).sum::<u64>(), bytes_crossed);
        let all: u64 = answer.sites.iter().map(|one| one.messages).sum();
        assert_eq!(all, messages.len() as u64);
    }
}

#[test]
fn a_chain_is_loaded_as_by_hand() {
    // From the first machine to the third over both links, and back from the second.
    let stored = Stored::new(trace(&[(0, 2, 500), (0, 2, 250), (1, 0, 250), (3, 3, 9)]).as_bytes());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let platform = Platform { network: network(&[(0, 1), (1, 2)]), ..Platform::default() };
    let answer = platform.traffic(&scope, Routing::Latency).expect("an answer");
    let loads: Vec<_> = answer
        .links
        .iter()
        .map(|link| (link.name.as_str(), link.messages, link.bytes, answer.load(link)))
        .collect();
    assert_eq!(
        loads,
        [("host0 -- host1", 3, 1000, Some(1.0)), ("host1 -- host2", 2, 750, Some(0.75))]
    );
    assert_eq!(answer.hops, [1, 1, 2]);
    assert_eq!((answer.totals.routed, answer.totals.local), (3, 1));
    assert_eq!(answer.seconds, Some(SECOND));
    assert!(answer.empty_hosts.is_empty());
}

#[test]
fn a_file_says_where_containers_run() {
    let stored = Stored::new(trace(&[(0, 1, 10)]).as_bytes());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let read = |text: &str| PlaceFile::read(text).expect("a file");
    let places = Some(read("rank0, host4\n# a remark\nrank1 host5\n"));
    let platform = Platform { network: network(&[(4, 5)]), places, routes: None };
    let answer = platform.traffic(&scope, Routing::Hops).expect("an answer");
    assert_eq!(answer.links[0].messages, 1);
    assert_eq!(answer.empty_hosts, [0, 1]);
    let places = Some(read("rank0 host9"));
    let wrong = Platform { places, ..platform };
    let why = wrong.traffic(&scope, Routing::Hops).expect_err("no such machine").to_string();
    assert_eq!(
        why,
        "placing containers: line 1: there is no node \"host9\"; did you mean \"host0\"?"
    );
    let why = PlaceFile::read("rank0").expect_err("half a line");
    assert!(why.starts_with("1:6: a line has a container and a machine"), "{why}");
}

#[test]
fn containers_without_a_machine_are_named_and_their_messages_counted() {
    let stored = Stored::new(trace(&[(0, 5, 10), (0, 1, 10)]).as_bytes());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let nodes = (0..3).map(host).collect();
    let network = Network::new("small", false, nodes, vec![cable((0, 1))]).expect("a network");
    let platform = Platform { network, ..Platform::default() };
    let answer = platform.traffic(&scope, Routing::Hops).expect("an answer");
    assert_eq!((answer.totals.without_place, answer.totals.routed), (1, 1));
    assert_eq!(answer.without_place.len(), 3);
    let json = answer.json(&scope, &platform.network, Routing::Hops);
    let json = serde_json::to_value(json).expect("JSON");
    assert_eq!(json["schema"], "onca-topology/1");
    assert_eq!(json["containers_without_place"][0], "/host3/rank3");
}

/// As simulated platforms write themselves: machines, links with bandwidth and latency as variables,
/// and links that say what is joined.
#[test]
fn a_trace_tells_of_its_own_network() {
    let mut text = header_with_sizes();
    text += "1 Z 0 Zone\n1 H Z HOST\n1 K Z LINK\n1 P H Process\n2 S P State\n3 B K bandwidth \"1 0 0\"\n\
             3 T K latency \"1 0 0\"\n5 J 0 H K Z-HOST-LINK\n5 L 0 P P Message\n7 0 z Z 0 grid\n\
             7 0 a H z alpha\n7 0 b H z beta\n7 0 k K z wire\n7 0 p P a one\n7 0 q P b two\n\
             9 0 B k 2000\n9 0 T k 0.001\n";
    for (key, host) in ["a", "b"].into_iter().enumerate() {
        text += &format!("16 0 J 0 {host} topology t{key} 0\n17 0 J 0 k topology t{key} 0\n");
    }
    text += "13 0 S p run\n13 0 S q run\n16 0.5 L 0 p m 7 500\n17 0.5 L 0 q m 7 500\n\
             14 1 S p\n14 1 S q\n";
    let stored = Stored::new(text.as_bytes());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let platform = Platform::of_trace(&stored.store).expect("a store").expect("a network");
    let names: Vec<&str> = platform.network.nodes().iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["alpha", "beta", "wire"]);
    let answer = platform.traffic(&scope, Routing::Hops).expect("an answer");
    assert_eq!(answer.links.len(), 1);
    let wire = &answer.links[0];
    assert_eq!((wire.name.as_str(), wire.messages, wire.bytes), ("wire", 1, 500));
    assert_eq!(wire.capacity, Capacity { bandwidth: Some(2000.0), latency: Some(0.001) });
    assert_eq!(answer.load(wire), Some(0.25));
    assert_eq!(answer.hops, [0, 1]);
    let plain = Stored::new(trace(&[]).as_bytes());
    assert!(Platform::of_trace(&plain.store).expect("a store").is_none());
}

/// A thousand links between two machines, and circles, are nothing special.
#[test]
fn parallel_links_and_circles() {
    let stored = Stored::new(trace(&[(0, 1, 10), (1, 2, 10)]).as_bytes());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let mut cables = vec![(0, 1); 1000];
    cables.extend([(1, 2), (2, 0), (1, 1)]);
    let platform = Platform { network: network(&cables), ..Platform::default() };
    let answer = platform.traffic(&scope, Routing::Hops).expect("an answer");
    let used: Vec<usize> =
        (0..answer.links.len()).filter(|&link| answer.links[link].messages > 0).collect();
    assert_eq!(used, [0, 1000]);
}

/// The way of the message of a name, as names of nodes and in words.
fn way(stored: &Stored, platform: &Platform, name: &str) -> (Vec<String>, String) {
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let link = message_named(&scope, name).expect("a message").link;
    let passage =
        platform.passage(scope.catalog(), Routing::Hops, link.container, link.destination);
    let passage = passage.expect("an answer");
    let node = |at: &usize| platform.network.nodes()[*at].name.clone();
    (passage.nodes().iter().map(node).collect(), passage.words(&platform.network))
}

/// A ring of four machines, one beside it, and one that nothing joins.
#[test]
fn a_message_takes_the_shortest_way_unless_one_is_given() {
    let stored = Stored::new(trace(&[(1, 4, 1), (4, 1, 1), (2, 2, 1), (0, 5, 1)]).as_bytes());
    let ring = network(&[(0, 1), (1, 2), (2, 3), (3, 0), (3, 4)]);
    let mut platform = Platform { network: ring, ..Platform::default() };
    // Two ways are equally short; the one over the node that comes first is taken.
    let shortest = ["host1", "host0", "host3", "host4"];
    let (nodes, words) = way(&stored, &platform, "0");
    assert_eq!(nodes, shortest);
    assert_eq!(words, "host1 → host0 → host3 → host4 (assumed: the shortest)");
    assert_eq!(
        way(&stored, &platform, "2"),
        (vec!["host2".to_owned()], "it stays on host2".to_owned())
    );
    assert_eq!(way(&stored, &platform, "3").1, "nothing leads from host0 to host5");
    platform.routes = Some(RouteFile::read("host4 host3 host2 host1\n").expect("routes"));
    let (nodes, words) = way(&stored, &platform, "1");
    assert_eq!(nodes, ["host4", "host3", "host2", "host1"]);
    assert!(words.ends_with("(given)"), "{words}");
    assert_eq!(way(&stored, &platform, "0").0, ["host1", "host2", "host3", "host4"]);
}

#[test]
fn a_passage_tells_its_links_and_their_latency() {
    let stored = Stored::new(trace(&[(0, 2, 1)]).as_bytes());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let platform = Platform { network: network(&[(0, 1), (1, 2)]), ..Platform::default() };
    let link = message_named(&scope, "0").expect("a message").link;
    let of = |ends| platform.passage(scope.catalog(), Routing::Hops, link.container, ends);
    let (links, latency) = of(link.destination).expect("an answer").links(&platform.network);
    assert_eq!(links, ["host0 → host1", "host1 → host2"]);
    assert!(latency.is_some_and(|latency| (latency - 2e-6).abs() < 1e-12), "{latency:?}");
    assert_eq!(of(None).expect("an answer"), Passage::WithoutPlace);
}

/// Three messages with one key, and one whose key has a time in it.
#[test]
fn messages_are_named_by_their_keys_and_times() {
    let mut text = header_with_sizes();
    text +=
        "1 P 0 Process\n2 S P State\n5 L 0 P P Message\n7 0 a P 0 a\n7 0 b P 0 b\n13 0 S a run\n";
    for (start, key) in [(1, "k"), (3, "k"), (2, "k"), (4, "k@1")] {
        text += &format!("16 {start} L 0 a m {key} 1\n17 {start}.5 L 0 b m {key} 1\n");
    }
    text += "14 5 S a\n";
    let stored = Stored::new(text.as_bytes());
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let start = |name: &str| {
        let found = message_named(&scope, name).expect("a message");
        let again = message_named(&scope, &message_name(scope.catalog(), &found.link));
        assert_eq!(again.expect("the same message").link, found.link);
        (found.link.start / 1_000_000_000, found.n_alike)
    };
    assert_eq!(start("k"), (1, 3));
    assert_eq!(start("k@2"), (2, 3));
    assert_eq!(start("k@2.6s"), (3, 3));
    assert_eq!(start("k@1"), (4, 1));
    let why = message_named(&scope, "other@2").expect_err("no such key").to_string();
    assert_eq!(why, "no message in the window has the key \"other\"; onca find lists keys");
}
