//! All tests of this crate in one program: each program has to be linked with all that it tests.

mod delays;
mod golden_slices;
mod overview_default;
mod overview_golden;
mod overview_random;
mod phases_golden;
mod phases_random;
mod simulation;
mod slices;
mod statistics;
mod table_4_2;
mod trees;
mod waits;
