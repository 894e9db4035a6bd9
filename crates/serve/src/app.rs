//! What all requests share.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use axum::body::Bytes;
use axum::response::{IntoResponse, Response};
use onca_answer::topology::Platform;
use onca_model::Catalog;
use onca_query::{AppearanceSpec, type_tree_key};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::fault::Fault;
use crate::openable::Openables;
use crate::question::{self, Seen, StoppableTrace};
use crate::scenes::{SceneRequest, if_made};
use crate::sources::SourceRoots;
use crate::traces::{ReadyTrace, Traces};
use crate::work::{Left, Workshop, aside};

/// Looks that the user chose, by the key of the type tree of the traces that they are for.
pub trait Memory: Send + Sync {
    /// What was remembered, if anything.
    fn recall(&self, key: &str) -> Result<Option<AppearanceSpec>, String>;

    /// Remembers.
    fn remember(&self, key: &str, appearance: &AppearanceSpec) -> Result<(), String>;
}

/// A network that traces can be shown on.
pub struct KnownPlatform {
    /// The network, and what runs where on it.
    pub platform: Platform,
    /// The flags with which a command reads the same.
    pub flags: Vec<String>,
}

/// What all requests share: traces, caches, threads.
pub struct App {
    /// The number of this server: a page that sees another one talks to another program.
    pub instance: u32,
    /// What lets in. Whoever was let in may let others in.
    pub token: String,
    /// The traces.
    pub traces: Traces,
    /// Where computing is done.
    pub workshop: Workshop,
    /// Where queries in SQL have their turn.
    pub sql_workshop: Workshop,
    /// Networks that traces can be shown on.
    pub platforms: Vec<KnownPlatform>,
    /// The looks that the user chose.
    pub memory: Box<dyn Memory>,
    /// Where files of source code may be read.
    pub sources: SourceRoots,
    /// What the page may open besides; nothing if it may not open anything.
    pub openables: Option<Arc<Openables>>,
    /// Held while a file is dropped.
    pub dropping: tokio::sync::Mutex<()>,
    /// Who wants to know what the page measured of itself.
    pub reports: Option<Sender<Value>>,
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("instance", &self.instance).finish_non_exhaustive()
    }
}

impl App {
    /// Answers a question about a part of a trace.
    pub async fn ask<T, R>(
        self: &Arc<Self>,
        id: &str,
        body: Bytes,
        answer: impl FnOnce(Seen<'_>, T) -> Result<R, Fault> + Send + 'static,
    ) -> Result<R, Fault>
    where
        T: DeserializeOwned + Send + 'static,
        R: Send + 'static,
    {
        let trace = self.traces.ready(id)?;
        let (look, asked) = question::parse(&body)?;
        let app = Arc::clone(self);
        // The request may be dropped while it is worked on: its client went away.
        let left = Left::default();
        let before = look.before.as_ref().map(|id| self.traces.ready(id)).transpose()?;
        let before = before.map(|before| StoppableTrace::new(before, left.flag()));
        let trace = StoppableTrace::new(trace, left.flag());
        let job = move || answer(Seen::new(&app, &trace, before.as_ref(), &look)?, asked);
        self.workshop.run(job).await
    }

    /// Answers a question about a part of a trace with a scene. If the same was asked lately, and
    /// looked the same, that takes no turn.
    pub async fn ask_scene<T>(
        self: &Arc<Self>,
        id: &str,
        request: SceneRequest,
        scene: impl FnOnce(&Seen<'_>, T) -> Result<Bytes, Fault> + Send + 'static,
    ) -> Result<Response, Fault>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let trace = self.traces.ready(id)?;
        let (app, of) = (Arc::clone(self), Arc::clone(&trace));
        let looks = aside(move || {
            let looks = app.remembered_looks(of.store.catalog())?;
            serde_json::to_string(&looks).map_err(|why| Fault::ours(&why.to_string()))
        });
        let remembered = trace.scenes.of(request.key(&looks.await?));
        if let Some(known) = if_made(&remembered.content) {
            return Ok(known.into_response());
        }
        let sent = request.sender();
        let answer = move |seen: Seen<'_>, asked| {
            let make = || scene(&seen, asked).map(sent);
            seen.trace.scenes.remembered_or(&remembered, make)
        };
        Ok(self.ask(id, request.body, answer).await?.into_response())
    }

    /// The looks that the user chose for traces of this kind.
    pub fn remembered_looks(&self, catalog: &Catalog) -> Result<Option<AppearanceSpec>, Fault> {
        self.memory.recall(&type_tree_key(catalog)).map_err(|why| Fault::ours(&why))
    }

    /// Does something with a trace that needs neither window nor lens.
    pub async fn with<R: Send + 'static>(
        self: &Arc<Self>,
        id: &str,
        work: impl FnOnce(&App, &ReadyTrace) -> Result<R, Fault> + Send + 'static,
    ) -> Result<R, Fault> {
        let trace = self.traces.ready(id)?;
        let app = Arc::clone(self);
        self.workshop.run(move || work(&app, &trace)).await
    }
}
