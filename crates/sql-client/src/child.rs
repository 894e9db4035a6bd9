//! A child process that answers questions about one trace.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncWriteExt, BufReader, BufWriter};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Mutex as AsyncMutex, Notify};
use tokio::time::{Instant, timeout, timeout_at};

use crate::find::fits;
use crate::wire::{
    Failed, FailureKind, Frame, Question, Reply, Request, Table, read_frame, write_frame,
};
use crate::{SqlFailure, SqlProgram};

/// A child that has not said hello within this time never will.
const PATIENCE: Duration = Duration::from_secs(20);

/// A query ends by itself when its time is up. If it does not yield within this time, the child is
/// ended instead.
const GRACE: Duration = Duration::from_secs(2);

/// What a child works on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChildOptions {
    /// The store.
    pub store: PathBuf,
    /// The unit of its times, where the user told it.
    pub unit: Option<String>,
    /// What it may allocate, in bytes. The system sees to it.
    pub memory: u64,
}

/// A child that answers questions about one trace. It is started by the first question, and again by
/// the next one when it has ended.
#[derive(Debug)]
pub struct SqlChild {
    program: SqlProgram,
    options: ChildOptions,
    running: AsyncMutex<Option<Arc<Running>>>,
    last_number: AtomicU64,
}

impl SqlChild {
    /// A child that is not started yet.
    pub fn new(program: SqlProgram, options: ChildOptions) -> Self {
        Self { program, options, running: AsyncMutex::default(), last_number: AtomicU64::new(0) }
    }

    /// Asks a question. What comes then is read from the [`Rows`].
    pub async fn ask(&self, question: Question) -> Result<Rows, SqlFailure> {
        let deadline = Instant::now() + question.limits.timeout + GRACE;
        self.say(deadline, |number| Request::Ask(number, question)).await
    }

    /// Lists the tables.
    pub async fn tables(&self) -> Result<Vec<Table>, SqlFailure> {
        let mut rows = self.say(Instant::now() + PATIENCE, Request::Tables).await?;
        match rows.next_frame().await?.head {
            Reply::Tables(_, tables) => {
                rows.is_ended = true;
                Ok(tables)
            }
            other => Err(unexpected(&other)),
        }
    }

    async fn say(
        &self,
        deadline: Instant,
        request: impl FnOnce(u64) -> Request,
    ) -> Result<Rows, SqlFailure> {
        let running = self.running().await?;
        let number = self.last_number.fetch_add(1, Ordering::Relaxed);
        let frames = running.waiting.enter(number)?;
        // When nobody takes it, the child has ended, and `frames` says so.
        let _ = running.requests.send(request(number));
        Ok(Rows { running, number, frames, deadline, is_ended: false })
    }

    async fn running(&self) -> Result<Arc<Running>, SqlFailure> {
        let mut running = self.running.lock().await;
        if let Some(running) = running.as_ref().filter(|running| running.waiting.is_open()) {
            return Ok(Arc::clone(running));
        }
        let started = Arc::new(Running::start(&self.program.find()?, &self.options).await?);
        *running = Some(Arc::clone(&started));
        Ok(started)
    }
}

/// The rows of an answer, as bytes in the form that was asked for. Dropping it before the end tells
/// the child that nobody waits.
#[derive(Debug)]
pub struct Rows {
    running: Arc<Running>,
    number: u64,
    frames: UnboundedReceiver<Result<Frame<Reply>, SqlFailure>>,
    deadline: Instant,
    is_ended: bool,
}

impl Rows {
    /// The next bytes; none at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, SqlFailure> {
        let frame = self.next_frame().await?;
        match frame.head {
            Reply::Rows(_) => Ok(Some(frame.payload)),
            Reply::End(_) => {
                self.is_ended = true;
                Ok(None)
            }
            other => Err(unexpected(&other)),
        }
    }

    async fn next_frame(&mut self) -> Result<Frame<Reply>, SqlFailure> {
        let Ok(frame) = timeout_at(self.deadline, self.frames.recv()).await else {
            self.running.end.notify_one();
            self.is_ended = true;
            let why = "the query did not end in time, and onca-sql was ended with it";
            return Err(SqlFailure::Limit(why.to_owned()));
        };
        let frame = frame.unwrap_or_else(|| Err(self.running.waiting.why()));
        match frame {
            Ok(Frame { head: Reply::Failed(_, failed), .. }) => {
                self.is_ended = true;
                Err(failed.into())
            }
            Ok(frame) => Ok(frame),
            Err(failure) => {
                self.is_ended = true;
                Err(failure)
            }
        }
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        self.running.waiting.leave(self.number);
        if !self.is_ended {
            // A child that has ended needs no telling.
            let _ = self.running.requests.send(Request::Cancel(self.number));
        }
    }
}

impl From<Failed> for SqlFailure {
    fn from(failed: Failed) -> Self {
        let Failed { kind, message } = failed;
        match kind {
            FailureKind::Invalid => Self::Invalid(message),
            FailureKind::Limit => Self::Limit(message),
            FailureKind::Fault => Self::Fault(message),
        }
    }
}

fn unexpected(reply: &Reply) -> SqlFailure {
    SqlFailure::Fault(format!("onca-sql said {reply:?} where that makes no sense"))
}

/// A child process and who waits for it.
#[derive(Debug)]
struct Running {
    requests: UnboundedSender<Request>,
    waiting: Arc<Waiting>,
    /// Tells that the child is to be ended.
    end: Arc<Notify>,
}

impl Running {
    async fn start(program: &Path, options: &ChildOptions) -> Result<Self, SqlFailure> {
        let cannot = |why: &dyn std::fmt::Display| {
            SqlFailure::NoProgram(format!("cannot start {}: {why}", program.display()))
        };
        let mut child = Command::new(program)
            .args(arguments(options))
            // Nothing of what the server was started with is its business.
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| cannot(&error))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(cannot(&"it has no standard streams"));
        };
        let mut replies = BufReader::new(stdout);
        match timeout(PATIENCE, read_frame(&mut replies)).await {
            Ok(Ok(Some(Frame { head: Reply::Hello(theirs), .. }))) => fits(program, &theirs)?,
            // One of another version may not know what was asked of it; it still knows its version.
            _ => {
                let asked = SqlProgram { named: Some(program.to_owned()), ..SqlProgram::default() };
                let fitting = tokio::task::spawn_blocking(move || asked.fitting()).await;
                fitting.map_err(|error| cannot(&error))??;
                return Err(cannot(&"it did not say hello"));
            }
        }
        let (requests, asked) = unbounded_channel();
        let waiting = Arc::new(Waiting::default());
        let end = Arc::new(Notify::new());
        tokio::spawn(pass_on(asked, stdin));
        tokio::spawn(tend(child, replies, Arc::clone(&waiting), Arc::clone(&end), options.memory));
        Ok(Self { requests, waiting, end })
    }
}

fn arguments(options: &ChildOptions) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["serve".into(), options.store.clone().into()];
    arguments.extend(["--memory".into(), options.memory.to_string().into()]);
    if let Some(unit) = &options.unit {
        arguments.extend(["--unit".into(), unit.into()]);
    }
    arguments
}

/// Hands requests to the child until nobody can make any. Then its standard input closes, which ends
/// it.
async fn pass_on(mut asked: UnboundedReceiver<Request>, stdin: ChildStdin) -> io::Result<()> {
    let mut stdin = BufWriter::new(stdin);
    while let Some(request) = asked.recv().await {
        write_frame(&mut stdin, &request.into()).await?;
        stdin.flush().await?;
    }
    Ok(())
}

/// Hands replies to those who wait until the child ends, and then tells them why.
async fn tend(
    mut child: Child,
    mut replies: BufReader<ChildStdout>,
    waiting: Arc<Waiting>,
    end: Arc<Notify>,
    memory: u64,
) {
    let was_ended = tokio::select! {
        () = deliver(&mut replies, &waiting) => false,
        () = end.notified() => true,
    };
    // Also a child that speaks nonsense is ended. It may have ended by itself.
    if was_ended || timeout(GRACE, child.wait()).await.is_err() {
        let _ = child.start_kill();
    }
    let status = child.wait().await;
    waiting.close(match was_ended {
        true => "onca-sql was ended because another query did not end; ask again".to_owned(),
        false => reason(status, memory),
    });
}

async fn deliver(replies: &mut BufReader<ChildStdout>, waiting: &Waiting) {
    while let Ok(Some(frame)) = read_frame::<Reply>(replies).await {
        waiting.hand(frame);
    }
}

/// Why a child has ended, in words.
fn reason(status: io::Result<ExitStatus>, memory: u64) -> String {
    let mebibytes = memory >> 20;
    match status {
        Ok(status) if status.signal().is_some() => format!(
            "onca-sql ended in the middle of the query ({status}); most likely it took more than \
             its {mebibytes} MiB of memory"
        ),
        Ok(status) => format!("onca-sql ended in the middle of the query ({status})"),
        Err(error) => format!("onca-sql ended in the middle of the query: {error}"),
    }
}

/// Who waits for a reply.
#[derive(Debug, Default)]
struct Waiting(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    by_number: HashMap<u64, UnboundedSender<Result<Frame<Reply>, SqlFailure>>>,
    /// Why nobody can wait any more.
    closed: Option<String>,
}

impl Waiting {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_open(&self) -> bool {
        self.queue().closed.is_none()
    }

    fn why(&self) -> SqlFailure {
        SqlFailure::Ended(self.queue().closed.clone().unwrap_or_default())
    }

    fn enter(
        &self,
        number: u64,
    ) -> Result<UnboundedReceiver<Result<Frame<Reply>, SqlFailure>>, SqlFailure> {
        let (sender, receiver) = unbounded_channel();
        let mut queue = self.queue();
        if let Some(why) = &queue.closed {
            return Err(SqlFailure::Ended(why.clone()));
        }
        queue.by_number.insert(number, sender);
        Ok(receiver)
    }

    fn leave(&self, number: u64) {
        self.queue().by_number.remove(&number);
    }

    fn hand(&self, frame: Frame<Reply>) {
        let number = match &frame.head {
            Reply::Hello(_) => return,
            Reply::Rows(number)
            | Reply::End(number)
            | Reply::Tables(number, _)
            | Reply::Failed(number, _) => *number,
        };
        // What was cancelled may still be answered.
        if let Some(sender) = self.queue().by_number.get(&number) {
            let _ = sender.send(Ok(frame));
        }
    }

    fn close(&self, why: String) {
        let mut queue = self.queue();
        for (_, sender) in queue.by_number.drain() {
            let _ = sender.send(Err(SqlFailure::Ended(why.clone())));
        }
        queue.closed = Some(why);
    }
}
