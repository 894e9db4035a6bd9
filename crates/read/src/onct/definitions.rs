//! What a process has defined, and what all processes of a trace have in common.
//!
//! Types and values with the same names are the same in all files. Containers are not: each file has its own.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use onca_model::{Color, FieldKind, Nature};

use super::clock::{Clock, Pair};
use super::fields::Packed;
use crate::batch::{Batch, Op, Rare, Record};
use crate::cursor::{Broken, Field};
use crate::emit::{Emitter, Extras, NewContainer, NewType, NewValue, ROOT};
use crate::symbols::{Symbol, Symbols};

/// What a process has defined, by the numbers that it uses.
#[derive(Default)]
pub(super) struct Definitions {
    types: Vec<TypeDefinition>,
    values: Vec<ValueDefinition>,
    fields: Vec<(u32, Vec<u8>)>,
    containers: Vec<Creation>,
    destroyed: Vec<(u32, u64)>,
    pub threads: HashMap<u32, String, RandomState>,
    pub properties: HashMap<Vec<u8>, Vec<u8>, RandomState>,
    /// What clocks of other ranks showed.
    pub clock_pairs: Vec<(u32, Pair)>,
}

struct TypeDefinition {
    id: u32,
    nature: Nature,
    parent: u32,
    ends: Option<(u32, u32)>,
    name: Vec<u8>,
}

struct ValueDefinition {
    id: u32,
    of: u32,
    color: Option<Color>,
    name: Vec<u8>,
}

struct Creation {
    id: u32,
    of: u32,
    parent: u32,
    /// 0 for what was there before the trace.
    ticks: u64,
    name: Vec<u8>,
}

impl Definitions {
    /// Reads a payload as far as it is one.
    pub fn read(&mut self, payload: &[u8]) -> Result<(), Broken> {
        let mut packed = Packed::new(payload);
        while !packed.is_at_end() {
            self.read_one(&mut packed)?;
        }
        Ok(())
    }

    fn read_one(&mut self, packed: &mut Packed<'_>) -> Field<()> {
        match packed.u8()? {
            1 => {
                let id = packed.u32()?;
                let nature = nature(packed.u8()?)?;
                let parent = packed.u32()?;
                let ends = match nature {
                    Nature::Link => Some((packed.u32()?, packed.u32()?)),
                    _ => None,
                };
                let name = packed.text()?.to_vec();
                self.types.push(TypeDefinition { id, nature, parent, ends, name });
            }
            2 => {
                let (id, of) = (packed.u32()?, packed.u32()?);
                let color = packed.u32()?.checked_sub(1).map(color);
                self.values.push(ValueDefinition { id, of, color, name: packed.text()?.to_vec() });
            }
            3 => self.fields.push((packed.u32()?, packed.text()?.to_vec())),
            4 => {
                let (id, of, parent) = (packed.u32()?, packed.u32()?, packed.u32()?);
                let (ticks, name) = (packed.u64()?, packed.text()?.to_vec());
                self.containers.push(Creation { id, of, parent, ticks, name });
            }
            5 => self.destroyed.push((packed.u32()?, packed.u64()?)),
            6 => {
                let (number, tid) = (packed.u32()?, packed.u32()?);
                let name = String::from_utf8_lossy(packed.text()?).into_owned();
                self.threads.insert(number, format!("thread {tid} ({name})"));
            }
            7 => {
                let key = packed.text()?.to_vec();
                self.properties.insert(key, packed.text()?.to_vec());
            }
            8 => {
                let rank = packed.u32()?;
                let (own, other, width) = (packed.u64()?, packed.u64()?, packed.u64()?);
                self.clock_pairs.push((rank, Pair { own, other, width }));
            }
            _ => return Err(Broken::Wrong),
        }
        Ok(())
    }

    /// Memory in use, about.
    pub fn bytes(&self) -> usize {
        let names = self.containers.iter().map(|container| container.name.capacity());
        names.sum::<usize>() + self.containers.len() * 2 * size_of::<Creation>()
    }
}

fn nature(number: u8) -> Field<Nature> {
    match number {
        1 => Ok(Nature::Container),
        2 => Ok(Nature::State),
        3 => Ok(Nature::Event),
        4 => Ok(Nature::Variable),
        5 => Ok(Nature::Link),
        _ => Err(Broken::Wrong),
    }
}

fn color(number: u32) -> Color {
    let [blue, green, red, _] = number.to_le_bytes();
    Color { red, green, blue, alpha: 255 }
}

/// A type by what it is a type of, the identifier of its parent, and its name.
type TypeKey = (Nature, Vec<u8>, Vec<u8>);

/// The types and values of all files.
#[derive(Default)]
pub(super) struct Vocabulary {
    /// The identifiers of types.
    types: HashMap<TypeKey, Vec<u8>, RandomState>,
    /// Identifiers in use.
    identifiers: HashMap<Vec<u8>, u32, RandomState>,
    values: HashMap<(Vec<u8>, Vec<u8>), (), RandomState>,
}

impl Vocabulary {
    /// The identifier of a type, and whether it is new.
    fn identifier(&mut self, nature: Nature, parent: &[u8], name: &[u8]) -> (Vec<u8>, bool) {
        let key = (nature, parent.to_vec(), name.to_vec());
        if let Some(known) = self.types.get(&key) {
            return (known.clone(), false);
        }
        let mut identifier = name.to_vec();
        if name == ROOT || name.is_empty() || self.identifiers.contains_key(name) {
            identifier = [name, b"@", parent].concat();
            let n = self.identifiers.entry(identifier.clone()).or_insert(0);
            *n += 1;
            if *n > 1 {
                identifier.extend_from_slice(format!("#{n}").as_bytes());
            }
        }
        self.identifiers.insert(identifier.clone(), 1);
        self.types.insert(key, identifier.clone());
        (identifier, true)
    }
}

/// A type of a file.
#[derive(Clone, Copy)]
pub(super) struct KnownType {
    pub nature: Nature,
    pub symbol: Symbol,
}

/// What records of a file refer to.
#[derive(Default)]
pub(super) struct Names {
    pub types: HashMap<u32, KnownType, RandomState>,
    /// The type of each value, as the file numbers it, and the symbol of its name.
    pub values: HashMap<u32, (u32, Symbol), RandomState>,
    fields: HashMap<u32, Vec<u8>, RandomState>,
    containers: HashMap<u32, (), RandomState>,
    prefix: String,
}

impl Names {
    /// The identifier of a container, if there is one of this number.
    pub fn container(&self, id: u32) -> Option<Vec<u8>> {
        match id {
            0 => Some(ROOT.to_vec()),
            id if self.containers.contains_key(&id) => Some(self.alias(id)),
            _ => None,
        }
    }

    fn alias(&self, id: u32) -> Vec<u8> {
        format!("{}c{id}", self.prefix).into_bytes()
    }

    pub fn field(&self, id: u32) -> Option<&[u8]> {
        self.fields.get(&id).map(Vec::as_slice)
    }
}

/// Defines what a file defines, as far as no other file did, and creates its containers. What cannot be defined,
/// because something is missing, is counted.
pub(super) fn define(
    definitions: &Definitions,
    prefix: String,
    clock: &Clock,
    vocabulary: &mut Vocabulary,
    out: &mut Emitter<'_>,
) -> (Names, u64) {
    let mut names = Names { prefix, ..Names::default() };
    let mut n_lost = 0;
    let mut identifiers: HashMap<u32, Vec<u8>> = HashMap::from([(0, ROOT.to_vec())]);
    let root = KnownType { nature: Nature::Container, symbol: out.symbols.types.intern(ROOT) };
    names.types.insert(0, root);
    for definition in &definitions.types {
        let is_container =
            |id: &u32| names.types.get(id).is_some_and(|known| known.nature == Nature::Container);
        let ends = definition.ends.map(|(from, to)| [from, to]);
        let needed = [definition.parent].into_iter().chain(ends.into_iter().flatten());
        if !needed.clone().all(|id| is_container(&id)) || definition.id == 0 {
            n_lost += 1;
            continue;
        }
        let (nature, name) = (definition.nature, &definition.name[..]);
        let parent = &identifiers[&definition.parent];
        let (identifier, is_new) = vocabulary.identifier(nature, parent, name);
        if is_new {
            let ends = ends.map(|[from, to]| (&identifiers[&from][..], &identifiers[&to][..]));
            let identifier = &identifier[..];
            out.define_type(&NewType { nature, name, identifier, parent, ends });
        }
        let symbol = out.symbols.types.intern(&identifier);
        names.types.insert(definition.id, KnownType { nature, symbol });
        identifiers.insert(definition.id, identifier);
    }
    for value in &definitions.values {
        let has_values = |known: &&KnownType| {
            matches!(known.nature, Nature::State | Nature::Event | Nature::Link)
        };
        if names.types.get(&value.of).filter(has_values).is_none() {
            n_lost += 1;
            continue;
        }
        let of = &identifiers[&value.of];
        if vocabulary.values.insert((of.clone(), value.name.clone()), ()).is_none() {
            let (name, color) = (&value.name[..], value.color);
            let new = NewValue { type_identifier: of, name, identifier: name, color };
            out.define_value(&new, &Extras::new(out.symbols));
        }
        names.values.insert(value.id, (value.of, out.symbols.values.intern(&value.name)));
    }
    names.fields.extend(definitions.fields.iter().cloned());
    let about = about(definitions, out.symbols);
    let nothing = Extras::new(out.symbols);
    for creation in &definitions.containers {
        let Creation { id, of, parent, ticks, ref name } = *creation;
        let known = names.types.get(&of).filter(|known| known.nature == Nature::Container);
        let in_container = names.container(parent);
        let (Some(_), Some(parent_alias)) = (known, in_container) else {
            n_lost += 1;
            continue;
        };
        if id == 0 || of == 0 || names.containers.insert(id, ()).is_some() {
            n_lost += 1;
            continue;
        }
        let alias = names.alias(id);
        let type_identifier = &identifiers[&of];
        let new = NewContainer { name, alias: &alias, type_identifier, parent: &parent_alias };
        out.create(&new, if parent == 0 { &about } else { &nothing });
        if ticks != 0
            && let Some(record) = out.batch.records.last_mut()
        {
            record.time = clock.time(ticks);
        }
    }
    (names, n_lost)
}

/// What is known of a process, as fields of its outermost containers.
fn about<'s>(definitions: &Definitions, symbols: &'s Symbols) -> Extras<'s> {
    let mut about = Extras::new(symbols);
    for (key, kind) in [
        ("host", FieldKind::String),
        ("pid", FieldKind::Int),
        ("rank", FieldKind::Int),
        ("program", FieldKind::String),
    ] {
        if let Some(value) = definitions.properties.get(key.as_bytes()) {
            about.push(key.as_bytes(), kind, value);
        }
    }
    about
}

/// Ends the containers that a file ends. It is done after all records: those of other threads may come late.
pub(super) fn destroy(
    definitions: &Definitions,
    names: &Names,
    clock: &Clock,
    symbols: &Symbols,
    batch: &mut Batch,
) {
    let types: HashMap<u32, u32> =
        definitions.containers.iter().map(|created| (created.id, created.of)).collect();
    let mut destroyed = definitions.destroyed.clone();
    destroyed.sort_by_key(|&(_, ticks)| ticks);
    for (id, ticks) in destroyed {
        let (Some(alias), Some(of)) = (names.container(id), types.get(&id)) else { continue };
        let Some(of) = names.types.get(of).filter(|_| id != 0) else { continue };
        let container = symbols.containers.intern(&alias);
        let value = batch.rare.len() as u32;
        batch.rare.push(Rare::Destroy { container, type_symbol: of.symbol });
        let time = clock.time(ticks);
        batch.records.push(Record { time, at: 0, pair: 0, value, op: Op::Rare, has_extras: false });
    }
}
