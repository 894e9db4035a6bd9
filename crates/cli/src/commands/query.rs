//! `onca query`: questions in SQL, which `onca-sql` answers.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use onca_program::format::shown;
use onca_program::{Exit, Failure, RowFormat};
use onca_sql_client::FittingProgram;
use onca_store::dataset::is_dataset;
use onca_store::{Store, StoreError};

use crate::sql::{self, HandOver, flag};
use crate::trace::{TraceArgs, is_store};

/// Ask a trace in SQL
///
/// The tables are containers, types, states, links, events, variables, type_values, diagnostics,
/// findings and waits; --tables lists their columns. A data set that onca export wrote, or a folder
/// with several, is asked in the same way, but has no findings and waits; with several, tables begin
/// with the column run. Only queries are allowed; nothing but the store or the data sets is read. A
/// query that is interrupted ends with the exit status 130. The program onca-sql answers; it is
/// found beside onca, in the PATH, or where ONCA_SQL says.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca query run.paje \"SELECT value, sum(duration) FROM states GROUP BY value\"
  onca query run.paje --tables
  onca query run.set \"SELECT count(*) FROM states\"
  onca query run.paje --file longest.sql --format csv -o longest.csv
  echo 'SELECT count(*) FROM links' | onca query run.paje -")]
pub struct Args {
    #[command(flatten)]
    trace: TraceArgs,

    /// The query; "-" for standard input
    #[arg(value_name = "SQL", required_unless_present_any = ["file", "tables"])]
    sql: Option<String>,

    /// Read the query from a file
    #[arg(long, value_name = "FILE", conflicts_with = "sql")]
    file: Option<PathBuf>,

    /// List the tables and their columns
    #[arg(long, conflicts_with_all = ["sql", "file"])]
    tables: bool,

    /// How to write the rows; by default as the name of the output file says, or else as a table
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<RowFormat>,

    /// Where to write them, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    timeout: Option<Duration>,

    /// Write at most this many rows
    #[arg(long, value_name = "N")]
    max_rows: Option<u64>,
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// Opens the trace and lets `onca-sql` answer.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    // Before a large trace is indexed for nothing.
    let program = sql::program().fitting().map_err(sql::failure)?;
    let text = args.sql()?;
    if is_dataset(&args.trace.trace) {
        return args.ask_dataset(&program, &text.unwrap_or_default());
    }
    let trace = args.trace.open().map_err(|failure| args.nor_a_dataset(failure))?;
    trace.mention_problems();
    HandOver { program, command: "query", trace, read: &args.trace.read }
        .complete(args.more_arguments(), &text.unwrap_or_default())
}

impl Args {
    /// The text of the query; none if the tables are to be listed.
    fn sql(&self) -> Result<Option<String>, Failure> {
        let read = |what: &str, result: io::Result<String>| {
            result.map(Some).map_err(|error| Failure::Cannot(format!("{what}: {error}")))
        };
        match (&self.file, &self.sql) {
            (Some(path), _) => read(&shown(path), std::fs::read_to_string(path)),
            (None, Some(sql)) if sql == "-" => {
                if self.trace.trace == Path::new("-") {
                    let message = "the trace and the query cannot both be standard input";
                    return Err(Failure::Cannot(message.to_owned()));
                }
                read("standard input", io::read_to_string(io::stdin().lock()))
            }
            (None, sql) => Ok(sql.clone()),
        }
    }

    /// Says of a folder that is no trace and no store that it is no data set either.
    fn nor_a_dataset(&self, failure: Failure) -> Failure {
        let folder = &self.trace.trace;
        let no_store = || matches!(Store::open(folder), Err(StoreError::NotAStore { .. }));
        match failure {
            Failure::Cannot(why) if is_store(folder) && no_store() => {
                Failure::Cannot(format!("{why}; no data set is in it or in the folders in it"))
            }
            failure => failure,
        }
    }

    /// Data sets need no store: `onca-sql` opens them itself.
    fn ask_dataset(&self, program: &FittingProgram, text: &str) -> Result<Exit, Failure> {
        if let Some(option) = self.trace.read.of_traces() {
            let why = format!("--{option} is for traces; a data set stays as it was written");
            return Err(Failure::Cannot(why));
        }
        let mut arguments: Vec<OsString> = vec!["query".into()];
        arguments.extend(self.more_arguments());
        arguments.extend(["--".into(), self.trace.trace.clone().into()]);
        sql::hand_over(program, &arguments, text)
    }

    fn more_arguments(&self) -> Vec<OsString> {
        let named = || self.output.as_deref().and_then(RowFormat::of);
        let format = self.format.or_else(named).unwrap_or(RowFormat::Table);
        let threads = self.trace.read.drive_options().threads;
        let mut arguments: Vec<OsString> = vec![
            flag("format", format.name()),
            flag("memory", self.trace.read.memory.to_string()),
            flag("threads", threads.to_string()),
        ];
        if self.tables {
            arguments.push("--tables".into());
        }
        arguments.extend(self.output.as_ref().map(|path| flag("output", path)));
        let timeout = self.timeout.map(|timeout| timeout.as_secs_f64().to_string());
        arguments.extend(timeout.map(|seconds| flag("timeout", seconds)));
        arguments.extend(self.max_rows.map(|rows| flag("max-rows", rows.to_string())));
        arguments
    }
}
