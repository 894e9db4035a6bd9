//! The folder of a store: who may write into it, how it gets its name, what is cleaned up.

pub(crate) mod lock;
pub(crate) mod unfinished;
pub(crate) mod workspace;
