//! One module a verb.

pub mod clocks;
pub mod compare;
pub mod completions;
pub mod demo;
pub mod dump;
pub mod export;
pub mod find;
pub mod findings;
pub mod generate;
pub mod index;
pub mod info;
pub mod lens;
pub mod man;
pub mod overview;
pub mod phases;
pub mod profile;
pub mod query;
pub mod render;
pub mod run;
pub mod slice;
pub mod stats;
pub mod store;
pub mod topology;
pub mod validate;
pub mod view;
pub mod waits;
