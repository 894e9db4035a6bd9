//! All tests of this crate in one program: each program has to be linked with all that it tests.

mod charts;
mod difference;
mod documents;
mod golden;
mod nesting;
mod page;
mod pixels;
mod space;
mod support;
mod treemap_sizes;
