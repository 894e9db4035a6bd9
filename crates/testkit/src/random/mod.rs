//! Random small traces: mostly sensible, sometimes damaged, the same for the same seed.
//!
//! A damaged line has mostly one fault only, so that the order in which a reader checks its fields
//! does not decide which fault it reports.

mod damage;
mod definitions;
mod header;
mod records;
mod rng;
mod timed;

use self::header::Layout;
pub(crate) use self::rng::Rng;

const TICKS: i64 = 1_000_000_000;

/// A random trace of 10 to 200 body lines.
pub fn trace(seed: u64) -> Vec<u8> {
    let mut writer = Writer::new(seed);
    writer.write_header();
    writer.write_first_definitions();
    let lines = 10 + writer.rng.below(191);
    for _ in 0..lines {
        writer.write_something();
    }
    if writer.damaged && writer.rng.percent(25) {
        writer.out.pop();
    }
    writer.out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Container,
    State,
    Event,
    Variable,
    Link,
}

#[derive(Clone)]
struct TypeInfo {
    identifier: String,
    name: String,
    kind: Kind,
    /// Index of the container type above; None for the root type.
    parent: Option<usize>,
    /// Container types of the start and the end of a link type; meaningless for others.
    ends: (usize, usize),
}

#[derive(Clone)]
struct ContainerInfo {
    identifier: String,
    name: String,
    /// None for the root type.
    type_index: Option<usize>,
    ended: bool,
}

struct Writer {
    rng: Rng,
    out: Vec<u8>,
    damaged: bool,
    variant_layouts: bool,
    carriage_returns: bool,
    layouts: Vec<Layout>,
    types: Vec<TypeInfo>,
    containers: Vec<ContainerInfo>,
    values: Vec<(usize, String)>,
    earlier_lines: Vec<Vec<u8>>,
    /// Tracks with a pushed state, as far as the writer cares.
    pushed: Vec<(usize, usize)>,
    now: i64,
    coarse_times: bool,
    counter: usize,
}

impl Writer {
    fn new(seed: u64) -> Writer {
        let mut rng = Rng(seed);
        let damaged = rng.percent(40);
        let now = if rng.percent(20) { -20 * TICKS } else { 0 };
        Writer {
            damaged,
            variant_layouts: rng.percent(60),
            carriage_returns: damaged && rng.percent(15),
            coarse_times: rng.percent(50),
            rng,
            out: Vec::new(),
            layouts: Vec::new(),
            types: Vec::new(),
            containers: vec![ContainerInfo {
                identifier: "0".to_string(),
                name: "0".to_string(),
                type_index: None,
                ended: false,
            }],
            values: Vec::new(),
            earlier_lines: Vec::new(),
            pushed: Vec::new(),
            now,
            counter: 0,
        }
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.counter += 1;
        format!("{prefix}{}", self.counter)
    }

    fn end_line(&mut self) {
        if self.carriage_returns || (self.damaged && self.rng.percent(2)) {
            self.out.push(b'\r');
        }
        self.out.push(b'\n');
    }

    fn write_first_definitions(&mut self) {
        // Without sound first definitions every later record would be at fault.
        let damaged = self.damaged;
        self.damaged &= self.rng.percent(10);
        self.define_container_type(None);
        self.define_container_type(Some(0));
        if self.rng.percent(50) {
            let parent = self.rng.below(2);
            self.define_container_type(Some(parent));
        }
        for kind in [Kind::State, Kind::Event, Kind::Variable, Kind::Link] {
            for _ in 0..1 + self.rng.below(3) {
                self.define_entity_type(kind);
            }
        }
        for _ in 0..3 + self.rng.below(4) {
            self.create_container();
        }
        if self.rng.percent(15) {
            let time = self.now + 5 * TICKS;
            self.destroy_container(time);
        }
        self.damaged = damaged;
    }

    fn write_something(&mut self) {
        match self.rng.below(100) {
            0..14 => self.state("PajePushState"),
            14..26 => self.state("PajePopState"),
            26..33 => self.state("PajeSetState"),
            33..36 => self.state("PajeResetState"),
            36..42 => self.variable("PajeSetVariable"),
            42..46 => self.variable("PajeAddVariable"),
            46..49 => self.variable("PajeSubVariable"),
            49..58 => self.event(),
            58..66 => self.link("PajeStartLink", "StartContainer"),
            66..74 => self.link("PajeEndLink", "EndContainer"),
            74..82 => self.create_container(),
            82..86 => {
                let mut time = self.next_time();
                if self.rng.percent(25) {
                    time -= TICKS * self.rng.below(4) as i64;
                }
                self.destroy_container(time);
            }
            86..90 => self.define_value(),
            90..92 => {
                let kinds = [Kind::State, Kind::Event, Kind::Variable, Kind::Link];
                let kind = kinds[self.rng.below(kinds.len())];
                self.define_entity_type(kind);
            }
            92..94 => {
                if self.variant_layouts {
                    let id = (200 + self.rng.below(6)).to_string();
                    self.write_second_layout(id);
                }
            }
            _ if self.damaged => self.write_oddity(),
            _ => self.event(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::interpret;
    use std::collections::BTreeMap;

    #[test]
    fn same_seed_same_trace() {
        assert_eq!(trace(7), trace(7));
        assert_ne!(trace(7), trace(8));
    }

    #[test]
    fn traces_are_rich_and_harmless() {
        let mut codes: BTreeMap<String, u64> = BTreeMap::new();
        let (mut records, mut lost, mut clean) = (0, 0, 0);
        let mut entities = [0; 4];
        for seed in 0..2000 {
            let trace = interpret(&trace(seed));
            trace.to_text();
            for (code, tally) in &trace.diagnostics {
                *codes.entry(code.clone()).or_default() += tally.count;
            }
            records += trace.records;
            lost += trace.lost;
            clean += u64::from(trace.lost == 0);
            entities[0] += trace.states.len();
            entities[1] += trace.variables.len();
            entities[2] += trace.events.len();
            entities[3] += trace.links.iter().filter(|link| link.end > link.start).count();
        }
        println!("{records} records, {lost} lost, {clean} traces clean, {entities:?}\n{codes:#?}");
        assert!(lost * 4 < records, "{lost} of {records} records are lost");
        assert!(entities.iter().all(|&count| count > 1000), "{entities:?}");
        for code in [
            "after-destroy",
            "ambiguous-name",
            "bad-color",
            "bad-number",
            "before-creation",
            "container-type-mismatch",
            "destroy-twice",
            "duplicate-container",
            "duplicate-event-id",
            "duplicate-type",
            "duplicate-value",
            "escaped-quote",
            "hash-in-word",
            "header-syntax",
            "link-end-type-mismatch",
            "link-negative-duration",
            "link-unmatched",
            "link-value-mismatch",
            "missing-field",
            "missing-mandatory-field",
            "missing-part-file",
            "non-finite-time",
            "non-finite-variable",
            "not-time-ordered",
            "nul-byte",
            "numeric-id-match",
            "old-field-name",
            "pop-empty",
            "reference-by-name",
            "reserved-name",
            "state-open-at-end",
            "time-rounded",
            "too-few-tokens",
            "too-many-tokens",
            "truncated",
            "type-not-of-container",
            "unknown-container",
            "unknown-event-id",
            "unknown-event-name",
            "unknown-parent",
            "unknown-type",
            "unterminated-string",
            "user-event",
            "value-on-container-or-variable-type",
            "variable-without-value",
            "wrong-nature",
        ] {
            assert!(codes.contains_key(code), "no trace has {code}");
        }
    }

    #[test]
    fn no_input_bytes_are_fatal() {
        let mut rng = Rng(99);
        for seed in 0..1500 {
            let mut bytes = trace(seed);
            for _ in 0..1 + rng.below(30) {
                let position = rng.below(bytes.len());
                let junk = b"\"%#\\\n\r \0\xff0e-.";
                match rng.below(3) {
                    0 => bytes[position] = junk[rng.below(junk.len())],
                    1 => bytes.insert(position, junk[rng.below(junk.len())]),
                    _ => drop(bytes.remove(position)),
                }
            }
            bytes.truncate(rng.below(bytes.len() * 4).max(1));
            interpret(&bytes).to_text();
        }
    }
}
