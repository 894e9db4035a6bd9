//! All tests of this crate in one program: each program has to be linked with all that it tests.

mod answers;
mod cluster;
mod cubes;
mod killed;
mod process;
mod safety;
mod sets;
mod store;
mod strangers;
