//! `onca-sql query`: one question, its rows as they come.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use onca_program::format::{grouped, shown};
use onca_program::{Exit, Failure, RowFormat, is_full, new_file, written};
use onca_sql::{Database, Format, Limits, SqlError, row_writer};

use crate::opened::{StoreArgs, failure, standard_input};

/// Answer the query on standard input
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    store: StoreArgs,

    /// List the tables and their columns instead
    #[arg(long)]
    tables: bool,

    /// How to write the rows
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "table")]
    format: RowFormat,

    /// Where to write them, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,

    /// Write at most this many rows
    #[arg(long, value_name = "N")]
    max_rows: Option<u64>,

    /// Memory for what the query gathers, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().memory)]
    memory: usize,

    /// Threads that compute; all cores by default
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

/// How the library calls a format.
const fn library_format(format: RowFormat) -> Format {
    match format {
        RowFormat::Table => Format::Table,
        RowFormat::Csv => Format::Csv,
        RowFormat::Json => Format::Json,
        RowFormat::Ndjson => Format::Ndjson,
        RowFormat::Parquet => Format::Parquet,
    }
}

/// Answers.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let opened = args.store.open()?;
    let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let threads = args.threads.unwrap_or_else(cores);
    let store = std::sync::Arc::clone(&opened.store);
    let database = Database::with_threads(store, threads).map_err(failure)?;
    match args.tables {
        true => written(print_tables(&database))?,
        false => args.answer(&database, &standard_input()?)?,
    }
    Ok(Exit::from_lost(opened.store.catalog().facts.lost))
}

impl Args {
    fn limits(&self) -> Result<Limits, Failure> {
        let timeout = self.timeout.map(Duration::try_from_secs_f64).transpose();
        let timeout = timeout.map_err(|error| Failure::Cannot(error.to_string()))?;
        Ok(Limits { timeout, max_rows: self.max_rows, memory: self.memory })
    }

    fn answer(&self, database: &Database, sql: &str) -> Result<(), Failure> {
        let format = library_format(self.format);
        let question = Question { database, sql, limits: self.limits()?, format };
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
            Err(QueryError::Sql(error)) => Err(failure(error)),
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
