//! How far work is.

use std::sync::atomic::{AtomicU64, Ordering};

/// How far work with a store is, for somebody who watches from another thread.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// Steps that are done.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// All steps; 0 while it is not known.
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// There are this many steps.
    pub fn begin(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// One more is done.
    pub fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// This many are done.
    pub fn reach(&self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
    }
}
