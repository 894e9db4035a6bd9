//! The rows of an answer, as they come.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::time::Duration;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::database::{ColumnInfo, Limits, column_infos};
use crate::error::{Faults, Result, SqlError, one_line};

/// Batches that wait to be taken.
const WAITING: usize = 2;

/// The answer to a query: columns, and batches of rows on demand. Dropping it ends the work.
pub struct Answer {
    schema: SchemaRef,
    batches: Receiver<datafusion::error::Result<RecordBatch>>,
    work: Work<()>,
    deadline: Deadline,
    faults: Faults,
    max_rows: Option<u64>,
    n_rows: u64,
    truncated: bool,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl Answer {
    pub(crate) fn new(
        engine: &Handle,
        schema: SchemaRef,
        mut stream: SendableRecordBatchStream,
        deadline: Deadline,
        limits: &Limits,
        faults: Faults,
    ) -> Self {
        let (sender, batches) = channel(WAITING);
        let work = Work::start(engine, async move {
            while let Some(batch) = stream.next().await {
                if sender.send(batch).await.is_err() {
                    return;
                }
            }
        });
        let max_rows = limits.max_rows;
        Self { schema, batches, work, deadline, faults, max_rows, n_rows: 0, truncated: false }
    }

    /// The columns, as Arrow describes them.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The columns.
    pub fn columns(&self) -> Vec<ColumnInfo> {
        column_infos(&self.schema)
    }

    /// Were there more rows than the limit lets through? Known once [`next`](Self::next) has
    /// returned the end.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// The next rows, or none at the end. A batch is never empty.
    pub async fn next(&mut self) -> Result<Option<RecordBatch>> {
        while !self.truncated {
            let Some(batch) = self.next_batch().await? else { return Ok(None) };
            if batch.num_rows() == 0 {
                continue;
            }
            let left = self.max_rows.map_or(u64::MAX, |most| most - self.n_rows);
            let n = left.min(batch.num_rows() as u64);
            self.n_rows += n;
            self.truncated = n < batch.num_rows() as u64;
            if n > 0 {
                return Ok(Some(batch.slice(0, n as usize)));
            }
        }
        Ok(None)
    }

    async fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        match self.deadline.wait(self.batches.recv()).await? {
            Some(batch) => batch.map(Some).map_err(|error| self.faults.of(error)),
            // The end, or a panic: the work knows.
            None => self.deadline.wait(self.work.join()).await?.map(|()| None),
        }
    }
}

/// Work on the threads of the engine: whatever it does, and however long it does not yield, the
/// one who waits for it can stop waiting. It is told to end when this is dropped.
pub(crate) struct Work<T> {
    task: JoinHandle<T>,
}

impl<T: Send + 'static> Work<T> {
    pub(crate) fn start(engine: &Handle, work: impl Future<Output = T> + Send + 'static) -> Self {
        Self { task: engine.spawn(work) }
    }

    /// Waits for the end. The engine is not ours and its input is anything: a panic in it is an
    /// error of the query, not the end of the program.
    pub(crate) async fn join(&mut self) -> Result<T> {
        (&mut self.task).await.map_err(|error| {
            let why = match error.try_into_panic() {
                Ok(panic) => panic_message(&*panic),
                Err(error) => error.to_string(),
            };
            SqlError::Invalid(format!("the query engine failed on this query: {why}"))
        })
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    one_line(text.unwrap_or("a panic"))
}

impl<T> Drop for Work<T> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// When a query must have ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<(Instant, Duration)>);

impl Deadline {
    pub(crate) fn after(timeout: Option<Duration>) -> Self {
        // A time that is too far away to be counted is never.
        let at = |timeout: Duration| Some((Instant::now().checked_add(timeout)?, timeout));
        Self(timeout.and_then(at))
    }

    /// Waits for something, but not longer than until then.
    pub(crate) async fn wait<T>(self, work: impl Future<Output = T>) -> Result<T> {
        match self.0 {
            None => Ok(work.await),
            Some((at, timeout)) => tokio::time::timeout_at(at, work).await.map_err(|_| {
                let seconds = timeout.as_secs_f64();
                SqlError::Limit(format!("the query takes longer than {seconds} s"))
            }),
        }
    }
}
