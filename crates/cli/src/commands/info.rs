//! `onca info`: what is in a trace.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use onca_answer::wire::{CountsJson, FieldDefJson, List, StepJson, UnitJson};
use onca_answer::{changes_json, changes_text};
use onca_model::{
    Catalog, ContainerId, Nature, Ticks, TypeId, ValueId, Window, display_text, printable,
};
use onca_store::{Measure, Store, TrackId};
use serde::Serialize;

use crate::problems::{self, JsonProblem};
use crate::trace::{OpenTrace, TraceArgs, source_bytes};
use onca_program::format::{bar, byte_size, count_of, grouped, percent, shown};
use onca_program::{Exit, Failure, print, write_json};

/// Tell what is in a trace
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca info run.paje
  onca info --json run.paje")]
pub struct Args {
    #[command(flatten)]
    trace: TraceArgs,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Answers.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let trace = args.trace.open()?;
    let info = Info::of(&trace.store)?;
    print(|out| match args.json {
        true => write_json(out, &info.json(&trace)),
        false => info.print(out, &trace),
    })?;
    Ok(Exit::from_lost(trace.store.catalog().facts.lost))
}

/// How much of each there is.
struct Info<'a> {
    catalog: &'a Catalog,
    store: &'a Store,
    /// Rows of each type; containers for container types.
    rows: Vec<u64>,
    /// Time in each value of the state types, nested states counted each.
    inclusive: BTreeMap<ValueId, Ticks>,
    /// Time in each value while it is the innermost.
    exclusive: BTreeMap<ValueId, Ticks>,
    /// States, events and links of each value.
    counts: BTreeMap<ValueId, u64>,
    /// By type: its values that occur, by time and count.
    values: Vec<Vec<ValueId>>,
    /// By type: the types right below it.
    children: Vec<Vec<TypeId>>,
}

impl<'a> Info<'a> {
    fn of(store: &'a Store) -> Result<Self, Failure> {
        let catalog = store.catalog();
        let mut info = Self {
            catalog,
            store,
            rows: vec![0; catalog.types.len()],
            inclusive: BTreeMap::new(),
            exclusive: BTreeMap::new(),
            counts: BTreeMap::new(),
            values: vec![Vec::new(); catalog.types.len()],
            children: vec![Vec::new(); catalog.types.len()],
        };
        for type_id in &catalog.containers.types {
            info.rows[type_id.index()] += 1;
        }
        for index in 0..catalog.types.len() {
            info.add_type(TypeId(index as u32))?;
        }
        info.sort_values();
        for (index, def) in catalog.types.iter().enumerate().skip(1) {
            info.children[def.parent.index()].push(TypeId(index as u32));
        }
        Ok(info)
    }

    fn add_type(&mut self, type_id: TypeId) -> Result<(), Failure> {
        let tracks = self.store.tracks();
        let of_type: &[TrackId] = tracks.of_type(type_id);
        let lanes = || of_type.iter().flat_map(|&track| tracks.lanes(track).iter().copied());
        self.rows[type_id.index()] += lanes().map(|lane| self.store.n_rows(lane)).sum::<u64>();
        let all = Window::ALL;
        match self.catalog.type_def(type_id).nature {
            Nature::State => {
                self.inclusive.extend(self.store.state_time_of(
                    of_type,
                    all,
                    Measure::Inclusive,
                )?);
                self.exclusive.extend(self.store.state_time_of(
                    of_type,
                    all,
                    Measure::Exclusive,
                )?);
                self.counts.extend(self.store.state_counts_of(of_type, all)?);
            }
            Nature::Event => {
                for lane in lanes() {
                    for (value, count) in self.store.event_counts(lane, all)? {
                        *self.counts.entry(value).or_default() += count;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn sort_values(&mut self) {
        for &id in self.counts.keys() {
            self.values[self.catalog.value(id).type_id.index()].push(id);
        }
        let key = |id: &ValueId| {
            (self.exclusive.get(id).copied().unwrap_or(0), self.counts.get(id).copied())
        };
        for values in &mut self.values {
            values.sort_by_key(|id| std::cmp::Reverse(key(id)));
        }
    }

    // Text

    fn print(&self, out: &mut impl Write, trace: &OpenTrace) -> io::Result<()> {
        let facts = &self.catalog.facts;
        let unit = &facts.unit;
        writeln!(out, "{}", trace.name())?;
        if let Some(producer) = &facts.producer {
            writeln!(out, "  written by   {}", printable(producer.as_bytes()))?;
        }
        for change in changes_text(self.store) {
            writeln!(out, "  changed      {}", printable(change.as_bytes()))?;
        }
        let assumed = if unit.assumed { " (unit assumed)" } else { "" };
        writeln!(
            out,
            "  time         {} to {} {}, duration {}{assumed}",
            unit.format(facts.start),
            unit.format(facts.end),
            unit.name,
            unit.format(facts.end.saturating_sub(facts.start)),
        )?;
        let lost =
            if facts.lost > 0 { format!(", {} lost", grouped(facts.lost)) } else { String::new() };
        writeln!(out, "  records      {}{lost}", grouped(facts.records))?;
        let counts = self.store.counts();
        writeln!(
            out,
            "  entities     {}, {}, {}, {}, {}",
            count_of(counts.containers, "container"),
            count_of(counts.states, "state"),
            count_of(counts.links, "link"),
            count_of(counts.events, "event"),
            count_of(counts.variables, "variable interval"),
        )?;
        let share = match source_bytes(self.store) {
            Some(bytes) if bytes > 0 => {
                format!(" ({} of the text)", percent(self.store.bytes() as f64 / bytes as f64))
            }
            _ => String::new(),
        };
        let place = shown(self.store.dir());
        writeln!(out, "  store        {}{share}, {place}", byte_size(self.store.bytes()))?;
        self.print_types(out)?;
        self.print_containers(out)?;
        self.print_fields(out)?;
        self.print_problems(out, trace)
    }

    fn print_types(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "\ntypes")?;
        let mut open: Vec<(TypeId, usize)> =
            self.children[TypeId::ROOT.index()].iter().rev().map(|&id| (id, 1)).collect();
        while let Some((id, depth)) = open.pop() {
            self.print_type(out, id, depth)?;
            let below = self.children[id.index()].iter().rev();
            open.extend(below.map(|&child| (child, depth + 1)));
        }
        Ok(())
    }

    fn print_type(&self, out: &mut impl Write, id: TypeId, depth: usize) -> io::Result<()> {
        let def = self.catalog.type_def(id);
        let indent = "  ".repeat(depth.min(20));
        let ends = match def.ends {
            Some((start, end)) => format!(
                ", {} to {}",
                printable(&self.catalog.type_def(start).name),
                printable(&self.catalog.type_def(end).name)
            ),
            None => String::new(),
        };
        let (name, nature) = (printable(&def.name), def.nature.name());
        let rows = grouped(self.rows[id.index()]);
        writeln!(out, "{indent}{name} ({nature}{ends}): {rows}")?;
        self.print_values(out, id, &indent)
    }

    fn print_values(&self, out: &mut impl Write, id: TypeId, indent: &str) -> io::Result<()> {
        const SHOWN: usize = 20;
        let values = &self.values[id.index()];
        let unit = &self.catalog.facts.unit;
        let total: Ticks = values.iter().filter_map(|value| self.exclusive.get(value)).sum();
        let width = values
            .iter()
            .take(SHOWN)
            .map(|&value| printable(&self.catalog.value(value).name).chars().count())
            .max()
            .unwrap_or(0)
            .min(40);
        for &value in values.iter().take(SHOWN) {
            let name = printable(&self.catalog.value(value).name).into_owned();
            let count = self.counts.get(&value).copied().unwrap_or(0);
            let is_state = self.catalog.type_def(id).nature == Nature::State;
            match self.exclusive.get(&value).or(is_state.then_some(&0)) {
                None => writeln!(out, "{indent}  {name:width$}  {:>12}", grouped(count))?,
                Some(&ticks) => {
                    let share = if total > 0 { ticks as f64 / total as f64 } else { 0.0 };
                    writeln!(
                        out,
                        "{indent}  {name:width$}  {:>12}  {:>20} {}  {:>7}  {}",
                        grouped(count),
                        unit.format(ticks),
                        unit.name,
                        percent(share),
                        bar(share, 20)
                    )?;
                }
            }
        }
        if values.len() > SHOWN {
            writeln!(out, "{indent}  and {} more values", grouped((values.len() - SHOWN) as u64))?;
        }
        Ok(())
    }

    /// The container tree by levels: how many of each type, and the first names.
    fn print_containers(&self, out: &mut impl Write) -> io::Result<()> {
        let containers = &self.catalog.containers;
        let mut depth = vec![0usize; containers.len()];
        let mut levels: BTreeMap<(usize, TypeId), (u64, Vec<ContainerId>)> = BTreeMap::new();
        for index in 1..containers.len() {
            depth[index] = depth[containers.parents[index].index()] + 1;
            let level = levels.entry((depth[index], containers.types[index])).or_default();
            level.0 += 1;
            if level.1.len() < 3 {
                level.1.push(ContainerId(index as u32));
            }
        }
        writeln!(out, "\ncontainers")?;
        for ((depth, type_id), (count, first)) in levels {
            let names: Vec<_> =
                first.iter().map(|id| printable(containers.names.get(id.index()))).collect();
            let more = if count > names.len() as u64 { ", ..." } else { "" };
            let type_name = printable(&self.catalog.type_def(type_id).name);
            let indent = "  ".repeat(depth.min(20));
            writeln!(out, "{indent}{} {type_name}: {}{more}", grouped(count), names.join(", "))?;
        }
        Ok(())
    }

    fn print_fields(&self, out: &mut impl Write) -> io::Result<()> {
        if self.catalog.fields.is_empty() {
            return Ok(());
        }
        let names: Vec<_> =
            self.catalog.fields.iter().map(|field| printable(&field.name).into_owned()).collect();
        writeln!(out, "\nextra fields declared\n  {}", names.join(", "))
    }

    fn print_problems(&self, out: &mut impl Write, trace: &OpenTrace) -> io::Result<()> {
        let (diagnostics, lost) = (&self.catalog.diagnostics, self.catalog.facts.lost);
        let Some(summary) = problems::summary(diagnostics, lost, &trace.name()) else {
            return Ok(());
        };
        writeln!(out, "\nproblems\n  {summary}")?;
        for (code, tally) in diagnostics.iter() {
            let first = tally.samples.first().map_or(0, |problem| problem.position.line);
            let place = if first > 0 { format!(", first in line {first}") } else { String::new() };
            let (severity, code) = (tally.severity.name(), code.name());
            writeln!(out, "  {severity:<7} {code}: {}{place}", grouped(tally.count))?;
        }
        Ok(())
    }

    // JSON

    fn json<'t>(&'t self, trace: &'t OpenTrace) -> InfoJson<'t> {
        let facts = &self.catalog.facts;
        let types = (0..self.catalog.types.len() as u32).map(TypeId);
        InfoJson {
            schema: "onca-info/1",
            trace: trace.path().display().to_string(),
            producer: facts.producer.as_deref(),
            changes: changes_json(self.store),
            unit: UnitJson::new(&facts.unit),
            records: facts.records,
            lost: facts.lost,
            truncated: facts.truncated,
            start: facts.unit.units(facts.start),
            end: facts.unit.units(facts.end),
            start_ticks: facts.start,
            end_ticks: facts.end,
            counts: CountsJson::new(self.store.counts()),
            types: List::new(types.map(|id| self.json_type(id))),
            fields: List::new(self.catalog.fields.iter().map(FieldDefJson::new)),
            store: StoreJson {
                path: self.store.dir().display().to_string(),
                bytes: self.store.bytes(),
                source_bytes: source_bytes(self.store),
            },
            diagnostics: problems::json(&self.catalog.diagnostics, &trace.files),
        }
    }

    fn json_type(&self, id: TypeId) -> TypeJson<'_> {
        let def = self.catalog.type_def(id);
        TypeJson {
            id: id.0,
            name: display_text(&def.name),
            alias: def.alias.as_deref().map(display_text),
            nature: def.nature.name(),
            parent: def.parent.0,
            color: def.color.map(|color| color.to_string()),
            count: self.rows[id.index()],
            values: List::new(self.values[id.index()].iter().map(|&value| self.json_value(value))),
        }
    }

    fn json_value(&self, id: ValueId) -> ValueJson<'_> {
        let def = self.catalog.value(id);
        let unit = &self.catalog.facts.unit;
        let is_state = self.catalog.type_def(def.type_id).nature == Nature::State;
        let inclusive = self.inclusive.get(&id).copied().or(is_state.then_some(0));
        let exclusive = self.exclusive.get(&id).copied().or(is_state.then_some(0));
        ValueJson {
            name: display_text(&def.name),
            color: def.color.map(|color| color.to_string()),
            count: self.counts.get(&id).copied().unwrap_or(0),
            time: inclusive.map(|ticks| unit.units(ticks)),
            time_ticks: inclusive,
            exclusive: exclusive.map(|ticks| unit.units(ticks)),
            exclusive_ticks: exclusive,
        }
    }
}

/// What `onca info --json` prints: `onca-info/1`.
#[derive(Serialize)]
struct InfoJson<'a> {
    schema: &'static str,
    /// The trace as it was named.
    trace: String,
    /// The program that wrote it, if it can be told.
    producer: Option<&'a str>,
    /// What was done to times on the way from the sources, first to last.
    changes: Vec<StepJson<'a>>,
    unit: UnitJson<'a>,
    /// Lines that are neither blank nor comment nor header.
    records: u64,
    /// Records without any effect.
    lost: u64,
    /// The source ends in the middle of a line or of a compressed stream.
    truncated: bool,
    /// The earliest time in the trace, in units.
    start: f64,
    /// The latest time in the trace, in units.
    end: f64,
    start_ticks: Ticks,
    end_ticks: Ticks,
    counts: CountsJson,
    /// All types, the root type first.
    types: List<'a, TypeJson<'a>>,
    /// The extra fields.
    fields: List<'a, FieldDefJson<'a>>,
    store: StoreJson,
    /// The problems by code.
    diagnostics: Vec<JsonProblem>,
}

#[derive(Serialize)]
struct StoreJson {
    path: String,
    /// On disk.
    bytes: u64,
    /// The length of the text, decompressed.
    source_bytes: Option<u64>,
}

#[derive(Serialize)]
struct TypeJson<'a> {
    /// Its number; types come in order of definition.
    id: u32,
    name: Cow<'a, str>,
    alias: Option<Cow<'a, str>>,
    /// `container`, `state`, `event`, `variable` or `link`.
    nature: &'static str,
    /// The id of the container type that it belongs to; the root is its own.
    parent: u32,
    /// As `#rrggbb` or `#rrggbbaa`.
    color: Option<String>,
    /// How many containers, states, events, intervals or links there are.
    count: u64,
    /// The values of a state or event type that occur, the longest first.
    values: List<'a, ValueJson<'a>>,
}

/// A value. Events have no time.
#[derive(Serialize)]
struct ValueJson<'a> {
    name: Cow<'a, str>,
    /// As `#rrggbb` or `#rrggbbaa`.
    color: Option<String>,
    /// How often it occurs.
    count: u64,
    /// Time in this value over all containers, in units; a state that has others inside counts in full.
    time: Option<f64>,
    time_ticks: Option<Ticks>,
    /// The same, but each tick counts for the innermost state only.
    exclusive: Option<f64>,
    exclusive_ticks: Option<Ticks>,
}
