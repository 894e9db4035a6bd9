//! All tests of this crate in one program: each program has to be linked with all that it tests.

mod access;
mod phases;
mod requests;
mod socket;
mod support;
mod typescript;
