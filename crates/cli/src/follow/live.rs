//! Following a file to its end.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use onca_model::{Shift, Ticks, TimeUnit};
use onca_read::{Growing, Progress, Symbols, Tail, TailState};
use onca_simulate::{Advance, DriveError, Finished, Follower, Outcome, Plan};
use onca_store::{BuildOptions, Fingerprint, Store, StoreBuilder, StoreError};

use super::receive::Receiving;
use crate::trace::{Built, ReadArgs, build_from, facts_of, full_path, mode_of, strict_failure};
use onca_program::Failure;
use onca_program::format::shown;

/// How often is looked whether there is more.
pub(super) const POLL: Duration = Duration::from_millis(200);
/// How much is read before somebody may look.
const PORTION: u64 = 16 << 20;
/// How often somebody may look,
pub(super) const LOOK: Duration = Duration::from_millis(200);
/// and how much longer than the last look took: looking must not take the time for reading.
pub(super) const LOOK_SHARE: u32 = 4;
/// How many bytes of blocks a look may keep in memory.
pub(super) const LOOK_CACHE: usize = 64 << 20;

/// How far following is.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// Up to when answers are sure; nothing before the first record.
    pub watermark: Option<Ticks>,
    pub unit: TimeUnit,
    /// Not known of what is read only at its end.
    pub records: Option<u64>,
    /// Records that came too late, and are left out until the end.
    pub late: u64,
    pub bytes: u64,
    /// Bytes of a line whose newline is not there yet.
    pub unfinished: usize,
    /// How long nothing has come.
    pub silence: Duration,
}

/// Who wants to know how it goes.
pub trait Observer {
    /// Told often; may stop it.
    fn stands(&mut self, standing: &Standing) -> ControlFlow<()>;
    /// Something that the user should know.
    fn note(&mut self, what: &str);
    /// Does somebody look at the trace before it is complete?
    fn looks(&self) -> bool;
    /// The trace as it is now.
    fn look(&mut self, store: Store, standing: &Standing);
}

/// Who writes what is followed.
#[derive(Clone, Copy)]
pub enum Writer<'a> {
    /// Somebody of whom nothing is known.
    Other,
    /// A program that this process runs. The flag tells that it has ended.
    Run(&'a AtomicBool),
    /// This process, what it receives.
    Receiving(&'a Receiving),
}

impl Writer<'_> {
    /// Will nothing more come? That nothing more can be received is a failure.
    pub(super) fn has_ended(self) -> Result<bool, Failure> {
        match self {
            Self::Other => Ok(false),
            Self::Run(ended) => Ok(ended.load(Ordering::Acquire)),
            Self::Receiving(receiving) => receiving.has_ended(),
        }
    }

    /// Is what it writes still there when the store is built?
    pub(super) fn stays(self) -> bool {
        !matches!(self, Self::Receiving(_))
    }
}

/// A trace that is followed.
pub struct Live<'a> {
    pub path: &'a Path,
    /// Where its store will be.
    pub place: &'a Path,
    pub read: &'a ReadArgs,
    /// The unit of the trace by default.
    pub lateness: Option<Shift>,
    /// It is complete when nothing has come for so long.
    pub until_idle: Option<Duration>,
    pub writer: Writer<'a>,
}

/// How one reading ended.
enum Reading {
    Complete(Box<Built>),
    Again(Plan),
    /// The file is another one now, or shorter: how.
    Anew(&'static str),
}

/// What is remembered between readings.
pub(super) struct Course {
    pub started: Instant,
    pub last_growth: Instant,
    pub next_look: Instant,
    /// Something has come since the last look.
    pub is_unseen: bool,
    passes: u32,
}

impl Live<'_> {
    /// Reads on until the trace is complete, and builds its store.
    pub fn run(&self, observer: &mut dyn Observer) -> Result<Built, Failure> {
        let now = Instant::now();
        let mut course =
            Course { started: now, last_growth: now, next_look: now, is_unseen: false, passes: 0 };
        loop {
            match self.wait(&mut course, observer)? {
                Growing::Whole(extent) => return self.read_anew(extent, &mut course, observer),
                Growing::Lines(tail) => {
                    if let Some(built) = self.read_lines(&tail, &mut course, observer)? {
                        return Ok(built);
                    }
                }
            }
        }
    }

    /// Reads a text to its end; nothing if it became another one.
    fn read_lines(
        &self,
        tail: &Tail,
        course: &mut Course,
        observer: &mut dyn Observer,
    ) -> Result<Option<Built>, Failure> {
        let mut plan = Plan::default();
        loop {
            course.passes += 1;
            match self.read_once(tail, &plan, course, observer)? {
                Reading::Complete(built) => return Ok(Some(*built)),
                Reading::Again(better) => plan = better,
                Reading::Anew(why) => {
                    let name = shown(self.path);
                    observer.note(&format!("{name}: {why}; it is read from its beginning"));
                    return Ok(None);
                }
            }
        }
    }

    /// Waits until there is something to read.
    fn wait(&self, course: &mut Course, observer: &mut dyn Observer) -> Result<Growing, Failure> {
        loop {
            // Asked first: what has ended before has written all that there is.
            let has_ended = self.writer.has_ended()?;
            let opened = Growing::open(self.path)
                .map_err(|error| Failure::Cannot(format!("{}: {error}", shown(self.path))))?;
            if let Some(growing) = opened {
                return Ok(growing);
            }
            let silence = course.last_growth.elapsed();
            let standing = Standing { silence, ..Standing::default() };
            if self.is_over(observer, &standing, has_ended) {
                let what = "nothing has come of it that could be read, not even a whole line";
                return Err(Failure::Cannot(format!("{}: {what}", shown(self.path))));
            }
            std::thread::sleep(POLL);
        }
    }

    /// Will nothing more be read?
    pub(super) fn is_over(
        &self,
        observer: &mut dyn Observer,
        standing: &Standing,
        has_ended: bool,
    ) -> bool {
        let is_idle = self.until_idle.is_some_and(|most| standing.silence >= most);
        observer.stands(standing).is_break() || is_idle || has_ended
    }

    fn read_once(
        &self,
        tail: &Tail,
        plan: &Plan,
        course: &mut Course,
        observer: &mut dyn Observer,
    ) -> Result<Reading, Failure> {
        let symbols = Symbols::new();
        let drive_options = self.read.drive_options();
        let builder = StoreBuilder::create(self.place, &self.building(self.path))?;
        // What was read is not lost when somebody wants to stop: its store is built.
        let progress = Progress::default();
        let follower = Follower::new(tail, &symbols, builder, &drive_options, plan, &progress);
        let mut follower =
            follower.map_err(|error| Failure::Cannot(format!("{}: {error}", shown(self.path))))?;
        loop {
            let has_ended = self.writer.has_ended()?;
            tail.allow(PORTION);
            let bytes = match follower.advance().map_err(failed)? {
                Advance::Read(bytes) => bytes,
                Advance::Again(better) => return Ok(self.again(better, &follower, observer)),
            };
            if bytes > 0 {
                course.last_growth = Instant::now();
                course.is_unseen = true;
            }
            let standing = standing_of(&follower, course);
            if self.is_over(observer, &standing, has_ended && bytes == 0) {
                return self.complete(tail, follower, course, observer);
            }
            if observer.looks() && course.is_unseen && course.next_look <= Instant::now() {
                self.look(&mut follower, course, observer, &standing)?;
            }
            if bytes == 0 {
                match tail.state().map_err(|error| cannot_read(self.path, &error))? {
                    TailState::Cut => return Ok(Reading::Anew("the file was cut")),
                    TailState::Replaced => return Ok(Reading::Anew("the file was replaced")),
                    TailState::Grown(_) | TailState::Gone => std::thread::sleep(POLL),
                }
            }
        }
    }

    /// How a store is built of what a file holds.
    pub(super) fn building(&self, file: &Path) -> BuildOptions {
        BuildOptions { memory_bytes: self.read.memory / 4, source_mode: mode_of(file), wait: true }
    }

    /// The plan for a source that is not in order, or whose times need another tick.
    fn again(
        &self,
        better: Plan,
        follower: &Follower<'_, StoreBuilder>,
        observer: &mut dyn Observer,
    ) -> Reading {
        if better.diverted.is_empty() {
            return Reading::Again(better);
        }
        let unit = follower.unit();
        // A unit that has no length: then the number counts.
        let within = self.lateness.and_then(|lateness| lateness.ticks(&unit).ok());
        let within = within.unwrap_or(unit.ticks_per_unit as Ticks).max(0);
        observer.note(&format!(
            "{}: not in the order of time; records wait {} {} for earlier ones",
            shown(self.path),
            unit.format(within),
            unit.name
        ));
        Reading::Again(Plan { within: Some(within), diverted: Default::default(), ..better })
    }

    /// Hands out the trace as it is now.
    fn look(
        &self,
        follower: &mut Follower<'_, StoreBuilder>,
        course: &mut Course,
        observer: &mut dyn Observer,
        standing: &Standing,
    ) -> Result<(), Failure> {
        let begun = Instant::now();
        course.is_unseen = false;
        let preview = follower.sink_mut().preview()?;
        let looked = follower.look(preview).map_err(DriveError::Simulate)?;
        if let Some(Finished { catalog, sink, pajeng_differs }) = looked {
            let facts = facts_of(self.read, follower.bytes(), pajeng_differs);
            let store = sink.open(catalog, &Fingerprint::default(), &facts, LOOK_CACHE)?;
            observer.look(store, standing);
        }
        course.next_look = Instant::now() + LOOK.max(begun.elapsed() * LOOK_SHARE);
        Ok(())
    }

    /// Builds the store of what there is.
    fn complete(
        &self,
        tail: &Tail,
        mut follower: Follower<'_, StoreBuilder>,
        course: &Course,
        observer: &mut dyn Observer,
    ) -> Result<Reading, Failure> {
        // All that is there now, and nothing that comes meanwhile.
        if let TailState::Grown(rest) =
            tail.state().map_err(|error| cannot_read(self.path, &error))?
        {
            tail.allow(rest);
            follower.advance().map_err(failed)?;
        }
        tail.allow(0);
        let bytes = follower.bytes();
        if follower.unfinished() > 0 {
            observer.note(&format!(
                "{}: the last line has no newline: its writer may have died",
                shown(self.path)
            ));
        }
        let again = follower.needs_another_reading();
        let finished = match follower.finish().map_err(failed)? {
            Outcome::Finished(finished) if !again => finished,
            // The usual reading puts everything in its place.
            other => {
                drop(other);
                let built = build_from(self.path, self.place, self.read, self.writer.stays())?;
                return Ok(Reading::Complete(Box::new(built)));
            }
        };
        let Finished { catalog, sink, pajeng_differs } = *finished;
        let fingerprint = match self.writer.stays() {
            false => Fingerprint::default(),
            true => Fingerprint::of_first(&full_path(self.path), bytes)?,
        };
        let facts = facts_of(self.read, bytes, pajeng_differs);
        let report = sink.finish(&catalog, &fingerprint, &facts)?;
        Ok(Reading::Complete(Box::new(Built {
            place: self.place.to_owned(),
            report: Some(report),
            source_bytes: bytes,
            records: catalog.facts.records,
            lost: catalog.facts.lost,
            passes: course.passes,
            elapsed: course.started.elapsed(),
        })))
    }
}

fn standing_of(follower: &Follower<'_, StoreBuilder>, course: &Course) -> Standing {
    Standing {
        watermark: follower.watermark(),
        unit: follower.unit(),
        records: Some(follower.n_records()),
        late: follower.n_late(),
        bytes: follower.bytes(),
        unfinished: follower.unfinished(),
        silence: course.last_growth.elapsed(),
    }
}

/// A problem that strict reading does not accept is told with its place.
pub(super) fn failed(error: DriveError<StoreError>) -> Failure {
    match error {
        DriveError::Problem(problem, files) => strict_failure(&problem, &files),
        other => other.into(),
    }
}

pub(super) fn cannot_read(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Cannot(format!("{}: {error}", shown(path)))
}
