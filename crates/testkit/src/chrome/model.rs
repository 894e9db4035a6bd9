//! What Chrome trace events mean, by looking at everything again and again.

use std::collections::{BTreeMap, BTreeSet};

use super::{Event, microseconds};
use crate::model::escape;

/// What a reader should find.
#[derive(Debug, Default, PartialEq)]
pub struct Reading {
    /// Processes and their threads in the order in which they are shown, without lanes.
    pub containers: Vec<String>,
    /// One line for each entity, sorted. Links end with what they have in place of a key.
    pub rows: Vec<String>,
    /// How often each problem occurs.
    pub problems: BTreeMap<String, u64>,
    pub lost: u64,
}

impl Reading {
    pub(super) fn report(&mut self, code: &str) {
        *self.problems.entry(code.to_owned()).or_default() += 1;
    }

    pub(super) fn lose(&mut self, code: &str) {
        self.report(code);
        self.lost += 1;
    }
}

/// Extra fields.
pub(super) type Fields = Vec<(String, String)>;

/// A process or thread: (process, None) or (process, Some(thread)).
type Party = (i64, Option<i64>);

struct Slice {
    start: i64,
    end: Option<i64>,
    order: usize,
    name: String,
    category: String,
    extras: Fields,
}

pub(super) struct Model<'e> {
    /// Events that can be read, in file order.
    events: Vec<(usize, &'e Event)>,
    pub(super) reading: Reading,
    names: BTreeMap<Party, String>,
    /// When the trace ends, and the last time that was met.
    end: i64,
    pub(super) latest: i64,
}

/// Says what events mean.
pub fn interpret(events: &[Event]) -> Reading {
    // What is open at the end ends with the last of everything else, which must be known first.
    let (_, end) = interpret_until(events, 0);
    interpret_until(events, end).0
}

fn interpret_until(events: &[Event], end: i64) -> (Reading, i64) {
    let mut model = Model {
        events: Vec::new(),
        reading: Reading::default(),
        names: BTreeMap::new(),
        end,
        latest: i64::MIN,
    };
    model.choose(events);
    model.containers();
    model.slices();
    model.instants();
    model.counters();
    model.operations();
    model.reading.rows.sort();
    (model.reading, model.latest)
}

fn end_of(event: &Event) -> i64 {
    let duration = if event.phase == "X" { event.duration.unwrap_or(0).max(0) } else { 0 };
    event.time.unwrap_or(i64::MIN).saturating_add(duration)
}

pub(super) fn name(event: &Event) -> String {
    event.name.clone().unwrap_or_else(|| "(unnamed)".to_owned())
}

pub(super) fn category(event: &Event) -> String {
    event.category.clone().unwrap_or_default()
}

pub(super) fn extras_of(event: &Event) -> Fields {
    event.args.iter().map(|(name, arg)| (name.clone(), arg.text().to_owned())).collect()
}

pub(super) fn shown(extras: &[(String, String)]) -> String {
    let pairs: Vec<_> = extras
        .iter()
        .map(|(name, text)| format!("{}={}", escape(name.as_bytes()), escape(text.as_bytes())))
        .collect();
    if pairs.is_empty() { "-".to_owned() } else { pairs.join(";") }
}

/// A type of a category is named after it.
fn type_name(category: &str, general: &str) -> String {
    if category.is_empty() { general.to_owned() } else { category.to_owned() }
}

impl<'e> Model<'e> {
    /// Leaves out what cannot be read.
    fn choose(&mut self, events: &'e [Event]) {
        for (order, event) in events.iter().enumerate() {
            let phase = event.phase.as_str();
            let needs_id = "bneSTpFstf".contains(phase);
            match phase {
                "" => self.reading.lose("missing-field"),
                "M" => self.events.push((order, event)),
                "O" => self.reading.report("phase-not-read"),
                "?" => self.reading.lose("unknown-phase"),
                _ if event.time.is_none() => self.reading.lose("missing-field"),
                "X" if event.duration.is_none() => self.reading.lose("missing-field"),
                _ if needs_id && event.id.is_none() => self.reading.lose("missing-field"),
                "C" if event.args.is_empty() => self.reading.lose("missing-field"),
                _ => self.events.push((order, event)),
            }
            if phase == "X" && event.time.is_some() && event.duration.is_some_and(|d| d < 0) {
                self.reading.report("negative-duration");
            }
        }
    }

    pub(super) fn named(&self, party: Party) -> &str {
        self.names.get(&party).map_or("?", String::as_str)
    }

    /// Events of some phases in order of their time, ties in file order.
    pub(super) fn timed(&self, phases: &str) -> Vec<(usize, &'e Event)> {
        let mut events = self.events.clone();
        events.retain(|(_, event)| phases.contains(event.phase.as_str()));
        events.sort_by_key(|(order, event)| (event.time, *order));
        events
    }

    fn containers(&mut self) {
        let mut said: BTreeMap<Party, String> = BTreeMap::new();
        let mut places: BTreeMap<Party, i64> = BTreeMap::new();
        let mut parties = BTreeSet::new();
        for (_, event) in &self.events {
            let what = event.name.as_deref().unwrap_or_default();
            let phase = event.phase.as_str();
            let global = event.reach == Some('g') && matches!(phase, "i" | "I");
            let meta = phase == "M";
            let known = ["process_name", "thread_name", "process_sort_index", "thread_sort_index"];
            if meta && !known.contains(&what) || global {
                continue;
            }
            let of_process = meta && what.starts_with("process")
                || event.reach == Some('p') && matches!(phase, "i" | "I")
                || "CbneSTpF".contains(phase);
            let party = (event.process, (!of_process).then_some(event.thread));
            parties.insert((event.process, None));
            parties.insert(party);
            if meta {
                let (_, value) = &event.args[0];
                match what.ends_with("_name") {
                    true => drop(said.insert(party, value.text().to_owned())),
                    false => drop(places.insert(party, value.text().parse().unwrap_or(0))),
                }
            }
        }
        for &party in &parties {
            let (process, thread) = party;
            let number = match thread {
                None => format!("pid {process}"),
                Some(thread) => format!("tid {thread}"),
            };
            let shown = match said.get(&party) {
                None => number,
                Some(name) => {
                    let namesakes = said.iter().filter(|(other, other_name)| {
                        let siblings = match thread {
                            None => other.1.is_none(),
                            Some(_) => other.0 == process && other.1.is_some(),
                        };
                        siblings && *other_name == name
                    });
                    if namesakes.count() == 1 { name.clone() } else { format!("{name} ({number})") }
                }
            };
            self.names.insert(party, shown);
        }
        let place = |party: Party| places.get(&party).copied().unwrap_or(0);
        let mut order: Vec<Party> = parties.into_iter().collect();
        order.sort_by_key(|&(process, thread)| {
            let own = thread.map(|thread| (place((process, Some(thread))), thread));
            (place((process, None)), process, own)
        });
        self.reading.containers = order.iter().map(|&party| self.named(party).to_owned()).collect();
    }

    /// The slices of a thread: those that are written whole, and begins with their ends.
    fn slices_of(&mut self, thread: Party) -> Vec<Slice> {
        let mut slices = Vec::new();
        let mut open: Vec<Slice> = Vec::new();
        for (order, event) in self.timed("BEX") {
            if (event.process, Some(event.thread)) != thread {
                continue;
            }
            let time = event.time.unwrap_or(0);
            let slice = Slice {
                start: time,
                end: (event.phase == "X").then(|| end_of(event)),
                order,
                name: name(event),
                category: category(event),
                extras: extras_of(event),
            };
            match event.phase.as_str() {
                "X" => slices.push(slice),
                "B" => open.push(slice),
                _ => match open.pop() {
                    None => self.reading.lose("pop-empty"),
                    Some(mut slice) => {
                        slice.end = Some(time);
                        slice.extras.extend(extras_of(event));
                        slices.push(slice);
                    }
                },
            }
        }
        slices.append(&mut open);
        slices.sort_by_key(|slice| {
            let length = slice.end.map_or(i64::MAX, |end| end - slice.start);
            (slice.start, -length, slice.order)
        });
        slices
    }

    /// One unit of the last decimal that any time has.
    fn resolution(&self) -> i64 {
        let times = self.events.iter().flat_map(|(_, event)| {
            let duration = event.duration.filter(|_| event.phase == "X");
            [event.time.filter(|_| event.phase != "M"), duration]
        });
        let decimals = times.flatten().map(|time| {
            let text = microseconds(time);
            text.split_once('.').map_or(0, |(_, decimals)| decimals.len())
        });
        10i64.pow(3 - decimals.max().unwrap_or(0) as u32)
    }

    fn slices(&mut self) {
        let resolution = self.resolution();
        let threads: Vec<Party> =
            self.names.keys().copied().filter(|(_, thread)| thread.is_some()).collect();
        let all: Vec<(Party, Vec<Slice>)> =
            threads.into_iter().map(|thread| (thread, self.slices_of(thread))).collect();
        let pure = all.iter().all(|(_, slices)| {
            let categories: BTreeSet<_> = slices.iter().map(|slice| &slice.category).collect();
            categories.len() <= 1
        });
        let mut begins: BTreeMap<Party, Vec<i64>> = BTreeMap::new();
        for (thread, slices) in all {
            begins.insert(thread, slices.iter().map(|slice| slice.start).collect());
            self.lay_out(thread, slices, pure, resolution);
        }
        self.flows(&begins);
    }

    /// Puts each slice on the first lane where it is inside of, or apart from, all others.
    fn lay_out(&mut self, thread: Party, slices: Vec<Slice>, pure: bool, resolution: i64) {
        let mut lanes: Vec<Vec<(i64, i64)>> = Vec::new();
        for slice in slices {
            let mut end = slice.end.unwrap_or(i64::MAX);
            let mut lane = 0;
            let depth = loop {
                if lane == lanes.len() {
                    lanes.push(Vec::new());
                }
                let around: Vec<i64> = lanes[lane]
                    .iter()
                    .filter(|(_, end)| *end > slice.start)
                    .map(|(_, end)| *end)
                    .collect();
                let shortest = around.iter().copied().min().unwrap_or(i64::MAX);
                if end <= shortest {
                    break around.len();
                }
                if end.saturating_sub(shortest) <= resolution {
                    end = shortest;
                    self.reading.report("slice-clipped");
                    break around.len();
                }
                lane += 1;
            };
            lanes[lane].push((slice.start, end));
            if lane > 0 {
                self.reading.report("slice-overlap");
            }
            let mut extras = slice.extras;
            if !pure && !slice.category.is_empty() {
                extras.insert(0, ("cat".to_owned(), slice.category.clone()));
            }
            let of = if pure { type_name(&slice.category, "Slice") } else { "Slice".to_owned() };
            let container = match lane {
                0 => self.named(thread).to_owned(),
                lane => format!("{} #{}", self.named(thread), lane + 1),
            };
            self.state(&container, &of, slice.start, end, depth, &slice.name, &extras);
        }
    }

    #[allow(clippy::too_many_arguments, reason = "a row has so many columns")]
    pub(super) fn state(
        &mut self,
        container: &str,
        of: &str,
        start: i64,
        end: i64,
        depth: usize,
        name: &str,
        extras: &[(String, String)],
    ) {
        let open = end == i64::MAX;
        self.latest = self.latest.max(start).max(if open { start } else { end });
        let end = if open { self.end } else { end };
        if open {
            self.reading.report("state-open-at-end");
        }
        let word = if open { "open" } else { "closed" };
        let (name, extras) = (escape(name.as_bytes()), shown(extras));
        self.reading
            .rows
            .push(format!("S {container} {of} {start} {end} {depth} {name} {word} {extras}"));
    }

    fn flows(&mut self, begins: &BTreeMap<Party, Vec<i64>>) {
        type Point<'e> = (i64, usize, usize, &'e Event);
        let mut flows: BTreeMap<(String, String, String), Vec<Point<'e>>> = BTreeMap::new();
        for (order, event) in self.timed("stf") {
            let thread = (event.process, Some(event.thread));
            let mut time = event.time.unwrap_or(0);
            if event.phase == "f" && !event.binds_enclosing {
                let next = begins[&thread].iter().filter(|begin| **begin >= time).min();
                time = next.copied().unwrap_or(time);
            }
            let rank = ["s", "t", "f"].iter().position(|phase| event.phase == *phase).unwrap_or(0);
            let id = event.id.clone().unwrap_or_default();
            let key = (category(event), name(event), id);
            flows.entry(key).or_default().push((time, rank, order, event));
        }
        for ((category, _, _), mut points) in flows {
            points.sort_by_key(|(time, rank, order, _)| (*time, *rank, *order));
            for (time, ..) in &points {
                self.latest = self.latest.max(*time);
            }
            let mut last: Option<Point<'e>> = None;
            for point in points {
                let arrives = point.3.phase != "s";
                match last.take() {
                    Some(start) if arrives => self.link(&category, Some(start), Some(point)),
                    Some(start) => self.link(&category, Some(start), None),
                    None if arrives => self.link(&category, None, Some(point)),
                    None => {}
                }
                if point.3.phase != "f" {
                    last = Some(point);
                }
            }
            if last.is_some() {
                self.link(&category, last, None);
            }
        }
    }

    fn link(
        &mut self,
        category: &str,
        start: Option<(i64, usize, usize, &Event)>,
        end: Option<(i64, usize, usize, &Event)>,
    ) {
        if start.is_none() || end.is_none() {
            self.reading.report("link-unmatched");
        }
        let side = |point: Option<(i64, usize, usize, &Event)>| match point {
            None => ("?".to_owned(), "?"),
            Some((time, _, _, event)) => {
                (time.to_string(), self.named((event.process, Some(event.thread))))
            }
        };
        let ((from, source), (to, destination)) = (side(start), side(end));
        let mut extras = Vec::new();
        for (_, _, _, event) in start.into_iter().chain(end) {
            extras.extend(extras_of(event));
        }
        let value = start.or(end).map(|(_, _, _, event)| name(event)).unwrap_or_default();
        let (value, of) = (escape(value.as_bytes()), type_name(category, "Flow"));
        let extras = shown(&extras);
        self.reading
            .rows
            .push(format!("L 0 {of} {from} {to} {source} > {destination} {value} {extras}"));
    }

    fn instants(&mut self) {
        for (_, event) in self.timed("iI") {
            self.latest = self.latest.max(event.time.unwrap_or(0));
            let container = match event.reach {
                Some('g') => "0",
                Some('p') => self.named((event.process, None)),
                _ => self.named((event.process, Some(event.thread))),
            };
            let of = type_name(&category(event), "Instant");
            let (time, name) = (event.time.unwrap_or(0), escape(name(event).as_bytes()));
            let row = format!("E {container} {of} {time} {name} {}", shown(&extras_of(event)));
            self.reading.rows.push(row);
        }
    }

    /// Each series is a variable that changes when it is counted.
    fn counters(&mut self) {
        let mut series: BTreeMap<(i64, String), BTreeMap<i64, String>> = BTreeMap::new();
        for (_, event) in self.timed("C") {
            self.latest = self.latest.max(event.time.unwrap_or(0));
            let counter = event.name.clone().unwrap_or_default();
            for (name, value) in &event.args {
                let shown = match name.as_str() {
                    "value" => counter.clone(),
                    _ => format!("{counter}.{name}"),
                };
                let changes = series.entry((event.process, shown)).or_default();
                changes.insert(event.time.unwrap_or(0), value.text().to_owned());
            }
        }
        for ((process, shown), changes) in series {
            let ends: Vec<i64> = changes.keys().copied().skip(1).chain([self.end]).collect();
            for ((start, value), end) in changes.into_iter().zip(ends) {
                let container = self.named((process, None)).to_owned();
                let value: f64 = value.parse().unwrap_or(f64::NAN);
                let shown = escape(shown.as_bytes());
                self.reading.rows.push(format!("V {container} {shown} {start} {end} {value:?}"));
            }
        }
    }
}
