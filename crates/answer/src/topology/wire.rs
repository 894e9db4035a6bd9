//! The load of a network as JSON.

use onca_query::{Scope, container_path};
use serde::Serialize;

use super::network::{Network, NodeRole};
use super::routes::Routing;
use super::traffic::TopologyAnswer;
use crate::wire::{HeaderJson, List};

/// How much crosses each link of a network: `onca-topology/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TopologyJson<'a> {
    /// Schema, unit and window.
    #[serde(flatten)]
    pub header: HeaderJson<'a>,
    /// The network.
    pub network: NetworkJson<'a>,
    /// What makes a way short: `hops` or `latency`.
    pub routing: &'static str,
    /// How long the window is; `null` where the unit of time is not one of seconds.
    pub seconds: Option<f64>,
    /// What became of the messages.
    pub messages: RoutedJson,
    /// All links.
    pub links: List<'a, LinkLoadJson<'a>>,
    /// How many messages crossed how many links.
    pub hops: List<'a, HopsJson>,
    /// What sites send each other, the most bytes first; empty where no site is known.
    pub sites: List<'a, SiteTrafficJson<'a>>,
    /// Paths of containers with states or messages on no known machine.
    pub containers_without_place: List<'a, String>,
    /// Names of machines.
    pub hosts_without_containers: List<'a, &'a str>,
}

/// A network, and how large it is.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NetworkJson<'a> {
    /// Its name.
    pub name: &'a str,
    /// Links have directions.
    pub directed: bool,
    /// How many machines there are.
    pub hosts: usize,
    /// How many switches there are.
    pub switches: usize,
    /// How many links there are.
    pub links: usize,
}

/// What became of the messages.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RoutedJson {
    /// Messages that crossed links.
    pub routed: u64,
    /// Messages within a machine.
    pub local: u64,
    /// Messages with an end on no known machine.
    pub without_place: u64,
    /// Messages between machines that nothing joins.
    pub without_route: u64,
    /// The bytes of those that were routed.
    pub bytes: u64,
}

/// What crosses a link. What is not known is `null`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LinkLoadJson<'a> {
    /// Its name.
    pub name: &'a str,
    /// The name of the node at one end.
    pub from: &'a str,
    /// The name of the node at the other end; the same for a link that is a node.
    pub to: &'a str,
    /// In bytes per second.
    pub bandwidth: Option<f64>,
    /// In seconds.
    pub latency: Option<f64>,
    /// How many messages cross it.
    pub messages: u64,
    /// How many bytes they have.
    pub bytes: u64,
    /// The share of what it could carry, from 0 to 1 and beyond.
    pub load: Option<f64>,
}

/// How many messages go equally far.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HopsJson {
    /// How many links they cross.
    pub hops: usize,
    /// How many messages.
    pub messages: u64,
}

/// What one site sends to another.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SiteTrafficJson<'a> {
    /// The site that sends.
    pub from: &'a str,
    /// The site that receives.
    pub to: &'a str,
    /// How many messages.
    pub messages: u64,
    /// How many bytes.
    pub bytes: u64,
}

impl TopologyAnswer {
    /// The answer as JSON, `onca-topology/1`.
    pub fn json<'a>(
        &'a self,
        scope: &'a Scope<'_>,
        network: &'a Network,
        routing: Routing,
    ) -> TopologyJson<'a> {
        let n_of = |role: NodeRole| network.nodes().iter().filter(|node| node.role == role).count();
        let name = |node: usize| network.nodes()[node].name.as_str();
        let path = |id| container_path(&scope.catalog().containers, id);
        let totals = &self.totals;
        TopologyJson {
            header: HeaderJson::new(scope, "onca-topology/1", self.scanned),
            network: NetworkJson {
                name: &network.name,
                directed: network.directed,
                hosts: n_of(NodeRole::Host),
                switches: n_of(NodeRole::Switch),
                links: self.links.len(),
            },
            routing: routing.name(),
            seconds: self.seconds,
            messages: RoutedJson {
                routed: totals.routed,
                local: totals.local,
                without_place: totals.without_place,
                without_route: totals.without_route,
                bytes: totals.bytes,
            },
            links: List::new(self.links.iter().map(move |link| LinkLoadJson {
                name: &link.name,
                from: name(link.ends.0),
                to: name(link.ends.1),
                bandwidth: link.capacity.bandwidth,
                latency: link.capacity.latency,
                messages: link.messages,
                bytes: link.bytes,
                load: self.load(link),
            })),
            hops: List::new(
                self.hops.iter().enumerate().map(|(hops, &messages)| HopsJson { hops, messages }),
            ),
            sites: List::new(self.sites.iter().map(|one| SiteTrafficJson {
                from: &one.from,
                to: &one.to,
                messages: one.messages,
                bytes: one.bytes,
            })),
            containers_without_place: List::new(self.without_place.iter().map(move |&id| path(id))),
            hosts_without_containers: List::new(
                self.empty_hosts.iter().map(move |&node| name(node)),
            ),
        }
    }
}

impl Routing {
    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hops => "hops",
            Self::Latency => "latency",
        }
    }
}
