//! From the name of a trace on the command line to its open store.

mod build;
mod homes;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::{PathBufValueParser, TypedValueParser};
use onca_model::{Code, Diagnostic, Severity, Strictness};
use onca_read::{Progress, Source};
use onca_simulate::DriveOptions;
use onca_store::{SourceFile, Store, StoreError, Unfinished, dataset};

use self::build::build_with;
pub use self::build::{
    Built, Rebuild, build, build_from, facts_of, full_path, mode_of, source_bytes,
};
use self::homes::Homes;
pub use self::homes::default_place;
use crate::{place, problems};
use onca_program::format::{parse_size, shown};
use onca_program::{Failure, Watch, say, stop_flag};

/// Facts in the manifest of a store: the length of the source when decompressed, and whether
/// PajeNG, which loses precision and late records, would give other entities.
pub const SOURCE_BYTES: &str = "source_bytes";
pub const PAJENG_DIFFERS: &str = "pajeng_differs";
/// The revision of the reader and simulator that made the store.
pub const READING: &str = "reading_revision";

/// What reading mended, as [`ReadArgs::repair`] names it, and whether it was strict.
pub const REPAIRED: &str = "repaired";
pub const STRICT: &str = "strict";

/// What can be mended where a trace does not tell it.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repair {
    /// Halves of links whose keys cannot fit.
    Links,
}

impl Repair {
    /// What a store calls it.
    pub fn name(repair: Option<Self>) -> &'static str {
        match repair {
            None => "",
            Some(Self::Links) => "links",
        }
    }
}

/// What indexing or a query may take by default.
const MEMORY: &str = "2G";

/// How a trace is read, for every command that takes one.
#[derive(clap::Args, Clone, Debug)]
pub struct ReadArgs {
    /// Stop at the first problem instead of repairing it
    #[arg(long, help_heading = "Reading")]
    pub strict: bool,

    /// Memory that indexing or a query may take, such as 512M or 2G
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = MEMORY, help_heading = "Reading")]
    pub memory: usize,

    /// Threads that decode; all cores by default
    #[arg(long, value_name = "N", help_heading = "Reading")]
    pub threads: Option<usize>,

    /// The unit of the trace's times, such as s, ms or us, when the trace does not tell it
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    pub unit: Option<String>,

    /// Mend what the trace does not tell: "links" pairs receives from any source or with any tag,
    /// by order, tag and size
    #[arg(long, value_name = "WHAT", help_heading = "Reading")]
    pub repair: Option<Repair>,

    /// How far indexing is; no flag, but asked for together with them.
    #[arg(skip)]
    pub progress: Arc<Progress>,
}

impl Default for ReadArgs {
    fn default() -> Self {
        Self {
            strict: false,
            memory: parse_size(MEMORY).unwrap_or(2 << 30),
            threads: None,
            unit: None,
            repair: None,
            progress: Arc::default(),
        }
    }
}

impl ReadArgs {
    /// Keeps the command to what it may take.
    pub fn watch(&self) -> Watch {
        Watch::new(Some(self.memory as u64))
    }

    /// An option that was given and says how a trace is read, which a data set no longer is.
    pub fn of_traces(&self) -> Option<&'static str> {
        let given = [
            ("strict", self.strict),
            ("unit", self.unit.is_some()),
            ("repair", self.repair.is_some()),
        ];
        given.into_iter().find_map(|(option, is_given)| is_given.then_some(option))
    }

    /// Whether the first problem ends the work.
    pub fn strictness(&self) -> Strictness {
        if self.strict { Strictness::Strict } else { Strictness::Lenient }
    }

    /// The options of reading: most of the memory is for names and what is open.
    pub fn drive_options(&self) -> DriveOptions {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        DriveOptions {
            strictness: self.strictness(),
            memory: self.memory / 8 * 5,
            threads: self.threads.unwrap_or_else(cores).clamp(1, 256),
            unit: self.unit.clone(),
            repair_links: self.repair == Some(Repair::Links),
            ..DriveOptions::default()
        }
    }
}

/// A trace on the command line.
#[derive(clap::Args, Clone, Debug)]
pub struct TraceArgs {
    /// A trace in any format that Onca reads (a file or its folder; "-" for standard input), or the
    /// directory of a store
    #[arg(value_name = "TRACE", value_parser = trace_path())]
    pub trace: PathBuf,

    #[command(flatten)]
    pub read: ReadArgs,
}

/// Reads the name of a trace, which may be any file of an archive.
pub fn trace_path() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(|path| onca_read::main_file(&path))
}

/// A trace, ready for questions.
pub struct OpenTrace {
    /// Its store.
    pub store: Store,
    /// The files that it came from; problems refer to them by number.
    pub files: Vec<PathBuf>,
    /// It was read as PajeNG reads: values have gone through 32-bit numbers already.
    pub as_pajeng: bool,
    /// The store goes when this does.
    _temporary: Option<Unfinished>,
    /// A question that takes too much is ended, and so is one that nobody wants answered.
    _watch: Option<Watch>,
}

impl TraceArgs {
    /// Opens the trace for one question, building its store if there is none that fits.
    pub fn open(&self) -> Result<OpenTrace, Failure> {
        let watch = self.read.watch();
        Ok(OpenTrace { _watch: Some(watch), ..self.open_unwatched()? })
    }

    /// Opens the trace for who keeps within bounds otherwise.
    pub fn open_unwatched(&self) -> Result<OpenTrace, Failure> {
        let mut open = self.open_any()?;
        if self.read.strict {
            check_strictly(&open.store, &open.files)?;
        }
        if let Some(unit) = &self.read.unit {
            open.store = open.store.with_unit(unit);
        }
        if let Some(stop) = stop_flag() {
            open.store = open.store.stoppable(stop);
        }
        Ok(open)
    }

    fn open_any(&self) -> Result<OpenTrace, Failure> {
        if is_store(&self.trace) {
            let store = open_folder(&self.trace)?;
            if self.read.repair.is_some() && !is_repaired(&store, self.read.repair) {
                let name = shown(&self.trace);
                let why = "a store stays as it was built; name its trace to repair it";
                return Err(Failure::Cannot(format!("{name}: {why}")));
            }
            if let Some(owner) = place::stranger(&self.trace) {
                let name = shown(&self.trace);
                say!("warning: {name} belongs to user {owner}: it says what that user wants");
            }
            return Ok(OpenTrace::of(store));
        }
        if Source::new(&self.trace).is_stream() {
            return self.open_stream();
        }
        Source::new(&self.trace).check().map_err(|error| Failure::Cannot(error.to_string()))?;
        let homes = Homes::of(&self.trace);
        let store = match homes.find_fresh(&self.trace, &self.read) {
            Some(store) => store,
            None => {
                let built = build(&self.trace, homes.place()?, &self.read, Rebuild::IfStale)?;
                Store::open(&built.place)?
            }
        };
        Ok(OpenTrace::new(store, None).called(&self.trace))
    }

    /// A stream has no place of its own: its store lasts as long as the command.
    fn open_stream(&self) -> Result<OpenTrace, Failure> {
        self.open_temporary(&self.trace, &self.read.drive_options())
    }

    fn open_temporary(&self, trace: &Path, options: &DriveOptions) -> Result<OpenTrace, Failure> {
        let cannot = |error| Failure::Cannot(format!("temporary directory: {error}"));
        let temporary = tempfile::Builder::new().prefix("onca-").tempdir().map_err(cannot)?;
        let temporary = Unfinished::at(temporary.keep());
        let place = temporary.path().join("temporary.onca");
        build_with(trace, place.clone(), &self.read, options, Rebuild::Always)?;
        let open = OpenTrace::new(Store::open(&place)?, Some(temporary)).called(trace);
        Ok(OpenTrace { as_pajeng: options.as_pajeng, ..open })
    }

    /// Opens the trace as PajeNG sees it. Usually that is how it is; where PajeNG loses
    /// precision or records, the source is read once more to lose them too.
    pub fn open_as_pajeng(&self) -> Result<OpenTrace, Failure> {
        let options =
            DriveOptions { as_pajeng: true, tick_exponent: 12, ..self.read.drive_options() };
        if Source::new(&self.trace).is_stream() {
            let watch = self.read.watch();
            let open = self.open_temporary(&self.trace, &options)?;
            return Ok(OpenTrace { _watch: Some(watch), ..open });
        }
        let open = self.open()?;
        if open.store.facts().get(PAJENG_DIFFERS).is_none_or(|differs| differs == "false") {
            return Ok(open);
        }
        match open.files.first() {
            Some(source) if source.exists() && open.store.changes().is_empty() => {
                let again = self.open_temporary(source, &options)?;
                Ok(OpenTrace { _watch: open._watch, ..again })
            }
            _ => {
                let why = match open.store.changes() {
                    [] => "the trace is gone",
                    _ => "the times of the trace were changed",
                };
                say!("warning: {why}; some rows are not those of pj_dump");
                Ok(open)
            }
        }
    }
}

impl OpenTrace {
    /// The trace of a store that lies somewhere.
    pub fn of(store: Store) -> Self {
        Self::new(store, None)
    }

    fn new(store: Store, temporary: Option<Unfinished>) -> Self {
        let files = files_of(&store);
        Self { store, files, as_pajeng: false, _temporary: temporary, _watch: None }
    }

    /// Messages call the trace what the user calls it.
    fn called(mut self, trace: &Path) -> Self {
        match self.files.first_mut() {
            Some(main) => trace.clone_into(main),
            None => self.files.push(trace.to_owned()),
        }
        self
    }

    /// The store, the files that it came from, and the folder that goes with it.
    pub fn into_parts(self) -> (Store, Vec<PathBuf>, Option<Unfinished>) {
        (self.store, self.files, self._temporary)
    }

    /// Says on standard error, in one line, what is wrong with the trace.
    pub fn mention_problems(&self) {
        let catalog = self.store.catalog();
        let serious = catalog.diagnostics.count_of(Severity::Warning)
            + catalog.diagnostics.count_of(Severity::Error);
        if serious == 0 {
            return;
        }
        let name = self.name();
        if let Some(summary) = problems::summary(&catalog.diagnostics, catalog.facts.lost, &name) {
            let level = if catalog.facts.lost > 0 { "error" } else { "warning" };
            say!("{level}: {summary}; run \"onca validate {name}\" to list them");
        }
    }

    /// Where the trace is, or its store if nothing else is known or the source alone is not it.
    pub fn path(&self) -> &Path {
        match self.files.first() {
            Some(file) if self.store.changes().is_empty() => file,
            _ => self.store.dir(),
        }
    }

    /// The name of the trace, for messages.
    pub fn name(&self) -> String {
        match self.path() {
            path if path == Path::new("-") => "standard input".to_owned(),
            path => shown(path),
        }
    }
}

/// Is this the folder of a store, or of nothing that is known? Some traces are folders too.
pub fn is_store(path: &Path) -> bool {
    path.is_dir() && !onca_read::onct::is_folder(path)
}

/// Refuses data sets where a trace or a store is meant.
pub fn refuse_datasets(path: &Path) -> Result<(), Failure> {
    dataset::refusal(path).map_or(Ok(()), |error| Err(error.into()))
}

/// Opens the store in a folder, or tells what else was looked for in it.
pub fn open_folder(folder: &Path) -> Result<Store, Failure> {
    match Store::open(folder) {
        Err(StoreError::NotAStore { path }) if path == folder => {
            let what = onca_read::what_folder_holds(folder);
            Err(Failure::Cannot(format!("{} is not a store: {what}", shown(folder))))
        }
        other => Ok(other?),
    }
}

/// Was this mended when the store was built, and nothing else?
fn is_repaired(store: &Store, repair: Option<Repair>) -> bool {
    store.facts().get(REPAIRED).map_or("", String::as_str) == Repair::name(repair)
}

/// The first problem that strict reading does not accept ends the command.
fn check_strictly(store: &Store, files: &[PathBuf]) -> Result<(), Failure> {
    let fatal = |code: Code| code.severity(Strictness::Strict) == Severity::Fatal;
    let problems = store.catalog().diagnostics.samples();
    match problems.into_iter().find(|problem| fatal(problem.code)) {
        Some(problem) => Err(strict_failure(problem, files)),
        None => Ok(()),
    }
}

fn files_of(store: &Store) -> Vec<PathBuf> {
    store.source().files.iter().map(SourceFile::location).collect()
}

pub fn strict_failure(problem: &Diagnostic, files: &[PathBuf]) -> Failure {
    let fatal = Diagnostic { severity: Severity::Fatal, ..problem.clone() };
    say!("{}", problems::line(&fatal, files));
    if let Some(hint) = &problem.hint {
        say!("  note: {hint}");
    }
    Failure::Said
}
