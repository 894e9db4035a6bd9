//! A network with everything that is known of its use.

use onca_model::Catalog;
use onca_query::Scope;
use onca_store::Store;

use super::network::Network;
use super::placement::{PlaceFile, Placement};
use super::routes::{RouteFile, Routing};
use super::traffic::{TopologyAnswer, topology};
use super::{describes_network, network_of_trace};
use crate::messages::pairs_between;
use crate::{AnswerError, Cut, Matrix, Result};

/// A network, which containers run where, and which ways are given.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Platform {
    /// The network.
    pub network: Network,
    /// Which containers run where, besides what names tell.
    pub places: Option<PlaceFile>,
    /// Ways that are not the shortest.
    pub routes: Option<RouteFile>,
}

impl Platform {
    /// The network that a trace tells of itself, if it does.
    pub fn of_trace(store: &Store) -> Result<Option<Self>> {
        let network = network_of_trace(store)?;
        Ok(network.map(|network| Self { network, ..Self::default() }))
    }

    /// On which nodes the containers of a trace run.
    pub fn placement(&self, catalog: &Catalog) -> Result<Placement> {
        let placed = Placement::new(catalog, &self.network, self.places.as_ref());
        placed.map_err(|why| AnswerError::Question(format!("placing containers: {why}")))
    }

    /// Sends all messages of the window over the network.
    pub fn traffic(&self, scope: &Scope<'_>, routing: Routing) -> Result<TopologyAnswer> {
        let placement = self.placement(scope.catalog())?;
        topology(scope, &self.network, &placement, routing, self.routes.as_ref())
    }
}

/// What the nodes of a cut send each other: all links but those that say how a network is joined.
pub fn communication(scope: &Scope<'_>, cut: Cut) -> Result<Matrix> {
    let catalog = scope.catalog();
    let place = |id| scope.hierarchy().node_of(id).and_then(|node| cut.place(node));
    let (pairs, scanned) = pairs_between(scope, |id| !describes_network(catalog, id), place)?;
    Ok(Matrix { cut, pairs, scanned })
}
