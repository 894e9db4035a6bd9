//! An open trace and what all tables derive from it once.

use std::sync::{Arc, OnceLock};

use onca_model::{Catalog, Nature, Ticks, display_text};
use onca_store::Store;

use crate::extras::ExtraField;
use crate::names::Names;
use crate::tree::Tree;

/// A store, its names as dictionaries, its extra fields as columns, its containers as a tree.
#[derive(Debug)]
pub struct Trace {
    /// What everything is read from.
    pub store: Arc<Store>,
    /// Made when they are first asked for.
    pub names: Names,
    /// In the order of their numbers.
    pub extras: Vec<ExtraField>,
    tree: OnceLock<Tree>,
}

impl Trace {
    /// Reads nothing but what the trace declares.
    pub fn new(store: Arc<Store>) -> Self {
        let extras = ExtraField::all(store.catalog());
        Self { store, names: Names::default(), extras, tree: OnceLock::new() }
    }

    /// What the trace declares.
    pub fn catalog(&self) -> &Catalog {
        self.store.catalog()
    }

    /// The containers as a tree, made when it is first asked for.
    pub fn tree(&self) -> &Tree {
        self.tree.get_or_init(|| Tree::new(self.catalog()))
    }

    /// The names of the types of containers, the root's type first.
    pub fn container_types(&self) -> Vec<String> {
        let types = self.catalog().types.iter().filter(|def| def.nature == Nature::Container);
        types.map(|def| display_text(&def.name).into_owned()).collect()
    }

    /// Times in units.
    pub fn units(&self, ticks: &[Ticks]) -> Vec<f64> {
        let unit = &self.catalog().facts.unit;
        ticks.iter().map(|&ticks| unit.units(ticks)).collect()
    }
}
