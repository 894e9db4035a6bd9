//! Runs that were compared lately: another picture of the same need not compare them again.

use std::sync::{Arc, Mutex};

use onca_answer::AnswerError;
use onca_answer::compare::Comparison;

use crate::newest::{Newest, lock};

/// This many are remembered.
const MOST_KEPT: usize = 4;

/// What a trace was compared with. Whoever asks first compares; others wait meanwhile.
#[derive(Default)]
pub struct Comparisons(Newest<Mutex<Option<Arc<Comparison>>>>);

impl Comparisons {
    /// A comparison, from memory where it has been asked for lately.
    pub fn of(
        &self,
        key: String,
        compare: impl FnOnce() -> Result<Comparison, AnswerError>,
    ) -> Result<Arc<Comparison>, AnswerError> {
        let entry = self.0.entry(key);
        let mut known = lock(&entry.content);
        if let Some(comparison) = &*known {
            return Ok(Arc::clone(comparison));
        }
        let comparison = Arc::new(compare()?);
        *known = Some(Arc::clone(&comparison));
        drop(known);
        self.0.forget_old(MOST_KEPT, MOST_KEPT, |_| 1);
        Ok(comparison)
    }
}
