//! What each leaf did in each slice of time.
//!
//! A window is cut into regular slices by [`Bounds`]. Accumulators take plain rows, one by one,
//! in any order unless they say otherwise, so that a caller can stream them from where they lie:
//!
//! | rows | accumulator | per slice |
//! | --- | --- | --- |
//! | states | [`StateTime`] | ticks in each value |
//! | variables | [`VariableMean`] | the mean over time |
//! | events | [`EventCounts`] | how many of each value |
//! | links | [`LinkSlices`] with a [`LinkMeasure`] | count, ticks, size, rate, weighted size |
//! | links | [`Peers`] | how many with each other leaf |
//!
//! Results of many leaves are kept in a [`Cube`].

mod bounds;
mod cube;
mod events;
mod links;
mod measure;
mod peers;
mod states;
mod variables;

pub use bounds::{Bounds, BoundsError};
pub use cube::{Cube, TooLarge};
pub use events::EventCounts;
pub use links::{Crossing, LinkEnd, LinkShare, LinkSlices, LinkTally};
pub use measure::{LinkCount, LinkMeasure, LinkRate, LinkSize, LinkTicks, LinkWeighted};
pub use peers::{Peer, Peers, TooManyPeers};
pub use states::StateTime;
pub use variables::{VariableMean, VariableMode};
