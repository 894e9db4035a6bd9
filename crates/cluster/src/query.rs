//! `onca-cluster query`: a question in SQL about data sets, which executors answer.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use onca_program::format::{grouped, shown};
use onca_program::{Exit, Failure, RowFormat, new_file, output, print, written};
use onca_sql::{Database, Format, Limits, SqlError, row_writer};

use crate::ask::{AskArgs, failure};
use crate::process::runtime;

/// Ask data sets in SQL; executors answer
///
/// The tables, columns and functions are those of "onca query" over data sets.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    ask: AskArgs,

    /// The query; "-" or nothing for standard input
    #[arg(value_name = "SQL")]
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

/// Asks, and writes the rows as they come.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let sql = if args.tables { String::new() } else { args.sql()? };
    let runtime = runtime()?;
    let (sets, database) = runtime.block_on(args.ask.open())?;
    if args.tables {
        print(|out| database.write_tables(out))?;
        return Ok(Exit::from_lost(sets.lost()));
    }
    let answer = |out: &mut dyn Write| {
        runtime.block_on(async {
            tokio::select! {
                biased;
                _ = tokio::signal::ctrl_c() => Err(Stopped::Interrupted),
                answered = args.write_rows(&database, &sql, out) => answered,
            }
        })
    };
    let outcome = match &args.output {
        None => answer(&mut output()),
        Some(path) => new_file::fill(path, |out| answer(out)),
    };
    match (outcome, &args.output) {
        (Ok(false), _) => Ok(Exit::from_lost(sets.lost())),
        (Ok(true), _) => {
            let most = grouped(args.max_rows.unwrap_or(0));
            Err(Failure::Limit(format!("there are more than {most} rows; the rest is left out")))
        }
        (Err(Stopped::Interrupted), _) => Err(Failure::Interrupted),
        (Err(Stopped::Sql(error)), _) => Err(failure(error)),
        (Err(Stopped::Write(error)), Some(path)) => Err(new_file::failure(path, &error)),
        (Err(Stopped::Write(error)), None) => {
            written(Err(error)).map(|()| Exit::from_lost(sets.lost()))
        }
    }
}

/// Why there are no more rows.
enum Stopped {
    Sql(SqlError),
    Write(io::Error),
    Interrupted,
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

impl From<SqlError> for Stopped {
    fn from(error: SqlError) -> Self {
        Self::Sql(error)
    }
}

/// How the engine calls a format.
const fn format(format: RowFormat) -> Format {
    match format {
        RowFormat::Table => Format::Table,
        RowFormat::Csv => Format::Csv,
        RowFormat::SafeCsv => Format::SafeCsv,
        RowFormat::Json => Format::Json,
        RowFormat::Ndjson => Format::Ndjson,
        RowFormat::Parquet => Format::Parquet,
    }
}

/// Rows that are written, but not delivered yet.
#[derive(Clone, Default)]
struct Ready(Arc<Mutex<Vec<u8>>>);

impl Ready {
    fn deliver(&self, out: &mut dyn Write) -> io::Result<()> {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        out.write_all(&bytes)
    }
}

impl Write for Ready {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Args {
    fn sql(&self) -> Result<String, Failure> {
        let (what, text) = match (&self.file, &self.sql) {
            (Some(path), _) => (shown(path), std::fs::read_to_string(path)),
            (None, Some(sql)) if sql != "-" => return Ok(sql.clone()),
            (None, _) => ("standard input".to_owned(), io::read_to_string(io::stdin().lock())),
        };
        text.map_err(|error| Failure::Cannot(format!("{what}: {error}")))
    }

    /// Tells whether a limit cut rows off.
    async fn write_rows(
        &self,
        database: &Database,
        sql: &str,
        out: &mut dyn Write,
    ) -> Result<bool, Stopped> {
        let limits = Limits { timeout: self.timeout, max_rows: self.max_rows, ..Limits::default() };
        let mut answer = database.query(sql, &limits).await?;
        let named = || self.output.as_deref().and_then(RowFormat::of);
        let chosen = self.format.or_else(named).unwrap_or(RowFormat::Table);
        let ready = Ready::default();
        let mut writer = row_writer(format(chosen), answer.schema(), ready.clone())?;
        while let Some(rows) = answer.next().await? {
            writer.write(&rows)?;
            ready.deliver(out)?;
        }
        writer.finish(answer.is_truncated())?;
        ready.deliver(out)?;
        out.flush()?;
        Ok(answer.is_truncated())
    }
}
