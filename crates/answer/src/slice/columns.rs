//! What amounts are told apart by: values of states, events and links, variables, other nodes.

use onca_model::{Catalog, Nature, TypeId, ValueId};
use onca_query::{DerivedValue, Scope};

/// One of the things that each node has an amount of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SliceValue {
    /// The name of its type; for a derived value that of the reduction, for a peer its kind.
    pub type_name: Vec<u8>,
    /// Its name; for a variable that of its type, for a peer its path.
    pub name: Vec<u8>,
    /// The value, if it is one of the trace.
    pub value: Option<ValueId>,
    /// The type, if it is one of the trace.
    pub type_id: Option<TypeId>,
    /// The number, if it is one of a derived state.
    pub derived: Option<DerivedValue>,
}

impl SliceValue {
    /// Something that a lens derives.
    pub(super) fn derived(type_name: &str, name: &str) -> Self {
        let (type_name, name) = (type_name.as_bytes().to_vec(), name.as_bytes().to_vec());
        Self { type_name, name, value: None, type_id: None, derived: None }
    }

    /// Has it this name, or its type?
    pub fn is_named(&self, name: &[u8]) -> bool {
        self.name == name || self.type_name == name
    }
}

/// The seen values of one nature, and where to find them.
#[derive(Debug)]
pub(super) struct Columns {
    pub values: Vec<SliceValue>,
    /// By value or, for variables, by type.
    of_id: Vec<Option<u32>>,
}

impl Columns {
    /// The seen values of the types of a nature.
    pub fn of_values(scope: &Scope<'_>, nature: Nature) -> Self {
        let catalog = scope.catalog();
        let seen = |id: ValueId| {
            let type_id = catalog.value(id).type_id;
            let of_nature = catalog.type_def(type_id).nature == nature;
            of_nature && scope.sees_type(type_id) && scope.sees_value(id)
        };
        let ids = (0..catalog.values.len() as u32).map(ValueId);
        Self::new(ids.map(|id| seen(id).then(|| trace_value(catalog, id))))
    }

    /// The values of all types of states.
    pub fn of_states(catalog: &Catalog) -> Self {
        let is_state =
            |id: ValueId| catalog.type_def(catalog.value(id).type_id).nature == Nature::State;
        let ids = (0..catalog.values.len() as u32).map(ValueId);
        Self::new(ids.map(|id| is_state(id).then(|| trace_value(catalog, id))))
    }

    /// The seen variables.
    pub fn of_variables(scope: &Scope<'_>) -> Self {
        let catalog = scope.catalog();
        let ids = (0..catalog.types.len() as u32).map(TypeId);
        Self::new(ids.map(|id| {
            let def = catalog.type_def(id);
            (def.nature == Nature::Variable && scope.sees_type(id)).then(|| SliceValue {
                type_name: def.name.clone(),
                name: def.name.clone(),
                value: None,
                type_id: Some(id),
                derived: None,
            })
        }))
    }

    fn new(seen: impl Iterator<Item = Option<SliceValue>>) -> Self {
        let mut values = Vec::new();
        let of_id = seen
            .map(|value| {
                values.push(value?);
                Some(values.len() as u32 - 1)
            })
            .collect();
        Self { values, of_id }
    }

    /// The column of a value.
    #[inline]
    pub fn of_value(&self, id: ValueId) -> Option<usize> {
        self.of_id.get(id.index()).copied().flatten().map(|column| column as usize)
    }

    /// The column of a variable.
    pub fn of_type(&self, id: TypeId) -> Option<usize> {
        self.of_id.get(id.index()).copied().flatten().map(|column| column as usize)
    }
}

fn trace_value(catalog: &Catalog, id: ValueId) -> SliceValue {
    let def = catalog.value(id);
    SliceValue {
        type_name: catalog.type_def(def.type_id).name.clone(),
        name: def.name.clone(),
        value: Some(id),
        type_id: Some(def.type_id),
        derived: None,
    }
}
