//! `onca-cluster query`: a question in SQL about data sets, which executors answer.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use onca_program::{Exit, Failure, QuestionArgs, more_rows_than, new_file, output, print, written};
use onca_sql::{Database, Limits, SqlError, row_writer};

use crate::ask::{AskArgs, failure};
use crate::process::runtime;

/// Ask data sets in SQL; executors answer
///
/// The tables, columns and functions are those of "onca query" over data sets.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    ask: AskArgs,

    #[command(flatten)]
    question: QuestionArgs,
}

/// Asks, and writes the rows as they come.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let question = &args.question;
    let sql = question.sql()?.unwrap_or_default();
    let runtime = runtime()?;
    let (sets, database) = runtime.block_on(args.ask.open())?;
    if question.tables {
        print(|out| database.write_tables(out))?;
        return Ok(Exit::from_lost(sets.lost()));
    }
    let answer = |out: &mut dyn Write| {
        runtime.block_on(async {
            tokio::select! {
                biased;
                _ = tokio::signal::ctrl_c() => Err(Stopped::Interrupted),
                answered = write_rows(question, &database, &sql, out) => answered,
            }
        })
    };
    let outcome = match &question.output {
        None => answer(&mut output()),
        Some(path) => new_file::fill(path, |out| answer(out)),
    };
    match (outcome, &question.output) {
        (Ok(false), _) => Ok(Exit::from_lost(sets.lost())),
        (Ok(true), _) => Err(more_rows_than(question.max_rows.unwrap_or(0))),
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

/// Tells whether a limit cut rows off.
async fn write_rows(
    question: &QuestionArgs,
    database: &Database,
    sql: &str,
    out: &mut dyn Write,
) -> Result<bool, Stopped> {
    let QuestionArgs { timeout, max_rows, .. } = *question;
    let limits = Limits { timeout, max_rows, ..Limits::default() };
    let mut answer = database.query(sql, &limits).await?;
    let ready = Ready::default();
    let mut writer = row_writer(question.format(), answer.schema(), ready.clone())?;
    while let Some(rows) = answer.next().await? {
        writer.write(&rows)?;
        ready.deliver(out)?;
    }
    writer.finish(answer.is_truncated())?;
    ready.deliver(out)?;
    out.flush()?;
    Ok(answer.is_truncated())
}
