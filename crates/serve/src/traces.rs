//! The traces that are shown, from the first byte that is read of them on.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use axum::http::StatusCode;
use onca_answer::columns::ColumnCache;
use onca_answer::topology::Platform;
use onca_answer::{ValueCounts, value_counts};
use onca_model::{Ticks, TraceFacts, Window};
use onca_query::{KeptColors, Lens, Scope};
use onca_read::Progress;
use onca_sql_client::{ChildOptions, SqlChildren};
use onca_store::{Store, Unfinished};
use serde::Serialize;

use crate::api::first::{FirstRows, Firsts};
use crate::comparisons::Comparisons;
use crate::conversations::Conversations;
use crate::fault::{Code, Fault};
use crate::kept::Kept;
use crate::matrices::Matrices;
use crate::scenes::Scenes;
use crate::site::SqlShown;
use crate::work::{SQL_AT_A_TIME, panic_message};

/// Opens a trace, building its store if it must, and tells how far it is.
pub type Open = Box<dyn FnOnce(&Opening<'_>) -> Result<Opened, String> + Send>;

/// A trace that is being opened.
pub struct Opening<'a> {
    trace: &'a Trace,
    path: &'a Path,
    sql: &'a SqlShown,
}

impl Opening<'_> {
    /// How far it is, and whether it is to stop.
    pub fn progress(&self) -> &Arc<Progress> {
        &self.trace.progress
    }

    /// It can be asked as it is now, and will be more.
    pub fn has_grown(&self, opened: Opened, growth: Growth) {
        let (path, colors) = (self.path.to_owned(), self.trace.colors_so_far());
        let ready = Arc::new(ReadyTrace::new(path, opened, self.sql, colors));
        let looks = match &*self.trace.state() {
            State::Following { looks, .. } => looks + 1,
            _ => 1,
        };
        self.trace.set(State::Following { ready, growth, looks });
    }

    /// It has not grown, but something else is to be told of it.
    pub fn stands(&self, news: Growth) {
        let state = self.trace.state.write();
        if let State::Following { growth, .. } = &mut *state.unwrap_or_else(PoisonError::into_inner)
        {
            *growth = news;
        }
    }
}

/// How far a trace is that is followed.
#[derive(Clone, PartialEq, Debug)]
pub struct Growth {
    /// Up to when answers are sure, in ticks.
    pub watermark: Ticks,
    /// Records that came so far.
    pub records: u64,
    /// Records that came too late, and are left out until the end.
    pub late: u64,
    /// How long nothing has come, in seconds; 0 if something came lately.
    pub silent_seconds: u64,
    /// What else the user should know; empty if nothing.
    pub note: String,
}

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
    /// What it was compared with last.
    pub comparisons: Comparisons,
    /// The amounts that overviews were made of last.
    pub matrices: Matrices,
    /// The scenes that were sent last.
    pub scenes: Scenes,
    /// The timelines that pages began with last.
    pub firsts: Firsts,
    /// What the page keeps of it.
    pub kept: Kept,
    /// What pages showed before, while it was followed.
    pub colors: KeptColors,
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
    fn new(path: PathBuf, opened: Opened, sql: &SqlShown, colors: KeptColors) -> Self {
        let Opened { store, files, unit, temporary } = opened;
        let memory = sql.memory / SQL_AT_A_TIME as u64;
        let options = ChildOptions { store: store.dir().to_owned(), unit, memory, threads: None };
        Self {
            sql: SqlChildren::new(sql.program.clone(), options),
            path,
            kept: Kept::beside(store.dir()),
            colors,
            store: Arc::new(store),
            files,
            columns: ColumnCache::default(),
            conversations: Conversations::default(),
            comparisons: Comparisons::default(),
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
    Following {
        ready: Arc<ReadyTrace>,
        growth: Growth,
        /// How often it could be asked anew.
        looks: u64,
    },
    Ready(Arc<ReadyTrace>),
    /// It can be asked as it was when it could not be followed on.
    Broken {
        ready: Arc<ReadyTrace>,
        why: String,
    },
    Failed(String),
    /// Its files are gone.
    Removed,
}

struct Trace {
    name: String,
    /// Where it is, without links on the way.
    at: PathBuf,
    progress: Arc<Progress>,
    state: RwLock<State>,
}

/// More traces than a person looks at; each holds memory.
const MOST_TRACES: usize = 200;

/// All traces of a server, each under its number, which begins at 1. A number is never given twice.
pub struct Traces {
    all: RwLock<Known>,
    /// To the thread that opens traces, one after the other: each may take all the memory it is
    /// granted.
    queue: Sender<(Arc<Trace>, TraceSource)>,
}

#[derive(Default)]
struct Known {
    traces: Vec<Arc<Trace>>,
    /// The server ends: no trace comes any more.
    is_closed: bool,
}

impl Known {
    fn number_at(&self, at: &Path) -> Option<String> {
        let is_this = |trace: &Arc<Trace>| trace.at == at && trace.is_good();
        self.traces.iter().position(is_this).map(|index| (index + 1).to_string())
    }
}

fn real_path(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

impl Traces {
    /// Begins to open traces.
    pub fn open(sources: Vec<TraceSource>, sql: SqlShown) -> Self {
        let (queue, queued) = channel::<(Arc<Trace>, TraceSource)>();
        // Without a thread nobody takes from the queue, and each trace says so.
        let _ = std::thread::Builder::new().spawn(move || {
            for (trace, source) in queued {
                match trace.progress.is_cancelled() {
                    true => trace.set(State::Failed("the server ends".to_owned())),
                    false => trace.open(source, &sql),
                }
            }
        });
        let traces = Self { all: RwLock::default(), queue };
        for source in sources {
            traces.push(&mut traces.all.write().unwrap_or_else(PoisonError::into_inner), source);
        }
        traces
    }

    /// Begins to open one more trace, unless it is open; returns what requests call it.
    pub fn add(&self, source: TraceSource) -> Result<String, Fault> {
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = all.number_at(&real_path(&source.path)) {
            return Ok(number);
        }
        if all.is_closed || all.traces.len() >= MOST_TRACES {
            return Err(Fault::limit("no more traces can be opened here; start onca view again"));
        }
        self.push(&mut all, source);
        Ok(all.traces.len().to_string())
    }

    fn push(&self, all: &mut Known, source: TraceSource) {
        let trace = Arc::new(Trace {
            name: short_name(&source.path),
            at: real_path(&source.path),
            progress: Arc::default(),
            state: RwLock::new(State::Indexing),
        });
        all.traces.push(Arc::clone(&trace));
        if self.queue.send((Arc::clone(&trace), source)).is_err() {
            trace.set(State::Failed("there is no thread to open it".to_owned()));
        }
    }

    /// Forgets the traces in a folder, whose files are to be removed.
    pub fn forget_below(&self, folder: &Path) -> Result<(), Fault> {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        let below = || all.traces.iter().filter(|trace| trace.at.starts_with(folder));
        if below().any(|trace| trace.is_indexing()) {
            let message = "the trace is still being indexed; remove it when that is over";
            return Err(Fault::new(StatusCode::CONFLICT, Code::NotReady, message));
        }
        below().for_each(|trace| trace.set(State::Removed));
        Ok(())
    }

    /// The trace with a number, if it can be asked. What follows an `@` tells nothing but that somebody
    /// knows it as it was after so many looks: addresses that differ are not taken for one another.
    pub fn ready(&self, id: &str) -> Result<Arc<ReadyTrace>, Fault> {
        let unknown = || Fault::not_found(format!("there is no trace {id:?}"));
        let id = id.split_once('@').map_or(id, |(id, _)| id);
        let number = id.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        let trace = number.and_then(|index| all.traces.get(index)).ok_or_else(unknown)?;
        let not_ready =
            |message: &str| Fault::new(StatusCode::CONFLICT, Code::NotReady, message.to_owned());
        match &*trace.state() {
            State::Ready(ready) | State::Following { ready, .. } | State::Broken { ready, .. } => {
                Ok(Arc::clone(ready))
            }
            State::Indexing => Err(not_ready("the trace is still being indexed")),
            State::Failed(why) => Err(not_ready(why)),
            State::Removed => Err(unknown()),
        }
    }

    /// Are there several?
    pub fn are_several(&self) -> bool {
        self.json().len() > 1
    }

    /// Is a trace being indexed or followed?
    pub fn is_indexing(&self) -> bool {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        all.traces.iter().any(|trace| trace.is_indexing())
    }

    /// Asks those that are being indexed to stop. No other trace is opened from now on.
    pub fn cancel(&self) {
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        all.is_closed = true;
        all.traces.iter().for_each(|trace| trace.progress.cancel());
    }

    /// What is known of all.
    pub fn json(&self) -> Vec<TraceJson> {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        all.traces.iter().enumerate().filter_map(|(index, trace)| trace.json(index + 1)).collect()
    }
}

impl Trace {
    fn open(&self, source: TraceSource, sql: &SqlShown) {
        let TraceSource { path, open } = source;
        // What a reader does with a source that nobody has foreseen must not end the server.
        let opening = Opening { trace: self, path: &path, sql };
        let opened = match catch_unwind(AssertUnwindSafe(|| open(&opening))) {
            Ok(opened) => opened,
            Err(panic) => Err(format!("the reader failed: {}", panic_message(&*panic))),
        };
        let state = match opened {
            Ok(opened) => {
                let ready = ReadyTrace::new(path, opened, sql, self.colors_so_far());
                let ready = Arc::new(ready);
                count_ahead(Arc::clone(&ready));
                State::Ready(ready)
            }
            Err(why) => {
                // Whoever ends the server knows why.
                if !self.progress.is_cancelled() {
                    eprintln!("error: {}", onca_model::printable(why.as_bytes()));
                }
                match &*self.state() {
                    State::Following { ready, .. } => {
                        State::Broken { ready: Arc::clone(ready), why }
                    }
                    _ => State::Failed(why),
                }
            }
        };
        self.set(state);
    }

    fn set(&self, state: State) {
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = state;
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The colours that pages show, if it is followed.
    fn colors_so_far(&self) -> KeptColors {
        let State::Following { ready, .. } = &*self.state() else { return KeptColors::default() };
        // Where there are none, pages cannot show the trace, and say why.
        KeptColors::of(ready.store.catalog(), &ready.colors).unwrap_or_default()
    }

    fn is_indexing(&self) -> bool {
        matches!(&*self.state(), State::Indexing | State::Following { .. })
    }

    /// Can it be asked, now or later?
    fn is_good(&self) -> bool {
        matches!(&*self.state(), State::Indexing | State::Following { .. } | State::Ready(_))
    }

    fn json(&self, id: usize) -> Option<TraceJson> {
        let (mut records, mut message, mut growth) = (None, None, None);
        let status = match &*self.state() {
            State::Indexing => TraceStatus::Indexing,
            State::Following { ready, growth: now, looks } => {
                records = Some(now.records);
                growth = Some(GrowthJson::new(ready, now, *looks));
                TraceStatus::Following
            }
            State::Ready(trace) => {
                records = Some(trace.store.catalog().facts.records);
                TraceStatus::Ready
            }
            State::Broken { ready, why } => {
                records = Some(ready.store.catalog().facts.records);
                message = Some(why.clone());
                TraceStatus::Broken
            }
            State::Failed(why) => {
                message = Some(why.clone());
                TraceStatus::Failed
            }
            State::Removed => return None,
        };
        let total = Some(self.progress.total()).filter(|total| *total > 0);
        Some(TraceJson {
            id: id.to_string(),
            name: self.name.clone(),
            status,
            progress: ProgressJson { read: self.progress.read(), total, records },
            message,
            growth,
        })
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
    /// Why it failed or broke off; else `null`.
    message: Option<String>,
    /// How far it is, if it is followed; else `null`.
    growth: Option<GrowthJson>,
}

/// How far a trace is that is read while it is written.
#[derive(PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct GrowthJson {
    /// Grows whenever answers change.
    looks: u64,
    /// Up to when answers are sure, in ticks since the beginning of the trace.
    watermark_ticks: Ticks,
    /// Records that came too late, and are left out until the end.
    late: u64,
    /// How long nothing has come, in seconds; 0 if something came lately.
    silent_seconds: u64,
    /// What else there is to know; empty if nothing.
    note: String,
}

impl GrowthJson {
    fn new(ready: &ReadyTrace, growth: &Growth, looks: u64) -> Self {
        let Growth { late, silent_seconds, note, .. } = growth.clone();
        let start = ready.store.catalog().facts.start;
        let watermark_ticks = growth.watermark.saturating_sub(start).max(0);
        Self { looks, watermark_ticks, late, silent_seconds, note }
    }
}

/// Whether a trace can be asked.
#[derive(Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
enum TraceStatus {
    Indexing,
    Following,
    Ready,
    /// It could not be followed to its end, and can be asked as it was.
    Broken,
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
