//! Watching long work: how far it is, and stopping it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::OverviewError;

/// What a caller learns of long work while it runs, and how it can stop it.
#[derive(Clone, Copy, Default)]
pub struct Watch<'a> {
    /// Set by another thread when the result is no longer wanted.
    pub stop: Option<&'a AtomicBool>,
    /// Told how many of how many steps are done, from any thread and in any order.
    pub progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
}

impl<'a> Watch<'a> {
    /// Work of this many steps.
    pub(super) fn steps(self, total: usize) -> Steps<'a> {
        Steps { watch: self, done: AtomicU64::new(0), total: total as u64 }
    }

    /// Nobody is told of progress; stopping still works.
    pub(super) fn silent(self) -> Self {
        Self { progress: None, ..self }
    }
}

/// Steps of work that several threads do.
pub(super) struct Steps<'a> {
    watch: Watch<'a>,
    done: AtomicU64,
    total: u64,
}

impl Steps<'_> {
    /// One more step is done; fails if the work is to be stopped.
    pub fn step(&self) -> Result<(), OverviewError> {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(progress) = self.watch.progress {
            progress(done, self.total);
        }
        match self.watch.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => Err(OverviewError::Cancelled),
            _ => Ok(()),
        }
    }
}
