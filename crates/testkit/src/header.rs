//! Event names, field names and record layouts.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    DefineContainerType,
    DefineStateType,
    DefineEventType,
    DefineVariableType,
    DefineLinkType,
    DefineEntityValue,
    CreateContainer,
    DestroyContainer,
    SetState,
    PushState,
    PopState,
    ResetState,
    NewEvent,
    SetVariable,
    AddVariable,
    SubVariable,
    StartLink,
    EndLink,
    TraceFile,
    /// Obsolete events that are read over without complaint.
    Ignored,
    /// An event that the format leaves to programs.
    User,
    Unknown,
}

impl EventKind {
    pub fn from_name(name: &[u8]) -> EventKind {
        match name {
            b"PajeDefineContainerType" => EventKind::DefineContainerType,
            b"PajeDefineStateType" => EventKind::DefineStateType,
            b"PajeDefineEventType" => EventKind::DefineEventType,
            b"PajeDefineVariableType" => EventKind::DefineVariableType,
            b"PajeDefineLinkType" => EventKind::DefineLinkType,
            b"PajeDefineEntityValue" => EventKind::DefineEntityValue,
            b"PajeCreateContainer" => EventKind::CreateContainer,
            b"PajeDestroyContainer" => EventKind::DestroyContainer,
            b"PajeSetState" => EventKind::SetState,
            b"PajePushState" => EventKind::PushState,
            b"PajePopState" => EventKind::PopState,
            b"PajeResetState" => EventKind::ResetState,
            b"PajeNewEvent" => EventKind::NewEvent,
            b"PajeSetVariable" => EventKind::SetVariable,
            b"PajeAddVariable" => EventKind::AddVariable,
            b"PajeSubVariable" => EventKind::SubVariable,
            b"PajeStartLink" => EventKind::StartLink,
            b"PajeEndLink" => EventKind::EndLink,
            b"PajeTraceFile" => EventKind::TraceFile,
            b"PajeStartTrace" | b"SetLimits" => EventKind::Ignored,
            _ if name.starts_with(b"Paje") => EventKind::Unknown,
            _ => EventKind::User,
        }
    }

    pub fn mandatory(self) -> &'static [&'static str] {
        match self {
            EventKind::DefineContainerType
            | EventKind::DefineStateType
            | EventKind::DefineEventType
            | EventKind::DefineVariableType
            | EventKind::DefineEntityValue => &["Name", "Type"],
            EventKind::DefineLinkType => {
                &["Name", "Type", "StartContainerType", "EndContainerType"]
            }
            EventKind::CreateContainer => &["Time", "Name", "Type", "Container"],
            EventKind::DestroyContainer => &["Time", "Name", "Type"],
            EventKind::PopState | EventKind::ResetState => &["Time", "Type", "Container"],
            EventKind::SetState
            | EventKind::PushState
            | EventKind::NewEvent
            | EventKind::SetVariable
            | EventKind::AddVariable
            | EventKind::SubVariable => &["Time", "Type", "Container", "Value"],
            EventKind::StartLink => {
                &["Time", "Type", "Container", "Value", "StartContainer", "Key"]
            }
            EventKind::EndLink => &["Time", "Type", "Container", "Value", "EndContainer", "Key"],
            EventKind::TraceFile => &["Container", "Type", "File"],
            EventKind::User => &["Time"],
            EventKind::Ignored | EventKind::Unknown => &[],
        }
    }

    pub fn optional(self) -> &'static [&'static str] {
        match self {
            EventKind::DefineContainerType
            | EventKind::DefineStateType
            | EventKind::DefineLinkType
            | EventKind::CreateContainer => &["Alias"],
            EventKind::DefineEventType
            | EventKind::DefineVariableType
            | EventKind::DefineEntityValue => &["Alias", "Color"],
            _ => &[],
        }
    }

    pub fn uses(self, canonical: &str) -> bool {
        self.mandatory().contains(&canonical) || self.optional().contains(&canonical)
    }
}

/// The canonical name of a spelling; None for a user field.
pub fn canonical_name(spelling: &[u8], kind: EventKind) -> Option<&'static str> {
    Some(match spelling {
        b"Container" if kind == EventKind::DestroyContainer => "Name",
        b"Time" => "Time",
        b"Name" | b"NewName" => "Name",
        b"Alias" | b"NewType" | b"NewValue" | b"NewContainer" => "Alias",
        b"Type" | b"ContainerType" | b"EntityType" | b"NewContainerType" => "Type",
        b"Container" => "Container",
        b"StartContainerType" | b"SourceContainerType" => "StartContainerType",
        b"EndContainerType" | b"DestContainerType" => "EndContainerType",
        b"StartContainer" | b"SourceContainer" => "StartContainer",
        b"EndContainer" | b"DestContainer" => "EndContainer",
        b"Value" => "Value",
        b"Key" => "Key",
        b"Color" => "Color",
        b"File" | b"FileName" | b"Filename" => "File",
        b"Line" | b"LineNumber" => "Line",
        _ => return None,
    })
}

pub fn is_field_type(text: &[u8]) -> bool {
    matches!(text, b"string" | b"int" | b"double" | b"date" | b"hex" | b"color" | b"float")
}

/// One `%EventDef` block.
#[derive(Clone, Debug)]
pub struct Layout {
    pub id: Vec<u8>,
    /// The event's name as written.
    pub name: Vec<u8>,
    pub kind: EventKind,
    /// Declared spellings in record order.
    pub fields: Vec<Vec<u8>>,
    /// Their types: `string` where none or an unknown one is declared.
    pub types: Vec<Vec<u8>>,
    /// Line of the definition.
    pub line: u64,
}

impl Layout {
    /// The column that plays a role: the exact spelling if declared, else the first other one.
    pub fn column(&self, canonical: &str) -> Option<usize> {
        if !self.kind.uses(canonical) {
            return None;
        }
        let exact = self.fields.iter().position(|spelling| spelling == canonical.as_bytes());
        exact.or_else(|| {
            self.fields
                .iter()
                .position(|spelling| canonical_name(spelling, self.kind) == Some(canonical))
        })
    }

    pub fn is_complete(&self) -> bool {
        let mandatory = self.kind.mandatory();
        mandatory.iter().all(|name| self.column(name).is_some())
    }

    /// The same event with the same columns. A role counts whatever its spelling and type, an
    /// extra field by both.
    pub fn is_same_as(&self, other: &Self) -> bool {
        let role = |layout: &Self, column: usize| {
            let roles = [layout.kind.mandatory(), layout.kind.optional()].concat();
            roles.into_iter().find(|role| layout.column(role) == Some(column))
        };
        let same_column = |column: usize| match (role(self, column), role(other, column)) {
            (None, None) => {
                self.fields[column] == other.fields[column]
                    && self.types[column] == other.types[column]
            }
            (own, others) => own == others,
        };
        self.name == other.name
            && self.fields.len() == other.fields.len()
            && (0..self.fields.len()).all(same_column)
    }

    /// Columns without a role, in record order. The file name of a part is kept as well.
    pub fn extra_columns(&self) -> Vec<usize> {
        let mut roles = Vec::new();
        roles.extend_from_slice(self.kind.mandatory());
        roles.extend_from_slice(self.kind.optional());
        let taken: Vec<Option<usize>> = roles.iter().map(|role| self.column(role)).collect();
        (0..self.fields.len()).filter(|&column| !taken.contains(&Some(column))).collect()
    }

    /// True if this spelling is an old one of a field the event uses.
    pub fn is_old_spelling(&self, spelling: &[u8]) -> bool {
        match canonical_name(spelling, self.kind) {
            Some("File") | None => false,
            Some(canonical) => self.kind.uses(canonical) && spelling != canonical.as_bytes(),
        }
    }
}
