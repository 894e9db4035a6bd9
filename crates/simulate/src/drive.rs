//! From a source to entities: as many readings as its order needs, and all its parts.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onca_model::{Catalog, Diagnostic, EntitySink, Strictness};
use onca_read::paje::{self, Definitions, FileEnd};
use onca_read::{
    DEFAULT_BLOCK_BYTES, ExpansionLimit, FileList, Folder, Format, Input, Origin, Progress,
    ReadError, ReadOptions, Refused, Source, SourceEnd, SourceError, Symbols, chrome, detect,
    detect_file, dumpi, otf2, paraver,
};

use crate::{Finished, Options, Outcome, PartProblem, PartRequest, Plan, SimulateError, Simulator};

/// How to read and simulate a source.
#[derive(Clone, Debug)]
pub struct DriveOptions {
    /// Whether the first problem ends the work.
    pub strictness: Strictness,
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
}

impl Default for DriveOptions {
    fn default() -> Self {
        Self {
            strictness: Strictness::Lenient,
            memory: 1 << 30,
            threads: 1,
            unit: None,
            block_bytes: DEFAULT_BLOCK_BYTES,
            tick_exponent: 9,
            as_pajeng: false,
            most_files: 65_536,
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
        let simulate_options = Options {
            strictness: options.strictness,
            memory: options.memory,
            as_pajeng: options.as_pajeng,
        };
        let mut simulator = Simulator::new(&symbols, sink, simulate_options, plan.clone());
        let reading =
            Reading { options, progress, symbols: &symbols, tick_exponent: plan.tick_exponent };
        let mut files = FileList::default();
        let read = reading.all(source, &mut simulator, &mut files);
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
                if let Some(unit) = &options.unit {
                    catalog.facts.unit.name.clone_from(unit);
                    catalog.facts.unit.assumed = false;
                }
                catalog.facts.truncated |= truncated;
                return Ok(Driven { catalog, sink, bytes, passes, files, pajeng_differs });
            }
        }
    }
}

/// One reading of all files.
struct Reading<'a> {
    options: &'a DriveOptions,
    progress: &'a Arc<Progress>,
    symbols: &'a Symbols,
    tick_exponent: u8,
}

impl Reading<'_> {
    /// Reads the source, whatever its format.
    fn all<S>(
        &self,
        source: &Source,
        simulator: &mut Simulator<'_, S>,
        files: &mut FileList,
    ) -> Result<SourceEnd, DriveError<S::Error>>
    where
        S: EntitySink + Send,
        S::Error: Send,
    {
        let input = source.open(self.progress).map_err(DriveError::Source)?;
        let (symbols, options, progress) = (self.symbols, self.read_options(files), self.progress);
        let read = match detect_file(source.path(), &input.head) {
            Format::Paje => return self.paje(source, input, simulator, files),
            Format::Otf2 => otf2::read(source, symbols, options, progress, simulator, files),
            Format::Dumpi => dumpi::read(source, symbols, options, progress, simulator, files),
            Format::Paraver => {
                paraver::read(source, input, symbols, options, progress, simulator, files)
            }
            Format::Chrome => {
                files.push(source.path().to_owned());
                chrome::read(input, symbols, options, progress, simulator)
            }
            Format::Unsupported(what) => Err(ReadError::Format(what)),
        };
        read.map_err(|error| self.read_error(source, error))
    }

    /// Reads a file of Pajé and then, one after the other, the parts that it and they name.
    fn paje<S>(
        &self,
        source: &Source,
        input: Input,
        simulator: &mut Simulator<'_, S>,
        files: &mut FileList,
    ) -> Result<SourceEnd, DriveError<S::Error>>
    where
        S: EntitySink + Send,
        S::Error: Send,
    {
        let mut seen = HashSet::new();
        seen.extend(source.path().canonicalize());
        let folder = match source.is_stream() {
            true => Folder::at(Path::new(".")),
            false => Folder::of(source.path()),
        };
        let main = self.file(source, input, Definitions::default(), simulator, files)?;
        let mut bytes = main.bytes;
        let mut open: Vec<_> = self.requests(simulator, source, &main.definitions);
        open.reverse();
        while let Some((request, path, inherited)) = open.pop() {
            // The trace may come from anybody, and what is in its parts ends in messages and stores.
            let is_absolute = request.file.starts_with(b"/");
            let checked = match &folder {
                Ok(folder) if !is_absolute => folder.check(&path),
                _ => Err(Refused::Outside),
            };
            let canonical = match checked {
                Ok(_) => path.canonicalize().map_err(|_| PartProblem::Missing),
                Err(Refused::Outside) => Err(PartProblem::Outside),
                Err(_) => Err(PartProblem::Missing),
            };
            let canonical = match canonical {
                Ok(canonical) => canonical,
                Err(problem) => {
                    simulator.part_problem(&request, problem);
                    // A link may lead elsewhere some day. What lies elsewhere is not looked at.
                    if problem == PartProblem::Missing || path.is_symlink() && !is_absolute {
                        files.unread.push(path);
                    }
                    continue;
                }
            };
            if !seen.insert(canonical) {
                simulator.part_problem(&request, PartProblem::Cycle);
                continue;
            }
            if files.read.len() >= self.options.most_files {
                simulator.part_problem(&request, PartProblem::TooMany);
                continue;
            }
            let part = Source::new(&path);
            match self.part(&part, inherited, simulator, files) {
                Ok(end) => {
                    bytes += end.bytes;
                    let mut more = self.requests(simulator, &part, &end.definitions);
                    more.reverse();
                    open.extend(more);
                }
                Err(DriveError::Source(_)) if !self.progress.is_cancelled() => {
                    simulator.part_problem(&request, PartProblem::Missing);
                    files.unread.push(path);
                }
                Err(error) => return Err(error),
            }
        }
        let origin = Origin::Unsaid { head: main.head };
        Ok(SourceEnd { origin, bytes, truncated: main.truncated })
    }

    fn requests<S: EntitySink>(
        &self,
        simulator: &mut Simulator<'_, S>,
        includer: &Source,
        definitions: &Definitions,
    ) -> Vec<(PartRequest, PathBuf, Definitions)> {
        let requests = simulator.take_parts().into_iter();
        requests
            .map(|request| {
                let path = includer.beside(&request.file);
                (request, path, definitions.clone())
            })
            .collect()
    }

    /// Reads a file that another one names.
    fn part<S>(
        &self,
        source: &Source,
        inherited: Definitions,
        simulator: &mut Simulator<'_, S>,
        files: &mut FileList,
    ) -> Result<FileEnd, DriveError<S::Error>>
    where
        S: EntitySink + Send,
        S::Error: Send,
    {
        let input = source.open(self.progress).map_err(DriveError::Source)?;
        let what = match detect(&input.head) {
            Format::Paje => return self.file(source, input, inherited, simulator, files),
            Format::Otf2 => "an OTF2 archive",
            Format::Chrome => "JSON",
            Format::Paraver => "Paraver",
            Format::Dumpi => "DUMPI",
            Format::Unsupported(what) => what,
        };
        Err(self.read_error(source, ReadError::Format(what)))
    }

    fn file<S>(
        &self,
        source: &Source,
        input: Input,
        inherited: Definitions,
        simulator: &mut Simulator<'_, S>,
        files: &mut FileList,
    ) -> Result<FileEnd, DriveError<S::Error>>
    where
        S: EntitySink + Send,
        S::Error: Send,
    {
        let options = self.read_options(files);
        files.push(source.path().to_owned());
        paje::read(input, self.symbols, inherited, options, self.progress, simulator)
            .map_err(|error| self.read_error(source, error))
    }

    fn read_options(&self, files: &FileList) -> ReadOptions {
        ReadOptions {
            tick_exponent: self.tick_exponent,
            strictness: self.options.strictness,
            threads: self.options.threads,
            part: files.next_part(),
            block_bytes: self.options.block_bytes,
            memory: self.options.memory,
        }
    }

    fn read_error<E>(&self, source: &Source, error: ReadError) -> DriveError<E> {
        match error {
            ReadError::Stopped if self.progress.is_cancelled() => DriveError::Cancelled,
            error => DriveError::Read(source.path().to_owned(), error),
        }
    }
}
