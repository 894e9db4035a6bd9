//! The way of one message over a network.

use onca_model::{Catalog, ContainerId, LaneId, Ticks, display_text, printable};
use onca_query::{Scope, TimeText};
use serde::Serialize;

use super::describes_network;
use super::network::{Network, NodeRole};
use super::platform::Platform;
use super::routes::{Route, Routing, Ways};
use crate::{AnswerError, Entity, Result};

/// What becomes of a message on a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Passage {
    /// It goes over links.
    Over {
        /// The nodes and joints, from the machine that sends to the one that receives.
        route: Route,
        /// Was the way given? If not, it is assumed to be the shortest.
        given: bool,
    },
    /// It stays on its machine.
    Within(usize),
    /// An end runs on no known machine.
    WithoutPlace,
    /// Nothing leads from the one machine to the other.
    WithoutRoute(usize, usize),
}

impl Passage {
    /// The nodes of the network that it passes, the first and the last included.
    pub fn nodes(&self) -> &[usize] {
        match self {
            Self::Over { route, .. } => &route.nodes,
            Self::Within(node) => std::slice::from_ref(node),
            Self::WithoutPlace | Self::WithoutRoute(..) => &[],
        }
    }

    /// The names of the links that it crosses, and what crossing them takes in seconds, where that is
    /// known of each.
    pub fn links(&self, network: &Network) -> (Vec<String>, Option<f64>) {
        let Self::Over { route, .. } = self else { return (Vec::new(), None) };
        let (nodes, mut links) = (network.nodes(), Vec::new());
        let mut latency = Some(0.0);
        let mut add = |name: String, own: Option<f64>| {
            links.push(name);
            latency = latency.zip(own).map(|(sum, own)| sum + own);
        };
        for (step, pair) in route.nodes.windows(2).enumerate() {
            let joint = &network.joints()[route.joints[step]];
            if joint.is_link {
                let [from, to] = [pair[0], pair[1]].map(|node| nodes[node].name.as_str());
                add(format!("{from} → {to}"), joint.capacity.latency);
            }
            if nodes[pair[1]].role == NodeRole::Wire {
                add(nodes[pair[1]].name.clone(), nodes[pair[1]].capacity.latency);
            }
        }
        (links, latency)
    }

    /// The way in words.
    pub fn words(&self, network: &Network) -> String {
        let name = |node: usize| network.nodes()[node].name.as_str();
        match self {
            Self::Over { route, given } => {
                let names: Vec<&str> = route.nodes.iter().map(|node| name(*node)).collect();
                let why = if *given { "given" } else { "assumed: the shortest" };
                format!("{} ({why})", names.join(" → "))
            }
            Self::Within(node) => format!("it stays on {}", name(*node)),
            Self::WithoutPlace => "an end is on no known machine".to_owned(),
            Self::WithoutRoute(from, to) => {
                format!("nothing leads from {} to {}", name(*from), name(*to))
            }
        }
    }

    /// The passage as JSON.
    pub fn json(&self, network: &Network, link: String) -> RouteJson {
        let (links, latency) = self.links(network);
        let name = |node: &usize| network.nodes()[*node].name.clone();
        RouteJson {
            link,
            nodes: self.nodes().iter().map(name).collect(),
            links,
            given: matches!(self, Self::Over { given: true, .. }),
            latency,
            text: self.words(network),
        }
    }
}

/// The way of a message over a network.
#[derive(Clone, PartialEq, Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RouteJson {
    /// The message, as the option `route` of pictures names it: its key, and when it starts.
    pub link: String,
    /// The names of the nodes that it passes, from the machine that sends; one where it stays on its
    /// machine, none where no way is known.
    pub nodes: Vec<String>,
    /// The names of the links that it crosses.
    pub links: Vec<String>,
    /// Was the way given? If not, it is assumed to be the shortest.
    pub given: bool,
    /// The latencies of the links together, in seconds; `null` where one is not known.
    pub latency: Option<f64>,
    /// The same in words.
    pub text: String,
}

impl Platform {
    /// What becomes of a message between two containers.
    pub fn passage(
        &self,
        catalog: &Catalog,
        routing: Routing,
        from: Option<ContainerId>,
        to: Option<ContainerId>,
    ) -> Result<Passage> {
        let placement = self.placement(catalog)?;
        let place = |end: Option<ContainerId>| placement.of(end?);
        let (Some(from), Some(to)) = (place(from), place(to)) else {
            return Ok(Passage::WithoutPlace);
        };
        if from == to {
            return Ok(Passage::Within(from));
        }
        let ways = self.ways(routing)?;
        let costs = ways.costs_to(to);
        Ok(match ways.route(from, to, &costs) {
            Some(route) => Passage::Over { route, given: ways.is_given(from, to) },
            None => Passage::WithoutRoute(from, to),
        })
    }

    /// Visits the ways between pairs of nodes, first and last, as far as there are any.
    pub fn visit_routes(
        &self,
        routing: Routing,
        mut pairs: Vec<(usize, usize)>,
        mut visit: impl FnMut((usize, usize), &Route),
    ) -> Result<()> {
        let ways = self.ways(routing)?;
        pairs.sort_unstable_by_key(|(from, to)| (*to, *from));
        pairs.dedup();
        // One search finds the ways from everywhere to a node.
        for to_one in pairs.chunk_by(|a, b| a.1 == b.1) {
            let costs = ways.costs_to(to_one[0].1);
            for &(from, to) in to_one {
                if let Some(route) = ways.route(from, to, &costs) {
                    visit((from, to), &route);
                }
            }
        }
        Ok(())
    }

    fn ways(&self, routing: Routing) -> Result<Ways<'_>> {
        Ways::new(&self.network, routing, self.routes.as_ref()).map_err(AnswerError::Question)
    }
}

/// A message, and how many others its name could mean.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedMessage {
    /// The message.
    pub link: Entity,
    /// How many messages in the window have its key.
    pub n_alike: u64,
}

/// The name of a message: its key, and when it starts.
pub fn message_name(catalog: &Catalog, link: &Entity) -> String {
    format!("{}@{}", display_text(&link.key), catalog.facts.unit.format(link.start))
}

/// The message of a name: a key, or a key and a time as in `42@1.5`. Of several with the key it is the
/// first; with a time the one that starts nearest to it.
pub fn message_named(scope: &Scope<'_>, name: &str) -> Result<NamedMessage> {
    let catalog = scope.catalog();
    let timed = name.rsplit_once('@').and_then(|(key, time)| {
        let time = TimeText::parse(time).ok()?.ticks(&catalog.facts).ok()?;
        Some((key, time))
    });
    // A key may have an @ itself.
    let mut found = Search::new(scope, name.as_bytes(), None)?;
    if let (None, Some((key, time))) = (&found.best, timed) {
        found = Search::new(scope, key.as_bytes(), Some(time))?;
    }
    let Some((_, lane, row)) = found.best else {
        let key = printable(timed.map_or(name, |(key, _)| key).as_bytes()).into_owned();
        let why = format!("no message in the window has the key {key:?}; onca find lists keys");
        return Err(AnswerError::Question(why));
    };
    let link = Entity::read(scope.store(), lane, row)?;
    Ok(NamedMessage { link, n_alike: found.n_alike })
}

/// What a search for a key has found.
struct Search {
    /// How far it starts from the wanted time, and where it is stored.
    best: Option<((i128, Ticks), LaneId, u64)>,
    n_alike: u64,
}

impl Search {
    fn new(scope: &Scope<'_>, key: &[u8], time: Option<Ticks>) -> Result<Self> {
        let catalog = scope.catalog();
        let mut found = Self { best: None, n_alike: 0 };
        for (lane, _) in scope.link_lanes().filter(|(_, id)| !describes_network(catalog, *id)) {
            let mut rows: Vec<(u64, Ticks)> = Vec::new();
            scope.visit_links(lane, |row, link| rows.push((row, link.start)))?;
            let mut texts = scope.store().texts(lane);
            for (row, start) in rows {
                if texts.get(row)?.0 != key {
                    continue;
                }
                found.n_alike += 1;
                let far = time.map_or(0, |time| (i128::from(start) - i128::from(time)).abs());
                let own = ((far, start), lane, row);
                if found.best.is_none_or(|best| own < best) {
                    found.best = Some(own);
                }
            }
        }
        Ok(found)
    }
}
