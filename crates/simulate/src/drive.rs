//! From a source to entities, in as many readings as its order needs.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use onca_model::{Catalog, Diagnostic, EntitySink, Strictness};
use onca_read::{
    DEFAULT_BLOCK_BYTES, ExpansionLimit, FileList, Progress, ReadError, ReadOptions, Source,
    SourceEnd, SourceError, Symbols, TraceError, TraceReader,
};

use crate::{Finished, Options, Outcome, Plan, SimulateError, Simulator};

/// How to read and simulate a source.
#[derive(Clone, Debug)]
pub struct DriveOptions {
    /// Whether the first problem ends the work.
    pub strictness: Strictness,
    /// Also report what only strict reading does not accept.
    pub pedantic: bool,
    /// Pair halves of links whose keys do not fit, by order, tag and size.
    pub repair_links: bool,
    /// How much memory names and open entities may take, in bytes.
    pub memory: usize,
    /// How many threads decode.
    pub threads: usize,
    /// The unit of time, when the user knows better.
    pub unit: Option<String>,
    /// How much of a source is decoded as one piece, in bytes.
    pub block_bytes: usize,
    /// Ticks per unit, as a power of ten; lowered when the trace's times do not fit.
    pub tick_exponent: u8,
    /// Lose what PajeNG loses.
    pub as_pajeng: bool,
    /// How many files a trace may have.
    pub most_files: usize,
    /// Somebody still writes the source: what is not complete at its end is left out and no problem.
    pub growing: bool,
}

impl Default for DriveOptions {
    fn default() -> Self {
        Self {
            strictness: Strictness::Lenient,
            pedantic: false,
            repair_links: false,
            memory: 1 << 30,
            threads: 1,
            unit: None,
            block_bytes: DEFAULT_BLOCK_BYTES,
            tick_exponent: 9,
            as_pajeng: false,
            most_files: 65_536,
            growing: false,
        }
    }
}

impl DriveOptions {
    fn is_pedantic(&self) -> bool {
        self.pedantic || self.strictness == Strictness::Strict
    }

    /// How to simulate.
    pub(crate) fn simulating(&self) -> Options {
        Options {
            strictness: self.strictness,
            pedantic: self.is_pedantic(),
            repair_links: self.repair_links,
            memory: self.memory,
            as_pajeng: self.as_pajeng,
        }
    }

    /// How to read the first file.
    pub(crate) fn reading(&self, tick_exponent: u8) -> ReadOptions {
        ReadOptions {
            tick_exponent,
            strictness: self.strictness,
            pedantic: self.is_pedantic(),
            threads: self.threads,
            part: 0,
            block_bytes: self.block_bytes,
            memory: self.memory,
            growing: self.growing,
        }
    }

    /// Puts in what the user knows better.
    pub(crate) fn correct(&self, catalog: &mut Catalog) {
        if let Some(unit) = &self.unit {
            catalog.facts.unit.name.clone_from(unit);
            catalog.facts.unit.assumed = false;
        }
    }
}

/// Everything that reading a source gave.
pub struct Driven<S> {
    /// What the trace declares.
    pub catalog: Catalog,
    /// The sink with all entities.
    pub sink: S,
    /// Bytes of all files, decompressed.
    pub bytes: u64,
    /// How often the source was read.
    pub passes: u32,
    /// The files, the first one first: positions refer to them by number.
    pub files: FileList,
    /// PajeNG, which loses precision and late records, would give other entities.
    pub pajeng_differs: bool,
}

/// Why a source could not be turned into entities.
#[derive(Debug)]
pub enum DriveError<E> {
    /// It cannot be opened.
    Source(SourceError),
    /// It cannot be read.
    Read(PathBuf, ReadError),
    /// It cannot be simulated.
    Simulate(SimulateError<E>),
    /// Strict reading met a problem.
    Problem(Box<Diagnostic>, Vec<PathBuf>),
    /// A sink could not be made.
    Sink(E),
    /// Somebody asked to stop.
    Cancelled,
}

impl<E> From<TraceError> for DriveError<E> {
    fn from(error: TraceError) -> Self {
        match error {
            TraceError::Source(error) => Self::Source(error),
            TraceError::Read(path, error) => Self::Read(path, error),
            TraceError::Cancelled => Self::Cancelled,
        }
    }
}

impl<E: fmt::Display> fmt::Display for DriveError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(error) => write!(f, "{error}"),
            Self::Read(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Simulate(error) => write!(f, "{error}"),
            Self::Problem(problem, _) => write!(f, "{}", problem.message),
            Self::Sink(error) => write!(f, "{error}"),
            Self::Cancelled => write!(f, "cancelled"),
        }
    }
}

impl<E> DriveError<E> {
    /// Was it a limit that stopped the work, rather than the source?
    pub fn is_limit(&self) -> bool {
        match self {
            Self::Simulate(SimulateError::Memory { .. }) => true,
            Self::Read(_, ReadError::Io(error)) => {
                error.get_ref().is_some_and(|inner| inner.is::<ExpansionLimit>())
            }
            _ => false,
        }
    }
}

/// Reads a source and all its parts into a sink, as often as its order needs; each reading gets
/// a new sink.
pub fn drive<S>(
    source: &Source,
    options: &DriveOptions,
    progress: &Arc<Progress>,
    mut make_sink: impl FnMut() -> Result<S, S::Error>,
) -> Result<Driven<S>, DriveError<S::Error>>
where
    S: EntitySink + Send,
    S::Error: Send,
{
    let mut plan = Plan { tick_exponent: options.tick_exponent, ..Plan::default() };
    let mut passes = 0;
    loop {
        passes += 1;
        let sink = make_sink().map_err(DriveError::Sink)?;
        let symbols = Symbols::new();
        let mut simulator = Simulator::new(&symbols, sink, options.simulating(), plan.clone());
        let mut files = FileList::default();
        let reader = TraceReader {
            symbols: &symbols,
            options: options.reading(plan.tick_exponent),
            most_files: options.most_files,
            progress,
        };
        let read = reader.read(source, &mut simulator, &mut files);
        if let Some(error) = simulator.take_error() {
            return Err(match error {
                SimulateError::Problem(problem) => DriveError::Problem(problem, files.read),
                error => DriveError::Simulate(error),
            });
        }
        let SourceEnd { origin, bytes, truncated } = read?;
        let outcome = simulator.finish(origin).map_err(|error| match error {
            SimulateError::Problem(problem) => DriveError::Problem(problem, files.read.clone()),
            error => DriveError::Simulate(error),
        })?;
        match outcome {
            Outcome::Again(better) => plan = better,
            Outcome::Finished(finished) => {
                let Finished { mut catalog, sink, pajeng_differs } = *finished;
                options.correct(&mut catalog);
                catalog.facts.truncated |= truncated;
                return Ok(Driven { catalog, sink, bytes, passes, files, pajeng_differs });
            }
        }
    }
}
