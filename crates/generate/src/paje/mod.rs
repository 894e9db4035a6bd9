//! The one place that knows how a line of a Pajé file is spelt.
//!
//! A [`Trace`] takes definitions and timed [`Record`]s, in time order, and turns them into text in a reusable buffer.
//! While it writes it counts what it wrote ([`Written`]), so that a reader can be held to those figures.
//!
//! Containers are a type and a number: alias and name follow from the two, and no table of containers is needed.
//! That keeps memory flat even when a million short-lived containers go by.

mod header;
mod records;

use std::io::{self, Write};

use crate::{GenerateError, TICKS_PER_UNIT, Written};
use header::{HEADER, OPERATION_HEADER, WAIT_HEADER};

/// Text is handed on in pieces of about this size.
const BUFFER_BYTES: usize = 1 << 16;

/// A container type; an index into the types of the trace that defined it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContainerType(u8);

impl ContainerType {
    /// The type of the root container, above all others.
    pub(crate) const ROOT: ContainerType = ContainerType(u8::MAX);

    /// The container of this type with that number.
    pub(crate) fn number(self, number: u32) -> Container {
        Container { of_type: self, number }
    }
}

/// A container: its type and a number that is unique within the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Container {
    of_type: ContainerType,
    number: u32,
}

impl Container {
    /// The root container, which every trace has and no record creates.
    pub(crate) const ROOT: Container = Container { of_type: ContainerType::ROOT, number: 0 };
}

/// A state type of one container type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateType(u8);

/// A value of a state type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value(u16);

/// A link type together with one of its values, owned by the root container.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkKind(u8);

/// An event type together with one of its values and the source file it comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventKind(u8);

/// A variable type of one container type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VariableType(u8);

/// What can happen at an instant.
///
/// Whoever closes a state says which value ends. The totals per value are then sums of ends minus sums of starts and
/// no stack per container has to be kept.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Record {
    Create {
        container: Container,
        parent: Container,
    },
    Destroy {
        container: Container,
    },
    /// Replaces the only open state of a track.
    Set {
        container: Container,
        closes: Option<Value>,
        opens: Value,
    },
    /// The same with a state in which it waits at another container, and tells at which.
    SetWaiting {
        container: Container,
        closes: Value,
        opens: Value,
        at: Container,
    },
    Push {
        container: Container,
        value: Value,
    },
    /// Opens a state that is a collective operation, and tells which.
    PushOperation {
        container: Container,
        value: Value,
        told: OperationTold,
    },
    Pop {
        container: Container,
        value: Value,
    },
    StartLink {
        link: LinkKind,
        from: Container,
        key: u64,
        /// Absent for links that carry no data.
        bytes: Option<u64>,
    },
    EndLink {
        link: LinkKind,
        to: Container,
        key: u64,
    },
    Event {
        event: EventKind,
        container: Container,
        line: u32,
    },
    SetVariable {
        variable: VariableType,
        container: Container,
        value: u64,
    },
}

/// What a trace tells of a collective operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperationTold {
    pub(crate) communicator: u32,
    pub(crate) number: u32,
    /// The root among the members; some operations have none.
    pub(crate) root: Option<u32>,
}

struct ContainerTypeEntry {
    alias: String,
    letter: u8,
    word: String,
}

struct StateTypeEntry {
    /// The alias between blanks, as it stands in a record.
    token: String,
    name: String,
}

struct ValueEntry {
    token: String,
    name: String,
    of_type: StateType,
    opened: u64,
    /// Sum of ends minus sum of starts; wide, because the two sums alone may be large.
    ticks: i128,
}

/// A trace in the making.
pub(crate) struct Trace<'w, W: Write> {
    out: &'w mut W,
    buffer: Vec<u8>,
    digits: itoa::Buffer,
    container_types: Vec<ContainerTypeEntry>,
    state_types: Vec<StateTypeEntry>,
    values: Vec<ValueEntry>,
    /// Type, owner and value of each link kind, as they stand in a record.
    links: Vec<String>,
    /// Type of each event kind, then its value and file, as they stand in a record.
    events: Vec<(String, String)>,
    variables: Vec<String>,
    written: Written,
}

impl<'w, W: Write> Trace<'w, W> {
    /// Starts a trace: a comment that tells how it was made, then the header.
    pub(crate) fn new(out: &'w mut W, kind: &str, seed: u64) -> Self {
        let mut trace = Trace {
            out,
            buffer: Vec::with_capacity(BUFFER_BYTES + 1024),
            digits: itoa::Buffer::new(),
            container_types: Vec::new(),
            state_types: Vec::new(),
            values: Vec::new(),
            links: Vec::new(),
            events: Vec::new(),
            variables: Vec::new(),
            written: Written { containers: 1, ..Written::default() },
        };
        trace.text(&format!("# onca generate {kind}, seed {seed}\n"));
        trace.text(HEADER);
        trace
    }

    /// Defines the record that opens a collective operation.
    pub(crate) fn define_operations(&mut self) {
        self.text(OPERATION_HEADER);
    }

    /// Defines the record that opens a state of waiting at a semaphore or lock.
    pub(crate) fn define_waiting(&mut self) {
        self.text(WAIT_HEADER);
    }

    /// Defines a container type. Its containers have `letter` and their number as alias, `word` and their number as
    /// name.
    pub(crate) fn container_type(
        &mut self,
        alias: &str,
        name: &str,
        parent: ContainerType,
        (letter, word): (u8, &str),
    ) -> ContainerType {
        let defined = ContainerType(index(self.container_types.len()));
        let parent = self.container_type_alias(parent).to_owned();
        self.definition(&format!("0 {alias} {parent} {name}"));
        self.container_types.push(ContainerTypeEntry {
            alias: alias.to_owned(),
            letter,
            word: word.to_owned(),
        });
        defined
    }

    /// Defines a state type of containers of type `of`.
    pub(crate) fn state_type(&mut self, alias: &str, name: &str, of: ContainerType) -> StateType {
        let defined = StateType(index(self.state_types.len()));
        let of = self.container_type_alias(of).to_owned();
        self.definition(&format!("2 {alias} {of} {name}"));
        self.state_types
            .push(StateTypeEntry { token: format!(" {alias} "), name: name.to_owned() });
        defined
    }

    /// Defines a value; records call it `alias`.
    pub(crate) fn value(
        &mut self,
        of_type: StateType,
        alias: &str,
        name: &str,
        color: &str,
    ) -> Value {
        let defined = Value(self.values.len() as u16);
        let type_token = &self.state_types[usize::from(of_type.0)].token;
        let line = format!("5 {alias}{type_token}{name} \"{color}\"");
        self.definition(&line);
        self.values.push(ValueEntry {
            token: format!(" {alias}"),
            name: name.to_owned(),
            of_type,
            opened: 0,
            ticks: 0,
        });
        defined
    }

    /// Defines a link type between containers of type `ends` with the given values and colours.
    pub(crate) fn link_type<const N: usize>(
        &mut self,
        (alias, name): (&str, &str),
        ends: ContainerType,
        values: [(&str, &str); N],
    ) -> [LinkKind; N] {
        self.begin_link_type((alias, name), (ends, ends));
        values.map(|value| self.link_value(alias, value))
    }

    /// The same from containers of one type to those of another.
    pub(crate) fn link_type_between<const N: usize>(
        &mut self,
        (alias, name): (&str, &str),
        ends: (ContainerType, ContainerType),
        values: [(&str, &str); N],
    ) -> [LinkKind; N] {
        self.begin_link_type((alias, name), ends);
        values.map(|value| self.link_value(alias, value))
    }

    /// The same with values whose number is not known beforehand.
    pub(crate) fn link_type_of(
        &mut self,
        (alias, name): (&str, &str),
        ends: ContainerType,
        values: &[(&str, &str)],
    ) -> Vec<LinkKind> {
        self.begin_link_type((alias, name), (ends, ends));
        values.iter().map(|value| self.link_value(alias, *value)).collect()
    }

    fn begin_link_type(
        &mut self,
        (alias, name): (&str, &str),
        (from, to): (ContainerType, ContainerType),
    ) {
        let (from, to) = (self.container_type_alias(from), self.container_type_alias(to));
        let definition = format!("4 {alias} 0 {from} {to} {name}");
        self.definition(&definition);
    }

    fn link_value(&mut self, alias: &str, (value, color): (&str, &str)) -> LinkKind {
        let defined = LinkKind(index(self.links.len()));
        self.definition(&format!("5 {value} {alias} {value} \"{color}\""));
        self.links.push(format!(" {alias} 0 {value} "));
        defined
    }

    /// Defines an event type with the given values, source files and colours.
    pub(crate) fn event_type<const N: usize>(
        &mut self,
        (alias, name): (&str, &str),
        of: ContainerType,
        values: [(&str, &str, &str); N],
    ) -> [EventKind; N] {
        let of = self.container_type_alias(of).to_owned();
        self.definition(&format!("3 {alias} {of} {name}"));
        values.map(|(value, file, color)| {
            let defined = EventKind(index(self.events.len()));
            self.definition(&format!("5 {value} {alias} {value} \"{color}\""));
            self.events.push((format!(" {alias} "), format!(" {value} \"{file}\" ")));
            defined
        })
    }

    /// Defines a variable type.
    pub(crate) fn variable_type(
        &mut self,
        (alias, name): (&str, &str),
        of: ContainerType,
        color: &str,
    ) -> VariableType {
        let defined = VariableType(index(self.variables.len()));
        let of = self.container_type_alias(of).to_owned();
        self.definition(&format!("1 {alias} {of} {name} \"{color}\""));
        self.variables.push(format!(" {alias} "));
        defined
    }

    /// How many record lines stand in the trace so far.
    pub(crate) fn records(&self) -> u64 {
        self.written.records
    }

    /// Writes one record. Times may not decrease from call to call.
    pub(crate) fn record(&mut self, time: i64, record: Record) -> io::Result<()> {
        debug_assert!(time >= self.written.end_ticks, "records in time order");
        self.written.end_ticks = time;
        match record {
            Record::Create { container, parent } => self.create(time, container, parent),
            Record::Destroy { container } => self.destroy(time, container),
            Record::SetWaiting { container, closes, opens, at } => {
                self.count_end(time, closes);
                self.open_state("20 ", time, container, opens);
                self.text(" ");
                self.container_name(at);
            }
            Record::Set { container, closes, opens } => {
                if let Some(closes) = closes {
                    self.count_end(time, closes);
                }
                self.open_state("11 ", time, container, opens);
            }
            Record::Push { container, value } => self.open_state("12 ", time, container, value),
            Record::PushOperation { container, value, told } => {
                self.open_operation(time, container, value, told)
            }
            Record::Pop { container, value } => self.pop(time, container, value),
            Record::StartLink { link, from, key, bytes } => {
                self.start_link(time, link, from, (key, bytes))
            }
            Record::EndLink { link, to, key } => self.end_link(time, link, to, key),
            Record::Event { event, container, line } => self.event(time, event, container, line),
            Record::SetVariable { variable, container, value } => {
                self.set_variable(time, variable, container, value)
            }
        }
        self.end_line();
        if self.buffer.len() >= BUFFER_BYTES {
            self.hand_on()?;
        }
        Ok(())
    }

    /// Hands the rest of the text on and tells what the trace holds.
    pub(crate) fn finish(mut self) -> Result<Written, GenerateError> {
        self.hand_on()?;
        self.out.flush()?;
        for value in &self.values {
            // A value that no state had is left out, as a reader cannot give it a time either.
            if value.opened == 0 {
                continue;
            }
            let ticks = i64::try_from(value.ticks).map_err(|_| GenerateError::too_long())?;
            let type_name = self.state_types[usize::from(value.of_type.0)].name.clone();
            let total = self.written.ticks_per_value.entry((type_name, value.name.clone()));
            *total.or_insert(0) += ticks;
        }
        Ok(self.written)
    }

    fn definition(&mut self, line: &str) {
        self.text(line);
        self.end_line();
    }

    fn begin(&mut self, id: &str, time: i64) {
        self.text(id);
        self.time(time);
    }

    fn end_line(&mut self) {
        self.buffer.push(b'\n');
        self.written.records += 1;
    }

    fn text(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
    }

    fn number(&mut self, number: u64) {
        let text = self.digits.format(number);
        self.buffer.extend_from_slice(text.as_bytes());
    }

    /// Nine decimals always, so that a tick is a digit. The leading 1 keeps the zeros and is left out.
    fn time(&mut self, ticks: i64) {
        let ticks = ticks.unsigned_abs();
        self.number(ticks / TICKS_PER_UNIT as u64);
        let decimals = ticks % TICKS_PER_UNIT as u64;
        let text = self.digits.format(TICKS_PER_UNIT as u64 + decimals);
        self.buffer.push(b'.');
        self.buffer.extend_from_slice(&text.as_bytes()[1..]);
    }

    fn container(&mut self, container: Container) {
        if container.of_type != ContainerType::ROOT {
            let letter = self.container_types[usize::from(container.of_type.0)].letter;
            self.buffer.push(letter);
        }
        self.number(u64::from(container.number));
    }

    fn container_name(&mut self, container: Container) {
        let word = &self.container_types[usize::from(container.of_type.0)].word;
        self.buffer.extend_from_slice(word.as_bytes());
        self.number(u64::from(container.number));
    }

    fn container_type_of(&mut self, container: Container) {
        let alias = &self.container_types[usize::from(container.of_type.0)].alias;
        self.buffer.extend_from_slice(alias.as_bytes());
    }

    fn container_type_alias(&self, of: ContainerType) -> &str {
        match of {
            ContainerType::ROOT => "0",
            of => &self.container_types[usize::from(of.0)].alias,
        }
    }

    fn state_type_token(&mut self, of_type: StateType) {
        let token = &self.state_types[usize::from(of_type.0)].token;
        self.buffer.extend_from_slice(token.as_bytes());
    }

    fn link_token(&mut self, link: LinkKind) {
        let token = &self.links[usize::from(link.0)];
        self.buffer.extend_from_slice(token.as_bytes());
    }

    fn hand_on(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.written.bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

/// Generators define a handful of types each; the limits on their options keep this true.
fn index(len: usize) -> u8 {
    u8::try_from(len).expect("fewer than 256 definitions of a kind")
}
