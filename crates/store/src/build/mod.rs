//! A store in the making: rows in, files out, one builder at a time.

pub(crate) mod block_writer;
pub(crate) mod builder;
pub(crate) mod data_writer;
pub(crate) mod lane_buffer;
pub(crate) mod pair_index;
pub(crate) mod preview;
pub(crate) mod pyramid;
pub(crate) mod row_log;
pub(crate) mod rows;
pub(crate) mod runs;
pub(crate) mod text_packer;
