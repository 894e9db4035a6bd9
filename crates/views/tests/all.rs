//! All tests of this crate in one program: each program has to be linked with all that it tests.

mod commgram;
mod network;
#[cfg(feature = "clap")]
mod registry;
mod solid;
mod support;
mod timeline;
