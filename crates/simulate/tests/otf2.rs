//! OTF2 archives against what the reference printer of the format says about them.
//!
//! The archives are not part of the project. `ONCA_CORPUS` names a folder that holds
//! `NAME.tar.xz` with an archive in it, beside `NAME.print.txt.xz`, what `otf2-print` says; also
//! in its folder `otf2`. Without the variable the test is skipped, with a message.

use crate::printed;
use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use onca_model::{LaneId, display_text, extra_fields};
use onca_read::{Progress, Source, otf2};
use onca_simulate::Driven;
use printed::{Printed, Reference, after, number, our_name, plain_values, reference};
use support::{Rows, read};

fn unpacked(path: &Path) -> String {
    let mut input = Source::new(path).open(&Arc::new(Progress::default())).expect("open");
    let mut bytes = Vec::new();
    input.reader.read_to_end(&mut bytes).expect("read");
    String::from_utf8_lossy(&bytes).into_owned()
}

type Tally<K> = BTreeMap<K, i64>;

fn count<K: Ord>(items: impl Iterator<Item = K>) -> Tally<K> {
    let mut tally = Tally::new();
    for item in items {
        *tally.entry(item).or_insert(0) += 1;
    }
    tally
}

/// A location, a time and the region that is entered.
type Entered = (u64, i64, String);
/// A location and a time.
type Left = (u64, i64);
/// A field: its name and its value.
type Named = (String, String);

struct Ours<'d> {
    driven: &'d Driven<Rows>,
    offset: i64,
}

impl Ours<'_> {
    fn type_name(&self, lane: LaneId) -> String {
        let catalog = &self.driven.catalog;
        display_text(&catalog.type_def(catalog.lane(lane).type_id).name).into_owned()
    }

    /// The id of the location that a container stands for.
    fn location(&self, container: onca_model::ContainerId) -> u64 {
        let alias = self.driven.catalog.containers.aliases.get(container.index());
        let alias = display_text(alias);
        alias.strip_prefix('L').and_then(|id| id.parse().ok()).unwrap_or(u64::MAX)
    }

    fn value(&self, value: onca_model::ValueId) -> String {
        display_text(&self.driven.catalog.value(value).name).into_owned()
    }

    fn lane_location(&self, lane: LaneId) -> u64 {
        self.location(self.driven.catalog.lane(lane).container)
    }

    fn extras(&self, packed: &[u8]) -> Vec<String> {
        extra_fields(packed)
            .map(|extra| {
                let text = display_text(extra.text).into_owned();
                match &*self.driven.catalog.field_name(extra.field) {
                    b"details" => text.split_once('=').map_or("", |(_, value)| value).to_owned(),
                    _ => text,
                }
            })
            .collect()
    }

    /// Those fields of entities that have one of some names, by where and when these begin and
    /// end.
    fn fields(&self, names: &BTreeSet<String>) -> BTreeMap<Left, Vec<Vec<Named>>> {
        let mut found: BTreeMap<Left, Vec<Vec<Named>>> = BTreeMap::new();
        let mut add = |location: u64, times: &[i64], packed: &[u8]| {
            let fields = extra_fields(packed).map(|extra| {
                let name = self.driven.catalog.field_name(extra.field);
                (display_text(&name).into_owned(), display_text(extra.text).into_owned())
            });
            let fields: Vec<_> = fields.filter(|(name, _)| names.contains(name)).collect();
            for time in times.iter().filter(|_| !fields.is_empty()) {
                found.entry((location, time + self.offset)).or_default().push(fields.clone());
            }
        };
        let sink = &self.driven.sink;
        for (lane, row, packed) in &sink.states {
            add(self.lane_location(*lane), &[row.start, row.end], packed);
        }
        for (lane, row, packed) in &sink.variables {
            add(self.lane_location(*lane), &[row.start], packed);
        }
        for (lane, row, packed) in &sink.events {
            add(self.lane_location(*lane), &[row.time], packed);
        }
        for link in &sink.links {
            for (container, time) in [(link.source, link.start), (link.destination, link.end)] {
                if let Some(container) = container {
                    add(self.location(container), &[time], &link.extras);
                }
            }
        }
        found
    }

    /// How often each region was entered and left at each moment.
    fn regions(&self) -> (Tally<Entered>, Tally<Left>) {
        let regions = || {
            self.driven.sink.states.iter().filter(|(lane, ..)| self.type_name(*lane) == "Region")
        };
        let entered = regions().map(|(lane, row, _)| {
            (self.lane_location(*lane), row.start + self.offset, self.value(row.value))
        });
        let left = regions().filter(|(_, row, _)| !row.open_ended);
        let left = left.map(|(lane, row, _)| (self.lane_location(*lane), row.end + self.offset));
        (count(entered), count(left))
    }

    fn events(&self) -> impl Iterator<Item = (String, u64, i64, Vec<String>)> {
        self.driven.sink.events.iter().map(|(lane, row, packed)| {
            let (value, location) = (self.value(row.value), self.lane_location(*lane));
            (value, location, row.time + self.offset, self.extras(packed))
        })
    }
}

fn check_regions(name: &str, ours: &Ours<'_>, reference: &Reference) {
    let of = |kinds: &'static [&str]| {
        reference.events.iter().filter(move |event| kinds.contains(&event.kind.as_str()))
    };
    let region = |event: &Printed| {
        let name = event.text.split('"').nth(1).unwrap_or_default().to_owned();
        (event.location, event.time, name)
    };
    let (entered, left) = ours.regions();
    let contexts = of(&["CALLING_CONTEXT_ENTER"]).count();
    if contexts == 0 {
        assert_eq!(entered, count(of(&["ENTER"]).map(region)), "{name}: regions entered");
    }
    let all_entered =
        count(of(&["ENTER", "CALLING_CONTEXT_ENTER"]).map(|event| (event.location, event.time)));
    let without_names = entered.into_iter().fold(Tally::new(), |mut tally, ((l, t, _), n)| {
        *tally.entry((l, t)).or_insert(0) += n;
        tally
    });
    assert_eq!(without_names, all_entered, "{name}: moments of entering");
    let expected =
        count(of(&["LEAVE", "CALLING_CONTEXT_LEAVE"]).map(|event| (event.location, event.time)));
    assert_eq!(left, expected, "{name}: moments of leaving");
}

/// Every end of a message is an end of a link or, without a peer, an event.
fn check_messages(name: &str, ours: &Ours<'_>, reference: &Reference) {
    let links =
        || ours.driven.sink.links.iter().filter(|link| ours.type_name(link.lane) == "Message");
    let comm = |event: &Printed| {
        after(&event.text, "Communicator: \"")
            .and_then(|text| text.split('"').next())
            .map(str::to_owned)
    };
    let field = |event: &Printed, key: &str| after(&event.text, key).map_or(u64::MAX, number);
    for (kinds, starts) in [(["MPI_SEND", "MPI_ISEND"], true), (["MPI_RECV", "MPI_IRECV"], false)] {
        let expected = reference.events.iter().filter(|event| kinds.contains(&event.kind.as_str()));
        let expected = count(expected.map(|event| {
            (event.location, event.time, comm(event).unwrap_or_default(), field(event, "Tag: "))
        }));
        let ends = links().filter_map(|link| {
            let (container, time) = match starts {
                true => (link.source?, link.start),
                false => (link.destination?, link.end),
            };
            let key = display_text(&link.key).into_owned();
            let tag = key.split([':', '#']).nth(2).map_or(u64::MAX, number);
            Some((ours.location(container), time + ours.offset, ours.value(link.value), tag))
        });
        let events = ours.events().filter_map(|(value, location, time, extras)| {
            let known = kinds.iter().any(|kind| our_name(kind) == value);
            known.then(|| (location, time, extras[1].clone(), extras[2].parse().unwrap_or(0)))
        });
        assert_eq!(count(ends.chain(events)), expected, "{name}: ends of messages");
    }
}

/// A link has the length that its sender tells; half a link has that of its only end.
fn check_sizes(name: &str, ours: &Ours<'_>, reference: &Reference) {
    let length = |event: &Printed| after(&event.text, "Length: ").map_or(u64::MAX, number);
    let told = |kinds: &'static [&str]| {
        let events = reference.events.iter();
        let events = events.filter(move |event| kinds.contains(&event.kind.as_str()));
        count(events.map(|event| (event.location, event.time, length(event))))
    };
    let links =
        || ours.driven.sink.links.iter().filter(|link| ours.type_name(link.lane) == "Message");
    let sent = links().filter_map(|link| {
        Some((ours.location(link.source?), link.start + ours.offset, link.size?))
    });
    let kept = ours.events().filter(|(value, ..)| ["MpiSend", "MpiIsend"].contains(&&**value));
    let kept = kept.map(|(_, location, time, extras)| (location, time, number(&extras[3])));
    let sends = told(&["MPI_SEND", "MPI_ISEND"]);
    assert_eq!(count(sent.chain(kept)), sends, "{name}: sizes of messages");
    let receives = told(&["MPI_RECV", "MPI_IRECV"]);
    for link in links().filter(|link| link.source.is_none()) {
        let location = ours.location(link.destination.expect("one end is there"));
        let end = (location, link.end + ours.offset, link.size.expect("receives have a size"));
        assert!(receives.contains_key(&end), "{name}: {end:?}");
    }
}

/// Every attribute is a field of something that begins, ends or happens where its event is, and
/// nothing else has such fields.
fn check_attributes(name: &str, ours: &Ours<'_>, reference: &Reference) {
    let found = ours.fields(&reference.attributes);
    let events = reference.events.iter();
    for event in events.clone().filter(|event| !event.attributes.is_empty()) {
        let here = found.get(&(event.location, event.time)).map_or(&[][..], Vec::as_slice);
        let fits = |fields: &Vec<Named>| event.attributes.iter().all(|a| fields.contains(a));
        assert!(here.iter().any(fits), "{name}: {event:?} but {here:?}");
    }
    let expected: BTreeSet<_> = events.flat_map(|event| &event.attributes).collect();
    let kept: BTreeSet<_> = found.values().flatten().flatten().collect();
    assert_eq!(kept, expected, "{name}: attributes");
}

/// The kinds that become something else than an event.
const NOT_EVENTS: &[&str] = &[
    "ENTER",
    "LEAVE",
    "MPI_SEND",
    "MPI_ISEND",
    "MPI_RECV",
    "MPI_IRECV",
    "METRIC",
    "CALLING_CONTEXT_ENTER",
    "CALLING_CONTEXT_LEAVE",
    "MPI_COLLECTIVE_BEGIN",
    "MPI_COLLECTIVE_END",
    "RMA_COLLECTIVE_BEGIN",
    "RMA_COLLECTIVE_END",
    "BUFFER_FLUSH",
    "RMA_PUT",
    "RMA_GET",
    "RMA_ATOMIC",
    "RMA_OP_COMPLETE_BLOCKING",
    "RMA_OP_COMPLETE_NON_BLOCKING",
    "RMA_OP_COMPLETE_REMOTE",
];

fn check_events(name: &str, ours: &Ours<'_>, reference: &Reference) {
    let messages = ["MpiSend", "MpiIsend", "MpiRecv", "MpiIrecv"];
    let mut found: BTreeMap<(String, u64, i64), Vec<Vec<String>>> = BTreeMap::new();
    for (value, location, time, extras) in ours.events() {
        if !messages.contains(&value.as_str()) && !value.starts_with("Rma") {
            found.entry((value, location, time)).or_default().push(extras);
        }
    }
    let mut n_expected = 0;
    for event in &reference.events {
        if NOT_EVENTS.contains(&event.kind.as_str()) || event.kind.starts_with("RMA") {
            continue;
        }
        n_expected += 1;
        let key = (our_name(&event.kind), event.location, event.time);
        let all = found.get(&key).unwrap_or_else(|| panic!("{name}: {event:?} is missing"));
        let wanted = plain_values(&event.text);
        // Arguments of a program are one text.
        let has = |extras: &Vec<String>, value: &String| match event.kind.as_str() {
            "PROGRAM_BEGIN" => extras.iter().any(|text| text.contains(value.as_str())),
            _ => extras.contains(value),
        };
        let fits = |extras: &Vec<String>| wanted.iter().all(|value| has(extras, value));
        assert!(all.iter().any(fits), "{name}: {event:?} but {all:?}");
    }
    let n_found: usize = found.values().map(Vec::len).sum();
    assert_eq!(n_found, n_expected, "{name}: events");
}

/// The last value that each variable has at a moment.
fn check_metrics(name: &str, ours: &Ours<'_>, reference: &Reference) {
    let mut expected: BTreeMap<(i64, String), Vec<f64>> = BTreeMap::new();
    for event in reference.events.iter().filter(|event| event.kind == "METRIC") {
        for value in event.text.split("(\"").skip(1) {
            let mut parts = value.split("; ");
            let metric = parts.next().and_then(|text| text.split('"').next()).unwrap_or_default();
            let text = parts.nth(1).and_then(|text| text.split(')').next()).unwrap_or_default();
            let value: f64 = text.parse().unwrap_or(f64::NAN);
            expected.entry((event.time, metric.to_owned())).or_default().push(value);
        }
    }
    let mut n = 0;
    for (lane, row, _) in &ours.driven.sink.variables {
        let key = (row.start + ours.offset, ours.type_name(*lane));
        let values = expected.get(&key).unwrap_or_else(|| panic!("{name}: no {key:?}"));
        let near = |value: &f64| (value - row.value).abs() <= value.abs() * 1e-5;
        assert!(values.iter().any(near), "{name}: {key:?} {} of {values:?}", row.value);
        n += 1;
    }
    // Values of one variable at one moment are one row, so there may be fewer rows.
    assert!(expected.is_empty() || n > 0, "{name}: metrics");
}

/// Every one-sided transfer begins a link, with its size, or is an event where its peer is not
/// known; completions end links or are events.
fn check_transfers(name: &str, ours: &Ours<'_>, reference: &Reference) {
    let links = || ours.driven.sink.links.iter().filter(|link| ours.type_name(link.lane) == "RMA");
    let of = |kinds: &'static [&str]| {
        reference.events.iter().filter(move |event| kinds.contains(&event.kind.as_str()))
    };
    let expected = count(of(&["RMA_PUT", "RMA_GET", "RMA_ATOMIC"]).map(|event| event.time));
    let events = ours
        .events()
        .filter(|(value, ..)| ["RmaPut", "RmaGet", "RmaAtomic"].contains(&value.as_str()));
    let begun = links().map(|link| link.start + ours.offset);
    let found = count(begun.chain(events.map(|(_, _, time, _)| time)));
    assert_eq!(found, expected, "{name}: one-sided transfers");
    for event in of(&["RMA_PUT", "RMA_GET"]) {
        let bytes = after(&event.text, "Bytes: ").map_or(u64::MAX, number);
        let sizes = links().filter(|link| link.start + ours.offset == event.time);
        assert!(sizes.map(|link| link.size).all(|size| size == Some(bytes)), "{name}: {event:?}");
    }
}

fn check_collectives(name: &str, ours: &Ours<'_>, reference: &Reference) {
    let ends = reference.events.iter().filter(|event| event.kind.ends_with("COLLECTIVE_END"));
    let expected = count(ends.map(|event| {
        let operation = after(&event.text, "Operation: ").unwrap_or_default();
        let operation = operation.split(',').next().unwrap_or_default().to_lowercase();
        (event.location, event.time, operation)
    }));
    let states = ours.driven.sink.states.iter();
    let states = states.filter(|(lane, ..)| ours.type_name(*lane) == "Collective");
    let found = count(states.map(|(lane, row, _)| {
        let operation = ours.value(row.value).to_lowercase();
        (ours.lane_location(*lane), row.end + ours.offset, operation)
    }));
    assert_eq!(found, expected, "{name}: collectives");
}

/// All rows by their times, whatever the ids of their names.
fn row_times(driven: &Driven<Rows>) -> Tally<(char, i64, i64)> {
    let sink = &driven.sink;
    let states = sink.states.iter().map(|(_, row, _)| ('S', row.start, row.end));
    let variables = sink.variables.iter().map(|(_, row, _)| ('V', row.start, row.end));
    let events = sink.events.iter().map(|(_, row, _)| ('E', row.time, row.time));
    let links = sink.links.iter().map(|link| ('L', link.start, link.end));
    count(states.chain(variables).chain(events).chain(links))
}

fn check(name: &str, anchor: &Path, text: &str) {
    let reference = reference(text);
    let driven = read(anchor, 2, 1 << 20);
    let ours = Ours { driven: &driven, offset: reference.offset };
    let n_events = reference.events.len() as u64;
    assert_eq!(driven.catalog.facts.records, n_events, "{name}: number of events");
    assert_eq!(driven.catalog.facts.lost, 0, "{name}: {:?}", driven.catalog.diagnostics);
    check_regions(name, &ours, &reference);
    check_messages(name, &ours, &reference);
    check_sizes(name, &ours, &reference);
    check_attributes(name, &ours, &reference);
    check_transfers(name, &ours, &reference);
    check_collectives(name, &ours, &reference);
    check_events(name, &ours, &reference);
    check_metrics(name, &ours, &reference);
    // The number of threads does not matter.
    let alone = read(anchor, 1, 1 << 20);
    assert!(support::canonical(&alone) == support::canonical(&driven), "{name}: one thread");
    // Small pieces number names in another order, and give the same rows.
    let small = read(anchor, 2, 100);
    assert_eq!(row_times(&small), row_times(&driven), "{name}: small pieces");
}

/// All archives of a folder, each with its reference text.
fn archives(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut pairs: Vec<_> = entries
        .filter_map(|entry| {
            let path = entry.path();
            let name = path.file_name()?.to_str()?.to_owned();
            let texts = match name.strip_suffix(".otf2.tar.xz") {
                Some(stem) => format!("{stem}.otf2-print.txt.xz"),
                None => format!("{}.print.txt.xz", name.strip_suffix(".tar.xz")?),
            };
            let text = path.with_file_name(texts);
            text.exists().then_some((path, text))
        })
        .collect();
    pairs.sort();
    pairs
}

#[test]
fn archives_are_read_as_the_reference_reads_them() {
    let Some(corpus) = std::env::var_os("ONCA_CORPUS").map(PathBuf::from) else {
        eprintln!("skipped: ONCA_CORPUS does not name a folder of traces");
        return;
    };
    let mut pairs = archives(&corpus);
    pairs.extend(archives(&corpus.join("otf2")));
    assert!(!pairs.is_empty(), "no archives in {}", corpus.display());
    for (tar, text) in pairs {
        let folder = tempfile::tempdir().expect("temporary folder");
        let status =
            Command::new("tar").arg("-xJf").arg(&tar).arg("-C").arg(folder.path()).status();
        assert!(status.expect("tar").success(), "{}", tar.display());
        let inside = std::fs::read_dir(folder.path()).expect("unpacked").flatten().next();
        let inside = inside.expect("a folder").path();
        let anchor = otf2::anchor_of(&inside).expect("an anchor");
        check(&tar.display().to_string(), &anchor, &unpacked(&text));
    }
}
