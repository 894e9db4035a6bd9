//! An open store: its files, its blocks, its texts.

pub(crate) mod container_set;
pub(crate) mod data_file;
pub(crate) mod derived;
pub(crate) mod preview;
pub(crate) mod progress;
pub(crate) mod store;
pub(crate) mod texts;
pub(crate) mod tracks;
