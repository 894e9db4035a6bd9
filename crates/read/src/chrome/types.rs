//! The types that the reader makes.

use onca_model::Nature;

use super::names::{NO_CATEGORY, Names, Owner};

/// A type of containers or entities.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Type {
    Process,
    Thread,
    /// A lane for asynchronous operations.
    AsyncTrack,
    /// Slices of a category.
    Slice(u32),
    AsyncSlice,
    AsyncInstant,
    /// Instants of a category, of the root.
    RootInstant(u32),
    ProcessInstant(u32),
    ThreadInstant(u32),
    /// Flows of a category.
    Flow(u32),
    Counter(u32),
}

/// How a type is defined.
pub(super) struct Definition {
    pub nature: Nature,
    pub identifier: String,
    pub name: Vec<u8>,
    /// The type of the containers that it belongs to; `None` for the root.
    pub parent: Option<Type>,
}

impl Type {
    /// The type of instants of a category.
    pub fn instant(owner: Owner, category: u32) -> Self {
        match owner {
            Owner::Root => Self::RootInstant(category),
            Owner::Process(_) => Self::ProcessInstant(category),
            Owner::Thread(_) => Self::ThreadInstant(category),
        }
    }

    /// How it is defined. What has a category is named after it.
    pub fn define(self, names: &Names<'_>) -> Definition {
        let plain = |nature, identifier: &str, name: &str, parent| Definition {
            nature,
            identifier: identifier.to_owned(),
            name: name.as_bytes().to_vec(),
            parent,
        };
        let of_category = |nature, identifier: &str, name: &str, parent, category| Definition {
            nature,
            identifier: format!("{identifier} {category}"),
            name: match category {
                NO_CATEGORY => name.as_bytes().to_vec(),
                category => names.category_text(category),
            },
            parent,
        };
        let (process, thread) = (Some(Self::Process), Some(Self::Thread));
        match self {
            Self::Process => plain(Nature::Container, "process", "Process", None),
            Self::Thread => plain(Nature::Container, "thread", "Thread", process),
            Self::AsyncTrack => plain(Nature::Container, "async", "AsyncTrack", process),
            Self::AsyncSlice => {
                plain(Nature::State, "async slice", "AsyncSlice", Some(Self::AsyncTrack))
            }
            Self::AsyncInstant => {
                plain(Nature::Event, "async instant", "AsyncInstant", Some(Self::AsyncTrack))
            }
            Self::Slice(category) => of_category(Nature::State, "slice", "Slice", thread, category),
            Self::RootInstant(category) => {
                of_category(Nature::Event, "global instant", "Instant", None, category)
            }
            Self::ProcessInstant(category) => {
                of_category(Nature::Event, "process instant", "Instant", process, category)
            }
            Self::ThreadInstant(category) => {
                of_category(Nature::Event, "instant", "Instant", thread, category)
            }
            Self::Flow(category) => of_category(Nature::Link, "flow", "Flow", None, category),
            Self::Counter(counter) => Definition {
                nature: Nature::Variable,
                identifier: format!("counter {counter}"),
                name: names.counters.get(counter as usize).cloned().unwrap_or_default(),
                parent: process,
            },
        }
    }
}
