//! The traces that are shown, from the first byte that is read of them on.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use axum::http::StatusCode;
use onca_answer::columns::ColumnCache;
use onca_answer::topology::Platform;
use onca_answer::{ValueCounts, value_counts};
use onca_model::{TraceFacts, Window};
use onca_query::{Lens, Scope};
use onca_read::Progress;
use onca_sql_client::{ChildOptions, SqlChildren};
use onca_store::{Store, Unfinished};
use serde::Serialize;

use crate::api::first::{FirstRows, Firsts};
use crate::conversations::Conversations;
use crate::fault::{Code, Fault};
use crate::kept::Kept;
use crate::matrices::Matrices;
use crate::scenes::Scenes;
use crate::site::SqlShown;
use crate::work::{SQL_AT_A_TIME, panic_message};

/// Opens a trace, building its store if it must, and tells how far it is.
pub type Open = Box<dyn FnOnce(&Arc<Progress>) -> Result<Opened, String> + Send>;

/// A trace that is to be shown.
pub struct TraceSource {
    /// Where it is, as the user calls it: commands that the page shows call it so too.
    pub path: PathBuf,
    /// How it is opened. That happens on a thread of its own.
    pub open: Open,
}

impl fmt::Debug for TraceSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceSource").field("path", &self.path).finish_non_exhaustive()
    }
}

/// What opening a trace gives.
#[derive(Debug)]
pub struct Opened {
    /// Its store.
    pub store: Store,
    /// The files that it came from; problems refer to them by number.
    pub files: Vec<PathBuf>,
    /// The unit of its times, where the user told it.
    pub unit: Option<String>,
    /// Where the store lies, if it is to go when the server does.
    pub temporary: Option<Unfinished>,
}

/// A trace that can be asked.
pub struct ReadyTrace {
    /// Where it is, as the user calls it.
    pub path: PathBuf,
    /// Its store.
    pub store: Arc<Store>,
    /// The files that it came from.
    pub files: Vec<PathBuf>,
    /// The pixel columns that were drawn last.
    pub columns: ColumnCache,
    /// The messages that were asked about last.
    pub conversations: Conversations,
    /// The amounts that overviews were made of last.
    pub matrices: Matrices,
    /// The scenes that were sent last.
    pub scenes: Scenes,
    /// The timelines that pages began with last.
    pub firsts: Firsts,
    /// What the page keeps of it.
    pub kept: Kept,
    counts: OnceLock<ValueCounts>,
    /// Held while values are counted: who comes second waits for the first.
    counting: Mutex<()>,
    first_rows: OnceLock<FirstRows>,
    platform: OnceLock<Option<Platform>>,
    /// What answers SQL.
    pub sql: SqlChildren,
    _temporary: Option<Unfinished>,
}

impl ReadyTrace {
    fn new(path: PathBuf, opened: Opened, sql: &SqlShown) -> Self {
        let Opened { store, files, unit, temporary } = opened;
        let memory = sql.memory / SQL_AT_A_TIME as u64;
        let options = ChildOptions { store: store.dir().to_owned(), unit, memory, threads: None };
        Self {
            sql: SqlChildren::new(sql.program.clone(), options),
            path,
            kept: Kept::beside(store.dir()),
            store: Arc::new(store),
            files,
            columns: ColumnCache::default(),
            conversations: Conversations::default(),
            matrices: Matrices::default(),
            scenes: Scenes::default(),
            firsts: Firsts::default(),
            counts: OnceLock::new(),
            counting: Mutex::new(()),
            first_rows: OnceLock::new(),
            platform: OnceLock::new(),
            _temporary: temporary,
        }
    }

    /// The name of the trace without its folders.
    pub fn name(&self) -> String {
        match self.files.first() {
            Some(file) if self.store.changes().is_empty() => short_name(file),
            _ => short_name(&self.path),
        }
    }

    /// How often each value occurs. It takes a while the first time.
    pub fn counts(&self) -> Result<&ValueCounts, Fault> {
        let _counting = self.counting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(counts) = self.counts.get() {
            return Ok(counts);
        }
        let counts = value_counts(&self.store)?;
        Ok(self.counts.get_or_init(|| counts))
    }

    /// How high rows are at first.
    pub fn first_rows(&self) -> Result<FirstRows, Fault> {
        if let Some(rows) = self.first_rows.get() {
            return Ok(*rows);
        }
        let TraceFacts { start, end, .. } = self.store.catalog().facts;
        let scope = Scope::new(&self.store, &Lens::clear(), Window { from: start, to: end })?;
        Ok(*self.first_rows.get_or_init(|| FirstRows::of(&scope)))
    }

    /// The network that the trace tells of itself, if it does.
    pub fn platform(&self) -> Result<Option<&Platform>, Fault> {
        if let Some(platform) = self.platform.get() {
            return Ok(platform.as_ref());
        }
        let platform = Platform::of_trace(&self.store)?;
        Ok(self.platform.get_or_init(|| platform).as_ref())
    }
}

/// Counts values before somebody asks: the first thing that a page asks for needs it. What fails
/// here fails again, and is told, when it is asked for.
fn count_ahead(trace: Arc<ReadyTrace>) {
    // Where there is no thread to be had, it is counted when it is asked for.
    let _ = std::thread::Builder::new().spawn(move || trace.counts().is_ok());
}

fn short_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    onca_model::printable(name.as_encoded_bytes()).into_owned()
}

enum State {
    Indexing,
    Ready(Arc<ReadyTrace>),
    Failed(String),
}

struct Trace {
    name: String,
    progress: Arc<Progress>,
    state: RwLock<State>,
}

/// All traces of a server, each under its number, which begins at 1.
pub struct Traces {
    traces: Vec<Trace>,
}

impl Traces {
    /// Begins to open traces, one after the other: each may take all the memory it is granted.
    pub fn open(sources: Vec<TraceSource>, sql: SqlShown) -> Arc<Self> {
        let named = |source: &TraceSource| Trace {
            name: short_name(&source.path),
            progress: Arc::default(),
            state: RwLock::new(State::Indexing),
        };
        let traces = Arc::new(Self { traces: sources.iter().map(named).collect() });
        let opened = Arc::clone(&traces);
        let opening = std::thread::Builder::new().spawn(move || {
            for (trace, source) in opened.traces.iter().zip(sources) {
                match trace.progress.is_cancelled() {
                    true => trace.set(State::Failed("the server ends".to_owned())),
                    false => trace.open(source, &sql),
                }
            }
        });
        if let Err(error) = opening {
            let failed = |trace: &Trace| trace.set(State::Failed(format!("no thread: {error}")));
            traces.traces.iter().for_each(failed);
        }
        traces
    }

    /// The trace with a number, if it can be asked.
    pub fn ready(&self, id: &str) -> Result<Arc<ReadyTrace>, Fault> {
        let unknown = || Fault::not_found(format!("there is no trace {id:?}"));
        let number = id.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let trace = number.and_then(|index| self.traces.get(index)).ok_or_else(unknown)?;
        let not_ready =
            |message: &str| Fault::new(StatusCode::CONFLICT, Code::NotReady, message.to_owned());
        match &*trace.state.read().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(ready) => Ok(Arc::clone(ready)),
            State::Indexing => Err(not_ready("the trace is still being indexed")),
            State::Failed(why) => Err(not_ready(why)),
        }
    }

    /// Is a trace being indexed?
    pub fn is_indexing(&self) -> bool {
        self.traces.iter().any(|trace| trace.is_indexing())
    }

    /// Asks those that are being indexed to stop.
    pub fn cancel(&self) {
        self.traces.iter().for_each(|trace| trace.progress.cancel());
    }

    /// What is known of all.
    pub fn json(&self) -> Vec<TraceJson> {
        self.traces.iter().enumerate().map(|(index, trace)| trace.json(index + 1)).collect()
    }
}

impl Trace {
    fn open(&self, source: TraceSource, sql: &SqlShown) {
        let TraceSource { path, open } = source;
        // What a reader does with a source that nobody has foreseen must not end the server.
        let opened = match catch_unwind(AssertUnwindSafe(|| open(&self.progress))) {
            Ok(opened) => opened,
            Err(panic) => Err(format!("the reader failed: {}", panic_message(&*panic))),
        };
        let state = match opened {
            Ok(opened) => {
                let ready = Arc::new(ReadyTrace::new(path, opened, sql));
                count_ahead(Arc::clone(&ready));
                State::Ready(ready)
            }
            Err(why) => {
                eprintln!("error: {}", onca_model::printable(why.as_bytes()));
                State::Failed(why)
            }
        };
        self.set(state);
    }

    fn set(&self, state: State) {
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = state;
    }

    fn is_indexing(&self) -> bool {
        matches!(&*self.state.read().unwrap_or_else(PoisonError::into_inner), State::Indexing)
    }

    fn json(&self, id: usize) -> TraceJson {
        let (status, records, message) =
            match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
                State::Indexing => (TraceStatus::Indexing, None, None),
                State::Ready(trace) => {
                    (TraceStatus::Ready, Some(trace.store.catalog().facts.records), None)
                }
                State::Failed(why) => (TraceStatus::Failed, None, Some(why.clone())),
            };
        let total = Some(self.progress.total()).filter(|total| *total > 0);
        TraceJson {
            id: id.to_string(),
            name: self.name.clone(),
            status,
            progress: ProgressJson { read: self.progress.read(), total, records },
            message,
        }
    }
}

/// What is known of a trace before it is asked.
#[derive(PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "SessionTrace"))]
pub struct TraceJson {
    /// What requests call it.
    id: String,
    /// What people call it.
    name: String,
    status: TraceStatus,
    progress: ProgressJson,
    /// Why it failed; else `null`.
    message: Option<String>,
}

/// Whether a trace can be asked.
#[derive(Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
enum TraceStatus {
    Indexing,
    Ready,
    Failed,
}

/// How far indexing is. What is not known yet is `null`.
#[derive(PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct ProgressJson {
    /// In bytes.
    read: u64,
    /// In bytes.
    total: Option<u64>,
    records: Option<u64>,
}
