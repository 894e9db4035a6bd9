//! Markers: remarks that tools put into an archive, each at a time and about something.

use std::collections::HashMap;

use onca_model::{Code, FieldKind, time_of};

use super::Opening;
use super::archive::Archive;
use super::text::reference_text;
use super::value::Kind;
use super::vocabulary::{Entity, TypeKey, Wanted};
use super::walk::walk;
use crate::batch::{Op, Record, Span};
use crate::cursor::{Cursor, Field};
use crate::emit::{Emitter, Extras, ROOT};
use crate::folder::Refused;
use crate::reading::FileList;
use crate::symbols::image_of;

/// A kind of marker.
struct MarkerKind {
    group: Vec<u8>,
    category: Vec<u8>,
    severity: u8,
}

/// A remark.
struct Marker {
    time: u64,
    duration: u64,
    kind: u32,
    scope_kind: u8,
    scope: u64,
    text: Vec<u8>,
}

/// Reads the markers of an archive, if it has any, as events of the root; returns the length of
/// their file.
pub(super) fn read(archive: &Archive<'_>, opening: &mut Opening, files: &mut FileList) -> u64 {
    let path = archive.paths.markers();
    let len = match archive.folder.check(&path) {
        Ok(len) => len,
        Err(refused) => {
            files.unread.push(path.clone());
            if matches!(refused, Refused::Missing) {
                return 0;
            }
            opening.lose(0, 1, refused.code(), || format!("{}: {refused}", path.display()));
            return 0;
        }
    };
    files.push(path.clone());
    let mut kinds = HashMap::new();
    let mut markers = Vec::new();
    let mut faults = Vec::new();
    let taken = walk(
        &path,
        len,
        // A marker file is one chunk, however long.
        u64::MAX,
        |kind, c| take(kind, c, &mut kinds, &mut markers),
        |fault, offset| faults.push((fault, offset)),
    );
    if let Err(error) = taken {
        opening.lose(0, 1, Code::MissingPartFile, || format!("{}: {error}", path.display()));
    }
    for (fault, offset) in faults {
        opening.lose(0, 1, fault.code(), || {
            format!("{}, offset {offset}: {}", path.display(), fault.what())
        });
    }
    markers.sort_by_key(|marker| marker.time);
    emit(archive, opening, &kinds, &markers);
    len
}

fn take(
    kind: u8,
    c: &mut Cursor<'_>,
    kinds: &mut HashMap<u32, MarkerKind>,
    markers: &mut Vec<Marker>,
) -> Field<()> {
    match kind {
        5 => {
            let (id, group, category) = (c.c32()?, c.text()?.to_vec(), c.text()?.to_vec());
            kinds.insert(id, MarkerKind { group, category, severity: c.u8()? });
        }
        6 => markers.push(Marker {
            time: c.c64()?,
            duration: c.c64()?,
            kind: c.c32()?,
            scope_kind: c.u8()?,
            scope: c.c64()?,
            text: c.text()?.to_vec(),
        }),
        _ => {}
    }
    Ok(())
}

fn emit(
    archive: &Archive<'_>,
    opening: &mut Opening,
    kinds: &HashMap<u32, MarkerKind>,
    markers: &[Marker],
) {
    if markers.is_empty() {
        return;
    }
    let symbols = archive.symbols;
    let key = TypeKey { place_type: None, entity: Entity::Marker };
    let mut out = Emitter { symbols, batch: &mut opening.batch };
    archive.vocabulary.define(&archive.definitions, &archive.places, Wanted::Type(key), &mut out);
    let pair = symbols.pair(ROOT, image_of(ROOT), archive.type_symbol(key));
    for marker in markers {
        opening.batch.n_records += 1;
        let time = i128::from(marker.time) - i128::from(archive.clock_offset);
        let Some(time) = time_of(time) else {
            opening.batch.n_lost += 1;
            opening.problem(0, Code::DamagedRecord, || {
                format!("a marker at the time {}, which is out of range", marker.time)
            });
            continue;
        };
        let value = match kinds.get(&marker.kind) {
            Some(kind) => kind.category.clone(),
            None => format!("marker {}", marker.kind).into_bytes(),
        };
        let value = symbols.values.intern(&value);
        let mut extras = Extras::new(symbols);
        extras.push(b"text", FieldKind::String, &marker.text);
        extras.push(b"scope", FieldKind::String, &scope_text(archive, marker));
        if let Some(kind) = kinds.get(&marker.kind) {
            extras.push(b"group", FieldKind::String, &kind.group);
            extras.number("severity", kind.severity);
        }
        if marker.duration > 0 {
            extras.number("duration_ticks", marker.duration);
        }
        let span: Span = opening.batch.keep(extras.packed());
        opening.batch.extras.push(span);
        let op = Op::NewEvent;
        opening.batch.records.push(Record { time, at: 0, pair, value, op, has_extras: true });
    }
}

/// What a marker is about.
fn scope_text(archive: &Archive<'_>, marker: &Marker) -> Vec<u8> {
    let (definitions, id) = (&archive.definitions, marker.scope);
    match marker.scope_kind {
        0 => b"global".to_vec(),
        1 => reference_text(definitions, Kind::Location, id),
        2 => reference_text(definitions, Kind::LocationGroup, id),
        3 => match definitions.nodes.get(id) {
            Some(node) => super::places::named(definitions, node.name, "node", id),
            None => format!("node {id}").into_bytes(),
        },
        4 => reference_text(definitions, Kind::Group, id),
        5 => reference_text(definitions, Kind::Comm, id),
        other => format!("scope {other} {id}").into_bytes(),
    }
}
