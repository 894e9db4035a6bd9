//! Several sources as one trace.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use onca_model::{Fraction, Shift};
use onca_store::{Composition, JoinPart, Store};
use serde::Deserialize;
use serde_json::Value;

use crate::composed;
use crate::place;
use crate::trace::{Built, OpenTrace, ReadArgs, Rebuild, TraceArgs, is_store};
use onca_program::Failure;
use onca_program::format::{shortened, shown};

/// What a file of sources must say that it is.
const SCHEMA: &str = "onca-join/1";
/// The names of sources take at most this many characters of the name of a store.
const MOST_OF_NAMES: usize = 60;

/// How sources become one trace.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct JoinArgs {
    /// Make one trace of all, each below a container with the name of its file
    #[arg(long, help_heading = "Joining")]
    pub join: bool,

    /// Join the sources that FILE lists, with their offsets and rates, instead
    #[arg(long, value_name = "FILE", conflicts_with = "traces", help_heading = "Joining")]
    pub join_file: Option<PathBuf>,

    /// Add TIME to the times of a source: run.paje=-1.5s; may be given several times
    #[arg(long, value_name = "SOURCE=TIME", allow_hyphen_values = true, value_parser = parse_offset, help_heading = "Joining")]
    offset: Vec<(String, Shift)>,

    /// Multiply the times of a source, before its offset is added: run.paje=1.000002 or
    /// run.paje=1001/1000; may be given several times
    #[arg(long, value_name = "SOURCE=FACTOR", value_parser = parse_rate, help_heading = "Joining")]
    rate: Vec<(String, Fraction)>,
}

fn parse_offset(text: &str) -> Result<(String, Shift), String> {
    let (source, time) = assignment(text)?;
    Ok((source.to_owned(), Shift::parse(time)?))
}

fn parse_rate(text: &str) -> Result<(String, Fraction), String> {
    let (source, factor) = assignment(text)?;
    Ok((source.to_owned(), rate_of(factor)?))
}

/// The name of a file may have an equals sign, a time has none.
fn assignment(text: &str) -> Result<(&str, &str), String> {
    text.rsplit_once('=').ok_or_else(|| format!("{text:?} has no \"=\" after the source"))
}

fn rate_of(text: &str) -> Result<Fraction, String> {
    Fraction::parse(text)
        .filter(|rate| rate.is_positive())
        .ok_or_else(|| format!("{text:?} is no rate; write 1.000002 or 1001/1000"))
}

/// A source that is to be joined.
#[derive(Clone, Debug)]
struct Source {
    trace: PathBuf,
    name: String,
    offset: Shift,
    rate: Fraction,
}

impl Source {
    fn new(trace: PathBuf, name: Option<String>) -> Result<Self, String> {
        let own = |path: &Path| shown(Path::new(path.file_name().unwrap_or(path.as_os_str())));
        let name = name.unwrap_or_else(|| own(&trace));
        Ok(Self { trace, name, offset: Shift::parse("0")?, rate: Fraction::ONE })
    }
}

/// A file that lists sources.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JoinFile {
    schema: String,
    sources: Vec<ListedSource>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListedSource {
    trace: PathBuf,
    name: Option<String>,
    offset: Option<Value>,
    rate: Option<Value>,
}

impl ListedSource {
    /// The source; its path starts from the folder of the file.
    fn source(self, folder: &Path) -> Result<Source, String> {
        let mut source = Source::new(onca_read::main_file(&folder.join(self.trace)), self.name)?;
        if let Some(offset) = self.offset {
            source.offset = Shift::parse(&text_of(&offset)?)?;
        }
        if let Some(rate) = self.rate {
            source.rate = rate_of(&text_of(&rate)?)?;
        }
        Ok(source)
    }
}

/// A text or a number as it is written.
fn text_of(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(format!("{other} is neither a text nor a number")),
    }
}

/// Sources that are to become one trace.
#[derive(Clone, Debug)]
pub struct Joining {
    sources: Vec<Source>,
    read: ReadArgs,
}

impl JoinArgs {
    /// Is one trace to be made?
    pub fn is_wanted(&self) -> bool {
        self.join || self.join_file.is_some()
    }

    /// What is to be joined; `None` if nothing is.
    pub fn joining(&self, traces: &[PathBuf], read: &ReadArgs) -> Result<Option<Joining>, Failure> {
        if !self.is_wanted() {
            return match self.offset.is_empty() && self.rate.is_empty() {
                true => Ok(None),
                false => Err(Failure::Cannot("--offset and --rate need --join".to_owned())),
            };
        }
        let mut sources = match &self.join_file {
            Some(file) => read_file(file)?,
            None => traces
                .iter()
                .map(|trace| Source::new(trace.clone(), None))
                .collect::<Result<_, _>>()
                .map_err(Failure::Cannot)?,
        };
        if sources.is_empty() {
            return Err(Failure::Cannot("name the traces to join".to_owned()));
        }
        make_unique(&mut sources);
        for (name, offset) in &self.offset {
            called(&mut sources, name)?.offset = *offset;
        }
        for (name, rate) in &self.rate {
            called(&mut sources, name)?.rate = *rate;
        }
        Ok(Some(Joining { sources, read: read.clone() }))
    }
}

fn read_file(path: &Path) -> Result<Vec<Source>, Failure> {
    let cannot = |why: String| Failure::Cannot(format!("{}: {why}", shown(path)));
    let text = fs::read_to_string(path).map_err(|error| cannot(error.to_string()))?;
    let file: JoinFile = serde_json::from_str(&text)
        .map_err(|error| cannot(format!("not a list of sources: {error}")))?;
    if file.schema != SCHEMA {
        return Err(cannot(format!("its schema is {:?}, not {SCHEMA:?}", file.schema)));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    file.sources.into_iter().map(|source| source.source(folder).map_err(cannot)).collect()
}

/// Names that several sources have get numbers.
fn make_unique(sources: &mut [Source]) {
    for index in 1..sources.len() {
        let (before, own) = sources.split_at_mut(index);
        let taken = |name: &str| before.iter().any(|other| other.name == name);
        let stem = own[0].name.clone();
        let mut number = 2;
        while taken(&own[0].name) {
            own[0].name = format!("{stem}~{number}");
            number += 1;
        }
    }
}

/// The source with a name, or with a path as it was given.
fn called<'s>(sources: &'s mut [Source], name: &str) -> Result<&'s mut Source, Failure> {
    let known: Vec<String> = sources.iter().map(|source| source.name.clone()).collect();
    let is_called = |source: &&mut Source| source.name == name || source.trace == Path::new(name);
    sources.iter_mut().find(is_called).ok_or_else(|| {
        let known = known.join(", ");
        Failure::Cannot(format!("no source is called {name:?}; there are {known}"))
    })
}

impl Joining {
    /// What can be said before anything is read.
    pub fn check(&self) -> Result<(), Failure> {
        for Source { trace, .. } in &self.sources {
            let source = onca_read::Source::new(trace);
            if source.is_stream() {
                return Err(Failure::Cannot(
                    "standard input cannot be joined; index it first".to_owned(),
                ));
            }
            if !is_store(trace) {
                source.check().map_err(|error| Failure::Cannot(error.to_string()))?;
            }
        }
        Ok(())
    }

    /// Where the store lies that nobody named a place for.
    pub fn default_place(&self) -> Result<PathBuf, Failure> {
        let none = || Failure::Cannot("there is no cache directory; use onca index -o".to_owned());
        let mut hasher = DefaultHasher::new();
        for Source { trace, name, offset, rate } in &self.sources {
            let full = trace.canonicalize().unwrap_or_else(|_| trace.clone());
            (full, name, format!("{offset:?} {rate}")).hash(&mut hasher);
        }
        let names: Vec<&str> = self.sources.iter().map(|source| source.name.as_str()).collect();
        let names = shortened(&names.join("+").replace('/', "_"), MOST_OF_NAMES);
        let name = format!("{names}-{:016x}{}", hasher.finish(), place::STORE_SUFFIX);
        Ok(place::cache_dir().ok_or_else(none)?.join(name))
    }

    /// Tells how far indexing is.
    pub fn with_progress(mut self, progress: &std::sync::Arc<onca_read::Progress>) -> Self {
        self.read.progress = std::sync::Arc::clone(progress);
        self
    }

    /// Builds the store of the whole, and those of the parts where there are none that fit.
    pub fn build(&self, place: &Path, rebuild: Rebuild) -> Result<Built, Failure> {
        let started = std::time::Instant::now();
        self.check()?;
        let open = |source: &Source| {
            let args = TraceArgs { trace: source.trace.clone(), read: self.read.clone() };
            args.open_unwatched()
        };
        let parts: Vec<OpenTrace> = self.sources.iter().map(open).collect::<Result<_, _>>()?;
        let join_part = |(source, part): (&Source, _)| {
            let part: &OpenTrace = part;
            let Source { name, offset, rate, .. } = source.clone();
            JoinPart { store: &part.store, name, offset, rate }
        };
        let join_parts: Vec<JoinPart<'_>> =
            self.sources.iter().zip(&parts).map(join_part).collect();
        let composition = Composition::join(&join_parts)?;
        let facts = composition.catalog().facts.clone();
        let fits =
            rebuild == Rebuild::IfStale && composed::open_if_fits(&composition, place).is_some();
        let report = match fits {
            true => None,
            false => Some(composed::write(composition, &parts, place, &self.read)?),
        };
        Ok(Built {
            place: place.to_owned(),
            source_bytes: parts
                .iter()
                .filter_map(|part| crate::trace::source_bytes(&part.store))
                .sum(),
            records: facts.records,
            lost: facts.lost,
            passes: u32::from(report.is_some()),
            report,
            elapsed: started.elapsed(),
        })
    }

    /// Opens the whole, building it if need be.
    pub fn open(&self) -> Result<OpenTrace, Failure> {
        let place = self.default_place()?;
        if let Some(folder) = place.parent() {
            place::make_private_dir(folder)
                .map_err(|error| Failure::Cannot(format!("{}: {error}", shown(folder))))?;
        }
        self.build(&place, Rebuild::IfStale)?;
        Ok(OpenTrace::of(Store::open(&place)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joining(args: &JoinArgs, traces: &[&str]) -> Result<Vec<Source>, String> {
        let traces: Vec<PathBuf> = traces.iter().map(PathBuf::from).collect();
        let read = ReadArgs {
            strict: false,
            memory: 1 << 20,
            threads: None,
            unit: None,
            repair: None,
            progress: std::sync::Arc::default(),
        };
        match args.joining(&traces, &read) {
            Ok(joining) => Ok(joining.map(|joining| joining.sources).unwrap_or_default()),
            Err(failure) => Err(failure.message().unwrap_or_default().to_owned()),
        }
    }

    #[test]
    fn names_are_made_unique_and_offsets_find_them() {
        let args = JoinArgs {
            join: true,
            offset: vec![parse_offset("run.paje~2=-1s").expect("an offset")],
            rate: vec![parse_rate("a/run.paje=1001/1000").expect("a rate")],
            ..JoinArgs::default()
        };
        let sources = joining(&args, &["a/run.paje", "b/run.paje", "c/run.paje"]).expect("sources");
        let names: Vec<_> = sources.iter().map(|source| source.name.as_str()).collect();
        assert_eq!(names, ["run.paje", "run.paje~2", "run.paje~3"]);
        assert_eq!(sources[0].rate.to_string(), "1001/1000");
        assert_eq!(Ok(sources[1].offset), Shift::parse("-1s"));
        let error = joining(&args, &["a/run.paje"]).expect_err("no such source");
        assert!(error.contains("run.paje~2"), "{error}");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(parse_offset("run.paje").is_err());
        assert!(parse_offset("run.paje=soon").is_err());
        assert!(parse_rate("run.paje=0").is_err());
        assert!(parse_rate("run.paje=-1").is_err());
        assert!(joining(&JoinArgs { join: true, ..JoinArgs::default() }, &[]).is_err());
        let args =
            JoinArgs { rate: vec![parse_rate("x=2").expect("a rate")], ..JoinArgs::default() };
        assert!(joining(&args, &["x"]).is_err());
        assert_eq!(joining(&JoinArgs::default(), &["x"]).map(|all| all.len()), Ok(0));
    }
}
