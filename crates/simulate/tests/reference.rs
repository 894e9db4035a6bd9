//! The reader and simulator against the slow reference interpreter, on random traces.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use onca_model::{
    Catalog, ContainerId, EntitySink, EventRow, LaneId, LinkRow, StateRow, VariableRow,
    extra_fields,
};
use onca_read::{Progress, Source};
use onca_simulate::{DriveOptions, Driven, drive};
use onca_testkit::escape;

/// Keeps every row as a line of the canonical text, with ids still to be named.
#[derive(Default)]
struct Rows {
    states: Vec<(LaneId, StateRow, Vec<u8>)>,
    variables: Vec<(LaneId, VariableRow, Vec<u8>)>,
    events: Vec<(LaneId, EventRow, Vec<u8>)>,
    links: Vec<LinkLine>,
}

struct LinkLine {
    lane: LaneId,
    start: i64,
    end: i64,
    source: Option<ContainerId>,
    destination: Option<ContainerId>,
    value: onca_model::ValueId,
    key: Vec<u8>,
    extras: Vec<u8>,
}

impl EntitySink for Rows {
    type Error = std::convert::Infallible;

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
            key: row.key.to_vec(),
            extras: extras.to_vec(),
        });
        Ok(())
    }
}

fn read(path: &Path, threads: usize, block_bytes: usize) -> Driven<Rows> {
    let options = DriveOptions { threads, block_bytes, ..DriveOptions::default() };
    drive(&Source::new(path), &options, &Arc::new(Progress::default()), || Ok(Rows::default()))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The canonical text that the reference prints, made from what the fast path gave.
fn canonical(driven: &Driven<Rows>) -> String {
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

fn extras(catalog: &Catalog, packed: &[u8]) -> String {
    let fields: Vec<_> = extra_fields(packed)
        .map(|extra| {
            format!("{}={}", escape(&catalog.field_name(extra.field)), escape(extra.text))
        })
        .collect();
    if fields.is_empty() { "-".to_owned() } else { fields.join(";") }
}

fn diagnostics(catalog: &Catalog) -> Vec<String> {
    let tallies: BTreeMap<&str, u64> =
        catalog.diagnostics.iter().map(|(code, tally)| (code.name(), tally.count)).collect();
    tallies.iter().map(|(code, count)| format!("D\t{code}\t{count}")).collect()
}

/// The reference's text, without the first line of each kind of problem: where a problem is
/// placed when it concerns two records is a matter of taste.
fn reference(bytes: &[u8]) -> String {
    let text = onca_testkit::interpret(bytes).to_text();
    text.lines()
        .map(|line| match line.strip_prefix("D\t").and_then(|rest| rest.rsplit_once('\t')) {
            Some((tally, _first_line)) => format!("D\t{tally}\n"),
            None => format!("{line}\n"),
        })
        .collect()
}

fn compare(bytes: &[u8], what: &str) {
    let file = tempfile::NamedTempFile::new().expect("temporary file");
    std::fs::write(file.path(), bytes).expect("write");
    let expected = reference(bytes);
    // Tiny blocks put a boundary between any two lines.
    for (threads, block_bytes) in [(1, 1 << 20), (2, 50), (2, 700)] {
        let found = canonical(&read(file.path(), threads, block_bytes));
        if found != expected {
            let only = |a: &str, b: &str| {
                let b: Vec<_> = b.lines().collect();
                let only: Vec<_> = a.lines().filter(|line| !b.contains(line)).collect();
                only.join("\n")
            };
            panic!(
                "{what}\n--- trace\n{}\n--- only in the reference\n{}\n--- only here\n{}",
                String::from_utf8_lossy(bytes),
                only(&expected, &found),
                only(&found, &expected),
            );
        }
    }
}

#[test]
fn random_traces_give_what_the_reference_gives() {
    for seed in 0..3000 {
        compare(&onca_testkit::random::trace(seed), &format!("seed {seed}"));
    }
}

#[test]
fn traces_cut_at_any_byte_give_what_the_reference_gives() {
    for seed in 0..6 {
        let trace = onca_testkit::random::trace(seed);
        for cut in (0..trace.len()).step_by(7) {
            compare(&trace[..cut], &format!("seed {seed} cut at {cut}"));
        }
    }
}
