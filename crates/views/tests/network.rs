//! Pictures of networks: what stands where, what is named, and which links stand out.

use crate::support;

use onca_answer::columns::ColumnCache;
use onca_answer::topology::{Capacity, Joint, Network, NetworkNode, NodeRole, Platform};
use onca_model::Window;
use onca_scene::{Arrow, BaseKind, BaseNode, Label, Layer, Line, Solid, TimeArrow};
use onca_testkit::fixtures::header_with_sizes;
use onca_views::options::{LevelOptions, NetworkOptions};
use onca_views::solid::{Base, SizedBy, SolidDrawn, SolidOptions, Stage, scene};
use onca_views::topology::{self, TopologyOptions};
use onca_views::{Canvas, Drawn, Theme};
use support::Stored;

/// Clusters of four machines with a process each. All send one byte to the first process, the last
/// process a thousand; what happens after 2 s is one message from the second to the third. A process
/// runs on no machine.
fn trace(n_clusters: usize) -> Stored {
    let mut text = header_with_sizes();
    text += "1 C 0 Cluster\n1 M C Machine\n1 P M Process\n1 O 0 Other\n2 S P State\n";
    text += "2 T O Else\n5 L 0 P P Message\n7 0 o O 0 nowhere\n13 0 T o run\n";
    let n = 4 * n_clusters;
    for machine in 0..n {
        let cluster = machine / 4;
        if machine % 4 == 0 {
            text += &format!("7 0 c{cluster} C 0 cluster{cluster}\n");
        }
        text += &format!("7 0 m{machine} M c{cluster} {}\n", host_name(machine));
        text += &format!("7 0 p{machine} P m{machine} rank{machine}\n13 0 S p{machine} run\n");
    }
    for from in 1..n {
        let size = if from + 1 == n { 1000 } else { 1 };
        text += &format!("16 1 L 0 p{from} m {from} {size}\n17 1.5 L 0 p0 m {from} {size}\n");
    }
    text += "16 2.5 L 0 p1 m x 1\n17 3 L 0 p2 m x 1\n";
    for machine in 0..n {
        text += &format!("14 4 S p{machine}\n");
    }
    Stored::new(&(text + "14 4 T o\n"))
}

fn host_name(machine: usize) -> String {
    format!("machine-{machine}.site.example.org")
}

/// The same clusters with a switch each, and a router between them. The link of the last cluster is a
/// thousand times slower than the others where that is wanted.
fn platform(n_clusters: usize, slow: bool) -> Platform {
    let node = |name: String, role, groups: Vec<String>| NetworkNode {
        name,
        role,
        site: groups.first().cloned(),
        groups,
        position: None,
        capacity: Capacity::default(),
    };
    let mut nodes = vec![node("router".to_owned(), NodeRole::Switch, Vec::new())];
    let mut joints = Vec::new();
    let joint = |a, b, bandwidth| Joint {
        a,
        b,
        is_link: true,
        capacity: Capacity { bandwidth: Some(bandwidth), latency: Some(0.001) },
    };
    for cluster in 0..n_clusters {
        let groups = vec![format!("cluster{cluster}")];
        let switch = nodes.len();
        nodes.push(node(format!("switch{cluster}"), NodeRole::Switch, groups.clone()));
        let is_slow = slow && cluster + 1 == n_clusters;
        joints.push(joint(0, switch, if is_slow { 125e3 } else { 125e6 }));
        for machine in 4 * cluster..4 * cluster + 4 {
            joints.push(joint(switch, nodes.len(), 125e6));
            nodes.push(node(host_name(machine), NodeRole::Host, groups.clone()));
        }
    }
    let network = Network::new("net", false, nodes, joints).expect("a network");
    Platform { network, ..Platform::default() }
}

fn in_space(stored: &Stored, window: Window, options: SolidOptions, net: &Platform) -> SolidDrawn {
    let (scope, looks) = (stored.scope(window), stored.appearance());
    let stage = Stage { height: 600.0, theme: Theme::Light };
    let drawn = scene(&scope, &looks, Some(net), stage, &options, &ColumnCache::default());
    drawn.expect("a scene")
}

fn flat(stored: &Stored, net: &Platform) -> Drawn {
    let (scope, looks) = (stored.scope(stored.whole()), stored.appearance());
    let canvas = Canvas { width: 900.0, height: 700.0, theme: Theme::Light, titles: true };
    topology::scene(&scope, &looks, net, &canvas, &TopologyOptions::default()).expect("a scene")
}

fn labels(drawn: &Drawn) -> Vec<&Label> {
    fn all(layer: &Layer) -> &[Label] {
        match layer {
            Layer::Labels(labels) => labels,
            _ => &[],
        }
    }
    drawn.scene.layers.iter().flat_map(all).collect()
}

fn lines(drawn: &Drawn) -> &[Line] {
    let mut lines = drawn.scene.layers.iter().filter_map(|layer| match layer {
        Layer::Lines(lines) => Some(lines.lines.as_slice()),
        _ => None,
    });
    lines.next().expect("lines")
}

fn named<'a>(solid: &'a Solid, name: &str) -> &'a BaseNode {
    solid.nodes.iter().find(|node| node.name == name).expect(name)
}

fn on(base: Base) -> SolidOptions {
    SolidOptions { base, ..SolidOptions::default() }
}

/// Whoever stands on a base stands at the same place in every window.
#[test]
fn places_do_not_depend_on_the_window() {
    let (stored, net) = (trace(3), platform(3, false));
    let whole = stored.whole();
    let late = Window { from: (whole.from + whole.to) / 2, to: whole.to };
    for base in [Base::Graph, Base::Topology, Base::Treemap] {
        let [all, some] = [whole, late].map(|window| in_space(&stored, window, on(base), &net));
        assert!(some.solid.arrows.len() < all.solid.arrows.len(), "less happens late");
        let places = |solid: &Solid| -> Vec<_> {
            solid.nodes.iter().map(|node| (node.name.clone(), node.at, node.radius)).collect()
        };
        assert_eq!(places(&all.solid), places(&some.solid), "{base:?}");
    }
}

#[test]
fn a_cluster_stands_on_its_cluster() {
    let (stored, net) = (trace(3), platform(3, false));
    let level = LevelOptions::at_depth(1);
    let options = SolidOptions { level, ..on(Base::Topology) };
    let drawn = in_space(&stored, stored.whole(), options, &net);
    let solid = &drawn.solid;
    for name in ["cluster0", "cluster1", "cluster2"] {
        let is = |node: &&BaseNode, kind| node.kind == kind && node.name == name;
        let stands = solid.nodes.iter().find(|node| is(node, BaseKind::Container)).expect(name);
        let carrier = &solid.nodes[stands.on.expect("a footing") as usize];
        assert_eq!((carrier.kind, carrier.name.as_str()), (BaseKind::Group, name));
        let far = (stands.at.x - carrier.at.x).hypot(stands.at.y - carrier.at.y);
        assert!(far + stands.radius * 1.42 <= carrier.radius);
        assert!(stands.radius > 0.3 * carrier.radius, "it is as large as a cluster");
    }
}

#[test]
fn containers_without_a_machine_stand_at_the_back() {
    let (stored, net) = (trace(2), platform(2, false));
    let drawn = in_space(&stored, stored.whole(), on(Base::Topology), &net);
    let nowhere = named(&drawn.solid, "nowhere");
    let others = drawn.solid.nodes.iter().filter(|node| node.name != "nowhere");
    let back = others.map(|node| node.at.y + node.radius).fold(f64::NEG_INFINITY, f64::max);
    assert!(nowhere.at.y - nowhere.radius >= back - 1e-9);
    assert!(drawn.notes.iter().any(|note| note == "1 container on no known machine, at the back"));
}

/// The area of a machine is what runs there sends and receives: the first receives from eleven, the
/// last sends a thousand of the 1,011 bytes.
#[test]
fn machines_are_sized_by_what_is_asked() {
    let (stored, net) = (trace(3), platform(3, false));
    let radius = |sized_by, machine| {
        let options = SolidOptions { sized_by, ..on(Base::Topology) };
        let drawn = in_space(&stored, stored.whole(), options, &net);
        named(&drawn.solid, &host_name(machine)).radius
    };
    assert_eq!(radius(None, 0), radius(None, 5));
    assert_eq!(radius(Some(SizedBy::Containers), 0), radius(Some(SizedBy::Containers), 5));
    let by = Some(SizedBy::Communication);
    let share = (radius(by, 11) / radius(by, 0)).powi(2);
    assert!((share - 1000.0 / 1010.0).abs() < 1e-6, "{share}");
    assert!(radius(by, 5) < 0.4 * radius(by, 0));
    let says = |sized_by, base| {
        let options = SolidOptions { sized_by, ..on(base) };
        let meanings = in_space(&stored, stored.whole(), options, &net).meanings;
        meanings.into_iter().find(|note| note.starts_with("squares by"))
    };
    assert_eq!(says(None, Base::Topology), None);
    let text = "squares by communication";
    assert_eq!(says(by, Base::Topology).as_deref(), Some(text));
    assert_eq!(says(None, Base::Treemap).as_deref(), Some("squares by number of containers"));
}

#[test]
fn a_link_that_is_far_slower_than_the_rest_stands_out() {
    let stored = trace(3);
    for slow in [false, true] {
        let net = platform(3, slow);
        let drawn = flat(&stored, &net);
        let n_links = net.network.joints().len();
        // Such a link has a second line around it, and its bandwidth beside it.
        assert_eq!(lines(&drawn).len(), n_links + usize::from(slow));
        let numbers = labels(&drawn).into_iter().filter(|label| label.text.contains("Mbit/s"));
        assert_eq!(numbers.count(), usize::from(slow));
        let space = in_space(&stored, stored.whole(), on(Base::Topology), &net);
        assert_eq!(space.solid.cables.len(), n_links + usize::from(slow));
        let text = |text: &str| space.solid.numbers.iter().any(|one| one.text.contains(text));
        assert_eq!(text("1 Mbit/s"), slow);
        let scale = space.cable_scale.expect("a scale");
        assert_eq!(scale.slow.is_some(), slow);
        assert_eq!(scale.widths.first().map(|(_, text)| text.as_str()), Some("1 Gbit/s"));
        assert_eq!(scale.widths.len(), 1 + usize::from(slow));
    }
}

/// The last machine carries a thousand bytes over its link and that of its cluster, the others next
/// to nothing: these are faint, and the scale ends at what occurs.
#[test]
fn colours_are_relative_to_the_load_that_occurs() {
    let (stored, net) = (trace(3), platform(3, false));
    let drawn = in_space(&stored, stored.whole(), on(Base::Topology), &net);
    let loads: Vec<f64> =
        drawn.solid.cables.iter().map(|cable| cable.load.expect("a load")).collect();
    let most = loads.iter().copied().fold(0.0, f64::max);
    let stops = drawn.cable_scale.expect("a scale").stops;
    for (cable, load) in drawn.solid.cables.iter().zip(&loads) {
        if *load == most {
            assert_eq!(cable.color, stops.last().expect("stops").0);
        } else if *load < 0.01 * most {
            let (faint, own) = (stops[0].0, cable.color);
            let far = |a: u8, b: u8| a.abs_diff(b) < 12;
            let is_faint = far(own.red, faint.red) && far(own.green, faint.green);
            assert!(is_faint, "{own} is not {faint}");
        }
    }
    assert!(loads.iter().filter(|load| **load < 0.01 * most).count() > 8);
}

/// Five hundred machines: some clusters and some machines are named, each by what tells it
/// apart, and names lie in all parts of the picture.
#[test]
fn names_are_few_and_spread() {
    let n_clusters = 125;
    let (stored, net) = (trace(n_clusters), platform(n_clusters, false));
    let drawn = flat(&stored, &net);
    let labels = labels(&drawn);
    assert!(labels.len() <= 60, "{}", labels.len());
    assert!(labels.iter().any(|label| label.text == "router"));
    let clusters = labels.iter().filter(|label| label.text.starts_with("cluster")).count();
    assert!(clusters > 5, "{clusters}");
    for label in &labels {
        assert!(!label.text.contains("example"), "{} does not tell it apart", label.text);
    }
    let halves = [(0.0, 450.0), (450.0, 900.0)];
    for (from, to) in halves {
        let here = labels.iter().filter(|label| (from..to).contains(&label.at.x)).count();
        assert!(here >= labels.len() / 5, "{here} from {from}");
    }
}

fn via_names(solid: &Solid, arrow: &TimeArrow) -> Vec<String> {
    solid.via(arrow).iter().map(|place| solid.nodes[*place as usize].name.clone()).collect()
}

/// Messages between clusters that were summed up pass the switches that all of them pass. Those that
/// are drawn one by one go straight.
#[test]
fn bundles_go_along_the_routes_of_the_network() {
    let (stored, net) = (trace(3), platform(3, false));
    let n_links = 12;
    let straight = in_space(&stored, stored.whole(), on(Base::Topology), &net);
    assert_eq!(straight.solid.arrows.len(), n_links);
    assert!(straight.solid.vias.is_empty());
    let options = SolidOptions { arrows: 5, ..on(Base::Topology) };
    let drawn = in_space(&stored, stored.whole(), options.clone(), &net);
    let mut found: Vec<(String, u64, Vec<String>)> = (drawn.solid.arrows.iter())
        .map(|arrow| {
            let from = drawn.solid.nodes[arrow.ends.0 as usize].name.clone();
            (from, arrow.count, via_names(&drawn.solid, arrow))
        })
        .collect();
    found.sort();
    let over = |switch: &str| [switch, "router", "switch0"].map(str::to_owned).to_vec();
    let expected = [("cluster1", "switch1"), ("cluster2", "switch2")];
    assert_eq!(found, expected.map(|(from, switch)| (from.to_owned(), 4, over(switch))));
    // Without a network on the base there is nothing to go along.
    let on_graph = SolidOptions { base: Base::Graph, ..options };
    let drawn = in_space(&stored, stored.whole(), on_graph, &net);
    assert!(drawn.solid.vias.is_empty());
}

fn routed(name: &str) -> NetworkOptions {
    NetworkOptions { route: Some(name.to_owned()), ..NetworkOptions::default() }
}

/// The last of twelve machines sends its message, of the key 11, over two switches and the router.
#[test]
fn the_route_of_a_message_is_drawn_in_space_and_flat() {
    let (stored, net) = (trace(3), platform(3, false));
    let options = SolidOptions { network: routed("11"), ..on(Base::Topology) };
    let drawn = in_space(&stored, stored.whole(), options.clone(), &net);
    let route = drawn.solid.route.as_ref().expect("a route");
    let names: Vec<&str> =
        route.places.iter().map(|place| drawn.solid.nodes[*place as usize].name.as_str()).collect();
    let (first, last) = (host_name(11), host_name(0));
    assert_eq!(names, [first.as_str(), "switch2", "router", "switch0", last.as_str()]);
    // From 1 s to 1.5 s of 4 s.
    assert!((route.times.0 - 0.25).abs() < 1e-9 && (route.times.1 - 0.375).abs() < 1e-9);
    assert!(drawn.notes.iter().any(|note| note.contains("switch2 → router → switch0")));
    let flat_options = TopologyOptions { network: routed("11"), ..TopologyOptions::default() };
    let (scope, looks) = (stored.scope(stored.whole()), stored.appearance());
    let canvas = Canvas { width: 900.0, height: 700.0, theme: Theme::Light, titles: true };
    let drawn = topology::scene(&scope, &looks, &net, &canvas, &flat_options).expect("a scene");
    let arrows = drawn.scene.layers.iter().find_map(|layer| match layer {
        Layer::Arrows(arrows) => Some(arrows),
        _ => None,
    });
    let accent = Theme::Light.colors().accent;
    let legs: Vec<&Arrow> =
        arrows.expect("arrows").iter().filter(|arrow| arrow.color == accent).collect();
    assert_eq!(legs.len(), 4);
    assert!(legs.iter().all(|leg| leg.head), "each leg has its direction");
    assert!(labels(&drawn).iter().any(|label| label.text == "router" && label.color == accent));
    assert!(drawn.notes.iter().any(|note| note.contains("assumed")), "{:?}", drawn.notes);
    // On a base without a network there is nothing to draw it on.
    let options = SolidOptions { base: Base::Graph, ..options };
    let stage = Stage { height: 600.0, theme: Theme::Light };
    let failed = scene(&scope, &looks, Some(&net), stage, &options, &ColumnCache::default());
    assert!(failed.is_err_and(|why| why.to_string().contains("base topology")));
}
