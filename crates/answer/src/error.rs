use std::fmt;

use onca_query::{LensError, NodeId, Scope};
use onca_store::StoreError;

/// Why a question has no answer.
#[derive(Debug)]
pub enum AnswerError {
    /// The question makes no sense for this trace: why.
    Question(String),
    /// The answer would be larger than what may be held: how large, and what to ask instead.
    TooLarge(String),
    /// The lens does not fit, or the store could not be read.
    Lens(LensError),
}

impl AnswerError {
    /// Somebody asks for a node that is not there.
    pub fn no_node(scope: &Scope<'_>, node: NodeId) -> Self {
        let n = scope.hierarchy().len();
        Self::Question(format!("there is no node {}; there are {n}", node.0))
    }
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Question(why) | Self::TooLarge(why) => f.write_str(why),
            Self::Lens(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AnswerError {}

impl From<LensError> for AnswerError {
    fn from(error: LensError) -> Self {
        Self::Lens(error)
    }
}

impl From<StoreError> for AnswerError {
    fn from(error: StoreError) -> Self {
        Self::Lens(error.into())
    }
}

/// The outcome of a question.
pub type Result<T> = std::result::Result<T, AnswerError>;
