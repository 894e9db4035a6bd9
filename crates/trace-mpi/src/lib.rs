//! `libonca_mpi.so`: a library that is loaded before a program's MPI and records its calls. It is built by the compiler of
//! the site, `mpicc`, because each MPI has other handles; everything else that it needs is carried here: its source, which
//! is made from one table of calls, and the recorder.

mod build;
mod generate;
mod table;

pub use build::{BuildError, Wrapper, build, compiler_beside};
pub use generate::source;
