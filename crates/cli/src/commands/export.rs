//! `onca export`: what is seen of a trace, in a format that other programs read.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::{Compression, write::GzEncoder};
use onca_export::{
    Border, CsvOptions, ExportError, PajeOptions, Progress, Summary, write_chrome, write_csv,
    write_paje,
};
use onca_model::{Shard, Ticks, TraceFacts, Window};
use onca_query::{Lens, Scope};
use onca_sql_client::FittingProgram;
use onca_store::Store;
use serde::Serialize;

use crate::look::LookArgs;
use crate::progress::ShownProgress;
use crate::sql::{self, HandOver, flag};
use crate::trace::{OpenTrace, ReadArgs, TraceArgs, trace_path};
use onca_program::format::{count_of, shown};
use onca_program::new_file;
use onca_program::{Exit, Failure, output, print, say, write_json};

/// Write what is seen of a trace in another format
///
/// The window and the lens choose what is written. States and variables are clipped to the window.
/// Containers are written as the trace has them: groups, orders, imported trees and reductions of
/// a lens are for views.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca export run.paje -o part.paje --from 10% --to 20%
  onca export run.paje -o ranks.json.gz --containers 'rank[0-7]'
  onca export run.paje --format csv -o tables --values 'MPI_*'
  onca export run.paje --format parquet -o run.parquet
  onca export run.paje --format dataset -o run.set
  onca export run.paje --format dataset --shard 1/4 -o run.set
  onca export --seal -o run.set
  onca export run.paje --format paje -o - --types STATE | onca validate -")]
pub struct Args {
    /// A trace in any format that Onca reads (a file or its folder; "-" for standard input), or the
    /// directory of a store
    #[arg(value_name = "TRACE", value_parser = trace_path(), required_unless_present = "seal")]
    trace: Option<PathBuf>,

    #[command(flatten)]
    read: ReadArgs,

    /// The format; told by the name of the output where it ends in .paje, .trace or .json, with
    /// or without .gz
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,

    /// The file, or the folder for CSV, Parquet and data sets; "-" for standard output. A file
    /// whose name ends in .gz is compressed
    #[arg(short, long, value_name = "PATH")]
    output: PathBuf,

    #[command(flatten)]
    look: LookArgs,

    /// Links that cross a border of the window: leave them out, or clip them
    #[arg(long, value_name = "WHAT", default_value = "inside")]
    border: BorderArg,

    /// CSV: put an apostrophe before texts that a spreadsheet would take for a formula
    #[arg(long)]
    safe_for_spreadsheets: bool,

    /// Data set: write this one of N shards only. All have the same folder, and may be written at
    /// the same time
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,

    /// Data set: check that all shards are there as they were written, and seal it
    #[arg(long, conflicts_with_all = ["trace", "shard"])]
    seal: bool,

    /// Data set: begin a new file when one has this many bytes
    #[arg(long, value_name = "BYTES", hide = true, conflicts_with = "seal")]
    file_size: Option<u64>,

    /// Print what was written as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Format {
    /// A Pajé trace
    Paje,
    /// Chrome trace events, for Perfetto and others
    Chrome,
    /// A folder of tables
    Csv,
    /// A folder of tables, compressed and typed, for DuckDB, Polars, Spark, pandas, R
    Parquet,
    /// The same as sorted files that several processes may write, then sealed
    Dataset,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum BorderArg {
    Inside,
    Clip,
}

impl Format {
    const fn name(self) -> &'static str {
        match self {
            Self::Paje => "paje",
            Self::Chrome => "chrome",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
            Self::Dataset => "dataset",
        }
    }

    /// The format that the name of a file tells.
    fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let name = name.strip_suffix(".gz").unwrap_or(name);
        match name.rsplit_once('.')?.1 {
            "paje" | "trace" => Some(Self::Paje),
            "json" => Some(Self::Chrome),
            _ => None,
        }
    }

    /// What its notes about things that it cannot say mean.
    fn unsayable(self, count: u64) -> String {
        match self {
            Self::Paje => format!(
                "{} with quotes, which the format cannot write, {} changed",
                count_of(count, "text"),
                if count == 1 { "was" } else { "were" }
            ),
            Self::Chrome => {
                format!("{} of variables that JSON cannot write left out", count_of(count, "value"))
            }
            Self::Csv | Self::Parquet | Self::Dataset => format!(
                "{} that the trace does not declare left out",
                count_of(count, "extra field")
            ),
        }
    }
}

/// Writes the export.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let to_stdout = args.output == Path::new("-");
    let Some(trace) = args.trace.as_ref().filter(|_| !args.seal) else {
        return seal(args, to_stdout);
    };
    let format = format(args, to_stdout)?;
    if format != Format::Dataset && (args.shard.is_some() || args.file_size.is_some()) {
        let why = "only a data set has shards and several files of a type; add --format dataset";
        return Err(Failure::Cannot(why.to_owned()));
    }
    if to_stdout && args.json {
        return Err(Failure::Cannot("--json and -o - both want standard output".to_owned()));
    }
    // Before a large trace is indexed for nothing.
    let program = matches!(format, Format::Parquet | Format::Dataset);
    let program = program.then(|| sql::program().fitting()).transpose();
    let program = program.map_err(sql::failure)?;
    let trace = TraceArgs { trace: trace.clone(), read: args.read.clone() }.open()?;
    trace.mention_problems();
    if let Some(program) = program {
        return parquet(args, format, program, trace);
    }
    let facts = &trace.store.catalog().facts;
    let scope = scope(args, &trace.store)?;
    let Some(summary) = export(args, format, &scope)? else {
        return Ok(Exit::from_lost(facts.lost));
    };
    mention_losses(format, &summary);
    if to_stdout {
        say!("{}", in_words(&summary));
    } else if args.json {
        print(|out| write_json(out, &ExportJson::new(args, format, &summary)))?;
    } else {
        let line = format!("{}: {}", shown(&args.output), in_words(&summary));
        print(|out| writeln!(out, "{line}"))?;
    }
    Ok(Exit::from_lost(facts.lost))
}

/// What is seen.
fn scope<'s>(args: &Args, store: &'s Store) -> Result<Scope<'s>, Failure> {
    let window = window(args, &store.catalog().facts)?;
    let lens = args.look.lens.lens()?;
    mention_what_is_for_views(&lens);
    Ok(Scope::new(store, &lens, window)?)
}

/// The window; it reaches as far as time does where it is not given.
fn window(args: &Args, facts: &TraceFacts) -> Result<Window, Failure> {
    args.look.window.window(facts)?;
    args.look.window.unchecked(facts, Ticks::MIN, Ticks::MAX)
}

/// Seals a data set. `onca-sql` does it, which has written the shards.
fn seal(args: &Args, to_stdout: bool) -> Result<Exit, Failure> {
    if to_stdout || args.format.is_some_and(|format| format != Format::Dataset) {
        return Err(Failure::Cannot("--seal needs -o with the folder of a data set".to_owned()));
    }
    let program = sql::program().fitting().map_err(sql::failure)?;
    let mut arguments: Vec<OsString> = vec!["seal".into(), flag("output", &args.output)];
    if args.json {
        arguments.push("--json".into());
    }
    sql::hand_over(&program, &arguments, "")
}

/// Parquet and data sets hold the tables of SQL: entities are whole, and nothing is cut at the
/// window. `onca-sql` writes them.
fn parquet(
    args: &Args,
    format: Format,
    program: FittingProgram,
    trace: OpenTrace,
) -> Result<Exit, Failure> {
    let facts = &trace.store.catalog().facts;
    let window = window(args, facts)?;
    let lens = args.look.lens.lens()?;
    mention_what_is_for_views(&lens);
    let mut more = vec![
        flag("output", &args.output),
        flag("format", format.name()),
        flag("from-tick", window.from.to_string()),
        flag("to-tick", window.to.to_string()),
    ];
    more.extend(args.shard.map(|shard| flag("shard", shard.to_string())));
    more.extend(args.file_size.map(|bytes| flag("file-size", bytes.to_string())));
    if args.json {
        more.push("--json".into());
    }
    HandOver { program, command: "export", trace, read: &args.read }.complete(more, &lens.to_json())
}

fn format(args: &Args, to_stdout: bool) -> Result<Format, Failure> {
    let format = args.format.or_else(|| Format::of(&args.output)).ok_or_else(|| {
        let output = shown(&args.output);
        Failure::Cannot(format!(
            "{output} does not tell the format; give --format paje, chrome, csv, parquet or dataset"
        ))
    })?;
    if to_stdout && matches!(format, Format::Csv | Format::Parquet | Format::Dataset) {
        let why = "these are several tables; give -o the name of a folder";
        return Err(Failure::Cannot(why.to_owned()));
    }
    Ok(format)
}

/// Writes the export; says nothing of one that nobody read to its end.
fn export(args: &Args, format: Format, scope: &Scope<'_>) -> Result<Option<Summary>, Failure> {
    let progress = Arc::new(Progress::default());
    let bar = ShownProgress::new("exporting", &progress);
    let border = match args.border {
        BorderArg::Inside => Border::Inside,
        BorderArg::Clip => Border::Clip,
    };
    let write = |out: &mut dyn Write| match format {
        Format::Chrome => write_chrome(scope, border, out, &progress),
        _ => write_paje(scope, &PajeOptions { border, ..PajeOptions::default() }, out, &progress),
    };
    let outcome = if format == Format::Csv {
        let safe_for_spreadsheets = args.safe_for_spreadsheets;
        new_file::fill_folder(&args.output, |folder| {
            let open = |table: &str| {
                File::create_new(folder.join(format!("{table}.csv"))).map(BufWriter::new)
            };
            write_csv(scope, &CsvOptions { border, safe_for_spreadsheets }, open, &progress)
        })
    } else if args.output == Path::new("-") {
        let mut out = output();
        write(&mut out).and_then(|summary| Ok(out.flush().map(|()| summary)?))
    } else if args.output.extension().is_some_and(|extension| extension == "gz") {
        new_file::fill(&args.output, |file| {
            let mut packed = BufWriter::new(GzEncoder::new(file, Compression::default()));
            let summary = write(&mut packed)?;
            packed.into_inner().map_err(|error| error.into_error())?.finish()?;
            Ok(summary)
        })
    } else {
        new_file::fill(&args.output, |file| write(file))
    };
    drop(bar);
    match outcome {
        Ok(summary) => Ok(Some(summary)),
        Err(ExportError::Read(error)) => Err(error.into()),
        // A reader that has gone away has read enough.
        Err(ExportError::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(None),
        Err(ExportError::Write(error)) => Err(new_file::failure(&args.output, &error)),
    }
}

fn mention_what_is_for_views(lens: &Lens) {
    let plain = lens.group.is_empty() && lens.hierarchy.is_none() && lens.reduce.is_empty();
    if !plain {
        say!(
            "note: groups, imported trees and reductions are for views; the containers are \
             written as the trace has them"
        );
    }
}

fn mention_losses(format: Format, summary: &Summary) {
    if summary.clipped > 0 {
        say!("note: {} cut at the borders of the window", count_of(summary.clipped, "row"));
    }
    if summary.links_across > 0 {
        say!(
            "note: {} across a border of the window left out; --border clip keeps what lies inside",
            count_of(summary.links_across, "link")
        );
    }
    if summary.unsayable > 0 {
        say!("warning: {}", format.unsayable(summary.unsayable));
    }
}

fn in_words(summary: &Summary) -> String {
    let parts = [
        (summary.containers, "container"),
        (summary.states, "state"),
        (summary.links, "link"),
        (summary.events, "event"),
        (summary.variables, "variable interval"),
    ];
    parts.map(|(count, noun)| count_of(count, noun)).join(", ")
}

/// What `onca export --json` prints: `onca-export/1`.
#[derive(Serialize)]
struct ExportJson {
    schema: &'static str,
    /// The file or folder that was written.
    output: String,
    /// `paje`, `chrome` or `csv`.
    format: &'static str,
    /// How many containers were written.
    containers: u64,
    /// How many states were written.
    states: u64,
    /// How many links were written.
    links: u64,
    /// How many events were written.
    events: u64,
    /// How many intervals of variables were written.
    variables: u64,
    /// How many of them were cut at a border of the window.
    clipped: u64,
    /// Links that cross a border of the window and were left out.
    links_across: u64,
    /// Texts or values that the format cannot say: changed or left out.
    unsayable: u64,
}

impl ExportJson {
    fn new(args: &Args, format: Format, summary: &Summary) -> Self {
        Self {
            schema: "onca-export/1",
            output: args.output.display().to_string(),
            format: format.name(),
            containers: summary.containers,
            states: summary.states,
            links: summary.links,
            events: summary.events,
            variables: summary.variables,
            clipped: summary.clipped,
            links_across: summary.links_across,
            unsayable: summary.unsayable,
        }
    }
}
