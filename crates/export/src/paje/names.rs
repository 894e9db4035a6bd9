//! Identifiers of an export: those of the trace, where each means one thing; else new ones.

use hashbrown::{HashMap, HashSet};
use onca_model::{Catalog, ContainerId, TypeId, ValueId};

use super::word::is_sayable;

/// What records call types, values and containers.
pub(crate) struct Identifiers<'c> {
    catalog: &'c Catalog,
    types: Vec<Vec<u8>>,
    values: Vec<Vec<u8>>,
    /// Containers whose identifier cannot be kept; they are few.
    renamed: HashMap<ContainerId, Vec<u8>>,
}

impl<'c> Identifiers<'c> {
    pub(crate) fn new(catalog: &'c Catalog) -> Self {
        let types = catalog.types.iter().enumerate();
        let mut taken = HashSet::new();
        let types = types.map(|(id, def)| match id {
            0 => b"0".to_vec(),
            _ => unique(def.identifier(), &mut taken),
        });
        let types = types.collect();
        let mut taken_of: HashMap<TypeId, HashSet<Vec<u8>>> = HashMap::new();
        let values = catalog.values.iter().map(|def| {
            let identifier = def.alias.as_deref().unwrap_or(&def.name);
            unique(identifier, taken_of.entry(def.type_id).or_default())
        });
        let values = values.collect();
        Self { catalog, types, values, renamed: renamed(catalog) }
    }

    pub(crate) fn type_of(&self, id: TypeId) -> &[u8] {
        &self.types[id.index()]
    }

    pub(crate) fn value(&self, id: ValueId) -> &[u8] {
        &self.values[id.index()]
    }

    pub(crate) fn container(&self, id: ContainerId) -> &[u8] {
        if id == ContainerId::ROOT {
            return b"0";
        }
        match self.renamed.get(&id) {
            Some(new) => new,
            None => self.catalog.containers.identifier(id),
        }
    }
}

/// Can an identifier be written and read back as itself? The format keeps some words for itself.
fn is_usable(identifier: &[u8]) -> bool {
    is_sayable(identifier) && !matches!(identifier, b"" | b"0" | b"/" | b"(null)" | b"File")
}

/// The identifier, or a variation of it that nothing has yet.
fn unique(identifier: &[u8], taken: &mut HashSet<Vec<u8>>) -> Vec<u8> {
    if is_usable(identifier) && taken.insert(identifier.to_vec()) {
        return identifier.to_vec();
    }
    let stem: Vec<u8> =
        identifier.iter().map(|&byte| if is_sayable(&[byte]) { byte } else { b'_' }).collect();
    let mut number = 2;
    loop {
        let new = [&stem, b"~".as_slice(), number.to_string().as_bytes()].concat();
        if taken.insert(new.clone()) {
            return new;
        }
        number += 1;
    }
}

/// New identifiers for containers that have none of their own. Sorts ids rather than keep a set
/// of texts: a million containers is an ordinary case.
fn renamed(catalog: &Catalog) -> HashMap<ContainerId, Vec<u8>> {
    let containers = &catalog.containers;
    let mut order: Vec<u32> = (1..containers.len() as u32).collect();
    order.sort_by_key(|&id| (containers.identifier(ContainerId(id)), id));
    let identifier = |id: u32| containers.identifier(ContainerId(id));
    let is_taken = |text: &[u8]| order.binary_search_by(|&id| identifier(id).cmp(text)).is_ok();
    let mut renamed = HashMap::new();
    let mut before: Option<&[u8]> = None;
    for &id in &order {
        let own = identifier(id);
        if before == Some(own) || !is_usable(own) {
            // The id makes it differ from all other new ones.
            let stem: Vec<u8> =
                own.iter().map(|&byte| if is_sayable(&[byte]) { byte } else { b'_' }).collect();
            let mut new = [&stem, b"~".as_slice(), id.to_string().as_bytes()].concat();
            while is_taken(&new) {
                new.push(b'~');
            }
            renamed.insert(ContainerId(id), new);
        }
        before = Some(own);
    }
    renamed
}
