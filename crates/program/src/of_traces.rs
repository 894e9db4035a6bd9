//! How commands end that read, ask and draw traces.

use onca_answer::AnswerError;
use onca_simulate::{DriveError, SimulateError};
use onca_store::StoreError;
use onca_views::ViewError;

use crate::outcome::{Failure, is_full};

impl From<AnswerError> for Failure {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::Lens(error) => error.into(),
            AnswerError::TooLarge(why) => Self::Limit(why),
            AnswerError::Question(why) => Self::Cannot(why),
        }
    }
}

impl From<ViewError> for Failure {
    fn from(error: ViewError) -> Self {
        match error {
            ViewError::Answer(error) => error.into(),
            ViewError::Lens(error) => error.into(),
            ViewError::Nothing(why) => Self::Cannot(why),
        }
    }
}

impl From<DriveError<StoreError>> for Failure {
    fn from(error: DriveError<StoreError>) -> Self {
        if error.is_limit() {
            return Self::Limit(error.to_string());
        }
        match error {
            DriveError::Sink(error) | DriveError::Simulate(SimulateError::Sink(error)) => {
                error.into()
            }
            DriveError::Simulate(SimulateError::Temporary(error)) if is_full(&error) => {
                Self::Limit(format!("temporary file: {error}"))
            }
            DriveError::Cancelled => Self::Interrupted,
            error => Self::Cannot(error.to_string()),
        }
    }
}
