//! What is known of a whole run once it was analysed: its waits, its critical path, and what costs time in it.
//!
//! It is worked out once for each store and kept with it, so that pictures and lists need no analysis of their own.

mod file;
mod table;

use std::ops::Range;
use std::sync::Arc;

use onca_aggregate::compare::Course;
use onca_model::{ContainerId, Window};
use onca_query::{Lens, Scope};
use onca_store::Store;

pub use table::WaitTable;

use crate::{FindingAnswer, Result, WaitAnalysis, analyse_waits};

/// What is known of a whole run, seen as it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnosis {
    /// Who waited when, for whom.
    pub waits: WaitTable,
    /// The critical path: who was on it when. Each step begins when the one before it ends.
    pub path: Vec<PathStep>,
    /// Its steps.
    pub course: Course,
    /// What costs time.
    pub findings: FindingAnswer,
}

/// A step of the critical path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathStep {
    /// Who was on the path.
    pub container: ContainerId,
    /// When.
    pub window: Window,
}

impl Diagnosis {
    /// What is known of the run in a store. It takes a while the first time.
    pub fn of(store: &Store) -> Result<Arc<Self>> {
        store.derived(|| {
            let facts = &store.catalog().facts;
            let whole = Window { from: facts.start, to: facts.end };
            let scope = Scope::new(store, &Lens::clear(), whole)?;
            Self::made(&scope, analyse_waits(&scope)?)
        })
    }

    /// What an analysis tells of the run that a scope sees.
    pub(crate) fn made(scope: &Scope<'_>, analysis: WaitAnalysis) -> Result<Self> {
        let findings = analysis.findings(scope)?;
        Ok(Self {
            path: analysis.path_steps().collect(),
            course: analysis.course(),
            waits: analysis.into_table(),
            findings,
        })
    }

    /// The same if it is known already: for answers that must not take long.
    pub fn known(store: &Store) -> Option<Arc<Self>> {
        store.known()
    }

    /// The steps of the critical path that lie in a window, at least in part.
    pub fn path_in(&self, window: Window) -> &[PathStep] {
        &self.path[self.path_places(window)]
    }

    /// Where these steps are on the path.
    pub fn path_places(&self, window: Window) -> Range<usize> {
        let first = self.path.partition_point(|step| step.window.to <= window.from);
        let end = self.path.partition_point(|step| step.window.from < window.to);
        first..end.max(first)
    }
}
