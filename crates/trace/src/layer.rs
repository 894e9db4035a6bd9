//! A layer for the crate `tracing`: spans and events become a trace.
//!
//! The process is a container, and each thread that enters a span is one in it. A span is a state of the thread, from
//! each enter to the next exit. A span that is entered more than once, or on another thread than the one that made it, is
//! asynchronous: it also has a container of its own from its beginning to its end, which is `running` while it is entered and else
//! `waiting`. `follows_from` is a link between the containers of two spans. An event is an event of the thread, with its level as value and
//! everything else as fields. A number in a field `counter.NAME` sets the variable `NAME` of the process.

use std::cell::Cell;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::ThreadId;

use tracing_core::field::{Field as TracingField, Visit};
use tracing_core::span::{Attributes, Id, Record};
use tracing_core::{Event, Level, LevelFilter, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::{LookupSpan, SpanRef};

use crate::clock;
use crate::definitions::{self, Nature};
use crate::ring::{self, Attribute, AttributeValue, Kind};
use crate::{Options, session};

/// Opens a trace in a file, as [`open`](crate::open) does, and gives a layer that records into it.
///
/// ```no_run
/// use tracing_subscriber::prelude::*;
/// tracing_subscriber::registry().with(onca_trace::layer("run-%p.onct")?).init();
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn layer(path: impl Into<PathBuf>) -> io::Result<TraceLayer> {
    session::open(Options::new(path))?;
    Ok(TraceLayer { max_level: LevelFilter::TRACE, targets: Vec::new() })
}

/// Records spans and events into the open trace.
#[derive(Clone, Debug)]
pub struct TraceLayer {
    max_level: LevelFilter,
    /// Levels of targets that begin so, the longest first.
    targets: Vec<(String, LevelFilter)>,
}

impl TraceLayer {
    /// Leaves out what is more detailed.
    #[must_use]
    pub fn with_max_level(mut self, level: impl Into<LevelFilter>) -> Self {
        self.max_level = level.into();
        self
    }

    /// Sets the level for a target and those below it; the longest target that fits counts.
    #[must_use]
    pub fn with_target(mut self, target: &str, level: impl Into<LevelFilter>) -> Self {
        self.targets.push((target.to_owned(), level.into()));
        self.targets.sort_by_key(|(target, _)| std::cmp::Reverse(target.len()));
        self
    }

    fn wants(&self, metadata: &Metadata<'_>) -> bool {
        let is_below = |target: &str| {
            let rest = metadata.target().strip_prefix(target);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        let set = self.targets.iter().find(|(target, _)| is_below(target));
        *metadata.level() <= set.map_or(self.max_level, |(_, level)| *level)
    }
}

/// The types and the process, defined when they are first needed.
struct Vocabulary {
    process: u32,
    process_type: u32,
    thread_type: u32,
    thread_states: u32,
    events: u32,
    levels: [u32; 5],
    task_type: u32,
    task_states: u32,
    running: u32,
    waiting: u32,
    follows: u32,
    follows_value: u32,
}

fn vocabulary() -> &'static Vocabulary {
    static VOCABULARY: OnceLock<Vocabulary> = OnceLock::new();
    VOCABULARY.get_or_init(|| {
        let define = |nature, parent, name| definitions::define_type(nature, parent, name, None);
        let process_type = define(Nature::Container, 0, "Process");
        let thread_type = define(Nature::Container, process_type, "Thread");
        let task_type = define(Nature::Container, process_type, "Async span");
        let events = define(Nature::Event, thread_type, "Event");
        let task_states = define(Nature::State, task_type, "Activity");
        let ends = Some((task_type, task_type));
        let follows = definitions::define_type(Nature::Link, 0, "Follows", ends);
        let level =
            |level: Level, color| definitions::define_value(events, level.as_str(), Some(color));
        let program = std::env::args_os().next().unwrap_or_default();
        let program = PathBuf::from(program);
        let program = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Vocabulary {
            process: definitions::create(process_type, 0, &program),
            process_type,
            thread_type,
            thread_states: define(Nature::State, thread_type, "Span"),
            events,
            levels: [
                level(Level::ERROR, 0x00d5_5e00),
                level(Level::WARN, 0x00e6_9f00),
                level(Level::INFO, 0x0000_72b2),
                level(Level::DEBUG, 0x0056_b4e9),
                level(Level::TRACE, 0x0099_9999),
            ],
            task_type,
            task_states,
            running: definitions::define_value(task_states, "running", Some(0x0000_9e73)),
            waiting: definitions::define_value(task_states, "waiting", Some(0x00cc_cccc)),
            follows,
            follows_value: definitions::define_value(follows, "follows", None),
        }
    })
}

/// The container of a thread, which ends with the thread.
struct ThreadContainer(Cell<u32>);

impl Drop for ThreadContainer {
    fn drop(&mut self) {
        if self.0.get() != 0 {
            definitions::destroy(self.0.get());
        }
    }
}

thread_local! {
    static THREAD: ThreadContainer = const { ThreadContainer(Cell::new(0)) };
}

/// The container of this thread; 0 when the thread is ending.
fn thread_container() -> u32 {
    let container = THREAD.try_with(|thread| {
        if thread.0.get() == 0 {
            let vocabulary = vocabulary();
            let current = std::thread::current();
            let number = format!("{:?}", current.id());
            let name = current.name().unwrap_or(&number);
            thread.0.set(definitions::create(vocabulary.thread_type, vocabulary.process, name));
        }
        thread.0.get()
    });
    container.unwrap_or(0)
}

/// What is kept of a span.
struct Span {
    value: u32,
    made: u64,
    made_by: ThreadId,
    /// When it was first entered and left, as long as it has no container.
    entered: Option<u64>,
    left: Option<u64>,
    task: Option<u32>,
    fields: Fields,
}

impl Span {
    /// Gives the span a container, from its beginning on.
    fn task(&mut self, name: &str) -> u32 {
        if let Some(task) = self.task {
            return task;
        }
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        let vocabulary = vocabulary();
        let name = format!("{name} {}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let (of, parent) = (vocabulary.task_type, vocabulary.process);
        let task = definitions::create_at(of, parent, &name, self.made);
        self.task = Some(task);
        let set = |ticks, value| {
            ring::record_at(ticks, Kind::SetState, task, vocabulary.task_states, value)
        };
        set(self.made, u64::from(vocabulary.waiting));
        if let Some(entered) = self.entered {
            set(entered, u64::from(vocabulary.running));
        }
        if let Some(left) = self.left {
            set(left, u64::from(vocabulary.waiting));
        }
        task
    }
}

/// Fields of a span or an event.
#[derive(Default)]
struct Fields {
    fields: Vec<(u32, OwnedValue)>,
}

enum OwnedValue {
    Text(String),
    Int(i64),
    Double(f64),
}

impl Fields {
    fn attributes(&self) -> Vec<Attribute<'_>> {
        self.fields
            .iter()
            .map(|(field, value)| {
                let value = match value {
                    OwnedValue::Text(text) => AttributeValue::Text(text),
                    OwnedValue::Int(number) => AttributeValue::Int(*number),
                    OwnedValue::Double(number) => AttributeValue::Double(*number),
                };
                Attribute { field: *field, value }
            })
            .collect()
    }

    fn push(&mut self, field: &TracingField, value: OwnedValue) {
        self.fields.push((definitions::define_field(field.name()), value));
    }

    /// Takes a number; true if it is a counter, which is no field.
    fn count(field: &TracingField, number: f64) -> bool {
        let Some(name) = field.name().strip_prefix("counter.") else { return false };
        let vocabulary = vocabulary();
        let of = definitions::define_type(Nature::Variable, vocabulary.process_type, name, None);
        ring::record(Kind::SetVariable, vocabulary.process, of, number.to_bits());
        true
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &TracingField, value: f64) {
        if !Self::count(field, value) {
            self.push(field, OwnedValue::Double(value));
        }
    }

    fn record_i64(&mut self, field: &TracingField, value: i64) {
        if !Self::count(field, value as f64) {
            self.push(field, OwnedValue::Int(value));
        }
    }

    fn record_u64(&mut self, field: &TracingField, value: u64) {
        if Self::count(field, value as f64) {
            return;
        }
        match i64::try_from(value) {
            Ok(value) => self.push(field, OwnedValue::Int(value)),
            Err(_) => self.push(field, OwnedValue::Text(value.to_string())),
        }
    }

    fn record_str(&mut self, field: &TracingField, value: &str) {
        self.push(field, OwnedValue::Text(value.to_owned()));
    }

    fn record_debug(&mut self, field: &TracingField, value: &dyn fmt::Debug) {
        self.push(field, OwnedValue::Text(format!("{value:?}")));
    }
}

impl<S> Layer<S> for TraceLayer
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if !ring::is_enabled() || !self.wants(attributes.metadata()) {
            return;
        }
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let value = definitions::define_value(vocabulary().thread_states, span.name(), None);
        span.extensions_mut().insert(Span {
            value,
            made: clock::ticks(),
            made_by: std::thread::current().id(),
            entered: None,
            left: None,
            task: None,
            fields,
        });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(known) = span.extensions_mut().get_mut::<Span>() {
            values.record(&mut known.fields);
        }
    }

    fn on_follows_from(&self, id: &Id, follows: &Id, context: Context<'_, S>) {
        let task = |id: &Id| {
            let span = context.span(id)?;
            let name = span.name();
            span.extensions_mut().get_mut::<Span>().map(|known| known.task(name))
        };
        // What has ended already has no container that a link could leave.
        let (Some(from), Some(to)) = (task(follows), task(id)) else { return };
        static KEY: AtomicU64 = AtomicU64::new(1);
        let key = u64::from(std::process::id()) << 32 | KEY.fetch_add(1, Ordering::Relaxed);
        let vocabulary = vocabulary();
        for (kind, container) in [(Kind::StartLink, from), (Kind::EndLink, to)] {
            let value = vocabulary.follows_value;
            crate::api::link(kind, container, 0, vocabulary.follows, value, key, None, None, &[]);
        }
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if !ring::is_enabled() || !self.wants(event.metadata()) {
            return;
        }
        let mut fields = Fields::default();
        event.record(&mut fields);
        // An event that only counts is a step of variables.
        let n_fields = event.metadata().fields().len();
        if fields.fields.is_empty() && n_fields > 0 {
            return;
        }
        let target = OwnedValue::Text(event.metadata().target().to_owned());
        fields.fields.push((definitions::define_field("target"), target));
        let vocabulary = vocabulary();
        let value = match *event.metadata().level() {
            Level::ERROR => vocabulary.levels[0],
            Level::WARN => vocabulary.levels[1],
            Level::INFO => vocabulary.levels[2],
            Level::DEBUG => vocabulary.levels[3],
            Level::TRACE => vocabulary.levels[4],
        };
        let (thread, of) = (thread_container(), vocabulary.events);
        let attributes = fields.attributes();
        ring::record_more(None, Kind::Event, thread, of, u64::from(value), None, &attributes);
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let name = span.name();
        let mut extensions = span.extensions_mut();
        let Some(known) = extensions.get_mut::<Span>() else { return };
        let vocabulary = vocabulary();
        let (thread, value) = (thread_container(), u64::from(known.value));
        let states = vocabulary.thread_states;
        if known.fields.fields.is_empty() {
            ring::record(Kind::PushState, thread, states, value);
        } else {
            // They belong to the first time.
            let fields = std::mem::take(&mut known.fields);
            let attributes = fields.attributes();
            ring::record_more(None, Kind::PushState, thread, states, value, None, &attributes);
        }
        let is_again = known.left.is_some();
        let is_elsewhere = std::thread::current().id() != known.made_by;
        if known.task.is_some() || is_again || is_elsewhere {
            let task = known.task(name);
            let running = u64::from(vocabulary.running);
            ring::record(Kind::SetState, task, vocabulary.task_states, running);
        } else if known.entered.is_none() {
            known.entered = Some(clock::ticks());
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut extensions = span.extensions_mut();
        let Some(known) = extensions.get_mut::<Span>() else { return };
        let vocabulary = vocabulary();
        ring::record(Kind::PopState, thread_container(), vocabulary.thread_states, 0);
        match known.task {
            Some(task) => {
                let waiting = u64::from(vocabulary.waiting);
                ring::record(Kind::SetState, task, vocabulary.task_states, waiting);
            }
            None => known.left = Some(clock::ticks()),
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let task =
            |span: SpanRef<'_, S>| span.extensions().get::<Span>().and_then(|known| known.task);
        if let Some(task) = context.span(&id).and_then(task) {
            ring::record(Kind::ResetState, task, vocabulary().task_states, 0);
            definitions::destroy(task);
        }
    }
}
