//! Following what makes sense only as a whole: it is read anew when there is more of it.
//!
//! A look reads what is there like `onca index`, so that it shows what an index of it would. What it costs grows
//! with the trace. So the pause after it grows too, and looking takes a bounded part of one core.

use std::time::Instant;

use onca_program::Failure;
use onca_program::format::shown;
use onca_read::{Change, Extent, Source, onct};
use onca_simulate::{DriveError, DriveOptions, drive};
use onca_store::{Fingerprint, StoreBuilder};

use super::live::{
    Course, LOOK, LOOK_CACHE, LOOK_SHARE, Live, Observer, POLL, Standing, Writer, cannot_read,
    failed,
};
use crate::trace::{Built, build_from, facts_of};

/// Files that have their end marks are complete when nothing has come for this long: another process of the run
/// may be about to begin its own.
const QUIET: std::time::Duration = std::time::Duration::from_secs(5);

impl Live<'_> {
    /// Looks whenever there is more, and builds the store at the end.
    pub(super) fn read_anew(
        &self,
        mut extent: Extent,
        course: &mut Course,
        observer: &mut dyn Observer,
    ) -> Result<Built, Failure> {
        let mut standing = Standing { bytes: extent.bytes(), ..Standing::default() };
        let mut is_quiet = false;
        course.is_unseen = true;
        loop {
            let begun = Instant::now();
            // Asked first: what has ended before has written all that there is.
            let has_ended = self.writer.has_ended()?;
            let now = Extent::of(self.path).map_err(|error| cannot_read(self.path, &error))?;
            let change = now.since(&extent);
            if change != Change::None {
                extent = now;
                (course.last_growth, course.is_unseen, is_quiet) = (begun, true, false);
            }
            if let Change::Other(how) = change {
                observer.note(&format!("{}: {how}; all is read anew", shown(self.path)));
            }
            (standing.bytes, standing.silence) = (extent.bytes(), course.last_growth.elapsed());
            let was_quiet = std::mem::replace(&mut is_quiet, standing.silence >= QUIET);
            let is_closed = is_quiet && !was_quiet && self.is_closed(&extent);
            if self.is_over(observer, &standing, has_ended || is_closed) {
                let built = build_from(self.path, self.place, self.read, self.writer.stays())?;
                return Ok(Built { elapsed: course.started.elapsed(), ..built });
            }
            if observer.looks() && course.is_unseen && course.next_look <= Instant::now() {
                self.look_anew(&mut standing, course, observer)?;
            } else {
                std::thread::sleep(POLL.max(begun.elapsed() * LOOK_SHARE));
            }
        }
    }

    /// Have all processes that there are closed their files?
    fn is_closed(&self, extent: &Extent) -> bool {
        matches!(self.writer, Writer::Other) && extent.is_closed()
    }

    /// Reads all that is there, and hands it out.
    fn look_anew(
        &self,
        standing: &mut Standing,
        course: &mut Course,
        observer: &mut dyn Observer,
    ) -> Result<(), Failure> {
        let begun = Instant::now();
        course.is_unseen = false;
        // The other cores are for the program that is followed.
        let options = DriveOptions { growing: true, threads: 1, ..self.read.drive_options() };
        let building = self.building(&onct::first_file(self.path));
        let progress = &self.read.progress;
        let make = || StoreBuilder::create(self.place, &building);
        let mut driven = match drive(&Source::new(self.path), &options, progress, make) {
            // It may be right again before it is complete.
            Err(error @ (DriveError::Source(_) | DriveError::Read(..))) => {
                observer.note(&format!("it cannot be read now: {error}"));
                course.next_look = Instant::now() + LOOK.max(begun.elapsed() * LOOK_SHARE);
                return Ok(());
            }
            other => other.map_err(failed)?,
        };
        let of_trace = &driven.catalog.facts;
        standing.records = Some(of_trace.records);
        standing.watermark = (of_trace.records > 0).then_some(of_trace.end);
        standing.unit = of_trace.unit.clone();
        let facts = facts_of(self.read, driven.bytes, driven.pajeng_differs);
        let preview = driven.sink.preview()?;
        let store = preview.open(driven.catalog, &Fingerprint::default(), &facts, LOOK_CACHE)?;
        observer.look(store, standing);
        course.next_look = Instant::now() + LOOK.max(begun.elapsed() * LOOK_SHARE);
        Ok(())
    }
}
