//! Random small traces: mostly sensible, sometimes damaged, the same for the same seed.
//!
//! A damaged line has mostly one fault only, so that the order in which a reader checks its fields
//! does not decide which fault it reports.

use crate::fixtures::{self, HEADER_EVENTS};
use crate::header::{EventKind, canonical_name};

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

/// SplitMix64: small, and its sequence will never change under us.
pub(crate) struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    pub fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for index in (1..items.len()).rev() {
            items.swap(index, self.below(index + 1));
        }
    }
}

#[derive(Clone)]
struct Layout {
    id: String,
    event: &'static str,
    fields: Vec<String>,
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

/// What became of a record that was to be written.
struct Written {
    /// False if the line was damaged so that it may have no effect.
    intact: bool,
    with_alias: bool,
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

    // ----- header -----

    fn write_header(&mut self) {
        let mut events: Vec<(u32, &'static str, &'static [&'static str])> = HEADER_EVENTS.to_vec();
        if self.variant_layouts && self.rng.percent(30) {
            self.rng.shuffle(&mut events);
        }
        let id_offset = if self.variant_layouts { self.rng.below(3) as u32 * 20 } else { 0 };
        for (id, event, fields) in events {
            let fields = self.vary_fields(event, fields);
            self.write_block((id + id_offset).to_string(), event, fields);
        }
        if self.variant_layouts {
            for id in 0..self.rng.below(4) {
                self.write_second_layout((200 + id).to_string());
            }
        }
    }

    fn vary_fields(&mut self, event: &str, fields: &[&str]) -> Vec<String> {
        let mut fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
        if !self.variant_layouts {
            return fields;
        }
        if self.rng.percent(15) && !event.starts_with("PajeDestroy") {
            fields.retain(|field| field != "Alias");
        }
        if self.rng.percent(30) {
            self.rng.shuffle(&mut fields);
        }
        if self.rng.percent(20) {
            for field in &mut fields {
                let old = match field.as_str() {
                    "Type" if event.starts_with("PajeDefine") || event.ends_with("Container") => {
                        "ContainerType"
                    }
                    "Type" => "EntityType",
                    "StartContainerType" => "SourceContainerType",
                    "EndContainerType" => "DestContainerType",
                    "StartContainer" => "SourceContainer",
                    "EndContainer" => "DestContainer",
                    "Name" if event == "PajeDestroyContainer" => "Container",
                    "Alias" if event == "PajeCreateContainer" => "NewContainer",
                    _ => continue,
                };
                *field = old.to_string();
            }
        }
        if self.rng.percent(25) {
            let unused = match event {
                "PajePopState" | "PajeResetState" => "Value",
                "PajeStartLink" | "PajeEndLink" => "Line",
                _ => "Key",
            };
            let extra = self.rng.pick(&["Size", "Note", "Mark", "File", unused]);
            let position = self.rng.below(fields.len() + 1);
            fields.insert(position, extra.to_string());
        }
        fields
    }

    fn write_second_layout(&mut self, id: String) {
        let (_, event, fields) = HEADER_EVENTS[self.rng.below(HEADER_EVENTS.len())];
        let mut fields = self.vary_fields(event, fields);
        if self.rng.percent(60) && !fields.iter().any(|field| field == "Size") {
            fields.push("Size".to_string());
        }
        self.write_block(id, event, fields);
    }

    fn write_block(&mut self, id: String, event: &'static str, fields: Vec<String>) {
        let borrowed: Vec<&str> = fields.iter().map(String::as_str).collect();
        let block = fixtures::block(&id, event, &borrowed);
        for line in block.lines() {
            self.out.extend_from_slice(line.as_bytes());
            if self.rng.percent(3) {
                self.out.extend_from_slice(b" \t");
            }
            self.end_line();
        }
        self.layouts.retain(|layout| layout.id != id);
        self.layouts.push(Layout { id, event, fields });
    }

    // ----- tokens -----

    fn time_text(&mut self, ticks: i64) -> String {
        let sign = if ticks < 0 { "-" } else { "" };
        let magnitude = ticks.unsigned_abs();
        let (whole, fraction) = (magnitude / TICKS as u64, magnitude % TICKS as u64);
        match self.rng.below(10) {
            0 => format!("{sign}{whole}.{fraction:09}"),
            1 => format!("{sign}{magnitude}e-9"),
            2 => format!("{sign}{whole}.{fraction:09}E+00"),
            3 => format!("{sign}{}e-06", magnitude as f64 / 1000.0),
            4 => {
                let decimals = self.rng.pick(&["5", "000", "500", "501", "49", "9", "123"]);
                format!("{sign}{whole}.{fraction:09}{decimals}")
            }
            _ if fraction == 0 => format!("{sign}{whole}"),
            _ => {
                let decimals = format!("{fraction:09}");
                format!("{sign}{whole}.{}", decimals.trim_end_matches('0'))
            }
        }
    }

    /// The time of the next record; mostly not earlier than the one before.
    fn next_time(&mut self) -> i64 {
        if self.rng.percent(65) {
            let step = if self.coarse_times {
                TICKS / 2 * self.rng.below(4) as i64
            } else {
                1_000 * self.rng.below(3_000_000) as i64 + self.rng.below(1_000) as i64
            };
            self.now += step;
        }
        if self.rng.percent(8) {
            return self.now - TICKS / 2 * self.rng.below(12) as i64;
        }
        self.now
    }

    fn user_text(&mut self, field: &str) -> String {
        match field {
            "Size" | "Line" => self.rng.pick(&["0", "17", "4096", "-1", "NA"]).to_string(),
            "File" => self.rng.pick(&["main.c", "a b.f90", "part.ept", ""]).to_string(),
            _ => self.rng.pick(&["x", "two words", "=;\\", "", "naïve", "#1"]).to_string(),
        }
    }

    fn written_token(&mut self, token: &[u8]) -> Vec<u8> {
        let needs_quotes = token.is_empty()
            || token.starts_with(b"\"")
            || token.iter().any(|byte| b" \t#".contains(byte));
        if (needs_quotes || self.rng.percent(10)) && !token.contains(&b'"') {
            return [b"\"", token, b"\""].concat();
        }
        token.to_vec()
    }

    // ----- records -----

    fn record(&mut self, event: &'static str, values: &[(&str, String)]) -> Written {
        let choices: Vec<Layout> =
            self.layouts.iter().filter(|layout| layout.event == event).cloned().collect();
        if choices.is_empty() {
            // A later block took over the only id of this event.
            return Written { intact: false, with_alias: false };
        }
        let layout = choices[self.rng.below(choices.len())].clone();
        let kind = EventKind::from_name(event.as_bytes());
        let mut roles: Vec<Option<&str>> = vec![None];
        let mut tokens: Vec<Vec<u8>> = vec![layout.id.clone().into_bytes()];
        for field in &layout.fields {
            let canonical = canonical_name(field.as_bytes(), kind);
            let known = values.iter().find(|(name, _)| Some(*name) == canonical);
            match known {
                Some((_, text)) => tokens.push(text.clone().into_bytes()),
                None => tokens.push(self.user_text(field).into_bytes()),
            }
            roles.push(known.and(canonical));
        }
        let with_alias = roles.contains(&Some("Alias"));
        let intact = !(self.damaged && self.rng.percent(18))
            || self.damage_tokens(&mut tokens, &roles, values);

        let mut line = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            if index > 0 {
                let gap: &str = self.rng.pick(&[" ", " ", " ", " ", "\t", "  "]);
                line.extend_from_slice(gap.as_bytes());
            }
            let written = if index == 0 { token.clone() } else { self.written_token(token) };
            line.extend_from_slice(&written);
        }
        let intact = if intact && self.damaged && self.rng.percent(8) {
            self.damage_line(&mut line)
        } else {
            intact
        };
        self.out.extend_from_slice(&line);
        self.earlier_lines.push(line);
        self.end_line();
        Written { intact, with_alias }
    }

    /// Makes one token wrong. Returns true if the record still means what it should.
    fn damage_tokens(
        &mut self,
        tokens: &mut Vec<Vec<u8>>,
        roles: &[Option<&str>],
        values: &[(&str, String)],
    ) -> bool {
        let any_token = 1 + self.rng.below(tokens.len() - 1);
        match self.rng.below(12) {
            0 | 1 => {
                let Some(column) = roles.iter().position(|role| *role == Some("Time")) else {
                    return true;
                };
                let bad = ["abc", "1,5", "0x10", "", "1e", "inf", "-NaN", "-", "1.2.3", "Infinity"];
                tokens[column] = self.rng.pick(&bad).as_bytes().to_vec();
            }
            2 => tokens[0] = self.rng.pick(&["999", "x", "\"\"", "-1"]).as_bytes().to_vec(),
            3 => {
                tokens[0].insert(0, b'0');
                return true;
            }
            4 | 5 => {
                let named = ["Type", "Container", "StartContainer", "EndContainer", "Value"];
                let columns: Vec<usize> = (1..tokens.len())
                    .filter(|&column| roles[column].is_some_and(|role| named.contains(&role)))
                    .collect();
                if columns.is_empty() {
                    return true;
                }
                let column = columns[self.rng.below(columns.len())];
                let replacement = self.rng.pick(&["nowhere", "0", "/", "File", ""]);
                tokens[column] = replacement.as_bytes().to_vec();
            }
            6 => {
                let kept = tokens.len() - 1 - self.rng.below(2).min(tokens.len() - 2);
                tokens.truncate(kept);
            }
            7 => {
                for _ in 0..=self.rng.below(2) {
                    tokens.push(self.rng.pick(&["more", "4", ""]).as_bytes().to_vec());
                }
                return true;
            }
            8 => {
                // Refer to something by its name where there is an alias.
                let column = (1..tokens.len()).find(|&column| {
                    roles[column].is_some_and(|role| role == "Type" || role == "Container")
                });
                let Some(column) = column else {
                    return true;
                };
                let token = String::from_utf8_lossy(&tokens[column]).into_owned();
                let container = self.containers.iter().find(|item| item.identifier == token);
                let named_type = self.types.iter().find(|item| item.identifier == token);
                if roles[column] == Some("Container") {
                    if let Some(container) = container {
                        tokens[column] = container.name.clone().into_bytes();
                    }
                } else if let Some(named_type) = named_type {
                    tokens[column] = named_type.name.clone().into_bytes();
                }
            }
            9 => {
                let is_definition = values.iter().any(|(name, _)| *name == "Alias");
                if !is_definition {
                    return true;
                }
                let column = roles.iter().position(|role| matches!(role, Some("Alias" | "Name")));
                if let Some(column) = column {
                    tokens[column] = self.rng.pick(&["0", "(null)", ""]).as_bytes().to_vec();
                }
            }
            10 => {
                if roles[any_token] != Some("Time") {
                    tokens[any_token].extend_from_slice(b"\xe9\xff");
                }
            }
            _ => {
                let column = roles.iter().position(|role| matches!(role, Some("Color" | "Value")));
                if let Some(column) = column {
                    let odd = ["red", "1 0", "inf", "nan", "0x1.8p3", "1e400", "12,5"];
                    tokens[column] = self.rng.pick(&odd).as_bytes().to_vec();
                }
            }
        }
        false
    }

    /// Changes the written form of a record. Returns true if that cannot matter.
    fn damage_line(&mut self, line: &mut Vec<u8>) -> bool {
        match self.rng.below(9) {
            0 => {
                line.extend_from_slice(b" \t ");
                true
            }
            1 => {
                line.extend_from_slice(b" # 12 \"x");
                true
            }
            2 => {
                line.extend_from_slice(b"# glued comment");
                true
            }
            3 => {
                line.extend_from_slice(b" \"never closed");
                false
            }
            4 => {
                let position = 1 + self.rng.below(line.len());
                line.insert(position, 0);
                false
            }
            5 => {
                replace_last_word(line, br#""q\"r s""#);
                false
            }
            6 => {
                replace_last_word(line, b"y#z");
                false
            }
            7 => {
                replace_last_word(line, br#""q"r"#);
                false
            }
            _ => {
                // A hash inside the last but one word hides the last one.
                let blank = line.iter().rposition(|&byte| byte == b' ');
                if let Some(blank) = blank.filter(|&blank| !line[..blank].contains(&b'"')) {
                    line.insert(blank, b'z');
                    line.insert(blank, b'#');
                }
                false
            }
        }
    }

    // ----- contents -----

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

    /// Lines that are no proper records.
    fn write_oddity(&mut self) {
        let text: &[u8] = match self.rng.below(9) {
            0 => b"",
            1 => b" \t ",
            2 => b"# a comment \xe9",
            3 => b"   # 12 3 4",
            4 => b"%",
            5 => b"%EndEventDef",
            6 => b"%EventDef SendMessage 300\n% Time date\n% Text string\n%EndEventDef\n300 1 x",
            7 => b"%EventDef PajeSetState 301\n% Time date\n% Value string\n%EndEventDef\n301 1 x",
            _ => {
                let count = self.earlier_lines.len();
                if count > 0 {
                    let again = self.earlier_lines[self.rng.below(count)].clone();
                    self.out.extend_from_slice(&again);
                }
                b""
            }
        };
        self.out.extend_from_slice(text);
        self.end_line();
    }

    fn type_identifier(&self, type_index: Option<usize>) -> String {
        match type_index {
            Some(index) => self.types[index].identifier.clone(),
            None => "0".to_string(),
        }
    }

    fn define_container_type(&mut self, parent: Option<usize>) {
        let (alias, name) = (self.fresh("ct"), self.fresh("Machine "));
        let written = self.record(
            "PajeDefineContainerType",
            &[
                ("Alias", alias.clone()),
                ("Type", self.type_identifier(parent)),
                ("Name", name.clone()),
            ],
        );
        // Registered even if damaged: the first types are needed to say anything at all.
        let identifier = if written.with_alias { alias } else { name.clone() };
        self.types.push(TypeInfo { identifier, name, kind: Kind::Container, parent, ends: (0, 0) });
    }

    fn container_types(&self) -> Vec<usize> {
        (0..self.types.len()).filter(|&index| self.types[index].kind == Kind::Container).collect()
    }

    fn define_entity_type(&mut self, kind: Kind) {
        let choices = self.container_types();
        let mut parent = Some(choices[self.rng.below(choices.len())]);
        if self.rng.percent(if kind == Kind::Link { 60 } else { 10 }) {
            parent = None;
        }
        let mut alias = self.fresh("t");
        let name = self.fresh(self.rng_name());
        if self.rng.percent(12) && !self.types.is_empty() {
            // The identifier of another type, often under another parent.
            let other = self.types[self.rng.below(self.types.len())].clone();
            if other.kind != Kind::Container {
                alias = other.identifier;
            }
        }
        let event = match kind {
            Kind::State => "PajeDefineStateType",
            Kind::Event => "PajeDefineEventType",
            Kind::Variable => "PajeDefineVariableType",
            Kind::Link => "PajeDefineLinkType",
            Kind::Container => "PajeDefineContainerType",
        };
        let start = choices[self.rng.below(choices.len())];
        let end = choices[self.rng.below(choices.len())];
        let written = self.record(
            event,
            &[
                ("Alias", alias.clone()),
                ("Type", self.type_identifier(parent)),
                ("Name", name.clone()),
                ("Color", "0.5 .5 0".to_string()),
                ("StartContainerType", self.type_identifier(Some(start))),
                ("EndContainerType", self.type_identifier(Some(end))),
            ],
        );
        if written.intact || !self.types.iter().any(|other| other.kind == kind) {
            let identifier = if written.with_alias { alias } else { name.clone() };
            self.types.push(TypeInfo { identifier, name, kind, parent, ends: (start, end) });
        }
    }

    /// Names come in a few shapes; the counter makes them unique.
    fn rng_name(&self) -> &'static str {
        ["Kind", "a kind ", "Art/Größe-"][self.counter % 3]
    }

    fn define_value(&mut self) {
        let choices: Vec<usize> = (0..self.types.len())
            .filter(|&index| {
                matches!(self.types[index].kind, Kind::State | Kind::Event | Kind::Link)
            })
            .collect();
        let type_index = choices[self.rng.below(choices.len())];
        let mut alias = self.fresh("v");
        let mut name = self.fresh("Value ");
        if self.rng.percent(30) {
            alias = self.rng.pick(&["x", "y", "z", "w"]).to_string();
            name = alias.to_uppercase();
        }
        let color = self.rng.pick(&["1 0 0", "0 1 0", ".1 .2 .3"]).to_string();
        let written = self.record(
            "PajeDefineEntityValue",
            &[
                ("Alias", alias.clone()),
                ("Type", self.types[type_index].identifier.clone()),
                ("Name", name.clone()),
                ("Color", color),
            ],
        );
        if written.intact {
            self.values.push((type_index, if written.with_alias { alias } else { name }));
        }
    }

    fn create_container(&mut self) {
        let types = self.container_types();
        let type_index = types[self.rng.below(types.len())];
        let wanted = self.types[type_index].parent;
        let accept_ended = self.rng.percent(12);
        let fitting: Vec<usize> = (0..self.containers.len())
            .filter(|&index| self.containers[index].type_index == wanted)
            .filter(|&index| accept_ended || !self.containers[index].ended)
            .collect();
        let parent = match fitting[..] {
            [] => 0,
            _ if self.rng.percent(4) => self.rng.below(self.containers.len()),
            _ => fitting[self.rng.below(fitting.len())],
        };
        let mut alias = self.fresh("c");
        let mut name = self.fresh("Node ");
        let known = self.containers.len();
        if self.rng.percent(25) {
            let other = 1 + self.rng.below(known);
            let accept_living = self.rng.percent(25);
            if let Some(other) = self.containers.get(other)
                && (other.ended || accept_living)
            {
                alias = other.identifier.clone();
            }
        }
        if self.rng.percent(15) {
            name = "Node".to_string();
        }
        let time = self.next_time();
        let time = self.time_text(time);
        let written = self.record(
            "PajeCreateContainer",
            &[
                ("Time", time),
                ("Alias", alias.clone()),
                ("Type", self.types[type_index].identifier.clone()),
                ("Container", self.containers[parent].identifier.clone()),
                ("Name", name.clone()),
            ],
        );
        if written.intact {
            let identifier = if written.with_alias { alias } else { name.clone() };
            let type_index = Some(type_index);
            self.containers.push(ContainerInfo { identifier, name, type_index, ended: false });
        }
    }

    fn destroy_container(&mut self, time: i64) {
        let index = if self.rng.percent(2) { 0 } else { self.container() };
        let time = self.time_text(time);
        let mut type_index = self.containers[index].type_index;
        if self.rng.percent(5) {
            type_index = Some(0);
        }
        let written = self.record(
            "PajeDestroyContainer",
            &[
                ("Time", time),
                ("Type", self.type_identifier(type_index)),
                ("Name", self.containers[index].identifier.clone()),
            ],
        );
        if written.intact {
            self.containers[index].ended = true;
        }
    }

    /// Any container but, if possible, not the root; rarely one that has ended.
    fn container(&mut self) -> usize {
        let accept_ended = self.rng.percent(15);
        let choices: Vec<usize> = (1..self.containers.len())
            .filter(|&index| accept_ended || !self.containers[index].ended)
            .collect();
        if choices.is_empty() { 0 } else { choices[self.rng.below(choices.len())] }
    }

    /// A type and a container that mostly belong together.
    fn track(&mut self, kind: Kind) -> (usize, usize) {
        let of_kind: Vec<usize> =
            (0..self.types.len()).filter(|&index| self.types[index].kind == kind).collect();
        let type_index = of_kind[self.rng.below(of_kind.len())];
        let wanted = self.types[type_index].parent;
        let accept_ended = self.rng.percent(20);
        let fitting: Vec<usize> = (0..self.containers.len())
            .filter(|&index| self.containers[index].type_index == wanted)
            .filter(|&index| accept_ended || !self.containers[index].ended)
            .collect();
        let container = if fitting.is_empty() || self.rng.percent(4) {
            self.container()
        } else {
            fitting[self.rng.below(fitting.len())]
        };
        (type_index, container)
    }

    fn value(&mut self, type_index: usize) -> String {
        let defined: Vec<String> = self
            .values
            .iter()
            .filter(|(of_type, _)| *of_type == type_index)
            .map(|(_, identifier)| identifier.clone())
            .collect();
        if !defined.is_empty() && self.rng.percent(50) {
            return defined[self.rng.below(defined.len())].clone();
        }
        self.rng.pick(&["x", "y", "z", "w", "compute", "two words"]).to_string()
    }

    fn timed(&mut self, event: &'static str, kind: Kind, value: Option<String>) {
        let mut track = self.track(kind);
        if event == "PajePopState" && !self.pushed.is_empty() && self.rng.percent(90) {
            let position = self.rng.below(self.pushed.len());
            track = self.pushed.remove(position);
        }
        let (type_index, container) = track;
        let value = match value {
            Some(value) => value,
            None => self.value(type_index),
        };
        let time = self.next_time();
        let time = self.time_text(time);
        let mut values = vec![
            ("Time", time),
            ("Type", self.types[type_index].identifier.clone()),
            ("Container", self.containers[container].identifier.clone()),
        ];
        if event != "PajePopState" && event != "PajeResetState" {
            values.push(("Value", value));
        }
        let written = self.record(event, &values);
        if written.intact && event == "PajePushState" {
            self.pushed.push(track);
        }
    }

    fn state(&mut self, event: &'static str) {
        self.timed(event, Kind::State, None);
    }

    fn event(&mut self) {
        self.timed("PajeNewEvent", Kind::Event, None);
    }

    fn variable(&mut self, event: &'static str) {
        let numbers = ["0", "1", "-2.5", "1e3", ".5", "7.", "1e-05", "4.096000e+03", "0.1", "+3"];
        let number = self.rng.pick(&numbers).to_string();
        self.timed(event, Kind::Variable, Some(number));
    }

    fn link(&mut self, event: &'static str, end_role: &'static str) {
        let (type_index, owner) = self.track(Kind::Link);
        let (start_type, end_type) = self.types[type_index].ends;
        let wanted = if end_role == "StartContainer" { start_type } else { end_type };
        let fitting: Vec<usize> = (1..self.containers.len())
            .filter(|&index| self.containers[index].type_index == Some(wanted))
            .collect();
        let end = if fitting.is_empty() || self.rng.percent(10) {
            self.container()
        } else {
            fitting[self.rng.below(fitting.len())]
        };
        let key = self.rng.pick(&["k", "k", "k1", "0_1", "a key"]).to_string();
        let value = if self.rng.percent(80) { "m".to_string() } else { self.value(type_index) };
        let time = self.next_time();
        let time = self.time_text(time);
        self.record(
            event,
            &[
                ("Time", time),
                ("Type", self.types[type_index].identifier.clone()),
                ("Container", self.containers[owner].identifier.clone()),
                (end_role, self.containers[end].identifier.clone()),
                ("Value", value),
                ("Key", key),
            ],
        );
    }
}

fn replace_last_word(line: &mut Vec<u8>, word: &[u8]) {
    if let Some(blank) = line.iter().rposition(|&byte| byte == b' ') {
        line.truncate(blank + 1);
        line.extend_from_slice(word);
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
