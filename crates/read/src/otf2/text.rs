//! Values as text, with names instead of ids.

use super::definitions::{Definitions, defined};
use super::places::named;
use super::value::{Kind, Typed};
use crate::cursor::UNDEFINED;

/// A value as text.
pub(super) fn value_text(definitions: &Definitions, value: Typed) -> Vec<u8> {
    match value {
        Typed::Unsigned(number) => number.to_string().into_bytes(),
        Typed::Signed(number) => number.to_string().into_bytes(),
        Typed::Double(number) => number.to_string().into_bytes(),
        Typed::Reference(kind, id) => reference_text(definitions, kind, id),
    }
}

/// The name of what an id refers to; what is not defined shows its kind and id.
pub(super) fn reference_text(definitions: &Definitions, kind: Kind, id: u64) -> Vec<u8> {
    if !defined(id) {
        return b"undefined".to_vec();
    }
    let name =
        |name: Option<u32>, what: &str| named(definitions, name.unwrap_or(UNDEFINED), what, id);
    match kind {
        // An empty text is a text.
        Kind::String => match definitions.strings.get(id) {
            Some(text) => text.clone(),
            None => format!("string {id}").into_bytes(),
        },
        Kind::Attribute => name(definitions.attributes.get(id).copied(), "attribute"),
        Kind::Location => name(definitions.locations.get(id).map(|def| def.name), "location"),
        Kind::Region => name(definitions.regions.get(id).map(|def| def.name), "region"),
        Kind::Group => name(definitions.groups.get(id).map(|def| def.name), "group"),
        Kind::Metric => format!("metric {id}").into_bytes(),
        Kind::Comm => name(definitions.comms.get(id).map(|def| def.name), "communicator"),
        Kind::Parameter => name(definitions.parameters.get(id).copied(), "parameter"),
        Kind::Window => name(definitions.windows.get(id).map(|def| def.0), "window"),
        Kind::SourceLine => match definitions.source_lines.get(id) {
            Some(&(file, line)) => {
                let file = named(definitions, file, "file", file);
                [&file, b":".as_slice(), line.to_string().as_bytes()].concat()
            }
            None => format!("source line {id}").into_bytes(),
        },
        Kind::Context => {
            let region = definitions.contexts.get(id).copied();
            let region = region.and_then(|region| definitions.regions.get(region));
            name(region.map(|def| def.name), "context")
        }
        Kind::Interrupt => name(definitions.interrupts.get(id).copied(), "interrupt generator"),
        Kind::IoFile => name(definitions.io_files.get(id).copied(), "file"),
        Kind::IoHandle => name(definitions.io_handles.get(id).copied(), "handle"),
        Kind::LocationGroup => {
            name(definitions.location_groups.get(id).map(|def| def.name), "process")
        }
    }
}
