//! Records to finished entities.
//!
//! In come batches of records in file order; out go states, variables, events and links, as
//! soon as they are complete, into an [`EntitySink`], and at the end the catalog of what the
//! trace declares. This crate resolves everything (names, nesting, the two ends of links, what
//! is open at the end), so that nothing after it has to. It knows no bytes and no files.
//!
//! Records of a track count in order of their time. Most sources are written that way and are
//! passed straight through. When a track goes backwards, the simulator says so at the end
//! ([`Outcome::Again`]): the source is then read once more, and the records of such tracks are
//! put aside, sorted, and applied last. The answer is the same as for a sorted source.

mod aside;
mod cut_line;
mod definitions;
mod drive;
mod follow;
mod fork;
mod link_records;
mod links;
mod names;
mod producer;
mod references;
mod repair;
mod report;
mod timed;
mod track;
mod used_keys;
mod user_events;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::io;
use std::ops::ControlFlow;

use foldhash::fast::RandomState;
use onca_model::{
    Catalog, Code, ContainerId, Diagnostic, EntitySink, LaneId, Strictness, Ticks, TimeUnit,
    TraceFacts, TypeId, ValueId, printable,
};
use onca_read::{
    Batch, BatchConsumer, Op, Origin, PartProblem, PartRequest, Record, Role, Symbol, Symbols,
    TraceConsumer,
};

use aside::Aside;
pub use drive::{DriveError, DriveOptions, Driven, drive};
pub use follow::{Advance, Follower};
use links::PendingLinks;
use names::{ALIVE, Met, Names};
use report::{Place, Reporter};
use track::Tracks;

/// Grows when the same source gives other entities than before: what an older reading made is
/// then not trusted.
pub const READING_REVISION: u32 = 10;

/// What must be known before a source is read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Ticks per unit, as a power of ten.
    pub tick_exponent: u8,
    /// Tracks whose records are not in time order.
    pub diverted: BTreeSet<u32>,
    /// Records of all tracks are put in order as they come, each waiting until the latest is later by
    /// this much. Without it, those of diverted tracks wait for the end.
    pub within: Option<Ticks>,
}

impl Default for Plan {
    fn default() -> Self {
        Self { tick_exponent: 9, diverted: BTreeSet::new(), within: None }
    }
}

/// How to simulate.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether the first problem ends the work.
    pub strictness: Strictness,
    /// Also report what only strict reading does not accept.
    pub pedantic: bool,
    /// Pair halves of links whose keys do not fit, by order, tag and size.
    pub repair_links: bool,
    /// How much memory the simulator and its symbols may take, in bytes.
    pub memory: usize,
    /// Do as PajeNG does where that loses something: values of variables pass through 32-bit
    /// numbers, and records that follow the destruction of their container have no effect.
    pub as_pajeng: bool,
}

/// How the work ended.
pub enum Outcome<S> {
    /// Everything is known, and the sink has all rows.
    Finished(Box<Finished<S>>),
    /// The source must be read again by a better plan; what the sink has is of no use.
    Again(Plan),
}

/// What a trace turned out to be.
pub struct Finished<S> {
    /// What it declares.
    pub catalog: Catalog,
    /// The sink with all rows.
    pub sink: S,
    /// PajeNG, which loses precision and late records, would give other rows.
    pub pajeng_differs: bool,
}

/// Why the work ended early.
#[derive(Debug)]
pub enum SimulateError<E> {
    /// The sink failed.
    Sink(E),
    /// A problem, in strict mode.
    Problem(Box<Diagnostic>),
    /// More memory would be needed than is allowed.
    Memory {
        /// Bytes in use.
        used: usize,
        /// Bytes allowed.
        allowed: usize,
    },
    /// A temporary file could not be written or read.
    Temporary(io::Error),
}

impl<E> From<io::Error> for SimulateError<E> {
    fn from(error: io::Error) -> Self {
        Self::Temporary(error)
    }
}

impl<E: fmt::Display> fmt::Display for SimulateError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sink(error) => write!(f, "{error}"),
            Self::Problem(problem) => write!(f, "{}", problem.message),
            Self::Memory { used, allowed } => write!(
                f,
                "the names and open entities of this trace take {} MiB, more than the {} MiB \
                 allowed; give more with --memory",
                used >> 20,
                allowed >> 20
            ),
            Self::Temporary(error) => write!(f, "temporary file: {error}"),
        }
    }
}

/// From this many tracks on they do not fit a core's cache.
const MANY_TRACKS: usize = 1 << 14;
/// How many records are looked at together.
const LOOK_AHEAD: usize = 16;

/// No track is known for a pair.
const UNRESOLVED: u32 = u32::MAX;

/// From the first to the last time of the records.
#[derive(Clone, Copy)]
struct Extent {
    first: Ticks,
    last: Ticks,
}

impl Extent {
    const EMPTY: Self = Self { first: Ticks::MAX, last: Ticks::MIN };

    #[inline(always)]
    fn include(&mut self, time: Ticks) {
        self.first = self.first.min(time);
        self.last = self.last.max(time);
    }

    fn first(&self) -> Option<Ticks> {
        (self.first <= self.last).then_some(self.first)
    }

    fn last(&self) -> Option<Ticks> {
        (self.first <= self.last).then_some(self.last)
    }
}

/// Rebuilds the entities of a trace.
pub struct Simulator<'s, S: EntitySink> {
    symbols: &'s Symbols,
    options: Options,
    plan: Plan,
    names: Names,
    tracks: Tracks<S>,
    /// The track of each pair of container and type, where that never changes.
    track_of_pair: Vec<u32>,
    /// The same where it may change: valid while nothing was defined since.
    brief_pairs: HashMap<Symbol, (u64, Option<u32>)>,
    /// Tracks that stand far back in the list of their container.
    track_index: HashMap<(ContainerId, TypeId), u32, RandomState>,
    /// The tracks of a container, as a list: first, and next of each track.
    first_track: Vec<u32>,
    next_track: Vec<u32>,
    pair_of_track: Vec<Symbol>,
    links: PendingLinks,
    aside: Aside,
    /// Latest time of each side of each key on diverted link tracks.
    latest_half: HashMap<(u32, u64, bool), Ticks>,
    reporter: Reporter,
    /// Objects that were referred to by name and reported.
    named_types: HashSet<TypeId>,
    named_containers: HashSet<ContainerId>,
    parts: Vec<PartRequest>,
    redo: Plan,
    extent: Extent,
    last_line: Option<Option<Ticks>>,
    n_records: u64,
    truncated: bool,
    /// PajeNG would give something else than this.
    pajeng_differs: bool,
    failed: Option<SimulateError<S::Error>>,
    scratch: Vec<u8>,
    /// Where the walk through the batch stands, to know the line of a record.
    cursor: (u32, u32),
    /// What the reader holds, by its own account.
    reader_bytes: usize,
}

impl<'s, S: EntitySink> Simulator<'s, S> {
    /// A simulator that has seen nothing.
    pub fn new(symbols: &'s Symbols, sink: S, options: Options, plan: Plan) -> Self {
        let (redo, plan_within) = (plan.clone(), plan.within);
        Self {
            symbols,
            options,
            plan,
            names: Names::new(),
            tracks: Tracks::new(sink),
            track_of_pair: Vec::new(),
            brief_pairs: HashMap::new(),
            track_index: HashMap::default(),
            first_track: vec![UNRESOLVED],
            next_track: Vec::new(),
            pair_of_track: Vec::new(),
            links: PendingLinks::default(),
            aside: Aside::new(plan_within, options.memory / 8),
            latest_half: HashMap::new(),
            reporter: Reporter::new(options.strictness),
            named_types: HashSet::new(),
            named_containers: HashSet::new(),
            parts: Vec::new(),
            redo,
            extent: Extent::EMPTY,
            last_line: None,
            n_records: 0,
            truncated: false,
            pajeng_differs: false,
            failed: None,
            scratch: Vec::new(),
            cursor: (0, 0),
            reader_bytes: 0,
        }
    }

    /// Why accepting batches ended, if it did.
    pub fn take_error(&mut self) -> Option<SimulateError<S::Error>> {
        self.failed.take()
    }

    /// Ends the trace: closes what is open and hands out everything. `origin` is what the reader
    /// knows of who wrote it.
    pub fn finish(mut self, origin: Origin) -> Result<Outcome<S>, SimulateError<S::Error>> {
        if self.redo != self.plan {
            return Ok(Outcome::Again(self.redo));
        }
        self.apply_sorted()?;
        let end = self.extent.last().unwrap_or(0);
        for track in 0..self.tracks.tracks.len() as u32 {
            self.tracks.close_at_end(track, end);
        }
        self.report_open_states();
        self.emit_half_links();
        if let Origin::Said { corrected_clocks: false, .. } = origin {
            self.report_clocks();
        }
        if self.n_records == 0 {
            self.reporter.report(Place::None, None, Code::EmptyTrace, || {
                ("the trace has no records".to_owned(), None)
            });
        }
        if let Some(error) = self.tracks.failed.take() {
            return Err(SimulateError::Sink(error));
        }
        if let Some(problem) = self.reporter.fatal.take() {
            return Err(SimulateError::Problem(Box::new(problem)));
        }
        let containers = &mut self.names.containers;
        for (container_end, destroyed) in containers.ends.iter_mut().zip(&mut containers.destroyed)
        {
            *destroyed = *container_end != ALIVE;
            if !*destroyed {
                *container_end = end;
            }
        }
        let start = self.extent.first().unwrap_or(0);
        for container_start in &mut containers.starts {
            if *container_start == Record::SINCE_EVER {
                *container_start = start;
            }
        }
        let (unit, producer) = self.unit_and_producer(origin);
        let catalog = Catalog {
            types: self.names.types,
            values: self.names.values,
            containers: self.names.containers,
            fields: self.symbols.fields(),
            lanes: self.tracks.lanes,
            facts: TraceFacts {
                unit,
                start,
                end,
                last_line: self.last_line.and_then(|time| match (time, self.extent.first()) {
                    (_, None) => None,
                    (time, Some(_)) => Some(time.unwrap_or(0)),
                }),
                records: self.n_records,
                lost: self.reporter.lost,
                producer,
                truncated: self.truncated,
            },
            diagnostics: self.reporter.diagnostics,
        };
        let pajeng_differs =
            self.pajeng_differs || catalog.diagnostics.get(Code::TimeRounded).is_some();
        let sink = self.tracks.sink;
        Ok(Outcome::Finished(Box::new(Finished { catalog, sink, pajeng_differs })))
    }

    fn unit_and_producer(&self, origin: Origin) -> (TimeUnit, Option<String>) {
        let head = match origin {
            Origin::Said { unit, producer, .. } => return (unit, producer),
            Origin::Unsaid { head } => head,
        };
        let (producer, unit_name) = producer::guess(&head, &self.names.types);
        let unit = TimeUnit {
            ticks_per_unit: 10u64.pow(u32::from(self.plan.tick_exponent)),
            name: unit_name.unwrap_or("s").to_owned(),
            assumed: unit_name.is_none(),
        };
        (unit, producer)
    }

    /// Messages that arrive before they are sent tell that clocks disagree.
    fn report_clocks(&mut self) {
        let backward = self.reporter.diagnostics.get(Code::LinkNegativeDuration);
        let Some(n) = backward.map(|tally| tally.count) else { return };
        self.reporter.report(Place::None, None, Code::UnsynchronisedClocks, || {
            let message = format!(
                "{n} links end before they start, and the trace does not say how far its clocks \
                 are off: times of different processes cannot be compared"
            );
            (message, Some("\"onca clocks\" estimates how far they are off".to_owned()))
        });
    }

    fn report_open_states(&mut self) {
        let n = self.tracks.n_open_ended;
        if n == 0 {
            return;
        }
        self.reporter.report(Place::None, None, Code::StateOpenAtEnd, || {
            ("states are still open when their container or the trace ends".to_owned(), None)
        });
        let severity = Code::StateOpenAtEnd.severity(self.options.strictness);
        self.reporter.diagnostics.count(Code::StateOpenAtEnd, severity, n - 1);
    }

    fn apply(&mut self, batch: &Batch) {
        if let Some(exponent) = batch.tick_exponent_needed {
            self.redo.tick_exponent = self.redo.tick_exponent.min(exponent);
            self.tracks.dry = true;
        }
        self.n_records += batch.n_records;
        self.reporter.lost += batch.n_lost;
        self.last_line = batch.last_line.or(self.last_line);
        self.cursor = (0, 0);
        self.reader_bytes = batch.held_bytes;
        let strict = self.options.strictness == Strictness::Strict;
        let mut problems = batch.problems.iter().peekable();
        let mut extras = batch.extras.iter();
        let scattered = self.tracks.tracks.len() >= MANY_TRACKS;
        let (lost_before, is_cut) = (self.reporter.lost, batch.cut && !self.options.as_pajeng);
        for (index, record) in batch.records.iter().enumerate() {
            if scattered && index % LOOK_AHEAD == 0 {
                self.look_ahead(&batch.records[index..]);
            }
            while strict && let Some(problem) = problems.next_if(|p| p.at <= record.at) {
                self.take_problem(batch, problem, None);
            }
            let packed = match record.has_extras {
                true => extras.next().map_or(&[][..], |&span| batch.bytes(span)),
                false => &[],
            };
            match record.op {
                _ if is_cut => self.cut_record(batch, record, packed),
                Op::Rare => self.rare(batch, record, packed),
                _ if packed.is_empty() && self.plain_state(record) => {}
                _ => self.timed(batch, record, packed),
            }
            if !self.names.met.is_empty() {
                self.report_met_values(batch, record.at);
            }
            if strict && self.reporter.fatal.is_some() {
                return;
            }
        }
        let is_lost = self.reporter.lost > lost_before;
        for problem in problems {
            self.take_problem(batch, problem, cut_line::fate(batch, is_lost));
        }
        for &(code, count) in &batch.unsampled {
            let severity = code.severity(self.options.strictness);
            self.reporter.diagnostics.count(code, severity, count);
        }
    }

    /// Reports values that were met for the first time, if there is something to say about them.
    #[cold]
    fn report_met_values(&mut self, batch: &Batch, at: u32) {
        let place = Place::Batch(batch, at);
        for met in std::mem::take(&mut self.names.met) {
            let name = |id: ValueId| printable(&self.names.values[id.index()].name).into_owned();
            match met {
                Met::ByName(id) => {
                    let role = Some(Role::Value);
                    self.reporter.report(place, role, Code::ReferenceByName, || {
                        (format!("\"{}\" is the name of a value that has an alias", name(id)), None)
                    });
                }
                Met::Undefined(id) if self.options.pedantic && batch.values_are_declared => {
                    let role = Some(Role::Value);
                    self.reporter.report(place, role, Code::UndefinedValue, || {
                        (format!("the value \"{}\" is not defined", name(id)), None)
                    });
                }
                Met::Undefined(_) => {}
            }
        }
    }

    /// Reads the lines of the tracks that the next records concern. With very many tracks each is
    /// far from the last in memory; reading them together lets the processor wait for all of them
    /// at once instead of one after the other.
    fn look_ahead(&self, records: &[Record]) {
        let (mut lanes, mut n) = ([LaneId(0); LOOK_AHEAD], 0);
        for record in records.iter().take(LOOK_AHEAD) {
            let track = self.track_of_pair.get(record.pair as usize).copied().unwrap_or(UNRESOLVED);
            if let Some(line) = self.tracks.tracks.get(track as usize) {
                lanes[n] = line.lane;
                n += 1;
            }
        }
        self.tracks.sink.expect(&lanes[..n]);
    }

    /// `hint` is for a problem that comes without one.
    fn take_problem(&mut self, batch: &Batch, problem: &onca_read::Problem, hint: Option<&str>) {
        self.truncated |= problem.code == Code::Truncated;
        let severity = problem.code.severity(self.options.strictness);
        if !self.reporter.diagnostics.wants_sample(problem.code) {
            return self.reporter.diagnostics.count(problem.code, severity, 1);
        }
        self.reporter.add(Diagnostic {
            code: problem.code,
            severity,
            position: batch.position(problem.line, problem.column),
            message: problem.message.clone(),
            hint: problem.hint.clone().or_else(|| hint.map(str::to_owned)),
        });
    }

    fn check_limits(&mut self) {
        let used = self.symbols.bytes()
            + self.names.bytes()
            + self.tracks.bytes()
            + self.links.bytes()
            + self.track_of_pair.capacity() * 4
            + self.track_index.capacity() * 13
            + self.next_track.capacity() * 12
            + self.latest_half.capacity() * 32
            + self.aside.bytes()
            + self.reader_bytes;
        if used > self.options.memory {
            let allowed = self.options.memory;
            self.failed.get_or_insert(SimulateError::Memory { used, allowed });
        }
    }
}

impl<S: EntitySink + Send> TraceConsumer for Simulator<'_, S>
where
    S::Error: Send,
{
    fn take_parts(&mut self) -> Vec<PartRequest> {
        std::mem::take(&mut self.parts)
    }

    fn part_problem(&mut self, request: &PartRequest, problem: PartProblem) {
        let (code, what) = match problem {
            PartProblem::Missing => {
                (Code::MissingPartFile, "cannot be read; its records are missing")
            }
            PartProblem::Outside => (
                Code::OutsideArchive,
                "is not in the folder of the trace and is not read; its records are missing",
            ),
            PartProblem::Cycle => (Code::PartCycle, "is read already; it is not read again"),
            PartProblem::TooMany => (
                Code::MissingPartFile,
                "is one file too many and is not read; its records are missing",
            ),
        };
        if problem != PartProblem::Cycle {
            self.reporter.lost += 1;
        }
        self.reporter.report(Place::Line(request.position), None, code, || {
            (format!("the part \"{}\" {what}", printable(&request.file)), None)
        });
    }
}

impl<S: EntitySink + Send> BatchConsumer for Simulator<'_, S>
where
    S::Error: Send,
{
    fn accept(&mut self, batch: &Batch) -> ControlFlow<()> {
        self.apply(batch);
        self.release();
        self.check_limits();
        if let Some(error) = self.tracks.failed.take() {
            self.failed.get_or_insert(SimulateError::Sink(error));
        }
        if let Some(problem) = self.reporter.fatal.take() {
            self.failed.get_or_insert(SimulateError::Problem(Box::new(problem)));
        }
        if self.failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
