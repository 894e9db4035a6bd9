//! Types, containers and values by number, and what can be recorded with them.

use crate::definitions::{self, Nature};
use crate::ring::{self, Attribute, AttributeValue, Kind, word};

/// A type of containers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ContainerType(pub(crate) u32);

/// A type of states.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StateType(pub(crate) u32);

/// A type of events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EventType(pub(crate) u32);

/// A type of variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VariableType(pub(crate) u32);

/// A type of links.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LinkType(pub(crate) u32);

/// A value that states, events or links of a type can have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Value<T> {
    of: T,
    id: u32,
}

/// A field that records can have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Field(u32);

/// What a field of a record says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FieldValue<'t> {
    /// A text, of which at most 4096 bytes are kept.
    Text(&'t str),
    /// A whole number.
    Int(i64),
    /// Any number.
    Double(f64),
}

impl Field {
    /// The field of this name.
    pub fn new(name: &str) -> Self {
        Self(definitions::define_field(name))
    }

    /// The field that holds comments.
    pub fn comment() -> Self {
        Self::new("Comment")
    }

    /// The field with a value.
    pub fn is(self, value: FieldValue<'_>) -> SetField<'_> {
        let value = match value {
            FieldValue::Text(text) => AttributeValue::Text(text),
            FieldValue::Int(number) => AttributeValue::Int(number),
            FieldValue::Double(number) => AttributeValue::Double(number),
        };
        SetField(Attribute { field: self.0, value })
    }
}

/// A field of one record.
#[derive(Clone, Copy, Debug)]
pub struct SetField<'t>(pub(crate) Attribute<'t>);

/// A few fields, as the buffer takes them.
fn attributes<'t>(fields: &[SetField<'t>]) -> Vec<Attribute<'t>> {
    fields.iter().map(|field| field.0).collect()
}

impl ContainerType {
    /// The type of the root, below which all others are defined.
    pub const ROOT: Self = Self(0);

    /// The type of containers that lie in those of this type.
    pub fn container_type(self, name: &str) -> Self {
        Self(definitions::define_type(Nature::Container, self.0, name, None))
    }

    /// A type of states of containers of this type.
    pub fn state_type(self, name: &str) -> StateType {
        StateType(definitions::define_type(Nature::State, self.0, name, None))
    }

    /// A type of events in containers of this type.
    pub fn event_type(self, name: &str) -> EventType {
        EventType(definitions::define_type(Nature::Event, self.0, name, None))
    }

    /// A type of variables of containers of this type.
    pub fn variable_type(self, name: &str) -> VariableType {
        VariableType(definitions::define_type(Nature::Variable, self.0, name, None))
    }

    /// A type of links between containers of two types, which both lie below containers of this type.
    pub fn link_type(self, name: &str, from: Self, to: Self) -> LinkType {
        LinkType(definitions::define_type(Nature::Link, self.0, name, Some((from.0, to.0))))
    }
}

macro_rules! has_values {
    ($($of:ident)*) => {$(
        impl $of {
            /// The value of this name.
            pub fn value(self, name: &str) -> Value<Self> {
                Value { of: self, id: definitions::define_value(self.0, name, None) }
            }

            /// The value of this name, which is drawn in a colour, `0xrrggbb`.
            pub fn colored_value(self, name: &str, color: u32) -> Value<Self> {
                Value { of: self, id: definitions::define_value(self.0, name, Some(color)) }
            }
        }
    )*};
}

has_values!(StateType EventType LinkType);

/// Something that states, events, variables and links are recorded of. Copies stand for the same container.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Container(pub(crate) u32);

impl Container {
    /// The root, in which all others lie.
    pub const ROOT: Self = Self(0);

    /// Creates a container in this one.
    pub fn create(self, of: ContainerType, name: &str) -> Self {
        Self(definitions::create(of.0, self.0, name))
    }

    /// Ends the container and all in it.
    pub fn destroy(self) {
        definitions::destroy(self.0);
    }

    /// Closes all open states of the value's type and opens one.
    #[inline]
    pub fn set(self, value: Value<StateType>) {
        ring::record(Kind::SetState, self.0, value.of.0, u64::from(value.id));
    }

    /// Opens a state inside the open one.
    #[inline]
    pub fn push(self, value: Value<StateType>) {
        ring::record(Kind::PushState, self.0, value.of.0, u64::from(value.id));
    }

    /// The same with fields.
    pub fn push_with(self, value: Value<StateType>, fields: &[SetField<'_>]) {
        if ring::is_enabled() {
            let (of, id) = (value.of.0, u64::from(value.id));
            ring::record_more(None, Kind::PushState, self.0, of, id, None, &attributes(fields));
        }
    }

    /// Closes the innermost state.
    #[inline]
    pub fn pop(self, of: StateType) {
        ring::record(Kind::PopState, self.0, of.0, 0);
    }

    /// Closes all open states.
    #[inline]
    pub fn reset(self, of: StateType) {
        ring::record(Kind::ResetState, self.0, of.0, 0);
    }

    /// Opens a state that is closed when what this returns is dropped.
    #[inline]
    pub fn enter(self, value: Value<StateType>) -> StateGuard {
        self.push(value);
        StateGuard { container: self, of: value.of }
    }

    /// Something happens.
    #[inline]
    pub fn event(self, value: Value<EventType>) {
        ring::record(Kind::Event, self.0, value.of.0, u64::from(value.id));
    }

    /// The same with fields.
    pub fn event_with(self, value: Value<EventType>, fields: &[SetField<'_>]) {
        if ring::is_enabled() {
            let (of, id) = (value.of.0, u64::from(value.id));
            ring::record_more(None, Kind::Event, self.0, of, id, None, &attributes(fields));
        }
    }

    /// A variable gets a value.
    #[inline]
    pub fn set_variable(self, of: VariableType, value: f64) {
        ring::record(Kind::SetVariable, self.0, of.0, value.to_bits());
    }

    /// A variable grows.
    #[inline]
    pub fn add_variable(self, of: VariableType, value: f64) {
        ring::record(Kind::AddVariable, self.0, of.0, value.to_bits());
    }

    /// A variable shrinks.
    #[inline]
    pub fn sub_variable(self, of: VariableType, value: f64) {
        ring::record(Kind::SubVariable, self.0, of.0, value.to_bits());
    }

    /// A link leaves this container. Its other end has the same type, value and key.
    pub fn start_link(self, value: Value<LinkType>, key: u64, size: Option<u64>) {
        link(Kind::StartLink, self.0, 0, value.of.0, value.id, key, size, None, &[]);
    }

    /// A link reaches this container.
    pub fn end_link(self, value: Value<LinkType>, key: u64, size: Option<u64>) {
        link(Kind::EndLink, self.0, 0, value.of.0, value.id, key, size, None, &[]);
    }
}

/// Records one end of a link, which belongs to a container in which both ends lie.
#[expect(clippy::too_many_arguments, reason = "the fields of the record, in their order")]
pub(crate) fn link(
    kind: Kind,
    container: u32,
    owner: u32,
    of: u32,
    value: u32,
    key: u64,
    size: Option<u64>,
    ticks: Option<u64>,
    fields: &[Attribute<'_>],
) {
    let size = size.map_or(0, |size| size.saturating_add(1));
    let more = [size, word(Kind::More, owner, 0), u64::from(value)];
    ring::record_more(ticks, kind, container, of, key, Some(more), fields);
}

/// Closes a state when it is dropped.
#[derive(Debug)]
#[must_use = "the state is closed when this is dropped"]
pub struct StateGuard {
    container: Container,
    of: StateType,
}

impl Drop for StateGuard {
    #[inline]
    fn drop(&mut self) {
        self.container.pop(self.of);
    }
}

/// Opens a state in a container until the end of the block: `state!(container, type, "name")`. The value is looked
/// up once.
#[macro_export]
macro_rules! state {
    ($container:expr, $of:expr, $name:literal) => {
        let _state = {
            static VALUE: ::std::sync::OnceLock<$crate::Value<$crate::StateType>> =
                ::std::sync::OnceLock::new();
            $container.enter(*VALUE.get_or_init(|| $of.value($name)))
        };
    };
}
