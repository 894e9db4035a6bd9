//! What a state can be: a value of the trace, or a number that a lens derives.

use std::borrow::Cow;

use onca_model::ValueId;

use crate::Scope;

/// The value of a state of the trace, or the number of a derived state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StateValue {
    /// A value of the trace.
    Trace(ValueId),
    /// A number of a derived state.
    Derived(DerivedValue),
}

/// A number of a derived state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DerivedValue {
    /// The place among the reductions of the scope.
    pub reduction: usize,
    /// The number.
    pub number: i64,
}

impl From<ValueId> for StateValue {
    fn from(value: ValueId) -> Self {
        Self::Trace(value)
    }
}

impl StateValue {
    /// The value of the trace, if it is one.
    pub fn of_trace(self) -> Option<ValueId> {
        match self {
            Self::Trace(value) => Some(value),
            Self::Derived(_) => None,
        }
    }

    /// The name of the value, or the number.
    pub fn name<'s>(self, scope: &Scope<'s>) -> Cow<'s, [u8]> {
        match self {
            Self::Trace(value) => Cow::Borrowed(&scope.catalog().value(value).name),
            Self::Derived(derived) => Cow::Owned(derived.number.to_string().into_bytes()),
        }
    }

    /// The name of its type, or of the reduction.
    pub fn type_name<'a>(self, scope: &'a Scope<'_>) -> &'a [u8] {
        let catalog = scope.catalog();
        match self {
            Self::Trace(value) => &catalog.type_def(catalog.value(value).type_id).name,
            Self::Derived(derived) => scope.reductions()[derived.reduction].name.as_bytes(),
        }
    }
}

impl DerivedValue {
    /// The number with the name of what it is a number of: `active: 2`.
    pub fn words(self, scope: &Scope<'_>) -> String {
        format!("{}: {}", scope.reductions()[self.reduction].name, self.number)
    }
}
