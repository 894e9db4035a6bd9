//! Another window, to compare with.

use onca_answer::AnswerError;
use onca_model::Window;
use onca_query::{Scope, TimeText};
use serde::{Deserialize, Serialize};

use crate::Result;

/// A window to compare with; from the begin of the trace, or to its end, where one side is missing.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct AgainstOptions {
    /// Show what changed since another window, which begins here
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = TimeText::parse)
    )]
    pub against_from: Option<TimeText>,

    /// Show what changed since another window, which ends here
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = TimeText::parse)
    )]
    pub against_to: Option<TimeText>,
}

impl AgainstOptions {
    /// The window in ticks of the trace, if one was asked for.
    pub(crate) fn window(&self, scope: &Scope<'_>) -> Result<Option<Window>> {
        if self.against_from.is_none() && self.against_to.is_none() {
            return Ok(None);
        }
        let facts = &scope.catalog().facts;
        let from = self.against_from.map_or(Ok(facts.start), |time| time.ticks(facts));
        let to = self.against_to.map_or(Ok(facts.end), |time| time.ticks(facts));
        match (from.map_err(AnswerError::Question)?, to.map_err(AnswerError::Question)?) {
            (from, to) if from < to => Ok(Some(Window { from, to })),
            _ => {
                let why = "the window to compare with is empty";
                Err(AnswerError::Question(why.to_owned()).into())
            }
        }
    }

    /// The same as people write it.
    pub(crate) fn written(&self, scope: &Scope<'_>) -> Self {
        let written = |time: TimeText| time.written(&scope.catalog().facts);
        Self {
            against_from: self.against_from.map(written),
            against_to: self.against_to.map(written),
        }
    }
}
