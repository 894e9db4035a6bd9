//! A trace that a server shows while it is written.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use onca_program::Failure;
use onca_serve::{Growth, Opened, Opening};
use onca_store::{Store, Unfinished};

use super::{FollowArgs, Followed, Observer, Standing, follow};
use crate::trace::{OpenTrace, ReadArgs, default_place};

/// A writer that was silent for so long is spoken of.
const SILENCE: Duration = Duration::from_secs(3);

/// A trace that is to be followed.
pub struct FollowedTrace {
    followed: Followed,
    place: PathBuf,
    /// The store of what is sent goes when the server does.
    temporary: Option<Unfinished>,
    path: PathBuf,
    read: ReadArgs,
    args: FollowArgs,
}

impl FollowedTrace {
    /// What a user names on the command line.
    pub fn new(trace: &Path, read: &ReadArgs, args: &FollowArgs) -> Result<Self, Failure> {
        Self::of(Followed::named(trace)?, trace, read, args)
    }

    /// What a program that this process runs records in a folder, until the flag is set.
    pub fn of_run(folder: &Path, ended: Arc<AtomicBool>, read: &ReadArgs) -> Result<Self, Failure> {
        Self::of(Followed::Run(folder.to_owned(), ended), folder, read, &FollowArgs::default())
    }

    fn of(
        followed: Followed,
        trace: &Path,
        read: &ReadArgs,
        args: &FollowArgs,
    ) -> Result<Self, Failure> {
        let (place, temporary) = match followed.is_sent() {
            false => (default_place(trace)?, None),
            true => {
                let cannot = |error| Failure::Cannot(format!("temporary directory: {error}"));
                let folder = tempfile::Builder::new().prefix("onca-").tempdir().map_err(cannot)?;
                let folder = Unfinished::at(folder.keep());
                (folder.path().join("temporary.onca"), Some(folder))
            }
        };
        let (path, read, args) = (trace.to_owned(), read.clone(), args.clone());
        Ok(Self { followed, place, temporary, path, read, args })
    }

    /// Shows it as it grows, and at the end its store.
    pub fn open(mut self, opening: &Opening<'_>) -> Result<Opened, Failure> {
        self.read.progress = Arc::clone(opening.progress());
        let unit = self.read.unit.clone();
        let mut page = Page { opening, path: &self.path, unit: unit.clone(), note: String::new() };
        let built = follow(&self.followed, &self.place, &self.read, &self.args, &mut page)?;
        let open = OpenTrace::of(Store::open(&built.place)?);
        open.mention_problems();
        let (store, mut files, _) = open.into_parts();
        if files.is_empty() {
            files.push(self.path);
        }
        Ok(Opened { store, files, unit, temporary: self.temporary })
    }
}

/// The page of a server.
struct Page<'a> {
    opening: &'a Opening<'a>,
    path: &'a Path,
    unit: Option<String>,
    note: String,
}

impl Page<'_> {
    fn growth(&self, standing: &Standing) -> Option<Growth> {
        let silence = Some(standing.silence).filter(|silence| *silence >= SILENCE);
        Some(Growth {
            watermark: standing.watermark?,
            records: standing.records?,
            late: standing.late,
            silent_seconds: silence.map_or(0, |silence| silence.as_secs()),
            note: self.note.clone(),
        })
    }
}

impl Observer for Page<'_> {
    fn stands(&mut self, standing: &Standing) -> ControlFlow<()> {
        if let Some(growth) = self.growth(standing) {
            self.opening.stands(growth);
        }
        match self.opening.progress().is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn note(&mut self, what: &str) {
        eprintln!("note: {what}");
        what.clone_into(&mut self.note);
    }

    fn looks(&self) -> bool {
        true
    }

    fn look(&mut self, store: Store, standing: &Standing) {
        let Some(growth) = self.growth(standing) else { return };
        let (files, unit) = (vec![self.path.to_owned()], self.unit.clone());
        self.opening.has_grown(Opened { store, files, unit, temporary: None }, growth);
    }
}
