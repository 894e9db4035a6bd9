//! One module a verb.

pub mod bench;
pub mod completions;
pub mod demo;
pub mod dump;
pub mod generate;
pub mod index;
pub mod info;
pub mod man;
pub mod store;
pub mod validate;
