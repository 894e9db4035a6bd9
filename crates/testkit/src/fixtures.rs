//! The header and body that most hand-written traces share.

/// Event names with their ids and fields, in the order of the common header.
pub const HEADER_EVENTS: [(u32, &str, &[&str]); 18] = [
    (1, "PajeDefineContainerType", &["Alias", "Type", "Name"]),
    (2, "PajeDefineStateType", &["Alias", "Type", "Name"]),
    (3, "PajeDefineVariableType", &["Alias", "Type", "Name", "Color"]),
    (4, "PajeDefineEventType", &["Alias", "Type", "Name"]),
    (5, "PajeDefineLinkType", &["Alias", "Type", "StartContainerType", "EndContainerType", "Name"]),
    (6, "PajeDefineEntityValue", &["Alias", "Type", "Name", "Color"]),
    (7, "PajeCreateContainer", &["Time", "Alias", "Type", "Container", "Name"]),
    (8, "PajeDestroyContainer", &["Time", "Type", "Name"]),
    (9, "PajeSetVariable", &["Time", "Type", "Container", "Value"]),
    (10, "PajeAddVariable", &["Time", "Type", "Container", "Value"]),
    (11, "PajeSubVariable", &["Time", "Type", "Container", "Value"]),
    (12, "PajeSetState", &["Time", "Type", "Container", "Value"]),
    (13, "PajePushState", &["Time", "Type", "Container", "Value"]),
    (14, "PajePopState", &["Time", "Type", "Container"]),
    (15, "PajeResetState", &["Time", "Type", "Container"]),
    (16, "PajeStartLink", &["Time", "Type", "Container", "StartContainer", "Value", "Key"]),
    (17, "PajeEndLink", &["Time", "Type", "Container", "EndContainer", "Value", "Key"]),
    (18, "PajeNewEvent", &["Time", "Type", "Container", "Value"]),
];

/// The type that producers declare for a field.
pub fn field_type(field: &str, event: &str) -> &'static str {
    match field {
        "Time" => "date",
        "Color" => "color",
        "Value" if event.ends_with("Variable") => "double",
        "Size" => "int",
        _ => "string",
    }
}

/// One `%EventDef` block.
pub fn block(id: &str, event: &str, fields: &[&str]) -> String {
    let mut text = format!("%EventDef {event} {id}\n");
    for field in fields {
        text += &format!("% {field} {}\n", field_type(field, event));
    }
    text + "%EndEventDef\n"
}

/// The common header `H`.
pub fn header() -> String {
    HEADER_EVENTS.iter().map(|(id, event, fields)| block(&id.to_string(), event, fields)).collect()
}

/// The common body `T`: one type of every nature and the containers `a` and `b`.
pub fn common_body() -> String {
    "1 P 0 Proc\n\
     2 S P St\n\
     3 V P Var \"1 0 0\"\n\
     4 E P Ev\n\
     5 L 0 P P Lk\n\
     7 0 a P 0 A\n\
     7 0 b P 0 B\n"
        .to_string()
}

/// Header, common body and the given lines.
pub fn trace(body_lines: &str) -> String {
    let mut text = header() + &common_body() + body_lines;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
