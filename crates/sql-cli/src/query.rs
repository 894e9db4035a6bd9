//! `onca-sql query`: one question, its rows as they come.
//!
//! The engine is in a child, `onca-sql serve`: a query that exhausts its memory or its stack ends
//! the child, and this process says so.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use onca_model::RowFormat;
use onca_program::format::shown;
use onca_program::{
    Exit, Failure, is_full, more_rows_than, new_file, output, print, row_format, written,
};
use onca_sql::{Limits, MAX_QUERY_BYTES};
use onca_sql_client::{ChildOptions, Question, SqlChildren, SqlFailure, SqlProgram};

use crate::opened::{StoreArgs, cores, standard_input};

/// Answer the query on standard input
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    store: StoreArgs,

    /// List the tables and their columns instead
    #[arg(long)]
    tables: bool,

    /// How to write the rows
    #[arg(long, value_name = "FORMAT", value_parser = row_format(), default_value = "table")]
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

/// Answers.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let opened = args.store.open_any()?;
    match args.tables {
        true => {
            let database = opened.database(cores())?;
            print(|out| database.write_tables(out))?;
        }
        false => args.answer(&standard_input()?)?,
    }
    Ok(Exit::from_lost(opened.lost()))
}

impl Args {
    fn limits(&self) -> Result<onca_sql_client::Limits, Failure> {
        let timeout = self.timeout.map(Duration::try_from_secs_f64).transpose();
        let timeout = timeout.map_err(|error| Failure::Cannot(error.to_string()))?;
        Ok(onca_sql_client::Limits { timeout, max_rows: self.max_rows })
    }

    fn children(&self) -> SqlChildren {
        let options = ChildOptions {
            store: self.store.store.clone(),
            unit: self.store.unit.clone(),
            memory: self.memory as u64,
            threads: Some(self.threads.unwrap_or_else(cores).get()),
        };
        let program = SqlProgram { named: std::env::current_exe().ok(), ..SqlProgram::default() };
        SqlChildren::new(program, options)
    }

    fn answer(&self, sql: &str) -> Result<(), Failure> {
        // Longer ones do not reach the child, which would refuse them.
        if sql.len() > MAX_QUERY_BYTES {
            let message = format!("the query is longer than {MAX_QUERY_BYTES} bytes");
            return Err(Failure::Cannot(message));
        }
        let (sql, limits) = (sql.to_owned(), self.limits()?);
        let question = Question { sql, format: self.format, limits };
        let children = self.children();
        let outcome = match &self.output {
            None => write_answer(&children, question, &mut output()),
            Some(path) => new_file::fill(path, |out| write_answer(&children, question, out)),
        };
        match outcome {
            Ok(Ending::Complete) => Ok(()),
            Ok(Ending::Truncated) => Err(more_rows_than(self.max_rows.unwrap_or(0))),
            Err(QueryError::Interrupted) => Err(Failure::Interrupted),
            Err(QueryError::Sql(SqlFailure::Limit(why))) => Err(Failure::Limit(why)),
            Err(QueryError::Sql(failure)) => Err(Failure::Cannot(failure.to_string())),
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

enum Ending {
    Complete,
    Truncated,
}

enum QueryError {
    Sql(SqlFailure),
    Write(io::Error),
    Interrupted,
}

impl From<SqlFailure> for QueryError {
    fn from(error: SqlFailure) -> Self {
        Self::Sql(error)
    }
}

impl From<io::Error> for QueryError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

/// Asks, and writes the rows as they come.
fn write_answer(
    children: &SqlChildren,
    question: Question,
    out: &mut dyn Write,
) -> Result<Ending, QueryError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        tokio::select! {
            biased;
            signal = tokio::signal::ctrl_c() => match signal {
                Ok(()) => Err(QueryError::Interrupted),
                Err(error) => Err(QueryError::Write(error)),
            },
            ending = write_rows(children, question, out) => ending,
        }
    })
}

async fn write_rows(
    children: &SqlChildren,
    question: Question,
    out: &mut dyn Write,
) -> Result<Ending, QueryError> {
    let mut rows = children.ask(question).await?;
    while let Some(bytes) = rows.next().await? {
        out.write_all(&bytes)?;
    }
    out.flush()?;
    Ok(if rows.is_truncated() { Ending::Truncated } else { Ending::Complete })
}
