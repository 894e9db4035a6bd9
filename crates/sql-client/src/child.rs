//! Child processes that answer questions about one trace.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

use crate::find::fits;
use crate::wire::{
    Failed, FailureKind, Frame, Question, Reply, Request, Table, read_frame, write_frame,
};
use crate::{SqlFailure, SqlProgram};

/// A child that has not said within this time that it is free never will.
const PATIENCE: Duration = Duration::from_secs(20);

/// A query ends by itself when its time is up, and its child is free again. If that takes longer
/// than this, the child is ended instead.
const GRACE: Duration = Duration::from_secs(1);

/// Children that are kept for the next question. More are started when more is asked at a time.
const MOST_FREE: usize = 2;

/// What is kept of what a child says on its standard error, in bytes.
const MOST_SAID: u64 = 4 << 10;

/// What children work on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChildOptions {
    /// The store.
    pub store: PathBuf,
    /// The unit of its times, where the user told it.
    pub unit: Option<String>,
    /// What a query may gather, in bytes. The system sees to it that a child takes no more than
    /// that and what the engine itself needs.
    pub memory: u64,
    /// Threads that compute; all cores if not told.
    pub threads: Option<usize>,
}

/// Children that answer questions about one trace, each one question at a time: whatever a question
/// does to its child, it does to no other. A child is started when a question finds none that is
/// free. When one has to be ended, the next is started at once.
#[derive(Clone, Debug)]
pub struct SqlChildren(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    program: SqlProgram,
    options: ChildOptions,
    free: Mutex<Vec<Process>>,
}

impl SqlChildren {
    /// No child is started yet.
    pub fn new(program: SqlProgram, options: ChildOptions) -> Self {
        Self(Arc::new(Shared { program, options, free: Mutex::default() }))
    }

    /// Asks a question. What comes then is read from the [`Rows`].
    pub async fn ask(&self, question: Question) -> Result<Rows, SqlFailure> {
        let limit = question.limits.timeout;
        self.say(limit, &Request::Ask(question)).await
    }

    /// Lists the tables.
    pub async fn tables(&self) -> Result<Vec<Table>, SqlFailure> {
        let mut rows = self.say(Some(PATIENCE), &Request::Tables).await?;
        match rows.next_reply().await?.head {
            Reply::Tables(tables) => {
                rows.give_back();
                Ok(tables)
            }
            other => Err(unexpected(&other)),
        }
    }

    async fn say(&self, limit: Option<Duration>, request: &Request) -> Result<Rows, SqlFailure> {
        let process = match self.free_one() {
            Some(process) => process,
            None => Process::start(&self.0.program.find()?, &self.0.options).await?,
        };
        // A time that is too far away to be counted is never.
        let until = |limit: Duration| Some((Instant::now().checked_add(limit + GRACE)?, limit));
        let deadline = limit.and_then(until);
        let mut rows =
            Rows { children: self.clone(), process: Some(process), deadline, is_truncated: false };
        rows.send(request).await?;
        Ok(rows)
    }

    fn free(&self) -> MutexGuard<'_, Vec<Process>> {
        self.0.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A child that is free and still there.
    fn free_one(&self) -> Option<Process> {
        let mut free = self.free();
        while let Some(mut process) = free.pop() {
            if matches!(process.child.try_wait(), Ok(None)) {
                return Some(process);
            }
        }
        None
    }

    /// Keeps a child that has answered, once it says that nothing computes in it any more.
    async fn take_back(self, mut process: Process) {
        match timeout(GRACE, read_frame(&mut process.replies)).await {
            Ok(Ok(Some(Frame { head: Reply::Free(_), .. }))) => self.keep(process),
            _ => {
                drop(process);
                self.replace().await;
            }
        }
    }

    fn keep(&self, process: Process) {
        let mut free = self.free();
        if free.len() < MOST_FREE {
            free.push(process);
        }
    }

    /// Starts a child for the next question, in place of one that was ended.
    async fn replace(self) {
        if !self.free().is_empty() {
            return;
        }
        // The next question tries again, and says why it fails.
        let Ok(program) = self.0.program.find() else { return };
        if let Ok(process) = Process::start(&program, &self.0.options).await {
            self.keep(process);
        }
    }
}

/// The rows of an answer, as bytes in the form that was asked for. Dropping it before the end ends
/// the child that computes them.
#[derive(Debug)]
pub struct Rows {
    children: SqlChildren,
    /// Until the answer has ended.
    process: Option<Process>,
    /// When the child is ended, and the time that it had.
    deadline: Option<(Instant, Duration)>,
    is_truncated: bool,
}

impl Rows {
    /// The next bytes; none at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, SqlFailure> {
        let frame = self.next_reply().await?;
        match frame.head {
            Reply::Rows => Ok(Some(frame.payload)),
            Reply::End { truncated } => {
                self.is_truncated = truncated;
                self.give_back();
                Ok(None)
            }
            other => Err(unexpected(&other)),
        }
    }

    /// Were there more rows than the limit lets through? Known once [`next`](Self::next) has
    /// returned the end.
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    async fn send(&mut self, request: &Request) -> Result<(), SqlFailure> {
        let deadline = self.deadline;
        let Some(process) = &mut self.process else { return Err(over()) };
        let sent = within(deadline, process.send(request)).await?;
        match sent {
            Ok(()) => Ok(()),
            Err(_) => Err(self.lost().await),
        }
    }

    async fn next_reply(&mut self) -> Result<Frame<Reply>, SqlFailure> {
        let deadline = self.deadline;
        let Some(process) = &mut self.process else { return Err(over()) };
        match within(deadline, read_frame(&mut process.replies)).await? {
            Ok(Some(Frame { head: Reply::Failed(failed), .. })) => {
                self.give_back();
                Err(failed.into())
            }
            Ok(Some(frame)) => Ok(frame),
            // Also a child that speaks nonsense is ended.
            _ => Err(self.lost().await),
        }
    }

    /// Ends a child that says nothing more, and tells why it does not.
    async fn lost(&mut self) -> SqlFailure {
        let Some(process) = self.process.take() else { return over() };
        let failure = process.end(&self.children.0.options).await;
        tokio::spawn(self.children.clone().replace());
        failure
    }

    fn give_back(&mut self) {
        if let Some(process) = self.process.take() {
            tokio::spawn(self.children.clone().take_back(process));
        }
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        // What is dropped is killed.
        if self.process.take().is_some()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(self.children.clone().replace());
        }
    }
}

/// Waits for a child, but not longer than until its time is up.
async fn within<T>(
    deadline: Option<(Instant, Duration)>,
    work: impl Future<Output = T>,
) -> Result<T, SqlFailure> {
    match deadline {
        None => Ok(work.await),
        Some((at, limit)) => timeout_at(at, work).await.map_err(|_| {
            let seconds = limit.as_secs_f64();
            SqlFailure::Limit(format!("the query takes longer than {seconds} s"))
        }),
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

fn over() -> SqlFailure {
    SqlFailure::Fault("the answer has ended already".to_owned())
}

/// A child process. It is killed when this is dropped.
#[derive(Debug)]
struct Process {
    child: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
    /// What it says on its standard error, once that is closed.
    said: JoinHandle<String>,
}

impl Process {
    async fn start(program: &Path, options: &ChildOptions) -> Result<Self, SqlFailure> {
        let cannot = |why: &dyn std::fmt::Display| {
            SqlFailure::NoProgram(format!("cannot start {}: {why}", program.display()))
        };
        let mut child = Command::new(program)
            .args(arguments(options))
            // Nothing of what the server was started with is its business.
            .env_clear()
            // Ctrl-C is for the parent, which then ends its child.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| cannot(&error))?;
        let (Some(requests), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(cannot(&"it has no standard streams"));
        };
        let said = tokio::spawn(listen(stderr));
        let mut process = Self { child, requests, replies: BufReader::new(stdout), said };
        match timeout(PATIENCE, read_frame(&mut process.replies)).await {
            Ok(Ok(Some(Frame { head: Reply::Free(theirs), .. }))) => {
                fits(program, &theirs)?;
                Ok(process)
            }
            // One of another version may not know what was asked of it; it still knows its version.
            _ => {
                let asked = SqlProgram { named: Some(program.to_owned()), ..SqlProgram::default() };
                let fitting = tokio::task::spawn_blocking(move || asked.fitting()).await;
                fitting.map_err(|error| cannot(&error))??;
                Err(cannot(&process.end(options).await))
            }
        }
    }

    async fn send(&mut self, request: &Request) -> io::Result<()> {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, request, &[]).await?;
        self.requests.write_all(&bytes).await?;
        self.requests.flush().await
    }

    /// Ends it if it has not ended by itself, and tells why it did.
    async fn end(mut self, options: &ChildOptions) -> SqlFailure {
        // It closes its streams a moment before it has ended.
        if timeout(GRACE, self.child.wait()).await.is_err() {
            // Then it ended meanwhile.
            let _ = self.child.start_kill();
        }
        let status = self.child.wait().await;
        let said = timeout(GRACE, self.said).await;
        reason(status, &said.ok().and_then(Result::ok).unwrap_or_default(), options.memory)
    }
}

fn arguments(options: &ChildOptions) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["serve".into()];
    arguments.extend(["--memory".into(), options.memory.to_string().into()]);
    if let Some(threads) = options.threads {
        arguments.extend(["--threads".into(), threads.to_string().into()]);
    }
    if let Some(unit) = &options.unit {
        arguments.push(format!("--unit={unit}").into());
    }
    arguments.extend(["--".into(), options.store.clone().into()]);
    arguments
}

/// The beginning of what a child says. The rest is read too, so that it never waits.
async fn listen(mut said: ChildStderr) -> String {
    let mut start = Vec::new();
    // What was read before a failure still counts.
    let _ = (&mut said).take(MOST_SAID).read_to_end(&mut start).await;
    let _ = tokio::io::copy(&mut said, &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&start).into_owned()
}

/// Why a child has ended in the middle of a query, in words. The two things that the runtime of Rust
/// says before it aborts tell more than the signal.
fn reason(status: io::Result<ExitStatus>, said: &str, memory: u64) -> SqlFailure {
    if said.contains("memory allocation of") {
        let mebibytes = memory >> 20;
        let why = format!(
            "the query needs more memory than it may take, which is {mebibytes} MiB for what it \
             gathers; the system stopped it"
        );
        return SqlFailure::Limit(why);
    }
    let how = match status {
        _ if said.contains("overflowed its stack") => "its stack overflowed".to_owned(),
        Ok(status) => match (status.signal(), said.lines().next()) {
            (None, Some(line)) => line.strip_prefix("error: ").unwrap_or(line).to_owned(),
            _ => status.to_string(),
        },
        Err(error) => error.to_string(),
    };
    SqlFailure::Ended(format!("the query engine ended in the middle of the query: {how}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_child_is_told_in_words() {
        let tell = |status, said| reason(Ok(ExitStatus::from_raw(status)), said, 64 << 20);
        let SqlFailure::Limit(why) = tell(6, "memory allocation of 34359738368 bytes failed\n")
        else {
            panic!("no limit");
        };
        assert!(why.contains("more memory") && why.contains("64 MiB"), "{why}");
        for (status, said, part) in [
            (6, "\nthread 'x' (7) has overflowed its stack\nfatal", "its stack overflowed"),
            (9, "", "signal: 9"),
            (2 << 8, "error: no store there\n", ": no store there"),
            (1 << 8, "", "exit status: 1"),
        ] {
            let SqlFailure::Ended(why) = tell(status, said) else { panic!("{said}: no end") };
            assert!(why.ends_with(part) || why.contains(part), "{why}");
        }
    }
}
