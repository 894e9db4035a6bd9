//! The slices of a window.

use onca_aggregate::slice::Bounds;
use onca_model::Window;
use onca_query::Scope;

use crate::{AnswerError, Result};

/// Cuts the window of a scope into slices. A trace in which no time passes has none.
pub(crate) fn slices_of(scope: &Scope<'_>, n_slices: usize) -> Result<Bounds> {
    let Window { from, to } = scope.window();
    let facts = &scope.catalog().facts;
    if from >= to && facts.start >= facts.end {
        let why = "no time passes in the trace, so that it has no slices";
        return Err(AnswerError::Question(why.to_owned()));
    }
    Bounds::new(from, to, n_slices).map_err(|why| AnswerError::Question(why.to_string()))
}
