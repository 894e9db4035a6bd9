//! Which way messages take.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::network::{Capacity, Network, NodeRole};

/// What makes a way short.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Routing {
    /// The number of links.
    #[default]
    Hops,
    /// The sum of their latencies; a link without one counts nothing.
    Latency,
}

/// Ways that a file gives: the names of the nodes of a way in a line, from the first to the last,
/// apart by blanks. What follows a `#` is a remark.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RouteFile {
    /// The number of each line, and its names.
    rows: Vec<(usize, Vec<String>)>,
}

impl RouteFile {
    /// Reads the text of a file.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut rows = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split_once('#').map_or(line, |(line, _)| line);
            let names: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            match names.len() {
                0 => {}
                1 => return Err(format!("{}:1: a way has at least two nodes", number + 1)),
                _ => rows.push((number + 1, names)),
            }
        }
        Ok(Self { rows })
    }
}

/// A way through a network.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Route {
    /// The nodes, from the first to the last.
    pub nodes: Vec<usize>,
    /// The joints between them, one fewer.
    pub joints: Vec<usize>,
}

/// How long a way is: what is asked for, then the number of steps, so that no way goes in circles.
type Cost = (u64, u32);

/// From one node to another over a joint.
#[derive(Clone, Copy)]
struct Step {
    to: u32,
    joint: u32,
    cost: u64,
}

/// The ways through a network. Of equally short ones it is the one with the smaller numbers of
/// nodes, from the first on; of several joints between two nodes the shortest, then the first.
pub(super) struct Ways<'n> {
    network: &'n Network,
    forward: Vec<Vec<Step>>,
    backward: Vec<Vec<Step>>,
    given: BTreeMap<(usize, usize), Route>,
}

impl<'n> Ways<'n> {
    pub fn new(
        network: &'n Network,
        routing: Routing,
        given: Option<&RouteFile>,
    ) -> Result<Self, String> {
        let n = network.nodes().len();
        let (mut forward, mut backward) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        let entering: Vec<u64> = (network.nodes().iter())
            .map(|node| if node.role == NodeRole::Wire { cost(routing, node.capacity) } else { 0 })
            .collect();
        for (number, joint) in network.joints().iter().enumerate() {
            let own = if joint.is_link { cost(routing, joint.capacity) } else { 0 };
            let mut join = |from: usize, to: usize| {
                let joint = number as u32;
                let cost = own + entering[to];
                forward[from].push(Step { to: to as u32, joint, cost });
                backward[to].push(Step { to: from as u32, joint, cost });
            };
            join(joint.a, joint.b);
            if !network.directed {
                join(joint.b, joint.a);
            }
        }
        for steps in &mut forward {
            steps.sort_by_key(|step| (step.to, step.cost, step.joint));
        }
        let mut ways = Self { network, forward, backward, given: BTreeMap::new() };
        for (line, names) in given.map_or(&[][..], |file| &file.rows) {
            ways.add_given(names).map_err(|why| format!("line {line}: {why}"))?;
        }
        Ok(ways)
    }

    /// Takes a way of a file, and the way back unless that is given too.
    fn add_given(&mut self, names: &[String]) -> Result<(), String> {
        let nodes: Vec<usize> =
            names.iter().map(|name| self.network.known(name)).collect::<Result<_, _>>()?;
        let joints: Vec<usize> =
            nodes.windows(2).map(|pair| self.joint(pair[0], pair[1])).collect::<Result<_, _>>()?;
        let route = Route { nodes, joints };
        if !self.network.directed {
            let mut back = route.clone();
            back.nodes.reverse();
            back.joints.reverse();
            self.given.entry(ends(&back)).or_insert(back);
        }
        self.given.insert(ends(&route), route);
        Ok(())
    }

    fn joint(&self, from: usize, to: usize) -> Result<usize, String> {
        let mut steps = self.forward[from].iter();
        let found = steps.find(|step| step.to as usize == to).map(|step| step.joint as usize);
        found.ok_or_else(|| {
            let name = |node: usize| &self.network.nodes()[node].name;
            format!("{:?} is not joined to {:?}", name(from), name(to))
        })
    }

    /// Does a file give the way from one node to another?
    pub fn is_given(&self, from: usize, to: usize) -> bool {
        self.given.contains_key(&(from, to))
    }

    /// How long the way is from every node to one; nothing from those that do not reach it.
    pub fn costs_to(&self, to: usize) -> Vec<Option<Cost>> {
        let mut costs: Vec<Option<Cost>> = vec![None; self.backward.len()];
        let mut waiting = BinaryHeap::from([Reverse(((0, 0), to))]);
        while let Some(Reverse((cost, node))) = waiting.pop() {
            if costs[node].is_some() {
                continue;
            }
            costs[node] = Some(cost);
            for step in &self.backward[node] {
                let next = step.to as usize;
                if costs[next].is_none() {
                    let cost = (cost.0.saturating_add(step.cost), cost.1 + 1);
                    waiting.push(Reverse((cost, next)));
                }
            }
        }
        costs
    }

    /// The way from one node to another, with the costs to that one.
    pub fn route(&self, from: usize, to: usize, costs: &[Option<Cost>]) -> Option<Route> {
        if let Some(given) = self.given.get(&(from, to)) {
            return Some(given.clone());
        }
        let mut left = costs[from]?;
        let mut route = Route { nodes: vec![from], joints: Vec::new() };
        let mut at = from;
        while at != to {
            let leads = |step: &&Step| {
                let after = costs[step.to as usize];
                after.is_some_and(|after| (after.0.saturating_add(step.cost), after.1 + 1) == left)
            };
            let step = self.forward[at].iter().find(leads)?;
            at = step.to as usize;
            left = costs[at]?;
            route.nodes.push(at);
            route.joints.push(step.joint as usize);
        }
        Some(route)
    }
}

fn ends(route: &Route) -> (usize, usize) {
    let end = |node: Option<&usize>| node.copied().unwrap_or(0);
    (end(route.nodes.first()), end(route.nodes.last()))
}

/// What a link adds to a way: 1, or its latency in picoseconds.
fn cost(routing: Routing, capacity: Capacity) -> u64 {
    match routing {
        Routing::Hops => 1,
        Routing::Latency => (capacity.latency.unwrap_or(0.0) * 1e12).round() as u64,
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::network::{Joint, NetworkNode};
    use super::*;

    pub(super) fn random_network(dice: &mut impl Rng, wires: bool) -> Network {
        let n = dice.random_range(1..7usize);
        let node = |at: usize| NetworkNode {
            name: format!("n{at}"),
            role: if wires && at % 2 == 1 { NodeRole::Wire } else { NodeRole::Host },
            site: None,
            groups: Vec::new(),
            position: None,
            capacity: Capacity { latency: Some(at as f64 * 1e-6), bandwidth: None },
        };
        let nodes = (0..n).map(node).collect();
        let mut joint = |_| Joint {
            a: dice.random_range(0..n),
            b: dice.random_range(0..n),
            is_link: !wires,
            capacity: Capacity {
                latency: dice.random_bool(0.8).then(|| f64::from(dice.random_range(0..3)) * 1e-6),
                bandwidth: None,
            },
        };
        let joints = (0..2 * n).map(&mut joint).collect();
        Network::new("test", dice.random_bool(0.5), nodes, joints).expect("a network")
    }

    /// A way with what is compared: length, nodes, and the cost and number of each joint.
    type Way = (u64, usize, Vec<usize>, Vec<(u64, usize)>);

    /// The best of all ways that visit no node twice, by trying all.
    fn best_of_all(network: &Network, routing: Routing, from: usize, to: usize) -> Option<Route> {
        let mut best: Option<Way> = None;
        let mut waiting = vec![(vec![from], Vec::<(u64, usize)>::new(), 0u64)];
        while let Some((nodes, joints, length)) = waiting.pop() {
            let at = nodes[nodes.len() - 1];
            if at == to {
                let found = (length, nodes.len(), nodes, joints);
                if best.as_ref().is_none_or(|best| found < *best) {
                    best = Some(found);
                }
                continue;
            }
            for (number, joint) in network.joints().iter().enumerate() {
                let ways = [(joint.a, joint.b), (joint.b, joint.a)];
                for &(one, other) in if network.directed { &ways[..1] } else { &ways[..] } {
                    if one != at || nodes.contains(&other) {
                        continue;
                    }
                    let wire = network.nodes()[other].role == NodeRole::Wire;
                    let own = if joint.is_link { cost(routing, joint.capacity) } else { 0 };
                    let enter = match wire {
                        true => cost(routing, network.nodes()[other].capacity),
                        false => 0,
                    };
                    let (mut nodes, mut joints) = (nodes.clone(), joints.clone());
                    nodes.push(other);
                    joints.push((own + enter, number));
                    waiting.push((nodes, joints, length + own + enter));
                }
            }
        }
        best.map(|(_, _, nodes, joints)| Route {
            nodes,
            joints: joints.into_iter().map(|(_, joint)| joint).collect(),
        })
    }

    #[test]
    fn ways_are_the_best_of_all() {
        let mut dice = ChaCha8Rng::seed_from_u64(5);
        for round in 0..300 {
            let network = random_network(&mut dice, round % 3 == 0);
            let n = network.nodes().len();
            for routing in [Routing::Hops, Routing::Latency] {
                let ways = Ways::new(&network, routing, None).expect("ways");
                for to in 0..n {
                    let costs = ways.costs_to(to);
                    for from in 0..n {
                        let found = ways.route(from, to, &costs);
                        let expected = best_of_all(&network, routing, from, to);
                        assert_eq!(found, expected, "{routing:?} from {from} to {to}: {network:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn given_ways_are_taken_in_both_directions() {
        let node = |name: &str| NetworkNode {
            name: name.to_owned(),
            role: NodeRole::Host,
            site: None,
            groups: Vec::new(),
            position: None,
            capacity: Capacity::default(),
        };
        let nodes = vec![node("a"), node("b"), node("c")];
        let joint = |(a, b)| Joint { a, b, is_link: true, capacity: Capacity::default() };
        let joints = [(0, 1), (1, 2), (0, 2)].map(joint).to_vec();
        let network = Network::new("test", false, nodes, joints).expect("a network");
        let file = RouteFile::read("# the long way\na b c\n").expect("ways");
        let ways = Ways::new(&network, Routing::Hops, Some(&file)).expect("ways");
        let costs = ways.costs_to(2);
        assert_eq!(ways.route(0, 2, &costs).expect("a way").joints, [0, 1]);
        assert_eq!(ways.route(2, 0, &ways.costs_to(0)).expect("a way").joints, [1, 0]);
        let wrong = RouteFile::read("a x").expect("a file");
        let why = Ways::new(&network, Routing::Hops, Some(&wrong)).err().expect("an error");
        assert_eq!(why, "line 1: there is no node \"x\"");
        assert_eq!(RouteFile::read("\na\n"), Err("2:1: a way has at least two nodes".to_owned()));
    }
}
