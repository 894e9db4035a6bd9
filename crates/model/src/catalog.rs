//! What a trace declares: types, values, containers, extra fields, lanes.

use std::borrow::Cow;

use crate::{Color, ContainerId, Diagnostics, FieldId, LaneId, Ticks, TimeUnit, TypeId, ValueId};

/// What a type is a type of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Nature {
    /// Containers.
    Container = 0,
    /// States.
    State = 1,
    /// Events.
    Event = 2,
    /// Variables.
    Variable = 3,
    /// Links.
    Link = 4,
}

impl Nature {
    /// All natures, in order of their number.
    pub const ALL: [Self; 5] =
        [Self::Container, Self::State, Self::Event, Self::Variable, Self::Link];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Container => "container",
            Self::State => "state",
            Self::Event => "event",
            Self::Variable => "variable",
            Self::Link => "link",
        }
    }
}

/// A node of the type tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeDef {
    /// The name shown to people.
    pub name: Vec<u8>,
    /// The identifier that records use, when it differs from the name.
    pub alias: Option<Vec<u8>>,
    /// What it is a type of.
    pub nature: Nature,
    /// The container type it belongs to; the root belongs to itself.
    pub parent: TypeId,
    /// A colour given by the trace.
    pub color: Option<Color>,
    /// For link types: the types of the containers at both ends.
    pub ends: Option<(TypeId, TypeId)>,
    /// Extra fields of the definition, packed.
    pub extras: Vec<u8>,
}

impl TypeDef {
    /// The identifier by which records refer to it.
    pub fn identifier(&self) -> &[u8] {
        self.alias.as_deref().unwrap_or(&self.name)
    }
}

/// A value of a state, event or link type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueDef {
    /// The type whose value it is.
    pub type_id: TypeId,
    /// The name shown to people.
    pub name: Vec<u8>,
    /// The identifier that records use, when it differs from the name.
    pub alias: Option<Vec<u8>>,
    /// A colour given by the trace.
    pub color: Option<Color>,
    /// Extra fields of the definition, packed.
    pub extras: Vec<u8>,
}

/// How a source declares an extra field. A hint: the text decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum FieldKind {
    /// Text.
    String = 0,
    /// A whole number.
    Int = 1,
    /// A number.
    Double = 2,
    /// A time.
    Date = 3,
    /// A number in base sixteen.
    Hex = 4,
    /// A colour.
    Color = 5,
}

impl FieldKind {
    /// What definitions call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Int => "int",
            Self::Double => "double",
            Self::Date => "date",
            Self::Hex => "hex",
            Self::Color => "color",
        }
    }
}

/// An extra field that the source defines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldDef {
    /// Its name as declared.
    pub name: Vec<u8>,
    /// Its declared type.
    pub kind: FieldKind,
}

/// One sequence of rows. All lanes of a container and a type together are a track; only
/// states have more than one lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lane {
    /// Whose rows these are; for links, the owner.
    pub container: ContainerId,
    /// The type of the rows.
    pub type_id: TypeId,
    /// Nesting depth, 0 for the outermost states and for everything that is not a state.
    pub depth: u16,
}

/// A column of byte strings in one allocation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TextColumn {
    /// All texts, one after the other.
    pub bytes: Vec<u8>,
    /// Where each text ends in `bytes`.
    pub ends: Vec<u64>,
}

impl TextColumn {
    /// Appends a text.
    pub fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len() as u64);
    }

    /// The text in row `index`.
    pub fn get(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start as usize..self.ends[index] as usize]
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Is there no text?
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// The containers of a trace, as columns: a million of them is an ordinary case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Containers {
    /// The names shown to people; not unique.
    pub names: TextColumn,
    /// The identifiers that records use; empty where the name serves.
    pub aliases: TextColumn,
    /// The type of each container.
    pub types: Vec<TypeId>,
    /// The parent of each container; the root is its own parent. A parent comes before its
    /// children.
    pub parents: Vec<ContainerId>,
    /// When each container was created.
    pub starts: Vec<Ticks>,
    /// When each container was destroyed, or the end of the trace.
    pub ends: Vec<Ticks>,
    /// Did a record destroy the container, or one that it lies in? Else it ends with the trace.
    pub destroyed: Vec<bool>,
    /// Extra fields of the creating records, packed.
    pub extras: TextColumn,
}

/// One container, to be added to [`Containers`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Container<'a> {
    /// The name shown to people.
    pub name: &'a [u8],
    /// The identifier, empty where the name serves.
    pub alias: &'a [u8],
    /// Its type.
    pub type_id: TypeId,
    /// Its parent.
    pub parent: ContainerId,
    /// When it was created.
    pub start: Ticks,
    /// When it was destroyed.
    pub end: Ticks,
    /// Extra fields, packed.
    pub extras: &'a [u8],
}

impl Containers {
    /// Appends a container and returns its id.
    pub fn push(&mut self, container: &Container<'_>) -> ContainerId {
        let id = ContainerId(self.types.len() as u32);
        self.names.push(container.name);
        self.aliases.push(container.alias);
        self.types.push(container.type_id);
        self.parents.push(container.parent);
        self.starts.push(container.start);
        self.ends.push(container.end);
        self.destroyed.push(false);
        self.extras.push(container.extras);
        id
    }

    /// The number of containers, the root included.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Is there not even a root?
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// One container.
    pub fn get(&self, id: ContainerId) -> Container<'_> {
        let index = id.index();
        Container {
            name: self.names.get(index),
            alias: self.aliases.get(index),
            type_id: self.types[index],
            parent: self.parents[index],
            start: self.starts[index],
            end: self.ends[index],
            extras: self.extras.get(index),
        }
    }

    /// The identifier by which records refer to a container.
    pub fn identifier(&self, id: ContainerId) -> &[u8] {
        match self.aliases.get(id.index()) {
            b"" => self.names.get(id.index()),
            alias => alias,
        }
    }
}

/// Facts about the whole trace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TraceFacts {
    /// The unit of time.
    pub unit: TimeUnit,
    /// The smallest time seen; 0 if there is none.
    pub start: Ticks,
    /// The largest time seen; 0 if there is none.
    pub end: Ticks,
    /// The time on the last record line of the source: what `pj_dump` takes for the end of the
    /// trace. `None` when no line has a time; 0 when the last line has none.
    pub last_line: Option<Ticks>,
    /// Lines that are neither blank, comment nor header.
    pub records: u64,
    /// Record lines that had no effect.
    pub lost: u64,
    /// The program that wrote the trace, if it can be told.
    pub producer: Option<String>,
    /// The source ended in the middle of a record or of a compressed stream.
    pub truncated: bool,
}

/// Everything a trace declares, once it has been read to the end.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Catalog {
    /// The type tree; the root first, parents before children.
    pub types: Vec<TypeDef>,
    /// The values of all types.
    pub values: Vec<ValueDef>,
    /// The container tree.
    pub containers: Containers,
    /// The extra fields.
    pub fields: Vec<FieldDef>,
    /// The lanes that rows were given for.
    pub lanes: Vec<Lane>,
    /// Facts about the whole.
    pub facts: TraceFacts,
    /// What was wrong with the source.
    pub diagnostics: Diagnostics,
}

impl Catalog {
    /// The type with this id.
    pub fn type_def(&self, id: TypeId) -> &TypeDef {
        &self.types[id.index()]
    }

    /// The value with this id.
    pub fn value(&self, id: ValueId) -> &ValueDef {
        &self.values[id.index()]
    }

    /// The name of an extra field: as declared, or `+1`, `+2`, ... for surplus tokens.
    pub fn field_name(&self, id: FieldId) -> Cow<'_, [u8]> {
        match (id.surplus_number(), self.fields.get(id.index())) {
            (Some(number), _) => Cow::Owned(format!("+{number}").into_bytes()),
            (None, Some(field)) => Cow::Borrowed(&field.name),
            (None, None) => Cow::Borrowed(b"?"),
        }
    }

    /// The lane with this id.
    pub fn lane(&self, id: LaneId) -> Lane {
        self.lanes[id.index()]
    }
}
