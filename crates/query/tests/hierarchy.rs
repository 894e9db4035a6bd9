//! The tree of what is seen, with groups, imported trees, orders and shared rows, against naive
//! computations.

mod choice;
mod plain;

use std::collections::{BTreeMap, BTreeSet};

use choice::{Choice, Reference};
use onca_model::{ContainerId, Ticks, Window};
use onca_query::{
    GroupSpec, Hierarchy, HierarchySpec, Lens, NodeId, OrderKey, OrderSpec, Scope, TreeNode,
    compare_names, rows,
};
use plain::Plain;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use regex::bytes::Regex;

const SEEDS: u64 = 100;

/// Random traces, each with a random selection of containers.
fn check_all(lenses: usize, check: impl Fn(&Plain, &Choice, &mut ChaCha8Rng)) {
    for seed in 0..SEEDS {
        let plain = Plain::random(seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..lenses {
            let choice = Choice::of_containers(&mut rng, &plain);
            check(&plain, &choice, &mut rng);
        }
    }
}

fn whole(plain: &Plain) -> Window {
    Window::new(plain.catalog.facts.start, plain.catalog.facts.end)
}

fn scope<'p>(plain: &'p Plain, lens: &Lens, window: Window) -> Scope<'p> {
    Scope::new(&plain.store, lens, window).unwrap_or_else(|error| panic!("{lens:?}: {error}"))
}

fn seen(plain: &Plain, choice: &Choice) -> Vec<usize> {
    (0..plain.n_containers()).filter(|&id| choice.containers.leaves(id)).collect()
}

fn node_of(hierarchy: &Hierarchy, container: usize) -> Option<NodeId> {
    hierarchy.node_of(ContainerId(container as u32))
}

/// What holds for every hierarchy: it is a tree, and counts each seen container once.
fn check_tree(plain: &Plain, choice: &Choice, hierarchy: &Hierarchy) {
    for node in hierarchy.nodes().skip(1) {
        let parent = hierarchy.parent(node);
        assert!(parent < node, "a parent comes first");
        assert!(hierarchy.children(parent).contains(&node));
        assert_eq!(hierarchy.depth(node), hierarchy.depth(parent) + 1);
    }
    let n_children: usize = hierarchy.nodes().map(|node| hierarchy.children(node).len()).sum();
    assert_eq!(n_children + 1, hierarchy.len());
    let order = hierarchy.preorder();
    assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), hierarchy.len());
    let members: Vec<usize> = hierarchy.members().map(|(id, _)| id.index()).collect();
    assert_eq!(members, seen(plain, choice), "each seen container counts once");
    let mut counts = vec![0i128; hierarchy.len()];
    hierarchy.members().for_each(|(_, node)| counts[node.index()] += 1);
    hierarchy.sum_up(&mut counts);
    assert_eq!(counts[0], members.len() as i128);
    let empty = hierarchy.nodes().skip(1).find(|node| counts[node.index()] == 0);
    assert_eq!(empty, None, "a node stands for something");
}

#[test]
fn without_groups_nodes_are_the_seen_containers_and_those_above() {
    check_all(6, |plain, choice, _| {
        let lens = Lens { select: choice.selection(plain), ..Lens::clear() };
        let scope = scope(plain, &lens, whole(plain));
        let hierarchy = scope.hierarchy();
        check_tree(plain, choice, hierarchy);
        let lineages = seen(plain, choice).into_iter().flat_map(|id| plain.lineage(id));
        let expected: BTreeSet<usize> = lineages.chain([0]).collect();
        let containers = hierarchy.nodes().map(|node| hierarchy.container(node).expect("one"));
        let found: BTreeSet<usize> = containers.map(ContainerId::index).collect();
        assert_eq!(found, expected);
        for node in hierarchy.nodes().skip(1) {
            let container = hierarchy.container(node).expect("one").index();
            let parent = hierarchy.container(hierarchy.parent(node)).expect("one").index();
            assert_eq!(parent, plain.parent(container));
        }
    });
}

/// A group of a lens with what it means.
enum Rule {
    Set(String, Reference),
    Pattern(Regex, Option<Vec<u8>>),
    Level(Vec<u8>),
    Depth(usize),
}

/// What a container counts for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Owner {
    /// A container that stays: itself, or one above it.
    Container(usize),
    /// A group: its rule, the container within which it is, its name.
    Group(usize, Option<usize>, Vec<u8>),
}

const EXPRESSIONS: [&str; 4] = [r"(\d)$", r"^Node (\d)", "^[NM]", r"(o).*(\d)"];

impl Rule {
    fn random(rng: &mut ChaCha8Rng, plain: &Plain) -> (Self, GroupSpec) {
        let types = plain.container_types();
        let type_id = types[rng.random_range(0..types.len())];
        let name = plain.catalog.type_def(type_id).name.clone();
        let text = String::from_utf8(name.clone());
        match (rng.random_range(0..4), text) {
            (0, Ok(text)) => (Self::Level(name), GroupSpec::Level(text)),
            (1, _) => {
                let depth = rng.random_range(0..4);
                (Self::Depth(depth), GroupSpec::Depth(depth))
            }
            (2, text) => {
                let expression = EXPRESSIONS[rng.random_range(0..EXPRESSIONS.len())].to_owned();
                let within = text.ok().filter(|_| rng.random_bool(0.5));
                let regex = Regex::new(&expression).expect("an expression");
                let kind = within.as_ref().map(|_| name);
                (Self::Pattern(regex, kind), GroupSpec::Pattern { expression, within })
            }
            _ => {
                let reference = choice::container(rng, plain);
                let name = format!("group {}", rng.random_range(0..3));
                let of = vec![reference.text.clone()];
                (Self::Set(name.clone(), reference), GroupSpec::Containers { name, of })
            }
        }
    }

    /// What takes a container that this rule matches.
    fn matches(&self, plain: &Plain, number: usize, container: usize) -> Option<Owner> {
        let lineage = plain.lineage(container);
        match self {
            Self::Level(kind) => {
                (plain.kind(container) == kind).then_some(Owner::Container(container))
            }
            Self::Depth(depth) => {
                (lineage.len() - 1 == *depth).then_some(Owner::Container(container))
            }
            _ if container == 0 => None,
            Self::Set(name, reference) => (reference.meaning.contains(&container))
                .then(|| Owner::Group(number, None, name.clone().into_bytes())),
            Self::Pattern(regex, within) => {
                let found = regex.captures(plain.name(container))?;
                let parts: Vec<&[u8]> = match found.len() {
                    1 => vec![&found[0]],
                    n => (1..n).filter_map(|group| Some(found.get(group)?.as_bytes())).collect(),
                };
                let above = within.as_ref().and_then(|kind| {
                    lineage.iter().rev().copied().find(|&id| plain.kind(id) == kind)
                });
                Some(Owner::Group(number, above, parts.join(&b' ')))
            }
        }
    }
}

/// What a container counts for: the first rule that takes it, or one above it that no earlier
/// rule has taken, from the top.
fn owner(plain: &Plain, rules: &[Rule], container: usize) -> Option<Owner> {
    rules.iter().enumerate().find_map(|(number, rule)| {
        plain.lineage(container).into_iter().find_map(|above| {
            let taken = owner(plain, &rules[..number], above).is_some();
            if taken { None } else { rule.matches(plain, number, above) }
        })
    })
}

#[test]
fn groups_take_what_the_first_fitting_rule_gives_them() {
    check_all(8, |plain, choice, rng| {
        let n = rng.random_range(1..4);
        let (rules, group): (Vec<_>, Vec<_>) = (0..n).map(|_| Rule::random(rng, plain)).unzip();
        let lens = Lens { select: choice.selection(plain), group, ..Lens::clear() };
        let scope = scope(plain, &lens, whole(plain));
        let hierarchy = scope.hierarchy();
        check_tree(plain, choice, hierarchy);
        let mut nodes: BTreeMap<Owner, NodeId> = BTreeMap::new();
        for id in seen(plain, choice) {
            let owner = owner(plain, &rules, id).unwrap_or(Owner::Container(id));
            let node = node_of(hierarchy, id).expect("counted");
            match &owner {
                Owner::Container(id) => {
                    assert_eq!(hierarchy.container(node), Some(ContainerId(*id as u32)));
                }
                Owner::Group(_, _, name) => assert_eq!(scope.name(node), name),
            }
            assert_eq!(*nodes.entry(owner).or_insert(node), node, "one node for one group");
        }
        let distinct: BTreeSet<_> = nodes.values().collect();
        assert_eq!(distinct.len(), nodes.len(), "a node for each group: {lens:?}");
    });
}

/// Where a container stands: names of imported nodes and numbers of containers, from the root.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Step {
    Imported(Vec<u8>),
    Container(usize),
}

fn found_position(plain: &Plain, hierarchy: &Hierarchy, mut node: NodeId) -> Vec<Step> {
    let mut steps = Vec::new();
    while node != NodeId::ROOT {
        steps.push(match hierarchy.container(node) {
            Some(id) => Step::Container(id.index()),
            None => Step::Imported(hierarchy.name(&plain.catalog.containers, node).to_vec()),
        });
        node = hierarchy.parent(node);
    }
    steps.reverse();
    steps
}

/// Where an imported tree puts a container.
#[derive(Clone)]
enum Place {
    As(Vec<Vec<u8>>),
    Below(Vec<Vec<u8>>),
}

/// A container is a node if it is seen and shows something, or if one below it needs it. Above
/// the placed ones, only what has rows of its own shows something.
fn is_node(plain: &Plain, seen: &[usize], places: &[Option<Place>], id: usize) -> bool {
    let children: Vec<usize> =
        (1..plain.n_containers()).filter(|&other| plain.parent(other) == id).collect();
    let placed = plain.lineage(id).iter().any(|&above| places[above].is_some());
    let shows = placed || children.is_empty() || plain.has_lanes(id);
    let needed = children
        .iter()
        .any(|&child| places[child].is_none() && is_node(plain, seen, places, child));
    needed || seen.contains(&id) && shows
}

fn position(plain: &Plain, seen: &[usize], places: &[Option<Place>], id: usize) -> Vec<Step> {
    let imported = |path: &[Vec<u8>]| path.iter().cloned().map(Step::Imported).collect::<Vec<_>>();
    if id == 0 || !is_node(plain, seen, places, id) {
        return Vec::new();
    }
    let mut steps = match &places[id] {
        Some(Place::As(path)) => return imported(path),
        Some(Place::Below(path)) => imported(path),
        None => position(plain, seen, places, plain.parent(id)),
    };
    steps.push(Step::Container(id));
    steps
}

fn check_import(plain: &Plain, choice: &Choice, spec: HierarchySpec, places: &[Option<Place>]) {
    let lens = Lens { select: choice.selection(plain), hierarchy: Some(spec), ..Lens::clear() };
    let scope = scope(plain, &lens, whole(plain));
    let hierarchy = scope.hierarchy();
    check_tree(plain, choice, hierarchy);
    let seen = seen(plain, choice);
    for &id in &seen {
        let found = found_position(plain, hierarchy, node_of(hierarchy, id).expect("counted"));
        assert_eq!(found, position(plain, &seen, places, id), "container {id}: {lens:?}");
    }
}

#[test]
fn a_written_tree_takes_containers_by_name() {
    check_all(6, |plain, choice, rng| {
        // Some nodes are called like containers, some only like a part of a name.
        let mut names: BTreeSet<String> = ["1", "2", "3", "site"].map(str::to_owned).into();
        for id in 1..plain.n_containers() {
            if let Ok(name) = String::from_utf8(plain.name(id).to_vec())
                && rng.random_bool(0.5)
            {
                names.insert(name);
            }
        }
        let names: Vec<String> = names.into_iter().collect();
        let parents: Vec<Option<usize>> = (0..names.len())
            .map(|index| (index > 0 && rng.random_bool(0.6)).then(|| rng.random_range(0..index)))
            .collect();
        let nodes = names.iter().zip(&parents).map(|(name, parent)| TreeNode {
            name: name.clone(),
            kind: None,
            parent: *parent,
        });
        let path_of = |name: &[u8]| {
            let mut at = names.iter().position(|other| other.as_bytes() == name);
            let mut path = Vec::new();
            while let Some(index) = at {
                path.push(names[index].clone().into_bytes());
                at = parents[index];
            }
            path.reverse();
            (!path.is_empty()).then_some(path)
        };
        let place = rng.random_bool(0.5).then_some(r"(\d)$");
        let expression = place.map(|place| Regex::new(place).expect("an expression"));
        let places: Vec<Option<Place>> = (0..plain.n_containers())
            .map(|id| match &expression {
                _ if id == 0 => None,
                None => path_of(plain.name(id)).or_else(|| path_of(plain.alias(id))).map(Place::As),
                Some(expression) => {
                    path_of(&expression.captures(plain.name(id))?[1]).map(Place::Below)
                }
            })
            .collect();
        let spec = HierarchySpec::Tree { nodes: nodes.collect(), place: place.map(str::to_owned) };
        check_import(plain, choice, spec, &places);
    });
}

#[test]
fn a_group_takes_containers_that_became_imported_nodes() {
    check_all(2, |plain, choice, _| {
        let named = |&id: &usize| std::str::from_utf8(plain.name(id)).is_ok_and(|n| !n.is_empty());
        let Some(id) = seen(plain, choice).into_iter().filter(|id| *id > 0).find(named) else {
            return;
        };
        let name = String::from_utf8_lossy(plain.name(id)).into_owned();
        let node = TreeNode { name, kind: None, parent: None };
        let lens = Lens {
            select: choice.selection(plain),
            hierarchy: Some(HierarchySpec::Tree { nodes: vec![node], place: None }),
            group: vec![GroupSpec::Containers { name: "one".into(), of: vec![format!("#{id}")] }],
            ..Lens::clear()
        };
        let scope = scope(plain, &lens, whole(plain));
        check_tree(plain, choice, scope.hierarchy());
        let node = node_of(scope.hierarchy(), id).expect("counted");
        assert_eq!(scope.name(node), b"one");
    });
}

#[test]
fn a_tree_of_names_takes_the_topmost_that_match() {
    const PATTERN: &str = r"^(?<word>\w+) (?<first>\d)(?<second>\d)?";
    let expression = Regex::new(PATTERN).expect("an expression");
    check_all(6, |plain, choice, rng| {
        let levels: &[&str] = match rng.random_range(0..3) {
            0 => &["first"],
            1 => &["word", "second"],
            _ => &["second", "first", "word"],
        };
        let matched = |id: usize| {
            let found = (id != 0).then(|| expression.captures(plain.name(id)))??;
            let part = |level: &&str| found.name(level).map_or(Vec::new(), |m| m.as_bytes().into());
            Some(levels.iter().map(part).collect::<Vec<_>>())
        };
        let places: Vec<Option<Place>> = (0..plain.n_containers())
            .map(|id| {
                let lineage = plain.lineage(id);
                let topmost = lineage.into_iter().find(|&above| matched(above).is_some());
                matched(id).filter(|_| topmost == Some(id)).map(Place::Below)
            })
            .collect();
        // An expression that places nothing leaves the tree as it is.
        if places.iter().any(Option::is_some) {
            let levels = levels.iter().map(|&level| level.to_owned()).collect();
            let spec = HierarchySpec::Names { pattern: PATTERN.to_owned(), levels };
            check_import(plain, choice, spec, &places);
        }
    });
}

/// The number that orders a node, from its members.
fn metric(plain: &Plain, key: &OrderKey, window: Window, members: &[usize]) -> i128 {
    let is_member = |id: ContainerId| members.contains(&id.index());
    match key {
        OrderKey::End => (members.iter())
            .map(|&id| i128::from(plain.catalog.containers.ends[id]))
            .max()
            .unwrap_or(i128::MIN),
        OrderKey::Messages => unreachable!("links are counted by the caller"),
        OrderKey::Time(values) => {
            let counts = |value: onca_model::ValueId| {
                let def = plain.catalog.value(value);
                let called = |name: &[u8]| values.iter().any(|wanted| wanted.as_bytes() == name);
                called(&def.name) || def.alias.as_deref().is_some_and(called)
            };
            let states =
                (plain.rows.states.iter()).filter(|(lane, _, _)| is_member(plain.place(*lane).0));
            states
                .map(|(_, _, row)| {
                    let time = i128::from(window.overlap(row.start, row.end));
                    let own = if counts(row.value) { time } else { 0 };
                    let outer = if row.parent.is_some_and(counts) { time } else { 0 };
                    own - outer
                })
                .sum()
        }
        OrderKey::Creation | OrderKey::Name => 0,
    }
}

#[test]
fn siblings_stand_in_the_order_that_was_asked_for() {
    check_all(6, |plain, choice, rng| {
        let by = match rng.random_range(0..4) {
            0 => OrderKey::Creation,
            1 => OrderKey::Name,
            2 => OrderKey::End,
            _ => match plain.catalog.values.iter().any(|value| value.name == b"x") {
                true => OrderKey::Time(vec!["x".to_owned()]),
                false => OrderKey::End,
            },
        };
        let by_hand: Vec<Reference> =
            (0..rng.random_range(0..3)).map(|_| choice::container(rng, plain)).collect();
        let order = OrderSpec {
            by: by.clone(),
            descending: rng.random_bool(0.5),
            first: by_hand.iter().map(|one| one.text.clone()).collect(),
        };
        let descending = order.descending;
        let window = plain.window(rng);
        // Ticks beyond the trace would overflow a naive sum.
        let window = if window == Window::ALL { whole(plain) } else { window };
        let lens = Lens { select: choice.selection(plain), order, ..Lens::clear() };
        let scope = scope(plain, &lens, window);
        let hierarchy = scope.hierarchy();
        let container = |node: NodeId| hierarchy.container(node).expect("one").index();
        let seen = seen(plain, choice);
        let key = |node: NodeId| {
            let own = container(node);
            let members: Vec<usize> =
                seen.iter().copied().filter(|&id| plain.lies_in(id, own)).collect();
            let rank = by_hand.iter().position(|one| one.meaning.contains(&own));
            (rank.unwrap_or(usize::MAX), metric(plain, &by, window, &members), own)
        };
        for node in hierarchy.nodes() {
            let mut expected = hierarchy.children(node).to_vec();
            expected.sort_by(|&a, &b| {
                let ((rank_a, metric_a, id_a), (rank_b, metric_b, id_b)) = (key(a), key(b));
                let by_key = match by {
                    OrderKey::Name => compare_names(plain.name(id_a), plain.name(id_b)),
                    OrderKey::Creation => id_a.cmp(&id_b),
                    _ => metric_a.cmp(&metric_b),
                };
                let by_key = if descending { by_key.reverse() } else { by_key };
                rank_a.cmp(&rank_b).then(by_key).then(id_a.cmp(&id_b))
            });
            assert_eq!(hierarchy.children(node), expected, "{lens:?}");
        }
    });
}

#[test]
fn those_with_many_messages_stand_last() {
    check_all(2, |plain, choice, rng| {
        let window = plain.window(rng);
        let order = OrderSpec { by: OrderKey::Messages, ..OrderSpec::default() };
        let lens = Lens { select: choice.selection(plain), order, ..Lens::clear() };
        let scope = scope(plain, &lens, window);
        let hierarchy = scope.hierarchy();
        let closed = scope.instants();
        let is_seen =
            |id: Option<ContainerId>| id.is_none_or(|id| choice.containers.leaves(id.index()));
        let ends: Vec<usize> = (plain.rows.links.iter())
            .map(|(_, _, row)| row)
            .filter(|row| closed.touches(row.start.min(row.end), row.start.max(row.end)))
            .filter(|row| is_seen(row.source) && is_seen(row.destination))
            .flat_map(|row| [row.source, row.destination])
            .flatten()
            .map(ContainerId::index)
            .collect();
        let messages = |node: NodeId| {
            let own = hierarchy.container(node).expect("one").index();
            let n = ends.iter().filter(|&&end| plain.lies_in(end, own)).count();
            (n, own)
        };
        for node in hierarchy.nodes() {
            let found: Vec<_> = hierarchy.children(node).iter().map(|&n| messages(n)).collect();
            assert!(found.is_sorted(), "{found:?}");
        }
    });
}

#[test]
fn shared_rows_hold_one_container_at_a_time_and_are_as_few_as_possible() {
    check_all(4, |plain, choice, rng| {
        let types = plain.container_types().into_iter().filter(|_| rng.random_bool(0.6));
        let names = types.map(|id| plain.catalog.type_def(id).name.clone());
        let reuse: Vec<String> = names.filter_map(|name| String::from_utf8(name).ok()).collect();
        let lens =
            Lens { select: choice.selection(plain), reuse_rows: reuse.clone(), ..Lens::clear() };
        let scope = scope(plain, &lens, whole(plain));
        let hierarchy = scope.hierarchy();
        let life = |node: NodeId| -> (Ticks, Ticks) {
            let id = hierarchy.container(node).expect("one").index();
            (plain.catalog.containers.starts[id], plain.catalog.containers.ends[id])
        };
        let shares = |node: NodeId| {
            hierarchy.children(node).is_empty()
                && reuse.iter().any(|kind| kind.as_bytes() == hierarchy.kind(node))
        };
        let rows = rows(&scope);
        let mut all: Vec<NodeId> = rows.iter().flat_map(|row| row.nodes.clone()).collect();
        all.sort();
        assert_eq!(all, hierarchy.nodes().skip(1).collect::<Vec<_>>(), "each node once");
        let mut n_rows: BTreeMap<(NodeId, Vec<u8>), usize> = BTreeMap::new();
        for row in &rows {
            let first = row.nodes[0];
            let group = |node: NodeId| (hierarchy.parent(node), hierarchy.kind(node).to_vec());
            if shares(first) {
                *n_rows.entry(group(first)).or_default() += 1;
            } else {
                assert_eq!(row.nodes.len(), 1);
            }
            for pair in row.nodes.windows(2) {
                assert_eq!(group(pair[0]), group(pair[1]), "one kind, one parent");
                assert!(life(pair[0]).1 <= life(pair[1]).0, "one after the other");
            }
        }
        // As many rows as ever live at once, seen from where each begins.
        for ((parent, kind), n) in n_rows {
            let nodes: Vec<NodeId> = (hierarchy.children(parent).iter().copied())
                .filter(|&node| shares(node) && hierarchy.kind(node) == kind)
                .collect();
            let at_once = |node: NodeId| {
                let (start, end) = life(node);
                let others = nodes.iter().filter(|&&other| {
                    // An instant has its place before what begins then.
                    let begun = life(other).0 < start || life(other).0 == start && end > start;
                    other != node && begun && life(other).1 > start
                });
                others.count() + 1
            };
            assert_eq!(n, nodes.iter().map(|&node| at_once(node)).max().unwrap_or(0));
        }
    });
}

/// A chain of containers, each in the one before: the paths of all of them must not be as long as the chain.
#[test]
fn a_long_path_names_its_last_levels() {
    let mut body = "7 0 c1 P 0 c1\n".to_owned();
    for number in 2..=100 {
        body += &format!("7 0 c{number} P c{} c{number}\n", number - 1);
    }
    let plain = Plain::of(onca_testkit::fixtures::trace(&body).as_bytes());
    let scope = scope(&plain, &Lens::default(), whole(&plain));
    let path = |number: usize| {
        let name = format!("c{number}");
        let named = |id: &usize| plain.name(*id) == name.as_bytes();
        let container = (0..plain.n_containers()).find(named).expect("a container");
        scope.path(node_of(scope.hierarchy(), container).expect("a node"))
    };
    assert_eq!(path(2), "/c1/c2");
    assert_eq!(path(64), (1..=64).map(|number| format!("/c{number}")).collect::<String>());
    let last: String = (37..=100).map(|number| format!("/c{number}")).collect();
    assert_eq!(path(100), format!("/(36 more){last}"));
}
