//! What events become: types of states, links, variables and events, and the values of states.
//! Types and values are defined when they are first used: an archive defines far more than it
//! uses.

use std::collections::HashMap;

use onca_model::{FieldKind, Nature};

use super::definitions::{Definitions, MetricMember, Region};
use super::names;
use super::places::{Places, named};
use crate::cursor::UNDEFINED;
use crate::emit::{Emitter, Extras, NewType, NewValue, ROOT};

/// What kind of thing a type is a type of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Entity {
    /// States: code that runs.
    Region,
    /// States: collective operations.
    Collective,
    /// States: the measurement was off, or wrote its buffer.
    Measurement,
    /// Events that are nothing else.
    Event,
    /// Events of the archive as a whole.
    Marker,
    /// Variables: by the number of a member that stands for all that are alike.
    Metric(u32),
    /// Links to locations of the given type of containers.
    Link(LinkKind, u32),
}

/// What a link stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum LinkKind {
    Message,
    Rma,
    ThreadCreate,
    ThreadWait,
}

impl LinkKind {
    fn name(self) -> &'static str {
        match self {
            Self::Message => "Message",
            Self::Rma => "RMA",
            Self::ThreadCreate => "Thread creation",
            Self::ThreadWait => "Thread end",
        }
    }
}

/// A type of entities in containers of a type, by its number; `None` is the root's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct TypeKey {
    pub place_type: Option<u32>,
    pub entity: Entity,
}

/// Something that must be defined before the records that use it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Wanted {
    Type(TypeKey),
    /// The value that stands for a region, of states in containers of a type.
    Region {
        place_type: u32,
        region: u32,
    },
}

/// The names of types and values.
#[derive(Debug)]
pub(super) struct Vocabulary {
    /// For each region the number of the first one that is the same code.
    same_region: Vec<u32>,
    /// Identifiers of regions whose name is also that of other code.
    region_identifiers: HashMap<u32, Vec<u8>>,
    /// For each metric member the number of the first one that is the same.
    same_member: Vec<u32>,
    member_identifiers: HashMap<u32, Vec<u8>>,
    /// The type of the first location: its types need no qualified names.
    main_type: Option<u32>,
}

impl Vocabulary {
    pub fn new(definitions: &Definitions, places: &Places) -> Self {
        let region_key = |region: &Region| {
            let file = definitions.string(region.file).unwrap_or_default().to_vec();
            (file, region.first_line)
        };
        let regions = definitions.regions.entries.iter();
        let regions = regions.map(|region| {
            (named(definitions, region.name, "region", region.id), region_key(region))
        });
        let (same_region, region_identifiers) = distinguish(regions, |(file, line)| {
            [b"@", file.as_slice(), b":", line.to_string().as_bytes()].concat()
        });
        let member_key = |member: &MetricMember| {
            let text = |id| definitions.string(id).unwrap_or_default().to_vec();
            let MetricMember { mode, base, exponent, .. } = *member;
            (text(member.description), text(member.unit), mode, base, exponent)
        };
        let members = definitions.members.entries.iter();
        let members = members.map(|member| {
            (named(definitions, member.name, "metric", member.id), member_key(member))
        });
        let (same_member, member_identifiers) = distinguish(members, |_| b"-other".to_vec());
        let main_type = places.locations.first().map(|place| place.type_number);
        Self { same_region, region_identifiers, same_member, member_identifiers, main_type }
    }

    /// The number of the region that stands for a region: those of the same name, file and line
    /// are one.
    #[inline]
    pub fn region(&self, number: u32) -> u32 {
        self.same_region[number as usize]
    }

    /// The identifier of the value that stands for a region.
    pub fn region_identifier(&self, definitions: &Definitions, number: u32) -> Vec<u8> {
        match self.region_identifiers.get(&number) {
            Some(identifier) => identifier.clone(),
            None => region_name(definitions, number),
        }
    }

    /// The number of the metric member that stands for a member.
    pub fn member(&self, number: u32) -> u32 {
        self.same_member[number as usize]
    }

    fn entity_name(&self, definitions: &Definitions, entity: Entity) -> Vec<u8> {
        match entity {
            Entity::Region => b"Region".to_vec(),
            Entity::Collective => b"Collective".to_vec(),
            Entity::Measurement => b"Measurement".to_vec(),
            Entity::Event => b"Event".to_vec(),
            Entity::Marker => b"Marker".to_vec(),
            Entity::Link(kind, _) => kind.name().as_bytes().to_vec(),
            Entity::Metric(number) => {
                let member = &definitions.members.entries[number as usize];
                named(definitions, member.name, "metric", member.id)
            }
        }
    }

    /// The identifier of a type. Types of the main type of locations go by their names, the
    /// same types elsewhere are told apart by where they are.
    pub fn type_identifier(
        &self,
        definitions: &Definitions,
        places: &Places,
        key: TypeKey,
    ) -> Vec<u8> {
        let mut identifier = self.entity_name(definitions, key.entity);
        if let Entity::Metric(number) = key.entity {
            if let Some(other) = self.member_identifiers.get(&number) {
                identifier.clone_from(other);
            }
            // The name of a metric may be that of anything.
            identifier.splice(..0, b"metric ".iter().copied());
        }
        let at = |number: u32| places.type_identifier(number);
        match (key.place_type, key.entity) {
            (from, Entity::Link(_, to)) if from != self.main_type || Some(to) != from => {
                let from = from.map_or(ROOT, at);
                [identifier.as_slice(), b"@", from, b">", at(to)].concat()
            }
            (Some(place), _) if key.place_type != self.main_type => {
                [identifier.as_slice(), b"@", at(place)].concat()
            }
            _ => identifier,
        }
    }

    /// Defines a type or a value.
    pub fn define(
        &self,
        definitions: &Definitions,
        places: &Places,
        wanted: Wanted,
        out: &mut Emitter<'_>,
    ) {
        match wanted {
            Wanted::Type(key) => self.define_type(definitions, places, key, out),
            Wanted::Region { place_type, region } => {
                let key = TypeKey { place_type: Some(place_type), entity: Entity::Region };
                let type_identifier = self.type_identifier(definitions, places, key);
                let name = region_name(definitions, region);
                let identifier = self.region_identifier(definitions, region);
                let extras = region_extras(definitions, region, out);
                let new = NewValue {
                    type_identifier: &type_identifier,
                    name: &name,
                    identifier: &identifier,
                    color: None,
                };
                out.define_value(&new, &extras);
            }
        }
    }

    fn define_type(
        &self,
        definitions: &Definitions,
        places: &Places,
        key: TypeKey,
        out: &mut Emitter<'_>,
    ) {
        let at = |number: u32| places.type_identifier(number);
        let here = key.place_type.map_or(ROOT, at);
        let (nature, ends) = match key.entity {
            Entity::Region | Entity::Collective | Entity::Measurement => (Nature::State, None),
            Entity::Event | Entity::Marker => (Nature::Event, None),
            Entity::Metric(_) => (Nature::Variable, None),
            Entity::Link(_, to) => (Nature::Link, Some((here, at(to)))),
        };
        out.define_type(&NewType {
            nature,
            name: &self.entity_name(definitions, key.entity),
            identifier: &self.type_identifier(definitions, places, key),
            // All links belong to the root: what they join may lie anywhere.
            parent: if nature == Nature::Link { ROOT } else { here },
            ends,
        });
    }
}

fn region_name(definitions: &Definitions, number: u32) -> Vec<u8> {
    let region = &definitions.regions.entries[number as usize];
    named(definitions, region.name, "region", region.id)
}

/// Where the code of a region is, and what it is for.
fn region_extras<'a>(definitions: &Definitions, number: u32, out: &Emitter<'a>) -> Extras<'a> {
    let region = &definitions.regions.entries[number as usize];
    let mut extras = Extras::new(out.symbols);
    if let Some(file) = definitions.string(region.file).filter(|file| !file.is_empty()) {
        extras.push(b"file", FieldKind::String, file);
        if region.first_line != UNDEFINED && region.first_line != 0 {
            extras.number("line", region.first_line);
        }
    }
    if let Some(role) = region.role {
        extras.push(b"role", FieldKind::String, names::role(role).as_bytes());
    }
    if let Some(paradigm) = region.paradigm {
        extras.push(b"paradigm", FieldKind::String, names::paradigm(paradigm).as_bytes());
    }
    extras
}

/// Groups things by name and key. For each thing the number of the first that is the same, and
/// an identifier for those whose name is that of an earlier, different one.
fn distinguish<K: std::hash::Hash + Eq>(
    things: impl Iterator<Item = (Vec<u8>, K)>,
    suffix: impl Fn(&K) -> Vec<u8>,
) -> (Vec<u32>, HashMap<u32, Vec<u8>>) {
    let mut first_of: HashMap<(Vec<u8>, K), u32> = HashMap::new();
    let mut n_named: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut identifiers = HashMap::new();
    let mut same = Vec::new();
    for (number, thing) in things.enumerate() {
        let number = number as u32;
        if let Some(&first) = first_of.get(&thing) {
            same.push(first);
            continue;
        }
        let nth = n_named.entry(thing.0.clone()).or_insert(0);
        *nth += 1;
        if *nth > 1 {
            let nth = format!("#{nth}");
            let identifier = [thing.0.as_slice(), &suffix(&thing.1), nth.as_bytes()].concat();
            identifiers.insert(number, identifier);
        }
        first_of.insert(thing, number);
        same.push(number);
    }
    (same, identifiers)
}
