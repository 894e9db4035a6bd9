//! What was done to the times of a store on the way from its sources.

use onca_model::Ticks;
use serde::{Deserialize, Serialize};

/// A step between sources and a store that is not reading.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Change {
    /// Several traces became one.
    Joined {
        /// They, in order.
        sources: Vec<JoinedSource>,
    },
    /// Clocks were made to agree.
    Corrected(Correction),
}

/// A trace that is part of another one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct JoinedSource {
    /// What the container that holds it is called.
    pub name: String,
    /// Where its time 0 came to lie, in ticks of the whole.
    pub offset_ticks: Ticks,
    /// By what its times were multiplied, as a fraction: `1` or `1000001/1000000`.
    pub rate: String,
}

/// How clocks were made to agree. Largest amounts are without sign.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Correction {
    /// The store whose times were corrected.
    pub from: String,
    /// Do the clocks drift, or are they only off?
    pub drifts: bool,
    /// Processes whose times were changed.
    pub moved: u64,
    /// Processes with messages.
    pub processes: u64,
    /// The largest offset.
    pub largest_offset_ticks: Ticks,
    /// The largest drift, as a part of 1.
    pub largest_drift: f64,
    /// By how much a corrected time can be wrong, where messages bound it at all.
    pub uncertainty_ticks: Option<Ticks>,
    /// Processes whose error messages do not bound.
    pub unbounded: u64,
    /// Messages received before they were sent.
    pub backward_before: u64,
    /// The same after the correction.
    pub backward_after: u64,
}
