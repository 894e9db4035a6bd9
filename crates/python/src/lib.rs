//! The native part of the Python package `onca`: the command line inside of an interpreter, and what has to
//! be columns rather than JSON.

mod ask;
mod cube;
mod page;
mod rows;
mod scan;
mod store;
mod stream;

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::pymodule;

create_exception!(_onca, Failure, PyException, "A question could not be answered.");
create_exception!(_onca, Closed, Failure, "The trace was closed before.");

/// What cannot be done, with the reason.
fn failure(why: impl ToString) -> pyo3::PyErr {
    Failure::new_err(why.to_string())
}

/// The native part of the package `onca`.
#[pymodule]
mod _onca {
    #[pymodule_export]
    use super::ask::{ask, main, views};
    #[pymodule_export]
    use super::cube::Cube;
    #[pymodule_export]
    use super::page::Page;
    #[pymodule_export]
    use super::rows::Rows;
    #[pymodule_export]
    use super::store::OpenStore;
    #[pymodule_export]
    use super::stream::{Parts, Stream, stream_of};
    #[pymodule_export]
    use super::{Closed, Failure};

    /// The version of Onca.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const version: &str = env!("CARGO_PKG_VERSION");
}
