//! The event definitions of an export: one for each kind of record and list of extra fields.

use std::hash::Hash;
use std::io::{self, Write};

use hashbrown::{Equivalent, HashMap};
use onca_model::{Catalog, FieldId, FieldKind};

/// A kind of record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum RecordKind {
    DefineContainerType,
    DefineStateType,
    DefineEventType,
    DefineVariableType,
    DefineLinkType,
    DefineValue,
    Create,
    Destroy,
    PushState,
    PopState,
    SetVariable,
    NewEvent,
    StartLink,
    EndLink,
}

type Fields = &'static [(&'static str, &'static str)];

const DEFINED: Fields = &[("Alias", "string"), ("Type", "string"), ("Name", "string")];
const VALUED: Fields =
    &[("Time", "date"), ("Type", "string"), ("Container", "string"), ("Value", "string")];

impl RecordKind {
    /// Its name in the format, and the fields that records of it begin with.
    fn definition(self) -> (&'static str, Fields) {
        match self {
            Self::DefineContainerType => ("PajeDefineContainerType", DEFINED),
            Self::DefineStateType => ("PajeDefineStateType", DEFINED),
            Self::DefineEventType => ("PajeDefineEventType", DEFINED),
            Self::DefineVariableType => ("PajeDefineVariableType", DEFINED),
            Self::DefineLinkType => (
                "PajeDefineLinkType",
                &[
                    ("Alias", "string"),
                    ("Type", "string"),
                    ("StartContainerType", "string"),
                    ("EndContainerType", "string"),
                    ("Name", "string"),
                ],
            ),
            Self::DefineValue => ("PajeDefineEntityValue", DEFINED),
            Self::Create => (
                "PajeCreateContainer",
                &[
                    ("Time", "date"),
                    ("Alias", "string"),
                    ("Type", "string"),
                    ("Container", "string"),
                    ("Name", "string"),
                ],
            ),
            Self::Destroy => (
                "PajeDestroyContainer",
                &[("Time", "date"), ("Type", "string"), ("Name", "string")],
            ),
            Self::PushState => ("PajePushState", VALUED),
            Self::PopState => {
                ("PajePopState", &[("Time", "date"), ("Type", "string"), ("Container", "string")])
            }
            Self::SetVariable => (
                "PajeSetVariable",
                &[
                    ("Time", "date"),
                    ("Type", "string"),
                    ("Container", "string"),
                    ("Value", "double"),
                ],
            ),
            Self::NewEvent => ("PajeNewEvent", VALUED),
            Self::StartLink => (
                "PajeStartLink",
                &[
                    ("Time", "date"),
                    ("Type", "string"),
                    ("Container", "string"),
                    ("Value", "string"),
                    ("StartContainer", "string"),
                    ("Key", "string"),
                ],
            ),
            Self::EndLink => (
                "PajeEndLink",
                &[
                    ("Time", "date"),
                    ("Type", "string"),
                    ("Container", "string"),
                    ("Value", "string"),
                    ("EndContainer", "string"),
                    ("Key", "string"),
                ],
            ),
        }
    }

    fn has_field(self, name: &[u8]) -> bool {
        self.definition().1.iter().any(|(own, _)| own.as_bytes() == name)
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    kind: RecordKind,
    color: bool,
    fields: Vec<FieldId>,
}

/// A key that owns nothing. It hashes as [`Key`] does.
#[derive(Hash)]
struct KeyRef<'a> {
    kind: RecordKind,
    color: bool,
    fields: &'a [FieldId],
}

impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.kind == key.kind && self.color == key.color && self.fields == key.fields
    }
}

/// The definitions that are needed, each with its number.
pub(crate) struct Layouts<'c> {
    catalog: &'c Catalog,
    numbers: HashMap<Key, u32>,
    in_order: Vec<Key>,
}

impl<'c> Layouts<'c> {
    pub(crate) fn new(catalog: &'c Catalog) -> Self {
        Self { catalog, numbers: HashMap::new(), in_order: Vec::new() }
    }

    /// Sees to it that a record can be written.
    pub(crate) fn need(&mut self, kind: RecordKind, color: bool, fields: &[FieldId]) {
        if self.number(kind, color, fields).is_none() {
            let key = Key { kind, color, fields: fields.to_vec() };
            self.numbers.insert(key.clone(), self.in_order.len() as u32);
            self.in_order.push(key);
        }
    }

    /// The number of the definition for a record.
    pub(crate) fn number(&self, kind: RecordKind, color: bool, fields: &[FieldId]) -> Option<u32> {
        self.numbers.get(&KeyRef { kind, color, fields }).copied()
    }

    /// How many of these fields the first of two records has; the second has the rest. A record
    /// cannot have a field twice, nor one that is called like a field of the format.
    pub(crate) fn split(&self, first: RecordKind, fields: &[FieldId]) -> usize {
        let name = |index: usize| self.catalog.field_name(fields[index]);
        let clashes = |&index: &usize| {
            first.has_field(&name(index)) || (0..index).any(|before| name(before) == name(index))
        };
        (0..fields.len()).find(clashes).unwrap_or(fields.len())
    }

    /// Writes the header.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for (number, key) in self.in_order.iter().enumerate() {
            let (name, fields) = key.kind.definition();
            writeln!(out, "%EventDef {name} {number}")?;
            for (field, kind) in fields {
                writeln!(out, "% {field} {kind}")?;
            }
            if key.color {
                writeln!(out, "% Color color")?;
            }
            for &field in &key.fields {
                out.write_all(b"% ")?;
                out.write_all(&self.word(key.kind, field))?;
                writeln!(out, " {}", self.field_type(field))?;
            }
            writeln!(out, "%EndEventDef")?;
        }
        Ok(())
    }

    /// The name of an extra field as one word. All is in one file: the name of a file with more
    /// records must not be taken for one.
    fn word(&self, kind: RecordKind, field: FieldId) -> Vec<u8> {
        let name = self.catalog.field_name(field);
        if kind == RecordKind::Create && matches!(&*name, b"Filename" | b"FileName" | b"File") {
            return b"PartFile".to_vec();
        }
        let plain = |&byte: &u8| match byte {
            0..=b' ' | b'#' | b'"' | b'%' => b'_',
            byte => byte,
        };
        if name.is_empty() { b"_".to_vec() } else { name.iter().map(plain).collect() }
    }

    fn field_type(&self, field: FieldId) -> &'static str {
        match self.catalog.fields.get(field.index()).map(|field| field.kind) {
            Some(FieldKind::Int) => "int",
            Some(FieldKind::Double) => "double",
            Some(FieldKind::Date) => "date",
            Some(FieldKind::Hex) => "hex",
            Some(FieldKind::Color) => "color",
            Some(FieldKind::String) | None => "string",
        }
    }
}
