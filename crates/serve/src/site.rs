//! Everything that answers requests, without the socket.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use onca_sql_client::SqlProgram;
use serde_json::Value;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;

use crate::app::{App, KnownPlatform, Memory};
use crate::guard::{Audience, Guard, stand_guard};
use crate::openable::{Openable, Openables};
use crate::sources::SourceRoots;
use crate::traces::{TraceSource, Traces};
use crate::work::{SQL_AT_A_TIME, SQL_WAITING, Workshop};
use crate::{api, body, web};

/// What answers SQL.
#[derive(Clone, Debug)]
pub struct SqlShown {
    /// The program.
    pub program: SqlProgram,
    /// What all queries at a time may gather together, in bytes.
    pub memory: u64,
}

impl Default for SqlShown {
    fn default() -> Self {
        Self { program: SqlProgram::default(), memory: 2 << 30 }
    }
}

/// What a site shows.
pub struct Shown {
    /// The traces.
    pub traces: Vec<TraceSource>,
    /// Networks that traces can be shown on, the first by default.
    pub platforms: Vec<KnownPlatform>,
    /// Files of source code may be read below these folders.
    pub source_dirs: Vec<PathBuf>,
    /// What the page may open besides; nothing if it may not open anything.
    pub openable: Option<Openable>,
    /// The looks that the user chose.
    pub memory: Box<dyn Memory>,
    /// What answers SQL.
    pub sql: SqlShown,
    /// Where the page may send what it measured of itself.
    pub reports: Option<Sender<Value>>,
}

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shown").field("traces", &self.traces).finish_non_exhaustive()
    }
}

/// Everything that answers requests.
#[derive(Debug)]
pub struct Site {
    app: Arc<App>,
    guard: Arc<Guard>,
}

impl Site {
    /// Begins to open the traces, for requests that come under some names.
    pub fn new(shown: Shown, audience: Audience) -> io::Result<Self> {
        let mut instance = [0; 4];
        getrandom::fill(&mut instance).map_err(|error| io::Error::other(error.to_string()))?;
        let instance = u32::from_le_bytes(instance);
        let sources = SourceRoots::open(&shown.source_dirs)?;
        let openables = shown.openable.map(Openables::new).transpose()?.map(Arc::new);
        if let Some(openables) = &openables {
            shown.traces.iter().rev().for_each(|trace| openables.shown(&trace.path));
        }
        let guard = Arc::new(Guard::new(audience, instance)?);
        let app = Arc::new(App {
            instance,
            token: guard.token().to_owned(),
            traces: Traces::open(shown.traces, shown.sql),
            workshop: Workshop::new(),
            sql_workshop: Workshop::with(SQL_AT_A_TIME, SQL_WAITING),
            platforms: shown.platforms,
            memory: shown.memory,
            sources,
            openables,
            dropping: tokio::sync::Mutex::default(),
            reports: shown.reports,
        });
        Ok(Self { app, guard })
    }

    /// The token that lets requests in.
    pub fn token(&self) -> &str {
        self.guard.token()
    }

    /// What answers requests of this very program.
    pub(crate) fn unguarded(&self) -> Router {
        // Dropped files are long, and have a limit of their own.
        let pages = api::router().fallback(web::file).layer(from_fn(body::bounded));
        pages.merge(api::drops()).with_state(Arc::clone(&self.app))
    }

    /// What answers requests of others.
    pub fn router(&self) -> Router {
        self.unguarded()
            // The other end is near: quick is better than small.
            .layer(CompressionLayer::new().quality(CompressionLevel::Fastest))
            .layer(from_fn_with_state(Arc::clone(&self.guard), stand_guard))
    }

    /// Waits until no trace is being opened any more.
    pub(crate) async fn opened(&self) {
        while self.app.traces.is_indexing() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Asks those who index traces to stop, and waits for them: they have files to remove.
    pub async fn stop(&self) {
        self.app.traces.cancel();
        self.opened().await;
    }
}
