//! The system tree, processes, threads and accelerators as containers.

use std::collections::HashMap;

use onca_model::{Code, FieldKind, Nature, printable};

use super::definitions::{ACCELERATOR, Definitions, Property};
use super::text::value_text;
use crate::cursor::UNDEFINED;
use crate::emit::{Emitter, Extras, NewContainer, NewType, ROOT};

/// A type of containers.
#[derive(Debug)]
pub(super) struct PlaceType {
    pub name: Vec<u8>,
    pub identifier: Vec<u8>,
    parent: Option<u32>,
}

/// A container to be.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub alias: Vec<u8>,
    /// The number of its type.
    pub type_number: u32,
}

/// All containers, by the number of the definition that they stand for.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub types: Vec<PlaceType>,
    type_numbers: HashMap<(Option<u32>, Vec<u8>), u32>,
    n_named: HashMap<Vec<u8>, u32>,
    pub nodes: Vec<Place>,
    pub groups: Vec<Place>,
    pub locations: Vec<Place>,
    /// Nodes in an order in which parents come before children.
    node_order: Vec<u32>,
    /// What is wrong with the tree.
    pub problems: Vec<(Code, String)>,
}

impl Places {
    pub fn new(definitions: &Definitions) -> Self {
        let mut places = Self::default();
        places.place_nodes(definitions);
        for group in &definitions.location_groups.entries {
            let name: &[u8] = if group.kind == ACCELERATOR { b"Accelerator" } else { b"Process" };
            let node = definitions.nodes.number(group.parent.into());
            if node.is_none() && group.parent != UNDEFINED {
                places.unknown_parent("process", definitions.string(group.name), group.id);
            }
            let parent = node.map(|node| places.nodes[node as usize].type_number);
            let place = Place {
                alias: format!("G{}", group.id).into_bytes(),
                type_number: places.type_number(parent, name),
            };
            places.groups.push(place);
        }
        for location in &definitions.locations.entries {
            let name: &[u8] = match location.kind {
                1 => b"Thread",
                2 => b"Stream",
                3 => b"Metrics",
                _ => b"Location",
            };
            let group = definitions.location_groups.number(location.group.into());
            if group.is_none() {
                places.unknown_parent("location", definitions.string(location.name), location.id);
            }
            let parent = group.map(|group| places.groups[group as usize].type_number);
            let place = Place {
                alias: format!("L{}", location.id).into_bytes(),
                type_number: places.type_number(parent, name),
            };
            places.locations.push(place);
        }
        places
    }

    /// Places nodes below their parents, whatever their order; a circle of parents is opened at
    /// the node that is met first.
    fn place_nodes(&mut self, definitions: &Definitions) {
        let nodes = &definitions.nodes;
        let unplaced = Place { alias: Vec::new(), type_number: u32::MAX };
        self.nodes = vec![unplaced; nodes.entries.len()];
        let mut on_the_way = vec![false; nodes.entries.len()];
        for first in 0..nodes.entries.len() as u32 {
            let mut chain = vec![];
            let mut next = Some(first);
            while let Some(node) = next.filter(|&node| !self.is_placed(node)) {
                if std::mem::replace(&mut on_the_way[node as usize], true) {
                    break;
                }
                chain.push(node);
                next = nodes.number(nodes.entries[node as usize].parent.into());
            }
            for node in chain.into_iter().rev() {
                let def = &nodes.entries[node as usize];
                let parent = nodes.number(def.parent.into()).filter(|&up| self.is_placed(up));
                if parent.is_none() && def.parent != UNDEFINED {
                    self.unknown_parent("node", definitions.string(def.name), def.id);
                }
                let class = definitions.string(def.class).filter(|class| !class.is_empty());
                let parent = parent.map(|parent| self.nodes[parent as usize].type_number);
                self.nodes[node as usize] = Place {
                    alias: format!("N{}", def.id).into_bytes(),
                    type_number: self.type_number(parent, class.unwrap_or(b"node")),
                };
                self.node_order.push(node);
            }
        }
    }

    fn is_placed(&self, node: u32) -> bool {
        self.nodes[node as usize].type_number != u32::MAX
    }

    fn unknown_parent(&mut self, what: &str, name: Option<&[u8]>, id: impl Into<u64>) {
        let (name, id) = (printable(name.unwrap_or_default()).into_owned(), id.into());
        let message =
            format!("the parent of {what} {id} \"{name}\" is not defined; put at the top");
        self.problems.push((Code::UnknownParent, message));
    }

    /// The number of a container type, by its name and its parent's number.
    fn type_number(&mut self, parent: Option<u32>, name: &[u8]) -> u32 {
        let key = (parent, name.to_vec());
        if let Some(&number) = self.type_numbers.get(&key) {
            return number;
        }
        let number = self.types.len() as u32;
        let nth = self.n_named.entry(name.to_vec()).or_insert(0);
        *nth += 1;
        let identifier = match *nth {
            // These mean the root.
            1 if !matches!(name, b"0" | b"/" | b"File") => name.to_vec(),
            nth => [name, format!("-{nth}").as_bytes()].concat(),
        };
        self.types.push(PlaceType { name: name.to_vec(), identifier, parent });
        self.type_numbers.insert(key, number);
        number
    }

    /// The identifier of a container type.
    pub fn type_identifier(&self, number: u32) -> &[u8] {
        &self.types[number as usize].identifier
    }

    /// Defines all types and creates all containers.
    pub fn emit(&self, definitions: &Definitions, out: &mut Emitter<'_>) {
        for place_type in &self.types {
            out.define_type(&NewType {
                nature: Nature::Container,
                name: &place_type.name,
                identifier: &place_type.identifier,
                parent: place_type.parent.map_or(ROOT, |parent| self.type_identifier(parent)),
                ends: None,
            });
        }
        self.emit_nodes(definitions, out);
        self.emit_groups(definitions, out);
        self.emit_locations(definitions, out);
    }

    fn emit_nodes(&self, definitions: &Definitions, out: &mut Emitter<'_>) {
        let properties = by_owner(&definitions.node_properties);
        for &node in &self.node_order {
            let def = &definitions.nodes.entries[node as usize];
            let parent = definitions.nodes.number(def.parent.into());
            let place = &self.nodes[node as usize];
            // The node at which a circle was opened has no parent that was created before.
            let above = parent.filter(|&up| {
                self.types[place.type_number as usize].parent
                    == Some(self.nodes[up as usize].type_number)
            });
            let mut extras = Extras::new(out.symbols);
            push_properties(&properties, def.id.into(), definitions, &mut extras);
            let name = named(definitions, def.name, "node", def.id);
            self.create(out, place, &name, above.map(|up| &self.nodes[up as usize]), &extras);
        }
    }

    fn emit_groups(&self, definitions: &Definitions, out: &mut Emitter<'_>) {
        let properties = by_owner(&definitions.group_properties);
        for (def, place) in definitions.location_groups.entries.iter().zip(&self.groups) {
            let parent = definitions.nodes.number(def.parent.into());
            let mut extras = Extras::new(out.symbols);
            if let Some(creator) = definitions.location_groups.get(def.creator) {
                let name = named(definitions, creator.name, "process", creator.id);
                extras.push(b"created_by", FieldKind::String, &name);
            }
            push_properties(&properties, def.id.into(), definitions, &mut extras);
            let name = named(definitions, def.name, "process", def.id);
            self.create(out, place, &name, parent.map(|up| &self.nodes[up as usize]), &extras);
        }
    }

    fn emit_locations(&self, definitions: &Definitions, out: &mut Emitter<'_>) {
        let properties = by_owner(&definitions.location_properties);
        let locations = &definitions.locations.entries;
        let group_of =
            |index: usize| definitions.location_groups.number(locations[index].group.into());
        let mut order: Vec<usize> = (0..locations.len()).collect();
        order.sort_by_key(|&index| (group_of(index), locations[index].id));
        for index in order {
            let def = &locations[index];
            let parent = group_of(index).map(|group| &self.groups[group as usize]);
            let mut extras = Extras::new(out.symbols);
            push_properties(&properties, def.id, definitions, &mut extras);
            let name = named(definitions, def.name, "location", def.id);
            self.create(out, &self.locations[index], &name, parent, &extras);
        }
    }

    fn create(
        &self,
        out: &mut Emitter<'_>,
        place: &Place,
        name: &[u8],
        parent: Option<&Place>,
        extras: &Extras<'_>,
    ) {
        let container = NewContainer {
            name,
            alias: &place.alias,
            type_identifier: self.type_identifier(place.type_number),
            parent: parent.map_or(ROOT, |parent| &parent.alias),
        };
        out.create(&container, extras);
    }
}

/// The name of something, or what it is and its id if it has none.
pub(super) fn named(
    definitions: &Definitions,
    name: u32,
    what: &str,
    id: impl Into<u64>,
) -> Vec<u8> {
    match definitions.string(name) {
        Some(name) if !name.is_empty() => name.to_vec(),
        _ => format!("{what} {}", id.into()).into_bytes(),
    }
}

fn by_owner(properties: &[Property]) -> HashMap<u64, Vec<&Property>> {
    let mut owners: HashMap<u64, Vec<&Property>> = HashMap::new();
    for property in properties {
        owners.entry(property.owner).or_default().push(property);
    }
    owners
}

fn push_properties(
    properties: &HashMap<u64, Vec<&Property>>,
    owner: u64,
    definitions: &Definitions,
    extras: &mut Extras<'_>,
) {
    for property in properties.get(&owner).into_iter().flatten() {
        let name = named(definitions, property.name, "property", property.name);
        extras.push(&name, FieldKind::String, &value_text(definitions, property.value));
    }
}
