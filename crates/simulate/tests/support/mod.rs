//! What the tests share: a sink in memory, and the rows in it as text.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use onca_model::{
    Catalog, ContainerId, EntitySink, EventRow, LaneId, LinkRow, StateRow, VariableRow,
    display_text, extra_fields,
};
use onca_read::{Progress, Source};
use onca_simulate::{DriveError, DriveOptions, Driven, drive};
use onca_testkit::escape;

/// Keeps every row in memory, with ids still to be named.
#[derive(Clone, Default)]
pub struct Rows {
    pub states: Vec<(LaneId, StateRow, Vec<u8>)>,
    pub variables: Vec<(LaneId, VariableRow, Vec<u8>)>,
    pub events: Vec<(LaneId, EventRow, Vec<u8>)>,
    pub links: Vec<LinkLine>,
}

#[derive(Clone)]
pub struct LinkLine {
    pub lane: LaneId,
    pub start: i64,
    pub end: i64,
    pub source: Option<ContainerId>,
    pub destination: Option<ContainerId>,
    pub value: onca_model::ValueId,
    pub size: Option<u64>,
    pub key: Vec<u8>,
    pub extras: Vec<u8>,
}

impl EntitySink for Rows {
    type Error = Infallible;

    fn state(&mut self, lane: LaneId, row: &StateRow, extras: &[u8]) -> Result<(), Self::Error> {
        self.states.push((lane, *row, extras.to_vec()));
        Ok(())
    }

    fn variable(
        &mut self,
        lane: LaneId,
        row: &VariableRow,
        extras: &[u8],
    ) -> Result<(), Self::Error> {
        self.variables.push((lane, *row, extras.to_vec()));
        Ok(())
    }

    fn event(&mut self, lane: LaneId, row: &EventRow, extras: &[u8]) -> Result<(), Self::Error> {
        self.events.push((lane, *row, extras.to_vec()));
        Ok(())
    }

    fn link(&mut self, lane: LaneId, row: &LinkRow<'_>, extras: &[u8]) -> Result<(), Self::Error> {
        self.links.push(LinkLine {
            lane,
            start: row.start,
            end: row.end,
            source: row.source,
            destination: row.destination,
            value: row.value,
            size: row.size,
            key: row.key.to_vec(),
            extras: extras.to_vec(),
        });
        Ok(())
    }
}

/// Reads a file into memory.
pub fn try_read(
    path: &Path,
    options: &DriveOptions,
) -> Result<Driven<Rows>, DriveError<Infallible>> {
    drive(&Source::new(path), options, &Arc::new(Progress::default()), || Ok(Rows::default()))
}

/// Reads a file that can be read.
pub fn read(path: &Path, threads: usize, block_bytes: usize) -> Driven<Rows> {
    let options = DriveOptions { threads, block_bytes, ..DriveOptions::default() };
    try_read(path, &options).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The canonical text that the reference prints, made from what the fast path gave.
pub fn canonical(driven: &Driven<Rows>) -> String {
    let Driven { catalog, sink, .. } = driven;
    let mut lines = Vec::new();
    lines.extend(types(catalog));
    lines.extend(containers(catalog));
    let value = |id: onca_model::ValueId| escape(&catalog.value(id).name);
    let track = |lane: LaneId| {
        let lane = catalog.lane(lane);
        format!("{}\t{}", lane.container.0, lane.type_id.0)
    };
    lines.extend(sorted(sink.states.iter().map(|(lane, row, packed)| {
        let depth = catalog.lane(*lane).depth;
        let open = if row.open_ended { "open" } else { "closed" };
        let (start, end) = (row.start, row.end);
        let (track, value, extras) = (track(*lane), value(row.value), extras(catalog, packed));
        format!("S\t{track}\t{start}\t{end}\t{depth}\t{value}\t{open}\t{extras}")
    })));
    lines.extend(sorted(sink.variables.iter().map(|(lane, row, packed)| {
        let (start, end, value) = (row.start, row.end, row.value);
        format!("V\t{}\t{start}\t{end}\t{value:?}\t{}", track(*lane), extras(catalog, packed))
    })));
    lines.extend(sorted(sink.events.iter().map(|(lane, row, packed)| {
        let (time, value) = (row.time, value(row.value));
        format!("E\t{}\t{time}\t{value}\t{}", track(*lane), extras(catalog, packed))
    })));
    lines.extend(sorted(sink.links.iter().map(|link| {
        let end = |end: Option<ContainerId>| end.map_or("?".to_owned(), |id| id.0.to_string());
        let time = |time: i64, known: bool| if known { time.to_string() } else { "?".to_owned() };
        format!(
            "L\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            track(link.lane),
            time(link.start, link.source.is_some()),
            time(link.end, link.destination.is_some()),
            value(link.value),
            end(link.source),
            end(link.destination),
            escape(&link.key),
            extras(catalog, &link.extras)
        )
    })));
    lines.extend(diagnostics(catalog));
    lines.push(format!("end\t{}", catalog.facts.end));
    lines.push(format!("records\t{}", catalog.facts.records));
    lines.push(format!("lost\t{}", catalog.facts.lost));
    lines.join("\n") + "\n"
}

fn sorted(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<_> = lines.collect();
    lines.sort();
    lines
}

fn types(catalog: &Catalog) -> Vec<String> {
    let line = |(index, def): (usize, &onca_model::TypeDef)| {
        let parent = if index == 0 { "?".to_owned() } else { def.parent.0.to_string() };
        let alias = def.alias.as_ref().map_or("?".to_owned(), |alias| escape(alias));
        format!("T\t{index}\t{parent}\t{}\t{}\t{alias}", def.nature.name(), escape(&def.name))
    };
    catalog.types.iter().enumerate().map(line).collect()
}

fn containers(catalog: &Catalog) -> Vec<String> {
    (0..catalog.containers.len())
        .map(|index| {
            let container = catalog.containers.get(ContainerId(index as u32));
            let parent = if index == 0 { "?".to_owned() } else { container.parent.0.to_string() };
            let alias = match container.alias {
                b"" => "?".to_owned(),
                alias => escape(alias),
            };
            let (type_id, name) = (container.type_id.0, escape(container.name));
            let (start, end) = (container.start, container.end);
            let extras = extras(catalog, container.extras);
            format!("C\t{index}\t{parent}\t{type_id}\t{name}\t{alias}\t{start}\t{end}\t{extras}")
        })
        .collect()
}

/// Names and texts of extra fields, as the reference writes them.
pub fn extras(catalog: &Catalog, packed: &[u8]) -> String {
    let fields: Vec<_> = extra_fields(packed)
        .map(|extra| format!("{}={}", escape(&catalog.field_name(extra.field)), escape(extra.text)))
        .collect();
    if fields.is_empty() { "-".to_owned() } else { fields.join(";") }
}

fn diagnostics(catalog: &Catalog) -> Vec<String> {
    let tallies: BTreeMap<&str, u64> =
        catalog.diagnostics.iter().map(|(code, tally)| (code.name(), tally.count)).collect();
    tallies.iter().map(|(code, count)| format!("D\t{code}\t{count}")).collect()
}

/// The entities as short lines for people, the kinds one after the other, each in order of
/// container, type and time: `S A St 1-3 d0 x`, `V A Var 1-2 8`, `E A Ev 6 q` and
/// `L 0 Lk 1-2 A>B v k1`. What nothing closed has the word `open`; extra fields come last.
pub fn short_rows(driven: &Driven<Rows>) -> Vec<String> {
    let Driven { catalog, sink, .. } = driven;
    let container = |id: ContainerId| display_text(catalog.containers.names.get(id.index()));
    let value = |id| display_text(&catalog.value(id).name);
    let time = |ticks: i64| (ticks as f64 / catalog.facts.unit.ticks_per_unit as f64).to_string();
    let track = |lane: LaneId| {
        let lane = catalog.lane(lane);
        let type_name = display_text(&catalog.type_def(lane.type_id).name);
        format!("{} {type_name}", container(lane.container))
    };
    let order = |lane: LaneId, start: i64| {
        let lane = catalog.lane(lane);
        (lane.container.0, lane.type_id.0, start, lane.depth)
    };
    let extras = |packed: &[u8]| {
        extra_fields(packed)
            .map(|extra| {
                let name = catalog.field_name(extra.field);
                format!(" {}={}", display_text(&name), display_text(extra.text))
            })
            .collect::<String>()
    };
    let states = sink.states.iter().map(|(lane, row, packed)| {
        let (track, depth) = (track(*lane), catalog.lane(*lane).depth);
        let (start, end, value) = (time(row.start), time(row.end), value(row.value));
        let open = if row.open_ended { " open" } else { "" };
        let line = format!("S {track} {start}-{end} d{depth} {value}{open}{}", extras(packed));
        (order(*lane, row.start), line)
    });
    let variables = sink.variables.iter().map(|(lane, row, packed)| {
        let (start, end, value) = (time(row.start), time(row.end), row.value);
        let line = format!("V {} {start}-{end} {value}{}", track(*lane), extras(packed));
        (order(*lane, row.start), line)
    });
    let events = sink.events.iter().map(|(lane, row, packed)| {
        let (time, value) = (time(row.time), value(row.value));
        let line = format!("E {} {time} {value}{}", track(*lane), extras(packed));
        (order(*lane, row.time), line)
    });
    let links = sink.links.iter().map(|link| {
        let end = |id: Option<ContainerId>| id.map_or("?".into(), container);
        let at = |ticks, id: Option<_>| id.map_or("?".to_owned(), |_| time(ticks));
        let line = format!(
            "L {} {}-{} {}>{} {} {}{}",
            track(link.lane),
            at(link.start, link.source),
            at(link.end, link.destination),
            end(link.source),
            end(link.destination),
            value(link.value),
            display_text(&link.key),
            extras(&link.extras)
        );
        (order(link.lane, link.start), line)
    });
    let mut lines = in_order(states);
    lines.extend(in_order(variables));
    lines.extend(in_order(events));
    lines.extend(in_order(links));
    lines
}

fn in_order<K: Ord>(lines: impl Iterator<Item = (K, String)>) -> Vec<String> {
    let mut lines: Vec<_> = lines.collect();
    lines.sort_by(|(a, _), (b, _)| a.cmp(b));
    lines.into_iter().map(|(_, line)| line).collect()
}
