//! Tables as CSV files (RFC 4180). Their columns have the names that they have in SQL; two things of
//! SQL are not here: the column `exclusive_ticks` of states, and the table of diagnostics.

use std::collections::HashSet;
use std::io::{self, Write};

use onca_model::{
    Catalog, ContainerId, FieldId, Nature, Ticks, TypeId, ValueId, csv_field, display_text,
    extra_fields,
};
use onca_query::{Scope, container_path};
use onca_store::ContainerSet;

use crate::{
    Border, Progress, Summary,
    clip::{Clip, Clipped},
    error::Result,
    seen::{self, SeenTrack},
};

/// How CSV files are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CsvOptions {
    /// What happens to links that cross a border of the window.
    pub border: Border,
    /// Put an apostrophe before texts that a spreadsheet would take for a formula.
    pub safe_for_spreadsheets: bool,
}

/// The tables, in the order in which they are written.
pub const TABLES: [&str; 6] = ["containers", "types", "states", "links", "events", "variables"];

const CONTAINERS: &[&str] = &[
    "id",
    "parent_id",
    "name",
    "alias",
    "type",
    "path",
    "depth",
    "t_start",
    "t_end",
    "tick_start",
    "tick_end",
    "destroyed",
];
const TYPES: &[&str] =
    &["id", "parent_id", "name", "alias", "nature", "color", "source_type", "destination_type"];
/// The columns that rows of all tracks begin with, but for the value.
const OF_TRACK: &[&str] = &["container_id", "container", "type", "value"];
const INTERVAL: &[&str] =
    &["t_start", "t_end", "duration", "tick_start", "tick_end", "duration_ticks"];
const OF_STATE: &[&str] = &["depth", "parent_value", "open_ended"];
const OF_LINK: &[&str] = &["source_id", "source", "destination_id", "destination", "size", "key"];
const OF_EVENT: &[&str] = &["time", "tick"];

/// Writes what a scope shows as tables; `open` makes the file of each of the [`TABLES`].
pub fn write_csv<W: Write>(
    scope: &Scope<'_>,
    options: &CsvOptions,
    mut open: impl FnMut(&str) -> io::Result<W>,
    progress: &Progress,
) -> Result<Summary> {
    let clip = Clip::new(scope, options.border);
    let tracks = seen::tracks(scope);
    progress.begin(tracks.len() as u64 + 1);
    let mut tables = Tables {
        scope,
        catalog: scope.catalog(),
        clip,
        fields: field_columns(scope.catalog()),
        safe: options.safe_for_spreadsheets,
        summary: Summary::default(),
    };
    for name in TABLES {
        let mut rows = Rows { out: open(name)?, safe: tables.safe, begun: false };
        tables.header(name, &mut rows)?;
        match name {
            "containers" => tables.containers(&tracks, &mut rows)?,
            "types" => tables.types(&mut rows)?,
            _ => {
                for track in tracks.iter().filter(|track| table_of(track.nature) == name) {
                    tables.track(track, &mut rows)?;
                    progress.step();
                }
            }
        }
        rows.out.flush()?;
    }
    let links_across = seen::links_across(scope, &clip, &tracks)?;
    Ok(Summary { links_across, ..tables.summary })
}

fn table_of(nature: Nature) -> &'static str {
    match nature {
        Nature::Container => "containers",
        Nature::State => "states",
        Nature::Link => "links",
        Nature::Event => "events",
        Nature::Variable => "variables",
    }
}

/// The columns of the extra fields: `x_` and the name in lower case, numbered where two would have
/// one name.
fn field_columns(catalog: &Catalog) -> Vec<String> {
    let mut taken = HashSet::new();
    let column = |name: &[u8]| {
        let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
        let lower = display_text(name).chars().flat_map(char::to_lowercase).map(plain).collect();
        let stem = ["x_".to_owned(), lower].concat();
        let mut column = stem.clone();
        let mut number = 2;
        while !taken.insert(column.clone()) {
            column = format!("{stem}_{number}");
            number += 1;
        }
        column
    };
    catalog.fields.iter().map(|field| &*field.name).map(column).collect()
}

struct Tables<'a> {
    scope: &'a Scope<'a>,
    catalog: &'a Catalog,
    clip: Clip,
    fields: Vec<String>,
    safe: bool,
    summary: Summary,
}

impl Tables<'_> {
    fn header<W: Write>(&self, table: &str, rows: &mut Rows<W>) -> io::Result<()> {
        let own: &[&[&str]] = match table {
            "containers" => &[CONTAINERS],
            "types" => &[TYPES],
            "states" => &[OF_TRACK, INTERVAL, OF_STATE],
            "links" => &[OF_TRACK, INTERVAL, OF_LINK],
            "events" => &[OF_TRACK, OF_EVENT],
            _ => &[OF_TRACK, INTERVAL],
        };
        own.iter().copied().flatten().try_for_each(|name| rows.plain(name))?;
        if table != "types" {
            self.fields.iter().try_for_each(|name| rows.plain(name))?;
        }
        rows.end()
    }

    /// The containers that are seen, those that own links, and those around them, with the times
    /// that they have in the trace.
    fn containers<W: Write>(&mut self, tracks: &[SeenTrack], rows: &mut Rows<W>) -> io::Result<()> {
        let containers = &self.catalog.containers;
        let ids = (0..containers.len() as u32).map(ContainerId);
        let mut needed: ContainerSet = ids
            .clone()
            .filter(|&id| self.scope.containers().contains(id))
            .chain(tracks.iter().map(|track| track.track.container))
            .chain([ContainerId::ROOT])
            .collect();
        // Those inside come after those around them.
        for id in ids.clone().rev().filter(|id| id.index() > 0) {
            if needed.contains(id) {
                needed.insert(containers.parents[id.index()]);
            }
        }
        let mut depths = vec![0u32; containers.len()];
        for id in ids {
            let container = containers.get(id);
            if id != ContainerId::ROOT {
                depths[id.index()] = depths[container.parent.index()] + 1;
            }
            if !needed.contains(id) {
                continue;
            }
            let (start, end) = (container.start, container.end);
            rows.number(id.0)?;
            rows.optional((id != ContainerId::ROOT).then_some(container.parent.0))?;
            rows.text(container.name)?;
            rows.text(container.alias)?;
            rows.text(&self.catalog.type_def(container.type_id).name)?;
            rows.text(container_path(containers, id).as_bytes())?;
            rows.number(depths[id.index()])?;
            for time in [start, end] {
                rows.plain(&self.catalog.facts.unit.format(time))?;
            }
            rows.number(start)?;
            rows.number(end)?;
            rows.plain(if containers.destroyed[id.index()] { "true" } else { "false" })?;
            self.extras(container.extras, rows)?;
            self.summary.containers += 1;
        }
        Ok(())
    }

    fn types<W: Write>(&self, rows: &mut Rows<W>) -> io::Result<()> {
        for (id, def) in self.catalog.types.iter().enumerate() {
            rows.number(id)?;
            rows.optional((id > 0).then_some(def.parent.0))?;
            rows.text(&def.name)?;
            rows.text(def.alias.as_deref().unwrap_or_default())?;
            rows.plain(def.nature.name())?;
            rows.plain(&def.color.map(|color| color.to_string()).unwrap_or_default())?;
            let name =
                |end: Option<TypeId>| end.map_or(&b""[..], |id| &self.catalog.type_def(id).name);
            rows.text(name(def.ends.map(|ends| ends.0)))?;
            rows.text(name(def.ends.map(|ends| ends.1)))?;
            rows.end()?;
        }
        Ok(())
    }

    fn track<W: Write>(&mut self, track: &SeenTrack, rows: &mut Rows<W>) -> Result<()> {
        let (scope, clip) = (self.scope, self.clip);
        let mut texts = track.texts(scope.store());
        match track.nature {
            Nature::State => {
                seen::states(scope, track, clip.window(), |depth, row, state| -> Result<()> {
                    let Some(clipped) = clip.state(state) else { return Ok(()) };
                    self.of_track(track, Some(state.value), rows)?;
                    self.interval(Some(clipped.start), Some(clipped.end), rows)?;
                    rows.number(depth)?;
                    rows.text(state.parent.map_or(&b""[..], |value| self.value(value)))?;
                    rows.plain(if state.open_ended { "true" } else { "false" })?;
                    self.summary.states += 1;
                    self.summary.clipped += u64::from(clipped.cut);
                    Ok(self.extras(texts[depth].get(row)?.1, rows)?)
                })?
            }
            Nature::Link => seen::links(scope, track, clip.window(), |row, link| -> Result<()> {
                let Some(Clipped { start, end, cut }) = clip.link(link) else { return Ok(()) };
                self.of_track(track, Some(link.value), rows)?;
                let (start, end) = (link.source.map(|_| start), link.destination.map(|_| end));
                self.interval(start, end, rows)?;
                for end in [link.source, link.destination] {
                    rows.optional(end.map(|id| id.0))?;
                    let names = &self.catalog.containers.names;
                    rows.text(end.map_or(&b""[..], |id| names.get(id.index())))?;
                }
                rows.optional(link.size)?;
                let (key, extras) = texts[0].get(row)?;
                rows.text(key)?;
                self.summary.links += 1;
                self.summary.clipped += u64::from(cut);
                Ok(self.extras(extras, rows)?)
            })?,
            Nature::Event => {
                seen::events(scope, track, clip.window(), |row, event| -> Result<()> {
                    self.of_track(track, Some(event.value), rows)?;
                    rows.plain(&self.catalog.facts.unit.format(event.time))?;
                    rows.number(event.time)?;
                    self.summary.events += 1;
                    Ok(self.extras(texts[0].get(row)?.1, rows)?)
                })?
            }
            Nature::Variable => {
                seen::variables(scope, track, clip.window(), |row, step| -> Result<()> {
                    let Some(clipped) = clip.variable(step) else { return Ok(()) };
                    self.of_track(track, None, rows)?;
                    rows.number(step.value)?;
                    self.interval(Some(clipped.start), Some(clipped.end), rows)?;
                    self.summary.variables += 1;
                    self.summary.clipped += u64::from(clipped.cut);
                    Ok(self.extras(texts[0].get(row)?.1, rows)?)
                })?
            }
            Nature::Container => Ok(()),
        }
    }

    fn value(&self, id: ValueId) -> &[u8] {
        &self.catalog.value(id).name
    }

    fn of_track<W: Write>(
        &self,
        track: &SeenTrack,
        value: Option<ValueId>,
        rows: &mut Rows<W>,
    ) -> io::Result<()> {
        let container = track.track.container;
        rows.number(container.0)?;
        rows.text(self.catalog.containers.names.get(container.index()))?;
        rows.text(&self.catalog.type_def(track.track.type_id).name)?;
        value.map_or(Ok(()), |value| rows.text(self.value(value)))
    }

    fn interval<W: Write>(
        &self,
        start: Option<Ticks>,
        end: Option<Ticks>,
        rows: &mut Rows<W>,
    ) -> io::Result<()> {
        let duration = start.zip(end).map(|(start, end)| end.saturating_sub(start));
        for time in [start, end, duration] {
            let text = time.map(|time| self.catalog.facts.unit.format(time));
            rows.plain(&text.unwrap_or_default())?;
        }
        [start, end, duration].into_iter().try_for_each(|time| rows.optional(time))
    }

    /// Writes the extra fields and ends the row. Of a field that is given twice the first counts;
    /// fields that nobody declared have no column.
    fn extras<W: Write>(&mut self, packed: &[u8], rows: &mut Rows<W>) -> io::Result<()> {
        for index in 0..self.fields.len() {
            let field = FieldId(index as u32);
            let found = extra_fields(packed).find(|extra| extra.field == field);
            rows.text(found.map_or(b"", |extra| extra.text))?;
        }
        let surplus = extra_fields(packed).filter(|extra| extra.field.surplus_number().is_some());
        self.summary.unsayable += surplus.count() as u64;
        rows.end()
    }
}

/// Writes cells.
struct Rows<W> {
    out: W,
    safe: bool,
    /// Has the row a cell?
    begun: bool,
}

impl<W: Write> Rows<W> {
    fn separate(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.begun, true) {
            true => self.out.write_all(b","),
            false => Ok(()),
        }
    }

    /// A cell that needs no quotes.
    fn plain(&mut self, text: &str) -> io::Result<()> {
        self.separate()?;
        self.out.write_all(text.as_bytes())
    }

    fn number(&mut self, number: impl std::fmt::Display) -> io::Result<()> {
        self.separate()?;
        write!(self.out, "{number}")
    }

    fn optional(&mut self, number: Option<impl std::fmt::Display>) -> io::Result<()> {
        match number {
            Some(number) => self.number(number),
            None => self.separate(),
        }
    }

    /// A name or another text of the trace.
    fn text(&mut self, text: &[u8]) -> io::Result<()> {
        self.separate()?;
        self.out.write_all(&csv_field(display_text(text).as_bytes(), self.safe))
    }

    fn end(&mut self) -> io::Result<()> {
        self.begun = false;
        self.out.write_all(b"\r\n")
    }
}
