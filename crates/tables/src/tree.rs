//! The containers of a trace as a tree: depths, paths, ancestors.

use std::sync::{Arc, Mutex, PoisonError};

use onca_model::{Catalog, ContainerId, display_text};

/// A container deeper than this has no path: a chain of containers would otherwise take
/// memory that grows with the square of its length.
const MAX_PATH_LEVELS: u32 = 1000;

/// How many levels the ancestors of all containers are remembered for.
const LEVELS_KEPT: usize = 8;

/// The depth of every container, and the ancestors that were asked for last.
#[derive(Debug)]
pub struct Tree {
    depths: Vec<u32>,
    known: Mutex<Vec<(Level, Ancestors)>>,
}

/// For every container an ancestor.
pub type Ancestors = Arc<[Option<u32>]>;

/// Which ancestor is meant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Level {
    /// The nearest that is of a type with this name.
    Type(String),
    /// The one at this depth; the root has 0.
    Depth(u32),
}

impl Tree {
    /// Finds all depths.
    pub fn new(catalog: &Catalog) -> Self {
        let parents = &catalog.containers.parents;
        let mut depths: Vec<u32> = Vec::with_capacity(parents.len());
        for (index, parent) in parents.iter().enumerate() {
            // A parent comes before its children; the root is its own.
            let above = depths.get(parent.index()).filter(|_| parent.index() < index);
            depths.push(above.map_or(0, |depth| depth + 1));
        }
        Self { depths, known: Mutex::default() }
    }

    /// The depth of a container; the root has 0.
    pub fn depth(&self, id: ContainerId) -> Option<u32> {
        self.depths.get(id.index()).copied()
    }

    /// The names from below the root to a container, each after a `/`; a `/` or `\` in a name is
    /// escaped by `\`. The root is `/`.
    pub fn path(&self, catalog: &Catalog, id: ContainerId) -> Option<String> {
        let depth = self.depth(id).filter(|&depth| depth <= MAX_PATH_LEVELS)?;
        let mut line = Vec::with_capacity(depth as usize);
        let mut current = id;
        for _ in 0..depth {
            line.push(current);
            current = catalog.containers.parents[current.index()];
        }
        if line.is_empty() {
            return Some("/".to_owned());
        }
        let mut path = String::new();
        for id in line.into_iter().rev() {
            path.push('/');
            for c in display_text(catalog.containers.names.get(id.index())).chars() {
                if matches!(c, '/' | '\\') {
                    path.push('\\');
                }
                path.push(c);
            }
        }
        Some(path)
    }

    /// For every container its ancestor at a level, which may be itself. A query asks for the
    /// same level batch after batch, so the answer is kept.
    pub fn ancestors(&self, catalog: &Catalog, level: &Level) -> Ancestors {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, ancestors)) = known.iter().find(|(known, _)| known == level) {
            return Arc::clone(ancestors);
        }
        let ancestors = self.find_ancestors(catalog, level);
        if known.len() == LEVELS_KEPT {
            known.remove(0);
        }
        known.push((level.clone(), Arc::clone(&ancestors)));
        ancestors
    }

    /// One pass over all containers: a parent comes before its children.
    fn find_ancestors(&self, catalog: &Catalog, level: &Level) -> Ancestors {
        let containers = &catalog.containers;
        let is_named: Vec<bool> = match level {
            Level::Type(name) => {
                catalog.types.iter().map(|def| display_text(&def.name) == name.as_str()).collect()
            }
            Level::Depth(_) => Vec::new(),
        };
        let is_meant = |index: usize| match level {
            Level::Type(_) => is_named[containers.types[index].index()],
            Level::Depth(depth) => self.depths[index] == *depth,
        };
        let mut ancestors: Vec<Option<u32>> = Vec::with_capacity(containers.len());
        for (index, parent) in containers.parents.iter().enumerate() {
            let above = ancestors.get(parent.index()).copied().flatten();
            ancestors.push(if is_meant(index) { Some(index as u32) } else { above });
        }
        ancestors.into()
    }
}
