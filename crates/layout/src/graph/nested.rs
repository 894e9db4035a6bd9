//! Places by a hierarchy: groups are circles inside circles, and what has one neighbour stands around
//! it.
//!
//! From the inside outwards, what a group holds is put side by side: what is joined near each other,
//! and nothing on anything else. A node around which at least [`FEWEST_LEAVES`] others stand that are
//! joined to nothing else becomes the middle of rings, as a switch with its machines is.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;

use super::{Graph, Method, Spot, place};

/// Which groups there are, and who is in which.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Nesting {
    /// By node: the group that it is in.
    pub group_of: Vec<Option<usize>>,
    /// By group: the group around it, which comes before it.
    pub parents: Vec<Option<usize>>,
    /// By node: is it only a mark on the way between others? It needs no room of its own.
    pub between: Vec<bool>,
}

impl Nesting {
    /// Is a group another one, or inside it?
    fn is_in(&self, mut group: usize, outer: usize) -> bool {
        // What is inside comes after what is around it.
        while group > outer {
            match self.parents.get(group) {
                Some(Some(parent)) if *parent < group => group = *parent,
                _ => return false,
            }
        }
        group == outer
    }
}

/// A circle on the plane.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Circle {
    /// Its middle.
    pub centre: Spot,
    /// From its middle to its rim.
    pub radius: f64,
}

/// Places by a hierarchy.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Nested {
    /// The place of every node, in the square from -1 to 1.
    pub spots: Vec<Spot>,
    /// Circles of this radius around all nodes that need room do not overlap.
    pub radius: f64,
    /// The circles of all groups.
    pub circles: Vec<Circle>,
}

/// A node with this many others that are joined to nothing else stands in their middle.
const FEWEST_LEAVES: usize = 3;
/// Circles are at least this far apart; nodes have a radius of 1.
const GAP: f64 = 0.35;
/// Inside a ring this share of its radius is free, for what joins it to the middle.
const HOLE: f64 = 0.4;
/// The innermost ring.
const FIRST_RING: f64 = 2.8;
/// A circle leaves this much around what it holds, and this share of its radius.
const MARGIN: (f64, f64) = (0.5, 0.04);
/// Nodes that no group or star is among are spread by this factor.
const WIDE: f64 = 1.7;
/// Pairs that are looked at while things find their places; more things have fewer rounds.
const MOST_STEPS: usize = 6_000_000;
const MOST_ROUNDS: usize = 300;
const FEWEST_ROUNDS: usize = 30;
/// How strongly what is joined pulls, and how strongly the middle does.
const PULL: f64 = 0.08;
const GRAVITY: f64 = 0.01;

/// Puts the nodes of a graph into circles by a hierarchy.
pub fn place_nested(graph: &Graph, nesting: &Nesting, seed: u64) -> Nested {
    let contracted = Contracted::new(graph, nesting);
    let mut maker = Maker {
        contracted: &contracted,
        nesting,
        seed,
        spots: vec![Spot::default(); graph.len()],
        circles: vec![Circle::default(); nesting.parents.len()],
        members: members(graph.len(), nesting),
    };
    maker.group(None);
    maker.turn_groups();
    let Maker { mut spots, mut circles, .. } = maker;
    contracted.put_between(graph, &mut spots);
    let rims = spots.iter().map(|&centre| Circle { centre, radius: 1.0 });
    let rims: Vec<Circle> = rims.chain(circles.iter().copied()).collect();
    let (x, y) = (reach(&rims, |spot| spot.x), reach(&rims, |spot| spot.y));
    let scale = 2.0 / (x.1 - x.0).max(y.1 - y.0).max(2.0);
    let fit = |spot: Spot| {
        Spot::new((spot.x - (x.0 + x.1) / 2.0) * scale, (spot.y - (y.0 + y.1) / 2.0) * scale)
    };
    spots.iter_mut().for_each(|spot| *spot = fit(*spot));
    for circle in &mut circles {
        *circle = Circle { centre: fit(circle.centre), radius: circle.radius * scale };
    }
    Nested { spots, radius: scale, circles }
}

/// From where to where circles reach along an axis.
fn reach(circles: &[Circle], of: fn(&Spot) -> f64) -> (f64, f64) {
    let low = circles.iter().map(|circle| of(&circle.centre) - circle.radius);
    let high = circles.iter().map(|circle| of(&circle.centre) + circle.radius);
    (low.fold(f64::INFINITY, f64::min), high.fold(f64::NEG_INFINITY, f64::max))
}

/// What is in each group, and in none: the groups, then the nodes.
struct Members {
    groups: Vec<Vec<usize>>,
    nodes: Vec<Vec<usize>>,
}

fn members(n_nodes: usize, nesting: &Nesting) -> Members {
    // The last is the whole.
    let n = nesting.parents.len();
    let slot = |group: Option<usize>| group.filter(|group| *group < n).unwrap_or(n);
    let mut found = Members { groups: vec![Vec::new(); n + 1], nodes: vec![Vec::new(); n + 1] };
    for (group, parent) in nesting.parents.iter().enumerate() {
        let before = parent.filter(|parent| *parent < group);
        found.groups[slot(before)].push(group);
    }
    for node in 0..n_nodes {
        found.nodes[slot(nesting.group_of.get(node).copied().flatten())].push(node);
    }
    found
}

/// A graph without what only lies between others.
struct Contracted {
    /// The nodes that need room.
    stands: Vec<bool>,
    /// For what lies at one other: which.
    at: Vec<Option<usize>>,
    /// For what lies between two others: which.
    between: Vec<Option<(usize, usize)>>,
    /// Who is joined, directly or through what lies between.
    graph: Graph,
}

impl Contracted {
    fn new(graph: &Graph, nesting: &Nesting) -> Self {
        let is_between = |node: usize| nesting.between.get(node).copied().unwrap_or(false);
        let n = graph.len();
        let (mut stands, mut at, mut between) = (vec![true; n], vec![None; n], vec![None; n]);
        for node in (0..n).filter(|&node| is_between(node)) {
            let neighbours = graph.neighbours(node).iter().map(|&other| other as usize);
            let solid: Vec<usize> = neighbours.filter(|&other| !is_between(other)).collect();
            match (solid.as_slice(), graph.neighbours(node)) {
                (&[a, b], _) => between[node] = Some((a, b)),
                (&[owner], [_, _, ..]) => at[node] = Some(owner),
                (&[], &[a, b]) => between[node] = Some((a as usize, b as usize)),
                _ => continue,
            }
            stands[node] = false;
        }
        let owner = |node: usize| at[node].unwrap_or(node);
        let mut edges = BTreeSet::new();
        let mut join = |a: usize, b: usize| {
            if a != b && stands[a] && stands[b] {
                edges.insert((a.min(b), a.max(b)));
            }
        };
        graph.edges().for_each(|(a, b)| join(owner(a), owner(b)));
        between.iter().flatten().for_each(|&(a, b)| join(owner(a), owner(b)));
        let graph = Graph::new(n, edges);
        Self { stands, at, between, graph }
    }

    /// What lies at another is put on its rim, towards what it is joined to; the rest halfway.
    fn put_between(&self, graph: &Graph, spots: &mut [Spot]) {
        let mut n_at: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        self.at.iter().flatten().for_each(|owner| n_at.entry(*owner).or_default().0 += 1);
        let mean = |node: usize, except: usize, spots: &[Spot]| {
            let others = graph.neighbours(node).iter().map(|&other| other as usize);
            let others = others.filter(|other| *other != except);
            let others = others.map(|other| self.at[other].unwrap_or(other));
            let (n, x, y) = others.fold((0.0, 0.0, 0.0), |(n, x, y), other| {
                (n + 1.0, x + spots[other].x, y + spots[other].y)
            });
            (n > 0.0).then(|| Spot::new(x / n, y / n))
        };
        let between = (0..graph.len()).filter(|&node| !self.stands[node]);
        let (owned, free): (Vec<usize>, Vec<usize>) =
            between.partition(|&node| self.at[node].is_some());
        for node in owned {
            let Some(owner) = self.at[node] else { continue };
            let Some((n, next)) = n_at.get_mut(&owner) else { continue };
            let towards = mean(node, owner, spots).unwrap_or_default();
            let from = spots[owner];
            let side = (*next as f64 - (*n as f64 - 1.0) / 2.0) * (0.5f64).min(TAU / *n as f64);
            *next += 1;
            let angle = (towards.y - from.y).atan2(towards.x - from.x) + side;
            spots[node] = Spot::new(from.x + angle.cos(), from.y + angle.sin());
        }
        // Several between the same two lie side by side.
        let mut n_there: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
        for &(a, b) in self.between.iter().flatten() {
            n_there.entry((a.min(b), a.max(b))).or_default().0 += 1;
        }
        for node in free {
            let Some((a, b)) = self.between[node] else { continue };
            let pair = (a.min(b), a.max(b));
            let (n, nth) = n_there.entry(pair).or_default();
            let aside = ASIDE * (*nth as f64 - (*n as f64 - 1.0) / 2.0);
            *nth += 1;
            let (a, b) = pair;
            let (a, b) = (spots[a], spots[b]);
            let length = a.distance(b).max(1e-9);
            let (x, y) = ((b.y - a.y) / length, (a.x - b.x) / length);
            let middle = Spot::new((a.x + b.x) / 2.0, (a.y + b.y) / 2.0);
            spots[node] = Spot::new(middle.x + aside * x, middle.y + aside * y);
        }
    }
}

/// What stands beside others in a group.
enum Item {
    Group(usize),
    /// A node in the middle of others.
    Star(usize, Vec<usize>),
    Node(usize),
}

struct Maker<'a> {
    contracted: &'a Contracted,
    nesting: &'a Nesting,
    seed: u64,
    spots: Vec<Spot>,
    circles: Vec<Circle>,
    members: Members,
}

impl Maker<'_> {
    /// Places what is in a group around the origin, and returns the circle around it.
    fn group(&mut self, group: Option<usize>) -> Circle {
        let slot = group.unwrap_or(self.nesting.parents.len());
        let items = self.items(slot);
        let mut radii = Vec::with_capacity(items.len());
        for item in &items {
            radii.push(match item {
                Item::Group(inner) => self.inner_group(*inner),
                Item::Star(hub, leaves) => self.star(*hub, leaves),
                Item::Node(_) => 1.0,
            });
        }
        let places = self.side_by_side(&items, &radii);
        for (item, to) in items.iter().zip(&places) {
            self.shift(item, *to);
        }
        let discs: Vec<Circle> = (places.iter().zip(&radii))
            .map(|(&centre, &radius)| Circle { centre, radius })
            .collect();
        around(&discs)
    }

    /// A group, with its middle at the origin.
    fn inner_group(&mut self, group: usize) -> f64 {
        let Circle { centre, radius } = self.group(Some(group));
        let radius = radius + MARGIN.0 + MARGIN.1 * radius;
        self.circles[group] = Circle { centre, radius };
        self.shift(&Item::Group(group), Spot::new(-centre.x, -centre.y));
        radius
    }

    /// What stands beside each other in a group: stars are found among its nodes.
    fn items(&self, slot: usize) -> Vec<Item> {
        let graph = &self.contracted.graph;
        let stands = |node: &&usize| self.contracted.stands[**node];
        let nodes: Vec<usize> = self.members.nodes[slot].iter().filter(stands).copied().collect();
        let mut leaves_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &node in &nodes {
            if let [hub] = graph.neighbours(node)
                && graph.degree(*hub as usize) > 1
                && nodes.binary_search(&(*hub as usize)).is_ok()
            {
                leaves_of.entry(*hub as usize).or_default().push(node);
            }
        }
        leaves_of.retain(|_, leaves| leaves.len() >= FEWEST_LEAVES);
        let around: BTreeSet<usize> = leaves_of.values().flatten().copied().collect();
        // A group without a node that stands has no circle.
        let groups = self.members.groups[slot].iter().filter(|group| self.holds_any(**group));
        let groups = groups.map(|&group| Item::Group(group));
        let alone = nodes.into_iter().filter(|node| !around.contains(node));
        let nodes = alone.map(|node| match leaves_of.remove(&node) {
            Some(leaves) => Item::Star(node, leaves),
            None => Item::Node(node),
        });
        groups.chain(nodes).collect()
    }

    fn holds_any(&self, group: usize) -> bool {
        self.members.nodes[group].iter().any(|&node| self.contracted.stands[node])
            || self.members.groups[group].iter().any(|&inner| self.holds_any(inner))
    }

    /// A node with others in rings around it; how far they reach.
    fn star(&mut self, hub: usize, leaves: &[usize]) -> f64 {
        let wide = 2.0 + GAP;
        // As many rings as leave the hole free: their area is that of all leaves.
        let reach = (leaves.len() as f64 * wide * wide
            / (std::f64::consts::PI * (1.0 - HOLE * HOLE)))
            .sqrt();
        let mut radius = (reach * HOLE).max(FIRST_RING);
        let fitting = |radius: f64| (TAU * radius / wide).floor().max(1.0) as usize;
        let (mut left, mut rings) = (leaves.len(), Vec::new());
        while left > 0 {
            let n = fitting(radius).min(left);
            rings.push((radius, n));
            left -= n;
            radius += wide;
        }
        // The last ring is not left nearly empty: all have the same share of what fits.
        let room: usize = rings.iter().map(|(radius, _)| fitting(*radius)).sum();
        let (mut before, mut done) = (0usize, 0usize);
        self.spots[hub] = Spot::default();
        let n_rings = rings.len();
        for (at, (radius, _)) in rings.iter().enumerate() {
            before += fitting(*radius);
            let until = match at + 1 == n_rings {
                true => leaves.len(),
                false => (leaves.len() * before).div_ceil(room).min(leaves.len()),
            };
            let until = until.min(done + fitting(*radius));
            for (nth, &leaf) in leaves[done..until].iter().enumerate() {
                // Rings are turned, so that what joins one to the middle passes between others.
                let nth = nth as f64 + if at % 2 == 0 { 0.0 } else { 0.5 };
                let angle = TAU * nth / (until - done) as f64;
                self.spots[leaf] = Spot::new(radius * angle.sin(), radius * angle.cos());
            }
            done = until;
        }
        rings.last().map_or(1.0, |(radius, _)| radius + 1.0)
    }

    /// Moves an item and all that is in it.
    fn shift(&mut self, item: &Item, by: Spot) {
        let moved = |spot: Spot| Spot::new(spot.x + by.x, spot.y + by.y);
        match item {
            Item::Node(node) => self.spots[*node] = moved(self.spots[*node]),
            Item::Star(hub, leaves) => {
                for &node in leaves.iter().chain([hub]) {
                    self.spots[node] = moved(self.spots[node]);
                }
            }
            Item::Group(group) => {
                let mut waiting = vec![*group];
                while let Some(group) = waiting.pop() {
                    let circle = &mut self.circles[group];
                    circle.centre = moved(circle.centre);
                    for &node in &self.members.nodes[group] {
                        self.spots[node] = moved(self.spots[node]);
                    }
                    waiting.extend(&self.members.groups[group]);
                }
            }
        }
    }

    /// Turns what is in each group, the outermost first, so that what is joined to the outside looks
    /// there: the turn for which the squares of these distances sum up to the least.
    fn turn_groups(&mut self) {
        for group in 0..self.nesting.parents.len() {
            let inside = self.all_in(group);
            let centre = self.circles[group].centre;
            let (mut sine, mut cosine) = (0.0, 0.0);
            for (a, b) in self.contracted.graph.edges() {
                let (own, other) = match (inside[a], inside[b]) {
                    (true, false) => (self.spots[a], self.spots[b]),
                    (false, true) => (self.spots[b], self.spots[a]),
                    _ => continue,
                };
                let (x, y) = (own.x - centre.x, own.y - centre.y);
                let (to_x, to_y) = (other.x - centre.x, other.y - centre.y);
                sine += x * to_y - y * to_x;
                cosine += x * to_x + y * to_y;
            }
            if sine.hypot(cosine) < 1e-9 {
                continue;
            }
            let (sine, cosine) = sine.atan2(cosine).sin_cos();
            let turned = |spot: Spot| {
                let (x, y) = (spot.x - centre.x, spot.y - centre.y);
                Spot::new(centre.x + x * cosine - y * sine, centre.y + x * sine + y * cosine)
            };
            for node in (0..self.spots.len()).filter(|&node| inside[node]) {
                self.spots[node] = turned(self.spots[node]);
            }
            for (inner, circle) in self.circles.iter_mut().enumerate() {
                if self.nesting.is_in(inner, group) {
                    circle.centre = turned(circle.centre);
                }
            }
        }
    }

    /// By node: is it in a group, or in one inside it?
    fn all_in(&self, group: usize) -> Vec<bool> {
        let of_node = |node: usize| self.nesting.group_of.get(node).copied().flatten();
        let is_in = |node: usize| of_node(node).is_some_and(|own| self.nesting.is_in(own, group));
        (0..self.spots.len()).map(is_in).collect()
    }

    /// The places of items, so that none overlaps another.
    fn side_by_side(&self, items: &[Item], radii: &[f64]) -> Vec<Spot> {
        let graph = self.graph_of(items);
        let mut spots = place(&graph, Method::Force, self.seed);
        let scale = 1.2 * radii.iter().map(|radius| (radius + GAP).powi(2)).sum::<f64>().sqrt();
        spots.iter_mut().for_each(|spot| *spot = Spot::new(spot.x * scale, spot.y * scale));
        let alike = items.iter().all(|item| matches!(item, Item::Node(_)));
        let n_pairs = (items.len() * items.len() / 2).max(1);
        let rounds = (MOST_STEPS / n_pairs).clamp(FEWEST_ROUNDS, MOST_ROUNDS);
        for _ in 0..rounds {
            // Nodes alone keep the form that they have: a ring stays a ring.
            if !alike {
                pull(&graph, radii, &mut spots);
            }
            if !separate(radii, &mut spots) && alike {
                break;
            }
        }
        for _ in 0..rounds {
            if !separate(radii, &mut spots) {
                break;
            }
        }
        let mut spots = apart(radii, spots);
        if alike {
            // Room for what joins them to be seen.
            spots.iter_mut().for_each(|spot| *spot = Spot::new(WIDE * spot.x, WIDE * spot.y));
        }
        spots
    }

    /// Which items are joined.
    fn graph_of(&self, items: &[Item]) -> Graph {
        let mut item_of = vec![usize::MAX; self.spots.len()];
        for (at, item) in items.iter().enumerate() {
            match item {
                Item::Node(node) => item_of[*node] = at,
                Item::Star(hub, leaves) => {
                    leaves.iter().chain([hub]).for_each(|&node| item_of[node] = at);
                }
                Item::Group(group) => {
                    let mut waiting = vec![*group];
                    while let Some(group) = waiting.pop() {
                        self.members.nodes[group].iter().for_each(|&node| item_of[node] = at);
                        waiting.extend(&self.members.groups[group]);
                    }
                }
            }
        }
        let edges = self.contracted.graph.edges().map(|(a, b)| (item_of[a], item_of[b]));
        Graph::new(items.len(), edges)
    }
}

/// What is joined comes nearer, and everything to the middle.
fn pull(graph: &Graph, radii: &[f64], spots: &mut [Spot]) {
    for (a, b) in graph.edges() {
        let (x, y) = (spots[b].x - spots[a].x, spots[b].y - spots[a].y);
        let length = x.hypot(y).max(1e-9);
        let missing = length - radii[a] - radii[b] - GAP;
        if missing > 0.0 {
            let share = weight(radii, a, b);
            let by = PULL * missing / length;
            spots[a] = Spot::new(spots[a].x + by * share * x, spots[a].y + by * share * y);
            let share = 1.0 - share;
            spots[b] = Spot::new(spots[b].x - by * share * x, spots[b].y - by * share * y);
        }
    }
    for spot in spots.iter_mut() {
        *spot = Spot::new(spot.x * (1.0 - GRAVITY), spot.y * (1.0 - GRAVITY));
    }
}

/// How much of a move the first of two makes: the larger moves less.
fn weight(radii: &[f64], a: usize, b: usize) -> f64 {
    let (a, b) = (radii[a].powi(2), radii[b].powi(2));
    b / (a + b).max(1e-9)
}

/// Pushes apart what overlaps; was there any?
fn separate(radii: &[f64], spots: &mut [Spot]) -> bool {
    let mut any = false;
    for a in 0..spots.len() {
        for b in a + 1..spots.len() {
            let (x, y) = (spots[b].x - spots[a].x, spots[b].y - spots[a].y);
            let wanted = radii[a] + radii[b] + GAP;
            if x.abs() >= wanted || y.abs() >= wanted {
                continue;
            }
            let length = x.hypot(y);
            let missing = wanted - length;
            if missing <= 1e-6 {
                continue;
            }
            any = true;
            // Those at the same place go apart by their order.
            let (x, y) = match length > 1e-9 {
                true => (x / length, y / length),
                false => ((a as f64).cos(), (a as f64).sin()),
            };
            let share = weight(radii, a, b);
            spots[a] =
                Spot::new(spots[a].x - missing * share * x, spots[a].y - missing * share * y);
            let share = 1.0 - share;
            spots[b] =
                Spot::new(spots[b].x + missing * share * x, spots[b].y + missing * share * y);
        }
    }
    any
}

/// Places that are spread as far as it takes for nothing to overlap.
fn apart(radii: &[f64], mut spots: Vec<Spot>) -> Vec<Spot> {
    let mut factor = 1.0f64;
    for a in 0..spots.len() {
        for b in a + 1..spots.len() {
            let length = spots[a].distance(spots[b]).max(1e-6);
            factor = factor.max((radii[a] + radii[b]) / length);
        }
    }
    spots.iter_mut().for_each(|spot| *spot = Spot::new(spot.x * factor, spot.y * factor));
    spots
}

/// How far apart several marks between the same two are.
const ASIDE: f64 = 0.75;
/// How often the middle of a circle is improved.
const IMPROVED: usize = 200;

/// A circle around others that is hardly larger than it must be: its middle, at first that of their
/// extent, goes towards the farthest of them in steps that get smaller (Bădoiu and Clarkson, 2003).
fn around(discs: &[Circle]) -> Circle {
    if discs.is_empty() {
        return Circle { centre: Spot::default(), radius: 1.0 };
    }
    let middle = |(low, high): (f64, f64)| (low + high) / 2.0;
    let centre =
        Spot::new(middle(reach(discs, |spot| spot.x)), middle(reach(discs, |spot| spot.y)));
    let far = |centre: Spot| {
        let rim = |disc: &&Circle| centre.distance(disc.centre) + disc.radius;
        let farthest = discs.iter().max_by(|a, b| rim(a).total_cmp(&rim(b)));
        farthest.map_or((centre, 0.0), |disc| (disc.centre, rim(&disc)))
    };
    let mut best = (centre, far(centre).1);
    let mut at = centre;
    for step in 1..=IMPROVED {
        let (to, _) = far(at);
        let share = 1.0 / (step + 1) as f64;
        at = Spot::new(at.x + share * (to.x - at.x), at.y + share * (to.y - at.y));
        let radius = far(at).1;
        if radius < best.1 {
            best = (at, radius);
        }
    }
    Circle { centre: best.0, radius: best.1 }
}
