//! Why one run is longer, or shorter, than another.
//!
//! Two runs lie side by side in pairs of segments ([`crate::align`]). What each place works in each segment is compared with what
//! it worked there before:
//!
//! | module | finds |
//! | --- | --- |
//! | `work` | places that work longer, or shorter, for some time or always |
//! | `rest` | segments that are longer although nobody works longer; segments that only one run has |
//!
//! The length of a segment is the work of its busiest place and a rest: `docs/compare.md` has the rules and all thresholds.

mod course;
mod find;
mod fit;
mod rest;
mod runs;
mod work;
mod worked;

pub use course::Course;
pub use find::{Account, Change, ChangeKind, Changes, find};
pub use runs::{Runs, Site};
pub use worked::{WorkPiece, Worked};
