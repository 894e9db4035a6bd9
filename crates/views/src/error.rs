//! Why there is no picture.

use std::fmt;

use onca_answer::AnswerError;
use onca_query::LensError;

/// Why there is no picture.
#[derive(Debug)]
pub enum ViewError {
    /// The question could not be answered.
    Answer(AnswerError),
    /// The lens does not fit.
    Lens(LensError),
    /// There is nothing of the kind in what is seen, or the picture has no room.
    Nothing(String),
}

/// What making a picture gives.
pub type Result<T> = std::result::Result<T, ViewError>;

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer(error) => write!(f, "{error}"),
            Self::Lens(error) => write!(f, "{error}"),
            Self::Nothing(why) => write!(f, "{why}"),
        }
    }
}

impl std::error::Error for ViewError {}

impl From<AnswerError> for ViewError {
    fn from(error: AnswerError) -> Self {
        Self::Answer(error)
    }
}

impl From<LensError> for ViewError {
    fn from(error: LensError) -> Self {
        Self::Lens(error)
    }
}
