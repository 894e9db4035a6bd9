//! Extra fields of events. They are made known before any event is read, in an order that does
//! not depend on who reads first; only those that the definitions lead to expect, for each one
//! becomes a column.

use std::borrow::Cow;
use std::collections::HashMap;

use onca_model::{FieldId, FieldKind, Ticks, push_extra};

use super::definitions::{Definitions, defined};
use super::event::{EVENTS, EventKind, FIRST, Packing, collective_name, root_text};
use super::places::named;
use super::text::reference_text;
use super::value::Kind;
use crate::cursor::UNDEFINED;
use crate::symbols::Symbols;

/// The most fields that an event has.
pub(super) const MAX_FIELDS: usize = 6;

/// The ids of extra fields.
#[derive(Debug)]
pub(super) struct Fields {
    /// Of each kind of event; `None` where definitions did not lead to expect it.
    of_events: Vec<[Option<FieldId>; MAX_FIELDS]>,
    /// Of attributes, by the number of their definition.
    attributes: Vec<FieldId>,
    /// For all that nothing led to expect: names and values in one text.
    other: FieldId,
    pub tag: FieldId,
    pub communicator: FieldId,
    pub root: FieldId,
    pub sent: FieldId,
    pub received: FieldId,
    pub instance: FieldId,
    pub unwind_distance: FieldId,
    /// When a message was asked for.
    pub posted: FieldId,
    /// When a send that was begun was over.
    pub completed: FieldId,
}

impl Fields {
    pub fn new(definitions: &Definitions, symbols: &Symbols) -> Self {
        let number = |name: &str| symbols.field(name.as_bytes(), FieldKind::Int);
        let text = |name: &str| symbols.field(name.as_bytes(), FieldKind::String);
        let event_fields = |kind: &EventKind| {
            let mut ids = [None; MAX_FIELDS];
            let expected = is_expected(definitions, kind);
            for (field, id) in kind.fields.iter().zip(&mut ids).filter(|_| expected) {
                *id = Some(match (field.packing, field.name) {
                    (Packing::Reference(_) | Packing::Texts, _) => text(field.name),
                    (_, "operation" | "root") => text(field.name),
                    _ => number(field.name),
                });
            }
            ids
        };
        let attributes = definitions.attributes.entries.iter().enumerate();
        Self {
            tag: number("tag"),
            communicator: text("communicator"),
            root: text("root"),
            sent: number("sent"),
            received: number("received"),
            instance: number("instance"),
            unwind_distance: number("unwind_distance"),
            posted: number("posted"),
            completed: number("completed"),
            of_events: EVENTS.iter().map(event_fields).collect(),
            attributes: attributes
                .map(|(index, &name)| {
                    let name = named(definitions, name, "attribute", index as u64);
                    symbols.field(&name, FieldKind::String)
                })
                .collect(),
            other: text("details"),
        }
    }

    /// The field of an attribute.
    pub fn attribute(&self, definitions: &Definitions, id: u64) -> FieldId {
        let number = definitions.attributes.number(id);
        number.map_or(self.other, |number| self.attributes[number as usize])
    }

    /// Packs the fields of an event.
    pub fn pack(
        &self,
        definitions: &Definitions,
        number: u8,
        values: &[u64; MAX_FIELDS],
        packed: &mut Vec<u8>,
    ) {
        let Some(kind) = EVENTS.get(usize::from(number - FIRST)) else { return };
        let ids = &self.of_events[usize::from(number - FIRST)];
        for ((field, id), &value) in kind.fields.iter().zip(ids).zip(values) {
            if field.packing == Packing::Texts {
                continue;
            }
            let mut digits = itoa::Buffer::new();
            let text: Cow<'_, [u8]> = match (field.packing, field.name) {
                (Packing::Reference(kind), _) => reference_text(definitions, kind, value).into(),
                (Packing::Signed, _) => digits.format(value.cast_signed()).as_bytes().into(),
                (_, "operation") => collective_name(value as u8).into_bytes().into(),
                (_, "root") => root_text(value as u32).into_bytes().into(),
                (Packing::Small, _) if value == u64::from(UNDEFINED) => b"undefined".into(),
                (Packing::Large, _) if !defined(value) => b"undefined".into(),
                _ => digits.format(value).as_bytes().into(),
            };
            self.push(*id, field.name, &text, packed);
        }
    }

    /// Packs the arguments of a program.
    pub fn pack_arguments(&self, number: u8, arguments: &[u8], packed: &mut Vec<u8>) {
        self.push(self.of_events[usize::from(number - FIRST)][1], "arguments", arguments, packed);
    }

    fn push(&self, id: Option<FieldId>, name: &str, text: &[u8], packed: &mut Vec<u8>) {
        match id {
            Some(id) => push_extra(packed, id, text),
            None => {
                let text = [name.as_bytes(), b"=", text].concat();
                push_extra(packed, self.other, &text);
            }
        }
    }
}

/// Packs a number.
pub(super) fn push_number_extra(packed: &mut Vec<u8>, field: FieldId, number: u64) {
    push_extra(packed, field, itoa::Buffer::new().format(number).as_bytes());
}

/// Packs a time in ticks.
pub(super) fn push_time_extra(packed: &mut Vec<u8>, field: FieldId, time: Ticks) {
    push_extra(packed, field, itoa::Buffer::new().format(time).as_bytes());
}

/// Do the definitions lead to expect events of a kind? They do if there is something of every
/// kind that its fields refer to, and, for requests of MPI, a communicator.
fn is_expected(definitions: &Definitions, kind: &EventKind) -> bool {
    let has: HashMap<Kind, bool> = HashMap::from([
        (Kind::Comm, !definitions.comms.entries.is_empty()),
        (Kind::Parameter, !definitions.parameters.entries.is_empty()),
        (Kind::Window, !definitions.windows.entries.is_empty()),
        (Kind::Context, !definitions.contexts.entries.is_empty()),
        (Kind::IoFile, !definitions.io_files.entries.is_empty()),
        (Kind::IoHandle, !definitions.io_handles.entries.is_empty()),
    ]);
    let exists = |kind: Kind| has.get(&kind).copied().unwrap_or(true);
    kind.fields.iter().all(|field| match (field.packing, field.name) {
        (Packing::Reference(kind), _) => exists(kind),
        (_, "request" | "message") => exists(Kind::Comm),
        // Old tasks and locks of OpenMP: newer archives have those of threads.
        (_, "task") => false,
        _ => true,
    })
}
