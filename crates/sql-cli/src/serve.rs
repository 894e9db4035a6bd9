//! `onca-sql serve`: answers the questions of a server over the standard streams, many at a time.
//!
//! The end of the standard input is the end of the server, however that came about, and ends this
//! program at once.

use std::collections::HashMap;
use std::io::{self, Write};
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use onca_program::{Exit, Failure};
use onca_sql::{Database, Format, Limits, SqlError, row_writer};
use onca_sql_client::{
    Column, Failed, FailureKind, Frame, MOST_PAYLOAD, Question, Reply, Request, RowFormat, Table,
    identity, read_frame, write_frame,
};
use rustix::process::{Resource, Rlimit, setrlimit};
use tokio::io::{AsyncWriteExt, BufWriter};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::AbortHandle;

use crate::opened::{StoreArgs, failure};

/// Frames that wait to be written. A query whose rows nobody takes waits.
const WAITING: usize = 4;

/// Answer the questions of a server over the standard streams
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    store: StoreArgs,

    /// What this process may allocate, in bytes; the system sees to it
    #[arg(long, value_name = "BYTES")]
    memory: Option<u64>,
}

/// Answers until the standard input ends.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let cannot = |error: io::Error| Failure::Cannot(error.to_string());
    // Before threads and engine take some of it.
    args.memory.map(limit_memory).transpose().map_err(cannot)?;
    let opened = args.store.open()?;
    let database = Arc::new(Database::new(Arc::clone(&opened.store)).map_err(failure)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(cannot)?.block_on(answer_all(database)).map_err(cannot)?;
    // What still computes is for nobody.
    process::exit(0)
}

/// Limits private memory. What is allocated beyond it fails, which ends the process.
fn limit_memory(bytes: u64) -> io::Result<()> {
    let limit = |bytes| Rlimit { current: Some(bytes), maximum: Some(bytes) };
    setrlimit(Resource::Data, limit(bytes))?;
    // A process that ends for want of memory need not leave its memory on the disk.
    setrlimit(Resource::Core, limit(0))?;
    Ok(())
}

async fn answer_all(database: Arc<Database>) -> io::Result<()> {
    let (replies, written) = channel(WAITING);
    tokio::spawn(write_all(written));
    let say = |reply: Reply| replies.send(reply.into());
    // When the reader has gone, so has the server.
    let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
    say(Reply::Hello(identity())).await.map_err(gone)?;
    let working = Arc::new(Working::default());
    let mut requests = tokio::io::stdin();
    while let Some(Frame { head, .. }) = read_frame(&mut requests).await? {
        match head {
            Request::Tables(number) => {
                say(Reply::Tables(number, tables(&database))).await.map_err(gone)?;
            }
            Request::Cancel(number) => working.stop(number),
            Request::Ask(number, question) => {
                let (database, replies) = (Arc::clone(&database), replies.clone());
                let done = Arc::clone(&working);
                // Held until the work is known, so that what ends at once is forgotten after that.
                let mut known = working.lock();
                let work = tokio::spawn(async move {
                    let ended = answer(&database, number, &question, &replies).await;
                    // Who has gone needs no answer.
                    let _ = replies.send(ended.into()).await;
                    done.lock().remove(&number);
                });
                known.insert(number, work.abort_handle());
            }
        }
    }
    Ok(())
}

/// Writes frames, one after the other, as they come.
async fn write_all(mut frames: Receiver<Frame<Reply>>) -> io::Result<()> {
    let mut out = BufWriter::new(tokio::io::stdout());
    while let Some(frame) = frames.recv().await {
        write_frame(&mut out, &frame).await?;
        if frames.is_empty() {
            out.flush().await?;
        }
    }
    out.flush().await
}

/// The questions that are worked on.
#[derive(Default)]
struct Working(Mutex<HashMap<u64, AbortHandle>>);

impl Working {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, AbortHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self, number: u64) {
        if let Some(work) = self.lock().remove(&number) {
            work.abort();
        }
    }
}

/// Answers a question; gives what is to be said last.
async fn answer(
    database: &Database,
    number: u64,
    question: &Question,
    replies: &Sender<Frame<Reply>>,
) -> Reply {
    match send_rows(database, number, question, replies).await {
        Ok(()) => Reply::End(number),
        Err(failed) => Reply::Failed(number, failed),
    }
}

async fn send_rows(
    database: &Database,
    number: u64,
    question: &Question,
    replies: &Sender<Frame<Reply>>,
) -> Result<(), Failed> {
    let onca_sql_client::Limits { timeout, max_rows, memory } = question.limits;
    let limits = Limits { timeout: Some(timeout), max_rows: Some(max_rows), memory };
    let mut answer = database.query(&question.sql, &limits).await.map_err(failed)?;
    let written = Written::default();
    let mut writer = row_writer(format(question.format), answer.schema(), written.clone())
        .map_err(unwritable)?;
    while let Some(batch) = answer.next().await.map_err(failed)? {
        writer.write(&batch).map_err(unwritable)?;
        written.send(number, replies).await;
    }
    writer.finish(answer.is_truncated()).map_err(unwritable)?;
    written.send(number, replies).await;
    Ok(())
}

/// Bytes that were written and not yet sent.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    /// Sends them in frames that are not too long.
    async fn send(&self, number: u64, replies: &Sender<Frame<Reply>>) {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for payload in bytes.chunks(MOST_PAYLOAD as usize) {
            let frame = Frame { head: Reply::Rows(number), payload: payload.to_vec() };
            // Who has gone needs no rows.
            let _ = replies.send(frame).await;
        }
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn format(format: RowFormat) -> Format {
    match format {
        RowFormat::Json => Format::Json,
        RowFormat::Csv => Format::Csv,
        RowFormat::Parquet => Format::Parquet,
    }
}

fn tables(database: &Database) -> Vec<Table> {
    let tables = database.tables().into_iter().map(|table| Table {
        name: table.name.to_owned(),
        columns: table
            .columns
            .into_iter()
            .map(|column| Column { name: column.name, data_type: column.data_type })
            .collect(),
    });
    tables.collect()
}

fn failed(error: SqlError) -> Failed {
    let kind = match &error {
        SqlError::Invalid(_) => FailureKind::Invalid,
        SqlError::Limit(_) => FailureKind::Limit,
        SqlError::Store(_) => FailureKind::Fault,
    };
    Failed { kind, message: error.to_string() }
}

fn unwritable(error: io::Error) -> Failed {
    Failed { kind: FailureKind::Fault, message: error.to_string() }
}
