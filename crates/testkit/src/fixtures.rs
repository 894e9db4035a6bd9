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

/// The common header, but links have a size.
pub fn header_with_sizes() -> String {
    let blocks = HEADER_EVENTS.iter().map(|(id, event, fields)| {
        let size: &[&str] = if event.ends_with("Link") { &["Size"] } else { &[] };
        block(&id.to_string(), event, &[fields, size].concat())
    });
    blocks.collect()
}

/// State changes that give the values of [`table_4_2`]: process, state, begin, end.
const TABLE_STATES: [(&str, &str, u32, u32); 13] = [
    ("A", "Blocked", 7, 13),
    ("A", "Executing", 13, 17),
    ("A", "Blocked", 17, 22),
    ("B", "Executing", 8, 14),
    ("B", "Blocked", 14, 16),
    ("B", "Executing", 16, 21),
    ("C", "Blocked", 9, 14),
    ("C", "Executing", 14, 17),
    ("C", "Blocked", 17, 25),
    ("D", "Executing", 5, 30),
    ("E", "Executing", 6, 12),
    ("E", "Blocked", 12, 17),
    ("E", "Executing", 17, 20),
];

/// Links of [`table_4_2`]: from, to, start, end, size. The last two cross the border of the slice.
const TABLE_LINKS: [(&str, &str, u32, u32, u32); 9] = [
    ("A", "B", 11, 13, 10),
    ("A", "C", 14, 16, 40),
    ("B", "A", 12, 14, 36),
    ("C", "D", 15, 16, 10),
    ("D", "E", 12, 13, 5),
    ("D", "C", 14, 17, 45),
    ("E", "D", 13, 15, 30),
    ("B", "C", 8, 12, 99),
    ("E", "A", 18, 20, 77),
];

/// A trace whose slice from 10 to 19 has the values of table 4.2 of Schnorr's thesis (2009): five
/// processes `A` to `E` on the machines `M1` to `M3` of the clusters `C1` and `C2` of a grid `G`.
pub fn table_4_2() -> String {
    let mut text = header_with_sizes();
    text += "1 G 0 Grid\n1 K G Cluster\n1 M K Machine\n1 P M Process\n2 S P State\n\
             5 L 0 P P Message\n\
             7 0 G G 0 G\n7 0 C1 K G C1\n7 0 C2 K G C2\n\
             7 0 M1 M C1 M1\n7 0 M2 M C2 M2\n7 0 M3 M C2 M3\n";
    for (process, machine) in [("A", "M1"), ("B", "M1"), ("C", "M2"), ("D", "M2"), ("E", "M3")] {
        text += &format!("7 0 {process} P {machine} {process}\n");
    }
    let mut records = Vec::new();
    for (process, state, start, end) in TABLE_STATES {
        records.push((start, 1, format!("13 {start} S {process} {state}\n")));
        records.push((end, 0, format!("14 {end} S {process}\n")));
    }
    for (key, (from, to, start, end, size)) in TABLE_LINKS.into_iter().enumerate() {
        records.push((start, 2, format!("16 {start} L 0 {from} m {key} {size}\n")));
        records.push((end, 2, format!("17 {end} L 0 {to} m {key} {size}\n")));
    }
    records.sort();
    text + &records.into_iter().map(|(_, _, record)| record).collect::<String>()
}
