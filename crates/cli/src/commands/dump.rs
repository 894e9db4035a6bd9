//! `onca dump`: every entity as a row, in the order and the form of `pj_dump`.
//!
//! Compatible mode reproduces `pj_dump -l 9 -u` of PajeNG 1.3.6 byte for byte, with what is odd
//! about it: variables pass through 32-bit numbers, containers are written with six digits, the
//! trace ends where its last line says, entities that start after that are left out, and names
//! are not quoted. Without it, all times are exact and names with commas are quoted.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use onca_model::{
    Catalog, ContainerId, LaneId, Nature, Ticks, TypeId, ValueId, display_text, extra_fields,
};
use onca_query::{LensError, Scope};
use onca_store::{Store, StoreError, TrackId};
use serde_json::{Map, Value, json};

use crate::look::LookArgs;
use crate::outcome::{Exit, Failure, written};
use crate::trace::TraceArgs;

/// Print every entity as a row
///
/// The rows are those of pj_dump: Container, State, Variable, Event and Link, with the values of
/// extra fields at the end.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca dump run.paje > run.csv
  onca dump run.paje --kinds state,link --from 1.5 --to 2
  onca dump run.paje --pj-dump-compat | cmp - <(pj_dump -l 9 -u run.paje)")]
pub struct Args {
    #[command(flatten)]
    trace: TraceArgs,

    /// Only these kinds of rows
    #[arg(long, value_delimiter = ',', value_name = "KINDS")]
    kinds: Vec<Kind>,

    #[command(flatten)]
    look: LookArgs,

    /// Name the columns of each kind first
    #[arg(long)]
    header: bool,

    /// Print exactly what pj_dump -l 9 -u prints, oddities included
    #[arg(long, conflicts_with_all = ["json", "header", "from", "to"])]
    pj_dump_compat: bool,

    /// Print one JSON object a row
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Kind {
    Container,
    State,
    Variable,
    Event,
    Link,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Container, Self::State, Self::Variable, Self::Event, Self::Link];

    fn columns(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Container => {
                ("Container", &["parent", "type", "start", "end", "duration", "name"])
            }
            Self::State => {
                ("State", &["container", "type", "start", "end", "duration", "depth", "value"])
            }
            Self::Variable => {
                ("Variable", &["container", "type", "start", "end", "duration", "value"])
            }
            Self::Event => ("Event", &["container", "type", "time", "value"]),
            Self::Link => (
                "Link",
                &[
                    "owner",
                    "type",
                    "start",
                    "end",
                    "duration",
                    "value",
                    "source",
                    "destination",
                    "key",
                ],
            ),
        }
    }
}

/// Prints the rows.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let trace = match args.pj_dump_compat {
        true => args.trace.open_as_pajeng()?,
        false => args.trace.open()?,
    };
    trace.mention_problems();
    let catalog = trace.store.catalog();
    let window = args.look.window.unchecked(&catalog.facts, Ticks::MIN, Ticks::MAX)?;
    let scope = args.look.lens.scope(&trace.store, window)?;
    let form = match (args.pj_dump_compat, args.json) {
        (true, _) => Form::Compatible,
        (_, true) => Form::Json,
        _ => Form::Exact,
    };
    let kinds = if args.kinds.is_empty() { Kind::ALL.to_vec() } else { args.kinds.clone() };
    let out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let round_values = form == Form::Compatible && !trace.as_pajeng;
    let mut dump =
        Dump { scope: &scope, store: &trace.store, catalog, form, kinds, round_values, out };
    match dump.all(args.header) {
        Ok(()) => {}
        Err(DumpError::Read(error)) => return Err(error.into()),
        Err(DumpError::Write(error)) => written(Err(error))?,
    }
    Ok(Exit::from_lost(catalog.facts.lost))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Exact,
    Compatible,
    Json,
}

enum DumpError {
    Read(LensError),
    Write(io::Error),
}

impl From<LensError> for DumpError {
    fn from(error: LensError) -> Self {
        Self::Read(error)
    }
}

impl From<StoreError> for DumpError {
    fn from(error: StoreError) -> Self {
        Self::Read(error.into())
    }
}

impl From<io::Error> for DumpError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

/// A column of a row.
enum Cell<'a> {
    Name(&'a [u8]),
    Time(Option<Ticks>),
    Depth(usize),
    Number(f64),
}

struct Dump<'a, W> {
    scope: &'a Scope<'a>,
    store: &'a Store,
    catalog: &'a Catalog,
    form: Form,
    kinds: Vec<Kind>,
    /// Values of variables still have to pass through 32-bit numbers.
    round_values: bool,
    out: W,
}

/// The tree of containers and types in the order of the dump.
struct Order {
    /// Children of each container, in ascending order of type and identifier; those of
    /// container `c` are `children[starts[c]..starts[c + 1]]`.
    children: Vec<ContainerId>,
    starts: Vec<usize>,
    /// Where each type stands in ascending order of identifiers.
    rank: Vec<usize>,
}

impl Order {
    fn new(catalog: &Catalog) -> Self {
        let mut types: Vec<usize> = (0..catalog.types.len()).collect();
        types.sort_by_key(|&index| (catalog.types[index].identifier(), index));
        let mut rank = vec![0; types.len()];
        for (place, &index) in types.iter().enumerate() {
            rank[index] = place;
        }
        let containers = &catalog.containers;
        let mut children: Vec<ContainerId> =
            (1..containers.len() as u32).map(ContainerId).collect();
        children.sort_by(|&a, &b| {
            let key = |id: ContainerId| {
                let (parent, type_id) =
                    (containers.parents[id.index()], containers.types[id.index()]);
                (parent, rank[type_id.index()])
            };
            key(a)
                .cmp(&key(b))
                .then_with(|| containers.identifier(a).cmp(containers.identifier(b)))
                .then_with(|| a.cmp(&b))
        });
        let mut starts = vec![0; containers.len() + 1];
        for child in &children {
            starts[containers.parents[child.index()].index() + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        Self { children, starts, rank }
    }

    fn children(&self, parent: ContainerId) -> &[ContainerId] {
        &self.children[self.starts[parent.index()]..self.starts[parent.index() + 1]]
    }
}

impl<'a, W: Write> Dump<'a, W> {
    fn value(&self, id: ValueId) -> &'a [u8] {
        &self.catalog.values[id.index()].name
    }

    fn all(&mut self, header: bool) -> Result<(), DumpError> {
        if header {
            self.header()?;
        }
        let order = Order::new(self.catalog);
        let mut open = vec![ContainerId::ROOT];
        while let Some(container) = open.pop() {
            self.container(container)?;
            let mut tracks: Vec<TrackId> =
                self.store.tracks().of_container(container).map(TrackId).collect();
            let type_of = |track: &TrackId| {
                self.store.tracks().get(*track).map_or(TypeId::ROOT, |track| track.type_id)
            };
            tracks.sort_by_key(|track| order.rank[type_of(track).index()]);
            for track in tracks {
                self.track(container, track)?;
            }
            open.extend_from_slice(order.children(container));
        }
        self.out.flush()?;
        Ok(())
    }

    fn header(&mut self) -> io::Result<()> {
        for kind in self.kinds.clone() {
            let (name, columns) = kind.columns();
            writeln!(self.out, "#{name}, {}", columns.join(", "))?;
        }
        Ok(())
    }

    /// Where the trace ends: compatible mode believes the last line.
    fn end_of_trace(&self) -> Option<Ticks> {
        match self.form {
            Form::Compatible => self.catalog.facts.last_line,
            Form::Exact | Form::Json => Some(self.catalog.facts.end),
        }
    }

    /// The end of a container.
    fn end_of(&self, container: ContainerId) -> Option<Ticks> {
        match self.catalog.containers.destroyed[container.index()] {
            true => Some(self.catalog.containers.ends[container.index()]),
            false => self.end_of_trace(),
        }
    }

    fn container(&mut self, id: ContainerId) -> Result<(), DumpError> {
        let container = self.catalog.containers.get(id);
        let touches = self.scope.window().touches(container.start, container.end);
        let seen = self.scope.containers().contains(id);
        let wanted = seen && (touches || id == ContainerId::ROOT);
        if !self.kinds.contains(&Kind::Container) || !wanted {
            return Ok(());
        }
        let parent = self.catalog.containers.names.get(container.parent.index());
        let type_name = &self.catalog.type_def(container.type_id).name;
        let end = self.end_of(id);
        if self.form == Form::Compatible {
            return self.compatible_container(parent, type_name, container.start, end, container);
        }
        let duration = end.map(|end| end.saturating_sub(container.start));
        let cells = [
            Cell::Name(parent),
            Cell::Name(type_name),
            Cell::Time(Some(container.start)),
            Cell::Time(end),
            Cell::Time(duration),
            Cell::Name(container.name),
        ];
        self.row(Kind::Container, &cells, container.extras)
    }

    /// Containers have six significant digits, whatever is asked for.
    fn compatible_container(
        &mut self,
        parent: &[u8],
        type_name: &[u8],
        start: Ticks,
        end: Option<Ticks>,
        container: onca_model::Container<'_>,
    ) -> Result<(), DumpError> {
        let unit = &self.catalog.facts.unit;
        let start = unit.units(start);
        let end = end.map_or(-1.0, |end| unit.units(end));
        self.out.write_all(b"Container, ")?;
        self.out.write_all(parent)?;
        self.out.write_all(b", ")?;
        self.out.write_all(type_name)?;
        write!(
            self.out,
            ", {}, {}, {}, ",
            six_digits(start),
            six_digits(end),
            six_digits(end - start)
        )?;
        self.out.write_all(container.name)?;
        self.extras(container.extras)?;
        self.out.write_all(b"\n")?;
        Ok(())
    }

    fn track(&mut self, container: ContainerId, track: TrackId) -> Result<(), DumpError> {
        let Some(type_id) = self.store.tracks().get(track).map(|track| track.type_id) else {
            return Ok(());
        };
        let (kind, nature) = match self.catalog.type_def(type_id).nature {
            Nature::State => (Kind::State, Nature::State),
            Nature::Variable => (Kind::Variable, Nature::Variable),
            Nature::Event => (Kind::Event, Nature::Event),
            Nature::Link => (Kind::Link, Nature::Link),
            Nature::Container => return Ok(()),
        };
        let Some(&lane) = self.store.tracks().lanes(track).first() else { return Ok(()) };
        // A link is seen when its ends are, whoever owns it.
        let seen = nature == Nature::Link || self.scope.containers().contains(container);
        if !seen || !self.scope.sees_type(type_id) {
            return Ok(());
        }
        if !self.kinds.contains(&kind) || self.store.n_rows(lane) == 0 && nature != Nature::State {
            return Ok(());
        }
        let limits = Limits::new(self.form, self.end_of_trace());
        let names = Names {
            container: self.catalog.containers.names.get(container.index()),
            type_name: &self.catalog.type_def(type_id).name,
        };
        match nature {
            Nature::State => self.states(container, track, names, limits),
            Nature::Variable => self.variables(container, lane, names, limits),
            Nature::Event => self.events(lane, names, limits),
            _ => self.links(lane, names, limits),
        }
    }

    fn states(
        &mut self,
        container: ContainerId,
        track: TrackId,
        names: Names<'_>,
        mut limits: Limits,
    ) -> Result<(), DumpError> {
        let lanes = self.store.tracks().lanes(track);
        let mut texts: Vec<_> = lanes.iter().map(|&lane| self.store.texts(lane)).collect();
        let mut failed = Ok(());
        let end = self.end_of(container);
        self.scope.visit_states(track, |depth, row, state| {
            if failed.is_err() || !limits.takes(state.start) {
                return;
            }
            let state_end = match self.form == Form::Compatible && state.open_ended {
                true => end.unwrap_or(state.end),
                false => state.end,
            };
            failed = (|| {
                let cells = [
                    Cell::Name(names.container),
                    Cell::Name(names.type_name),
                    Cell::Time(Some(state.start)),
                    Cell::Time(Some(state_end)),
                    Cell::Time(Some(self.duration(state.start, state_end))),
                    Cell::Depth(depth),
                    Cell::Name(self.value(state.value)),
                ];
                let (_, extras) = texts[depth].get(row)?;
                self.row(Kind::State, &cells, extras)
            })();
        })?;
        failed
    }

    fn variables(
        &mut self,
        container: ContainerId,
        lane: LaneId,
        names: Names<'_>,
        mut limits: Limits,
    ) -> Result<(), DumpError> {
        let mut failed = Ok(());
        let last = self.store.n_rows(lane) - 1;
        let end = self.end_of(container);
        let destroyed = self.catalog.containers.destroyed[container.index()];
        let mut texts = self.store.texts(lane);
        self.scope.visit_variables(lane, |row, step| {
            if failed.is_err() || !limits.takes(step.start) {
                return;
            }
            let open_ended = row == last && !destroyed;
            let step_end = match self.form == Form::Compatible && open_ended {
                true => end.unwrap_or(step.end),
                false => step.end,
            };
            failed = (|| {
                let value = match self.round_values {
                    true => f64::from(step.value as f32),
                    false => step.value,
                };
                let cells = [
                    Cell::Name(names.container),
                    Cell::Name(names.type_name),
                    Cell::Time(Some(step.start)),
                    Cell::Time(Some(step_end)),
                    Cell::Time(Some(self.duration(step.start, step_end))),
                    Cell::Number(value),
                ];
                let (_, extras) = texts.get(row)?;
                self.row(Kind::Variable, &cells, extras)
            })();
        })?;
        failed
    }

    fn events(
        &mut self,
        lane: LaneId,
        names: Names<'_>,
        mut limits: Limits,
    ) -> Result<(), DumpError> {
        let mut failed = Ok(());
        let mut texts = self.store.texts(lane);
        self.scope.visit_events(lane, |row, event| {
            if failed.is_err() || !limits.takes(event.time) {
                return;
            }
            failed = (|| {
                let cells = [
                    Cell::Name(names.container),
                    Cell::Name(names.type_name),
                    Cell::Time(Some(event.time)),
                    Cell::Name(self.value(event.value)),
                ];
                let (_, extras) = texts.get(row)?;
                self.row(Kind::Event, &cells, extras)
            })();
        })?;
        failed
    }

    fn links(
        &mut self,
        lane: LaneId,
        names: Names<'_>,
        mut limits: Limits,
    ) -> Result<(), DumpError> {
        let mut failed = Ok(());
        let mut texts = self.store.texts(lane);
        self.scope.visit_links(lane, |row, link| {
            let half = link.source.is_none() || link.destination.is_none();
            // pj_dump -z leaves out links that have only one half.
            let left_out = self.form == Form::Compatible && half;
            if failed.is_err() || left_out || !limits.takes(link.start) {
                return;
            }
            failed = (|| {
                let end_name = |id: Option<ContainerId>| {
                    id.map_or(&b"?"[..], |id| self.catalog.containers.names.get(id.index()))
                };
                let (start, end) = (
                    link.source.is_some().then_some(link.start),
                    link.destination.is_some().then_some(link.end),
                );
                let duration = start.zip(end).map(|(start, end)| self.duration(start, end));
                let (key, extras) = texts.get(row)?;
                let cells = [
                    Cell::Name(names.container),
                    Cell::Name(names.type_name),
                    Cell::Time(start),
                    Cell::Time(end),
                    Cell::Time(duration),
                    Cell::Name(self.value(link.value)),
                    Cell::Name(end_name(link.source)),
                    Cell::Name(end_name(link.destination)),
                    Cell::Name(key),
                ];
                self.row(Kind::Link, &cells, extras)
            })();
        })?;
        failed
    }

    fn duration(&self, start: Ticks, end: Ticks) -> Ticks {
        match self.form == Form::Compatible && (start < 0 || end < 0) {
            true => 0,
            false => end.saturating_sub(start),
        }
    }

    fn row(&mut self, kind: Kind, cells: &[Cell<'_>], extras: &[u8]) -> Result<(), DumpError> {
        if self.form == Form::Json {
            return self.json_row(kind, cells, extras);
        }
        self.out.write_all(kind.columns().0.as_bytes())?;
        for cell in cells {
            self.out.write_all(b", ")?;
            self.cell(cell)?;
        }
        self.extras(extras)?;
        self.out.write_all(b"\n")?;
        Ok(())
    }

    fn cell(&mut self, cell: &Cell<'_>) -> io::Result<()> {
        match *cell {
            Cell::Name(name) if self.form == Form::Compatible => self.out.write_all(name),
            Cell::Name(name) => self.out.write_all(&quoted(name)),
            Cell::Time(None) => self.out.write_all(b"?"),
            Cell::Time(Some(time)) if self.form == Form::Compatible => {
                write!(self.out, "{:.9}", self.catalog.facts.unit.units(time))
            }
            Cell::Time(Some(time)) => {
                self.out.write_all(self.catalog.facts.unit.format(time).as_bytes())
            }
            Cell::Depth(depth) if self.form == Form::Compatible => {
                write!(self.out, "{depth}.000000000")
            }
            Cell::Depth(depth) => write!(self.out, "{depth}"),
            Cell::Number(number) if self.form == Form::Compatible => {
                self.out.write_all(nine_decimals(number).as_bytes())
            }
            Cell::Number(number) => write!(self.out, "{number}"),
        }
    }

    fn extras(&mut self, packed: &[u8]) -> io::Result<()> {
        for extra in extra_fields(packed) {
            if self.form == Form::Compatible {
                // pj_dump knows these names, and therefore does not print their values.
                let name = self.catalog.field_name(extra.field);
                let known = matches!(&*name, b"File" | b"Line" | b"Filename");
                if known || extra.field.surplus_number().is_some() {
                    continue;
                }
            }
            self.out.write_all(b", ")?;
            self.cell(&Cell::Name(extra.text))?;
        }
        Ok(())
    }

    fn json_row(&mut self, kind: Kind, cells: &[Cell<'_>], extras: &[u8]) -> Result<(), DumpError> {
        let (name, columns) = kind.columns();
        let mut object = Map::new();
        object.insert("kind".to_owned(), json!(name.to_lowercase()));
        for (column, cell) in columns.iter().zip(cells) {
            let value = match *cell {
                Cell::Name(name) => json!(display_text(name)),
                Cell::Time(time) => {
                    object.insert(format!("{column}_ticks"), json!(time));
                    json!(time.map(|time| self.catalog.facts.unit.units(time)))
                }
                Cell::Depth(depth) => json!(depth),
                Cell::Number(number) => json!(number),
            };
            object.insert((*column).to_owned(), value);
        }
        // A list: both halves of a link may have a field of one name.
        let fields: Vec<Value> = extra_fields(extras)
            .map(|extra| {
                let name = self.catalog.field_name(extra.field);
                json!({"name": display_text(&name), "text": display_text(extra.text)})
            })
            .collect();
        if !fields.is_empty() {
            object.insert("extras".to_owned(), Value::Array(fields));
        }
        writeln!(self.out, "{}", Value::Object(object))?;
        Ok(())
    }
}

/// The names that all rows of a track share.
#[derive(Clone, Copy)]
struct Names<'a> {
    container: &'a [u8],
    type_name: &'a [u8],
}

/// Which entities of a track `pj_dump` prints: it stops after the first that starts at or after
/// the end of the trace.
struct Limits {
    end: Ticks,
    over: bool,
}

impl Limits {
    fn new(form: Form, end_of_trace: Option<Ticks>) -> Self {
        let end = match form {
            Form::Compatible => end_of_trace.unwrap_or(Ticks::MIN),
            Form::Exact | Form::Json => Ticks::MAX,
        };
        Self { end, over: false }
    }

    fn takes(&mut self, start: Ticks) -> bool {
        let taken = !self.over;
        self.over |= start >= self.end;
        taken
    }
}

/// A name in a row: quoted when it holds what would end the field.
fn quoted(name: &[u8]) -> Cow<'_, [u8]> {
    if !name.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        return Cow::Borrowed(name);
    }
    let mut quoted = vec![b'"'];
    for &byte in name {
        if byte == b'"' {
            quoted.push(b'"');
        }
        quoted.push(byte);
    }
    quoted.push(b'"');
    Cow::Owned(quoted)
}

/// C's `%.9f`.
fn nine_decimals(number: f64) -> String {
    if number.is_nan() {
        return if number.is_sign_negative() { "-nan" } else { "nan" }.to_owned();
    }
    if number.is_infinite() {
        return if number < 0.0 { "-inf" } else { "inf" }.to_owned();
    }
    format!("{number:.9}")
}

/// C's `%g`: six significant digits, trailing zeros removed.
fn six_digits(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{number:.5e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..6).contains(&exponent) {
        let decimals = (5 - exponent).max(0) as usize;
        return trimmed(&format!("{number:.decimals$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_digits_are_those_of_c() {
        for (number, text) in [
            (0.0, "0"),
            (4.485137, "4.48514"),
            (1234567890.0, "1.23457e+09"),
            (0.000001234, "1.234e-06"),
            (446.744123, "446.744"),
            (10.0, "10"),
            (999999.5, "1e+06"),
            (0.0001, "0.0001"),
            (-1.0, "-1"),
            (100000.0, "100000"),
        ] {
            assert_eq!(six_digits(number), text, "{number}");
        }
    }

    #[test]
    fn names_that_would_end_a_field_are_quoted() {
        assert_eq!(&*quoted(b"plain name"), b"plain name");
        assert_eq!(&*quoted(b"a, \"b\""), b"\"a, \"\"b\"\"\"");
    }
}
