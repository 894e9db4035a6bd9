//! Pure functions over plain columns and a hierarchy.
//!
//! Rows of plain numbers come in, pushed one by one or as slices; sums per time slice, values at
//! every level of a tree, ratios, statistics and efficiencies go out. This crate knows no store,
//! no files and no pictures. Time is counted in ticks, and whatever can be an integer is one, so
//! that the sum over the slices of a window equals the sum over the window, to the last tick.
//!
//! | module | question |
//! | --- | --- |
//! | [`tree`] | which container lies below which |
//! | [`fold`] | what a group has, given what its leaves have |
//! | [`mod@slice`] | what each leaf did in each slice of time |
//! | [`ratio`] | one summary divided by another |
//! | [`statistics`] | how a column of numbers is distributed |
//! | [`efficiency`] | how well processes used their time |
//! | [`clocks`] | how far the clocks of processes are off |
//! | [`overview`] | which parts of the trace look alike |
//! | [`phases`] | when who communicates with whom |
//! | [`waits`] | who waits for whom, and why |
//! | [`findings`] | what costs time |
//! | [`align`] | which parts of two runs belong together |
//! | [`compare`] | why one run is longer than another |

pub mod align;
pub mod clocks;
pub mod compare;
pub mod efficiency;
pub mod findings;
pub mod fold;
mod number;
pub mod overview;
pub mod phases;
pub mod ratio;
mod robust;
pub mod slice;
pub mod statistics;
mod syntax;
pub mod tree;
pub mod waits;

pub use number::Number;
pub use syntax::SyntaxError;
pub use tree::{OwnLeaf, Tree};
