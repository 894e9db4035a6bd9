//! What costs time in a run, where, when and how much.
//!
//! What processes did is put into [`Cells`]: how often they did what and how long it took, by process and slot of time. The
//! detectors look for one thing each, which tells the kinds apart:
//!
//! | module | compares | finds |
//! | --- | --- | --- |
//! | `pace` | how long one piece of work takes, with peers | who is slow, always or for some time |
//! | `amount` | how much work there is, with peers | who has more of it |
//! | `steps` | how long all take, with other steps | iterations that take longer |
//! | `routes` | how long messages of one size travel, with other pairs | slow links |
//! | `roots` | who makes others wait at operations with a root | roots that come late |
//!
//! What each costs is told by a [`Replay`](crate::waits::Replay) in which it is mended.
//!
//! `docs/findings.md` has the rules and all thresholds.

mod amount;
mod candidates;
mod cells;
mod change;
mod cost;
mod find;
pub(crate) mod meetings;
mod pace;
mod roots;
mod routes;
pub(crate) mod segments;
mod steps;
mod subject;

pub use cells::{Cells, Piece, TimeBins};
pub use find::{Finding, FindingKind, Findings, OTHER_ROLE, find};
pub use subject::{Subject, largest_groups};
