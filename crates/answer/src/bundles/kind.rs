//! Which links look alike.

use onca_model::{TypeId, ValueId};
use onca_query::Scope;

/// The links of a type are told apart by value while there are no more values than this: numbers of
/// messages would make a rainbow.
const MOST_VALUES: usize = 8;

/// What links are told apart by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LinkKind {
    /// Their value.
    Value(ValueId),
    /// Their type, which has too many values.
    Type(TypeId),
}

impl LinkKind {
    /// A number of its own.
    pub(super) fn number(self) -> u32 {
        match self {
            Self::Value(value) => value.0 << 1,
            Self::Type(type_id) => (type_id.0 << 1) | 1,
        }
    }
}

/// How the links of each type are told apart.
pub struct LinkKinds {
    by_value: Vec<bool>,
}

impl LinkKinds {
    /// Decides for each type of links.
    pub fn new(scope: &Scope<'_>) -> Self {
        let catalog = scope.catalog();
        let mut n_values = vec![0; catalog.types.len()];
        catalog.values.iter().for_each(|value| n_values[value.type_id.index()] += 1);
        Self { by_value: n_values.iter().map(|n| *n <= MOST_VALUES).collect() }
    }

    /// Are the links of a type told apart by their value?
    pub fn by_value(&self, type_id: TypeId) -> bool {
        self.by_value[type_id.index()]
    }

    /// The kind of a link.
    pub fn of(&self, type_id: TypeId, value: ValueId) -> LinkKind {
        match self.by_value(type_id) {
            true => LinkKind::Value(value),
            false => LinkKind::Type(type_id),
        }
    }
}
