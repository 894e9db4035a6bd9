//! The load of a network as JSON.

use onca_query::{Scope, container_path};
use serde_json::{Value, json};

use super::network::{Network, NodeRole};
use super::routes::Routing;
use super::traffic::TopologyAnswer;
use crate::json::header;

impl TopologyAnswer {
    /// The answer as JSON, `onca-topology/1`.
    pub fn json(&self, scope: &Scope<'_>, network: &Network, routing: Routing) -> Value {
        let mut answer = header(scope, "onca-topology/1", self.scanned);
        let mut put = |name: &str, value: Value| answer.insert(name.to_owned(), value);
        let n_of = |role: NodeRole| network.nodes().iter().filter(|node| node.role == role).count();
        put(
            "network",
            json!({
                "name": network.name,
                "directed": network.directed,
                "hosts": n_of(NodeRole::Host),
                "switches": n_of(NodeRole::Switch),
                "links": self.links.len(),
            }),
        );
        put("routing", json!(routing.name()));
        put("seconds", json!(self.seconds));
        let totals = &self.totals;
        put(
            "messages",
            json!({
                "routed": totals.routed,
                "local": totals.local,
                "without_place": totals.without_place,
                "without_route": totals.without_route,
                "bytes": totals.bytes,
            }),
        );
        let links = self.links.iter().map(|link| {
            let name = |node: usize| &network.nodes()[node].name;
            json!({
                "name": link.name,
                "from": name(link.ends.0),
                "to": name(link.ends.1),
                "bandwidth": link.capacity.bandwidth,
                "latency": link.capacity.latency,
                "messages": link.messages,
                "bytes": link.bytes,
                "load": self.load(link),
            })
        });
        put("links", links.collect());
        let hops = self.hops.iter().enumerate();
        let hops = hops.map(|(hops, count)| json!({"hops": hops, "messages": count}));
        put("hops", hops.collect());
        let sites = self.sites.iter().map(|one| {
            json!({
                "from": one.from,
                "to": one.to,
                "messages": one.messages,
                "bytes": one.bytes,
            })
        });
        put("sites", sites.collect());
        let path = |id| container_path(&scope.catalog().containers, id);
        let unplaced = self.without_place.iter().map(|id| json!(path(*id)));
        put("containers_without_place", unplaced.collect());
        let empty = self.empty_hosts.iter().map(|node| json!(network.nodes()[*node].name));
        put("hosts_without_containers", empty.collect());
        Value::Object(answer)
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
