//! `onca query`: questions in SQL.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use onca_sql::{Database, Format, Limits, SqlError, row_writer};

use crate::format::{grouped, shown};
use crate::new_file;
use crate::outcome::{Exit, Failure, is_full, written};
use crate::trace::TraceArgs;

/// Ask a trace in SQL
///
/// The tables are containers, types, states, links, events, variables and diagnostics; --tables
/// lists their columns. Only queries are allowed; nothing but the store is read. A query that is
/// interrupted ends with the exit status 130.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca query run.paje \"SELECT value, sum(duration) FROM states GROUP BY value\"
  onca query run.paje --tables
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

    /// How to write the rows; by the name of the output file, or else table, unless told
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<OutputFormat>,

    /// Where to write them, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    timeout: Option<Duration>,

    /// Write at most so many rows
    #[arg(long, value_name = "N")]
    max_rows: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum OutputFormat {
    Table,
    Csv,
    Json,
    Ndjson,
    Parquet,
}

impl OutputFormat {
    /// The format that the name of a file tells.
    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "csv" => Some(Self::Csv),
            "json" => Some(Self::Json),
            "ndjson" | "jsonl" => Some(Self::Ndjson),
            "parquet" => Some(Self::Parquet),
            _ => None,
        }
    }

    fn format(self) -> Format {
        match self {
            Self::Table => Format::Table,
            Self::Csv => Format::Csv,
            Self::Json => Format::Json,
            Self::Ndjson => Format::Ndjson,
            Self::Parquet => Format::Parquet,
        }
    }
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// Answers.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let sql = args.sql()?;
    let trace = args.trace.open()?;
    trace.mention_problems();
    let lost = trace.store.catalog().facts.lost;
    let threads = args.trace.read.drive_options().threads;
    let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
    let database = Database::with_threads(Arc::new(trace.store), threads)?;
    match sql {
        None => written(print_tables(&database))?,
        Some(sql) => args.answer(&database, &sql)?,
    }
    Ok(Exit::from_lost(lost))
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

    fn limits(&self) -> Limits {
        let memory = self.trace.read.memory;
        Limits { timeout: self.timeout, max_rows: self.max_rows, memory }
    }

    fn answer(&self, database: &Database, sql: &str) -> Result<(), Failure> {
        let named = || self.output.as_deref().and_then(OutputFormat::of);
        let format = self.format.or_else(named).unwrap_or(OutputFormat::Table).format();
        let question = Question { database, sql, limits: self.limits(), format };
        let outcome = match &self.output {
            None => question.write_to(&mut io::stdout()),
            Some(path) => new_file::fill(path, |out| question.write_to(out)),
        };
        match outcome {
            Ok(Ending::Complete) => Ok(()),
            Ok(Ending::Truncated) => {
                let most = grouped(self.max_rows.unwrap_or(0));
                Err(Failure::Limit(format!(
                    "there are more than {most} rows; the rest is left out"
                )))
            }
            Err(QueryError::Interrupted) => Err(Failure::Interrupted),
            Err(QueryError::Sql(error)) => Err(error.into()),
            Err(QueryError::Write(error)) => match &self.output {
                None => written(Err(error)),
                Some(path) => Err(cannot_write(path, &error)),
            },
        }
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    let message = format!("{}: {error}", shown(path));
    if is_full(error) { Failure::Limit(message) } else { Failure::Cannot(message) }
}

/// What is asked, and how the answer is to look.
struct Question<'a> {
    database: &'a Database,
    sql: &'a str,
    limits: Limits,
    format: Format,
}

enum Ending {
    Complete,
    Truncated,
}

enum QueryError {
    Sql(SqlError),
    Write(io::Error),
    Interrupted,
}

impl From<SqlError> for QueryError {
    fn from(error: SqlError) -> Self {
        Self::Sql(error)
    }
}

impl From<io::Error> for QueryError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

impl Question<'_> {
    /// Asks, and writes the rows as they come.
    fn write_to(&self, out: &mut (dyn Write + Send)) -> Result<Ending, QueryError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            tokio::select! {
                biased;
                signal = tokio::signal::ctrl_c() => match signal {
                    Ok(()) => Err(QueryError::Interrupted),
                    Err(error) => Err(QueryError::Write(error)),
                },
                ending = self.write_rows(out) => ending,
            }
        })
    }

    async fn write_rows(&self, out: &mut (dyn Write + Send)) -> Result<Ending, QueryError> {
        let mut answer = self.database.query(self.sql, &self.limits).await?;
        let mut writer = row_writer(self.format, answer.schema(), out)?;
        while let Some(batch) = answer.next().await? {
            writer.write(&batch)?;
        }
        writer.finish(answer.is_truncated())?;
        Ok(if answer.is_truncated() { Ending::Truncated } else { Ending::Complete })
    }
}

fn print_tables(database: &Database) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for (index, table) in database.tables().iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", table.name)?;
        let width = table.columns.iter().map(|column| column.name.chars().count()).max();
        for column in &table.columns {
            let null = if column.nullable { " or NULL" } else { "" };
            let (name, width) = (&column.name, width.unwrap_or(0));
            writeln!(out, "  {name:width$}  {}{null}", column.data_type)?;
        }
    }
    Ok(())
}
