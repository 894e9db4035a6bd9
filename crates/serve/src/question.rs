//! What most questions have: a window and a lens.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use onca_answer::compare::{CompareSpec, Comparison, compare};
use onca_answer::overview::{Matrix, Metric};
use onca_answer::phases::{Communication, PhaseSpec, PhasesAnswer};
use onca_answer::topology::Platform;
use onca_model::{Ticks, TraceFacts, Window};
use onca_query::{Appearance, AppearanceSpec, Lens, Scope};
use onca_store::Store;
use onca_views::Result as ViewResult;
use onca_views::registry::{Before, Memory};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::app::{App, KnownPlatform};
use crate::fault::Fault;
use crate::traces::ReadyTrace;

/// The part of a trace that is asked about.
#[derive(Debug)]
pub struct Look {
    window: Option<TimeWindow>,
    /// The number of the trace that it is compared with, if it is.
    pub before: Option<String>,
    /// Through which lens.
    pub lens: Lens,
}

/// A part of time in ticks after the begin of the trace; half open.
#[derive(Clone, Copy, Serialize, Deserialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct TimeWindow {
    pub from: i64,
    pub to: i64,
}

/// Reads the body of a question: window and lens, and what else it asks.
pub fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<(Look, T), Fault> {
    let body = if body.is_empty() { b"{}" } else { body };
    let mut fields: Map<String, Value> = serde_json::from_slice(body).map_err(unreadable)?;
    let window = fields.remove("window").filter(|window| !window.is_null());
    let window = window.map(serde_json::from_value).transpose();
    let window = window.map_err(|error| Fault::question(format!("window: {error}")))?;
    let lens = match fields.remove("lens") {
        None | Some(Value::Null) => Lens::clear(),
        Some(lens) => Lens::from_json(&lens.to_string())?,
    };
    let before = fields.remove("before").filter(|before| !before.is_null());
    let before = before.map(serde_json::from_value).transpose();
    let before = before.map_err(|error| Fault::question(format!("before: {error}")))?;
    let asked = serde_json::from_value(Value::Object(fields)).map_err(unreadable)?;
    Ok((Look { window, before, lens }, asked))
}

fn unreadable(error: serde_json::Error) -> Fault {
    Fault::question(error.to_string())
}

impl Look {
    /// The window in ticks of the trace; the whole trace by default.
    pub fn window(&self, facts: &TraceFacts) -> Result<Window, Fault> {
        match self.window {
            None => Ok(Window { from: facts.start, to: facts.end }),
            Some(window) => window.absolute(facts),
        }
    }
}

impl TimeWindow {
    /// The window in ticks of the trace.
    pub fn absolute(self, facts: &TraceFacts) -> Result<Window, Fault> {
        if self.from >= self.to {
            return Err(Fault::question("the window is empty"));
        }
        let absolute = |ticks: i64| facts.start.checked_add(ticks);
        match (absolute(self.from), absolute(self.to)) {
            (Some(from), Some(to)) => Ok(Window { from, to }),
            _ => Err(Fault::question("the window is too far away")),
        }
    }
}

/// A trace for a question that ends when nobody waits for the answer any more.
pub struct StoppableTrace {
    trace: Arc<ReadyTrace>,
    store: Store,
    stop: Arc<AtomicBool>,
}

impl StoppableTrace {
    /// A trace until the flag is set.
    pub fn new(trace: Arc<ReadyTrace>, stop: Arc<AtomicBool>) -> Self {
        let store = trace.store.stoppable(Arc::clone(&stop));
        Self { trace, store, stop }
    }
}

/// A trace as it is asked about.
pub struct Seen<'a> {
    /// The trace.
    pub trace: &'a ReadyTrace,
    /// The lens.
    pub lens: &'a Lens,
    /// What is seen through it.
    pub scope: Scope<'a>,
    /// The run that it is compared with, if it is.
    pub before: Option<SeenBefore<'a>>,
    /// Set when nobody waits for the answer any more.
    pub stop: &'a AtomicBool,
    app: &'a App,
}

/// Another run as it is asked about: all of it, through the same lens.
pub struct SeenBefore<'a> {
    /// What is seen of it.
    pub scope: Scope<'a>,
    /// How it looks.
    pub appearance: Appearance,
    /// Where it is, as the user calls it.
    pub path: &'a Path,
    /// Its number.
    number: &'a str,
}

impl<'a> Seen<'a> {
    /// Looks at a trace, beside another if the look names one.
    pub fn new(
        app: &'a App,
        trace: &'a StoppableTrace,
        before: Option<&'a StoppableTrace>,
        look: &'a Look,
    ) -> Result<Self, Fault> {
        let StoppableTrace { trace, store, stop } = trace;
        let lens = &look.lens;
        let scope = Scope::new(store, lens, look.window(&store.catalog().facts)?)?;
        let beside = before.zip(look.before.as_deref());
        let before = beside.map(|(other, number)| SeenBefore::new(app, other, number, lens));
        Ok(Self { trace, lens, scope, before: before.transpose()?, stop, app })
    }

    /// Is there another trace that it could be compared with?
    pub fn has_other_traces(&self) -> bool {
        self.app.traces.are_several()
    }

    /// The looks that the user chose for traces of this kind.
    pub fn remembered_looks(&self) -> Result<Option<AppearanceSpec>, Fault> {
        self.app.remembered_looks(self.scope.catalog())
    }

    /// How types and values look, with what the user chose for traces of this kind.
    pub fn appearance(&self) -> Result<Appearance, Fault> {
        let remembered = self.remembered_looks()?;
        let (catalog, before) = (self.scope.catalog(), &self.trace.colors);
        Ok(Appearance::going_on(catalog, self.lens, remembered.as_ref(), before)?)
    }

    /// A network to show the trace on: the one of a name, else the first that the server was started
    /// with, else what the trace tells of itself.
    pub fn platform(&self, name: Option<&str>) -> Result<Option<&Platform>, Fault> {
        match self.known_platform(name)? {
            Some(known) => Ok(Some(&known.platform)),
            None => self.trace.platform(),
        }
    }

    /// The flags with which a command knows that network.
    pub fn platform_flags(&self, name: Option<&str>) -> Result<&[String], Fault> {
        Ok(self.known_platform(name)?.map_or(&[], |known| &known.flags))
    }

    fn known_platform(&self, name: Option<&str>) -> Result<Option<&KnownPlatform>, Fault> {
        let known = &self.app.platforms;
        let Some(name) = name else { return Ok(known.first()) };
        let found = known.iter().find(|known| known.platform.network.name == name);
        let unknown = || Fault::question(format!("topology: there is no network {name:?}"));
        found.map(Some).ok_or_else(unknown)
    }

    /// The time of a question in ticks of the trace.
    pub fn absolute(&self, ticks: i64) -> Ticks {
        self.scope.catalog().facts.start.saturating_add(ticks)
    }

    /// A window in ticks after the begin of the trace.
    pub fn relative_window(&self, window: Window) -> TimeWindow {
        TimeWindow { from: self.relative(window.from), to: self.relative(window.to) }
    }

    /// Ticks after the begin of the trace.
    pub fn relative(&self, ticks: Ticks) -> i64 {
        ticks.saturating_sub(self.scope.catalog().facts.start)
    }
}

impl<'a> SeenBefore<'a> {
    fn new(
        app: &App,
        other: &'a StoppableTrace,
        number: &'a str,
        lens: &Lens,
    ) -> Result<Self, Fault> {
        let StoppableTrace { trace, store, .. } = other;
        let catalog = store.catalog();
        let run = Window { from: catalog.facts.start, to: catalog.facts.end };
        let remembered = app.remembered_looks(catalog)?;
        let before = &trace.colors;
        let appearance = Appearance::going_on(catalog, lens, remembered.as_ref(), before)?;
        Ok(Self { scope: Scope::new(store, lens, run)?, appearance, path: &trace.path, number })
    }

    /// The other run, for views.
    pub fn as_before(&self) -> Before<'_> {
        Before { scope: &self.scope, appearance: &self.appearance }
    }
}

/// What was found out about a trace lately.
impl Memory for Seen<'_> {
    fn matrix(
        &self,
        _scope: &Scope<'_>,
        n_slices: usize,
        metric: &Metric,
    ) -> ViewResult<Arc<Matrix>> {
        Ok(self.trace.matrices.of(self, n_slices, metric)?)
    }

    fn communication<'s>(
        &self,
        scope: &'s Scope<'s>,
        spec: &PhaseSpec,
    ) -> ViewResult<Communication<'s>> {
        Ok(self.trace.conversations.communication(self, scope, spec)?)
    }

    fn phases(
        &self,
        communication: &Communication<'_>,
        spec: &PhaseSpec,
        n_phases: usize,
        n_communities: Option<usize>,
    ) -> ViewResult<Arc<PhasesAnswer>> {
        let conversations = &self.trace.conversations;
        Ok(conversations.phases(self, communication, spec, n_phases, n_communities)?)
    }

    fn comparison(
        &self,
        before: &Scope<'_>,
        after: &Scope<'_>,
        spec: &CompareSpec,
    ) -> ViewResult<Arc<Comparison>> {
        let number = self.before.as_ref().map_or("", |before| before.number);
        let key = format!("{number} {spec:?} {:?} {}", after.window(), self.lens.to_json());
        Ok(self.trace.comparisons.of(key, || compare(before, after, spec))?)
    }
}
