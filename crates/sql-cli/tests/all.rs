//! All tests of this crate in one program: each program has to be linked with all that it tests.

mod agreement;
mod dataset;
mod dataset_query;
mod hostile;
mod program;
mod query;
mod server;
mod statements;
