//! `onca-sql serve`: answers questions over the standard streams, one at a time.
//!
//! The end of the standard input is the end of the one who asks, however that came about, and ends
//! this program at once.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use onca_program::{Exit, Failure};
use onca_sql::{Database, Limits, SqlError, row_writer};
use onca_sql_client::{
    Column, Failed, FailureKind, MOST_PAYLOAD, Question, Reply, Request, Table, identity,
    read_frame, write_frame,
};
use rustix::process::{Resource, Rlimit, setrlimit};
use tokio::io::{AsyncWriteExt, Stdout};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{sleep, timeout};

use crate::opened::{StoreArgs, cores};

/// What the engine takes besides what a query gathers: itself, and the rows that each thread has
/// under way. A thread also has its stack.
const OF_ENGINE: u64 = 256 << 20;
const OF_THREAD: u64 = 16 << 20;

/// A query that was stopped ends at the next place where it can. When it has not found one in this
/// time, the process ends instead.
const GRACE: Duration = Duration::from_millis(500);

/// Answer questions over the standard streams
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    store: StoreArgs,

    /// Memory for what a query gathers, in bytes; the system ends this process when it takes that
    /// and more than the engine needs
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().memory)]
    memory: usize,

    /// Threads that compute; all cores by default
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

/// Answers until the standard input ends.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let cannot = |error: io::Error| Failure::Cannot(error.to_string());
    let threads = args.threads.unwrap_or_else(cores);
    // Before threads and engine take some of it.
    limit_memory(most_memory(args.memory, threads)).map_err(cannot)?;
    // The answer says that the engine failed, and where.
    std::panic::set_hook(Box::new(|_| {}));
    let opened = args.store.open_any()?;
    let database = opened.database(threads)?;
    // One thread reads, writes and keeps the time.
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.map_err(cannot)?.block_on(answer_all(&database, args.memory)).map_err(cannot)?;
    // What still computes is for nobody.
    process::exit(0)
}

fn most_memory(gathered: usize, threads: NonZeroUsize) -> u64 {
    let of_thread = OF_THREAD + onca_sql::STACK_BYTES as u64;
    gathered as u64 + OF_ENGINE + of_thread * threads.get() as u64
}

/// Limits private memory. What is allocated beyond it fails, which ends the process.
fn limit_memory(bytes: u64) -> io::Result<()> {
    let limit = |bytes| Rlimit { current: Some(bytes), maximum: Some(bytes) };
    setrlimit(Resource::Data, limit(bytes))?;
    // A process that ends for want of memory need not leave its memory on the disk.
    setrlimit(Resource::Core, limit(0))?;
    Ok(())
}

async fn answer_all(database: &Database, memory: usize) -> io::Result<()> {
    let mut requests = requests();
    let mut out = tokio::io::stdout();
    loop {
        say(&mut out, &Reply::Free(identity())).await?;
        let Some(request) = requests.recv().await else { return Ok(()) };
        let last = match request {
            Request::Tables => Reply::Tables(tables(database)),
            Request::Ask(question) => answer(database, &question, memory, &mut out).await,
        };
        say(&mut out, &last).await?;
        let idle = async {
            while !database.is_idle() {
                sleep(Duration::from_millis(2)).await;
            }
        };
        if timeout(GRACE, idle).await.is_err() {
            return Ok(());
        }
    }
}

/// What comes over the standard input. Its end ends the process, whatever that computes.
fn requests() -> UnboundedReceiver<Request> {
    let (sender, requests) = unbounded_channel();
    tokio::spawn(async move {
        let mut input = tokio::io::stdin();
        while let Ok(Some(frame)) = read_frame(&mut input).await {
            if sender.send(frame.head).is_err() {
                break;
            }
        }
        process::exit(0)
    });
    requests
}

async fn say(out: &mut Stdout, reply: &Reply) -> io::Result<()> {
    write_frame(out, reply, &[]).await?;
    out.flush().await
}

/// Answers a question; gives what is to be said last.
async fn answer(
    database: &Database,
    question: &Question,
    memory: usize,
    out: &mut Stdout,
) -> Reply {
    match send_rows(database, question, memory, out).await {
        Ok(truncated) => Reply::End { truncated },
        Err(failed) => Reply::Failed(failed),
    }
}

/// Sends the rows, and tells whether there were more than the limit lets through.
async fn send_rows(
    database: &Database,
    question: &Question,
    memory: usize,
    out: &mut Stdout,
) -> Result<bool, Failed> {
    let onca_sql_client::Limits { timeout, max_rows } = question.limits;
    let limits = Limits { timeout, max_rows, memory };
    let mut answer = database.query(&question.sql, &limits).await.map_err(failed)?;
    let written = Written::default();
    let mut writer =
        row_writer(question.format, answer.schema(), written.clone()).map_err(unwritable)?;
    while let Some(batch) = answer.next().await.map_err(failed)? {
        writer.write(&batch).map_err(unwritable)?;
        written.send(out).await.map_err(unwritable)?;
    }
    writer.finish(answer.is_truncated()).map_err(unwritable)?;
    written.send(out).await.map_err(unwritable)?;
    Ok(answer.is_truncated())
}

/// Bytes that were written and not yet sent.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    /// Sends them in frames that are not too long.
    async fn send(&self, out: &mut Stdout) -> io::Result<()> {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for payload in bytes.chunks(MOST_PAYLOAD as usize) {
            write_frame(out, &Reply::Rows, payload).await?;
        }
        out.flush().await
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
        SqlError::Store(_) | SqlError::Dataset(_) => FailureKind::Fault,
    };
    Failed { kind, message: error.to_string() }
}

fn unwritable(error: io::Error) -> Failed {
    Failed { kind: FailureKind::Fault, message: error.to_string() }
}
