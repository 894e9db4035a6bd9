//! Scenes in space: every tick of every state is in a box, nothing overlaps, and all budgets hold.

use crate::support;

use std::collections::BTreeMap;

use onca_answer::columns::ColumnCache;
use onca_answer::topology::{Capacity, Joint, Network, NetworkNode, NodeRole, Platform};
use onca_answer::{Cut, Level, state_times};
use onca_generate::pattern::{self, Pattern};
use onca_scene::{BaseKind, Pick, Solid, StateBox};
use onca_store::Measure;
use onca_testkit::fixtures::{header_with_sizes, table_4_2};
use onca_views::Theme;
use onca_views::options::{LayoutName, LayoutOptions, LevelOptions};
use onca_views::solid::{Base, SizedBy, SolidDrawn, SolidOptions, Stage, bases, scene};
use rand::RngExt;
use support::{Stored, rng};

fn draw(stored: &Stored, options: &SolidOptions) -> SolidDrawn {
    draw_on(stored, None, 600.0, options)
}

fn draw_on(
    stored: &Stored,
    platform: Option<&Platform>,
    height: f64,
    options: &SolidOptions,
) -> SolidDrawn {
    let (scope, looks) = (stored.scope(stored.whole()), stored.appearance());
    let stage = Stage { height, theme: Theme::Light };
    scene(&scope, &looks, platform, stage, options, &ColumnCache::default()).expect("a scene")
}

/// Clusters of processes with nested states of any length, from a tick to a tenth of the whole, and
/// messages.
fn random_trace(seed: u64) -> String {
    let mut dice = rng(seed);
    let mut text = header_with_sizes();
    text += "1 C 0 Cluster\n1 P C Process\n2 S P State\n5 L 0 P P Message\n";
    for cluster in 0..3 {
        text += &format!("7 0 c{cluster} C 0 cluster{cluster}\n");
        for process in 0..3 {
            let name = 3 * cluster + process;
            text += &format!("7 0 p{name} P c{cluster} rank{name}\n");
        }
    }
    let mut depths = [0u32; 9];
    let mut time = 0u64;
    let at = |time: u64| format!("{}.{:09}", time / 1_000_000_000, time % 1_000_000_000);
    for key in 0..400 {
        time += 1 << dice.random_range(0..26);
        let process = dice.random_range(0..9usize);
        let close = depths[process] > 0 && dice.random_bool(0.5);
        if close {
            depths[process] -= 1;
            text += &format!("14 {} S p{process}\n", at(time));
        } else if depths[process] < 3 {
            depths[process] += 1;
            let value = ["run", "wait", "send", "idle"][dice.random_range(0..4)];
            text += &format!("13 {} S p{process} {value}\n", at(time));
        }
        if dice.random_bool(0.4) {
            let to = dice.random_range(0..9);
            text += &format!("16 {} L 0 p{process} m {key} 10\n", at(time));
            text += &format!("17 {} L 0 p{to} m {key} 10\n", at(time));
        }
    }
    text
}

/// The height of all boxes by node of the hierarchy and colour, times the window.
fn ticks_of_boxes(stored: &Stored, solid: &Solid) -> BTreeMap<(u32, String), f64> {
    let window = stored.whole();
    let length = (window.to - window.from) as f64;
    let mut ticks = BTreeMap::new();
    for one in &solid.boxes {
        let node = solid.nodes[one.node as usize].node.expect("boxes stand on containers");
        *ticks.entry((node, one.color.to_string())).or_default() += (one.z1 - one.z0) * length;
    }
    ticks
}

/// The same from cumulative sums.
fn ticks_of_states(stored: &Stored, level: &Level) -> BTreeMap<(u32, String), f64> {
    let (scope, looks) = (stored.scope(stored.whole()), stored.appearance());
    let cut = Cut::new(&scope, level).expect("a level");
    let times = state_times(&scope, &cut, scope.window(), Measure::Exclusive).expect("times");
    let mut ticks = BTreeMap::new();
    for row in &times.rows {
        let color = looks.of_value(row.value).color.to_string();
        *ticks.entry((cut.nodes()[row.place].0, color)).or_default() += row.ticks as f64;
    }
    ticks
}

fn assert_same(found: &BTreeMap<(u32, String), f64>, expected: &BTreeMap<(u32, String), f64>) {
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (key, ticks) in expected {
        assert!((found[key] - ticks).abs() < 2.0, "{key:?}: {} is not {ticks}", found[key]);
    }
}

fn assert_apart(boxes: &[StateBox]) {
    for pair in boxes.windows(2) {
        let after = pair[0].node < pair[1].node || pair[0].z1 <= pair[1].z0 + 1e-9;
        assert!(after, "{:?} and {:?}", pair[0], pair[1]);
    }
    assert!(boxes.iter().all(|one| one.z0 >= -1e-9 && one.z1 <= 1.0 + 1e-9 && one.z0 <= one.z1));
}

#[test]
fn every_tick_of_every_state_is_in_a_box() {
    for seed in 0..6 {
        let stored = Stored::new(&random_trace(seed));
        let expected = ticks_of_states(&stored, &Level::Own);
        // Pixels from finer than a tick to the whole window, and boxes from enough to hardly any.
        for (height, boxes) in [(1e9, 200_000), (600.0, 16_000), (40.0, 200), (600.0, 60)] {
            let options = SolidOptions { boxes: Some(boxes), ..SolidOptions::default() };
            let drawn = draw_on(&stored, None, height, &options);
            assert!(drawn.solid.boxes.len() <= boxes as usize);
            assert_same(&ticks_of_boxes(&stored, &drawn.solid), &expected);
            assert_apart(&drawn.solid.boxes);
        }
    }
}

#[test]
fn exact_boxes_are_states_that_can_be_asked_about() {
    let stored = Stored::new(&random_trace(1));
    let options = SolidOptions { boxes: Some(200_000), ..SolidOptions::default() };
    let drawn = draw_on(&stored, None, 1e10, &options);
    assert!(drawn.solid.boxes.iter().all(|one| !one.aggregate));
    assert!(drawn.solid.boxes.iter().all(|one| matches!(one.pick, Pick::Entity { .. })));
}

/// A node of several containers shows the mean of them: all boxes together are the time of all,
/// divided by how many there are.
#[test]
fn groups_show_shares() {
    let stored = Stored::new(&random_trace(2));
    let options = SolidOptions { level: LevelOptions::at_depth(1), ..SolidOptions::default() };
    let drawn = draw(&stored, &options);
    assert_eq!(drawn.solid.nodes.len(), 3);
    let mut expected = ticks_of_states(&stored, &Level::Depth(1));
    expected.values_mut().for_each(|ticks| *ticks /= 3.0);
    assert_same(&ticks_of_boxes(&stored, &drawn.solid), &expected);
    assert!(drawn.solid.boxes.iter().all(|one| one.aggregate));
    assert_apart(&drawn.solid.boxes);
}

#[test]
fn links_become_bundles_and_none_is_forgotten() {
    let stored = Stored::new(&random_trace(3));
    let all = draw(&stored, &SolidOptions { arrows: 50_000, ..SolidOptions::default() });
    let n_links = all.solid.arrows.len();
    assert!(all.solid.arrows.iter().all(|arrow| arrow.count == 1));
    for arrows in [100, 60, 20, 7] {
        let options = SolidOptions { arrows, ..SolidOptions::default() };
        let drawn = draw(&stored, &options);
        assert!(drawn.solid.arrows.len() <= arrows as usize, "{arrows}");
        let counted: u64 = drawn.solid.arrows.iter().map(|arrow| arrow.count).sum();
        let between_groups = drawn.solid.nodes.iter().any(|node| node.kind == BaseKind::Middle);
        // Between groups, what stays inside one has no arrow.
        assert!(if between_groups { counted < n_links as u64 } else { counted == n_links as u64 });
        assert!(drawn.notes.iter().any(|note| note.contains("links as")), "{:?}", drawn.notes);
    }
    let edges: u64 = all.solid.edges.iter().map(|edge| edge.count).sum();
    assert_eq!(edges, n_links as u64, "edges count the same links");
    let widest = all.solid.edges.iter().map(|edge| edge.bytes).max().expect("edges");
    let text = format!("widest line {widest} B");
    assert!(all.meanings.contains(&text), "{:?}", all.meanings);
}

fn within(x: f64, y: f64) -> bool {
    (-1.0..=1.0).contains(&x) && (-1.0..=1.0).contains(&y)
}

/// What stands on a base does not overlap and lies inside the square.
#[test]
fn nobody_stands_on_another() {
    let stored = Stored::new(&table_4_2());
    let sizes =
        [SizedBy::Containers, SizedBy::Time, SizedBy::Count, SizedBy::Communication].map(Some);
    let layouts = [
        LayoutName::Nested,
        LayoutName::Force,
        LayoutName::Circular,
        LayoutName::Radial,
        LayoutName::Layered,
    ];
    let graphs = layouts.map(|layout| SolidOptions {
        layout: LayoutOptions { layout: Some(layout), ..LayoutOptions::default() },
        ..SolidOptions::default()
    });
    let maps = sizes.map(|sized_by| SolidOptions {
        base: Base::Treemap,
        sized_by,
        ..SolidOptions::default()
    });
    for options in graphs.iter().chain(&maps) {
        let drawn = draw(&stored, options);
        let nodes = &drawn.solid.nodes;
        assert_eq!(nodes.len(), 5);
        for (at, node) in nodes.iter().enumerate() {
            assert!(node.radius > 0.0 && within(node.at.x, node.at.y));
            for other in &nodes[at + 1..] {
                let (x, y) = ((node.at.x - other.at.x).abs(), (node.at.y - other.at.y).abs());
                assert!(x.max(y) >= node.radius + other.radius - 1e-9);
            }
        }
        for cell in &drawn.solid.cells {
            assert!(
                within(cell.bounds.x0, cell.bounds.y0) && within(cell.bounds.x1, cell.bounds.y1)
            );
        }
        let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
        assert_eq!(names, ["A", "B", "C", "D", "E"]);
    }
}

fn host(name: &str) -> NetworkNode {
    NetworkNode {
        name: name.to_owned(),
        role: NodeRole::Host,
        site: None,
        groups: Vec::new(),
        position: Some((name.len() as f64, 0.0)),
        capacity: Capacity::default(),
    }
}

#[test]
fn containers_stand_on_their_machines() {
    let stored = Stored::new(&table_4_2());
    let capacity = Capacity { bandwidth: Some(1e3), latency: Some(1e-3) };
    let nodes = vec![host("M1"), host("M2"), host("lonely")];
    let joints = vec![Joint { a: 0, b: 1, is_link: true, capacity }];
    let network = Network::new("net", false, nodes, joints).expect("a network");
    let platform = Platform { network, ..Platform::default() };
    assert_eq!(bases(Some(&platform)), Base::ALL);
    assert_eq!(bases(None), [Base::Graph, Base::Treemap]);
    for base in [Base::Topology, Base::Coords] {
        let options = SolidOptions { base, ..SolidOptions::default() };
        let drawn = draw_on(&stored, Some(&platform), 600.0, &options);
        let solid = &drawn.solid;
        let on: Vec<Option<&str>> = solid.nodes[..5]
            .iter()
            .map(|node| node.on.map(|host| solid.nodes[host as usize].name.as_str()))
            .collect();
        assert_eq!(on, [Some("M1"), Some("M1"), Some("M2"), Some("M2"), None]);
        for node in solid.nodes[..4].iter() {
            let host = &solid.nodes[node.on.expect("a machine") as usize];
            let far = (node.at.x - host.at.x).abs().max((node.at.y - host.at.y).abs());
            assert!(far + node.radius <= host.radius + 1e-9, "{base:?}: {}", node.name);
        }
        assert!(drawn.notes.iter().any(|note| note.contains("1 container on no known machine")));
        assert_eq!(solid.cables.len(), 1);
        // A to C, B to C, and nothing back.
        assert_eq!((solid.cables[0].count, solid.cables[0].bytes), (2, 139));
        assert!(drawn.cable_scale.is_some());
    }
}

/// A trace of sixteen processes in a known pattern.
fn pattern(pattern: Pattern) -> Stored {
    let options = pattern::Options { pattern, rounds: 1, ..pattern::Options::default() };
    let mut text = Vec::new();
    pattern::write(&options, &mut text).expect("a written trace");
    Stored::new(&String::from_utf8(text).expect("text"))
}

/// With how many others each node communicates, from the fewest.
fn degrees(solid: &Solid) -> Vec<usize> {
    let mut degrees = vec![0; solid.nodes.len()];
    for edge in &solid.edges {
        degrees[edge.ends.0 as usize] += 1;
        degrees[edge.ends.1 as usize] += 1;
    }
    degrees.sort_unstable();
    degrees
}

fn n_crossings(solid: &Solid) -> usize {
    let side = |a: u32, b: u32, c: u32| {
        let [a, b, c] = [a, b, c].map(|node| solid.nodes[node as usize].at);
        (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    };
    let cross = |(a, b): (u32, u32), (c, d): (u32, u32)| {
        let shares = a == c || a == d || b == c || b == d;
        !shares && side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
    };
    let edges = solid.edges.iter().enumerate();
    edges
        .map(|(at, one)| {
            let later = solid.edges[at + 1..].iter();
            later.filter(|other| cross(one.ends, other.ends)).count()
        })
        .sum()
}

#[test]
fn patterns_are_told_apart() {
    let tree = |inner: &[usize]| [vec![1; 16 - inner.len()], inner.to_vec()].concat();
    let grid = [vec![2; 4], vec![3; 8], vec![4; 4]].concat();
    for (name, expected, crosses) in [
        (Pattern::Ring, vec![2; 16], Some(false)),
        (Pattern::Star, tree(&[15]), Some(false)),
        // The root has four children; its first three have four, four and three of their own.
        (Pattern::HierarchicalStar, tree(&[4, 4, 5, 5]), Some(false)),
        (Pattern::Stencil2d, grid, Some(false)),
        (Pattern::BinarySwap, vec![4; 16], None),
        (Pattern::Full, vec![15; 16], Some(true)),
    ] {
        let drawn = draw(&pattern(name), &SolidOptions::default());
        assert_eq!(degrees(&drawn.solid), expected, "{name}");
        if let Some(crosses) = crosses {
            assert_eq!(n_crossings(&drawn.solid) > 0, crosses, "{name}");
        }
    }
    let star = draw(&pattern(Pattern::Star), &SolidOptions::default());
    let centre = star.solid.nodes.iter().find(|node| node.name == "rank-0").expect("the centre");
    assert!(centre.at.x.hypot(centre.at.y) < 0.2, "{:?}", centre.at);
}

/// Bundles between groups begin and end at posts on which nothing else stands, and which have the
/// names of the groups.
#[test]
fn bundles_between_groups_end_at_posts() {
    let stored = Stored::new(&random_trace(3));
    for base in [Base::Graph, Base::Treemap] {
        let options = SolidOptions { arrows: 7, base, ..SolidOptions::default() };
        let drawn = draw(&stored, &options);
        let nodes = &drawn.solid.nodes;
        let posts: Vec<usize> =
            (0..nodes.len()).filter(|&at| nodes[at].kind == BaseKind::Middle).collect();
        assert_eq!(posts.len(), 3, "{base:?}");
        for &post in &posts {
            assert!(nodes[post].name.starts_with("cluster") && nodes[post].radius > 0.0);
            for (at, other) in nodes.iter().enumerate().filter(|(at, _)| *at != post) {
                let (x, y) = (nodes[post].at.x - other.at.x, nodes[post].at.y - other.at.y);
                let far = x.abs().max(y.abs());
                assert!(far >= nodes[post].radius + other.radius - 1e-9, "{base:?}: {at}");
            }
        }
        let ends = drawn.solid.arrows.iter().flat_map(|arrow| [arrow.ends.0, arrow.ends.1]);
        assert!(ends.into_iter().all(|end| posts.contains(&(end as usize))));
        assert!(drawn.notes.iter().any(|note| note.contains("posts")), "{:?}", drawn.notes);
    }
}

/// As many links as can be drawn are drawn: each is an arrow of its own.
#[test]
fn links_are_drawn_while_they_can_be() {
    let options =
        pattern::Options { pattern: Pattern::Full, rounds: 12, ..pattern::Options::default() };
    let mut text = Vec::new();
    pattern::write(&options, &mut text).expect("a written trace");
    let stored = Stored::new(&String::from_utf8(text).expect("text"));
    let drawn = draw(&stored, &SolidOptions::default());
    assert!((2_001..=5_000).contains(&drawn.solid.arrows.len()), "{}", drawn.solid.arrows.len());
    assert!(drawn.solid.arrows.iter().all(|arrow| arrow.count == 1));
}

/// Thousands of nodes keep a time axis: what is summed up is short against the window.
#[test]
fn many_nodes_keep_their_time_axis() {
    let mut text = header_with_sizes() + "1 P 0 Process\n2 S P State\n";
    let n = 1_000;
    for process in 0..n {
        text += &format!("7 0 p{process} P 0 rank{process}\n");
    }
    for step in 0..64 {
        let value = if step % 2 == 0 { "run" } else { "wait" };
        for process in 0..n {
            text += &format!("12 {step}.{:03} S p{process} {value}\n", process % 1000);
        }
    }
    for process in 0..n {
        text += &format!("8 65 P p{process}\n");
    }
    let stored = Stored::new(&text);
    let drawn = draw(&stored, &SolidOptions::default());
    assert!(drawn.solid.boxes.len() > 16_000 && drawn.solid.boxes.len() <= 48_000);
    let of_first = drawn.solid.boxes.iter().filter(|one| one.node == 0).count();
    assert!(of_first >= 16, "{of_first} boxes over time");
}
