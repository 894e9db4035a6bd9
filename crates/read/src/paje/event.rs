//! The events of the Pajé format and the fields they need.

use onca_model::Nature;

use crate::batch::{Op, Role};

/// What a record of an event becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    /// A timed record of a track.
    Timed(Op),
    /// A type definition.
    DefineType(Nature),
    /// A value definition.
    DefineValue,
    /// A container is created.
    Create,
    /// A container is destroyed.
    Destroy,
    /// A file with more records.
    TraceFile,
    /// Known and without consequence.
    Ignored,
    /// An event of the traced program: its records are kept as events.
    User,
    /// An event that the format does not have: its records are lost.
    Unknown,
}

/// An event of the format.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub name: &'static str,
    pub effect: Effect,
    pub mandatory: &'static [Role],
    pub optional: &'static [Role],
}

impl Event {
    pub fn uses(&self, role: Role) -> bool {
        self.mandatory.contains(&role) || self.optional.contains(&role)
    }
}

use Role::{
    Alias, Color, Container, EndContainer, EndContainerType, File, Key, Name, StartContainer,
    StartContainerType, Time, Type, Value,
};

const VALUED: &[Role] = &[Time, Type, Container, Value];
const UNVALUED: &[Role] = &[Time, Type, Container];

const fn event(
    name: &'static str,
    effect: Effect,
    mandatory: &'static [Role],
    optional: &'static [Role],
) -> Event {
    Event { name, effect, mandatory, optional }
}

const EVENTS: &[Event] = &[
    event(
        "PajeDefineContainerType",
        Effect::DefineType(Nature::Container),
        &[Name, Type],
        &[Alias],
    ),
    event("PajeDefineStateType", Effect::DefineType(Nature::State), &[Name, Type], &[Alias]),
    event("PajeDefineEventType", Effect::DefineType(Nature::Event), &[Name, Type], &[Alias, Color]),
    event(
        "PajeDefineVariableType",
        Effect::DefineType(Nature::Variable),
        &[Name, Type],
        &[Alias, Color],
    ),
    event(
        "PajeDefineLinkType",
        Effect::DefineType(Nature::Link),
        &[Name, Type, StartContainerType, EndContainerType],
        &[Alias],
    ),
    event("PajeDefineEntityValue", Effect::DefineValue, &[Name, Type], &[Alias, Color]),
    event("PajeCreateContainer", Effect::Create, &[Time, Name, Type, Container], &[Alias]),
    event("PajeDestroyContainer", Effect::Destroy, &[Time, Name, Type], &[]),
    event("PajeSetState", Effect::Timed(Op::SetState), VALUED, &[]),
    event("PajePushState", Effect::Timed(Op::PushState), VALUED, &[]),
    event("PajePopState", Effect::Timed(Op::PopState), UNVALUED, &[]),
    event("PajeResetState", Effect::Timed(Op::ResetState), UNVALUED, &[]),
    event("PajeNewEvent", Effect::Timed(Op::NewEvent), VALUED, &[]),
    event("PajeSetVariable", Effect::Timed(Op::SetVariable), VALUED, &[]),
    event("PajeAddVariable", Effect::Timed(Op::AddVariable), VALUED, &[]),
    event("PajeSubVariable", Effect::Timed(Op::SubVariable), VALUED, &[]),
    event(
        "PajeStartLink",
        Effect::Timed(Op::StartLink),
        &[Time, Type, Container, Value, StartContainer, Key],
        &[],
    ),
    event(
        "PajeEndLink",
        Effect::Timed(Op::EndLink),
        &[Time, Type, Container, Value, EndContainer, Key],
        &[],
    ),
    event("PajeTraceFile", Effect::TraceFile, &[Container, Type, File], &[]),
    event("PajeStartTrace", Effect::Ignored, &[], &[]),
    event("SetLimits", Effect::Ignored, &[], &[]),
];

static UNKNOWN: Event = event("", Effect::Unknown, &[], &[]);
static USER: Event = event("", Effect::User, &[Time], &[]);

/// The event with this name. Names that begin with `Paje` are the format's; all others are for
/// programs to use.
pub(super) fn event_named(name: &[u8]) -> &'static Event {
    let other = if name.starts_with(b"Paje") { &UNKNOWN } else { &USER };
    EVENTS.iter().find(|event| event.name.as_bytes() == name).unwrap_or(other)
}

/// Names of fields that stand for what begins every record.
pub(super) const RESERVED_FIELDS: [&[u8]; 2] = [b"PajeEventName", b"PajeEventId"];

/// How a field name relates to a role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spelling {
    Canonical,
    Old,
}

/// The role of a field name in an event, if the event uses it.
pub(super) fn role_of_field(event: &Event, name: &[u8]) -> Option<(Role, Spelling)> {
    let (role, spelling) = match name {
        b"Time" => (Time, Spelling::Canonical),
        b"Name" => (Name, Spelling::Canonical),
        b"Alias" => (Alias, Spelling::Canonical),
        b"Type" => (Type, Spelling::Canonical),
        b"Container" if event.effect == Effect::Destroy => (Name, Spelling::Old),
        b"Container" => (Container, Spelling::Canonical),
        b"Value" => (Value, Spelling::Canonical),
        b"Key" => (Key, Spelling::Canonical),
        b"Color" => (Color, Spelling::Canonical),
        b"StartContainerType" => (StartContainerType, Spelling::Canonical),
        b"EndContainerType" => (EndContainerType, Spelling::Canonical),
        b"StartContainer" => (StartContainer, Spelling::Canonical),
        b"EndContainer" => (EndContainer, Spelling::Canonical),
        b"Filename" => (File, Spelling::Canonical),
        b"NewName" => (Name, Spelling::Old),
        b"NewType" | b"NewValue" | b"NewContainer" => (Alias, Spelling::Old),
        b"ContainerType" | b"EntityType" | b"NewContainerType" => (Type, Spelling::Old),
        b"SourceContainerType" => (StartContainerType, Spelling::Old),
        b"DestContainerType" => (EndContainerType, Spelling::Old),
        b"SourceContainer" => (StartContainer, Spelling::Old),
        b"DestContainer" => (EndContainer, Spelling::Old),
        b"FileName" | b"File" => (File, Spelling::Old),
        _ => return None,
    };
    event.uses(role).then_some((role, spelling))
}
