//! Types and values, which are defined when they are first used: companions tell of far more
//! than a trace uses.

use onca_model::Nature;

use super::kind::Kind;
use super::labels::Labels;
use super::places::THREAD;
use crate::emit::{Emitter, Extras, NewType, NewValue, ROOT};

/// A type of entities.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Type {
    /// What a thread does, by records of states.
    State,
    /// Events of a type, by its number.
    Event(u64),
    /// Communications.
    Message,
    /// Which processor a thread is on.
    Cpu,
}

/// Something that must be defined before the records that use it; types come before values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Wanted {
    Type(Type),
    Value(Type, i128),
}

impl Type {
    pub fn identifier(self) -> Vec<u8> {
        match self {
            Self::State => b"state".to_vec(),
            Self::Event(number) => format!("event {number}").into_bytes(),
            Self::Message => b"message".to_vec(),
            Self::Cpu => b"cpu".to_vec(),
        }
    }

    fn name(self, labels: &Labels) -> Vec<u8> {
        match self {
            Self::State => b"State".to_vec(),
            Self::Event(number) => match labels.events.get(&number) {
                Some(event) if !event.label.is_empty() => event.label.clone(),
                _ => number.to_string().into_bytes(),
            },
            Self::Message => b"Message".to_vec(),
            Self::Cpu => b"CPU".to_vec(),
        }
    }

    fn nature(self, labels: &Labels) -> Nature {
        match self {
            Self::State => Nature::State,
            Self::Message => Nature::Link,
            Self::Cpu => Nature::Variable,
            Self::Event(number) => match Kind::of(number, labels) {
                Kind::Flat | Kind::Stacked => Nature::State,
                Kind::Instant => Nature::Event,
                Kind::Quantity | Kind::Counter => Nature::Variable,
            },
        }
    }
}

/// The identifier of a value is its number.
pub(super) fn value_identifier(value: i128) -> Vec<u8> {
    value.to_string().into_bytes()
}

/// Defines a type or a value.
pub(super) fn define(wanted: Wanted, labels: &Labels, out: &mut Emitter<'_>) {
    match wanted {
        Wanted::Type(of) => {
            let nature = of.nature(labels);
            let is_link = nature == Nature::Link;
            out.define_type(&NewType {
                nature,
                name: &of.name(labels),
                identifier: &of.identifier(),
                // Links belong to the root: what they join may lie anywhere.
                parent: if is_link { ROOT } else { THREAD },
                ends: is_link.then_some((THREAD, THREAD)),
            });
        }
        Wanted::Value(of, value) => {
            let identifier = value_identifier(value);
            let (name, color) = match of {
                Type::Event(number) => {
                    let event = labels.events.get(&number);
                    (event.and_then(|event| event.values.get(&value)), None)
                }
                _ => (labels.states.get(&value), labels.colors.get(&value).copied()),
            };
            let new = NewValue {
                type_identifier: &of.identifier(),
                name: name.filter(|name| !name.is_empty()).unwrap_or(&identifier),
                identifier: &identifier,
                color,
            };
            let extras = Extras::new(out.symbols);
            out.define_value(&new, &extras);
        }
    }
}
