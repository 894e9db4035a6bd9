//! The page of a trace, whose requests are answered here.

use std::borrow::Cow;
use std::path::PathBuf;

use onca_cli::Inside;
use pyo3::prelude::*;

use crate::failure;

/// The document that has everything of the page in it.
const DOCUMENT: &str = "/widget.html";

/// The page of a trace without socket and token.
#[pyclass(frozen, module = "onca._onca")]
pub struct Page {
    inside: Inside,
}

#[pymethods]
impl Page {
    #[new]
    fn new(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let inside = py.detach(|| onca_cli::page(&folder));
        let why = |why: onca_cli::Failure| failure(why.message().unwrap_or("it cannot be shown"));
        Ok(Self { inside: inside.map_err(why)? })
    }

    /// Answers a request: the status, the type of the content, the content.
    fn answer(
        &self,
        py: Python<'_>,
        method: &str,
        path: &str,
        body: Vec<u8>,
    ) -> PyResult<(u16, String, Cow<'static, [u8]>)> {
        let answered = py.detach(|| self.inside.answer(method, path, body)).map_err(failure)?;
        Ok((answered.status, answered.kind, Cow::Owned(answered.body)))
    }

    /// The page as one document.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        let answered = py.detach(|| self.inside.answer("GET", DOCUMENT, Vec::new()));
        let answered = answered.map_err(failure)?;
        match answered.status {
            200 => String::from_utf8(answered.body).map_err(failure),
            _ => Err(failure("this build of Onca has no page for notebooks")),
        }
    }
}
