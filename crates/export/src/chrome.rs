//! Chrome trace events as JSON: what `chrome://tracing`, Perfetto and many others read.
//!
//! A process is a container that holds others, a thread one that holds none. A container with
//! several types of states gets a thread for each: the slices of a thread must nest.

use std::io::{self, Write};

use onca_model::{
    Catalog, ContainerId, FieldKind, Nature, Ticks, TimeUnit, display_text, extra_fields,
};
use onca_query::{Scope, container_path};
use onca_store::ContainerSet;
use serde_json::{Map, Value};

use crate::{
    Border, Progress, Summary,
    clip::{Clip, Clipped},
    error::Result,
    seen::{self, SeenTrack},
};

/// Writes what a scope shows as Chrome trace events: one JSON object, track after track.
pub fn write_chrome(
    scope: &Scope<'_>,
    border: Border,
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<Summary> {
    let clip = Clip::new(scope, border);
    let tracks = seen::tracks(scope);
    progress.begin(tracks.len() as u64);
    let catalog = scope.catalog();
    let mut writer = Writer {
        scope,
        catalog,
        clip,
        clock: Clock::new(&catalog.facts.unit),
        holds_others: holders(catalog),
        used: ContainerSet::new(),
        n_flows: 0,
        events: Events { out, n: 0 },
        summary: Summary::default(),
    };
    writer.events.out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    let mut threads = Vec::new();
    let mut last_with_states = None;
    for track in &tracks {
        let container = track.track.container;
        let mut thread = thread_of(container);
        // Tracks come container by container.
        if track.nature == Nature::State && last_with_states.replace(container) == Some(container) {
            thread = catalog.containers.len() as u64 + 1 + threads.len() as u64;
            threads.push((thread, track));
        }
        writer.track(track, thread)?;
        progress.step();
    }
    writer.names(&threads)?;
    writer.events.out.write_all(b"\n]}\n")?;
    writer.events.out.flush()?;
    let links_across = seen::links_across(scope, &clip, &tracks)?;
    let containers = writer.used.len() as u64;
    Ok(Summary { links_across, containers, ..writer.summary })
}

/// The number of a container's first thread.
fn thread_of(container: ContainerId) -> u64 {
    u64::from(container.0) + 1
}

/// The containers that hold others.
fn holders(catalog: &Catalog) -> ContainerSet {
    catalog.containers.parents.iter().copied().chain([ContainerId::ROOT]).collect()
}

/// From ticks to microseconds, exactly where that is a matter of powers of ten.
#[derive(Clone, Copy, Debug)]
enum Clock {
    /// This many digits of the ticks are decimals of a microsecond.
    Decimals(usize),
    /// This many microseconds make a tick.
    Factor(f64),
}

impl Clock {
    /// Units that are no time count as seconds.
    fn new(unit: &TimeUnit) -> Self {
        let (exponent, factor) = match unit.name.as_str() {
            "ms" => (3, 1e3),
            "us" | "µs" => (0, 1.0),
            "ns" => (-3, 1e-3),
            "min" => (0, 6e7),
            _ => (6, 1e6),
        };
        let rate = unit.ticks_per_unit;
        let decimals = rate.checked_ilog10().filter(|&log| 10u64.pow(log) == rate);
        match decimals.map(|decimals| decimals as i32 - exponent) {
            Some(decimals) if decimals >= 0 && unit.name != "min" => {
                Self::Decimals(decimals as usize)
            }
            _ => Self::Factor(factor / rate as f64),
        }
    }

    fn write(self, out: &mut dyn Write, ticks: Ticks) -> io::Result<()> {
        match self {
            Self::Factor(factor) => write!(out, "{}", ticks as f64 * factor),
            Self::Decimals(0) => write!(out, "{ticks}"),
            Self::Decimals(decimals) => {
                let digits = format!("{:0width$}", ticks.unsigned_abs(), width = decimals + 1);
                let (whole, part) = digits.split_at(digits.len() - decimals);
                let sign = if ticks < 0 { "-" } else { "" };
                write!(out, "{sign}{whole}.{part}")
            }
        }
    }
}

/// Writes the list of events.
struct Events<'a> {
    out: &'a mut dyn Write,
    n: u64,
}

/// What all events have.
struct Head<'a> {
    phase: &'a str,
    name: &'a [u8],
    category: &'a [u8],
    process: u64,
    thread: u64,
    time: Ticks,
}

impl Events<'_> {
    /// Begins an event; [`end`](Self::end) must follow.
    fn begin(&mut self, clock: Clock, head: &Head<'_>) -> io::Result<()> {
        self.out.write_all(if self.n == 0 { b"\n{" } else { b",\n{" })?;
        self.n += 1;
        write!(self.out, "\"ph\":\"{}\",\"name\":", head.phase)?;
        self.text(head.name)?;
        self.out.write_all(b",\"cat\":")?;
        self.text(head.category)?;
        write!(self.out, ",\"pid\":{},\"tid\":{},\"ts\":", head.process, head.thread)?;
        clock.write(self.out, head.time)
    }

    fn text(&mut self, text: &[u8]) -> io::Result<()> {
        Ok(serde_json::to_writer(&mut *self.out, &display_text(text))?)
    }

    fn end(&mut self, args: &Map<String, Value>) -> io::Result<()> {
        if !args.is_empty() {
            self.out.write_all(b",\"args\":")?;
            serde_json::to_writer(&mut *self.out, args)?;
        }
        self.out.write_all(b"}")
    }

    /// Says something about a process or a thread.
    fn metadata(&mut self, what: &str, process: u64, thread: u64, args: Value) -> io::Result<()> {
        self.out.write_all(if self.n == 0 { b"\n" } else { b",\n" })?;
        self.n += 1;
        let event = serde_json::json!({
            "ph": "M", "name": what, "pid": process, "tid": thread, "args": args,
        });
        Ok(serde_json::to_writer(&mut *self.out, &event)?)
    }
}

struct Writer<'a> {
    scope: &'a Scope<'a>,
    catalog: &'a Catalog,
    clip: Clip,
    clock: Clock,
    holds_others: ContainerSet,
    /// Containers that some event is about.
    used: ContainerSet,
    n_flows: u64,
    events: Events<'a>,
    summary: Summary,
}

impl Writer<'_> {
    /// The container that is the process of a container.
    fn process_of(&self, container: ContainerId) -> ContainerId {
        match self.holds_others.contains(container) {
            true => container,
            false => self.catalog.containers.parents[container.index()],
        }
    }

    fn process(&self, container: ContainerId) -> u64 {
        u64::from(self.process_of(container).0) + 1
    }

    fn track(&mut self, track: &SeenTrack, thread: u64) -> Result<()> {
        let (scope, clip) = (self.scope, self.clip);
        let mut texts = track.texts(scope.store());
        match track.nature {
            Nature::State => {
                seen::states(scope, track, clip.window(), |depth, row, state| -> Result<()> {
                    let Some(clipped) = clip.state(state) else { return Ok(()) };
                    let args = self.args(texts[depth].get(row)?.1);
                    let value = &self.catalog.value(state.value).name;
                    self.begin("X", track, value, thread, clipped.start)?;
                    self.events.out.write_all(b",\"dur\":")?;
                    let duration = clipped.end.saturating_sub(clipped.start);
                    self.clock.write(self.events.out, duration)?;
                    self.summary.states += 1;
                    self.summary.clipped += u64::from(clipped.cut);
                    Ok(self.events.end(&args)?)
                })?
            }
            Nature::Event => {
                seen::events(scope, track, clip.window(), |row, event| -> Result<()> {
                    let args = self.args(texts[0].get(row)?.1);
                    let value = &self.catalog.value(event.value).name;
                    self.begin("i", track, value, thread, event.time)?;
                    self.events.out.write_all(b",\"s\":\"t\"")?;
                    self.summary.events += 1;
                    Ok(self.events.end(&args)?)
                })?
            }
            Nature::Variable => {
                let name = self.counter_name(track);
                seen::variables(scope, track, clip.window(), |_, step| -> Result<()> {
                    let Some(clipped) = clip.variable(step) else { return Ok(()) };
                    // JSON has no numbers that are not finite.
                    let Some(value) = serde_json::Number::from_f64(step.value) else {
                        self.summary.unsayable += 1;
                        return Ok(());
                    };
                    self.begin("C", track, &name, thread, clipped.start)?;
                    self.summary.variables += 1;
                    self.summary.clipped += u64::from(clipped.cut);
                    let args = Map::from_iter([("value".to_owned(), Value::Number(value))]);
                    Ok(self.events.end(&args)?)
                })?
            }
            Nature::Link => seen::links(scope, track, clip.window(), |row, link| -> Result<()> {
                let Some(Clipped { start, end, cut }) = clip.link(link) else { return Ok(()) };
                let args = self.args(texts[0].get(row)?.1);
                let value = &self.catalog.value(link.value).name;
                self.n_flows += 1;
                if let Some(source) = link.source {
                    self.flow("s", track, value, source, start, &args)?;
                }
                if let Some(destination) = link.destination {
                    let none = Map::new();
                    let args = if link.source.is_some() { &none } else { &args };
                    self.flow("f", track, value, destination, end, args)?;
                }
                self.summary.links += 1;
                self.summary.clipped += u64::from(cut);
                Ok(())
            })?,
            Nature::Container => Ok(()),
        }
    }

    fn begin(
        &mut self,
        phase: &str,
        track: &SeenTrack,
        name: &[u8],
        thread: u64,
        time: Ticks,
    ) -> io::Result<()> {
        let container = track.track.container;
        self.used.insert(container);
        let category = &self.catalog.type_def(track.track.type_id).name;
        let process = self.process(container);
        self.events.begin(self.clock, &Head { phase, name, category, process, thread, time })
    }

    /// One end of a link. It belongs to the slice around it.
    fn flow(
        &mut self,
        phase: &str,
        track: &SeenTrack,
        name: &[u8],
        container: ContainerId,
        time: Ticks,
        args: &Map<String, Value>,
    ) -> io::Result<()> {
        self.used.insert(container);
        let category = &self.catalog.type_def(track.track.type_id).name;
        let (process, thread) = (self.process(container), thread_of(container));
        self.events.begin(self.clock, &Head { phase, name, category, process, thread, time })?;
        write!(self.events.out, ",\"id\":{},\"bp\":\"e\"", self.n_flows)?;
        self.events.end(args)
    }

    /// Counters belong to processes: those of a thread have its name.
    fn counter_name(&self, track: &SeenTrack) -> Vec<u8> {
        let container = track.track.container;
        let type_name = &self.catalog.type_def(track.track.type_id).name;
        match self.holds_others.contains(container) {
            true => type_name.clone(),
            false => {
                let own = self.catalog.containers.names.get(container.index());
                [own, b" ", type_name].concat()
            }
        }
    }

    /// Extra fields; a name that occurs twice is numbered.
    fn args(&self, packed: &[u8]) -> Map<String, Value> {
        let mut args = Map::new();
        for extra in extra_fields(packed) {
            let name = display_text(&self.catalog.field_name(extra.field)).into_owned();
            let text = display_text(extra.text);
            let kind = self.catalog.fields.get(extra.field.index()).map(|field| field.kind);
            let number = match kind {
                Some(FieldKind::Int) => text.parse::<i64>().ok().map(Value::from),
                Some(FieldKind::Double) => text.parse::<f64>().ok().map(Value::from),
                _ => None,
            };
            let mut key = name.clone();
            let mut count = 2;
            while args.contains_key(&key) {
                key = format!("{name} {count}");
                count += 1;
            }
            args.insert(key, number.unwrap_or_else(|| Value::from(text)));
        }
        args
    }

    /// Names processes and threads.
    fn names(&mut self, threads: &[(u64, &SeenTrack)]) -> io::Result<()> {
        let containers = &self.catalog.containers;
        let shown = |id: ContainerId| display_text(containers.names.get(id.index()));
        let mut named = ContainerSet::new();
        for id in (0..containers.len() as u32).map(ContainerId) {
            if !self.used.contains(id) {
                continue;
            }
            let (container, process) = (self.process_of(id), self.process(id));
            if !named.contains(container) {
                named.insert(container);
                let name = container_path(containers, container);
                self.events.metadata(
                    "process_name",
                    process,
                    0,
                    serde_json::json!({"name": name}),
                )?;
                let order = serde_json::json!({"sort_index": container.0});
                self.events.metadata("process_sort_index", process, 0, order)?;
            }
            self.name_thread(process, thread_of(id), &shown(id), id)?;
        }
        for (thread, track) in threads {
            let container = track.track.container;
            let type_name = display_text(&self.catalog.type_def(track.track.type_id).name);
            let name = format!("{} ({type_name})", shown(container));
            self.name_thread(self.process(container), *thread, &name, container)?;
        }
        Ok(())
    }

    fn name_thread(
        &mut self,
        process: u64,
        thread: u64,
        name: &str,
        container: ContainerId,
    ) -> io::Result<()> {
        let name = serde_json::json!({"name": name});
        self.events.metadata("thread_name", process, thread, name)?;
        let order = serde_json::json!({"sort_index": container.0});
        self.events.metadata("thread_sort_index", process, thread, order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn microseconds(unit: &str, ticks_per_unit: u64, ticks: Ticks) -> String {
        let unit = TimeUnit { ticks_per_unit, name: unit.to_owned(), assumed: false };
        let mut out = Vec::new();
        Clock::new(&unit).write(&mut out, ticks).expect("written");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn microseconds_are_exact() {
        assert_eq!(microseconds("s", 1_000_000_000, 1_234_567), "1234.567");
        assert_eq!(microseconds("s", 1_000_000_000, -1), "-0.001");
        assert_eq!(microseconds("s", 1_000_000, 42), "42");
        assert_eq!(microseconds("ms", 1_000_000_000, 1_500_000), "1.500000");
        assert_eq!(microseconds("s", 1, 3), "3000000");
        assert_eq!(microseconds("min", 1_000, 500), "30000000");
    }
}
