//! All tests of this crate in one program: each program has to be linked with all that it tests.

mod archive;
mod chrome;
mod chrome_reference;
mod damaged;
mod diagnostics;
mod dumpi;
mod dumpi_files;
mod follow;
mod follow_json;
mod onct_c;
mod onct_tracing;
mod otf2;
mod otf2_archives;
mod otf2_messages;
mod paraver;
mod printed;
mod reference;
mod repair;
mod slow_paraver;
mod starter;
mod support;
