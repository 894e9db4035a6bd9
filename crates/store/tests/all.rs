//! All tests of this crate in one program: each program has to be linked with all that it tests.

mod columns;
mod compose;
mod derived;
mod directories;
mod preview;
mod questions;
mod sample;
mod scan;
mod shares;
