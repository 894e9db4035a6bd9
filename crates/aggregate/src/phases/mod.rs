//! Phases of communication, and communities in them.
//!
//! A *phase* is a stretch of time in which messages lie close together; a *community* is a set of processors that mostly
//! talk among themselves during a phase. The technique is known as CommGram. In order of use:
//!
//! | step | here |
//! | --- | --- |
//! | when messages are, in bounded memory | [`Instants`] |
//! | neighbours in time join, the closest first | [`TimeTree`] |
//! | how many phases tell most | [`suggestions`] |
//! | what each processor sends to each other one in a phase | [`Traffic`] |
//! | processors join, the pair that gains most modularity first | [`CommunityTree`] |
//! | how much communities differ between phases | [`difference`] |
//! | a height for every phase: flat where communities stay as they are | [`Curve`] |
//! | phases that look alike, and whether they come again and again | [`labels`], [`period`], [`outliers`] |
//!
//! Both trees are complete: any number of phases and of communities is a cut through them.

mod communities;
mod curve;
mod instants;
mod matching;
mod pattern;
mod period;
mod suggest;
mod temporal;
mod traffic;

pub use communities::{CommunityMerge, CommunityTree};
pub use curve::Curve;
pub use instants::{InstantSum, Instants};
pub use matching::{Difference, Overlap, difference, least_total, overlaps};
pub use pattern::{ALIKE, labels, unlikeness};
pub use period::{Period, outliers, period};
pub use suggest::{Suggestion, suggestions, usual_gap};
pub use temporal::{Linkage, TimeMerge, TimeTree};
pub use traffic::{Traffic, TrafficSum};

/// A set of processors, in ascending order.
pub type Community = Vec<u32>;
