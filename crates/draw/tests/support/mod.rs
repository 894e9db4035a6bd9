//! What the tests share: a store made of a trace, and a figure with every mark.

pub mod sample;
pub mod shapes;
pub mod structure;
pub mod timeline;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use onca_model::{Ticks, Window};
use onca_query::{Appearance, Lens, Scope, TimeText};
use onca_read::{Progress, Source};
use onca_simulate::{DriveOptions, drive};
use onca_store::{BuildOptions, Fingerprint, Store, StoreBuilder};
use onca_views::options::AgainstOptions;

/// An open store, and the folder that it is in.
pub struct Stored {
    pub store: Store,
    pub lens: Lens,
    pub appearance: Appearance,
    _folder: tempfile::TempDir,
}

impl Stored {
    /// Indexes a trace that is in a file.
    pub fn from_file(path: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("t.onca");
        let progress = Arc::new(Progress::default());
        let driven = drive(&Source::new(path), &DriveOptions::default(), &progress, || {
            StoreBuilder::create(&place, &BuildOptions::default())
        })
        .expect("a readable trace");
        let (catalog, facts) = (&driven.catalog, BTreeMap::new());
        driven.sink.finish(catalog, &Fingerprint::default(), &facts).expect("a built store");
        let store = Store::open(&place).expect("an open store");
        let lens = Lens::default();
        let appearance =
            Appearance::new(store.catalog(), &lens, None).expect("a lens without colours");
        Self { store, lens, appearance, _folder: folder }
    }

    /// Indexes a trace that is a text.
    pub fn from_text(trace: &str) -> Self {
        let file = tempfile::NamedTempFile::with_suffix(".paje").expect("a file");
        std::fs::write(file.path(), trace).expect("a written trace");
        Self::from_file(file.path())
    }

    /// All of the trace.
    pub fn whole(&self) -> Scope<'_> {
        let facts = &self.store.catalog().facts;
        self.window(Window::new(facts.start, facts.end))
    }

    /// A window of the trace.
    pub fn window(&self, window: Window) -> Scope<'_> {
        Scope::new(&self.store, &self.lens, window).expect("a lens that fits")
    }
}

/// A window to compare with, in ticks of a trace that begins at tick 0.
pub fn against(from: Ticks, to: Ticks) -> AgainstOptions {
    let time = |ticks| Some(TimeText::AfterStart(ticks));
    AgainstOptions { against_from: time(from), against_to: time(to) }
}
