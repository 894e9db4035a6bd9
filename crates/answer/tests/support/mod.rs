//! What the tests share: a store made of a text.

pub mod both;
pub mod plain;
pub mod writer;

use std::collections::BTreeMap;
use std::sync::Arc;

use onca_model::Window;
use onca_query::{Lens, Scope};
use onca_read::{Progress, Source};
use onca_simulate::{DriveOptions, drive};
use onca_store::{BuildOptions, Fingerprint, Store, StoreBuilder};

/// An open store, and the folder that it is in.
pub struct Stored {
    pub store: Store,
    _folder: tempfile::TempDir,
}

impl Stored {
    /// Indexes a trace.
    pub fn new(trace: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.paje");
        std::fs::write(&path, trace).expect("a written trace");
        Self::of(folder, &path)
    }

    /// Indexes a trace that lies in a folder.
    pub fn of(folder: tempfile::TempDir, path: &std::path::Path) -> Self {
        let place = folder.path().join("t.onca");
        let progress = Arc::new(Progress::default());
        let options = DriveOptions { threads: 1, ..DriveOptions::default() };
        let driven = drive(&Source::new(path), &options, &progress, || {
            StoreBuilder::create(&place, &BuildOptions::default())
        })
        .expect("a readable trace");
        let (catalog, facts) = (&driven.catalog, BTreeMap::new());
        driven.sink.finish(catalog, &Fingerprint::default(), &facts).expect("a built store");
        Self { store: Store::open(&place).expect("an open store"), _folder: folder }
    }

    /// The whole trace through a lens.
    pub fn scope(&self, lens: &Lens, window: Window) -> Scope<'_> {
        Scope::new(&self.store, lens, window).expect("a lens that fits")
    }

    /// From the first instant to the last.
    pub fn whole(&self) -> Window {
        let facts = &self.store.catalog().facts;
        Window::new(facts.start, facts.end)
    }
}
