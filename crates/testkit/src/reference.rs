//! The interpreter: definitions and references in file order first, then every track in time order.
//!
//! The order of the checks of one record is fixed, and the first error ends it:
//! tokens, time, owner or parent container, type, number or other container, reserved names,
//! duplicates. Repairs met on the way are counted even if an error follows; remarks about how
//! the resolved objects relate to each other are counted for accepted records only.

use std::collections::{BTreeMap, BTreeSet};

use crate::color::parse_color;
use crate::header::{EventKind, Layout, canonical_name, is_field_type};
use crate::model::{
    Container, DiagnosticTally, Event, Extras, Link, Nature, State, Trace, Type, Value, Variable,
};
use crate::number::{Time, parse_time, parse_variable};
use crate::token::{Mode, first_nonblank, is_blank, tokenize};

const ROOT: usize = 0;
const LONGEST_LINE: usize = 64 << 20;
const LONGEST_TOKEN: usize = 1 << 20;

/// Interprets a whole plain-text trace of one file.
pub fn interpret(bytes: &[u8]) -> Trace {
    let mut reader = Reader::new();
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let last_line_is_cut = lines.last().is_some_and(|last| !last.is_empty());
    if !last_line_is_cut {
        lines.pop();
    }
    let count = lines.len();
    for (index, line) in lines.into_iter().enumerate() {
        reader.line = index as u64 + 1;
        let is_record = reader.read_line(line);
        if is_record && last_line_is_cut && index + 1 == count {
            reader.tally("truncated");
        }
    }
    reader.finish()
}

/// The code of the error that makes a record unusable.
type Refused = &'static str;

#[derive(Clone, Debug)]
enum Action {
    SetState(usize),
    PushState(usize),
    PopState,
    ResetState,
    NewEvent(usize),
    SetVariable(f64),
    AddVariable(f64),
    SubVariable(f64),
}

#[derive(Clone, Debug)]
struct TrackRecord {
    time: i64,
    line: u64,
    action: Action,
    extras: Extras,
}

#[derive(Clone, Debug)]
struct LinkHalf {
    time: i64,
    line: u64,
    is_start: bool,
    container: usize,
    value: usize,
    extras: Extras,
}

/// A record line cut into the fields of its layout.
struct Fields {
    by_role: BTreeMap<&'static str, Vec<u8>>,
    extras: Extras,
    names_a_part: bool,
}

impl Fields {
    /// A mandatory field; `read_fields` has made sure that it is there.
    fn get(&self, role: &str) -> Vec<u8> {
        self.by_role.get(role).cloned().unwrap_or_default()
    }

    /// The alias, unless it is one of the ways to write that there is none.
    fn alias(&self) -> Option<Vec<u8>> {
        let alias = self.by_role.get("Alias")?;
        (!alias.is_empty() && alias != b"(null)").then(|| alias.clone())
    }
}

struct Reader {
    line: u64,
    trace: Trace,
    block: Option<Layout>,
    /// What a comment on the previous line would define, see `swallowed_definition`.
    swallowed: Option<(Vec<u8>, Vec<u8>)>,
    layouts: Vec<Layout>,
    types_by_identifier: BTreeMap<Vec<u8>, Vec<usize>>,
    containers_by_identifier: BTreeMap<Vec<u8>, Vec<usize>>,
    children: Vec<Vec<usize>>,
    values_by_identifier: BTreeMap<(usize, Vec<u8>), usize>,
    types_met_by_name: BTreeSet<usize>,
    containers_met_by_name: BTreeSet<usize>,
    tracks: BTreeMap<(usize, usize), Vec<TrackRecord>>,
    link_halves: BTreeMap<(usize, usize, Vec<u8>), Vec<LinkHalf>>,
    latest: Option<i64>,
}

impl Reader {
    fn new() -> Reader {
        let root_type = Type {
            parent: None,
            nature: Nature::Container,
            name: b"0".to_vec(),
            alias: None,
            link_ends: None,
        };
        let root_container = Container {
            parent: None,
            type_index: ROOT,
            name: b"0".to_vec(),
            alias: None,
            start: 0,
            end: 0,
            destroyed: None,
            extras: Vec::new(),
        };
        Reader {
            line: 0,
            trace: Trace {
                types: vec![root_type],
                containers: vec![root_container],
                values: Vec::new(),
                states: Vec::new(),
                variables: Vec::new(),
                events: Vec::new(),
                links: Vec::new(),
                diagnostics: BTreeMap::new(),
                records: 0,
                lost: 0,
                end: 0,
            },
            block: None,
            swallowed: None,
            layouts: Vec::new(),
            types_by_identifier: BTreeMap::new(),
            containers_by_identifier: BTreeMap::new(),
            children: vec![Vec::new()],
            values_by_identifier: BTreeMap::new(),
            types_met_by_name: BTreeSet::new(),
            containers_met_by_name: BTreeSet::new(),
            tracks: BTreeMap::new(),
            link_halves: BTreeMap::new(),
            latest: None,
        }
    }

    fn tally(&mut self, code: &str) {
        self.tally_at(code, self.line);
    }

    fn tally_at(&mut self, code: &str, line: u64) {
        let tally = self
            .trace
            .diagnostics
            .entry(code.to_string())
            .or_insert(DiagnosticTally { count: 0, first_line: line });
        tally.count += 1;
        tally.first_line = tally.first_line.min(line);
    }

    // ----- lines -----

    /// Returns whether the line is a record line.
    fn read_line(&mut self, line: &[u8]) -> bool {
        let swallowed = self.swallowed.take();
        let Some(start) = first_nonblank(line) else {
            return false;
        };
        let is_header = line[start] == b'%';
        let is_comment = line[start] == b'#';
        let is_record = !is_header && !is_comment;
        if is_record {
            self.trace.records += 1;
        }

        // An unreadable line is as good as absent: it does not even close a header block.
        let unreadable = if line.len() > LONGEST_LINE {
            Some("line-too-long")
        } else if line.contains(&0) {
            Some("nul-byte")
        } else {
            None
        };
        if let Some(code) = unreadable {
            self.tally(code);
            self.trace.lost += u64::from(is_record);
            return is_record;
        }

        if is_header {
            self.read_header_line(&line[start + 1..], swallowed);
        } else if is_comment {
            self.swallowed = swallowed_definition(line);
        } else {
            if self.block.is_some() {
                self.tally("header-syntax");
                self.close_unfinished_block();
            }
            if let Err(code) = self.read_record(line) {
                if !code.is_empty() {
                    self.tally(code);
                }
                self.trace.lost += 1;
            }
        }
        is_record
    }

    // ----- header -----

    fn read_header_line(&mut self, text: &[u8], swallowed: Option<(Vec<u8>, Vec<u8>)>) {
        let tokens = tokenize(text, Mode::Plain);
        if tokens.unterminated {
            self.tally("unterminated-string");
        }
        let words = tokens.words;
        let Some(first) = words.first() else {
            self.tally("header-syntax");
            return;
        };
        if first == b"EventDef" {
            if self.block.is_some() {
                self.tally("header-syntax");
                self.close_unfinished_block();
            }
            if words.len() != 3 {
                self.tally("header-syntax");
            }
            if words.len() >= 3 {
                self.open_block(words[1].clone(), words[2].clone());
            }
        } else if first == b"EndEventDef" {
            if words.len() > 1 {
                self.tally("header-syntax");
            }
            match self.block.take() {
                Some(block) => self.define(block),
                None => self.tally("header-syntax"),
            }
        } else {
            if self.block.is_none() {
                let Some((name, id)) = swallowed else {
                    self.tally("header-syntax");
                    return;
                };
                self.tally("eventdef-in-comment");
                self.open_block(name, id);
            }
            self.read_field_line(&words);
        }
    }

    fn read_field_line(&mut self, words: &[Vec<u8>]) {
        let Some(mut block) = self.block.take() else {
            return;
        };
        if words.len() != 2 {
            self.tally("header-syntax");
        }
        if words.get(1).is_some_and(|word| !is_field_type(word)) {
            self.tally("unknown-field-type");
        }
        let spelling = &words[0];
        let canonical = canonical_name(spelling, block.kind);
        let declared_before = block.fields.iter().any(|other| {
            other == spelling
                || (canonical.is_some() && canonical_name(other, block.kind) == canonical)
        });
        if declared_before {
            self.tally("duplicate-field");
        }
        if block.is_old_spelling(spelling) {
            self.tally("old-field-name");
        }
        block.fields.push(spelling.clone());
        block.types.push(match words.get(1).map(Vec::as_slice) {
            Some(b"float") => b"double".to_vec(),
            Some(known) if is_field_type(known) => known.to_vec(),
            _ => b"string".to_vec(),
        });
        self.block = Some(block);
    }

    fn open_block(&mut self, name: Vec<u8>, id: Vec<u8>) {
        let kind = EventKind::from_name(&name);
        if kind == EventKind::Unknown {
            self.tally("unknown-event-name");
        }
        if !is_number(&id) {
            self.tally("header-syntax");
        }
        let (fields, types) = (Vec::new(), Vec::new());
        self.block = Some(Layout { id, name, kind, fields, types, line: self.line });
    }

    /// A block without `%EndEventDef` counts if nothing mandatory is missing.
    fn close_unfinished_block(&mut self) {
        if let Some(block) = self.block.take()
            && block.is_complete()
        {
            self.define(block);
        }
    }

    fn define(&mut self, block: Layout) {
        let existing = self.layouts.iter().position(|other| other.id == block.id);
        match existing {
            Some(index) => {
                let same = self.layouts[index].is_same_as(&block);
                let code = if same { "repeated-event-id" } else { "duplicate-event-id" };
                self.tally_at(code, block.line);
                self.layouts[index] = block;
            }
            None => self.layouts.push(block),
        }
    }

    fn find_layout(&mut self, id: &[u8]) -> Result<Layout, Refused> {
        if let Some(layout) = self.layouts.iter().find(|layout| layout.id == id) {
            return Ok(layout.clone());
        }
        if is_number(id) {
            let same_number = |layout: &&Layout| {
                is_number(&layout.id) && significant_digits(&layout.id) == significant_digits(id)
            };
            if let Some(layout) = self.layouts.iter().find(same_number) {
                let layout = layout.clone();
                self.tally("numeric-id-match");
                return Ok(layout);
            }
        }
        Err("unknown-event-id")
    }

    // ----- records -----

    /// An error with an empty code is a loss that has been counted elsewhere.
    fn read_record(&mut self, line: &[u8]) -> Result<(), Refused> {
        let plain = tokenize(line, Mode::Plain);
        let mut layout = None;
        let mut kept = plain.clone();
        match self.find_layout(&plain.words[0]) {
            Ok(found) => {
                let understood = found.is_complete()
                    && !matches!(found.kind, EventKind::Unknown | EventKind::Ignored);
                if understood && plain.words.len() != found.fields.len() + 1 {
                    for (mode, code) in
                        [(Mode::Escapes, "escaped-quote"), (Mode::HashInWord, "hash-in-word")]
                    {
                        if mode == Mode::Escapes && !line.windows(2).any(|pair| pair == b"\\\"") {
                            continue;
                        }
                        let retry = tokenize(line, mode);
                        if retry.words.len() == found.fields.len() + 1
                            && retry.words[0] == plain.words[0]
                        {
                            self.tally(code);
                            kept = retry;
                            break;
                        }
                    }
                }
                layout = Some(found);
            }
            Err(code) => self.tally(code),
        }
        if kept.unterminated {
            self.tally("unterminated-string");
        }
        if kept.words.iter().any(|word| word.len() > LONGEST_TOKEN) {
            return Err("line-too-long");
        }
        let Some(layout) = layout else {
            return Err("");
        };
        match layout.kind {
            // The definition has been reported.
            EventKind::Unknown => return Err(""),
            EventKind::Ignored => return Ok(()),
            _ => {}
        }
        if !layout.is_complete() {
            return Err("missing-mandatory-field");
        }
        let fields = self.read_fields(&layout, &kept.words[1..])?;
        self.apply(layout.kind, fields)
    }

    fn read_fields(&mut self, layout: &Layout, tokens: &[Vec<u8>]) -> Result<Fields, Refused> {
        let mut by_role = BTreeMap::new();
        for &role in layout.kind.mandatory() {
            let column = layout.column(role).ok_or("missing-mandatory-field")?;
            let token = tokens.get(column).ok_or("missing-field")?;
            by_role.insert(role, token.clone());
        }
        for &role in layout.kind.optional() {
            if let Some(token) = layout.column(role).and_then(|column| tokens.get(column)) {
                by_role.insert(role, token.clone());
            }
        }
        if tokens.len() < layout.fields.len() {
            self.tally("too-few-tokens");
        }
        let mut extras = Extras::new();
        let mut names_a_part = false;
        for column in layout.extra_columns() {
            let Some(token) = tokens.get(column) else {
                continue;
            };
            let spelling = &layout.fields[column];
            names_a_part |= match spelling.as_slice() {
                b"Filename" => !token.is_empty(),
                b"File" | b"FileName" => token.ends_with(b".ept"),
                _ => false,
            };
            extras.push((spelling.clone(), token.clone()));
        }
        if tokens.len() > layout.fields.len() {
            self.tally("too-many-tokens");
            for (index, token) in tokens[layout.fields.len()..].iter().enumerate() {
                extras.push((format!("+{}", index + 1).into_bytes(), token.clone()));
            }
        }
        Ok(Fields { by_role, extras, names_a_part })
    }

    fn apply(&mut self, kind: EventKind, fields: Fields) -> Result<(), Refused> {
        match kind {
            EventKind::DefineContainerType => self.define_type(Nature::Container, kind, &fields),
            EventKind::DefineStateType => self.define_type(Nature::State, kind, &fields),
            EventKind::DefineEventType => self.define_type(Nature::Event, kind, &fields),
            EventKind::DefineVariableType => self.define_type(Nature::Variable, kind, &fields),
            EventKind::DefineLinkType => self.define_type(Nature::Link, kind, &fields),
            EventKind::DefineEntityValue => self.define_value(&fields),
            EventKind::CreateContainer => self.create_container(fields),
            EventKind::DestroyContainer => self.destroy_container(&fields),
            EventKind::SetState
            | EventKind::PushState
            | EventKind::PopState
            | EventKind::ResetState
            | EventKind::NewEvent
            | EventKind::SetVariable
            | EventKind::AddVariable
            | EventKind::SubVariable => self.track_record(kind, fields),
            EventKind::StartLink => self.link_half(true, fields),
            EventKind::EndLink => self.link_half(false, fields),
            EventKind::TraceFile => {
                self.tally("missing-part-file");
                Ok(())
            }
            EventKind::Ignored | EventKind::Unknown => Ok(()),
        }
    }

    fn time(&mut self, fields: &Fields) -> Result<i64, Refused> {
        match parse_time(&fields.get("Time")) {
            Time::Ticks { ticks, rounded } => {
                if rounded {
                    self.tally("time-rounded");
                }
                Ok(ticks)
            }
            Time::NonFinite => Err("non-finite-time"),
            Time::Bad => Err("bad-number"),
        }
    }

    /// A record that was resolved completely moves the end of the trace.
    fn saw_time(&mut self, time: i64) {
        self.latest = Some(self.latest.map_or(time, |latest| latest.max(time)));
    }

    // ----- references -----

    fn find_type(
        &mut self,
        token: &[u8],
        natures: &[Nature],
        container_type: Option<usize>,
    ) -> Result<usize, Refused> {
        let same_identifier = self.types_by_identifier.get(token);
        if let Some(candidates) = same_identifier {
            let types = &self.trace.types;
            let fitting: Vec<usize> = candidates
                .iter()
                .copied()
                .filter(|&index| natures.contains(&types[index].nature))
                .collect();
            let of_container = fitting
                .iter()
                .copied()
                .find(|&index| container_type.is_some() && types[index].parent == container_type);
            return of_container.or(fitting.first().copied()).ok_or("wrong-nature");
        }
        if matches!(token, b"0" | b"/" | b"File") {
            let fits = natures.contains(&Nature::Container);
            return if fits { Ok(ROOT) } else { Err("wrong-nature") };
        }
        let named: Vec<usize> = (1..self.trace.types.len())
            .filter(|&index| {
                let candidate = &self.trace.types[index];
                let fits_container = candidate.nature == Nature::Container
                    || container_type.is_none()
                    || candidate.parent == container_type;
                candidate.name == token && natures.contains(&candidate.nature) && fits_container
            })
            .collect();
        match named[..] {
            [] => Err("unknown-type"),
            [index] => {
                if self.types_met_by_name.insert(index) {
                    self.tally("reference-by-name");
                }
                Ok(index)
            }
            _ => Err("ambiguous-name"),
        }
    }

    fn find_container(
        &mut self,
        token: &[u8],
        time: i64,
        expected_type: Option<usize>,
    ) -> Result<usize, Refused> {
        let containers = &self.trace.containers;
        let is_expected = |index: usize| {
            expected_type.is_none() || expected_type == Some(containers[index].type_index)
        };
        if let Some(all) = self.containers_by_identifier.get(token) {
            let mut instances: Vec<usize> = all.clone();
            if instances.iter().any(|&index| is_expected(index)) {
                instances.retain(|&index| is_expected(index));
            }
            let covers = |index: usize| {
                let container = &containers[index];
                container.start <= time && container.destroyed.is_none_or(|end| time <= end)
            };
            let newest_covering = instances.iter().copied().rev().find(|&index| covers(index));
            return newest_covering.or(instances.last().copied()).ok_or("unknown-container");
        }
        if matches!(token, b"0" | b"/") {
            return Ok(ROOT);
        }
        let named: Vec<usize> = (1..containers.len())
            .filter(|&index| containers[index].name == token && is_expected(index))
            .collect();
        match named[..] {
            [] => Err("unknown-container"),
            [index] => {
                if self.containers_met_by_name.insert(index) {
                    self.tally("reference-by-name");
                }
                Ok(index)
            }
            _ => Err("ambiguous-name"),
        }
    }

    /// The value of an entity type; a value nobody defined comes into being by its use.
    fn find_value(&mut self, type_index: usize, token: &[u8]) -> usize {
        let key = (type_index, token.to_vec());
        if let Some(&index) = self.values_by_identifier.get(&key) {
            return index;
        }
        let index = self.trace.values.len();
        self.trace.values.push(Value {
            type_index,
            identifier: token.to_vec(),
            name: token.to_vec(),
            color: None,
            defined: false,
        });
        self.values_by_identifier.insert(key, index);
        index
    }

    // ----- definitions -----

    fn define_type(
        &mut self,
        nature: Nature,
        kind: EventKind,
        fields: &Fields,
    ) -> Result<(), Refused> {
        self.read_color(fields);
        let mut name = fields.get("Name");
        let mut parent_token = fields.get("Type");
        let found = self.find_type(&parent_token, &[Nature::Container], None);
        let parent = match found {
            Err("unknown-type") => {
                let swapped = kind == EventKind::DefineVariableType
                    && self.is_container_type_identifier(&name);
                if !swapped {
                    return Err("unknown-parent");
                }
                self.tally("swapped-columns");
                std::mem::swap(&mut name, &mut parent_token);
                self.find_type(&parent_token, &[Nature::Container], None)?
            }
            other => other?,
        };
        let link_ends = if nature == Nature::Link {
            let start = fields.get("StartContainerType");
            let end = fields.get("EndContainerType");
            Some((
                self.find_type(&start, &[Nature::Container], None)?,
                self.find_type(&end, &[Nature::Container], None)?,
            ))
        } else {
            None
        };
        let alias = fields.alias();
        if alias.as_deref().unwrap_or(&name) == b"0" {
            return Err("reserved-name");
        }

        let identifier = alias.clone().unwrap_or_else(|| name.clone());
        let namesakes: Vec<&Type> = self
            .types_by_identifier
            .get(&identifier)
            .into_iter()
            .flatten()
            .map(|&index| &self.trace.types[index])
            .filter(|other| other.parent == Some(parent))
            .collect();
        let same = |other: &&Type| {
            other.nature == nature && other.name == name && other.link_ends == link_ends
        };
        if namesakes.iter().any(same) {
            return Ok(());
        }
        if !namesakes.is_empty() {
            return Err("duplicate-type");
        }

        let index = self.trace.types.len();
        self.trace.types.push(Type { parent: Some(parent), nature, name, alias, link_ends });
        self.types_by_identifier.entry(identifier).or_default().push(index);
        Ok(())
    }

    fn is_container_type_identifier(&self, token: &[u8]) -> bool {
        match self.types_by_identifier.get(token) {
            Some(candidates) => {
                candidates.iter().any(|&index| self.trace.types[index].nature == Nature::Container)
            }
            None => matches!(token, b"0" | b"/" | b"File"),
        }
    }

    fn read_color(&mut self, fields: &Fields) -> Option<[f64; 4]> {
        let color = parse_color(fields.by_role.get("Color")?);
        if color.is_none() {
            self.tally("bad-color");
        }
        color
    }

    fn define_value(&mut self, fields: &Fields) -> Result<(), Refused> {
        let color = self.read_color(fields);
        let natures = [Nature::State, Nature::Event, Nature::Link];
        let type_index = match self.find_type(&fields.get("Type"), &natures, None) {
            Err("wrong-nature") => return Err("value-on-container-or-variable-type"),
            other => other?,
        };
        let name = fields.get("Name");
        let identifier = fields.alias().unwrap_or_else(|| name.clone());
        let index = self.find_value(type_index, &identifier);
        let value = &mut self.trace.values[index];
        let color = color.or(value.color);
        let changes = value.name != name || value.color != color;
        let redefined = value.defined && changes;
        value.name = name;
        value.color = color;
        value.defined = true;
        if redefined {
            self.tally("duplicate-value");
        }
        Ok(())
    }

    // ----- containers -----

    fn create_container(&mut self, fields: Fields) -> Result<(), Refused> {
        let time = self.time(&fields)?;
        let parent = match self.find_container(&fields.get("Container"), time, None) {
            Err("unknown-container") => return Err("unknown-parent"),
            other => other?,
        };
        let parent_type = self.trace.containers[parent].type_index;
        let type_index =
            self.find_type(&fields.get("Type"), &[Nature::Container], Some(parent_type))?;
        let name = fields.get("Name");
        let alias = fields.alias();
        if alias.as_deref().unwrap_or(&name) == b"0" {
            return Err("reserved-name");
        }
        self.saw_time(time);

        let identifier = alias.clone().unwrap_or_else(|| name.clone());
        let instances = self.containers_by_identifier.entry(identifier).or_default();
        let containers = &mut self.trace.containers;
        let alive_already = instances.iter().any(|&index| {
            containers[index].destroyed.is_none() && containers[index].type_index == type_index
        });
        if alive_already {
            return Err("duplicate-container");
        }
        let index = containers.len();
        instances.push(index);
        containers.push(Container {
            parent: Some(parent),
            type_index,
            name,
            alias,
            start: time,
            end: 0,
            destroyed: None,
            extras: fields.extras,
        });
        self.children.push(Vec::new());
        self.children[parent].push(index);
        if self.trace.types[type_index].parent != Some(parent_type) {
            self.tally("container-type-mismatch");
        }
        if self.trace.containers[parent].destroyed.is_some_and(|end| time > end) {
            self.tally("after-destroy");
        }
        if fields.names_a_part {
            self.tally("missing-part-file");
        }
        Ok(())
    }

    fn destroy_container(&mut self, fields: &Fields) -> Result<(), Refused> {
        let time = self.time(fields)?;
        let type_index = self.find_type(&fields.get("Type"), &[Nature::Container], None)?;
        let container = self.find_container(&fields.get("Name"), time, Some(type_index))?;
        self.saw_time(time);
        if self.trace.containers[container].type_index != type_index {
            self.tally("container-type-mismatch");
        }
        if self.trace.containers[container].destroyed.is_some() {
            return Err("destroy-twice");
        }
        let mut to_visit = vec![container];
        while let Some(index) = to_visit.pop() {
            self.trace.containers[index].destroyed.get_or_insert(time);
            to_visit.extend_from_slice(&self.children[index]);
        }
        Ok(())
    }

    // ----- timed records, file order -----

    fn track_record(&mut self, kind: EventKind, fields: Fields) -> Result<(), Refused> {
        let nature = match kind {
            EventKind::NewEvent => Nature::Event,
            EventKind::SetVariable | EventKind::AddVariable | EventKind::SubVariable => {
                Nature::Variable
            }
            _ => Nature::State,
        };
        // What a line shows by itself comes before what it refers to.
        let time = self.time(&fields)?;
        let text = fields.get("Value");
        let number = if nature == Nature::Variable {
            parse_variable(&text).ok_or("bad-number")?
        } else {
            0.0
        };
        if !number.is_finite() {
            self.tally("non-finite-variable");
        }
        let container = self.find_container(&fields.get("Container"), time, None)?;
        let container_type = self.trace.containers[container].type_index;
        let type_index = self.find_type(&fields.get("Type"), &[nature], Some(container_type))?;
        self.saw_time(time);
        self.check_owner(type_index, container);

        let action = match kind {
            EventKind::SetState => Action::SetState(self.find_value(type_index, &text)),
            EventKind::PushState => Action::PushState(self.find_value(type_index, &text)),
            EventKind::PopState => Action::PopState,
            EventKind::NewEvent => Action::NewEvent(self.find_value(type_index, &text)),
            EventKind::SetVariable => Action::SetVariable(number),
            EventKind::AddVariable => Action::AddVariable(number),
            EventKind::SubVariable => Action::SubVariable(number),
            _ => Action::ResetState,
        };
        let track = self.tracks.entry((container, type_index)).or_default();
        track.push(TrackRecord { time, line: self.line, action, extras: fields.extras });
        Ok(())
    }

    fn link_half(&mut self, is_start: bool, fields: Fields) -> Result<(), Refused> {
        let time = self.time(&fields)?;
        let owner = self.find_container(&fields.get("Container"), time, None)?;
        let owner_type = self.trace.containers[owner].type_index;
        let type_index = self.find_type(&fields.get("Type"), &[Nature::Link], Some(owner_type))?;
        let (start_type, end_type) = self.trace.types[type_index].link_ends.unwrap_or((ROOT, ROOT));
        let (role, expected_type) =
            if is_start { ("StartContainer", start_type) } else { ("EndContainer", end_type) };
        let container = self.find_container(&fields.get(role), time, Some(expected_type))?;
        self.saw_time(time);
        self.check_owner(type_index, owner);
        if self.trace.containers[container].type_index != expected_type {
            self.tally("link-end-type-mismatch");
        }
        let value = self.find_value(type_index, &fields.get("Value"));
        let queue = self.link_halves.entry((owner, type_index, fields.get("Key"))).or_default();
        queue.push(LinkHalf {
            time,
            line: self.line,
            is_start,
            container,
            value,
            extras: fields.extras,
        });
        Ok(())
    }

    fn check_owner(&mut self, type_index: usize, container: usize) {
        let container_type = self.trace.containers[container].type_index;
        if self.trace.types[type_index].parent != Some(container_type) {
            self.tally("type-not-of-container");
        }
    }

    // ----- timed records, time order -----

    fn finish(mut self) -> Trace {
        if let Some(block) = self.block.take() {
            self.tally_at("header-syntax", block.line);
        }
        if self.trace.records == 0 {
            self.tally_at("empty-trace", 0);
        }
        self.trace.end = self.latest.unwrap_or(0);
        for container in &mut self.trace.containers {
            container.end = container.destroyed.unwrap_or(self.trace.end);
        }
        for ((container, type_index), records) in std::mem::take(&mut self.tracks) {
            self.finish_track(container, type_index, records);
        }
        for ((owner, type_index, key), halves) in std::mem::take(&mut self.link_halves) {
            self.finish_links(owner, type_index, &key, halves);
        }
        self.trace
    }

    fn check_order(&mut self, times_and_lines: impl Iterator<Item = (i64, u64)>) {
        let mut latest = i64::MIN;
        for (time, line) in times_and_lines {
            if time < latest {
                self.tally_at("not-time-ordered", line);
            }
            latest = latest.max(time);
        }
    }

    fn check_life(&mut self, container: usize, time: i64, line: u64) {
        let Container { start, destroyed, .. } = self.trace.containers[container];
        // The root was never created.
        if container != ROOT && time < start {
            self.tally_at("before-creation", line);
        }
        if destroyed.is_some_and(|end| time > end) {
            self.tally_at("after-destroy", line);
        }
    }

    fn finish_track(&mut self, container: usize, type_index: usize, records: Vec<TrackRecord>) {
        self.check_order(records.iter().map(|record| (record.time, record.line)));
        let mut records = records;
        records.sort_by_key(|record| record.time);

        let destroyed = self.trace.containers[container].destroyed;
        let mut is_past_end = false;
        // Open states with the line of the record that opened each.
        let mut stack: Vec<(State, u64)> = Vec::new();
        let mut current: Option<Variable> = None;
        for record in records {
            let TrackRecord { time, line, extras, .. } = record;
            self.check_life(container, time, line);
            if let Some(end) = destroyed
                && time > end
                && !is_past_end
            {
                is_past_end = true;
                self.close_open_things(&mut stack, &mut current, end);
            }
            match record.action {
                Action::SetState(value) | Action::PushState(value) => {
                    if matches!(record.action, Action::SetState(_)) {
                        self.close_states(&mut stack, time);
                    }
                    let state = State {
                        container,
                        type_index,
                        start: time,
                        end: time,
                        depth: stack.len(),
                        value,
                        open: true,
                        extras,
                    };
                    stack.push((state, line));
                }
                Action::PopState => match stack.pop() {
                    Some((mut state, _)) => {
                        state.end = time;
                        state.open = false;
                        state.extras.extend(extras);
                        self.trace.states.push(state);
                    }
                    None => {
                        self.tally_at("pop-empty", line);
                        self.trace.lost += 1;
                    }
                },
                Action::ResetState => self.close_states(&mut stack, time),
                Action::NewEvent(value) => {
                    self.trace.events.push(Event { container, type_index, time, value, extras })
                }
                Action::SetVariable(number)
                | Action::AddVariable(number)
                | Action::SubVariable(number) => {
                    let old = current.as_ref().map(|variable| variable.value);
                    let is_set = matches!(record.action, Action::SetVariable(_));
                    if old.is_none() && !is_set {
                        self.tally_at("variable-without-value", line);
                    }
                    let base = old.unwrap_or(0.0);
                    let value = match record.action {
                        Action::AddVariable(_) => base + number,
                        Action::SubVariable(_) => base - number,
                        _ => number,
                    };
                    match &mut current {
                        Some(variable) if variable.start == time => variable.value = value,
                        _ => {
                            let next = Variable {
                                container,
                                type_index,
                                start: time,
                                end: time,
                                value,
                                extras,
                            };
                            if let Some(mut previous) = current.replace(next) {
                                previous.end = time;
                                self.trace.variables.push(previous);
                            }
                        }
                    }
                }
            }
        }

        let end = match destroyed {
            Some(end) if !is_past_end => end,
            _ => self.trace.end,
        };
        self.close_open_things(&mut stack, &mut current, end);
    }

    fn close_states(&mut self, stack: &mut Vec<(State, u64)>, time: i64) {
        for (mut state, _) in stack.drain(..) {
            state.end = time;
            state.open = false;
            self.trace.states.push(state);
        }
    }

    /// Ends what no record ended.
    fn close_open_things(
        &mut self,
        stack: &mut Vec<(State, u64)>,
        current: &mut Option<Variable>,
        end: i64,
    ) {
        for (mut state, line) in stack.drain(..) {
            state.end = end;
            self.trace.states.push(state);
            self.tally_at("state-open-at-end", line);
        }
        if let Some(mut variable) = current.take() {
            variable.end = end;
            self.trace.variables.push(variable);
        }
    }

    fn finish_links(&mut self, owner: usize, type_index: usize, key: &[u8], halves: Vec<LinkHalf>) {
        for side in [true, false] {
            let same_side = halves.iter().filter(|half| half.is_start == side);
            self.check_order(same_side.map(|half| (half.time, half.line)));
        }
        let mut halves = halves;
        halves.sort_by_key(|half| half.time);

        let mut pending: Vec<LinkHalf> = Vec::new();
        for half in halves {
            self.check_life(owner, half.time, half.line);
            let is_opposite = |other: &LinkHalf| other.is_start != half.is_start;
            let partner = pending
                .iter()
                .position(|other| is_opposite(other) && other.value == half.value)
                .or_else(|| pending.iter().position(is_opposite));
            let Some(partner) = partner else {
                pending.push(half);
                continue;
            };
            let earlier = pending.remove(partner);
            let line = half.line;
            let mut extras = earlier.extras.clone();
            extras.extend(half.extras.clone());
            let (start, end) = if half.is_start { (half, earlier) } else { (earlier, half) };
            if start.value != end.value {
                self.tally_at("link-value-mismatch", line);
            }
            if end.time < start.time {
                self.tally_at("link-negative-duration", line);
            }
            self.trace.links.push(Link {
                container: owner,
                type_index,
                start: Some(start.time),
                end: Some(end.time),
                value: start.value,
                source: Some(start.container),
                destination: Some(end.container),
                key: key.to_vec(),
                extras,
            });
        }
        for half in pending {
            self.tally_at("link-unmatched", half.line);
            self.trace.links.push(Link {
                container: owner,
                type_index,
                start: half.is_start.then_some(half.time),
                end: (!half.is_start).then_some(half.time),
                value: half.value,
                source: half.is_start.then_some(half.container),
                destination: (!half.is_start).then_some(half.container),
                key: key.to_vec(),
                extras: half.extras,
            });
        }
    }
}

/// A comment whose end is a definition: some producers forget the newline in between.
fn swallowed_definition(comment: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let percent = comment.iter().rposition(|&byte| byte == b'%')?;
    let mut words =
        comment[percent + 1..].split(|&byte| is_blank(byte)).filter(|word| !word.is_empty());
    if words.next()? != b"EventDef" {
        return None;
    }
    let (name, id) = (words.next()?, words.next()?);
    words.next().is_none().then(|| (name.to_vec(), id.to_vec()))
}

fn is_number(id: &[u8]) -> bool {
    !id.is_empty() && id.iter().all(u8::is_ascii_digit)
}

fn significant_digits(id: &[u8]) -> &[u8] {
    let zeros = id.iter().take_while(|&&digit| digit == b'0').count();
    &id[zeros..]
}
