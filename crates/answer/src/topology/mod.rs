//! Networks: which machines there are and how they are joined, which containers run on them, which
//! way messages take, and how much crosses each link.
//!
//! A [`Network`] comes from a file or from the trace itself ([`network_of_trace`]). A [`Placement`]
//! says on which machine a container runs. [`topology`] routes what containers send each other, a
//! [`Passage`] is the way of one message.

mod from_trace;
mod network;
mod passage;
mod placement;
mod platform;
mod routes;
mod traffic;
pub(crate) mod wire;

pub use from_trace::{describes_network, network_of_trace};
pub use network::{Capacity, Joint, Network, NetworkNode, NodeRole};
pub use passage::{NamedMessage, Passage, RouteJson, message_name, message_named};
pub use placement::{PlaceFile, Placement};
pub use platform::{Platform, communication};
pub use routes::{Route, RouteFile, Routing};
pub use traffic::{LinkLoad, SiteTraffic, TopologyAnswer, Totals, topology};
