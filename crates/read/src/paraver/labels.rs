//! The companions of a trace: what its numbers mean (`.pcf`), and what its places are called
//! (`.row`). Both may be missing, and lines of them that cannot be understood are told.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use onca_model::Color;

use super::number::Number;

/// A line that cannot be understood: its number, from 1.
pub(super) type BadLine = (u64, &'static str);

/// What is known of a type of events.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct EventType {
    pub label: Vec<u8>,
    /// Names of its values; types without any are quantities.
    pub values: HashMap<i128, Vec<u8>, RandomState>,
    /// Values are to be divided by this power of ten.
    pub precision: u8,
}

/// What the numbers of a trace mean.
#[derive(Debug, Default)]
pub(super) struct Labels {
    pub states: HashMap<i128, Vec<u8>, RandomState>,
    pub colors: HashMap<i128, Color, RandomState>,
    pub events: HashMap<u64, EventType, RandomState>,
    /// The length of all texts, about.
    pub bytes: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Section {
    Other,
    States,
    Colors,
    Events,
    Values,
}

impl Section {
    /// The section that a line opens; all but the last keyword begin a new topic.
    fn opened_by(line: &[u8]) -> Option<Self> {
        match line {
            b"STATES" => Some(Self::States),
            b"STATES_COLOR" => Some(Self::Colors),
            b"EVENT_TYPE" => Some(Self::Events),
            b"VALUES" => Some(Self::Values),
            b"DEFAULT_OPTIONS" | b"DEFAULT_SEMANTIC" | b"GRADIENT_COLOR" | b"GRADIENT_NAMES" => {
                Some(Self::Other)
            }
            _ => None,
        }
    }
}

impl Labels {
    /// Reads a `.pcf`.
    pub fn parse(text: &[u8]) -> (Self, Vec<BadLine>) {
        let mut labels = Self { bytes: text.len() * 2, ..Self::default() };
        let mut bad = Vec::new();
        let mut section = Section::Other;
        // The types that the next values belong to.
        let mut types: Vec<u64> = Vec::new();
        for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            if let Some(opened) = Section::opened_by(line) {
                section = opened;
                if section == Section::Events {
                    types.clear();
                }
                continue;
            }
            if labels.line(section, line, &mut types).is_none() {
                bad.push((number, "a line that cannot be understood is left out"));
            }
        }
        (labels, bad)
    }

    /// Takes a line of a section; `None` if it cannot be understood.
    fn line(&mut self, section: Section, line: &[u8], types: &mut Vec<u64>) -> Option<()> {
        match section {
            Section::Other => {}
            Section::States => {
                let (value, name) = numbered(line)?;
                self.states.insert(value, name.to_vec());
            }
            Section::Colors => {
                let (value, color) = numbered(line)?;
                self.colors.insert(value, parse_color(color)?);
            }
            Section::Events => {
                if let Some(precision) = line.strip_prefix(b"PRECISION") {
                    let digits = std::str::from_utf8(precision.trim_ascii()).ok()?;
                    let precision = digits.parse().ok().filter(|&digits| digits <= 30)?;
                    self.each(types, |event| event.precision = precision);
                    return Some(());
                }
                let (_, rest) = numbered(line)?;
                let (number, label) = numbered(rest)?;
                let number = u64::try_from(number).ok()?;
                self.events.entry(number).or_default().label = label.to_vec();
                types.push(number);
            }
            Section::Values => {
                let (value, name) = numbered(line)?;
                self.bytes += name.len() * types.len();
                self.each(types, |event| {
                    event.values.insert(value, name.to_vec());
                });
            }
        }
        Some(())
    }

    fn each(&mut self, types: &[u64], mut change: impl FnMut(&mut EventType)) {
        for number in types {
            if let Some(event) = self.events.get_mut(number) {
                change(event);
            }
        }
    }
}

/// Parts a line into its first word, a number, and the rest.
fn numbered(line: &[u8]) -> Option<(i128, &[u8])> {
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    let number = Number::parse(&line[..end])?;
    Some((number.value(), line[end..].trim_ascii()))
}

/// A colour, `{red,green,blue}`.
fn parse_color(text: &[u8]) -> Option<Color> {
    let text = std::str::from_utf8(text).ok()?;
    let inside = text.trim().strip_prefix('{')?.strip_suffix('}')?;
    let mut parts = inside.split(',').map(|part| part.trim().parse::<u8>());
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(Ok(red)), Some(Ok(green)), Some(Ok(blue)), None) => {
            Some(Color::rgb(red, green, blue))
        }
        _ => None,
    }
}

/// What places are called, in their order.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Rows {
    pub applications: Vec<Vec<u8>>,
    pub tasks: Vec<Vec<u8>>,
    pub threads: Vec<Vec<u8>>,
    pub nodes: Vec<Vec<u8>>,
}

impl Rows {
    /// Reads a `.row`: blocks of `LEVEL name SIZE n`, each followed by this many lines.
    pub fn parse(text: &[u8]) -> (Self, Vec<BadLine>) {
        let mut rows = Self::default();
        let mut bad = Vec::new();
        let mut lines = (1..).zip(text.split(|&byte| byte == b'\n'));
        while let Some((number, line)) = lines.next() {
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            let Some((level, size)) = level_of(line) else {
                bad.push((number, "a line that belongs to no level is left out"));
                continue;
            };
            let names = lines.by_ref().take(size).map(|(_, name)| name.trim_ascii().to_vec());
            let names: Vec<Vec<u8>> = names.collect();
            match level {
                b"APPL" => rows.applications = names,
                b"TASK" => rows.tasks = names,
                b"THREAD" => rows.threads = names,
                b"NODE" => rows.nodes = names,
                _ => {}
            }
        }
        (rows, bad)
    }
}

/// The name of a level, and how many lines it has.
fn level_of(line: &[u8]) -> Option<(&[u8], usize)> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let (keyword, level, size_word, size) =
        (words.next()?, words.next()?, words.next()?, words.next()?);
    let size = std::str::from_utf8(size).ok()?.parse().ok()?;
    (keyword == b"LEVEL" && size_word == b"SIZE").then_some((level, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_belong_to_all_types_of_their_block() {
        let text = b"STATES\n0  Idle\n1    Waiting a message\r\n\nSTATES_COLOR\n1 {255,0,3}\n\
            EVENT_TYPE\n6 40 First\n6 41 Second one\nVALUES\n1 Begin\n0 End\n\
            EVENT_TYPE\n7 42 Counter\nPRECISION 3\nnonsense\n";
        let (labels, bad) = Labels::parse(text);
        assert_eq!(labels.states[&1], b"Waiting a message");
        assert_eq!(labels.colors[&1], Color::rgb(255, 0, 3));
        assert_eq!(labels.events[&41].label, b"Second one");
        assert_eq!(labels.events[&40].values, labels.events[&41].values);
        assert_eq!(labels.events[&40].values.len(), 2);
        assert_eq!(labels.events[&42].precision, 3);
        assert!(labels.events[&42].values.is_empty());
        assert_eq!(bad.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [16]);
    }

    #[test]
    fn a_size_that_lies_takes_the_lines_that_are_there() {
        let text = b"LEVEL NODE SIZE 2\nnodeA\nnodeB\n\nLEVEL THREAD SIZE 4000000000\nt1\nt2";
        let (rows, bad) = Rows::parse(text);
        assert_eq!(rows.nodes, [b"nodeA".to_vec(), b"nodeB".to_vec()]);
        assert_eq!(rows.threads, [b"t1".to_vec(), b"t2".to_vec()]);
        assert!(bad.is_empty());
        assert_eq!(Rows::parse(b"LEVEL NODE\nx").1.len(), 2);
    }
}
