//! The bytes of a store: how rows, sums and tables are written down.

pub(crate) mod block;
pub(crate) mod change;
pub(crate) mod codec;
pub(crate) mod directory;
pub(crate) mod fingerprint;
pub(crate) mod manifest;
pub(crate) mod pages;
pub(crate) mod tables;
pub(crate) mod value_order;

#[cfg(test)]
mod damage_tests;
