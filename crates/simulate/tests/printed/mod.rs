//! What the reference printer of OTF2 says of an archive, taken apart.

use std::collections::BTreeSet;

/// An event of the reference text.
#[derive(Debug)]
pub struct Printed {
    pub kind: String,
    pub location: u64,
    pub time: i64,
    pub text: String,
    /// Names and values of its attributes.
    pub attributes: Vec<(String, String)>,
}

/// What the reference says of an archive.
pub struct Reference {
    pub offset: i64,
    /// Names of attributes.
    pub attributes: BTreeSet<String>,
    pub events: Vec<Printed>,
}

pub fn reference(text: &str) -> Reference {
    let offset = after(text, "Global Offset: ").map_or(0, |text| number(text) as i64);
    let mut events: Vec<Printed> = Vec::new();
    let mut lines = text.lines().skip_while(|line| !line.starts_with("=== Events"));
    lines.by_ref().take_while(|line| !line.starts_with("-----")).for_each(drop);
    for line in lines {
        let mut words = line.split_whitespace();
        let (Some(kind), Some(location), Some(time)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        let (Ok(location), Ok(time)) = (location.parse(), time.parse()) else {
            if let (Some(event), Some(list)) = (events.last_mut(), after(line, "ATTRIBUTES: ")) {
                event.attributes = attributes(list);
            }
            continue;
        };
        let text = line.split_once(&format!(" {time}  ")).map_or("", |(_, text)| text).to_owned();
        let kind = kind.to_owned();
        events.push(Printed { kind, location, time, text, attributes: Vec::new() });
    }
    let defined = text.lines().filter(|line| line.starts_with("ATTRIBUTE "));
    let attributes = defined.filter_map(|line| after(line, "Name: \"")?.split('"').next());
    Reference { offset, attributes: attributes.map(str::to_owned).collect(), events }
}

/// Names and values of a list such as `("size" <4>; UINT64; 8), ("file" <5>; STRING; "a" <1>)`.
fn attributes(list: &str) -> Vec<(String, String)> {
    let mut attributes = Vec::new();
    for attribute in list.split("(\"").skip(1) {
        let mut parts = attribute.splitn(3, "; ");
        let name = parts.next().and_then(|text| text.split('"').next()).unwrap_or_default();
        let value = parts.nth(1).unwrap_or_default();
        let value = match value.strip_prefix('"') {
            Some(text) => text.split("\" <").next().unwrap_or_default(),
            None => value.split(')').next().unwrap_or_default(),
        };
        attributes.push((name.to_owned(), value.to_owned()));
    }
    attributes
}

pub fn after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.find(key).map(|at| &text[at + key.len()..])
}

pub fn number(text: &str) -> u64 {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(u64::MAX)
}

/// The name of an event kind as we write it.
pub fn our_name(kind: &str) -> String {
    match kind {
        "PARAMETER_UINT64" => "ParameterUnsignedInt".to_owned(),
        "PARAMETER_INT64" => "ParameterInt".to_owned(),
        "IO_CHANGE_FLAGS" => "IoChangeStatusFlags".to_owned(),
        _ => kind.split('_').map(|word| word[..1].to_owned() + &word[1..].to_lowercase()).collect(),
    }
}

/// The values of a reference line that are numbers or names: what we keep as extra fields.
pub fn plain_values(text: &str) -> Vec<String> {
    let mut values = Vec::new();
    for field in text.split(", ") {
        let Some((_, value)) = field.split_once(": ") else { continue };
        let value = value.trim();
        if let Some(rest) = value.strip_prefix('"') {
            if let Some(end) = rest.find("\" <") {
                values.push(rest[..end].to_owned());
            }
        } else if let Some(first) = value.split(' ').next()
            && first.parse::<i64>().is_ok()
        {
            values.push(first.to_owned());
        }
    }
    values
}
