//! The interpreted trace and its canonical text.

use std::collections::BTreeMap;
use std::fmt::Write;

/// Ordered (name, text) pairs of the fields that have no meaning of their own.
pub type Extras = Vec<(Vec<u8>, Vec<u8>)>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nature {
    Container,
    State,
    Event,
    Variable,
    Link,
}

impl Nature {
    pub fn name(self) -> &'static str {
        match self {
            Nature::Container => "container",
            Nature::State => "state",
            Nature::Event => "event",
            Nature::Variable => "variable",
            Nature::Link => "link",
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Type {
    /// None for the root type only.
    pub parent: Option<usize>,
    pub nature: Nature,
    pub name: Vec<u8>,
    pub alias: Option<Vec<u8>>,
    /// Container types of the two ends; link types only.
    pub link_ends: Option<(usize, usize)>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Container {
    /// None for the root container only.
    pub parent: Option<usize>,
    pub type_index: usize,
    pub name: Vec<u8>,
    pub alias: Option<Vec<u8>>,
    pub start: i64,
    pub end: i64,
    /// The end, if a record of the trace gave one.
    pub destroyed: Option<i64>,
    pub extras: Extras,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    pub type_index: usize,
    pub identifier: Vec<u8>,
    pub name: Vec<u8>,
    pub color: Option<[f64; 4]>,
    /// False while the value is known from its use only.
    pub defined: bool,
    /// Records call it otherwise than people do.
    pub has_alias: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub struct State {
    pub container: usize,
    pub type_index: usize,
    pub start: i64,
    pub end: i64,
    pub depth: usize,
    pub value: usize,
    /// True when no record ended the state.
    pub open: bool,
    pub extras: Extras,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    pub container: usize,
    pub type_index: usize,
    pub start: i64,
    pub end: i64,
    pub value: f64,
    pub extras: Extras,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    pub container: usize,
    pub type_index: usize,
    pub time: i64,
    pub value: usize,
    pub extras: Extras,
}

/// A link; what is unknown of a half link is None.
#[derive(Clone, PartialEq, Debug)]
pub struct Link {
    pub container: usize,
    pub type_index: usize,
    pub start: Option<i64>,
    pub end: Option<i64>,
    pub value: usize,
    pub source: Option<usize>,
    pub destination: Option<usize>,
    pub key: Vec<u8>,
    pub extras: Extras,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiagnosticTally {
    pub count: u64,
    /// Smallest line number concerned; 0 when the diagnostic is about the whole file.
    pub first_line: u64,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    pub types: Vec<Type>,
    pub containers: Vec<Container>,
    pub values: Vec<Value>,
    pub states: Vec<State>,
    pub variables: Vec<Variable>,
    pub events: Vec<Event>,
    pub links: Vec<Link>,
    pub diagnostics: BTreeMap<String, DiagnosticTally>,
    /// Lines that are neither blank, comment nor header.
    pub records: u64,
    /// Record lines without effect.
    pub lost: u64,
    /// End of the trace in ticks.
    pub end: i64,
}

/// Printable form of any bytes, without separators of the canonical text.
pub fn escape(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "\\e".to_string();
    }
    let mut text = String::new();
    for &byte in bytes {
        if (0x21..=0x7e).contains(&byte) && !matches!(byte, b'\\' | b'=' | b';') {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

fn or_unknown<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "?".to_string(), |known| known.to_string())
}

fn alias_text(alias: &Option<Vec<u8>>) -> String {
    or_unknown(alias.as_ref().map(|alias| escape(alias)))
}

fn extras_text(extras: &Extras) -> String {
    if extras.is_empty() {
        return "-".to_string();
    }
    let pairs: Vec<String> =
        extras.iter().map(|(name, text)| format!("{}={}", escape(name), escape(text))).collect();
    pairs.join(";")
}

impl Trace {
    /// Display name of a value by its index.
    pub fn value_name(&self, value: usize) -> &[u8] {
        &self.values[value].name
    }

    /// How often a diagnostic occurred.
    pub fn count(&self, code: &str) -> u64 {
        self.diagnostics.get(code).map_or(0, |tally| tally.count)
    }

    /// Codes and counts, without the note about states that nothing closed.
    pub fn problems(&self) -> Vec<(&str, u64)> {
        self.diagnostics
            .iter()
            .filter(|(code, _)| *code != "state-open-at-end")
            .map(|(code, tally)| (code.as_str(), tally.count))
            .collect()
    }

    /// One line per item, so that two interpretations can be compared as text.
    pub fn to_text(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        for (index, item) in self.types.iter().enumerate() {
            lines.push(
                [
                    "T".to_string(),
                    index.to_string(),
                    or_unknown(item.parent),
                    item.nature.name().to_string(),
                    escape(&item.name),
                    alias_text(&item.alias),
                ]
                .join("\t"),
            );
        }
        for (index, item) in self.containers.iter().enumerate() {
            lines.push(
                [
                    "C".to_string(),
                    index.to_string(),
                    or_unknown(item.parent),
                    item.type_index.to_string(),
                    escape(&item.name),
                    alias_text(&item.alias),
                    item.start.to_string(),
                    item.end.to_string(),
                    extras_text(&item.extras),
                ]
                .join("\t"),
            );
        }

        let states = self.states.iter().map(|item| {
            [
                "S".to_string(),
                item.container.to_string(),
                item.type_index.to_string(),
                item.start.to_string(),
                item.end.to_string(),
                item.depth.to_string(),
                escape(self.value_name(item.value)),
                if item.open { "open" } else { "closed" }.to_string(),
                extras_text(&item.extras),
            ]
            .join("\t")
        });
        push_sorted(&mut lines, states);

        let variables = self.variables.iter().map(|item| {
            [
                "V".to_string(),
                item.container.to_string(),
                item.type_index.to_string(),
                item.start.to_string(),
                item.end.to_string(),
                format!("{:?}", item.value),
                extras_text(&item.extras),
            ]
            .join("\t")
        });
        push_sorted(&mut lines, variables);

        let events = self.events.iter().map(|item| {
            [
                "E".to_string(),
                item.container.to_string(),
                item.type_index.to_string(),
                item.time.to_string(),
                escape(self.value_name(item.value)),
                extras_text(&item.extras),
            ]
            .join("\t")
        });
        push_sorted(&mut lines, events);

        let links = self.links.iter().map(|item| {
            [
                "L".to_string(),
                item.container.to_string(),
                item.type_index.to_string(),
                or_unknown(item.start),
                or_unknown(item.end),
                escape(self.value_name(item.value)),
                or_unknown(item.source),
                or_unknown(item.destination),
                escape(&item.key),
                extras_text(&item.extras),
            ]
            .join("\t")
        });
        push_sorted(&mut lines, links);

        let diagnostics = self
            .diagnostics
            .iter()
            .map(|(code, tally)| format!("D\t{code}\t{}\t{}", tally.count, tally.first_line));
        push_sorted(&mut lines, diagnostics);

        lines.push(format!("end\t{}", self.end));
        lines.push(format!("records\t{}", self.records));
        lines.push(format!("lost\t{}", self.lost));
        lines.push(String::new());
        lines.join("\n")
    }
}

fn push_sorted(lines: &mut Vec<String>, items: impl Iterator<Item = String>) {
    let mut items: Vec<String> = items.collect();
    items.sort();
    lines.append(&mut items);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_text() {
        assert_eq!(escape(b""), "\\e");
        assert_eq!(escape(b"a b"), "a\\x20b");
        assert_eq!(escape(b"\\=;~!\x7f\xff"), "\\x5c\\x3d\\x3b~!\\x7f\\xff");
    }
}
