//! How often each value of a trace occurs.

use onca_answer::{AnswerError, Fields, FindSpec, count_found};
use onca_model::{Nature, ValueId, Window};
use onca_query::{Lens, NamePattern, Scope};
use onca_store::Store;

/// How often each value occurs in the whole trace.
#[derive(Debug)]
pub struct ValueCounts(Vec<u64>);

impl ValueCounts {
    /// Counts. States and events come from sums that the store keeps, links are looked at.
    pub fn of(store: &Store) -> Result<Self, AnswerError> {
        let scope = Scope::new(store, &Lens::clear(), Window::ALL)?;
        let everything = FindSpec {
            pattern: NamePattern::parse("*").map_err(AnswerError::Question)?,
            fields: Fields { values: true, ..Fields::default() },
            extra_fields: Vec::new(),
            kinds: vec![Nature::State, Nature::Link, Nature::Event],
            longer_than: None,
            shorter_than: None,
            line: None,
        };
        let mut counts = vec![0; store.catalog().values.len()];
        for row in count_found(&scope, &everything)?.rows {
            if let Some(value) = row.value {
                counts[value.index()] += row.count;
            }
        }
        Ok(Self(counts))
    }

    /// How often a value occurs.
    pub fn of_value(&self, id: ValueId) -> u64 {
        self.0.get(id.index()).copied().unwrap_or(0)
    }
}
