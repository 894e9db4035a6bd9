//! The optimal partition of a cube in space and time.
//!
//! A cube has, for each leaf of a tree, value and slice of time, a number that is not negative: the time in a state, a
//! count, bytes. Neighbouring cells that look alike can be shown as one *area*: a node of the tree in an interval of
//! slices, with its mean. That saves data (the *gain*) and hides differences (the *loss*). This module finds the
//! partition into areas that is best for a trade-off `p`: the largest `p * gain - (1 - p) * loss`.
//!
//! The technique is that of Dosimont, Lamarche-Perrin, Schnorr, Huard and Vincent, *A Spatiotemporal Data Aggregation
//! Technique for Performance Analysis of Large-scale Execution Traces* (Cluster 2014). With `m` the numbers of an area, `f(x) = x
//! log2 x`, `n` the number of microscopic cells and all sums over the values:
//!
//! | here | formula |
//! | --- | --- |
//! | mass | `M = sum of m` |
//! | information | `I = sum of f(m)` |
//! | loss | `I - f(sum of m) + M log2 n`, the Kullback-Leibler divergence from the mean |
//! | gain | `f(sum of m) - I`, so that gain and loss together are the *weight* `M log2 n` |
//!
//! For a node and the interval from `i` to `j`, with `A` the best that is not cut in time and `V` the best:
//!
//! ```text
//! A(i, j) = max( p M log2 n - loss, sum over the children of V(i, j) )
//! V(i, j) = max over c in i..=j of V(i, c - 1) + A(c, j)
//! ```
//!
//! [`Curve`] finds all trade-offs at which the partition changes. [`ChangeCurve`] tells when the mix of values changes, and [`disruptions`] which
//! leaves break the pattern, by the areas of a partition.
//!
//! The paper takes the mean where we take the sum in the gain; its programs take the sum. See [`Gain`].

mod area_map;
mod backtrack;
mod change;
mod criterion;
mod curve;
mod deviations;
mod dichotomy;
mod disruption;
mod forward;
mod kernel;
mod lanes;
mod memory;
mod partition;
mod problem;
mod product;
mod start;
mod tables;
mod triangle;
mod watch;

pub use area_map::AreaMap;
pub use change::ChangeCurve;
pub use curve::{Curve, CurveLimits, Segment};
pub use dichotomy::{Halving, HalvingPoint};
pub use disruption::{
    DISRUPTION_THRESHOLD, Disruption, Hit, Shift, disruptions, nodes_of_leaves, score, shifts,
    tell_roles_apart,
};
pub use partition::{Area, Look, Partition};
pub use problem::{Axis, Gain, OverviewError, Problem};
pub use product::{best_grid, best_product};
pub use start::{READABLE_AREAS, StartRule, is_readable};
pub use tables::Tables;
pub use watch::Watch;
