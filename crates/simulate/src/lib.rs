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

mod drive;
mod links;
mod names;
mod producer;
mod report;
mod sort;
mod track;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::io;
use std::ops::ControlFlow;

use onca_model::{
    Catalog, Code, Container, ContainerId, Diagnostic, EntitySink, LinkRow, Nature, Position,
    Strictness, Ticks, TimeUnit, TraceFacts, TypeDef, TypeId, ValueDef, ValueId, display_text,
    printable,
};
use onca_read::{
    Batch, BatchConsumer, CreateRecord, LinkHalf, Op, Rare, Record, Role, Symbol, Symbols,
    TypeRecord, ValueRecord,
};

pub use drive::{DriveError, DriveOptions, Driven, drive};
use links::{Half, NewHalf, PendingLinks, Side};
use names::{ALIVE, Found, Missing, Names};
use report::{Place, Reporter};
use sort::{Key, Sorter};
use track::{DIVERTED, MISFIT, NoEffect, Tracks};

/// Grows when the same source gives other entities than before: what an older reading made is
/// then not trusted.
pub const READING_REVISION: u32 = 1;

/// What must be known before a source is read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Ticks per unit, as a power of ten.
    pub tick_exponent: u8,
    /// Tracks whose records are not in time order.
    pub diverted: BTreeSet<u32>,
}

impl Default for Plan {
    fn default() -> Self {
        Self { tick_exponent: 9, diverted: BTreeSet::new() }
    }
}

/// How to simulate.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether the first problem ends the work.
    pub strictness: Strictness,
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

/// A file that the trace names as a part of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartRequest {
    /// The name as written.
    pub file: Vec<u8>,
    /// Who names it.
    pub position: Position,
}

/// Why a part was not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartProblem {
    /// It is not there or cannot be read.
    Missing,
    /// It is being read already.
    Cycle,
}

/// No track is known for a pair.
const UNRESOLVED: u32 = u32::MAX;

/// A place is a part and a line in one number; this many bits are the line's.
const LINE_BITS: u32 = 48;

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
    track_index: HashMap<(ContainerId, TypeId), u32>,
    /// The tracks of a container, as a list: first, and next of each track.
    first_track: Vec<u32>,
    next_track: Vec<u32>,
    pair_of_track: Vec<Symbol>,
    links: PendingLinks,
    sorter: Sorter,
    /// Latest time of each side of each key on diverted link tracks.
    latest_half: HashMap<(u32, u64, bool), Ticks>,
    reporter: Reporter,
    /// Objects that were referred to by name and reported.
    named_types: HashSet<TypeId>,
    named_containers: HashSet<ContainerId>,
    parts: Vec<PartRequest>,
    redo: Plan,
    first_time: Option<Ticks>,
    last_time: Option<Ticks>,
    last_line: Option<Option<Ticks>>,
    n_records: u64,
    truncated: bool,
    /// PajeNG would give something else than this.
    pajeng_differs: bool,
    failed: Option<SimulateError<S::Error>>,
    scratch: Vec<u8>,
    /// Where the walk through the batch stands, to know the line of a record.
    cursor: (u32, u64),
}

impl<'s, S: EntitySink> Simulator<'s, S> {
    /// A simulator that has seen nothing.
    pub fn new(symbols: &'s Symbols, sink: S, options: Options, plan: Plan) -> Self {
        let redo = plan.clone();
        Self {
            symbols,
            options,
            plan,
            names: Names::new(),
            tracks: Tracks::new(sink),
            track_of_pair: Vec::new(),
            brief_pairs: HashMap::new(),
            track_index: HashMap::new(),
            first_track: vec![UNRESOLVED],
            next_track: Vec::new(),
            pair_of_track: Vec::new(),
            links: PendingLinks::default(),
            sorter: Sorter::new(options.memory / 8),
            latest_half: HashMap::new(),
            reporter: Reporter::new(options.strictness),
            named_types: HashSet::new(),
            named_containers: HashSet::new(),
            parts: Vec::new(),
            redo,
            first_time: None,
            last_time: None,
            last_line: None,
            n_records: 0,
            truncated: false,
            pajeng_differs: false,
            failed: None,
            scratch: Vec::new(),
            cursor: (0, 0),
        }
    }

    /// The files that were named since this was last asked.
    pub fn take_parts(&mut self) -> Vec<PartRequest> {
        std::mem::take(&mut self.parts)
    }

    /// A part could not be read.
    pub fn part_problem(&mut self, request: &PartRequest, problem: PartProblem) {
        let (code, what) = match problem {
            PartProblem::Missing => (Code::MissingPartFile, "cannot be read; its records are missing"),
            PartProblem::Cycle => (Code::PartCycle, "is read already; it is not read again"),
        };
        self.reporter.report(Place::Line(request.position), None, code, || {
            (format!("the part \"{}\" {what}", printable(&request.file)), None)
        });
    }

    /// Why accepting batches ended, if it did.
    pub fn take_error(&mut self) -> Option<SimulateError<S::Error>> {
        self.failed.take()
    }

    /// Ends the trace: closes what is open and hands out everything. `head` is the beginning of
    /// the source, which often tells who wrote it.
    pub fn finish(mut self, head: &[u8]) -> Result<Outcome<S>, SimulateError<S::Error>> {
        if self.redo != self.plan {
            return Ok(Outcome::Again(self.redo));
        }
        self.apply_sorted()?;
        let end = self.last_time.unwrap_or(0);
        for track in 0..self.tracks.tracks.len() as u32 {
            self.tracks.close_at_end(track, end);
        }
        self.report_open_states();
        self.emit_half_links();
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
        for (container_end, destroyed) in containers.ends.iter_mut().zip(&mut containers.destroyed) {
            *destroyed = *container_end != ALIVE;
            if !*destroyed {
                *container_end = end;
            }
        }
        let (producer, unit_name) = producer::guess(head, &self.names.types);
        let unit = TimeUnit {
            ticks_per_unit: 10u64.pow(u32::from(self.plan.tick_exponent)),
            name: unit_name.unwrap_or("s").to_owned(),
            assumed: unit_name.is_none(),
        };
        let catalog = Catalog {
            types: self.names.types,
            values: self.names.values,
            containers: self.names.containers,
            fields: self.symbols.fields(),
            lanes: self.tracks.lanes,
            facts: TraceFacts {
                unit,
                start: self.first_time.unwrap_or(0),
                end,
                last_line: self.last_line.and_then(|time| match (time, self.first_time) {
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

    fn emit_half_links(&mut self) {
        for half in std::mem::take(&mut self.links).into_unmatched() {
            let line = &self.tracks.tracks[half.track as usize];
            let (lane, type_id) = (line.lane, line.type_id);
            let place = Place::Line(half.position);
            self.reporter.report(place, None, Code::LinkUnmatched, || {
                let (there, missing) = match half.side {
                    Side::Start => ("start", "end"),
                    Side::End => ("end", "start"),
                };
                let type_name = printable(&self.names.type_def(type_id).name).into_owned();
                let key = printable(&half.key).into_owned();
                (format!("the {there} of link \"{key}\" of type \"{type_name}\" has no {missing}"), None)
            });
            let start = half.side == Side::Start;
            let row = LinkRow {
                start: half.time,
                end: half.time,
                source: start.then_some(half.container),
                destination: (!start).then_some(half.container),
                value: half.value,
                size: half.size,
                key: &half.key,
            };
            if let Err(error) = self.tracks.sink.link(lane, &row, &half.extras) {
                self.tracks.failed.get_or_insert(error);
                return;
            }
        }
    }

    // Batches

    fn apply(&mut self, batch: &Batch) {
        if let Some(exponent) = batch.tick_exponent_needed {
            self.redo.tick_exponent = self.redo.tick_exponent.min(exponent);
            self.tracks.dry = true;
        }
        self.n_records += batch.n_records;
        self.reporter.lost += batch.n_lost;
        self.last_line = batch.last_line.or(self.last_line);
        self.cursor = (0, batch.first_line);
        let strict = self.options.strictness == Strictness::Strict;
        let mut problems = batch.problems.iter().peekable();
        let mut extras = batch.extras.iter();
        for record in &batch.records {
            while strict && let Some(problem) = problems.next_if(|p| p.at <= record.at) {
                self.take_problem(batch, problem);
            }
            let packed = match record.has_extras {
                true => extras.next().map_or(&[][..], |&span| batch.bytes(span)),
                false => &[],
            };
            match record.op {
                Op::Rare => self.rare(batch, record, packed),
                _ => self.timed(batch, record, packed),
            }
            if strict && self.reporter.fatal.is_some() {
                return;
            }
        }
        for problem in problems {
            self.take_problem(batch, problem);
        }
        for &(code, count) in &batch.unsampled {
            let severity = code.severity(self.options.strictness);
            self.reporter.diagnostics.count(code, severity, count);
        }
    }

    fn take_problem(&mut self, batch: &Batch, problem: &onca_read::Problem) {
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
            hint: problem.hint.clone(),
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
            + self.latest_half.capacity() * 32;
        if used > self.options.memory {
            let allowed = self.options.memory;
            self.failed.get_or_insert(SimulateError::Memory { used, allowed });
        }
    }

    // Timed records

    #[inline]
    fn timed(&mut self, batch: &Batch, record: &Record, extras: &[u8]) {
        let place = Place::Batch(batch, record.at);
        let known = self.track_of_pair.get(record.pair as usize).copied().unwrap_or(UNRESOLVED);
        let track = match known {
            UNRESOLVED => match self.resolve_pair(record, place) {
                Some(track) => track,
                None => return,
            },
            track if self.tracks.tracks[track as usize].nature != record.op.nature() => {
                return self.wrong_nature(record, place, self.tracks.tracks[track as usize].type_id);
            }
            track => track,
        };
        let time = record.time;
        let line = &mut self.tracks.tracks[track as usize];
        if record.op.nature() == Nature::Link {
            return self.link_record(batch, record, track, extras);
        }
        let usual = time >= line.last_time
            && time >= line.created
            && line.destroyed == ALIVE
            && line.flags == 0;
        let type_id = line.type_id;
        if usual {
            line.last_time = time;
        }
        self.last_time = self.last_time.max(Some(time));
        self.first_time = Some(self.first_time.map_or(time, |first| first.min(time)));
        let step = self.step_of(batch, record, type_id);
        if usual || self.prepare(batch, record, track, step, extras) {
            self.step(track, time, step, extras, place);
        }
    }

    /// What a record does, with its value resolved.
    #[inline]
    fn step_of(&mut self, batch: &Batch, record: &Record, type_id: TypeId) -> Step {
        match record.op {
            Op::SetState => Step::Set(self.names.value(self.symbols, type_id, record.value)),
            Op::PushState => Step::Push(self.names.value(self.symbols, type_id, record.value)),
            Op::PopState => Step::Pop,
            Op::NewEvent => Step::Event(self.names.value(self.symbols, type_id, record.value)),
            Op::SetVariable => Step::SetVariable(self.number(batch, record)),
            Op::AddVariable => Step::AddVariable(self.number(batch, record)),
            Op::SubVariable => Step::AddVariable(-self.number(batch, record)),
            Op::ResetState | Op::StartLink | Op::EndLink | Op::Rare => Step::Reset,
        }
    }

    fn number(&mut self, batch: &Batch, record: &Record) -> f64 {
        let number = batch.numbers[record.value as usize];
        // A value can be rounded later; a sum of rounded values cannot be had later.
        self.pajeng_differs |= record.op != Op::SetVariable;
        if self.options.as_pajeng { f64::from(number as f32) } else { number }
    }

    /// What is unusual about a record of a state, event or variable. False if it must not be
    /// applied now.
    #[cold]
    fn prepare(
        &mut self,
        batch: &Batch,
        record: &Record,
        track: u32,
        step: Step,
        extras: &[u8],
    ) -> bool {
        let place = Place::Batch(batch, record.at);
        let line = &mut self.tracks.tracks[track as usize];
        if line.destroyed != ALIVE {
            self.pajeng_differs = true;
            if self.options.as_pajeng {
                return false;
            }
        }
        let (flags, late) = (line.flags, record.time < line.last_time);
        line.last_time = line.last_time.max(record.time);
        if flags & MISFIT != 0 {
            self.report_misfit(place, track);
        }
        if flags & DIVERTED != 0 {
            if late {
                self.report_disorder(place);
            }
            let mut encoded = std::mem::take(&mut self.scratch);
            step.encode(&mut encoded);
            encoded.extend_from_slice(extras);
            let key = Key { track, time: record.time, place: self.place_number(batch, record.at) };
            if let Err(error) = self.sorter.push(key, &encoded) {
                self.failed.get_or_insert(SimulateError::Temporary(error));
            }
            self.scratch = encoded;
            return false;
        }
        if late {
            self.divert(track, place);
            return false;
        }
        self.check_life(track, record.time, place);
        true
    }

    /// A track goes backwards: it will have to be sorted.
    fn divert(&mut self, track: u32, place: Place<'_>) {
        if self.options.strictness == Strictness::Strict {
            self.report_disorder(place);
        }
        self.redo.diverted.insert(track);
        self.tracks.dry = true;
    }

    fn report_disorder(&mut self, place: Place<'_>) {
        self.reporter.report(place, Some(Role::Time), Code::NotTimeOrdered, || {
            ("earlier than a record before it on the same track; sorted in".to_owned(), None)
        });
    }

    fn report_misfit(&mut self, place: Place<'_>, track: u32) {
        let line = &self.tracks.tracks[track as usize];
        let lane = self.tracks.lanes[line.lane.index()];
        let (names, type_id) = (&self.names, line.type_id);
        self.reporter.report(place, Some(Role::Type), Code::TypeNotOfContainer, || {
            let container_type = names.containers.types[lane.container.index()];
            let message = format!(
                "type \"{}\" does not belong to containers of type \"{}\"",
                printable(&names.type_def(type_id).name),
                printable(&names.type_def(container_type).name)
            );
            (message, None)
        });
    }

    /// Compares a record's time with the life of its container.
    fn check_life(&mut self, track: u32, time: Ticks, place: Place<'_>) {
        let line = &self.tracks.tracks[track as usize];
        let (created, destroyed, lane) = (line.created, line.destroyed, line.lane);
        let names = &self.names;
        let container = self.tracks.lanes[lane.index()].container;
        let name = || printable(names.containers.names.get(container.index())).into_owned();
        if time < created {
            self.reporter.report(place, Some(Role::Time), Code::BeforeCreation, || {
                (format!("earlier than the creation of container \"{}\"", name()), None)
            });
        }
        if time > destroyed {
            self.reporter.report(place, Some(Role::Time), Code::AfterDestroy, || {
                (format!("later than the end of container \"{}\"", name()), None)
            });
            self.tracks.close_before(track, destroyed);
        }
    }

    /// Applies a record to its track.
    #[inline]
    fn step(&mut self, track: u32, time: Ticks, step: Step, extras: &[u8], place: Place<'_>) {
        let result = match step {
            Step::Push(value) => self.tracks.push(track, time, value, extras),
            Step::Pop => self.tracks.pop(track, time, extras),
            Step::Set(value) => {
                self.tracks.reset(track, time, false);
                self.tracks.push(track, time, value, extras)
            }
            Step::Reset => {
                self.tracks.reset(track, time, false);
                Ok(())
            }
            Step::Event(value) => {
                self.tracks.event(track, time, value, extras);
                Ok(())
            }
            Step::SetVariable(value) => {
                self.tracks.change_variable(track, time, extras, |_| value);
                Ok(())
            }
            Step::AddVariable(change) => {
                if !self.tracks.change_variable(track, time, extras, |old| old + change) {
                    self.report_without_value(track, place);
                }
                Ok(())
            }
        };
        if let Err(no_effect) = result {
            self.report_no_effect(track, place, no_effect);
        }
    }

    #[cold]
    fn report_without_value(&mut self, track: u32, place: Place<'_>) {
        let names = &self.names;
        let type_id = self.tracks.tracks[track as usize].type_id;
        self.reporter.report(place, Some(Role::Type), Code::VariableWithoutValue, || {
            let name = printable(&names.type_def(type_id).name).into_owned();
            (format!("variable \"{name}\" has no value yet; taken as 0"), None)
        });
    }

    #[cold]
    fn report_no_effect(&mut self, track: u32, place: Place<'_>, no_effect: NoEffect) {
        let line = &self.tracks.tracks[track as usize];
        let (names, type_id) = (&self.names, line.type_id);
        let container = self.tracks.lanes[line.lane.index()].container;
        let code = match no_effect {
            NoEffect::PopEmpty => Code::PopEmpty,
            NoEffect::TooDeep => Code::NestingTooDeep,
        };
        self.reporter.lose(place, None, code, || {
            let what = match no_effect {
                NoEffect::PopEmpty => "is empty; ignored",
                NoEffect::TooDeep => "is deeper than 65,536 states; not kept",
            };
            let message = format!(
                "state stack of type \"{}\" in container \"{}\" {what}",
                printable(&names.type_def(type_id).name),
                printable(names.containers.names.get(container.index()))
            );
            (message, None)
        });
    }

    /// The number of a record's place, which grows along the source.
    fn place_number(&mut self, batch: &Batch, at: u32) -> u64 {
        self.line_at(batch, at) | u64::from(batch.part) << LINE_BITS
    }

    /// The line of a record; records are asked about in order.
    fn line_at(&mut self, batch: &Batch, at: u32) -> u64 {
        self.cursor.1 += batch.lines_between(self.cursor.0, at);
        self.cursor.0 = self.cursor.0.max(at);
        self.cursor.1
    }

    // Finding the track

    /// The track of a record whose pair has no lasting answer.
    #[cold]
    fn resolve_pair(&mut self, record: &Record, place: Place<'_>) -> Option<u32> {
        if let Some(&(epoch, Some(track))) = self.brief_pairs.get(&record.pair)
            && epoch == self.names.epoch
            && self.tracks.tracks[track as usize].nature == record.op.nature()
        {
            return Some(track);
        }
        let (container_symbol, type_symbol) = self.symbols.pairs.pair(record.pair);
        let container =
            self.find_container(container_symbol, Some(record.time), None, place, Role::Container)?;
        let container_id = container.id();
        let container_type = self.names.containers.types[container_id.index()];
        let natures = [record.op.nature()];
        let type_found =
            self.find_type(type_symbol, &natures, Some(container_type), place, Role::Type)?;
        let track = self.track(container_id, type_found.id());
        let index = record.pair as usize;
        let lasting = matches!(
            (container, type_found),
            (Found::Identifier(_), Found::Identifier(_))
        );
        if lasting {
            if index >= self.track_of_pair.len() {
                self.track_of_pair.resize((index + 1).max(index * 3 / 2), UNRESOLVED);
            }
            self.track_of_pair[index] = track;
            self.pair_of_track[track as usize] = record.pair;
        } else if !matches!(container, Found::OneOfMany(_)) {
            self.brief_pairs.insert(record.pair, (self.names.epoch, Some(track)));
        }
        Some(track)
    }

    fn track(&mut self, container: ContainerId, type_id: TypeId) -> u32 {
        if let Some(&track) = self.track_index.get(&(container, type_id)) {
            return track;
        }
        let def = self.names.type_def(type_id);
        let containers = &self.names.containers;
        let index = container.index();
        let misfit = def.parent != containers.types[index];
        let created =
            if container == ContainerId::ROOT { Ticks::MIN } else { containers.starts[index] };
        let life = (created, containers.ends[index]);
        let number = self.tracks.tracks.len() as u32;
        let diverted = self.plan.diverted.contains(&number);
        let flags = MISFIT * u8::from(misfit) | DIVERTED * u8::from(diverted);
        let track = self.tracks.add(container, type_id, def.nature, life, flags);
        self.track_index.insert((container, type_id), track);
        self.next_track.push(std::mem::replace(&mut self.first_track[index], track));
        self.pair_of_track.push(Symbol::MAX);
        track
    }

    fn find_container(
        &mut self,
        symbol: Symbol,
        time: Option<Ticks>,
        of: Option<TypeId>,
        place: Place<'_>,
        role: Role,
    ) -> Option<Found<ContainerId>> {
        match self.names.find_container(self.symbols, symbol, time, of) {
            Ok(found) => {
                if let Found::Name(id) = found
                    && self.named_containers.insert(id)
                {
                    self.report_by_name(place, role, &self.symbols.containers.text(symbol));
                }
                Some(found)
            }
            Err(missing) => {
                self.report_missing_container(symbol, missing, place, role);
                None
            }
        }
    }

    fn report_by_name(&mut self, place: Place<'_>, role: Role, name: &[u8]) {
        self.reporter.report(place, Some(role), Code::ReferenceByName, || {
            let name = printable(name);
            (format!("\"{name}\" is a name; its alias should be used"), None)
        });
    }

    fn report_missing_container(
        &mut self,
        symbol: Symbol,
        missing: Missing,
        place: Place<'_>,
        role: Role,
    ) {
        let code = match missing {
            Missing::Ambiguous(_) => Code::AmbiguousName,
            _ => Code::UnknownContainer,
        };
        let (symbols, names) = (self.symbols, &self.names);
        self.reporter.lose(place, Some(role), code, || {
            let text = symbols.containers.text(symbol);
            let known = printable(&text).into_owned();
            match missing {
                Missing::Ambiguous(n) => {
                    (format!("{n} containers are named \"{known}\""), Some("use aliases".to_owned()))
                }
                _ => {
                    let nearest = nearest(&text, names.containers.len(), |index| {
                        names.containers.identifier(ContainerId(index as u32))
                    });
                    (format!("no container \"{known}\""), nearest)
                }
            }
        });
    }

    fn find_type(
        &mut self,
        symbol: Symbol,
        natures: &[Nature],
        of: Option<TypeId>,
        place: Place<'_>,
        role: Role,
    ) -> Option<Found<TypeId>> {
        match self.names.find_type(self.symbols, symbol, natures, of) {
            Ok(found) => {
                if let Found::Name(id) = found
                    && self.named_types.insert(id)
                {
                    self.report_by_name(place, role, &self.symbols.types.text(symbol));
                }
                Some(found)
            }
            Err(missing) => {
                self.report_missing_type(symbol, natures, missing, place, role, Code::UnknownType);
                None
            }
        }
    }

    fn report_missing_type(
        &mut self,
        symbol: Symbol,
        natures: &[Nature],
        missing: Missing,
        place: Place<'_>,
        role: Role,
        unknown: Code,
    ) {
        let code = match missing {
            Missing::Unknown => unknown,
            Missing::Ambiguous(_) => Code::AmbiguousName,
            Missing::WrongNature(_) => Code::WrongNature,
        };
        let (symbols, names) = (self.symbols, &self.names);
        self.reporter.lose(place, Some(role), code, || {
            let text = symbols.types.text(symbol);
            let shown = printable(&text).into_owned();
            match missing {
                Missing::Unknown => {
                    let nearest =
                        nearest(&text, names.types.len(), |index| names.types[index].identifier());
                    (format!("no type \"{shown}\""), nearest)
                }
                Missing::Ambiguous(n) => {
                    (format!("{n} types are named \"{shown}\""), Some("use aliases".to_owned()))
                }
                Missing::WrongNature(id) => {
                    let is = names.type_def(id).nature.name();
                    let needed: Vec<_> = natures.iter().map(|nature| nature.name()).collect();
                    let needed = needed.join(" or ");
                    (format!("\"{shown}\" is a {is} type, a {needed} type is needed"), None)
                }
            }
        });
    }

    #[cold]
    fn wrong_nature(&mut self, record: &Record, place: Place<'_>, type_id: TypeId) {
        let (_, type_symbol) = self.symbols.pairs.pair(record.pair);
        let natures = [record.op.nature()];
        let missing = Missing::WrongNature(type_id);
        self.report_missing_type(
            type_symbol,
            &natures,
            missing,
            place,
            Role::Type,
            Code::UnknownType,
        );
    }

    // Links

    fn link_record(&mut self, batch: &Batch, record: &Record, track: u32, extras: &[u8]) {
        let place = Place::Batch(batch, record.at);
        let half = &batch.halves[record.value as usize];
        let side = if record.op == Op::StartLink { Side::Start } else { Side::End };
        let line = &self.tracks.tracks[track as usize];
        let (type_id, flags, late) = (line.type_id, line.flags, record.time < line.last_time);
        let ends = self.names.type_def(type_id).ends.unwrap_or((TypeId::ROOT, TypeId::ROOT));
        let (expected, role) = match side {
            Side::Start => (ends.0, Role::StartContainer),
            Side::End => (ends.1, Role::EndContainer),
        };
        let found =
            self.find_container(half.container, Some(record.time), Some(expected), place, role);
        let Some(found) = found else { return };
        let container = found.id();
        self.last_time = self.last_time.max(Some(record.time));
        self.first_time = Some(self.first_time.map_or(record.time, |t| t.min(record.time)));
        if flags & MISFIT != 0 {
            self.report_misfit(place, track);
        }
        if self.names.containers.types[container.index()] != expected {
            self.report_link_end(place, role, container, expected);
        }
        let value = self.names.value(self.symbols, type_id, half.value);
        let new = self.new_half(batch, record, half, track, side, value, container, extras);
        let line = &mut self.tracks.tracks[track as usize];
        line.last_time = line.last_time.max(record.time);
        if flags & DIVERTED != 0 {
            return self.divert_half(&new, place);
        }
        if late && self.links.order_matters(&new) {
            return self.divert(track, place);
        }
        self.take_half(&new, place);
    }

    #[allow(clippy::too_many_arguments, reason = "gathers what is scattered over the batch")]
    fn new_half<'a>(
        &mut self,
        batch: &'a Batch,
        record: &Record,
        half: &LinkHalf,
        track: u32,
        side: Side,
        value: ValueId,
        container: ContainerId,
        extras: &'a [u8],
    ) -> NewHalf<'a> {
        let line = self.line_at(batch, record.at);
        NewHalf {
            track,
            side,
            time: record.time,
            value,
            container,
            size: half.size,
            key_hash: half.key_hash,
            key: batch.bytes(half.key),
            extras,
            position: Position { part: batch.part, line, column: 1 },
        }
    }

    fn report_link_end(
        &mut self,
        place: Place<'_>,
        role: Role,
        container: ContainerId,
        expected: TypeId,
    ) {
        let names = &self.names;
        self.reporter.report(place, Some(role), Code::LinkEndTypeMismatch, || {
            let is = names.containers.types[container.index()];
            let message = format!(
                "container \"{}\" is of type \"{}\", the link type says \"{}\"",
                printable(names.containers.names.get(container.index())),
                printable(&names.type_def(is).name),
                printable(&names.type_def(expected).name)
            );
            (message, None)
        });
    }

    /// Pairs a half, or lets it wait.
    fn take_half(&mut self, new: &NewHalf<'_>, place: Place<'_>) {
        let line = &self.tracks.tracks[new.track as usize];
        if new.time < line.created || new.time > line.destroyed {
            self.check_life(new.track, new.time, place);
        }
        let Some(other) = self.links.take_match(new) else { return self.links.wait(new) };
        if other.value != new.value {
            self.reporter.report(place, Some(Role::Value), Code::LinkValueMismatch, || {
                let key = printable(&other.key).into_owned();
                (format!("the two halves of link \"{key}\" have different values"), None)
            });
        }
        self.emit_link(new, &other, place);
        self.links.recycle(other);
    }

    fn emit_link(&mut self, new: &NewHalf<'_>, other: &Half, place: Place<'_>) {
        let other_first = other.time <= new.time;
        let (start, end) = match new.side {
            Side::End => (
                (other.time, other.container, other.value),
                (new.time, new.container),
            ),
            Side::Start => (
                (new.time, new.container, new.value),
                (other.time, other.container),
            ),
        };
        if end.0 < start.0 {
            self.reporter.report(place, Some(Role::Time), Code::LinkNegativeDuration, || {
                let key = printable(&other.key).into_owned();
                (format!("link \"{key}\" ends before it starts"), None)
            });
        }
        let row = LinkRow {
            start: start.0,
            end: end.0,
            source: Some(start.1),
            destination: Some(end.1),
            value: start.2,
            size: match new.side {
                Side::End => other.size.or(new.size),
                Side::Start => new.size.or(other.size),
            },
            key: new.key,
        };
        let lane = self.tracks.tracks[new.track as usize].lane;
        self.scratch.clear();
        let (first, second) = match other_first {
            true => (&other.extras[..], new.extras),
            false => (new.extras, &other.extras[..]),
        };
        self.scratch.extend_from_slice(first);
        self.scratch.extend_from_slice(second);
        if !self.tracks.dry
            && let Err(error) = self.tracks.sink.link(lane, &row, &self.scratch)
        {
            self.tracks.failed.get_or_insert(error);
        }
    }

    /// Puts a half aside to be sorted.
    fn divert_half(&mut self, new: &NewHalf<'_>, place: Place<'_>) {
        let late_key = (new.track, new.key_hash, new.side == Side::Start);
        let latest = self.latest_half.entry(late_key).or_insert(new.time);
        if new.time < *latest {
            self.report_disorder(place);
        } else {
            *latest = new.time;
        }
        let mut encoded = std::mem::take(&mut self.scratch);
        encode_half(new, &mut encoded);
        let number = new.position.line | u64::from(new.position.part) << LINE_BITS;
        let key = Key { track: new.track, time: new.time, place: number };
        if let Err(error) = self.sorter.push(key, &encoded) {
            self.failed.get_or_insert(SimulateError::Temporary(error));
        }
        self.scratch = encoded;
    }

    /// Applies the records that were put aside, now in order.
    fn apply_sorted(&mut self) -> Result<(), SimulateError<S::Error>> {
        let sorter = std::mem::replace(&mut self.sorter, Sorter::new(0));
        sorter.visit(|key, record| {
            let position = Position {
                part: (key.place >> LINE_BITS) as u32,
                line: key.place & ((1 << LINE_BITS) - 1),
                column: 1,
            };
            let place = Place::Line(position);
            if self.tracks.tracks[key.track as usize].nature == Nature::Link {
                if let Some(half) = decode_half(key, position, record) {
                    self.take_half(&half, place);
                }
            } else if let Some((step, extras)) = Step::decode(record) {
                let line = &self.tracks.tracks[key.track as usize];
                if key.time < line.created || key.time > line.destroyed {
                    self.check_life(key.track, key.time, place);
                }
                self.step(key.track, key.time, step, extras, place);
            }
            match self.tracks.failed.take() {
                Some(error) => Err(SimulateError::Sink(error)),
                None => Ok(()),
            }
        })
    }

    // Definitions

    #[inline(never)]
    fn rare(&mut self, batch: &Batch, record: &Record, extras: &[u8]) {
        let place = Place::Batch(batch, record.at);
        match &batch.rare[record.value as usize] {
            Rare::Type(def) => self.define_type(batch, def, extras, place),
            Rare::Value(def) => self.define_value(batch, def, extras, place),
            Rare::Create(create) => self.create(batch, create, record.time, extras, place),
            Rare::Destroy { container, type_symbol } => {
                self.destroy(*container, *type_symbol, record.time, place);
            }
            Rare::Part { file } => self.request_part(batch.bytes(*file), place),
            Rare::Ignored => {}
        }
    }

    fn request_part(&mut self, file: &[u8], place: Place<'_>) {
        let position = match place {
            Place::Batch(batch, at) => batch.locate(at, Some(Role::File)).0,
            Place::Line(position) => position,
            Place::None => Position::default(),
        };
        self.parts.push(PartRequest { file: file.to_vec(), position });
    }

    fn define_type(
        &mut self,
        batch: &Batch,
        record: &TypeRecord,
        extras: &[u8],
        place: Place<'_>,
    ) {
        let mut name = batch.bytes(record.name).to_vec();
        let mut parent_symbol = record.parent;
        let mut identifier = record.identifier;
        let container = [Nature::Container];
        let find = |names: &Names, symbol| names.find_type(self.symbols, symbol, &container, None);
        if record.nature == Nature::Variable && find(&self.names, parent_symbol).is_err() {
            // An old exporter declares the columns in one order and writes them in another.
            let as_type = self.symbols.types.intern(&name);
            if let Ok(Found::Identifier(_) | Found::OneOfMany(_)) = find(&self.names, as_type) {
                self.reporter.report(place, Some(Role::Type), Code::SwappedColumns, || {
                    ("the name and the container type are exchanged".to_owned(), None)
                });
                name = self.symbols.types.text(parent_symbol);
                if !record.has_alias {
                    identifier = parent_symbol;
                }
                parent_symbol = as_type;
            }
        }
        let parent = match self.names.find_type(self.symbols, parent_symbol, &container, None) {
            Ok(found) => found,
            Err(missing) => {
                let unknown = Code::UnknownParent;
                let role = Role::Type;
                return self
                    .report_missing_type(parent_symbol, &container, missing, place, role, unknown);
            }
        };
        if let Found::Name(id) = parent
            && self.named_types.insert(id)
        {
            self.report_by_name(place, Role::Type, &self.symbols.types.text(parent_symbol));
        }
        let mut ends = None;
        if let Some((start, end)) = record.ends {
            let role = Role::StartContainerType;
            let Some(start) = self.find_type(start, &container, None, place, role) else { return };
            let role = Role::EndContainerType;
            let Some(end) = self.find_type(end, &container, None, place, role) else { return };
            ends = Some((start.id(), end.id()));
        }
        let identifier_text = self.symbols.types.text(identifier);
        if identifier_text == b"0" {
            return self.report_reserved(place);
        }
        let def = TypeDef {
            alias: record.has_alias.then_some(identifier_text),
            name,
            nature: record.nature,
            parent: parent.id(),
            color: record.color,
            ends,
            extras: extras.to_vec(),
        };
        self.add_type(identifier, def, place);
    }

    fn report_reserved(&mut self, place: Place<'_>) {
        self.reporter.lose(place, Some(Role::Name), Code::ReservedName, || {
            ("\"0\" is the name of the root".to_owned(), None)
        });
    }

    fn add_type(&mut self, symbol: Symbol, def: TypeDef, place: Place<'_>) {
        let same_parent = self
            .names
            .types_with(symbol)
            .iter()
            .map(|&id| self.names.type_def(id))
            .find(|old| old.parent == def.parent);
        if let Some(old) = same_parent {
            if old.nature == def.nature && old.name == def.name {
                return;
            }
            let (old, new) = (old.nature.name(), printable(def.identifier()).into_owned());
            return self.reporter.lose(place, Some(Role::Alias), Code::DuplicateType, || {
                (format!("\"{new}\" is a {old} type already; the first definition holds"), None)
            });
        }
        if !self.names.types_with(symbol).is_empty() {
            // From now on the identifier depends on the container at hand.
            self.forget_pairs();
            if self.options.strictness == Strictness::Strict {
                let shown = printable(def.identifier()).into_owned();
                self.reporter.report(place, Some(Role::Alias), Code::DuplicateType, || {
                    (format!("\"{shown}\" is also a type of other containers"), None)
                });
            }
        }
        self.names.add_type(symbol, def);
    }

    fn forget_pairs(&mut self) {
        self.track_of_pair.fill(UNRESOLVED);
        self.pair_of_track.fill(Symbol::MAX);
        self.brief_pairs.clear();
    }

    fn define_value(
        &mut self,
        batch: &Batch,
        record: &ValueRecord,
        extras: &[u8],
        place: Place<'_>,
    ) {
        let natures = [Nature::State, Nature::Event, Nature::Link];
        let type_id =
            match self.names.find_type(self.symbols, record.type_symbol, &natures, None) {
                Err(Missing::WrongNature(_)) => {
                    return self.reporter.lose(
                        place,
                        Some(Role::Type),
                        Code::ValueOnContainerOrVariableType,
                        || ("container and variable types have no values".to_owned(), None),
                    );
                }
                _ => self.find_type(record.type_symbol, &natures, None, place, Role::Type),
            };
        let Some(type_id) = type_id else { return };
        let def = ValueDef {
            type_id: type_id.id(),
            name: batch.bytes(record.name).to_vec(),
            alias: record.has_alias.then(|| self.symbols.values.text(record.identifier)),
            color: record.color,
            extras: extras.to_vec(),
        };
        let name = def.name.clone();
        if !self.names.define_value(record.identifier, def) {
            self.reporter.report(place, Some(Role::Name), Code::DuplicateValue, || {
                let name = printable(&name).into_owned();
                (format!("value \"{name}\" is defined again; the new definition holds"), None)
            });
        }
    }

    fn create(
        &mut self,
        batch: &Batch,
        record: &CreateRecord,
        time: Ticks,
        extras: &[u8],
        place: Place<'_>,
    ) {
        let role = Role::Container;
        let parent = self.names.find_container(self.symbols, record.parent, Some(time), None);
        let parent = match parent {
            Ok(found) => {
                if let Found::Name(id) = found
                    && self.named_containers.insert(id)
                {
                    self.report_by_name(place, role, &self.symbols.containers.text(record.parent));
                }
                found.id()
            }
            Err(missing) => {
                return self.report_missing_parent(record.parent, missing, place);
            }
        };
        let parent_type = self.names.containers.types[parent.index()];
        let natures = [Nature::Container];
        let Some(type_found) =
            self.find_type(record.type_symbol, &natures, Some(parent_type), place, Role::Type)
        else {
            return;
        };
        let type_id = type_found.id();
        let name = batch.bytes(record.name);
        let alias = match record.has_alias {
            true => self.symbols.containers.text(record.identifier),
            false => Vec::new(),
        };
        if alias == b"0" || alias.is_empty() && name == b"0" {
            return self.report_reserved(place);
        }
        self.last_time = self.last_time.max(Some(time));
        self.first_time = Some(self.first_time.map_or(time, |first| first.min(time)));
        if self.is_duplicate(record.identifier, type_id) {
            let shown = printable(name).into_owned();
            return self.reporter.lose(place, Some(Role::Alias), Code::DuplicateContainer, || {
                (format!("container \"{shown}\" lives already; the first one holds"), None)
            });
        }
        if type_id == TypeId::ROOT || self.names.type_def(type_id).parent != parent_type {
            self.report_container_type(place, type_id, parent_type);
        }
        if self.names.containers.ends[parent.index()] != ALIVE {
            self.reporter.report(place, Some(role), Code::AfterDestroy, || {
                ("created in a container that is destroyed".to_owned(), None)
            });
        }
        let container = Container {
            name,
            alias: &alias,
            type_id,
            parent,
            start: time,
            end: ALIVE,
            extras,
        };
        let (_, shadowed) = self.names.create(record.identifier, &container);
        self.first_track.push(UNRESOLVED);
        if let Some(first) = shadowed {
            self.forget_pairs_of(first);
        }
        if let Some(part) = record.part {
            self.request_part(batch.bytes(part), place);
        }
    }

    fn report_missing_parent(&mut self, symbol: Symbol, missing: Missing, place: Place<'_>) {
        let code = match missing {
            Missing::Ambiguous(_) => Code::AmbiguousName,
            _ => Code::UnknownParent,
        };
        let symbols = self.symbols;
        self.reporter.lose(place, Some(Role::Container), code, || {
            let text = symbols.containers.text(symbol);
            let shown = printable(&text).into_owned();
            match missing {
                Missing::Ambiguous(n) => (format!("{n} containers are named \"{shown}\""), None),
                _ => (format!("no container \"{shown}\" to create it in"), None),
            }
        });
    }

    fn report_container_type(&mut self, place: Place<'_>, type_id: TypeId, parent_type: TypeId) {
        let names = &self.names;
        self.reporter.report(place, Some(Role::Type), Code::ContainerTypeMismatch, || {
            let message = format!(
                "containers of type \"{}\" do not belong in containers of type \"{}\"",
                printable(&names.type_def(type_id).name),
                printable(&names.type_def(parent_type).name)
            );
            (message, None)
        });
    }

    /// Does a container with this identifier and type live?
    fn is_duplicate(&self, identifier: Symbol, type_id: TypeId) -> bool {
        let containers = &self.names.containers;
        self.names.containers_with(identifier).iter().any(|id| {
            containers.ends[id.index()] == ALIVE && containers.types[id.index()] == type_id
        })
    }

    /// An identifier now has two containers: what it refers to depends on the time.
    fn forget_pairs_of(&mut self, container: ContainerId) {
        let mut track = self.first_track[container.index()];
        while track != UNRESOLVED {
            let pair = std::mem::replace(&mut self.pair_of_track[track as usize], Symbol::MAX);
            if let Some(known) = self.track_of_pair.get_mut(pair as usize) {
                *known = UNRESOLVED;
            }
            track = self.next_track[track as usize];
        }
    }

    fn destroy(&mut self, symbol: Symbol, type_symbol: Symbol, time: Ticks, place: Place<'_>) {
        let natures = [Nature::Container];
        let Some(type_found) = self.find_type(type_symbol, &natures, None, place, Role::Type)
        else {
            return;
        };
        let of = Some(type_found.id());
        let Some(found) = self.find_container(symbol, Some(time), of, place, Role::Name) else {
            return;
        };
        let id = found.id();
        self.last_time = self.last_time.max(Some(time));
        self.first_time = Some(self.first_time.map_or(time, |first| first.min(time)));
        let is = self.names.containers.types[id.index()];
        let names = &self.names;
        let name = || printable(names.containers.names.get(id.index())).into_owned();
        if is != type_found.id() {
            self.reporter.report(place, Some(Role::Type), Code::ContainerTypeMismatch, || {
                let message = format!(
                    "container \"{}\" is of type \"{}\"",
                    name(),
                    printable(&names.type_def(is).name)
                );
                (message, None)
            });
        }
        if names.containers.ends[id.index()] != ALIVE {
            return self.reporter.lose(place, Some(Role::Name), Code::DestroyTwice, || {
                (format!("container \"{}\" is destroyed already", name()), None)
            });
        }
        for ended in self.names.destroy(id, time) {
            self.end_tracks(ended, time);
        }
    }

    /// Tells the tracks of a container that it ends. A track that has gone on after that must
    /// be sorted: its later records count from an empty track.
    fn end_tracks(&mut self, container: ContainerId, time: Ticks) {
        let mut track = self.first_track[container.index()];
        while track != UNRESOLVED {
            let line = &mut self.tracks.tracks[track as usize];
            line.destroyed = time;
            if line.last_time > time && line.flags & DIVERTED == 0 {
                self.redo.diverted.insert(track);
                self.tracks.dry = true;
            }
            track = self.next_track[track as usize];
        }
    }
}

impl<S: EntitySink + Send> BatchConsumer for Simulator<'_, S>
where
    S::Error: Send,
{
    fn accept(&mut self, batch: &Batch) -> ControlFlow<()> {
        self.apply(batch);
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

/// What a record does to its track.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Step {
    Set(ValueId),
    Push(ValueId),
    Pop,
    Reset,
    Event(ValueId),
    SetVariable(f64),
    AddVariable(f64),
}

impl Step {
    fn encode(self, out: &mut Vec<u8>) {
        let (tag, payload) = match self {
            Self::Set(value) => (0, u64::from(value.0)),
            Self::Push(value) => (1, u64::from(value.0)),
            Self::Pop => (2, 0),
            Self::Reset => (3, 0),
            Self::Event(value) => (4, u64::from(value.0)),
            Self::SetVariable(number) => (5, number.to_bits()),
            Self::AddVariable(number) => (6, number.to_bits()),
        };
        out.clear();
        out.push(tag);
        out.extend_from_slice(&payload.to_le_bytes());
    }

    /// The step, and the extra fields after it.
    fn decode(record: &[u8]) -> Option<(Self, &[u8])> {
        let (&tag, rest) = record.split_first()?;
        let (payload, extras) = rest.split_first_chunk::<8>()?;
        let payload = u64::from_le_bytes(*payload);
        let value = ValueId(payload as u32);
        let step = match tag {
            0 => Self::Set(value),
            1 => Self::Push(value),
            2 => Self::Pop,
            3 => Self::Reset,
            4 => Self::Event(value),
            5 => Self::SetVariable(f64::from_bits(payload)),
            6 => Self::AddVariable(f64::from_bits(payload)),
            _ => return None,
        };
        Some((step, extras))
    }
}

fn encode_half(half: &NewHalf<'_>, out: &mut Vec<u8>) {
    out.clear();
    out.push(u8::from(half.side == Side::End) | u8::from(half.size.is_some()) << 1);
    out.extend_from_slice(&half.value.0.to_le_bytes());
    out.extend_from_slice(&half.container.0.to_le_bytes());
    out.extend_from_slice(&half.size.unwrap_or(0).to_le_bytes());
    out.extend_from_slice(&half.key_hash.to_le_bytes());
    out.extend_from_slice(&(half.key.len() as u32).to_le_bytes());
    out.extend_from_slice(half.key);
    out.extend_from_slice(half.extras);
}

fn decode_half(key: Key, position: Position, record: &[u8]) -> Option<NewHalf<'_>> {
    let (&tag, rest) = record.split_first()?;
    let (value, rest) = rest.split_first_chunk::<4>()?;
    let (container, rest) = rest.split_first_chunk::<4>()?;
    let (size, rest) = rest.split_first_chunk::<8>()?;
    let (key_hash, rest) = rest.split_first_chunk::<8>()?;
    let (key_len, rest) = rest.split_first_chunk::<4>()?;
    let (key_text, extras) = rest.split_at_checked(u32::from_le_bytes(*key_len) as usize)?;
    Some(NewHalf {
        track: key.track,
        side: if tag & 1 == 0 { Side::Start } else { Side::End },
        time: key.time,
        value: ValueId(u32::from_le_bytes(*value)),
        container: ContainerId(u32::from_le_bytes(*container)),
        size: (tag & 2 != 0).then_some(u64::from_le_bytes(*size)),
        key_hash: u64::from_le_bytes(*key_hash),
        key: key_text,
        extras,
        position,
    })
}

/// Names are compared for hints only while there are not too many of them.
const MAX_NAMES_COMPARED: usize = 10_000;

/// The nearest spelling among known identifiers, if one is near.
fn nearest<'a>(text: &[u8], n: usize, name: impl Fn(usize) -> &'a [u8]) -> Option<String> {
    let allowed = text.len() / 3 + 1;
    (1..n.min(MAX_NAMES_COMPARED))
        .map(|index| (distance(text, name(index), allowed), index))
        .filter(|&(distance, _)| distance <= allowed)
        .min()
        .map(|(_, index)| format!("the closest known is \"{}\"", display_text(name(index))))
}

/// How many bytes must be changed, inserted or removed; more than `limit` need not be exact.
fn distance(a: &[u8], b: &[u8], limit: usize) -> usize {
    if a.len().abs_diff(b.len()) > limit || a.len() > 64 {
        return limit + 1;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, &byte) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &other) in b.iter().enumerate() {
            let changed = diagonal + usize::from(byte != other);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
